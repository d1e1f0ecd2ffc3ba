/* SPDX-License-Identifier: Apache-2.0 */
/* What photos shows: the progress bar, errors, and the arithmetic of its table. Only the main thread comes here. */
#include "photos.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Times -------------------------------------------------------------------------------------------------------------- */

static double sum_of(const span *spans, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += spans[i].end - spans[i].start;
    return sum;
}

static int earlier(const void *a, const void *b)
{
    double x = ((const span *)a)->start, y = ((const span *)b)->start;

    return (x > y) - (x < y);
}

/* Sort the spans and join those that touch; returns how many are left. */
static size_t join(span *spans, size_t count)
{
    size_t kept = 0;

    qsort(spans, count, sizeof *spans, earlier);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || spans[i].start > spans[kept - 1].end)
            spans[kept++] = spans[i];
        else if (spans[i].end > spans[kept - 1].end)
            spans[kept - 1].end = spans[i].end;
    }
    return kept;
}

/* Seconds that lie in both of two joined lists. */
static double common(const span *a, size_t a_count, const span *b, size_t b_count)
{
    double sum = 0;

    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        double start = a[i].start > b[j].start ? a[i].start : b[j].start, end = a[i].end < b[j].end ? a[i].end : b[j].end;

        if (end > start)
            sum += end - start;
        if (a[i].end < b[j].end)
            i++;
        else
            j++;
    }
    return sum;
}

bool times_of(const photo_list *photos, times *out)
{
    span *device = calloc(photos->count + 1, sizeof *device), *host = calloc(photos->count + 1, sizeof *host);
    size_t device_count = 0, host_count = 0;
    bool ok = device && host;

    for (size_t i = 0; i < photos->count && ok; i++) {
        const photo *p = &photos->items[i];
        if (p->device.end > 0)
            device[device_count++] = p->device;
        if (p->host.end > 0)
            host[host_count++] = p->host;
    }
    if (ok) {
        out->device_sum = sum_of(device, device_count);
        out->host_sum = sum_of(host, host_count);
        device_count = join(device, device_count);
        host_count = join(host, host_count);
        out->device = sum_of(device, device_count);
        out->host = sum_of(host, host_count);
        out->both = common(device, device_count, host, host_count);
    }
    free(device);
    free(host);
    return ok;
}

/* ---- Progress ----------------------------------------------------------------------------------------------------------- */

static void draw(const report *r)
{
    enum { WIDTH = 40 };
    int full = r->total ? (int)(WIDTH * r->done / r->total) : WIDTH;

    if (!r->bar)
        return;
    printf("\r%-9s [", r->what);
    for (int i = 0; i < WIDTH; i++)
        putchar(i < full ? '#' : '.');
    printf("] %zu of %zu", r->done, r->total);
    fflush(stdout);
}

void report_start(report *r, const char *what, size_t total)
{
    r->bar = !r->quiet && isatty(STDOUT_FILENO);
    r->what = what;
    r->total = total;
    r->done = r->failed = 0;
    r->pixels = 0;
    draw(r);
}

void report_photo(report *r, const photo *p)
{
    r->done++;
    if (p->failed) {
        r->failed++;
        fprintf(stderr, "%sphotos: %s: %s\n", r->bar ? "\r\033[K" : "", p->input, p->error);
    } else {
        r->pixels += (double)p->width * p->height;
    }
    draw(r);
}

void report_end(report *r)
{
    if (r->bar)
        printf("\r\033[K");
    fflush(stdout);
    r->bar = false;
}
