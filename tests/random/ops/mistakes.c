/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are wrong: one array of a step is made so that every operation has to refuse it, before it enqueues anything. */
#include "model.h"

enum {
    NO_MISTAKE,
    NO_DTYPE,
    UNKNOWN_DTYPE,
    TOO_MANY_DIMENSIONS,
    FEWER_THAN_NONE,
    NEGATIVE_EXTENT,
    BEYOND_THE_END, /* from here on of an array that has elements */
    FAR_STRIDE,
    REPEATED_OUTPUT, /* an output, several elements of which lie at one place */
    SHIFTED_OUTPUT,  /* an output that lies one element beside an input */
    NO_STREAM,
    MISTAKES
};

/* An axis with more than one element, or -1. */
static int32_t long_axis(const yoke_array *a)
{
    for (int32_t i = 0; i < a->dimensions; i++)
        if (a->shape[i] > 1)
            return i;
    return -1;
}

static bool shift_output(step *s)
{
    operand *out = &s->a[0], *in = &s->a[1];
    if (!out->is_out || !in->slab || in->is_out || out->slab == in->slab || out->count < 2 || out->array.dtype != in->array.dtype ||
        out->array.dimensions != in->array.dimensions || !yoke_array_is_contiguous(&in->array))
        return false;
    for (int32_t i = 0; i < in->array.dimensions; i++)
        if (in->array.shape[i] != out->array.shape[i])
            return false;
    out->array = in->array;
    out->array.offset += yoke_dtype_get_size(in->array.dtype);
    out->slab = in->slab;
    return true;
}

/* The last axis of a wrong array is far away: an output's first, since an input of one element may be broadcast. */
static bool spoil(model *m, step *s, operand *o)
{
    yoke_array *a = &o->array;
    int32_t axis = long_axis(a);
    switch (s->broken) {
    case NO_DTYPE:
        a->dtype = 0;
        return true;
    case UNKNOWN_DTYPE:
        a->dtype = YK_DTYPE_COUNT + (int32_t)draw(m, 100);
        return true;
    case TOO_MANY_DIMENSIONS:
        a->dimensions = YOKE_MAX_DIMENSIONS + 1 + (int32_t)draw(m, 3);
        return true;
    case FEWER_THAN_NONE:
        a->dimensions = -1;
        return true;
    case NEGATIVE_EXTENT:
        if (a->dimensions == 0)
            return false;
        a->shape[draw(m, (uint32_t)a->dimensions)] = -1;
        return true;
    case BEYOND_THE_END:
        a->offset += chance(m, 50) ? o->slab->size + 2 * GUARD : UINT64_C(1) << 40;
        a->offset -= a->offset % 16;
        return o->count > 0;
    case FAR_STRIDE:
        if (axis >= 0)
            a->strides[axis] = chance(m, 50) ? INT64_C(1) << 40 : -(INT64_C(1) << 40);
        return axis >= 0 && o->count > 0;
    case REPEATED_OUTPUT:
        if (axis >= 0)
            a->strides[axis] = 0;
        return axis >= 0 && o->count > 0 && o->is_out && !o->only_read;
    case SHIFTED_OUTPUT:
        return shift_output(s);
    default:
        return true;
    }
}

bool mistake_draw(model *m, step *s)
{
    int k = (int)draw(m, MOST_ARRAYS);
    if (!s->a[k].slab)
        return false;
    for (int other = 0; other < MOST_ARRAYS; other++) /* in place: both would have to be the same */
        if (other != k && s->a[other].slab == s->a[k].slab)
            return false;
    s->broken = 1 + (int32_t)draw(m, MISTAKES - 1);
    return spoil(m, s, &s->a[k]);
}

yoke_status mistake_call(yoke_stream *stream, const step *s)
{
    return s->v->op->call(s->broken == NO_STREAM ? NULL : stream, s);
}

bool mistake_suits(const step *s, yoke_status status)
{
    bool range = s->broken == BEYOND_THE_END || s->broken == FAR_STRIDE;
    return (status == YOKE_E_INVALID_ARGUMENT || (range && status == YOKE_E_RANGE)) && yoke_error()->status == status &&
           yoke_error()->text[0];
}
