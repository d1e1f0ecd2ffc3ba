/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke bench` has measured, as tables for a terminal and as JSON. */
#include <stdlib.h>
#include <string.h>

#include "figures.h"

/* ---- Tables ---- */

static void print_times(const figures *device, int group)
{
    const tool_colours *colours = tool_colours_of(stdout);
    bool first = true;
    for (size_t i = 0; i < device->count; i++) {
        const figure *one = &device->all[i];
        char median[32], high[32], raw[32] = "", ratio[32] = "";
        if (one->group != group)
            continue;
        if (first)
            printf("\n  %s%-40s%s%s %9s %9s %9s %7s%s\n", colours->bold, figure_group_words[group], colours->reset, colours->dim,
                   "Yoke", "99 %", "driver", "ratio", colours->reset);
        first = false;
        if (one->raw.count) {
            figure_time(distribution_at(&one->raw, 0.5), raw);
            snprintf(ratio, sizeof ratio, "%.2f", one->ratio);
        }
        printf("    %-38s %9s %9s %9s %7s\n", one->words, figure_time(distribution_at(&one->yoke, 0.5), median),
               figure_time(distribution_at(&one->yoke, 0.99), high), raw, ratio);
    }
}

/* "64K", "256M": a table of eight sizes has to fit 80 columns. */
static const char *size_word(uint64_t size, char text[32])
{
    tool_bytes(size, text);
    char *blank = strchr(text, ' ');
    if (blank) {
        blank[0] = blank[1];
        blank[1] = '\0';
    }
    return text;
}

static void print_speed(double speed)
{
    printf(speed < 1 ? " %5.3f" : " %5.3g", speed);
}

/* A row for each way to copy, and one for the driver below it; a column for each size. */
static void print_copies(const figures *device)
{
    const tool_colours *colours = tool_colours_of(stdout);
    uint64_t largest = 0;
    for (size_t i = 0; i < device->count; i++)
        if (device->all[i].group == MEASURE_COPY && device->all[i].size > largest)
            largest = device->all[i].size;
    if (largest == 0)
        return;
    printf("\n  %s%-27s%s%s", colours->bold, "Copies, GB/s", colours->reset, colours->dim);
    for (uint64_t size = 4 << 10; size <= largest; size *= 4) {
        char text[32];
        printf(" %5s", size_word(size, text));
    }
    printf("%s\n", colours->reset);
    for (size_t i = 0; i < device->count;) {
        size_t end = i + 1;
        if (device->all[i].group != MEASURE_COPY) {
            i++;
            continue;
        }
        while (end < device->count && strcmp(device->all[end].name, device->all[i].name) == 0)
            end++;
        printf("    %-25s", device->all[i].words);
        for (size_t k = i; k < end; k++)
            print_speed(distribution_at(&device->all[k].yoke, 0.5));
        printf("\n");
        if (device->all[i].raw.count)
            printf("      %s%-23s", colours->dim, "driver");
        for (size_t k = i; k < end && device->all[i].raw.count; k++)
            print_speed(distribution_at(&device->all[k].raw, 0.5));
        if (device->all[i].raw.count)
            printf("%s\n", colours->reset);
        i = end;
    }
}

/* A load of a quarter of the processors already shows in the figures: threads that wait are woken late. */
static void print_place(const place *here)
{
    tool_string text = { 0 };
    bool busy = here->load > 0.25 * (double)here->processors;
    tool_add(&text, "Yoke %s%s%s, %.10s %.5s UTC", yoke_version(), *here->host ? " on " : "", here->host, here->date,
             here->date + strcspn(here->date, "T") + (*here->date != '\0'));
    if (here->load >= 0)
        tool_add(&text, ", load average %.1f on %ld processors%s", here->load, here->processors,
                 busy ? "; other work may have made these figures worse" : "");
    tool_wrap(stdout, 0, text.data);
    printf("\n");
    free(text.data);
}

void figures_print(const figures *devices, size_t count, const place *here)
{
    const tool_colours *colours = tool_colours_of(stdout);
    print_place(here);
    for (size_t i = 0; i < count; i++) {
        const yoke_device_info *info = &devices[i].info;
        char *title = tool_text("%s (%s, driver %s)", info->name, info->platform, info->driver);
        printf("%s%s%s%s ", i ? "\n" : "", colours->bold, info->selector, colours->reset);
        tool_wrap(stdout, (int)strlen(info->selector) + 1, title);
        free(title);
        for (int group = 0; group < MEASURE_COPY; group++)
            print_times(&devices[i], group);
        print_copies(&devices[i]);
        if (devices[i].problem)
            printf("\n  %s%s%s\n", colours->red, devices[i].problem, colours->reset);
    }
}

/* ---- JSON ---- */

#ifdef HAVE_JANSSON
#include <jansson.h>

static json_t *spread(const distribution *d)
{
    static const struct {
        const char *name;
        double at;
    } quantiles[] = { { "p01", 0.01 }, { "p05", 0.05 }, { "p25", 0.25 }, { "p50", 0.5 },
                      { "p75", 0.75 }, { "p95", 0.95 }, { "p99", 0.99 } };
    if (!d->count)
        return json_null();
    json_t *object = json_object();
    tool_json_set(object, "samples", json_integer((json_int_t)d->count));
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        tool_json_set(object, quantiles[i].name, json_real(distribution_at(d, quantiles[i].at)));
    return object;
}

static json_t *figure_object(const figure *one)
{
    json_t *object = json_object();
    tool_json_set(object, "group", tool_json_text(figure_group_names[one->group]));
    tool_json_set(object, "name", tool_json_text(one->name));
    tool_json_set(object, "words", tool_json_text(one->words));
    tool_json_set(object, "size_bytes", one->size ? json_integer((json_int_t)one->size) : json_null());
    tool_json_set(object, "unit", tool_json_text(one->size ? "GB/s" : "ns"));
    tool_json_set(object, "yoke", spread(&one->yoke));
    tool_json_set(object, "driver", spread(&one->raw));
    tool_json_set(object, "ratio", one->ratio > 0 ? json_real(one->ratio) : json_null());
    return object;
}

void figures_print_json(const figures *devices, size_t count, long seconds, const place *here)
{
    json_t *document = json_object(), *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const yoke_device_info *info = &devices[i].info;
        json_t *device = json_object(), *all = json_array();
        for (size_t k = 0; k < devices[i].count; k++)
            tool_json_append(all, figure_object(&devices[i].all[k]));
        tool_json_set(device, "selector", tool_json_text(info->selector));
        tool_json_set(device, "name", tool_json_text(info->name));
        tool_json_set(device, "platform", tool_json_text(info->platform));
        tool_json_set(device, "driver", tool_json_text(info->driver));
        tool_json_set(device, "problem", tool_json_text(devices[i].problem));
        tool_json_set(device, "figures", all);
        tool_json_append(array, device);
    }
    tool_json_set(document, "format", json_integer(1));
    tool_json_set(document, "yoke", tool_json_text(yoke_version()));
    tool_json_set(document, "host", tool_json_text(here->host));
    tool_json_set(document, "date", tool_json_text(here->date));
    tool_json_set(document, "load_average", here->load >= 0 ? json_real(here->load) : json_null());
    tool_json_set(document, "processors", json_integer(here->processors));
    tool_json_set(document, "seconds", json_integer(seconds));
    tool_json_set(document, "devices", array);
    tool_json_print(document);
}
#else
void figures_print_json(const figures *devices, size_t count, long seconds, const place *here)
{
    (void)devices, (void)count, (void)seconds, (void)here; /* never called: --json is refused */
}
#endif
