/* SPDX-License-Identifier: Apache-2.0 */
/* Selections by flags, for operations that make the flags themselves. */
#ifndef YOPS_SELECT_H
#define YOPS_SELECT_H

#include "call.h"

/* The checks of yoke_select, which enqueue nothing. */
yoke_status yops_select_check(const yops_call *call, const yoke_array *out, const yoke_array *count, const yoke_array *a,
                              const yoke_array *flags);

/* yoke_select itself, with its checks. */
yoke_status yops_select(const yops_call *call, const yoke_array *out, const yoke_array *count, const yoke_array *a,
                        const yoke_array *flags);

#endif
