/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate of src/stream/enqueue.h and gate.c, and what deferred.c does with it, one atomic step at a time: several threads enqueue
 * to one stream, defer, carry and cancel, its worker runs what is deferred and opens the gate again. States and routes are those of
 * src/objects/stream_state.h, compiled in here. The search shows that an enqueue may be taken as one step, which rule.c does: it
 * goes either straight to the driver, in front of everything deferred, or to the end of the list.
 *
 *     enqueue   count oneself in; when the gate was open: submit, count the operation, count oneself out. When it was closed: count
 *               oneself out, and with the lock: refused, or deferred, or the gate has been opened meanwhile: try again
 *     defer     with the lock: close the gate, wait until nobody is on the way, then put the operation into the list
 *     carry     the same, but run the operation without the lock, on this thread; with the lock: when the list is empty, open
 *     worker    with the lock: take the front; run it; with the lock: when the list is empty, open the gate
 *
 * Steps follow each other in one order that everybody sees: weak memory is not modelled, the thread sanitizer looks for that.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "objects/stream_state.h"

#include "../tap/tap.h"
#include "search.h"

enum { THREADS = 3, OPS_EACH = 2, OPS = THREADS * OPS_EACH };

/* NOTHING ends a thread. KERNEL and RECORD differ in what the program's thread does when the gate was closed. */
enum kind { NOTHING, KERNEL, RECORD, CALL, CALL_FAILS, CANCEL, CARRY, KINDS };

/* Each thread enqueues its two; operation i is the thread's i / OPS_EACH. */
static enum kind program[OPS];

static enum rule {
    THE_RULE,
    NO_WAIT,       /* who closes the gate to hold something does not wait for those on their way */
    FAIL_NO_WAIT,  /* nor does who closes it since the stream fails */
    STAY_IN,       /* who finds the gate closed stays counted in */
    LOOK_FIRST,    /* an enqueue looks at the gate first, and then counts itself in */
    COUNT_LATE,    /* an operation is counted after the gate has been left */
    OPEN_UNLOCKED, /* the worker opens the gate when it has let go of the lock */
    TAKE_CARRIED,  /* the worker does not wait for a caller that carries */
    CARRY_ALWAYS,  /* a caller carries also when operations are deferred */
    DROP_BEHIND,   /* who has carried opens the gate though operations have been deferred meanwhile */
    FORGIVE        /* the end of the list is the end of a failure */
} rule;

enum phase { AHEAD, REFUSED, HELD, TAKEN, GIVEN, CALLED, SKIPPED };
enum thread_step { START, LOOKED, BACK, CLOSED, ENTERED, COUNT, LEAVE, COUNT_BEHIND, CLOSING, CARRYING, CARRIED };
enum worker_step { BETWEEN, RUN, RETURN, OPEN };

struct state {
    uint8_t closed, busy;   /* the gate: its bit, and how many are on their way */
    uint8_t locked;         /* stream->lock, by a thread: plus 1 */
    yk_stream_state stream; /* protected by it */
    uint8_t given, counted; /* operations that were submitted to the driver, and those of them that stream->given counts */
    uint8_t worker, op;     /* enum worker_step, and the operation that it is at */
    struct {
        uint8_t step, op; /* enum thread_step, and how far the thread is */
    } threads[THREADS];
    uint8_t list[OPS]; /* front first, each plus 1 */
    uint8_t phase[OPS];
    uint8_t ruined; /* the stream has failed, whatever its state says */
    uint8_t unused[1];
};
_Static_assert(sizeof(struct state) % 8 == 0, "search.h asks for it");

/* The stream's next state, by the library's function or, where that is what the rule changes, by another. */
static void happens(struct state *state, yk_stream_event event)
{
    bool wrong = rule == FORGIVE && event == YK_STREAM_EMPTY;
    state->ruined |= event == YK_STREAM_FAIL;
    state->stream = yk_stream_next(state->stream, event);
    if (wrong)
        state->stream.fate = YK_STREAM_WELL;
}

/* The list is empty: open the gate, if nothing else keeps it closed. */
static void open_gate(struct state *state)
{
    if (yk_stream_gate_is_open(state->stream, false))
        state->closed = false;
}

static const char deadlock[] = "deadlock", both_ways[] = "both before and behind", behind_failure[] = "ran behind a failure",
                  not_drained[] = "drain misses an operation", at_once[] = "two operations run at once";

/* A step's name: who (a thread, or THREADS for the worker), what, and the operation. */
enum {
    ENTER,
    LOOK,
    TURN_BACK,
    SLOW,
    GIVE,
    COUNTING,
    LEAVING,
    CLOSE,
    HOLD,
    RUNS,
    ENDS,
    TAKE,
    WORK,
    FUNCTION_RETURNS,
    FINISH,
    OPENS,
    MOVES
};
#define MOVE(what, who, op) ((what) + MOVES * ((who) + (THREADS + 1) * (op)))

/* ---- What has to hold ---- */

/* A thread gives an operation straight to the driver. While something is held, that is wrong: the operation was let through in
 * front of it, and runs behind it. So it is once the stream has failed, as soon as who made it fail has let go of the lock. */
static const char *give_fault(const struct state *state)
{
    if (yk_stream_is_deferring(state->stream))
        return both_ways;
    return state->ruined && !state->locked ? behind_failure : NULL;
}

static const char *end(const void *at)
{
    const struct state *state = at;
    for (unsigned t = 0; t < THREADS; t++)
        if (state->threads[t].op < OPS_EACH && program[t * OPS_EACH + state->threads[t].op] != NOTHING)
            return deadlock;
    if (state->locked || yk_stream_is_deferring(state->stream) || state->busy || state->list[0] || state->worker != BETWEEN ||
        state->closed == yk_stream_gate_is_open(state->stream, false))
        return deadlock;
    return NULL;
}

/* ---- The threads of the program ---- */

struct actor {
    search *run;
    struct state *next;
    unsigned thread, op;
};

static void put(struct actor *actor, unsigned what, const char *violation)
{
    search_step(actor->run, actor->next, MOVE(what, actor->thread, actor->op), violation);
}

static void thread_at(struct actor *actor, enum thread_step step)
{
    actor->next->threads[actor->thread].step = (uint8_t)step;
}

static void thread_done(struct actor *actor)
{
    thread_at(actor, START);
    actor->next->threads[actor->thread].op++;
}

static void append(struct state *next, unsigned i)
{
    unsigned end_of_list = 0;
    while (next->list[end_of_list])
        end_of_list++;
    next->list[end_of_list] = (uint8_t)(i + 1);
    next->phase[i] = HELD;
}

/* The gate was closed: yk_stream_enqueue_closed, or the second half of yk_stream_record. */
static void enqueue_closed(struct actor *actor)
{
    struct state *next = actor->next;
    const char *violation = NULL;
    if (next->locked)
        return;
    switch (yk_stream_route_of(next->stream, false)) {
    case YK_ROUTE_REFUSE:
        next->phase[actor->op] = REFUSED;
        break;
    case YK_ROUTE_DEFER:
        append(next, actor->op);
        break;
    case YK_ROUTE_AGAIN:
    case YK_ROUTE_SUBMIT:
    case YK_ROUTE_RECORD:
        if (program[actor->op] == KERNEL) {
            thread_at(actor, START);
            put(actor, SLOW, NULL);
            return;
        }
        violation = give_fault(next);
        next->phase[actor->op] = GIVEN; /* an event, which is not counted */
    }
    thread_done(actor);
    put(actor, SLOW, violation);
}

static void enqueue_step(struct actor *actor)
{
    struct state *next = actor->next;
    const char *violation = NULL;
    switch ((enum thread_step)next->threads[actor->thread].step) {
    case START:
        if (rule == LOOK_FIRST) {
            thread_at(actor, next->closed ? CLOSED : LOOKED);
            put(actor, LOOK, NULL);
            return;
        }
        next->busy++;
        thread_at(actor, next->closed ? BACK : ENTERED);
        put(actor, ENTER, NULL);
        return;
    case LOOKED:
        next->busy++;
        thread_at(actor, ENTERED);
        put(actor, ENTER, NULL);
        return;
    case BACK:
        next->busy -= rule != STAY_IN;
        thread_at(actor, CLOSED);
        put(actor, TURN_BACK, NULL);
        return;
    case CLOSED:
        enqueue_closed(actor);
        return;
    case ENTERED:
        violation = give_fault(next);
        next->phase[actor->op] = GIVEN;
        next->given += program[actor->op] == KERNEL;
        thread_at(actor, program[actor->op] == RECORD || rule == COUNT_LATE ? LEAVE : COUNT);
        put(actor, GIVE, violation);
        return;
    case COUNT:
        next->counted++;
        thread_at(actor, LEAVE);
        put(actor, COUNTING, NULL);
        return;
    case LEAVE:
        next->busy--;
        if (rule == COUNT_LATE && program[actor->op] == KERNEL)
            thread_at(actor, COUNT_BEHIND);
        else
            thread_done(actor);
        put(actor, LEAVING, NULL);
        return;
    case COUNT_BEHIND:
        next->counted++;
        thread_done(actor);
        put(actor, COUNTING, NULL);
        return;
    case CLOSING:
    case CARRYING:
    case CARRIED:
        return;
    }
}

/* The second half of yk_stream_run_by_caller. */
static void carry_step(struct actor *actor)
{
    struct state *next = actor->next;
    if (next->threads[actor->thread].step == CARRYING) {
        next->phase[actor->op] = GIVEN;
        next->given++;
        next->counted++;
        thread_at(actor, CARRIED);
        put(actor, RUNS, next->worker == BETWEEN ? NULL : at_once);
        return;
    }
    if (next->locked)
        return;
    happens(next, YK_STREAM_CARRY_END);
    if (!next->list[0] || rule == DROP_BEHIND)
        happens(next, YK_STREAM_EMPTY);
    open_gate(next);
    thread_done(actor);
    put(actor, ENDS, NULL);
}

/* yk_stream_defer, yk_stream_fail, and the first half of yk_stream_run_by_caller. */
static void close_step(struct actor *actor)
{
    struct state *next = actor->next;
    bool cancels = program[actor->op] == CANCEL, carries = program[actor->op] == CARRY;
    if (next->threads[actor->thread].step == CLOSING) {
        if (next->busy && rule != (cancels ? FAIL_NO_WAIT : NO_WAIT))
            return;
    } else {
        if (next->locked)
            return;
        if (!yk_stream_has_failed(next->stream) && !next->closed) {
            next->closed = true;
            if (cancels)
                happens(next, YK_STREAM_FAIL);
            next->locked = (uint8_t)(actor->thread + 1);
            thread_at(actor, CLOSING);
            put(actor, CLOSE, NULL);
            return;
        }
    }
    next->locked = 0;
    if (cancels) {
        happens(next, YK_STREAM_FAIL);
    } else if (yk_stream_has_failed(next->stream)) {
        next->phase[actor->op] = REFUSED;
    } else if (carries && (yk_stream_can(next->stream, YK_STREAM_CARRY) || rule == CARRY_ALWAYS)) {
        happens(next, YK_STREAM_CARRY);
        thread_at(actor, CARRYING);
        put(actor, HOLD, NULL);
        return;
    } else {
        happens(next, YK_STREAM_DEFER);
        append(next, actor->op);
    }
    thread_done(actor);
    put(actor, HOLD, NULL);
}

/* ---- The worker ---- */

static void take(struct actor *worker)
{
    struct state *next = worker->next;
    if (next->locked || !yk_stream_is_deferring(next->stream) ||
        (next->stream.work == YK_STREAM_CARRIED && (rule != TAKE_CARRIED || !next->list[0])))
        return;
    if (!next->list[0]) {
        happens(next, YK_STREAM_EMPTY);
        if (rule == OPEN_UNLOCKED)
            next->worker = OPEN;
        else
            open_gate(next);
        put(worker, rule == OPEN_UNLOCKED ? FINISH : OPENS, NULL);
        return;
    }
    worker->op = next->op = next->list[0] - 1;
    memmove(next->list, next->list + 1, OPS - 1);
    next->list[OPS - 1] = 0;
    next->phase[next->op] = TAKEN;
    next->worker = RUN;
    put(worker, TAKE, NULL);
}

static void run_taken(struct actor *worker)
{
    struct state *next = worker->next;
    enum kind kind = program[worker->op];
    const char *violation = NULL;
    next->worker = BETWEEN;
    next->op = 0;
    if (kind == CALL || kind == CALL_FAILS) {
        violation = next->given != next->counted ? not_drained : NULL;
        next->phase[worker->op] = CALLED;
        next->worker = RETURN;
        next->op = (uint8_t)worker->op;
    } else if (yk_stream_has_failed(next->stream)) {
        next->phase[worker->op] = SKIPPED;
    } else {
        next->phase[worker->op] = GIVEN;
        next->given += kind == KERNEL;
        next->counted += kind == KERNEL;
    }
    put(worker, WORK, violation);
}

static void worker_step(struct actor *worker)
{
    struct state *next = worker->next;
    worker->op = next->op;
    switch ((enum worker_step)next->worker) {
    case BETWEEN:
        take(worker);
        return;
    case RUN:
        run_taken(worker);
        return;
    case RETURN:
        if (program[worker->op] == CALL_FAILS && next->locked)
            return;
        if (program[worker->op] == CALL_FAILS)
            happens(next, YK_STREAM_FAIL);
        next->worker = BETWEEN;
        next->op = 0;
        put(worker, FUNCTION_RETURNS, NULL);
        return;
    case OPEN:
        open_gate(next);
        next->worker = BETWEEN;
        put(worker, OPENS, NULL);
        return;
    }
}

static void steps(search *run, const void *at)
{
    const struct state *state = at;
    struct state next;
    for (unsigned t = 0; t < THREADS; t++) {
        struct actor actor = { run, &next, t, t * OPS_EACH + state->threads[t].op };
        enum kind kind = state->threads[t].op < OPS_EACH ? program[actor.op] : NOTHING;
        next = *state;
        if (kind == KERNEL || kind == RECORD)
            enqueue_step(&actor);
        else if (state->threads[t].step >= CARRYING)
            carry_step(&actor);
        else if (kind != NOTHING)
            close_step(&actor);
    }
    next = *state;
    worker_step(&(struct actor){ run, &next, THREADS, 0 });
}

/* ---- All programs ---- */

static const struct search_model model = { sizeof(struct state), steps, end };

static void tell(const search *run, const char *violation)
{
    static const char *const texts[MOVES] = {
        "counts itself in, for",
        "looks at the gate, for",
        "found the gate closed and counts itself out, for",
        "enqueues with the lock",
        "gives to the driver",
        "counts",
        "counts itself out, having given",
        "closes the gate, for",
        "is done with",
        "carries",
        "has carried",
        "takes",
        "runs",
        "returns from",
        "finds nothing held",
        "opens the gate",
    };
    char line[80] = "";
    for (unsigned i = 0; i < OPS; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%c", i % OPS_EACH ? "" : " ", "-KRHFXC"[program[i]]);
    tap_diag("%s, with the threads%s", violation, line);
    const unsigned *moves;
    size_t count = search_path(run, &moves);
    for (size_t m = 0; m < count; m++) {
        unsigned what = moves[m] % MOVES, who = moves[m] / MOVES % (THREADS + 1), op = moves[m] / MOVES / (THREADS + 1);
        if (who < THREADS)
            snprintf(line, sizeof line, "thread %u", who + 1);
        else
            snprintf(line, sizeof line, "the worker");
        if (what < FINISH)
            tap_diag("  %s %s %c%u", line, texts[what], "-KRHFXC"[program[op]], op + 1);
        else
            tap_diag("  %s %s", line, texts[what]);
    }
}

/* Threads are alike, so of programs that differ only in which thread does what, one is enough. */
static bool is_wanted(unsigned length)
{
    for (unsigned i = 0; i < OPS; i++)
        length -= program[i] != NOTHING;
    if (length)
        return false;
    for (unsigned t = 0; t < OPS; t += OPS_EACH) {
        if (program[t] == NOTHING && program[t + 1] != NOTHING)
            return false;
        if (t && program[t - 2] * KINDS + program[t - 1] > program[t] * KINDS + program[t + 1])
            return false;
    }
    return true;
}

/* The next one of this length, as in counting; false: that was the last, and the count begins anew. */
static bool next_program(unsigned length)
{
    do {
        unsigned i = OPS;
        while (i && ++program[i - 1] == KINDS)
            program[--i] = NOTHING;
        if (!i)
            return false;
    } while (!is_wanted(length));
    return true;
}

/* Search all programs with this rule; what is expected to be wrong with it is found, or nothing. */
static void try_rule(enum rule tried, const char *expected, const char *name)
{
    static const struct state initial;
    search *run = search_new(&model);
    const char *violation = NULL;
    unsigned programs = 0;
    rule = tried;
    memset(program, 0, sizeof program);
    for (unsigned length = 1; length <= OPS; length++)
        while (!violation && next_program(length)) {
            violation = search_from(run, &initial);
            programs++;
        }
    tap_is(violation, expected, "%s: %s", name, expected ? expected : "nothing is wrong");
    tap_diag("%u programs, %" PRIu64 " states", programs, search_states(run));
    if (violation)
        tell(run, violation);
    search_free(run);
}

int main(void)
{
    tap_start(300);
    try_rule(THE_RULE, NULL, "the gate");
    try_rule(NO_WAIT, both_ways, "closed without a wait for those on their way");
    try_rule(FAIL_NO_WAIT, behind_failure, "failed without a wait for those on their way");
    try_rule(STAY_IN, deadlock, "those who turn back not counted out");
    try_rule(LOOK_FIRST, both_ways, "looked at before counting oneself in");
    try_rule(COUNT_LATE, not_drained, "operations counted behind the gate");
    try_rule(OPEN_UNLOCKED, at_once, "opened without the lock");
    try_rule(TAKE_CARRIED, at_once, "a worker that does not wait for who carries");
    try_rule(CARRY_ALWAYS, at_once, "carried in front of what is deferred");
    try_rule(DROP_BEHIND, deadlock, "opened in front of what was deferred while a caller carried");
    try_rule(FORGIVE, behind_failure, "a failure forgotten when nothing is deferred any more");
    return tap_done();
}
