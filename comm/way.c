/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which way data takes: what YOKE_COMM orders, else the best that is there at all ranks. All ranks come to the same result, since
 * they tell each other what they have; where an order cannot be obeyed, all fail, and say why.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "comm.h"
#include "start.h"
#include "vendor/vendor.h"

static const char *const ways[] = {
    [0] = "", [YOKE_COMM_TRANSPORT_STAGED] = "staged", [YOKE_COMM_TRANSPORT_MPI] = "mpi", [YOKE_COMM_TRANSPORT_NCCL] = "nccl"
};
_Static_assert(YCOMM_COUNT_OF(ways) == YCOMM_WAYS, "a name for each way");

const char *ycomm_way_name(int32_t way)
{
    return way > 0 && (size_t)way < YCOMM_COUNT_OF(ways) ? ways[way] : "no way";
}

yoke_status ycomm_read_way(int32_t *out_way)
{
    const char *order = getenv("YOKE_COMM");
    *out_way = 0;
    for (size_t i = 0; i < YCOMM_COUNT_OF(ways); i++)
        if (strcmp(order ? order : "", ways[i]) == 0) {
            *out_way = (int32_t)i;
            return YOKE_OK;
        }
    return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_create: YOKE_COMM=%.40s: staged, mpi and nccl are possible", order);
}

/* ---- What this rank has ---- */

/* In words, or "" when the rank could use NCCL. */
static void look_for_nccl(const yoke_comm *comm, char reason[YCOMM_TEXT])
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device_get_info(comm->device, &info);
    reason[0] = '\0';
    if (strcmp(info.backend, "cuda") != 0)
        snprintf(reason, YCOMM_TEXT, "NCCL is for devices of CUDA, and this one is of %s", info.backend);
    else if (comm->info.sharing > 1)
        snprintf(reason, YCOMM_TEXT, "%d ranks use the device %s, and NCCL wants one each", (int)comm->info.sharing, info.selector);
    else if (!ycomm_library_open(YCOMM_NCCL)->usable)
        snprintf(reason, YCOMM_TEXT, "%s", ycomm_library_open(YCOMM_NCCL)->reason);
    else if (!ycomm_library_open(YCOMM_CUDA_DRIVER)->usable)
        snprintf(reason, YCOMM_TEXT, "%s", ycomm_library_open(YCOMM_CUDA_DRIVER)->reason);
}

/* MPIX_Query_cuda_support is Open MPI's and MPICH's; an MPI that lacks it, or says no, would crash on a device's address. */
static void look_for_aware_mpi(const yoke_comm *comm, char reason[YCOMM_TEXT])
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    int (*query)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    memcpy(&query, &symbol, sizeof query);
    yoke_device_get_info(comm->device, &info);
    reason[0] = '\0';
    if (strcmp(info.backend, "cuda") != 0)
        snprintf(reason, YCOMM_TEXT, "MPI is given addresses of CUDA alone, and this device is of %s", info.backend);
    else if (!query || query() != 1)
        snprintf(reason, YCOMM_TEXT, "this MPI does not know CUDA's memory (MPIX_Query_cuda_support %s)",
                 query ? "returns 0" : "is not there");
}

/* ---- What all have ---- */

enum { NCCL_VERSION_SIZE = 32 };

/* The lowest rank with a reason tells it to all. An error of MPI's. */
int ycomm_share_reason(yoke_comm *comm, char reason[YCOMM_TEXT])
{
    char told[YCOMM_TEXT];
    int mine = reason[0] ? (int)comm->rank : (int)comm->ranks, first = 0;
    int error = MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm->control);
    if (error != MPI_SUCCESS || first == comm->ranks)
        return error;
    snprintf(told, sizeof told, "%s", reason);
    error = MPI_Bcast(told, YCOMM_TEXT, MPI_CHAR, first, comm->control);
    told[YCOMM_TEXT - 1] = '\0';
    snprintf(reason, YCOMM_TEXT, "rank %d: %.1100s", first, told);
    return error;
}

/* NCCL of one version at all ranks. */
static int compare_versions(yoke_comm *comm, char reason[YCOMM_TEXT])
{
    char first[NCCL_VERSION_SIZE], own[NCCL_VERSION_SIZE];
    snprintf(own, sizeof own, "%s", ycomm_library_open(YCOMM_NCCL)->version);
    memcpy(first, own, sizeof first);
    int error = MPI_Bcast(first, NCCL_VERSION_SIZE, MPI_CHAR, 0, comm->control);
    if (strncmp(first, own, sizeof first) != 0)
        snprintf(reason, YCOMM_TEXT, "it has NCCL %s, and rank 0 has %.31s", own, first);
    return error == MPI_SUCCESS ? ycomm_share_reason(comm, reason) : error;
}

typedef struct choice {
    int32_t order, way;
    char nccl[YCOMM_TEXT], mpi[YCOMM_TEXT]; /* why not */
} choice;

static int try_nccl(yoke_comm *comm, choice *c)
{
    look_for_nccl(comm, c->nccl);
    int error = ycomm_share_reason(comm, c->nccl);
    if (error == MPI_SUCCESS && !c->nccl[0])
        error = compare_versions(comm, c->nccl);
    if (error == MPI_SUCCESS && !c->nccl[0])
        c->way = YOKE_COMM_TRANSPORT_NCCL;
    return error;
}

static int try_mpi(yoke_comm *comm, choice *c)
{
    look_for_aware_mpi(comm, c->mpi);
    int error = ycomm_share_reason(comm, c->mpi);
    if (error != MPI_SUCCESS || c->mpi[0])
        return error;
    ycomm_prove_aware(comm, c->mpi);
    error = ycomm_share_reason(comm, c->mpi);
    if (error == MPI_SUCCESS && !c->mpi[0])
        c->way = YOKE_COMM_TRANSPORT_MPI;
    return error;
}

static int agree_on_order(yoke_comm *comm, int32_t order, bool *out_agreed)
{
    int mine[2] = { (int)order, -(int)order }, most[2] = { 0, 0 };
    int error = MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, comm->control);
    *out_agreed = most[0] == -most[1];
    return error;
}

static void describe(yoke_comm *comm, const choice *c)
{
    size_t size = sizeof comm->info.reason;
    const char *library = c->way == YOKE_COMM_TRANSPORT_NCCL ? ycomm_library_open(YCOMM_NCCL)->version : "";
    comm->way = comm->info.transport = c->way;
    if (c->order)
        snprintf(comm->info.reason, size, "YOKE_COMM=%s", ways[c->order]);
    else if (c->way == YOKE_COMM_TRANSPORT_NCCL)
        snprintf(comm->info.reason, size, "NCCL %s is at all ranks", library);
    else if (c->way == YOKE_COMM_TRANSPORT_MPI)
        snprintf(comm->info.reason, size, "the MPI has moved CUDA's memory right; no NCCL: %.90s", c->nccl);
    else if (comm->ranks == 1)
        snprintf(comm->info.reason, size, "there is one rank");
    else
        snprintf(comm->info.reason, size, "no NCCL: %.140s", c->nccl);
}

yoke_status ycomm_choose_way(yoke_comm *comm, int32_t order)
{
    choice c = { .order = order, .way = YOKE_COMM_TRANSPORT_STAGED };
    bool agreed = false, alone = comm->ranks == 1;
    int error = agree_on_order(comm, order, &agreed);
    if (error == MPI_SUCCESS && !agreed)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_create: YOKE_COMM is not the same at all ranks; here it is \"%s\"",
                         ways[order]);
    if (error == MPI_SUCCESS && ((order == 0 && !alone) || order == YOKE_COMM_TRANSPORT_NCCL))
        error = try_nccl(comm, &c);
    if (error == MPI_SUCCESS && c.way == YOKE_COMM_TRANSPORT_STAGED && ((order == 0 && !alone) || order == YOKE_COMM_TRANSPORT_MPI))
        error = try_mpi(comm, &c);
    if (error != MPI_SUCCESS) {
        ycomm_failure failure;
        ycomm_failure_set_mpi(&failure, "MPI_Allreduce or MPI_Bcast", error);
        return yoke_fail(failure.status, "yoke_comm_create: %s", failure.text);
    }
    if (order && c.way != order)
        return yoke_fail(YOKE_E_UNAVAILABLE, "yoke_comm_create: YOKE_COMM=%s cannot be obeyed: %s; YOKE_COMM=staged needs neither",
                         ways[order], order == YOKE_COMM_TRANSPORT_NCCL ? c.nccl : c.mpi);
    describe(comm, &c);
    if (comm->way == YOKE_COMM_TRANSPORT_MPI)
        comm->memory = YCOMM_KNOWN_TO_MPI;
    else if (ycomm_host_has_device(comm->device))
        comm->memory = YCOMM_ON_HOST;
    yoke_log_write(YOKE_LOG_INFO, "comm: rank %d of %d: data goes by %s%s: %s; %s", (int)comm->rank, (int)comm->ranks,
                   ways[comm->way], comm->memory == YCOMM_ON_HOST ? ", without copies" : "", comm->info.reason, comm->info.mpi);
    yoke_error_clear();
    return YOKE_OK;
}
