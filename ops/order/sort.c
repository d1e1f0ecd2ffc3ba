/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_sort, yoke_argsort, yoke_top_k and yoke_searchsorted: the checks of their arrays, and their layouts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sort.h"

enum { MOST_ARRAYS = 3, SEARCH_THREADS = 256 };

/* ---- Checks ---- */

static yoke_status check_order(const yops_call *call, int32_t order)
{
    if (order == YOKE_SORT_ASCENDING || order == YOKE_SORT_DESCENDING)
        return YOKE_OK;
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "order is %d: YOKE_SORT_ASCENDING and YOKE_SORT_DESCENDING are possible",
                     (int)order);
}

/* `name` is sorted along its last axis. */
static yoke_status check_keys(const yops_call *call, const char *name, const yoke_array *keys)
{
    if (yops_is_complex(keys->dtype))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the dtype %s: complex numbers have no order", name,
                         yoke_dtype_get_name(keys->dtype));
    if (keys->dimensions == 0)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the shape (): it has no axis to sort along", name);
    return YOKE_OK;
}

static uint64_t get_flip(int32_t order)
{
    return order == YOKE_SORT_DESCENDING ? UINT64_MAX : 0;
}

static int64_t get_last(const yoke_array *array)
{
    return array->shape[array->dimensions - 1];
}

/* The last position along the last axis. */
static uint64_t get_most(const yoke_array *array)
{
    return get_last(array) > 0 ? (uint64_t)get_last(array) - 1 : 0;
}

static int64_t get_rows(const yoke_array *array)
{
    int64_t rows = 1;
    for (int32_t i = 0; i < array->dimensions - 1; i++)
        rows *= array->shape[i];
    return rows;
}

/* ---- Arrays of any layout ---- */

/* The arrays of one call: get all, copy what is read in, copy what is written out. */
typedef struct layouts {
    yops_packed packed[MOST_ARRAYS];
    bool in[MOST_ARRAYS], out[MOST_ARRAYS];
    int count;
} layouts;

/* The span lies in *out_span. */
static yoke_status add_layout(const yops_call *call, layouts *all, const yoke_array *array, const yops_place *place, bool in,
                              bool out, yops_span *out_span)
{
    int i = all->count++;
    yoke_status status = yops_pack(call, array, place, &all->packed[i]);
    all->in[i] = in;
    all->out[i] = out;
    *out_span = all->packed[i].span;
    return status;
}

static yoke_status copy_layouts(const yops_call *call, const layouts *all, bool out)
{
    yoke_status status = YOKE_OK;
    for (int i = 0; i < all->count && status == YOKE_OK; i++)
        if (out ? all->out[i] : all->in[i])
            status = out ? yops_pack_out(call, &all->packed[i]) : yops_pack_in(call, &all->packed[i]);
    return status;
}

static void release_layouts(layouts *all)
{
    for (int i = all->count; i-- > 0;)
        yops_packed_release(&all->packed[i]);
}

/* Copy in, sort, copy out, and release. `status` is that of adding the arrays. */
static yoke_status run_sort(const yops_sort *sort, layouts *all, yoke_status status)
{
    if (status == YOKE_OK)
        status = copy_layouts(sort->call, all, false);
    if (status == YOKE_OK)
        status = yops_sort_rows(sort);
    if (status == YOKE_OK)
        status = copy_layouts(sort->call, all, true);
    release_layouts(all);
    return status;
}

/* ---- Sort ---- */

static yoke_status check_values(const yops_call *call, const yoke_array *keys, const yops_place *keys_place,
                                const yoke_array *values, yops_place *out_place)
{
    yoke_status status = yops_check_output(call, "values", values, out_place);
    if (status == YOKE_OK)
        status = yops_check_same_shape(call, "values", values, "keys", keys);
    if (status == YOKE_OK)
        status = yops_check_overlap(call, "values", values, out_place, "keys", keys, keys_place, false);
    return status;
}

yoke_status yoke_sort_at(const char *where, yoke_stream *stream, int32_t order, const yoke_array *keys, const yoke_array *values)
{
    yops_call call;
    yops_place keys_place, values_place;
    layouts all = { .count = 0 };
    yoke_status status = yops_begin(&call, "yoke_sort", where, stream);
    if (status == YOKE_OK)
        status = yops_check_output(&call, "keys", keys, &keys_place);
    if (status == YOKE_OK)
        status = check_keys(&call, "keys", keys);
    if (status == YOKE_OK && values)
        status = check_values(&call, keys, &keys_place, values, &values_place);
    if (status == YOKE_OK)
        status = check_order(&call, order);
    if (status < 0 || yoke_array_get_size(keys) == 0 || get_last(keys) == 1)
        return status;
    yops_sort sort = { .call = &call,
                       .dtype = keys->dtype,
                       .value_bytes = values ? (uint32_t)yoke_dtype_get_size(values->dtype) : 0,
                       .rows = get_rows(keys),
                       .n = get_last(keys),
                       .most = get_last(keys),
                       .flip = get_flip(order),
                       .in_place = true };
    status = add_layout(&call, &all, keys, &keys_place, true, true, &sort.keys_in);
    if (status == YOKE_OK && values)
        status = add_layout(&call, &all, values, &values_place, true, true, &sort.values_in);
    sort.keys_out = sort.keys_in;
    sort.values_out = sort.values_in;
    return run_sort(&sort, &all, status);
}

/* ---- Argsort ---- */

yoke_status yoke_argsort_at(const char *where, yoke_stream *stream, int32_t order, const yoke_array *indices,
                            const yoke_array *keys)
{
    yops_call call;
    yops_place keys_place, indices_place;
    layouts all = { .count = 0 };
    yoke_status status = yops_begin(&call, "yoke_argsort", where, stream);
    if (status == YOKE_OK)
        status = yops_check_input(&call, "keys", keys, &keys_place);
    if (status == YOKE_OK)
        status = check_keys(&call, "keys", keys);
    if (status == YOKE_OK)
        status = yops_check_output(&call, "indices", indices, &indices_place);
    if (status == YOKE_OK)
        status = yops_check_same_shape(&call, "indices", indices, "keys", keys);
    if (status == YOKE_OK)
        status = yops_check_positions(&call, "indices", indices->dtype, get_most(keys));
    if (status == YOKE_OK)
        status = yops_check_overlap(&call, "indices", indices, &indices_place, "keys", keys, &keys_place, false);
    if (status == YOKE_OK)
        status = check_order(&call, order);
    if (status < 0 || yoke_array_get_size(keys) == 0)
        return status;
    yops_sort sort = { .call = &call,
                       .dtype = keys->dtype,
                       .value_bytes = (uint32_t)yoke_dtype_get_size(indices->dtype),
                       .index = true,
                       .rows = get_rows(keys),
                       .n = get_last(keys),
                       .most = get_last(keys),
                       .flip = get_flip(order) };
    status = add_layout(&call, &all, keys, &keys_place, true, false, &sort.keys_in);
    if (status == YOKE_OK)
        status = add_layout(&call, &all, indices, &indices_place, false, true, &sort.values_out);
    return run_sort(&sort, &all, status);
}

/* ---- Top k ---- */

/* `out` has the shape of `a` but for its last extent, which is at most that of `a`. */
static yoke_status check_top(const yops_call *call, const char *name, const yoke_array *out, const yoke_array *a)
{
    bool same =
        out->dimensions == a->dimensions && memcmp(out->shape, a->shape, (size_t)(a->dimensions - 1) * sizeof *a->shape) == 0;
    if (!same)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                         "%s has the shape %s, and a has the shape %s: they may differ in the last extent alone", name,
                         yops_shape(out->dimensions, out->shape).text, yops_shape(a->dimensions, a->shape).text);
    if (get_last(out) > get_last(a))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s wants the first %" PRId64 " of %" PRId64 " elements: k is too large",
                         name, get_last(out), get_last(a));
    return YOKE_OK;
}

static yoke_status check_top_values(const yops_call *call, const yoke_array *values, const yoke_array *a, const yops_place *place,
                                    yops_place *out_place)
{
    yoke_status status = yops_check_output(call, "values", values, out_place);
    if (status == YOKE_OK)
        status = check_top(call, "values", values, a);
    if (status == YOKE_OK && values->dtype != a->dtype)
        status = yops_fail(call, YOKE_E_INVALID_ARGUMENT, "values has the dtype %s, and a has the dtype %s: they must be the same",
                           yoke_dtype_get_name(values->dtype), yoke_dtype_get_name(a->dtype));
    if (status == YOKE_OK)
        status = yops_check_overlap(call, "values", values, out_place, "a", a, place, false);
    return status;
}

static yoke_status check_top_indices(const yops_call *call, const yoke_array *indices, const yoke_array *a, const yops_place *place,
                                     yops_place *out_place)
{
    yoke_status status = yops_check_output(call, "indices", indices, out_place);
    if (status == YOKE_OK)
        status = check_top(call, "indices", indices, a);
    if (status == YOKE_OK)
        status = yops_check_positions(call, "indices", indices->dtype, get_most(a));
    if (status == YOKE_OK)
        status = yops_check_overlap(call, "indices", indices, out_place, "a", a, place, false);
    return status;
}

yoke_status yoke_top_k_at(const char *where, yoke_stream *stream, int32_t order, const yoke_array *values,
                          const yoke_array *indices, const yoke_array *a)
{
    yops_call call;
    yops_place a_place, values_place, indices_place;
    layouts all = { .count = 0 };
    yoke_status status = yops_begin(&call, "yoke_top_k", where, stream);
    if (status == YOKE_OK)
        status = yops_check_input(&call, "a", a, &a_place);
    if (status == YOKE_OK)
        status = check_keys(&call, "a", a);
    if (status == YOKE_OK && values)
        status = check_top_values(&call, values, a, &a_place, &values_place);
    if (status == YOKE_OK && indices)
        status = check_top_indices(&call, indices, a, &a_place, &indices_place);
    if (status == YOKE_OK && !values && !indices)
        status = yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "values and indices are both NULL: there is nothing to find");
    if (status == YOKE_OK && values && indices)
        status = yops_check_same_shape(&call, "indices", indices, "values", values);
    if (status == YOKE_OK && values && indices)
        status = yops_check_overlap(&call, "indices", indices, &indices_place, "values", values, &values_place, false);
    if (status == YOKE_OK)
        status = check_order(&call, order);
    if (status < 0 || yoke_array_get_size(values ? values : indices) == 0)
        return status;
    yops_sort sort = { .call = &call,
                       .dtype = a->dtype,
                       .value_bytes = indices ? (uint32_t)yoke_dtype_get_size(indices->dtype) : 0,
                       .index = indices != NULL,
                       .rows = get_rows(a),
                       .n = get_last(a),
                       .most = values    ? get_last(values)
                               : indices ? get_last(indices)
                                         : 0,
                       .flip = get_flip(order) };
    status = add_layout(&call, &all, a, &a_place, true, false, &sort.keys_in);
    if (status == YOKE_OK && values)
        status = add_layout(&call, &all, values, &values_place, false, true, &sort.keys_out);
    if (status == YOKE_OK && indices)
        status = add_layout(&call, &all, indices, &indices_place, false, true, &sort.values_out);
    return run_sort(&sort, &all, status);
}

/* ---- Search ---- */

static yoke_status check_search(const yops_call *call, const yoke_array *positions, const yoke_array *sorted,
                                const yoke_array *queries, yops_place *places, int32_t side)
{
    yoke_status status = yops_check_input(call, "sorted", sorted, &places[0]);
    if (status == YOKE_OK)
        status = check_keys(call, "sorted", sorted);
    if (status == YOKE_OK && sorted->dimensions != 1)
        status = yops_fail(call, YOKE_E_INVALID_ARGUMENT, "sorted has the shape %s: it must have one dimension",
                           yops_shape(sorted->dimensions, sorted->shape).text);
    if (status == YOKE_OK)
        status = yops_check_input(call, "queries", queries, &places[1]);
    if (status == YOKE_OK && queries->dtype != sorted->dtype)
        status =
            yops_fail(call, YOKE_E_INVALID_ARGUMENT, "queries has the dtype %s, and sorted has the dtype %s: they must be the same",
                      yoke_dtype_get_name(queries->dtype), yoke_dtype_get_name(sorted->dtype));
    if (status == YOKE_OK)
        status = yops_check_output(call, "positions", positions, &places[2]);
    if (status == YOKE_OK)
        status = yops_check_same_shape(call, "positions", positions, "queries", queries);
    if (status == YOKE_OK)
        status = yops_check_positions(call, "positions", positions->dtype, (uint64_t)sorted->shape[0]);
    if (status == YOKE_OK)
        status = yops_check_overlap(call, "positions", positions, &places[2], "sorted", sorted, &places[0], false);
    if (status == YOKE_OK)
        status = yops_check_overlap(call, "positions", positions, &places[2], "queries", queries, &places[1], false);
    if (status == YOKE_OK && side != YOKE_SEARCH_LEFT && side != YOKE_SEARCH_RIGHT)
        status =
            yops_fail(call, YOKE_E_INVALID_ARGUMENT, "side is %d: YOKE_SEARCH_LEFT and YOKE_SEARCH_RIGHT are possible", (int)side);
    return status;
}

yoke_status yoke_searchsorted_at(const char *where, yoke_stream *stream, int32_t side, const yoke_array *positions,
                                 const yoke_array *sorted, const yoke_array *queries)
{
    yops_call call;
    yops_place places[3] = { 0 };
    yops_span from, to;
    layouts all = { .count = 0 };
    yoke_kernel *kernel = NULL;
    char options[60];
    yoke_status status = yops_begin(&call, "yoke_searchsorted", where, stream);
    if (status == YOKE_OK)
        status = check_search(&call, positions, sorted, queries, places, side);
    if (status < 0 || yoke_array_get_size(queries) == 0)
        return status;
    int64_t count = yoke_array_get_size(queries);
    yops_write(options, sizeof options, "KEY=%s VALUE_BYTES=%u", yops_dtype_token(sorted->dtype),
               (unsigned)yoke_dtype_get_size(positions->dtype));
    status = yops_kernel(&call, "search", options, "search_sorted", &kernel);
    if (status == YOKE_OK)
        status = add_layout(&call, &all, queries, &places[1], true, false, &from);
    if (status == YOKE_OK)
        status = add_layout(&call, &all, positions, &places[2], false, true, &to);
    if (status == YOKE_OK)
        status = copy_layouts(&call, &all, false);
    if (status == YOKE_OK)
        status = yops_launch(&call, kernel, ((uint64_t)count + SEARCH_THREADS - 1) / SEARCH_THREADS, SEARCH_THREADS,
                             YOKE_ARGS(places[0].root, places[0].origin, sorted->strides[0], sorted->shape[0], from.buffer,
                                       from.origin, to.buffer, to.origin, count, (uint32_t)(side == YOKE_SEARCH_RIGHT)));
    if (status == YOKE_OK)
        status = copy_layouts(&call, &all, true);
    release_layouts(&all);
    return status;
}
