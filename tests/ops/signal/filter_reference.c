/* SPDX-License-Identifier: Apache-2.0 */
/* Filters on the host. */
#include "filter.h"

#include <math.h>
#include <string.h>

/* The elements of an array of the case's shape, in row-major order; and beside each the sum of the absolute products so far. */
typedef struct field {
    int64_t count;
    double *exact;
    long double *precise, *reach;
} field;

static field field_new(int64_t count)
{
    size_t size = (size_t)count + 1;
    return (field){ count, memory_new(size * sizeof(double)), memory_new(size * sizeof(long double)),
                    memory_new(size * sizeof(long double)) };
}

static void field_free(field *f)
{
    memory_free(f->exact);
    memory_free(f->precise);
    memory_free(f->reach);
}

/* One sum. `is_wide`: of doubles. */
typedef struct sum {
    bool is_wide;
    double exact;
    long double precise, reach;
} sum;

static void add(sum *s, double weight, double exact, long double precise, long double reach)
{
    if (s->is_wide)
        s->exact = fma(weight, exact, s->exact);
    else
        s->exact = (double)fmaf((float)weight, (float)exact, (float)s->exact);
    s->precise += (long double)weight * precise;
    s->reach += fabsl((long double)weight) * reach;
}

static void add_element(sum *s, const filter_case *c, const field *in, double weight, double beyond, int64_t base, int64_t stride,
                        int64_t p, int64_t extent)
{
    int64_t at = filter_place(p, extent, c->options.boundary);
    if (at < 0)
        add(s, weight, beyond, (long double)beyond, fabsl((long double)beyond));
    else
        add(s, weight, in->exact[base + at * stride], in->precise[base + at * stride], in->reach[base + at * stride]);
}

/* A large box: the first elements one by one, then sums of 32 each. */
static void add_box(sum *s, const filter_case *c, const field *in, double beyond, int64_t base, int64_t stride, int64_t p,
                    int64_t extent, int64_t taps)
{
    int64_t rest = taps > 64 ? taps % 32 : taps;
    for (int64_t k = 0; k < rest; k++)
        add_element(s, c, in, 1, beyond, base, stride, p + k, extent);
    for (int64_t k = rest; k < taps; k += 32) {
        sum part = { .is_wide = s->is_wide };
        for (int64_t j = 0; j < 32; j++)
            add_element(&part, c, in, 1, beyond, base, stride, p + k + j, extent);
        add(s, 1, part.exact, part.precise, part.reach);
    }
}

static void filter_axis(const filter_case *c, const yoke_array *a, bool is_wide, int32_t i, double beyond, const field *in,
                        field *out)
{
    int64_t stride = 1, extent = a->shape[c->axes[i]], taps = c->taps[i];
    for (int32_t axis = c->axes[i] + 1; axis < a->dimensions; axis++)
        stride *= a->shape[axis];
    for (int64_t position = 0; position < in->count; position++) {
        int64_t at = position / stride % extent, base = position - at * stride, first = at - taps / 2 - c->origins[i];
        sum s = { .is_wide = is_wide };
        if (c->is_box)
            add_box(&s, c, in, beyond, base, stride, first, extent, taps);
        else
            for (int64_t k = 0; k < taps; k++)
                add_element(&s, c, in, is_wide ? c->weights[i][k] : (double)(float)c->weights[i][k], beyond, base, stride,
                            first + k, extent);
        out->exact[position] = s.exact;
        out->precise[position] = s.precise;
        out->reach[position] = s.reach;
    }
}

static void filter_full(const filter_case *c, const yoke_array *a, bool is_wide, const field *in, field *out)
{
    int64_t strides[3] = { 0 }, extents[3] = { 1, 1, 1 }, taps[3] = { 1, 1, 1 }, shift[3] = { 0 }, k[3];
    for (int32_t i = 0; i < c->axis_count; i++) {
        strides[i] = 1;
        for (int32_t axis = c->axes[i] + 1; axis < a->dimensions; axis++)
            strides[i] *= a->shape[axis];
        extents[i] = a->shape[c->axes[i]];
        taps[i] = c->taps[i];
        shift[i] = c->reversed ? taps[i] - 1 - taps[i] / 2 - c->origins[i] : taps[i] / 2 + c->origins[i];
        if (c->reversed) /* SciPy: the origin changes its sign, and even sizes move by one */
            shift[i] = taps[i] / 2 - c->origins[i] - (taps[i] % 2 == 0);
    }
    for (int64_t position = 0; position < in->count; position++) {
        sum s = { .is_wide = is_wide };
        for (k[0] = 0; k[0] < taps[0]; k[0]++)
            for (k[1] = 0; k[1] < taps[1]; k[1]++)
                for (k[2] = 0; k[2] < taps[2]; k[2]++) {
                    int64_t place = position, weight_at = 0;
                    bool inside = true;
                    for (int i = 0; i < 3; i++) {
                        int64_t at = strides[i] ? position / strides[i] % extents[i] : 0;
                        int64_t p = strides[i] ? filter_place(at + k[i] - shift[i], extents[i], c->options.boundary) : 0;
                        inside = inside && p >= 0;
                        place += (p - at) * strides[i];
                        weight_at = weight_at * taps[i] + (c->reversed ? taps[i] - 1 - k[i] : k[i]);
                    }
                    double weight = is_wide ? c->full[weight_at] : (double)(float)c->full[weight_at], v = c->options.value;
                    if (inside)
                        add(&s, weight, in->exact[place], in->precise[place], in->reach[place]);
                    else
                        add(&s, weight, v, (long double)v, fabsl((long double)v));
                }
        out->exact[position] = s.exact;
        out->precise[position] = s.precise;
        out->reach[position] = s.reach;
    }
}

/* As the outputs are stored: divided, rounded, and within the range. */
static double finish(const filter_case *c, double x, double divisor, bool is_wide, int32_t dtype)
{
    if (c->is_box && divisor != 1)
        x = is_wide ? x / divisor : (double)((float)x / (float)divisor);
    if (!yk_dtype_is_integer(dtype))
        return x;
    double low = dtype == YOKE_I8 ? -128 : dtype == YOKE_I16 ? -32768 : 0;
    double high = dtype == YOKE_I8 ? 127 : dtype == YOKE_U8 ? 255 : dtype == YOKE_I16 ? 32767 : 65535;
    x = c->options.rounding == YOKE_ROUND_TRUNCATE ? trunc(x) : nearbyint(x);
    return x < low ? low : x > high ? high : x;
}

filter_result filter_refer(const filter_case *c, const test_array *a, int32_t out_dtype)
{
    bool is_wide = a->array.dtype == YOKE_F64 || out_dtype == YOKE_F64;
    field fields[2] = { field_new(a->count), field_new(a->count) };
    double divisor = 1;
    int64_t additions = 2, from = 0;
    for (int64_t i = 0; i < a->count; i++) {
        fields[0].exact[i] = (double)test_get(a, i);
        fields[0].precise[i] = test_get(a, i);
        fields[0].reach[i] = fabsl(test_get(a, i));
    }
    if (c->is_full) {
        filter_full(c, &a->array, is_wide, &fields[0], &fields[1]);
        from = 1;
        additions += c->taps[0] * (c->axis_count > 1 ? c->taps[1] : 1) * (c->axis_count > 2 ? c->taps[2] : 1);
    }
    for (int32_t i = 0; i < c->axis_count && !c->is_full; i++, from = 1 - from) {
        filter_axis(c, &a->array, is_wide, i, c->options.value * divisor, &fields[from], &fields[1 - from]);
        divisor *= c->is_box ? (double)c->taps[i] : 1;
        additions += c->taps[i] + 1;
    }
    filter_result result = { fields[from].exact, fields[from].precise, fields[from].reach };
    for (int64_t i = 0; i < a->count; i++) {
        result.exact[i] = finish(c, result.exact[i], divisor, is_wide, out_dtype);
        result.precise[i] /= divisor;
        result.limit[i] *= (long double)additions * (is_wide ? 0x1p-53L : 0x1p-24L) / divisor;
    }
    field_free(&fields[1 - from]);
    return result;
}

void filter_result_free(filter_result *result)
{
    memory_free(result->exact);
    memory_free(result->precise);
    memory_free(result->limit);
}
