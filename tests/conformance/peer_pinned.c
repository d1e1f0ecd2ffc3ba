/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pinned memory of another device than the stream's, of the same backend or of another: by its buffer and by its pointer, in graphs
 * and in streams. A driver may know nothing of the other one's pinned memory, which is pageable for it. The suite runs this once
 * with the devices of all backends together.
 */
#include "peer.h"

#include <yoke/graph.h>

#include "stand.h"

static const yoke_source kernels = { .size = sizeof kernels, .name = "peer pinned test", .cuda = SPIN_CUDA, .opencl = SPIN_OPENCL };
static const yoke_source *const peer_source = &kernels;

enum { LARGEST = (1 << 20) + 4099, SIZES = 4 };
static const size_t sizes[SIZES] = { 96, 64 << 10, (64 << 10) + 8, LARGEST };

/* Device memory of `on`, and pinned memory of the other device. */
typedef struct place {
    suite *on, *other;
    guarded x, y, busy;
    yoke_buffer *pinned;
    unsigned char *host; /* of `pinned` */
    unsigned char *wanted;
} place;

static bool place_open(suite *on, suite *other, place *at)
{
    *at = (place){ .on = on, .other = other, .wanted = memory_new(LARGEST) };
    if (!guarded_create(on, LARGEST, &at->x) || !guarded_create(on, LARGEST, &at->y) || !guarded_create(on, 8, &at->busy) ||
        !CHECK_OK(yoke_buffer_create_pinned(other->device, LARGEST, &at->pinned)))
        return false;
    at->host = yoke_buffer_get_host(at->pinned);
    return true;
}

static void place_close(place *at)
{
    CHECK_OK(yoke_stream_wait(at->on->stream));
    yoke_buffer_release(at->pinned);
    guarded_release(&at->busy);
    guarded_release(&at->y);
    guarded_release(&at->x);
    memory_free(at->wanted);
}

/* Random bytes in the first `size` of x, others in y and in the pinned memory. */
static bool place_fill(place *at, size_t size, uint32_t seed)
{
    fill_random(at->wanted, size, seed + 1000);
    fill_random(at->host, size, seed + 2000);
    if (!CHECK_OK(yoke_write_sync(at->on->side, at->y.buffer, 0, at->wanted, size)))
        return false;
    fill_random(at->wanted, size, seed);
    return CHECK_OK(yoke_write_sync(at->on->side, at->x.buffer, 0, at->wanted, size));
}

/* They are everywhere. */
static bool place_check(place *at, size_t size)
{
    unsigned char *back = memory_new(size);
    bool ok = CHECK_BYTES(at->host, at->wanted, size) && CHECK_OK(yoke_read_sync(at->on->side, back, at->y.buffer, 0, size)) &&
              CHECK_BYTES(back, at->wanted, size) && CHECK_OK(yoke_read_sync(at->on->side, back, at->x.buffer, 0, size)) &&
              CHECK_BYTES(back, at->wanted, size);

    memory_free(back);
    return ok;
}

/* ---- Ways through the pinned memory ---- */

/* Out of x, and into y: a bit for each, whether it goes by the pointer, and whether as a rect. */
enum { OUT_BY_POINTER = 1, IN_BY_POINTER = 2, AS_BOX = 4, WAYS = 8 };

/* Each way with few bytes, some with many. */
static bool is_tried(unsigned i)
{
    unsigned way = i % WAYS;
    return sizes[i / WAYS] <= 64 << 10 ? true : way == 0 || way == IN_BY_POINTER || way == (AS_BOX | OUT_BY_POINTER);
}

/* Rows of 8 bytes, of which the first 7 are a rect's; the rest goes before. */
static bool go(place *at, yoke_stream *stream, size_t size, unsigned way)
{
    yoke_pitch rows = { 0, 8, 0 };
    yoke_rect rect = { 7, size / 8, 1 };
    bool ok = true;

    if (way & AS_BOX && way & OUT_BY_POINTER)
        ok = CHECK_OK(yoke_read(stream, at->host, at->x.buffer, 0, size)) &&
             CHECK_OK(yoke_read_rect(stream, at->host, rows, at->x.buffer, rows, rect));
    else if (way & AS_BOX)
        ok = CHECK_OK(yoke_copy(stream, at->pinned, 0, at->x.buffer, 0, size)) &&
             CHECK_OK(yoke_copy_rect(stream, at->pinned, rows, at->x.buffer, rows, rect));
    else if (way & OUT_BY_POINTER)
        ok = CHECK_OK(yoke_read(stream, at->host, at->x.buffer, 0, size));
    else
        ok = CHECK_OK(yoke_copy(stream, at->pinned, 0, at->x.buffer, 0, size));
    if (way & AS_BOX && way & IN_BY_POINTER)
        return ok && CHECK_OK(yoke_write_rect(stream, at->y.buffer, rows, at->host, rows, rect)) &&
               CHECK_OK(yoke_write(stream, at->y.buffer, 0, at->host, size));
    if (way & AS_BOX)
        return ok && CHECK_OK(yoke_copy_rect(stream, at->y.buffer, rows, at->pinned, rows, rect)) &&
               CHECK_OK(yoke_copy(stream, at->y.buffer, 0, at->pinned, 0, size));
    if (way & IN_BY_POINTER)
        return ok && CHECK_OK(yoke_write(stream, at->y.buffer, 0, at->host, size));
    return ok && CHECK_OK(yoke_copy(stream, at->y.buffer, 0, at->pinned, 0, size));
}

static void through_one_way(suite *on, suite *other, bool in_graph)
{
    place at;

    NEED(place_open(on, other, &at));
    for (unsigned i = 0; i < SIZES * WAYS; i++) {
        yoke_graph *graph = NULL;
        size_t size = sizes[i / WAYS];
        if (!is_tried(i))
            continue;
        bool ok = place_fill(&at, size, i);

        if (in_graph)
            ok = ok && CHECK_OK(yoke_graph_create(on->device, NULL, &graph)) && CHECK_OK(yoke_graph_begin(graph, on->stream));
        ok = ok && suite_spin(on, on->stream, at.busy.buffer, i, 4, NULL) && go(&at, on->stream, size, i % WAYS);
        if (in_graph)
            ok = ok && CHECK_OK(yoke_graph_end(graph)) && CHECK_OK(yoke_graph_launch(on->stream, graph));
        ok = CHECK_OK(yoke_stream_wait(on->stream)) && ok && place_check(&at, size);
        yoke_graph_release(graph);
        if (!ok)
            tap_diag("with %zu bytes, out by the %s, in by the %s%s", size, i & OUT_BY_POINTER ? "pointer" : "buffer",
                     i & IN_BY_POINTER ? "pointer" : "buffer", i & AS_BOX ? ", as rects" : "");
        NEED(ok);
    }
out:
    place_close(&at);
}

static void in_graphs(suite *t, suite *p)
{
    through_one_way(t, p, true);
    through_one_way(p, t, true);
}

static void in_streams(suite *t, suite *p)
{
    through_one_way(t, p, false);
    through_one_way(p, t, false);
}

/* A change puts pinned memory of the one device where that of the other was, and back. */
static void changed_one_way(suite *on, suite *other)
{
    enum { SIZE = 4096 };
    yoke_buffer *own = NULL;
    yoke_graph *graph = NULL;
    place at;

    NEED(place_open(on, other, &at));
    NEED_OK(yoke_buffer_create_pinned(on->device, LARGEST, &own));
    NEED_OK(yoke_graph_create(on->device, NULL, &graph));
    NEED_OK(yoke_graph_begin(graph, on->stream));
    NEED(suite_spin(on, on->stream, at.busy.buffer, 1, 4, NULL));
    NEED_OK(yoke_copy(on->stream, own, 0, at.x.buffer, 0, SIZE));
    NEED_OK(yoke_copy(on->stream, at.y.buffer, 0, own, 0, SIZE));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t i = 0; i < 4; i++) {
        yoke_buffer *through = i % 2 ? own : at.pinned;
        NEED(place_fill(&at, SIZE, i));
        NEED_OK(yoke_graph_set_copy(graph, 1, through, 0, at.x.buffer, 0, SIZE));
        NEED_OK(yoke_graph_set_copy(graph, 2, at.y.buffer, 0, through, 0, SIZE));
        NEED_OK(yoke_graph_launch(on->stream, graph));
        NEED_OK(yoke_stream_wait(on->stream));
        memcpy(at.host, yoke_buffer_get_host(through), SIZE);
        NEED(place_check(&at, SIZE));
    }
out:
    yoke_graph_release(graph);
    yoke_buffer_release(own);
    place_close(&at);
}

static void changed(suite *t, suite *p)
{
    changed_one_way(t, p);
    changed_one_way(p, t);
}

/* ---- Calls that come back ---- */

static void at_a_gate_one_way(suite *on, suite *other)
{
    place at;

    NEED(place_open(on, other, &at));
    for (unsigned i = 0; i < SIZES * WAYS; i++) {
        stand s = STAND_INIT;
        if (!is_tried(i))
            continue;
        NEED(place_fill(&at, sizes[i / WAYS], i));
        NEED_OK(yoke_host_call(on->stream, stand_at_gate, &s, NULL));
        gate_wait(&s.inside, 1);
        bool ok = go(&at, on->stream, sizes[i / WAYS], i % WAYS);
        gate_open(&s.leave);
        NEED_OK(yoke_stream_wait(on->stream));
        NEED(ok && place_check(&at, sizes[i / WAYS]));
    }
out:
    place_close(&at);
}

static void at_a_gate(suite *t, suite *p)
{
    at_a_gate_one_way(t, p);
    at_a_gate_one_way(p, t);
}

/* Behind kernels that run for a while, each time for longer, since other processes may have been in the way when their speed was
 * measured: in one of some tries the call has to be back before they are done. */
static bool comes_back(place *at, size_t size, bool out)
{
    yoke_stream *stream = at->on->stream;
    yoke_event *done = NULL;
    bool early = false;

    for (uint32_t tries = 0; tries < 5 && !early; tries++) {
        for (uint32_t i = 0; i < 4; i++)
            NEED(suite_spin(at->on, stream, at->busy.buffer, tries, 20u << tries, NULL));
        NEED_OK(yoke_event_record(stream, 0, &done));
        if (size > 0 && out)
            NEED_OK(yoke_copy(stream, at->pinned, 0, at->x.buffer, 0, size));
        else if (size > 0)
            NEED_OK(yoke_copy(stream, at->y.buffer, 0, at->pinned, 0, size));
        early = yoke_event_query(done) == YOKE_PENDING && yoke_event_query(done) == YOKE_PENDING;
        yoke_event_release(done);
        done = NULL;
        NEED_OK(yoke_stream_wait(stream));
    }
out:
    yoke_event_release(done);
    return early;
}

static void behind_a_kernel_one_way(suite *on, suite *other)
{
    place at;

    NEED(place_open(on, other, &at));
    if (!comes_back(&at, 0, false)) {
        suite_skip("the driver of %s runs kernels inside its calls", on->info.selector);
        goto out;
    }
    for (unsigned i = 0; i < SIZES; i++) {
        NEED(place_fill(&at, sizes[i], i));
        bool back = comes_back(&at, sizes[i], true) && comes_back(&at, sizes[i], false);
        if (!back)
            tap_diag("a copy of %zu bytes on %s waits for the kernel before it", sizes[i], on->info.selector);
        NEED(CHECK(back) && place_check(&at, sizes[i]));
    }
out:
    place_close(&at);
}

static void behind_a_kernel(suite *t, suite *p)
{
    behind_a_kernel_one_way(t, p);
    behind_a_kernel_one_way(p, t);
}

/* ---- Released in use ---- */

/* Memory that the other device's driver still copies from is given to nobody else, who would write to it at once. */
static void released_one_way(suite *on, suite *other, bool in_graph)
{
    yoke_buffer *pinned = NULL, *next = NULL;
    yoke_graph *graph = NULL;
    place at;

    NEED(place_open(on, other, &at));
    for (uint32_t i = 0; i < 8; i++) {
        size_t size = sizes[i % SIZES];
        NEED(place_fill(&at, size, i));
        NEED_OK(yoke_buffer_create_pinned(other->device, size, &pinned));
        memcpy(yoke_buffer_get_host(pinned), at.wanted, size);
        if (in_graph) {
            NEED_OK(yoke_graph_create(on->device, NULL, &graph));
            NEED_OK(yoke_graph_begin(graph, on->stream));
        }
        NEED(suite_spin(on, on->stream, at.busy.buffer, i, 4, NULL));
        NEED_OK(yoke_copy(on->stream, at.y.buffer, 0, pinned, 0, size));
        if (in_graph) {
            NEED_OK(yoke_graph_end(graph));
            NEED_OK(yoke_graph_launch(on->stream, graph));
            yoke_graph_release(graph);
            graph = NULL;
        }
        yoke_buffer_release(pinned);
        pinned = NULL;
        NEED_OK(yoke_buffer_create_pinned(other->device, size, &next));
        memset(yoke_buffer_get_host(next), 0x99, size);
        NEED_OK(yoke_stream_wait(on->stream));
        memcpy(at.host, at.wanted, size);
        NEED(place_check(&at, size));
        yoke_buffer_release(next);
        next = NULL;
    }
out:
    CHECK_OK(yoke_stream_wait(on->stream));
    yoke_graph_release(graph);
    yoke_buffer_release(next);
    yoke_buffer_release(pinned);
    place_close(&at);
}

static void released_in_use(suite *t, suite *p)
{
    released_one_way(t, p, false);
    released_one_way(p, t, false);
}

static void released_in_a_graph(suite *t, suite *p)
{
    released_one_way(t, p, true);
    released_one_way(p, t, true);
}

#define PEER_CASES(X)                                                   \
    X(in_graphs, "in graphs, out and in")                               \
    X(changed, "put into a graph by a change")                          \
    X(in_streams, "in streams, out and in")                             \
    X(at_a_gate, "calls behind a host function at a gate return")       \
    X(behind_a_kernel, "calls behind a kernel return")                  \
    X(released_in_use, "released while the other device's copy is due") \
    X(released_in_a_graph, "released with the graph that uses it")
PEER_CASES(PEER_BOTH)

int main(void)
{
    static const suite_case cases[] = { PEER_CASES(PEER_ENTRIES) };
    return SUITE_MAIN(cases, peer_source);
}
