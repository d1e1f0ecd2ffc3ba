/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions: from the text that a program gives to yoke_map and its relatives to statements for a kernel. <yoke/vars.h> describes
 * the language. The front end launches nothing and asks nothing of the device.
 *
 * The kernel around the statements includes "expression.yh" (behind "element.yh"), with NEED_F64 where
 * facts.needs_f64 says so, and declares these names, of the value types of element.yh. K is a variable's position in the list:
 *
 *     value_T in_K          an array's element or a scalar, for each K in facts.read; T is its dtype's token. A bool is 0 or 1
 *     value_T out_K         for each K in facts.written; every one of them is assigned. An output that is also read has both
 *     yoke_i64 index_A      the element's index along axis A, for each YOPS_INDEX(A) in facts.indices
 *     yoke_i64 extent_A     the same for YOPS_EXTENT(A)
 *     yoke_i64 position     for YOPS_POSITION
 *     yoke_i64 count        for YOPS_SIZE
 *     value_T value         where a value was wanted, of facts.value_dtype
 *     value_T reduced_J     of YOPS_ROWS: what reduction J combines, in the statements of its stage
 *     value_T row_J         its result, in the statements of later stages
 *
 * The statements may stand in a loop or in a block of their own, several times in one kernel: what they declare is inside of
 * braces. The names step_N and name_N are theirs. What they call is in "expression.yh", and in a text that stands before all of the
 * kernel (yops_expression_get_functions): no word of either language and no name of the program's is in them.
 */
#ifndef YOPS_EXPRESSION_H
#define YOPS_EXPRESSION_H

#include "call/call.h"

enum {
    YOPS_MOST_TEXT = 4096,      /* bytes of an expression */
    YOPS_MOST_NESTING = 64,     /* parentheses, calls, casts and signs within each other */
    YOPS_MOST_HEIGHT = 256,     /* operations that depend on each other, as in a + b + c */
    YOPS_MOST_VARS = 32,        /* of the list */
    YOPS_MOST_TEMPORARIES = 64, /* new names */
    YOPS_MOST_REDUCTIONS = 8    /* calls that reduce a row */
};

/* What an expression is for. */
typedef enum yops_kind {
    YOPS_MAP,       /* it assigns at least one array */
    YOPS_VALUE,     /* it ends with a value and assigns no array */
    YOPS_ROWS,      /* it assigns arrays, and reduces rows */
    YOPS_ROWS_VALUE /* it ends with a value, and reduces rows */
} yops_kind;

/* Bits of facts.indices. */
#define YOPS_INDEX(axis) (UINT32_C(1) << (axis))
#define YOPS_EXTENT(axis) (UINT32_C(1) << (YOKE_MAX_DIMENSIONS + (axis)))
#define YOPS_POSITION (UINT32_C(1) << 2 * YOKE_MAX_DIMENSIONS)
#define YOPS_SIZE (UINT32_C(2) << 2 * YOKE_MAX_DIMENSIONS)

typedef struct yops_expression yops_expression;

/* What the kernel around an expression has to know. Bit K of a mask is vars[K]. */
typedef struct yops_expression_facts {
    uint32_t read;       /* arrays and scalars whose value from before is needed: in_K */
    uint32_t written;    /* arrays that are assigned: out_K */
    uint32_t functions;  /* functions of the program's that are called */
    uint32_t indices;    /* index variables */
    int32_t value_dtype; /* of `value`; 0 where none was wanted */
    bool needs_f64;      /* double is computed with, read or written */
} yops_expression_facts;

/* A call in an expression that reduces a row. Its stage is one above the highest stage of what it reduces; all reductions of a
 * stage are made together. */
typedef struct yops_row_reduction {
    int32_t operation; /* YOKE_REDUCE_SUM to _ALL, and _MEAN */
    int32_t dtype;     /* of reduced_J */
    int32_t result;    /* of row_J */
    int32_t stage;     /* from 1 on */
} yops_row_reduction;

/* Parse and check an expression and its list of variables; of an array only the dtype is looked at. The expression keeps nothing of
 * `text` and `vars`; yops_expression_free frees it.
 * YOKE_E_INVALID_ARGUMENT: a mistake in the list, or in the expression: then the record has the text and a caret below the mistake.
 * YOKE_E_OUT_OF_HOST_MEMORY. */
yoke_status yops_expression_parse(const yops_call *call, const char *text, const yoke_var *vars, size_t count, yops_kind kind,
                                  yops_expression **out_expression);

/* NULL is allowed. */
void yops_expression_free(yops_expression *expression);

/* Valid as long as the expression. */
const yops_expression_facts *yops_expression_get_facts(const yops_expression *expression);

/* Check that the index variables suit arrays of `dimensions` dimensions: i2 and n2 need three. YOKE_E_INVALID_ARGUMENT, with text
 * and caret. */
yoke_status yops_expression_check_axes(const yops_call *call, const yops_expression *expression, int32_t dimensions);

/* The statements as text for both languages, which the caller frees. YOKE_E_OUT_OF_HOST_MEMORY. */
yoke_status yops_expression_emit(const yops_call *call, const yops_expression *expression, char **out_text);

/* ---- Rows ---- */

/* The reductions; *out_count of them. They are valid as long as the expression. */
const yops_row_reduction *yops_expression_get_reductions(const yops_expression *expression, int32_t *out_count);

/* The statements that a stage needs: all that do not wait for its reductions, and reduced_J for each of those. Behind the last
 * stage, yops_expression_emit has all statements. */
yoke_status yops_expression_emit_stage(const yops_call *call, const yops_expression *expression, int32_t stage, char **out_text);

/* The arrays that get several values along a row, a bit each, where the variables of `vars` and the index variables of `indices`
 * have several. *out_value: the same of the value, if there is one. */
uint32_t yops_expression_find_varying(const yops_expression *expression, uint32_t vars, uint32_t indices, bool *out_value);

#endif
