/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a source of CUDA C++ or OpenCL C, which signature.c reads. */
#ifndef YK_SCAN_H
#define YK_SCAN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum yk_token_kind {
    YK_END = 0,
    /* Any other character is its own kind. */
    YK_IDENTIFIER = 256,
    YK_NUMBER,
    YK_STRING,   /* with its quotes; also a character literal */
    YK_DIRECTIVE /* a preprocessor directive: the whole line */
} yk_token_kind;

typedef struct yk_token {
    int kind; /* a yk_token_kind, or the character */
    const char *text;
    size_t length;
} yk_token;

typedef struct yk_scanner {
    const char *at, *end;
    bool in_line; /* text precedes `at` in its line: # begins no directive */
} yk_scanner;

yk_token yk_scan(yk_scanner *scanner);

bool yk_token_is(const yk_token *token, const char *text);

#endif
