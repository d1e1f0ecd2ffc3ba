/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said when the library and the model disagree: what does not hold, which bytes of which memory, the steps that used it
 * last and the last of all, the settings, and how to run it again. Less than thirty lines, the most important at the end.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

_Thread_local world *world_here;

static void say(const world *w, const char *format, ...) YOKE_PRINTF(2, 3);
static void say(const world *w, const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    world_says(w, line);
}

static void say_step(const world *w, unsigned step, const uint8_t *b)
{
    say(w, "  step %u: %s %u %u %u %u %u %u %u", step, step_name(b), b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
}

void say_settings(const world *w, const site *sites, unsigned count)
{
    static const char *const names[] = { "YOKE_STAGING",  "YOKE_FILL_KERNEL", "YOKE_COMMAND_BUFFERS", "YOKE_WATCHDOG",
                                         "YOKE_BLOCKING", "YOKE_BACKEND",     "YOKE_TEST_DEVICES" };
    char text[400] = "";
    size_t length = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]))
            length += (size_t)snprintf(text + length, sizeof text - length, " %s=%.40s", names[i], getenv(names[i]));
    say(w, "settings:%s", *text ? text : " none");
    for (unsigned i = 0; i < count; i++)
        say(w, "device %u: %s is %s, backend %s, driver %s", i, sites[i].info.selector, sites[i].info.name, sites[i].info.backend,
            sites[i].info.driver);
}

void disagree(const char *file, int line, const char *condition, const char *details, const shadow *memory)
{
    world *w = world_here;
    bool first;

    if (!w) {
        world_says(NULL, condition);
        world_failed(NULL, true);
        return;
    }
    pthread_mutex_lock(&w->lock);
    first = !w->disagrees;
    w->disagrees = true;
    pthread_mutex_unlock(&w->lock);
    if (!first)
        return;
    say(w, "%s:%d: does not hold: %s", file, line, condition);
    for (unsigned i = w->steps > TRAIL ? w->steps - TRAIL + 1 : 1; i <= w->steps; i++)
        say_step(w, i, w->trail[i % TRAIL].bytes);
    if (memory && memory->last_step + TRAIL <= w->steps)
        say_step(w, memory->last_step, memory->last_bytes);
    if (details)
        say(w, "%s", details);
    say_settings(w, w->sites, w->site_count);
    if (w->title)
        say(w, "%s", w->title);
    world_failed(w, false);
}

static const char *kind_of(int32_t kind)
{
    static const char *const names[] = { "device", "pinned", "mapped", "managed" };
    return kind >= 0 && kind < 4 ? names[kind] : "unknown";
}

void shadow_compare(const world *w, const shadow *s, const unsigned char *bytes)
{
    char text[480], where[120] = "host memory";
    size_t first = s->size, last = 0, wrong = 0;

    for (size_t i = 0; i < s->size; i++)
        if (s->known[i] && s->bytes[i] != bytes[i]) {
            first = wrong ? first : i;
            last = i;
            wrong++;
        }
    if (!wrong)
        return;
    for (unsigned i = 0; i < BLOCKS; i++)
        if (w->block[i].buffer && w->block[i].shadow == s) {
            snprintf(where, sizeof where, "buffer %u, %s memory of %s", i, kind_of(w->block[i].kind),
                     w->block[i].site->info.selector);
            break;
        }
    int length = snprintf(text, sizeof text, "%s, %zu bytes, last used by step %u: %zu bytes of %zu to %zu differ; expected", where,
                          s->size, s->last_step, wrong, first, last);
    for (size_t i = first; i <= last && i < first + 16; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, s->known[i] ? " %02x" : " ??", s->bytes[i]);
    length += snprintf(text + length, sizeof text - (size_t)length, ", found");
    for (size_t i = first; i <= last && i < first + 16; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %02x", bytes[i]);
    disagree(__FILE__, __LINE__, "memory holds what the model says", text, s);
}
