/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has touched which bytes: of each range the last write, and the reads since. Of reads that are ordered one behind the other
 * the last one is enough: who is behind it is behind the others.
 */
#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

/* From so many ranges on, those that the program knows to be complete are dropped; beyond MOST the history is given up. */
enum { MANY = 256, MOST = 8192 };

yk_shadow *yk_shadow_all;

/* ---- Ranges ---- */

/* The first range that ends behind `at`. */
static unsigned find(const yk_ranges *ranges, size_t at)
{
    unsigned low = 0, high = ranges->count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (ranges->list[middle].end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool insert(yk_ranges *ranges, unsigned i, const yk_range *range)
{
    if (ranges->count == ranges->room) {
        unsigned room = ranges->room ? 2 * ranges->room : 4;
        yk_range *grown = realloc(ranges->list, room * sizeof *grown);
        if (!grown)
            return false;
        ranges->list = grown;
        ranges->room = room;
    }
    memmove(&ranges->list[i + 1], &ranges->list[i], (ranges->count - i) * sizeof *ranges->list);
    ranges->list[i] = *range;
    ranges->count++;
    return true;
}

/* Drop the ranges from `first` up to `end`. */
static void drop(yk_ranges *ranges, unsigned first, unsigned end)
{
    if (first == end)
        return; /* there may be no list */
    for (unsigned i = first; i < end; i++)
        free(ranges->list[i].reads);
    memmove(&ranges->list[first], &ranges->list[end], (ranges->count - end) * sizeof *ranges->list);
    ranges->count -= end - first;
}

void yk_ranges_free(yk_ranges *ranges)
{
    drop(ranges, 0, ranges->count);
    free(ranges->list);
    *ranges = (yk_ranges){ 0 };
}

static bool add_read(yk_range *range, const yk_mark *mark, const yk_clock *clock)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < range->read_count; i++)
        if (range->reads[i].number > yk_clock_at(clock, range->reads[i].slot))
            range->reads[kept++] = range->reads[i];
    range->read_count = kept;
    if (kept == range->read_room) {
        unsigned room = kept ? 2 * kept : 2;
        yk_mark *grown = realloc(range->reads, room * sizeof *grown);
        if (!grown)
            return false;
        range->reads = grown;
        range->read_room = room;
    }
    range->reads[range->read_count++] = *mark;
    return true;
}

/* Make `at` the border of two ranges, if it is inside of one. */
static bool split(yk_ranges *ranges, size_t at)
{
    unsigned i = find(ranges, at);
    if (i == ranges->count || ranges->list[i].begin >= at)
        return true;
    yk_range left = ranges->list[i];
    left.end = at;
    left.read_room = left.read_count;
    left.reads = NULL;
    if (left.read_count > 0) {
        left.reads = malloc(left.read_count * sizeof *left.reads);
        if (!left.reads)
            return false;
        memcpy(left.reads, ranges->list[i].reads, left.read_count * sizeof *left.reads);
    }
    if (!insert(ranges, i, &left)) {
        free(left.reads);
        return false;
    }
    ranges->list[i + 1].begin = at;
    return true;
}

/* Make ranges of all bytes of the part: none of them begins before it or ends behind it. */
static bool cover(yk_ranges *ranges, size_t begin, size_t end)
{
    if (!split(ranges, begin) || !split(ranges, end))
        return false;
    unsigned i = find(ranges, begin);
    for (size_t at = begin; at < end; at = ranges->list[i++].end) {
        bool gap = i == ranges->count || ranges->list[i].begin > at;
        size_t to = i < ranges->count && ranges->list[i].begin < end ? ranges->list[i].begin : end;
        if (gap && !insert(ranges, i, &(yk_range){ .begin = at, .end = to }))
            return false;
    }
    return true;
}

/* ---- Accesses ---- */

static bool is_before(const yk_mark *mark, const yk_clock *clock)
{
    return mark->number <= yk_clock_at(clock, mark->slot);
}

static void meet(yk_finding *finding, const yk_range *range, const yk_mark *other)
{
    if (finding->other.number == 0) {
        finding->other = *other;
        finding->begin = range->begin;
    }
    if (finding->other.slot == other->slot && finding->other.number == other->number)
        finding->end = range->end;
}

static void compare(const yk_range *range, const yk_mark *mark, const yk_clock *clock, yk_finding *finding)
{
    if (!is_before(&range->write, clock))
        meet(finding, range, &range->write);
    for (unsigned i = 0; mark->access == YK_WRITES && i < range->read_count; i++)
        if (!is_before(&range->reads[i], clock))
            meet(finding, range, &range->reads[i]);
    if (range->written)
        return;
    if (finding->unwritten == 0)
        finding->unwritten_at = range->begin;
    finding->unwritten += range->end - range->begin;
}

/* The part is one range now, which was written last by `mark`. */
static void become_written(yk_ranges *ranges, unsigned first, unsigned end, const yk_mark *mark)
{
    yk_range *range = &ranges->list[first];
    range->end = ranges->list[end - 1].end;
    range->written = true;
    range->write = *mark;
    range->read_count = 0;
    drop(ranges, first + 1, end);
}

void yk_ranges_touch(yk_ranges *ranges, size_t begin, size_t end, const yk_mark *mark, const yk_clock *clock, yk_finding *finding)
{
    bool whole = cover(ranges, begin, end);
    unsigned first = find(ranges, begin), last = first;
    for (; whole && last < ranges->count && ranges->list[last].begin < end; last++) {
        yk_range *range = &ranges->list[last];
        if (mark->access != YK_FILLS_IN)
            compare(range, mark, clock, finding);
        range->written |= mark->access != YK_READS;
        if (mark->access == YK_READS || mark->access == YK_MAY_WRITE)
            whole = add_read(range, mark, clock);
    }
    if (!whole)
        yk_ranges_free(ranges); /* memory is exhausted, and so is what is known */
    else if (mark->access == YK_WRITES)
        become_written(ranges, first, last, mark);
}

/* ---- Forgetting ---- */

void yk_ranges_forget(yk_ranges *ranges, size_t begin, size_t end)
{
    unsigned first, last;
    if (!cover(ranges, begin, end)) {
        yk_ranges_free(ranges);
        return;
    }
    first = last = find(ranges, begin);
    while (last < ranges->count && ranges->list[last].begin < end)
        last++;
    drop(ranges, first, last);
}

/* Whether everything that touched the range is known to be complete. */
static bool is_known(const yk_range *range, const yk_clock *known)
{
    bool all = is_before(&range->write, known);
    for (unsigned i = 0; all && i < range->read_count; i++)
        all = is_before(&range->reads[i], known);
    return all;
}

static void forget(yk_range *range)
{
    range->write.number = 0;
    range->read_count = 0;
}

/* Whether the range, which nothing is known to use, says the same as the one before it. */
static bool continues(const yk_range *before, const yk_range *range, bool over_gaps)
{
    return (over_gaps || before->end == range->begin) && before->written == range->written && is_known(before, NULL);
}

void yk_ranges_tidy(yk_ranges *ranges, const yk_clock *known, bool all)
{
    unsigned kept = 0;
    if (ranges->count < MANY || ranges->count < 2 * ranges->tidied)
        return;
    bool too_many = ranges->count > MOST;
    for (unsigned i = 0; i < ranges->count; i++) {
        yk_range *range = &ranges->list[i], *before = kept > 0 ? &ranges->list[kept - 1] : NULL;
        bool idle = too_many || is_known(range, known);
        if (idle)
            forget(range);
        range->written |= too_many; /* what is not known is not reported */
        if (idle && all) {
            free(range->reads);
        } else if (idle && before && continues(before, range, too_many)) {
            before->end = range->end;
            free(range->reads);
        } else if (kept++ != i) {
            ranges->list[kept - 1] = *range;
        }
    }
    ranges->count = ranges->tidied = kept;
}

/* ---- Shadows ---- */

yk_shadow *yk_shadow_of(yoke_buffer *root)
{
    yk_shadow *shadow = root->shadow;
    if (shadow)
        return shadow;
    shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->root = root;
    shadow->next = yk_shadow_all;
    if (shadow->next)
        shadow->next->previous = shadow;
    yk_shadow_all = shadow;
    return root->shadow = shadow;
}

void yk_shadow_end(yoke_buffer *root)
{
    yk_shadow *shadow = root->shadow;
    if (!shadow)
        return;
    if (shadow->next)
        shadow->next->previous = shadow->previous;
    if (shadow->previous)
        shadow->previous->next = shadow->next;
    else
        yk_shadow_all = shadow->next;
    yk_ranges_free(&shadow->ranges);
    free(shadow);
    root->shadow = NULL;
}
