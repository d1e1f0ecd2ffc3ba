/* SPDX-License-Identifier: Apache-2.0 */
/* A trace as a picture: a row for each stream, for its host functions, and for each thread that waited; time goes to the right.
 * What is too narrow to be seen is drawn together with its neighbours, so that long traces stay small files. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1280, LEFT = 190, RIGHT = 34, TOP = 84, ROW = 26, BAR = 18, HEADING = 26, LETTER = 7 };

static const struct {
    const char *colour, *words;
} looks[TRACE_KINDS] = {
    [TRACE_LAUNCH] = { "#3b6fb6", "kernel" },
    [TRACE_TRANSFER] = { "#3a9a6b", "copy, host and device" },
    [TRACE_COPY] = { "#7fb8a0", "copy or fill on the device" },
    [TRACE_GRAPH] = { "#6a5fb0", "graph" },
    [TRACE_FUNCTION] = { "#e08a2e", "host function" },
    [TRACE_WAIT] = { "#d9c9a3", "stream waits" },
    [TRACE_PROGRAM] = { "#c9ccd1", "program waits" },
};

static void print_text(FILE *stream, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '&':
            fputs("&amp;", stream);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, stream);
        }
}

static double place_of(const trace *self, double time)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (self->end > 0 ? time / self->end : 0);
}

/* 1, 2 or 5 times a power of ten, so that there are about ten of them. */
static double step_of(double length)
{
    double power = pow(10, floor(log10(length > 0 ? length / 10 : 1)));
    double times = length / 10 / power;
    return power * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

static void draw_scale(const trace *self, double bottom, FILE *stream)
{
    double step = step_of(self->end);
    bool coarse = self->end >= 10000;
    for (double time = 0; time <= self->end; time += step) {
        double x = place_of(self, time);
        fprintf(stream, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%.0f' stroke='#e6e8eb'/>\n", x, TOP - 8, x, bottom);
        fprintf(stream, "<text x='%.1f' y='%d' fill='#667' text-anchor='middle'>%g%s</text>\n", x, TOP - 13,
                coarse ? time / 1000 : time, time + step > self->end ? (coarse ? " ms" : " us") : "");
    }
}

static void draw_legend(FILE *stream)
{
    double x = LEFT;
    for (int kind = 0; kind < TRACE_KINDS; kind++) {
        fprintf(stream, "<rect x='%.0f' y='36' width='12' height='12' rx='2' fill='%s'/>\n", x, looks[kind].colour);
        fprintf(stream, "<text x='%.0f' y='46' fill='#334'>%s</text>\n", x + 17, looks[kind].words);
        x += 34 + LETTER * (double)strlen(looks[kind].words);
    }
}

static void draw_slice(const trace *self, const trace_slice *slice, double end, size_t together, double y, FILE *stream)
{
    double x = place_of(self, slice->begin), width = place_of(self, end) - x;
    width = width < 0.6 ? 0.6 : width;
    fprintf(stream, "<rect x='%.2f' y='%.0f' width='%.2f' height='%d' rx='%.1f' fill='%s'%s><title>", x, y, width, BAR,
            width > 6 ? 2.0 : 0.0, slice->failed ? "#c0392b" : looks[slice->kind].colour,
            slice->kind == TRACE_WAIT ? " fill-opacity='0.6'" : "");
    if (together > 1)
        fprintf(stream, "%zu operations, the first: ", together);
    print_text(stream, slice->name);
    if (slice->awaited) {
        fputs(" for stream ", stream);
        print_text(stream, slice->awaited);
    }
    fprintf(stream, ", %.3f ms%s", (end - slice->begin) * 1e-3, slice->failed ? ", failed" : "");
    if (slice->where) {
        fputs(", at ", stream);
        print_text(stream, slice->where);
    }
    fputs("</title></rect>\n", stream);
    if (together == 1 && width > LETTER * (double)strlen(slice->name) + 6) {
        bool dark = slice->kind != TRACE_WAIT && slice->kind != TRACE_PROGRAM;
        fprintf(stream, "<text x='%.1f' y='%.0f' fill='%s' text-anchor='middle' pointer-events='none'>", x + width / 2, y + 13,
                dark ? "#fff" : "#445");
        print_text(stream, slice->name);
        fputs("</text>\n", stream);
    }
}

static void draw_row(const trace *self, const trace_row *row, double y, FILE *stream)
{
    fprintf(stream, "<text x='%d' y='%.0f' fill='#334' text-anchor='end'>", LEFT - 10, y + 13);
    print_text(stream, row->title);
    fputs("</text>\n", stream);
    for (size_t i = 0; i < row->count;) {
        const trace_slice *first = &row->slices[i];
        double end = first->end;
        size_t next = i + 1;
        /* What ends within the same half of a pixel belongs to it. */
        while (next < row->count && row->slices[next].kind == first->kind &&
               place_of(self, row->slices[next].end) - place_of(self, first->begin) < 0.6)
            end = row->slices[next++].end;
        draw_slice(self, first, end, next - i, y, stream);
        i = next;
    }
}

/* From the work of the awaited stream that ended last to the end of the wait. */
static void draw_arrow(const trace *self, const trace_row *row, const trace_slice *wait, const double *places, FILE *stream)
{
    size_t to = (size_t)(row - self->rows);
    const char *word = "stream ";
    for (size_t i = 0; i < self->count; i++) {
        const trace_row *from = &self->rows[i];
        const trace_slice *last = NULL;
        if (i == to || from->process != row->process || strncmp(from->title, word, strlen(word)) != 0 ||
            strcmp(from->title + strlen(word), wait->awaited) != 0)
            continue;
        for (size_t k = 0; k < from->count && from->slices[k].begin <= wait->end; k++)
            if (from->slices[k].end <= wait->end + 1)
                last = &from->slices[k];
        if (last && place_of(self, wait->end) - place_of(self, wait->begin) > 1.5)
            fprintf(stream, "<path d='M%.1f %.0fL%.1f %.0f' stroke='#8a6d1f' fill='none' marker-end='url(#tip)'/>\n",
                    place_of(self, last->end), places[i] + (i < to ? BAR : 0), place_of(self, wait->end),
                    places[to] + (i < to ? 0 : BAR));
    }
}

static double lay_out(const trace *self, double *places)
{
    double y = TOP;
    for (size_t i = 0; i < self->count; i++) {
        if (i == 0 || self->rows[i].process != self->rows[i - 1].process)
            y += HEADING;
        places[i] = y;
        y += ROW;
    }
    return y;
}

void trace_draw(const trace *self, const char *title, FILE *stream)
{
    double *places = tool_alloc((self->count + 1) * sizeof *places);
    double bottom = lay_out(self, places);
    fprintf(stream,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %.0f' width='%d' height='%.0f' font-family='system-ui, "
            "sans-serif' font-size='12'>\n<defs><marker id='tip' markerWidth='7' markerHeight='7' refX='6' refY='3' "
            "orient='auto'><path d='M0 0L6 3L0 6z' fill='#8a6d1f'/></marker></defs>\n"
            "<rect width='100%%' height='100%%' fill='#fff'/>\n<text x='%d' y='24' font-size='15' fill='#223'>",
            WIDTH, bottom + 16, WIDTH, bottom + 16, LEFT);
    print_text(stream, title);
    fprintf(stream, "</text>\n");
    draw_legend(stream);
    draw_scale(self, bottom, stream);
    for (size_t i = 0; i < self->count; i++) {
        const trace_row *row = &self->rows[i];
        if (i == 0 || row->process != self->rows[i - 1].process) {
            fprintf(stream,
                    "<text x='14' y='%.0f' font-weight='bold' fill='#223' stroke='#fff' stroke-width='4' paint-order='stroke'>",
                    places[i] - 7);
            print_text(stream, *row->device ? row->device : "the program");
            fprintf(stream, "</text>\n");
        }
        draw_row(self, row, places[i], stream);
    }
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->rows[i].count; k++)
            if (self->rows[i].slices[k].kind == TRACE_WAIT && self->rows[i].slices[k].awaited)
                draw_arrow(self, &self->rows[i], &self->rows[i].slices[k], places, stream);
    fprintf(stream, "</svg>\n");
    free(places);
}
