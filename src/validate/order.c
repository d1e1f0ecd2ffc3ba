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
    slots[order->slot].taken = false;
    free(order->clock);
    free(order);
}

uint64_t yk_order_advance(yk_order *order)
{
    return slots[order->slot].last = ++order->clock->at[order->slot];
}

bool yk_order_branch(const yk_order *order, yk_order *branch)
{
    *branch = *order;
    branch->clock = NULL;
    if (!take_slot(&branch->slot))
        return false;
    copy(&branch->clock, order->clock);
    if (start_clock(branch))
        return true;
    yk_order_end_branch(branch);
    return false;
}

void yk_order_end_branch(yk_order *branch)
{
    slots[branch->slot].taken = false;
    free(branch->clock);
    branch->clock = NULL;
}
