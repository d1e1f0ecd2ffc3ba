/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of the C library whose text is in memory. */
#ifndef YK_SYSTEM_TEXT_STREAM_H
#define YK_SYSTEM_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct yk_text_stream {
    FILE *file;
    char *text;
    size_t size;
} yk_text_stream;

/* False: out of memory. */
bool yk_text_stream_open(yk_text_stream *stream);
/* The text, to be freed; NULL: out of memory, then or before. */
char *yk_text_stream_close(yk_text_stream *stream);

#endif
