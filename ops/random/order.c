/* SPDX-License-Identifier: Apache-2.0 */
/* Random order: permutations are the order that sorts random words, and a shuffle gathers by one. */
#include "random.h"

static yoke_status check_indices(const yops_call *call, const yoke_array *indices)
{
    int64_t n = indices->dimensions > 0 ? indices->shape[indices->dimensions - 1] : 1;
    yoke_status status = yops_check_positions(call, "indices", indices->dtype, n > 0 ? (uint64_t)n - 1 : 0);
    if (status == YOKE_OK && indices->dimensions == 0)
        status = yops_fail(call, YOKE_E_INVALID_ARGUMENT, "indices has the shape (): it has no axis to permute");
    return status;
}

/* The words, one for each index, in a buffer that the caller releases; `r` describes the array. */
static yoke_status make_words(const yops_random *r, yoke_array *out_words)
{
    yops_random of_words = *r;
    yoke_buffer *buffer = NULL;
    uint64_t count = (uint64_t)yoke_array_get_size(r->out);
    yoke_status status = count > UINT64_MAX / 8
                             ? yops_fail(&r->call, YOKE_E_OUT_OF_DEVICE_MEMORY, "temporary memory exceeds the address space")
                             : yops_temporary(&r->call, 8 * count, &buffer);
    if (status < 0)
        return status;
    *out_words = yoke_array_nd(buffer, YOKE_U64, r->out->dimensions, r->out->shape);
    of_words.out = out_words;
    of_words.place = (yops_place){ .root = buffer, .last = 8 * count - 1 };
    of_words.range = 0;
    status = yops_random_run(&of_words);
    if (status < 0) {
        yoke_buffer_release(buffer);
        out_words->buffer = NULL;
    }
    return status;
}

static yoke_status permute(const yops_random *r)
{
    yoke_array words;
    if (yoke_array_get_size(r->out) == 0)
        return YOKE_OK;
    yoke_status status = make_words(r, &words);
    if (status < 0)
        return status;
    status = yoke_argsort_at(r->call.where, r->call.stream, YOKE_SORT_ASCENDING, r->out, &words);
    yoke_buffer_release(words.buffer);
    return status;
}

yoke_status yoke_random_permutation_at(const char *where, yoke_stream *stream, const yoke_array *indices, uint64_t seed,
                                       uint64_t offset, const yoke_random_options *options)
{
    yops_random r = { .kind = YOPS_RANDOM_PERMUTATION, .seed = seed, .offset = offset };
    yoke_status status = yops_random_begin(&r, "yoke_random_permutation", where, stream, "indices", indices, options);
    if (status == YOKE_OK)
        status = check_indices(&r.call, indices);
    return status < 0 ? status : permute(&r);
}

/* ---- Shuffle ---- */

static yoke_status check_shuffle(const yops_random *r, const yoke_array *a, int32_t axis)
{
    yops_place place;
    bool named[YOKE_MAX_DIMENSIONS];
    yoke_status status = yops_check_input(&r->call, "a", a, &place);
    if (status == YOKE_OK)
        status = yops_check_same_shape(&r->call, "out", r->out, "a", a);
    if (status == YOKE_OK && r->out->dtype != a->dtype)
        status = yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT, "out has the dtype %s, and a has the dtype %s: they must be the same",
                           yoke_dtype_get_name(r->out->dtype), yoke_dtype_get_name(a->dtype));
    if (status == YOKE_OK)
        status = yops_check_axes(&r->call, a->dimensions, &axis, 1, named);
    if (status == YOKE_OK)
        status = yops_check_overlap(&r->call, "out", r->out, &r->place, "a", a, &place, false);
    return status;
}

yoke_status yoke_random_shuffle_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, int32_t axis,
                                   uint64_t seed, uint64_t offset, const yoke_random_options *options)
{
    yops_random r = { .kind = YOPS_RANDOM_PERMUTATION, .seed = seed, .offset = offset };
    yoke_buffer *buffer;
    yoke_array indices;
    yoke_status status = yops_random_begin(&r, "yoke_random_shuffle", where, stream, "out", out, options);
    if (status == YOKE_OK)
        status = check_shuffle(&r, a, axis);
    if (status < 0 || yoke_array_get_size(out) == 0)
        return status;
    int64_t extent = out->shape[axis];
    status = yops_temporary(&r.call, 8 * (uint64_t)extent, &buffer);
    if (status < 0)
        return status;
    indices = yoke_array_1d(buffer, extent > INT32_MAX ? YOKE_I64 : YOKE_I32, extent);
    r.out = &indices;
    status = permute(&r);
    if (status == YOKE_OK)
        status = yoke_gather_at(where, stream, out, a, &indices, axis);
    yoke_buffer_release(buffer);
    return status;
}
