/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the examples share: checked calls, memory, and numbers from the command line. YOKE_CHECK ends the program when a call
 * fails; a library would return the status to its caller.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/check.h>
#include <yoke/yoke.h>

static inline void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (!memory) {
        fprintf(stderr, "no %zu bytes of memory\n", size);
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* Argument `index` of the program, a number from 1 to `most`; `otherwise` if it is missing. */
static inline int number(int argc, char **argv, int index, int otherwise, int most)
{
    char *end = NULL;
    long value = index < argc ? strtol(argv[index], &end, 10) : otherwise;

    if (value < 1 || value > most || (end && *end)) {
        const char *slash = strrchr(argv[0], '/');
        fprintf(stderr, "%s: argument %d, '%s', has to be a number from 1 to %d\n", slash ? slash + 1 : argv[0], index, argv[index],
                most);
        exit(2);
    }
    return (int)value;
}

#endif
