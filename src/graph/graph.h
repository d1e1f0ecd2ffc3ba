/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, as the other rooms of src/ use them: graph.c is the object, record.c what is recorded, update.c what is changed. */
#ifndef YK_GRAPH_INTERNAL_H
#define YK_GRAPH_INTERNAL_H

#include <yoke/graph.h>

#include "graph/exec.h"
#include "stream/recording.h"

/* A stream that is, or was, recorded. */
typedef struct yk_branch {
    yoke_stream *stream; /* retained while it is recorded */
    char label[YK_LABEL_SIZE];
    size_t *follows; /* the nodes that the next one follows */
    size_t follow_count;
    bool grouping;  /* what is enqueued belongs to one call, */
    int kind;       /* of this kind, */
    size_t grouped; /* and to this node, once there is one */
} yk_branch;

typedef enum yk_graph_state { YK_GRAPH_RECORDING, YK_GRAPH_ENDING, YK_GRAPH_READY, YK_GRAPH_BROKEN } yk_graph_state;

/* Streams of Yoke's own in which the other branches of a launch run: branches.c. */
typedef struct yk_branches yk_branches;

struct yoke_graph {
    yk_object object;
    yk_recording recording; /* what streams that are recorded point to */
    yoke_device *device;
    char label[YK_LABEL_SIZE];
    const char *name;         /* the label, but for the rest of the process */
    uint64_t serial;          /* no other graph of this process has it */
    pthread_mutex_t changing; /* one change at a time; before any stream's lock */
    pthread_mutex_t lock;     /* protects what follows; taken with a stream's lock held, and a leaf */
    yk_graph_state state;
    yk_branch *branches;
    unsigned branch_count;
    yk_node *nodes;
    size_t node_count, node_capacity;
    yk_exec *exec;    /* once READY */
    bool making_exec; /* another one is being made of the nodes, which have to stay as they are */
    yk_branches *spare_branches;
    yoke_stream *editor; /* no stream of the driver's: what is enqueued in it becomes `edited`; with `changing` held */
    yk_op_list *edited;
};

/* An event that was recorded into a graph: the nodes it stands behind. */
typedef struct yk_graph_event {
    yk_object object;
    uint64_t graph; /* its serial */
    const char *where;
    size_t count;
    size_t nodes[];
} yk_graph_event;

/* record.c */
extern const yk_recorder yk_graph_recorder;

/* update.c */
yoke_status yk_editor_create(yoke_graph *graph);
void yk_editor_destroy(yoke_graph *graph);

/* branches.c */
yoke_status yk_branches_launch(const char *where, yoke_stream *stream, yoke_graph *graph, yk_exec *exec);
void yk_branches_destroy(yoke_graph *graph);

#endif
