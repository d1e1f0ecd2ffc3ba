/* SPDX-License-Identifier: Apache-2.0 */
/* The names that scalar and vector types have in CUDA C++ and in OpenCL C: see scalar_types.def. Pure text, for tools too. */
#ifndef YK_TYPE_NAME_H
#define YK_TYPE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum yk_scalar_kind { YK_SCALAR_BOOL, YK_SCALAR_SIGNED, YK_SCALAR_UNSIGNED, YK_SCALAR_FLOATING } yk_scalar_kind;

typedef struct yk_type {
    yk_scalar_kind kind;
    uint32_t bytes;    /* of one component */
    uint32_t lanes;    /* components of a vector; 1: a scalar */
    uint32_t pointers; /* asterisks behind the name */
} yk_type;

/* Read a type like "const unsigned int *". False when it is not a scalar or vector of the language, or a pointer to one. */
bool yk_type_read(bool opencl, const char *text, yk_type *out);

/* The size of a value; a pointer has 8 bytes. OpenCL C lays out 3 components as 4, and CUDA as 3. */
uint32_t yk_type_bytes(bool opencl, const yk_type *type);

/* Whether a type may contain the word without a change of its width, as "const" or "__global". */
bool yk_is_qualifier(bool opencl, const char *word, size_t length);

/* Whether the word is, or begins, the name of a scalar or vector. */
bool yk_is_type_word(bool opencl, const char *word, size_t length);

#endif
