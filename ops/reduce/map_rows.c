/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions that reduce rows: the form of the kernel, and the launch. */
#include "map_rows.h"

#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "expression/identity.h"

/* Few rows are cut into parts of a power of two of tiles: so many tiles at least, on GPUs and on CPUs. Their parts are those that
 * the tree of reductions has anyway, so that this may depend on the device. */
enum { LEAST_PART = 4, LEAST_CPU_PART = 32, PARTS_EACH = 4 };

int yops_rows_force_parts;

enum { MOST_WORDS = 2 + (YOPS_MOST_OPERANDS + 1) * (YOKE_MAX_DIMENSIONS + 2) + YOPS_ROWS_POSITION };

/* ---- Operands ---- */

static yoke_status add_operand(yops_rows *r, yops_rows_operand operand, const int64_t *strides, int64_t origin)
{
    int64_t kept[YOKE_MAX_DIMENSIONS], along[YOKE_MAX_DIMENSIONS];
    int32_t kept_count = 0, along_count = 0;
    if (r->operand_count == YOPS_MOST_OPERANDS)
        return yops_fail(r->call, YOKE_E_INVALID_ARGUMENT, "more than %d arrays and index variables", YOPS_MOST_OPERANDS);
    for (int32_t i = 0; i < r->dimensions; i++)
        if (r->reduced[i])
            along[along_count++] = operand.single ? 0 : strides[i];
        else
            kept[kept_count++] = strides[i];
    yops_layout_add(&r->kept, kept, origin);
    yops_layout_add(&r->along, along, 0);
    r->operands[r->operand_count++] = operand;
    return YOKE_OK;
}

static yoke_status add_array(yops_rows *r, uint32_t k)
{
    yoke_array wide = r->arrays[k];
    for (int32_t i = 0; i < r->dimensions; i++)
        if (wide.shape[i] != r->shape[i] || wide.shape[i] == 1)
            wide.strides[i] = 0;
    bool is_single = yops_rows_is_written(r, k) ? r->single >> k & 1 : yops_rows_is_single(r, &r->arrays[k]);
    yops_rows_operand operand = { .number = (int32_t)k,
                                  .dtype = wide.dtype,
                                  .read = yops_rows_is_read(r, k),
                                  .written = yops_rows_is_written(r, k),
                                  .single = is_single,
                                  .root = r->places[k].root };
    return add_operand(r, operand, wide.strides, r->places[k].origin);
}

static yoke_status add_index(yops_rows *r, int32_t index)
{
    int64_t strides[YOKE_MAX_DIMENSIONS] = { 0 }, stride = 1;
    for (int32_t i = r->dimensions - 1; i >= 0 && index == YOPS_ROWS_POSITION; i--) {
        strides[i] = stride;
        stride *= r->shape[i] > 0 ? r->shape[i] : 1;
    }
    if (index < YOKE_MAX_DIMENSIONS)
        strides[index] = 1;
    return add_operand(
        r,
        (yops_rows_operand){
            .number = index, .dtype = YOKE_I64, .is_index = true, .read = true, .single = !yops_rows_varies_along(r, index) },
        strides, 0);
}

/* The rows go in the order of the first array that lies along all of them. */
static int32_t find_leader(const yops_rows *r)
{
    for (int32_t k = 0; k < r->operand_count; k++) {
        bool is_full = !r->operands[k].is_index;
        for (int32_t i = 0; i < r->kept.dimensions; i++)
            is_full = is_full && (r->kept.strides[k][i] != 0 || r->kept.extents[i] == 1);
        if (is_full)
            return k;
    }
    return -1;
}

static yoke_status add_operands(yops_rows *r)
{
    int64_t kept[YOKE_MAX_DIMENSIONS], along[YOKE_MAX_DIMENSIONS];
    int32_t kept_count = 0, along_count = 0;
    for (int32_t i = 0; i < r->dimensions; i++)
        *(r->reduced[i] ? &along[along_count++] : &kept[kept_count++]) = r->n == 0 && r->reduced[i] ? 1 : r->shape[i];
    yops_layout_begin(&r->kept, kept_count, kept);
    yops_layout_begin(&r->along, along_count, along);
    yops_elementwise_begin(&r->scalars, r->call, 0, kept);
    yoke_status status = YOKE_OK;
    for (uint32_t k = 0; k < r->var_count && status == YOKE_OK; k++)
        if (yops_rows_is_array(r, k) && (yops_rows_is_read(r, k) || yops_rows_is_written(r, k)))
            status = add_array(r, k);
        else if (yops_rows_is_read(r, k))
            yops_elementwise_add_scalar(&r->scalars, (int32_t)k, r->vars[k].scalar);
    for (int32_t i = 0; i <= YOPS_ROWS_POSITION && status == YOKE_OK; i++)
        if ((i < YOKE_MAX_DIMENSIONS || i == YOPS_ROWS_POSITION) && r->facts->indices >> i & 1)
            status = add_index(r, i);
    if (status < 0)
        return status;
    int32_t leader = find_leader(r);
    yops_layout_finish(&r->kept, leader);
    yops_layout_finish(&r->along, -1);
    int32_t last = r->kept.dimensions - 1;
    r->columns = leader >= 0 && r->kept.extents[last] >= 8 &&
                 yops_distance(r->kept.strides[leader][last]) < yops_distance(r->along.strides[leader][r->along.dimensions - 1]);
    return YOKE_OK;
}

/* ---- The form ---- */

static int32_t power_above(int64_t x)
{
    int32_t power = 1;
    while (power < x)
        power *= 2;
    return power;
}

/* Four neighbours of every row begin where a vector of them may be read. */
static bool suits_vectors(const yops_rows *r, int32_t k)
{
    const yops_rows_operand *a = &r->operands[k];
    if (a->is_index || a->single || r->along.dimensions != 1 || r->along.strides[k][0] != 1 ||
        yoke_buffer_get_misalignment(a->root) != 0)
        return false;
    int64_t size = (int64_t)yoke_dtype_get_size(a->dtype), step = (4 * size < 16 ? 4 * size : 16) / size;
    bool aligned = r->kept.origins[k] % step == 0;
    for (int32_t i = 0; i < r->kept.dimensions; i++)
        aligned = aligned && (r->kept.strides[k][i] % step == 0 || r->kept.extents[i] == 1);
    return aligned;
}

static int64_t count_bytes(const yops_rows *r)
{
    int64_t bytes = 0;
    for (int32_t k = 0; k < r->operand_count; k++)
        if (!r->operands[k].is_index && r->operands[k].read && !r->operands[k].single)
            bytes += (int64_t)yoke_dtype_get_size(r->operands[k].dtype);
    return bytes;
}

static void choose_blocks(yops_rows *r, size_t text_length)
{
    int64_t n = r->n > 0 ? r->n : 1, leaves = (n < 1024 ? n + 3 : 1024) / 4,
            tiles = (int64_t)yops_divide_up((uint64_t)n, YOPS_ROWS_TILE);
    int64_t most = text_length > 200 ? 1 : YOPS_ROWS_KEPT_TILES;
    r->chunks = n <= 1024 ? 1 : 4;
    r->groups = power_above(leaves);
    if (r->columns)
        r->groups = r->groups < 8 ? r->groups : 8;
    else if (r->groups == 128) /* half a block more is less than a round of barriers */
        r->groups = 256;
    r->keeps = !r->columns && r->n > 0 && tiles <= most && tiles * r->chunks * 4 * count_bytes(r) <= YOPS_ROWS_KEPT_BYTES;
    r->tiles = r->n > 0 && tiles <= YOPS_ROWS_KEPT_TILES && (r->keeps || tiles == 1) ? (int32_t)tiles : 0;
    r->is_full = !r->columns && r->n == tiles * (int64_t)r->groups * 4 * r->chunks;
    r->rows_each = (uint32_t)(YOPS_ROWS_THREADS / r->groups);
    for (int32_t k = 0; k < r->operand_count; k++)
        r->operands[k].vector = suits_vectors(r, k);
}

/* Whether blocks of one row do not get into each other's way: none writes what another one reads. */
static bool may_be_cut(const yops_rows *r)
{
    bool may = r->last_stage > 0 && !r->columns && !r->keeps && !(r->is_aliased && r->single);
    for (int32_t k = 0; k < r->operand_count; k++)
        may = may && !(r->operands[k].single && r->operands[k].read && r->operands[k].written);
    return may;
}

static void choose_parts(yops_rows *r, const yops_traits *traits)
{
    int64_t tiles = (int64_t)yops_divide_up((uint64_t)r->n, YOPS_ROWS_TILE), units = traits->compute_units;
    int64_t most = PARTS_EACH * units / r->rows, part = r->by_threads ? LEAST_CPU_PART : LEAST_PART;
    r->part_tiles = 0;
    r->part_count = 1;
    if (yops_rows_force_parts)
        part = yops_rows_force_parts;
    else if (r->rows >= (r->by_threads ? units : 2 * units))
        return;
    while (!yops_rows_force_parts && tiles > part * most)
        part *= 2;
    if (tiles <= part || !may_be_cut(r))
        return;
    r->part_tiles = part;
    r->part_count = (int64_t)yops_divide_up((uint64_t)tiles, (uint64_t)part);
    r->rows_each = 1;
    r->tiles = 0;
}

static void choose_form(yops_rows *r, const yops_traits *traits, size_t text_length)
{
    int32_t count;
    const yops_row_reduction *all = yops_expression_get_reductions(r->expression, &count);
    r->last_stage = 0;
    for (int32_t j = 0; j < count; j++)
        r->last_stage = all[j].stage > r->last_stage ? all[j].stage : r->last_stage;
    r->by_threads = yops_by_threads(traits);
    if (!r->by_threads) {
        choose_blocks(r, text_length);
        return;
    }
    uint64_t units = traits->compute_units > 0 ? traits->compute_units : 1, n = r->n > 0 ? (uint64_t)r->n : 1;
    uint64_t each = n < YOPS_ROWS_CPU_ELEMENTS ? YOPS_ROWS_CPU_ELEMENTS / n : 1,
             fair = yops_divide_up((uint64_t)r->rows, 4 * units);
    r->rows_each = (uint32_t)(each < fair ? each : fair);
    r->groups = r->chunks = 1;
    r->columns = false;
}

/* ---- The kernel ---- */

static uint64_t hash(const char *bytes, size_t length, uint64_t seed)
{
    uint64_t h = UINT64_C(14695981039346656037) ^ seed;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return h;
}

static void write_key(const yops_rows *r, const yops_identity *identity, char *key, size_t size)
{
    size_t used =
        (size_t)yops_write(key, size, "yoke-ops map_rows %d.%d.%d.%d.%d.%d.%d.%d.%d.%d.%d ", (int)r->by_threads,
                           (int)(r->part_tiles > 0), (int)r->columns, (int)r->keeps, (int)r->is_full, (int)r->groups,
                           (int)r->chunks, (int)r->tiles, (int)r->kept.dimensions, (int)r->along.dimensions, (int)r->is_aliased);
    for (int32_t k = 0; k < r->operand_count; k++) {
        const yops_rows_operand *a = &r->operands[k];
        bool is_unit = r->along.dimensions == 1 && r->along.strides[k][0] == 1;
        int flags = a->single + 2 * a->vector + 4 * is_unit + 8 * (int)(a->written && (r->single >> a->number & 1));
        used += (size_t)yops_write(key + used, size - used, "%d", flags);
    }
    used += (size_t)yops_write(key + used, size - used, " ");
    if (identity->length > YOPS_MOST_IDENTITY) {
        yops_write(key + used, size - used, "%zu %zu", (size_t)hash(identity->bytes, identity->length, 1),
                   (size_t)hash(identity->bytes, identity->length, 0x5bd1e995u));
        return;
    }
    memcpy(key + used, identity->bytes, identity->length);
    key[used + identity->length] = '\0';
}

static yoke_status get_kernel(const yops_rows *r, const yops_identity *identity, yoke_kernel **out_kernel)
{
    char key[4096], *functions = NULL, *generated = NULL;
    const char *options = r->facts->needs_f64 || r->scalars.needs_f64 ? "NEED_F64=1" : "";
    write_key(r, identity, key, sizeof key);
    if (yops_kernel_known(r->call, key, "map_rows", out_kernel))
        return YOKE_OK;
    yoke_status status = yops_rows_generate(r, &generated);
    if (status == YOKE_OK)
        status = yops_expression_get_functions(r->call, r->expression, r->vars, &functions);
    if (status == YOKE_OK)
        status = yops_kernel_generated(r->call, key, "map_rows", options, functions, generated, "map_rows", out_kernel);
    free(functions);
    free(generated);
    return status;
}

/* The bytes of struct rows_shape. */
static size_t pack(const yops_rows *r, int64_t *words)
{
    size_t count = 0;
    words[count++] = r->rows;
    words[count++] = r->n;
    for (int32_t k = 0; k < r->operand_count; k++)
        words[count++] = r->kept.origins[k];
    for (int32_t i = 0; i < r->kept.dimensions; i++)
        words[count++] = r->kept.extents[i];
    for (int32_t k = 0; k < r->operand_count; k++)
        for (int32_t i = 0; i < r->kept.dimensions; i++)
            words[count++] = r->kept.strides[k][i];
    for (int32_t i = 0; i < r->along.dimensions; i++)
        words[count++] = r->along.extents[i];
    for (int32_t k = 0; k < r->operand_count; k++)
        for (int32_t i = 0; i < r->along.dimensions; i++)
            words[count++] = r->along.strides[k][i];
    for (int32_t i = 0; i < YOKE_MAX_DIMENSIONS; i++)
        if (r->facts->indices & YOPS_EXTENT(i))
            words[count++] = r->shape[i];
    if (r->facts->indices & YOPS_SIZE)
        words[count++] = r->rows * r->n;
    return count * sizeof *words;
}

/* `nodes` are those of parts, and `turn` is the launch: NULL and 0 where rows are whole. */
static yoke_status launch(const yops_rows *r, yoke_kernel *kernel, yoke_buffer *nodes, uint32_t turn)
{
    int64_t words[MOST_WORDS];
    yoke_arg args[2 * YOPS_MOST_OPERANDS + 8];
    size_t count = 0;
    for (int32_t k = 0; k < r->operand_count; k++)
        if (!r->operands[k].is_index)
            args[count++] = yoke_arg_buffer(r->operands[k].root);
    for (size_t k = 0; k < r->scalars.scalar_count; k++)
        args[count++] = r->scalars.values[k];
    size_t bytes = pack(r, words);
    args[count++] = yoke_arg_struct(words, bytes);
    if (r->by_threads)
        args[count++] = yoke_arg_u32(r->rows_each);
    if (nodes) {
        args[count++] = yoke_arg_buffer(nodes);
        args[count++] = yoke_arg_i64(r->part_tiles);
        args[count++] = yoke_arg_i64(r->part_count);
        args[count++] = yoke_arg_u32(turn);
    }
    return yops_launch(r->call, kernel, yops_divide_up((uint64_t)r->rows, r->rows_each) * (uint64_t)r->part_count,
                       r->by_threads ? 1 : YOPS_ROWS_THREADS, args, count);
}

/* A launch for each stage, and one that writes. */
static yoke_status launch_parts(const yops_rows *r, yoke_kernel *kernel)
{
    int32_t count;
    yoke_buffer *nodes = NULL;
    yops_expression_get_reductions(r->expression, &count);
    uint64_t bytes = (uint64_t)count * (uint64_t)r->rows * (uint64_t)r->part_count * YOPS_ROWS_NODE;
    yoke_status status = yops_temporary(r->call, bytes, &nodes);
    for (int32_t turn = 1; turn <= r->last_stage + 1 && status == YOKE_OK; turn++)
        status = launch(r, kernel, nodes, (uint32_t)turn);
    if (nodes)
        yoke_buffer_release(nodes);
    return status;
}

/* A driver that ends loops, whose kernels are those of blocks. */
static yoke_status check_rounds(const yops_rows *r, const yops_traits *traits)
{
    uint64_t n = r->part_tiles > 0 ? (uint64_t)r->part_tiles * YOPS_ROWS_TILE : (uint64_t)r->n;
    uint64_t elements = yops_divide_up(n, (uint64_t)r->groups) + 8 + (r->part_tiles > 0 ? (uint64_t)r->part_count : 0);
    return yops_check_rounds(r->call, traits, 4 * elements * (uint64_t)(r->last_stage + 1) + 256, "rows of %lld elements",
                             (long long)r->n);
}

static yoke_status run(yops_rows *r, const yops_identity *identity, const int32_t *axes, size_t axis_count)
{
    yops_traits traits;
    yoke_kernel *kernel = NULL;
    yoke_status status = yops_identity_check_device(r->call, identity);
    if (status == YOKE_OK)
        status = yops_rows_check_shape(r, axes, axis_count);
    if (status == YOKE_OK)
        status = yops_rows_check_arrays(r);
    if (status < 0 || r->rows == 0 || (r->n == 0 && !r->single))
        return status;
    status = add_operands(r);
    if (status == YOKE_OK)
        status = yops_get_traits(r->call, &traits);
    if (status < 0)
        return status;
    choose_form(r, &traits, identity->length);
    choose_parts(r, &traits);
    status = check_rounds(r, &traits);
    if (status == YOKE_OK)
        status = get_kernel(r, identity, &kernel);
    if (status < 0)
        return status;
    return r->part_tiles > 0 ? launch_parts(r, kernel) : launch(r, kernel, NULL, 0);
}

/* Parse, and give it to `use`. */
static yoke_status with_rows(const yops_call *call, const char *text, const yoke_var *vars, size_t count, yops_kind kind,
                             yoke_status (*use)(yops_rows *, const yops_identity *, void *), void *context)
{
    yops_identity identity;
    yops_expression *parsed = NULL;
    yops_rows *r = calloc(1, sizeof *r);
    if (!r)
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for an expression");
    yoke_status status = yops_identity_get(call, text, vars, count, kind, &identity, &parsed);
    if (status == YOKE_OK && !parsed)
        status = yops_expression_parse(call, text, vars, count, kind, &parsed);
    if (status == YOKE_OK) {
        r->call = call;
        r->vars = vars;
        r->var_count = (uint32_t)count;
        r->facts = &identity.facts;
        r->expression = parsed;
        status = use(r, &identity, context);
    }
    yops_expression_free(parsed);
    yops_identity_end(&identity);
    free(r);
    return status;
}

typedef struct given_axes {
    const int32_t *axes;
    size_t count;
} given_axes;

static yoke_status run_given(yops_rows *r, const yops_identity *identity, void *context)
{
    const given_axes *given = context;
    return run(r, identity, given->axes, given->count);
}

yoke_status yoke_map_rows_at(const char *where, yoke_stream *stream, const char *expression, const yoke_var *vars, size_t count,
                             const int32_t *axes, size_t axis_count)
{
    yops_call call;
    given_axes given = { axes, axis_count };
    yoke_status status = yops_begin(&call, "yoke_map_rows", where, stream);
    return status < 0 ? status : with_rows(&call, expression, vars, count, YOPS_ROWS, run_given, &given);
}

/* ---- The value's dtype ---- */

typedef struct value_facts {
    given_axes given;
    int32_t dtype;
    bool varies;
} value_facts;

static yoke_status find_value(yops_rows *r, const yops_identity *identity, void *context)
{
    value_facts *facts = context;
    facts->dtype = identity->facts.value_dtype;
    yoke_status status = yops_rows_check_shape(r, facts->given.axes, facts->given.count);
    if (status == YOKE_OK)
        facts->varies = yops_rows_value_varies(r);
    return status;
}

yoke_status yoke_rows_get_dtype(const char *expression, const yoke_var *vars, size_t count, const int32_t *axes, size_t axis_count,
                                int32_t *out_dtype, int32_t *out_varies)
{
    const yops_call call = { "yoke_rows_get_dtype", NULL, NULL, NULL };
    value_facts facts = { .given = { axes, axis_count } };
    if (!out_dtype || !out_varies)
        return yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "%s is NULL", out_dtype ? "out_varies" : "out_dtype");
    yoke_status status = with_rows(&call, expression, vars, count, YOPS_ROWS_VALUE, find_value, &facts);
    if (status < 0)
        return status;
    *out_dtype = facts.dtype;
    *out_varies = facts.varies;
    return YOKE_OK;
}
