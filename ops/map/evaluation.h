/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of an expression for kernels of any kind: yoke_map_reduce, yoke_select_where. The kernel's text includes
 * "generated.h", which declares
 *
 *     EVALUATE_PARAMETERS     the kernel's first parameters
 *     EVALUATE_DTYPE          the token of the value's dtype
 *     VALUE(EVALUATE_DTYPE) evaluate(yoke_i64 position, EVALUATE_PARAMETERS)
 *     EVALUATE_ARGUMENTS      what a call passes on: evaluate(i, EVALUATE_ARGUMENTS), or, with yops_evaluation_give,
 *                             evaluate(i, element, EVALUATE_ARGUMENTS)
 *
 * and `position` counts the elements of the evaluation's shape in row-major order. The names evaluate, divide, map_shape, index_t,
 * p_N and in_N are taken.
 *
 *     yops_evaluation v;
 *     status = yops_evaluation_begin(&v, call, text, vars, count, 0, NULL);
 *     if (status == YOKE_OK)
 *         status = yops_evaluation_get_kernel(&v, "map_reduce", "OP=sum", "reduce", &kernel);
 *     args: v.args, v.arg_count of them, and then the kernel's own
 *     yops_evaluation_end(&v);          always, behind the launch
 */
#ifndef YOPS_EVALUATION_H
#define YOPS_EVALUATION_H

#include "elementwise.h"
#include "expression/identity.h"

typedef struct yops_evaluation {
    int32_t dtype; /* of the value */
    bool needs_f64;
    int32_t dimensions;
    int64_t shape[YOKE_MAX_DIMENSIONS], count; /* count 0: empty; there is no kernel then */
    yoke_arg args[2 * YOPS_MOST_OPERANDS];
    size_t arg_count;

    /* For evaluation.c. */
    const yops_call *call;
    const char *text;
    const yoke_var *vars;
    size_t var_count;
    yops_identity identity;
    yops_expression *expression;
    yops_elementwise elementwise;
    yoke_array arrays[YOPS_MOST_VARS];
    yops_place places[YOPS_MOST_VARS];
    int64_t packed[YOPS_MOST_SHAPE];
} yops_evaluation;

/* Check the expression and its variables. `dimensions`, `shape`: the shape to which the arrays are broadcast; NULL: to each
 * other's. The list has to outlive the evaluation. Fails as yops_expression_parse does, and YOKE_E_INVALID_ARGUMENT: shapes do not
 * broadcast; without a shape, the expression reads no array. */
yoke_status yops_evaluation_begin(yops_evaluation *v, const yops_call *call, const char *text, const yoke_var *vars, size_t count,
                                  int32_t dimensions, const int64_t *shape);

/* Whether a text can loop: by a statement, by a function of the languages that does, or by words that it puts together. */
bool yops_may_loop(const char *text);

/* Check that a thread may evaluate so many elements in its loops, where the driver ends them: functions of the program's, and fmod
 * and remainder, may have loops, too. YOKE_E_UNSUPPORTED: it may not. */
yoke_status yops_evaluation_check_rounds(const yops_evaluation *v, const yops_traits *traits, uint64_t elements);

/* Check that an output overlaps none of the arrays that are read. */
yoke_status yops_evaluation_check_overlap(const yops_evaluation *v, const char *name, const yoke_array *out,
                                          const yops_place *place);

/* The kernel has the elements of `array`, which is one of the shape of the evaluation: those variables that are this very array are
 * not read again; evaluate is given the element, a stored_T, behind the position. Returns a bit for each of these variables, which
 * has to be in the options of the kernel; 0: there are none, and evaluate is given nothing. */
uint32_t yops_evaluation_give(yops_evaluation *v, const yoke_array *array, const yops_place *place);

/* As yops_kernel, for a text that includes "generated.h". NEED_F64 is added where the expression needs it. */
yoke_status yops_evaluation_get_kernel(yops_evaluation *v, const char *text, const char *options, const char *name,
                                       yoke_kernel **out_kernel);

/* Also after yops_evaluation_begin has failed. */
void yops_evaluation_end(yops_evaluation *v);

#endif
