/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the self-test among themselves: a source is compiled, loaded, run and freed. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "module.h"

#include "../tap/tap.h"

#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) result name parameters;
#include "../../backends/cuda/symbols.def"

typedef struct selftest_code {
    yk_nvrtcProgram program;
    double_module *module;
} selftest_code;

/* `names`, which NULL ends, are asked for. A source that cannot be compiled and loaded ends the test, with the log. */
selftest_code selftest_build(const char *text, const char *const *names);
/* A kernel, by a name that was asked for, or else by that of its symbol. */
yk_CUresult selftest_run(const selftest_code *code, const char *name, unsigned blocks, unsigned threads, unsigned shared,
                         const void *params);
void selftest_free(selftest_code *code);
/* A case: compiling fails, and the log has the words. */
void selftest_refused(const char *text, const char *name, const char *words);

void selftest_templates(void);
void selftest_warps(void);

#endif
