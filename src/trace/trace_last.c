/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operation that was given to a device last, for a program that an access of a kernel ends before anything can be reported. It
 * has an entry of a fixed size at the beginning of the trace's file, which is written through a mapping: no call of the system for
 * each operation, and what is in the mapping outlives the process.
 */
#include <string.h>

#include "base/system/memory.h"
#include "base/text.h"
#include "stream/op.h"
#include "stream/stream.h"
#include "trace/trace.h"

enum { ROOM = 400, MAPPED = 4096 };

static const char before[] = "{\"ph\":\"M\",\"name\":\"submitted\",\"pid\":0,\"args\":{\"name\":\"";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what `last` points to */
static char *last;                                       /* ROOM bytes of the file, or NULL; set before the first operation */

void yk_trace_last_entry(yk_text *line)
{
    yk_text_add(line, "%s%*s\"}}", before, ROOM, "");
}

void yk_trace_last_map(int file)
{
    char *start = yk_memory_map(file, MAPPED);
    if (!start)
        return; /* a file system without mappings: the trace has no such entry */
    char *entry = memmem(start, MAPPED, before, sizeof before - 1);
    if (entry && entry + sizeof before - 1 + ROOM <= start + MAPPED)
        last = entry + sizeof before - 1;
    else
        yk_memory_unmap(start, MAPPED);
}

/* The text as a JSON string's inside: what would need an escape becomes a quote. */
static void put(const char *text)
{
    size_t used = 0;
    for (size_t length; *text && (length = yk_letter(text) ? yk_letter(text) : 1) <= ROOM - used; text += length) {
        bool plain = (unsigned char)*text >= ' ' && *text != '"' && *text != '\\' && yk_letter(text) > 0;
        memcpy(last + used, plain ? text : "'", plain ? length : 1);
        used += plain ? length : 1;
    }
    memset(last + used, ' ', ROOM - used);
}

void yk_trace_last_note(const yoke_stream *stream, const yk_trace_slice *slice)
{
    yk_text text = { 0 };
    if (!last)
        return;
    yk_text_add(&text, "%s%s%s in stream %s of %s", yk_op_name(slice->kind), slice->name ? " of " : "",
                slice->name ? slice->name : "", stream->label, stream->device->info.selector);
    if (slice->where)
        yk_text_add(&text, ", enqueued at %s", slice->where);
    pthread_mutex_lock(&lock);
    put(yk_text_get(&text));
    pthread_mutex_unlock(&lock);
    yk_text_free(&text);
}
