/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native sections: called once each in the stream's order, with the driver's own handle, which these cases really use. No vendor's
 * header is needed for that: the few functions are looked up in the driver by name.
 */
#include "suite.h"
#include "stand.h"

#include <yoke/library.h>
#include <yoke/native.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

enum { CUDA_NOT_READY = 600 };

/* What the cases call of the drivers: clFlush(queue), cuStreamQuery(stream), cuCtxGetCurrent(&context). */
typedef struct driver {
    int (*flush)(void *queue);
    int (*query)(void *stream);
    int (*get_current)(void **context);
} driver;

static void *look_up(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW); /* the driver is open already: this is one more reference, kept */
    void *symbol = handle ? dlsym(handle, name) : NULL;

    if (!CHECK(symbol != NULL))
        tap_diag("%s in %s: %s", name, library, dlerror());
    return symbol;
}

/* A pointer to a function is no object pointer in C, but is one wherever there is dlsym. */
static bool load(suite *t, driver *d)
{
    bool cuda = strcmp(t->info.backend, "cuda") == 0;
    void *symbols[3] = { NULL, NULL, NULL };

    memset(d, 0, sizeof *d);
    if (cuda) {
        symbols[1] = look_up("libcuda.so.1", "cuStreamQuery");
        symbols[2] = look_up("libcuda.so.1", "cuCtxGetCurrent");
    } else {
        symbols[0] = look_up("libOpenCL.so.1", "clFlush");
    }
    memcpy(&d->flush, &symbols[0], sizeof symbols[0]);
    memcpy(&d->query, &symbols[1], sizeof symbols[1]);
    memcpy(&d->get_current, &symbols[2], sizeof symbols[2]);
    return cuda ? d->query && d->get_current : d->flush != NULL;
}

/* Native sections and host functions take turns: each expects to be called as number `turn`, once. */
typedef struct section {
    const driver *driver;
    atomic_int *turns;
    int turn;
    yoke_status expected, result;
    atomic_int ran, released;
    gate done;
} section;

static void in_turn(section *n, yoke_status status)
{
    CHECK_STATUS(n->expected, status);
    if (status < 0) {
        CHECK(yoke_error()->status == status);
        CHECK_TEXT(yoke_error()->text, OWN_TEXT);
    }
    CHECK(atomic_fetch_add(n->turns, 1) == n->turn);
    CHECK(atomic_fetch_add(&n->ran, 1) == 0 && atomic_load(&n->released) == 0);
}

static yoke_status call_native(yoke_status status, void *handle, void *user)
{
    section *n = user;
    void *context = NULL;

    in_turn(n, status);
    CHECK((handle != NULL) == (status == YOKE_OK));
    if (!handle)
        return YOKE_OK;
    if (n->driver->flush) {
        CHECK(n->driver->flush(handle) == 0);
    } else {
        int code = n->driver->query(handle);
        CHECK(code == 0 || code == CUDA_NOT_READY);
        CHECK(n->driver->get_current(&context) == 0 && context != NULL);
    }
    return n->result < 0 ? yoke_fail(n->result, "%s", OWN_TEXT) : YOKE_OK;
}

static yoke_status call_host(yoke_status status, void *user)
{
    in_turn(user, status);
    return YOKE_OK;
}

static void released(void *user)
{
    section *n = user;

    CHECK(atomic_load(&n->ran) == 1);
    CHECK(atomic_fetch_add(&n->released, 1) == 0);
    gate_open(&n->done);
}

static void *current_context(const driver *d)
{
    void *context = NULL;

    if (d->get_current)
        CHECK(d->get_current(&context) == 0);
    return context;
}

static yoke_status launch_set(suite *t, const guarded *x, uint32_t value)
{
    return yoke_launch(t->stream, suite_kernel(t, "set"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x->buffer, value));
}

enum { ROUNDS = 20, SECTIONS = 2 * ROUNDS };

static void init_sections(section *n, const driver *d, atomic_int *turns, yoke_status expected)
{
    for (int i = 0; i < SECTIONS; i++)
        n[i] = (section){ .driver = d, .turns = turns, .turn = i, .expected = expected, .done = GATE_INIT };
}

static void in_order(suite *t)
{
    static section n[SECTIONS]; /* more than a stack should hold under a sanitizer */
    atomic_int turns = 0;
    guarded x = { 0 }, y = { 0 };
    uint32_t expected[ROUNDS];
    driver d;

    NEED(load(t, &d));
    void *context = current_context(&d);
    init_sections(n, &d, &turns, YOKE_OK);
    NEED(guarded_create(t, 4, &x) && guarded_create(t, sizeof expected, &y));
    for (int i = 0; i < ROUNDS; i++) {
        expected[i] = (uint32_t)i + 5;
        CHECK_OK(launch_set(t, &x, expected[i]));
        CHECK_OK(yoke_native_call(t->stream, call_native, &n[2 * i], released));
        CHECK_OK(yoke_copy(t->stream, y.buffer, 4 * (size_t)i, x.buffer, 0, 4));
        CHECK_OK(yoke_host_call(t->stream, call_host, &n[2 * i + 1], released));
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < SECTIONS; i++)
        CHECK(atomic_load(&n[i].ran) == 1 && atomic_load(&n[i].released) == 1);
    guarded_check(t, &y, expected);
    CHECK(current_context(&d) == context);
    suite_works(t);
out:
    guarded_release(&x);
    guarded_release(&y);
}

/* The first section fails: those behind it are told, and get no handle. */
static void a_section_fails_the_stream(suite *t)
{
    static section n[SECTIONS];
    stand s = STAND_INIT;
    atomic_int turns = 0;
    yoke_event *event = NULL;
    guarded x = { 0 };
    uint32_t value = 42;
    driver d;

    NEED(load(t, &d));
    init_sections(n, &d, &turns, OWN_STATUS);
    n[0].expected = YOKE_OK;
    n[0].result = OWN_STATUS;
    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &value));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (int i = 0; i < SECTIONS; i++) {
        if (i % 2 == 0)
            CHECK_OK(yoke_native_call(t->stream, call_native, &n[i], released));
        else
            CHECK_OK(yoke_host_call(t->stream, call_host, &n[i], released));
        CHECK_OK(launch_set(t, &x, 7));
    }
    CHECK_OK(yoke_event_record(t->stream, 0, &event));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(event));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    for (int i = 0; i < SECTIONS; i++)
        gate_wait(&n[i].done, 1);
    guarded_check(t, &x, &value);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_native_call(t->stream, call_native, NULL, released));
    CHECK_OK(yoke_stream_recover(t->stream));
    CHECK_OK(launch_set(t, &x, 8));
    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, &(uint32_t){ 8 });
out:
    yoke_event_release(event);
    guarded_release(&x);
}

static void what_is_refused(suite *t)
{
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "fn", yoke_native_call(t->stream, NULL, NULL, released));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "stream", yoke_native_call(NULL, call_native, NULL, released));
    CHECK_OK(yoke_stream_wait(t->stream));
}

static yoke_status note_handle(yoke_status status, void *handle, void *user)
{
    *(void **)user = handle;
    return status;
}

/* What CUDA has given; of other drivers the queues have to work, and to have one of their priorities. */
static void priorities(suite *t)
{
    static const int32_t wanted[] = { 0, 1, 3, YOKE_MAX_PRIORITY, -1, -YOKE_MAX_PRIORITY };
    int (*get_priority)(void *stream, int *priority) = NULL;
    bool cuda = strcmp(t->info.backend, "cuda") == 0;
    void *symbol = cuda ? look_up("libcuda.so.1", "cuStreamGetPriority") : NULL;
    int32_t got[sizeof wanted / sizeof *wanted] = { 0 };
    guarded x = { 0 };

    memcpy(&get_priority, &symbol, sizeof symbol);
    NEED(guarded_create(t, sizeof(uint32_t), &x));
    for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
        yoke_stream *stream = NULL;
        void *handle = NULL;
        int given = 0;

        desc.priority = wanted[i];
        NEED_OK(yoke_stream_create(t->device, &desc, &stream));
        CHECK_OK(yoke_launch(stream, suite_kernel(t, "set"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x.buffer, i)));
        CHECK_OK(yoke_native_call(stream, note_handle, &handle, NULL));
        CHECK_OK(yoke_stream_wait(stream));
        guarded_check(t, &x, &i);
        CHECK_OK(yoke_stream_get_priority(stream, &got[i]));
        CHECK(!get_priority || (get_priority(handle, &given) == 0 && given == -got[i]));
        yoke_stream_release(stream);
    }
    CHECK(got[0] == 0 && got[1] >= 0 && got[1] <= 1 && got[2] >= got[1] && got[2] <= 3 && got[3] >= got[2]);
    CHECK(got[4] <= 0 && got[4] >= -1 && got[5] <= got[4]);
    if (strstr(t->info.name, "double"))
        CHECK(got[1] == 1 && got[2] == 3 && got[3] == 5 && got[4] == 0);
out:
    guarded_release(&x);
}

/* ---- Values attached to a device ---- */

enum { ATTACHING = 4 };

typedef struct attacher {
    yoke_device *device;
    const void *key;
    pthread_t thread;
    void *kept;
    atomic_int released;
} attacher;

static void count_release(void *value)
{
    atomic_fetch_add(&((attacher *)value)->released, 1);
}

static void *attach_own(void *user)
{
    attacher *a = user;
    CHECK_OK(yoke_device_attach(a->device, a->key, a, count_release, &a->kept));
    return NULL;
}

/* Threads that attach under one key get one value, which is released with the device; others stay their callers'. */
static void attached_values(suite *t)
{
    static const char keys[2];
    static attacher a[ATTACHING], other;
    yoke_device *device = NULL;
    void *kept = &other;
    int released = 0;
    NEED_OK(yoke_device_open(t->info.selector, &device));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_device_attach|key", yoke_device_attach(device, NULL, &other, NULL, &kept));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_value", yoke_device_attach(device, keys, &other, NULL, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_device_attach(NULL, keys, &other, NULL, &kept));
    CHECK_OK(yoke_device_attach(device, keys, NULL, NULL, &kept));
    CHECK(!kept);
    for (int i = 0; i < ATTACHING; i++) {
        a[i] = (attacher){ .device = device, .key = keys };
        CHECK(pthread_create(&a[i].thread, NULL, attach_own, &a[i]) == 0);
    }
    for (int i = 0; i < ATTACHING; i++)
        CHECK(pthread_join(a[i].thread, NULL) == 0);
    other = (attacher){ .device = device };
    CHECK_OK(yoke_device_attach(device, &keys[1], &other, count_release, &other.kept));
    CHECK(other.kept == &other);
    CHECK_OK(yoke_device_attach(device, keys, NULL, NULL, &kept));
    for (int i = 0; i < ATTACHING; i++)
        CHECK(a[i].kept == kept && atomic_load(&a[i].released) == 0);
    CHECK(atomic_load(&other.released) == 0);
    yoke_device_release(device);
    for (int i = 0; i < ATTACHING; i++) {
        released += atomic_load(&a[i].released);
        CHECK(atomic_load(&a[i].released) == (kept == &a[i]));
    }
    CHECK(released == 1 && atomic_load(&other.released) == 1);
out:;
}

/* ---- Streams that other code fails ---- */

/* What the driver has been given and may not have done fails, and so does what waits for it; what was known to be done does not. */
static void failed_by_other_code(suite *t)
{
    yoke_buffer *out = NULL;
    yoke_stream *other = NULL;
    yoke_event *before = NULL, *behind = NULL;

    NEED_OK(yoke_buffer_create(t->device, 8, &out));
    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    NEED_OK(yoke_event_record(t->stream, 0, &before));
    NEED_OK(yoke_event_wait(before));
    NEED(suite_spin(t, t->stream, out, 1, 300, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &behind));
    NEED_OK(yoke_stream_wait_event(other, behind));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_fail|status is 0", yoke_native_fail(t->stream, YOKE_OK));
    yoke_fail(-7010, "the library has given up");
    CHECK_OK(yoke_native_fail(t->stream, -7010));
    CHECK(yoke_error()->status == -7010);
    CHECK_OK(yoke_native_fail(t->stream, yoke_fail(-7011, "too late")));
    CHECK_FAILS(-7010, "given up", yoke_event_wait(behind));
    CHECK_OK(yoke_event_query(before));
    CHECK_FAILS(-7010, "given up", yoke_stream_wait(t->stream));
    CHECK_FAILS(-7010, "given up", yoke_stream_wait(other));
    CHECK_OK(yoke_stream_recover(t->stream));
    CHECK_FAILS(-7010, "given up", yoke_event_query(behind));
    suite_works(t);
out:
    yoke_event_release(before);
    yoke_event_release(behind);
    yoke_stream_release(other);
    yoke_buffer_release(out);
}

/* An event that nobody has asked for keeps a failure, however often its stream has failed and recovered since. */
static void failed_long_ago(suite *t)
{
    enum { MANY = 40 };
    yoke_buffer *buffer = NULL;
    yoke_event *events[MANY + 1] = { NULL }, *good = NULL;

    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    NEED_OK(yoke_fill(t->stream, buffer, 0, 64, "a", 1));
    NEED_OK(yoke_event_record(t->stream, 0, &good));
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < MANY; i++) {
        NEED_OK(yoke_fill(t->stream, buffer, 0, 64, "a", 1));
        NEED_OK(yoke_event_record(t->stream, 0, &events[i]));
        CHECK_OK(yoke_native_fail(t->stream, yoke_fail(-7020 - i, "given up in round %d;", i)));
        NEED_OK(yoke_stream_recover(t->stream));
    }
    for (int i = 0; i < MANY; i++) {
        yoke_status status = yoke_event_query(events[i]);

        CHECK(status <= -7020 - i && suite_has_words(yoke_error()->text, "given up"));
        CHECK(i < MANY - 10 || status == -7020 - i);
        CHECK(i > 10 || suite_has_words(yoke_error()->text, "may have succeeded"));
    }
    CHECK_OK(yoke_stream_wait_event(t->side, good)); /* it had succeeded before the first failure */
    CHECK_OK(yoke_stream_wait(t->side));
    CHECK_OK(yoke_event_query(good));
    NEED_OK(yoke_event_record(t->stream, 0, &events[MANY]));
    CHECK_OK(yoke_event_wait(events[MANY]));
out:
    for (int i = 0; i <= MANY; i++)
        yoke_event_release(events[i]);
    yoke_event_release(good);
    yoke_buffer_release(buffer);
}

/* A device that is lost elsewhere, of another process say, is not this one: the stream fails and so does what waits for it, whether
 * it is asked or released; the others go on, and those that have failed recover. The device is the case's own: its close ends every
 * stream, and what the library says of them is said here. */
static void failed_by_a_device_elsewhere(suite *t)
{
    yoke_device *device = NULL;
    yoke_buffer *out = NULL;
    yoke_stream *fails = NULL, *waits = NULL, *gone = NULL, *other = NULL;
    yoke_event *event = NULL, *behind = NULL;

    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_buffer_create(device, 8, &out));
    NEED_OK(yoke_stream_create(device, NULL, &fails));
    NEED_OK(yoke_stream_create(device, NULL, &waits));
    NEED_OK(yoke_stream_create(device, NULL, &gone));
    NEED_OK(yoke_stream_create(device, NULL, &other));
    NEED_OK(yoke_fill(fails, out, 0, 4, "abc", 4));
    NEED_OK(yoke_event_record(fails, 0, &event));
    NEED_OK(yoke_stream_wait_event(waits, event));
    NEED_OK(yoke_fill(waits, out, 4, 4, "def", 4));
    NEED_OK(yoke_event_record(waits, 0, &behind));
    NEED_OK(yoke_stream_wait_event(gone, event));
    CHECK_OK(yoke_native_fail(fails, yoke_fail(YOKE_E_DEVICE_LOST, "rank 3 has lost its device")));
    yoke_stream_release(gone);
    gone = NULL;
    CHECK_FAILS(YOKE_E_DEVICE_LOST, "rank 3", yoke_event_wait(behind));
    CHECK_FAILS(YOKE_E_DEVICE_LOST, "rank 3", yoke_stream_wait(waits));
    CHECK_FAILS(YOKE_E_DEVICE_LOST, "rank 3", yoke_stream_wait(fails));
    CHECK_OK(yoke_fill(other, out, 0, 4, "ghi", 4));
    CHECK_OK(yoke_stream_wait(other));
    CHECK_OK(yoke_stream_recover(fails));
    CHECK_OK(yoke_stream_recover(waits));
    CHECK_OK(yoke_fill(fails, out, 0, 4, "jkl", 4));
    CHECK_OK(yoke_fill(waits, out, 4, 4, "mno", 4));
    CHECK_OK(yoke_stream_wait(fails));
    CHECK_OK(yoke_stream_wait(waits));
    CHECK_OK(yoke_device_trim_memory(device, 0));
    suite_works(t);
out:
    yoke_event_release(event);
    yoke_event_release(behind);
    yoke_stream_release(fails);
    yoke_stream_release(waits);
    yoke_stream_release(gone);
    yoke_stream_release(other);
    yoke_buffer_release(out);
    yoke_device_release(device);
    CHECK(suite_log_open(1));
}

int main(void)
{
    static const suite_case cases[] = {
        { "native sections run once, in order, with a handle that works", in_order, false },
        { "a native section fails the stream, and those behind get no handle", a_section_fails_the_stream, false },
        { "a stream that other code fails, and the events in it", failed_by_other_code, false },
        { "an event of a stream that has failed many times since", failed_long_ago, false },
        { "a stream that fails with a device elsewhere", failed_by_a_device_elsewhere, false },
        { "what native sections refuse", what_is_refused, false },
        { "streams with priorities", priorities, false },
        { "values attached to a device", attached_values, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "native test";
    source.cuda = SPIN_CUDA SET_CUDA;
    source.opencl = SPIN_OPENCL SET_OPENCL;
    return SUITE_MAIN(cases, &source);
}
