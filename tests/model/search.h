/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exhaustive search of a model: every state that its steps can reach, each once, breadth first. So nothing is left to luck as it is
 * in a test that runs threads, and the first violation found is reached by the fewest steps.
 */
#ifndef MODEL_SEARCH_H
#define MODEL_SEARCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct search search;

typedef struct search_model {
    size_t size; /* of a state, in bytes: a multiple of 8. States are equal when all bytes are, so there must be no padding. */

    /* Call search_step once for every step that is possible in this state. */
    void (*steps)(search *run, const void *state);
    /* No step is possible: NULL when the model may end like this, else what is wrong ("deadlock"). */
    const char *(*end)(const void *state);
} search_model;

/* Ends the program when out of memory, as do all of these. */
search *search_new(const search_model *model);
void search_free(search *run);

/* One step, to be called by `steps`: where it leads, what it is called (a number of the model's), and NULL or what is wrong with
 * it. One that changes nothing is none. */
void search_step(search *run, const void *next, unsigned move, const char *violation);

/* Search from this state on; NULL when nothing is wrong, else the nearest violation. */
const char *search_from(search *run, const void *initial);

/* The steps to the violation that search_from has found, first to last. */
size_t search_path(const search *run, const unsigned **out_moves);

/* States found by all searches of this run together. */
uint64_t search_states(const search *run);

#endif
