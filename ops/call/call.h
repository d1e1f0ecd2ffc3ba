/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all operations begin with: the call, the checks of its arrays, and the kernels that it launches. Nothing here is exported.
 */
#ifndef YOPS_CALL_H
#define YOPS_CALL_H

#include "array/array.h"
#include "base/sized.h"

/* One call of an operation. */
typedef struct yops_call {
    const char *function; /* the public function, for messages: "yoke_scan" */
    const char *where;    /* the caller's place */
    yoke_stream *stream;
    yoke_device *device; /* the stream's */
} yops_call;

/* Begin a call: YOKE_E_INVALID_ARGUMENT when the stream is not one. */
yoke_status yops_begin(yops_call *out_call, const char *function, const char *where, yoke_stream *stream);

/* Fail with "FUNCTION: text". Returns `status`. */
yoke_status yops_fail(const yops_call *call, yoke_status status, const char *format, ...) YOKE_PRINTF(3, 4);

/* Take a caller's options, or NULL, over the defaults in `out_options`. */
#define YOPS_TAKE_OPTIONS(out_options, type, options) \
    ((options) ? yk_sized_take(out_options, options, sizeof(type), YK_FIRST_SIZE(type)) : (void)0)

/* ---- Checks: check.c ---- */

/* Check an array that is read: it is valid, of the call's device, has an aligned offset, and lies within its buffer. `name` is the
 * parameter's, for messages. Fills *out_place. */
yoke_status yops_check_input(const yops_call *call, const char *name, const yoke_array *array, yops_place *out_place);

/* The same for an array that is written, which besides must not be read-only nor have two elements at one place. */
yoke_status yops_check_output(const yops_call *call, const char *name, const yoke_array *array, yops_place *out_place);

/* Check that an output and another array share no memory, unless both are the very same elements in the same order and
 * `same_allowed`. Arrays that interleave without sharing an element, as two columns of a matrix, are told apart where their strides
 * allow it. */
yoke_status yops_check_overlap(const yops_call *call, const char *out_name, const yoke_array *out, const yops_place *out_place,
                               const char *name, const yoke_array *array, const yops_place *place, bool same_allowed);

/* Check the dtype of an output that gets positions or counts, 0 to `most`: YOKE_E_RANGE if it does not hold that one. Every such
 * output is checked here. */
yoke_status yops_check_count(const yops_call *call, const char *name, int32_t dtype, uint64_t most);

/* The same for outputs that have 4 or 8 bytes: YOKE_E_INVALID_ARGUMENT for other dtypes. */
yoke_status yops_check_positions(const yops_call *call, const char *name, int32_t dtype, uint64_t most);

/* Check that two arrays have the same shape. */
yoke_status yops_check_same_shape(const yops_call *call, const char *name, const yoke_array *array, const char *other_name,
                                  const yoke_array *other);

/* Broadcast an array to a shape, with a failure that names both. */
yoke_status yops_broadcast(const yops_call *call, const char *name, const yoke_array *array, int32_t dimensions,
                           const int64_t *shape, yoke_array *out_array);

/* Check a list of axes of an array, and mark those that it names. No axis is marked for an empty list. */
yoke_status yops_check_axes(const yops_call *call, int32_t dimensions, const int32_t *axes, size_t axis_count, bool *out_named);

/* Check a number that the caller made: its dtype is one. */
yoke_status yops_check_number(const yops_call *call, const char *name, yoke_number value);

/* The same, and that it is not complex, since it is compared. */
yoke_status yops_check_limit(const yops_call *call, const char *name, yoke_number value);

/* ---- Options: options.c ---- */

/* Like snprintf, for a format with nothing but %s, %d, %u and %zu, in a part of its time. Returns the length of the whole text;
 * what does not fit is cut off. */
int yops_write(char *text, size_t size, const char *format, ...) YOKE_PRINTF(3, 4);

/* ---- Kernels: program.c ---- */

/* Get a kernel of the text TEXT.yk, compiled with `options`: macros separated by spaces, "IN=f32 OUT=i64". The device
 * keeps the program, so that it is compiled once. `text` and `options` together are the program's key. The kernel lives as long as
 * the device. */
yoke_status yops_kernel(const yops_call *call, const char *text, const char *options, const char *name, yoke_kernel **out_kernel);

/* The options of a program that has only a part of the text's kernels: see only.yh. `part` is a word of the text. */
enum { YOPS_ONLY_SIZE = 64 }; /* what is added, at most */
void yops_only(char *all, size_t size, const char *options, const char *part);

/* The same for a text that includes "generated.h", which is made at run time. `first`, or NULL: text before everything, also
 * before the macros. `key` stands for all of it. */
yoke_status yops_kernel_generated(const yops_call *call, const char *key, const char *text, const char *options, const char *first,
                                  const char *generated, const char *name, yoke_kernel **out_kernel);

/* Whether yops_kernel_generated would find the key without compiling; then `generated` need not be made. */
bool yops_kernel_known(const yops_call *call, const char *key, const char *name, yoke_kernel **out_kernel);

/* ---- Traits: traits.c ---- */

/* What decides between algorithms, never between results. */
typedef struct yops_traits {
    bool is_cpu;            /* one thread works through a tile, instead of a block */
    uint64_t most_rounds;   /* of all loops of a thread, where the driver ends them (half of what it allows: rounds.c); else 0 */
    bool limits_registers;  /* a compiler for OpenCL that takes MOST_REGISTERS: ops/array/block_size.yh */
    bool blocks_progress;   /* a block may wait for a block that began earlier: decoupled look-back */
    bool has_tensor_cores;  /* and a compiler for PTX that uses them: ops/linear/tensor.yh */
    uint32_t compute_units; /* multiprocessors or cores */
    uint32_t max_block_threads;
    uint64_t max_shared_bytes;
} yops_traits;
yoke_status yops_get_traits(const yops_call *call, yops_traits *out_traits);

/* For tests: what is taken instead of the device's traits, or NULL; and who is shown each source before it is compiled, or NULL:
 * where he fails, it is not. */
extern const yops_traits *yops_traits_force;
extern yoke_status (*yops_program_watch)(const yoke_source *source);

/* ---- Rounds of a thread's loops: rounds.c ---- */

/* Whether the driver ends a thread's loops. */
bool yops_counts_rounds(const yops_traits *traits);

/* How many turns of `each` rounds a thread may take, besides `fixed` other rounds: at least 1; UINT64_MAX where nothing counts. */
uint64_t yops_fit_rounds(const yops_traits *traits, uint64_t fixed, uint64_t each);

/* YOKE_E_UNSUPPORTED where a thread has so many rounds that the driver would end them. The format says what takes them: "a sum of
 * 70000 products". */
yoke_status yops_check_rounds(const yops_call *call, const yops_traits *traits, uint64_t rounds, const char *format, ...)
    YOKE_PRINTF(4, 5);

/* Whether a thread may go through a long tile alone: where its loops are ended, a block's threads run well enough. */
static inline bool yops_by_threads(const yops_traits *traits)
{
    return traits->is_cpu && !yops_counts_rounds(traits);
}

/* For tests: this many rounds in place of the driver's; 0: the driver's. */
extern uint64_t yops_rounds_forced;

/* Temporary memory in the stream's order, at least 1 byte: release it after the last launch that uses it. */
yoke_status yops_temporary(const yops_call *call, uint64_t size, yoke_buffer **out_buffer);

/* Launch blocks of `threads` threads; of a kernel that names no block, smaller ones where the device does not take it so large.
 * YOKE_E_RANGE: more blocks than 2^31 - 1. */
yoke_status yops_launch(const yops_call *call, yoke_kernel *kernel, uint64_t blocks, uint32_t threads, const yoke_arg *args,
                        size_t count);

#endif
