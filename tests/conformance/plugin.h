/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plugin that uses Yoke offers to its program, which knows nothing of Yoke: plugin.c loads it, plugin_module.c is it.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <sys/types.h>

enum { PLUGIN_NO_DEVICE = 77, PLUGIN_MOST_THREADS = 8 };

typedef struct plugin {
    /* Open a device (NULL: the best) and do some work that needs no thread of Yoke's. 0, PLUGIN_NO_DEVICE, or 1. */
    int (*begin)(const char *selector, char *out_why, unsigned size);
    /* Host functions and callbacks. `out_threads`: the threads that ran them, 0 behind the last. 0, or 1. */
    int (*work)(pid_t out_threads[PLUGIN_MOST_THREADS]);
    /* Texts of Yoke's that are kept for the calling thread. */
    void (*texts)(void);
    /* Enqueue the program's own function, in a stream that is released before it has run. 0, or 1. */
    int (*pending)(int (*fn)(int status, void *user), void *user);
    /* Release everything. */
    void (*end)(void);
} plugin;

#endif
