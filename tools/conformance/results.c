/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results, and how many there are of each kind.
 */
#include "conformance.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *grown(void *memory, size_t count, size_t size)
{
    void *more = size && count > SIZE_MAX / size ? NULL : realloc(memory, count * size);

    if (!more) {
        fprintf(stderr, "yoke-conformance: out of memory\n");
        exit(1);
    }
    return more;
}

char *copy_text(const char *text, size_t length)
{
    char *copy = grown(NULL, length + 1, 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void run_add(run *r, verdict v, size_t place, const char *name, size_t name_length, const char *text, double seconds)
{
    if (r->count % 64 == 0)
        r->results = grown(r->results, r->count + 64, sizeof *r->results);
    r->results[r->count++] = (result){ v, place, copy_text(name, name_length), copy_text(text, strlen(text)), seconds };
}

const char *place_name(const suite *s, size_t place)
{
    return place < s->device_count ? s->devices[place].selector : "once";
}

size_t results_count(const suite *s, const run *r, size_t place, verdict v)
{
    size_t count = 0;

    for (const run *each = s->runs; each < s->runs + s->run_count; each++)
        for (size_t i = 0; (!r || r == each) && i < each->count; i++)
            count += each->results[i].verdict == v && (place == (size_t)ANYWHERE || each->results[i].place == place);
    return count;
}
