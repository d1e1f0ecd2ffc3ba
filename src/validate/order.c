/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens before what: vector clocks. Each stream has a slot, in which its operations count. The program as a whole has one
 * clock, whatever number of threads it has: what one thread has waited for, another may know by means that Yoke does not see, and
 * so may a host function that returns. An order that the program may have is never taken for none; an order by luck, of two
 * threads, is taken for one.
 */
#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

yk_order *yk_order_all;

/* Of each slot the last operation's number, also of a stream that is gone: the next stream in the slot goes on from there. */
static struct slot {
    uint64_t last;
    bool taken;
} * slots;
static unsigned slot_count;

static yk_clock *host;            /* what the program knows */
static uint64_t host_version = 1; /* changes with it */

/* ---- Clocks ---- */

static bool grow(yk_clock **clock, unsigned count)
{
    unsigned before = *clock ? (*clock)->count : 0;
    if (count <= before)
        return true;
    yk_clock *grown = realloc(*clock, sizeof *grown + count * sizeof grown->at[0]);
    if (!grown)
        return false;
    memset(grown->at + before, 0, (count - before) * sizeof grown->at[0]);
    grown->count = count;
    *clock = grown;
    return true;
}

/* Whether it has changed. Without memory it stays as it is. */
static bool join(yk_clock **into, const yk_clock *from)
{
    bool changed = false;
    if (!from || !grow(into, from->count))
        return false;
    for (unsigned i = 0; i < from->count; i++)
        if ((*into)->at[i] < from->at[i]) {
            (*into)->at[i] = from->at[i];
            changed = true;
        }
    return changed;
}

static void copy(yk_clock **into, const yk_clock *from)
{
    if (*into)
        memset((*into)->at, 0, (*into)->count * sizeof from->at[0]);
    join(into, from);
}

void yk_order_join_host(yk_order *order)
{
    if (order->host_seen != host_version)
        join(&order->clock, host);
    order->host_seen = host_version;
}

void yk_order_join(yk_order *order, const yk_clock *moment)
{
    join(&order->clock, moment);
}

void yk_order_host_knows(const yk_clock *moment)
{
    if (join(&host, moment))
        host_version++;
}

const yk_clock *yk_order_host(void)
{
    return host;
}

void yk_order_record(const yk_order *order, yk_clock **moment)
{
    copy(moment, order->clock);
}

/* ---- Streams ---- */

static bool take_slot(unsigned *out_slot)
{
    unsigned i = 0;
    while (i < slot_count && slots[i].taken)
        i++;
    if (i == slot_count) {
        struct slot *grown = realloc(slots, (slot_count + 1) * sizeof *grown);
        if (!grown)
            return false;
        slots = grown;
        slots[slot_count++] = (struct slot){ 0 };
    }
    slots[i].taken = true;
    *out_slot = i;
    return true;
}

static bool start_clock(yk_order *order)
{
    if (!grow(&order->clock, order->slot + 1))
        return false;
    order->clock->at[order->slot] = slots[order->slot].last;
    return true;
}

yk_order *yk_order_begin(yoke_stream *stream)
{
    yk_order *order = calloc(1, sizeof *order);
    if (!order)
        return NULL;
    order->stream = stream;
    order->last = &order->first;
    order->label = yk_intern(stream->label);
    order->device = yk_intern(stream->device->info.selector);
    if (!order->label || !order->device || !take_slot(&order->slot)) {
        free(order);
        return NULL;
    }
    if (!start_clock(order)) {
        slots[order->slot].taken = false;
        free(order);
        return NULL;
    }
    order->next = yk_order_all;
    if (order->next)
        order->next->previous = order;
    yk_order_all = order;
    return order;
}

void yk_order_end(yk_order *order)
{
    if (order->next)
        order->next->previous = order->previous;
    if (order->previous)
        order->previous->next = order->next;
    else
        yk_order_all = order->next;
    while (order->first)
        yk_order_take(order);
    for (unsigned i = 0; i < order->branch_count; i++)
        slots[order->branch_slots[i]].taken = false;
    slots[order->slot].taken = false;
    free(order->branch_slots);
    free(order->clock);
    free(order);
}

uint64_t yk_order_advance(yk_order *order)
{
    return slots[order->slot].last = ++order->clock->at[order->slot];
}

/* Each stream keeps slots for branches: what is launched in other streams at the same time is not in them. The first branch is the
 * stream itself. */
static bool find_slot(yk_order *order, unsigned index, unsigned *out_slot)
{
    if (index == 0) {
        *out_slot = order->slot;
        return true;
    }
    if (index > order->branch_count) {
        unsigned *grown = realloc(order->branch_slots, index * sizeof *grown);
        if (!grown)
            return false;
        order->branch_slots = grown;
    }
    while (order->branch_count < index)
        if (!take_slot(&order->branch_slots[order->branch_count++])) {
            order->branch_count--;
            return false;
        }
    *out_slot = order->branch_slots[index - 1];
    return true;
}

bool yk_order_branch(yk_order *order, unsigned index, yk_order *branch)
{
    unsigned slot;
    if (!find_slot(order, index, &slot))
        return false;
    *branch = (yk_order){ .stream = order->stream, .slot = slot, .label = order->label, .device = order->device };
    copy(&branch->clock, order->clock);
    if (start_clock(branch))
        return true;
    branch->stream = NULL;
    free(branch->clock);
    return false;
}

void yk_order_end_branch(yk_order *order, yk_order *branch)
{
    join(&order->clock, branch->clock);
    free(branch->clock);
}

/* ---- What is deferred ---- */

/* Without memory the turn is missing, and later turns come early: then an operation seems to be behind more than it is. */
void yk_order_defer(yk_order *order)
{
    yk_turn *turn = calloc(1, sizeof *turn);
    if (!turn)
        return;
    if (order->host_deferred != host_version)
        copy(&turn->host, host);
    order->host_deferred = host_version;
    *order->last = turn;
    order->last = &turn->next;
}

void yk_order_take(yk_order *order)
{
    yk_turn *turn = order->first;
    if (!turn)
        return;
    join(&order->clock, turn->host);
    order->first = turn->next;
    if (!order->first)
        order->last = &order->first;
    free(turn->host);
    free(turn);
}
