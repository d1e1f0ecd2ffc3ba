/* SPDX-License-Identifier: Apache-2.0 */
#include <yoke/graph.h>
#include <yoke/types.h>
#include "core.h"
#define T(name, parameters) yoke_status name parameters { return yk_fail(YOKE_E_UNSUPPORTED, #name " is not there yet"); }
#pragma GCC diagnostic ignored "-Wunused-parameter"
T(yoke_buffer_create_const_view, (yoke_buffer *b, size_t o, size_t s, yoke_buffer **v))
T(yoke_kernel_get_param, (const yoke_kernel *k, size_t i, yoke_param_info *o))
T(yoke_launch_cooperative_at, (const char *w, yoke_stream *s, yoke_kernel *k, yoke_dim g, yoke_dim b, size_t sh, const yoke_arg *a, size_t c))
T(yoke_graph_create, (yoke_device *d, const char *n, yoke_graph **g))
yoke_graph *yoke_graph_retain(yoke_graph *g) { return g; }
void yoke_graph_release(yoke_graph *g) {}
T(yoke_graph_begin, (yoke_graph *g, yoke_stream *s))
T(yoke_graph_end, (yoke_graph *g))
T(yoke_graph_launch_at, (const char *w, yoke_stream *s, yoke_graph *g))
size_t yoke_graph_get_size(const yoke_graph *g) { return 0; }
T(yoke_graph_set_launch_at, (const char *w, yoke_graph *g, size_t n, yoke_kernel *k, yoke_dim gr, yoke_dim b, size_t s, const yoke_arg *a, size_t c))
T(yoke_graph_set_args_at, (const char *w, yoke_graph *g, size_t n, const yoke_arg *a, size_t c))
T(yoke_graph_set_write_at, (const char *w, yoke_graph *g, size_t n, yoke_buffer *t, size_t o, const void *h, size_t s))
T(yoke_graph_set_read_at, (const char *w, yoke_graph *g, size_t n, void *h, yoke_buffer *t, size_t o, size_t s))
T(yoke_graph_set_copy_at, (const char *w, yoke_graph *g, size_t n, yoke_buffer *t, size_t o, yoke_buffer *f, size_t p, size_t s))
T(yoke_graph_set_fill_at, (const char *w, yoke_graph *g, size_t n, yoke_buffer *t, size_t o, size_t s, const void *p, size_t q))
T(yoke_graph_set_call_at, (const char *w, yoke_graph *g, size_t n, yoke_host_fn f, void *u, yoke_release_fn r))
const char *yoke_graph_describe(yoke_graph *g, int32_t f) { return ""; }
