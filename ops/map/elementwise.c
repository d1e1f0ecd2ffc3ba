/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise kernels: the way through the memory, the kernel's key, and the launch. */
#include "elementwise.h"

#include <stdlib.h>
#include <string.h>

#include "expression/expression.h"
#include "array/number.h"

yops_elementwise_forced yops_elementwise_force;

enum {
    VECTOR_BYTES = 16,
    MOST_ROUNDS = 8,
    LONG_STATEMENTS = 200,       /* bytes of an identity beyond which a kernel is not unrolled over several chunks */
    VERY_LONG_STATEMENTS = 1000, /* and beyond which its chunks are short */
    LEAST_TURNED = 8             /* elements along an axis below which a tile is not worth it */
};

void yops_elementwise_begin(yops_elementwise *e, const yops_call *call, int32_t dimensions, const int64_t *shape)
{
    e->call = call;
    e->dimensions = dimensions;
    memcpy(e->shape, shape, (size_t)dimensions * sizeof *shape);
    e->array_count = e->scalar_count = 0;
    e->indices = e->given = 0;
    e->needs_f64 = e->is_aliased = false;
    yops_layout_begin(&e->layout, dimensions, shape);
}

void yops_elementwise_add_array(yops_elementwise *e, int32_t number, const yoke_array *array, const yops_place *place, bool read,
                                bool written)
{
    e->arrays[e->array_count++] = (yops_operand){ number, array->dtype, read, written, YOPS_RUN_STRIDED, place->root };
    e->needs_f64 |= yops_needs_f64(array->dtype);
    yops_layout_add(&e->layout, array->strides, place->origin);
}

/* ---- Scalars ---- */

void yops_elementwise_add_scalar(yops_elementwise *e, int32_t number, yoke_number value)
{
    e->values[e->scalar_count] = yops_number_argument(value, &e->parts[e->scalar_count]);
    e->scalars[e->scalar_count++] = (yops_operand){ number, value.dtype, true, false, YOPS_RUN_SINGLE, NULL };
    e->needs_f64 |= yops_needs_f64(value.dtype);
}

/* ---- The way through the memory ---- */

static char run_of(int64_t stride)
{
    return (int8_t)(stride == 1 ? YOPS_RUN_ELEMENTS : stride == 0 ? YOPS_RUN_SINGLE : YOPS_RUN_STRIDED);
}

/* How each operand runs along the last axis. Returns whether no stride is needed. */
static bool set_runs(yops_elementwise *e)
{
    bool plain = true;
    for (int32_t k = 0; k < e->layout.operands; k++) {
        e->arrays[k].run = run_of(e->layout.strides[k][e->layout.dimensions - 1]);
        plain &= e->arrays[k].run != YOPS_RUN_STRIDED;
    }
    return plain;
}

/* With one axis, all arrays have to be equally far from a vector's start: the first chunk then is not whole. Widths are powers of
 * two. */
static bool suits_line(yops_elementwise *e, int64_t width)
{
    int64_t head = -1;
    for (size_t k = 0; k < e->array_count; k++)
        if (e->arrays[k].run == YOPS_RUN_ELEMENTS) {
            int64_t rest = e->layout.origins[k] & (width - 1);
            if (head >= 0 && head != rest)
                return false;
            head = rest;
        }
    e->head = head > 0 ? head : 0;
    return true;
}

/* With several axes, each row has to begin and to end with a vector. */
static bool suits_rows(const yops_elementwise *e, int64_t width)
{
    const yops_layout *layout = &e->layout;
    int32_t last = layout->dimensions - 1;
    if (layout->extents[last] % width)
        return false;
    for (int32_t k = 0; k < layout->operands; k++) {
        if (e->arrays[k].run != YOPS_RUN_ELEMENTS)
            continue;
        if ((size_t)k < e->array_count && layout->origins[k] % width)
            return false;
        for (int32_t i = 0; i < last; i++)
            if (layout->strides[k][i] % width)
                return false;
    }
    return true;
}

static int32_t choose_width(yops_elementwise *e, size_t length)
{
    size_t largest = 1;
    for (size_t k = 0; k < e->array_count; k++)
        if (e->arrays[k].run == YOPS_RUN_ELEMENTS && yoke_dtype_get_size(e->arrays[k].dtype) > largest)
            largest = yoke_dtype_get_size(e->arrays[k].dtype);
    int32_t width = VECTOR_BYTES / (int32_t)largest;
    if (length > VERY_LONG_STATEMENTS && width > 4)
        width = 4;
    while (width > 1 && !(e->layout.dimensions == 1 ? suits_line(e, width) : suits_rows(e, width)))
        width /= 2;
    if (width == 1)
        e->head = 0;
    return width;
}

/* Some 64 bytes of each array under way in a thread; less where there are many arrays. */
static int32_t choose_rounds(const yops_elementwise *e, size_t length)
{
    int32_t rounds = e->width == 1 ? MOST_ROUNDS : e->width >= 16 ? 2 : 4;
    if (length > LONG_STATEMENTS || e->array_count > 6)
        return 1;
    return e->array_count > 3 ? rounds / 2 : rounds;
}

/* ---- Tiles ---- */

/* The axis along which an input's elements are much closer than along the last one; -1: none. */
static int32_t find_turned(const yops_elementwise *e, size_t k)
{
    const yops_layout *layout = &e->layout;
    int32_t last = layout->dimensions - 1, axis = -1;
    uint64_t least = yops_distance(layout->strides[k][last]);
    for (int32_t i = 0; i < last && e->arrays[k].read && !e->arrays[k].written; i++) {
        uint64_t stride = yops_distance(layout->strides[k][i]);
        if (stride > 0 && stride < least && stride <= 2 && layout->extents[i] >= LEAST_TURNED) {
            least = stride;
            axis = i;
        }
    }
    return axis;
}

/* Whether tiles help: then the axis along which some inputs run becomes the last but one. */
static bool choose_tiles(yops_elementwise *e)
{
    yops_layout *layout = &e->layout;
    int32_t last = layout->dimensions - 1, axis = -1;
    size_t bytes = 0;
    if (last < 1 || layout->extents[last] < LEAST_TURNED)
        return false;
    for (size_t k = 0; k < e->array_count && axis < 0; k++)
        axis = find_turned(e, k);
    if (axis < 0)
        return false;
    yops_layout_swap(layout, axis, last - 1);
    for (size_t k = 0; k < e->array_count && e->way == YOPS_WAY_GRID; k++) {
        size_t tile = (size_t)YOPS_TILE * (YOPS_TILE + 1) * yoke_dtype_get_size(e->arrays[k].dtype);
        if (find_turned(e, k) == last - 1 && bytes + tile <= YOPS_TILE_BYTES) {
            e->arrays[k].run = YOPS_RUN_TURNED;
            bytes += tile;
        }
    }
    return true;
}

static void choose(yops_elementwise *e, const yops_traits *traits, size_t length)
{
    bool on_cpu = traits->is_cpu || traits->max_block_threads < YOPS_GRID_THREADS;
    e->way = (int8_t)(yops_elementwise_force.way ? yops_elementwise_force.way : on_cpu ? YOPS_WAY_CPU : YOPS_WAY_GRID);
    e->is_wide = yops_elementwise_force.wide || !yops_layout_is_small(&e->layout);
    e->compute_units = traits->compute_units;
    e->width = e->rounds = 1;
    e->head = 0;
    uint64_t most = yops_fit_rounds(traits, 64, YOPS_MOST_TURNS);
    e->tile = most < YOPS_CPU_TILE ? (uint32_t)most : YOPS_CPU_TILE;
    bool plain = set_runs(e);
    bool is_bounded = e->way == YOPS_WAY_CPU && yops_counts_rounds(traits); /* which a tile's side is not */
    if (!is_bounded && choose_tiles(e)) {
        e->way = e->way == YOPS_WAY_CPU ? YOPS_WAY_BLOCK : YOPS_WAY_TILE;
        return;
    }
    if (e->way == YOPS_WAY_CPU)
        return;
    if (plain)
        e->width = choose_width(e, length);
    e->rounds = choose_rounds(e, length);
    /* Offsets of one axis always have 64 bits; the kernel is the same. */
    if (e->layout.dimensions == 1 && !e->has_position)
        e->is_wide = false;
}

bool yops_elementwise_has_wide_index(const yops_elementwise *e)
{
    return e->is_wide || e->way == YOPS_WAY_CPU || e->way == YOPS_WAY_BLOCK ||
           (e->way != YOPS_WAY_TILE && e->layout.dimensions == 1);
}

/* ---- The key ---- */

static uint64_t hash(const char *bytes, size_t length, uint64_t seed)
{
    uint64_t h = seed ^ length * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)bytes[i]) * 0xff51afd7ed558ccdu;
        h ^= h >> 29;
    }
    return h;
}

/* A key is text: no byte may be 0. */
static void add_key(yops_elementwise *e, uint32_t value)
{
    e->key[e->key_length++] = (char)(1 + (value & 127u));
}

static void add_hash(yops_elementwise *e, const char *bytes, size_t length, uint64_t seed)
{
    uint64_t h = hash(bytes, length, seed);
    for (int i = 0; i < 64; i += 7)
        add_key(e, (uint32_t)(h >> i));
}

static void make_key(yops_elementwise *e, const char *identity, size_t length)
{
    static const char name[] = "yoke-ops map ";
    bool by_axis = e->indices & (YOPS_POSITION - 1);
    memcpy(e->key, name, sizeof name - 1);
    e->key_length = sizeof name - 1;
    add_key(e, (uint32_t)e->way);
    add_key(e, (uint32_t)e->layout.dimensions);
    add_key(e, (uint32_t)e->width);
    add_key(e, (uint32_t)e->rounds);
    add_key(e, (uint32_t)e->is_wide | (uint32_t)e->is_aliased << 1 | (uint32_t)e->needs_f64 << 2 | (uint32_t)by_axis << 3);
    add_key(e, by_axis ? (uint32_t)e->dimensions : 0);
    add_key(e, (uint32_t)e->array_count);
    for (size_t k = 0; k < e->array_count; k++) {
        add_key(e, (uint32_t)e->arrays[k].number);
        add_key(e, (uint32_t)e->arrays[k].dtype | (uint32_t)e->arrays[k].read << 5 | (uint32_t)e->arrays[k].written << 6);
        add_key(e, (uint32_t)e->arrays[k].run);
    }
    add_key(e, e->has_position ? (uint32_t)e->arrays[e->array_count].run : 0);
    for (size_t k = 0; k < e->scalar_count; k++) {
        add_key(e, (uint32_t)e->scalars[k].number);
        add_key(e, (uint32_t)e->scalars[k].dtype);
    }
    add_key(e, 0);
    if (length > YOPS_MOST_IDENTITY) {
        add_hash(e, identity, length, 1);
        add_hash(e, identity, length, 0x5bd1e995u);
    } else {
        memcpy(e->key + e->key_length, identity, length);
        e->key_length += length;
    }
    e->key[e->key_length] = '\0';
}

yoke_status yops_elementwise_find(yops_elementwise *e, const char *identity, size_t length, yoke_kernel **out_kernel)
{
    yops_traits traits;
    yoke_status status = yops_get_traits(e->call, &traits);
    int32_t leader = -1;
    *out_kernel = NULL;
    if (status < 0)
        return status;
    for (int32_t k = 0; k < (int32_t)e->array_count && leader < 0; k++)
        leader = e->arrays[k].written ? k : -1;
    e->has_position = e->indices & (YOPS_POSITION | (YOPS_INDEX(YOKE_MAX_DIMENSIONS) - 1));
    if (e->has_position)
        yops_layout_add_position(&e->layout);
    yops_layout_finish(&e->layout, leader);
    choose(e, &traits, length);
    make_key(e, identity, length);
    if (!yops_kernel_known(e->call, e->key, "map", out_kernel))
        *out_kernel = NULL;
    return YOKE_OK;
}

void yops_elementwise_find_value(yops_elementwise *e, const char *identity, size_t length)
{
    e->has_position = false; /* it is given */
    yops_layout_finish(&e->layout, -1);
    e->way = YOPS_WAY_VALUE;
    e->is_wide = yops_elementwise_force.wide || !yops_layout_is_small(&e->layout);
    e->width = e->rounds = 1;
    e->head = 0;
    set_runs(e);
    make_key(e, identity, length);
}

yoke_status yops_elementwise_compile(yops_elementwise *e, const char *statements, bool expression, const char *functions,
                                     yoke_kernel **out_kernel)
{
    char *generated = yops_elementwise_generate(e, statements, expression);
    if (!generated)
        return yops_fail(e->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the text of a kernel");
    yoke_status status =
        yops_kernel_generated(e->call, e->key, "map", e->needs_f64 ? "NEED_F64=1" : "", functions, generated, "map", out_kernel);
    free(generated);
    return status;
}

/* ---- The launch ---- */

int32_t yops_elementwise_count_facts(const yops_elementwise *e)
{
    int32_t count = 0;
    for (int32_t axis = 0; axis < YOKE_MAX_DIMENSIONS; axis++)
        count += e->indices & (YOPS_INDEX(axis) | YOPS_EXTENT(axis)) ? 2 : 0;
    return count + (e->indices & YOPS_SIZE ? 1 : 0);
}

static size_t pack_facts(const yops_elementwise *e, int64_t *target)
{
    size_t count = 0;
    for (int32_t axis = 0; axis < YOKE_MAX_DIMENSIONS; axis++) {
        if (!(e->indices & (YOPS_INDEX(axis) | YOPS_EXTENT(axis))))
            continue;
        int64_t inner = 1;
        for (int32_t i = axis + 1; i < e->dimensions; i++)
            inner *= e->shape[i];
        target[count++] = inner;
        target[count++] = axis < e->dimensions ? e->shape[axis] : 1;
    }
    if (e->indices & YOPS_SIZE)
        target[count++] = e->layout.count;
    return count;
}

/* n / divisor is (the high word of n * multiplier, plus n) >> shift, for n below 2^31. */
static void find_multiplier(uint32_t divisor, uint32_t *out_multiplier, uint32_t *out_shift)
{
    uint32_t shift = 0;
    while (UINT64_C(1) << shift < divisor)
        shift++;
    *out_multiplier = (uint32_t)((((UINT64_C(1) << shift) - divisor) << 32) / divisor + 1);
    *out_shift = shift;
}

/* An operand's stride along an axis, in the unit of its places: vectors, where it is loaded in vectors. */
static int64_t stride_of(const yops_elementwise *e, int32_t k, int32_t axis)
{
    int64_t stride = e->layout.strides[k][axis];
    return axis < e->layout.dimensions - 1 && e->arrays[k].run == YOPS_RUN_ELEMENTS ? stride / e->width : stride;
}

/* struct map_shape, of elementwise_text.c. Returns its bytes. */
static size_t pack(const yops_elementwise *e, int64_t *target)
{
    const yops_layout *layout = &e->layout;
    int32_t dimensions = layout->dimensions;
    size_t count = 0;
    for (int32_t k = 0; k < layout->operands; k++) {
        bool runs = e->arrays[k].run == YOPS_RUN_ELEMENTS;
        target[count++] = layout->origins[k] - (runs ? e->head : 0);
    }
    count += pack_facts(e, target + count);
    int64_t extents[YOKE_MAX_DIMENSIONS];
    for (int32_t i = 0; i < dimensions; i++)
        extents[i] = i == dimensions - 1 && dimensions > 1 ? layout->extents[i] / e->width : layout->extents[i];
    if (yops_elementwise_has_wide_index(e)) {
        for (int32_t i = 0; i < dimensions; i++)
            target[count++] = extents[i];
        for (int32_t k = 0; k < layout->operands; k++)
            for (int32_t i = 0; i < dimensions; i++)
                target[count++] = stride_of(e, k, i);
        return count * sizeof *target;
    }
    uint32_t words[(YOPS_MOST_OPERANDS + 3) * YOKE_MAX_DIMENSIONS + 1];
    size_t at = 0;
    for (int32_t i = 0; i < dimensions; i++, at++) {
        words[at] = (uint32_t)extents[i];
        find_multiplier(words[at], &words[at + (size_t)dimensions], &words[at + 2 * (size_t)dimensions]);
    }
    at += 2 * (size_t)dimensions;
    for (int32_t k = 0; k < layout->operands; k++)
        for (int32_t i = 0; i < dimensions; i++)
            words[at++] = (uint32_t)(int32_t)stride_of(e, k, i);
    if (at % 2)
        words[at++] = 0;
    memcpy(target + count, words, at * sizeof *words);
    return count * sizeof *target + at * sizeof *words;
}

static uint64_t blocks_of(uint64_t elements, uint64_t size)
{
    return elements / size + (elements % size > 0);
}

size_t yops_elementwise_fill_args(const yops_elementwise *e, int64_t shape[YOPS_MOST_SHAPE], yoke_arg *args)
{
    size_t count = 0;
    for (size_t k = 0; k < e->array_count; k++)
        args[count++] = yoke_arg_buffer(e->arrays[k].root);
    for (size_t k = 0; k < e->scalar_count; k++)
        args[count++] = e->values[k];
    args[count++] = yoke_arg_struct(shape, pack(e, shape));
    return count;
}

yoke_status yops_elementwise_launch(yops_elementwise *e, yoke_kernel *kernel)
{
    const yops_layout *layout = &e->layout;
    int64_t shape[YOPS_MOST_SHAPE];
    yoke_arg args[2 * YOPS_MOST_OPERANDS + 4];
    size_t count = yops_elementwise_fill_args(e, shape, args);
    int32_t last = layout->dimensions - 1;
    if (e->way == YOPS_WAY_CPU) {
        args[count++] = yoke_arg_i64(layout->count);
        args[count++] = yoke_arg_u32(e->tile);
        return yops_launch(e->call, kernel, blocks_of((uint64_t)layout->count, e->tile), 1, args, count);
    }
    if (e->way == YOPS_WAY_TILE || e->way == YOPS_WAY_BLOCK) {
        uint64_t side = e->way == YOPS_WAY_TILE ? YOPS_TILE : YOPS_BLOCK, blocks = blocks_of((uint64_t)layout->extents[last], side);
        blocks *= blocks_of((uint64_t)layout->extents[last - 1], side);
        for (int32_t i = 0; i < last - 1; i++)
            blocks *= (uint64_t)layout->extents[i];
        return yops_launch(e->call, kernel, blocks, e->way == YOPS_WAY_TILE ? YOPS_TILE * YOPS_TILE_ROWS : 1, args, count);
    }
    /* A thread takes a single chunk where that is needed to keep all of the device busy. */
    uint64_t chunks = blocks_of((uint64_t)(e->head + layout->count), (uint64_t)e->width);
    uint32_t rounds = (uint32_t)e->rounds;
    if (blocks_of(chunks, (uint64_t)YOPS_GRID_THREADS * rounds) < 2 * (uint64_t)e->compute_units)
        rounds = 1;
    args[count++] = yoke_arg_i64(e->head);
    args[count++] = yoke_arg_i64(e->head + layout->count);
    args[count++] = yoke_arg_u32(rounds);
    return yops_launch(e->call, kernel, blocks_of(chunks, (uint64_t)YOPS_GRID_THREADS * rounds), YOPS_GRID_THREADS, args, count);
}
