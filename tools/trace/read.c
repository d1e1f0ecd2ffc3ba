/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a trace: Chrome's trace events as the library writes them. Members that are missing or of another kind are as if they
 * were 0: whoever edits a trace gets a poorer picture and no crash. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "trace/trace_array.h"

bool trace_is_of_device(const trace_slice *slice)
{
    return slice->kind <= TRACE_GRAPH;
}

const trace_device *trace_device_of(const trace *self, long process)
{
    static const trace_device program = { .name = "the program" }, unknown = { .name = "" };
    for (size_t i = 0; i < self->device_count; i++)
        if (self->devices[i].process == process)
            return &self->devices[i];
    return process == 0 ? &program : &unknown;
}

/* ---- Events ---- */

/* What is being read, and the program's start and end by the trace's clock. */
typedef struct reading {
    trace *trace;
    double clock, began, ended; /* the first in nanoseconds of the system's clock, as the other two are until all is read */
    bool has_clock, has_run;
} reading;

static const trace_value *find(const trace_value *list, size_t count, const char *name)
{
    static const trace_value none = { 0 };
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return &none;
}

static const trace_value *member(const trace_event *event, const char *name)
{
    return find(event->members, event->member_count, name);
}

static const trace_value *arg(const trace_event *event, const char *name)
{
    return find(event->args, event->arg_count, name);
}

static long whole_number(const trace_value *value)
{
    return value->numbers[0] > -1e9 && value->numbers[0] < 1e9 ? (long)value->numbers[0] : 0;
}

static trace_row *row_of(trace *self, const trace_event *event)
{
    long process = whole_number(member(event, "pid")), thread = whole_number(member(event, "tid"));
    for (size_t i = self->count; i-- > 0;)
        if (self->rows[i].process == process && self->rows[i].thread == thread)
            return &self->rows[i];
    self->rows = tool_grow(self->rows, (self->count + 1) * sizeof *self->rows);
    trace_row *row = &self->rows[self->count++];
    *row = (trace_row){ .process = process, .thread = thread, .title = "" };
    return row;
}

static void read_device(trace *self, const trace_event *event)
{
    const char *name = arg(event, "name")->text;
    self->devices = tool_grow(self->devices, (self->device_count + 1) * sizeof *self->devices);
    self->devices[self->device_count++] = (trace_device){ .process = whole_number(member(event, "pid")),
                                                          .name = name ? name : "",
                                                          .in_host_memory = arg(event, "in_host_memory")->is_true,
                                                          .mapped = arg(event, "mapped")->is_true };
}

/* What an M says. */
static void read_metadata(reading *self, const trace_event *event)
{
    const char *what = member(event, "name")->text, *name = arg(event, "name")->text;
    if (!what)
        return;
    if (strcmp(what, "thread_name") == 0 && name) {
        row_of(self->trace, event)->title = name;
    } else if (strcmp(what, "process_name") == 0) {
        read_device(self->trace, event);
    } else if (strcmp(what, "clock") == 0) {
        self->clock = arg(event, "monotonic_ns")->numbers[0];
        self->has_clock = self->trace->marks = true;
    } else if (strcmp(what, "complete") == 0) {
        self->trace->complete = true;
    } else if (strcmp(what, "submitted") == 0 && name && *name != ' ') {
        self->trace->submitted = name;
    } else if (strcmp(what, "run") == 0) {
        self->has_run = true;
        self->began = arg(event, "began_ns")->numbers[0];
        self->ended = arg(event, "ended_ns")->numbers[0];
        self->trace->signal = (int)whole_number(arg(event, "signal"));
    }
}

/* How operations of each family are drawn; a new family does not compile until it is here. */
enum {
    OF_TRANSFER = TRACE_TRANSFER,
    OF_COPY = TRACE_COPY,
    OF_FILL = TRACE_COPY,
    OF_IMAGE = TRACE_COPY,
    OF_LAUNCH = TRACE_LAUNCH,
    OF_RECORD = TRACE_COPY,
    OF_WAIT = TRACE_WAIT,
    OF_CALL = TRACE_FUNCTION,
    OF_NATIVE = TRACE_FUNCTION,
    OF_GRAPH = TRACE_GRAPH,
    OF_NONE = TRACE_COPY
};

static trace_kind kind_of(const char *category)
{
    static const struct {
        const char *category;
        trace_kind kind;
    } kinds[] = {
#define YK_OP(kind, name, family, ...) { name, (trace_kind)OF_##family },
#include "objects/op.def"
        { "copy between devices", TRACE_BETWEEN },
        { "open a device", TRACE_OPEN },
        { "build a program", TRACE_BUILD },
        { "allocate memory", TRACE_ALLOCATE },
        { "wait of the program", TRACE_PROGRAM }
    };
    for (size_t i = 0; category && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(category, kinds[i].category) == 0)
            return kinds[i].kind;
    return TRACE_COPY;
}

static void read_slice(trace *self, const trace_event *event)
{
    trace_row *row = row_of(self, event);
    const char *name = member(event, "name")->text;
    double begin = member(event, "ts")->numbers[0];
    if (row->count % 64 == 0)
        row->slices = tool_grow(row->slices, (row->count + 64) * sizeof *row->slices);
    trace_slice *slice = &row->slices[row->count++];
    *slice = (trace_slice){
        .kind = kind_of(member(event, "cat")->text),
        .name = name ? name : "",
        .where = arg(event, "where")->text,
        .awaited = arg(event, "awaited_stream")->text,
        .recorded = arg(event, "awaited_event")->text,
        .how = arg(event, "how")->text,
        .awaited_device = whole_number(arg(event, "awaited_device")),
        .begin = begin,
        .end = begin + member(event, "dur")->numbers[0],
        .enqueued = arg(event, "enqueued")->numbers[0],
        .bytes = arg(event, "bytes")->numbers[0],
        .pageable = arg(event, "pageable")->is_true,
        .failed = arg(event, "failed")->is_true,
        .deferred = arg(event, "deferred")->is_true,
    };
    memcpy(slice->shape, arg(event, "grid")->numbers, 3 * sizeof(double));
    memcpy(slice->shape + 3, arg(event, "block")->numbers, 3 * sizeof(double));
}

static void read_event(const trace_event *event, void *context)
{
    reading *self = context;
    const char *phase = member(event, "ph")->text;
    if (phase && strcmp(phase, "M") == 0)
        read_metadata(self, event);
    else if (phase && strcmp(phase, "X") == 0)
        read_slice(self->trace, event);
}

/* ---- The whole ---- */

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

/* Sort the slices, and drop rows without a slice. Returns when the first slice begins. */
static double sort(trace *self)
{
    double first = 0;
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        trace_row *row = &self->rows[i];
        if (row->count == 0)
            continue;
        qsort(row->slices, row->count, sizeof *row->slices, by_beginning);
        first = kept == 0 || row->slices[0].begin < first ? row->slices[0].begin : first;
        self->rows[kept++] = *row;
    }
    self->count = kept;
    if (kept > 0)
        qsort(self->rows, kept, sizeof *self->rows, by_row);
    return first;
}

/* Times count from the program's start, or else from the first slice. */
static void arrange(reading *read)
{
    trace *self = read->trace;
    double first = sort(self), began = (read->began - read->clock) * 1e-3, ended = (read->ended - read->clock) * 1e-3;
    self->whole = read->has_clock && read->has_run && began <= first && began < ended;
    first = self->whole ? began : first;
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++) {
            trace_slice *slice = &self->rows[i].slices[k];
            slice->begin -= first;
            slice->end -= first;
            slice->enqueued -= first;
            self->end = slice->end > self->end ? slice->end : self->end;
        }
    if (self->whole && ended - first > self->end)
        self->end = ended - first;
}

bool trace_read(const tool_command *command, const char *path, trace *out_trace)
{
    *out_trace = (trace){ .text = tool_read_file(path, NULL) };
    reading read = { .trace = out_trace };
    const char *fault = out_trace->text ? trace_json(out_trace->text, read_event, &read) : strerror(errno);
    if (fault) {
        tool_complain(command, "%s is not a trace: %s", path, fault);
        trace_free(out_trace);
        return false;
    }
    arrange(&read);
    return true;
}

void trace_free(trace *self)
{
    for (size_t i = 0; i < self->count; i++)
        free(self->rows[i].slices);
    free(self->rows);
    free(self->devices);
    free(self->text);
    *self = (trace){ 0 };
}

static int insert_run(int file, uint64_t end, const tool_run *run)
{
    char *event =
        tool_text("{\"ph\":\"M\",\"name\":\"run\",\"pid\":0,\"args\":{\"began_ns\":%.0f,\"ended_ns\":%.0f", run->began, run->ended);
    char *whole = run->signal > 0 ? tool_text("%s,\"signal\":%d}}", event, run->signal) : tool_text("%s}}", event);
    int error = yk_trace_insert(file, &end, whole, strlen(whole));
    free(whole);
    free(event);
    return error;
}

/* A process that the program has left behind, and that still writes, has the lock: what two write is no JSON. */
void trace_add_run(const tool_command *command, const char *path, const tool_run *run)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    bool locked = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
    uint64_t end = locked ? yk_trace_find_end(file) : 0;
    int error = end > 0 ? insert_run(file, end, run) : 0;
    if (file >= 0 && !locked)
        tool_complain(command, "%s: a process that the program has started still writes the trace: here is what it has until now",
                      path);
    if (error)
        tool_complain(command,
                      "%s: the trace does not get when the program began and ended: %s; --out or TMPDIR can name another disk",
                      path, strerror(error));
    if (file >= 0)
        close(file);
}
