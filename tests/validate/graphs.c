/* SPDX-License-Identifier: Apache-2.0 */
/* Races inside of graphs, and of graphs with other work. */
#include "scene.h"

/* A graph of what `record` enqueues in a, and where `both` is set in b too. */
static yoke_graph *record(scene *s, bool both, void (*enqueue)(scene *s))
{
    yoke_graph *graph = NULL;
    CHECK_OK(yoke_graph_create(s->t->device, "mistake", &graph));
    CHECK_OK(yoke_graph_begin(graph, s->a));
    if (both)
        CHECK_OK(yoke_graph_begin(graph, s->b));
    enqueue(s);
    CHECK_OK(yoke_graph_end(graph));
    return graph;
}

static void launch(yoke_stream *stream, yoke_graph *graph)
{
    CHECK_OK(yoke_graph_launch(stream, graph));
}

static void bump_x(scene *s)
{
    scene_fill(s->a, s->z, 0, BYTES);
    scene_bump(s, s->a, s->x);
}

static void graph_then_kernel(scene *s)
{
    yoke_graph *graph = record(s, false, bump_x);
    launch(s->a, graph);
    scene_order(s);
    scene_move(s, s->b, s->y, s->x);
    yoke_graph_release(graph);
}

static void kernel_then_graph(scene *s)
{
    yoke_graph *graph = record(s, false, bump_x);
    scene_move(s, s->a, s->y, s->x);
    scene_order(s);
    launch(s->b, graph);
    yoke_graph_release(graph);
}

static void move_x(scene *s)
{
    scene_move(s, s->a, s->z, s->x);
}

static void same_graph_twice(scene *s)
{
    yoke_graph *graph = record(s, false, move_x);
    launch(s->a, graph);
    scene_order(s);
    launch(s->b, graph);
    yoke_graph_release(graph);
}

static void only_bump_x(scene *s)
{
    scene_bump(s, s->a, s->x);
}

static void graph_waits_for_nobody(scene *s)
{
    yoke_graph *graph = record(s, false, only_bump_x);
    launch(s->a, graph);
    CHECK_OK(yoke_stream_wait(s->right ? s->a : s->b));
    launch(s->b, graph);
    yoke_graph_release(graph);
}

/* ---- Branches ---- */

static void branches(scene *s)
{
    scene_move(s, s->a, s->z, s->x);
    scene_order(s);
    scene_move(s, s->b, s->y, s->z);
}

static void branches_race(scene *s)
{
    yoke_graph *graph = record(s, true, branches);
    launch(s->c, graph);
    yoke_graph_release(graph);
}

static void copies(scene *s)
{
    CHECK_OK(yoke_copy(s->a, s->z, 0, s->x, 0, HALF));
    CHECK_OK(yoke_copy(s->b, s->z, s->right ? HALF : HALF - 4, s->x, 0, HALF));
}

static void copies_in_branches_overlap(scene *s)
{
    yoke_graph *graph = record(s, true, copies);
    launch(s->c, graph);
    yoke_graph_release(graph);
}

static void join_of_branches(scene *s)
{
    scene_bump(s, s->a, s->x);
    scene_follow(s->b, s->a);
    scene_bump(s, s->b, s->x);
    if (s->right)
        scene_follow(s->a, s->b);
    scene_bump(s, s->a, s->x);
}

static void branches_do_not_join(scene *s)
{
    yoke_graph *graph = record(s, true, join_of_branches);
    launch(s->c, graph);
    yoke_graph_release(graph);
}

static void other_branch(scene *s)
{
    scene_fill(s->a, s->z, 0, BYTES);
    scene_bump(s, s->b, s->x);
}

static void branch_with_a_stream(scene *s)
{
    yoke_graph *graph = record(s, true, other_branch);
    launch(s->a, graph);
    scene_order(s);
    scene_bump(s, s->b, s->x);
    yoke_graph_release(graph);
}

/* ---- Functions ---- */

static yoke_status nothing(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static void with_a_function(scene *s)
{
    scene_fill(s->a, s->z, 0, BYTES);
    CHECK_OK(yoke_host_call(s->a, nothing, NULL, NULL));
    scene_bump(s, s->a, s->x);
}

static void graph_with_a_function(scene *s)
{
    yoke_graph *graph = record(s, false, with_a_function);
    launch(s->a, graph);
    scene_order(s);
    scene_bump(s, s->b, s->x);
    yoke_graph_release(graph);
}

static void deferred_graph(scene *s)
{
    yoke_graph *graph = record(s, false, bump_x);
    scene_hold(s, s->a);
    launch(s->a, graph);
    scene_order(s);
    scene_bump(s, s->b, s->x);
    scene_go(s);
    yoke_graph_release(graph);
}

static void updated_graph(scene *s)
{
    yoke_graph *graph = record(s, false, move_x);
    CHECK_OK(yoke_graph_set_args(graph, 0, YOKE_ARGS(s->y, s->right ? s->x : s->z)));
    scene_fill(s->b, s->z, 0, BYTES);
    launch(s->a, graph);
    yoke_graph_release(graph);
}

static const mistake list[] = {
    { "a kernel reads what a graph writes", "races", graph_then_kernel, -1 },
    { "a graph writes what a kernel reads", "races", kernel_then_graph, -1 },
    { "one graph in two streams", "races", same_graph_twice, -1 },
    { "the program waits for the wrong stream", "races", graph_waits_for_nobody, -1 },
    { "two branches", "races", branches_race, -1 },
    { "copies that overlap, in two branches", "races", copies_in_branches_overlap, -1 },
    { "branches that do not join", "races", branches_do_not_join, -1 },
    { "a branch and another stream", "races", branch_with_a_stream, -1 },
    { "a graph with a host function", "races", graph_with_a_function, -1 },
    { "a graph that is deferred", "races", deferred_graph, -1 },
    { "a graph with other arguments", "races", updated_graph, -1 },
};
const mistakes graph_mistakes = { list, sizeof list / sizeof list[0] };
