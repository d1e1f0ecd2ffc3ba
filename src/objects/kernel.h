/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of a kernel. */
#ifndef YK_OBJECTS_KERNEL_H
#define YK_OBJECTS_KERNEL_H

#include "objects/program.h"

/* The head of a yoke_arg as one word: its kind and size. */
typedef uint64_t yk_arg_head;

YK_HOT yk_arg_head yk_arg_head_of(const yoke_arg *arg)
{
    yk_arg_head head;
    memcpy(&head, arg, sizeof head);
    return head;
}

/* A head that no argument has, and an argument count that no launch has, not even by mistake. */
#define YK_NO_HEAD UINT64_C(0x9e3779b97f4a7c15)
enum { YK_NO_COUNT = -0x61c88647 };

/* The heads that fit a parameter without further checks. `other` is that of a value of another kind, or of one that the full check
 * has accepted. */
typedef struct yk_arg_heads {
    yk_arg_head value, buffer;
    _Atomic(yk_arg_head) other;
} yk_arg_heads;

struct yoke_kernel {
    yk_object object;
    yoke_program *program; /* not retained: the program owns its kernels */
    yoke_kernel *next;
    void *native;
    const char *lasting_name; /* kernel->name, valid for the life of the process */
    const char *native_name;  /* the driver's name for the kernel */
    yoke_kernel_info info;
    yk_param *params;         /* including a trailing shared parameter */
    yk_arg_heads *heads;      /* for each parameter */
    int param_count;          /* the arguments: excluding samplers and a trailing shared parameter; -1 when not known */
    int sampler_count;        /* the parameters that are samplers, wherever they are in `params` */
    bool takes_local;         /* the last parameter is YK_PARAM_LOCAL */
    bool signature_has_local; /* whether takes_local is known: true where the driver reports address spaces */
    uint32_t line_blocks;     /* the most blocks in a grid of one dimension */
    uint32_t line_threads;    /* the most threads in a block of one dimension */
    int fast_count;           /* param_count; YK_NO_COUNT: it takes shared memory or requires a block, which needs more checks */
    char name[];
};

/* The parameter of argument `i`, which is below param_count + takes_local. */
static inline const yk_param *yk_kernel_param(const yoke_kernel *kernel, size_t i)
{
    const yk_param *param = &kernel->params[i];
    if (YK_UNLIKELY(kernel->sampler_count > 0))
        for (param = kernel->params; param->kind == YK_PARAM_SAMPLER || i-- > 0;)
            param++;
    return param;
}

#endif
