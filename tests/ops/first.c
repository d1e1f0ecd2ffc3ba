/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the first call of each operation has compiled, with nothing cached: how many programs and kernels, and how much text. Each
 * kernel that is not launched costs a user of PoCL about as much as one that is. bench/first measures the times.
 */
#include "calls.h"

#include <string.h>

#include "ops/call/call.h"

static const calls_size size = { 5000, 21 }; /* as in call/options, whose programs PoCL has kept */

typedef struct built {
    unsigned programs, kernels, bytes; /* of text, with the headers that it includes */
} built;

/* At most, on a CPU. A line may only grow for a reason: more to compile is a longer first call. */
static const struct {
    const char *name;
    built most;
} limits[] = {
#include "first.def"
};

/* ---- Counting ---- */

static struct {
    built so_far;
    yoke_device *device;
} count;

/* Once each: bit k of `seen` is header k. */
static size_t count_text(const yoke_header *headers, const char *text, uint64_t *seen)
{
    static const char include[] = "#include \"";
    size_t bytes = strlen(text);
    for (const char *at = strstr(text, include); at; at = strstr(at + 1, include)) {
        const char *name = at + sizeof include - 1;
        size_t length = strcspn(name, "\"");
        for (unsigned k = 0; headers[k].name && k < 64; k++)
            if (strlen(headers[k].name) == length && memcmp(headers[k].name, name, length) == 0 && !(*seen >> k & 1)) {
                *seen |= UINT64_C(1) << k;
                bytes += count_text(headers, headers[k].text, seen);
            }
    }
    return bytes;
}

/* The program is built here first: as soon as the call has it, the driver's cache has it, too. */
static yoke_status watch(const yoke_source *source)
{
    yoke_program *program = NULL;
    uint64_t seen = 0;
    if (!CHECK_OK(yoke_program_build(count.device, source, &program)))
        return YOKE_OK;
    count.so_far.programs++;
    count.so_far.kernels += (unsigned)yoke_program_get_kernel_count(program);
    count.so_far.bytes += (unsigned)count_text(source->headers, source->text, &seen);
    yoke_program_release(program);
    return YOKE_OK;
}

/* A device of its own has no programs yet. */
static built count_first(suite *t, const calls_entry *entry)
{
    suite own = *t;
    calls_state x;
    count.so_far = (built){ 0, 0, 0 };
    own.stream = NULL;
    if (!CHECK_OK(yoke_device_open(t->info.selector, &own.device)))
        return count.so_far;
    count.device = own.device;
    yops_program_watch = watch;
    if (CHECK_OK(yoke_stream_create(own.device, NULL, &own.stream))) {
        if (calls_create(&own, entry, size, &x)) {
            calls_fill(&x, 1);
            CHECK_OK(calls_enqueue(own.stream, &x));
            CHECK_OK(yoke_stream_wait(own.stream));
        }
        calls_release(&x);
    }
    yops_program_watch = NULL;
    yoke_stream_release(own.stream);
    yoke_device_release(own.device);
    return count.so_far;
}

/* ---- Cases ---- */

/* Each operation has a line; the second of a name is the second call of that name in calls_table.c. */
static void compare(size_t which, const built *got)
{
    const char *name = calls_table[which].name;
    size_t before = 0;
    for (size_t i = 0; i < which; i++)
        before += strcmp(calls_table[i].name, name) == 0;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (strcmp(limits[i].name, name) != 0 || before-- > 0)
            continue;
        const built *most = &limits[i].most;
        if (!CHECK(got->programs <= most->programs && got->kernels <= most->kernels && got->bytes <= most->bytes))
            tap_diag("%s: %u programs of %u kernels and %u bytes; at most %u, %u, %u", name, got->programs, got->kernels,
                     got->bytes, most->programs, most->kernels, most->bytes);
        return;
    }
    CHECK(!"each operation has a line in first.def");
    tap_diag("{ \"%s\", { %u, %u, %u } },", name, got->programs, got->kernels, got->bytes);
}

static void first_calls(suite *t)
{
    static bool done; /* the devices of a driver are alike */
    if (strcmp(t->info.platform, "Portable Computing Language") != 0 || done) {
        suite_skip("%s", done ? "like the device before" : "the limits are those of PoCL");
        return;
    }
    done = true;
    for (size_t i = 0; i < calls_count; i++)
        if (calls_suit(t, &calls_table[i])) {
            built got = count_first(t, &calls_table[i]);
            compare(i, &got);
        }
}

/* As in a convolution. */
static void real_both_ways(suite *t)
{
    enum { N = 64 };
    yoke_array line = { 0 }, spectrum = { 0 };
    yoke_stream *stream = NULL;
    if (strcmp(t->info.platform, "Portable Computing Language") != 0) {
        suite_skip("the kernel is that of CPUs");
        return;
    }
    count.so_far = (built){ 0, 0, 0 };
    if (!CHECK_OK(yoke_device_open(t->info.selector, &count.device)))
        return;
    yops_program_watch = watch;
    if (CHECK_OK(yoke_stream_create(count.device, NULL, &stream)) &&
        CHECK_OK(yoke_array_create(count.device, YOKE_F32, 1, (const int64_t[]){ N }, &line)) &&
        CHECK_OK(yoke_array_create(count.device, YOKE_C64, 1, (const int64_t[]){ N / 2 + 1 }, &spectrum))) {
        CHECK_OK(yoke_fft(stream, YOKE_FFT_FORWARD, &spectrum, &line, YOKE_AXES(0), NULL));
        CHECK_OK(yoke_fft(stream, YOKE_FFT_INVERSE, &line, &spectrum, YOKE_AXES(0), NULL));
        CHECK_OK(yoke_stream_wait(stream));
    }
    yops_program_watch = NULL;
    CHECK(count.so_far.programs == 1);
    yoke_buffer_release(spectrum.buffer);
    yoke_buffer_release(line.buffer);
    yoke_stream_release(stream);
    yoke_device_release(count.device);
}

static const suite_case cases[] = {
    { "first calls compile no more than they did", first_calls, false },
    { "a real transform of one pass and its inverse are one program", real_both_ways, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
