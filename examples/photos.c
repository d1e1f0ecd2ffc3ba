/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blurs pictures in a pipeline. Each stream processes its pictures one after the other: copy to the device, blur, copy back, and
 * a host function that checks, encodes and writes the result. Several streams do this concurrently, while the main thread decodes
 * the next pictures. All calls of Yoke are in this file; photos/ holds the rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/ops.h>
#include <yoke/yoke.h>

#include "photos/photos.h"

typedef struct worker worker;

/* A picture in flight. The host memory is pinned, so that copies do not block this program. */
typedef struct slot {
    worker *worker;
    yoke_buffer *in, *out;
    yoke_event *start, *stop; /* around the work on the device; NULL if the device has no timestamps */
    yoke_event *done;         /* after the host function; NULL: the slot is free */
    photo *photo;
} slot;

/* Two slots: while a stream works on one picture, the next one is decoded. */
enum { SLOTS = 2 };

/* A stream and the device memory of its work: since the stream is in order, one set is enough for all of its pictures. */
struct worker {
    yoke_stream *stream;
    yoke_buffer *bytes, *pixels, *blurred;
    slot slots[SLOTS];
    struct run *run;
};

typedef struct run {
    options options;
    report report;
    blur blur;

    yoke_device *device;
    yoke_device_info info;
    yoke_program *rgba8, *fractal;
    yoke_kernel *unpack, *pack, *mandelbrot;
    worker workers[MAX_STREAMS];

    yoke_event *origin; /* ties the device's clock to the host's: */
    double origin_time; /* it happened at this time */
    double decoding;    /* seconds */
    bool broken;        /* the device or a stream has failed: stop */
} run;

/* For functions that return a yoke_status: return at the first failure. */
#define DO(call)                    \
    do {                            \
        yoke_status status_ = call; \
        if (status_ < 0)            \
            return status_;         \
    } while (0)

/* ---- Setting up --------------------------------------------------------------------------------------------------------- */

static yoke_status build(run *r, const char *name, yoke_program **out)
{
    yoke_source source;

    DO(yoke_source_builtin(name, &source));
    return yoke_program_build(r->device, &source, out);
}

static yoke_status set_up(run *r)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *first;

    r->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    DO(yoke_device_open(r->options.device, &r->device));
    DO(yoke_device_get_info(r->device, &r->info));
    DO(build(r, "rgba8", &r->rgba8));
    DO(build(r, "fractal", &r->fractal));
    DO(yoke_kernel_get(r->rgba8, "rgba8_unpack", &r->unpack));
    DO(yoke_kernel_get(r->rgba8, "rgba8_pack", &r->pack));
    DO(yoke_kernel_get(r->fractal, "fractal", &r->mandelbrot));

    bool timed = !yoke_device_lacks(r->device, YOKE_CAP_TIMING);
    desc.flags = timed ? YOKE_STREAM_TIMED : 0;
    for (int i = 0; i < r->options.streams; i++) {
        r->workers[i].run = r;
        DO(yoke_stream_create(r->device, &desc, &r->workers[i].stream));
        for (int j = 0; j < SLOTS; j++)
            r->workers[i].slots[j].worker = &r->workers[i];
    }
    first = r->workers[0].stream;
    if (timed) {
        DO(yoke_event_record(first, YOKE_EVENT_TIMED, &r->origin));
        DO(yoke_event_wait(r->origin));
        r->origin_time = now();
    }
    return YOKE_OK;
}

static void tear_down(run *r)
{
    for (int i = 0; i < r->options.streams; i++) {
        worker *w = &r->workers[i];
        for (int j = 0; j < SLOTS; j++) {
            yoke_buffer_release(w->slots[j].out);
            yoke_buffer_release(w->slots[j].in);
        }
        yoke_buffer_release(w->blurred);
        yoke_buffer_release(w->pixels);
        yoke_buffer_release(w->bytes);
        yoke_stream_release(w->stream);
    }
    yoke_event_release(r->origin);
    yoke_program_release(r->fractal);
    yoke_program_release(r->rgba8);
    yoke_device_release(r->device);
}

/* ---- One picture -------------------------------------------------------------------------------------------------------- */

/* Make the buffer at least this large. The smaller buffer stays alive as long as the device uses it. */
static yoke_status grow(yoke_device *device, yoke_buffer **buffer, size_t size, bool pinned)
{
    if (yoke_buffer_get_size(*buffer) >= size)
        return YOKE_OK;
    yoke_buffer_release(*buffer);
    *buffer = NULL;
    return pinned ? yoke_buffer_create_pinned(device, size, buffer) : yoke_buffer_create(device, size, buffer);
}

static yoke_status make_room(slot *s)
{
    worker *w = s->worker;
    yoke_device *device = w->run->device;
    size_t count = (size_t)s->photo->width * (size_t)s->photo->height;

    DO(grow(device, &s->in, count * 4, true));
    DO(grow(device, &s->out, count * 4, true));
    DO(grow(device, &w->bytes, count * 4, false));
    DO(grow(device, &w->pixels, count * 4 * sizeof(float), false));
    return grow(device, &w->blurred, count * 4 * sizeof(float), false);
}

/* One thread per pixel, in blocks of 32 x 8, or of as many threads as the kernel allows. */
static yoke_status launch_over(const slot *s, yoke_kernel *kernel, const yoke_arg *args, size_t count)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    uint32_t x = 32, y = 8;

    DO(yoke_kernel_get_info(kernel, &info));
    while (x * y > info.max_block_threads && x * y > 1)
        *(y > 1 ? &y : &x) /= 2;
    yoke_dim grid = YOKE_DIM(((uint32_t)s->photo->width + x - 1) / x, ((uint32_t)s->photo->height + y - 1) / y);
    return yoke_launch(s->worker->stream, kernel, grid, YOKE_DIM(x, y), 0, args, count);
}

static yoke_status blur_it(slot *s)
{
    const worker *w = s->worker;
    const run *r = w->run;
    int32_t width = s->photo->width, height = s->photo->height, count = width * height;
    yoke_array from = yoke_array_3d(w->pixels, YOKE_F32, height, width, 4);
    yoke_array to = yoke_array_3d(w->blurred, YOKE_F32, height, width, 4);
    yoke_weights weights = { r->blur.weights, 2 * r->blur.radius + 1 };
    yoke_filter_options nearest = YOKE_FILTER_OPTIONS_INIT;
    nearest.boundary = YOKE_BOUNDARY_NEAREST;

    DO(yoke_write(w->stream, w->bytes, 0, yoke_buffer_get_host(s->in), (size_t)count * 4));
    DO(yoke_launch_n(w->stream, r->unpack, (size_t)count, YOKE_ARGS(w->bytes, w->pixels, count)));
    DO(yoke_separable_filter(w->stream, &to, &from, ((yoke_weights[]){ weights, weights }), YOKE_AXES(0, 1), &nearest));
    DO(yoke_launch_n(w->stream, r->pack, (size_t)count, YOKE_ARGS(w->blurred, w->bytes, count)));
    return yoke_read(w->stream, yoke_buffer_get_host(s->out), w->bytes, 0, (size_t)count * 4);
}

/* A computed picture of the Mandelbrot set, at the given depth: first all of it, then closer and closer to one point. */
static yoke_status compute_it(slot *s)
{
    const worker *w = s->worker;
    int32_t width = s->photo->width, height = s->photo->height, iterations = 64 + 8 * s->photo->depth;
    float view = 1;

    for (int i = 1; i < s->photo->depth; i++)
        view *= 0.75f;
    float x = -0.101096f - view * view * 0.55f, y = 0.956287f - view * view * 0.956287f, scale = view * 3 / (float)height;
    DO(launch_over(s, w->run->mandelbrot, YOKE_ARGS(w->bytes, width, height, x, y, scale, iterations)));
    return yoke_read(w->stream, yoke_buffer_get_host(s->out), w->bytes, 0, (size_t)width * (size_t)height * 4);
}

/* The host function: runs on a thread of Yoke when the picture is back in host memory, while other streams continue.
 * A full disk fails this picture only; the stream continues, so the function reports no failure to Yoke. */
static yoke_status publish(yoke_status status, void *user)
{
    slot *s = user;
    const run *r = s->worker->run;
    photo *p = s->photo;

    p->host.start = now();
    if (status < 0) {
        photo_fail(p, "%s", yoke_error()->text);
    } else {
        const unsigned char *result = yoke_buffer_get_host(s->out);
        int tolerance = yoke_device_lacks(r->device, YOKE_CAP_EXACT_FP32) ? 1 : 0;

        if (p->depth > 0 || blur_check(&r->blur, p, yoke_buffer_get_host(s->in), result, tolerance))
            picture_write(p, result);
    }
    p->host.end = now();
    return status;
}

/* ---- The pipeline ------------------------------------------------------------------------------------------------------- */

static yoke_status mark(const slot *s, yoke_event **out)
{
    return s->worker->run->origin ? yoke_event_record(s->worker->stream, YOKE_EVENT_TIMED, out) : YOKE_OK;
}

static yoke_status enqueue(slot *s)
{
    DO(mark(s, &s->start));
    DO(s->photo->depth > 0 ? compute_it(s) : blur_it(s));
    DO(mark(s, &s->stop));
    DO(yoke_host_call(s->worker->stream, publish, s, NULL));
    return yoke_event_record(s->worker->stream, 0, &s->done);
}

static void forget(slot *s)
{
    yoke_event_release(s->start);
    yoke_event_release(s->stop);
    yoke_event_release(s->done);
    s->start = s->stop = s->done = NULL;
    s->photo = NULL;
}

/* Wait for the slot's picture, record its times, and free the slot. */
static void collect(run *r, slot *s)
{
    int64_t start, stop;

    if (!s->photo)
        return;
    if (yoke_event_wait(s->done) < 0)
        photo_fail(s->photo, "%s", yoke_error()->text);
    if (s->start && yoke_event_get_elapsed(r->origin, s->start, &start) == YOKE_OK &&
        yoke_event_get_elapsed(r->origin, s->stop, &stop) == YOKE_OK)
        s->photo->device = (span){ r->origin_time + (double)start * 1e-9, r->origin_time + (double)stop * 1e-9 };
    report_photo(&r->report, s->photo);
    forget(s);
}

/* Decode into the slot's pinned memory, which is allocated once the size is known. */
static bool decode(slot *s)
{
    picture *file = picture_open(s->photo);
    bool ok = false;

    if (file && make_room(s) < 0)
        photo_fail(s->photo, "%s", yoke_error()->text);
    else if (file)
        ok = picture_read(file, yoke_buffer_get_host(s->in));
    picture_close(file);
    return ok;
}

/* Fill a free slot with the photo, and enqueue its work in the stream. */
static void submit(run *r, slot *s, photo *p)
{
    double start = now();
    bool ready;

    s->photo = p;
    if (p->failed || r->broken) {
        photo_fail(p, "not tried, since the device has failed");
        ready = false;
    } else if (p->depth > 0) {
        ready = make_room(s) >= 0;
    } else {
        ready = decode(s);
        r->decoding += now() - start;
    }
    if (ready && enqueue(s) >= 0)
        return;
    photo_fail(p, "%s", yoke_error()->text);
    if (ready) /* part of the work may be in the stream: let it finish before the slot is reused */
        r->broken = yoke_stream_wait(s->worker->stream) < 0;
    report_photo(&r->report, p);
    forget(s);
}

static void process(run *r, const photo_list *photos, const char *what)
{
    int streams = r->options.streams;

    report_start(&r->report, what, photos->count);
    for (size_t i = 0, turn = 0; i < photos->count; i++) {
        slot *s = &r->workers[turn % (size_t)streams].slots[turn / (size_t)streams % SLOTS];
        collect(r, s);
        submit(r, s, &photos->items[i]);
        if (r->options.serial)
            collect(r, s);
        turn += s->photo != NULL;
    }
    for (int i = 0; i < streams * SLOTS; i++)
        collect(r, &r->workers[i % streams].slots[i / streams]);
    report_end(&r->report);
}

/* ---- The program -------------------------------------------------------------------------------------------------------- */

/* Generated pictures, as files in FOLDER/in: deeper and deeper into the Mandelbrot set. */
static bool make_pictures(run *r, photo_list *photos, const char *folder)
{
    enum { COUNT = 24 };
    photo_list made = { 0 };
    char name[32];
    bool ok = true;
    double start = now();

    for (int i = 1; i <= COUNT && ok; i++) {
        snprintf(name, sizeof name, "fractal-%02d", i);
        ok = photos_add(&made, name, folder, name);
        if (ok) {
            photo *p = &made.items[made.count - 1];
            p->width = 1920;
            p->height = 1080;
            p->opaque = true;
            p->depth = i;
        }
    }
    if (ok) {
        process(r, &made, "making");
        if (!r->options.quiet)
            printf("made        %zu pictures of 1920 x 1080 in %.2f s: %s\n", COUNT - r->report.failed, now() - start, folder);
    }
    for (size_t i = 0; i < made.count && ok; i++)
        if (!made.items[i].failed)
            ok = photos_find(photos, &made.items[i].output, 1, r->options.out);
    photos_free(&made);
    return ok;
}

static void print_table(const run *r, const times *t, double wall)
{
    size_t good = r->report.total - r->report.failed;
    double megapixels = r->report.pixels / 1e6, shorter = t->device < t->host ? t->device : t->host;

    printf("device      %s, %s (%s)\n", r->info.selector, r->info.name, r->info.platform);
    printf("pictures    %zu of %zu, %.1f megapixels, sigma %g: %s\n", good, r->report.total, megapixels, r->options.sigma,
           r->options.out);
    if (good == 0) /* no figures to report */
        return;
    printf("checked     %zu pixels against the CPU, %s\n", good * SAMPLES,
           yoke_device_lacks(r->device, YOKE_CAP_EXACT_FP32) ? "each byte within 1" : "equal to the last bit");
    printf("wall time   %.3f s, %.1f megapixels a second, %s\n", wall, megapixels / wall,
           r->options.serial ? "one step after the other" : "all steps at once");
    printf("decoding    %.3f s in the main thread\n", r->decoding);
    if (r->origin)
        printf("GPU work    %.3f s in which some stream copied or computed (%.3f s of all streams together)\n", t->device,
               t->device_sum);
    else
        printf("GPU work    not timed: %s\n", yoke_device_lacks(r->device, YOKE_CAP_TIMING));
    printf("host calls  %.3f s in which some stream checked, encoded or wrote (%.3f s of all streams together)\n", t->host,
           t->host_sum);
    if (r->origin)
        printf("overlap     %.3f s of both at once: %.0f %% of the shorter one\n", t->both,
               shorter > 0 ? 100 * t->both / shorter : 0);
}

static int fail(const char *text)
{
    fprintf(stderr, "photos: %s\n", text);
    return 1;
}

static int run_all(run *r)
{
    const options *o = &r->options;
    photo_list photos = { 0 };
    times all;
    size_t lost = 0, size = strlen(o->out) + sizeof "/in";
    char *folder = malloc(size), error[512];
    bool ok = folder != NULL, own = o->input_count == 0;
    int code = 1;

    if (folder)
        snprintf(folder, size, "%s/in", o->out);
    if (!folder_make(o->out, error, sizeof error) || (own && folder && !folder_make(folder, error, sizeof error))) {
        fail(error);
        goto out;
    }
    if (set_up(r) < 0) {
        fail(yoke_error()->text);
        code = r->device ? 1 : 3;
        goto out;
    }
    if (own && ok) {
        ok = make_pictures(r, &photos, folder);
        lost = r->report.failed;
    } else if (ok) {
        ok = photos_find(&photos, o->inputs, o->input_count, o->out);
    }
    if (!ok) {
        fail("out of memory");
        goto out;
    }
    double start = now(), wall;
    process(r, &photos, "blurring");
    wall = now() - start;
    if (!times_of(&photos, &all)) {
        fail("out of memory");
        goto out;
    }
    if (!o->quiet)
        print_table(r, &all, wall);
    if (r->report.failed)
        fprintf(stderr, "photos: %zu of %zu pictures failed\n", r->report.failed, r->report.total);
    code = lost + r->report.failed > 0;
out:
    photos_free(&photos);
    free(folder);
    return code;
}

int main(int argc, char **argv)
{
    static run r;
    int code = options_parse(&r.options, argc, argv);

    if (code >= 0)
        return code;
    r.report.quiet = r.options.quiet;
    blur_set(&r.blur, r.options.sigma);
    code = run_all(&r);
    tear_down(&r);
    if (fflush(stdout) != 0 || ferror(stdout))
        return fail("cannot write to standard output");
    return code;
}
