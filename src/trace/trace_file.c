/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace as a file: Chrome's trace events, a JSON array that chrome://tracing and Perfetto read. The file is complete JSON
 * after every line, whatever happens to the program.
 */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/environment.h"
#include "base/system/file.h"
#include "base/system/thread.h"
#include "stream/op.h"
#include "stream/stream.h"
#include "trace/trace_array.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below */
static int file = -1;
static yk_text file_name;
static uint64_t array_end;
static uint64_t entries; /* calls of write_line that have succeeded */
static bool tried, full; /* full: an entry could not be written, so the file takes no more */
static uint64_t start;

/* The requested name, with this process's id for each %p. */
static void expand_path(const char *requested, yk_text *path)
{
    for (const char *percent; (percent = strstr(requested, "%p")); requested = percent + 2)
        yk_text_add(path, "%.*s%ld", (int)(percent - requested), requested, yk_process_id());
    yk_text_add(path, "%s", requested);
}

/* Make an open file this process's own, and empty; 0, or an error. What someone has written stays: only an older trace is replaced.
 */
static int take(int descriptor)
{
    yk_file_facts about;
    if (!yk_file_get_facts(descriptor, &about) || about.kind != YK_FILE_REGULAR || !about.is_own)
        return EPERM;
    int error = yk_file_lock(descriptor);
    if (error)
        return error;
    if (!yk_trace_may_replace(descriptor))
        return EEXIST;
    return yk_file_cut(descriptor, 0);
}

/* Open a file for this process alone: another traced process gets a file of its own. In a world-writable folder another user may
 * plant a link, pipe or file under a guessable name, so the file must be a regular file of this user. */
static int open_exclusive(const char *path)
{
    int descriptor = yk_file_open(path, YK_FILE_CHANGE);
    int error = descriptor >= 0 ? take(descriptor) : errno;
    if (!error)
        return descriptor;
    if (descriptor >= 0)
        yk_file_close(descriptor);
    errno = error;
    return -1;
}

/* With the lock held. */
static void open_file(const char *requested)
{
    expand_path(requested, &file_name);
    file = open_exclusive(yk_text_get(&file_name));
    if (file < 0 && errno == EWOULDBLOCK) {
        yk_text_add(&file_name, ".%ld", yk_process_id());
        file = open_exclusive(yk_text_get(&file_name));
    }
    if (file >= 0)
        yk_log(YOKE_LOG_INFO, "the trace is written to %s (YOKE_TRACE)", yk_text_get(&file_name));
    else
        yk_log_ordered(YOKE_LOG_ERROR,
                       "there is no trace: YOKE_TRACE is %s, which must be a new file or an older trace of this user: %s",
                       yk_text_get(&file_name), errno == EEXIST ? "it is no trace, and stays as it is" : strerror(errno));
}

/* The program goes on, and the file stays as it is: complete JSON, up to here. */
static void report_full(int error, uint64_t written)
{
    yk_text after = { 0 };
    yk_text_add_decimal(&after, (double)(int64_t)(yk_now() - start) * 1e-9, 3);
    yk_log_ordered(YOKE_LOG_WARNING,
                   "the trace ends %s s after its start: %s takes no more: %s; its first %" PRIu64
                   " entries can be read; for a whole trace make room there, or name a file of another disk in YOKE_TRACE",
                   yk_text_get(&after), yk_text_get(&file_name), strerror(error), written);
    yk_text_free(&after);
}

/* Insert an event before the end of the array, and free the event's text. */
static void write_line(yk_text *line)
{
    YK_UNCANCELLED;
    int error = 0;
    pthread_mutex_lock(&lock);
    if (!full && !line->is_cut) { /* a part of an entry is no JSON */
        error = yk_trace_insert(file, &array_end, yk_text_get(line), line->length);
        full = error != 0;
        entries += !full;
    }
    uint64_t written = entries;
    pthread_mutex_unlock(&lock);
    if (error)
        report_full(error, written);
    yk_text_free(line);
}

/* The first lines: where the trace's times are on the system's monotonic clock, what pid 0 is, and what was submitted last. */
static void write_clock(void)
{
    yk_text line = { 0 };
    yk_text_add(&line, "{\"ph\":\"M\",\"name\":\"clock\",\"pid\":0,\"args\":{\"monotonic_ns\":%" PRIu64 "}}", start);
    write_line(&line);
    yk_text_add(&line, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"the program\"}}");
    write_line(&line);
    yk_trace_last_entry(&line);
    write_line(&line);
    yk_trace_last_map(file);
}

bool yk_trace_file_open(uint64_t origin)
{
    YK_UNCANCELLED;
    pthread_mutex_lock(&lock);
    const char *requested = yk_environment("YOKE_TRACE");
    if (!tried && requested && *requested) {
        open_file(requested);
        start = origin;
    }
    bool is_open = file >= 0 && !full, fresh = is_open && !tried;
    tried = true;
    pthread_mutex_unlock(&lock);
    if (fresh)
        write_clock();
    return is_open;
}

void yk_trace_file_complete(void)
{
    yk_text line = { 0 };
    yk_text_add(&line, "{\"ph\":\"M\",\"name\":\"complete\",\"pid\":0,\"args\":{}}");
    write_line(&line);
}

static void add_member(yk_text *text, const char *name, const char *string)
{
    if (!string)
        return;
    yk_text_add(text, ",\"%s\":", name);
    yk_text_add_quoted(text, string);
}

/* A process of the picture is a device, numbered in order of opening; its threads are rows of streams. */
static unsigned row_number(unsigned stream, yk_trace_row row)
{
    return YK_ROWS * stream + row;
}

static void name_row(const yoke_stream *stream, unsigned number, yk_trace_row row)
{
    static const char *const what[] = {
        [YK_ROW_DEVICE] = "", [YK_ROW_FUNCTIONS] = ": host functions", [YK_ROW_HOST] = ": on the host"
    };
    _Static_assert(YK_COUNT_OF(what) == YK_ROWS, "a text for each row");
    yk_text line = { 0 };
    yk_text_add(&line, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"stream ",
                stream->device->trace_number, row_number(number, row));
    yk_text name = { 0 };
    yk_text_add_quoted(&name, stream->label);
    yk_text_add_bytes(&line, yk_text_get(&name) + 1, name.length > 1 ? name.length - 2 : 0);
    yk_text_add(&line, "%s\"}}", what[row]);
    write_line(&line);
    yk_text_free(&name);
}

void yk_trace_file_device(const yoke_device *device)
{
    const yoke_device_info *info = &device->info;
    yk_text line = { 0 }, name = { 0 };
    yk_text_add(&name, "%s %s", info->selector, info->name);
    yk_text_add(&line, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":", device->trace_number);
    yk_text_add_quoted(&line, yk_text_get(&name));
    if (device->traits.in_host_memory)
        yk_text_add(&line, ",\"in_host_memory\":true");
    if (info->capabilities & YK_CAP(MAPPED))
        yk_text_add(&line, ",\"mapped\":true");
    yk_text_add(&line, "}}");
    write_line(&line);
    yk_text_free(&name);
}

void yk_trace_file_stream(const yoke_stream *stream, unsigned number)
{
    for (yk_trace_row row = 0; row < YK_ROWS; row++)
        name_row(stream, number, row);
}

/* Microseconds since the trace began, the format's unit. */
static double micro(uint64_t time)
{
    return (double)(int64_t)(time - start) * 1e-3;
}

static void add_times(yk_text *line, uint64_t begin, uint64_t end)
{
    yk_text_add(line, "\"ts\":");
    yk_text_add_decimal(line, micro(begin), 3);
    yk_text_add(line, ",\"dur\":");
    yk_text_add_decimal(line, (double)(end - begin) * 1e-3, 3);
}

static void add_sizes(yk_text *line, const char *name, const unsigned sizes[3])
{
    if (sizes[0] > 0)
        yk_text_add(line, ",\"%s\":[%u,%u,%u]", name, sizes[0], sizes[1], sizes[2]);
}

void yk_trace_file_slice(const yoke_stream *stream, unsigned number, yk_trace_row row, const yk_trace_slice *slice)
{
    yk_text line = { 0 };
    const char *what = slice->between ? "copy between devices" : yk_op_name(slice->kind);
    bool named = slice->name && slice->kind != YK_OP_WAIT;
    yk_text_add(&line, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,", stream->device->trace_number, row_number(number, row));
    add_times(&line, slice->begin, slice->end);
    add_member(&line, "name", named ? slice->name : what);
    add_member(&line, "cat", what);
    yk_text_add(&line, ",\"args\":{\"enqueued\":");
    yk_text_add_decimal(&line, micro(slice->enqueued), 3);
    add_member(&line, "stream", stream->label);
    add_member(&line, "where", slice->where);
    if (slice->awaited)
        yk_text_add(&line, ",\"awaited_device\":%u", slice->awaited_device);
    add_member(&line, "awaited_stream", slice->awaited);
    add_member(&line, "awaited_event", slice->kind == YK_OP_WAIT ? slice->name : NULL);
    if (slice->bytes > 0)
        yk_text_add(&line, ",\"bytes\":%zu", slice->bytes);
    add_sizes(&line, "grid", slice->grid);
    add_sizes(&line, "block", slice->block);
    yk_text_add(&line, "%s%s%s%s}}", slice->pageable ? ",\"pageable\":true" : "", slice->staged ? ",\"staged\":true" : "",
                slice->deferred ? ",\"deferred\":true" : "", slice->failed ? ",\"failed\":true" : "");
    write_line(&line);
}

/* The row of the calling thread, which the first call names. */
static unsigned thread_row(void)
{
    static atomic_uint threads;
    static _Thread_local unsigned mine;
    if (mine > 0)
        return mine;
    mine = atomic_fetch_add(&threads, 1) + 1;
    yk_text line = { 0 };
    yk_text_add(&line, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":%u,\"args\":{\"name\":", mine);
    if (yk_thread_is_main())
        yk_text_add(&line, "\"main thread\"}}");
    else
        yk_text_add(&line, "\"thread %u\"}}", mine);
    write_line(&line);
    return mine;
}

static void begin_program_slice(yk_text *line, const char *name, const char *category, uint64_t begin, uint64_t end)
{
    yk_text_add(line, "{\"ph\":\"X\",\"pid\":0,\"tid\":%u,", thread_row());
    add_times(line, begin, end);
    add_member(line, "name", name);
    add_member(line, "cat", category);
}

void yk_trace_file_wait(const yoke_stream *stream, const char *where, uint64_t begin, uint64_t end)
{
    yk_text line = { 0 };
    begin_program_slice(&line, "wait", "wait of the program", begin, end);
    yk_text_add(&line, ",\"args\":{\"awaited_device\":%u", stream->device->trace_number);
    add_member(&line, "awaited_stream", stream->label);
    add_member(&line, "where", where);
    yk_text_add(&line, "}}");
    write_line(&line);
}

void yk_trace_file_work(const yoke_device *device, yk_host_work work, const char *name, const char *detail, size_t bytes,
                        uint64_t begin, uint64_t end)
{
    static const char *const words[] = {
        [YK_HOST_OPEN] = "open a device", [YK_HOST_BUILD] = "build a program", [YK_HOST_ALLOCATE] = "allocate memory"
    };
    _Static_assert(YK_COUNT_OF(words) == YK_HOST_ALLOCATE + 1, "a word for each kind of work");
    yk_text line = { 0 };
    begin_program_slice(&line, work == YK_HOST_OPEN ? device->info.selector : name ? name : words[work], words[work], begin, end);
    yk_text_add(&line, ",\"args\":{\"device\":%u", device->trace_number);
    add_member(&line, "how", detail);
    if (bytes > 0)
        yk_text_add(&line, ",\"bytes\":%zu", bytes);
    yk_text_add(&line, "}}");
    write_line(&line);
}
