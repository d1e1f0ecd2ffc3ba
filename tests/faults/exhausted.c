/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host memory runs out, once, anywhere: each scenario is run again and again, and each time another one of the library's calls of
 * malloc and its kin fails. The call of Yoke's that fails says so, and works when it is made again; nothing is lost, and the device
 * closes. Each failure gets a process of its own, in which the library has kept nothing for later that would hide an allocation.
 *
 * A failure can be looked at by itself: tests/faults/exhausted SCENARIO SELECTOR, with YOKE_FAIL_AT=n in the environment. Under
 * valgrind that takes --soname-synonyms=somalloc=nouserintercepts, or it replaces the functions of inject.c.
 */
#include "exhausted.h"
#include "inject.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- One failure, in a process of its own ---- */

static char first_told[1024]; /* where a call said that there was no memory */
static char given_up[1024];   /* what kept a scenario from its end */
static bool stream_failed;    /* for want of memory: that is for ever, until it recovers */

bool failed_once(yoke_status status, const char *where, const char *call)
{
    if (status != YOKE_E_OUT_OF_HOST_MEMORY || first_told[0] || !inject_happened())
        return false;
    snprintf(first_told, sizeof first_told, "%s: %s: %s", where, call, yoke_error()->text);
    CHECK(yoke_error()->status == YOKE_E_OUT_OF_HOST_MEMORY);
    CHECK(yoke_error()->text[0] != '\0');
    CHECK(yoke_error()->function[0] != '\0');
    return true;
}

bool was_told(yoke_status status)
{
    (void)status;
    return false;
}

bool devices_may_hide(void)
{
    return false;
}

void gave_up(const char *where, const char *call)
{
    snprintf(given_up, sizeof given_up, "%s: %s: %s: %s", where, call, yoke_status_name(yoke_error()->status), yoke_error()->text);
}

void finish(yoke_stream *stream)
{
    for (int i = 0; i < 3; i++) /* the wait itself may be what is refused */
        if (yoke_stream_wait(stream) != YOKE_E_OUT_OF_HOST_MEMORY)
            return;
    stream_failed = true;
}

/* The scenario has ended with this status; only a stream that has failed may have kept it from its end. */
static void judge(suite *t, suite *p, yoke_status status)
{
    suite *both[2] = { t, p };

    for (int i = 0; i < 2; i++) {
        if (!both[i]->device)
            continue;
        yoke_status its = yoke_stream_wait(both[i]->stream);
        if (its != YOKE_OK)
            CHECK_STATUS(YOKE_E_OUT_OF_HOST_MEMORY, its);
        stream_failed = stream_failed || its < 0;
        CHECK_OK(yoke_stream_recover(both[i]->stream));
    }
    if (status != YOKE_OK)
        CHECK_STATUS(YOKE_E_OUT_OF_HOST_MEMORY, status);
    if (!CHECK(status == YOKE_OK || stream_failed) || status != YOKE_OK)
        tap_diag("%s %s", stream_failed ? "a stream failed, and then" : "no stream has failed, but a second time", given_up);
}

static void run_scenario(const scenario *s, const char *selector, unsigned nth)
{
    suite t = { 0 }, p = { 0 };
    char second[32];

    find_second(selector, second, sizeof second);
    size_t descriptors = entries_of("/proc/self/fd");
    if (!(s->flags & OPENS_ITSELF) && !make_ready(&t, selector, s->flags & KERNELS))
        goto out;
    if (s->flags & TWO_DEVICES && !make_ready(&p, second, false))
        goto out;
    snprintf(t.info.selector, sizeof t.info.selector, "%s", selector);
    inject_arm(nth);
    yoke_status status = s->run(&t, &p);
    inject_disarm();
    judge(&t, &p, status);
    if (s->flags & OPENS_ITSELF) {
        CHECK(all_devices_closed());
        size_t left = entries_of("/proc/self/fd");
        if (!make_ready(&t, selector, false))
            goto out;
        if (!strstr(t.info.platform, "NVIDIA")) /* whose driver opens dozens of its own, for good */
            CHECK(descriptors + 8 > left);
    }
    suite_works(&t);
    nothing_is_left(&t);
    if (p.device)
        nothing_is_left(&p);
out:
    inject_disarm();
    take_down(&t);
    take_down(&p);
}

static int child(const char *name, const char *selector)
{
    const char *ordered = getenv("YOKE_FAIL_AT");
    unsigned nth = ordered ? (unsigned)strtoul(ordered, NULL, 10) : 0;
    const scenario *s = find_scenario(name);
    char site[128];

    setvbuf(stdout, NULL, _IOLBF, 0); /* what is said before a crash is not lost */
    if (!s || inject_impossible())
        return 2;
    yoke_log_set(YOKE_LOG_INFO, count_log, NULL);
    run_scenario(s, selector, nth);
    CHECK(all_devices_closed());
    inject_describe(site, sizeof site);
    if (suite_failures() > 0)
        tap_diag("in %s, number %u has failed, %s; who told of it: %s", s->name, nth, site, first_told[0] ? first_told : "nobody");
    fprintf(stderr, "\nexhausted: %u %d %d\n", inject_seen(), inject_happened(), first_told[0] != '\0');
    return suite_failures() != 0;
}

/* ---- All of them ---- */

typedef struct outcome {
    unsigned seen;
    int happened, told;
} outcome;

static bool one(suite *t, const scenario *s, unsigned nth, outcome *out)
{
    char number[32], errors[8192] = "";
    const char *environment[] = { number, s->order, NULL };

    memset(out, 0, sizeof *out);
    snprintf(number, sizeof number, "YOKE_FAIL_AT=%u", nth);
    bool ok = suite_again(s->name, t->info.selector, environment, errors, sizeof errors);
    const char *said = strstr(errors, "\nexhausted: ");
    ok = CHECK(said && sscanf(said, "\nexhausted: %u %d %d", &out->seen, &out->happened, &out->told) == 3) && ok;
    if (!ok)
        tap_diag("YOKE_FAIL_AT=%u %s %s %s %s", nth, s->order ? s->order : "", program_invocation_name, s->name, t->info.selector);
    return ok;
}

/* Devices of one driver are all the same here. */
static bool is_first_of_its_driver(suite *t)
{
    enum { MOST = 32 };
    yoke_device_info infos[MOST];
    size_t count = 0;

    for (int i = 0; i < MOST; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    CHECK_OK(yoke_device_list(infos, MOST, &count));
    for (size_t i = 0; i < count && i < MOST; i++)
        if (strcmp(infos[i].platform, t->info.platform) == 0)
            return strcmp(infos[i].selector, t->info.selector) == 0;
    return true;
}

/* Every failure where there is time, else some that are spread over all. YOKE_EXHAUSTED_SECONDS: for each scenario. */
static void sweep(suite *t, const scenario *s)
{
    const char *asked = getenv("YOKE_EXHAUSTED_SECONDS"), *impossible = inject_impossible();
    double seconds = asked ? atof(asked) : 6, start = suite_now();
    unsigned tried = 0, told = 0;
    outcome o;

    if (impossible) {
        suite_skip("%s", impossible);
        return;
    }
    if (!is_first_of_its_driver(t)) {
        suite_skip("tried on another device of this driver");
        return;
    }
    if (!one(t, s, 0, &o))
        return;
    unsigned count = o.seen;
    if (!CHECK(count > 0))
        return;
    bool all = (suite_now() - start) * count < seconds;
    for (unsigned i = 0; i < count && (i == 0 || suite_now() - start < seconds); i++) {
        one(t, s, all ? i + 1 : spread(i, count), &o);
        tried += o.happened != 0;
        told += o.told != 0;
    }
    tap_diag("%s: %u of %u failures tried, %u of them told", s->name, tried, count, told);
    CHECK(tried > 0);
}

#define SCENARIO_SWEEP(name, words, order, flags) \
    static void sweep_##name(suite *t)            \
    {                                             \
        sweep(t, find_scenario(#name));           \
    }
SCENARIOS(SCENARIO_SWEEP)

int main(int argc, char **argv)
{
#define SCENARIO_CASE(name, words, order, flags) { words, sweep_##name, false },
    static const suite_case cases[] = { SCENARIOS(SCENARIO_CASE) };

    if (argc == 3)
        return child(argv[1], argv[2]);
    if (setenv("YOKE_TEST_SECONDS", "900", 0) != 0) /* all of it may take long; a single child may not */
        tap_bail("the environment cannot be set");
    return SUITE_MAIN(cases, NULL);
}
