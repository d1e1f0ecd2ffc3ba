/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of code in given bytes, if any. */
#ifndef YK_CODE_H
#define YK_CODE_H

#include "backend_api.h"
#include "program/program_file.h"

/* Beside the kinds of yk_code_kind, which bytes that nothing is known of count among as YK_CODE_BINARY. */
enum {
    YK_FOUND_TEXT = 32,    /* source text, or any other */
    YK_FOUND_PROGRAM_FILE, /* of program_file.h */
    YK_FOUND_ELF           /* for another machine than NVIDIA's GPUs */
};

/* A yk_code_kind, or one of those. */
int yk_code_find_kind(const void *bytes, size_t size);
/* Whether SPIR-V has whole instructions and whole functions up to its end. What is in them is for the driver to judge. */
bool yk_spirv_is_whole(const void *bytes, size_t size);
/* SPIR-V of the other byte order becomes that of this machine's. */
void yk_spirv_turn(void *bytes, size_t size);

#endif
