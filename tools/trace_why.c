/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why it took so long: what a trace shows of copies from pageable memory, of streams that waited for one another, of host functions
 * that nothing on the device covered, and of devices that waited for the program. Little things are left out: below a hundredth of
 * the whole, nobody gains by them.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

typedef struct span {
    double begin, end;
} span;

typedef struct spans {
    span *list;
    size_t count;
} spans;

/* ---- Spans of time ---- */

static void add_span(spans *self, double begin, double end)
{
    if (self->count % 256 == 0)
        self->list = tool_grow(self->list, (self->count + 256) * sizeof *self->list);
    self->list[self->count++] = (span){ begin, end };
}

static int by_beginning(const void *one, const void *other)
{
    const span *a = one, *b = other;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Sorted and without overlaps. */
static void unite(spans *self)
{
    size_t kept = 0;
    if (self->count == 0)
        return;
    qsort(self->list, self->count, sizeof *self->list, by_beginning);
    for (size_t i = 1; i < self->count; i++) {
        span *last = &self->list[kept];
        if (self->list[i].begin > last->end)
            self->list[++kept] = self->list[i];
        else if (self->list[i].end > last->end)
            last->end = self->list[i].end;
    }
    self->count = kept + 1;
}

static double length_of(const spans *self)
{
    double sum = 0;
    for (size_t i = 0; i < self->count; i++)
        sum += self->list[i].end - self->list[i].begin;
    return sum;
}

/* How much of one span's time none of these covers. */
static double uncovered(const spans *self, const span *one)
{
    double left = one->end - one->begin;
    size_t low = 0, high = self->count;
    while (low < high) { /* the first that ends behind its beginning */
        size_t middle = (low + high) / 2;
        if (self->list[middle].end <= one->begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < self->count && self->list[low].begin < one->end; low++) {
        double begin = self->list[low].begin > one->begin ? self->list[low].begin : one->begin;
        double end = self->list[low].end < one->end ? self->list[low].end : one->end;
        left -= end - begin;
    }
    return left;
}

/* ---- Remarks ---- */

/* The same thing at the same place of the program, however often. */
typedef struct remark {
    const char *what, *where, *stream, *awaited, *recorded;
    size_t times;
    spans when;
    double cost, bytes;
} remark;

typedef struct remarks {
    remark *list;
    size_t count;
} remarks;

static bool is_same(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

static void note(remarks *self, const char *what, const trace_row *row, const trace_slice *slice)
{
    const char *stream = slice->awaited ? row->title : NULL;
    size_t i = 0;
    while (i < self->count && !(self->list[i].what == what && is_same(self->list[i].where, slice->where) &&
                                is_same(self->list[i].stream, stream) && is_same(self->list[i].awaited, slice->awaited)))
        i++;
    if (i == self->count) {
        self->list = tool_grow(self->list, (self->count + 1) * sizeof *self->list);
        self->list[self->count++] = (remark){
            .what = what, .where = slice->where, .stream = stream, .awaited = slice->awaited, .recorded = slice->recorded
        };
    }
    self->list[i].times++;
    add_span(&self->list[i].when, slice->begin, slice->end);
    self->list[i].bytes += slice->bytes;
}

static int by_cost(const void *one, const void *other)
{
    const remark *a = one, *b = other;
    return (a->cost < b->cost) - (a->cost > b->cost);
}

static const char pageable[] = "pageable", waits[] = "waits", functions[] = "functions";

/* Several at once cost the time of one, and functions only what the device did not work meanwhile. */
static double cost_of(remark *r, const spans *busy)
{
    double cost = 0;
    unite(&r->when);
    for (size_t i = 0; i < r->when.count; i++)
        cost += r->what == functions ? uncovered(busy, &r->when.list[i]) : r->when.list[i].end - r->when.list[i].begin;
    return cost;
}

static void find(const trace *self, const spans *busy, remarks *found)
{
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++) {
            const trace_row *row = &self->rows[i];
            const trace_slice *slice = &row->slices[k];
            if (slice->kind == TRACE_TRANSFER && slice->pageable)
                note(found, pageable, row, slice);
            else if (slice->kind == TRACE_WAIT)
                note(found, waits, row, slice);
            else if (slice->kind == TRACE_FUNCTION)
                note(found, functions, row, slice);
        }
    for (size_t i = 0; i < found->count; i++) {
        found->list[i].cost = cost_of(&found->list[i], busy);
        free(found->list[i].when.list);
    }
}

static void print_remark(const remark *r, FILE *stream)
{
    char bytes[32];
    tool_string text = { 0 };
    const char *where = r->where ? r->where : "an unknown place";
    if (r->what == pageable)
        tool_add(&text,
                 "%zu cop%s of pageable memory, %s, %.3f ms: the driver copies such memory twice. Use memory from "
                 "yoke_buffer_create_pinned, or yoke_buffer_create_from_host, for the copy at %s",
                 r->times, r->times == 1 ? "y" : "ies", tool_bytes((uint64_t)r->bytes, bytes), r->cost * 1e-3, where);
    else if (r->what == waits)
        tool_add(&text,
                 "%.*s waited %.3f ms for stream %s, %zu time%s: at %s it waits for an event%s%s. Wait for an earlier event, or "
                 "enqueue work that does not depend on stream %s before the wait",
                 (int)strcspn(r->stream, ":"), r->stream, r->cost * 1e-3, r->awaited, r->times, r->times == 1 ? "" : "s", where,
                 r->recorded ? ", recorded at " : "", r->recorded ? r->recorded : "", r->awaited);
    else
        tool_add(&text,
                 "%zu host function%s of %s ran for %.3f ms while the device was idle: give the device work in another "
                 "stream, or call the function%s later",
                 r->times, r->times == 1 ? "" : "s", where, r->cost * 1e-3, r->times == 1 ? "" : "s");
    fprintf(stream, "  - ");
    tool_wrap(stream, 4, text.data);
    free(text.data);
}

/* Time in which the device had nothing to do, although something came later. */
static double idle_time(const spans *busy)
{
    double idle = 0;
    for (size_t i = 1; i < busy->count; i++)
        idle += busy->list[i].begin - busy->list[i - 1].end;
    return idle;
}

static void print_sums(const trace *self, const spans *busy, FILE *stream)
{
    static const char *const names[TRACE_KINDS][2] = { /* one, several */
                                                       { "kernel", "kernels" },
                                                       { "copy between host and device", "copies between host and device" },
                                                       { "copy or fill on the device", "copies and fills on the device" },
                                                       { "graph", "graphs" },
                                                       { "host function", "host functions" },
                                                       { "wait of a stream", "waits of streams" },
                                                       { "wait of the program", "waits of the program" }
    };
    double sums[TRACE_KINDS] = { 0 };
    size_t counts[TRACE_KINDS] = { 0 };
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++) {
            const trace_slice *slice = &self->rows[i].slices[k];
            sums[slice->kind] += slice->end - slice->begin;
            counts[slice->kind]++;
        }
    fprintf(stream, "%.3f ms in all, %.3f ms of them with work on the device\n", self->end * 1e-3, length_of(busy) * 1e-3);
    for (int kind = 0; kind < TRACE_KINDS; kind++)
        if (counts[kind] > 0)
            fprintf(stream, "  %8zu %-32s %12.3f ms\n", counts[kind], names[kind][counts[kind] > 1], sums[kind] * 1e-3);
}

size_t trace_explain(const trace *self, FILE *stream)
{
    remarks found = { 0 };
    spans busy = { 0 };
    size_t told = 0;
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++)
            if (trace_is_of_device(&self->rows[i].slices[k]))
                add_span(&busy, self->rows[i].slices[k].begin, self->rows[i].slices[k].end);
    unite(&busy);
    print_sums(self, &busy, stream);
    find(self, &busy, &found);
    if (found.count > 0)
        qsort(found.list, found.count, sizeof *found.list, by_cost);
    fprintf(stream, "What slowed it down\n");
    for (size_t i = 0; i < found.count && found.list[i].cost > self->end / 100; i++, told++)
        print_remark(&found.list[i], stream);
    if (idle_time(&busy) > self->end / 100) {
        fprintf(stream, "  - between its first and its last work the device was idle for %.3f ms\n", idle_time(&busy) * 1e-3);
        told++;
    }
    if (told == 0)
        fprintf(stream, "  nothing that took one hundredth of the time\n");
    free(found.list);
    free(busy.list);
    return told;
}
