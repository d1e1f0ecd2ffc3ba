/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL and CUDA drivers for tests of listing and opening: PoCL where it is installed, and broken ones (tests/tools/). In a
 * sandbox, and without what the environment orders.
 */
#ifndef DRIVERS_H
#define DRIVERS_H

#include <stdbool.h>

/* Before the first case: the folder of .icd files, which the environment names from now on, and none that are broken. */
void drivers_begin(void);

/* The .icd files from now on, by names: "pocl", "none" (no platform), or how it is broken and where: "crash", "hang-devices". */
void drivers_use(const char *first, const char *second);
/* The path of a name's .icd file; good until the next. */
const char *drivers_file(const char *name);
/* The library of "link" is that of this name. */
void drivers_link(const char *name);

bool drivers_have_pocl(void);

/* Run this program anew, as PROGRAM WAY, with a libcuda.so.1 that is broken this way. Whether it exits with 0. */
bool drivers_run_with_cuda(const char *way);

#endif
