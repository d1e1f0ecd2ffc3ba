/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which transport data takes: what YOKE_COMM orders, else the best that is there at all ranks. All ranks come to the same result,
 * since they tell each other what they have; where an order cannot be obeyed, all fail, and say why.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "start.h"
#include "transport/transports.h"

/* The best first; the last is always there. */
#define ROW(name, number) &ycomm_##name##_transport,
static const ycomm_transport *const transports[] = { YCOMM_TRANSPORTS(ROW) };
#undef ROW

enum { LAST = YCOMM_COUNT_OF(transports) - 1 };

/* YOKE_COMM's word for it; "" for no order. */
static const char *name_of(int32_t order)
{
    for (size_t i = 0; i < YCOMM_COUNT_OF(transports); i++)
        if (transports[i]->id == order)
            return transports[i]->name;
    return "";
}

yoke_status ycomm_read_order(int32_t *out_order)
{
    const char *order = getenv("YOKE_COMM");
    *out_order = 0;
    if (!order || !*order)
        return YOKE_OK;
    for (size_t i = 0; i < YCOMM_COUNT_OF(transports); i++)
        if (strcmp(order, transports[i]->name) == 0) {
            *out_order = transports[i]->id;
            return YOKE_OK;
        }
    return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_create: YOKE_COMM=%.40s: staged, mpi and nccl are possible", order);
}

static int agree_on_order(yoke_comm *comm, int32_t order, bool *out_agreed)
{
    int mine[2] = { (int)order, -(int)order }, most[2] = { 0, 0 };
    int error = MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, comm->control);
    *out_agreed = most[0] == -most[1];
    return error;
}

typedef struct choice {
    int32_t order;
    const ycomm_transport *chosen;
    const ycomm_transport *refused; /* the best that not all ranks can use; NULL when none was */
    char reason[YCOMM_TEXT];        /* why not */
} choice;

/* The best that all can use, among those that the order allows; one rank alone looks for none. */
static int try_all(yoke_comm *comm, choice *c)
{
    char reason[YCOMM_TEXT];
    int error = MPI_SUCCESS;
    for (size_t i = 0; i < LAST && !c->chosen && error == MPI_SUCCESS; i++) {
        if (c->order ? c->order != transports[i]->id : comm->ranks == 1)
            continue;
        error = transports[i]->offer(comm, reason);
        if (error == MPI_SUCCESS && !reason[0])
            c->chosen = transports[i];
        else if (error == MPI_SUCCESS && !c->refused) {
            c->refused = transports[i];
            memcpy(c->reason, reason, sizeof c->reason);
        }
    }
    if (!c->chosen)
        c->chosen = transports[LAST];
    return error;
}

static void describe(yoke_comm *comm, const choice *c)
{
    char *reason = comm->info.reason, merit[64];
    size_t size = sizeof comm->info.reason;
    c->chosen->describe(comm, merit, sizeof merit);
    if (c->order)
        snprintf(reason, size, "YOKE_COMM=%s", c->chosen->name);
    else if (c->refused)
        snprintf(reason, size, "%s%sno %s: %.*s", merit, *merit ? "; " : "", c->refused->text, *merit ? 90 : 140, c->reason);
    else if (*merit)
        snprintf(reason, size, "%s", merit);
    else
        snprintf(reason, size, "there is one rank");
}

yoke_status ycomm_choose_transport(yoke_comm *comm, int32_t order)
{
    choice c = { .order = order };
    bool agreed = false;
    int error = agree_on_order(comm, order, &agreed);
    if (error == MPI_SUCCESS && !agreed)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_create: YOKE_COMM is not the same at all ranks; here it is \"%s\"",
                         name_of(order));
    if (error == MPI_SUCCESS)
        error = try_all(comm, &c);
    if (error != MPI_SUCCESS) {
        ycomm_failure failure;
        ycomm_failure_set_mpi(&failure, "MPI_Allreduce or MPI_Bcast", error);
        return yoke_fail(failure.status, "yoke_comm_create: %s", failure.text);
    }
    if (order && c.chosen->id != order)
        return yoke_fail(YOKE_E_UNAVAILABLE, "yoke_comm_create: YOKE_COMM=%s cannot be obeyed: %s; YOKE_COMM=staged needs neither",
                         name_of(order), c.reason);
    describe(comm, &c);
    comm->transport = c.chosen;
    comm->fallback = transports[LAST];
    comm->info.transport = c.chosen->id;
    c.chosen->begin(comm);
    yoke_log_write(YOKE_LOG_INFO, "comm: rank %d of %d: data goes by %s%s: %s; %s", (int)comm->rank, (int)comm->ranks,
                   c.chosen->name, comm->memory == YCOMM_ON_HOST ? ", without copies" : "", comm->info.reason, comm->info.mpi);
    yoke_error_clear();
    return YOKE_OK;
}
