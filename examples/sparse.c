/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sparse matrix in compressed rows, made from a dense one and multiplied by a vector, with operations of <yoke/ops.h>: a
 * prefix sum of the rows' lengths says where each row begins, a selection keeps what is not 0, and a sum of each segment is the
 * product. sparse [ROWS COLUMNS]
 *
 * A common mistake: to add floats with atomics, which gives other bits in each run. A segment's sum is the same each time.
 */
#include <math.h>

#include <yoke/ops.h>

#include "example.h"

/* Rows of different lengths: each seventh is empty, and the last ones are long. */
static void make(float *dense, float *vector, int rows, int columns)
{
    uint32_t random = 1;

    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            random = random * 1664525u + 1013904223u;
            const int present = row % 7 != 3 && random >> 16 < (row < rows - 3 ? 1500u : 30000u);
            dense[(size_t)row * (size_t)columns + (size_t)column] = present ? (float)(random >> 8 & 0xff) / 16 - 7.5f : 0;
        }
    for (int column = 0; column < columns; column++)
        vector[column] = 1 + (float)(column % 17) / 8;
}

static yoke_array create(yoke_device *device, int32_t dtype, int64_t n)
{
    yoke_array array;

    YOKE_CHECK(yoke_array_create(device, dtype, 1, &n, &array));
    return array;
}

/* Compressed rows: row i has the values and the columns from offsets[i] to offsets[i + 1] - 1. */
typedef struct sparse {
    int64_t rows, columns, count;
    yoke_array offsets, column, value; /* rows + 1 of int64; `count` of int32 and of float */
} sparse;

static sparse compress(yoke_device *device, yoke_stream *stream, yoke_array dense)
{
    const int64_t rows = dense.shape[0], columns = dense.shape[1], n = rows * columns;
    sparse s = { .rows = rows, .columns = columns, .offsets = create(device, YOKE_I64, rows + 1) };
    const yoke_array offsets = s.offsets, lengths = yoke_array_slice(offsets, 0, 0, rows, 1);

    /* How many elements of each row are not 0; then how many there are in all rows before. The last offset is the sum of all. */
    YOKE_CHECK(yoke_assign_value(stream, &offsets, YOKE_NUMBER(0)));
    YOKE_CHECK(yoke_map_reduce(stream, YOKE_REDUCE_SUM, &lengths, "dense != 0", YOKE_VARS(dense), YOKE_AXES(1)));
    YOKE_CHECK(yoke_scan(stream, YOKE_REDUCE_SUM, YOKE_SCAN_EXCLUSIVE, &offsets, &offsets, 0));

    /* The one number that the host has to know, since memory is its business. */
    YOKE_CHECK(yoke_read_sync(stream, &s.count, offsets.buffer, (size_t)rows * sizeof s.count, sizeof s.count));

    /* What is not 0, in row-major order: its value, and its position in the matrix, of which only the column is kept. */
    const yoke_array flat = yoke_array_reshape(dense, 1, &n);
    const yoke_array place = create(device, YOKE_I64, n), kept = create(device, YOKE_I64, s.count);
    const yoke_array value = s.value = create(device, YOKE_F32, s.count), column = s.column = create(device, YOKE_I32, s.count);
    YOKE_CHECK(yoke_map(stream, "place = i", YOKE_VARS(place)));
    YOKE_CHECK(yoke_select_where(stream, &kept, NULL, &place, "flat != 0", YOKE_VARS(flat)));
    YOKE_CHECK(yoke_select_where(stream, &value, NULL, &flat, "flat != 0", YOKE_VARS(flat)));
    YOKE_CHECK(yoke_map(stream, "column = kept % columns", YOKE_VARS(column, kept, columns)));
    yoke_buffer_release(kept.buffer);
    yoke_buffer_release(place.buffer); /* also while the device still uses it */
    return s;
}

static void sparse_release(sparse *s)
{
    yoke_buffer_release(s->value.buffer);
    yoke_buffer_release(s->column.buffer);
    yoke_buffer_release(s->offsets.buffer);
}

/* result = s * vector: each element's factor is gathered from the vector; each row is a segment of the products. */
static void multiply(yoke_stream *stream, const yoke_array *result, const sparse *s, const yoke_array *vector)
{
    const yoke_array product = create(yoke_stream_get_device(stream), YOKE_F32, s->count);

    YOKE_CHECK(yoke_gather(stream, &product, vector, &s->column, 0));
    YOKE_CHECK(yoke_multiply(stream, &product, &product, &s->value));
    YOKE_CHECK(yoke_reduce_segments(stream, YOKE_REDUCE_SUM, result, &product, &s->offsets));
    yoke_buffer_release(product.buffer);
}

/* The way back. An element's row is the number of rows that begin at or before it, without itself; then it is put in its place. */
static void expand(yoke_stream *stream, const yoke_array *dense, const sparse *s)
{
    const int64_t n = s->rows * s->columns, columns = s->columns;
    const yoke_array flat = yoke_array_reshape(*dense, 1, &n), column = s->column;
    const yoke_array element = create(yoke_stream_get_device(stream), YOKE_I64, s->count);
    const yoke_array row = create(yoke_stream_get_device(stream), YOKE_I64, s->count);

    YOKE_CHECK(yoke_map(stream, "element = i", YOKE_VARS(element)));
    YOKE_CHECK(yoke_searchsorted(stream, YOKE_SEARCH_RIGHT, &row, &s->offsets, &element));
    YOKE_CHECK(yoke_map(stream, "element = (row - 1) * columns + column", YOKE_VARS(element, row, columns, column)));
    YOKE_CHECK(yoke_assign_value(stream, dense, YOKE_NUMBER(0)));
    YOKE_CHECK(yoke_scatter(stream, YOKE_SCATTER_SET, &flat, &s->value, &element, 0));
    yoke_buffer_release(row.buffer);
    yoke_buffer_release(element.buffer);
}

/* Compares all with a loop over the dense matrix. */
static int check(const float *dense, const float *vector, const sparse *s, const int64_t *offsets, const int32_t *column,
                 const float *value, const float *result)
{
    int64_t k = 0;
    int wrong = 0;

    for (int64_t i = 0; i < s->rows; i++) {
        double sum = 0, size = 0;
        wrong += offsets[i] != k;
        for (int64_t j = 0; j < s->columns; j++) {
            const float element = dense[i * s->columns + j];
            if (element == 0)
                continue;
            wrong += k >= s->count || column[k] != j || value[k] != element;
            k++;
            sum += (double)element * vector[j];
            size += fabs((double)element * vector[j]);
        }
        wrong += !(fabs(result[i] - sum) <= 1e-6 * size);
    }
    return wrong + (offsets[s->rows] != k) + (s->count != k);
}

int main(int argc, char **argv)
{
    const int rows = number(argc, argv, 1, 1000, 1 << 15), columns = number(argc, argv, 2, 1500, 1 << 15);
    const size_t n = (size_t)rows * (size_t)columns, size = n * sizeof(float);
    float *dense = allocate(2 * size), *again = dense + n, *vector = allocate((size_t)columns * sizeof(float));
    float *result = allocate((size_t)rows * sizeof(float));
    yoke_device *device;
    yoke_stream *stream;
    yoke_array matrix, factor, product;

    make(dense, vector, rows, columns);
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_array_create(device, YOKE_F32, 2, (int64_t[]){ rows, columns }, &matrix));
    factor = create(device, YOKE_F32, columns);
    product = create(device, YOKE_F32, rows);
    YOKE_CHECK(yoke_write(stream, matrix.buffer, 0, dense, size));
    YOKE_CHECK(yoke_write(stream, factor.buffer, 0, vector, (size_t)columns * sizeof(float)));

    sparse s = compress(device, stream, matrix);
    multiply(stream, &product, &s, &factor);
    expand(stream, &matrix, &s);

    const size_t count = (size_t)s.count;
    int64_t *offsets = allocate(((size_t)rows + 1) * sizeof *offsets);
    int32_t *column = allocate((count + 1) * sizeof *column);
    float *value = allocate((count + 1) * sizeof *value);
    YOKE_CHECK(yoke_read(stream, offsets, s.offsets.buffer, 0, ((size_t)rows + 1) * sizeof *offsets));
    YOKE_CHECK(yoke_read(stream, column, s.column.buffer, 0, count * sizeof *column));
    YOKE_CHECK(yoke_read(stream, value, s.value.buffer, 0, count * sizeof *value));
    YOKE_CHECK(yoke_read(stream, result, product.buffer, 0, (size_t)rows * sizeof *result));
    YOKE_CHECK(yoke_read(stream, again, matrix.buffer, 0, size));
    YOKE_CHECK(yoke_stream_wait(stream));

    const int wrong = check(dense, vector, &s, offsets, column, value, result) + (memcmp(again, dense, size) != 0);
    printf("sparse: %d x %d elements, %.1f%% of them not 0, in %zu bytes instead of %zu, %d wrong\n", rows, columns,
           100.0 * (double)count / (double)n, count * (sizeof *value + sizeof *column) + ((size_t)rows + 1) * sizeof *offsets, size,
           wrong);

    yoke_buffer_release(product.buffer);
    yoke_buffer_release(factor.buffer);
    yoke_buffer_release(matrix.buffer);
    sparse_release(&s);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(value);
    free(column);
    free(offsets);
    free(result);
    free(vector);
    free(dense);
    return wrong != 0;
}
