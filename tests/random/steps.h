/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a world, and how they find what they are about. */
#ifndef STEPS_H
#define STEPS_H

#include "world.h"

lane *lane_of(world *w, uint8_t byte);
block *block_of(world *w, uint8_t byte);
yoke_stream *stream_of(const lane *l);        /* NULL of NULL */
size_t size_of(const world *w, uint8_t byte); /* small, or far too large */

void lane_close(world *w, lane **place, bool complete);
void point_close(world *w, known_event *p);
/* What the buffer holds is what its shadow knows. */
void block_check(const world *w, const block *p);

/* steps_work.c */
void step_write(world *w, const uint8_t *b);
void step_read(world *w, const uint8_t *b);
void step_copy(world *w, const uint8_t *b);
void step_fill(world *w, const uint8_t *b);
void step_launch(world *w, const uint8_t *b);
void step_look(world *w, const uint8_t *b);

/* steps_graph.c */
void step_graph(world *w, const uint8_t *b);
void step_graph_begin(world *w, const uint8_t *b);
void step_graph_end(world *w, const uint8_t *b);
void step_graph_launch(world *w, const uint8_t *b);
void step_graph_set(world *w, const uint8_t *b);
void step_graph_release(world *w, const uint8_t *b);
void plan_close(world *w, plan *p);

/* steps_wrong.c */
void step_program(world *w, const uint8_t *b);
void step_device(world *w, const uint8_t *b);
void step_wrong(world *w, const uint8_t *b);

#endif
