/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for a vendor's library, of which libyoke-ops and libyoke-comm have a copy each. What is absent, or cannot be used, is
 * a reason in words and no failure.
 */
#ifndef YVENDOR_SEARCH_H
#define YVENDOR_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include <yoke/yoke.h>

/* A function of the library. */
typedef struct yvendor_symbol {
    const char *name;
    size_t offset; /* in the table */
} yvendor_symbol;

/* What the search has to know of a library. */
typedef struct yvendor_library {
    const char *name;           /* "cuBLAS" */
    const char *const *sonames; /* the newest first; ended by NULL */
    bool in_toolkit;            /* part of the CUDA Toolkit, and of NVIDIA's Python packages */
    const char *advice;         /* how to install it */
    const char *order;          /* an environment variable with the path of the only file that is tried; or NULL */
    void *table;
    size_t table_size;
    const yvendor_symbol *symbols;
    size_t symbol_count;
    /* With the table filled: write the version. False: the library cannot be used, `reason` says why. */
    bool (*get_version)(const char *path, char *version, char *reason, size_t size);
} yvendor_library;

enum { YVENDOR_REASON_SIZE = 512, YVENDOR_VERSION_SIZE = 32 };

/* What has come of a library. */
typedef struct yvendor_found {
    bool usable;
    char version[YVENDOR_VERSION_SIZE]; /* "13.1.0"; "" when unknown */
    char path[512];                     /* the file; "" when there is none */
    char reason[YVENDOR_REASON_SIZE];   /* why it cannot be used; "" when it can */
} yvendor_found;

/* Search a library and fill its table. False: it was not found, and could not be looked for either, since the process has hardly a
 * file descriptor or addresses left; whoever keeps the result searches again another time. */
bool yvendor_search(const yvendor_library *library, yvendor_found *out_found);

#endif
