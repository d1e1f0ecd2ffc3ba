/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions that reduce rows, yoke_map_rows: map_rows_check.c checks the arrays, map_rows.c chooses the form of the kernel and
 * launches it, map_rows_text.c writes what map_rows.yk leaves open. A row is what lies along the axes that are reduced.
 */
#ifndef YOPS_MAP_ROWS_H
#define YOPS_MAP_ROWS_H

#include "expression/expression.h"
#include "map/elementwise.h"

enum {
    YOPS_ROWS_POSITION = 2 * YOKE_MAX_DIMENSIONS, /* the bit of the index variable i */
    YOPS_ROWS_THREADS = 256,
    YOPS_ROWS_TILE = 4096,         /* as of reduce_tree.yh */
    YOPS_ROWS_KEPT_TILES = 4,      /* of a row that threads keep */
    YOPS_ROWS_KEPT_BYTES = 256,    /* of a thread, at most */
    YOPS_ROWS_CPU_ELEMENTS = 16384, /* of a thread's rows, where they are short */
    YOPS_ROWS_NODE = 16             /* bytes of what a part of a row has been reduced to */
};

/* An array, or an index variable, which is an array of its own values: they are where they lie. */
typedef struct yops_rows_operand {
    int32_t number; /* K of in_K and out_K; of an index variable its bit in facts.indices */
    int32_t dtype;
    bool is_index, read, written;
    bool single; /* one element for each row */
    bool vector; /* four neighbours along a row are loaded and stored at once */
    yoke_buffer *root;
} yops_rows_operand;

typedef struct yops_rows {
    const yops_call *call;
    const yoke_var *vars;
    uint32_t var_count;
    const yops_expression_facts *facts;
    yops_expression *expression;
    yoke_array arrays[YOPS_MOST_VARS]; /* of as many dimensions as the shape */
    yops_place places[YOPS_MOST_VARS];
    int32_t dimensions;
    int64_t shape[YOKE_MAX_DIMENSIONS], rows, n;
    bool reduced[YOKE_MAX_DIMENSIONS];
    uint32_t single; /* the outputs with one element for each row */
    bool is_aliased;

    yops_rows_operand operands[YOPS_MOST_OPERANDS];
    int32_t operand_count;
    yops_layout kept, along; /* the axes that are kept, and those that are reduced */
    yops_elementwise scalars;

    /* The form of the kernel; the macros of map_rows.yk. */
    bool by_threads, columns, keeps, is_full;
    int32_t groups, chunks, tiles, last_stage;
    uint32_t rows_each;
    int64_t part_tiles, part_count; /* of a row; 0 and 1: rows are whole */
} yops_rows;

/* For tests: rows of several tiles are cut into parts of so many; 0: the device decides. */
extern int yops_rows_force_parts;

static inline bool yops_rows_is_array(const yops_rows *r, uint32_t k)
{
    return r->vars[k].kind == YOKE_VAR_ARRAY;
}

static inline bool yops_rows_is_written(const yops_rows *r, uint32_t k)
{
    return r->facts->written >> k & 1;
}

static inline bool yops_rows_is_read(const yops_rows *r, uint32_t k)
{
    return r->facts->read >> k & 1;
}

/* Whether an array that is read has one element for each row. */
static inline bool yops_rows_is_single(const yops_rows *r, const yoke_array *wide)
{
    for (int32_t i = 0; i < r->dimensions; i++)
        if (r->reduced[i] && wide->shape[i] != 1 && (wide->strides[i] != 0 || r->n == 0))
            return false;
    return true;
}

/* Whether an index variable does. */
static inline bool yops_rows_varies_along(const yops_rows *r, int32_t index)
{
    for (int32_t i = 0; i < r->dimensions; i++)
        if (r->reduced[i] && (index == YOPS_ROWS_POSITION || index == i) && r->shape[i] != 1)
            return true;
    return false;
}

/* Find the shape of what is read, and mark the axes. Without a stream in the call, buffers are not looked at. */
yoke_status yops_rows_check_shape(yops_rows *r, const int32_t *axes, size_t axis_count);

/* Check the outputs, and that nothing overlaps; and whether the value varies along a row. */
yoke_status yops_rows_check_arrays(yops_rows *r);
bool yops_rows_value_varies(yops_rows *r);

/* "generated.h" of the kernel; the caller frees it. */
yoke_status yops_rows_generate(const yops_rows *r, char **out_text);

#endif
