/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets: each rank tells the others what it has enqueued by NCCL, in the order of its calls, and compares. Calls add them, with
 * no lock but that of the calls; the progress thread exchanges them.
 */
#include <stdlib.h>

#include "nccl.h"

enum { MOST_POSTED = 64, FEW = 2, MOST_SPARE = 256 }; /* tickets: on their way at once; messages of most; kept */

/* One thread at a time takes spare ones, so that none can be taken and come back meanwhile. */
static ycomm_ticket *take_spare(struct ycomm_nccl *nccl, size_t count)
{
    ycomm_ticket *ticket = atomic_load(&nccl->spare);
    if (!ticket || ticket->capacity < count)
        return NULL;
    while (!atomic_compare_exchange_weak(&nccl->spare, &ticket, ticket->next))
        continue;
    atomic_fetch_sub(&nccl->spare_count, 1);
    return ticket;
}

static void push(_Atomic(ycomm_ticket *) *list, ycomm_ticket *ticket)
{
    ticket->next = atomic_load(list);
    while (!atomic_compare_exchange_weak(list, &ticket->next, ticket))
        continue;
}

/* Back for another operation, in the thread that took it off its way. Large ones are rare. */
static void put_spare(struct ycomm_nccl *nccl, ycomm_ticket *ticket)
{
    if (ticket->capacity > FEW || atomic_load(&nccl->spare_count) >= MOST_SPARE) {
        free(ticket);
        return;
    }
    atomic_fetch_add(&nccl->spare_count, 1);
    push(&nccl->spare, ticket);
}

bool ycomm_ticket_add(struct ycomm_nccl *nccl, const ycomm_op *op)
{
    ycomm_ticket *ticket = take_spare(nccl, op->part_count);
    if (!ticket) {
        size_t capacity = op->part_count < FEW ? FEW : op->part_count;
        ticket = malloc(sizeof *ticket + capacity * sizeof ticket->items[0]);
        if (!ticket)
            return false;
        ticket->capacity = capacity;
    }
    ticket->function = op->function;
    ticket->where = op->where;
    ticket->count = op->part_count;
    ticket->posted = false;
    for (size_t i = 0; i < op->part_count; i++) {
        ticket->items[i].part = op->parts[i];
        ticket->items[i].opening.request = MPI_REQUEST_NULL;
    }
    push(&nccl->fresh, ticket);
    return true;
}

/* Append those that have been added since. */
static void take_fresh(struct ycomm_nccl *nccl)
{
    ycomm_ticket *newest = atomic_load(&nccl->fresh) ? atomic_exchange(&nccl->fresh, NULL) : NULL, *oldest = NULL;
    if (!newest)
        return;
    for (ycomm_ticket *ticket = newest, *next; ticket; ticket = next) {
        next = ticket->next;
        ticket->next = oldest;
        oldest = ticket;
    }
    *nccl->last = oldest;
    nccl->last = &newest->next;
    if (!nccl->unposted)
        nccl->unposted = oldest;
}

static bool post(struct ycomm_nccl *nccl, ycomm_ticket *ticket, ycomm_failure *failure)
{
    ticket->posted = true;
    for (size_t i = 0; i < ticket->count; i++) {
        int error = ycomm_post_opening(nccl->channel->beside, 0, &ticket->items[i].part, false, &ticket->items[i].opening);
        if (error != MPI_SUCCESS) {
            ycomm_failure_set_mpi(failure, "the ticket of an operation", error);
            return false;
        }
    }
    nccl->posted++;
    return true;
}

/* Whether all has been answered. */
static bool is_answered(const struct ycomm_nccl *nccl, ycomm_ticket *ticket, ycomm_failure *failure)
{
    for (size_t i = 0; i < ticket->count && failure->status == YOKE_OK; i++) {
        ycomm_opening *opening = &ticket->items[i].opening;
        int done = 0;
        if (opening->request == MPI_REQUEST_NULL)
            continue;
        int error = MPI_Test(&opening->request, &done, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS)
            ycomm_failure_set_mpi(failure, "the ticket of an operation", error);
        else if (!done)
            return false;
        else
            (void)ycomm_check_opening(nccl->channel->comm, &ticket->items[i].part, opening, failure);
    }
    return failure->status == YOKE_OK;
}

bool ycomm_tickets_step(struct ycomm_nccl *nccl, ycomm_failure *failure, const ycomm_ticket **out_ticket)
{
    bool moved = false;
    take_fresh(nccl);
    while (nccl->first != nccl->unposted) {
        ycomm_ticket *ticket = nccl->first;
        *out_ticket = ticket;
        if (!is_answered(nccl, ticket, failure))
            break;
        nccl->first = ticket->next;
        if (!nccl->first)
            nccl->last = &nccl->first;
        put_spare(nccl, ticket);
        nccl->posted--;
        moved = true;
    }
    while (nccl->unposted && nccl->posted < MOST_POSTED && failure->status == YOKE_OK) {
        *out_ticket = nccl->unposted;
        if (post(nccl, nccl->unposted, failure))
            nccl->unposted = nccl->unposted->next;
        moved = true;
    }
    return moved;
}

static void free_tickets(ycomm_ticket *first)
{
    for (ycomm_ticket *ticket = first, *next; ticket; ticket = next) {
        next = ticket->next;
        free(ticket);
    }
}

void ycomm_tickets_drop(struct ycomm_nccl *nccl)
{
    take_fresh(nccl);
    if (nccl->unposted && nccl->unposted->posted) /* in part */
        nccl->unposted = nccl->unposted->next;
    free_tickets(nccl->unposted); /* those before are MPI's, for good */
    nccl->first = nccl->unposted = NULL;
    nccl->last = &nccl->first;
    nccl->posted = 0;
}

void ycomm_tickets_free(struct ycomm_nccl *nccl)
{
    ycomm_tickets_drop(nccl);
    free_tickets(atomic_exchange(&nccl->spare, NULL));
}
