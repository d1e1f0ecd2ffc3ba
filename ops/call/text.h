/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of the kernels (NAME.yk) and of their headers (NAME.yh), as the build embeds them (build-aux/embed.awk). */
#ifndef YOPS_TEXT_H
#define YOPS_TEXT_H

#include <yoke/program.h>

typedef struct yops_text {
    const char *name; /* of a kernel's text "reduce", of a header "element.yh" */
    const char *text;
} yops_text;

/* Terminated by a NULL name. */
extern const yops_text yops_texts[];

/* All headers, and one with the text that was made for this kernel ("": none), terminated. */
enum { YOPS_MOST_HEADERS = 32 };
void yops_get_headers(yoke_header headers[YOPS_MOST_HEADERS], const char *generated);

#endif
