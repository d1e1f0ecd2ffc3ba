/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the model of random operations: slabs with guards, arrays as views of them in any layout, and what they hold. */
#include "model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Slabs ---- */

bool memory_begin(model *m, size_t size)
{
    for (unsigned i = 0; i < SLABS; i++) {
        slab *b = &m->slabs[i];
        b->size = size;
        b->stream = -1;
        b->shadow = memory_new(size + 2 * GUARD);
        fill_random(b->shadow, size + 2 * GUARD, m->seed + i);
        if (!CHECK_OK(yoke_buffer_create(m->t->device, size + 2 * GUARD, &b->whole)) ||
            !CHECK_OK(yoke_buffer_create_view(b->whole, GUARD, size, &b->view)) ||
            !CHECK_OK(yoke_write_sync(m->t->side, b->whole, 0, b->shadow, size + 2 * GUARD)))
            return false;
    }
    return true;
}

void memory_end(model *m)
{
    forget(m);
    free(m->blocks);
    m->blocks = NULL;
    m->block_room = 0;
    for (unsigned i = 0; i < SLABS; i++) {
        yoke_buffer_release(m->slabs[i].view);
        yoke_buffer_release(m->slabs[i].whole);
        if (m->slabs[i].shadow)
            memory_free(m->slabs[i].shadow);
    }
}

static slab *find_slab(model *m, const step *s)
{
    for (;;) {
        slab *b = &m->slabs[draw(m, SLABS)];
        bool used = false;
        for (int k = 0; k < MOST_ARRAYS; k++)
            used |= s->a[k].slab == b;
        if (!used)
            return b;
    }
}

void *remember(model *m, size_t size)
{
    if (m->block_count == m->block_room) {
        m->block_room = 2 * m->block_room + 64;
        m->blocks = realloc(m->blocks, m->block_room * sizeof *m->blocks);
        if (!m->blocks)
            tap_bail("no host memory");
    }
    return m->blocks[m->block_count++] = memory_new(size);
}

void forget(model *m)
{
    while (m->block_count > 0)
        memory_free(m->blocks[--m->block_count]);
}

/* ---- Shapes and layouts ---- */

int64_t size_of(int32_t dimensions, const int64_t *shape)
{
    int64_t count = 1;
    for (int32_t i = 0; i < dimensions; i++)
        count *= shape[i];
    return count;
}

void draw_shape(model *m, int32_t least, int32_t most, yoke_array *shape)
{
    int32_t dimensions = chance(m, 85) ? (int32_t)draw(m, 4) : (int32_t)draw(m, YOKE_MAX_DIMENSIONS + 1);
    int64_t left = chance(m, 70) ? 300 : m->largest;
    dimensions = dimensions < least ? least : dimensions > most ? most : dimensions;
    memset(shape, 0, sizeof *shape);
    shape->dimensions = dimensions;
    for (int32_t i = 0; i < dimensions; i++) {
        int64_t limit = left < 2 ? 1 : i == dimensions - 1 || left < 4 ? left : chance(m, 70) ? 1 + left / 8 : left / 2;
        uint32_t dice = draw(m, 100);
        shape->shape[i] = dice < 2 ? 0 : dice < 12 ? 1 : draw_between(m, 1, limit);
        left /= shape->shape[i] > 0 ? shape->shape[i] : 1;
    }
    for (int32_t i = dimensions - 1; i > 0; i--) { /* the long axes anywhere */
        uint32_t j = draw(m, (uint32_t)i + 1);
        int64_t kept = shape->shape[i];
        shape->shape[i] = shape->shape[j];
        shape->shape[j] = kept;
    }
}

/* How axis i of a view is taken from an axis of its parent. */
typedef struct cut {
    int64_t start, step, extent; /* of the parent */
} cut;

static void draw_cuts(model *m, int32_t dimensions, const int64_t *shape, cut *cuts)
{
    bool plain = chance(m, 45);
    for (int32_t i = 0; i < dimensions; i++) {
        cut *c = &cuts[i];
        *c = (cut){ 0, 1, shape[i] };
        if (plain || shape[i] == 0)
            continue;
        c->step = chance(m, 25) ? 2 + (int64_t)draw(m, 2) : 1;
        c->extent = (shape[i] - 1) * c->step + 1;
        c->start = chance(m, 20) ? (int64_t)draw(m, 3) : 0;
        c->extent += c->start + (chance(m, 20) ? (int64_t)draw(m, 3) : 0);
        if (chance(m, 25)) {
            c->start += (shape[i] - 1) * c->step;
            c->step = -c->step;
        }
    }
}

/* The same array as by arithmetic of the model's own. */
static void check_view(model *m, const yoke_array *got, const yoke_array *wanted)
{
    bool same = got->dtype == wanted->dtype && got->dimensions == wanted->dimensions &&
                (got->offset == wanted->offset || yoke_array_get_size(wanted) == 0) && got->buffer == wanted->buffer;
    for (int32_t i = 0; same && i < wanted->dimensions; i++)
        same = got->shape[i] == wanted->shape[i] && (got->strides[i] == wanted->strides[i] || wanted->shape[i] < 2);
    if (!same && !m->disagrees) {
        m->disagrees = true;
        tap_diag("a view of views is another array than the model's: dtype %s, %d dimensions, first extents %lld and %lld",
                 yoke_dtype_get_name(wanted->dtype), wanted->dimensions, (long long)got->shape[0], (long long)wanted->shape[0]);
    }
}

/* The view by the library's functions: slices of a parent, an axis more that is taken away again, and a transpose. */
static void view_by_library(model *m, const yoke_array *parent, const int32_t *order, const cut *cuts, const yoke_array *wanted)
{
    yoke_array x = *parent;
    int32_t n = wanted->dimensions;
    int64_t one[YOKE_MAX_DIMENSIONS];
    for (int32_t i = 0; i < n; i++) {
        const cut *c = &cuts[order[i]];
        int64_t count = wanted->shape[order[i]], stop = c->start + count * c->step;
        if (count > 0)
            x = yoke_array_slice(x, i, c->start, stop < 0 ? YOKE_SLICE_END : stop, c->step);
    }
    if (n < YOKE_MAX_DIMENSIONS && chance(m, 30)) {
        int32_t at = (int32_t)draw(m, (uint32_t)n + 1);
        x = yoke_array_index(yoke_array_expand(x, at), at, chance(m, 50) ? 0 : -1);
    }
    int32_t axes[YOKE_MAX_DIMENSIONS] = { 0 };
    for (int32_t i = 0; i < n; i++)
        axes[order[i]] = i;
    x = yoke_array_transpose(x, axes);
    memcpy(one, x.shape, sizeof one);
    x = yoke_array_broadcast(x, n, one);
    if (yoke_array_is_contiguous(&x)) {
        const int64_t line[] = { -1 };
        int64_t count = yoke_array_get_size(&x);
        if (count > 0)
            x = yoke_array_reshape(yoke_array_reshape(x, 1, line), n, one);
    }
    check_view(m, &x, wanted);
}

static bool lay_out(model *m, operand *o, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    cut cuts[YOKE_MAX_DIMENSIONS];
    int32_t order[YOKE_MAX_DIMENSIONS]; /* axis order[i] of the view is axis i of the parent */
    size_t size = yoke_dtype_get_size(dtype);
    yoke_array a = { .dtype = dtype, .dimensions = dimensions }, parent = a;
    bool plain = chance(m, 55);
    draw_cuts(m, dimensions, shape, cuts);
    for (int tries = 0;; tries++) {
        int64_t total = 1;
        for (int32_t i = 0; i < dimensions; i++)
            total *= cuts[i].extent;
        if ((uint64_t)total * size <= o->slab->size - 8 * size)
            break;
        if (tries)
            return false;
        for (int32_t i = 0; i < dimensions; i++)
            cuts[i] = (cut){ 0, 1, shape[i] };
    }
    for (int32_t i = 0; i < dimensions; i++)
        order[i] = i;
    for (int32_t i = dimensions - 1; !plain && i > 0; i--) {
        uint32_t j = draw(m, (uint32_t)i + 1);
        int32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int32_t i = 0; i < dimensions; i++)
        parent.shape[i] = cuts[order[i]].extent;
    int64_t stride = 1, first = 0;
    for (int32_t i = dimensions - 1; i >= 0; i--) {
        const cut *c = &cuts[order[i]];
        parent.strides[i] = stride;
        a.shape[order[i]] = shape[order[i]];
        a.strides[order[i]] = stride * c->step;
        first += stride * c->start;
        stride *= c->extent > 0 ? c->extent : 1;
    }
    bool whole = chance(m, 25);
    a.buffer = parent.buffer = whole ? o->slab->whole : o->slab->view;
    parent.offset = (whole ? GUARD : 0) + (chance(m, 60) ? 0 : size * draw(m, 8));
    a.offset = parent.offset + (uint64_t)first * size;
    o->array = a;
    o->count = size_of(dimensions, shape);
    view_by_library(m, &parent, order, cuts, &a);
    return true;
}

/* ---- Arrays of a step ---- */

static bool add(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    operand *o = &s->a[k];
    memset(o, 0, sizeof *o);
    o->slab = find_slab(m, s);
    if (lay_out(m, o, dtype, dimensions, shape))
        return true;
    o->slab = NULL;
    return false;
}

bool add_out(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    if (!add(m, s, k, dtype, dimensions, shape))
        return false;
    s->a[k].is_out = true;
    return true;
}

bool add_fresh(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    if (!add(m, s, k, dtype, dimensions, shape))
        return false;
    s->a[k].fresh = remember(m, s->a[k].slab->size);
    fill_random(s->a[k].fresh, s->a[k].slab->size, draw(m, UINT32_MAX));
    return true;
}

bool add_in(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    unsigned style = draw(m, STYLES);
    /* What is there may be no bool, and on some devices no number that survives. */
    if (dtype != YOKE_BOOL && m->exact && chance(m, 30))
        return add(m, s, k, dtype, dimensions, shape);
    if (!add_fresh(m, s, k, dtype, dimensions, shape))
        return false;
    for (int64_t i = 0; i < s->a[k].count; i++)
        put(&s->a[k], i, draw_value(m, dtype, style));
    s->a[k].is_free = true;
    return true;
}

unsigned char *other_values(model *m, const operand *o)
{
    operand other = *o;
    other.fresh = remember(m, o->slab->size);
    memcpy(other.fresh, o->fresh, o->slab->size);
    for (int64_t i = 0; i < o->count; i++)
        put(&other, i, draw_value(m, o->array.dtype, ANY_VALUES));
    return other.fresh;
}

bool add_broadcast(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    int64_t small[YOKE_MAX_DIMENSIONS];
    int32_t skipped = chance(m, 15) && dimensions > 0 ? 1 + (int32_t)draw(m, (uint32_t)dimensions) : 0;
    for (int32_t i = skipped; i < dimensions; i++)
        small[i - skipped] = chance(m, 12) ? 1 : shape[i];
    if (!add_in(m, s, k, dtype, dimensions - skipped, small))
        return false;
    yoke_array *a = &s->a[k].array;
    if (chance(m, 30)) { /* strides of 0 */
        operand wide = spread(&s->a[k], &(yoke_array){ .dimensions = dimensions, .shape = { 0 } });
        yoke_array shaped = { .dimensions = dimensions };
        memcpy(shaped.shape, shape, (size_t)dimensions * sizeof *shape);
        wide = spread(&s->a[k], &shaped);
        yoke_array by_library = yoke_array_broadcast(*a, dimensions, shape);
        check_view(m, &by_library, &wide.array);
        s->a[k].array = by_library;
        s->a[k].count = wide.count;
    }
    return true;
}

operand spread(const operand *o, const yoke_array *shape)
{
    operand result = *o;
    int32_t more = shape->dimensions - o->array.dimensions;
    result.array.dimensions = shape->dimensions;
    for (int32_t i = 0; i < shape->dimensions; i++) {
        bool repeated = i < more || o->array.shape[i - more] == 1;
        result.array.shape[i] = shape->shape[i];
        result.array.strides[i] = repeated ? 0 : o->array.strides[i - more];
    }
    result.count = size_of(shape->dimensions, shape->shape);
    return result;
}

/* Where an element lies in the whole slab. */
static size_t place_of(const operand *o, int64_t position)
{
    int64_t place = 0;
    const yoke_array *a = &o->array;
    for (int32_t i = a->dimensions - 1; i >= 0; i--) {
        place += position % a->shape[i] * a->strides[i];
        position /= a->shape[i];
    }
    return (size_t)((int64_t)a->offset + place * (int64_t)yoke_dtype_get_size(a->dtype)) + (a->buffer == o->slab->view ? GUARD : 0);
}

void put(operand *o, int64_t position, number x)
{
    store(o->array.dtype, o->fresh + place_of(o, position) - GUARD, x);
}

number get(const operand *o, int64_t position)
{
    return load(o->array.dtype, o->slab->shadow + place_of(o, position));
}

const unsigned char *bytes_of(const operand *o, const unsigned char *whole, int64_t position)
{
    return whole + place_of(o, position);
}

/* ---- What is expected ---- */

void want_exactly(step *s, int k, int64_t position, number x)
{
    s->a[k].want[position] = (expected){ EXACT, x, 0 };
}

void want_near(step *s, int k, int64_t position, number x, long double slack)
{
    s->a[k].want[position] = (expected){ NEAR, x, slack };
}

void want_anything(step *s, int k, int64_t position)
{
    s->a[k].want[position] = (expected){ ANYTHING, { 0, 0 }, 0 };
}

void want_computed(step *s, int k, int64_t position, number x, int32_t type)
{
    int32_t dtype = s->a[k].array.dtype;
    if (s->m->exact || is_integer(type))
        want_exactly(s, k, position, convert(x, type, dtype));
    else
        want_near(s, k, position, x, 16 * unit_of(type) * (fabsl(x.re) + fabsl(x.im)) + 0x1p-120L);
}

void want_unchanged(step *s, int k, int64_t position)
{
    want_exactly(s, k, position, get(&s->a[k], position));
}

/* ---- Comparison ---- */

static bool same_part(int32_t dtype, long double got, long double wanted, bool exact)
{
    if (isnan(wanted))
        return isnan(got);
    return got == wanted && (is_integer(dtype) || !exact || !signbit(got) == !signbit(wanted));
}

/* Between the conversions of both ends, which have the order of the ends. */
static bool near_part(int32_t dtype, long double got, long double wanted, long double slack, bool exact, bool rounds)
{
    int32_t from = YOKE_C128 + 1; /* no dtype: a number of unlimited precision */
    if (!isfinite(wanted))
        return same_part(dtype, got, convert((number){ wanted, 0 }, from, dtype).re, false);
    slack += exact || is_integer(dtype) ? 0 : 0x1p-126L;
    bool whole = rounds && is_integer(dtype);
    number ends[] = { { wanted - slack, 0 }, { wanted + slack, 0 } };
    long double low = convert((number){ whole ? rintl(ends[0].re) : ends[0].re, 0 }, from, dtype).re;
    long double high = convert((number){ whole ? rintl(ends[1].re) : ends[1].re, 0 }, from, dtype).re;
    return got >= low && got <= high;
}

static bool suits(const step *s, const operand *o, const expected *e, number got)
{
    int32_t dtype = o->array.dtype;
    bool exact = s->m->exact;
    if (e->how == ANYTHING)
        return true;
    if (e->how == EXACT)
        return same_part(dtype, got.re, e->value.re, exact) && (!is_complex(dtype) || same_part(dtype, got.im, e->value.im, exact));
    bool rounds = e->how == NEAR_ROUNDED;
    return near_part(dtype, got.re, e->value.re, e->slack, exact, rounds) &&
           (!is_complex(dtype) || near_part(dtype, got.im, e->value.im, e->slack, exact, rounds));
}

static void compare_output(step *s, int k)
{
    operand *o = &s->a[k];
    size_t size = yoke_dtype_get_size(o->array.dtype), all = o->slab->size + 2 * GUARD;
    bool runs = !s->broken && !s->skipped;
    for (int64_t i = 0; runs && i < o->count; i++) {
        number got = load(o->array.dtype, bytes_of(o, o->found, i));
        const expected *e = &o->want[i];
        s->m->elements[e->how]++;
        if (!suits(s, o, e, got)) {
            disagreement(s, "array %d, element %lld: got %.20Lg%+.20Lgi, expected %.20Lg%+.20Lgi within %.3Lg", k, (long long)i,
                         got.re, got.im, e->value.re, e->value.im, e->slack);
            return;
        }
    }
    for (int64_t i = 0; runs && i < o->count; i++) {
        const unsigned char *element = bytes_of(o, o->found, i);
        memcpy(o->slab->shadow + (element - o->found), element, size);
    }
    for (size_t i = 0; i < all; i++)
        if (o->found[i] != o->slab->shadow[i]) {
            disagreement(s, "array %d: byte %zu of %zu, which is not an element, is 0x%02x, and was 0x%02x", k, i, all, o->found[i],
                         o->slab->shadow[i]);
            return;
        }
}

void compare(step *s)
{
    bool runs = !s->broken && !s->skipped;
    for (int k = 0; k < MOST_ARRAYS; k++)
        if (s->a[k].fresh && !s->skipped)
            memcpy(s->a[k].slab->shadow + GUARD, s->a[k].fresh, s->a[k].slab->size);
    for (int k = 0; k < MOST_ARRAYS; k++)
        if (s->a[k].is_out)
            s->a[k].want = remember(s->m, (size_t)(s->a[k].count + 1) * sizeof(expected));
    if (runs)
        s->v->op->judge(s);
    for (int k = 0; k < MOST_ARRAYS && !s->m->disagrees; k++)
        if (s->a[k].is_out)
            compare_output(s, k);
}

/* ---- Reports ---- */

/* As C, with its first elements. */
static void print_array(const step *s, int k)
{
    enum { MOST_PRINTED = 24 };
    const operand *o = &s->a[k];
    const yoke_array *a = &o->array;
    char shape[200] = "", strides[200] = "", values[1600] = "";
    size_t length = 0;
    for (int32_t i = 0; i < a->dimensions && i < YOKE_MAX_DIMENSIONS; i++) {
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%lld", i ? ", " : "", (long long)a->shape[i]);
        snprintf(strides + strlen(strides), sizeof strides - strlen(strides), "%s%lld", i ? ", " : "", (long long)a->strides[i]);
    }
    tap_diag("    yoke_array a%d = { slab%d%s, %llu, %d /* %s */, %d, { %s }, { %s } }; /* %s */", k, (int)(o->slab - s->m->slabs),
             a->buffer == o->slab->whole ? "_whole" : "", (unsigned long long)a->offset, a->dtype, yoke_dtype_get_name(a->dtype),
             a->dimensions, shape, strides, o->is_out ? "output" : "input");
    if (s->broken || s->skipped)
        return;
    for (int64_t i = 0; i < o->count && i < MOST_PRINTED; i++) {
        number x = get(o, i);
        length += (size_t)snprintf(values + length, sizeof values - length, is_complex(a->dtype) ? "%s%.9Lg%+.9Lgi" : "%s%.17Lg",
                                   i ? ", " : "", x.re, x.im);
    }
    tap_diag("        before: { %s%s }", values, o->count > MOST_PRINTED ? ", ..." : "");
}

void step_print(const step *s)
{
    char text[MOST_TEXT] = "";
    if (s->v->e.count)
        expression_text(&s->v->e, text, sizeof text);
    tap_diag("  step %u: %s, kind %d, flags %d, mode %d, axis %d, %d axes of mask 0x%x, stream %d%s%s%s", s->number, s->v->op->name,
             s->v->kind, s->v->flags, s->mode, s->axis, s->axis_count, s->mask, s->stream, s->broken ? ", made wrong" : "",
             *text ? ", expression " : "", text);
    tap_diag("    n %lld %lld %lld, f %.17g %.17g %.17g, seed %llu, offset %llu, sequence %u, low %lld or %g, high %lld or %g",
             (long long)s->n[0], (long long)s->n[1], (long long)s->n[2], s->f[0], s->f[1], s->f[2], (unsigned long long)s->seed,
             (unsigned long long)s->offset, s->sequence, (long long)s->low.value.i64, s->low.value.f64,
             (long long)s->high.value.i64, s->high.value.f64);
    for (int k = 0; k < MOST_ARRAYS; k++)
        if (s->a[k].slab)
            print_array(s, k);
}

void disagreement(const step *s, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (s->m->disagrees)
        return;
    s->m->disagrees = true;
    if (s->m->careless)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tap_diag("seed %u, step %u, %s: %s", s->m->seed, s->number, s->v->op->name, text);
    step_print(s);
    tap_diag("run it again with --seed %u --seeds 1%s%s", s->m->seed, s->m->only ? " --only " : "", s->m->only ? s->m->only : "");
}
