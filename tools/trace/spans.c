/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of time, and when devices worked. */
#include "trace.h"

#include <stdlib.h>

void trace_spans_add(trace_spans *self, double begin, double end)
{
    if (self->count % 256 == 0)
        self->list = tool_grow(self->list, (self->count + 256) * sizeof *self->list);
    self->list[self->count++] = (trace_span){ begin, end };
}

static int by_beginning(const void *one, const void *other)
{
    const trace_span *a = one, *b = other;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

void trace_spans_unite(trace_spans *self)
{
    size_t kept = 0;
    if (self->count == 0)
        return;
    qsort(self->list, self->count, sizeof *self->list, by_beginning);
    for (size_t i = 1; i < self->count; i++) {
        trace_span *last = &self->list[kept];
        if (self->list[i].begin > last->end)
            self->list[++kept] = self->list[i];
        else if (self->list[i].end > last->end)
            last->end = self->list[i].end;
    }
    /* trace_spans_add grows the list where the count is a multiple of 256, so the united list gets its own room. */
    trace_spans united = { 0 };
    for (size_t i = 0; i <= kept; i++)
        trace_spans_add(&united, self->list[i].begin, self->list[i].end);
    free(self->list);
    *self = united;
}

double trace_spans_length(const trace_spans *self)
{
    double sum = 0;
    for (size_t i = 0; i < self->count; i++)
        sum += self->list[i].end - self->list[i].begin;
    return sum;
}

double trace_spans_subtract(trace_spans *self, const trace_spans *others)
{
    double before = trace_spans_length(self);
    trace_spans left = { 0 };
    size_t first = 0;
    for (size_t i = 0; i < self->count; i++) {
        double begin = self->list[i].begin, end = self->list[i].end;
        while (first < others->count && others->list[first].end <= begin)
            first++;
        for (size_t k = first; k < others->count && others->list[k].begin < end; k++) {
            if (others->list[k].begin > begin)
                trace_spans_add(&left, begin, others->list[k].begin);
            begin = others->list[k].end;
        }
        if (begin < end)
            trace_spans_add(&left, begin, end);
    }
    free(self->list);
    *self = left;
    return before - trace_spans_length(self);
}

void trace_busy(const trace *self, long process, trace_spans *out_spans)
{
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count && (process == 0 || self->rows[i].process == process); k++)
            if (trace_is_of_device(&self->rows[i].slices[k]))
                trace_spans_add(out_spans, self->rows[i].slices[k].begin, self->rows[i].slices[k].end);
    trace_spans_unite(out_spans);
}
