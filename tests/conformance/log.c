/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logging: what is told at which level, to whom, and that nothing is ever written unasked. What the environment orders is looked at
 * from outside, in a process of its own. A device that is closed is the last to speak of its streams, so "is closed" is where a
 * case knows that it has heard all of them.
 */
#include "suite.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEVELS = YOKE_LOG_DEBUG + 1, KEPT = 64 };

static const char *const level_names[LEVELS] = { "off", "error", "warning", "info", "debug" };

/* Everything that is said. The library calls one at a time, and has been told of another function before the case looks. */
typedef struct ear {
    struct ear *self; /* to see that `user` comes through */
    unsigned counts[LEVELS], total, strange;
    int levels[KEPT];
    char texts[KEPT][1100];
    gate warned, closed;
} ear;

static void hear(int level, const char *text, void *user)
{
    ear *e = user;

    if (e->self != e || level <= YOKE_LOG_OFF || level > YOKE_LOG_DEBUG || !*text || strchr(text, '\n')) {
        e->strange++;
        return;
    }
    e->counts[level]++;
    if (e->total < KEPT) {
        e->levels[e->total] = level;
        snprintf(e->texts[e->total], sizeof e->texts[0], "%s", text);
    }
    e->total++;
    if (level == YOKE_LOG_WARNING)
        gate_open(&e->warned);
    if (suite_has_words(text, "is closed"))
        gate_open(&e->closed);
}

static ear *listen(int level)
{
    ear *e = memory_new(sizeof *e);

    e->self = e;
    e->warned = e->closed = (gate)GATE_INIT;
    yoke_log_set(level, hear, e);
    return e;
}

/* Nothing strange was heard; the caller looks at the rest and frees it. */
static void stop_listening(ear *e)
{
    suite_log_here();
    CHECK(e->strange == 0);
    CHECK(e->total <= KEPT);
}

static unsigned heard(const ear *e, int level, const char *words)
{
    unsigned found = 0;

    for (unsigned i = 0; i < e->total && i < KEPT; i++)
        found += e->levels[i] == level && suite_has_words(e->texts[i], words);
    return found;
}

/* ---- What can be said ---- */

static yoke_status fail_for_want_of_space(yoke_status status, void *user)
{
    (void)user;
    return status < 0 ? status : yoke_fail(YOKE_E_HOST_FUNCTION, "the disk is full\n  of logs");
}

static yoke_status fail_when_open(yoke_status status, void *g)
{
    gate_wait(g, 1);
    return fail_for_want_of_space(status, NULL);
}

static yoke_status wait_for_gate(yoke_status status, void *g)
{
    gate_wait(g, 1);
    return status;
}

static void open_gate(void *g)
{
    gate_open(g);
}

static yoke_status hear_status(yoke_status status, void *user)
{
    *(yoke_status *)user = status;
    return YOKE_OK;
}

static bool named_stream(yoke_device *device, const char *name, yoke_stream **out_stream)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    desc.name = name;
    return CHECK_OK(yoke_stream_create(device, &desc, out_stream));
}

/* Something at each level: a device and a stream that come and go, a call that fails, and a stream whose failure nobody asks for.
 */
static void speak(const char *selector)
{
    gate failed = GATE_INIT;
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;

    NEED_OK(yoke_device_open(selector, &device));
    NEED(named_stream(device, "speaker", &stream));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_device_set_wait(device, 99));
    NEED_OK(yoke_host_call(stream, fail_for_want_of_space, &failed, open_gate));
    gate_wait(&failed, 1);
out:
    yoke_stream_release(stream);
    yoke_device_release(device);
}

/* The same, but what would be said when nobody can know that it was. */
static void speak_of_errors(suite *t)
{
    gate failed = GATE_INIT;
    yoke_stream *stream = NULL;

    NEED(named_stream(t->device, "speaker", &stream));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_device_set_wait(t->device, 99));
    NEED_OK(yoke_host_call(stream, fail_for_want_of_space, &failed, open_gate));
    gate_wait(&failed, 1);
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_stream_wait(stream));
out:
    yoke_stream_release(stream);
}

/* ---- In this process ---- */

static ear *hear_at(suite *t, int level)
{
    ear *e = listen(level);

    if (level >= YOKE_LOG_WARNING)
        speak(t->info.selector);
    else
        speak_of_errors(t);
    if (level >= YOKE_LOG_WARNING)
        gate_wait(&e->warned, 1);
    if (level >= YOKE_LOG_INFO)
        gate_wait(&e->closed, 1);
    stop_listening(e);
    return e;
}

static void levels(suite *t)
{
    static const int asked[] = { 77, YOKE_LOG_DEBUG, YOKE_LOG_INFO, YOKE_LOG_WARNING, YOKE_LOG_ERROR, YOKE_LOG_OFF, -7 };

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        ear *e = hear_at(t, asked[i]);

        for (int level = YOKE_LOG_ERROR; level < LEVELS; level++)
            if (!CHECK((e->counts[level] > 0) == (asked[i] >= level)))
                tap_diag("with level %d there are %u messages of level %d", asked[i], e->counts[level], level);
        CHECK(heard(e, YOKE_LOG_ERROR, "yoke_device_set_wait|YOKE_E_INVALID_ARGUMENT") == (asked[i] >= YOKE_LOG_ERROR));
        CHECK(heard(e, YOKE_LOG_ERROR, "'speaker'|has failed|the disk is full") == (asked[i] >= YOKE_LOG_ERROR));
        CHECK(heard(e, YOKE_LOG_WARNING, "'speaker'|was released, and no call|the disk is full") == (asked[i] >= YOKE_LOG_WARNING));
        CHECK(heard(e, YOKE_LOG_INFO, "is opened") == (asked[i] >= YOKE_LOG_INFO));
        CHECK(heard(e, YOKE_LOG_INFO, "is closed") == (asked[i] >= YOKE_LOG_INFO));
        memory_free(e);
    }
}

static void failed_call(suite *t)
{
    static const char here[] = "engine.c:42";
    char words[1200];
    yoke_buffer *buffer = NULL;
    ear *e = listen(YOKE_LOG_ERROR);

    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    CHECK_STATUS(YOKE_E_RANGE, yoke_write_at(here, t->stream, buffer, 60, words, 8));
    snprintf(words, sizeof words, "yoke_write|%s|YOKE_E_RANGE|%s", here, yoke_error()->text);
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_device_set_wait(t->device, -1));
    CHECK_OK(yoke_stream_wait(t->stream)); /* and success is not logged */
out:
    stop_listening(e);
    CHECK(e->total == 2);
    CHECK(heard(e, YOKE_LOG_ERROR, words) == 1);
    CHECK(heard(e, YOKE_LOG_ERROR, "yoke_device_set_wait") == 1);
    memory_free(e);
    yoke_buffer_release(buffer);
}

/* A name of the program's comes through whole, but for what would end the line. */
static void one_line(suite *t)
{
    yoke_stream *stream = NULL;
    unsigned found = 0;
    ear *e = listen(YOKE_LOG_DEBUG);

    named_stream(t->device, "two\nlines", &stream);
    CHECK_OK(yoke_host_call(stream, fail_for_want_of_space, NULL, NULL));
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_stream_wait(stream));
    yoke_stream_release(stream);
    stop_listening(e);
    CHECK(heard(e, YOKE_LOG_DEBUG, "'two|lines'") >= 1);
    for (unsigned i = 0; i < e->total; i++)
        found += strstr(e->texts[i], "the disk is full |   of logs") != NULL;
    CHECK(found > 0);
    memory_free(e);
}

/* However many report the failure: work that was enqueued before and after it, events and waits. */
static void failing_stream(suite *t)
{
    yoke_status behind = YOKE_OK;
    yoke_buffer *buffer = NULL;
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;
    gate begin = GATE_INIT;
    ear *e = listen(YOKE_LOG_DEBUG);

    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    NEED(named_stream(t->device, "once", &stream));
    NEED_OK(yoke_host_call(stream, fail_when_open, &begin, NULL));
    CHECK_OK(yoke_fill(stream, buffer, 0, 64, "x", 1));
    CHECK_OK(yoke_event_record(stream, 0, &event));
    CHECK_OK(yoke_host_call(stream, hear_status, &behind, NULL));
    gate_open(&begin);
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_stream_wait(stream));
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_event_wait(event));
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_fill(stream, buffer, 0, 64, "x", 1));
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_stream_wait(stream));
    CHECK(behind == YOKE_E_HOST_FUNCTION);
out:
    gate_open(&begin);
    yoke_event_release(event);
    yoke_stream_release(stream);
    yoke_buffer_release(buffer);
    stop_listening(e);
    CHECK(heard(e, YOKE_LOG_ERROR, "has failed with") == 1);
    CHECK(heard(e, YOKE_LOG_ERROR, "stream 'once'|YOKE_E_HOST_FUNCTION|the disk is full") == 1);
    CHECK(heard(e, YOKE_LOG_ERROR, "yoke_fill|the disk is full") == 1);
    memory_free(e);
}

/* ---- A failure that nobody asks for ---- */

/* What a program does with a stream that has failed, and whether that is asking why. */
typedef void (*asking)(yoke_stream *stream, yoke_event *behind);

static void ask_nothing(yoke_stream *stream, yoke_event *behind)
{
    (void)stream;
    (void)behind;
}

static void ask_stream(yoke_stream *stream, yoke_event *behind)
{
    (void)behind;
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_stream_wait(stream));
}

static void ask_event(yoke_stream *stream, yoke_event *behind)
{
    (void)stream;
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_event_wait(behind));
}

static void ask_by_enqueueing(yoke_stream *stream, yoke_event *behind)
{
    (void)behind;
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_host_call(stream, fail_for_want_of_space, NULL, NULL));
}

typedef struct failing {
    gate begin, failed;
} failing;

static yoke_status fail_in_time(yoke_status status, void *user)
{
    failing *f = user;

    gate_wait(&f->begin, 1);
    return fail_for_want_of_space(status, NULL);
}

static void has_failed(void *user)
{
    gate_open(&((failing *)user)->failed);
}

/* How many warnings there are of a stream that has failed and was asked like this, or not, before it was released. */
static unsigned warnings_after(suite *t, asking ask, bool with_event)
{
    failing f = { GATE_INIT, GATE_INIT };
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_event *behind = NULL;
    ear *e = listen(YOKE_LOG_DEBUG);

    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED(named_stream(device, "asked", &stream));
    NEED_OK(yoke_host_call(stream, fail_in_time, &f, has_failed));
    if (with_event)
        NEED_OK(yoke_event_record(stream, 0, &behind));
    gate_open(&f.begin);
    gate_wait(&f.failed, 1);
    ask(stream, behind);
out:
    gate_open(&f.begin);
    yoke_event_release(behind);
    yoke_stream_release(stream);
    yoke_device_release(device);
    gate_wait(&e->closed, 1);
    stop_listening(e);
    unsigned warnings = e->counts[YOKE_LOG_WARNING];
    CHECK(heard(e, YOKE_LOG_WARNING, "stream 'asked'|was released, and no call|the disk is full") == warnings);
    memory_free(e);
    return warnings;
}

static void nobody_asks(suite *t)
{
    CHECK(warnings_after(t, ask_nothing, false) == 1);
    CHECK(warnings_after(t, ask_nothing, true) == 1);
    suite_expect_log();
}

static void somebody_asks(suite *t)
{
    CHECK(warnings_after(t, ask_stream, false) == 0);
    CHECK(warnings_after(t, ask_event, true) == 0);
    CHECK(warnings_after(t, ask_by_enqueueing, false) == 0);
}

/* The program itself has ended the stream. */
static void cancelled(suite *t)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_status told = YOKE_OK;
    gate begin = GATE_INIT;
    ear *e = listen(YOKE_LOG_DEBUG);

    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED(named_stream(device, "ended", &stream));
    NEED_OK(yoke_host_call(stream, wait_for_gate, &begin, NULL));
    CHECK_OK(yoke_host_call(stream, hear_status, &told, NULL));
    CHECK_OK(yoke_stream_cancel(stream));
out:
    gate_open(&begin);
    yoke_stream_release(stream);
    yoke_device_release(device);
    gate_wait(&e->closed, 1);
    stop_listening(e);
    CHECK(told == YOKE_E_CANCELLED);
    CHECK(e->counts[YOKE_LOG_ERROR] == 0);
    CHECK(e->counts[YOKE_LOG_WARNING] == 0);
    CHECK(heard(e, YOKE_LOG_INFO, "stream 'ended'|cancelled") == 1);
    memory_free(e);
}

/* ---- Threads ---- */

enum { THREADS = 4, CALLS = 200 };

typedef struct crowd {
    atomic_uint inside;
    unsigned most, messages; /* without a lock: the library has one */
} crowd;

static void hear_one_at_a_time(int level, const char *text, void *user)
{
    crowd *c = user;
    unsigned inside = atomic_fetch_add(&c->inside, 1) + 1;

    (void)level;
    (void)text;
    sched_yield();
    c->most = inside > c->most ? inside : c->most;
    c->messages++;
    atomic_fetch_sub(&c->inside, 1);
}

static void *fail_often(void *device)
{
    for (int i = 0; i < CALLS; i++)
        CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_device_set_wait(device, 99));
    return NULL;
}

static void one_at_a_time(suite *t)
{
    crowd c = { 0 };
    pthread_t threads[THREADS];
    int started = 0;

    yoke_log_set(YOKE_LOG_ERROR, hear_one_at_a_time, &c);
    while (started < THREADS && CHECK(pthread_create(&threads[started], NULL, fail_often, t->device) == 0))
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    suite_log_here();
    CHECK(c.most == 1);
    CHECK(c.messages == THREADS * CALLS);
}

/* A message that takes its time. */
typedef struct slow_ear {
    gate entered, leave;
    atomic_bool left;
    gate about_to_set;
    atomic_bool has_set, left_before;
} slow_ear;

static void hear_slowly(int level, const char *text, void *user)
{
    slow_ear *e = user;

    (void)level;
    (void)text;
    gate_open(&e->entered);
    gate_wait(&e->leave, 1);
    atomic_store(&e->left, true);
}

static void *fail_once(void *device)
{
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_device_set_wait(device, 99));
    return NULL;
}

static void *set_another(void *user)
{
    slow_ear *e = user;

    gate_open(&e->about_to_set);
    suite_log_here();
    atomic_store(&e->left_before, atomic_load(&e->left));
    atomic_store(&e->has_set, true);
    return NULL;
}

/* The thread that sets another function is given a while in which it must not come back. */
static void set_waits(suite *t)
{
    slow_ear e = { .entered = GATE_INIT, .leave = GATE_INIT, .about_to_set = GATE_INIT };
    pthread_t failing_thread, setting_thread;

    yoke_log_set(YOKE_LOG_ERROR, hear_slowly, &e);
    if (!CHECK(pthread_create(&failing_thread, NULL, fail_once, t->device) == 0))
        return;
    gate_wait(&e.entered, 1);
    bool setting = CHECK(pthread_create(&setting_thread, NULL, set_another, &e) == 0);
    if (setting)
        gate_wait(&e.about_to_set, 1);
    for (double start = suite_now(); suite_now() - start < 0.05 && !atomic_load(&e.has_set);)
        sched_yield();
    gate_open(&e.leave);
    pthread_join(failing_thread, NULL);
    if (setting)
        pthread_join(setting_thread, NULL);
    CHECK(!setting || atomic_load(&e.left_before));
}

/* ---- stderr, in a process of its own ---- */

/* How many lines of stderr are of this level; none may be of no level. */
static unsigned lines_of(const char *errors, int level)
{
    unsigned found = 0;
    char start[32];
    size_t length = (size_t)snprintf(start, sizeof start, "yoke: %s: ", level_names[level]);

    for (const char *line = errors; *line; line += strcspn(line, "\n") + 1)
        found += strncmp(line, start, length) == 0;
    return found;
}

/* In the child: the process may not end before the last that it has to say, which a thread of the library's says. So stderr is a
 * pipe until that has come through it. */
static void speak_until(const char *last, const char *selector)
{
    static char said[65536];
    int ends[2], outside = dup(STDERR_FILENO);
    size_t used = 0;
    ssize_t length = 1;

    if (!CHECK(outside >= 0) || !CHECK(pipe(ends) == 0) || !CHECK(dup2(ends[1], STDERR_FILENO) >= 0))
        return;
    close(ends[1]);
    speak(selector);
    while (!strstr(said, last) && (length = read(ends[0], said + used, sizeof said - 1 - used)) > 0)
        used += (size_t)length;
    dup2(outside, STDERR_FILENO);
    while ((length = read(ends[0], said + used, sizeof said - 1 - used)) > 0)
        used += (size_t)length;
    CHECK(write(outside, said, used) == (ssize_t)used);
}

/* `most`: the least important level that is written. */
static void check_environment(suite *t, const char *ordered, int most)
{
    static const char *const last[LEVELS] = { "", "", "no call had returned", "is closed", "is closed" };
    const char *const environment[] = { ordered, "YOKE_WATCHDOG", NULL };
    static char errors[65536];
    unsigned lines = 0, all = 0;

    suite_again(last[most], t->info.selector, environment, errors, sizeof errors);
    for (const char *c = errors; *c; c++)
        all += *c == '\n';
    for (int level = YOKE_LOG_ERROR; level < LEVELS; level++) {
        unsigned found = lines_of(errors, level);
        bool right = CHECK((found > 0) == (level <= most));
        if (!right)
            tap_diag("with %s there are %u lines of level %s", ordered, found, level_names[level]);
        lines += found;
    }
    if (!CHECK(lines == all))
        tap_diag("stderr with %s: %s", ordered, errors);
    CHECK(lines_of(errors, YOKE_LOG_ERROR) == (most >= YOKE_LOG_ERROR ? 2 : 0));
}

static void environment_orders(suite *t)
{
    check_environment(t, "YOKE_LOG", YOKE_LOG_OFF);
    check_environment(t, "YOKE_LOG=", YOKE_LOG_OFF);
    check_environment(t, "YOKE_LOG=off", YOKE_LOG_OFF);
    check_environment(t, "YOKE_LOG=error", YOKE_LOG_ERROR);
    check_environment(t, "YOKE_LOG=warning", YOKE_LOG_WARNING);
    check_environment(t, "YOKE_LOG=info", YOKE_LOG_INFO);
    check_environment(t, "YOKE_LOG=debug", YOKE_LOG_DEBUG);
    check_environment(t, "YOKE_LOG=wraning", YOKE_LOG_DEBUG);
}

/* In the child: a function takes all messages, and without it the environment is obeyed again. */
static void hear_then_speak(const char *selector)
{
    ear *e = listen(YOKE_LOG_DEBUG);

    speak(selector);
    gate_wait(&e->closed, 1);
    yoke_log_set(YOKE_LOG_DEBUG, NULL, e);
    CHECK(e->total > 0);
    memory_free(e);
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_device_open("no:such:selector", &(yoke_device *){ NULL }));
}

static void back_to_environment(suite *t)
{
    static const char *const ordered[] = { "YOKE_LOG=error", "YOKE_WATCHDOG", NULL };
    static const char *const silent[] = { "YOKE_LOG", "YOKE_WATCHDOG", NULL };
    char errors[4096];

    suite_again("hear, then speak", t->info.selector, ordered, errors, sizeof errors);
    CHECK(lines_of(errors, YOKE_LOG_ERROR) == 1);
    CHECK_TEXT(errors, "yoke: error: yoke_device_open");
    CHECK(strchr(errors, '\n') == strrchr(errors, '\n'));
    suite_again("hear, then speak", t->info.selector, silent, errors, sizeof errors);
    CHECK(errors[0] == '\0');
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "each level has its messages", levels, false },
        { "a call that fails is logged with function, site and text", failed_call, false },
        { "a message is one line", one_line, false },
        { "a stream that fails is logged once", failing_stream, false },
        { "a failure that nobody asks for is a warning", nobody_asks, false },
        { "a failure that somebody asks for is none", somebody_asks, false },
        { "a stream that was cancelled is no error", cancelled, false },
        { "one message at a time", one_at_a_time, false },
        { "yoke_log_set waits for the function before", set_waits, false },
        { "stderr is what YOKE_LOG orders", environment_orders, false },
        { "without a function the environment is obeyed again", back_to_environment, false },
    };
    if (argc == 3) {
        if (strcmp(argv[1], "hear, then speak") == 0)
            hear_then_speak(argv[2]);
        else
            speak_until(argv[1], argv[2]);
        return suite_failures() == 0 ? 0 : 1;
    }
    return SUITE_MAIN(cases, NULL);
}
