/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting drivers. A driver may crash or hang while it starts, and a fork during a start gives a child that cannot use the driver.
 * Each backend therefore has a turn, which a thread takes while it starts the driver, queries it, or forks; a thread that waits for
 * the turn gives up when the driver does not respond. The lock below is locked for a few instructions only, so that it can be taken
 * around every fork of the program.
 */
#include "device/start.h"

#include <stdlib.h>

#include "backend.h"
#include "base/system/room.h"
#include "device/probe.h"
#include "program/cache/program_cache.h"
#include "stream/wait.h"
#include "device/trust.h"

#define SECOND ((uint64_t)1000000000)

typedef struct turn {
    const yk_backend *backend; /* NULL: slot unused */
    bool taken, started;       /* started: the driver runs in this process */
    uint64_t since;            /* when it was taken */
    yk_text silent, silence;   /* the key of drivers that did not answer in time, and what was said of them */
} turn;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below */
static pthread_cond_t released;
static bool can_wait; /* `released` is initialized */
static turn turns[8]; /* more than there are backends */

/* ---- Turns ---- */

/* With the lock held. */
static turn *turn_of(const yk_backend *backend)
{
    turn *own = turns;
    while (own->backend && own->backend != backend && own + 1 < turns + YK_COUNT_OF(turns))
        own++;
    own->backend = backend;
    return own;
}

/* With the lock held. Waits until the present owner has had the turn for `patience`; false when it is not released by then. */
static bool take(turn *wanted, uint64_t patience)
{
    while (wanted->taken) {
        uint64_t had = yk_now() - wanted->since;
        if (had >= patience)
            return false;
        if (!can_wait)
            can_wait = yk_cond_init(&released) == 0;
        if (!can_wait)
            return false;
        yk_cond_wait_for(&released, &lock, patience - had);
    }
    wanted->taken = true;
    wanted->since = yk_now();
    return true;
}

static void release(turn *own)
{
    own->taken = false;
    if (can_wait)
        pthread_cond_broadcast(&released);
}

/* With the lock held; unlocks it. */
static yoke_status fail_waiting(const yk_backend *backend, const turn *wanted)
{
    uint64_t seconds = (yk_now() - wanted->since) / SECOND;
    pthread_mutex_unlock(&lock);
    return yk_fail(YOKE_E_UNAVAILABLE, "%s: another thread has been starting the driver for %u s, and the driver does not respond",
                   backend->name, (unsigned)seconds);
}

static bool is_started(const yk_backend *backend)
{
    pthread_mutex_lock(&lock);
    bool started = turn_of(backend)->started;
    pthread_mutex_unlock(&lock);
    return started;
}

yoke_status yk_start_here(const yk_backend *backend, yk_device_list *list)
{
    pthread_mutex_lock(&lock);
    turn *own = turn_of(backend);
    if (!take(own, SECOND * yk_probe_seconds))
        return fail_waiting(backend, own);
    pthread_mutex_unlock(&lock);

    yoke_status status = yk_probe_here(backend, list);

    pthread_mutex_lock(&lock);
    own->started = own->started || status >= 0;
    release(own);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- Children ---- */

/* Start a child that queries the backend, with all turns taken, in order: the backend's own turn, because the child must not
 * inherit a half-started driver; and the others' turns, because libraries that are being loaded are unusable in the child too.
 * The wait for the others is a second at most, so that a slow start does not block this one. */
static yoke_status start_child(const yk_backend *backend, const char *settings, yk_probe_child *out_child)
{
    bool mine[YK_COUNT_OF(turns)] = { false };
    pthread_mutex_lock(&lock);
    turn *own = turn_of(backend);
    for (size_t i = 0; i < YK_COUNT_OF(turns) && turns[i].backend; i++)
        mine[i] = take(&turns[i], SECOND * (&turns[i] == own ? yk_probe_seconds : 1));
    bool has_turn = mine[own - turns];
    pthread_mutex_unlock(&lock);

    yoke_status status = has_turn ? yk_probe_ask(backend, settings, out_child) : YOKE_OK;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < YK_COUNT_OF(turns); i++)
        if (mine[i])
            release(&turns[i]);
    if (!has_turn)
        return fail_waiting(backend, own);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- Finding the faulty driver ---- */

typedef struct driver {
    char *name, *settings; /* settings: the environment that starts this driver alone */
    yk_probe_child child;
    bool asked;
} driver;

typedef struct driver_list {
    driver *drivers;
    size_t count;
} driver_list;

static void add_driver(const char *name, const char *settings, void *user)
{
    driver_list *all = user;
    driver *grown = realloc(all->drivers, (all->count + 1) * sizeof *grown);
    if (!grown)
        return;
    all->drivers = grown;
    grown += all->count++;
    *grown = (driver){ .name = strdup(name), .settings = strdup(settings) };
    if (grown->name && grown->settings)
        return;
    free(grown->name);
    free(grown->settings);
    all->count--;
}

static void free_drivers(driver_list *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->drivers[i].name);
        free(all->drivers[i].settings);
    }
    free(all->drivers);
}

/* Query each driver alone, all in parallel. `good` gets the settings of the first driver that answers with devices. */
static void ask_each(const yk_backend *backend, driver *drivers, size_t count, yk_text *good)
{
    for (size_t i = 0; i < count; i++)
        drivers[i].asked = start_child(backend, drivers[i].settings, &drivers[i].child) >= 0;
    uint64_t deadline = yk_probe_deadline();
    for (size_t i = 0; i < count; i++) {
        yk_device_list list = { 0 };
        if (drivers[i].asked && yk_probe_answer(&drivers[i].child, deadline, &list, NULL) >= 0 && list.count > 0 &&
            good->length == 0)
            yk_text_add(good, "%s", drivers[i].settings);
        free(list.infos);
        yk_text_free(&list.rejected);
    }
}

/* Queried together, the drivers crashed or did not answer (`together`). Fail with the names of the drivers at fault. */
static yoke_status report_faulty_drivers(const yk_backend *backend, const yk_probe_child *together)
{
    yk_text good = { 0 }, text = { 0 };
    driver_list all = { 0 };
    backend->driver_each(add_driver, &all);
    driver *drivers = all.drivers;
    size_t count = all.count, faulty = 0;
    if (count > 1)
        ask_each(backend, drivers, count, &good);
    else if (count == 1)
        drivers[0].child = *together;
    for (size_t i = 0; i < count; i++)
        if (*drivers[i].child.fault)
            yk_text_add(&text, "%s of %s %s", faulty++ ? ", that" : "the driver", drivers[i].name, drivers[i].child.fault);
    if (faulty == 0)
        yk_text_add(&text, "the driver %s", together->fault);
    if (count > 1)
        yk_text_add(&text, "; %s",
                    faulty > 0 ? "while the loader starts it, the other drivers cannot be used either"
                               : "each driver alone answers");
    for (size_t i = 0; i < good.length; i++) /* separate the settings by blanks */
        if (good.data[i] == '\n')
            good.data[i] = i + 1 < good.length ? ' ' : '\0';
    if (good.length > 0)
        yk_text_add(&text, "; to start only a driver that works, set %s", yk_text_get(&good));
    yk_fail(YOKE_E_UNAVAILABLE, "%s: %s", backend->name, yk_text_get(&text));
    free_drivers(&all);
    yk_text_free(&good);
    yk_text_free(&text);
    return YOKE_E_UNAVAILABLE;
}

/* ---- Queries ---- */

/* The trust key of a backend's drivers. */
static bool make_key(const yk_backend *backend, yk_text *key)
{
    yk_text_add(key, "drivers of %s\n", backend->name);
    yk_trust_add_loader(key);
    return backend->driver_key(key);
}

/* Query the backend for its devices in a child. *out_answered: the child has answered, even if with a failure. A child without
 * an answer revokes the trust in its drivers. *out_silent: it has not answered in time. */
static yoke_status ask_child(const yk_backend *backend, bool find_culprit, yk_device_list *list, yk_text *files, bool *out_answered,
                             bool *out_silent)
{
    yk_probe_child child;
    yoke_status status = start_child(backend, NULL, &child);
    if (status < 0)
        return status;
    status = yk_probe_answer(&child, yk_probe_deadline(), list, files);
    *out_answered = !*child.fault;
    *out_silent = child.silent;
    if (!*child.fault)
        return status;
    yk_text key = { 0 };
    if (make_key(backend, &key))
        yk_trust_forget(&key);
    yk_text_free(&key);
    return find_culprit ? report_faulty_drivers(backend, &child) : status;
}

/* The key of drivers that do not answer: that of trust, and how long they had. */
static void make_silent_key(const yk_backend *backend, yk_text *key)
{
    make_key(backend, key);
    yk_text_add(key, "no answer in %u s\n", yk_probe_seconds);
}

static void remember_silence(const yk_backend *backend, const yk_text *key)
{
    pthread_mutex_lock(&lock);
    turn *own = turn_of(backend);
    yk_text_free(&own->silent);
    yk_text_free(&own->silence);
    yk_text_add_bytes(&own->silent, yk_text_get(key), key->length);
    yk_text_add(&own->silence, "%s", yoke_error()->text);
    pthread_mutex_unlock(&lock);
}

/* Fails as before where these drivers did not answer before. */
static yoke_status recall_silence(const yk_backend *backend, const yk_text *key)
{
    yk_text silence = { 0 };
    pthread_mutex_lock(&lock);
    const turn *own = turn_of(backend);
    bool known = own->silent.length > 0 && strcmp(yk_text_get(&own->silent), yk_text_get(key)) == 0;
    if (known)
        yk_text_add(&silence, "%s", yk_text_get(&own->silence));
    pthread_mutex_unlock(&lock);
    yoke_status status = known ? yk_fail(YOKE_E_UNAVAILABLE, "%s", yk_text_get(&silence)) : YOKE_OK;
    yk_text_free(&silence);
    return status;
}

/* As ask_child; but drivers that did not answer in time are not asked again before their files or the environment change: that
 * would take as long again. Those that crash are, which takes no time. */
static yoke_status ask(const yk_backend *backend, bool find_culprit, yk_device_list *list, yk_text *files, bool *out_answered)
{
    bool silent = false;
    yk_text key = { 0 };
    *out_answered = false;
    make_silent_key(backend, &key);
    yoke_status status = recall_silence(backend, &key);
    if (status >= 0)
        status = ask_child(backend, find_culprit, list, files, out_answered, &silent);
    if (silent && find_culprit)
        remember_silence(backend, &key);
    yk_text_free(&key);
    return status;
}

/* Other code has started a driver of the backend in this process. A fork is unsafe then, and a child's answer says nothing:
 * NVIDIA's OpenCL has no devices in a child of a process that uses it, as MPI's ranks do whose hwloc looks for GPUs. */
static bool is_started_elsewhere(const yk_backend *backend)
{
    yk_text key = { 0 };
    bool started = !make_key(backend, &key);
    yk_text_free(&key);
    return started;
}

yoke_status yk_start_list(const yk_backend *backend, bool find_culprit, yk_device_list *list)
{
    bool answered;
    if (!yk_child_works() || is_started(backend) || is_started_elsewhere(backend))
        return yk_start_here(backend, list);
    yoke_status status = ask(backend, find_culprit, list, NULL, &answered);
    return status == YOKE_E_FORKED ? yk_start_here(backend, list) : status; /* seen by the driver alone: started elsewhere */
}

/* Whether the driver may start here although no child could be started: where a sandbox forbids that, but not where room is
 * lacking. What the driver then does not find it may not look for again, as OpenCL's loader does not. */
static yoke_status check_room(const yk_backend *backend)
{
    const char *lack = yk_room_lacks_thread();
    if (lack)
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: the driver is not started: %s", backend->name, lack);
    yk_log(YOKE_LOG_WARNING, "%s: the driver is started without a query in a child process: %s", backend->name, yoke_error()->text);
    return YOKE_OK;
}

/* Query the driver in a child, which has no note of trust; a failure that the start in this process would not mend is the result.
 */
static yoke_status check_by_child(const yk_backend *backend, const yk_text *key)
{
    yk_text files = { 0 };
    yk_device_list list = { 0 };
    bool answered;
    yoke_error_info before = *yoke_error();
    yoke_status status = ask(backend, true, &list, &files, &answered);
    if (answered && status != YOKE_E_FORKED && status != YOKE_E_OUT_OF_HOST_MEMORY)
        yk_trust_note(key, &files);
    if (!answered && status == YOKE_E_OUT_OF_HOST_MEMORY)
        status = check_room(backend);
    else if (answered && status != YOKE_E_OUT_OF_HOST_MEMORY) /* the start in this process will report the same failure */
        status = YOKE_OK;
    if (status == YOKE_OK)
        yk_error_restore(&before);
    free(list.infos);
    yk_text_free(&list.rejected);
    yk_text_free(&files);
    return status;
}

yoke_status yk_start_check(const yk_backend *backend)
{
    yk_text key = { 0 };
    yoke_status status = YOKE_OK;
    const char *lack = is_started(backend) ? NULL : yk_room_lacks(YK_ROOM_OF_DRIVER);
    if (lack)
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: the driver is not started: %s", backend->name, lack);
    if (yk_child_works() && !is_started(backend) && !yk_read_switch("YOKE_TRUST_DRIVERS", 0) && make_key(backend, &key) &&
        !yk_trust_find(&key))
        status = check_by_child(backend, &key);
    yk_text_free(&key);
    return status;
}

/* ---- Fork ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The threads that owned a turn, or waited for a turn, do not exist in the child. */
static void in_child(void)
{
    can_wait = false;
    for (size_t i = 0; i < YK_COUNT_OF(turns); i++)
        turns[i].taken = false;
    pthread_mutex_unlock(&lock);
    yk_cache_forked();
#define FORKED(name) yk_backend_##name.forked();
    YK_BACKENDS(FORKED)
#undef FORKED
}

__attribute__((constructor)) static void watch_forks(void)
{
    static const yk_fork_hooks hooks = { before_fork, in_parent, in_child };
    yk_fork_watch(&hooks);
}
