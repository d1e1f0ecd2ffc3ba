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
    uint32_t pointers; /* asterisks behind it */
} yk_type;

/* What words like "const unsigned int *" name. False when that is no scalar or vector of the language, or a pointer to one. */
bool yk_type_read(bool opencl, const char *text, yk_type *out);

/* Of a value, where a pointer counts as 8 bytes: OpenCL C lays out 3 components as 4, and CUDA as 3. */
uint32_t yk_type_bytes(bool opencl, const yk_type *type);

/* A word that may stand in the name of a type and says nothing about its width, as "const" or "__global". */
bool yk_is_qualifier(bool opencl, const char *word, size_t length);

/* A word that is, or begins, the name of a scalar or vector. */
bool yk_is_type_word(bool opencl, const char *word, size_t length);

#endif
