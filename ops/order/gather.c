/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and scatter: gather.yk and scatter_add.yk have the kernels. */
#include <stdio.h>

#include "reduce/group.h"
#include "gather_call.h"

enum { THREADS = 256 };

static yoke_status get_kernel(const yops_gather *r, const char *part, const char *name, yoke_kernel **out_kernel)
{
    char options[64], only[sizeof options + YOPS_ONLY_SIZE];
    yops_write(options, sizeof options, "SIZE=%u PART=%u INDEX=%s", r->size, r->part, yops_dtype_token(r->index_dtype));
    yops_only(only, sizeof only, options, part);
    return yops_kernel(&r->call, "gather", only, name, out_kernel);
}

yoke_status yoke_gather_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                           const yoke_array *indices, int32_t axis)
{
    yops_gather r;
    yoke_kernel *kernel;
    yoke_status status = yops_gather_begin(&r, "yoke_gather", where, stream, out, a, indices, axis, out, true);
    uint64_t n = r.rows * r.rests;
    if (status < 0 || n == 0)
        return status;
    status = get_kernel(&r, "gather", "gather", &kernel);
    if (status == YOKE_OK)
        status = yops_launch(&r.call, kernel, yops_divide_up(n, THREADS), THREADS,
                             YOKE_ARGS(r.out, YOPS_STRIDED_ARG(r.out_rest), r.out_stride, r.a, YOPS_STRIDED_ARG(r.a_rest),
                                       r.a_stride, r.a_rows, r.indices, r.indices_origin, r.indices_stride, r.rows, r.inners, n));
    return status;
}

/* ---- Scatter: set ---- */

/* A place remembers the last row that goes there; only that row is written. */
static yoke_status scatter_set(const yops_gather *r)
{
    static const uint32_t zero;
    yoke_kernel *mark, *scatter;
    yoke_buffer *last = NULL;
    size_t size = (size_t)r->out_rows * sizeof(uint32_t);
    yoke_status status = get_kernel(r, "last", "mark_last", &mark);
    if (status == YOKE_OK)
        status = get_kernel(r, "last", "scatter_last", &scatter);
    if (status == YOKE_OK)
        status = yops_temporary(&r->call, size, &last);
    for (uint64_t first = 0; first < r->rows && status == YOKE_OK; first += YOPS_GROUP_MOST) {
        uint64_t rows = r->rows - first < YOPS_GROUP_MOST ? r->rows - first : (uint64_t)YOPS_GROUP_MOST, n = rows * r->rests;
        status = yoke_fill_at(r->call.where, r->call.stream, last, 0, size, &zero, sizeof zero);
        if (status == YOKE_OK)
            status =
                yops_launch(&r->call, mark, yops_divide_up(rows, THREADS), THREADS,
                            YOKE_ARGS(r->indices, r->indices_origin, r->indices_stride, first, (uint32_t)rows, r->out_rows, last));
        if (status == YOKE_OK)
            status = yops_launch(&r->call, scatter, yops_divide_up(n, THREADS), THREADS,
                                 YOKE_ARGS(r->out, YOPS_STRIDED_ARG(r->out_rest), r->out_stride, r->out_rows, r->a,
                                           YOPS_STRIDED_ARG(r->a_rest), r->a_stride, r->indices, r->indices_origin,
                                           r->indices_stride, first, rows, r->inners, n, last));
    }
    yoke_buffer_release(last);
    return status;
}

/* ---- Scatter: add ---- */

static yoke_status get_add_kernel(const yops_gather *r, bool atomic, const char *name, yoke_kernel **out_kernel)
{
    char options[96];
    yops_write(options, sizeof options, "ELEMENT=%s SUM=%s INDEX=%s%s%s", yops_dtype_token(r->dtype),
               yops_dtype_token(yops_get_sum_dtype(r->dtype)), yops_dtype_token(r->index_dtype), atomic ? " ATOMIC=1" : "",
               yops_needs_f64(r->dtype) ? " NEED_F64=1" : "");
    return yops_kernel(&r->call, "scatter_add", options, name, out_kernel);
}

static yoke_status add_atomically(const yops_gather *r)
{
    yoke_kernel *kernel;
    uint64_t n = r->rows * r->rests;
    yoke_status status = get_add_kernel(r, true, "add_atomically", &kernel);
    if (status == YOKE_OK)
        status = yops_launch(&r->call, kernel, yops_divide_up(n, THREADS), THREADS,
                             YOKE_ARGS(r->out, YOPS_STRIDED_ARG(r->out_rest), r->out_stride, r->out_rows, r->a,
                                       YOPS_STRIDED_ARG(r->a_rest), r->a_stride, r->indices, r->indices_origin, r->indices_stride,
                                       r->rests, n));
    return status;
}

/* The rows that one launch adds. One place may get all of them, and then one thread adds them. */
static uint32_t get_most_rows(const yops_gather *r)
{
    uint64_t most = yops_fit_rounds(&r->traits, 16, 1);
    return most < YOPS_GROUP_MOST ? (uint32_t)most : (uint32_t)YOPS_GROUP_MOST;
}

/* `carried`: two rows of sums in turn, for places whose rows are in several launches; or NULL. */
static yoke_status add_group(const yops_gather *r, yoke_kernel *get_keys, yoke_kernel *add, yops_group *group, yoke_buffer *carried,
                             uint64_t first, uint32_t rows)
{
    uint32_t out_rows = (uint32_t)r->out_rows, most = get_most_rows(r);
    yoke_status status = yops_launch(
        &r->call, get_keys, yops_divide_up(rows, THREADS), THREADS,
        YOKE_ARGS(r->indices, r->indices_origin, r->indices_stride, first, rows, out_rows, group->keys, group->positions));
    if (status == YOKE_OK)
        status = yops_group_sort(&r->call, group, rows);
    for (uint32_t begin = 0, turn = 0; begin < rows && status == YOKE_OK; turn = !turn) {
        uint32_t end = rows - begin < most ? rows : begin + most;
        status =
            yops_launch(&r->call, add, yops_divide_up((end - begin) * r->rests, THREADS), THREADS,
                        YOKE_ARGS(group->keys, group->positions, first, rows, begin, end, carried ? carried : group->other_keys,
                                  turn * r->rests, !turn * r->rests, out_rows, r->out, YOPS_STRIDED_ARG(r->out_rest), r->out_stride,
                                  r->a, YOPS_STRIDED_ARG(r->a_rest), r->a_stride, r->rests));
        begin = end;
    }
    return status;
}

static yoke_status add_in_order(const yops_gather *r)
{
    yoke_kernel *get_keys, *add;
    yoke_buffer *carried = NULL;
    yops_group group = { .keys = NULL };
    uint32_t most = r->rows < YOPS_GROUP_MOST ? (uint32_t)r->rows : (uint32_t)YOPS_GROUP_MOST;
    if (r->out_rows >= UINT32_MAX)
        return yops_fail(&r->call, YOKE_E_RANGE, "out has %llu elements along the axis: YOKE_SCATTER_ADD takes up to 2^32 - 2",
                         (unsigned long long)r->out_rows);
    yoke_status status = get_add_kernel(r, false, "get_keys", &get_keys);
    if (status == YOKE_OK)
        status = get_add_kernel(r, false, "add_runs", &add);
    if (status == YOKE_OK)
        status = yops_group_create(&r->call, &r->traits, most, (uint32_t)r->out_rows, &group);
    if (status == YOKE_OK && most > get_most_rows(r))
        status = yops_temporary(&r->call, 2 * r->rests * yoke_dtype_get_size(yops_get_sum_dtype(r->dtype)), &carried);
    for (uint64_t first = 0; first < r->rows && status == YOKE_OK; first += YOPS_GROUP_MOST)
        status = add_group(r, get_keys, add, &group, carried, first,
                           r->rows - first < YOPS_GROUP_MOST ? (uint32_t)(r->rows - first) : (uint32_t)YOPS_GROUP_MOST);
    yoke_buffer_release(carried);
    yops_group_release(&group);
    return status;
}

yoke_status yoke_scatter_at(const char *where, yoke_stream *stream, int32_t mode, const yoke_array *out, const yoke_array *a,
                            const yoke_array *indices, int32_t axis)
{
    yops_gather r;
    yoke_status status = yops_gather_begin(&r, "yoke_scatter", where, stream, out, a, indices, axis, a, mode == YOKE_SCATTER_SET);
    if (status < 0)
        return status;
    if (mode != YOKE_SCATTER_SET && mode != YOKE_SCATTER_ADD)
        return yops_fail(&r.call, YOKE_E_INVALID_ARGUMENT, "mode is %d: use YOKE_SCATTER_SET or YOKE_SCATTER_ADD", (int)mode);
    if (r.rows == 0 || r.rests == 0 || r.out_rows == 0)
        return YOKE_OK;
    if (mode == YOKE_SCATTER_SET)
        return scatter_set(&r);
    return r.dtype == YOKE_I32 || r.dtype == YOKE_U32 ? add_atomically(&r) : add_in_order(&r);
}
