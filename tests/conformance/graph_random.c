/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs of several streams, launched and changed at random, in flight and held behind host functions, against the model of
 * tests/random: the operations in the order in which they were recorded, once for each launch. What two streams touch in turn is
 * ordered by events, so that is the only right outcome. A round is made by its seed alone; YOKE_GRAPH_SEED=n runs only that one.
 */
#include "again.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "../random/world.h"

enum { ROUNDS = 8, STEPS = 60, NODES = 30, TRIES = 3000 };

void world_says(const world *w, const char *line)
{
    (void)w;
    tap_diag("%s", line);
}

void world_failed(const world *w, bool hopeless)
{
    if (hopeless)
        tap_bail("%s", w ? w->title : "no world");
    CHECK(!"the library agrees with the model");
}

static bool make(world *w, const char *name, const uint8_t *first, size_t count)
{
    return step_make(w, name, first, count) || CHECK(!"the model allows the step");
}
#define MAKE(w, name, ...) make((w), (name), (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* Recorded in one to all of the streams. */
static bool record_graph(world *w, uint8_t g)
{
    static const char *const names[] = { "write", "read", "copy", "fill", "launch", "launch", "call" };
    bool ok = MAKE(w, "graph", g, 0);
    unsigned branches = 1 + draw_from(&w->random, LANES);

    for (uint8_t i = 0; ok && i < branches; i++)
        ok = MAKE(w, "graph_begin", g, i);
    while (ok && !w->disagrees && w->plan[g].count < NODES) {
        const char *name = names[draw_from(&w->random, sizeof names / sizeof names[0])];
        uint8_t branch = (uint8_t)draw_from(&w->random, branches);
        if (strcmp(name, "call") == 0) /* a function that nothing holds and that does not fail */
            ok = MAKE(w, name, branch, 0, 0, (uint8_t)(0x80 | draw_from(&w->random, 128)));
        else
            ok = MAKE(w, name, branch);
    }
    return ok && (w->disagrees || MAKE(w, "graph_end", g));
}

/* A node gets other values, in the same memory, so that its order with others still holds. */
static bool change_node(world *w, uint8_t g)
{
    uint8_t number = (uint8_t)draw_from(&w->random, NODES), target = 0, source = 0;
    const work *k = &w->plan[g].nodes[number];

    if (!strchr("wrfljck", k->node))
        return true;
    for (uint8_t i = 0; i < BLOCKS; i++) {
        if (w->block[i].shadow == (k->node == 'r' ? k->source : k->target))
            target = i;
        if (w->block[i].shadow == k->source)
            source = i;
    }
    if (k->node == 'k')
        return MAKE(w, "graph_set", g, number, 0, 0, 0);
    for (int tries = 0; tries < TRIES && !w->disagrees; tries++) {
        uint8_t values[] = { g, number, (uint8_t)(target + BLOCKS * source), (uint8_t)draw_from(&w->random, 250) };
        if (step_draw(w, "graph_set", values, sizeof values))
            break;
    }
    return true;
}

static bool step(world *w)
{
    uint8_t g = (uint8_t)draw_from(&w->random, GRAPHS), stream = (uint8_t)draw_from(&w->random, LANES);

    switch (draw_from(&w->random, 10)) {
    case 0:
        return MAKE(w, "look");
    case 1:
        return w->gates == 8 || MAKE(w, "call", stream, 2, 0, 0);
    case 2:
    case 3:
    case 4:
        return change_node(w, g);
    default:
        return MAKE(w, "graph_launch", g, stream);
    }
}

static bool run_round(site *at, world *w, uint32_t seed)
{
    char title[160];

    snprintf(title, sizeof title, "round of seed %u on %s: run it alone with YOKE_GRAPH_SEED=%u", (unsigned)seed, at->info.selector,
             (unsigned)seed);
    *w = (world){ .sites = at,
                  .site_count = 1,
                  .scale = getenv("YOKE_STAGING") ? LARGE_SCALE : USUAL_SCALE,
                  .only_right = true,
                  .calm = true,
                  .title = title,
                  .random = seed * 2654435761u };
    world_begin(w);
    bool ok = CHECK(world_furnish(w));
    for (uint8_t g = 0; ok && g < GRAPHS; g++)
        ok = record_graph(w, g);
    for (int i = 0; ok && i < STEPS && !w->disagrees; i++)
        ok = step(w);
    for (uint8_t g = 0; ok && g < GRAPHS && !w->disagrees; g++)
        CHECK(!w->plan[g].unsure); /* else nothing is proved */
    world_end(w);
    world_free(w);
    if (!ok)
        tap_diag("%s", title);
    return ok && !w->disagrees;
}

static void rounds(suite *t)
{
    const char *only = getenv("YOKE_GRAPH_SEED");
    uint32_t first = only ? (uint32_t)strtoul(only, NULL, 10) : 1;
    site at = { .device = yoke_device_retain(t->device) };
    world *w = memory_new(sizeof *w);

    if (CHECK_OK(site_open(&at, NULL)))
        for (uint32_t seed = first; seed < first + (only ? 1 : ROUNDS); seed++)
            if (!run_round(&at, w, seed))
                break;
    site_close(&at);
    memory_free(w);
}

static const suite_case other_settings[] = { { "random graphs", rounds, false } };

static void staged(suite *t)
{
    AGAIN(t, other_settings, ((const char *const[]){ "YOKE_STAGING=1", "YOKE_FILL_KERNEL=1", NULL }));
}

static const suite_case in_command_buffers[] = { { IN_COMMAND_BUFFERS, rounds, false } };

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "random graphs against a model", rounds, false },
        { "pageable memory carried, fills by a kernel", staged, false },
        { "as command buffers", again_in_command_buffers, false },
    };

    if (argc == 3 && strcmp(argv[1], IN_COMMAND_BUFFERS) == 0)
        return AGAIN_MAIN(in_command_buffers, NULL, argv);
    return argc == 3 ? AGAIN_MAIN(other_settings, NULL, argv) : SUITE_MAIN(cases, NULL);
}
