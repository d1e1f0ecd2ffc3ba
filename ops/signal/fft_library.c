/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms that go to a vendor's library: what of a transform it can be told, and what is left to do around it. */
#include <yoke/library.h>

#include "map/elementwise.h"
#include "fft.h"
#include "cufft.h"

/* The axes that are longer than 1, from the outermost; the halved one stays the last. Their order does not matter to the result. */
static int32_t sort_axes(const yops_fft_problem *problem, const yoke_array *longer, bool is_half, int32_t *out_axes)
{
    int32_t rank = 0, sorted = (int32_t)problem->axis_count - (is_half ? 1 : 0);
    for (int32_t i = 0; i < sorted; i++) {
        int32_t axis = problem->axes[i], at = rank;
        if (longer->shape[axis] == 1)
            continue;
        for (; at > 0 && problem->a.strides[out_axes[at - 1]] < problem->a.strides[axis]; at--)
            out_axes[at] = out_axes[at - 1];
        out_axes[at] = axis;
        rank++;
    }
    if (is_half)
        out_axes[rank++] = problem->axes[sorted];
    return rank;
}

/* False: the strides are none that a library knows. It judges the axes' strides itself. */
static bool describe(const yops_fft_problem *problem, yops_vendor_fft_plan *plan)
{
    bool to_half = !yops_is_complex(problem->a.dtype), from_half = !yops_is_complex(problem->out.dtype);
    const yoke_array *longer = from_half ? &problem->out : &problem->a;
    bool is_transformed[YOKE_MAX_DIMENSIONS] = { false };
    int32_t axes[3];
    *plan = (yops_vendor_fft_plan){ .kind = to_half     ? YOPS_FFT_R2C
                                            : from_half ? YOPS_FFT_C2R
                                                        : YOPS_FFT_C2C,
                                    .inverse = problem->is_inverse,
                                    .wide = yops_needs_f64(problem->a.dtype),
                                    .batch = 1 };
    plan->rank = sort_axes(problem, longer, to_half || from_half, axes);
    for (size_t i = 0; i < problem->axis_count; i++)
        is_transformed[problem->axes[i]] = true;
    for (int32_t i = 0; i < longer->dimensions; i++)
        plan->batch *= is_transformed[i] ? 1 : longer->shape[i];
    for (int32_t i = 0; i < plan->rank; i++) {
        plan->lengths[i] = longer->shape[axes[i]];
        plan->in.strides[i] = problem->a.strides[axes[i]];
        plan->out.strides[i] = problem->out.strides[axes[i]];
    }
    /* The other axes are the batch, if they are one. */
    int32_t dimensions = longer->dimensions;
    bool fits = plan->rank > 0 && yops_fft_join(&problem->a, 0, dimensions, is_transformed, &plan->in.distance) &&
                yops_fft_join(&problem->out, 0, dimensions, is_transformed, &plan->out.distance);
    if (fits && plan->batch == 1) { /* one transform: its end is where the next would begin */
        plan->in.distance = plan->in.strides[0] * problem->a.shape[axes[0]];
        plan->out.distance = plan->out.strides[0] * problem->out.shape[axes[0]];
    }
    return fits;
}

/* Complex numbers have to be aligned whole, also in memory that Yoke has not allocated; and real ones like them. */
static bool is_aligned(const yoke_array *array, const yops_place *place)
{
    size_t real = yoke_dtype_get_size(array->dtype) / (yops_is_complex(array->dtype) ? 2 : 1);
    return yoke_buffer_get_misalignment(place->root) % (2 * real) == 0 && (yops_is_complex(array->dtype) || place->origin % 2 == 0);
}

/* What multiplies the result, which the library leaves as it is; compiled before the library writes anything. */
static yoke_status prepare_scaling(const yops_call *call, const yops_fft_problem *problem, yops_map *out_map)
{
    bool is_complex = yops_is_complex(problem->out.dtype);
    yoke_number factor =
        yops_needs_f64(problem->out.dtype) ? yoke_number_f64(problem->scale) : yoke_number_f32((float)problem->scale);
    yoke_var vars[] = { yoke_var_array("out", problem->out), yoke_var_scalar("factor", factor) };
    const char *text = is_complex ? "out = complex(real(out) * factor, imag(out) * factor)" : "out = out * factor";
    out_map->kernel = NULL;
    return problem->scale == 1 ? YOKE_OK : yops_map_prepare(call, text, vars, YOPS_COUNT_OF(vars), out_map);
}

/* ---- Half a spectrum ---- */

/* The elements 0 and n / 2 of the halved axis, n being the length of the real data; of an odd n only the first. */
static yoke_array get_planes(const yops_fft_problem *problem, const yoke_array *half)
{
    int32_t axis = problem->axes[problem->axis_count - 1];
    int64_t n = problem->out.shape[axis];
    return n % 2 == 0 ? yoke_array_slice(*half, axis, 0, YOKE_SLICE_END, n / 2) : yoke_array_slice(*half, axis, 0, 1, 1);
}

/* Narrow both to where `part` says: along each axis but the halved one the element 0 (its bit is 0), which is its own mirror image,
 * or those from 1 on, which are backwards in `mirrored`. */
static void take_part(const yops_fft_problem *problem, unsigned part, yoke_array *array, yoke_array *mirrored)
{
    for (size_t i = 0; i + 1 < problem->axis_count; i++) {
        int32_t axis = problem->axes[i];
        bool behind = part >> i & 1u;
        *array = yoke_array_slice(*array, axis, behind, behind ? YOKE_SLICE_END : 1, 1);
        *mirrored = behind ? yoke_array_slice(*mirrored, axis, YOKE_SLICE_END, 0, -1) : yoke_array_slice(*mirrored, axis, 0, 1, 1);
    }
}

/* What numpy.fft reads of half a spectrum that is none of real data: of the elements 0 and n / 2 along the halved axis it takes the
 * real parts, after the transforms along the other axes; so the part before these that is symmetric, the mean of an element and its
 * mirror image's conjugate. Libraries differ in what they read there. Elements that are symmetric keep their bits. */
static yoke_status make_symmetric(const yops_call *call, const yops_fft_problem *problem, const yoke_array *copy)
{
    static const char text[] = "p = complex(real(a) * 0.5f + real(b) * 0.5f, imag(a) * 0.5f - imag(b) * 0.5f)";
    yoke_array from = get_planes(problem, &problem->a), to = get_planes(problem, copy);
    yoke_status status = YOKE_OK;
    for (unsigned part = 0; status == YOKE_OK && part < 1u << (problem->axis_count - 1); part++) {
        yoke_array a = from, b = from, p = to, unused = to;
        take_part(problem, part, &a, &b);
        take_part(problem, part, &p, &unused);
        yoke_var vars[] = { yoke_var_array("p", p), yoke_var_array("a", a), yoke_var_array("b", b) };
        yops_map map;
        status = yops_map_prepare(call, text, vars, YOPS_COUNT_OF(vars), &map);
        if (status == YOKE_OK)
            status = yops_map_launch(&map);
    }
    return status;
}

/* The input as a dense copy, which the library may overwrite. */
static yoke_status copy_input(const yops_call *call, const yops_fft_problem *problem, yoke_array *out_copy)
{
    const yoke_array *a = &problem->a;
    yoke_buffer *buffer = NULL;
    yoke_status status = yops_temporary(call, (uint64_t)yoke_array_get_size(a) * yoke_dtype_get_size(a->dtype), &buffer);
    if (status < 0)
        return status;
    yoke_array copy = yoke_array_nd(buffer, a->dtype, a->dimensions, a->shape);
    status = yoke_assign_at(call->where, call->stream, &copy, a);
    if (status == YOKE_OK)
        status = make_symmetric(call, problem, &copy);
    if (status < 0)
        yoke_buffer_release(buffer);
    else
        *out_copy = copy;
    return status;
}

/* The transform, whose input may be overwritten; as yops_vendor_fft. */
static bool run(const yops_call *call, const yops_fft_problem *problem, yoke_status *out_status)
{
    yops_vendor_fft_plan plan;
    yops_place in = { 0 }, out = { 0 };
    yops_map scaling;
    bool fits = describe(problem, &plan) && yops_vendor_fft_knows(&plan) &&
                yops_check_input(call, "a", &problem->a, &in) == YOKE_OK &&
                yops_check_input(call, "out", &problem->out, &out) == YOKE_OK && is_aligned(&problem->a, &in) &&
                is_aligned(&problem->out, &out);
    if (!fits)
        return false;
    *out_status = prepare_scaling(call, problem, &scaling);
    if (*out_status < 0)
        return true;
    if (!yops_vendor_fft(call, &plan, &in, &out, out_status))
        return false;
    if (*out_status == YOKE_OK)
        *out_status = yops_map_launch(&scaling);
    return true;
}

bool yops_fft_run_by_library(const yops_call *call, const yops_fft_problem *problem, yoke_status *out_status)
{
    yops_fft_problem p = *problem;
    yops_vendor_fft_plan plan;
    *out_status = YOKE_OK;
    if (problem->is_exact || yops_fft_kernels || !describe(problem, &plan) || !yops_vendor_fft_is_there(call))
        return false;
    if (plan.kind != YOPS_FFT_C2R)
        return run(call, problem, out_status);
    *out_status = copy_input(call, problem, &p.a);
    if (*out_status < 0)
        return true;
    bool taken = run(call, &p, out_status);
    yoke_buffer_release(p.a.buffer);
    return taken;
}
