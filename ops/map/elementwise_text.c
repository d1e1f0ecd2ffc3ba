/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The macros of an elementwise kernel: what map.yk leaves open, for the arrays, scalars and statements of one
 * operation. The order of struct map_shape's members is that of pack() in elementwise.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "elementwise.h"
#include "expression/expression.h"

/* A macro's body has to be one line. */
static void add_line(yk_text *t, const char *lines)
{
    size_t begin = t->length;
    yk_text_add_bytes(t, lines, strlen(lines));
    for (size_t i = begin; i < t->length; i++)
        if (t->data[i] == '\n')
            t->data[i] = ' ';
}

/* The whole text, to be freed; NULL: there was no memory for it. */
static char *take_text(yk_text *t)
{
    if (!t->is_cut)
        return t->data;
    yk_text_free(t);
    return NULL;
}

/* ---- Operands ---- */

static const char *token(const yops_operand *array)
{
    return yops_dtype_token(array->dtype);
}

/* float16 outside of global memory has words of its own. */
static const char *own(const yops_operand *array)
{
    return array->dtype == YOKE_F16 ? "own_" : "";
}

static int32_t bytes_of_chunk(const yops_elementwise *e, const yops_operand *array)
{
    return array->run == YOPS_RUN_ELEMENTS ? e->width * (int32_t)yoke_dtype_get_size(array->dtype) : 0;
}

static const char *vector_of(int32_t bytes)
{
    return bytes == 16 ? "uint4" : bytes == 8 ? "uint2" : bytes == 4 ? "yoke_u32" : bytes == 2 ? "yoke_u16" : "yoke_u8";
}

/* The position runs like an array; its number is -1, and its names end in `P`. */
typedef struct names {
    char k[12];
} names;

static names name_of(const yops_elementwise *e, int32_t operand)
{
    names n = { "P" };
    if ((size_t)operand < e->array_count)
        snprintf(n.k, sizeof n.k, "%d", (int)e->arrays[operand].number);
    return n;
}

static char run_of(const yops_elementwise *e, int32_t operand)
{
    return e->arrays[operand].run;
}

#define EACH_OPERAND(e, k) for (int32_t k = 0; k < (e)->layout.operands; k++)
#define EACH_ARRAY(e, k) for (int32_t k = 0; k < (int32_t)(e)->array_count; k++)

/* " + i_0 * shape.stride[4] + …", of the axes before `last`. */
static void add_offsets(yk_text *t, const yops_elementwise *e, int32_t operand, int32_t last)
{
    for (int32_t i = 0; i < last; i++)
        yk_text_add(t, " + (index_t)i_%d * shape.stride[%d]", (int)i, (int)(operand * e->layout.dimensions + i));
}

/* " + x", " + x * shape.stride[5]" or nothing: along the last axis. */
static void add_run(yk_text *t, const yops_elementwise *e, int32_t operand, const char *x)
{
    if (run_of(e, operand) == YOPS_RUN_ELEMENTS)
        yk_text_add(t, " + (%s)", x);
    else if (run_of(e, operand) != YOPS_RUN_SINGLE)
        yk_text_add(t, " + (%s) * shape.stride[%d]", x, (int)((operand + 1) * e->layout.dimensions - 1));
}

/* ---- Declarations ---- */

static void add_shape(yk_text *t, const yops_elementwise *e)
{
    int32_t dimensions = e->layout.dimensions, words = e->layout.operands * dimensions;
    bool narrow = !yops_elementwise_has_wide_index(e);
    int32_t facts = yops_elementwise_count_facts(e), total = (narrow ? 3 : 1) * dimensions + words;
    yk_text_add(t, "typedef %s index_t;\nstruct map_shape {\n", narrow ? "yoke_i32" : "yoke_i64");
    if (e->layout.operands > 0)
        yk_text_add(t, "    yoke_i64 origin[%d];\n", (int)e->layout.operands);
    if (facts > 0)
        yk_text_add(t, "    yoke_i64 fact[%d];\n", (int)facts);
    yk_text_add(t, "    index_t extent[%d];\n", (int)dimensions);
    if (narrow)
        yk_text_add(t, "    yoke_u32 multiplier[%d], shift[%d];\n", (int)dimensions, (int)dimensions);
    if (words > 0)
        yk_text_add(t, "    index_t stride[%d];\n", (int)words);
    if (narrow && total % 2)
        yk_text_add(t, "    yoke_u32 padding;\n");
    yk_text_add(t, "};\n");
}

static void add_parameter_list(yk_text *t, const yops_elementwise *e, const char *name, const char *restricted)
{
    yk_text_add(t, "#define %s ", name);
    EACH_ARRAY(e, k)
    yk_text_add(t, "YOKE_GLOBAL %sstored_%s *%sp_%d, ", e->arrays[k].written ? "" : "const ", token(&e->arrays[k]), restricted,
                (int)e->arrays[k].number);
    for (size_t k = 0; k < e->scalar_count; k++)
        yk_text_add(t, "const value_%s in_%d, ", token(&e->scalars[k]), (int)e->scalars[k].number);
    yk_text_add(t, "\n");
}

static void add_parameters(yk_text *t, const yops_elementwise *e)
{
    add_parameter_list(t, e, "PARAMETERS", e->is_aliased ? "" : "YOKE_RESTRICT ");
    yk_text_add(t, "#define POINTERS ");
    EACH_ARRAY(e, k)
    yk_text_add(t, "p_%d += shape.origin[%d]; ", (int)e->arrays[k].number, (int)k);
    yk_text_add(t, "\n");
}

/* ---- Elements ---- */

/* Index variables, where `position` has been declared. */
static void add_indices(yk_text *t, const yops_elementwise *e)
{
    int32_t fact = 0;
    const char *narrow = e->is_wide ? "" : "(yoke_u32)";
    for (int32_t axis = 0; axis < YOKE_MAX_DIMENSIONS; axis++) {
        if (!(e->indices & (YOPS_INDEX(axis) | YOPS_EXTENT(axis))))
            continue;
        if (e->indices & YOPS_EXTENT(axis))
            yk_text_add(t, "const yoke_i64 extent_%d = shape.fact[%d]; ", (int)axis, (int)fact + 1);
        if (e->indices & YOPS_INDEX(axis)) {
            yk_text_add(t, "const yoke_i64 index_%d = (yoke_i64)(%sposition", (int)axis, narrow);
            if (axis < e->dimensions - 1)
                yk_text_add(t, " / %sshape.fact[%d]", narrow, (int)fact);
            if (axis > 0)
                yk_text_add(t, " %% %sshape.fact[%d]", narrow, (int)fact + 1);
            yk_text_add(t, "); ");
        }
        fact += 2;
    }
    if (e->indices & YOPS_SIZE)
        yk_text_add(t, "const yoke_i64 count = shape.fact[%d]; ", (int)fact);
}

static void add_outputs(yk_text *t, const yops_elementwise *e)
{
    EACH_ARRAY(e, k)
    if (e->arrays[k].written)
        yk_text_add(t, "value_%s out_%d; ", token(&e->arrays[k]), (int)e->arrays[k].number);
}

static bool is_given(const yops_elementwise *e, const yops_operand *array)
{
    return e->given >> array->number & 1;
}

/* `element`: a stored_T. */
static void add_value_of(yk_text *t, const yops_operand *array, const char *element)
{
    int number = array->number;
    yk_text_add(t, "stored_%s own_%d[1]; own_%d[0] = %s; const value_%s in_%d = %sload_%s(own_%d, 0); ", token(array), number,
                number, element, token(array), number, own(array), token(array), number);
}

/* One element at at_K. With `tiles`, those that lie in shared memory are read from there. */
static void add_loads(yk_text *t, const yops_elementwise *e, bool tiles)
{
    add_indices(t, e);
    EACH_ARRAY(e, k)
    {
        const yops_operand *a = &e->arrays[k];
        int number = a->number;
        char turned[40];
        snprintf(turned, sizeof turned, "tile_%d[x_][y_]", number);
        if (is_given(e, a))
            add_value_of(t, a, "given_");
        else if (tiles && a->run == YOPS_RUN_TURNED)
            add_value_of(t, a, turned);
        else if (a->read)
            yk_text_add(t, "const value_%s in_%d = load_%s(p_%d, at_%d); ", token(a), number, token(a), number, number);
    }
    add_outputs(t, e);
}

/* GET_AT or GET_TILE. */
static void add_single(yk_text *t, const yops_elementwise *e, const char *name, bool tiles)
{
    yk_text_add(t, "#define %s ", name);
    if (e->has_position)
        yk_text_add(t, "const yoke_i64 position = (yoke_i64)at_P + shape.origin[%d]; ", (int)e->array_count);
    add_loads(t, e, tiles);
    yk_text_add(t, "\n");
}

static void add_put(yk_text *t, const yops_elementwise *e)
{
    yk_text_add(t, "#define PUT_AT ");
    EACH_ARRAY(e, k)
    if (e->arrays[k].written) {
        int number = e->arrays[k].number;
        yk_text_add(t, "store_%s(p_%d, at_%d, out_%d); ", token(&e->arrays[k]), number, number, number);
    }
    yk_text_add(t, "\n");
}

/* ---- The grid ---- */

/* The indices of a chunk along each axis: i_0, i_1, … */
static void add_split(yk_text *t, const yops_elementwise *e)
{
    bool narrow = !yops_elementwise_has_wide_index(e);
    const char *type = narrow ? "yoke_u32" : "yoke_i64";
    yk_text_add(t, "%s rest_ = (%s)(chunk_); ", type, type);
    for (int32_t i = e->layout.dimensions - 1; i > 0; i--) {
        if (narrow)
            yk_text_add(t, "const %s q_%d = divide(rest_, shape.multiplier[%d], shape.shift[%d]); ", type, (int)i, (int)i, (int)i);
        else
            yk_text_add(t, "const %s q_%d = rest_ / shape.extent[%d]; ", type, (int)i, (int)i);
        yk_text_add(t, "const %s i_%d = rest_ - q_%d * (%s)shape.extent[%d]; rest_ = q_%d; ", type, (int)i, (int)i, type, (int)i,
                    (int)i);
    }
    yk_text_add(t, "const %s i_0 = rest_; ", type);
}

static void add_grid_places(yk_text *t, const yops_elementwise *e)
{
    int32_t last = e->layout.dimensions - 1;
    char x[32];
    snprintf(x, sizeof x, "(index_t)i_%d", (int)last);
    yk_text_add(t, "#define PLACES(n) ");
    EACH_OPERAND(e, k)
    yk_text_add(t, "index_t place_%s[n]; ", name_of(e, k).k);
    yk_text_add(t, "\n#define PLACE(k, chunk_) { ");
    add_split(t, e);
    EACH_OPERAND(e, k)
    {
        yk_text_add(t, "place_%s[k] = 0", name_of(e, k).k);
        add_offsets(t, e, k, last);
        add_run(t, e, k, x);
        yk_text_add(t, "; ");
    }
    yk_text_add(t, "}\n#define AT(k, j) ");
    EACH_OPERAND(e, k)
    {
        bool runs = run_of(e, k) == YOPS_RUN_ELEMENTS;
        yk_text_add(t, "const index_t at_%s = place_%s[k]%s; ", name_of(e, k).k, name_of(e, k).k, runs ? " * WIDTH + j" : "");
    }
    yk_text_add(t, "\n");
}

static void add_chunks(yk_text *t, const yops_elementwise *e)
{
    yk_text_add(t, "#define OWN(n) ");
    EACH_ARRAY(e, k)
    {
        const yops_operand *a = &e->arrays[k];
        if (bytes_of_chunk(e, a) > (int32_t)yoke_dtype_get_size(a->dtype))
            yk_text_add(t, "union { %s all; stored_%s e[WIDTH]; } own_%d[n]; ", vector_of(bytes_of_chunk(e, a)), token(a),
                        (int)a->number);
        else
            yk_text_add(t, "struct { stored_%s e[1]; } own_%d[n]; ", token(a), (int)a->number);
    }
    yk_text_add(t, "\n#define ALIGNED (1");
    EACH_ARRAY(e, k)
    if (bytes_of_chunk(e, &e->arrays[k]) > (int32_t)yoke_dtype_get_size(e->arrays[k].dtype))
        yk_text_add(t, " && (size_t)p_%d %% %d == 0", (int)e->arrays[k].number, (int)bytes_of_chunk(e, &e->arrays[k]));
    yk_text_add(t, ")\n");
}

/* FETCH or FLUSH. */
static void add_transfer(yk_text *t, const yops_elementwise *e, bool store)
{
    yk_text_add(t, "#define %s(k) ", store ? "FLUSH" : "FETCH");
    EACH_ARRAY(e, k)
    {
        const yops_operand *a = &e->arrays[k];
        int number = a->number;
        if (!(store ? a->written : a->read))
            continue;
        char global[80], mine[40];
        bool vector = bytes_of_chunk(e, a) > (int32_t)yoke_dtype_get_size(a->dtype);
        snprintf(mine, sizeof mine, "own_%d[k].%s", number, vector ? "all" : "e[0]");
        if (vector)
            snprintf(global, sizeof global, "((YOKE_GLOBAL %s%s *)p_%d)[place_%d[k]]", a->written ? "" : "const ",
                     vector_of(bytes_of_chunk(e, a)), number, number);
        else
            snprintf(global, sizeof global, "p_%d[place_%d[k]]", number, number);
        yk_text_add(t, "%s = %s; ", store ? global : mine, store ? mine : global);
    }
    yk_text_add(t, "\n");
}

static void add_get(yk_text *t, const yops_elementwise *e)
{
    yk_text_add(t, "#define GET(k, j) ");
    if (e->has_position)
        yk_text_add(t, "const yoke_i64 position = (yoke_i64)place_P[k]%s + shape.origin[%d]; ",
                    run_of(e, (int32_t)e->array_count) == YOPS_RUN_ELEMENTS ? " * WIDTH + j" : "", (int)e->array_count);
    add_indices(t, e);
    EACH_ARRAY(e, k)
    {
        const yops_operand *a = &e->arrays[k];
        if (a->read)
            yk_text_add(t, "const value_%s in_%d = %sload_%s(own_%d[k].e, %s); ", token(a), (int)a->number, own(a), token(a),
                        (int)a->number, a->run == YOPS_RUN_ELEMENTS ? "j" : "0");
    }
    add_outputs(t, e);
    yk_text_add(t, "\n#define PUT(k, j) ");
    EACH_ARRAY(e, k)
    {
        const yops_operand *a = &e->arrays[k];
        if (a->written)
            yk_text_add(t, "%sstore_%s(own_%d[k].e, %s, out_%d); ", own(a), token(a), (int)a->number,
                        a->run == YOPS_RUN_ELEMENTS ? "j" : "0", (int)a->number);
    }
    yk_text_add(t, "\n");
}

/* ---- Tiles ---- */

static void add_tiles(yk_text *t, const yops_elementwise *e)
{
    int32_t dimensions = e->layout.dimensions, last = dimensions - 1;
    yk_text_add(t, "#define TILE %d\n#define TILE_ROWS %d\n#define TILES ", e->way == YOPS_WAY_BLOCK ? YOPS_BLOCK : YOPS_TILE,
                YOPS_TILE_ROWS);
    EACH_ARRAY(e, k)
    if (e->arrays[k].run == YOPS_RUN_TURNED)
        yk_text_add(t, "YOKE_SHARED stored_%s tile_%d[TILE][TILE + 1]; ", token(&e->arrays[k]), (int)e->arrays[k].number);
    yk_text_add(
        t,
        "\n#define LOCATE yoke_u32 rest_ = yoke_block_x(); const index_t extent_x = shape.extent[%d], extent_y = shape.extent[%d]; "
        "const yoke_u32 tiles_x = (yoke_u32)((extent_x - 1) / TILE + 1), tiles_y = (yoke_u32)((extent_y - 1) / TILE + 1); "
        "const index_t begin_x = (index_t)(rest_ %% tiles_x) * TILE; rest_ /= tiles_x; "
        "const index_t begin_y = (index_t)(rest_ %% tiles_y) * TILE; rest_ /= tiles_y; ",
        (int)last, (int)last - 1);
    for (int32_t i = dimensions - 3; i >= 0; i--) {
        yk_text_add(t, "const yoke_u32 i_%d = rest_ %% (yoke_u32)shape.extent[%d]; rest_ /= (yoke_u32)shape.extent[%d]; ", (int)i,
                    (int)i, (int)i);
    }
    EACH_OPERAND(e, k)
    {
        yk_text_add(t, "const index_t base_%s = 0", name_of(e, k).k);
        add_offsets(t, e, k, dimensions - 2);
        yk_text_add(t, "; ");
    }
    yk_text_add(t, "\n#define FETCH_TILES(x_, y_) ");
    EACH_ARRAY(e, k)
    if (e->arrays[k].run == YOPS_RUN_TURNED) {
        int number = e->arrays[k].number;
        yk_text_add(t, "tile_%d[x_][y_] = p_%d[base_%d + y * shape.stride[%d]", number, number, number,
                    (int)((k + 1) * dimensions - 2));
        add_run(t, e, k, "x");
        yk_text_add(t, "]; ");
    }
    yk_text_add(t, "\n#define AT_TILE(x, y) ");
    EACH_OPERAND(e, k)
    if (run_of(e, k) != YOPS_RUN_TURNED) {
        yk_text_add(t, "const index_t at_%s = base_%s + y * shape.stride[%d]", name_of(e, k).k, name_of(e, k).k,
                    (int)((k + 1) * dimensions - 2));
        add_run(t, e, k, "x");
        yk_text_add(t, "; ");
    }
    yk_text_add(t, "\n");
    add_single(t, e, "GET_TILE(x_, y_)", true);
}

/* ---- Rows, on a CPU ---- */

static void add_rows(yk_text *t, const yops_elementwise *e)
{
    int32_t dimensions = e->layout.dimensions, last = dimensions - 1;
    char start[32];
    snprintf(start, sizeof start, "i_%d", (int)last);
    yk_text_add(t, "#define ROW ");
    EACH_OPERAND(e, k)
    {
        yk_text_add(t, "const index_t base_%s = 0", name_of(e, k).k);
        add_offsets(t, e, k, last);
        if (dimensions > 1)
            add_run(t, e, k, start);
        yk_text_add(t, "; ");
    }
    yk_text_add(t, "\n#define AT_ROW(x) ");
    EACH_OPERAND(e, k)
    {
        yk_text_add(t, "const index_t at_%s = base_%s", name_of(e, k).k, name_of(e, k).k);
        add_run(t, e, k, "x");
        yk_text_add(t, "; ");
    }
    if (dimensions > 1) {
        yk_text_add(t, "\n#define INDICES(begin_) ");
        for (int32_t i = 0; i < dimensions; i++)
            yk_text_add(t, "yoke_i64 i_%d; ", (int)i);
        yk_text_add(t, "{ yoke_i64 rest_ = begin_; ");
        for (int32_t i = last; i > 0; i--)
            yk_text_add(t, "i_%d = rest_ %% shape.extent[%d]; rest_ /= shape.extent[%d]; ", (int)i, (int)i, (int)i);
        yk_text_add(t, "i_0 = rest_; }\n#define ROW_LEFT (shape.extent[%d] - i_%d)\n#define NEXT_ROW i_%d = 0; ", (int)last,
                    (int)last, (int)last);
        for (int32_t i = last - 1; i > 0; i--)
            yk_text_add(t, "if (++i_%d == shape.extent[%d]) { i_%d = 0; ", (int)i, (int)i, (int)i);
        yk_text_add(t, "++i_0; ");
        for (int32_t i = last - 1; i > 0; i--)
            yk_text_add(t, "} ");
    }
    yk_text_add(t, "\n");
}

/* ---- Values ---- */

char *yops_elementwise_generate_value(const yops_elementwise *e, const char *statements, int32_t dtype)
{
    yk_text t = { 0 };
    int32_t last = e->layout.dimensions - 1;
    char x[32];
    snprintf(x, sizeof x, "(index_t)i_%d", (int)last);
    yk_text_add(&t, "#include \"operands.yh\"\n#include \"expression.yh\"\n");
    add_shape(&t, e);
    add_parameters(&t, e);
    /* Oclgrind does not know what compilers make of restricted parameters of an inline function. */
    add_parameter_list(&t, e, "PASSED", "");
    yk_text_add(&t, "#define EVALUATE_PARAMETERS PARAMETERS const struct map_shape shape\n#define EVALUATE_ARGUMENTS ");
    EACH_ARRAY(e, k)
    yk_text_add(&t, "p_%d, ", (int)e->arrays[k].number);
    for (size_t k = 0; k < e->scalar_count; k++)
        yk_text_add(&t, "in_%d, ", (int)e->scalars[k].number);
    yk_text_add(&t, "shape\n#define EVALUATE_DTYPE %s\n", yops_dtype_token(dtype));
    yk_text_add(&t, "YOKE_FUNCTION value_%s evaluate(const yoke_i64 position, ", yops_dtype_token(dtype));
    for (size_t k = 0, found = 0; k < e->array_count && !found; k++)
        if ((found = is_given(e, &e->arrays[k])))
            yk_text_add(&t, "const stored_%s given_, ", token(&e->arrays[k]));
    yk_text_add(&t, "PASSED const struct map_shape shape)\n{\n    POINTERS\n    ");
    yk_text_add(&t, "const yoke_i64 chunk_ = position; ");
    add_split(&t, e);
    EACH_ARRAY(e, k)
    {
        yk_text_add(&t, "const index_t at_%s = 0", name_of(e, k).k);
        add_offsets(&t, e, k, last);
        add_run(&t, e, k, x);
        yk_text_add(&t, "; ");
    }
    yk_text_add(&t, "\n    ");
    add_loads(&t, e, false);
    yk_text_add(&t, "value_%s value;\n%s\n    return value;\n}\n", yops_dtype_token(dtype), statements);
    return take_text(&t);
}

char *yops_elementwise_generate(const yops_elementwise *e, const char *statements, bool expression)
{
    yk_text t = { 0 };
    if (expression)
        yk_text_add(&t, "#include \"expression.yh\"\n");
    yk_text_add(&t, "#define WAY_GRID %d\n#define WAY_TILE %d\n#define WAY_BLOCK %d\n#define WAY_CPU %d\n", e->way == YOPS_WAY_GRID,
                e->way == YOPS_WAY_TILE, e->way == YOPS_WAY_BLOCK, e->way == YOPS_WAY_CPU);
    yk_text_add(&t, "#define DIMENSIONS %d\n#define WIDTH %d\n#define ROUNDS %d\n#define THREADS %d\n", (int)e->layout.dimensions,
                (int)e->width, (int)e->rounds, YOPS_GRID_THREADS);
    add_shape(&t, e);
    add_parameters(&t, e);
    add_put(&t, e);
    if (e->way == YOPS_WAY_TILE || e->way == YOPS_WAY_BLOCK) {
        add_tiles(&t, e);
    } else {
        add_single(&t, e, "GET_AT", false);
        if (e->way == YOPS_WAY_CPU) {
            add_rows(&t, e);
        } else {
            add_grid_places(&t, e);
            add_chunks(&t, e);
            add_transfer(&t, e, false);
            add_transfer(&t, e, true);
            add_get(&t, e);
        }
    }
    yk_text_add(&t, "#define STATEMENTS ");
    add_line(&t, statements);
    yk_text_add(&t, "\n");
    return take_text(&t);
}
