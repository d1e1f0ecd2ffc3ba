/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as a picture: for each device when it was busy, then a row for each stream, for its host functions, for what Yoke does
 * for it on the host, and for each thread that waited; time goes to the right, and the findings stand below. What is too narrow to
 * be seen is drawn together with its neighbours, so that long traces stay small files.
 */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1280, RIGHT = 34, TOP = 104, ROW = 26, BAR = 18, HEADING = 32, LINE = 18, NAMES = 460 };

static const double letter = 6.8; /* the width of one, on average */

static const struct {
    const char *colour, *words;
    bool light; /* its text is dark */
} looks[] = {
    [TRACE_LAUNCH] = { "#3b6fb6", "kernel", false },
    [TRACE_TRANSFER] = { "#3a9a6b", "copy, host and device", false },
    [TRACE_COPY] = { "#7fb8a0", "copy or fill on the device", true },
    [TRACE_BETWEEN] = { "#2f9aa8", "copy between devices", false },
    [TRACE_GRAPH] = { "#6a5fb0", "graph", false },
    [TRACE_FUNCTION] = { "#e08a2e", "host function", false },
    [TRACE_WAIT] = { "#d9c9a3", "stream waits", true },
    [TRACE_OPEN] = { "#b07aa1", "device is opened", false },
    [TRACE_BUILD] = { "#9c6b4e", "program is built", false },
    [TRACE_ALLOCATE] = { "#c4789a", "allocation", false },
    [TRACE_PROGRAM] = { "#c9ccd1", "program waits", true },
};
_Static_assert(YK_COUNT_OF(looks) == TRACE_KINDS, "a look for each kind");

typedef struct drawing {
    const trace *trace;
    FILE *stream;
    double from, to; /* the time that is drawn */
    double left;     /* where the plot begins */
    double *places;  /* of rows, from the top */
    bool occurs[TRACE_KINDS], failed;
} drawing;

/* ---- Text ---- */

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

/* How many letters of UTF-8 a text has. */
static double width_of(const char *text)
{
    size_t letters = 0;
    for (; *text; text++)
        letters += ((unsigned char)*text & 0xC0) != 0x80;
    return letter * (double)letters;
}

static void draw_text(const drawing *self, double x, double y, const char *attributes, const char *text)
{
    fprintf(self->stream, "<text x='%.1f' y='%.1f'%s>", x, y, attributes);
    print_text(self->stream, text);
    fprintf(self->stream, "</text>\n");
}

/* Lines of at most this many letters. Returns where the next line goes. */
static double draw_lines(const drawing *self, double x, double y, size_t most, const char *text)
{
    while (*text) {
        size_t length = strlen(text);
        if (length > most)
            for (length = most; length > 0 && text[length] != ' '; length--)
                continue;
        length = length ? length : strlen(text);
        char *line = tool_text("%.*s", (int)length, text);
        draw_text(self, x, y, "", line);
        free(line);
        text += length + (text[length] == ' ');
        y += LINE;
    }
    return y;
}

/* ---- What is drawn, and where ---- */

static double place_of(const drawing *self, double time)
{
    double part = self->to > self->from ? (time - self->from) / (self->to - self->from) : 0;
    return self->left + (WIDTH - self->left - RIGHT) * (part < 0 ? 0 : part > 1 ? 1 : part);
}

static bool is_drawn(const drawing *self, const trace_slice *slice)
{
    return slice->end >= self->from && slice->begin <= self->to;
}

static size_t count_drawn(const drawing *self, const trace_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->count; i++)
        count += is_drawn(self, &row->slices[i]);
    return count;
}

/* All of the program's time; or only that of its work, where the rest would leave less than two thirds of the picture for it. */
static void choose_time(drawing *self)
{
    trace_span active = trace_active(self->trace);
    bool all = active.end <= active.begin || (active.end - active.begin) * 3 >= self->trace->end * 2;
    self->from = all ? 0 : active.begin;
    self->to = all ? self->trace->end : active.end;
}

static bool begins_device(const drawing *self, size_t i)
{
    const trace_row *rows = self->trace->rows;
    for (size_t k = i; k-- > 0 && rows[k].process == rows[i].process;)
        if (self->places[k] > 0)
            return false;
    return true;
}

/* Rows with nothing to show have the place 0. Returns the bottom. */
static double lay_out(drawing *self)
{
    double y = TOP;
    self->left = width_of("device busy 100%") + 28;
    for (size_t i = 0; i < self->trace->count; i++) {
        const trace_row *row = &self->trace->rows[i];
        double width = width_of(row->title) + 28;
        self->places[i] = 0;
        if (count_drawn(self, row) == 0)
            continue;
        for (size_t k = 0; k < row->count; k++) {
            self->occurs[row->slices[k].kind] |= is_drawn(self, &row->slices[k]);
            self->failed |= row->slices[k].failed;
        }
        self->left = width > self->left ? width : self->left;
        y += begins_device(self, i) ? HEADING + (row->process > 0 ? ROW : 0) : 0;
        self->places[i] = y;
        y += ROW;
    }
    self->left = self->left > NAMES ? NAMES : self->left;
    return y;
}

/* ---- The frame ---- */

/* 1, 2 or 5 times a power of ten, so that there are about ten of them. */
static double step_of(double length)
{
    double power = pow(10, floor(log10(length > 0 ? length / 10 : 1)));
    double times = length / 10 / power;
    return power * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

static void draw_scale(const drawing *self)
{
    double length = self->to - self->from, step = step_of(length);
    double unit = length >= 1e7 ? 1e6 : length >= 1000 ? 1000 : 1;
    const char *word = length >= 1e7 ? " s" : length >= 1000 ? " ms" : " us";
    for (double time = 0; time <= length; time += step) {
        char label[48];
        snprintf(label, sizeof label, "%g%s", time / unit, time + step > length ? word : "");
        draw_text(self, place_of(self, self->from + time), TOP, " class='dim' text-anchor='middle'", label);
    }
}

/* The vertical lines of a device's rows. */
static void draw_grid(const drawing *self, double top, double bottom)
{
    double length = self->to - self->from, step = step_of(length);
    fprintf(self->stream, "<rect class='plot' x='%.1f' y='%.0f' width='%.1f' height='%.0f'/>\n<path class='grid' d='", self->left,
            top, WIDTH - RIGHT - self->left, bottom - top);
    for (double time = 0; time <= length; time += step)
        fprintf(self->stream, "M%.1f %.0fV%.0f", place_of(self, self->from + time), top, bottom);
    fprintf(self->stream, "'/>\n");
}

static double draw_sample(const drawing *self, double x, const char *colour, const char *words)
{
    fprintf(self->stream, "<rect x='%.0f' y='60' width='12' height='12' rx='2' fill='%s'/>\n", x, colour);
    draw_text(self, x + 17, 70, "", words);
    return x + 36 + width_of(words);
}

static void draw_legend(const drawing *self)
{
    double x = 14;
    for (int kind = 0; kind < TRACE_KINDS; kind++)
        if (self->occurs[kind])
            x = draw_sample(self, x, looks[kind].colour, looks[kind].words);
    if (self->failed)
        draw_sample(self, x, "#c0392b", "failed");
}

/* What part of the program's time is drawn. */
static void draw_subtitle(const drawing *self)
{
    char drawn[32], whole[32], before[32];
    tool_string text = { 0 };
    const trace *all = self->trace;
    tool_add(&text, "%s", trace_time(self->to - self->from, drawn));
    if (self->to - self->from < all->end) {
        tool_add(&text, " of %s; not drawn: %s before the first work", trace_time(all->end, whole), trace_time(self->from, before));
        double sums[TRACE_KINDS] = { 0 };
        for (size_t i = 0; i < all->count; i++)
            for (size_t k = 0; k < all->rows[i].count && all->rows[i].process == 0; k++)
                if (all->rows[i].slices[k].end <= self->from)
                    sums[all->rows[i].slices[k].kind] += all->rows[i].slices[k].end - all->rows[i].slices[k].begin;
        if (sums[TRACE_OPEN] > 0)
            tool_add(&text, " (opening devices %s", trace_time(sums[TRACE_OPEN], before));
        if (sums[TRACE_BUILD] > 0)
            tool_add(&text, ", building programs %s", trace_time(sums[TRACE_BUILD], before));
        tool_add(&text, "%s, %s after the last", sums[TRACE_OPEN] > 0 ? ")" : "", trace_time(all->end - self->to, before));
    }
    draw_text(self, 14, 46, " class='dim'", text.data);
    free(text.data);
}

/* ---- Slices ---- */

static void draw_slice(const drawing *self, const trace_slice *slice, double end, size_t together, double y)
{
    double x = place_of(self, slice->begin), width = place_of(self, end) - x;
    char length[32];
    FILE *stream = self->stream;
    width = width < 0.6 ? 0.6 : width;
    fprintf(stream, "<rect x='%.2f' y='%.0f' width='%.2f' height='%d' rx='%.1f' fill='%s'><title>", x, y, width, BAR,
            width > 6 ? 2.0 : 0.0, slice->failed ? "#c0392b" : looks[slice->kind].colour);
    if (together > 1)
        fprintf(stream, "%zu operations, the first: ", together);
    print_text(stream, slice->name);
    if (slice->awaited) {
        fputs(" for stream ", stream);
        print_text(stream, slice->awaited);
    }
    fprintf(stream, "%s%s%s, %s%s", slice->how ? ", " : "", slice->how ? slice->how : "", slice->first ? ", its first launch" : "",
            trace_time(end - slice->begin, length), slice->failed ? ", failed" : "");
    if (slice->where) {
        fputs(", at ", stream);
        print_text(stream, slice->where);
    }
    fputs("</title></rect>\n", stream);
    char *label = tool_text("%s%s", slice->name, slice->first ? ": first launch" : "");
    if (together == 1 && width > width_of(label) + 6)
        draw_text(self, x + width / 2, y + 13,
                  looks[slice->kind].light && !slice->failed ? " class='on light' text-anchor='middle'"
                                                             : " class='on' text-anchor='middle'",
                  label);
    free(label);
}

static void draw_title(const drawing *self, const char *title, double y)
{
    size_t most = (size_t)((self->left - 24) / letter), length = strlen(title);
    char *text = length > most ? tool_text("%.*s...", (int)most - 3, title) : tool_text("%s", title);
    tool_clean(text);
    draw_text(self, self->left - 10, y + 13, " text-anchor='end'", text);
    free(text);
}

static void draw_row(const drawing *self, const trace_row *row, double y)
{
    draw_title(self, row->title, y);
    for (size_t i = 0; i < row->count;) {
        const trace_slice *first = &row->slices[i];
        double end = first->end;
        size_t next = i + 1;
        /* What ends within the same half of a pixel belongs to it. */
        while (next < row->count && row->slices[next].kind == first->kind &&
               place_of(self, row->slices[next].end) - place_of(self, first->begin) < 0.6)
            end = row->slices[next++].end;
        if (is_drawn(self, first))
            draw_slice(self, first, end, next - i, y);
        i = next;
    }
}

/* When the device worked, and for which part of the time that is drawn. */
static void draw_busy(const drawing *self, long process, double y)
{
    trace_spans busy = { 0 };
    double sum = 0;
    trace_busy(self->trace, process, &busy);
    for (size_t i = 0; i < busy.count; i++) {
        double begin = busy.list[i].begin < self->from ? self->from : busy.list[i].begin, end = busy.list[i].end;
        if (end <= begin || begin > self->to)
            continue;
        sum += end - begin;
        size_t next = i + 1;
        while (next < busy.count && place_of(self, busy.list[next].begin) - place_of(self, end) < 0.3) {
            sum += busy.list[next].end - busy.list[next].begin;
            end = busy.list[next++].end;
        }
        i = next - 1;
        double x = place_of(self, begin), width = place_of(self, end) - x;
        fprintf(self->stream, "<rect class='busy' x='%.2f' y='%.0f' width='%.2f' height='%d'/>\n", x, y + 4,
                width < 0.6 ? 0.6 : width, BAR - 8);
    }
    char *title = tool_text("device busy %.0f%%", self->to > self->from ? 100 * sum / (self->to - self->from) : 0);
    draw_title(self, title, y);
    free(title);
    free(busy.list);
}

/* ---- Arrows ---- */

/* The work that a wait waited for: of the awaited stream, whatever ended last before the wait did. */
static const trace_slice *awaited_work(const drawing *self, const trace_row *row, const trace_slice *wait, size_t *out_row)
{
    const trace_slice *found = NULL;
    static const char word[] = "stream ";
    long device = wait->awaited_device ? wait->awaited_device : row->process;
    for (size_t i = 0; i < self->trace->count; i++) {
        const trace_row *from = &self->trace->rows[i];
        size_t length = strlen(wait->awaited);
        if (from == row || from->process != device || strncmp(from->title, word, strlen(word)) != 0)
            continue;
        const char *label = from->title + strlen(word);
        if (strncmp(label, wait->awaited, length) != 0 || (label[length] && label[length] != ':'))
            continue;
        for (size_t k = 0; k < from->count && from->slices[k].begin <= wait->end; k++)
            if (from->slices[k].kind != TRACE_WAIT && from->slices[k].end <= wait->end + 1 &&
                (!found || from->slices[k].end > found->end)) {
                found = &from->slices[k];
                *out_row = i;
            }
    }
    return found;
}

static void draw_arrow(const drawing *self, size_t to, const trace_slice *wait)
{
    size_t from = 0;
    const trace_slice *work = awaited_work(self, &self->trace->rows[to], wait, &from);
    if (!work || self->places[from] == 0 || place_of(self, wait->end) - place_of(self, wait->begin) < 1.5)
        return;
    bool down = self->places[from] < self->places[to];
    fprintf(self->stream, "<path class='arrow' d='M%.1f %.0fL%.1f %.0f' marker-end='url(#tip)'/>\n", place_of(self, work->end),
            self->places[from] + (down ? BAR : 0), place_of(self, wait->end), self->places[to] + (down ? 0 : BAR));
}

/* ---- The picture ---- */

static void draw_rows(const drawing *self)
{
    const trace *all = self->trace;
    for (size_t i = 0, end; i < all->count; i = end) {
        long process = all->rows[i].process;
        double top = 0, bottom = 0;
        for (end = i; end < all->count && all->rows[end].process == process; end++)
            if (self->places[end] > 0) {
                top = top > 0 ? top : self->places[end] - (process > 0 ? ROW : 0);
                bottom = self->places[end] + BAR;
            }
        if (top <= 0)
            continue;
        draw_text(self, 14, top - 9, " class='bold'", trace_device_of(all, process)->name);
        draw_grid(self, top - 3, bottom + 3);
        if (process > 0)
            draw_busy(self, process, top);
        for (size_t k = i; k < end; k++)
            if (self->places[k] > 0)
                draw_row(self, &all->rows[k], self->places[k]);
    }
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->rows[i].count && self->places[i] > 0; k++)
            if (all->rows[i].slices[k].kind == TRACE_WAIT && all->rows[i].slices[k].awaited &&
                is_drawn(self, &all->rows[i].slices[k]))
                draw_arrow(self, i, &all->rows[i].slices[k]);
}

/* What took the time that is drawn. Returns the bottom. */
static double draw_findings(const drawing *self, const trace_findings *found, double y)
{
    enum { LETTERS = 186 };
    char whole[32];
    char *heading = tool_text("What took the time (percentages are of %s)", trace_time(self->to - self->from, whole)),
         *ending = trace_ending(self->trace);
    y += 2 * LINE;
    draw_text(self, 14, y, " class='bold'", heading);
    y += LINE + 2;
    for (size_t i = 0; i < found->count; i++) {
        char *line = trace_finding_text(found, i);
        draw_text(self, 14, y, "", "-");
        y = draw_lines(self, 24, y, LETTERS, line) + 3;
        free(line);
    }
    if (found->count == 0)
        y = draw_lines(self, 14, y, LETTERS, "Nothing that took one hundredth of the time.");
    if (ending)
        y = draw_lines(self, 14, y, LETTERS, ending);
    free(heading);
    free(ending);
    return y;
}

static const char style[] =
    "<style>text{fill:#2b3440;font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}"
    ".bold{font-weight:bold}.head{font-size:15px;font-weight:bold}"
    ".bg{fill:#fff}.dim{fill:#66707c}.grid{stroke:#e1e4e8;fill:none}.plot{fill:#f7f8fa}.busy{fill:#5b6675}"
    ".on{fill:#fff;pointer-events:none}.on.light{fill:#333c47}.arrow{stroke:#8a6d1f;fill:none}.tip{fill:#8a6d1f}"
    "@media(prefers-color-scheme:dark){text{fill:#d5dbe3}.bg{fill:#0d1117}.dim{fill:#96a1ae}.grid{stroke:#2c333c}"
    ".plot{fill:#151b23}.busy{fill:#8d99a8}.arrow{stroke:#e3c15c}.tip{fill:#e3c15c}}</style>\n";

void trace_draw(trace *self, const char *title, FILE *stream)
{
    trace_findings found;
    drawing all = { .trace = self, .places = tool_alloc((self->count + 1) * sizeof(double)) };
    char *body = NULL;
    size_t size;
    /* The findings come last, and the height of the picture first. */
    all.stream = open_memstream(&body, &size);
    if (!all.stream)
        tool_no_memory();
    choose_time(&all);
    trace_find(self, (trace_span){ all.from, all.to }, &found);
    double bottom = lay_out(&all);
    char *head = width_of(title) > WIDTH - 150 ? tool_text("%.150s...", title) : tool_text("%s", title);
    tool_clean(head);
    draw_text(&all, 14, 26, " class='head'", head);
    draw_subtitle(&all);
    draw_legend(&all);
    draw_scale(&all);
    draw_rows(&all);
    bottom = draw_findings(&all, &found, bottom);
    trace_findings_free(&found);
    if (fclose(all.stream) != 0)
        tool_no_memory();
    fprintf(stream,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %.0f' width='%d' height='%.0f'>\n%s<defs><marker id='tip' "
            "markerWidth='7' markerHeight='7' refX='6' refY='3' orient='auto'><path class='tip' d='M0 0L6 3L0 6z'/></marker></defs>"
            "\n<rect class='bg' width='100%%' height='100%%'/>\n%s</svg>\n",
            WIDTH, bottom, WIDTH, bottom, style, body);
    free(head);
    free(body);
    free(all.places);
}
