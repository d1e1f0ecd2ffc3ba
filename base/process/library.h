/* SPDX-License-Identifier: Apache-2.0 */
/* Binding the functions of a driver's library to a table, for backends. */
#ifndef YK_LIBRARY_H
#define YK_LIBRARY_H

#include "base/process/process.h"

/* A function of a library, and the table member that receives its address. */
typedef struct yk_symbol {
    const char *name;
    size_t offset;
    bool required;
} yk_symbol;

/* A driver's library: the table that receives its functions, and the messages for a missing library and for missing functions. */
typedef struct yk_library {
    const char *soname;
    void *table;
    const yk_symbol *symbols;
    size_t count;
    const char *absent, *advice; /* around the loader's reason: "cuda: no driver", "install it" */
    const char *incomplete;      /* before the names: "cuda: the driver is too old, it lacks" */
} yk_library;

/* Open the library and fill its table; where LD_PRELOAD names a library that has its functions, as `oclgrind ./program` does, that
 * one. The library is never closed: drivers leave threads and exit handlers behind that would run into unmapped code.
 * YOKE_E_UNAVAILABLE. */
yoke_status yk_library_open(const yk_library *library);

/* Fill a table, with NULL for missing functions; the names of all missing required functions are appended to `missing`. */
void yk_library_bind(void *library, void *table, const yk_symbol *symbols, size_t count, yk_text *missing);

/* yk_loader_each, but never while this process forks: the child would inherit the loader's lock, held for ever. */
void yk_library_each_loaded(int (*visit)(const char *path, void *user), void *user);

/* Take the loader's locks once, and release them. In a child of a fork during which another thread held one, this does not return.
 */
void yk_library_take_locks(void);

/* Around a fork: no thread is in yk_library_each_loaded. */
void yk_library_lock(void);
void yk_library_unlock(void);

#endif
