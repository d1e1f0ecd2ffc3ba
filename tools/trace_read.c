/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a trace: Chrome's trace events as the library writes them. Members that are missing or of another kind are as if they
 * were 0: whoever edits a trace gets a poorer picture and no crash. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

bool trace_is_of_device(const trace_slice *slice)
{
    return slice->kind <= TRACE_GRAPH;
}

#ifdef HAVE_JANSSON
#include <jansson.h>

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static double number_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static trace_row *row_of(trace *self, const json_t *event)
{
    long process = (long)number_of(event, "pid"), thread = (long)number_of(event, "tid");
    for (size_t i = 0; i < self->count; i++)
        if (self->rows[i].process == process && self->rows[i].thread == thread)
            return &self->rows[i];
    self->rows = tool_grow(self->rows, (self->count + 1) * sizeof *self->rows);
    trace_row *row = &self->rows[self->count++];
    *row = (trace_row){ .process = process, .thread = thread, .title = "", .device = "" };
    return row;
}

static void read_name(trace *self, const json_t *event, const char **devices, size_t most)
{
    const char *what = text_of(event, "name"), *name = text_of(json_object_get(event, "args"), "name");
    size_t process = (size_t)number_of(event, "pid");
    if (!what || !name)
        return;
    if (strcmp(what, "thread_name") == 0)
        row_of(self, event)->title = name;
    else if (strcmp(what, "process_name") == 0 && process > 0 && process < most)
        devices[process] = name;
}

static trace_kind kind_of(const char *category)
{
    static const struct {
        const char *category;
        trace_kind kind;
    } kinds[] = { { "launch", TRACE_LAUNCH },
                  { "cooperative launch", TRACE_LAUNCH },
                  { "write", TRACE_TRANSFER },
                  { "read", TRACE_TRANSFER },
                  { "write of a rect", TRACE_TRANSFER },
                  { "read of a rect", TRACE_TRANSFER },
                  { "graph", TRACE_GRAPH },
                  { "host function", TRACE_FUNCTION },
                  { "native section", TRACE_FUNCTION },
                  { "wait for an event", TRACE_WAIT },
                  { "wait of the program", TRACE_PROGRAM } };
    for (size_t i = 0; category && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(category, kinds[i].category) == 0)
            return kinds[i].kind;
    return TRACE_COPY;
}

static void read_slice(trace *self, const json_t *event)
{
    trace_row *row = row_of(self, event);
    const json_t *args = json_object_get(event, "args");
    const char *name = text_of(event, "name");
    double begin = number_of(event, "ts");
    if (row->count % 64 == 0)
        row->slices = tool_grow(row->slices, (row->count + 64) * sizeof *row->slices);
    row->slices[row->count++] = (trace_slice){
        .kind = kind_of(text_of(event, "cat")),
        .name = name ? name : "",
        .where = text_of(args, "where"),
        .awaited = text_of(args, "awaited_stream"),
        .recorded = text_of(args, "awaited_event"),
        .begin = begin,
        .end = begin + number_of(event, "dur"),
        .enqueued = number_of(args, "enqueued"),
        .bytes = number_of(args, "bytes"),
        .pageable = json_is_true(json_object_get(args, "pageable")),
        .failed = json_is_true(json_object_get(args, "failed")),
    };
}

static int by_row(const void *one, const void *other)
{
    const trace_row *a = one, *b = other;
    return a->process != b->process ? (a->process > b->process) - (a->process < b->process)
                                    : (a->thread > b->thread) - (a->thread < b->thread);
}

static int by_beginning(const void *one, const void *other)
{
    const trace_slice *a = one, *b = other;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Rows without a slice go; times count from the first slice on. */
static void arrange(trace *self)
{
    double first = -1;
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        trace_row *row = &self->rows[i];
        if (row->count == 0)
            continue;
        qsort(row->slices, row->count, sizeof *row->slices, by_beginning);
        first = first < 0 || row->slices[0].begin < first ? row->slices[0].begin : first;
        self->rows[kept++] = *row;
    }
    self->count = kept;
    if (kept > 0)
        qsort(self->rows, kept, sizeof *self->rows, by_row);
    for (size_t i = 0; i < kept; i++)
        for (size_t k = 0; k < self->rows[i].count; k++) {
            trace_slice *slice = &self->rows[i].slices[k];
            slice->begin -= first;
            slice->end -= first;
            slice->enqueued -= first;
            self->end = slice->end > self->end ? slice->end : self->end;
        }
}

bool trace_read(const tool_command *command, const char *path, trace *out_trace)
{
    enum { DEVICES = 64 };
    const char *devices[DEVICES] = { NULL };
    json_error_t error;
    size_t i;
    json_t *event;
    *out_trace = (trace){ .document = json_load_file(path, 0, &error) };
    if (!json_is_array((json_t *)out_trace->document)) {
        tool_complain(command, "%s is not a trace: %s", path,
                      out_trace->document ? "its JSON is not an array of events" : error.text);
        trace_free(out_trace);
        return false;
    }
    json_array_foreach((json_t *)out_trace->document, i, event)
    {
        const char *phase = text_of(event, "ph");
        if (phase && strcmp(phase, "M") == 0)
            read_name(out_trace, event, devices, DEVICES);
        else if (phase && strcmp(phase, "X") == 0)
            read_slice(out_trace, event);
    }
    arrange(out_trace);
    for (i = 0; i < out_trace->count; i++) {
        long process = out_trace->rows[i].process;
        out_trace->rows[i].device = process > 0 && process < DEVICES && devices[process] ? devices[process] : "";
    }
    return true;
}

void trace_free(trace *self)
{
    for (size_t i = 0; i < self->count; i++)
        free(self->rows[i].slices);
    free(self->rows);
    json_decref(self->document);
    *self = (trace){ 0 };
}
#else
bool trace_read(const tool_command *command, const char *path, trace *out_trace)
{
    (void)path;
    *out_trace = (trace){ 0 };
    return tool_has_json(command);
}

void trace_free(trace *self)
{
    (void)self;
}
#endif
