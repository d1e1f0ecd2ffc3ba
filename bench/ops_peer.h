/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/ops compares with: a module that is opened where it has been built, as bench/ops_cub.so (make bench/ops_cub.so). */
#ifndef OPS_PEER_H
#define OPS_PEER_H

#include <stdint.h>

typedef struct ops_peer {
    const char *name; /* as "cub" */
    /* The work of an operation on n elements of a type of so many bytes, with data of its own; NULL: the peer lacks it. */
    void *(*begin)(const char *operation, int bytes, int64_t n);
    double (*run)(void *work, int count); /* so many times, then wait: nanoseconds */
    void (*end)(void *work);
} ops_peer;

#ifdef __cplusplus
extern "C"
#endif
    const ops_peer *
    yoke_bench_peer(void);
typedef const ops_peer *(*ops_peer_fn)(void);

#endif
