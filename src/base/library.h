/* SPDX-License-Identifier: Apache-2.0 */
/* Binding the functions of a driver's library to a table. For backends. */
#ifndef YK_LIBRARY_H
#define YK_LIBRARY_H

#include "base/base.h"

/* A function of a library, and the member of a table that it goes to. */
typedef struct yk_symbol {
    const char *name;
    size_t offset;
    bool required;
} yk_symbol;

/* Fill a table, with NULL for what the library lacks; the names of all required functions that it lacks are added to `missing`. */
void yk_library_bind(void *library, void *table, const yk_symbol *symbols, size_t count, yk_text *missing);

#endif
