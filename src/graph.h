/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, as the other rooms of src/ use them: graph.c is the object, record.c what is recorded, change.c what is changed. */
#ifndef YK_GRAPH_INTERNAL_H
#define YK_GRAPH_INTERNAL_H

#include <yoke/graph.h>

#include "plan.h"

/* A stream that is, or was, recorded. */
typedef struct yk_lane {
    yoke_stream *stream; /* retained while it is recorded */
    char label[YK_LABEL_SIZE];
    size_t *follows; /* the nodes that the next one follows */
    size_t follow_count;
    bool grouping;  /* what is enqueued belongs to one call, */
    int kind;       /* of this kind, */
    size_t grouped; /* and to this node, once there is one */
} yk_lane;

typedef enum yk_graph_state { YK_GRAPH_RECORDED, YK_GRAPH_ENDING, YK_GRAPH_READY, YK_GRAPH_BROKEN } yk_graph_state;

/* Streams of Yoke's own in which the other lanes of a launch run: lanes.c. */
typedef struct yk_lanes yk_lanes;

struct yoke_graph {
    yk_object object;
    yoke_device *device;
    char label[YK_LABEL_SIZE];
    const char *name;         /* the label, but for the rest of the process */
    uint64_t serial;          /* no other graph of this process has it */
    pthread_mutex_t changing; /* one change at a time; before any stream's lock */
    pthread_mutex_t lock;     /* protects what follows; taken with a stream's lock held, and a leaf */
    yk_graph_state state;
    yk_lane *lanes;
    unsigned lane_count;
    yk_node *nodes;
    size_t node_count, node_capacity;
    yk_plan *plan; /* once READY */
    bool planning; /* another one is being made of the nodes, which have to stay as they are */
    yk_lanes *spare_lanes;
    yoke_stream *editor; /* no stream of the driver's: what is enqueued in it becomes `edited`; with `changing` held */
    yk_work *edited;
};

/* An event that was recorded into a graph: the nodes it stands behind. */
typedef struct yk_mark {
    yk_object object;
    uint64_t graph; /* its serial */
    const char *where;
    size_t count;
    size_t nodes[];
} yk_mark;

/* record.c */

/* The stream is being recorded, and its lock held: the operation becomes a node, or part of one. */
yoke_status yk_graph_record(yoke_stream *stream, const yk_op *op);
/* What is enqueued in between is one call's, of this kind, and becomes one node; none when the call fails, with `status`. For
 * streams that are being recorded. */
void yk_graph_group(yoke_stream *stream, yk_op_kind kind);
void yk_graph_ungroup(yoke_stream *stream, yoke_status status);
/* yoke_event_record and yoke_stream_wait_event in a stream that is being recorded. */
yoke_status yk_graph_mark(const char *function, const char *where, yoke_stream *stream, uint32_t flags, yoke_event **out_event);
yoke_status yk_graph_wait(const char *function, yoke_stream *stream, yk_mark *mark);
void yk_mark_release(yk_mark *mark);
/* For functions that mean what runs: YOKE_OK, or YOKE_E_INVALID when the stream is being recorded. */
YK_COLD yoke_status yk_graph_refuse(const char *function, const yoke_stream *stream);

static inline bool yk_is_recorded(const yoke_stream *stream)
{
    return YK_UNLIKELY(atomic_load_explicit(&stream->recording, memory_order_relaxed) != NULL);
}

/* change.c */
yoke_status yk_editor_create(yoke_graph *graph);
void yk_editor_destroy(yoke_graph *graph);

/* lanes.c */
yoke_status yk_lanes_launch(const char *where, yoke_stream *stream, yoke_graph *graph, yk_plan *plan);
void yk_lanes_destroy(yoke_graph *graph);

#endif
