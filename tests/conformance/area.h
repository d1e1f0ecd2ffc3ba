/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Areas: memory of every kind that a copy can go from or to, each with guard bytes and with a mirror on the host of what it has to
 * hold. A move or a fill is done twice: by the library, in a stream, and here in the mirrors, with nothing but memcpy.
 */
#ifndef AREA_H
#define AREA_H

#include "suite.h"

typedef enum area_kind {
    AREA_DEVICE,   /* a view that is aligned */
    AREA_ODD_VIEW, /* a view of a view, both of which begin at an odd byte */
    AREA_MAPPED,
    AREA_SHARED,
    AREA_PINNED,
    AREA_OVER, /* yoke_buffer_create_from_host */
    AREA_PAGEABLE,
    AREA_KINDS
} area_kind;

typedef struct area {
    area_kind kind;
    yoke_buffer *whole;    /* with its guards; NULL for pageable memory */
    yoke_buffer *view;     /* the area in it; NULL for kinds that have no views */
    unsigned char *memory; /* the whole, for the host; NULL for the device's own memory */
    unsigned char *mirror; /* what the whole has to hold */
    size_t size, before, total;
} area;

extern const char *const area_names[AREA_KINDS];

/* Whether the device has this kind of memory. If not, asking for it is YOKE_E_UNSUPPORTED: checked. */
bool area_can(suite *t, area_kind kind);

/* Checked: false, and the case has failed, when it cannot be had. All of it, guards too, begins as random bytes. */
bool area_create(suite *t, area_kind kind, size_t size, uint32_t seed, area *out);
void area_release(area *a);

/* Other random bytes, through t->side where the host cannot write itself. Wait for your own streams first. */
bool area_set(suite *t, area *a, uint32_t seed);
/* Checked: every byte is what the mirror says. */
bool area_check(suite *t, const area *a);

/* The area's own bytes: in its mirror, and in its memory where the host has that. */
unsigned char *area_mirror(const area *a);
unsigned char *area_host(const area *a);

/* ---- Layouts on the host ---- */

/* With all pitches set, and height and depth at least 1. */
yoke_pitch layout_full(yoke_pitch layout, yoke_rect rect);
yoke_rect rect_full(yoke_rect rect);
/* One byte beyond the rect's last. Pitches have to be set. */
size_t layout_end(yoke_pitch layout, yoke_rect rect);
/* Where a row begins. Pitches have to be set. */
size_t layout_row(yoke_pitch layout, size_t y, size_t z);
/* Any byte is in both rects. Takes room for `size` bytes. */
bool layouts_overlap(yoke_pitch a, yoke_pitch b, yoke_rect rect, size_t size);

/* ---- Operations ---- */

/* One end of an operation. */
typedef struct side {
    area *area;
    yoke_pitch layout;    /* from the area's first byte */
    bool by_pointer;      /* its host pointer is given, not the buffer. Pageable memory has nothing else. */
    yoke_buffer *through; /* a view of the area to go through, and where it begins; may be NULL */
    size_t through_at;
} side;

/* `flat`: the call for one row, yoke_write rather than yoke_write_rect. */
typedef struct move {
    side target, source;
    yoke_rect rect;
    bool flat, sync;
} move;

typedef struct filling {
    side target;
    yoke_rect rect;
    bool flat;
    unsigned char pattern[16];
    size_t pattern_size;
} filling;

/* The library's part, and the mirrors'. */
yoke_status area_move(yoke_stream *stream, const move *m);
void area_move_mirror(const move *m);
yoke_status area_fill(yoke_stream *stream, const filling *f);
void area_fill_mirror(const filling *f);

#endif
