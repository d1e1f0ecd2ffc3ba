/* SPDX-License-Identifier: Apache-2.0 */
/* What has been measured of the tiles of products on a device: the file that keeps it, and which tile it gives a shape. */
#include "matmul.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

const yops_matmul_size yops_matmul_sizes[YOPS_TUNED_SIZES] = {
#define SIZE(m, n, k) { m, n, k },
#include "matmul_shapes.def"
#undef SIZE
};

/* ---- The file ---- */

static const char magic[8] = "YkTiles1";

void yops_matmul_tuned_write(const yops_matmul_tuned *tuned, unsigned char bytes[YOPS_TUNED_BYTES])
{
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + sizeof magic, tuned->tiles, sizeof tuned->tiles);
}

bool yops_matmul_tuned_read(const unsigned char *bytes, size_t size, yops_matmul_tuned *out_tuned)
{
    bool valid = size == YOPS_TUNED_BYTES && memcmp(bytes, magic, sizeof magic) == 0;
    for (size_t i = sizeof magic; valid && i < size; i++)
        valid = bytes[i] <= yops_matmul_tile_count;
    memset(out_tuned, 0, sizeof *out_tuned);
    if (valid)
        memcpy(out_tuned->tiles, bytes + sizeof magic, sizeof out_tuned->tiles);
    return valid;
}

enum { KEY_SIZE = 4096 };

/* All that the measured times depend on: the kernels, which come with the version, the tables, and the device with its driver. */
static yoke_status make_key(const yops_call *call, char key[KEY_SIZE])
{
    static const char tables[] =
#define X(name, rows, columns, depth, thread_rows, thread_columns, most_bytes, speed) \
#name " " #rows " " #columns " " #depth " " #thread_rows " " #thread_columns " " #most_bytes "\n"
#define CPU(name, rows, columns, most_bytes) #name " " #rows " " #columns " " #most_bytes "\n"
#define TENSOR(name, rows, columns, warp_rows, warp_columns, depth, stages, speed) \
#name " " #rows " " #columns " " #warp_rows " " #warp_columns " " #depth " " #stages "\n"
#define SIZE(m, n, k) #m " " #n " " #k "\n"
#include "matmul_shapes.def"
#undef SIZE
#undef TENSOR
#undef CPU
#undef X
        ;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_status status = yoke_device_get_info(call->device, &info);
    snprintf(key, KEY_SIZE, "yoke-ops tiles of products\n%s\n%s\n%s\n%s\n%s\n%s\n%u %llu\n%s", yoke_version(), info.backend,
             info.vendor, info.name, info.platform, info.driver, info.compute_units, (unsigned long long)info.max_shared_bytes,
             tables);
    return status;
}

/* ---- What is known of a device ---- */

/* Readers may hold an older one, so that all stay until the device ends. */
typedef struct version {
    yops_matmul_tuned tuned; /* first */
    struct version *before;
} version;

typedef struct known {
    _Atomic(version *) now; /* never NULL */
} known;

static const char attached; /* its address */

static void forget(void *value)
{
    known *k = value;
    for (version *v = atomic_load(&k->now), *before; v; v = before) {
        before = v->before;
        free(v);
    }
    free(k);
}

static yoke_status read_file(const yops_call *call, yops_matmul_tuned *out_tuned)
{
    char key[KEY_SIZE];
    unsigned char bytes[YOPS_TUNED_BYTES];
    size_t size = 0;
    yoke_status status = make_key(call, key);
    if (status == YOKE_OK)
        status = yoke_cache_recall(key, bytes, sizeof bytes, &size);
    if (size > 0)
        yops_matmul_tuned_read(bytes, size, out_tuned);
    return status;
}

static yoke_status know(const yops_call *call, known **out_known)
{
    void *kept;
    yoke_status status = yoke_device_attach(call->device, &attached, NULL, NULL, &kept);
    *out_known = kept;
    if (status < 0 || kept)
        return status;
    known *k = calloc(1, sizeof *k);
    version *first = calloc(1, sizeof *first);
    if (!k || !first) {
        free(k);
        free(first);
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the tiles of a device");
    }
    atomic_init(&k->now, first);
    status = read_file(call, &first->tuned);
    if (status == YOKE_OK)
        status = yoke_device_attach(call->device, &attached, k, forget, &kept);
    if (kept != k)
        forget(k);
    *out_known = kept;
    return status;
}

yoke_status yops_matmul_tuned_get(const yops_call *call, const yops_matmul_tuned **out_tuned)
{
    known *k;
    yoke_status status = know(call, &k);
    *out_tuned = status == YOKE_OK ? &atomic_load_explicit(&k->now, memory_order_acquire)->tuned : NULL;
    return status;
}

yoke_status yops_matmul_tuned_set(const yops_call *call, const yops_matmul_tuned *tuned)
{
    char key[KEY_SIZE];
    unsigned char bytes[YOPS_TUNED_BYTES];
    known *k;
    yoke_status status = know(call, &k);
    version *added = malloc(sizeof *added);
    if (status == YOKE_OK && !added)
        status = yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the tiles of a device");
    if (status == YOKE_OK)
        status = make_key(call, key);
    yops_matmul_tuned_write(tuned, bytes);
    if (status == YOKE_OK)
        status = yoke_cache_note(key, bytes, sizeof bytes);
    if (status != YOKE_OK || !added) {
        free(added);
        return status;
    }
    added->tuned = *tuned;
    added->before = atomic_load(&k->now);
    while (!atomic_compare_exchange_weak(&k->now, &added->before, added))
        continue;
    return YOKE_OK;
}

yoke_status yoke_matmul_get_tuned(yoke_device *device, size_t *out_count)
{
    const yops_call call = { .function = "yoke_matmul_get_tuned", .device = device };
    const yops_matmul_tuned *tuned;
    if (!out_count)
        return yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "out_count is NULL");
    *out_count = 0;
    yoke_status status = yops_matmul_tuned_get(&call, &tuned);
    for (size_t i = 0; status == YOKE_OK && i < sizeof tuned->tiles; i++)
        *out_count += tuned->tiles[i / YOPS_TUNED_SIZES][i % YOPS_TUNED_SIZES] > 0;
    return status;
}

/* ---- The choice ---- */

int yops_matmul_tuned_dtype(yops_matmul_way way, int32_t a, int32_t b, int32_t sum)
{
    bool halves = yoke_dtype_get_size(a) == 2 && yoke_dtype_get_size(b) == 2;
    if (way == YOPS_BY_TENSORS)
        return halves ? YOPS_TUNED_TENSORS : -1;
    return sum == YOKE_F32    ? (halves ? YOPS_TUNED_HALF : YOPS_TUNED_F32)
           : sum == YOKE_F64  ? YOPS_TUNED_F64
           : sum == YOKE_C64  ? YOPS_TUNED_C64
           : sum == YOKE_C128 ? YOPS_TUNED_C128
                              : -1;
}

/* By what factor they differ, at least 1. */
static double factor(int64_t a, int64_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

const yops_matmul_tile *yops_matmul_tuned_find(const yops_matmul_tuned *tuned, int dtype, const yops_matmul_shape *shape)
{
    uint8_t found = 0;
    double nearest = 0;
    for (size_t i = 0; i < YOPS_TUNED_SIZES && shape->batches == 1; i++) {
        const yops_matmul_size *s = &yops_matmul_sizes[i];
        double m = factor(shape->m, s->m), n = factor(shape->n, s->n), k = factor(shape->k, s->k), all = m * n * k;
        if (m > 2 || n > 2 || k > 4 || !tuned->tiles[dtype][i] || (found && all >= nearest))
            continue;
        found = tuned->tiles[dtype][i];
        nearest = all;
    }
    return found ? &yops_matmul_tiles[found - 1] : NULL;
}
