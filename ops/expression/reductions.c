/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of expressions that reduce a row: their names, their types, and which values are the same all along a row. */
#include <string.h>

#include "tree.h"

static const struct {
    const char *name;
    int32_t operation;
} reductions[] = { { "sum", YOKE_REDUCE_SUM }, { "mean", YOKE_REDUCE_MEAN }, { "prod", YOKE_REDUCE_PRODUCT },
                   { "min", YOKE_REDUCE_MIN }, { "max", YOKE_REDUCE_MAX },   { "any", YOKE_REDUCE_ANY },
                   { "all", YOKE_REDUCE_ALL } };

int32_t yops_find_row_reduction(const char *text, size_t length, unsigned count)
{
    for (size_t i = 0; i < YOPS_COUNT_OF(reductions) && count == 1; i++)
        if (strlen(reductions[i].name) == length && memcmp(reductions[i].name, text, length) == 0)
            return reductions[i].operation;
    return 0;
}

/* What the elements are combined as; 0 after a mistake. Integers are added in 64 bits. */
static int32_t find_combined(yops_parser *parser, yops_token token, int32_t operation, uint16_t argument)
{
    const yops_node *node = &parser->expression->nodes[argument];
    int32_t dtype = yops_promote(node->dtype);
    bool is_long = dtype == YOKE_I64 || dtype == YOKE_U64;
    if (operation == YOKE_REDUCE_ANY || operation == YOKE_REDUCE_ALL)
        return YOKE_BOOL;
    if (yops_is_complex(dtype) && operation != YOKE_REDUCE_SUM && operation != YOKE_REDUCE_MEAN)
        return yops_mistake(parser, node->at, node->length, "'%.*s' takes real numbers, and this is %s", (int)token.length,
                            parser->text + token.at, yops_type_name(dtype));
    if (operation == YOKE_REDUCE_MEAN && is_long)
        return yops_mistake(parser, node->at, node->length,
                            "the mean of %s may have a sum that 64 bits do not hold: write mean((float64)x)",
                            yops_type_name(dtype));
    if (operation == YOKE_REDUCE_MIN || operation == YOKE_REDUCE_MAX || !yops_is_integer(dtype))
        return dtype;
    return yops_is_signed(dtype) ? YOKE_I64 : YOKE_U64;
}

uint16_t yops_new_reduction(yops_parser *parser, yops_token token, int32_t operation, uint16_t argument)
{
    yops_expression *e = parser->expression;
    argument = parser->status < 0 ? 0 : yops_settle(parser, argument);
    int32_t dtype = parser->status < 0 ? 0 : find_combined(parser, token, operation, argument);
    argument = dtype ? yops_convert(parser, argument, dtype, false) : 0;
    if (parser->status < 0)
        return 0;
    if (e->reduction_count == YOPS_MOST_REDUCTIONS)
        return yops_mistake(parser, token.at, token.length, "more than %d reductions in one expression", YOPS_MOST_REDUCTIONS);
    bool divides = operation == YOKE_REDUCE_MEAN && yops_is_integer(dtype);
    yops_node node = { .kind = YOPS_NODE_REDUCE, .index = (uint16_t)e->reduction_count, .a = argument };
    node.dtype = (uint8_t)(divides ? e->default_real : dtype);
    node.at = token.at;
    node.length = (uint16_t)(parser->end - token.at);
    uint16_t number = yops_new_node(parser, node);
    if (!number)
        return 0;
    yops_node *made = &e->nodes[number];
    made->effects = 0; /* a result that is there already */
    made->stage++;
    e->reductions[e->reduction_count++] = (yops_row_reduction){ operation, dtype, made->dtype, made->stage };
    return number;
}

const yops_row_reduction *yops_expression_get_reductions(const yops_expression *expression, int32_t *out_count)
{
    *out_count = expression->reduction_count;
    return expression->reductions;
}

/* ---- What varies along a row ---- */

typedef struct varying {
    const yops_expression *expression;
    uint32_t vars, indices, outputs;
    uint64_t names;
} varying;

static bool varies(const varying *v, unsigned number)
{
    const yops_node *node = &v->expression->nodes[number];
    switch (node->kind) {
    case YOPS_NODE_NONE:
    case YOPS_NODE_CONSTANT:
    case YOPS_NODE_REDUCE:
        return false;
    case YOPS_NODE_IN:
        return v->vars >> node->index & 1;
    case YOPS_NODE_OUT:
        return v->outputs >> node->index & 1;
    case YOPS_NODE_NAME:
        return v->names >> node->index & 1;
    case YOPS_NODE_INDEX:
        return v->indices >> node->index & 1;
    default:
        return varies(v, node->a) || varies(v, node->b) || varies(v, node->c);
    }
}

uint32_t yops_expression_find_varying(const yops_expression *expression, uint32_t vars, uint32_t indices, bool *out_value)
{
    varying v = { .expression = expression, .vars = vars, .indices = indices };
    for (unsigned i = expression->first; i; i = expression->nodes[i].b) {
        const yops_node *statement = &expression->nodes[i];
        bool several = varies(&v, statement->a);
        if (statement->kind == YOPS_NODE_SET_OUT)
            v.outputs = (v.outputs & ~(UINT32_C(1) << statement->index)) | (uint32_t)several << statement->index;
        else
            v.names = (v.names & ~(UINT64_C(1) << statement->index)) | (uint64_t)several << statement->index;
    }
    *out_value = varies(&v, expression->value);
    return v.outputs;
}
