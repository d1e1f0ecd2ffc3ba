/* SPDX-License-Identifier: Apache-2.0 */
#include <yoke/graph.h>
#include <yoke/types.h>
#include "core.h"
#define T(name, parameters)                                            \
    yoke_status name parameters                                        \
    {                                                                  \
        return yk_fail(YOKE_E_UNSUPPORTED, #name " is not there yet"); \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
T(yoke_program_build_async, (yoke_device * d, const yoke_source *s, yoke_program **p, yoke_event **e))
T(yoke_program_load, (yoke_device * d, const char *n, const void *i, size_t s, yoke_program **p))
T(yoke_program_save, (yoke_program * p, void *t, size_t c, size_t *o))
const char *yoke_program_get_log(yoke_program *p)
{
    return "";
}
T(yoke_program_get_global, (yoke_program * p, const char *n, yoke_buffer **b))
T(yoke_cache_get_info, (yoke_cache_info * i))
T(yoke_struct_check, (yoke_device * d, const yoke_source *s, const char *n, size_t z, const yoke_field *f, size_t c))
