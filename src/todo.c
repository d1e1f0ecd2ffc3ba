/* SPDX-License-Identifier: Apache-2.0 */
#include <yoke/graph.h>
#include <yoke/types.h>
#include "core.h"
#define T(name, parameters) yoke_status name parameters { return yk_fail(YOKE_E_UNSUPPORTED, #name " is not there yet"); }
#pragma GCC diagnostic ignored "-Wunused-parameter"
T(yoke_buffer_create_const_view, (yoke_buffer *b, size_t o, size_t s, yoke_buffer **v))
T(yoke_kernel_get_param, (const yoke_kernel *k, size_t i, yoke_param_info *o))
T(yoke_launch_cooperative_at, (const char *w, yoke_stream *s, yoke_kernel *k, yoke_dim g, yoke_dim b, size_t sh, const yoke_arg *a, size_t c))
