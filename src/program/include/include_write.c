/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expanded text, and the map that says which line of which file each of its lines is.
 */
#include "program/include/include.h"
#include "program/include/include_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- The line map ---- */

/* The number of the file in the map. */
static yoke_status map_file(yk_line_map *map, const char *path, unsigned *out_file)
{
    for (unsigned i = map->file_count; i-- > 0;) /* mostly one of the last */
        if (strcmp(map->files[i], path) == 0) {
            *out_file = i;
            return YOKE_OK;
        }
    if (map->file_count == map->file_capacity) {
        unsigned capacity = map->file_capacity ? 2 * map->file_capacity : 8;
        char **files = realloc(map->files, capacity * sizeof *files);
        if (!files)
            return yk_no_memory("a line map");
        map->files = files;
        map->file_capacity = capacity;
    }
    map->files[map->file_count] = strdup(path);
    if (!map->files[map->file_count])
        return yk_no_memory("a line map");
    *out_file = map->file_count++;
    return YOKE_OK;
}

yoke_status yk_write_map(yk_writer *w, const char *path, unsigned long line)
{
    yk_line_map *map = w->map;
    unsigned file = 0;
    yoke_status status = map_file(map, path, &file);
    if (status < 0)
        return status;
    if (map->count == map->capacity) {
        size_t capacity = map->capacity ? 2 * map->capacity : 16;
        yk_line_span *spans = realloc(map->spans, capacity * sizeof *spans);
        if (!spans)
            return yk_no_memory("a line map");
        map->spans = spans;
        map->capacity = capacity;
    }
    map->spans[map->count++] = (yk_line_span){ w->line, line, file };
    return YOKE_OK;
}

bool yk_line_map_find(const yk_line_map *map, unsigned long line, const char **out_file, unsigned long *out_line)
{
    size_t low = 0, high = map->count; /* find the last span that begins at or before the line */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->spans[middle].expanded <= line)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    const yk_line_span *span = &map->spans[low - 1];
    *out_file = map->files[span->file];
    *out_line = span->line + (line - span->expanded);
    return true;
}

void yk_line_map_free(yk_line_map *map)
{
    for (unsigned i = 0; i < map->file_count; i++)
        free(map->files[i]);
    free(map->files);
    free(map->spans);
    memset(map, 0, sizeof *map);
}

/* ---- Writing ---- */

yoke_status yk_write(yk_writer *w, const char *bytes, size_t length, unsigned long lines)
{
    size_t wanted = w->out->length + length;
    if (wanted > YK_INCLUDE_BYTES)
        return yk_fail(YOKE_E_BUILD, "%s: the source with its headers exceeds %d MiB", w->function, YK_INCLUDE_BYTES >> 20);
    yk_text_add_bytes(w->out, bytes, length);
    w->line += lines;
    return w->out->length == wanted ? YOKE_OK : yk_no_memory("a source with its headers");
}

yoke_status yk_write_text(yk_writer *w, yk_text *text)
{
    unsigned long lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    yoke_status status =
        text->is_cut ? yk_no_memory("a source with its headers") : yk_write(w, yk_text_get(text), text->length, lines);
    yk_text_free(text);
    return status;
}

yoke_status yk_write_blank(yk_writer *w, unsigned long lines)
{
    yoke_status status = YOKE_OK;
    while (lines-- > 0 && status == YOKE_OK)
        status = yk_write(w, "\n", 1, 1);
    return status;
}

void yk_add_quoted(yk_text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool control = (unsigned char)bytes[i] < ' ' && bytes[i] != '\t';
        yk_text_add_bytes(text, control || strchr("\"\\?", bytes[i]) ? "_" : &bytes[i], 1); /* "?\?/" may be a backslash too */
    }
}

yoke_status yk_write_position(yk_writer *w, const char *path, unsigned long line)
{
    yk_text text = { 0 };
    yk_text_add(&text, "#line %lu \"", line);
    yk_add_quoted(&text, path, strlen(path));
    yk_text_add(&text, "\"\n");
    yoke_status status = yk_write_text(w, &text);
    return status == YOKE_OK ? yk_write_map(w, path, line) : status;
}
