/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calling thread's failure record: of fixed size, thread-local and never allocated, so that it can also report exhausted
 * memory. Texts are formatted in a copy first, because their arguments may point into the record that they replace.
 */
#include "base/process/process.h"

#include <stdio.h>
#include <string.h>

#define EMPTY_RECORD                                                                                       \
    {                                                                                                      \
        .size = sizeof(yoke_error_info), .function = "", .driver_call = "", .driver_name = "", .where = "" \
    }

static _Thread_local yoke_error_info record = EMPTY_RECORD, previous = EMPTY_RECORD;
/* The record has been logged: on its way out a failure may be attributed by a check, then by the public function around it. */
static _Thread_local bool is_logged;
/* The reason given with yoke_fail by the host function that runs on this thread; "" for none. Kept apart from the record, which
 * holds only the last failure: later calls may fail too. */
static _Thread_local char said[sizeof record.text];

/* The kinds of objects that this thread lacks because of record.cause: see null_fault. */
static _Thread_local unsigned lacking;

enum { TEXT_SIZE = sizeof record.text };

/* Make `text` what the record promises: a single line, or several where the program wrote it. `length` is what vsnprintf wanted to
 * write. */
static void tidy(char *text, int length, bool may_have_lines)
{
    if (length >= TEXT_SIZE) {
        size_t end = TEXT_SIZE - 1 - strlen("...");
        while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) /* never cut inside a UTF-8 character */
            end--;
        strcpy(text + end, "...");
    }
    size_t used = strlen(text);
    while (used > 0 && (text[used - 1] == '\n' || text[used - 1] == ' '))
        text[--used] = '\0';
    yk_make_utf8(text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' && !(*c == '\n' && may_have_lines))
            *c = ' ';
}

static void format_lines(char *text, bool may_have_lines, const char *format, va_list args)
{
    int length = format ? vsnprintf(text, TEXT_SIZE, format, args) : -1;
    if (length < 0)
        text[0] = '\0';
    tidy(text, length, may_have_lines);
}

static void format_text(char *text, const char *format, va_list args)
{
    format_lines(text, false, format, args);
}

YOKE_PRINTF(2, 3) static void format_line(char *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
}

static yoke_status start_record(yoke_status status, const char *text)
{
    static const yoke_error_info empty = EMPTY_RECORD;
    previous = record;
    record = empty;
    record.status = status;
    is_logged = false;
    yk_string_copy(record.text, sizeof record.text, *text ? text : yoke_status_meaning(status));
    return status;
}

const yoke_error_info *yoke_error(void)
{
    return &record;
}

void yk_error_take_back(void)
{
    record = previous;
}

void yoke_error_clear(void)
{
    static const yoke_error_info empty = EMPTY_RECORD;
    record = empty;
    said[0] = '\0';
}

void yk_said_clear(void)
{
    said[0] = '\0';
}

bool yk_fail_as_said(yoke_status status)
{
    if (*said)
        start_record(status, said);
    return *said;
}

yoke_status yoke_fail(yoke_status status, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    format_lines(text, true, format, args);
    va_end(args);
    status = start_record(status < 0 ? status : YOKE_E_HOST_FUNCTION, text);
    yk_string_copy(said, sizeof said, record.text);
    return status;
}

yoke_status yk_fail(yoke_status status, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    return start_record(status, text);
}

yoke_status yk_driver_fail(yoke_status status, const char *backend, const char *call, int code, const char *name,
                           const char *format, ...)
{
    char text[TEXT_SIZE], detail[TEXT_SIZE];
    detail[0] = '\0';
    if (format) {
        va_list args;
        va_start(args, format);
        format_text(detail, format, args);
        va_end(args);
    }
    call = call ? call : "a driver call";
    name = name && *name ? name : "unknown error";
    format_line(text, "%s: %s failed: %s (%d)%s%s", backend ? backend : "yoke", call, name, code, *detail ? ": " : "", detail);
    start_record(status, text);
    record.driver_call = call;
    record.driver_name = name;
    record.driver_code = code;
    return status;
}

yoke_status yk_driver_vfail(yoke_status status, const char *backend, const char *call, int code, const char *name,
                            const char *advice, const char *format, va_list values)
{
    char detail[TEXT_SIZE] = "";
    if (format)
        vsnprintf(detail, sizeof detail, format, values);
    return yk_driver_fail(status, backend, call, code, name, "%s%s%s", detail, *detail && *advice ? "; " : "", advice);
}

yoke_status yk_no_memory(const char *what)
{
    return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "out of host memory: %s", what ? what : "an allocation");
}

yoke_status yk_attribute(const char *function, const char *where, yoke_status status)
{
    if (status >= 0)
        return status;
    if (record.status != status) /* the failing function left no record: an older failure must not stand in for this one */
        start_record(status, "");
    if (function)
        record.function = function;
    if (where && !*record.where)
        record.where = where;
    if (function && !is_logged)
        yk_log(YOKE_LOG_ERROR, "%s%s%s: %s: %s", function, where ? " at " : "", where ? where : "", yk_status_word(status).text,
               record.text);
    is_logged = is_logged || function;
    return status;
}

/* Make them the text of the record, whose own lines stay. */
static void join(const char *front, const char *between, const char *back)
{
    char text[TEXT_SIZE];
    tidy(text, snprintf(text, sizeof text, "%s%s%s", front, between, back), true);
    yk_string_copy(record.text, sizeof record.text, text);
}

void yk_error_rename(const char *format, ...)
{
    char name[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    format_text(name, format, args);
    va_end(args);
    const char *colon = strncmp(record.text, "yoke_", strlen("yoke_")) == 0 ? strstr(record.text, ": ") : NULL;
    join(name, ": ", colon ? colon + 2 : record.text);
}

void yk_error_append(const char *format, ...)
{
    char addition[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    format_text(addition, format, args);
    va_end(args);
    join(record.text, "", addition);
}

yoke_status yk_error_restore(const yoke_error_info *kept)
{
    if (kept != &record)
        record = *kept;
    is_logged = false;
    return record.status;
}

void yk_error_save(yk_error_state *out_state)
{
    out_state->record.status = record.status;
    if (record.status != YOKE_OK)
        out_state->record = record;
    out_state->said[0] = '\0';
    if (*said)
        yk_string_copy(out_state->said, sizeof said, said);
    out_state->lacking = lacking;
}

void yk_error_return(const yk_error_state *state)
{
    if (state->record.status != YOKE_OK)
        record = state->record;
    else if (record.status != YOKE_OK)
        yoke_error_clear();
    said[0] = '\0';
    if (*state->said)
        yk_string_copy(said, sizeof said, state->said);
    lacking = state->lacking;
    is_logged = false;
}

static unsigned kind_bit(enum yk_kind kind)
{
    static const enum yk_kind kinds[] = { YK_DEVICE, YK_STREAM, YK_EVENT, YK_BUFFER, YK_IMAGE, YK_PROGRAM, YK_KERNEL, YK_GRAPH };
    for (unsigned i = 0; i < YK_COUNT_OF(kinds); i++)
        if (kinds[i] == kind)
            return 1u << i;
    return 0;
}

static const char *a_kind(unsigned kind)
{
    switch (kind) {
    case YK_DEVICE:
        return "a device";
    case YK_STREAM:
        return "a stream";
    case YK_EVENT:
        return "an event";
    case YK_BUFFER:
        return "a buffer";
    case YK_IMAGE:
        return "an image";
    case YK_PROGRAM:
        return "a program";
    case YK_KERNEL:
        return "a kernel";
    case YK_GRAPH:
        return "a graph";
    default:
        return NULL;
    }
}

/* The kinds of objects that a function makes, a bit for each; 0 for a function that makes none. */
static unsigned kinds_made_by(const char *function)
{
    static const struct {
        const char *begin;
        enum yk_kind kind;
    } makers[] = {
        { "yoke_device_open", YK_DEVICE }, { "yoke_stream_get_device", YK_DEVICE },   { "yoke_stream_create", YK_STREAM },
        { "yoke_event_record", YK_EVENT }, { "yoke_program_build_async", YK_EVENT },  { "yoke_buffer_create", YK_BUFFER },
        { "yoke_buffer_wrap", YK_BUFFER }, { "yoke_program_get_global", YK_BUFFER },  { "yoke_program_build", YK_PROGRAM },
        { "yoke_image_create", YK_IMAGE }, { "yoke_program_load", YK_PROGRAM },       { "yoke_kernel_get", YK_KERNEL },
        { "yoke_graph_create", YK_GRAPH }, { "yoke_device_get_program", YK_PROGRAM },
    };
    unsigned kinds = 0;
    for (size_t i = 0; i < YK_COUNT_OF(makers); i++)
        if (strncmp(function, makers[i].begin, strlen(makers[i].begin)) == 0)
            kinds |= kind_bit(makers[i].kind);
    return kinds;
}

/* An argument is NULL. The previous failure is its cause when the call that failed makes such objects, or itself failed for a NULL
 * object with that cause. Any other failure may be long past and dealt with: the text does not speak of it. The record keeps it
 * nevertheless, for a program that checks once, at its end. */
static void null_fault(enum yk_kind kind, const char *function, const char *argument)
{
    char text[TEXT_SIZE], cause[TEXT_SIZE];
    bool follows = record.cause_status < 0;
    yoke_status cause_status = follows ? record.cause_status : record.status;
    unsigned kinds = follows ? lacking : kinds_made_by(record.function);
    bool explained = cause_status < 0 && (kinds & kind_bit(kind));
    yk_string_copy(cause, sizeof cause, follows ? record.cause : record.text);
    if (explained)
        format_line(text, "%s: %s is NULL; the previous failure: %s", function, argument, cause);
    else
        format_line(text, "%s: %s is NULL", function, argument);
    start_record(YOKE_E_INVALID_ARGUMENT, text);
    lacking = explained ? kinds | kinds_made_by(function) : kinds;
    if (cause_status < 0) {
        record.cause_status = cause_status;
        yk_string_copy(record.cause, sizeof record.cause, cause);
    }
}

yoke_status yk_object_fault(const void *object, enum yk_kind kind, const char *function, const char *argument)
{
    function = function ? function : "";
    argument = argument ? argument : "an argument";
    if (yk_forked)
        return yk_attribute(function, NULL, yk_fork_check(function));
    if (yk_is(object, kind))
        return YOKE_OK;
    if (!object) {
        null_fault(kind, function, argument);
    } else if (yk_is(object, YK_GRAPH_EVENT)) {
        yk_fail(YOKE_E_INVALID_ARGUMENT,
                "%s: %s was recorded into a graph, where it only orders the graph's streams; to wait for the graph, record an "
                "event after its launch",
                function, argument);
    } else if (yk_is(object, YK_DEAD)) {
        yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s has already been released", function, argument);
    } else {
        const char *wanted = a_kind((unsigned)kind);
        const char *found = a_kind(atomic_load_explicit(&((const yk_object *)object)->kind, memory_order_relaxed));
        yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is not %s%s%s%s", function, argument, wanted ? wanted : "an object of this kind",
                found ? " (it is " : "", found ? found : "", found ? ")" : "");
    }
    return yk_attribute(function, NULL, YOKE_E_INVALID_ARGUMENT);
}
