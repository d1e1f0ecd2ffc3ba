/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, inside this room: graph.c is the object, record.c records, update.c updates, branches.c launches several streams. */
#ifndef YK_GRAPH_INTERNAL_H
#define YK_GRAPH_INTERNAL_H

#include <yoke/graph.h>

#include "graph/exec.h"
#include "stream/recording.h"

/* A stream that is, or was, recorded. */
typedef struct yk_branch {
    yoke_stream *stream; /* retained while it is recorded */
    char label[YK_LABEL_SIZE];
    size_t *follows; /* the nodes that the next node follows */
    size_t follow_count;
} yk_branch;

typedef enum yk_graph_state { YK_GRAPH_RECORDING, YK_GRAPH_ENDING, YK_GRAPH_READY, YK_GRAPH_BROKEN } yk_graph_state;

/* Streams of Yoke's own in which the other branches of a launch run: branches.c. */
typedef struct yk_branches yk_branches;

struct yoke_graph {
    yk_object object;
    yk_recording recording; /* recorded streams point to this member */
    yoke_device *device;
    char label[YK_LABEL_SIZE];
    const char *name;         /* the label, valid for the rest of the process */
    uint64_t serial;          /* unique in the process */
    pthread_mutex_t changing; /* one update at a time; before any stream's lock */
    pthread_mutex_t lock;     /* protects the members below; a leaf, taken with a stream's lock held */
    yk_graph_state state;
    yk_branch *branches;
    unsigned branch_count;
    yk_node *nodes;
    size_t node_count, node_capacity;
    yk_exec *exec;    /* once READY */
    bool making_exec; /* a new one is being created from the nodes, which must not be updated meanwhile */
    yk_branches *spare_branches;
    yoke_stream *editor; /* without a driver's stream: enqueued operations go to `edited`; with `changing` held */
    yk_op_list *edited;
};

/* An event that was recorded into a graph: the nodes that it follows. */
typedef struct yk_graph_event {
    yk_object object;
    uint64_t graph; /* the graph's serial */
    const char *where;
    size_t count;
    size_t nodes[];
} yk_graph_event;

/* record.c */
YK_DEFINED_HERE extern const yk_recorder yk_graph_recorder;

/* update.c */
yoke_status yk_editor_create(yoke_graph *graph);
void yk_editor_destroy(yoke_graph *graph);

/* branches.c */
yoke_status yk_branches_launch(const char *where, yoke_stream *stream, yoke_graph *graph, yk_exec *exec);
void yk_branches_destroy(yoke_graph *graph);

#endif
