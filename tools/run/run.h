/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One launch as data: a kernel's name, its shape, and each argument with the bytes that it has before. It is launched on any
 * device, and what two launches have left in the buffers is compared element by element.
 */
#ifndef RUN_H
#define RUN_H

#include "base/type_name.h"
#include "tools/ground/tool.h"

/* ---- Elements: element.c ---- */

typedef struct run_type {
    yk_scalar_kind kind;
    uint32_t bytes; /* of one element; 0: the type is not known */
} run_type;

enum { RUN_ELEMENT = 40 };

/* An element as text, with as many digits as tell it from its neighbours; of an unknown type its first byte. */
void run_print_element(run_type type, const void *at, char text[RUN_ELEMENT]);
/* Set an element to the nearest value that the type has. */
void run_set_element(run_type type, void *at, double value);
/* The least whole number that is above all that the type has; of a floating-point type infinity. */
double run_type_end(run_type type);

/* Where two arrays differ. A distance is in units in the last place, of integers in units; UINT64_MAX: one of the two is a NaN. */
typedef struct run_difference {
    size_t count, first, worst; /* elements that differ by more than is allowed, and the first and worst of them */
    uint64_t first_distance, worst_distance;
} run_difference;

/* NaN is equal to NaN, and 0 to -0. `size` is in bytes, as are the elements of an unknown type. */
run_difference run_compare(run_type type, const void *one, const void *other, size_t size, uint64_t allowed);

/* ---- Files: npy.c ---- */

/* Read the elements of an array file of NumPy, to be freed. NULL: *out_why, to be freed, says why not. */
unsigned char *run_read_npy(const char *path, run_type *out_type, size_t *out_size, char **out_why);

/* ---- Launches: launch.c ---- */

typedef struct run_arg {
    char name[40];
    yoke_param_kind kind; /* YOKE_PARAM_VALUE, _BUFFER, or _LOCAL, which has a size and no bytes */
    bool read_only;
    run_type type;
    size_t size;             /* bytes; 0: a null pointer */
    size_t same;             /* of a buffer: the first argument that is this buffer, else its own index */
    unsigned char *before;   /* the value, or what the buffer has at first */
    unsigned char *expected; /* what the buffer has to have afterwards; NULL: nobody knows */
} run_arg;

typedef struct run_case {
    char *kernel;
    char *origin; /* where it was recorded; NULL: nowhere */
    yoke_dim grid, block;
    size_t shared;
    run_arg *args;
    size_t count;
} run_case;

void run_free_case(run_case *c);

/* ---- Records: record.c ---- */

/* The names of a buffer's contents, before and after. */
typedef struct run_hashes {
    unsigned char before[16], after[16];
} run_hashes;

/* Read the text of a record, whose buffers have sizes and no contents yet, and what they are called; to be freed. NULL, or why it
 * is no record. */
const char *run_parse_record(const char *text, size_t size, run_case *out_case, run_hashes **out_hashes);
/* Read a record and the contents of its buffers. NULL, or a text, to be freed, that says why not. */
char *run_read_record(const char *path, run_case *out_case);

/* What a launch has left. */
typedef struct run_result {
    unsigned char **after; /* of each argument; NULL for those that are no buffers */
    size_t count;
    int64_t nanoseconds; /* of a second launch on the same data; -1: the device has no clock */
    bool varies;         /* that launch left something else */
} run_result;

/* Launch it twice in a stream of the kernel's device. */
yoke_status run_launch(yoke_kernel *kernel, const run_case *c, run_result *out_result);
void run_free_result(run_result *result);

/* ---- Reports: report.c ---- */

/* A row for each buffer that differs, or that the kernel may have written. Returns how many buffers differ. */
size_t run_report(const run_case *c, unsigned char *const *one, unsigned char *const *other, uint64_t allowed);

/* "12.3 us"; "" for a negative number. */
const char *run_time_text(int64_t nanoseconds, char text[32]);

#endif
