/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/*
 * The scheduler of src/stream/deferred.c as a small model, and an exhaustive search of its executions: every short program, on
 * drivers with fewer queues than streams, with all concurrent steps interleaved in every possible way. start_fault and end check
 * the invariants. Then each part of the rule is removed in turn, and the search must find the resulting error.
 *
 *     A stream:        H, or a W that cannot be submitted
 *           DIRECT ----------------------------------------------> DEFERRED - F has returned, W for an event that failed, X
 *             ^                                                     | |                  |
 *             +----------- the worker finds its list empty ---------+ +------------------+----> FAILED
 *
 *     DIRECT    an enqueue submits the operation to the driver: it goes to the end of its stream's queue
 *     DEFERRED  an enqueue appends the operation to the list. The worker takes the front of the list: it submits K, R and W to the
 *               driver when their turn comes; for H it drains the stream, calls the function, and waits until the function returns
 *     FAILED    an enqueue is refused. Deferred operations are skipped, H is called with the failure, R completes with it
 *
 *     The driver has fewer queues than there are streams. It runs the operation at the head of a queue, and only that one: a wait
 *     there blocks everything after it in the queue, also of other streams.
 *
 *     K  a kernel, or a copy: an operation that only the driver can run
 *     H  a host function; F a host function that fails; I a host function that waits, inside, for an event
 *     R  records an event; W makes the stream wait for an event; both I and W only for events recorded before, on another stream
 *     X  cancels the stream; nothing is enqueued there later, since it would be refused
 *
 * The worker waits in software for an event that is deferred, or that belongs to another device. Before a host function, and
 * before an event that completes with a failure, the worker drains the stream: it waits, with a marker of its own in the driver's
 * queue, until the driver has done everything that this stream submitted.
 *
 * One thread enqueues. That is enough: an enqueue is one step here (gate.c shows why it may be), so several threads are equivalent
 * to one thread that enqueues in their order, and each order is its own program. Only a wait checks its event some time before.
 *
 * Not modelled: shortcuts that only wait less, work that fails on the device, recovery, out of memory, the end of idle threads.
 */
/* clang-format on */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../tap/tap.h"
#include "objects/stream_state.h"
#include "rule.h"
#include "search.h"

static enum rule {
    THE_RULE,
    WAITS_PARKED,    /* waits for events of deferred operations are submitted to the driver */
    NOTHING_HELD,    /* what comes behind a host function goes straight to the driver */
    OPEN_EARLY,      /* the gate is opened before the last deferred operation is submitted */
    CANCEL_DROPS,    /* a cancelled stream's list is thrown away */
    FAILURE_RETRIED, /* the worker runs an operation again that has failed */
    EVENTS_EARLY,    /* events behind a failure complete at once, without a drain */
    CANCEL_LATE,     /* whether the stream has failed is looked at before the drain, not after it */
    ONE_WORKER       /* for all streams */
} rule;

/* ---- The state ---- */

enum phase {
    AHEAD,   /* not yet enqueued */
    REFUSED, /* the enqueue failed */
    HELD,    /* in its stream's list */
    TAKEN,   /* by the worker */
    GIVEN,   /* in a queue of the driver */
    INSIDE,  /* the host function runs */
    DONE,
    FAILED /* not run, called with a failure, or complete with one */
};

enum step { BETWEEN, RUN, DRAINING, DRAINED, CALLING };

/* Of bytes only, without padding. What a stream holds needs no list here: it is what is HELD, in the program's order. */
struct state {
    uint8_t enqueued;          /* how far the program is */
    uint8_t called;            /* bits: the host functions that have been called */
    uint8_t cancelled;         /* bits: what a cancellation found waiting and must not start */
    uint8_t phase[MAX_LENGTH]; /* enum phase, of each operation */
    struct lane {
        yk_stream_state stream;
        uint8_t undrained; /* work has been submitted to the driver since the last drain */
        uint8_t step, op;  /* enum step of the worker, and the operation it is at */
        uint8_t well;      /* the stream had not failed when the worker looked last: a host function was called with that */
    } lanes[STREAMS];
    uint8_t queues[QUEUES][MAX_LENGTH]; /* operations, head first, each plus 1. A host function stands for its drain's marker. */
    uint8_t unused[6];
};
_Static_assert(sizeof(struct state) % 8 == 0, "search.h asks for it");

static const char deadlock[] = "deadlock", order[] = "out of order", behind_failure[] = "ran behind a failure",
                  no_reason[] = "failed for no reason", lost_call[] = "lost call", double_call[] = "doubled call";

/* A step's name: what happens, and to which operation (to which stream, when a gate opens). */
enum { ENQUEUE, ENQUEUE_LATE, TAKE, OPEN, GIVE, SKIP, WAITED, DRAIN, CALL_FUNCTION, RETURN, COMPLETE, DRIVER, MOVES };
#define MOVE(what, which) ((what) + MOVES * (which))

static bool has_complete(const struct state *state, unsigned i)
{
    return state->phase[i] == DONE || state->phase[i] == FAILED || state->phase[i] == REFUSED;
}

static bool is_call(unsigned i)
{
    enum kind kind = program.ops[i].kind;
    return kind == CALL || kind == CALL_FAILS || kind == CALL_WAITS;
}

static bool is_local(unsigned i)
{
    return place->device[program.ops[i].stream] == place->device[program.ops[program.ops[i].event].stream];
}

/* ---- What has to hold ---- */

/* Operation i starts (an event: completes), well or with a failure: what is wrong with that? */
static const char *start_fault(const struct state *state, unsigned i, bool well)
{
    bool failed_before = false, was_cancelled = false;
    for (unsigned j = 0; j < state->enqueued; j++) {
        if (program.ops[j].stream != program.ops[i].stream || state->phase[j] == REFUSED)
            continue;
        was_cancelled |= program.ops[j].kind == CANCEL;
        if (j >= i || program.ops[j].kind == CANCEL)
            continue;
        if (!has_complete(state, j))
            return order;
        if (program.ops[j].kind == WAIT && state->phase[j] == DONE && state->phase[program.ops[j].event] != DONE)
            return order;
        failed_before |= state->phase[j] == FAILED;
    }
    if (well && (failed_before || state->cancelled >> i & 1))
        return behind_failure;
    if (!well && !failed_before && !was_cancelled)
        return no_reason;
    return NULL;
}

/* No step is left. */
static const char *end(const void *at)
{
    const struct state *state = at;
    if (state->enqueued < program.length)
        return deadlock;
    for (unsigned i = 0; i < program.length; i++)
        if (!has_complete(state, i))
            return deadlock;
    for (unsigned s = 0; s < place->streams; s++)
        if (yk_stream_is_deferring(state->lanes[s].stream) || state->lanes[s].step != BETWEEN)
            return deadlock;
    for (unsigned i = 0; i < program.length; i++)
        if (is_call(i) && state->phase[i] != REFUSED && !(state->called >> i & 1))
            return lost_call;
    return NULL;
}

/* ---- Enqueueing ---- */

/* At the end of the queue of the operation's stream. */
static void push(struct state *state, unsigned i)
{
    uint8_t *slot = state->queues[place->queue[program.ops[i].stream]];
    while (*slot)
        slot++;
    *slot = (uint8_t)(i + 1);
}

static void give(struct state *state, unsigned i)
{
    push(state, i);
    state->phase[i] = GIVEN;
    state->lanes[program.ops[i].stream].undrained = true;
}

static void hold(struct state *state, unsigned i)
{
    state->phase[i] = HELD;
    struct lane *lane = &state->lanes[program.ops[i].stream];
    lane->stream = yk_stream_next(lane->stream, YK_STREAM_DEFER);
}

static void give_or_hold(struct state *state, unsigned i)
{
    if (yk_stream_route_of(state->lanes[program.ops[i].stream].stream, false) == YK_ROUTE_DEFER && rule != NOTHING_HELD)
        hold(state, i);
    else
        give(state, i);
}

/* `seen`: the event's phase, now or a while ago. */
static void enqueue_wait(struct state *state, unsigned i, enum phase seen)
{
    if (is_local(i) && (seen == GIVEN || (rule == WAITS_PARKED && seen != FAILED)))
        give_or_hold(state, i);
    else if (seen == DONE)
        state->phase[i] = DONE; /* nothing to wait for */
    else
        hold(state, i);
}

static void cancel(struct state *state, unsigned i)
{
    struct lane *lane = &state->lanes[program.ops[i].stream];
    lane->stream = yk_stream_next(lane->stream, YK_STREAM_FAIL);
    for (unsigned j = 0; j < i; j++) {
        if (program.ops[j].stream != program.ops[i].stream)
            continue;
        if (state->phase[j] == HELD || (state->phase[j] == TAKEN && is_call(j)))
            state->cancelled |= (uint8_t)(1u << j);
        if (rule == CANCEL_DROPS && state->phase[j] == HELD)
            state->phase[j] = FAILED;
    }
    state->phase[i] = DONE;
}

static void enqueue_steps(search *run, const struct state *state)
{
    unsigned i = state->enqueued;
    if (i == program.length)
        return;
    unsigned event = program.ops[i].event;
    struct state next = *state;
    next.enqueued++;
    if (program.ops[i].kind == CANCEL)
        cancel(&next, i);
    else if (yk_stream_route_of(state->lanes[program.ops[i].stream].stream, false) == YK_ROUTE_REFUSE ||
             (event != NO_EVENT && state->phase[event] == REFUSED))
        next.phase[i] = REFUSED; /* also where there is no event to wait for */
    else if (is_call(i))
        hold(&next, i);
    else if (program.ops[i].kind != WAIT)
        give_or_hold(&next, i);
    else
        enqueue_wait(&next, i, state->phase[event]);
    search_step(run, &next, MOVE(ENQUEUE, i), NULL);

    if (program.ops[i].kind == WAIT && next.phase[i] != REFUSED && state->phase[event] > TAKEN) {
        next = *state;
        next.enqueued++;
        enqueue_wait(&next, i, HELD);
        search_step(run, &next, MOVE(ENQUEUE_LATE, i), NULL);
    }
}

/* ---- The worker of a stream ---- */

static void finish(search *run, struct state *next, struct lane *lane, enum phase phase, unsigned what, const char *violation)
{
    unsigned i = lane->op;
    next->phase[i] = (uint8_t)phase;
    lane->step = BETWEEN;
    lane->op = 0;
    lane->well = false;
    search_step(run, next, MOVE(what, i), violation);
}

static void give_taken(search *run, struct state *next, struct lane *lane)
{
    give(next, lane->op);
    finish(run, next, lane, GIVEN, GIVE, NULL);
}

/* With the stream's lock held: the front of the list, or back to DIRECT. */
static void between(search *run, struct state *next, struct lane *lane, unsigned stream)
{
    unsigned i = 0, left = 0;
    for (unsigned j = program.length; j-- > 0;)
        if (program.ops[j].stream == stream && next->phase[j] == HELD) {
            i = j;
            left++;
        }
    if (!left) {
        lane->stream = yk_stream_next(lane->stream, YK_STREAM_EMPTY);
        search_step(run, next, MOVE(OPEN, stream), NULL);
        return;
    }
    for (unsigned s = 0; rule == ONE_WORKER && s < place->streams; s++)
        if (next->lanes[s].step != BETWEEN)
            return;
    if (rule == OPEN_EARLY && left == 1 && !is_call(i))
        lane->stream = yk_stream_next(lane->stream, YK_STREAM_EMPTY);
    next->phase[i] = TAKEN;
    lane->step = RUN;
    lane->op = (uint8_t)i;
    lane->well = !yk_stream_has_failed(lane->stream);
    search_step(run, next, MOVE(TAKE, i), NULL);
}

static void run_wait(search *run, struct state *next, struct lane *lane)
{
    enum phase event = next->phase[program.ops[lane->op].event];
    if (yk_stream_has_failed(lane->stream)) {
        finish(run, next, lane, FAILED, SKIP, NULL);
    } else if (is_local(lane->op) && (event == GIVEN || (rule == WAITS_PARKED && event < GIVEN))) {
        give_taken(run, next, lane);
    } else if (event == DONE || event == FAILED) {
        if (event == FAILED)
            lane->stream = yk_stream_next(lane->stream, YK_STREAM_FAIL);
        finish(run, next, lane, event, WAITED, NULL);
    }
}

static void call(search *run, struct state *next, struct lane *lane)
{
    unsigned i = lane->op;
    lane->well &= !yk_stream_has_failed(lane->stream) || rule == CANCEL_LATE;
    const char *violation = next->called >> i & 1 ? double_call : start_fault(next, i, lane->well);
    next->called |= (uint8_t)(1u << i);
    next->phase[i] = INSIDE;
    lane->step = CALLING;
    search_step(run, next, MOVE(CALL_FUNCTION, i), violation);
}

static void return_from(search *run, struct state *next, struct lane *lane)
{
    unsigned i = lane->op;
    bool fails = program.ops[i].kind == CALL_FAILS;
    if (program.ops[i].kind == CALL_WAITS && !has_complete(next, program.ops[i].event))
        return;
    if (fails)
        lane->stream = yk_stream_next(lane->stream, YK_STREAM_FAIL);
    if (fails && rule == FAILURE_RETRIED) {
        lane->step = RUN;
        next->phase[i] = TAKEN;
        search_step(run, next, MOVE(RETURN, i), NULL);
    } else {
        finish(run, next, lane, fails || !lane->well ? FAILED : DONE, RETURN, NULL);
    }
}

/* The driver is done with all that the stream gave it, as far as this operation asks for that. */
static void run_drained(search *run, struct state *next, struct lane *lane)
{
    if (is_call(lane->op))
        call(run, next, lane);
    else
        finish(run, next, lane, FAILED, COMPLETE, start_fault(next, lane->op, false));
}

static void run_taken(search *run, struct state *next, struct lane *lane)
{
    enum kind kind = program.ops[lane->op].kind;
    if (is_call(lane->op) || (kind == RECORD && yk_stream_has_failed(lane->stream))) {
        if (!lane->undrained || (kind == RECORD && rule == EVENTS_EARLY)) {
            run_drained(run, next, lane);
            return;
        }
        push(next, lane->op);
        lane->step = DRAINING;
        search_step(run, next, MOVE(DRAIN, lane->op), NULL);
    } else if (kind == WAIT) {
        run_wait(run, next, lane);
    } else if (yk_stream_has_failed(lane->stream)) {
        finish(run, next, lane, FAILED, SKIP, NULL);
    } else {
        give_taken(run, next, lane);
    }
}

static void worker_steps(search *run, const struct state *state, unsigned stream)
{
    struct state next = *state;
    struct lane *lane = &next.lanes[stream];
    switch ((enum step)lane->step) {
    case BETWEEN:
        if (yk_stream_is_deferring(lane->stream))
            between(run, &next, lane, stream);
        break;
    case RUN:
        run_taken(run, &next, lane);
        next = *state;
        if (yk_stream_has_failed(lane->stream) && lane->well &&
            (program.ops[lane->op].kind == KERNEL || program.ops[lane->op].kind == RECORD))
            give_taken(run, &next, lane); /* it had looked just before the cancellation */
        break;
    case DRAINING:
        break; /* until the marker has passed: driver_steps */
    case DRAINED:
        run_drained(run, &next, lane);
        break;
    case CALLING:
        return_from(run, &next, lane);
        break;
    }
}

/* ---- The driver ---- */

/* Only the head of a queue runs: strictly in the order in which work was enqueued. */
static void driver_steps(search *run, const struct state *state, unsigned queue)
{
    if (!state->queues[queue][0])
        return;
    unsigned i = state->queues[queue][0] - 1u;
    if (program.ops[i].kind == WAIT && !has_complete(state, program.ops[i].event))
        return;
    struct state next = *state;
    memmove(next.queues[queue], next.queues[queue] + 1, MAX_LENGTH - 1);
    next.queues[queue][MAX_LENGTH - 1] = 0;
    const char *violation = NULL;
    if (state->phase[i] == TAKEN) { /* a drain's marker */
        next.lanes[program.ops[i].stream].step = DRAINED;
        next.lanes[program.ops[i].stream].undrained = false;
    } else {
        next.phase[i] = DONE;
        if (program.ops[i].kind != WAIT)
            violation = start_fault(state, i, true);
    }
    search_step(run, &next, MOVE(DRIVER, i), violation);
}

static void steps(search *run, const void *at)
{
    const struct state *state = at;
    enqueue_steps(run, state);
    for (unsigned s = 0; s < place->streams; s++)
        worker_steps(run, state, s);
    for (unsigned q = 0; q < QUEUES; q++)
        driver_steps(run, state, q);
}

/* ---- All programs ---- */

static const struct search_model model = { sizeof(struct state), steps, end };

struct tally {
    search *run;
    unsigned long programs;
    const char *violation; /* the first one ends the search, with `program` and `place` as they were */
};

/* There are too many programs of the full length: of those, the ones in which every event is waited for and no more than one thing
 * fails. */
static bool is_wanted(void)
{
    unsigned events = 0, waited_for = 0, failures = 0;
    for (unsigned i = 0; i < program.length; i++) {
        events |= (unsigned)(program.ops[i].kind == RECORD) << i;
        waited_for |= program.ops[i].event == NO_EVENT ? 0 : 1u << program.ops[i].event;
        failures += program.ops[i].kind == CALL_FAILS || program.ops[i].kind == CANCEL;
    }
    return program.length < MAX_LENGTH || (events == waited_for && failures <= 1);
}

static void search_program(struct tally *tally, unsigned streams)
{
    static const struct state initial;
    if (!is_wanted())
        return;
    tally->programs++;
    for (size_t p = 0; p < sizeof placements / sizeof *placements && !tally->violation; p++) {
        place = &placements[p];
        if (place->streams == streams)
            tally->violation = search_from(tally->run, &initial);
    }
}

static void extend(struct tally *tally, unsigned at, unsigned streams);

static void extend_with(struct tally *tally, unsigned at, unsigned streams, enum kind kind, unsigned stream, unsigned event)
{
    if (tally->violation)
        return;
    program.ops[at].kind = kind;
    program.ops[at].stream = stream;
    program.ops[at].event = event;
    if (at + 1 == program.length)
        search_program(tally, stream == streams ? streams + 1 : streams);
    else
        extend(tally, at + 1, stream == streams ? streams + 1 : streams);
}

/* Every program that begins with the first `at` operations, which use this many streams. */
static void extend(struct tally *tally, unsigned at, unsigned streams)
{
    for (unsigned stream = 0; stream <= streams && stream < STREAMS; stream++) {
        bool is_cancelled = false;
        for (unsigned i = 0; i < at; i++)
            is_cancelled |= program.ops[i].kind == CANCEL && program.ops[i].stream == stream;
        if (is_cancelled)
            continue; /* no reference to enqueue with */
        extend_with(tally, at, streams, KERNEL, stream, NO_EVENT);
        extend_with(tally, at, streams, CALL, stream, NO_EVENT);
        extend_with(tally, at, streams, CALL_FAILS, stream, NO_EVENT);
        extend_with(tally, at, streams, RECORD, stream, NO_EVENT);
        if (stream < streams)
            extend_with(tally, at, streams, CANCEL, stream, NO_EVENT);
        for (unsigned i = 0; i < at && !tally->violation; i++)
            if (program.ops[i].kind == RECORD && program.ops[i].stream != stream) {
                extend_with(tally, at, streams, WAIT, stream, i);
                extend_with(tally, at, streams, CALL_WAITS, stream, i);
            }
    }
}

/* ---- Telling ---- */

/* "B:W1": on stream B, a wait for the event that operation 1 records. */
static const char *op_text(unsigned i)
{
    static char text[8];
    if (program.ops[i].event == NO_EVENT)
        snprintf(text, sizeof text, "%c:%c", 'A' + (char)program.ops[i].stream, "KHFIRWX"[program.ops[i].kind]);
    else
        snprintf(text, sizeof text, "%c:%c%u", 'A' + (char)program.ops[i].stream, "KHFIRWX"[program.ops[i].kind],
                 program.ops[i].event + 1);
    return text;
}

static void tell(const struct tally *tally)
{
    static const char *const texts[MOVES] = {
        "the program enqueues %s",
        "the program enqueues %s, having seen its event held",
        "the worker takes %s",
        "the worker opens stream %s",
        "the worker gives %s to the driver",
        "the worker skips %s",
        "the worker has waited, in software, for the event of %s",
        "the worker drains its stream before %s",
        "the worker calls %s",
        "%s returns",
        "%s completes with a failure",
        "the driver passes %s",
    };
    char line[160] = "";
    for (unsigned i = 0; i < program.length; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %u=%s", i + 1, op_text(i));
    tap_diag("%s, with %s:%s", tally->violation, place->name, line);
    const unsigned *moves;
    size_t count = search_path(tally->run, &moves);
    for (size_t m = 0; m < count; m++) {
        unsigned what = moves[m] % MOVES, which = moves[m] / MOVES;
        const char stream[] = { "ABC"[which % STREAMS], '\0' };
        snprintf(line, sizeof line, texts[what], what == OPEN ? stream : op_text(which));
        tap_diag("  %s", line);
    }
}

/* Search all programs with this rule; what is expected to be wrong with it is found, or nothing. */
static void try_rule(enum rule tried, const char *expected, const char *name)
{
    struct tally tally = { .run = search_new(&model) };
    rule = tried;
    for (unsigned length = 1; length <= MAX_LENGTH && !tally.violation; length++) {
        program.length = length;
        extend(&tally, 0, 0);
    }
    tap_is(tally.violation, expected, "%s: %s", name, expected ? expected : "nothing is wrong");
    tap_diag("%lu programs, %" PRIu64 " states", tally.programs, search_states(tally.run));
    if (tally.violation)
        tell(&tally);
    search_free(tally.run);
}

int main(void)
{
    tap_start(300);
    try_rule(THE_RULE, NULL, "the rule");
    try_rule(WAITS_PARKED, deadlock, "waits for deferred events parked in the driver");
    try_rule(NOTHING_HELD, order, "work behind a host function submitted to the driver");
    try_rule(OPEN_EARLY, order, "opened before the last deferred operation is submitted");
    try_rule(CANCEL_DROPS, lost_call, "a cancelled stream's list dropped");
    try_rule(FAILURE_RETRIED, double_call, "an operation that failed run again");
    try_rule(EVENTS_EARLY, order, "events behind a failure complete at once");
    try_rule(CANCEL_LATE, behind_failure, "a cancellation overlooked while draining");
    try_rule(ONE_WORKER, deadlock, "one worker for all streams");
    return tap_done();
}
