/* SPDX-License-Identifier: Apache-2.0 */
/* A trial of an expression: its variables with their elements on the host, run by yoke_map and compared with the host's evaluator.
 */
#ifndef OPS_TRIAL_H
#define OPS_TRIAL_H

#include "ops/map/elementwise.h"
#include "../arrays.h"
#include "../expression/evaluate.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* An expression's list, with the arrays' elements on the host. */
typedef struct trial {
    suite *t;
    yoke_var vars[YOPS_MOST_VARS];
    test_array arrays[YOPS_MOST_VARS];
    char names[YOPS_MOST_VARS][16];
    size_t count;
    evaluate_value (*call)(evaluation *self, unsigned var, const evaluate_value *arguments);
} trial;

void trial_begin(suite *t, trial *b);
void trial_end(trial *b);

/* Add a variable. Checked: false when the array cannot be had. One seed in three fills it with the dtype's whole range. */
bool trial_add_array(trial *b, const char *name, int32_t dtype, int32_t dimensions, const int64_t *shape, layout how,
                     uint32_t seed);
void trial_add_scalar(trial *b, const char *name, yoke_number number);

/* Give the device all arrays; wait, read them back, and check all that the expression does not write. */
bool trial_upload(trial *b);
bool trial_download(trial *b, const yops_expression *expression);

/* Evaluate the expression for the element at a position of an array of the outputs' shape, from the elements as they were given. */
void trial_evaluate(trial *b, const yops_expression *expression, const yoke_array *out, int64_t position, evaluation *self);

/* Compare all outputs with that. Checked. */
bool trial_compare(trial *b, const char *text, const yops_expression *expression);

/* All of it, with yoke_map. Checked. */
bool trial_run(trial *b, const char *text);

/* Take the device's own way (0), that of GPUs (1), or that with 64-bit offsets (2), modulo 3. */
void trial_force(unsigned number);

#endif
