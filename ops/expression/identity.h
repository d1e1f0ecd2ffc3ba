/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tells one expression from another: its text, and the names, kinds and dtypes of its variables. A kernel's key has it, and
 * the facts of an expression follow from it, so that they are remembered: an expression that was used lately is not parsed again.
 */
#ifndef YOPS_IDENTITY_H
#define YOPS_IDENTITY_H

#include "expression.h"

typedef struct yops_identity {
    yops_expression_facts facts;
    const char *bytes; /* no byte is 0 */
    size_t length;
    char *allocated; /* NULL: bytes lie in `own` */
    char own[1024];
} yops_identity;

/* Find the facts of an expression. Where it has to be parsed, the caller gets the expression too, else NULL, and frees it. Fails as
 * yops_expression_parse does. yops_identity_end may be called after a failure too. */
yoke_status yops_identity_get(const yops_call *call, const char *text, const yoke_var *vars, size_t count, yops_kind kind,
                              yops_identity *out_identity, yops_expression **out_expression);
void yops_identity_end(yops_identity *identity);

/* Check that the index variables suit arrays of so many dimensions. May parse the expression for the message. */
yoke_status yops_identity_check_axes(const yops_call *call, const yops_identity *identity, const char *text, const yoke_var *vars,
                                     size_t count, int32_t dimensions, yops_expression **expression);

/* Check that the device has double where the expression needs it: YOKE_E_UNSUPPORTED. */
yoke_status yops_identity_check_device(const yops_call *call, const yops_identity *identity);

/* What has to stand before a kernel with the expression's statements: the functions of the languages and of the program that they
 * call, or NULL where they call none: calls.c. It comes before anything of the kernel, also before its macros. The
 * caller frees it. */
yoke_status yops_expression_get_functions(const yops_call *call, const yops_expression *expression, const yoke_var *vars,
                                          char **out_text);

#endif
