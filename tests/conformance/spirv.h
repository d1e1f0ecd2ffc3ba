/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of spirv.c, for every driver and for one that is made to take SPIR-V. */
#ifndef SPIRV_H
#define SPIRV_H

#include "suite.h"

void spirv_runs(suite *t);
void spirv_is_saved(suite *t);
void spirv_is_damaged(suite *t);

/* The driver has been made to refuse it: loading fails with this status and these words. */
void spirv_is_refused(suite *t, yoke_status status, const char *words);

#endif
