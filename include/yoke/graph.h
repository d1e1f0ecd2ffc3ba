/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: work that is recorded once and launched many times, for less than enqueueing it. What the top of <yoke/yoke.h> says holds
 * here too.
 *
 *     yoke_graph_create(device, "step", &graph);
 *     yoke_graph_begin(graph, stream);                    from here on nothing runs: it is recorded
 *     yoke_write(stream, x, 0, hx, bytes);                node 0
 *     yoke_launch_n(stream, scale, n, YOKE_ARGS(x, 2.0f)); node 1
 *     yoke_graph_end(graph);
 *     for (…)
 *         yoke_graph_launch(stream, graph);
 */
#ifndef YOKE_GRAPH_H
#define YOKE_GRAPH_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct yoke_graph yoke_graph; /* recorded work of one device */

/* Create an empty graph. `name` is for messages, of which at most 31 bytes are kept; NULL: a number. */
YOKE_API yoke_status yoke_graph_create(yoke_device *device, const char *name, yoke_graph **out_graph);

/* Take another reference, which yoke_graph_release gives back. NULL for NULL. */
YOKE_API yoke_graph *yoke_graph_retain(yoke_graph *graph);
/* Give back a reference. Launches that are under way still run; what is recorded lives until they have. With the last reference of
 * a graph that is still being recorded, its streams go back to running what they are given. */
YOKE_API void yoke_graph_release(yoke_graph *graph);

/* From now on what is enqueued in the stream is recorded in the graph and does not run: launches, copies, fills, host functions,
 * native sections, events, and waits for events. Arguments are checked as ever, so that mistakes show here. Objects that the
 * operations name live as long as the graph; host memory and what `user` points to have to. `release` functions are called once,
 * when the graph is gone. What the stream already held still runs.
 * Several streams can be recorded into one graph: begin with each. Within one stream nodes follow each other; between streams what
 * an event orders, recorded in one and waited for in the other, which is all that such an event can be used for. Calls that wait
 * for a recorded stream (yoke_stream_wait, the _sync copies), and events from outside, are YOKE_E_INVALID_ARGUMENT.
 * YOKE_E_INVALID_ARGUMENT: the graph has been ended, the stream is being recorded already or belongs to another device. Or the
 * stream's failure. */
YOKE_API yoke_status yoke_graph_begin(yoke_graph *graph, yoke_stream *stream);

/* Recording is over: the streams run what they are given again, and the graph can be launched. YOKE_E_INVALID_ARGUMENT: nothing was
 * begun, or it has ended already. Or the driver's failure to make the graph, which then stays empty. */
YOKE_API yoke_status yoke_graph_end(yoke_graph *graph);

/* Run all of the graph, in the stream's order: it starts behind what the stream has, and what follows in the stream waits for all
 * of it. Any stream of its device will do, any number of times, also while launches before are still under way, which then run one
 * after the other in one stream and side by side in several, where the driver can (CUDA runs one driver's graph after the other).
 * Where it has host functions the graph is cut: those are called as if they had been enqueued one by one, once for each launch, and
 * what the contract of yoke_host_call says holds. YOKE_E_INVALID_ARGUMENT: the graph has not been ended, or failed to; the stream
 * belongs to another device or is being recorded. YOKE_E_OUT_OF_HOST_MEMORY: there is no thread for the graph's host functions. Or
 * the stream's failure. One launch may fail after it has begun: that of a graph of several streams which the driver does not replay
 * as a whole, when host memory runs out or the driver refuses an operation in the middle. Then the stream fails, too, with the same
 * failure, the rest of the graph does not run, and its host functions that were enqueued have been called, with that failure or
 * before it. */
#define yoke_graph_launch(...) yoke_graph_launch_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_launch_at(const char *where, yoke_stream *stream, yoke_graph *graph);

/* How many nodes there are: while it is recorded, the number that the next operation will have. Events and waits are none. 0 for
 * NULL. */
YOKE_API size_t yoke_graph_get_size(const yoke_graph *graph);

/*
 * Change a node of a graph that has been ended: launches enqueued from now on have the new arguments, those before keep theirs. The
 * node has to be of the same kind (a write stays a write), and everything is checked as when it is enqueued; with a failure the
 * node stays as it was. Threads may change and launch a graph at once; a launch has either all of a change or nothing.
 * YOKE_E_RANGE: there is no such node. YOKE_E_INVALID_ARGUMENT: the node is of another kind, or the graph has not been ended. Else
 * as the function that enqueues.
 */

/* Change everything of a launch. With host arrays (yoke_in and the like) it is YOKE_E_UNSUPPORTED: record copies of their own. */
#define yoke_graph_set_launch(...) yoke_graph_set_launch_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_launch_at(const char *where, yoke_graph *graph, size_t node, yoke_kernel *kernel, yoke_dim grid,
                                              yoke_dim block, size_t shared_bytes, const yoke_arg *args, size_t count);

/* Change only the arguments of a launch. */
#define yoke_graph_set_args(...) yoke_graph_set_args_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_args_at(const char *where, yoke_graph *graph, size_t node, const yoke_arg *args, size_t count);

/* Change a write: where it goes to, and from where. */
#define yoke_graph_set_write(...) yoke_graph_set_write_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_write_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *target, size_t offset,
                                             const void *source, size_t size);

/* Change a read: where it goes to, and from where. */
#define yoke_graph_set_read(...) yoke_graph_set_read_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_read_at(const char *where, yoke_graph *graph, size_t node, void *target, yoke_buffer *source,
                                            size_t offset, size_t size);

/* Change a copy: where it goes to, and from where. */
#define yoke_graph_set_copy(...) yoke_graph_set_copy_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_copy_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *target,
                                            size_t target_offset, yoke_buffer *source, size_t source_offset, size_t size);

/* Change a fill: where, and with what. */
#define yoke_graph_set_fill(...) yoke_graph_set_fill_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_fill_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *buffer, size_t offset,
                                            size_t size, const void *pattern, size_t pattern_size);

/* Change a host function: call another one, with another `user`. `release` of the one before is called once no launch needs it any
 * more. */
#define yoke_graph_set_call(...) yoke_graph_set_call_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_call_at(const char *where, yoke_graph *graph, size_t node, yoke_host_fn fn, void *user,
                                            yoke_release_fn release);

/* Formats of yoke_graph_describe. */
enum {
    YOKE_GRAPH_TEXT =
        0, /* a line for the graph, and one for each node: number, stream, what it does, where it was enqueued, what it follows */
    YOKE_GRAPH_DOT = 1 /* for Graphviz */
};

/* The graph as text, also while it is recorded. Never NULL; "" for no graph or an unknown format; valid until the thread's next
 * such call. */
YOKE_API const char *yoke_graph_describe(yoke_graph *graph, int32_t format);

#ifdef __cplusplus
}
#endif

#endif
