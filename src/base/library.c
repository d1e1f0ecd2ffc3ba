/* SPDX-License-Identifier: Apache-2.0 */
/* Binding the functions of a driver's library: all that are missing are told at once, so that nobody has to try one after the
 * other. */
#include "base/library.h"

#include <dlfcn.h>

void yk_library_bind(void *library, void *table, const yk_symbol *symbols, size_t count, yk_text *missing)
{
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &function, sizeof function);
        if (!function && symbols[i].required)
            yk_text_add(missing, "%s%s", missing->length ? ", " : "", symbols[i].name);
    }
}
