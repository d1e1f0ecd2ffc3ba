/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: a few lines in the log, and one line of JSON in the file that YOKE_VALIDATE_JSON names. What has one cause, by its kind
 * and the operations' names and places, is reported once.
 */
#include "validate/validate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/system/environment.h"
#include "base/system/file.h"
#include "stream/op.h"

/* Causes that are remembered; beyond them nothing more is reported. */
enum { MOST_CAUSES = 1000 };

static uint64_t causes[MOST_CAUSES];
static unsigned cause_count;

/* ---- Causes ---- */

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return yk_hash64(text ? text : "", text ? strlen(text) + 1 : 0, seed);
}

static uint64_t hash_mark(const yk_mark *mark, uint64_t seed)
{
    if (!mark)
        return seed;
    seed = hash_text(mark->where, hash_text(mark->name, hash_text(mark->device, seed * 31 + mark->kind)));
    return mark->where ? seed : hash_text(mark->stream, seed); /* the place says more than a stream's number */
}

/* Whether the report is the first of its cause. */
static bool is_new(const yk_report *report)
{
    uint64_t cause = hash_mark(report->second, hash_mark(report->first, hash_text(report->check, 0)));
    if (!report->first)
        cause = hash_text(report->what, cause);
    for (unsigned i = 0; i < cause_count; i++)
        if (causes[i] == cause)
            return false;
    if (cause_count == MOST_CAUSES)
        return false;
    causes[cause_count++] = cause;
    if (cause_count == MOST_CAUSES)
        yk_log_ordered(YOKE_LOG_WARNING, "YOKE_VALIDATE: %u reports; what is found from here on is not reported", cause_count);
    return true;
}

/* ---- Text ---- */

static const char *verb_of(const yk_mark *mark)
{
    switch ((yk_access)mark->access) {
    case YK_READS:
        return "reads";
    case YK_WRITES:
        return mark->argument > 0 ? "may write" : "writes";
    case YK_MAY_WRITE:
        return "uses";
    case YK_FILLS_IN:
        break;
    }
    return "writes";
}

static void log_mark(const char *number, const yk_mark *mark)
{
    char text[160], parameter[48] = "";
    if (!mark)
        return;
    if (mark->argument > 0)
        snprintf(parameter, sizeof parameter, " (argument %u%s)", (unsigned)mark->argument,
                 mark->access == YK_WRITES ? ", which is not const" : "");
    yk_log_ordered(YOKE_LOG_ERROR, "    %s%s at %s, in stream %s of %s, %s them%s", number,
                   yk_op_text(text, sizeof text, (yk_op_kind)mark->kind, mark->name),
                   mark->where ? mark->where : "an unknown place", mark->stream, mark->device, verb_of(mark), parameter);
}

static void log_report(const yk_report *report)
{
    char bytes[160] = "";
    if (report->memory && report->size > 0)
        snprintf(bytes, sizeof bytes, ": bytes %zu to %zu of %s of %zu bytes", report->begin, report->end - 1, report->memory,
                 report->size);
    else if (report->memory)
        snprintf(bytes, sizeof bytes, ": %zu bytes of %s at %p", report->end - report->begin, report->memory,
                 (void *)(uintptr_t)report->begin);
    yk_log_ordered(YOKE_LOG_ERROR, "YOKE_VALIDATE found (%s): %s%s", report->check, report->what, bytes);
    log_mark(report->second ? "first: " : "", report->first);
    log_mark("second: ", report->second);
    if (report->advice)
        yk_log_ordered(YOKE_LOG_ERROR, "    what to do: %s", report->advice);
}

/* ---- JSON ---- */

static void add_string(yk_text *text, const char *name, const char *string)
{
    yk_text_add(text, "\"%s\":", name);
    if (string)
        yk_text_add_quoted(text, string);
    else
        yk_text_add(text, "null");
}

static void add_mark(yk_text *text, const char *name, const yk_mark *mark)
{
    if (!mark)
        return;
    yk_text_add(text, ",\"%s\":{", name);
    add_string(text, "operation", yk_op_name((yk_op_kind)mark->kind));
    yk_text_add(text, ",");
    add_string(text, "name", mark->name);
    yk_text_add(text, ",");
    add_string(text, "where", mark->where);
    yk_text_add(text, ",");
    add_string(text, "stream", mark->stream);
    yk_text_add(text, ",");
    add_string(text, "device", mark->device);
    yk_text_add(text, ",");
    add_string(text, "access", verb_of(mark));
    yk_text_add(text, ",\"argument\":%u}", (unsigned)mark->argument);
}

/* Whether the descriptor is still the file: programs that close what they do not know may have another one there. */
static bool is_still(int file, const yk_file_facts *about)
{
    yk_file_facts now;
    return file >= 0 && yk_file_get_facts(file, &now) && now.disk == about->disk && now.number == about->number;
}

/* -1: none is asked for, or it cannot be written. The file is this user's own and regular, since in a world-writable folder others
 * may plant a link or a pipe. */
static int open_file(void)
{
    static int file = -1;
    static bool tried;
    static yk_file_facts about;
    const char *path = yk_environment("YOKE_VALIDATE_JSON");
    if ((tried && (file < 0 || is_still(file, &about))) || !path || !*path)
        return file;
    tried = true;
    file = yk_file_open(path, YK_FILE_APPEND);
    if (file >= 0 && (!yk_file_get_facts(file, &about) || about.kind != YK_FILE_REGULAR || !about.is_own)) {
        yk_file_close(file);
        file = -1;
        errno = EPERM;
    }
    if (file < 0)
        yk_log_ordered(YOKE_LOG_ERROR, "YOKE_VALIDATE_JSON is %s, which must be a file of this user: %s", path, strerror(errno));
    return file;
}

/* What cannot be written leaves a line without an end, for which a full disk has room, so that nobody takes the file for whole. */
static void append_line(int file, const yk_text *line)
{
    yk_file_facts about;
    bool known = yk_file_get_facts(file, &about);
    int error = line->is_cut ? ENOMEM : known && !yk_file_may_have(about.size + line->length) ? EFBIG : 0;
    if (!error)
        error = yk_file_write(file, yk_text_get(line), line->length);
    if (!error)
        return;
    yk_log_ordered(YOKE_LOG_ERROR, "YOKE_VALIDATE_JSON: a report could not be written: %s", strerror(error));
    if (yk_file_get_facts(file, &about) && yk_file_may_have(about.size + 1))
        (void)yk_file_cut(file, about.size + 1);
}

static void write_json(const yk_report *report)
{
    int file = open_file();
    yk_text text = { 0 };
    if (file < 0)
        return;
    yk_text_add(&text, "{");
    add_string(&text, "check", report->check);
    yk_text_add(&text, ",");
    add_string(&text, "what", report->what);
    yk_text_add(&text, ",");
    add_string(&text, "advice", report->advice);
    yk_text_add(&text, ",");
    add_string(&text, "memory", report->memory);
    if (report->memory)
        yk_text_add(&text, ",\"begin\":%zu,\"end\":%zu,\"size\":%zu", report->begin, report->end, report->size);
    add_mark(&text, "first", report->first);
    add_mark(&text, "second", report->second);
    yk_text_add(&text, "}\n");
    append_line(file, &text);
    yk_text_free(&text);
}

void yk_report_begin(void)
{
    YK_UNCANCELLED;
    (void)open_file();
}

void yk_report_write(const yk_report *report)
{
    YK_UNCANCELLED;
    if (!is_new(report))
        return;
    log_report(report);
    write_json(report);
}
