/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mistakes for YOKE_VALIDATE to find. Each is a function that is played twice: first right, when nothing may be reported, then
 * wrong, when one thing must be. The two differ in one call.
 */
#ifndef SCENE_H
#define SCENE_H

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>
#include <yoke/image.h>
#include <yoke/native.h>

#include "../conformance/suite.h"

enum { BYTES = 4096, HALF = BYTES / 2, WORDS = BYTES / 4 };

/* What a mistake plays with. */
typedef struct scene {
    suite *t;
    bool right;
    yoke_stream *a, *b, *c;
    yoke_buffer *x, *y, *z;      /* of BYTES; x and y are filled */
    unsigned char *host, *other; /* of BYTES */
    sem_t go, told;
} scene;

typedef struct mistake {
    const char *name, *check; /* check: that finds it */
    void (*play)(scene *s);
    int capability; /* that it needs, or -1 */
} mistake;

typedef struct mistakes {
    const mistake *list;
    size_t count;
} mistakes;

extern const mistakes race_mistakes, function_mistakes, graph_mistakes, memory_mistakes;

/* The stream waits for what is in the other stream by now. Each call is a place of its own in reports. */
#define scene_follow(...) scene_follow_at(YOKE_HERE, __VA_ARGS__)
void scene_follow_at(const char *where, yoke_stream *stream, yoke_stream *other);
/* Only in the right one: b waits for a. */
void scene_order(scene *s);

/* out = in of words, and x += 1, by kernels; x = 7. */
#define scene_move(...) scene_move_at(YOKE_HERE, __VA_ARGS__)
#define scene_bump(...) scene_bump_at(YOKE_HERE, __VA_ARGS__)
#define scene_fill(...) scene_fill_at(YOKE_HERE, __VA_ARGS__)
void scene_move_at(const char *where, scene *s, yoke_stream *stream, yoke_buffer *out, yoke_buffer *in);
void scene_bump_at(const char *where, scene *s, yoke_stream *stream, yoke_buffer *x);
void scene_fill_at(const char *where, yoke_stream *stream, yoke_buffer *x, size_t begin, size_t size);

/* A host function that stands in the stream until scene_go. */
void scene_hold(scene *s, yoke_stream *stream);
void scene_go(scene *s);

#endif
