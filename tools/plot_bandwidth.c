/* SPDX-License-Identifier: Apache-2.0 */
/* Speed over size: see plot.h. */
#include <math.h>
#include <string.h>

#include "plot.h"

enum { WIDTH = 1040, HEIGHT = 420, LEFT = 64, RIGHT = 230, TOP = 16, BOTTOM = 44, MOST_SERIES = 8 };

/* One way to copy: figures first .. end - 1. */
typedef struct series {
    const figure *first;
    size_t count;
    double label; /* where its name stands */
} series;

typedef struct axes {
    double size_low, size_high; /* log2 of bytes */
    double low, high;           /* log10 of GB/s */
} axes;

static double x_of(const axes *a, uint64_t size)
{
    return LEFT + (log2((double)size) - a->size_low) / (a->size_high - a->size_low) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const axes *a, double speed)
{
    return HEIGHT - BOTTOM - (log10(speed) - a->low) / (a->high - a->low) * (HEIGHT - TOP - BOTTOM);
}

static double speed_of(const figure *one, bool raw)
{
    double speed = distribution_at(raw ? &one->raw : &one->yoke, 0.5);
    return fmax(speed, 1e-6);
}

static size_t find_series(const figures *device, series all[MOST_SERIES])
{
    size_t count = 0;
    for (size_t i = 0; i < device->count; i++) {
        const figure *one = &device->all[i];
        if (one->group != FIGURE_COPY)
            continue;
        if (count > 0 && strcmp(all[count - 1].first->name, one->name) == 0)
            all[count - 1].count++;
        else if (count < MOST_SERIES)
            all[count++] = (series){ .first = one, .count = 1 };
    }
    return count;
}

static axes find_axes(const series *all, size_t count)
{
    axes a = { .size_low = 12, .size_high = 14, .low = INFINITY, .high = -INFINITY };
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < all[i].count; k++) {
            const figure *one = &all[i].first[k];
            double yoke = log10(speed_of(one, false)), raw = one->raw.count ? log10(speed_of(one, true)) : yoke;
            a.size_high = fmax(a.size_high, log2((double)one->size));
            a.low = fmin(a.low, fmin(yoke, raw));
            a.high = fmax(a.high, fmax(yoke, raw));
        }
    a.low -= 0.08;
    a.high = fmax(a.high + 0.08, a.low + 1);
    return a;
}

/* Lines at 1, 2, 3 … of each decade; numbers at those of 1, and where there are few, also at 2 and 5. */
static void draw_speeds(FILE *out, const axes *a)
{
    bool few = a->high - a->low < 2.6;
    for (double decade = floor(a->low); decade <= a->high; decade++)
        for (int step = 1; step < 10; step++) {
            double speed = step * pow(10, decade), y = y_of(a, speed);
            bool named = step == 1 || (few && (step == 2 || step == 5));
            if (log10(speed) < a->low || log10(speed) > a->high)
                continue;
            fprintf(out, "<line class='grid%s' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>\n", named ? "" : " minor", LEFT, WIDTH - RIGHT,
                    y, y);
            if (named)
                fprintf(out, "<text class='tick' x='%d' y='%.1f' text-anchor='end'>%g</text>\n", LEFT - 8, y + 4, speed);
        }
    fprintf(out, "<text class='tick' x='%d' y='%d'>GB/s</text>\n", LEFT + 6, TOP + 12);
}

static void draw_sizes(FILE *out, const axes *a)
{
    for (double size = a->size_low; size <= a->size_high; size += 2) {
        char text[32];
        double x = x_of(a, (uint64_t)1 << (int)size);
        fprintf(out,
                "<line class='grid minor' x1='%.1f' x2='%.1f' y1='%d' y2='%d'/><text class='tick' x='%.1f' y='%d' "
                "text-anchor='middle'>%s</text>\n",
                x, x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 20, tool_bytes((uint64_t)1 << (int)size, text));
    }
}

static void draw_line(FILE *out, const axes *a, const series *one, size_t index, bool raw)
{
    fprintf(out, "<path class='line%s' style='stroke:var(--s%zu)' d='", raw ? " raw" : "", index);
    for (size_t k = 0; k < one->count; k++)
        fprintf(out, "%c%.1f %.1f", k ? 'L' : 'M', x_of(a, one->first[k].size), y_of(a, speed_of(&one->first[k], raw)));
    fprintf(out, "'/>\n");
}

static void draw_dots(FILE *out, const axes *a, const series *one, size_t index)
{
    for (size_t k = 0; k < one->count; k++) {
        const figure *dot = &one->first[k];
        char size[32];
        fprintf(out, "<circle r='3.5' style='fill:var(--s%zu)' cx='%.1f' cy='%.1f'><title>%s, %s: %.3g GB/s", index,
                x_of(a, dot->size), y_of(a, speed_of(dot, false)), dot->words, tool_bytes(dot->size, size), speed_of(dot, false));
        if (dot->raw.count)
            fprintf(out, " (driver %.3g)", speed_of(dot, true));
        fprintf(out, "</title></circle>\n");
    }
}

/* Names at the ends of the lines, pushed apart where they would overlap, in the order of the lines. */
static void place_labels(const axes *a, series *all, size_t count)
{
    size_t order[MOST_SERIES];
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        all[i].label = y_of(a, speed_of(&all[i].first[all[i].count - 1], false));
        for (; at > 0 && all[order[at - 1]].label > all[i].label; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 1; i < count; i++)
        all[order[i]].label = fmax(all[order[i]].label, all[order[i - 1]].label + 18);
    double beyond = count > 0 ? all[order[count - 1]].label - (HEIGHT - BOTTOM) : 0;
    for (size_t i = 0; i < count && beyond > 0; i++)
        all[i].label -= beyond;
}

void plot_bandwidth(FILE *out, const figures *device)
{
    series all[MOST_SERIES];
    size_t count = find_series(device, all);
    if (count == 0)
        return;
    axes a = find_axes(all, count);
    place_labels(&a, all, count);
    fprintf(out, "<svg viewBox='0 0 %d %d' role='img' aria-label='bandwidth over size'>\n", WIDTH, HEIGHT);
    draw_sizes(out, &a);
    draw_speeds(out, &a);
    for (size_t i = 0; i < count; i++) {
        if (all[i].first->raw.count)
            draw_line(out, &a, &all[i], i, true);
        draw_line(out, &a, &all[i], i, false);
        draw_dots(out, &a, &all[i], i);
    }
    for (size_t i = 0; i < count; i++) {
        const figure *last = &all[i].first[all[i].count - 1];
        double x = x_of(&a, last->size), y = y_of(&a, speed_of(last, false));
        fprintf(out,
                "<path class='lead' style='stroke:var(--s%zu)' d='M%.1f %.1fL%d %.1f'/><text class='name' style='fill:var(--s%zu)' "
                "x='%d' y='%.1f'>%s</text>\n",
                i, x + 5, y, WIDTH - RIGHT + 22, all[i].label, i, WIDTH - RIGHT + 27, all[i].label + 4, last->words);
    }
    fprintf(out, "</svg>\n");
}
