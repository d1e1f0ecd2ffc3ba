/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the patterns here share: the machine's rates, the calls that libyoke-comm makes for a message or a collective, and numbers
 * from the command line. The programs compute nothing: a kernel is a stretch of simulated time. They run under smpirun only, where
 * all ranks are in one process: that is why no file has variables of its own.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

/* One rank's device: a GPU with a link of its own to the network and one to the host's memory. Bytes and pairs in a second. */
#define DEVICE_MEMORY 3.5e12
#define HOST_LINK 50e9
#define SORT_RATE 5e9
#define LAUNCH 5e-6    /* a kernel at least, with what starts it */
#define HOST_COPY 8e-6 /* a copy between the device and page-locked memory at least */
#define PIECE (1 << 20)

enum { OPENING = 5, OPENING_OF_ALL = 10 }; /* numbers of 8 bytes: of a message, of a collective */

static inline double at_least(double least, double seconds)
{
    return seconds > least ? seconds : least;
}

static inline void kernel(double bytes)
{
    smpi_execute(at_least(LAUNCH, bytes / DEVICE_MEMORY));
}

static inline void host_copy(double bytes)
{
    smpi_execute(at_least(HOST_COPY, bytes / HOST_LINK));
}

static inline long long argument(int argc, char **argv, int index)
{
    if (index >= argc || atoll(argv[index]) < 1) {
        fprintf(stderr, "%s: argument %d has to be a number from 1 on\n", argv[0], index);
        exit(2);
    }
    return atoll(argv[index]);
}

/* Memory whose contents do not matter: all ranks have the same. */
static inline char *memory_of(size_t bytes)
{
    return SMPI_SHARED_MALLOC(bytes);
}

/* The messages of one operation. */
typedef struct messages {
    MPI_Comm comm;
    int count, capacity;
    MPI_Request *requests;
    long long openings[OPENING];
} messages;

static inline void add(messages *m, MPI_Request request)
{
    if (m->count == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 32;
        m->requests = realloc(m->requests, (size_t)m->capacity * sizeof *m->requests);
        if (!m->requests)
            abort();
    }
    m->requests[m->count++] = request;
}

/* An opening, and pieces behind it; MPI_PROC_NULL is nobody. */
static inline void send_part(messages *m, char *from, long long bytes, int peer, int tag)
{
    MPI_Request request;

    MPI_Isend(m->openings, OPENING, MPI_LONG_LONG, peer, tag, m->comm, &request);
    add(m, request);
    for (long long done = 0; done < bytes; done += PIECE) {
        MPI_Isend(from, (int)(bytes - done < PIECE ? bytes - done : PIECE), MPI_BYTE, peer, tag, m->comm, &request);
        add(m, request);
    }
}

static inline void receive_part(messages *m, char *to, long long bytes, int peer, int tag)
{
    MPI_Request request;

    MPI_Irecv(m->openings, OPENING, MPI_LONG_LONG, peer, tag, m->comm, &request);
    add(m, request);
    for (long long done = 0; done < bytes; done += PIECE) {
        MPI_Irecv(to, (int)(bytes - done < PIECE ? bytes - done : PIECE), MPI_BYTE, peer, tag, m->comm, &request);
        add(m, request);
    }
}

static inline void finish(messages *m)
{
    MPI_Waitall(m->count, m->requests, MPI_STATUSES_IGNORE);
    m->count = 0;
}

/* What goes before a collective. */
static inline void open_collective(MPI_Comm comm)
{
    long long said[OPENING_OF_ALL] = { 0 }, heard[OPENING_OF_ALL];

    MPI_Allreduce(said, heard, OPENING_OF_ALL, MPI_LONG_LONG, MPI_MAX, comm);
}

#endif
