/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults in driver calls, as a test or the environment orders. The order and its counts are shared with forked children, in which
 * the library queries drivers. Waiting threads poll, because the process that they wait in may be a child.
 */
#include "base/process/inject.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/process/process.h"
#include "base/system/environment.h"
#include "base/system/memory.h"

typedef struct orders {
    atomic_bool armed; /* true: `fault` does not change */
    yoke_fault fault;
    atomic_uint round; /* the round that hanging calls belong to */
    atomic_uint seen, uses, happened, hanging;
    _Atomic(const char *) call;
    atomic_int code;
    _Atomic(const void *) newest;
    atomic_uintptr_t asked[64]; /* events queried since they were recorded, indexed by a hash of the address */
} orders;

static orders *shared;

/* Per process: the objects of a child end with it. */
enum { KINDS = 24 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static struct {
    const char *object;
    int count;
} kinds[KINDS];

/* ---- Orders ---- */

static const struct {
    const char *name;
    enum yoke_fault_what what;
} names[] = { { "memory", YOKE_FAULT_MEMORY },
              { "failure", YOKE_FAULT_FAILURE },
              { "lost", YOKE_FAULT_LOST },
              { "late", YOKE_FAULT_LATE },
              { "hang", YOKE_FAULT_HANG },
              { "pending", YOKE_FAULT_SAY_PENDING },
              { "complete", YOKE_FAULT_SAY_COMPLETE },
              { "failed", YOKE_FAULT_SAY_FAILED } };

static void set_order(const yoke_fault *fault)
{
    atomic_store(&shared->armed, false);
    atomic_fetch_add(&shared->round, 1);
    shared->fault = fault ? *fault : (yoke_fault){ 0 };
    shared->fault.at += shared->fault.at == 0;
    shared->fault.times += shared->fault.times == 0;
    atomic_store(&shared->seen, 0);
    atomic_store(&shared->uses, 0);
    atomic_store(&shared->happened, 0);
    atomic_store(&shared->call, NULL);
    atomic_store(&shared->code, 0);
    atomic_store(&shared->armed, true);
}

/* "CALL:N:WHAT". An invalid order is reported in the log, and has no effect. */
static void obey_environment(void)
{
    static char call[80];
    const char *order = yk_environment("YOKE_INJECT");
    yoke_fault fault = { 0 };
    char what[24] = "";

    if (!order)
        return;
    if (sscanf(order, "%79[^:]:%u:%23s", call, &fault.at, what) == 3) {
        fault.call = strcmp(call, "any") ? call : NULL;
        for (size_t i = 0; i < YK_COUNT_OF(names); i++)
            if (strncmp(what, names[i].name, strlen(names[i].name)) == 0)
                fault.what = names[i].what;
        if (sscanf(what, "late=%u", &fault.milliseconds) != 1 && sscanf(what, "%d", &fault.code) == 1)
            fault.what = YOKE_FAULT_CODE;
    }
    if (fault.what == YOKE_FAULT_NONE)
        yk_log(YOKE_LOG_ERROR, "YOKE_INJECT is '%s'; it must be CALL:N:WHAT, as clFlush:3:failure", order);
    else
        set_order(&fault);
}

static void start(void)
{
    shared = yk_memory_share(sizeof *shared);
    if (!shared)
        abort(); /* only in builds for tests */
    obey_environment();
}

static void ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

void yoke_fault_order(const yoke_fault *fault)
{
    ready();
    set_order(fault);
}

void yoke_fault_get_report(yoke_fault_report *out_report)
{
    ready();
    const char *call = atomic_load(&shared->call); /* read once: another thread may cancel the order meanwhile */
    *out_report = (yoke_fault_report){ .seen = atomic_load(&shared->seen),
                                       .happened = call ? atomic_load(&shared->happened) : 0,
                                       .call = call,
                                       .code = atomic_load(&shared->code),
                                       .hanging = atomic_load(&shared->hanging),
                                       .newest = atomic_load(&shared->newest) };
}

void yoke_fault_let_go(void)
{
    ready();
    atomic_fetch_add(&shared->round, 1);
}

/* ---- Calls ---- */

static void sleep_for(unsigned milliseconds)
{
    struct timespec left = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L };
    while (nanosleep(&left, &left) != 0)
        continue;
}

static void hang(void)
{
    unsigned round = atomic_load(&shared->round);
    atomic_fetch_add(&shared->hanging, 1);
    while (atomic_load(&shared->round) == round)
        sleep_for(1);
    atomic_fetch_sub(&shared->hanging, 1);
}

static atomic_uintptr_t *asked_of(uintptr_t event)
{
    return &shared->asked[(event >> 4) % YK_COUNT_OF(shared->asked)];
}

/* Whether the event was queried before. The number of queries in a wait depends on timing, and every answer but the first is like
 * the first. */
static bool is_repeated(uintptr_t event)
{
    return atomic_exchange(asked_of(event), event) == event;
}

static bool is_meant(const yoke_fault *fault, const char *call, uintptr_t about, bool asks)
{
    if (fault->what == YOKE_FAULT_NONE || (fault->what >= YOKE_FAULT_SAY_PENDING && !asks))
        return false;
    return (!fault->call || strcmp(fault->call, call) == 0) && (!fault->about || (uintptr_t)fault->about == about);
}

yk_injected yk_inject_ask(const char *call, uintptr_t about, bool asks)
{
    yk_injected injected = { YOKE_FAULT_NONE, 0 };
    ready();
    if (!atomic_load(&shared->armed))
        return injected;
    const yoke_fault *fault = &shared->fault;
    if (asks && is_repeated(about) && !fault->call && fault->what < YOKE_FAULT_SAY_PENDING)
        return injected;
    atomic_fetch_add(&shared->seen, 1);
    if (!is_meant(fault, call, about, asks))
        return injected;
    unsigned use = atomic_fetch_add(&shared->uses, 1) + 1;
    if (use < fault->at || use - fault->at >= fault->times)
        return injected;
    atomic_compare_exchange_strong(&shared->call, &(const char *){ NULL }, call);
    if (fault->what == YOKE_FAULT_LATE || fault->what == YOKE_FAULT_HANG) {
        atomic_fetch_add(&shared->happened, 1);
        if (fault->what == YOKE_FAULT_HANG)
            hang();
        else
            sleep_for(fault->milliseconds);
        return injected;
    }
    return (yk_injected){ fault->what, fault->code };
}

void yk_inject_failed(const char *call, int code)
{
    if (atomic_fetch_add(&shared->happened, 1) == 0)
        atomic_store(&shared->code, code);
    yk_log(YOKE_LOG_INFO, "injected: %s returns %d", call, code);
}

void yk_inject_recorded(const void *event)
{
    atomic_store(&shared->newest, event);
    atomic_store(asked_of((uintptr_t)event), 0);
}

/* ---- Objects ---- */

void yk_inject_made(const char *object, int change)
{
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < KINDS - 1 && kinds[i].object && strcmp(kinds[i].object, object) != 0)
        i++;
    kinds[i].object = object;
    kinds[i].count += change;
    pthread_mutex_unlock(&lock);
}

static const yk_inject_effect *effect_of(const char *call, const yk_inject_effect *effects)
{
    while (effects->call && strcmp(effects->call, call) != 0)
        effects++;
    return effects;
}

void yk_inject_succeeded(const char *call, const yk_inject_effect *effects)
{
    const yk_inject_effect *effect = effect_of(call, effects);
    if (effect->call)
        yk_inject_made(effect->object, effect->change);
}

bool yk_inject_releases(const char *call, const yk_inject_effect *effects)
{
    return effect_of(call, effects)->change < 0;
}

int yoke_fault_objects(char *text, size_t size)
{
    size_t used = 0;
    int sum = 0;
    pthread_mutex_lock(&lock);
    snprintf(text, size, "none");
    for (size_t i = 0; i < KINDS && kinds[i].object; i++) {
        sum += abs(kinds[i].count);
        if (kinds[i].count && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%d of %s", used ? ", " : "", kinds[i].count, kinds[i].object);
    }
    pthread_mutex_unlock(&lock);
    return sum;
}
