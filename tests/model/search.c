/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search: an array of states, which is at once the list of those still to look at, and a hash table over it. A state's number
 * is its place in the array.
 */
#include "search.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"

enum { MAX_WORDS = 32, FIRST_SLOTS = 1024 };
#define NOWHERE UINT32_MAX

/* How a state was reached. */
struct arrival {
    uint32_t parent;
    unsigned move;
};

struct search {
    const search_model *model;
    size_t words; /* of a state */
    uint64_t *states;
    struct arrival *arrivals;
    size_t count, capacity;
    uint32_t *slots; /* 0: empty; else a state's number plus 1 */
    size_t slot_count, slots_allocated;
    uint32_t current; /* whose steps are being taken */
    bool stepped;     /* it has one */
    const char *violation;
    unsigned *path;
    size_t path_length;
    uint64_t total;
};

static void *grown(void *memory, size_t count, size_t size)
{
    memory = realloc(memory, count * size);
    if (!memory)
        tap_bail("out of memory for %zu states", count);
    return memory;
}

search *search_new(const search_model *model)
{
    search *run = grown(NULL, 1, sizeof *run);
    *run = (search){ .model = model, .words = model->size / sizeof *run->states };
    if (!run->words || run->words > MAX_WORDS || model->size % sizeof *run->states)
        tap_bail("a state of %zu bytes is not one of up to %d words", model->size, MAX_WORDS);
    return run;
}

void search_free(search *run)
{
    free(run->states);
    free(run->arrivals);
    free(run->slots);
    free(run->path);
    free(run);
}

static const uint64_t *state_at(const search *run, uint32_t number)
{
    return run->states + number * run->words;
}

static size_t hash(const uint64_t *state, size_t words)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < words; i++) {
        sum = (sum ^ state[i]) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return (size_t)sum;
}

static bool is_equal(const uint64_t *one, const uint64_t *other, size_t words)
{
    uint64_t difference = 0;
    for (size_t i = 0; i < words; i++)
        difference |= one[i] ^ other[i];
    return !difference;
}

/* The slot that holds the state, or the empty one where it belongs. */
static uint32_t *slot_of(const search *run, const uint64_t *state)
{
    size_t at = hash(state, run->words) & (run->slot_count - 1);
    while (run->slots[at] && !is_equal(state_at(run, run->slots[at] - 1), state, run->words))
        at = (at + 1) & (run->slot_count - 1);
    return &run->slots[at];
}

static void clear_slots(search *run, size_t count)
{
    if (run->slots_allocated < count) {
        run->slots = grown(run->slots, count, sizeof *run->slots);
        run->slots_allocated = count;
    }
    run->slot_count = count;
    memset(run->slots, 0, count * sizeof *run->slots);
}

/* Unless it is there already. */
static void add(search *run, const uint64_t *state, uint32_t parent, unsigned move)
{
    uint32_t *slot = slot_of(run, state);
    if (*slot)
        return;
    if (run->count == run->capacity) {
        run->capacity = run->capacity ? 2 * run->capacity : FIRST_SLOTS;
        run->states = grown(run->states, run->capacity, run->words * sizeof *run->states);
        run->arrivals = grown(run->arrivals, run->capacity, sizeof *run->arrivals);
    }
    if (2 * run->count >= run->slot_count) {
        clear_slots(run, 2 * run->slot_count);
        for (uint32_t i = 0; i < run->count; i++)
            *slot_of(run, state_at(run, i)) = i + 1;
        slot = slot_of(run, state);
    }
    memcpy(run->states + run->count * run->words, state, run->model->size);
    run->arrivals[run->count] = (struct arrival){ parent, move };
    *slot = (uint32_t)++run->count;
}

/* Remember the steps to the present state, and room for one more. */
static void keep_path(search *run)
{
    size_t length = 0;
    for (uint32_t at = run->current; run->arrivals[at].parent != NOWHERE; at = run->arrivals[at].parent)
        length++;
    run->path = grown(run->path, length + 1, sizeof *run->path);
    run->path_length = length;
    for (uint32_t at = run->current; length; at = run->arrivals[at].parent)
        run->path[--length] = run->arrivals[at].move;
}

void search_step(search *run, const void *next, unsigned move, const char *violation)
{
    uint64_t words[MAX_WORDS];
    memcpy(words, next, run->model->size);
    if (run->violation || (!violation && is_equal(words, state_at(run, run->current), run->words)))
        return;
    run->stepped = true;
    if (violation) {
        run->violation = violation;
        keep_path(run);
        run->path[run->path_length++] = move;
    } else {
        add(run, words, run->current, move);
    }
}

const char *search_from(search *run, const void *initial)
{
    uint64_t state[MAX_WORDS]; /* a copy: the array moves as it grows */
    run->count = 0;
    run->violation = NULL;
    clear_slots(run, FIRST_SLOTS);
    memcpy(state, initial, run->model->size);
    add(run, state, NOWHERE, 0);
    for (run->current = 0; run->current < run->count && !run->violation; run->current++) {
        memcpy(state, state_at(run, run->current), run->model->size);
        run->stepped = false;
        run->model->steps(run, state);
        if (!run->stepped && (run->violation = run->model->end(state)))
            keep_path(run);
    }
    run->total += run->count;
    return run->violation;
}

size_t search_path(const search *run, const unsigned **out_moves)
{
    *out_moves = run->path;
    return run->path_length;
}

uint64_t search_states(const search *run)
{
    return run->total;
}
