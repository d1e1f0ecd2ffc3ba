/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: work that is recorded once and launched many times, at a lower cost than enqueueing it. The rules at the top of
 * <yoke/yoke.h> apply here too.
 *
 *     yoke_graph_create(device, "step", &graph);
 *     yoke_graph_begin(graph, stream);                     from here on work is recorded and does not run
 *     yoke_write(stream, x, 0, hx, bytes);                 node 0
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

/* ---- Graphs ------------------------------------------------------------------------------------------------------------- */

typedef struct yoke_graph yoke_graph; /* the recorded work of one device */

/* Create an empty graph. `name` is for messages; at most 31 bytes are kept; NULL: a number. */
YOKE_API yoke_status yoke_graph_create(yoke_device *device, const char *name, yoke_graph **out_graph);

/* Take another reference, which yoke_graph_release releases. NULL for NULL. */
YOKE_API yoke_graph *yoke_graph_retain(yoke_graph *graph);
/* Release a reference. Launches that are enqueued still run, and the recorded work lives until they are complete. If the last
 * reference is released while the graph is being recorded, its streams run their work again. */
YOKE_API void yoke_graph_release(yoke_graph *graph);

/* Record what is enqueued in the stream from now on, instead of running it: launches, copies, fills, host functions, native
 * sections, events, and waits for events. Arguments are checked as usual, so that mistakes are reported here. The graph keeps the
 * objects alive. Host memory, and whatever `user` points to, must outlive it. `release` functions are called once, when the graph
 * is destroyed. Work enqueued before still runs.
 *
 * Several streams can be recorded into one graph: call yoke_graph_begin for each. Nodes of one stream run in order; an event
 * recorded in one stream and waited for in another orders nodes between the streams, and such an event has no other use. Calls
 * that wait for a recorded stream (yoke_stream_wait, the _sync copies), and events from outside, are YOKE_E_INVALID_ARGUMENT.
 *
 * YOKE_E_INVALID_ARGUMENT: the graph has been ended, or the stream is already being recorded or belongs to another device. Or the
 * stream's failure. */
YOKE_API yoke_status yoke_graph_begin(yoke_graph *graph, yoke_stream *stream);

/* End the recording: the streams run their work again, and the graph can be launched. YOKE_E_INVALID_ARGUMENT: the recording has
 * not begun, or has already ended. Or the driver's failure to create the graph, which then stays empty. */
YOKE_API yoke_status yoke_graph_end(yoke_graph *graph);

/* Launch a graph as one operation of the stream: the graph starts behind the stream's work, and the operations that follow wait
 * for all of it. The stream may be any stream of the graph's device. A graph may be launched any number of times, also while
 * earlier launches run: launches in one stream run one after the other, launches in several streams run concurrently where the
 * driver can (CUDA runs launches of one driver graph one after the other). Host functions split the graph: they are called as if
 * they had been enqueued one by one, once for each launch, by the contract of yoke_host_call.
 *
 * YOKE_E_INVALID_ARGUMENT: the graph has not been ended, or its end failed; the stream belongs to another device or is being
 * recorded. YOKE_E_OUT_OF_HOST_MEMORY: no thread can be started for the graph's host functions. Or the stream's failure. Only the
 * launch of a graph of several streams that the driver does not replay as a whole may fail after it has begun, when host memory is
 * exhausted or the driver rejects an operation in the middle. The stream then fails with the same failure, and the rest of the
 * graph does not run; its host functions that were enqueued are called, with that failure or before it. */
#define yoke_graph_launch(...) yoke_graph_launch_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_launch_at(const char *where, yoke_stream *stream, yoke_graph *graph);

/* The graph's device, borrowed: it lives as long as `graph`. NULL for NULL. */
YOKE_API yoke_device *yoke_graph_get_device(const yoke_graph *graph);

/* The number of nodes; while the graph is being recorded, the index of the next node. Events and waits are not nodes. 0 for
 * NULL. */
YOKE_API size_t yoke_graph_get_size(const yoke_graph *graph);

/*
 * Update a node of a graph that has been ended: launches enqueued from now on use the new arguments, earlier launches keep the old.
 * The kind of the node stays (a write stays a write), and all arguments are checked as when the node is enqueued; after a failure
 * the node is unchanged. Threads may update and launch a graph at the same time; a launch sees all of an update or nothing.
 * YOKE_E_RANGE: the index of the node is out of range. YOKE_E_INVALID_ARGUMENT: the node is of another kind, or the graph has not
 * been ended. Else as the function that enqueues the operation.
 *
 * Rects, copies of images, and native sections cannot be updated: record another graph.
 */

/* Update all of a launch. YOKE_E_UNSUPPORTED: an argument is a host array (yoke_in and the like); record separate copies
 * instead. */
#define yoke_graph_set_launch(...) yoke_graph_set_launch_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_launch_at(const char *where, yoke_graph *graph, size_t node, yoke_kernel *kernel, yoke_dim grid,
                                              yoke_dim block, size_t shared_bytes, const yoke_arg *args, size_t count);

/* Update only the arguments of a launch. */
#define yoke_graph_set_args(...) yoke_graph_set_args_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_args_at(const char *where, yoke_graph *graph, size_t node, const yoke_arg *args, size_t count);

/* Update a write: its target and its source. */
#define yoke_graph_set_write(...) yoke_graph_set_write_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_write_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *target, size_t offset,
                                             const void *source, size_t size);

/* Update a read: its target and its source. */
#define yoke_graph_set_read(...) yoke_graph_set_read_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_read_at(const char *where, yoke_graph *graph, size_t node, void *target, yoke_buffer *source,
                                            size_t offset, size_t size);

/* Update a copy: its target and its source. */
#define yoke_graph_set_copy(...) yoke_graph_set_copy_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_copy_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *target,
                                            size_t target_offset, yoke_buffer *source, size_t source_offset, size_t size);

/* Update a fill: its target and its pattern. */
#define yoke_graph_set_fill(...) yoke_graph_set_fill_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_fill_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *buffer, size_t offset,
                                            size_t size, const void *pattern, size_t pattern_size);

/* Update a host function: the function and its `user`. The old `release` is called when no launch needs the old function any
 * more. */
#define yoke_graph_set_host_call(...) yoke_graph_set_host_call_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_graph_set_host_call_at(const char *where, yoke_graph *graph, size_t node, yoke_host_fn fn, void *user,
                                                 yoke_release_fn release);

/* Formats of yoke_graph_describe. */
typedef int32_t yoke_graph_format;
enum {
    YOKE_GRAPH_TEXT = 0, /* a line for the graph, and a line for each node: index, stream, operation, place, predecessors */
    YOKE_GRAPH_DOT = 1   /* a graph for Graphviz */
};

/* The graph as text, also while it is being recorded. Never NULL; "" for NULL or an unknown format; valid until the thread's next
 * yoke_graph_describe. */
YOKE_API const char *yoke_graph_describe(yoke_graph *graph, yoke_graph_format format);

#ifdef __cplusplus
}
#endif

#endif
