/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of a program. */
#ifndef YK_OBJECTS_PROGRAM_H
#define YK_OBJECTS_PROGRAM_H

#include "objects/device.h"

/* The values are those of YOKE_PARAM_. */
typedef enum yk_param_kind {
    YK_PARAM_ANY,    /* only the width is known */
    YK_PARAM_SCALAR, /* a scalar, vector or struct by value */
    YK_PARAM_BUFFER,
    YK_PARAM_LOCAL, /* OpenCL: a __local pointer; as the last parameter it may take a launch's `shared` */
    YK_PARAM_IMAGE,
    YK_PARAM_SAMPLER /* OpenCL: gets the sampler of the image before it; not an argument */
} yk_param_kind;

typedef struct yk_param {
    yk_param_kind kind;
    uint32_t size;     /* 0: not known */
    int32_t read_only; /* as in yoke_param_info; -1 of anything but a buffer or an image */
    uint32_t value;    /* of a kernel's parameter: YOKE_ARG_INTEGER, _FLOATING or, for vectors, _STRUCT; 0: any value fits */
    char name[40];     /* "" when not known */
    char type[40];
} yk_param;

/* A kernel's parameters, as far as they are known without the driver. Used only where they agree with the driver's. */
typedef struct yk_declaration {
    char *name;
    size_t count;
    yk_param *params;
} yk_declaration;

typedef struct yk_kernel_table {
    yk_declaration *kernels; /* each name once */
    size_t count;
} yk_kernel_table;

/* The kinds of compiled code. */
typedef enum yk_code_kind {
    YK_CODE_BINARY = 1, /* an OpenCL driver's own, for one device */
    YK_CODE_CUBIN = 2,
    YK_CODE_FATBIN = 3,
    YK_CODE_PTX = 4,
    YK_CODE_SPIRV = 5
} yk_code_kind;

enum { YK_PROGRAM_BUILDING, YK_PROGRAM_READY, YK_PROGRAM_FAILED };

struct yoke_program {
    yk_object object;
    yoke_device *device; /* retained, unless the device keeps the program */
    /* The device keeps the program (device_programs.c): one of the references is the device's, and a reference that the user takes
     * is one on the device. Set before any other thread can see the program. */
    bool kept;
    void *native;
    char name[64];
    yk_kernel_table declared; /* declarations read from the source */
    atomic_int state;         /* YK_PROGRAM_; once the program is ready, only members that the lock protects change */
    yk_failure *failure;      /* why it has failed */
    yk_text log;              /* the compiler's */
    yk_text name_expressions; /* name expressions and the compiler's names for them, alternating, each NUL-terminated */
    yk_text options;          /* [backends] the source's, for the device's compiler, with spaces between them */
    yk_text code;             /* [backends] the code it was loaded from; or compiled to, by compilers that are not the driver */
    int code_kind;            /* [backends] a yk_code_kind: the kind of that code */
    pthread_mutex_t lock;     /* protects what follows, and changes of state */
    pthread_cond_t built;     /* signals the end of YK_PROGRAM_BUILDING */
    yoke_kernel *kernels;
    bool kernel_names_known;   /* true: the names no longer change */
    const char **kernel_names; /* pieces of kernel_name_text */
    size_t kernel_name_count;
    yk_text kernel_name_text;
    yk_text image;                 /* the program file that it was loaded from or is saved as; else empty */
    struct yk_program_file *saved; /* the first of these, parsed */
};

#endif
