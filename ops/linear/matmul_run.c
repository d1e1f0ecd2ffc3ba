/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a product: which, compiled for what, and launched how. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "matmul.h"
#include "array/number.h"
#include "blas.h"
#include "library/library.h"

enum { MOST_ARGS = 2 * YOPS_MOST_OPERANDS + 16, MOST_OPTIONS = 400, CPU_FINISH = 1024 };

/* What all kernels of a product have in common. */
typedef struct plan {
    yops_matmul *p;
    yops_traits traits;
    const yops_matmul_tile *tile; /* of a product of matrices, as the rest */
    uint64_t tiles_m, tiles_n;    /* of one matrix */
    uint64_t blocks;              /* of the grid: one for each tile, and on GPUs for each slice of it */
    char options[MOST_OPTIONS];
} plan;

static size_t sum_bytes(const yops_matmul *p)
{
    return yoke_dtype_get_size(p->sum);
}

static void begin_options(plan *l)
{
    const yops_matmul *p = l->p;
    bool wide = yops_needs_f64(p->sum) || yops_needs_f64(p->a.dtype) || yops_needs_f64(p->b.dtype) || yops_needs_f64(p->c.dtype);
    yops_write(l->options, sizeof l->options, "OUT_C=%s SUM=%s RESULT=%s%s%s%s", yops_dtype_token(p->c.dtype),
               yops_dtype_token(p->sum), yops_dtype_token(p->result), wide ? " NEED_F64=1" : "",
               p->is_swapped && yops_is_complex(p->sum) ? " SWAPPED=1" : "", p->scales_by_complex ? " COMPLEX_SCALAR=1" : "");
}

static void add_dtypes(const plan *l, char *options)
{
    size_t length = strlen(options);
    yops_write(options + length, MOST_OPTIONS - length, " IN_A=%s IN_B=%s", yops_dtype_token(l->p->a.dtype),
               yops_dtype_token(l->p->b.dtype));
}

/* A kernel that stores finished elements has the epilogue; one that stores the sums of slices has none. */
static yoke_status get_kernel(const plan *l, const char *text, const char *options, bool finishes, yoke_kernel **out_kernel)
{
    char all[MOST_OPTIONS + 40];
    if (!finishes || !l->p->epilogue) {
        yops_write(all, sizeof all, "%s%s", options, finishes ? "" : " SPLIT=1");
        return yops_kernel(&l->p->call, text, all, text, out_kernel);
    }
    yops_write(all, sizeof all, "%s EPILOGUE=1", options);
    return yops_evaluation_get_kernel(l->p->epilogue, text, all, text, out_kernel);
}

/* ---- Arguments ---- */

static yoke_arg scalar_argument(const yops_matmul *p, yoke_number value, yops_parts *parts)
{
    if (p->scalar == YOKE_U32)
        return yoke_arg_u32((uint32_t)value.value.u64);
    if (p->scalar == YOKE_U64)
        return yoke_arg_u64(value.value.u64);
    return yops_number_argument(value, parts);
}

/* The epilogue's, and `shape`, alpha, beta and has_c behind the arrays. */
static size_t begin_args(const plan *l, bool finishes, yoke_arg *args)
{
    const yops_evaluation *v = l->p->epilogue;
    if (!v || !finishes)
        return 0;
    memcpy(args, v->args, v->arg_count * sizeof *args);
    return v->arg_count;
}

static size_t add_args(const plan *l, yoke_arg *args, size_t count)
{
    yops_matmul *p = l->p;
    args[count++] = yoke_arg_struct(&p->shape, sizeof p->shape);
    args[count++] = scalar_argument(p, p->alpha, &p->alpha_parts);
    args[count++] = scalar_argument(p, p->beta, &p->beta_parts);
    args[count++] = yoke_arg_u32(p->has_c);
    return count;
}

static yoke_status launch_product(const plan *l, yoke_kernel *kernel, yoke_buffer *sums, uint64_t blocks, uint32_t threads,
                                  const yoke_arg *last, size_t last_count)
{
    yoke_arg args[MOST_ARGS];
    size_t count = begin_args(l, !sums, args);
    args[count++] = yoke_arg_buffer(l->p->a_place.root);
    args[count++] = yoke_arg_buffer(l->p->b_place.root);
    args[count++] = yoke_arg_buffer(sums ? sums : l->p->c_place.root);
    count = add_args(l, args, count);
    for (size_t i = 0; i < last_count; i++)
        args[count++] = last[i];
    return yops_launch(&l->p->call, kernel, blocks, threads, args, count);
}

static yoke_status launch_finish(const plan *l, yoke_kernel *kernel, yoke_buffer *sums)
{
    const yops_matmul_shape *shape = &l->p->shape;
    bool on_cpu = yops_by_threads(&l->traits);
    uint32_t threads = on_cpu ? 1 : 256, tile = on_cpu ? CPU_FINISH : 1;
    uint64_t elements = (uint64_t)shape->batches * (uint64_t)shape->m * (uint64_t)shape->n;
    yoke_arg args[MOST_ARGS];
    size_t count = begin_args(l, true, args);
    args[count++] = yoke_arg_buffer(sums ? sums : l->p->a_place.root);
    args[count++] = yoke_arg_buffer(l->p->c_place.root);
    count = add_args(l, args, count);
    args[count++] = yoke_arg_u64(elements);
    args[count++] = yoke_arg_u32(tile);
    return yops_launch(&l->p->call, kernel, yops_divide_up(elements, (uint64_t)threads * tile), threads, args, count);
}

/* A product that stores its slices' sums is launched by `run`, and then finished. Without slices `run` is NULL. */
static yoke_status run_slices(const plan *l, yoke_status (*run)(const plan *l, yoke_buffer *sums, yoke_kernel *kernel),
                              yoke_kernel *kernel)
{
    const yops_matmul_shape *shape = &l->p->shape;
    yoke_kernel *finish;
    yoke_buffer *sums = NULL;
    uint64_t bytes = (uint64_t)shape->slices * (uint64_t)shape->batches * (uint64_t)shape->m * (uint64_t)shape->n * sum_bytes(l->p);
    yoke_status status = get_kernel(l, "matmul_finish", l->options, true, &finish);
    if (status == YOKE_OK && run)
        status = yops_temporary(&l->p->call, bytes, &sums);
    if (status == YOKE_OK && run)
        status = run(l, sums, kernel);
    if (status == YOKE_OK)
        status = launch_finish(l, finish, sums);
    if (sums)
        yoke_buffer_release(sums);
    return status;
}

/* ---- Alignment ---- */

/* Whether `unit` neighbours from any multiple of it on are one load: `stride` and `batch` are those of the other axes. */
static bool is_aligned_to(int64_t unit, const yops_place *place, int32_t dtype, int64_t stride, const int64_t *batch)
{
    int64_t size = (int64_t)yoke_dtype_get_size(dtype);
    if (place->origin % unit != 0 || stride % unit != 0)
        return false;
    for (int i = 0; i < YOPS_MOST_BATCHES; i++)
        if (batch[i] % unit != 0)
            return false;
    return yoke_buffer_get_misalignment(place->root) % (size_t)(unit * size) == 0;
}

/* Four neighbours, in units of 16 bytes at most. */
static bool is_aligned(const yops_place *place, int32_t dtype, int64_t stride, const int64_t *batch)
{
    int64_t size = (int64_t)yoke_dtype_get_size(dtype);
    return is_aligned_to(size < 4 ? 4 : 16 / size, place, dtype, stride, batch);
}

/* How an operand is loaded: WIDTH and ALONG_K of matmul.yk. `along` is its stride along k, `other` that along its other axis. */
typedef struct loading {
    int width, along_k;
} loading;

static loading load_of(const plan *l, const yops_place *place, int32_t dtype, int64_t along, int64_t other, int64_t extent,
                       const int64_t *batch)
{
    loading how = { 1, yops_distance(along) < yops_distance(other) || extent == 1 };
    bool along_k = along == 1 && l->p->shape.k % 4 == 0, across = other == 1 && extent % 4 == 0;
    if (how.along_k ? along_k && is_aligned(place, dtype, other, batch) : across && is_aligned(place, dtype, along, batch))
        how.width = 4;
    return how;
}

/* ---- Tiles on GPUs ---- */

/* How many products of a slice a launch may take, a multiple of the tile's depth: the loops of matmul.yk over squares of
 * 2 x 2 sums, and as many rounds around them as one product's. */
static uint64_t count_products(const plan *l)
{
    const yops_matmul_tile *t = l->tile;
    uint64_t each = (uint64_t)t->part_rows * (uint64_t)t->part_columns * 3 / 2 + 12, depth = (uint64_t)t->depth;
    uint64_t most = yops_fit_rounds(&l->traits, (2 * depth + 32) * each, each) / depth * depth;
    return most > depth ? most : depth;
}

/* Fill the plan's tiles and blocks. */
static yoke_status count_blocks(plan *l, int64_t slices)
{
    const yops_matmul_shape *shape = &l->p->shape;
    l->tiles_m = yops_divide_up((uint64_t)shape->m, (uint64_t)l->tile->rows);
    l->tiles_n = yops_divide_up((uint64_t)shape->n, (uint64_t)l->tile->columns);
    if (l->tiles_m > INT32_MAX || l->tiles_n > INT32_MAX / 8 || /* the kernel counts tiles of 8 rows with 32 bits */
        __builtin_mul_overflow(l->tiles_m * l->tiles_n, (uint64_t)shape->batches, &l->blocks) ||
        __builtin_mul_overflow(l->blocks, (uint64_t)slices, &l->blocks))
        return yops_fail(&l->p->call, YOKE_E_RANGE, "the product has more tiles than a grid holds");
    return YOKE_OK;
}

static yoke_status launch_tiles(const plan *l, yoke_buffer *sums, yoke_kernel *kernel)
{
    yoke_arg last[4] = { yoke_arg_u32((uint32_t)l->tiles_m), yoke_arg_u32((uint32_t)l->tiles_n) };
    uint64_t slice = (uint64_t)l->p->shape.slice, most = count_products(l);
    if (most >= slice)
        return launch_product(l, kernel, sums, l->blocks, yops_matmul_threads(l->tile), last, 2);
    yoke_status status = YOKE_OK;
    for (uint64_t begin = 0; begin < slice && status == YOKE_OK; begin += most) {
        last[2] = yoke_arg_i64((int64_t)begin);
        last[3] = yoke_arg_i64((int64_t)(begin + most));
        status = launch_product(l, kernel, sums, l->blocks, yops_matmul_threads(l->tile), last, 4);
    }
    return status;
}

/* A multiprocessor that has 4 warps at most has registers for all of their loads. Without a number, NVIDIA's compiler for OpenCL
 * spares them, and loads the next tile only when it is needed. */
static const char *get_registers(const plan *l)
{
    enum { FEW_THREADS = 128 };
    uint64_t most = (uint64_t)l->traits.compute_units * FEW_THREADS / yops_matmul_threads(l->tile);
    return l->traits.limits_registers && l->blocks <= most ? " MOST_REGISTERS=255" : "";
}

static yoke_status check_slice(const plan *l)
{
    if (l->p->shape.slice <= INT32_MAX)
        return YOKE_OK;
    return yops_fail(&l->p->call, YOKE_E_RANGE, "sums of %" PRId64 " products are too long for the tiles of a GPU",
                     l->p->shape.slice);
}

static yoke_status run_tiles(plan *l)
{
    const yops_matmul *p = l->p;
    const yops_matmul_shape *shape = &p->shape;
    const yops_matmul_tile *t = l->tile;
    char options[MOST_OPTIONS];
    yoke_kernel *kernel;
    yoke_status status = count_blocks(l, shape->slices);
    if (status == YOKE_OK)
        status = check_slice(l);
    if (status < 0)
        return status;
    loading a = load_of(l, &p->a_place, p->a.dtype, shape->a_column, shape->a_row, shape->m, shape->a_batch);
    loading b = load_of(l, &p->b_place, p->b.dtype, shape->b_row, shape->b_column, shape->n, shape->b_batch);
    bool in_parts = count_products(l)<(uint64_t)shape->slice, split = shape->slices> 1 || in_parts;
    int c_width =
        !split && shape->c_column == 1 && shape->n % 4 == 0 && is_aligned(&p->c_place, p->c.dtype, shape->c_row, shape->c_batch)
            ? 4
            : 1;
    yops_write(options, sizeof options, "%s", l->options);
    add_dtypes(l, options);
    size_t length = strlen(options);
    yops_write(options + length, sizeof options - length,
               " BM=%d BN=%d BK=%d TM=%d TN=%d A_WIDTH=%d A_ALONG_K=%d B_WIDTH=%d B_ALONG_K=%d C_WIDTH=%d%s%s", (int)t->rows,
               (int)t->columns, (int)t->depth, (int)t->part_rows, (int)t->part_columns, a.width, a.along_k, b.width, b.along_k,
               c_width, in_parts ? " PARTS=1" : "", get_registers(l));
    status = get_kernel(l, "matmul", options, !split, &kernel);
    if (status < 0)
        return status;
    return split ? run_slices(l, launch_tiles, kernel) : launch_tiles(l, NULL, kernel);
}

/* ---- Tiles by tensor cores ---- */

/* A_ALONG_K and B_ALONG_K of matmul_tensor.yk. */
typedef struct tensor_loads {
    bool a_along_k, b_along_k;
} tensor_loads;

/* Whether 16 bytes at a time can be copied: along k, or along the operand's other axis. */
static bool is_copied(const yops_place *place, int32_t dtype, int64_t along, int64_t other, const int64_t *batch, bool *out_along_k)
{
    *out_along_k = along == 1;
    return (along == 1 || other == 1) &&
           is_aligned_to(16 / (int64_t)yoke_dtype_get_size(dtype), place, dtype, along == 1 ? other : along, batch);
}

/* Their sums have an order and roundings of their own, as those of a vendor's library, and are kept out as one. */
static bool may_take_tensors(const plan *l)
{
    const yops_matmul *p = l->p;
    const yops_matmul_tile *ordered = p->tile ? p->tile : yops_matmul_force.tile;
    int32_t dtype = p->a.dtype;
    if (p->sum != YOKE_F32 || p->b.dtype != dtype || yops_counts_rounds(&l->traits) ||
        (yoke_dtype_get_size(dtype) != 2 && !(dtype == YOKE_F32 && (p->flags & YOKE_MATMUL_TF32))))
        return false;
    if (ordered)
        return ordered->way == YOPS_BY_TENSORS;
    return l->traits.has_tensor_cores && !(p->flags & YOKE_MATMUL_EXACT) && !yops_vendor_is_exact();
}

static bool takes_tensors(const plan *l, tensor_loads *out)
{
    const yops_matmul *p = l->p;
    const yops_matmul_shape *s = &p->shape;
    return may_take_tensors(l) && is_copied(&p->a_place, p->a.dtype, s->a_column, s->a_row, s->a_batch, &out->a_along_k) &&
           is_copied(&p->b_place, p->b.dtype, s->b_row, s->b_column, s->b_batch, &out->b_along_k);
}

/* The ring of tiles is dynamic shared memory, of which CUDA has more than of a kernel's own. */
static yoke_status launch_tensors(const plan *l, yoke_buffer *sums, yoke_kernel *kernel)
{
    const yoke_arg last[] = { yoke_arg_u32((uint32_t)l->tiles_m), yoke_arg_u32((uint32_t)l->tiles_n),
                              yoke_arg_local(yops_matmul_shared_bytes(l->tile, sum_bytes(l->p))) };
    return launch_product(l, kernel, sums, l->blocks, yops_matmul_threads(l->tile), last, YOPS_COUNT_OF(last));
}

static yoke_status run_tensors(plan *l, const tensor_loads *how)
{
    const yops_matmul *p = l->p;
    const yops_matmul_shape *shape = &p->shape;
    const yops_matmul_tile *t = l->tile;
    char options[MOST_OPTIONS];
    yoke_kernel *kernel;
    bool split = shape->slices > 1;
    size_t c_bytes = yoke_dtype_get_size(p->c.dtype);
    int c_width = !split && (c_bytes == 2 || c_bytes == 4) && shape->c_column == 1 && shape->n % 2 == 0 &&
                          is_aligned_to(2, &p->c_place, p->c.dtype, shape->c_row, shape->c_batch)
                      ? 2
                      : 1;
    yoke_status status = count_blocks(l, shape->slices);
    if (status == YOKE_OK)
        status = check_slice(l);
    if (status < 0)
        return status;
    yops_write(options, sizeof options, "%s", l->options);
    add_dtypes(l, options);
    size_t length = strlen(options);
    yops_write(options + length, sizeof options - length,
               " BM=%d BN=%d WM=%d WN=%d DEPTH=%d STAGES=%d A_ALONG_K=%d B_ALONG_K=%d C_WIDTH=%d", (int)t->rows, (int)t->columns,
               (int)t->part_rows, (int)t->part_columns, (int)t->depth, (int)t->stages, how->a_along_k, how->b_along_k, c_width);
    status = get_kernel(l, "matmul_tensor", options, !split, &kernel);
    if (status < 0)
        return status;
    return split ? run_slices(l, launch_tensors, kernel) : launch_tensors(l, NULL, kernel);
}

/* ---- Tiles on CPUs ---- */

static yoke_status run_on_cpu(plan *l)
{
    const yops_matmul_tile *t = l->tile;
    char options[MOST_OPTIONS];
    yoke_kernel *kernel;
    yoke_status status = count_blocks(l, 1);
    if (status < 0)
        return status;
    yops_write(options, sizeof options, "%s", l->options);
    add_dtypes(l, options);
    size_t length = strlen(options);
    yops_write(options + length, sizeof options - length, " BM=%d BN=%d", (int)t->rows, (int)t->columns);
    status = get_kernel(l, "matmul_cpu", options, true, &kernel);
    if (status < 0)
        return status;
    return launch_product(l, kernel, NULL, l->blocks, 1, YOKE_ARGS((uint32_t)l->tiles_m, (uint32_t)l->tiles_n));
}

/* ---- Vectors ---- */

/* Where long loops are ended, a thread cannot go through a slice alone. */
static bool by_threads(const plan *l)
{
    return yops_matmul_by_threads(&l->traits);
}

/* Where a runs along its rows, neighbouring threads take neighbouring rows. */
static bool runs_across(const plan *l)
{
    const yops_matmul_shape *shape = &l->p->shape;
    return shape->m >= 16 && yops_distance(shape->a_row) < yops_distance(shape->a_column);
}

/* The rows of a thread of a CPU: so that there are some threads for each core, and enough to do for each. */
static uint64_t cpu_rows(const plan *l)
{
    const yops_matmul_shape *shape = &l->p->shape;
    uint64_t threads = 8 * (uint64_t)l->traits.compute_units, slices = (uint64_t)shape->slices * (uint64_t)shape->batches;
    uint64_t rows = yops_divide_up((uint64_t)shape->m * slices, threads);
    uint64_t least = yops_divide_up(16384, (uint64_t)(shape->slice > 0 ? shape->slice : 1));
    rows = rows > least ? rows : least;
    rows = rows > (1 << 20) ? 1 << 20 : rows;
    return yops_divide_up(rows, 16) * 16;
}

static yoke_status launch_vector(const plan *l, yoke_buffer *sums, yoke_kernel *kernel)
{
    const yops_matmul_shape *shape = &l->p->shape;
    uint64_t rows = by_threads(l) ? cpu_rows(l) : runs_across(l) ? 32 : 4;
    uint32_t threads = by_threads(l) ? 1 : runs_across(l) ? 256 : 128;
    uint64_t blocks = yops_divide_up((uint64_t)shape->m, rows), all;
    if (blocks > INT32_MAX || __builtin_mul_overflow(blocks * (uint64_t)shape->slices, (uint64_t)shape->batches, &all))
        return yops_fail(&l->p->call, YOKE_E_RANGE, "the product has more rows than a grid holds");
    const yoke_arg last[] = { yoke_arg_u32((uint32_t)blocks), yoke_arg_u32((uint32_t)rows) };
    return launch_product(l, kernel, sums, all, threads, last, by_threads(l) ? 2 : 1);
}

static yoke_status run_vector(const plan *l)
{
    const yops_matmul *p = l->p;
    const yops_matmul_shape *shape = &p->shape;
    char options[MOST_OPTIONS];
    yoke_kernel *kernel = NULL;
    yops_write(options, sizeof options, "%s", l->options);
    add_dtypes(l, options);
    size_t length = strlen(options), left = sizeof options - length;
    if (by_threads(l))
        yops_write(options + length, left, " WAY=2 ROWS=%d", runs_across(l) ? 16 : 1);
    else if (runs_across(l))
        yops_write(options + length, left, " WAY=1%s", l->traits.limits_registers ? " MOST_REGISTERS=128" : "");
    else {
        static const int64_t none[YOPS_MOST_BATCHES];
        bool wide = shape->a_column == 1 && shape->b_row == 1 &&
                    is_aligned(&p->a_place, p->a.dtype, shape->m > 1 ? shape->a_row : 0, shape->a_batch) &&
                    is_aligned(&p->b_place, p->b.dtype, 0, shape->batches > 1 ? shape->b_batch : none);
        yops_write(options + length, left, " WAY=0 WIDE=%d", wide);
    }
    yoke_status status = YOKE_OK;
    if (!by_threads(l)) /* up to 35 rounds for each 128 products */
        status = yops_check_rounds(&p->call, &l->traits, (uint64_t)shape->slice / 3 + 256, "a sum of %" PRId64 " products",
                                   shape->slice);
    if (status == YOKE_OK)
        status = get_kernel(l, "matmul_vector", options, shape->slices == 1, &kernel);
    if (status < 0 || !kernel)
        return status;
    return shape->slices > 1 ? run_slices(l, launch_vector, kernel) : launch_vector(l, NULL, kernel);
}

/* ---- Outer products ---- */

/* Memory bounds them: what a library could do better would not be seen, and its zeros have signs of their own. */
static yoke_status run_outer(const plan *l)
{
    enum { CPU_ROWS = 16, CPU_COLUMNS = 1024, ROWS = 8, THREADS = 256 };
    const yops_matmul_shape *shape = &l->p->shape;
    bool on_cpu = by_threads(l);
    uint64_t rows = yops_divide_up((uint64_t)shape->m, on_cpu ? CPU_ROWS : ROWS), threads;
    uint64_t columns = on_cpu ? yops_divide_up((uint64_t)shape->n, CPU_COLUMNS) : (uint64_t)shape->n;
    char options[MOST_OPTIONS];
    yoke_kernel *kernel;
    if (__builtin_mul_overflow(rows, columns, &threads))
        return yops_fail(&l->p->call, YOKE_E_RANGE, "the product has more elements than a grid holds");
    yops_write(options, sizeof options, "%s", l->options);
    add_dtypes(l, options);
    size_t length = strlen(options);
    if (on_cpu)
        yops_write(options + length, sizeof options - length, " ROWS=%d COLUMNS=%d", CPU_ROWS, CPU_COLUMNS);
    else
        yops_write(options + length, sizeof options - length, " ROWS=%d", ROWS);
    yoke_status status = get_kernel(l, "matmul_outer", options, true, &kernel);
    if (status < 0)
        return status;
    return launch_product(l, kernel, NULL, on_cpu ? threads : yops_divide_up(threads, THREADS), on_cpu ? 1 : THREADS, NULL, 0);
}

/* ---- Vendors' libraries ---- */

/* The product as a vendor's library takes it: the innermost axis of the batch at one place of the others. With `sums`, it goes
 * there, contiguous, to be finished. */
static yops_gemm describe(const yops_matmul *p, uint64_t outer, const yops_place *sums)
{
    const yops_matmul_shape *s = &p->shape;
    enum { INNER = YOPS_MOST_BATCHES - 1 };
    yops_gemm g = { .a_dtype = p->a.dtype,
                    .b_dtype = p->b.dtype,
                    .c_dtype = sums ? p->sum : p->c.dtype,
                    .m = (uint64_t)s->m,
                    .n = (uint64_t)s->n,
                    .k = (uint64_t)s->k,
                    .batch = (uint64_t)s->extents[INNER],
                    .a = p->a_place,
                    .b = p->b_place,
                    .c = sums ? *sums : p->c_place,
                    .a_row = s->a_row,
                    .a_column = s->a_column,
                    .a_batch = s->a_batch[INNER],
                    .b_row = s->b_row,
                    .b_column = s->b_column,
                    .b_batch = s->b_batch[INNER],
                    .c_row = sums ? s->n : s->c_row,
                    .c_column = sums ? 1 : s->c_column,
                    .c_batch = sums ? s->m * s->n : s->c_batch[INNER],
                    .alpha = sums ? yops_number_convert(yoke_number_i32(1), p->scalar) : p->alpha,
                    .beta = sums ? yops_number_convert(yoke_number_i32(0), p->scalar) : p->beta,
                    .tf32 = (p->flags & YOKE_MATMUL_TF32) != 0 };
    if (sums)
        g.c.origin += (int64_t)outer * s->extents[INNER] * s->m * s->n;
    for (int i = INNER - 1; i >= 0; i--) {
        int64_t index = (int64_t)(outer % (uint64_t)s->extents[i]);
        outer /= (uint64_t)s->extents[i];
        g.a.origin += index * s->a_batch[i];
        g.b.origin += index * s->b_batch[i];
        g.c.origin += sums ? 0 : index * s->c_batch[i];
    }
    return g;
}

/* Whether a vendor's library has taken the product: all of it, or it has failed. */
static bool run_by_vendor(const yops_matmul *p, const yops_place *sums, yoke_status *out_status)
{
    uint64_t outers = (uint64_t)(p->shape.batches / p->shape.extents[YOPS_MOST_BATCHES - 1]);
    *out_status = YOKE_OK;
    for (uint64_t i = 0; i < outers && *out_status == YOKE_OK; i++) {
        yops_gemm g = describe(p, i, sums);
        if (!yops_vendor_gemm(&p->call, &g, out_status))
            return false;
    }
    return true;
}

/* A product with an epilogue: a library's sums, finished by a kernel. */
static bool run_by_vendor_and_finish(plan *l, yoke_status *out_status)
{
    yops_matmul *p = l->p;
    yoke_kernel *finish;
    yops_matmul_shape kept = p->shape;
    yops_place sums = { .first = 0 };
    uint64_t elements = (uint64_t)kept.batches * (uint64_t)kept.m * (uint64_t)kept.n;
    bool taken = true;
    sums.last = elements * sum_bytes(p) - 1;
    *out_status = get_kernel(l, "matmul_finish", l->options, true, &finish);
    if (*out_status == YOKE_OK)
        *out_status = yops_temporary(&p->call, sums.last + 1, &sums.root);
    if (*out_status == YOKE_OK)
        taken = run_by_vendor(p, &sums, out_status);
    if (taken && *out_status == YOKE_OK) {
        p->shape.slices = 1;
        *out_status = launch_finish(l, finish, sums.root);
        p->shape = kept;
    }
    if (sums.root)
        yoke_buffer_release(sums.root);
    return taken;
}

/* ---- The product ---- */

/* Every tile of a way gives the same bits. What was measured comes from a file, so that it is checked. */
static yoke_status choose_tile(plan *l, yops_matmul_way way)
{
    const yops_matmul *p = l->p;
    const yops_matmul_tuned *tuned;
    l->tile = p->tile ? p->tile : yops_matmul_force.tile;
    if (l->tile && (l->tile->way == YOPS_BY_TENSORS) == (way == YOPS_BY_TENSORS))
        return YOKE_OK;
    yoke_status status = yops_matmul_tuned_get(&p->call, &tuned);
    if (status < 0)
        return status;
    int dtype = yops_matmul_tuned_dtype(way, p->a.dtype, p->b.dtype, p->sum);
    l->tile = dtype >= 0 ? yops_matmul_tuned_find(tuned, dtype, &p->shape) : NULL;
    if (!l->tile || !yops_matmul_suits(l->tile, &l->traits, way, sum_bytes(p)))
        l->tile = yops_matmul_choose(&l->traits, way, &p->shape, sum_bytes(p));
    if (!l->tile)
        return yops_fail(&p->call, YOKE_E_UNSUPPORTED, "this device has too little shared memory for a product of %s",
                         yoke_dtype_get_name(p->sum));
    return YOKE_OK;
}

/* Whether a vendor's library may compute the product. */
static bool may_go_to_vendor(const yops_matmul *p)
{
    return !p->is_outer && p->shape.slices > 0 && (yops_is_floating(p->sum) || yops_is_complex(p->sum)) &&
           !(p->flags & YOKE_MATMUL_EXACT) && !p->tile && !yops_matmul_force.tile;
}

/* A library that takes the whole product comes first: it needs nothing of a plan. */
yoke_status yops_matmul_run(yops_matmul *p)
{
    plan l;
    yoke_status status;
    yops_matmul_cut(&p->shape);
    bool by_vendor = may_go_to_vendor(p);
    if (by_vendor && !p->epilogue && run_by_vendor(p, NULL, &status))
        return status;
    l = (plan){ .p = p };
    status = yops_get_traits(&p->call, &l.traits);
    if (status < 0)
        return status;
    begin_options(&l);
    if (p->shape.slices == 0)
        return run_slices(&l, NULL, NULL);
    if (by_vendor && p->epilogue && !l.traits.is_cpu && run_by_vendor_and_finish(&l, &status))
        return status;
    status = yops_blas_check_orders(&p->call);
    if (status == YOKE_OK && p->is_outer)
        return run_outer(&l);
    if (status == YOKE_OK && p->shape.n == 1)
        return run_vector(&l);
    if (status < 0)
        return status;
    tensor_loads how;
    bool by_tensors = takes_tensors(&l, &how);
    status = choose_tile(&l, by_tensors ? YOPS_BY_TENSORS : yops_matmul_usual_way(&l.traits));
    if (status < 0)
        return status;
    return by_tensors ? run_tensors(&l, &how) : l.tile->way == YOPS_BY_THREADS ? run_on_cpu(&l) : run_tiles(&l);
}
