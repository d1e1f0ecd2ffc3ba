/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that compute each element by itself: yoke_map, yoke_assign and their relatives. An operation describes its arrays, its
 * scalars and what is computed; here the way through the memory is chosen, the kernel is made and launched.
 *
 *     yops_elementwise_begin(&e, call, dimensions, shape);
 *     yops_elementwise_add_array(&e, 0, ...);     in_0 and out_0 in the statements, see expression.h
 *     yops_elementwise_add_scalar(&e, 1, value);
 *     yops_elementwise_find(&e, identity, length, &kernel);
 *     if (!kernel)
 *         yops_elementwise_compile(&e, statements, functions, &kernel);
 *     yops_elementwise_launch(&e, kernel);
 */
#ifndef YOPS_ELEMENTWISE_H
#define YOPS_ELEMENTWISE_H

#include "array/layout.h"
#include "array/number.h"
#include "call/call.h"

enum {
    YOPS_GRID_THREADS = 256,  /* of a block that goes through chunks */
    YOPS_CPU_TILE = 16384,    /* elements that one thread of a CPU goes through */
    YOPS_MOST_TURNS = 1000,   /* of loops for one element: in functions of the driver (fmod has one), or of the program */
    YOPS_TILE = 32,           /* the side of a tile that is transposed in shared memory */
    YOPS_BLOCK = 64,          /* the same on a CPU */
    YOPS_TILE_ROWS = 8,       /* rows of a tile at a time */
    YOPS_TILE_BYTES = 32768,  /* of shared memory at most */
    YOPS_MOST_IDENTITY = 3000 /* bytes of a kernel's key that are not hashed */
};

/* How the kernel goes through the memory. */
enum {
    YOPS_WAY_GRID = 'g',  /* each thread takes chunks of neighbours along the last axis, a vector load each */
    YOPS_WAY_TILE = 't',  /* tiles of the last two axes: some inputs run along the other one, and are turned in shared memory */
    YOPS_WAY_VALUE = 'e', /* a function gives the value of one element: evaluation.h */
    YOPS_WAY_CPU = 'c',   /* each thread takes thousands of elements in a plain loop */
    YOPS_WAY_BLOCK = 'b', /* tiles on a CPU: each thread takes one, which its cache holds */
};

/* How an operand runs along the last axis. */
enum {
    YOPS_RUN_ELEMENTS = 'v', /* neighbours: vector loads */
    YOPS_RUN_SINGLE = 's',   /* one element all along */
    YOPS_RUN_STRIDED = 'g',
    YOPS_RUN_TURNED = 't' /* through a tile in shared memory */
};

typedef struct yops_operand {
    int32_t number; /* K of in_K and out_K */
    int32_t dtype;
    bool read, written;
    char run; /* YOPS_RUN_ */
    yoke_buffer *root;
} yops_operand;

typedef struct yops_elementwise {
    const yops_call *call;
    int32_t dimensions; /* the shape that index variables refer to */
    int64_t shape[YOKE_MAX_DIMENSIONS];
    yops_layout layout; /* of the arrays, in their order, and of the position behind them */
    yops_operand arrays[YOPS_MOST_OPERANDS], scalars[YOPS_MOST_OPERANDS];
    yoke_arg values[YOPS_MOST_OPERANDS];  /* of the scalars */
    yops_parts parts[YOPS_MOST_OPERANDS]; /* of those that are complex: the struct stays where it is */
    size_t array_count, scalar_count;
    uint32_t indices; /* as in facts of an expression */
    bool needs_f64;
    bool is_aliased; /* two operands may be the same elements */
    uint32_t given;  /* a bit for each number of an array whose element the kernel has already: evaluation.h */

    /* Chosen by yops_elementwise_find. */
    char way;
    bool is_wide;          /* offsets need 64 bits */
    bool has_position;     /* the last operand of the layout is the position */
    int32_t width, rounds; /* elements of a chunk; chunks of a thread */
    uint32_t tile;         /* YOPS_WAY_CPU: elements of a thread */
    int64_t head;          /* elements of the first chunk that are not in the array, where the layout has one axis */
    uint32_t compute_units;
    size_t key_length;
    char key[4096];
} yops_elementwise;

/* For tests: the way that is taken instead of the device's (0: the device's), and 64-bit offsets everywhere. */
typedef struct yops_elementwise_forced {
    char way;
    bool wide;
} yops_elementwise_forced;
extern yops_elementwise_forced yops_elementwise_force;

/* `shape` is not empty. */
void yops_elementwise_begin(yops_elementwise *e, const yops_call *call, int32_t dimensions, const int64_t *shape);

/* Add an array of that shape, which has been checked. */
void yops_elementwise_add_array(yops_elementwise *e, int32_t number, const yoke_array *array, const yops_place *place, bool read,
                                bool written);

/* Add a scalar; it is converted to its own dtype. */
void yops_elementwise_add_scalar(yops_elementwise *e, int32_t number, yoke_number value);

/* Choose the way, and look up the kernel: NULL where it has to be compiled. `identity`: bytes that stand for the statements and for
 * what they call, without those that follow from the operands. */
yoke_status yops_elementwise_find(yops_elementwise *e, const char *identity, size_t length, yoke_kernel **out_kernel);

/* Compile. `expression`: the statements are an expression's; `functions`, or NULL: those that it calls. */
yoke_status yops_elementwise_compile(yops_elementwise *e, const char *statements, bool expression, const char *functions,
                                     yoke_kernel **out_kernel);

yoke_status yops_elementwise_launch(yops_elementwise *e, yoke_kernel *kernel);

/* ---- Maps: map.c ---- */

/* An expression that is ready to be enqueued. */
typedef struct yops_map {
    yops_elementwise elementwise;
    yoke_kernel *kernel; /* NULL: there is nothing to do */
} yops_map;

/* Check an expression, and compile it, in the name of the call's function. Nothing is enqueued. */
yoke_status yops_map_prepare(const yops_call *call, const char *text, const yoke_var *vars, size_t count, yops_map *out_ready);

/* Enqueue it. The call must be there still. */
yoke_status yops_map_launch(yops_map *ready);

/* ---- For elementwise_text.c and evaluation.c ---- */

enum { YOPS_MOST_SHAPE = (YOPS_MOST_OPERANDS + 3) * (YOKE_MAX_DIMENSIONS + 1) };

/* Simplify the layout without changing the order of its elements, for a kernel that is given positions. */
void yops_elementwise_find_value(yops_elementwise *e, const char *identity, size_t length);

/* The arguments of PARAMETERS and of struct map_shape behind them, whose bytes go to `shape`. Returns their number. */
size_t yops_elementwise_fill_args(const yops_elementwise *e, int64_t shape[YOPS_MOST_SHAPE], yoke_arg *args);

/* A header that declares a function for the value of one element; the caller frees it. NULL: no memory. */
char *yops_elementwise_generate_value(const yops_elementwise *e, const char *statements, int32_t dtype);

/* The macros that map.yk stands on; the caller frees them. NULL: no memory. */
char *yops_elementwise_generate(const yops_elementwise *e, const char *statements, bool expression);

/* Whether indices and offsets inside the kernel have 64 bits. */
bool yops_elementwise_has_wide_index(const yops_elementwise *e);

/* The numbers that index variables need: for each axis that is named, the elements of one step along it and its extent; the count.
 */
int32_t yops_elementwise_count_facts(const yops_elementwise *e);

#endif
