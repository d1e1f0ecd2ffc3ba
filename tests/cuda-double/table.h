/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compiled source tells of itself, and how its kernels are run: read by the driver's half (module.c, run.c), written by
 * prelude.h, which stands before every source. C for the one and C++ for the other.
 */
#ifndef DOUBLE_TABLE_H
#define DOUBLE_TABLE_H

typedef struct double_place {
    unsigned grid[3], block[3]; /* how many: blocks, threads of a block */
    unsigned at[3];             /* which block */
    unsigned first[3], last[3]; /* which of its threads; `last` is the first one that is not meant */
} double_place;

typedef struct double_field {
    unsigned offset, size;
} double_field;

/* A kernel; or a variable whose name was asked for, which is not run. */
typedef struct double_kernel {
    const void *address;
    /* The threads that `place` names, one after the other. */
    void (*run)(const void *params, const double_place *place);
    const double_field *fields;
    unsigned field_count, params_size;
    unsigned most_threads, cluster[3]; /* as the source bounds them; else 0 */
} double_kernel;

/* What kernels ask of whoever runs them. */
typedef struct double_hooks {
    void (*barrier)(void);
    /* The threads of the warp that `mask` names meet, as far as they have not ended: `present`. Each brings a value and gets all
     * of theirs, 32 of them; values of others are arbitrary. */
    void (*meet)(unsigned mask, unsigned long long value, unsigned long long *values, unsigned *present);
    /* Those of the warp that call it from the same place of the code, when no thread of the block can go on otherwise. */
    unsigned (*active)(void);
    /* As vprintf, but what is printed is brought out later; how many values there were, or less than 0. */
    int (*print)(const char *format, __builtin_va_list values);
    void (*fail)(int result);
} double_hooks;

typedef struct double_table {
    /* Functions, so that the compiler need not make a long one that fills an array. First are those that were asked for. */
    double_kernel (*const *kernels)(void);
    unsigned kernel_count;
    int has_barriers; /* in any of the kernels */
    unsigned constant_size;
    const double_hooks **hooks;
} double_table;

/* A texture or surface object is the address of this. */
typedef struct double_texture {
    unsigned mark;
    unsigned format, channels, channel_bytes; /* CU_AD_FORMAT_ */
    int extent[3];                            /* extent[2] 0: two dimensions */
    void *texels;
    unsigned address[3], linear, flags; /* of a texture: CU_TR_ADDRESS_MODE_, CU_TRSF_ */
} double_texture;

enum { DOUBLE_TEXTURE_MARK = 0x54455854, DOUBLE_SURFACE_MARK = 0x53555246 };

#define DOUBLE_TABLE "double_module_table" /* the one symbol of it all that is looked for by name */

#endif
