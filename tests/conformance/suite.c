/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop over devices and cases, the checks, and memory with guard bytes. Failed checks count for the case that runs: a
 * host function that outlives its case would count into the next one, so no case may leave one behind.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static atomic_uint checks_failed;
static bool skipped;
static char skip_reason[256];

/* ---- Checks ------------------------------------------------------------------------------------------------------------- */

bool suite_check(bool ok, const char *where, const char *what)
{
    if (!ok) {
        tap_diag("%s: does not hold: %s", where, what);
        atomic_fetch_add(&checks_failed, 1);
    }
    return ok;
}

bool suite_check_status(yoke_status expected, yoke_status got, const char *where, const char *what)
{
    if (got == expected)
        return true;
    tap_diag("%s: %s is %s (%d), expected %s", where, what, yoke_status_name(got), (int)got, yoke_status_name(expected));
    if (got < 0)
        tap_diag("the record says: %s", yoke_error()->text);
    atomic_fetch_add(&checks_failed, 1);
    return false;
}

bool suite_check_text(const char *text, const char *word, const char *where)
{
    if (text && strcasestr(text, word))
        return true;
    tap_diag("%s: \"%s\" is not in: %s", where, word, text ? text : "(NULL)");
    atomic_fetch_add(&checks_failed, 1);
    return false;
}

enum { WORD_SIZE = 128 };

/* The first of "name|value|limit"; returns what is behind it. */
static const char *take_word(const char *words, char word[WORD_SIZE])
{
    size_t length = strcspn(words, "|");

    snprintf(word, WORD_SIZE, "%.*s", (int)length, words);
    return words + length + (words[length] == '|');
}

bool suite_has_words(const char *text, const char *words)
{
    char word[WORD_SIZE];
    bool all = true;

    while (*words && all) {
        words = take_word(words, word);
        all = strcasestr(text, word) != NULL;
    }
    return all;
}

bool suite_check_fails(yoke_status expected, const char *words, yoke_status got, const char *where, const char *what)
{
    char word[WORD_SIZE];
    bool ok = suite_check_status(expected, got, where, what);

    if (!ok)
        return false;
    ok = suite_check(yoke_error()->status == got, where, "yoke_error()->status is what the call returned");
    while (*words) {
        words = take_word(words, word);
        ok = suite_check_text(yoke_error()->text, word, where) && ok;
    }
    return ok;
}

bool suite_check_refused(const char *words, yoke_status got, const char *where, const char *what)
{
    bool ok = suite_check_fails(YOKE_E_INVALID_ARGUMENT, words, got, where, what);
    if (suite_errors() != 1)
        tap_diag("%s: %s logged %u errors", where, what, suite_errors());
    return suite_check(suite_errors() == 1, where, "a refused call logs one error") && ok;
}

bool suite_check_bytes(const void *got, const void *wanted, size_t size, const char *where)
{
    const unsigned char *a = got, *b = wanted;
    size_t first = 0, wrong = 0;

    if (size == 0 || memcmp(a, b, size) == 0)
        return true;
    while (a[first] == b[first])
        first++;
    for (size_t i = first; i < size; i++)
        wrong += a[i] != b[i];
    tap_diag("%s: byte %zu of %zu is 0x%02x, expected 0x%02x; %zu bytes differ", where, first, size, a[first], b[first], wrong);
    atomic_fetch_add(&checks_failed, 1);
    return false;
}

unsigned suite_failures(void)
{
    return atomic_load(&checks_failed);
}

void suite_skip(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(skip_reason, sizeof skip_reason, format, arguments);
    va_end(arguments);
    skipped = true;
}

bool suite_can(suite *t, int capability)
{
    bool can = t->info.capabilities >> capability & 1;
    const char *lacks = yoke_device_lacks(t->device, capability);

    if (can)
        CHECK(lacks == NULL);
    else
        CHECK(lacks != NULL && lacks[0] != '\0');
    return can;
}

yoke_kernel *suite_kernel(suite *t, const char *name)
{
    yoke_kernel *kernel = NULL;

    CHECK_OK(yoke_kernel_get(t->program, name, &kernel));
    return kernel;
}

double suite_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- Is the library still usable? --------------------------------------------------------------------------------------- */

static const char *const saxpy_cuda = "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int n)\n"
                                      "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }\n";
static const char *const saxpy_opencl = "__kernel void saxpy(__global float *y, __global const float *x, float a, int n)\n"
                                        "{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }\n";

bool suite_works(suite *t)
{
    enum { N = 1000 };
    float x[N], y[N], wanted[N];
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_stream *stream = NULL;
    yoke_buffer *xs = NULL;
    yoke_kernel *kernel = NULL;
    guarded ys = { 0 };
    bool works = false;

    fill_random_floats(x, N, 1);
    fill_random_floats(y, N, 2);
    for (int i = 0; i < N; i++) {
        float product = 2.0f * x[i]; /* exact, so that a fused multiply-add gives the same */
        wanted[i] = product + y[i];
    }
    source.name = "suite saxpy";
    source.cuda = saxpy_cuda;
    source.opencl = saxpy_opencl;
    if (!t->saxpy)
        NEED_OK(yoke_program_build(t->device, &source, &t->saxpy));
    NEED_OK(yoke_kernel_get(t->saxpy, "saxpy", &kernel));
    NEED_OK(yoke_stream_create(t->device, NULL, &stream));
    NEED_OK(yoke_buffer_create(t->device, sizeof x, &xs));
    NEED(guarded_create(t, sizeof y, &ys));
    NEED_OK(yoke_write(stream, xs, 0, x, sizeof x));
    NEED_OK(yoke_write(stream, ys.buffer, 0, y, sizeof y));
    NEED_OK(yoke_launch_n(stream, kernel, N, YOKE_ARGS(ys.buffer, xs, 2.0f, (int32_t)N)));
    NEED_OK(yoke_stream_wait(stream));
    works = guarded_check(t, &ys, wanted);
out:
    guarded_release(&ys);
    yoke_buffer_release(xs);
    yoke_stream_release(stream);
    return works;
}

/* ---- A kernel that takes a while ---------------------------------------------------------------------------------------- */

uint32_t spin_result(uint32_t value, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds * SPIN_STEPS; i++) {
        value = value * 1664525u + 1013904223u;
        value ^= value >> 16;
    }
    return value;
}

/* The first launch is left out: some drivers compile then. Of some that are long enough the fastest counts: in the others something
 * else ran, too. */
static bool measure_spin(suite *t, yoke_kernel *spin)
{
    enum { ENOUGH = 4 };
    yoke_buffer *out = NULL;
    uint32_t rounds = 10;
    bool warm = false;

    NEED_OK(yoke_buffer_create(t->device, 2 * sizeof(uint32_t), &out));
    for (unsigned long_enough = 0; long_enough < ENOUGH && rounds <= SPIN_MOST; warm = true) {
        double start = suite_now();
        NEED_OK(yoke_launch(t->side, spin, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out, (uint32_t)1, rounds)));
        NEED_OK(yoke_stream_wait(t->side));
        double seconds = warm ? suite_now() - start : 0;
        if (warm && rounds / seconds > t->spin_rate)
            t->spin_rate = rounds / seconds;
        if (seconds >= 0.002)
            long_enough++;
        else
            rounds *= 4;
    }
    CHECK(t->spin_rate > 0);
out:
    yoke_buffer_release(out);
    return t->spin_rate > 0;
}

bool suite_spin(suite *t, yoke_stream *stream, yoke_buffer *out, uint32_t value, unsigned milliseconds, uint32_t *out_rounds)
{
    yoke_kernel *spin = suite_kernel(t, "spin");

    if (!spin || (t->spin_rate == 0 && !measure_spin(t, spin)))
        return false;
    double rounds = t->spin_rate * milliseconds / 1000 + 1;
    uint32_t bounded = rounds < SPIN_MOST ? (uint32_t)rounds : SPIN_MOST;
    if (out_rounds)
        *out_rounds = bounded;
    return CHECK_OK(yoke_launch(stream, spin, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out, value, bounded)));
}

/* ---- Memory with guard bytes -------------------------------------------------------------------------------------------- */

static const size_t guard_bytes = 256;

/* What the bytes of a whole buffer from `first` hold before a test writes to them. */
static void fill_guards(unsigned char *bytes, size_t first, size_t count)
{
    enum { PERIOD = 1 << 16 };

    for (size_t i = 0; i < count && i < PERIOD; i++)
        bytes[i] = (unsigned char)(0xA5 ^ (first + i) * 29 ^ (first + i) >> 8);
    for (size_t i = PERIOD; i < count; i += PERIOD)
        memcpy(bytes + i, bytes, count - i < PERIOD ? count - i : PERIOD);
}

bool guarded_create_on(yoke_device *device, yoke_stream *side, size_t size, guarded *out)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    unsigned char *bytes = NULL;
    bool ok = false;

    memset(out, 0, sizeof *out);
    NEED_OK(yoke_device_get_info(device, &info));
    out->before = guard_bytes;
    if (info.view_alignment > 1)
        out->before += (info.view_alignment - guard_bytes % info.view_alignment) % info.view_alignment;
    out->size = size;
    out->after = guard_bytes;
    size_t total = out->before + size + out->after;
    bytes = memory_new(total);
    fill_guards(bytes, 0, total);
    NEED_OK(yoke_buffer_create(device, total, &out->whole));
    NEED_OK(yoke_write_sync(side, out->whole, 0, bytes, total));
    NEED_OK(yoke_buffer_create_view(out->whole, out->before, size, &out->buffer));
    ok = true;
out:
    memory_free(bytes);
    if (!ok)
        guarded_release(out);
    return ok;
}

bool guarded_create(suite *t, size_t size, guarded *out)
{
    return guarded_create_on(t->device, t->side, size, out);
}

bool guarded_write(suite *t, const guarded *g, const void *source)
{
    return CHECK_OK(yoke_write_sync(t->side, g->whole, g->before, source, g->size));
}

bool guarded_read(suite *t, const guarded *g, void *target)
{
    return CHECK_OK(yoke_read_sync(t->side, target, g->whole, g->before, g->size));
}

bool guarded_check_on(yoke_stream *side, const guarded *g, const void *wanted)
{
    size_t total = g->before + g->size + g->after, after = g->before + g->size;
    unsigned char *bytes = memory_new(total), *guards = memory_new(g->before + g->after);
    bool ok = CHECK_OK(yoke_read_sync(side, bytes, g->whole, 0, total));

    fill_guards(guards, 0, g->before);
    fill_guards(guards + g->before, after, g->after);
    if (ok)
        ok = suite_check_bytes(bytes, guards, g->before, "guard before the buffer");
    if (ok)
        ok = suite_check_bytes(bytes + after, guards + g->before, g->after, "guard behind the buffer");
    if (ok)
        ok = suite_check_bytes(bytes + g->before, wanted, g->size, "the buffer");
    memory_free(guards);
    memory_free(bytes);
    return ok;
}

bool guarded_check(suite *t, const guarded *g, const void *wanted)
{
    return guarded_check_on(t->side, g, wanted);
}

void guarded_release(guarded *g)
{
    yoke_buffer_release(g->buffer);
    yoke_buffer_release(g->whole);
    memset(g, 0, sizeof *g);
}

/* In front of host memory: its size, then guard bytes up to the memory itself, which stays aligned to 64. */
enum { MEMORY_FRONT = 128, MEMORY_BACK = 128 };

void *memory_new(size_t size)
{
    unsigned char *memory = aligned_alloc(64, (MEMORY_FRONT + size + MEMORY_BACK + 63) / 64 * 64);

    if (!memory)
        tap_bail("no host memory: %zu bytes", size);
    memcpy(memory, &size, sizeof size);
    memset(memory + sizeof size, 0xC3, MEMORY_FRONT - sizeof size);
    memset(memory + MEMORY_FRONT, 0, size);
    memset(memory + MEMORY_FRONT + size, 0x3C, MEMORY_BACK);
    return memory + MEMORY_FRONT;
}

void memory_free(void *pointer)
{
    unsigned char *memory = pointer, expected[MEMORY_FRONT];
    size_t size;

    if (!memory)
        return;
    memory -= MEMORY_FRONT;
    memcpy(&size, memory, sizeof size);
    memset(expected, 0xC3, sizeof expected);
    suite_check_bytes(memory + sizeof size, expected, MEMORY_FRONT - sizeof size, "guard before host memory");
    memset(expected, 0x3C, sizeof expected);
    suite_check_bytes(memory + MEMORY_FRONT + size, expected, MEMORY_BACK, "guard behind host memory");
    free(memory);
}

/* xorshift32: a seed of 0 would stay 0. */
static uint32_t random_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

void fill_random(void *bytes, size_t size, uint32_t seed)
{
    unsigned char *out = bytes;
    uint32_t state = seed * 2654435761u | 1;

    for (size_t i = 0; i < size; i += sizeof state) {
        uint32_t four = random_next(&state);
        memcpy(out + i, &four, size - i < sizeof four ? size - i : sizeof four);
    }
}

void fill_random_floats(float *values, size_t count, uint32_t seed)
{
    uint32_t state = seed * 2654435761u | 1;

    for (size_t i = 0; i < count; i++)
        values[i] = (float)(int32_t)random_next(&state) / 2147483648.0f;
}

/* ---- Gates -------------------------------------------------------------------------------------------------------------- */

void gate_open(gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->opened++;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

void gate_wait(gate *g, unsigned count)
{
    pthread_mutex_lock(&g->lock);
    while (g->opened < count)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

bool gate_is_open(gate *g, unsigned count)
{
    pthread_mutex_lock(&g->lock);
    bool open = g->opened >= count;
    pthread_mutex_unlock(&g->lock);
    return open;
}

/* ---- The loop ----------------------------------------------------------------------------------------------------------- */

enum { MAX_DEVICES = 32, TIME_LIMIT = 120 };

static yoke_device_info devices[MAX_DEVICES];
static size_t device_count;

/* Whether a comma-separated list holds a word. */
static bool in_list(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *item = list; item && length; item = strchr(item, ',') ? strchr(item, ',') + 1 : NULL)
        if (strncmp(item, word, length) == 0 && (item[length] == ',' || item[length] == '\0'))
            return true;
    return false;
}

static void list_devices(void)
{
    const char *only = getenv("YOKE_TEST_DEVICES");
    yoke_device_info all[MAX_DEVICES];
    size_t count = 0;

    for (size_t i = 0; i < MAX_DEVICES; i++)
        all[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (yoke_device_list(all, MAX_DEVICES, &count) < 0)
        tap_bail("yoke_device_list: %s", yoke_error()->text);
    for (size_t i = 0; i < count && i < MAX_DEVICES; i++)
        if (!only || !*only || in_list(only, all[i].selector))
            devices[device_count++] = all[i];
}

bool suite_open_other(suite *t, yoke_device **out_device)
{
    for (size_t i = 0; i < device_count; i++)
        if (strcmp(devices[i].selector, t->info.selector) != 0)
            return CHECK_OK(yoke_device_open(devices[i].selector, out_device));
    return false;
}

static void run_case(const suite_case *c, suite *t)
{
    const char *label = t->device ? t->info.selector : "once";
    double start = suite_now();

    atomic_store(&checks_failed, 0);
    skipped = false;
    yoke_error_clear();
    suite_log_begin();
    if (t->device)
        CHECK_OK(yoke_stream_create(t->device, NULL, &t->stream));
    if (!t->device || t->stream)
        c->run(t);
    yoke_stream_release(t->stream);
    t->stream = NULL;
    suite_log_here(); /* a function of the case's own may end with it */
    bool quiet = suite_log_end(), passed = quiet && suite_failures() == 0;
    if (skipped && passed)
        tap_skip("%s: %s: %s", label, c->name, skip_reason);
    else
        tap_ok(passed, "%s: %s", label, c->name);
    if (suite_now() - start > 5)
        tap_diag("the case took %.0f s", suite_now() - start);
}

/* Every case that needs a device, on devices[i]. */
static void run_device(const suite_case *cases, size_t count, const yoke_source *source, size_t i)
{
    suite t = { .info = YOKE_DEVICE_INFO_INIT };
    bool ready = false;

    tap_diag("%s is %s (%s, driver %s)", devices[i].selector, devices[i].name, devices[i].platform, devices[i].driver);
    /* The OpenCL loader of CUDA's toolkit takes this variable apart where it stands, and children would inherit the rest. */
    const char *drivers = getenv("OCL_ICD_FILENAMES");
    char *kept = drivers ? strdup(drivers) : NULL;
    yoke_status opened = yoke_device_open(devices[i].selector, &t.device);
    if (kept)
        setenv("OCL_ICD_FILENAMES", kept, 1);
    free(kept);
    NEED_OK(opened);
    NEED_OK(yoke_device_get_info(t.device, &t.info));
    NEED_OK(yoke_stream_create(t.device, NULL, &t.side));
    if (source)
        NEED_OK(yoke_program_build(t.device, source, &t.program));
    ready = true;
out:
    for (size_t c = 0; c < count; c++) {
        if (cases[c].once)
            continue;
        if (ready)
            run_case(&cases[c], &t);
        else
            tap_ok(false, "%s: %s (the device could not be made ready)", devices[i].selector, cases[c].name);
    }
    if (!ready && yoke_program_get_build_log()[0])
        tap_diag("%s", yoke_program_get_build_log());
    suite_log_begin();
    yoke_program_release(t.saxpy);
    yoke_program_release(t.program);
    yoke_stream_release(t.side);
    yoke_device_release(t.device);
    bool closed = suite_log_closed();
    tap_ok(suite_log_end() && closed, "%s: closed, and nothing is left", devices[i].selector);
}

/* A lock that lasts as long as the process, for all programs in this folder. Children come in with their parents. */
static void lock_out(int how)
{
    int file = getenv("YOKE_TEST_LOCKED") ? -1 : open("suite.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || setenv("YOKE_TEST_LOCKED", "1", 1) != 0)
        return;
    while (flock(file, how) != 0 && errno == EINTR)
        continue;
}

void suite_alone(void)
{
    lock_out(LOCK_EX);
}

/* A backend that YOKE_TEST_REQUIRE names and YOKE_BACKEND does not leave out has no device; NULL: none. */
static const char *missing_backend(void)
{
    static const char *const backends[] = { "cuda", "opencl" };
    const char *only = getenv("YOKE_BACKEND"), *required = getenv("YOKE_TEST_REQUIRE");

    for (size_t b = 0; b < sizeof backends / sizeof backends[0]; b++) {
        size_t length = strlen(backends[b]), there = 0;
        for (size_t i = 0; i < device_count; i++)
            there += strncmp(devices[i].selector, backends[b], length) == 0;
        if (in_list(required, backends[b]) && (!only || strcmp(only, backends[b]) == 0) && there == 0)
            return backends[b];
    }
    return NULL;
}

int suite_main(const suite_case *cases, size_t count, const yoke_source *source)
{
    lock_out(LOCK_SH);
    unsigned once = 0;
    char reason[512];

    tap_start(TIME_LIMIT);
    suite_log_here();
    list_devices();
    snprintf(reason, sizeof reason, "no device: %s", yoke_device_get_report());
    for (char *c = reason; *c; c++)
        if (*c == '\n')
            *c = c[1] ? ';' : '\0';
    for (size_t c = 0; c < count; c++)
        once += cases[c].once;

    const char *missing = missing_backend();
    if (device_count == 0 && once == 0 && !missing)
        tap_skip_all("%s", reason);
    unsigned of_devices = (unsigned)device_count * ((unsigned)count - once + 1);
    tap_plan(once + of_devices + (missing || device_count == 0));
    for (size_t c = 0; c < count; c++)
        if (cases[c].once)
            run_case(&cases[c], &(suite){ 0 });
    if (missing)
        tap_ok(false, "YOKE_TEST_REQUIRE names %s: %s", missing, reason);
    else if (device_count == 0)
        tap_skip("%s", reason);
    for (size_t i = 0; i < device_count; i++)
        run_device(cases, count, source, i);
    return tap_done();
}
