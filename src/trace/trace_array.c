/* SPDX-License-Identifier: Apache-2.0 */
/* A trace's file: a JSON array that is complete after every entry, on a full disk too. Nothing here needs more than base/system,
 * since `yoke trace` compiles it once more. */
#include "trace/trace_array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"

static const char array_end[] = "\n]\n";
enum { END_SIZE = sizeof array_end - 1 };

bool yk_trace_may_replace(int descriptor)
{
    char begin[64];
    ptrdiff_t length = yk_file_read_at(descriptor, begin, sizeof begin - 1, 0);
    if (length <= 0)
        return length == 0;
    begin[length] = '\0';
    const char *at = begin + (begin[0] == '[');
    at += strspn(at, " \n");
    if (*at == '{')
        at += 1 + strspn(at + 1, " \n");
    return begin[0] == '[' && strncmp(at, "\"ph\"", 4) == 0;
}

/* The end's place is the file's already, so that a full disk has room for it. */
static void restore(int descriptor, uint64_t end)
{
    if (end == 0 || yk_file_write_at(descriptor, array_end, END_SIZE, end) == 0)
        (void)yk_file_cut(descriptor, end == 0 ? 0 : end + END_SIZE);
}

int yk_trace_insert(int descriptor, uint64_t *end, const char *entries, size_t size)
{
    char *bytes = malloc(2 + size + END_SIZE); /* written at once, so that a program that is killed leaves a whole array */
    if (!bytes)
        return ENOMEM;
    bytes[0] = *end == 0 ? '[' : ',';
    bytes[1] = '\n';
    memcpy(bytes + 2, entries, size);
    memcpy(bytes + 2 + size, array_end, END_SIZE);
    int error = yk_file_write_at(descriptor, bytes, 2 + size + END_SIZE, *end);
    free(bytes);
    if (error)
        restore(descriptor, *end);
    else
        *end += 2 + size;
    return error;
}

uint64_t yk_trace_find_end(int descriptor)
{
    yk_file_facts about;
    char last[END_SIZE];
    if (!yk_file_get_facts(descriptor, &about) || about.size <= END_SIZE)
        return 0;
    uint64_t end = about.size - END_SIZE;
    bool is_array = yk_file_read_at(descriptor, last, END_SIZE, end) == END_SIZE && memcmp(last, array_end, END_SIZE) == 0;
    return is_array ? end : 0;
}
