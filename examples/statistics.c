/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a picture, by operations of <yoke/ops.h>: reductions over some axes, histograms, quartiles, and slices that compare
 * each pixel with its neighbour. There is no kernel here, and nothing is read back but the results. statistics [PICTURE.png]
 *
 * A common mistake: to copy a channel out of the picture before working with it. A view of every third byte costs nothing.
 */
#include <math.h>

#include <yoke/ops.h>

#include "example.h"
#include "picture.h"

enum { CHANNELS = 3, LEVELS = 256, BARS = 16, QUARTILES = 3 };

/* What the device finds out. The rows of `table` are one array there. */
enum { MEAN, VARIANCE, LEAST, MOST, ROWS };
typedef struct statistics {
    float table[ROWS][CHANNELS];
    int32_t quartiles[CHANNELS][QUARTILES];
    uint32_t bars[BARS];
    float contrast;
    int64_t brightest;
} statistics;

/* A sky, a sun and a hill. */
static unsigned char *make(int *width, int *height)
{
    unsigned char *pixels = allocate((size_t)CHANNELS * 300 * 200);

    *width = 300;
    *height = 200;
    for (int i = 0; i < 300 * 200; i++) {
        const int x = i % 300, y = i / 300, far = (x - 220) * (x - 220) + (y - 60) * (y - 60);
        const int hill = y > 120 + (x - 100) * (x - 100) / 400;
        unsigned char *p = pixels + CHANNELS * i;
        p[0] = (unsigned char)(far < 900 ? 255 : hill ? 60 + x * y % 23 : 90 + y / 2);
        p[1] = (unsigned char)(far < 900 ? 240 - far / 60 : hill ? 110 + x * y % 37 : 130 + y / 3);
        p[2] = (unsigned char)(far < 900 ? 120 : hill ? 40 : 230 - y / 4);
    }
    return pixels;
}

static yoke_array create(yoke_device *device, int32_t dtype, int64_t rows, int64_t columns)
{
    yoke_array array;

    YOKE_CHECK(yoke_array_create(device, dtype, 2, (int64_t[]){ rows, columns }, &array));
    return array;
}

static void measure(yoke_device *device, const unsigned char *pixels, int width, int height, statistics *found)
{
    const int64_t total = (int64_t)width * height;
    yoke_stream *stream;
    yoke_array picture;

    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_array_create(device, YOKE_U8, 3, (int64_t[]){ height, width, CHANNELS }, &picture));
    YOKE_CHECK(yoke_write(stream, picture.buffer, 0, pixels, (size_t)total * CHANNELS));

    /* Axes 0 and 1 are reduced; what remains is a value for each channel, which is a row of the table. */
    static const int32_t operations[ROWS] = { YOKE_REDUCE_MEAN, YOKE_REDUCE_VARIANCE, YOKE_REDUCE_MIN, YOKE_REDUCE_MAX };
    yoke_array table = create(device, YOKE_F32, ROWS, CHANNELS);
    for (int i = 0; i < ROWS; i++) {
        const yoke_array row = yoke_array_index(table, 0, i);
        YOKE_CHECK(yoke_reduce(stream, operations[i], &row, &picture, YOKE_AXES(0, 1)));
    }

    /* Count the levels, and sum the counts up: the median is the first level at or below which half of the pixels are. */
    yoke_array counts = create(device, YOKE_U32, CHANNELS, LEVELS), levels = create(device, YOKE_I32, CHANNELS, QUARTILES);
    yoke_array ranks = create(device, YOKE_U32, 1, QUARTILES);
    YOKE_CHECK(yoke_map(stream, "ranks = (total * (i1 + 1) + 3) / 4", YOKE_VARS(ranks, total)));
    ranks = yoke_array_index(ranks, 0, 0);
    for (int i = 0; i < CHANNELS; i++) {
        const yoke_array channel = yoke_array_index(picture, 2, i), bins = yoke_array_index(counts, 0, i);
        const yoke_array quartiles = yoke_array_index(levels, 0, i);
        YOKE_CHECK(yoke_bincount(stream, &bins, &channel, NULL));
        YOKE_CHECK(yoke_scan(stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &bins, &bins, 0));
        YOKE_CHECK(yoke_searchsorted(stream, YOKE_SEARCH_LEFT, &quartiles, &bins, &ranks));
    }

    /* How bright each pixel is, a histogram of it, and where it is the most. */
    const yoke_array red = yoke_array_index(picture, 2, 0), green = yoke_array_index(picture, 2, 1),
                     blue = yoke_array_index(picture, 2, 2);
    yoke_array grey = create(device, YOKE_F32, height, width), bars = create(device, YOKE_U32, 1, BARS);
    yoke_array brightest = create(device, YOKE_I64, 1, 1), contrast = create(device, YOKE_F32, 1, 1);
    const yoke_array row = yoke_array_index(bars, 0, 0);
    YOKE_CHECK(yoke_map(stream, "grey = 0.25f * red + 0.625f * green + 0.125f * blue", YOKE_VARS(grey, red, green, blue)));
    YOKE_CHECK(yoke_histogram(stream, &row, &grey, YOKE_NUMBER(0.0f), YOKE_NUMBER(256.0f), NULL));
    YOKE_CHECK(yoke_reduce(stream, YOKE_REDUCE_ARGMAX, &brightest, &grey, YOKE_ALL_AXES));

    /* The mean difference between neighbours in a row: all columns but the last beside all but the first. Nothing is stored. */
    const yoke_array left = yoke_array_slice(grey, 1, 0, -1, 1), right = yoke_array_slice(grey, 1, 1, YOKE_SLICE_END, 1);
    YOKE_CHECK(yoke_map_reduce(stream, YOKE_REDUCE_MEAN, &contrast, "fabs(right - left)", YOKE_VARS(left, right), YOKE_ALL_AXES));

    YOKE_CHECK(yoke_read(stream, found->table, table.buffer, 0, sizeof found->table));
    YOKE_CHECK(yoke_read(stream, found->quartiles, levels.buffer, 0, sizeof found->quartiles));
    YOKE_CHECK(yoke_read(stream, found->bars, bars.buffer, 0, sizeof found->bars));
    YOKE_CHECK(yoke_read(stream, &found->contrast, contrast.buffer, 0, sizeof found->contrast));
    YOKE_CHECK(yoke_read(stream, &found->brightest, brightest.buffer, 0, sizeof found->brightest));
    YOKE_CHECK(yoke_stream_wait(stream)); /* all of it was enqueued; now it is there */

    yoke_array all[] = { picture, table, counts, levels, ranks, grey, bars, brightest, contrast };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        yoke_buffer_release(all[i].buffer);
    yoke_stream_release(stream);
}

/* The same on the host, in a way of its own. Returns how many figures differ. */
static int check(const unsigned char *pixels, int width, int height, const statistics *found)
{
    const int n = width * height;
    uint32_t bars[BARS] = { 0 };
    double difference = 0;
    float most = -1;
    int wrong = 0, brightest = 0;

    for (int c = 0; c < CHANNELS; c++) {
        int64_t counts[LEVELS] = { 0 }, sum = 0, squares = 0, below = 0;
        int least = LEVELS, last = 0, quartile = 0;
        for (int i = 0; i < n; i++)
            counts[pixels[CHANNELS * i + c]]++;
        for (int v = 0; v < LEVELS; v++) {
            sum += counts[v] * v;
            squares += counts[v] * v * v;
            least = counts[v] && v < least ? v : least;
            last = counts[v] ? v : last;
            for (below += counts[v]; quartile < QUARTILES && 4 * below >= (int64_t)n * (quartile + 1); quartile++)
                wrong += found->quartiles[c][quartile] != v;
        }
        const double mean = (double)sum / n, square = (double)squares / n, variance = square - mean * mean;
        wrong += !(fabs(found->table[MEAN][c] - mean) < 1e-3) + !(fabs(found->table[VARIANCE][c] - variance) < 1e-5 * square);
        wrong += found->table[LEAST][c] != (float)least || found->table[MOST][c] != (float)last;
    }
    for (int i = 0; i < n; i++) {
        const unsigned char *p = pixels + CHANNELS * i, *q = p + CHANNELS; /* these sums are exact in any order */
        const float grey = 0.25f * p[0] + 0.625f * p[1] + 0.125f * p[2];
        bars[(int)grey / (LEVELS / BARS)]++;
        if (grey > most)
            most = grey, brightest = i;
        if (i % width < width - 1)
            difference += fabs(grey - (0.25 * q[0] + 0.625 * q[1] + 0.125 * q[2]));
    }
    wrong += memcmp(found->bars, bars, sizeof bars) != 0;
    wrong += found->brightest != brightest;
    return wrong + (width > 1 && !(fabs(found->contrast - difference / ((double)height * (width - 1))) < 1e-3));
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "red", "green", "blue" };
    int width, height;
    unsigned char *pixels = argc > 1 ? picture_read(argv[1], &width, &height) : make(&width, &height);
    statistics found;
    yoke_device *device;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    measure(device, pixels, width, height, &found);
    printf("%-7s %8s %10s %5s %5s %5s %5s %5s\n", "", "mean", "deviation", "least", "1/4", "1/2", "3/4", "most");
    for (int c = 0; c < CHANNELS; c++)
        printf("%-7s %8.3f %10.3f %5g %5d %5d %5d %5g\n", names[c], found.table[MEAN][c], sqrt(found.table[VARIANCE][c]),
               found.table[LEAST][c], found.quartiles[c][0], found.quartiles[c][1], found.quartiles[c][2], found.table[MOST][c]);
    for (int i = 0; i < BARS; i++)
        printf("%3d to %3d %8u %.*s\n", i * LEVELS / BARS, (i + 1) * LEVELS / BARS - 1, found.bars[i],
               (int)(60.0 * found.bars[i] / ((double)width * height)),
               "############################################################");

    const int wrong = check(pixels, width, height, &found);
    printf("statistics: %d x %d pixels, the brightest at %d, %d, neighbours differ by %.3f, %d figures wrong\n", width, height,
           (int)(found.brightest % width), (int)(found.brightest / width), found.contrast, wrong);
    yoke_device_release(device);
    free(pixels);
    return wrong != 0;
}
