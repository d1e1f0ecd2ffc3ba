/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `yoke cc`: a form is one file, in CUDA C++ or in OpenCL C, with the kernels that are in it. */
#ifndef CC_H
#define CC_H

#include "tool.h"

typedef struct cc_param {
    int32_t kind;      /* YOKE_PARAM_ */
    int32_t read_only; /* as in yoke_param_info */
    uint32_t bytes;    /* 0: not known */
    char name[40], type[40];
} cc_param;

typedef struct cc_kernel {
    char *name;
    bool known; /* its parameters are */
    cc_param *params;
    size_t count;
    char *problem; /* why it cannot be looked up, or NULL */
    yoke_kernel_info info;
} cc_kernel;

typedef enum cc_state { CC_ABSENT, CC_UNTRIED, CC_BROKEN, CC_COMPILED } cc_state;

typedef struct cc_form {
    const char *language, *backend; /* "CUDA", "cuda" */
    const char *path;               /* NULL: there is none */
    char *text;
    size_t size;
    cc_state state;
    char *why;      /* it was not tried, or does not compile */
    char *log;      /* of the compiler */
    char *device;   /* what it was compiled for */
    bool from_text; /* its kernels are read from the text, by cc_read */
    cc_kernel *kernels;
    size_t kernel_count;
} cc_form;

/* Read the kernels that a text declares, without compiling it: macros are not expanded, and templates are not seen through. */
void cc_read(cc_form *form);

cc_kernel *cc_add_kernel(cc_form *form, const char *name, size_t length);
cc_param *cc_add_param(cc_kernel *kernel);

/* Append a line for each place where two forms differ; returns how many there are. */
size_t cc_compare(const cc_form *cuda, const cc_form *opencl, tool_string *words);

#endif
