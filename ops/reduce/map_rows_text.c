/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The macros that map_rows.yk leaves open, for the arrays, scalars and statements of one expression. The order of struct
 * rows_shape's members is that of pack() in map_rows.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "map_rows.h"

#define EACH_OPERAND(r, k) for (int32_t k = 0; k < (r)->operand_count; k++)

static const char *token(const yops_rows_operand *a)
{
    return yops_dtype_token(a->dtype);
}

/* What an operand's names end in. */
typedef struct suffix {
    char text[12];
} suffix;

static suffix suffix_of(const yops_rows_operand *a)
{
    suffix s;
    snprintf(s.text, sizeof s.text, a->is_index ? "I%d" : "%d", (int)a->number);
    return s;
}

static bool is_read_along(const yops_rows_operand *a)
{
    return !a->is_index && a->read && !a->single;
}

static bool is_written_along(const yops_rows *r, const yops_rows_operand *a)
{
    return a->written && !(r->single >> a->number & 1);
}

/* A macro's body is one line. */
static void add_line(yk_text *t, const char *name, const char *lines)
{
    yk_text_add(t, "#define %s ", name);
    size_t begin = t->length;
    yk_text_add_bytes(t, lines, strlen(lines));
    for (size_t i = begin; i < t->length; i++)
        if (t->data[i] == '\n')
            t->data[i] = ' ';
    yk_text_add(t, "\n");
}

/* ---- Parameters and places ---- */

static void add_shape(yk_text *t, const yops_rows *r)
{
    int facts = 0;
    for (int i = YOKE_MAX_DIMENSIONS; i < 2 * YOKE_MAX_DIMENSIONS + 2; i++)
        facts += i != 2 * YOKE_MAX_DIMENSIONS && r->facts->indices >> i & 1;
    yk_text_add(t, "struct rows_shape {\n    yoke_i64 rows, n;\n    yoke_i64 origin[%d], kept[%d], kept_stride[%d];\n",
                (int)r->operand_count, (int)r->kept.dimensions, (int)(r->operand_count * r->kept.dimensions));
    yk_text_add(t, "    yoke_i64 extent[%d], stride[%d];\n", (int)r->along.dimensions,
                (int)(r->operand_count * r->along.dimensions));
    yk_text_add(t, facts ? "    yoke_i64 fact[%d];\n};\n" : "};\n", facts);
}

static void add_parameters(yk_text *t, const yops_rows *r)
{
    yk_text_add(t, "#define PARAMETERS ");
    EACH_OPERAND(r, k)
    {
        const yops_rows_operand *a = &r->operands[k];
        if (!a->is_index)
            yk_text_add(t, "YOKE_GLOBAL %sstored_%s *%sp_%d, ", a->written ? "" : "const ", token(a),
                        r->is_aliased ? "" : "YOKE_RESTRICT ", (int)a->number);
    }
    for (size_t k = 0; k < r->scalars.scalar_count; k++)
        yk_text_add(t, "const value_%s in_%d, ", yops_dtype_token(r->scalars.scalars[k].dtype), (int)r->scalars.scalars[k].number);
    yk_text_add(t, "\n");
}

/* The indices of `what` along the axes of a layout: i_0, i_1, … */
static void add_split(yk_text *t, const yops_layout *layout, const char *what, const char *extents, char letter)
{
    yk_text_add(t, "yoke_i64 rest_%c = %s; ", letter, what);
    for (int32_t i = layout->dimensions - 1; i > 0; i--)
        yk_text_add(t, "const yoke_i64 %c_%d = rest_%c %% shape.%s[%d]; rest_%c /= shape.%s[%d]; ", letter, (int)i, letter, extents,
                    (int)i, letter, extents, (int)i);
    yk_text_add(t, "const yoke_i64 %c_0 = rest_%c; ", letter, letter);
}

static void add_locate(yk_text *t, const yops_rows *r)
{
    int32_t dimensions = r->kept.dimensions;
    yk_text_add(t, "#define LOCATE(row_) ");
    add_split(t, &r->kept, "(row_)", "kept", 'r');
    EACH_OPERAND(r, k)
    {
        yk_text_add(t, "const yoke_i64 base_%s = shape.origin[%d]", suffix_of(&r->operands[k]).text, (int)k);
        for (int32_t i = 0; i < dimensions; i++)
            yk_text_add(t, " + r_%d * shape.kept_stride[%d]", (int)i, (int)(k * dimensions + i));
        yk_text_add(t, "; ");
    }
    yk_text_add(t, "\n#define AT(p_) ");
    if (r->along.dimensions > 1)
        add_split(t, &r->along, "(p_)", "extent", 'e');
    EACH_OPERAND(r, k)
    {
        const yops_rows_operand *a = &r->operands[k];
        if (a->single)
            continue;
        yk_text_add(t, "const yoke_i64 at_%s = base_%s", suffix_of(a).text, suffix_of(a).text);
        if (r->along.dimensions == 1 && r->along.strides[k][0] == 1)
            yk_text_add(t, " + (p_)");
        else if (r->along.dimensions == 1)
            yk_text_add(t, " + (p_) * shape.stride[%d]", (int)k);
        for (int32_t i = 0; r->along.dimensions > 1 && i < r->along.dimensions; i++)
            yk_text_add(t, " + e_%d * shape.stride[%d]", (int)i, (int)(k * r->along.dimensions + i));
        yk_text_add(t, "; ");
    }
    yk_text_add(t, "\n");
}

static void add_row_values(yk_text *t, const yops_rows *r)
{
    int32_t count, fact = 0;
    const yops_row_reduction *reductions = yops_expression_get_reductions(r->expression, &count);
    yk_text_add(t, "#define ROW_VALUES ");
    EACH_OPERAND(r, k)
    {
        const yops_rows_operand *a = &r->operands[k];
        int number = a->number;
        if (a->is_index && a->single)
            yk_text_add(
                t,
                number == 2 * YOKE_MAX_DIMENSIONS ? "const yoke_i64 position = base_I%d; " : "const yoke_i64 index_%d = ", number);
        if (a->is_index && a->single && number != 2 * YOKE_MAX_DIMENSIONS)
            yk_text_add(t, "base_I%d; ", number);
        if (!a->is_index && a->read && a->single)
            yk_text_add(t, "const value_%s in_%d = load_%s(p_%d, base_%d); ", token(a), number, token(a), number, number);
    }
    for (int i = YOKE_MAX_DIMENSIONS; i < 2 * YOKE_MAX_DIMENSIONS; i++)
        if (r->facts->indices >> i & 1)
            yk_text_add(t, "const yoke_i64 extent_%d = shape.fact[%d]; ", i - YOKE_MAX_DIMENSIONS, (int)fact++);
    if (r->facts->indices & YOPS_SIZE)
        yk_text_add(t, "const yoke_i64 count = shape.fact[%d]; ", (int)fact);
    for (int32_t j = 0; j < count; j++)
        yk_text_add(t, "value_%s row_%d; ", yops_dtype_token(reductions[j].result), (int)j);
    yk_text_add(t, "\n#define SHARED ");
    for (int32_t j = 0; j < count; j++)
        yk_text_add(t, "YOKE_SHARED value_%s kept_%d[THREADS]; ", yops_dtype_token(reductions[j].dtype), (int)j);
    yk_text_add(t, "\n");
}

/* ---- Elements ---- */

static void add_outputs(yk_text *t, const yops_rows *r)
{
    EACH_OPERAND(r, k)
    if (r->operands[k].written)
        yk_text_add(t, "value_%s out_%d; ", token(&r->operands[k]), (int)r->operands[k].number);
}

/* Index variables that vary along a row, where AT has been. */
static void add_indices(yk_text *t, const yops_rows *r)
{
    EACH_OPERAND(r, k)
    {
        const yops_rows_operand *a = &r->operands[k];
        int number = a->number;
        if (!a->is_index || a->single)
            continue;
        if (number == 2 * YOKE_MAX_DIMENSIONS)
            yk_text_add(t, "const yoke_i64 position = at_I%d; ", number);
        else
            yk_text_add(t, "const yoke_i64 index_%d = at_I%d; ", number, number);
    }
}

/* GET_AT and PUT_AT, and the same for outputs with one element for each row, where there may be no element to read. */
static void add_one(yk_text *t, const yops_rows *r)
{
    yk_text_add(t, "#define GET_AT(p_) AT(p_) ");
    EACH_OPERAND(r, k)
    {
        const yops_rows_operand *a = &r->operands[k];
        if (is_read_along(a))
            yk_text_add(t, "const value_%s in_%d = load_%s(p_%d, at_%d); ", token(a), (int)a->number, token(a), (int)a->number,
                        (int)a->number);
    }
    add_indices(t, r);
    add_outputs(t, r);
    yk_text_add(t, "\n#define PUT_AT ");
    EACH_OPERAND(r, k)
    if (is_written_along(r, &r->operands[k]))
        yk_text_add(t, "store_%s(p_%d, at_%d, out_%d); ", token(&r->operands[k]), (int)r->operands[k].number,
                    (int)r->operands[k].number, (int)r->operands[k].number);
    yk_text_add(t, "\n#define GET_FIRST AT(0) ");
    EACH_OPERAND(r, k)
    {
        const yops_rows_operand *a = &r->operands[k];
        if (is_read_along(a))
            yk_text_add(t, "value_%s in_%d = %s_from_i(0); if (shape.n > 0) in_%d = load_%s(p_%d, at_%d); ", token(a),
                        (int)a->number, token(a), (int)a->number, token(a), (int)a->number, (int)a->number);
    }
    add_indices(t, r);
    add_outputs(t, r);
    yk_text_add(t, "\n#define PUT_SINGLE ");
    EACH_OPERAND(r, k)
    {
        const yops_rows_operand *a = &r->operands[k];
        if (a->written && !is_written_along(r, a))
            yk_text_add(t, "store_%s(p_%d, base_%d, out_%d); ", token(a), (int)a->number, (int)a->number, (int)a->number);
    }
    yk_text_add(t, "\n");
}

/* ---- Four elements ---- */

typedef struct vector {
    const char *type;
    int parts;
} vector;

static vector vector_of(const yops_rows_operand *a)
{
    int bytes = 4 * (int)yoke_dtype_get_size(a->dtype);
    vector v = { bytes == 4 ? "yoke_u32" : bytes == 8 ? "uint2" : "uint4", bytes > 16 ? bytes / 16 : 1 };
    return v;
}

static void add_own(yk_text *t, const yops_rows_operand *a, const char *name, const char *count)
{
    vector v = vector_of(a);
    yk_text_add(t, "union { %s parts[%d]; stored_%s e[4]; } %s_%d%s; ", v.type, v.parts, token(a), name, (int)a->number, count);
}

/* Between global memory and the thread's own: of all four, where they are there, and one by one. */
static void add_transfer(yk_text *t, const yops_rows *r, bool store)
{
    const char *own = store ? "got" : "own", *chunk = store ? "" : "[c_]";
    for (int whole = 1; whole >= 0; whole--) {
        yk_text_add(t, whole ? "if (IS_FULL || (p_) + 4 <= shape.n) { "
                             : "UNROLL for (int i_ = 0; i_ < 4; i_++) if ((p_) + i_ < shape.n) { AT((p_) + i_) ");
        for (int vectors = whole; vectors >= 0; vectors--) {
            if (whole && !vectors)
                yk_text_add(t, "UNROLL for (int i_ = 0; i_ < 4; i_++) { AT((p_) + i_) ");
            EACH_OPERAND(r, k)
            {
                const yops_rows_operand *a = &r->operands[k];
                int number = a->number;
                char mine[40], global[120];
                if (!(store ? is_written_along(r, a) : is_read_along(a)) || (whole && a->vector != (bool)vectors))
                    continue;
                snprintf(mine, sizeof mine, vectors ? "%s_%d%s.parts[i_]" : "%s_%d%s.e[i_]", own, number, chunk);
                if (vectors)
                    snprintf(global, sizeof global, "((YOKE_GLOBAL %s%s *)(p_%d + base_%d + (p_)))[i_]", a->written ? "" : "const ",
                             vector_of(a).type, number, number);
                else
                    snprintf(global, sizeof global, "p_%d[at_%d]", number, number);
                if (vectors)
                    yk_text_add(t, "UNROLL for (int i_ = 0; i_ < %d; i_++) ", vector_of(a).parts);
                yk_text_add(t, "%s = %s; ", store ? global : mine, store ? mine : global);
            }
            if (whole && !vectors)
                yk_text_add(t, "} ");
        }
        yk_text_add(t, whole ? "} else " : "}");
    }
    yk_text_add(t, "\n");
}

static void add_chunks(yk_text *t, const yops_rows *r)
{
    yk_text_add(t, "#define OWN(n_) ");
    EACH_OPERAND(r, k)
    if (is_read_along(&r->operands[k]))
        add_own(t, &r->operands[k], "own", "[n_]");
    yk_text_add(t, "\n#define OUTPUTS ");
    EACH_OPERAND(r, k)
    if (is_written_along(r, &r->operands[k]))
        add_own(t, &r->operands[k], "got", "");
    yk_text_add(t, "\n#define FETCH(c_, p_) ");
    add_transfer(t, r, false);
    yk_text_add(t, "#define FLUSH(p_) ");
    add_transfer(t, r, true);
    yk_text_add(t, "#define GET(c_, j_, p_) AT((p_) + (j_)) ");
    EACH_OPERAND(r, k)
    if (is_read_along(&r->operands[k]))
        yk_text_add(t, "const value_%s in_%d = own_load_%s(own_%d[c_].e, j_); ", token(&r->operands[k]), (int)r->operands[k].number,
                    token(&r->operands[k]), (int)r->operands[k].number);
    add_indices(t, r);
    add_outputs(t, r);
    yk_text_add(t, "\n#define PUT(j_) ");
    EACH_OPERAND(r, k)
    if (is_written_along(r, &r->operands[k]))
        yk_text_add(t, "own_store_%s(got_%d.e, j_, out_%d); ", token(&r->operands[k]), (int)r->operands[k].number,
                    (int)r->operands[k].number);
    yk_text_add(t, "\n");
}

/* ---- Stages ---- */

/* The neutral element, as a constant. */
static const char *neutral(const yops_row_reduction *reduction)
{
    static const char classes[] = "iulmfdeg";
    static const char *const sums[] = {
        "0", "0u", "(yoke_i64)0", "(yoke_u64)0", "-0.0f", "-0.0", "yoke_float2(-0.0f, -0.0f)", "double_pair(-0.0, -0.0)"
    };
    static const char *const products[] = { "1", "1u", "(yoke_i64)1", "(yoke_u64)1", "1.0f", "1.0", "", "" };
    static const char *const least[] = { "2147483647",
                                         "0xffffffffu",
                                         "(yoke_i64)0x7ffffffffffffffful",
                                         "~(yoke_u64)0",
                                         "yoke_uint_as_float(0x7fc00000u)",
                                         "yops_double(0x7ff8000000000000ul)",
                                         "",
                                         "" };
    static const char *const largest[] = { "(-2147483647 - 1)",
                                           "0u",
                                           "(yoke_i64)0x8000000000000000ul",
                                           "(yoke_u64)0",
                                           "yoke_uint_as_float(0x7fc00000u)",
                                           "yops_double(0x7ff8000000000000ul)",
                                           "",
                                           "" };
    size_t class = (size_t)(strchr(classes, *yk_dtype_get(reduction->dtype)->letter) - classes);
    switch (reduction->operation) {
    case YOKE_REDUCE_PRODUCT:
        return products[class];
    case YOKE_REDUCE_MIN:
        return least[class];
    case YOKE_REDUCE_MAX:
        return largest[class];
    case YOKE_REDUCE_ANY:
        return "0u";
    case YOKE_REDUCE_ALL:
        return "1u";
    default:
        return sums[class];
    }
}

static const char *combines(const yops_row_reduction *reduction)
{
    switch (reduction->operation) {
    case YOKE_REDUCE_PRODUCT:
        return "rows_product_";
    case YOKE_REDUCE_MIN:
        return "yops_min_";
    case YOKE_REDUCE_MAX:
        return "yops_max_";
    case YOKE_REDUCE_ANY:
        return "rows_any_";
    case YOKE_REDUCE_ALL:
        return "rows_all_";
    default:
        return "rows_sum_";
    }
}

/* row_J of leaf_J. */
static void add_finish(yk_text *t, const yops_row_reduction *reduction, int j)
{
    const char *result = yops_dtype_token(reduction->result), *letter = yk_dtype_get(reduction->dtype)->letter;
    bool is_order = reduction->operation == YOKE_REDUCE_MIN || reduction->operation == YOKE_REDUCE_MAX;
    if (is_order && yops_is_floating(reduction->dtype)) {
        yk_text_add(t, "row_%d = rows_number_%s(leaf_%d, shape.n, %sYOPS_ROWS_INFINITY); ", j, letter, j,
                    reduction->operation == YOKE_REDUCE_MAX ? "-" : "");
        return;
    }
    if (is_order || reduction->operation != YOKE_REDUCE_MEAN) { /* of no elements a sum is 0, and not the neutral -0 */
        yk_text_add(t, "if (shape.n == 0) leaf_%d = ", j);
        if (reduction->operation == YOKE_REDUCE_SUM)
            yk_text_add(t, "%s_from_i(0)", yops_dtype_token(reduction->dtype));
        else
            yk_text_add(t, "%s", neutral(reduction));
        yk_text_add(t, "; row_%d = leaf_%d; ", j, j);
        return;
    }
    const char *real = yops_is_complex(reduction->dtype) ? (reduction->dtype == YOKE_C128 ? "f64" : "f32") : result;
    yk_text_add(t, "if (shape.n == 0) leaf_%d = %s_from_i(0); row_%d = %s_from_%s(leaf_%d); ", j,
                yops_dtype_token(reduction->dtype), j, result, letter, j);
    if (yops_is_complex(reduction->dtype))
        yk_text_add(t, "row_%d.x /= %s_from_l(shape.n); row_%d.y /= %s_from_l(shape.n); ", j, real, j, real);
    else
        yk_text_add(t, "row_%d /= %s_from_l(shape.n); ", j, real);
}

/* One macro of a stage: for each of its reductions what the format says of the token and J. */
static void add_each(yk_text *t, const yops_rows *r, int32_t stage, const char *name, const char *parameters,
                     void (*add)(yk_text *, const yops_row_reduction *, int))
{
    int32_t count;
    const yops_row_reduction *all = yops_expression_get_reductions(r->expression, &count);
    yk_text_add(t, "#define %s_%d%s ", name, (int)stage, parameters);
    for (int32_t j = 0; j < count; j++)
        if (all[j].stage == stage)
            add(t, &all[j], (int)j);
    yk_text_add(t, "\n");
}

static void add_reduced(yk_text *t, const yops_row_reduction *reduction, int j)
{
    yk_text_add(t, "value_%s reduced_%d; ", yops_dtype_token(reduction->dtype), j);
}

static void add_parts(yk_text *t, const yops_row_reduction *reduction, int j)
{
    yk_text_add(t, "value_%s part_%d[n_]; ", yops_dtype_token(reduction->dtype), j);
}

static void add_take(yk_text *t, const yops_row_reduction *reduction, int j)
{
    (void)reduction;
    yk_text_add(t, "part_%d[i_] = reduced_%d; ", j, j);
}

/* For as many nodes as there are: 2^40 tiles, of which no row has more. */
static void add_waiting(yk_text *t, const yops_row_reduction *reduction, int j)
{
    yk_text_add(t, "value_%s name_##_%d[52]; ", yops_dtype_token(reduction->dtype), j);
}

static void add_absent(yk_text *t, const yops_row_reduction *reduction, int j)
{
    yk_text_add(t, "reduced_%d = %s; ", j, neutral(reduction));
}

static void add_neutral(yk_text *t, const yops_row_reduction *reduction, int j)
{
    yk_text_add(t, "const value_%s absent_%d = %s; ", yops_dtype_token(reduction->dtype), j, neutral(reduction));
}

static void add_call(yk_text *t, const yops_row_reduction *reduction, int j)
{
    yk_text_add(t, "X_(%d, value_%s, %s%s) ", j, yops_dtype_token(reduction->dtype), combines(reduction),
                yk_dtype_get(reduction->dtype)->letter);
}

static yoke_status add_stage(yk_text *t, const yops_rows *r, int32_t stage)
{
    char *statements = NULL, name[24];
    yoke_status status = yops_expression_emit_stage(r->call, r->expression, stage, &statements);
    if (status < 0)
        return status;
    snprintf(name, sizeof name, "STATEMENTS_%d", (int)stage);
    add_line(t, name, statements);
    free(statements);
    add_each(t, r, stage, "REDUCED", "", add_reduced);
    add_each(t, r, stage, "PARTS", "(n_)", add_parts);
    add_each(t, r, stage, "TAKE", "(i_)", add_take);
    add_each(t, r, stage, "WAITING", "(name_)", add_waiting);
    add_each(t, r, stage, "ABSENT", "", add_absent);
    add_each(t, r, stage, "NEUTRAL", "", add_neutral);
    add_each(t, r, stage, "EACH", "(X_)", add_call);
    add_each(t, r, stage, "FINISH", "", add_finish);
    return YOKE_OK;
}

static void add_form(yk_text *t, const yops_rows *r)
{
    bool many = r->facts->written & ~r->single;
    yk_text_add(t, "#define BY_THREADS %d\n#define GROUPS %d\n#define COLUMNS %d\n#define CHUNKS %d\n#define TILES %d\n",
                r->by_threads, (int)r->groups, r->columns, (int)r->chunks, (int)r->tiles);
    yk_text_add(t, "#define IN_PARTS %d\n", r->part_tiles > 0);
    yk_text_add(t, "#define KEEPS %d\n#define IS_FULL %d\n#define STAGES %d\n#define HAS_MANY %d\n#define HAS_SINGLE %d\n",
                r->keeps, r->is_full, (int)r->last_stage, many, r->single != 0);
}

yoke_status yops_rows_generate(const yops_rows *r, char **out_text)
{
    yk_text t = { 0 };
    char *statements = NULL;
    yoke_status status = yops_expression_emit(r->call, r->expression, &statements);
    if (status < 0)
        return status;
    add_form(&t, r);
    add_shape(&t, r);
    add_parameters(&t, r);
    add_locate(&t, r);
    add_row_values(&t, r);
    add_one(&t, r);
    add_chunks(&t, r);
    add_line(&t, "STATEMENTS", statements);
    free(statements);
    for (int32_t stage = 1; stage <= r->last_stage && status == YOKE_OK; stage++)
        status = add_stage(&t, r, stage);
    if (status == YOKE_OK && t.is_cut)
        status = yops_fail(r->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the text of a kernel");
    if (status < 0) {
        yk_text_free(&t);
        return status;
    }
    *out_text = t.data;
    return YOKE_OK;
}
