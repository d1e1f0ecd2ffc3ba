/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_quantile: where quantiles lie, the elements there by a sort of short rows or a selection in long ones, and the results. */
#include "sort.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    PICK_THREADS = 256,
    MOST_PICKS = 16 /* quantiles in a launch: as in quantile.yk */
};

/* Where a quantile lies in a row: at an element, or between two. */
typedef struct quantile_place {
    int64_t low, high;
    double part; /* of the way from low to high; 0 at an element */
} quantile_place;

/* As in quantile.yk, of which ACC says how many bytes of `part` there are. */
typedef struct pick_places {
    int64_t low[MOST_PICKS], high[MOST_PICKS];
    union {
        float f32[MOST_PICKS];
        double f64[MOST_PICKS];
    } part;
} pick_places;

typedef struct quantile_job {
    yops_call call;
    yoke_array a, out; /* a: the axes that remain, then the others; out: the quantiles, then the axes that remain */
    yops_place a_place, out_place;
    int64_t rows, n;
    size_t count;
    quantile_place *places;
    int64_t *ranks; /* that are wanted: ascending, each once */
    size_t rank_count;
    int32_t acc;
    bool between; /* results lie between elements, as a rule */
} quantile_job;

/* ---- Places ---- */

static bool gives_element(int32_t method)
{
    return method == YOKE_QUANTILE_LOWER || method == YOKE_QUANTILE_HIGHER || method == YOKE_QUANTILE_NEAREST ||
           method == YOKE_QUANTILE_INVERTED_CDF || method == YOKE_QUANTILE_CLOSEST_OBSERVATION;
}

/* The place by Hyndman's and Fan's parameters; in steps, so that no compiler contracts them. */
static double find_by(double n, double q, double alpha, double beta)
{
    double scaled = n * q, step = q * (1 - alpha - beta);
    step = alpha + step;
    return scaled + step - 1;
}

static double find_place(int32_t method, double n, double q)
{
    const double whole = n * q, between = (n - 1) * q;
    switch (method) {
    case YOKE_QUANTILE_LOWER:
        return floor(between);
    case YOKE_QUANTILE_HIGHER:
        return ceil(between);
    case YOKE_QUANTILE_NEAREST:
        return rint(between);
    case YOKE_QUANTILE_MIDPOINT:
        return (floor(between) + ceil(between)) / 2;
    case YOKE_QUANTILE_INVERTED_CDF:
        return ceil(whole) - 1;
    case YOKE_QUANTILE_AVERAGED_INVERTED_CDF:
        return (ceil(whole) - 1 + floor(whole)) / 2;
    case YOKE_QUANTILE_CLOSEST_OBSERVATION:
        return rint(whole) - 1;
    case YOKE_QUANTILE_INTERPOLATED_INVERTED_CDF:
        return find_by(n, q, 0, 1);
    case YOKE_QUANTILE_HAZEN:
        return find_by(n, q, 0.5, 0.5);
    case YOKE_QUANTILE_WEIBULL:
        return find_by(n, q, 0, 0);
    case YOKE_QUANTILE_MEDIAN_UNBIASED:
        return find_by(n, q, 1.0 / 3, 1.0 / 3);
    case YOKE_QUANTILE_NORMAL_UNBIASED:
        return find_by(n, q, 3.0 / 8, 3.0 / 8);
    default:
        return between;
    }
}

static int compare_ranks(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The place of each quantile, and the ranks that these take; the last one tells whether there is NaN. */
static yoke_status find_places(quantile_job *job, int32_t method, const double *quantiles)
{
    job->places = calloc(job->count, sizeof *job->places);
    job->ranks = calloc(2 * job->count + 1, sizeof *job->ranks);
    if (!job->places || !job->ranks)
        return yops_fail(&job->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for %zu quantiles", job->count);
    size_t all = 0;
    for (size_t i = 0; i < job->count; i++) {
        double place = fmin(fmax(find_place(method, (double)job->n, quantiles[i]), 0), (double)(job->n - 1));
        int64_t low = (int64_t)place, last = job->n - 1;
        low = low < last ? low : last;
        double part = place - (double)low;
        job->places[i] = (quantile_place){ low, part > 0 && low < last ? low + 1 : low, low < last ? part : 0 };
        job->ranks[all++] = job->places[i].low;
        job->ranks[all++] = job->places[i].high;
    }
    if (yops_is_floating(job->a.dtype))
        job->ranks[all++] = job->n - 1;
    qsort(job->ranks, all, sizeof *job->ranks, compare_ranks);
    for (size_t i = 0; i < all; i++)
        if (job->rank_count == 0 || job->ranks[job->rank_count - 1] != job->ranks[i])
            job->ranks[job->rank_count++] = job->ranks[i];
    return YOKE_OK;
}

/* ---- Checks ---- */

static yoke_status check_quantiles(const quantile_job *job, int32_t method, const double *quantiles)
{
    if (method < YOKE_QUANTILE_LINEAR || method > YOKE_QUANTILE_NORMAL_UNBIASED)
        return yops_fail(&job->call, YOKE_E_INVALID_ARGUMENT,
                         "method is %d: YOKE_QUANTILE_LINEAR to YOKE_QUANTILE_NORMAL_UNBIASED are possible", (int)method);
    if (!quantiles && job->count > 0)
        return yops_fail(&job->call, YOKE_E_INVALID_ARGUMENT, "quantiles is NULL, and count is %zu", job->count);
    for (size_t i = 0; i < job->count; i++)
        if (!(quantiles[i] >= 0 && quantiles[i] <= 1))
            return yops_fail(&job->call, YOKE_E_INVALID_ARGUMENT, "quantiles[%zu] is %s: quantiles are from 0 to 1", i,
                             yops_write_number(quantiles[i]).text);
    return YOKE_OK;
}

static yoke_status check_dtypes(quantile_job *job, int32_t method, const yoke_array *out, const yoke_array *a)
{
    const char *name = yoke_dtype_get_name(out->dtype);
    job->between = !gives_element(method);
    job->acc = yops_needs_f64(a->dtype) || yops_needs_f64(out->dtype) ? YOKE_F64 : YOKE_F32;
    if (yops_is_complex(a->dtype))
        return yops_fail(&job->call, YOKE_E_INVALID_ARGUMENT, "a has the dtype %s: complex numbers have no order",
                         yoke_dtype_get_name(a->dtype));
    if (yops_is_complex(out->dtype))
        return yops_fail(&job->call, YOKE_E_INVALID_ARGUMENT, "out has the dtype %s: quantiles are real", name);
    if (job->between && !yops_is_floating(out->dtype))
        return yops_fail(&job->call, YOKE_E_INVALID_ARGUMENT,
                         "the method gives fractions: out must have a floating-point dtype, and has %s", name);
    return YOKE_OK;
}

/* Whether `out`, without its first `skipped` axes, has the shape of `a` without the named axes, or with 1 there. If it has, add
 * its axes that remain to job->out. */
static bool take_shape(quantile_job *job, const yoke_array *out, int32_t skipped, const yoke_array *a, const bool *named)
{
    yoke_array view = *out;
    bool full = out->dimensions - skipped == a->dimensions, fits = true;
    int32_t at = skipped;
    view.dimensions = 1;
    view.shape[0] = (int64_t)job->count;
    view.strides[0] = skipped ? out->strides[0] : 1;
    if (skipped && (out->dimensions == 0 || out->shape[0] != (int64_t)job->count))
        return false;
    for (int32_t i = 0; i < a->dimensions && fits; i++) {
        if (named[i] && !full)
            continue;
        fits = at < out->dimensions && out->shape[at] == (named[i] ? 1 : a->shape[i]);
        if (fits && !named[i]) {
            view.shape[view.dimensions] = out->shape[at];
            view.strides[view.dimensions++] = out->strides[at];
        }
        at++;
    }
    if (!fits || at != out->dimensions)
        return false;
    job->out = view;
    return true;
}

/* Order the axes: those of `a` that are named to the end, as rows; those of `out` as the rows are. */
static yoke_status take_axes(quantile_job *job, const yoke_array *out, const yoke_array *a, const int32_t *axes, size_t axis_count)
{
    bool named[YOKE_MAX_DIMENSIONS] = { false };
    yoke_status status = yops_check_axes(&job->call, a->dimensions, axes, axis_count, named);
    if (status < 0)
        return status;
    job->a = *a;
    job->rows = job->n = 1;
    int32_t at = 0;
    for (int last = 0; last < 2; last++)
        for (int32_t i = 0; i < a->dimensions; i++) {
            named[i] = named[i] || axis_count == 0;
            if (named[i] != (last == 1))
                continue;
            job->a.shape[at] = a->shape[i];
            job->a.strides[at++] = a->strides[i];
            *(last ? &job->n : &job->rows) *= a->shape[i];
        }
    if (take_shape(job, out, 1, a, named) || (job->count == 1 && take_shape(job, out, 0, a, named)))
        return YOKE_OK;
    return yops_fail(&job->call, YOKE_E_INVALID_ARGUMENT,
                     "out has the shape %s; that of %zu quantiles is (%zu), and then %s without the reduced axes",
                     yops_shape(out->dimensions, out->shape).text, job->count, job->count,
                     yops_shape(a->dimensions, a->shape).text);
}

/* ---- Launches ---- */

static int64_t find_rank(const quantile_job *job, int64_t rank)
{
    int64_t low = 0, high = (int64_t)job->rank_count - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (job->ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The places of `count` quantiles, the first of which is `from`. Returns the bytes that the kernel takes. */
static size_t set_picks(const quantile_job *job, size_t from, size_t count, bool sorted, pick_places *out_picks)
{
    bool wide = job->acc == YOKE_F64;
    *out_picks = (pick_places){ .low = { 0 } };
    for (size_t i = 0; i < count; i++) {
        const quantile_place *place = &job->places[from + i];
        out_picks->low[i] = sorted ? place->low : find_rank(job, place->low);
        out_picks->high[i] = sorted ? place->high : find_rank(job, place->high);
        if (wide)
            out_picks->part.f64[i] = place->part;
        else
            out_picks->part.f32[i] = (float)place->part;
    }
    return offsetof(pick_places, part) + (wide ? sizeof out_picks->part.f64 : sizeof out_picks->part.f32);
}

/* Of each row of elements, which are all (`sorted`) or those of job->ranks, the results. */
static yoke_status launch_picks(const quantile_job *job, yoke_kernel *kernel, yoke_buffer *elements, bool sorted, yops_span out)
{
    int64_t pitch = sorted ? job->n : (int64_t)job->rank_count, last = pitch - 1;
    yoke_status status = YOKE_OK;
    for (size_t i = 0; i < job->count && status == YOKE_OK; i += MOST_PICKS) {
        size_t count = job->count - i < MOST_PICKS ? job->count - i : MOST_PICKS;
        uint64_t blocks = ((uint64_t)job->rows * count + PICK_THREADS - 1) / PICK_THREADS;
        int64_t to = out.origin + (int64_t)i * job->rows;
        pick_places picks;
        size_t size = set_picks(job, i, count, sorted, &picks);
        status = yops_launch(&job->call, kernel, blocks, PICK_THREADS,
                             YOKE_ARGS(elements, (int64_t)0, out.buffer, to, job->rows, pitch, last, yoke_arg_struct(&picks, size),
                                       (uint32_t)count));
    }
    return status;
}

static yoke_status run(const quantile_job *job)
{
    const yops_call *call = &job->call;
    yops_packed a = { .temporary = NULL }, out = { .temporary = NULL };
    yoke_buffer *elements = NULL;
    yoke_kernel *kernel = NULL;
    yops_traits traits;
    char options[100];
    yops_ranks wanted = { call, job->a.dtype, job->rows, job->n, job->ranks, job->rank_count, { NULL, 0 }, { NULL, 0 } };
    yoke_status status = yops_get_traits(call, &traits);
    if (status < 0)
        return status;
    const bool selects = yops_ranks_suit(&wanted, &traits);
    uint64_t size = (uint64_t)(job->rows * (selects ? (int64_t)job->rank_count : job->n)) * yoke_dtype_get_size(job->a.dtype);
    yops_write(options, sizeof options, "IN=%s OUT=%s ACC=%s BETWEEN=%d%s", yops_dtype_token(job->a.dtype),
               yops_dtype_token(job->out.dtype), yops_dtype_token(job->acc), job->between,
               job->acc == YOKE_F64 ? " NEED_F64=1" : "");
    status = yops_kernel(call, "quantile", options, "quantile_pick", &kernel);
    if (status == YOKE_OK)
        status = yops_pack(call, &job->a, &job->a_place, &a);
    if (status == YOKE_OK)
        status = yops_pack(call, &job->out, &job->out_place, &out);
    if (status == YOKE_OK)
        status = yops_temporary(call, size, &elements);
    if (status == YOKE_OK)
        status = yops_pack_in(call, &a);
    if (status == YOKE_OK) {
        wanted.keys = a.span;
        wanted.out = (yops_span){ elements, 0 };
        yops_sort sort = { .call = call,
                           .dtype = job->a.dtype,
                           .rows = job->rows,
                           .n = job->n,
                           .most = job->n,
                           .keys_in = a.span,
                           .keys_out = { elements, 0 } };
        status = selects ? yops_select_ranks(&wanted) : yops_sort_rows(&sort);
    }
    if (status == YOKE_OK)
        status = launch_picks(job, kernel, elements, !selects, out.span);
    if (status == YOKE_OK)
        status = yops_pack_out(call, &out);
    yoke_buffer_release(elements);
    yops_packed_release(&out);
    yops_packed_release(&a);
    return status;
}

/* ---- The call ---- */

yoke_status yoke_quantile_at(const char *where, yoke_stream *stream, int32_t method, const yoke_array *out, const yoke_array *a,
                             const double *quantiles, size_t count, const int32_t *axes, size_t axis_count)
{
    quantile_job job = { .count = count };
    yoke_status status = yops_begin(&job.call, "yoke_quantile", where, stream);
    if (status == YOKE_OK)
        status = yops_check_input(&job.call, "a", a, &job.a_place);
    if (status == YOKE_OK)
        status = yops_check_output(&job.call, "out", out, &job.out_place);
    if (status == YOKE_OK)
        status = check_quantiles(&job, method, quantiles);
    if (status == YOKE_OK)
        status = check_dtypes(&job, method, out, a);
    if (status == YOKE_OK)
        status = take_axes(&job, out, a, axes, axis_count);
    if (status == YOKE_OK)
        status = yops_check_overlap(&job.call, "out", out, &job.out_place, "a", a, &job.a_place, false);
    if (status < 0 || yoke_array_get_size(out) == 0)
        return status;
    if (job.n == 0 && !yops_is_floating(out->dtype))
        return yops_fail(&job.call, YOKE_E_INVALID_ARGUMENT,
                         "a has no elements along the axes: their quantile is NaN, which %s, the dtype of out, has not",
                         yoke_dtype_get_name(out->dtype));
    if (job.n == 0)
        return yoke_assign_value_at(where, stream, out, yoke_number_f32(NAN));
    status = find_places(&job, method, quantiles);
    if (status == YOKE_OK)
        status = run(&job);
    free(job.ranks);
    free(job.places);
    return status;
}
