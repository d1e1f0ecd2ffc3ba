/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All operations of the random programs. With the list of what is tested elsewhere, and why, they are all functions that
 * libyoke-ops exports: tests/static/ops_symbols.txt, which is compared.
 *
 * What a result may differ by, and why; everything else is exact:
 *
 *   sums, means, products, norms, dot   the roundings of a tree, log2(n) + 3, of the accumulator's type (float, or double where the
 *                                       elements are) times the sum of the absolute values: <yoke/ops.h>. A product of n factors
 * has n roundings of its own. A variance has, beside these, the errors of the means of parts, times the distance, and squared.
 *   scans of floats                     a tree of 4,096 neighbours, 15 roundings with what joins them, and one for each such tile.
 *   complex quotients                   Smith's method: 16 roundings of |a| / |b|.
 *   matrix products, outer products     k + 4 roundings of the sum of the products' absolute values: any order of the sums, also a
 *                                       vendor's; and 6 of alpha, beta and the epilogue.
 *   filters                             taps + 4 roundings for each axis, of what weights and elements make.
 *   transforms                          twice the root mean square of <yoke/fft.h>, since few elements may lie above it.
 *   convolutions by transforms          16 roundings of the norms' product, or of the largest sum.
 *   normal, exponential numbers         the bounds of <yoke/random.h>, and the rounding of mean and deviation.
 *
 * Where a finite sum may exceed the accumulator's range on the way, or a product may, nothing is said of the result. A device
 * without YOKE_CAP_EXACT_FP32 may round single operations of float in its own way: 16 roundings, and expressions are of integers.
 */
#include "families.h"

#include <stdio.h>
#include <string.h>

#define FAMILY_OF(name)                  \
    {                                    \
        operations_##name, &count_##name \
    }

static const struct {
    const operation *operations;
    const size_t *count;
} families[] = { FAMILY_OF(map),    FAMILY_OF(reduce), FAMILY_OF(scan),   FAMILY_OF(sort), FAMILY_OF(select), FAMILY_OF(histogram),
                 FAMILY_OF(gather), FAMILY_OF(matmul), FAMILY_OF(filter), FAMILY_OF(fft),  FAMILY_OF(numbers) };

const operation *operation_at(size_t index)
{
    for (size_t i = 0; i < COUNT_OF(families); i++) {
        if (index < *families[i].count)
            return &families[i].operations[index];
        index -= *families[i].count;
    }
    return NULL;
}

/* What is no operation that is enqueued. */
static const char *const elsewhere[] = {
    /* Each array is made by them: memory.c compares them with arithmetic of its own. */
    "yoke_array_broadcast",
    "yoke_array_expand",
    "yoke_array_get_size",
    "yoke_array_index",
    "yoke_array_is_contiguous",
    "yoke_array_reshape",
    "yoke_array_slice",
    "yoke_array_transpose",
    "yoke_dtype_get_name",
    "yoke_dtype_get_size",
    /* They make an array of a buffer, without work of a device: tests/ops/array/array, tests/ops/call/dlpack. */
    "yoke_array_1d",
    "yoke_array_2d",
    "yoke_array_3d",
    "yoke_array_create",
    "yoke_array_from_dlpack",
    "yoke_array_nd",
    "yoke_array_to_dlpack",
    /* They compile, measure or describe, and have no result: prepare, linear/matmul_tune and linear/blas of tests/ops. */
    "yoke_expression_get_dtype", /* tests/ops/reduce/map_reduce */
    "yoke_rows_get_dtype",       /* tests/ops/reduce/map_rows */
    "yoke_matmul_get_tuned",
    "yoke_matmul_tune",
    "yoke_ops_get_library",
    "yoke_ops_prepare",
};

static bool is_covered(const char *symbol)
{
    const operation *op;
    size_t length = strlen(symbol);
    for (size_t i = 0; i < COUNT_OF(elsewhere); i++)
        if (strcmp(elsewhere[i], symbol) == 0)
            return true;
    for (size_t i = 0; (op = operation_at(i)); i++)
        if (strlen(op->name) + 3 == length && strncmp(op->name, symbol, length - 3) == 0 && strcmp(symbol + length - 3, "_at") == 0)
            return true;
    return false;
}

bool table_is_complete(const char *symbols)
{
    char line[128];
    size_t found = 0, known = COUNT_OF(elsewhere);
    bool complete = true;
    FILE *file = fopen(symbols, "r");
    if (!file) {
        tap_diag("%s cannot be read", symbols);
        return false;
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (*line == '#' || !*line)
            continue;
        found++;
        if (is_covered(line))
            continue;
        tap_diag("%s is not among the operations of tests/random/ops/table.c", line);
        complete = false;
    }
    fclose(file);
    for (size_t i = 0; operation_at(i); i++)
        known++;
    if (found != known)
        tap_diag("%s has %zu functions, and tests/random/ops/table.c %zu", symbols, found, known);
    return complete && found == known;
}
