/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for NCCL: processes of one machine move their data through shared memory, in a kernel of the stream that they are
 * given, which stands still until the others come, as NCCL's do. The memory is found by the name in the unique identity. A message
 * has no tag, and what does not match is not noticed.
 */
#include "vendor.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <yoke/half.h>

#include "../../../comm/transport/vendor/api.h"

#define YCOMM_NCCL_SYMBOL(result, name, parameters) VENDOR_API result name parameters;
#include "../../../comm/transport/vendor/symbols.def"

enum { CHUNK = 32768, MOST_RANKS = 8, PATIENCE = 60 };

/* From one rank to another: one chunk at a time. */
typedef struct mailbox {
    atomic_uint full;
    unsigned char data[CHUNK];
} mailbox;

typedef struct area {
    atomic_int arrived, connected;
    atomic_int processes[MOST_RANKS]; /* 0 once the rank has ended its communicator */
    mailbox boxes[MOST_RANKS][MOST_RANKS]; /* [from][to] */
} area;

typedef struct message {
    bool send;
    int peer;
    unsigned char *at;
    size_t left;
} message;

typedef enum verb { MESSAGES, ALLREDUCE, REDUCE, REDUCE_SCATTER } verb;

/* What one kernel does. Kept until the communicator ends, since a graph may launch it again. */
typedef struct work {
    struct work *next;
    struct ncclComm *comm;
    verb verb;
    const unsigned char *in;
    unsigned char *out;
    size_t count;
    ycomm_ncclDataType_t type;
    ycomm_ncclRedOp_t operation;
    int root;
    size_t message_count;
    message messages[];
} work;

struct ncclComm {
    int rank, ranks;
    area *area;
    atomic_bool aborted;
    atomic_int running, collectives;
    work *works;
    pthread_mutex_t lock;
    yk_CUmodule module;
    yk_CUfunction function;
};

static const char text[] = "extern \"C\" __global__ void nccl(void (*function)(void *), void *user)\n"
                           "{\n"
                           "    if (threadIdx.x == 0 && blockIdx.x == 0) function(user);\n"
                           "}\n";

/* ---- Moving data ---- */

/* The i-th time that nothing could be moved. On a GPU this would use no core of the host's. */
static void rest(unsigned i)
{
    struct timespec pause = { 0, i < 300 ? 20000 : i < 500 ? 500000 : 5000000 };
    if (i < 200)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}

static bool wait_until(struct ncclComm *comm, atomic_uint *full, unsigned value)
{
    for (unsigned i = 0; atomic_load(full) != value; i++) {
        if (atomic_load(&comm->aborted))
            return false;
        rest(i);
    }
    return true;
}

static bool put(struct ncclComm *comm, int to, const unsigned char *at, size_t size)
{
    mailbox *box = &comm->area->boxes[comm->rank][to];
    if (!wait_until(comm, &box->full, 0))
        return false;
    memcpy(box->data, at, size);
    atomic_store(&box->full, 1);
    return true;
}

/* One chunk of a message, if that can be moved now. */
static bool step(struct ncclComm *comm, message *m)
{
    mailbox *box = m->send ? &comm->area->boxes[comm->rank][m->peer] : &comm->area->boxes[m->peer][comm->rank];
    size_t size = m->left < CHUNK ? m->left : CHUNK;
    if (atomic_load(&box->full) != (m->send ? 0U : 1U))
        return false;
    memcpy(m->send ? box->data : m->at, m->send ? m->at : box->data, size);
    atomic_store(&box->full, m->send ? 1 : 0);
    m->at += size;
    m->left -= size;
    return true;
}

/* Messages of one direction and rank go one behind the other; all others at once. The list is a copy: a graph needs it again. */
static void move(struct ncclComm *comm, message *messages, size_t count)
{
    unsigned idle = 0;
    for (bool left = true; left && !atomic_load(&comm->aborted);) {
        bool moved = false;
        left = false;
        for (size_t i = 0; i < count; i++) {
            bool first = messages[i].left > 0;
            for (size_t k = 0; k < i && first; k++)
                first = messages[k].left == 0 || messages[k].send != messages[i].send || messages[k].peer != messages[i].peer;
            moved |= first && step(comm, &messages[i]);
            left |= messages[i].left > 0;
        }
        idle = moved ? 0 : idle + 1;
        if (left && !moved)
            rest(idle);
    }
}

#define COMBINE(type, to, from)                                          \
    for (size_t i = 0; i < count; i++) {                                 \
        type *a = (type *)sum + i;                                       \
        const type *b = (const type *)more + i;                          \
        *a = operation == YCOMM_ncclSum    ? (type)from(to(*a) + to(*b)) \
             : operation == YCOMM_ncclProd ? (type)from(to(*a) * to(*b)) \
             : operation == YCOMM_ncclMin  ? (to(*b) < to(*a) ? *b : *a) \
                                           : (to(*b) > to(*a) ? *b : *a); \
    }                                                                    \
    break

static void combine(void *sum, const void *more, size_t count, ycomm_ncclDataType_t type, ycomm_ncclRedOp_t operation)
{
    switch (type) {
    case YCOMM_ncclInt8:
        COMBINE(int8_t, , );
    case YCOMM_ncclUint8:
        COMBINE(uint8_t, , );
    case YCOMM_ncclInt32:
        COMBINE(int32_t, (uint32_t), );
    case YCOMM_ncclUint32:
        COMBINE(uint32_t, , );
    case YCOMM_ncclInt64:
        COMBINE(int64_t, (uint64_t), );
    case YCOMM_ncclUint64:
        COMBINE(uint64_t, , );
    case YCOMM_ncclFloat16:
        COMBINE(yoke_half, yoke_half_to_float, yoke_half_from);
    case YCOMM_ncclBfloat16:
        COMBINE(yoke_bfloat16, yoke_bfloat16_to_float, yoke_bfloat16_from);
    case YCOMM_ncclFloat32:
        COMBINE(float, , );
    default:
        COMBINE(double, , );
    }
}

static size_t size_of(ycomm_ncclDataType_t type)
{
    static const size_t sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };
    return sizes[type];
}

/* In the order of ranks, so that all get the same bits. */
static void reduce(const work *w)
{
    struct ncclComm *comm = w->comm;
    size_t element = size_of(w->type), total = w->count * element;
    bool gets = w->verb != REDUCE || comm->rank == w->root;
    _Alignas(16) unsigned char sum[CHUNK];
    for (size_t at = 0; at < total; at += CHUNK) {
        size_t size = total - at < CHUNK ? total - at : CHUNK;
        for (int k = 0; k < comm->ranks; k++)
            if (k != comm->rank && (w->verb != REDUCE || k == w->root) &&
                !put(comm, k, w->in + (w->verb == REDUCE_SCATTER ? (size_t)k * total : 0) + at, size))
                return;
        for (int k = 0; k < comm->ranks && gets; k++) {
            mailbox *box = &comm->area->boxes[k][comm->rank];
            const unsigned char *own = w->in + (w->verb == REDUCE_SCATTER ? (size_t)k * total : 0) + at;
            if (k != comm->rank && !wait_until(comm, &box->full, 1))
                return;
            if (k == 0)
                memcpy(sum, k == comm->rank ? own : box->data, size);
            else
                combine(sum, k == comm->rank ? own : box->data, size / element, w->type, w->operation);
            if (k != comm->rank)
                atomic_store(&box->full, 0);
        }
        if (gets)
            memcpy(w->out + at, sum, size);
    }
}

static void run(void *user)
{
    const work *w = user;
    atomic_fetch_add(&w->comm->running, 1);
    message *copy = w->verb == MESSAGES ? malloc(w->message_count * sizeof *copy) : NULL;
    if (copy) {
        memcpy(copy, w->messages, w->message_count * sizeof *copy);
        move(w->comm, copy, w->message_count);
    } else if (w->verb != MESSAGES && !atomic_load(&w->comm->aborted)) {
        reduce(w);
    }
    free(copy);
    atomic_fetch_sub(&w->comm->running, 1);
}

/* ---- Calls ---- */

/* How many kernels the calling thread has launched: a test asks who calls NCCL. */
VENDOR_API unsigned nccl_double_launches(void);

static _Thread_local unsigned launches;

unsigned nccl_double_launches(void)
{
    return launches;
}

static ycomm_ncclResult_t launch(struct ncclComm *comm, const work *wanted, const message *messages, ycomm_cudaStream_t stream)
{
    work *w = malloc(sizeof *w + wanted->message_count * sizeof *messages);
    void (*function)(void *) = run;
    void *parameters[] = { &function, &w };
    if (!w)
        return YCOMM_ncclSystemError;
    launches++;
    *w = *wanted;
    w->comm = comm;
    if (w->message_count > 0)
        memcpy(w->messages, messages, w->message_count * sizeof *messages);
    pthread_mutex_lock(&comm->lock);
    w->next = comm->works;
    comm->works = w;
    pthread_mutex_unlock(&comm->lock);
    if (!stream || atomic_load(&comm->aborted))
        return YCOMM_ncclInvalidUsage;
    return vendor_launch(comm->function, stream, 1, parameters) ? YCOMM_ncclSuccess : YCOMM_ncclUnhandledCudaError;
}

enum { MOST_MESSAGES = 1024 };

static _Thread_local struct {
    int depth;
    struct ncclComm *comm;
    ycomm_cudaStream_t stream;
    size_t count;
    message messages[MOST_MESSAGES];
} group;

static ycomm_ncclResult_t add(struct ncclComm *comm, ycomm_cudaStream_t stream, bool send, void *at, size_t size, int peer)
{
    message m = { send, peer, at, size };
    work w = { .verb = MESSAGES, .message_count = 1 };
    if (peer < 0 || peer >= comm->ranks)
        return YCOMM_ncclInvalidArgument;
    if (group.depth == 0)
        return launch(comm, &w, &m, stream);
    if (group.count == MOST_MESSAGES || (group.count > 0 && (group.comm != comm || group.stream != stream)))
        return YCOMM_ncclInvalidUsage;
    group.comm = comm;
    group.stream = stream;
    group.messages[group.count++] = m;
    return YCOMM_ncclSuccess;
}

ycomm_ncclResult_t ncclGetVersion(int *out_version)
{
    VENDOR_BEGIN(ncclGetVersion);
    *out_version = vendor_order("version", 22809);
    return YCOMM_ncclSuccess;
}

ycomm_ncclResult_t ncclGetUniqueId(ycomm_ncclUniqueId *out_id)
{
    static atomic_int number;
    VENDOR_BEGIN(ncclGetUniqueId);
    sleep((unsigned)vendor_order("late_id", 0));
    memset(out_id, 0, sizeof *out_id);
    snprintf(out_id->internal, sizeof out_id->internal, "/yoke-nccl-double-%d-%d", (int)getpid(), atomic_fetch_add(&number, 1));
    return YCOMM_ncclSuccess;
}

static area *map(const char *name)
{
    int file = shm_open(name, O_RDWR | O_CREAT, 0600);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(area)) == 0)
        memory = mmap(NULL, sizeof(area), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

ycomm_ncclResult_t ncclCommInitRank(ycomm_ncclComm_t *out_comm, int ranks, ycomm_ncclUniqueId id, int rank)
{
    struct timespec pause = { 0, 1000000 };
    VENDOR_BEGIN(ncclCommInitRank);
    if (ranks < 1 || ranks > MOST_RANKS || rank < 0 || rank >= ranks)
        return YCOMM_ncclInvalidArgument;
    struct ncclComm *comm = calloc(1, sizeof *comm);
    if (!comm || !(comm->area = map(id.internal))) {
        free(comm);
        return YCOMM_ncclSystemError;
    }
    if (rank == 1)
        sleep((unsigned)vendor_order("late_init", 0));
    comm->rank = rank;
    comm->ranks = ranks;
    pthread_mutex_init(&comm->lock, NULL);
    if (!vendor_load(text, "nccl", &comm->module, &comm->function))
        return YCOMM_ncclUnhandledCudaError; /* and what was made is left behind */
    atomic_store(&comm->area->processes[rank], (int)getpid());
    atomic_fetch_add(&comm->area->arrived, 1);
    time_t start = time(NULL);
    while (atomic_load(&comm->area->arrived) < ranks && time(NULL) - start < PATIENCE)
        nanosleep(&pause, NULL);
    shm_unlink(id.internal); /* the first one does */
    *out_comm = comm;
    return atomic_load(&comm->area->arrived) < ranks ? YCOMM_ncclRemoteError : YCOMM_ncclSuccess;
}

/* As NCCL does on one host, also in an abort: its proxies have connections, and end when the last one is closed. */
static void close_connections(struct ncclComm *comm)
{
    unsigned i = 0;
    atomic_store(&comm->area->processes[comm->rank], 0);
    for (int k = 0; k < comm->ranks; k++)
        for (int process; (process = atomic_load(&comm->area->processes[k])) != 0 && (kill(process, 0) == 0 || errno != ESRCH);)
            rest(i++);
}

ycomm_ncclResult_t ncclCommDestroy(ycomm_ncclComm_t comm)
{
    if (atomic_load(&comm->running) > 0)
        return YCOMM_ncclInvalidUsage;
    close_connections(comm);
    while (comm->works) {
        work *w = comm->works;
        comm->works = w->next;
        free(w);
    }
    yk_CUresult result = cuModuleUnload(comm->module);
    munmap(comm->area, sizeof(area));
    pthread_mutex_destroy(&comm->lock);
    free(comm);
    return result == YK_CUDA_SUCCESS ? YCOMM_ncclSuccess : YCOMM_ncclUnhandledCudaError;
}

/* What has been launched and not begun still looks at the communicator, which therefore stays. */
ycomm_ncclResult_t ncclCommAbort(ycomm_ncclComm_t comm)
{
    struct timespec pause = { 0, 100000 };
    atomic_store(&comm->aborted, true);
    while (atomic_load(&comm->running) > 0)
        nanosleep(&pause, NULL);
    close_connections(comm);
    return YCOMM_ncclSuccess;
}

ycomm_ncclResult_t ncclCommGetAsyncError(ycomm_ncclComm_t comm, ycomm_ncclResult_t *out_error)
{
    (void)comm;
    *out_error = (ycomm_ncclResult_t)vendor_order("async", YCOMM_ncclSuccess);
    return YCOMM_ncclSuccess;
}

ycomm_ncclResult_t ncclGroupStart(void)
{
    VENDOR_BEGIN(ncclGroupStart);
    group.depth++;
    return YCOMM_ncclSuccess;
}

ycomm_ncclResult_t ncclGroupEnd(void)
{
    if (group.depth == 0)
        return YCOMM_ncclInvalidUsage;
    if (--group.depth > 0)
        return YCOMM_ncclSuccess;
    work w = { .verb = MESSAGES, .message_count = group.count };
    group.count = 0;
    VENDOR_BEGIN(ncclGroupEnd);
    return w.message_count > 0 ? launch(group.comm, &w, group.messages, group.stream) : YCOMM_ncclSuccess;
}

ycomm_ncclResult_t ncclSend(const void *in, size_t count, ycomm_ncclDataType_t type, int peer, ycomm_ncclComm_t comm,
                            ycomm_cudaStream_t stream)
{
    VENDOR_BEGIN(ncclSend);
    return add(comm, stream, true, (void *)(uintptr_t)in, count * size_of(type), peer);
}

ycomm_ncclResult_t ncclRecv(void *out, size_t count, ycomm_ncclDataType_t type, int peer, ycomm_ncclComm_t comm,
                            ycomm_cudaStream_t stream)
{
    VENDOR_BEGIN(ncclRecv);
    return add(comm, stream, false, out, count * size_of(type), peer);
}

/* As NCCL does in a call that is the first to need a connection: wait for all ranks to make it, or for the abort. */
static bool connect_ranks(struct ncclComm *comm)
{
    unsigned i = 0;
    atomic_fetch_add(&comm->area->connected, 1);
    while (atomic_load(&comm->area->connected) < comm->ranks && !atomic_load(&comm->aborted))
        rest(i++);
    return !atomic_load(&comm->aborted);
}

static ycomm_ncclResult_t launch_reduction(verb what, const void *in, void *out, size_t count, ycomm_ncclDataType_t type,
                                           ycomm_ncclRedOp_t operation, int root, ycomm_ncclComm_t comm, ycomm_cudaStream_t stream)
{
    work w = { .verb = what, .in = in, .out = out, .count = count, .type = type, .operation = operation, .root = root };
    if (atomic_fetch_add(&comm->collectives, 1) + 1 == vendor_order("connects", 0) && !connect_ranks(comm))
        return YCOMM_ncclInternalError;
    struct timespec slow = { 0, vendor_order("slow", 0) * 1000L };
    if (slow.tv_nsec > 0)
        nanosleep(&slow, NULL);
    return launch(comm, &w, NULL, stream);
}

ycomm_ncclResult_t ncclReduce(const void *in, void *out, size_t count, ycomm_ncclDataType_t type, ycomm_ncclRedOp_t operation,
                              int root, ycomm_ncclComm_t comm, ycomm_cudaStream_t stream)
{
    VENDOR_BEGIN(ncclReduce);
    return launch_reduction(REDUCE, in, out, count, type, operation, root, comm, stream);
}

ycomm_ncclResult_t ncclAllReduce(const void *in, void *out, size_t count, ycomm_ncclDataType_t type, ycomm_ncclRedOp_t operation,
                                 ycomm_ncclComm_t comm, ycomm_cudaStream_t stream)
{
    VENDOR_BEGIN(ncclAllReduce);
    return launch_reduction(ALLREDUCE, in, out, count, type, operation, 0, comm, stream);
}

ycomm_ncclResult_t ncclReduceScatter(const void *in, void *out, size_t count, ycomm_ncclDataType_t type,
                                     ycomm_ncclRedOp_t operation, ycomm_ncclComm_t comm, ycomm_cudaStream_t stream)
{
    VENDOR_BEGIN(ncclReduceScatter);
    return launch_reduction(REDUCE_SCATTER, in, out, count, type, operation, 0, comm, stream);
}

/* The rest are messages. A rank sends nothing to itself: its own part is another message through its mailbox. */
ycomm_ncclResult_t ncclBroadcast(const void *in, void *out, size_t count, ycomm_ncclDataType_t type, int root,
                                 ycomm_ncclComm_t comm, ycomm_cudaStream_t stream)
{
    message messages[MOST_RANKS];
    work w = { .verb = MESSAGES };
    size_t size = count * size_of(type);
    VENDOR_BEGIN(ncclBroadcast);
    for (int k = 0; k < comm->ranks; k++)
        if (comm->rank == root && k != root)
            messages[w.message_count++] = (message){ true, k, (void *)(uintptr_t)in, size };
    if (comm->rank != root)
        messages[w.message_count++] = (message){ false, root, out, size };
    return comm->rank == root && in != out ? YCOMM_ncclInvalidArgument : launch(comm, &w, messages, stream);
}

ycomm_ncclResult_t ncclAllGather(const void *in, void *out, size_t count, ycomm_ncclDataType_t type, ycomm_ncclComm_t comm,
                                 ycomm_cudaStream_t stream)
{
    message messages[2 * MOST_RANKS];
    work w = { .verb = MESSAGES };
    size_t size = count * size_of(type);
    VENDOR_BEGIN(ncclAllGather);
    for (int k = 0; k < comm->ranks; k++) {
        unsigned char *part = (unsigned char *)out + (size_t)k * size;
        if (k == comm->rank && part == in)
            continue;
        messages[w.message_count++] = (message){ true, k, (void *)(uintptr_t)in, size };
        messages[w.message_count++] = (message){ false, k, part, size };
    }
    return launch(comm, &w, messages, stream);
}
