/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What took the time: what a trace shows of first launches, of copies, and of streams that waited for each other; idle.c
 * finds why devices were idle. One finding for each cause, with its advice. Left out is what cost less than one hundredth of the
 * time between the first and the last work, or one thousandth of the program's.
 */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words ---- */

const char *trace_kind_words(trace_kind kind, size_t count)
{
    static const char *const names[][2] = {
        /* one, several */
        [TRACE_LAUNCH] = { "kernel", "kernels" },
        [TRACE_TRANSFER] = { "copy between host and device", "copies between host and device" },
        [TRACE_COPY] = { "copy or fill on the device", "copies and fills on the device" },
        [TRACE_BETWEEN] = { "copy between devices", "copies between devices" },
        [TRACE_GRAPH] = { "graph", "graphs" },
        [TRACE_FUNCTION] = { "host function", "host functions" },
        [TRACE_WAIT] = { "wait of a stream", "waits of streams" },
        [TRACE_OPEN] = { "device opened", "devices opened" },
        [TRACE_BUILD] = { "program built", "programs built" },
        [TRACE_ALLOCATE] = { "allocation", "allocations" },
        [TRACE_PROGRAM] = { "wait of the program", "waits of the program" },
    };
    _Static_assert(YK_COUNT_OF(names) == TRACE_KINDS, "words for each kind");
    return names[kind][count != 1];
}

const char *trace_time(double microseconds, char text[32])
{
    double value = fabs(microseconds);
    if (value < 1000)
        snprintf(text, 32, value < 100 ? "%.1f us" : "%.0f us", microseconds);
    else if (value < 1e7)
        snprintf(text, 32, value < 1e5 ? "%.1f ms" : "%.0f ms", microseconds * 1e-3);
    else
        snprintf(text, 32, "%.1f s", microseconds * 1e-6);
    return text;
}

void trace_places_add(trace_places *self, const char *where)
{
    enum { MOST = sizeof self->list / sizeof self->list[0] };
    for (size_t i = 0; i < self->count; i++)
        if (where && strcmp(self->list[i], where) == 0)
            return;
    if (where && self->count < MOST)
        self->list[self->count++] = where;
}

/* A place in the same file as the one before is its line alone. */
void trace_places_text(const trace_places *self, tool_string *text)
{
    enum { TOLD = 4 };
    for (size_t i = 0; i < self->count && i < TOLD; i++) {
        const char *colon = strrchr(self->list[i], ':');
        size_t file = colon ? (size_t)(colon - self->list[i]) + 1 : 0;
        bool same = i > 0 && file > 0 && strncmp(self->list[i], self->list[i - 1], file) == 0;
        tool_add(text, "%s%s", i > 0 ? ", " : " at ", self->list[i] + (same ? file : 0));
    }
    if (self->count > TOLD)
        tool_add(text, " and others");
}

/* ---- Findings ---- */

void trace_findings_add(trace_findings *self, double least, double cost, tool_string *text)
{
    size_t at = self->count;
    while (at > 0 && self->list[at - 1].cost < cost)
        at--;
    if (cost < least || cost <= 0 || at == TRACE_FINDINGS) {
        free(text->data);
        return;
    }
    if (self->count == TRACE_FINDINGS)
        free(self->list[--self->count].text);
    memmove(&self->list[at + 1], &self->list[at], (self->count - at) * sizeof self->list[0]);
    self->list[at] = (struct trace_finding){ .text = text->data, .cost = cost };
    self->count++;
}

void trace_findings_free(trace_findings *self)
{
    for (size_t i = 0; i < self->count; i++)
        free(self->list[i].text);
    *self = (trace_findings){ 0 };
}

trace_span trace_active(const trace *self)
{
    trace_span active = { 0 };
    bool any = false;
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++) {
            const trace_slice *slice = &self->rows[i].slices[k];
            if (slice->kind > TRACE_WAIT)
                continue;
            active.begin = !any || slice->begin < active.begin ? slice->begin : active.begin;
            active.end = !any || slice->end > active.end ? slice->end : active.end;
            any = true;
        }
    return active;
}

/* ---- First launches ---- */

/* A launch and its device. */
typedef struct launch {
    long process;
    trace_slice *slice;
} launch;

static int by_kernel(const void *one, const void *other)
{
    const launch *a = one, *b = other;
    int order = (a->process > b->process) - (a->process < b->process);
    order = order ? order : strcmp(a->slice->name, b->slice->name);
    for (int i = 0; i < 6 && !order; i++)
        order = (a->slice->shape[i] > b->slice->shape[i]) - (a->slice->shape[i] < b->slice->shape[i]);
    return order ? order : (a->slice->begin > b->slice->begin) - (a->slice->begin < b->slice->begin);
}

static int by_value(const void *one, const void *other)
{
    const double *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

static double length_of(const trace_slice *slice)
{
    return slice->end - slice->begin;
}

/* The median of the launches from `first` on. */
static double median(const launch *list, size_t first, size_t count)
{
    double *lengths = tool_alloc((count - first) * sizeof *lengths);
    for (size_t i = first; i < count; i++)
        lengths[i - first] = length_of(list[i].slice);
    qsort(lengths, count - first, sizeof *lengths, by_value);
    double middle = lengths[(count - first) / 2];
    free(lengths);
    return middle;
}

/* What first launches took more than later ones; and those with no later one to compare with. */
typedef struct first_group {
    trace_spans when;
    size_t kernels;
    tool_string text;
    const char *name; /* the last one told */
} first_group;

typedef struct firsts {
    first_group compared, single;
    double least;
} firsts;

/* The launches of one kernel and shape. Launches that begin before the first has ended wait for the same compiler. */
static void compare_first(firsts *self, const launch *list, size_t count)
{
    enum { TOLD = 3, COMPILER = 1000 }; /* microseconds: a compiler takes longer */
    char first_text[32], later_text[32];
    double begin = list[0].slice->begin, end = list[0].slice->end;
    size_t group = 1;
    while (group < count && list[group].slice->begin < list[0].slice->end) {
        end = list[group].slice->end > end ? list[group].slice->end : end;
        group++;
    }
    double took = end - begin, later = group < count ? median(list, group, count) : 0;
    if (took - later < self->least || took - later <= COMPILER || took < 2 * later)
        return;
    bool single = group == count;
    first_group *to = single ? &self->single : &self->compared;
    trace_spans_add(&to->when, begin, end - later);
    for (size_t i = 0; i < group && !single; i++)
        list[i].slice->first = true;
    if (single && to->name && strcmp(to->name, list[0].slice->name) == 0)
        return; /* on another device */
    to->name = list[0].slice->name;
    if (to->kernels++ == TOLD)
        tool_add(&to->text, " and others");
    if (to->kernels > TOLD)
        return;
    tool_add(&to->text, "%s%s%s", to->kernels > 1 ? ", " : "", single ? "" : "the first launch of ", to->name);
    if (!single)
        tool_add(&to->text, " took %s, later ones %s", trace_time(took, first_text), trace_time(later, later_text));
}

static bool is_same_kernel(const launch *one, const launch *other)
{
    return one->process == other->process && strcmp(one->slice->name, other->slice->name) == 0;
}

static bool is_same_shape(const launch *one, const launch *other)
{
    return memcmp(one->slice->shape, other->slice->shape, sizeof one->slice->shape) == 0;
}

/* The launches of one kernel. A single launch of a shape says nothing, unless it is the kernel's first. */
static void compare_kernel(firsts *self, const launch *list, size_t count)
{
    double first = list[0].slice->begin;
    for (size_t i = 1; i < count; i++)
        first = list[i].slice->begin < first ? list[i].slice->begin : first;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_shape(&list[i], &list[end]);)
            end++;
        if (end - i > 1 || list[i].slice->begin <= first)
            compare_first(self, list + i, end - i);
    }
}

static size_t list_launches(const trace *self, launch **out_list)
{
    size_t count = 0;
    launch *list = NULL;
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++)
            if (self->rows[i].slices[k].kind == TRACE_LAUNCH) {
                if (count % 256 == 0)
                    list = tool_grow(list, (count + 256) * sizeof *list);
                list[count++] = (launch){ self->rows[i].process, &self->rows[i].slices[k] };
            }
    if (count > 0)
        qsort(list, count, sizeof *list, by_kernel);
    *out_list = list;
    return count;
}

static void find_firsts(const trace *self, double least, trace_findings *found)
{
    launch *list;
    firsts all = { .least = least };
    size_t count = list_launches(self, &list);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_kernel(&list[i], &list[end]);)
            end++;
        compare_kernel(&all, list + i, end - i);
    }
    if (all.compared.kernels > 0)
        tool_add(&all.compared.text, ": the driver compiles then. Launch %s once before the time counts",
                 all.compared.kernels > 1 ? "each kernel" : "the kernel");
    if (all.single.kernels > 0)
        tool_add(&all.single.text,
                 " %s launched once, and no later launch of the same size shows what the kernel alone takes: a driver may compile "
                 "at the first. Launch it twice to see",
                 all.single.kernels > 1 ? "were each" : "was");
    trace_spans_unite(&all.compared.when);
    trace_spans_unite(&all.single.when);
    trace_findings_add(found, least, trace_spans_length(&all.compared.when), &all.compared.text);
    trace_findings_add(found, 5 * least, trace_spans_length(&all.single.when), &all.single.text);
    free(all.compared.when.list);
    free(all.single.when.list);
    free(list);
}

/* ---- Copies ---- */

/* The copies of one cause. */
typedef struct copies {
    trace_spans when;
    trace_places places;
    size_t count;
    double bytes;
} copies;

static void add_copy(copies *self, const trace_slice *slice)
{
    trace_spans_add(&self->when, slice->begin, slice->end);
    trace_places_add(&self->places, slice->where);
    self->count++;
    self->bytes += slice->bytes;
}

/* A copy beside a kernel costs nothing. */
static void tell_copies(copies *self, const trace_spans *kernels, const char *what, const char *advice, double least,
                        trace_findings *found)
{
    char bytes[32];
    tool_string text = { 0 };
    trace_spans_unite(&self->when);
    bool beside = trace_spans_subtract(&self->when, kernels) > 0;
    if (self->count > 0) {
        tool_add(&text, "%zu %s %s, %s", self->count, self->count == 1 ? "copy" : "copies", what,
                 tool_bytes((uint64_t)self->bytes, bytes));
        trace_places_text(&self->places, &text);
        tool_add(&text, "%s. %s", beside ? ", of which this is the time without a kernel" : "", advice);
    }
    trace_findings_add(found, least, trace_spans_length(&self->when), &text);
    free(self->when.list);
}

/* Page-locked memory helps no device that works in the host's memory: there a copy is a copy from memory to memory. */
static void find_copies(const trace *self, double least, trace_findings *found)
{
    copies pageable = { 0 }, needless = { 0 };
    trace_spans kernels = { 0 };
    for (size_t i = 0; i < self->count; i++) {
        const trace_device *device = trace_device_of(self, self->rows[i].process);
        for (size_t k = 0; k < self->rows[i].count; k++) {
            const trace_slice *slice = &self->rows[i].slices[k];
            if (slice->kind == TRACE_LAUNCH || slice->kind == TRACE_GRAPH)
                trace_spans_add(&kernels, slice->begin, slice->end);
            if (slice->kind != TRACE_TRANSFER)
                continue;
            if (device->in_host_memory && device->mapped)
                add_copy(&needless, slice);
            else if (slice->pageable && !device->in_host_memory)
                add_copy(&pageable, slice);
        }
    }
    trace_spans_unite(&kernels);
    tell_copies(&pageable, &kernels, "of pageable memory",
                "The driver copies such memory twice: use memory from yoke_buffer_create_pinned, or yoke_buffer_create_from_host",
                least, found);
    tell_copies(&needless, &kernels, "between host and device",
                "This device works in the machine's memory: a buffer of YOKE_MEMORY_MAPPED (yoke_buffer_create_in) needs no copy",
                least, found);
    free(kernels.list);
}

/* ---- Waits ---- */

/* The waits of one stream for another. */
typedef struct pair {
    const char *stream, *awaited;
    long process, awaited_device;
    trace_places waits, events;
    size_t times;
    double length;
} pair;

static pair *pair_of(pair **list, size_t *count, const trace_row *row, const trace_slice *slice)
{
    size_t length = strcspn(row->title, ":");
    const char *awaited = slice->awaited ? slice->awaited : "?";
    for (size_t i = 0; i < *count; i++) {
        pair *p = &(*list)[i];
        if (p->process == row->process && p->awaited_device == slice->awaited_device && strcmp(p->awaited, awaited) == 0 &&
            strncmp(p->stream, row->title, length) == 0 && strcspn(p->stream, ":") == length)
            return p;
    }
    *list = tool_grow(*list, (*count + 1) * sizeof **list);
    (*list)[*count] =
        (pair){ .stream = row->title, .awaited = awaited, .process = row->process, .awaited_device = slice->awaited_device };
    return &(*list)[(*count)++];
}

static int by_length(const void *one, const void *other)
{
    const pair *a = one, *b = other;
    return (a->length < b->length) - (a->length > b->length);
}

/* The device's selector, which is the first word of its name. */
static void tell_device(const trace *self, long process, tool_string *text)
{
    const char *name = trace_device_of(self, process)->name;
    tool_add(text, " of %.*s", (int)strcspn(name, " "), name);
}

static void tell_pairs(const trace *self, const pair *list, size_t count, tool_string *text)
{
    enum { TOLD = 3 };
    for (size_t i = 0; i < count && i < TOLD; i++) {
        const pair *p = &list[i];
        char length[32];
        bool same = p->awaited_device == 0 || p->awaited_device == p->process;
        tool_add(text, "%s%.*s", i > 0 ? "; " : "", (int)strcspn(p->stream, ":"), p->stream);
        if (!same)
            tell_device(self, p->process, text);
        tool_add(text, " waited %s for stream %s", trace_time(p->length, length), p->awaited);
        if (!same)
            tell_device(self, p->awaited_device, text);
        if (p->times > 1)
            tool_add(text, ", %zu times", p->times);
        if (p->waits.count > 0)
            tool_add(text, ",");
        trace_places_text(&p->waits, text);
        if (p->events.count > 0)
            tool_add(text, " for the event%s recorded", p->events.count > 1 ? "s" : "");
        trace_places_text(&p->events, text);
    }
    if (count > TOLD)
        tool_add(text, "; and %zu more", count - TOLD);
    tool_add(text, ". Wait for an earlier event, or enqueue work that does not need the event before the wait");
}

/* A wait costs the time in which its stream's device had nothing else to do. */
static void find_waits(const trace *self, double least, trace_findings *found)
{
    pair *list = NULL;
    size_t count = 0;
    trace_spans all = { 0 };
    tool_string text = { 0 };
    for (size_t i = 0; i < self->count; i++) {
        trace_spans waits = { 0 }, busy = { 0 };
        const trace_row *row = &self->rows[i];
        for (size_t k = 0; k < row->count; k++) {
            const trace_slice *slice = &row->slices[k];
            if (slice->kind != TRACE_WAIT)
                continue;
            pair *p = pair_of(&list, &count, row, slice);
            p->times++;
            p->length += length_of(slice);
            trace_places_add(&p->waits, slice->where);
            trace_places_add(&p->events, slice->recorded);
            trace_spans_add(&waits, slice->begin, slice->end);
        }
        trace_spans_unite(&waits);
        trace_busy(self, row->process, &busy);
        trace_spans_subtract(&waits, &busy);
        for (size_t k = 0; k < waits.count; k++)
            trace_spans_add(&all, waits.list[k].begin, waits.list[k].end);
        free(waits.list);
        free(busy.list);
    }
    trace_spans_unite(&all);
    if (count > 0) {
        qsort(list, count, sizeof *list, by_length);
        tell_pairs(self, list, count, &text);
    }
    trace_findings_add(found, least, trace_spans_length(&all), &text);
    free(all.list);
    free(list);
}

/* ---- All of it ---- */

void trace_find(trace *self, trace_span time, trace_findings *out_findings)
{
    trace_span active = trace_active(self);
    double least = active.end > active.begin ? (active.end - active.begin) / 100 : 0;
    least = least < self->end / 1000 ? self->end / 1000 : least;
    *out_findings = (trace_findings){ .time = time };
    find_firsts(self, least, out_findings);
    find_copies(self, least, out_findings);
    find_waits(self, least, out_findings);
    trace_find_idle(self, least, out_findings);
}

/* ---- The report ---- */

char *trace_finding_text(const trace_findings *self, size_t i)
{
    const struct trace_finding *finding = &self->list[i];
    char cost[32];
    double whole = self->time.end - self->time.begin, percent = whole > 0 ? 100 * finding->cost / whole : 0;
    return tool_text(percent < 1 ? "%s (%.1f%%): %s." : "%s (%.0f%%): %s.", trace_time(finding->cost, cost), percent,
                     finding->text);
}

/* A crash while a device worked may be the device's: on CPUs a kernel can write anywhere. */
static char *crash_text(const trace *self)
{
    size_t length = self->submitted ? strlen(self->submitted) : 0;
    while (length > 0 && self->submitted[length - 1] == ' ')
        length--;
    if (length == 0)
        return tool_text("what was under way is missing.");
    return tool_text("what was under way is missing. Given to a device last: %.*s. With YOKE_BLOCKING=1 that is the one that was "
                     "under way.",
                     (int)length, self->submitted);
}

char *trace_ending(const trace *self)
{
    if (self->signal > 0) {
        char *crash = crash_text(self);
        char *text = tool_text("The program was ended by signal %d (%s): %s", self->signal, strsignal(self->signal), crash);
        free(crash);
        return text;
    }
    if (self->marks && !self->complete)
        return tool_text("The trace has no end: the program ended without its exit handlers (_exit, or a signal), or the disk was "
                         "full. What was under way is missing.");
    return NULL;
}

static void print_sums(const trace *self, FILE *stream)
{
    double sums[TRACE_KINDS] = { 0 };
    size_t counts[TRACE_KINDS] = { 0 };
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++) {
            const trace_slice *slice = &self->rows[i].slices[k];
            sums[slice->kind] += slice->end - slice->begin;
            counts[slice->kind]++;
        }
    for (int kind = 0; kind < TRACE_KINDS; kind++)
        if (counts[kind] > 0)
            fprintf(stream, "  %8zu %-32s %12.3f ms\n", counts[kind], trace_kind_words(kind, counts[kind]), sums[kind] * 1e-3);
}

void trace_explain(trace *self, FILE *stream)
{
    trace_spans busy = { 0 };
    trace_findings found;
    char whole[32], worked[32];
    char *ending = trace_ending(self);
    trace_find(self, (trace_span){ 0, self->end }, &found);
    trace_busy(self, 0, &busy);
    double length = trace_spans_length(&busy);
    fprintf(stream, "%s %s; %s of them (%.0f%%) with work on a device\n", trace_time(self->end, whole),
            self->whole ? "from the program's start to its end" : "from the first to the last entry", trace_time(length, worked),
            self->end > 0 ? 100 * length / self->end : 0);
    print_sums(self, stream);
    if (ending)
        fprintf(stream, "%s\n", ending);
    fprintf(stream, "What took the time (percentages are of %s)\n", whole);
    for (size_t i = 0; i < found.count; i++) {
        char *line = trace_finding_text(&found, i);
        fprintf(stream, "  - ");
        tool_wrap(stream, 4, line);
        free(line);
    }
    if (found.count == 0)
        fprintf(stream, "  nothing that took one hundredth of the time\n");
    trace_findings_free(&found);
    free(ending);
    free(busy.list);
}
