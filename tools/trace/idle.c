/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why no device worked: the idle time is divided among its causes, the first in this order that applies at a moment. The program
 * opened a device, built a program, ran host functions, allocated; a stream waited for another one, which is a finding of its own;
 * work was enqueued that had not begun; or nothing was enqueued.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* What the program did of one kind while devices were idle. */
typedef struct cause {
    trace_spans when;
    trace_places places;
    tool_string names;
    size_t count;
    double bytes, cost;
    bool compiled;
} cause;

static void add_name(cause *self, const trace_slice *slice)
{
    enum { TOLD = 4 };
    if (self->count < TOLD)
        tool_add(&self->names, "%s%s%s%s%s", self->count > 0 ? ", " : " ", slice->name, slice->how ? " (" : "",
                 slice->how ? slice->how : "", slice->how ? ")" : "");
    else if (self->count == TOLD)
        tool_add(&self->names, " and others");
    self->compiled = self->compiled || (slice->how && strcmp(slice->how, "compiled") == 0);
}

/* Take the time of slices of a kind from the idle time. */
static void take_kind(const trace *self, trace_kind kind, trace_spans *idle, cause *out_cause)
{
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++) {
            const trace_slice *slice = &self->rows[i].slices[k];
            if (slice->kind != kind)
                continue;
            trace_spans_add(&out_cause->when, slice->begin, slice->end);
            trace_places_add(&out_cause->places, slice->where);
            if (kind == TRACE_OPEN || kind == TRACE_BUILD)
                add_name(out_cause, slice);
            out_cause->count++;
            out_cause->bytes += slice->bytes;
        }
    trace_spans_unite(&out_cause->when);
    out_cause->cost = trace_spans_subtract(idle, &out_cause->when);
}

/* Whether two rows are of one stream: the library numbers a stream's rows one after the other, and the titles agree up to the
 * colon. */
static bool is_same_stream(const trace_row *one, const trace_row *other)
{
    size_t length = strcspn(one->title, ":");
    return one->process == other->process && strncmp(one->title, "stream", 6) == 0 && length == strcspn(other->title, ":") &&
           strncmp(one->title, other->title, length) == 0;
}

/* The end of the stream's last slice that has ended when this one begins, among rows from `first` on. */
static double previous_end(const trace *self, const trace_row *row, size_t first, size_t *next, double begin, double last)
{
    for (size_t i = first; i < self->count && is_same_stream(row, &self->rows[i]); i++)
        while (next[i] < self->rows[i].count && self->rows[i].slices[next[i]].end <= begin + 1) {
            double end = self->rows[i].slices[next[i]++].end;
            last = end > last ? end : last;
        }
    return last;
}

/* From the enqueueing of each operation to its beginning, of host functions or of all others; returns how many. A deferred
 * operation was in the stream's list before the previous operation of the stream had ended. */
static size_t add_enqueued(const trace *self, bool functions, trace_spans *spans)
{
    size_t *next = tool_alloc((self->count + 1) * sizeof *next), first = 0, count = 0;
    for (size_t i = 0; i < self->count; i++) {
        const trace_row *row = &self->rows[i];
        double last = 0;
        if (i > 0 && !is_same_stream(row, &self->rows[i - 1]))
            first = i;
        memset(next + first, 0, (self->count - first) * sizeof *next);
        for (size_t k = 0; k < row->count; k++) {
            const trace_slice *slice = &row->slices[k];
            double enqueued = slice->enqueued;
            if (slice->kind == TRACE_PROGRAM && !functions)
                trace_spans_add(spans, slice->begin, slice->end);
            if (slice->kind > TRACE_WAIT)
                continue;
            last = previous_end(self, row, first, next, slice->begin, last);
            if (slice->deferred && last > 0 && last < enqueued)
                enqueued = last;
            if (enqueued >= slice->begin || (slice->kind == TRACE_FUNCTION) != functions)
                continue;
            trace_spans_add(spans, enqueued, slice->begin);
            count++;
        }
    }
    free(next);
    trace_spans_unite(spans);
    return count;
}

/* The first operation that was enqueued after this moment. */
static const trace_slice *next_slice(const trace *self, double time)
{
    const trace_slice *found = NULL;
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++) {
            const trace_slice *slice = &self->rows[i].slices[k];
            if (slice->kind <= TRACE_WAIT && slice->begin >= time && (!found || slice->begin < found->begin))
                found = slice;
        }
    return found;
}

static void tell(const char *what, const cause *why, const char *advice, double least, trace_findings *found)
{
    tool_string text = { 0 };
    if (why->count > 0) {
        tool_add(&text, "%s%s", what, why->names.data ? why->names.data : "");
        trace_places_text(&why->places, &text);
        tool_add(&text, ". %s", advice);
    }
    trace_findings_add(found, least, why->cost, &text);
}

static void tell_work(const cause *open, const cause *build, const cause *functions, const cause *allocations, double least,
                      trace_findings *found)
{
    char *called = tool_text("%zu host function%s ran while no device worked", functions->count, functions->count > 1 ? "s" : "");
    char bytes[32];
    char *allocated = tool_text("%zu allocation%s, %s, while no device worked", allocations->count,
                                allocations->count > 1 ? "s" : "", tool_bytes((uint64_t)allocations->bytes, bytes));
    tell(
        "opening", open,
        "A device is opened once for each run; yoke_device_open may run on a thread of its own while the program prepares its data",
        least, found);
    tell("building", build,
         build->compiled ? "A later run finds a compiled program in the cache (YOKE_CACHE_DIR); yoke_program_build_async builds "
                           "while the program does something else"
                         : "yoke_program_build_async builds while the program does something else",
         least, found);
    tell(called, functions, "Give the device work in another stream meanwhile, or call the functions later", least, found);
    tell(allocated, allocations, "Allocate once and use the memory again", least, found);
    free(called);
    free(allocated);
}

/* What had been enqueued and had not begun: a host function waits for a processor, other work for its driver. */
static void tell_enqueued(const trace *self, trace_spans *idle, double least, trace_findings *found)
{
    enum { MANY = 100 };
    cause functions = { 0 }, others = { 0 };
    functions.count = add_enqueued(self, true, &functions.when);
    functions.cost = trace_spans_subtract(idle, &functions.when);
    others.count = add_enqueued(self, false, &others.when);
    others.cost = trace_spans_subtract(idle, &others.when);
    tell("host functions had their turn, but had not begun while no device worked", &functions,
         "The system had not run their threads: the machine's processors were busy with other work", least, found);
    tell("work was enqueued, but had not begun while no device worked", &others,
         others.count < MANY ? "That is how long the driver took to start it, which a busy machine makes longer"
                             : "Many small operations cost more to start than to run: enqueue fewer and larger ones, or launch "
                               "them as a graph",
         least, found);
    free(functions.when.list);
    free(others.when.list);
}

/* What is left, when the program had enqueued nothing: between its first and its last work, and outside of them. */
static void tell_nothing(const trace *self, const trace_spans *idle, double least, trace_findings *found)
{
    char length[32], other[32];
    trace_span active = trace_active(self), longest = { 0 };
    tool_string between_text = { 0 }, outside_text = { 0 };
    double before = 0, between = 0, after = 0;
    for (size_t i = 0; i < idle->count; i++) {
        double took = idle->list[i].end - idle->list[i].begin;
        if (idle->list[i].end <= active.begin) {
            before += took;
        } else if (idle->list[i].begin >= active.end) {
            after += took;
        } else {
            between += took;
            longest = took > longest.end - longest.begin ? idle->list[i] : longest;
        }
    }
    const trace_slice *next = next_slice(self, longest.end);
    tool_add(&between_text, "the program had enqueued nothing, the longest time %s",
             trace_time(longest.end - longest.begin, length));
    if (next && next->where)
        tool_add(&between_text, " before %s", next->where);
    tool_add(&between_text,
             ". Enqueue the next work before waiting for the last; what the host does meanwhile can be a host function "
             "(yoke_host_call) beside the work of another stream");
    tool_add(&outside_text, "the program's own work");
    if (active.end > active.begin)
        tool_add(&outside_text, ", %s before its first operation and %s after its last", trace_time(before, length),
                 trace_time(after, other));
    trace_findings_add(found, least, between, &between_text);
    trace_findings_add(found, least, before + after, &outside_text);
}

void trace_find_idle(const trace *self, double least, trace_findings *found)
{
    cause open = { 0 }, build = { 0 }, functions = { 0 }, allocations = { 0 }, waits = { 0 };
    trace_spans idle = { 0 }, busy = { 0 };
    trace_busy(self, 0, &busy);
    if (found->time.end > found->time.begin)
        trace_spans_add(&idle, found->time.begin, found->time.end);
    trace_spans_subtract(&idle, &busy);
    take_kind(self, TRACE_OPEN, &idle, &open);
    take_kind(self, TRACE_BUILD, &idle, &build);
    take_kind(self, TRACE_FUNCTION, &idle, &functions);
    take_kind(self, TRACE_ALLOCATE, &idle, &allocations);
    take_kind(self, TRACE_WAIT, &idle, &waits);
    tell_work(&open, &build, &functions, &allocations, least, found);
    tell_enqueued(self, &idle, least, found);
    tell_nothing(self, &idle, least, found);
    free(open.when.list);
    free(build.when.list);
    free(functions.when.list);
    free(allocations.when.list);
    free(waits.when.list);
    free(open.names.data);
    free(build.names.data);
    free(idle.list);
    free(busy.list);
}
