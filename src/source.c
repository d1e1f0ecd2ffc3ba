/* SPDX-License-Identifier: Apache-2.0 */
/* Yoke's own kernels as sources: the twins of kernels/, embedded by the build. */
#include <string.h>

#include "core.h"
#include "twins.h"

yoke_status yoke_source_get(const char *name, yoke_source *out_source)
{
    static const char function[] = "yoke_source_get";
    if (!out_source)
        return yk_blame(function, NULL, yk_fail(YOKE_E_INVALID, "%s: out_source is NULL", function));
    *out_source = (yoke_source)YOKE_SOURCE_INIT;
    if (!name)
        return yk_blame(function, NULL, yk_fail(YOKE_E_INVALID, "%s: name is NULL", function));

    const char *names[32];
    size_t count = 0;
    for (size_t i = 0; i < yk_twin_count; i++) {
        const yk_twin *twin = &yk_twins[i];
        if (strcmp(twin->name, name) == 0) {
            out_source->name = twin->name;
            out_source->cuda = twin->cuda;
            out_source->opencl = twin->opencl;
            return YOKE_OK;
        }
        if (count < YK_COUNT_OF(names))
            names[count++] = twin->name;
    }

    yk_text known = { 0 };
    for (size_t i = 0; i < count; i++)
        yk_text_add(&known, "%s%s", i ? ", " : "", names[i]);
    const char *nearest = yk_nearest(name, names, count);
    yoke_status status =
        yk_fail(YOKE_E_NOT_FOUND, "%s: there is no kernel source '%.60s'%s%s%s; there are %s", function, name,
                nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'" : "", yk_text_get(&known));
    yk_text_free(&known);
    return yk_blame(function, NULL, status);
}
