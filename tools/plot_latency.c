/* SPDX-License-Identifier: Apache-2.0 */
/* How times are distributed: see plot.h. Densities come from kernels of Gauss over the kept samples. Where the times spread over
 * more than a factor of WIDE, the axis is logarithmic. */
#include <math.h>

#include "plot.h"

enum { WIDTH = 340, HEIGHT = 150, LEFT = 10, RIGHT = 10, TOP = 12, BOTTOM = 26, POINTS = 140 };

#define WIDE 6

/* From `low` to `high`, of times or of their logarithms. */
typedef struct axis {
    double low, high;
    bool logarithmic;
} axis;

static double place_of(const axis *a, double time)
{
    return a->logarithmic ? log10(fmax(time, 1)) : time;
}

static double x_of(const axis *a, double time)
{
    return LEFT + (place_of(a, time) - a->low) / (a->high - a->low) * (WIDTH - LEFT - RIGHT);
}

/* 1, 2 or 5 times a power of ten, so that there are about four on the axis. */
static double nice_step(double span)
{
    double rough = span / 4, power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static double bandwidth_of(const distribution *d, const axis *a)
{
    double spread = (place_of(a, distribution_at(d, 0.75)) - place_of(a, distribution_at(d, 0.25))) / 1.34;
    return fmax(0.9 * spread * pow(FIGURE_SAMPLES, -0.2), (a->high - a->low) / 120);
}

static void density(const distribution *d, const axis *a, double values[POINTS])
{
    double width = bandwidth_of(d, a), highest = 0;
    for (int i = 0; i < POINTS; i++) {
        double at = a->low + (a->high - a->low) * i / (POINTS - 1);
        values[i] = 0;
        for (int k = 0; k < FIGURE_SAMPLES; k++) {
            double distance = (at - place_of(a, d->samples[k])) / width;
            values[i] += exp(-distance * distance / 2);
        }
        highest = fmax(highest, values[i]);
    }
    for (int i = 0; i < POINTS; i++)
        values[i] /= highest > 0 ? highest : 1;
}

static void draw(FILE *out, const distribution *d, const axis *a, const char *class)
{
    double values[POINTS], floor_y = HEIGHT - BOTTOM, median = x_of(a, distribution_at(d, 0.5));
    density(d, a, values);
    fprintf(out, "<path class='%s' d='M%d %.1f", class, LEFT, floor_y);
    for (int i = 0; i < POINTS; i++)
        fprintf(out, "L%.1f %.1f", LEFT + (double)i / (POINTS - 1) * (WIDTH - LEFT - RIGHT),
                floor_y - values[i] * (HEIGHT - TOP - BOTTOM));
    fprintf(out, "L%d %.1fZ'/><line class='%s median' x1='%.1f' x2='%.1f' y1='%d' y2='%.1f'/>\n", WIDTH - RIGHT, floor_y, class,
            median, median, TOP, floor_y);
}

static void draw_tick(FILE *out, const axis *a, double time)
{
    char text[32];
    double x = x_of(a, time);
    if (x < LEFT || x > WIDTH - RIGHT)
        return;
    fprintf(out, "<line class='grid' x1='%.1f' x2='%.1f' y1='%d' y2='%d'/>\n", x, x, TOP, HEIGHT - BOTTOM);
    if (x > 22 && x < WIDTH - 22)
        fprintf(out, "<text class='tick' x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", x, HEIGHT - 8,
                time > 0 ? figure_time(time, text) : "0");
}

static void draw_ticks(FILE *out, const axis *a)
{
    static const int steps[] = { 1, 2, 5 };
    double step = nice_step(a->high - a->low);
    bool few = a->high - a->low < 1.6;
    if (!a->logarithmic)
        for (double tick = ceil(a->low / step) * step; tick <= a->high; tick += step)
            draw_tick(out, a, tick);
    else
        for (double decade = floor(a->low); decade <= a->high; decade++)
            for (int i = 0; i < (few ? 3 : 1); i++)
                draw_tick(out, a, steps[i] * pow(10, decade));
}

static axis find_axis(const figure *one)
{
    const distribution *yoke = &one->yoke, *raw = &one->raw;
    axis a = { distribution_at(yoke, 0.01), distribution_at(yoke, 0.98), false };
    if (raw->count) {
        a.low = fmin(a.low, distribution_at(raw, 0.01));
        a.high = fmax(a.high, distribution_at(raw, 0.98));
    }
    a.logarithmic = a.high > WIDE * a.low;
    a.low = place_of(&a, a.low);
    a.high = place_of(&a, a.high);
    double room = fmax((a.high - a.low) * 0.12, fmax(a.high * 0.01, 1e-3));
    a.low = fmax(a.low - room, 0);
    a.high += room;
    return a;
}

void plot_latency(FILE *out, const figure *one)
{
    axis a = find_axis(one);
    fprintf(out, "<svg viewBox='0 0 %d %d' role='img' aria-label='distribution'>\n", WIDTH, HEIGHT);
    draw_ticks(out, &a);
    if (one->raw.count)
        draw(out, &one->raw, &a, "raw");
    draw(out, &one->yoke, &a, "yoke");
    fprintf(out, "<line class='base' x1='%d' x2='%d' y1='%d' y2='%d'/></svg>\n", LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM,
            HEIGHT - BOTTOM);
}
