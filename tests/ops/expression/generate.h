/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random expressions whose types suit, of the variables x_T and s_T for each dtype's token T (x_f32 is an array, s_f32 a scalar),
 * of index variables, constants, operators, casts and functions. The driver's own functions do not occur but for those that are
 * exact, so that every device gives the same bits.
 */
#ifndef OPS_GENERATE_H
#define OPS_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of any type. `has_double`: double and complex128 occur. The text fits into `size` bytes, at least 4096. */
void generate_value(uint32_t *state, bool has_double, char *text, size_t size);

#endif
