/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is released while the device still works with it, and used again: nobody's data may show up in anybody else's. Each
 * piece of memory is stamped with values of its own by a kernel and copied out; new owners try to spoil it meanwhile.
 */
#include "account.h"
#include "stand.h"

#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda =
    SPIN_CUDA "extern \"C\" __global__ void stamp(unsigned *x, unsigned n, unsigned value)\n"
              "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = value + i; }\n" ADD_CUDA;
static const char *const kernels_opencl = SPIN_OPENCL "__kernel void stamp(__global uint *x, uint n, uint value)\n"
                                                      "{ uint i = get_global_id(0); if (i < n) x[i] = value + i; }\n" ADD_OPENCL;

/* Most cases work with pieces of this many uint32_t. */
enum { COUNT = 16384, BYTES = COUNT * 4, GARBAGE = 0x99 };

static void stamp_host(uint32_t *x, uint32_t value)
{
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = value + i;
}

static bool stamp(suite *t, yoke_stream *stream, yoke_buffer *x, uint32_t value)
{
    return CHECK_OK(yoke_launch_n(stream, suite_kernel(t, "stamp"), COUNT, YOKE_ARGS(x, (uint32_t)COUNT, value)));
}

/* New owners of memory of the same size, plain, in the order of `stream` (may be NULL) and in that of another, who write to it at
 * once. */
static bool spoil(suite *t, yoke_stream *stream)
{
    static const uint32_t garbage = GARBAGE * 0x01010101u;
    enum { OWNERS = 9 };
    yoke_buffer *buffers[OWNERS] = { NULL };
    bool ok = true;

    for (int i = 0; i < OWNERS && ok; i++) {
        yoke_stream *mine = i % 3 == 1 && stream ? stream : t->side;

        ok = CHECK_OK(i % 3 == 0 ? yoke_buffer_create(t->device, BYTES, &buffers[i])
                                 : yoke_buffer_create_ordered(mine, BYTES, &buffers[i])) &&
             CHECK_OK(yoke_fill(mine, buffers[i], 0, BYTES, &garbage, 4));
    }
    ok = CHECK_OK(yoke_stream_wait(t->side)) && ok;
    for (int i = 0; i < OWNERS; i++)
        yoke_buffer_release(buffers[i]);
    return ok;
}

/* A buffer, and where its content is copied to. */
typedef struct piece {
    yoke_buffer *buffer;
    guarded out, busy;
} piece;

static bool piece_create(suite *t, piece *p)
{
    memset(p, 0, sizeof *p);
    return CHECK_OK(yoke_buffer_create(t->device, BYTES, &p->buffer)) && guarded_create(t, BYTES, &p->out) &&
           guarded_create(t, 8, &p->busy);
}

static bool piece_copy_out(yoke_stream *stream, const piece *p)
{
    return CHECK_OK(yoke_copy(stream, p->out.buffer, 0, p->buffer, 0, BYTES));
}

static void piece_let_go(piece *p)
{
    yoke_buffer_release(p->buffer);
    p->buffer = NULL;
}

static bool piece_check(suite *t, const piece *p, uint32_t value)
{
    uint32_t *wanted = memory_new(BYTES);

    stamp_host(wanted, value);
    bool ok = guarded_check(t, &p->out, wanted);
    memory_free(wanted);
    return ok;
}

static void piece_release(piece *p)
{
    piece_let_go(p);
    guarded_release(&p->out);
    guarded_release(&p->busy);
}

/* ---- One stream ---- */

/* Many in a row, each in what may be the memory of the one before, without a wait. */
static void in_the_order_of_one_stream(suite *t)
{
    enum { ROUNDS = 60 };
    uint32_t *wanted = memory_new(BYTES), *written = memory_new(ROUNDS * 64), *back = memory_new(ROUNDS * 64);
    yoke_buffer *buffer = NULL, *results = NULL;
    guarded busy = { 0 };

    fill_random(written, ROUNDS * 64, 5);
    NEED(guarded_create(t, 8, &busy));
    NEED_OK(yoke_buffer_create(t->device, ROUNDS * BYTES, &results));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        NEED_OK(yoke_buffer_create_ordered(t->stream, BYTES, &buffer));
        if (i % 8 == 0)
            NEED(suite_spin(t, t->stream, busy.buffer, i, 3, NULL));
        NEED(stamp(t, t->stream, buffer, 1000000 * i));
        NEED_OK(yoke_copy(t->stream, results, i * BYTES, buffer, 0, BYTES));
        NEED_OK(yoke_write(t->stream, buffer, 64 * i, (char *)written + 64 * i, 64)); /* nothing of this is early, either */
        NEED_OK(yoke_read(t->stream, (char *)back + 64 * i, buffer, 64 * i, 64));
        yoke_buffer_release(buffer);
        buffer = NULL;
    }
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, written, ROUNDS * 64);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t *got = memory_new(BYTES);

        stamp_host(wanted, 1000000 * i);
        bool ok = CHECK_OK(yoke_read_sync(t->stream, got, results, i * BYTES, BYTES)) && CHECK_BYTES(got, wanted, BYTES);
        memory_free(got);
        NEED(ok);
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(buffer);
    yoke_buffer_release(results);
    guarded_release(&busy);
    memory_free(back);
    memory_free(written);
    memory_free(wanted);
}

/* The stream is held from the first to the last: nothing of it has been given to the driver when the last buffer is released. */
static void in_the_order_of_a_held_stream(suite *t)
{
    enum { ROUNDS = 8 };
    piece pieces[ROUNDS];
    stand s = STAND_INIT;
    uint32_t made = 0;

    memset(pieces, 0, sizeof pieces);
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (uint32_t i = 0; i < ROUNDS; i++, made++) {
        piece *p = &pieces[i];

        if (!guarded_create(t, BYTES, &p->out) || !CHECK_OK(yoke_buffer_create_ordered(t->stream, BYTES, &p->buffer)))
            break;
        CHECK(stamp(t, t->stream, p->buffer, 77 * i));
        CHECK(piece_copy_out(t->stream, p));
        piece_let_go(p);
        CHECK(spoil(t, NULL));
    }
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    for (uint32_t i = 0; i < made; i++)
        piece_check(t, &pieces[i], 77 * i);
out:
    for (uint32_t i = 0; i < ROUNDS; i++)
        piece_release(&pieces[i]);
}

/* A stream that has failed gives no memory, and its failure leaves none behind. */
static void of_a_failed_stream(suite *t)
{
    yoke_buffer *buffer = (yoke_buffer *)t;
    piece p = { 0 };

    NEED_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(t->stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_buffer_create_ordered(t->stream, BYTES, &buffer));
    CHECK(buffer == NULL);
    CHECK_OK(yoke_stream_recover(t->stream));
    CHECK_OK(yoke_stream_cancel(t->stream));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_buffer_create_ordered(t->stream, BYTES, &buffer));
    CHECK(buffer == NULL);
    CHECK_OK(yoke_stream_recover(t->stream));
    NEED(guarded_create(t, BYTES, &p.out));
    NEED_OK(yoke_buffer_create_ordered(t->stream, BYTES, &p.buffer));
    NEED(stamp(t, t->stream, p.buffer, 4) && piece_copy_out(t->stream, &p));
    piece_let_go(&p);
    NEED_OK(yoke_stream_wait(t->stream));
    piece_check(t, &p, 4);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "stream", yoke_buffer_create_ordered(NULL, BYTES, &buffer));
out:
    piece_release(&p);
}

/* ---- Two streams ---- */

/* Both still read when it is released; one is done much earlier, or is held. */
static void used_in_two_streams(suite *t)
{
    yoke_stream *other = NULL;
    yoke_event *stamped = NULL;
    piece p = { 0 };
    guarded second = { 0 };
    uint32_t *wanted = memory_new(BYTES);

    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    NEED(guarded_create(t, BYTES, &second));
    for (uint32_t i = 0; i < 12; i++) {
        stand s = STAND_INIT;
        bool held = i % 3 == 2;

        NEED(piece_create(t, &p));
        NEED(stamp(t, t->stream, p.buffer, i));
        NEED_OK(yoke_event_record(t->stream, 0, &stamped));
        NEED_OK(yoke_stream_wait_event(other, stamped));
        if (held)
            CHECK_OK(yoke_host_call(other, stand_at_gate, &s, NULL));
        bool ok = suite_spin(t, i & 1 ? t->stream : other, p.busy.buffer, i, 8, NULL) && piece_copy_out(t->stream, &p) &&
                  CHECK_OK(yoke_copy(other, second.buffer, 0, p.buffer, 0, BYTES));
        piece_let_go(&p);
        ok = spoil(t, t->stream) && ok; /* ordered in a stream that has used it, while another one still does */
        if (held)
            gate_open(&s.leave);
        CHECK_OK(yoke_stream_wait(t->stream));
        CHECK_OK(yoke_stream_wait(other));
        stamp_host(wanted, i);
        NEED(ok && piece_check(t, &p, i) && guarded_check(t, &second, wanted));
        yoke_event_release(stamped);
        stamped = NULL;
        piece_release(&p);
    }
out:
    yoke_event_release(stamped);
    yoke_stream_release(other);
    guarded_release(&second);
    piece_release(&p);
    memory_free(wanted);
}

/* Made in one stream, and used in another behind an event: released before either has run. */
static void ordered_and_handed_on(suite *t)
{
    yoke_stream *other = NULL;
    yoke_event *made = NULL;
    piece p = { 0 };

    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    for (uint32_t i = 0; i < 20; i++) {
        NEED(piece_create(t, &p));
        piece_let_go(&p);
        NEED(suite_spin(t, t->stream, p.busy.buffer, i, 2, NULL));
        NEED_OK(yoke_buffer_create_ordered(t->stream, BYTES, &p.buffer));
        NEED_OK(yoke_event_record(t->stream, 0, &made));
        NEED_OK(yoke_stream_wait_event(other, made));
        yoke_event_release(made);
        made = NULL;
        NEED(stamp(t, other, p.buffer, 5 * i) && piece_copy_out(other, &p));
        piece_let_go(&p);
        NEED(spoil(t, t->stream));
        NEED_OK(yoke_stream_wait(other));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(piece_check(t, &p, 5 * i));
        piece_release(&p);
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_event_release(made);
    yoke_stream_release(other);
    piece_release(&p);
}

/* The same where nothing else is under way but the freeing of the same memory, in many streams at once, so that a driver is not
 * through with the last of them. */
static void made_in_idle_streams(suite *t)
{
    enum { STREAMS = 16, WORDS = 64, BYTES_EACH = WORDS * 4 };
    yoke_stream *idle[STREAMS] = { NULL };
    yoke_buffer *buffers[STREAMS] = { NULL };
    yoke_event *made = NULL;
    uint32_t back[WORDS];

    for (uint32_t round = 0; round < 20; round++) {
        for (int i = 0; i < STREAMS; i++)
            NEED_OK(yoke_stream_create(t->device, NULL, &idle[i]));
        for (int i = 0; i < STREAMS; i++) {
            NEED_OK(yoke_buffer_create_ordered(idle[i], BYTES_EACH, &buffers[i]));
            yoke_buffer_release(buffers[i]);
            NEED_OK(yoke_buffer_create_ordered(idle[i], BYTES_EACH, &buffers[i]));
            NEED_OK(yoke_event_record(idle[i], 0, &made));
            NEED_OK(yoke_stream_wait_event(t->stream, made));
            NEED_OK(yoke_fill(t->stream, buffers[i], 0, BYTES_EACH, &round, sizeof round));
            yoke_event_release(made);
            made = NULL;
        }
        for (int i = 0; i < STREAMS; i++) {
            NEED_OK(yoke_read_sync(t->stream, back, buffers[i], 0, BYTES_EACH));
            for (size_t k = 0; k < WORDS; k++)
                NEED(back[k] == round);
            yoke_buffer_release(buffers[i]);
            yoke_stream_release(idle[i]);
            buffers[i] = NULL;
            idle[i] = NULL;
        }
    }
out:
    yoke_event_release(made);
    for (int i = 0; i < STREAMS; i++) {
        yoke_buffer_release(buffers[i]);
        yoke_stream_release(idle[i]);
    }
}

/* ---- Who else holds on to it ---- */

static void released_while_a_view_lives(suite *t)
{
    yoke_buffer *view = NULL, *inner = NULL;
    uint32_t *wanted = memory_new(BYTES), *got = memory_new(BYTES);
    size_t offset = 4 * t->info.view_alignment;
    piece p = { 0 };

    NEED(piece_create(t, &p));
    NEED(stamp(t, t->stream, p.buffer, 6));
    NEED_OK(yoke_stream_wait(t->stream)); /* nothing but the view keeps it */
    NEED_OK(yoke_buffer_create_view(p.buffer, offset, 8192, &view));
    NEED_OK(yoke_buffer_create_view(view, offset, 4096, &inner));
    piece_let_go(&p);
    NEED(spoil(t, t->stream));
    yoke_buffer_release(view);
    view = NULL;
    NEED(spoil(t, t->stream));
    CHECK_OK(yoke_device_trim_memory(t->device, 0));
    stamp_host(wanted, 6);
    NEED_OK(yoke_read_sync(t->stream, got, inner, 0, 4096));
    CHECK_BYTES(got, wanted + 2 * offset / 4, 4096);
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(inner);
    yoke_buffer_release(view);
    piece_release(&p);
    memory_free(got);
    memory_free(wanted);
}

/* Trimming does not wait for the device, nor does it take what that still uses. */
static void trimmed_while_in_use(suite *t)
{
    piece p = { 0 };

    for (uint32_t i = 0; i < 6; i++) {
        NEED(piece_create(t, &p));
        NEED(stamp(t, t->stream, p.buffer, i));
        NEED(suite_spin(t, t->stream, p.busy.buffer, i, 8, NULL));
        NEED(piece_copy_out(t->stream, &p));
        piece_let_go(&p);
        CHECK_OK(yoke_device_trim_memory(t->device, 0));
        NEED(spoil(t, i & 1 ? t->stream : NULL));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(piece_check(t, &p, i));
        piece_release(&p);
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    piece_release(&p);
}

/* A thread that works with a buffer, through a reference of its own, while its creator lets go of it. */
typedef struct user {
    suite *t;
    yoke_stream *stream;
    yoke_kernel *add;
    piece *p;
    yoke_buffer *buffer;
    gate begun;
} user;

enum { ADDITIONS = 300 };

static void *work_with_it(void *argument)
{
    user *u = argument;

    for (uint32_t i = 0; i < ADDITIONS; i++) {
        CHECK_OK(yoke_launch_n(u->stream, u->add, COUNT, YOKE_ARGS(u->buffer, (uint32_t)COUNT, 3u)));
        gate_open(&u->begun);
    }
    CHECK_OK(yoke_copy(u->stream, u->p->out.buffer, 0, u->buffer, 0, BYTES));
    yoke_buffer_release(u->buffer);
    CHECK_OK(yoke_stream_wait(u->stream));
    return NULL;
}

static void released_beside_another_thread(suite *t)
{
    user u = { .t = t, .stream = t->stream, .add = suite_kernel(t, "add"), .begun = GATE_INIT };
    pthread_t thread;
    piece p = { 0 };

    NEED(piece_create(t, &p));
    NEED(stamp(t, t->stream, p.buffer, 9));
    u.p = &p;
    u.buffer = yoke_buffer_retain(p.buffer);
    if (!CHECK(pthread_create(&thread, NULL, work_with_it, &u) == 0)) {
        yoke_buffer_release(u.buffer);
        goto out;
    }
    gate_wait(&u.begun, ADDITIONS / 4);
    piece_let_go(&p);
    for (int i = 0; i < 10; i++)
        spoil(t, NULL);
    pthread_join(thread, NULL);
    piece_check(t, &p, 9 + ADDITIONS * 3);
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    piece_release(&p);
}

/* A stream that is gone no longer orders anything: what was released in it still is used again only when that is safe. */
static void the_stream_goes_first(suite *t)
{
    yoke_stream *stream = NULL;
    yoke_event *end = NULL;
    piece p = { 0 };

    for (uint32_t i = 0; i < 8; i++) {
        NEED(piece_create(t, &p));
        piece_let_go(&p);
        NEED_OK(yoke_stream_create(t->device, NULL, &stream));
        NEED_OK(yoke_buffer_create_ordered(stream, BYTES, &p.buffer));
        NEED(stamp(t, stream, p.buffer, i));
        NEED(suite_spin(t, stream, p.busy.buffer, i, 6, NULL));
        NEED(piece_copy_out(stream, &p));
        NEED_OK(yoke_event_record(stream, 0, &end));
        if (i & 1)
            piece_let_go(&p);
        yoke_stream_release(stream); /* what the driver was given still runs */
        stream = NULL;
        piece_let_go(&p);
        NEED(spoil(t, t->stream));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED_OK(yoke_event_wait(end));
        yoke_event_release(end);
        end = NULL;
        NEED(piece_check(t, &p, i));
        piece_release(&p);
    }
out:
    yoke_event_release(end);
    yoke_stream_release(stream);
    piece_release(&p);
}

/* ---- Many threads ---- */

enum { THREADS = 4, ROUNDS = 200, SLOT = 4096 }; /* a round's bytes in the results */

typedef struct worker {
    suite *t;
    yoke_kernel *stamp, *spin;
    uint32_t first; /* its values begin here */
    yoke_stream *stream, *other;
    yoke_buffer *results, *busy;
    pthread_t thread;
} worker;

/* Words in the buffer of a round: one of a few sizes, so that they meet each other's memory. */
static uint32_t round_count(uint32_t round)
{
    static const uint32_t counts[] = { 1024, 1024, 1500, 1024, 16384, 3000, 1500 };

    return counts[round % (sizeof counts / sizeof counts[0])];
}

/* Stamp it, copy the end of it out, perhaps through the other stream, and let it go. */
static bool play_round(worker *w, uint32_t round)
{
    uint32_t count = round_count(round), value = w->first + round * 100000;
    yoke_stream *last = round % 5 ? w->stream : w->other;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    bool done = false;

    if (round % 3)
        NEED_OK(yoke_buffer_create_ordered(w->stream, count * 4, &buffer));
    else
        NEED_OK(yoke_buffer_create(w->t->device, count * 4, &buffer));
    if (round % 16 == 3)
        NEED_OK(yoke_launch(w->stream, w->spin, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(w->busy, round, 300u)));
    NEED_OK(yoke_launch_n(w->stream, w->stamp, count, YOKE_ARGS(buffer, count, value)));
    if (last == w->other) {
        NEED_OK(yoke_event_record(w->stream, 0, &event));
        NEED_OK(yoke_stream_wait_event(w->other, event));
    }
    NEED_OK(yoke_copy(last, w->results, (size_t)round * SLOT, buffer, count * 4 - SLOT, SLOT));
    done = true;
out:
    yoke_event_release(event);
    yoke_buffer_release(buffer);
    return done && (round % 50 != 49 || CHECK_OK(yoke_stream_wait(w->stream)));
}

static void *play(void *argument)
{
    worker *w = argument;

    for (uint32_t round = 0; round < ROUNDS && play_round(w, round); round++)
        ;
    CHECK_OK(yoke_stream_wait(w->stream));
    CHECK_OK(yoke_stream_wait(w->other));
    return NULL;
}

static void check_results(worker *w)
{
    uint32_t *got = memory_new((size_t)ROUNDS * SLOT), wanted[SLOT / 4];
    bool ok = CHECK_OK(yoke_read_sync(w->t->side, got, w->results, 0, (size_t)ROUNDS * SLOT));

    for (uint32_t round = 0; round < ROUNDS && ok; round++) {
        for (uint32_t i = 0; i < SLOT / 4; i++)
            wanted[i] = w->first + round * 100000 + round_count(round) - SLOT / 4 + i;
        ok = CHECK_BYTES(got + (size_t)round * SLOT / 4, wanted, SLOT);
        if (!ok)
            tap_diag("that was round %u of the worker whose values begin at %u", round, w->first);
    }
    memory_free(got);
}

static void four_threads(suite *t)
{
    worker workers[THREADS];
    uint32_t started = 0;
    bool ready = true;

    memset(workers, 0, sizeof workers);
    for (uint32_t i = 0; i < THREADS; i++) {
        worker *w = &workers[i];

        w->t = t;
        w->stamp = suite_kernel(t, "stamp");
        w->spin = suite_kernel(t, "spin");
        w->first = i * 1000000000u;
        ready = ready && CHECK_OK(yoke_stream_create(t->device, NULL, &w->stream)) &&
                CHECK_OK(yoke_stream_create(t->device, NULL, &w->other)) &&
                CHECK_OK(yoke_buffer_create(t->device, (size_t)ROUNDS * SLOT, &w->results)) &&
                CHECK_OK(yoke_buffer_create(t->device, 8, &w->busy));
    }
    while (ready && started < THREADS && CHECK(pthread_create(&workers[started].thread, NULL, play, &workers[started]) == 0))
        started++;
    for (uint32_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        if (i < started)
            check_results(&workers[i]);
        yoke_stream_release(workers[i].stream);
        yoke_stream_release(workers[i].other);
        yoke_buffer_release(workers[i].results);
        yoke_buffer_release(workers[i].busy);
    }
}

int main(void)
{
    static const suite_case cases[] = {
        { "many in the order of one stream", in_the_order_of_one_stream, false },
        { "many in the order of a stream that is held", in_the_order_of_a_held_stream, false },
        { "in the order of a stream that has failed", of_a_failed_stream, false },
        { "used in two streams, and released at once", used_in_two_streams, false },
        { "made in one stream, used in another", ordered_and_handed_on, false },
        { "made in idle streams, used in another", made_in_idle_streams, false },
        { "released while a view lives", released_while_a_view_lives, false },
        { "trimmed while in use", trimmed_while_in_use, false },
        { "released while another thread uses it", released_beside_another_thread, false },
        { "released behind its stream", the_stream_goes_first, false },
        { "four threads, eight streams", four_threads, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "pool order test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
