/* SPDX-License-Identifier: Apache-2.0 */
/* The transforms along one axis: passes one after the other through temporary arrays, or a convolution where n has a large prime.
 */
#include <stdio.h>

#include <yoke/library.h>

#include "fft.h"

/* A dense array of the call's complex dtype: [outer][n][inner]. */
static yops_fft_lines get_dense(yoke_buffer *buffer, uint32_t n, int64_t inner)
{
    return (yops_fft_lines){ buffer, 0, n * inner, inner, 1, YOPS_FFT_COMPLEX };
}

static yoke_status take_dense(yops_fft *f, const yops_fft_axis *axis, yops_fft_lines *out_lines)
{
    yoke_buffer *buffer = NULL;
    uint64_t size = (uint64_t)axis->outer * axis->n * (uint64_t)axis->inner * yoke_dtype_get_size(f->complex_dtype);
    yoke_status status = yops_fft_take(f, size, &buffer);
    *out_lines = get_dense(buffer, axis->n, axis->inner);
    return status;
}

static yoke_status add_passes(yops_fft *f, const yops_fft_axis *axis, const yops_fft_plan *plan, const yops_fft_lines *in,
                              const yops_fft_lines *out)
{
    yops_fft_lines from = *in, to;
    uint32_t before = 1;
    yoke_status status = YOKE_OK;
    for (uint32_t i = 0; status == YOKE_OK && i < plan->count; i++) {
        bool is_last = i + 1 == plan->count;
        to = *out;
        if (!is_last)
            status = take_dense(f, axis, &to);
        if (status == YOKE_OK)
            status = yops_fft_add_pass(f, axis, &plan->pass[i], before, &from, &to, is_last ? axis->scale : 1.0);
        if (i > 0)
            yops_fft_give(f, from.root);
        before *= plan->pass[i].length;
        from = to;
    }
    return status;
}

/* ---- Bluestein ---- */

static yoke_status add_part(yops_fft *f, const yops_fft_axis *axis, const char *name, const yops_fft_lines *in,
                            const yops_fft_lines *out, uint32_t m, uint64_t per_outer)
{
    char options[96];
    yops_fft_step *step = yops_fft_add(f);
    if (!step)
        return YOKE_E_RANGE;
    if (per_outer > INT32_MAX)
        return yops_fail(&f->call, YOKE_E_RANGE, "%llu points lie side by side: more than 2^31 - 1", (unsigned long long)per_outer);
    step->in = in ? in->root : NULL;
    step->out = out->root;
    step->outer = in ? axis->outer : 1;
    step->width = step->threads = f->traits.is_cpu ? 64 : 128;
    step->pass = yops_fft_make_pass(axis, in, out, (uint32_t)per_outer, m);
    yops_fft_set_angle(f, &step->pass, 4, 2 * axis->n);
    yops_fft_set_scale(f, &step->pass, in ? axis->scale : 1.0 / m);
    yops_write(options, sizeof options, "WIDE=%d INPUT=%d OUTPUT=%d%s", f->is_wide, in ? (int)in->kind : 0,
               yops_fft_get_output(out->kind), f->is_wide ? " NEED_F64=1" : "");
    return yops_kernel(&f->call, "fft_bluestein", options, name, &step->kernel);
}

/* The transform of the chirp's conjugate: [m]. */
static yoke_status add_filter(yops_fft *f, const yops_fft_axis *axis, uint32_t m, yops_fft_lines *out_filter)
{
    yops_fft_axis one = { 1, 1, axis->n, false, 1.0 }, whole = { 1, 1, m, false, 1.0 };
    yops_fft_plan plan = yops_fft_make_plan(m, f->is_wide, false);
    yops_fft_lines chirp;
    yoke_status status = take_dense(f, &whole, &chirp);
    if (status == YOKE_OK)
        status = take_dense(f, &whole, out_filter);
    if (status == YOKE_OK)
        status = add_part(f, &one, "chirp_filter", NULL, &chirp, m, m);
    if (status == YOKE_OK)
        status = add_passes(f, &whole, &plan, &chirp, out_filter);
    yops_fft_give(f, chirp.root);
    return status;
}

static yoke_status add_product(yops_fft *f, const yops_fft_axis *axis, uint32_t m, const yops_fft_lines *values,
                               const yops_fft_lines *filter)
{
    int64_t shape[] = { axis->outer, m, axis->inner };
    yoke_array target = yoke_array_nd(values->root, f->complex_dtype, 3, shape);
    yoke_array source = yoke_array_2d(filter->root, f->complex_dtype, m, 1);
    return yops_fft_add_operation(f, YOPS_FFT_PRODUCT, &target, &target, &source);
}

static yoke_status add_bluestein(yops_fft *f, const yops_fft_axis *axis, const yops_fft_lines *in, const yops_fft_lines *out)
{
    uint32_t m = 1;
    while (m < 2 * axis->n - 1)
        m *= 2;
    if (m > YOPS_FFT_MOST_LENGTH)
        return yops_fail(&f->call, YOKE_E_RANGE, "transforms of %u points, which has a prime factor above 13, are longer than 2^28",
                         (unsigned)axis->n);
    yops_fft_axis forward = { axis->outer, axis->inner, m, false, 1.0 }, back = { axis->outer, axis->inner, m, true, 1.0 };
    yops_fft_plan plan = yops_fft_make_plan(m, f->is_wide, axis->inner > 1);
    yops_fft_lines a = { 0 }, b = { 0 }, filter = { 0 };
    yoke_status status = add_filter(f, axis, m, &filter);
    if (status == YOKE_OK)
        status = take_dense(f, &forward, &a);
    if (status == YOKE_OK)
        status = take_dense(f, &forward, &b);
    yops_fft_lines begun = a;
    if (status == YOKE_OK)
        status = add_part(f, axis, "chirp_begin", in, &begun, m, (uint64_t)m * (uint64_t)axis->inner);
    if (status == YOKE_OK)
        status = add_passes(f, &forward, &plan, &a, &b);
    if (status == YOKE_OK)
        status = add_product(f, axis, m, &b, &filter);
    if (status == YOKE_OK)
        status = add_passes(f, &back, &plan, &b, &a);
    if (status == YOKE_OK)
        status = add_part(f, axis, "chirp_end", &a, out, m, (uint64_t)axis->n * (uint64_t)axis->inner);
    yops_fft_give(f, a.root);
    yops_fft_give(f, b.root);
    yops_fft_give(f, filter.root);
    return status;
}

/* ---- Real data of even length ---- */

/* Real elements as pairs; as complex elements, where they lie so. */
static yops_fft_lines get_pairs(const yops_fft_lines *real, bool is_wide)
{
    yops_fft_lines pairs = *real;
    size_t size = is_wide ? 2 * sizeof(double) : 2 * sizeof(float);
    pairs.step *= 2;
    pairs.kind = YOPS_FFT_PAIRS;
    if (real->step != 1 || (real->origin | real->outer_stride | real->inner_stride) % 2 != 0 ||
        yoke_buffer_get_misalignment(real->root) % size != 0)
        return pairs;
    return (yops_fft_lines){ real->root,     real->origin / 2,       real->outer_stride / 2,
                             pairs.step / 2, real->inner_stride / 2, YOPS_FFT_COMPLEX };
}

/* Between the transform of the pairs and half the spectrum: fft_real.yk. `axis` is that of the pairs. */
static yoke_status add_conversion(yops_fft *f, const yops_fft_axis *axis, const char *name, const yops_fft_lines *in,
                                  const yops_fft_lines *out, double scale)
{
    yops_fft_step *step = yops_fft_add(f);
    uint64_t per_outer = (axis->n / 2 + 1) * (uint64_t)axis->inner;
    if (!step)
        return YOKE_E_RANGE;
    if (per_outer > INT32_MAX)
        return yops_fail(&f->call, YOKE_E_RANGE, "%llu points lie side by side: more than 2^31 - 1", (unsigned long long)per_outer);
    step->in = in->root;
    step->out = out->root;
    step->outer = axis->outer;
    step->width = step->threads = f->traits.is_cpu ? 64 : 128;
    step->pass = yops_fft_make_pass(axis, in, out, (uint32_t)per_outer, 1);
    yops_fft_set_angle(f, &step->pass, 4, 2 * axis->n);
    yops_fft_set_scale(f, &step->pass, scale);
    return yops_kernel(&f->call, "fft_real", f->is_wide ? "WIDE=1 NEED_F64=1" : "WIDE=0", name, &step->kernel);
}

/* By a transform of half the length. */
static yoke_status add_real(yops_fft *f, const yops_fft_axis *axis, const yops_fft_lines *in, const yops_fft_lines *out)
{
    bool is_forward = in->kind == YOPS_FFT_REAL;
    yops_fft_axis half = { axis->outer, axis->inner, axis->n / 2, axis->is_inverse, is_forward ? 1.0 : axis->scale };
    yops_fft_lines pairs = get_pairs(is_forward ? in : out, f->is_wide), spectrum = { 0 };
    yoke_status status = take_dense(f, &half, &spectrum);
    if (status == YOKE_OK && !is_forward)
        status = add_conversion(f, &half, "pairs_from_real", in, &spectrum, 1.0);
    if (status == YOKE_OK)
        status = yops_fft_add_axis(f, &half, is_forward ? &pairs : &spectrum, is_forward ? &spectrum : &pairs);
    if (status == YOKE_OK && is_forward)
        status = add_conversion(f, &half, "real_from_pairs", &spectrum, out, axis->scale / 2);
    yops_fft_give(f, spectrum.root);
    return status;
}

/* Real data in one pass is read and written once: half the length would be twice. */
yoke_status yops_fft_add_axis(yops_fft *f, const yops_fft_axis *axis, const yops_fft_lines *in, const yops_fft_lines *out)
{
    yops_fft_plan plan = yops_fft_make_plan(axis->n, f->is_wide, axis->inner > 1);
    if (axis->n % 2 == 0 && plan.count != 1 && (in->kind == YOPS_FFT_REAL || out->kind == YOPS_FFT_REAL))
        return add_real(f, axis, in, out);
    return plan.count > 0 ? add_passes(f, axis, &plan, in, out) : add_bluestein(f, axis, in, out);
}
