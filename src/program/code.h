/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizing the kind of code in bytes. */
#ifndef YK_CODE_H
#define YK_CODE_H

#include "backend_api.h"
#include "program/program_file.h"

/* Kinds beside yk_code_kind. Unrecognized bytes count as YK_CODE_BINARY. */
enum {
    YK_FOUND_TEXT = 32,    /* source text, or any other */
    YK_FOUND_PROGRAM_FILE, /* see program_file.h */
    YK_FOUND_ELF           /* for a machine other than NVIDIA's GPUs */
};

/* Returns a yk_code_kind, or one of the kinds above. */
int yk_code_find_kind(const void *bytes, size_t size);
/* Append the names of the kernels in PTX or a cubin, separated by ';': for drivers that do not list them (CUDA before 12.4). */
void yk_code_list_kernels(int kind, const void *bytes, size_t size, yk_text *names);
/* Whether SPIR-V consists of complete instructions and functions. The driver checks their content. */
bool yk_spirv_is_whole(const void *bytes, size_t size);
/* Convert SPIR-V of the other byte order to this machine's. */
void yk_spirv_turn(void *bytes, size_t size);

#endif
