/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: the call and its launch. random.yk has the kernel, random_transform.yh the mathematics. */
#include "random.h"

#include <stdio.h>

#include "array/strided.h"

/* random.yk has the same numbers. */
enum { THREADS = 256, REPEATS = 8, CPU_GROUPS = 1024 };

/* As in random.yk. */
typedef struct random_call {
    uint64_t seed, first, skip, count, range, threshold, low;
    uint32_t sequence, kind;
} random_call;

/* ---- Checks ---- */

/* Numbers of an element. */
static uint64_t parts_of(int32_t dtype)
{
    return yops_is_complex(dtype) ? 2 : 1;
}

static yoke_status check_options(yops_random *r, const yoke_random_options *options)
{
    r->options = (yoke_random_options)YOKE_RANDOM_OPTIONS_INIT;
    YOPS_TAKE_OPTIONS(&r->options, yoke_random_options, options);
    if (r->options.interval < YOKE_INTERVAL_WITHOUT_HIGH || r->options.interval > YOKE_INTERVAL_WITH_BOTH)
        return yops_fail(
            &r->call, YOKE_E_INVALID_ARGUMENT,
            "options->interval is %d: use YOKE_INTERVAL_WITHOUT_HIGH, YOKE_INTERVAL_WITHOUT_LOW or YOKE_INTERVAL_WITH_BOTH",
            (int)r->options.interval);
    return YOKE_OK;
}

yoke_status yops_random_begin(yops_random *r, const char *function, const char *where, yoke_stream *stream, const char *name,
                              const yoke_array *out, const yoke_random_options *options)
{
    yoke_status status = yops_begin(&r->call, function, where, stream);
    r->out = out;
    if (status == YOKE_OK)
        status = check_options(r, options);
    if (status == YOKE_OK)
        status = yops_check_output(&r->call, name, out, &r->place);
    return status;
}

yoke_status yops_random_check_positions(const yops_random *r)
{
    uint64_t count = (uint64_t)yoke_array_get_size(r->out) * parts_of(r->out->dtype);
    if (count > 0 && r->offset > UINT64_MAX - (count - 1))
        return yops_fail(&r->call, YOKE_E_RANGE,
                         "offset is %llu: the last of %llu numbers would be beyond the last position, 2^64 - 1",
                         (unsigned long long)r->offset, (unsigned long long)count);
    return YOKE_OK;
}

/* ---- The launch ---- */

/* The dtype of one number; integers of one size share a kernel. */
static int32_t number_of(int32_t dtype)
{
    static const int32_t by_size[] = { [1] = YOKE_U8, [2] = YOKE_U16, [4] = YOKE_U32, [8] = YOKE_U64 };
    if (yops_is_integer(dtype))
        return by_size[yoke_dtype_get_size(dtype)];
    return dtype == YOKE_C64 ? YOKE_F32 : dtype == YOKE_C128 ? YOKE_F64 : dtype;
}

static bool is_wide(const yops_random *r)
{
    return r->range == 0 || r->range > UINT64_C(1) << 32;
}

static yoke_status get_kernel(const yops_random *r, const yops_traits *traits, yoke_kernel **out_kernel)
{
    static const char *const kinds[] = { [YOPS_RANDOM_INTEGERS] = "INTEGERS",
                                         [YOPS_RANDOM_UNIFORM] = "UNIFORM",
                                         [YOPS_RANDOM_NORMAL] = "NORMAL",
                                         [YOPS_RANDOM_EXPONENTIAL] = "EXPONENTIAL",
                                         [YOPS_RANDOM_PERMUTATION] = NULL /* has kernels of its own */ };
    _Static_assert(YOPS_COUNT_OF(kinds) == YOPS_RANDOM_PERMUTATION + 1, "a name for each kind");
    int32_t dtype = number_of(r->out->dtype);
    bool wide = yops_is_integer(dtype) && is_wide(r);
    char options[96];
    bool many_threads = traits->limits_registers && r->kind == YOPS_RANDOM_NORMAL && dtype == YOKE_F32;
    yops_write(options, sizeof options, "KIND=%s OUT=%s%s%s%s%s", wide ? "WIDE_INTEGERS" : kinds[r->kind], yops_dtype_token(dtype),
               yops_is_complex(r->out->dtype) ? " COMPLEX=1" : "", yops_by_threads(traits) ? " CPU=1" : "",
               dtype == YOKE_F64 ? " NEED_F64=1" : "", many_threads ? " MOST_REGISTERS=32" : "");
    return yops_kernel(&r->call, "random", options, "make_random", out_kernel);
}

yoke_status yops_random_run(yops_random *r)
{
    int32_t dtype = number_of(r->out->dtype);
    bool integers = yops_is_integer(dtype), wide = integers ? is_wide(r) : dtype == YOKE_F64;
    uint64_t numbers = wide ? 2 : 4, bytes = yoke_dtype_get_size(dtype), blocks = bytes * numbers < 16 ? 16 / (bytes * numbers) : 1;
    float scale[4] = { (float)r->scale[0], (float)r->scale[1], (float)r->scale[2], (float)r->scale[3] };
    yops_traits traits = { .is_cpu = false };
    yoke_kernel *kernel = NULL;
    random_call call = { .seed = r->seed,
                         .count = (uint64_t)yoke_array_get_size(r->out) * parts_of(r->out->dtype),
                         .range = wide ? r->range : (uint32_t)r->range,
                         .threshold = r->threshold,
                         .low = r->low,
                         .sequence = r->options.sequence,
                         .kind = r->kind };
    if (call.count == 0)
        return YOKE_OK;
    yops_strided a = yops_get_strided(r->out, &r->place);
    yoke_status status = yops_random_check_positions(r);
    if (status == YOKE_OK)
        status = yops_get_traits(&r->call, &traits);
    if (status == YOKE_OK)
        status = get_kernel(r, &traits, &kernel);
    if (status < 0)
        return status;
    bool by_threads = yops_by_threads(&traits); /* a thread with thousands of numbers draws again for many of them */
    uint64_t tile = blocks * (by_threads ? CPU_GROUPS : THREADS * REPEATS);
    call.first = r->offset / numbers / tile * tile;
    call.skip = r->offset - call.first * numbers;
    yoke_arg arg = dtype == YOKE_F64 ? yoke_arg_struct(r->scale, sizeof r->scale) : yoke_arg_struct(scale, sizeof scale);
    return yops_launch(&r->call, kernel, yops_divide_up(call.skip + call.count, tile * numbers), by_threads ? 1 : THREADS,
                       YOKE_ARGS(r->place.root, YOPS_STRIDED_ARG(a), yoke_arg_struct(&call, sizeof call), arg));
}
