/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that MPI can be given as it is, without copies through blocks. That is mapped memory, and memory of some devices: where an
 * OpenCL device is the CPU, its buffers lie in the host's memory, and a driver tells where by mapping them. Whether that address is
 * the memory itself, and not a copy of it, is proved with each communicator. On CUDA it is the device's address, where the MPI has
 * been proved to know it (mpi.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>
#include <yoke/native.h>

#include "address.h"
#include "transport/vendor/vendor.h"

/* ---- Where a CPU has a buffer ---- */

/* The native section's, and the caller's: the section may have to wait for its turn, and then nobody waits for the answer. */
typedef struct question {
    atomic_int owners;
    atomic_bool answered;
    uintptr_t buffer;
    size_t offset, size;
    unsigned char *address;
} question;

static void leave(void *user)
{
    question *q = user;
    if (atomic_fetch_sub(&q->owners, 1) == 1)
        free(q);
}

static yoke_status ask(yoke_status status, void *native_stream, void *user)
{
    question *q = user;
    if (status < 0)
        return YOKE_OK;
    q->address = ycomm_map_and_unmap(native_stream, q->buffer, q->offset, q->size);
    atomic_store(&q->answered, true);
    return YOKE_OK; /* no address is no failure: the data takes the other way */
}

/* NULL: not known. */
static unsigned char *map_on_host(yoke_stream *stream, uintptr_t handle, uint64_t offset, uint64_t size)
{
    question *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    atomic_init(&q->owners, 2);
    atomic_init(&q->answered, false);
    q->buffer = handle;
    q->offset = offset;
    q->size = size;
    if (yoke_native_enqueue(stream, ask, q, leave) != YOKE_OK)
        leave(q);
    unsigned char *address = atomic_load(&q->answered) ? q->address : NULL;
    leave(q);
    return address;
}

/* The addresses that are known: to map costs the driver's threads as much as a piece of a message. A driver tells when a buffer
 * ends. Beyond this number, buffers are mapped each time. */
static struct {
    pthread_mutex_t lock;
    size_t count;
    struct {
        uintptr_t handle;
        unsigned char *first;
    } entries[256];
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned char *recall(uintptr_t handle)
{
    unsigned char *first = NULL;
    pthread_mutex_lock(&known.lock);
    for (size_t i = 0; i < known.count && !first; i++)
        if (known.entries[i].handle == handle)
            first = known.entries[i].first;
    pthread_mutex_unlock(&known.lock);
    return first;
}

static void forget(ycomm_cl_mem buffer, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&known.lock);
    for (size_t i = 0; i < known.count; i++)
        if (known.entries[i].handle == (uintptr_t)buffer) {
            known.entries[i] = known.entries[--known.count];
            break;
        }
    pthread_mutex_unlock(&known.lock);
}

static void remember(uintptr_t handle, unsigned char *first)
{
    bool is_new = true;
    pthread_mutex_lock(&known.lock);
    for (size_t i = 0; i < known.count; i++)
        is_new &= known.entries[i].handle != handle;
    is_new &= known.count < YCOMM_COUNT_OF(known.entries);
    if (is_new) {
        known.entries[known.count].handle = handle;
        known.entries[known.count++].first = first;
    }
    pthread_mutex_unlock(&known.lock);
    if (is_new && !ycomm_when_destroyed(handle, forget))
        forget((ycomm_cl_mem)handle, NULL);
}

static unsigned char *find_on_host(yoke_stream *stream, yoke_buffer *buffer, uint64_t offset, uint64_t size)
{
    size_t base = 0;
    uintptr_t handle = 0;
    yoke_buffer *root = yoke_buffer_get_root(buffer, &base);
    if (size == 0 || yoke_buffer_get_kind(buffer) != YOKE_MEMORY_DEVICE || yoke_buffer_get_native(root, &handle) != YOKE_OK)
        return NULL;
    unsigned char *first = recall(handle);
    if (first)
        return first + base + offset;
    unsigned char *address = map_on_host(stream, handle, base + offset, size);
    if (address)
        remember(handle, address - base - offset);
    return address;
}

/* What the device writes is seen at the address, and the other way round, without mapping anything again. */
static bool prove(yoke_device *device)
{
    enum { SIZE = 1 << 20, PART = 4096, AT = SIZE / 2 + 64 };
    unsigned char pattern[PART], got[PART], *address = NULL;
    uintptr_t handle = 0;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    bool proved = false;
    if (yoke_stream_create(device, NULL, &stream) < 0 || yoke_buffer_create(device, SIZE, &buffer) < 0 ||
        yoke_buffer_get_native(buffer, &handle) < 0)
        goto out;
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < PART; i++)
            pattern[i] = (unsigned char)(i * 7 + i / 256 + 31 * (size_t)round + 1);
        if (round == 0)
            address = map_on_host(stream, handle, AT, PART);
        if (!address || yoke_write_sync(stream, buffer, AT, pattern, PART) < 0 || memcmp(address, pattern, PART) != 0)
            goto out;
        for (size_t i = 0; i < PART; i++)
            address[i] = pattern[i] ^= 0x5a;
        if (yoke_read_sync(stream, got, buffer, AT, PART) < 0 || memcmp(got, pattern, PART) != 0)
            goto out;
    }
    proved = map_on_host(stream, handle, 0, SIZE) == address - AT;
out:
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    return proved;
}

bool ycomm_host_has_device(yoke_device *device)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device_get_info(device, &info);
    if (strcmp(info.backend, "opencl") != 0 || info.kind != YOKE_DEVICE_CPU || !ycomm_library_open(YCOMM_OPENCL)->usable)
        return false;
    bool proved = prove(device);
    yoke_error_clear();
    return proved;
}

/* ---- The sides of a part ---- */

static unsigned char *find(ycomm_channel *channel, const ycomm_part *part, const ycomm_side *side)
{
    uintptr_t address = 0;
    /* A block that each rank gets a row of is one block. */
    if (part->count == 0 || side->rows == 0 || (part->verb == YCOMM_REDUCE_SCATTER && side->rows > 1 && part->count > part->step))
        return NULL;
    /* What the device has written there is the host's when it is the operation's turn. Managed memory may be on its way. */
    if (yoke_buffer_get_kind(side->buffer) == YOKE_MEMORY_MAPPED)
        return (unsigned char *)yoke_buffer_get_host(side->buffer) + side->offset;
    if (channel->comm->memory == YCOMM_ON_HOST)
        return find_on_host(channel->copies, side->buffer, side->offset, side->rows * part->count * part->element);
    /* Collectives of device memory that do not block are beyond what MPIs promise. */
    if (channel->comm->memory == YCOMM_KNOWN_TO_MPI && ycomm_is_message(part->verb) &&
        yoke_buffer_get_native(side->buffer, &address) == YOKE_OK)
        return (unsigned char *)address + side->offset;
    return NULL;
}

void ycomm_find_addresses(ycomm_channel *channel, ycomm_op *op)
{
    for (size_t i = 0; i < op->part_count; i++) {
        ycomm_part *part = &op->parts[i];
        part->out.at = find(channel, part, &part->out);
        if (!part->out.at || !part->in_place) /* MPI allows no memory to be read and written by one call */
            part->in.at = find(channel, part, &part->in);
    }
    yoke_error_clear();
}
