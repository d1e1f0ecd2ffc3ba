/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices and vectors, of libyoke-ops. The rules at the top of <yoke/ops.h> apply here too, and these:
 *
 *  - Shapes follow NumPy's matmul: a, of (…, m, k), times b, of (…, k, n), is c, of (…, m, n); the dimensions in front are a
 *    batch, and broadcast to each other. An operand of one dimension is a vector: a as a row, b as a column, and c lacks that
 *    dimension. Two vectors give one element, an array of no dimensions. Strides are arbitrary: a transposed matrix is a view.
 *  - Dtypes may differ. Sums are complex128 or complex64 where a or b is complex, else double or float where one of them is
 *    floating point: the wider one where a, b or c is double or complex128. float16 and bfloat16 are summed as float. Products of
 *    integers are summed modulo 2^32 where c is an integer of up to 32 bits, else modulo 2^64. What is stored is converted to c's
 *    dtype.
 *  - The order of the sums depends on the shapes and on the type of the sums alone, so that every device gives the same bits. k is
 *    cut into slices; a sum begins with 0 and adds the products of a slice from the first to the last, each by a fused
 *    multiply-add; and the sums of the slices are added from the first to the last. There is one slice, except where c has few
 *    elements and k is large; where m or n is 1, a slice is summed in chains: doc/numerics.md has the numbers, and how they may
 *    change. The real part of a complex product adds re·re, then -im·im; the imaginary part adds re·im, then im·re.
 *  - A sum begins with +0, so that it is +0 where all products are zeros of either sign. An element is -0 only where its value
 *    rounds to -0, or where a negative alpha multiplies a sum of 0. The elements of an outer product are not sums: a zero has the
 *    sign of its product. A vendor's library may give zeros of either sign.
 *  - Where sums are of integers, alpha and beta are converted to the type that an epilogue's `value` has (int32, uint32, int64 or
 *    uint64), as <yoke/ops.h> says: 2.75f becomes 2, and for uint32 -1.0f becomes 0, 1e10f the largest value and NaN 0; an integer
 *    wraps. alpha · (a · b) + beta · c is then exact modulo 2^32 or 2^64, as is what is stored in a c of integers.
 *  - Where alpha or beta is complex, the other becomes complex, too. The real part of alpha · (a · b) is then re·re, to which
 *    -im·im is added, and the imaginary part is re·im, to which im·re is added; the four products of beta · c are added to these in
 *    the same order, each by a fused multiply-add. Where alpha and beta are real, they multiply the real and the imaginary parts
 *    separately.
 *  - The tiles into which c is cut for the threads of a device, and which yoke_matmul_tune may have chosen, do not change the order
 *    of the sums: every tile adds an element's products as described above. A tuned device gives the same bits as an untuned one.
 *  - Without YOKE_MATMUL_EXACT, a library of the device's vendor may compute the product where such a library is installed, or
 *    tensor cores where the device has them: of float16, of bfloat16, and with YOKE_MATMUL_TF32 of float. Both have their own order
 *    of sums.
 */
#ifndef YOKE_MATMUL_H
#define YOKE_MATMUL_H

#include <yoke/array.h>
#include <yoke/vars.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of products. */
typedef uint32_t yoke_matmul_flags;
enum {
    YOKE_MATMUL_TF32 = 1, /* float operands may be rounded to the 10 bits of TF32, where the device is then faster */
    YOKE_MATMUL_EXACT = 2 /* no vendor's library and no tensor cores: the sums have the order that is described above */
};

/* Options of products; begin with YOKE_MATMUL_OPTIONS_INIT. The epilogue is an expression by <yoke/vars.h> without assignments to
 * arrays, such as "fmax(value + bias, 0)". In it, `value` is alpha · (a · b) + beta · c, in the type of the sums (for integers
 * int32, uint32, int64 or uint64, like c's dtype). Its variables are `vars`, `var_count`: YOKE_VARS(bias) in an initializer of C11;
 * elsewhere an array of the caller, such as const yoke_var vars[] = { YOKE_VAR(bias) }. Arrays are broadcast to c's shape, and must
 * not overlap c. */
typedef struct yoke_matmul_options {
    size_t size;             /* sizeof(yoke_matmul_options), or 0: see <yoke/ops.h> */
    yoke_matmul_flags flags; /* YOKE_MATMUL_ */
    yoke_number alpha;       /* converted to the sums' type (of integers: see above), or to its real type; dtype 0: 1 */
    yoke_number beta;        /* the same; dtype 0: 0. With 0, c is not read */
    const char *epilogue;    /* NULL: `value` itself */
    const yoke_var *vars;    /* of the epilogue, 31 at most */
    size_t var_count;        /* how many */
} yoke_matmul_options;

#define YOKE_MATMUL_OPTIONS_INIT                                                            \
    {                                                                                       \
        sizeof(yoke_matmul_options), 0, { 0, { 0 } }, { 0, { 0 } }, YOKE_NULL, YOKE_NULL, 0 \
    }

/* c = a · b, or with options c = epilogue(alpha · (a · b) + beta · c); `options` may be NULL. YOKE_E_INVALID_ARGUMENT: a or b has
 * no dimensions; k differs; c does not have the shape that follows from a and b; c overlaps a or b; the options have unknown flags;
 * alpha or beta is complex, and neither a nor b is, or c is not; the epilogue has a mistake, reads an array that does not broadcast
 * to c's shape or overlaps c, or is complex where c is not. YOKE_E_RANGE: an extent is too large for a grid, or on a GPU k is 2^31
 * or more. */
#define yoke_matmul(...) yoke_matmul_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_matmul_at(const char *where, yoke_stream *stream, const yoke_array *c, const yoke_array *a,
                                    const yoke_array *b, const yoke_matmul_options *options);

/* c[i, j] = a[i] · b[j], the outer product of two vectors, by Yoke's own kernels: each element is one product, as in NumPy's outer,
 * and not a sum that begins with 0. With a beta of 1 the product is added to c. c is read as the type of the sums: a complex c
 * beside real vectors loses its imaginary parts, and a floating-point c beside integer vectors loses its fractions. `options` may
 * be NULL. Fails as yoke_matmul. */
#define yoke_outer(...) yoke_outer_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_outer_at(const char *where, yoke_stream *stream, const yoke_array *c, const yoke_array *a,
                                   const yoke_array *b, const yoke_matmul_options *options);

/* ---- Tuning ---- */

/* Flags of measurements. */
typedef uint32_t yoke_matmul_tile_flags;
enum {
    YOKE_MATMUL_TILE_DEFAULT = 1, /* the tile that is used where nothing has been measured */
    YOKE_MATMUL_TILE_TAKEN = 2    /* the tile that is used from now on: the default, unless another tile is 3 % faster */
};

/* A product that yoke_matmul_tune has measured, by one of Yoke's tiles. Strings live as long as the process. */
typedef struct yoke_matmul_timing {
    size_t size;                  /* sizeof(yoke_matmul_timing) of the library */
    yoke_dtype dtype;             /* of a and b: YOKE_F32, YOKE_F64, YOKE_F16 (for bfloat16, too; by tiles with and without tensor
                                     cores), YOKE_C64, YOKE_C128 */
    int64_t m, n, k;              /* the extents */
    const char *tile;             /* the tile's name: "medium" */
    double nanoseconds;           /* of one product, the median */
    yoke_matmul_tile_flags flags; /* YOKE_MATMUL_TILE_ */
} yoke_matmul_timing;

/* The function that yoke_matmul_tune calls after each measurement. `timing` is valid during the call. */
typedef void (*yoke_matmul_timing_fn)(const yoke_matmul_timing *timing, void *user);

/* Measure which tiles are the fastest on a device, and keep the result. Products of several sizes and dtypes, without batches, are
 * measured for about `seconds` seconds, compilation included. The result is stored in the folder of the cache, for this library's
 * version, the device's name and its driver. Products that are enqueued from then on, in all processes, use the tile of the nearest
 * size that was measured, if m and n are within a factor of 2 of that size and k within a factor of 4. The bits of results do not
 * change. Sizes for which the time does not suffice keep their tiles; the first size is always measured. The device should have no
 * other work meanwhile. `progress`, which may be NULL, is called in the calling thread for each tile and size; calls for the tiles
 * of one size follow each other. Blocks. YOKE_E_INVALID_ARGUMENT: `device` is not a device; seconds is not between 0 and 1e9.
 * YOKE_E_OUT_OF_DEVICE_MEMORY: some sizes do not fit into the device's memory and keep their tiles; the measurements of the other
 * sizes are kept. YOKE_E_UNAVAILABLE: all sizes were measured, but the result cannot be stored, for example because of
 * YOKE_CACHE=off: nothing changes. Otherwise as yoke_matmul and yoke_stream_wait. */
YOKE_API yoke_status yoke_matmul_tune(yoke_device *device, double seconds, yoke_matmul_timing_fn progress, void *user);

/* Get the number of sizes of products, of any dtype, that have a measured tile on the device; 0: the device is not tuned. Reads the
 * file in the cache if no product has read it yet. Any thread may call this. YOKE_E_INVALID_ARGUMENT: `device` is not a device;
 * out_count is NULL. */
YOKE_API yoke_status yoke_matmul_get_tuned(yoke_device *device, size_t *out_count);

#ifdef __cplusplus
}
#endif

#endif
