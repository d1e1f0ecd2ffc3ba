/* SPDX-License-Identifier: Apache-2.0 */
/* What a communicator is made with: the state of MPI, the environment, the ranks of the same machine and their devices. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/process.h"
#include "start.h"

enum { DEFAULT_TIMEOUT = 600, LONGEST_TIMEOUT = 100000000 };           /* seconds */
enum { DEFAULT_BLOCKS = 64, LEAST_BLOCKS = 2, MOST_BLOCKS = 1 << 20 }; /* of 1 MiB, that each end of a message needs one of */
_Static_assert(YCOMM_PIECE == 1 << 20, "YOKE_COMM_PINNED counts blocks");

yoke_status ycomm_check_mpi(const char *function, const void *mpi_comm)
{
    int initialized = 0, finalized = 0, level = 0, inter = 0;
    MPI_Comm mpi;

    if (ycomm_fork_check(function) < 0)
        return YOKE_E_FORKED;
    if (!ycomm_fork_watch())
        return yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: no memory for a handler for fork", function);
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized)
        return yoke_fail(YOKE_E_UNAVAILABLE,
                         "%s: MPI is %s. libyoke-comm was built for %s: call its MPI_Init_thread before; a program that was built "
                         "with another MPI needs a libyoke-comm of that MPI",
                         function, finalized ? "finalised" : "not initialised", YCOMM_MPI_NAME);
    int error = ycomm_finalize_watch();
    if (error != MPI_SUCCESS || ycomm_mpi_is_closed()) {
        ycomm_failure failure;
        if (error == MPI_SUCCESS)
            ycomm_failure_set_finalized(&failure);
        else
            ycomm_failure_set_mpi(&failure, "MPI_Comm_set_attr", error);
        return yoke_fail(failure.status, "%s: %s", function, failure.text);
    }
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return yoke_fail(YOKE_E_UNAVAILABLE,
                         "%s: MPI was initialised without MPI_THREAD_MULTIPLE, which streams need: call MPI_Init_thread(&argc, "
                         "&argv, MPI_THREAD_MULTIPLE, &provided) instead of MPI_Init, and look at provided",
                         function);
    if (!mpi_comm)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: mpi_comm is NULL; it is the address of an MPI_Comm", function);
    memcpy(&mpi, mpi_comm, sizeof mpi);
    if (mpi == MPI_COMM_NULL)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: mpi_comm is MPI_COMM_NULL", function);
    if (MPI_Comm_test_inter(mpi, &inter) != MPI_SUCCESS || inter)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: mpi_comm is an intercommunicator, or none", function);
    return YOKE_OK;
}

/* ---- The environment ---- */

/* A number of the environment, if it is set. */
static yoke_status read_number(const char *name, const char *text, uint64_t least, uint64_t most, const char *meaning,
                               uint64_t *value)
{
    if (!text || !*text)
        return YOKE_OK;
    uint64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && number <= most; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    if (*at || number < least || number > most)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_create: %s=%.40s: it is %s, %" PRIu64 " to %" PRIu64, name, text,
                         meaning, least, most);
    *value = number;
    return YOKE_OK;
}

yoke_status ycomm_read_settings(uint64_t *out_timeout, uint64_t *out_blocks, int32_t *out_order)
{
    uint64_t seconds = DEFAULT_TIMEOUT;
    *out_blocks = DEFAULT_BLOCKS;
    yoke_status status = read_number("YOKE_COMM_TIMEOUT", getenv("YOKE_COMM_TIMEOUT"), 0, LONGEST_TIMEOUT,
                                     "a number of seconds, where 0 is for ever", &seconds);
    if (status == YOKE_OK)
        status =
            read_number("YOKE_COMM_PINNED", getenv("YOKE_COMM_PINNED"), LEAST_BLOCKS, MOST_BLOCKS, "a number of MiB", out_blocks);
    *out_timeout = seconds ? seconds * 1000000000 : UINT64_MAX;
    return status == YOKE_OK ? ycomm_read_order(out_order) : status;
}

/* ---- All ranks ---- */

yoke_status ycomm_agree(const char *function, yoke_status mine, const void *mpi_comm, MPI_Comm *out_mpi)
{
    MPI_Comm mpi;
    ycomm_failure failure;
    int rank = 0, ranks = 0;

    memcpy(&mpi, mpi_comm, sizeof mpi);
    int error = MPI_Comm_dup(mpi, out_mpi);
    if (error == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(*out_mpi, MPI_ERRORS_RETURN);
        MPI_Comm_rank(*out_mpi, &rank);
        MPI_Comm_size(*out_mpi, &ranks);
        /* The first rank that is not well; `ranks` when all are. */
        int first = mine == YOKE_OK ? ranks : rank, all = 0;
        error = MPI_Allreduce(&first, &all, 1, MPI_INT, MPI_MIN, *out_mpi);
        if (error == MPI_SUCCESS && all == ranks)
            return YOKE_OK;
        MPI_Comm_free(out_mpi);
        if (error == MPI_SUCCESS && mine == YOKE_OK)
            return yoke_fail(YOKE_E_UNAVAILABLE, "%s: rank %d of %d has failed, and says why in its own record", function, all,
                             ranks);
    }
    if (mine != YOKE_OK)
        return mine; /* its record is this thread's */
    ycomm_failure_set_mpi(&failure, "MPI_Comm_dup or MPI_Allreduce", error);
    return yoke_fail(failure.status, "%s: %s", function, failure.text);
}

/* What tells a device from the others of its machine. */
static void identify(yoke_device *device, char identity[64])
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device_get_info(device, &info);
    memset(identity, 0, 64);
    snprintf(identity, 64, "%s", info.uuid[0] ? info.uuid : info.pci[0] ? info.pci : info.selector);
}

/* Count the ranks of this machine that use the same device. */
static int count_sharing(yoke_comm *comm, MPI_Comm local)
{
    char own[64];
    identify(comm->device, own);
    char(*all)[64] = calloc((size_t)comm->info.local_ranks, sizeof *all);
    if (!all)
        return MPI_ERR_NO_MEM;
    int error = MPI_Allgather(own, 64, MPI_CHAR, all, 64, MPI_CHAR, local);
    for (int32_t i = 0; i < comm->info.local_ranks && error == MPI_SUCCESS; i++)
        comm->info.sharing += memcmp(own, all[i], 64) == 0;
    free(all);
    return error;
}

int ycomm_find_neighbours(yoke_comm *comm)
{
    MPI_Comm local;
    int number = 0, length = 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int error = MPI_Comm_split_type(comm->control, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    if (error != MPI_SUCCESS)
        return error;
    comm->info.size = sizeof comm->info;
    comm->info.rank = comm->rank;
    comm->info.ranks = comm->ranks;
    MPI_Comm_rank(local, &number);
    comm->info.local_rank = number;
    MPI_Comm_size(local, &number);
    comm->info.local_ranks = number;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n,")] = '\0';
    snprintf(comm->info.mpi, sizeof comm->info.mpi, "%.*s", (int)sizeof comm->info.mpi - 1, version);
    error = count_sharing(comm, local);
    MPI_Comm_free(&local);
    return error;
}

/* ---- This rank's device ---- */

/* The devices of the best one's backend and kind: rank k of the machine takes the k-th, and again from the first. */
static yoke_status open_one_of(const yoke_device_info *infos, size_t count, size_t rank, yoke_device **out_device)
{
    size_t alike = 0;
    for (size_t i = 0; i < count; i++)
        alike += strcmp(infos[i].backend, infos[0].backend) == 0 && infos[i].kind == infos[0].kind;
    size_t wanted = rank % alike;
    for (size_t i = 0; i < count; i++)
        if (strcmp(infos[i].backend, infos[0].backend) == 0 && infos[i].kind == infos[0].kind && wanted-- == 0)
            return yoke_device_open(infos[i].selector, out_device);
    return YOKE_E_NOT_FOUND; /* not reached: there are `alike` of them */
}

static yoke_status open_by_rank(size_t rank, yoke_device **out_device)
{
    size_t count = 0;
    yoke_status status = yoke_device_list(NULL, 0, &count);
    if (status != YOKE_OK)
        return status;
    if (count == 0)
        return yoke_device_open(NULL, out_device); /* it says why there is none */
    size_t capacity = count;
    yoke_device_info *infos = calloc(capacity, sizeof infos[0]);
    if (!infos)
        return yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "yoke_comm_open_device: no memory");
    for (size_t i = 0; i < capacity; i++)
        infos[i].size = sizeof infos[i];
    status = yoke_device_list(infos, capacity, &count);
    if (status == YOKE_OK && count > 0)
        status = open_one_of(infos, count < capacity ? count : capacity, rank, out_device);
    else if (status == YOKE_OK)
        status = yoke_device_open(NULL, out_device);
    free(infos);
    return status;
}

yoke_status yoke_comm_open_device(const void *mpi_comm, yoke_device **out_device)
{
    const char *ordered = getenv("YOKE_DEVICE");
    MPI_Comm all, local;
    int rank = 0;

    if (!out_device)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_open_device: out_device is NULL");
    *out_device = NULL;
    yoke_status status = ycomm_check_mpi("yoke_comm_open_device", mpi_comm);
    if (status == YOKE_OK)
        status = ycomm_agree("yoke_comm_open_device", YOKE_OK, mpi_comm, &all);
    if (status != YOKE_OK)
        return status;
    int error = MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    if (error == MPI_SUCCESS) {
        MPI_Comm_rank(local, &rank);
        MPI_Comm_free(&local);
    }
    MPI_Comm_free(&all);
    if (error != MPI_SUCCESS) {
        ycomm_failure failure;
        ycomm_failure_set_mpi(&failure, "MPI_Comm_split_type", error);
        return yoke_fail(failure.status, "yoke_comm_open_device: %s", failure.text);
    }
    return ordered && *ordered ? yoke_device_open(NULL, out_device) : open_by_rank((size_t)rank, out_device);
}
