/* SPDX-License-Identifier: Apache-2.0 */
/* A list of steps, and the step of one pass: which kernel, for which shape of block, and with which numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "fft.h"

/* What is tuned for GPUs: points of a block (times 2 for float), threads of a block at most, points of a thread, and how narrow a
 * block may become to give work to all multiprocessors. */
enum { BLOCK_POINTS = 2048, BLOCK_THREADS = 256, THREAD_POINTS = 8, FEWEST_COLUMNS = 4, MOST_COLUMNS = 1024, BLOCKS_EACH = 2 };

int yops_fft_kernels;

/* ---- The list ---- */

yoke_status yops_fft_begin(const yops_call *call, int32_t complex_dtype, yops_fft **out_fft)
{
    yops_fft *f = malloc(sizeof *f); /* a step is cleared when it is added */
    *out_fft = f;
    if (!f)
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the list of its steps");
    f->step_count = f->temporary_count = 0;
    f->call = *call;
    f->complex_dtype = complex_dtype;
    f->is_wide = complex_dtype == YOKE_C128;
    yoke_status status = yops_get_traits(call, &f->traits);
    f->traits.is_cpu = yops_fft_kernels ? yops_fft_kernels == 2 : yops_by_threads(&f->traits);
    return status;
}

void yops_fft_end(yops_fft *f)
{
    for (size_t i = f ? f->temporary_count : 0; i > 0; i--)
        yoke_buffer_release(f->temporaries[i - 1].buffer);
    free(f);
}

yoke_status yops_fft_take(yops_fft *f, uint64_t size, yoke_buffer **out_buffer)
{
    for (size_t i = 0; i < f->temporary_count; i++)
        if (!f->temporaries[i].is_busy && f->temporaries[i].size == size) {
            f->temporaries[i].is_busy = true;
            *out_buffer = f->temporaries[i].buffer;
            return YOKE_OK;
        }
    if (f->temporary_count == YOPS_FFT_MOST_TEMPORARIES)
        return yops_fail(&f->call, YOKE_E_RANGE, "more temporaries than %d", YOPS_FFT_MOST_TEMPORARIES);
    yoke_status status = yops_temporary(&f->call, size, out_buffer);
    if (status == YOKE_OK)
        f->temporaries[f->temporary_count++] = (yops_fft_temporary){ *out_buffer, size, true };
    return status;
}

void yops_fft_give(yops_fft *f, yoke_buffer *buffer)
{
    for (size_t i = 0; i < f->temporary_count; i++)
        if (f->temporaries[i].buffer == buffer)
            f->temporaries[i].is_busy = false;
}

yops_fft_step *yops_fft_add(yops_fft *f)
{
    if (f->step_count < YOPS_FFT_MOST_STEPS) {
        f->steps[f->step_count] = (yops_fft_step){ .action = YOPS_FFT_LAUNCH };
        return &f->steps[f->step_count++];
    }
    yops_fail(&f->call, YOKE_E_RANGE, "more steps than %d", YOPS_FFT_MOST_STEPS);
    return NULL;
}

yoke_status yops_fft_add_operation(yops_fft *f, int32_t action, const yoke_array *target, const yoke_array *one,
                                   const yoke_array *other)
{
    yops_fft_step *step = yops_fft_add(f);
    if (!step)
        return YOKE_E_RANGE;
    step->action = action;
    step->target = *target;
    if (one)
        step->one = *one;
    if (other)
        step->other = *other;
    return YOKE_OK;
}

/* ---- Launches ---- */

/* Some outer indices of a step at a time, so that columns are counted with 31 bits. */
static yoke_status launch_part(yops_fft *f, const yops_fft_step *step, int64_t first, int64_t count)
{
    yops_fft_pass pass = step->pass;
    size_t size = offsetof(yops_fft_pass, numbers) + (f->is_wide ? sizeof pass.numbers.wide : sizeof pass.numbers.single);
    pass.columns = (uint32_t)(count * pass.per_outer);
    pass.in_origin += first * pass.in_outer;
    pass.out_origin += first * pass.out_outer;
    yoke_arg args[5];
    size_t n = 0;
    if (step->in)
        args[n++] = yoke_arg_buffer(step->in);
    args[n++] = yoke_arg_buffer(step->out);
    args[n++] = yoke_arg_struct(&pass, size);
    if (step->width > 0)
        return yops_launch(&f->call, step->kernel, yops_divide_up(pass.columns, step->width), step->threads, args, n);
    uint32_t tiles = (uint32_t)yops_divide_up(pass.columns, step->lanes), each = tiles / (32 * f->traits.compute_units) + 1;
    each = each < step->most_each ? each : step->most_each;
    args[n++] = yoke_arg_u32(tiles);
    args[n++] = yoke_arg_u32(each);
    return yops_launch(&f->call, step->kernel, yops_divide_up(tiles, (uint64_t)each * step->threads), step->threads, args, n);
}

/* Neighbours are copied without a kernel, which would have to be compiled. */
static yoke_status copy_array(const yops_call *call, const yoke_array *target, const yoke_array *source)
{
    size_t size = (size_t)yoke_array_get_size(target) * yoke_dtype_get_size(target->dtype);
    if (target->dtype != source->dtype || !yoke_array_is_contiguous(target) || !yoke_array_is_contiguous(source))
        return yoke_assign_at(call->where, call->stream, target, source);
    return yoke_copy_at(call->where, call->stream, target->buffer, (size_t)target->offset, source->buffer, (size_t)source->offset,
                        size);
}

static yoke_status run_step(yops_fft *f, const yops_fft_step *step)
{
    const char *where = f->call.where;
    yoke_stream *stream = f->call.stream;
    switch (step->action) {
    case YOPS_FFT_COPY:
        return copy_array(&f->call, &step->target, &step->one);
    case YOPS_FFT_PRODUCT:
        return yoke_multiply_at(where, stream, &step->target, &step->one, &step->other);
    case YOPS_FFT_ZERO: /* all of a temporary */
        return yoke_fill_at(where, stream, step->target.buffer, 0, yoke_buffer_get_size(step->target.buffer), "\0\0\0\0", 4);
    default:
        break;
    }
    int64_t most = INT32_MAX / step->pass.per_outer;
    for (int64_t first = 0; first < step->outer; first += most) {
        yoke_status status = launch_part(f, step, first, step->outer - first < most ? step->outer - first : most);
        if (status < 0)
            return status;
    }
    return YOKE_OK;
}

yoke_status yops_fft_run(yops_fft *f)
{
    yoke_status status = YOKE_OK;
    for (size_t i = 0; status == YOKE_OK && i < f->step_count; i++)
        status = run_step(f, &f->steps[i]);
    return status;
}

/* ---- Numbers ---- */

/* pi / 2 / order for order <= 2^29, to about 100 bits: a quotient and what it leaves, which products of few bits find exactly. */
static void divide_quarter(uint32_t order, double *out_high, double *out_low)
{
    const double quarter = 1.57079632679489661923, quarter_rest = 6.123233995736766036e-17;
    double high = quarter / order;
    double top = (float)high, middle = (float)(high - top), bottom = high - top - middle;
    *out_high = high;
    *out_low = (quarter - top * order - middle * order - bottom * order + quarter_rest) / order;
}

void yops_fft_set_angle(const yops_fft *f, yops_fft_pass *pass, int index, uint32_t order)
{
    double high, low;
    divide_quarter(order, &high, &low);
    if (f->is_wide) {
        pass->numbers.wide[index] = high;
        pass->numbers.wide[index + 1] = low;
    } else {
        pass->numbers.single[index] = (float)high;
        pass->numbers.single[index + 1] = (float)(high - (float)high);
    }
}

void yops_fft_set_scale(const yops_fft *f, yops_fft_pass *pass, double scale)
{
    if (f->is_wide)
        pass->numbers.wide[0] = scale;
    else
        pass->numbers.single[0] = (float)scale;
}

/* ---- Passes ---- */

/* Columns of a block: as many as its points allow; fewer, where the device would be idle. */
static uint32_t get_width(const yops_fft *f, uint32_t length, uint64_t columns)
{
    uint32_t points = f->is_wide ? BLOCK_POINTS : 2 * BLOCK_POINTS, width = 1;
    while (2 * width * length <= points && 2 * width <= MOST_COLUMNS)
        width *= 2;
    while (width > FEWEST_COLUMNS && columns / width < (uint64_t)BLOCKS_EACH * f->traits.compute_units)
        width /= 2;
    return width;
}

static uint32_t get_threads(uint32_t points, bool is_wide)
{
    uint32_t each = is_wide ? THREAD_POINTS : 2 * THREAD_POINTS, threads = (points + each - 1) / each;
    threads = (threads + 31) / 32 * 32;
    return threads < BLOCK_THREADS ? threads : BLOCK_THREADS;
}

/* As in fft.yk: the columns' points, and the roots of short ones. */
static uint64_t get_shared_bytes(const yops_fft *f, uint32_t length, uint32_t width)
{
    uint64_t pitch = (length + length / (f->is_wide ? 8 : 16)) | 1, size = f->is_wide ? 16 : 8;
    return (width + (length * size <= 8192)) * pitch * size + 16;
}

static bool takes_blocks(const yops_fft *f, uint32_t length, uint32_t width)
{
    return !f->traits.is_cpu && f->traits.max_block_threads >= get_threads(length * width, f->is_wide) &&
           f->traits.max_shared_bytes >= get_shared_bytes(f, length, width);
}

int yops_fft_get_output(int32_t kind)
{
    static const int outputs[] = { [YOPS_FFT_COMPLEX] = 0, [YOPS_FFT_HALF] = 1, [YOPS_FFT_REAL] = 2, [YOPS_FFT_PAIRS] = 3 };
    _Static_assert(YOPS_COUNT_OF(outputs) == YOPS_FFT_PAIRS + 1, "an output for each kind");
    return outputs[kind];
}

static yoke_status find_kernel(const yops_fft *f, yops_fft_step *step, const yops_fft_factor *factor, int32_t in_kind,
                               int32_t out_kind)
{
    enum { BOTH_WAYS = 4 }; /* fft_points.yh */
    char options[256];
    bool is_real = step->width == 0 && ((in_kind == YOPS_FFT_REAL && out_kind == YOPS_FFT_HALF) ||
                                        (in_kind == YOPS_FFT_HALF && out_kind == YOPS_FFT_REAL));
    int at = yops_write(options, sizeof options, "WIDE=%d INPUT=%d OUTPUT=%d LENGTH=%u STAGES=%u", f->is_wide,
                        is_real ? BOTH_WAYS : (int)in_kind, is_real ? BOTH_WAYS : yops_fft_get_output(out_kind),
                        (unsigned)factor->length, (unsigned)factor->stages);
    for (uint32_t i = 0; i < factor->stages; i++)
        at += yops_write(options + at, sizeof options - (size_t)at, " R%u=%u", (unsigned)i, (unsigned)factor->radix[i]);
    if (step->width > 0)
        at += yops_write(options + at, sizeof options - (size_t)at, " WIDTH=%u THREADS=%u", (unsigned)step->width,
                         (unsigned)step->threads);
    else
        at += yops_write(options + at, sizeof options - (size_t)at, " LANES=%u", (unsigned)step->lanes);
    if (f->is_wide)
        yops_write(options + at, sizeof options - (size_t)at, " NEED_F64=1");
    return yops_kernel(&f->call, step->width > 0 ? "fft" : "fft_cpu", options,
                       step->width > 0 ? "fft_pass_blocks" : "fft_pass_lanes", &step->kernel);
}

/* Whether neighbouring threads should take the elements of one column, `along` apart, or the same elements of neighbouring columns.
 */
static bool by_rows(const yops_fft_axis *axis, uint32_t length, const yops_fft_lines *lines, int64_t along, bool is_output,
                    uint32_t before)
{
    int64_t across = axis->inner > 1            ? lines->inner_stride
                     : axis->n == length        ? lines->outer_stride
                     : is_output && before == 1 ? lines->step * length
                                                : lines->step;
    if (axis->inner == 1 && axis->n == length && axis->outer == 1)
        return true;
    return yops_distance(along) < yops_distance(across);
}

yops_fft_pass yops_fft_make_pass(const yops_fft_axis *axis, const yops_fft_lines *in, const yops_fft_lines *out, uint32_t per_outer,
                                 uint32_t before)
{
    static const yops_fft_lines none;
    in = in ? in : &none;
    return (yops_fft_pass){
        .in_origin = in->origin,
        .in_outer = in->outer_stride,
        .in_step = in->step,
        .in_inner = in->inner_stride,
        .out_origin = out->origin,
        .out_outer = out->outer_stride,
        .out_step = out->step,
        .out_inner = out->inner_stride,
        .per_outer = per_outer,
        .inner = (uint32_t)axis->inner,
        .before = before,
        .length = axis->n,
        .inverse = axis->is_inverse,
    };
}

yoke_status yops_fft_add_pass(yops_fft *f, const yops_fft_axis *axis, const yops_fft_factor *factor, uint32_t before,
                              const yops_fft_lines *in, const yops_fft_lines *out, double scale)
{
    yops_fft_step *step = yops_fft_add(f);
    uint64_t per_outer = (uint64_t)(axis->n / factor->length) * (uint64_t)axis->inner;
    if (!step)
        return YOKE_E_RANGE;
    if (per_outer > INT32_MAX)
        return yops_fail(&f->call, YOKE_E_RANGE, "%llu transforms of %u points lie side by side: more than 2^31 - 1",
                         (unsigned long long)per_outer, (unsigned)factor->length);
    uint32_t width = get_width(f, factor->length, per_outer * (uint64_t)axis->outer);
    step->in = in->root;
    step->out = out->root;
    step->outer = axis->outer;
    if (takes_blocks(f, factor->length, width)) {
        step->width = width;
        step->threads = get_threads(factor->length * width, f->is_wide);
    } else {
        /* OpenCL has vectors of 32 bytes. */
        bool has_vectors = f->traits.is_cpu && yoke_device_get_language(f->call.device) == YOKE_LANGUAGE_OPENCL;
        step->lanes = has_vectors ? (f->is_wide ? 4 : 8) : 1;
        step->threads = f->traits.is_cpu ? 1 : 32;
        /* Of a tile, fft_cpu.yk goes through all elements up to 4 times, beside its stages. One tile is never too long:
         * tests/ops/rounds.c has the longest. */
        uint64_t rounds = (7 + factor->stages) * (uint64_t)(factor->length + 16) * step->lanes;
        uint64_t most = yops_fit_rounds(&f->traits, factor->length, rounds);
        step->most_each = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    }
    step->pass = yops_fft_make_pass(axis, in, out, (uint32_t)per_outer, before);
    step->pass.in_rows = by_rows(axis, factor->length, in, in->step * (axis->n / factor->length), false, before);
    step->pass.out_rows = by_rows(axis, factor->length, out, out->step * before, true, before);
    yops_fft_set_scale(f, &step->pass, scale);
    yops_fft_set_angle(f, &step->pass, 2, factor->length);
    yops_fft_set_angle(f, &step->pass, 4, before * factor->length);
    return find_kernel(f, step, factor, in->kind, out->kind);
}
