/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms by cuFFT (on the CUDA double, its stand-in), against the definition in double. */
#include "ops/signal/cufft.h"
#include "../../conformance/again.h"
#include "../arrays.h"
#include "../library/vendor.h"

#include <math.h>

#include <yoke/fft.h>
#include <yoke/graph.h>

enum { ELEMENTS = 600 }; /* real numbers of each side's buffer */

/* A transform, its data on the host as double, and its buffers. */
typedef struct transform {
    yops_vendor_fft_plan plan;
    yops_place in, out;
    yoke_buffer *buffers[2];
    double host[2][ELEMENTS];
} transform;

/* ---- The definition ---- */

static int64_t length_of(const yops_vendor_fft_plan *p, int axis, bool half)
{
    return axis >= p->rank ? 1 : half && axis == p->rank - 1 ? p->lengths[axis] / 2 + 1 : p->lengths[axis];
}

static int64_t place_of(const yops_vendor_fft_plan *p, const yops_fft_side *side, int64_t which, const int64_t *index)
{
    int64_t at = which * side->distance;
    for (int i = 0; i < p->rank; i++)
        at += index[i] * side->strides[i];
    return at;
}

/* An element of the input; of half a spectrum also one that is not stored. */
static void load(const transform *f, int64_t which, const int64_t *index, double *re, double *im)
{
    const yops_vendor_fft_plan *p = &f->plan;
    int64_t at[3] = { index[0], index[1], index[2] };
    bool mirrored = p->kind == YOPS_FFT_C2R && index[p->rank - 1] > p->lengths[p->rank - 1] / 2;
    for (int i = 0; i < p->rank && mirrored; i++)
        at[i] = (p->lengths[i] - index[i]) % p->lengths[i];
    int64_t place = f->in.origin + place_of(p, &p->in, which, at);
    *re = f->host[0][p->kind == YOPS_FFT_R2C ? place : 2 * place];
    *im = p->kind == YOPS_FFT_R2C ? 0 : f->host[0][2 * place + 1] * (mirrored ? -1 : 1);
}

static void next(const yops_vendor_fft_plan *p, bool half, int64_t *index)
{
    for (int i = 2; i >= 0; i--) {
        if (++index[i] < length_of(p, i, half))
            return;
        index[i] = 0;
    }
}

static int64_t count_of(const yops_vendor_fft_plan *p, bool half)
{
    return length_of(p, 0, half) * length_of(p, 1, half) * length_of(p, 2, half);
}

static void element(const transform *f, int64_t which, const int64_t *out, double *re, double *im)
{
    const yops_vendor_fft_plan *p = &f->plan;
    double sign = p->kind == YOPS_FFT_C2R || (p->kind == YOPS_FFT_C2C && p->inverse) ? 2 : -2;
    int64_t index[3] = { 0, 0, 0 };
    *re = *im = 0;
    for (int64_t n = count_of(p, false); n > 0; n--, next(p, false, index)) {
        double u, v, turn = 0;
        for (int i = 0; i < p->rank; i++)
            turn += (double)(index[i] * out[i] % p->lengths[i]) / (double)p->lengths[i];
        load(f, which, index, &u, &v);
        double c = cos(sign * acos(-1) * turn), s = sin(sign * acos(-1) * turn);
        *re += u * c - v * s;
        *im += u * s + v * c;
    }
}

/* The output as it should be, in place of what it was. */
static void compute(transform *f)
{
    const yops_vendor_fft_plan *p = &f->plan;
    bool half = p->kind == YOPS_FFT_R2C, real = p->kind == YOPS_FFT_C2R;
    for (int64_t which = 0; which < p->batch; which++) {
        int64_t index[3] = { 0, 0, 0 };
        for (int64_t n = count_of(p, half); n > 0; n--, next(p, half, index)) {
            double re, im;
            int64_t at = f->out.origin + place_of(p, &p->out, which, index);
            element(f, which, index, &re, &im);
            f->host[1][real ? at : 2 * at] = re;
            if (!real)
                f->host[1][2 * at + 1] = im;
        }
    }
}

/* ---- Trials ---- */

static size_t bytes_of(const transform *f)
{
    return ELEMENTS * (f->plan.wide ? sizeof(double) : sizeof(float));
}

static bool upload(suite *t, transform *f, int side)
{
    double wide[ELEMENTS];
    float narrow[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        wide[i] = narrow[i] = (float)f->host[side][i];
    return CHECK_OK(yoke_write_sync(t->side, f->buffers[side], 0, f->plan.wide ? (void *)wide : (void *)narrow, bytes_of(f)));
}

static bool create(suite *t, const yops_vendor_fft_plan *plan, uint32_t seed, transform *f)
{
    *f = (transform){ .plan = *plan };
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < ELEMENTS; i++)
            f->host[side][i] = (double)(test_random(&seed) % 17) - 8;
        if (!CHECK_OK(yoke_buffer_create(t->device, bytes_of(f), &f->buffers[side])) || !upload(t, f, side))
            return false;
    }
    f->in = (yops_place){ .root = f->buffers[0], .origin = 4 };
    f->out = (yops_place){ .root = f->buffers[1], .origin = 6 };
    return true;
}

static void release(transform *f)
{
    yoke_buffer_release(f->buffers[0]);
    yoke_buffer_release(f->buffers[1]);
}

static bool enqueue(yoke_stream *stream, const transform *f)
{
    yops_call call;
    yoke_status status = YOKE_E_DRIVER;
    return CHECK_OK(yops_begin(&call, "yoke_fft", YOKE_HERE, stream)) &&
           CHECK(yops_vendor_fft(&call, &f->plan, &f->in, &f->out, &status)) && CHECK_OK(status);
}

/* The whole buffer, also what lies between the output's elements. */
static bool compare(suite *t, const transform *f)
{
    double wide[ELEMENTS], most = f->plan.wide ? 1e-12 : 2e-4;
    float narrow[ELEMENTS];
    bool right = CHECK_OK(yoke_read_sync(t->side, f->plan.wide ? (void *)wide : (void *)narrow, f->buffers[1], 0, bytes_of(f)));
    for (int i = 0; i < ELEMENTS && right; i++)
        right = CHECK(fabs((f->plan.wide ? wide[i] : (double)narrow[i]) - f->host[1][i]) <= most);
    return right;
}

static const yops_vendor_fft_plan plans[] = {
    { YOPS_FFT_C2C, 0, 0, 1, { 8, 0, 0 }, 1, { { 1, 0, 0 }, 8 }, { { 1, 0, 0 }, 8 } },
    { YOPS_FFT_C2C, 1, 0, 1, { 5, 0, 0 }, 3, { { 2, 0, 0 }, 11 }, { { 1, 0, 0 }, 7 } },
    { YOPS_FFT_C2C, 0, 1, 2, { 4, 6, 0 }, 2, { { 7, 1, 0 }, 30 }, { { 6, 1, 0 }, 24 } },
    { YOPS_FFT_C2C, 1, 1, 3, { 2, 3, 4 }, 2, { { 15, 5, 1 }, 31 }, { { 12, 4, 1 }, 24 } },
    { YOPS_FFT_R2C, 0, 0, 1, { 9, 0, 0 }, 2, { { 1, 0, 0 }, 9 }, { { 1, 0, 0 }, 5 } },
    { YOPS_FFT_R2C, 0, 1, 2, { 4, 6, 0 }, 2, { { 8, 1, 0 }, 32 }, { { 4, 1, 0 }, 16 } },
    { YOPS_FFT_C2R, 0, 0, 1, { 8, 0, 0 }, 2, { { 1, 0, 0 }, 5 }, { { 1, 0, 0 }, 8 } },
};

static bool is_there(suite *t)
{
    if (strcmp(t->info.backend, "cuda") != 0) {
        suite_skip("cuFFT is for devices of CUDA");
        return false;
    }
    (void)vendor_open_double(t);
    if (!yops_library_open(YOPS_CUFFT)->usable)
        suite_skip("%s", yops_library_open(YOPS_CUFFT)->reason);
    return yops_library_open(YOPS_CUFFT)->usable;
}

/* Of half a spectrum the parts that have to be real are. */
static void make_symmetric(transform *f)
{
    const yops_vendor_fft_plan *p = &f->plan;
    for (int64_t which = 0; which < p->batch; which++) {
        int64_t first = f->in.origin + which * p->in.distance;
        f->host[0][2 * first + 1] = 0;
        if (p->lengths[0] % 2 == 0)
            f->host[0][2 * (first + p->lengths[0] / 2 * p->in.strides[0]) + 1] = 0;
    }
}

static void transforms(suite *t)
{
    if (!is_there(t))
        return;
    for (uint32_t i = 0; i < 2 * sizeof plans / sizeof plans[0]; i++) { /* each plan twice */
        transform f;
        uint32_t which = i / 2;
        bool right = create(t, &plans[which], i, &f);
        if (plans[which].kind == YOPS_FFT_C2R) {
            make_symmetric(&f);
            right = right && upload(t, &f, 0);
        }
        right = right && enqueue(t->stream, &f) && CHECK_OK(yoke_stream_wait(t->stream));
        compute(&f);
        if (!right || !compare(t, &f))
            tap_diag("... plan %u", which);
        release(&f);
    }
}

/* More plans than are kept. */
static void many_plans(suite *t)
{
    if (!is_there(t))
        return;
    for (int i = 0; i < 150; i++) {
        transform f;
        yops_vendor_fft_plan plan = plans[0];
        plan.lengths[0] = 2 + i % 75;
        plan.in.distance = plan.out.distance = 100;
        if (!create(t, &plan, (uint32_t)i, &f) || !enqueue(t->stream, &f) || !CHECK_OK(yoke_stream_wait(t->stream)))
            return;
        compute(&f);
        compare(t, &f);
        release(&f);
    }
}

static void recorded(suite *t)
{
    yoke_graph *graph = NULL;
    transform f;
    if (!is_there(t) || !create(t, &plans[0], 5, &f))
        return;
    NEED_OK(yoke_graph_create(t->device, "transform", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED(enqueue(t->stream, &f));
    NEED_OK(yoke_graph_end(graph));
    NEED(compare(t, &f));
    for (int i = 0; i < 3; i++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        compute(&f);
        NEED(compare(t, &f));
        f.host[0][10] += i + 2;
        NEED(upload(t, &f, 0));
    }
out:
    yoke_graph_release(graph);
    release(&f);
}

enum { THREADS = 6, ROUNDS = 5 };

typedef struct worker {
    suite *t;
    pthread_t thread;
    yoke_stream *stream;
    transform f;
} worker;

static void *work(void *user)
{
    worker *w = user;
    for (int i = 0; i < ROUNDS; i++)
        enqueue(w->stream, &w->f);
    return NULL;
}

/* Two threads share each stream, and so its plan. */
static void threads(suite *t)
{
    static worker workers[THREADS];
    if (!is_there(t))
        return;
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < THREADS; i++) {
        workers[i].t = t;
        CHECK(create(t, &plans[1], (uint32_t)i, &workers[i].f));
        if (i % 2)
            workers[i].stream = yoke_stream_retain(workers[i - 1].stream);
        else
            CHECK_OK(yoke_stream_create(t->device, NULL, &workers[i].stream));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(workers[i].thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK_OK(yoke_stream_wait(workers[i].stream));
        compute(&workers[i].f);
        compare(t, &workers[i].f);
        yoke_stream_release(workers[i].stream);
        release(&workers[i].f);
    }
}

static void not_taken(suite *t)
{
    transform f;
    yops_call call;
    yoke_status status = YOKE_E_DRIVER;
    if (!create(t, &plans[2], 5, &f) || !CHECK_OK(yops_begin(&call, "yoke_fft", YOKE_HERE, t->stream)))
        return;
    f.plan.in.strides[0] = 3; /* rows that overlap */
    CHECK(!yops_vendor_fft(&call, &f.plan, &f.in, &f.out, &status) && status == YOKE_OK);
    f.plan = plans[2];
    f.plan.out.strides[1] = -1;
    CHECK(!yops_vendor_fft(&call, &f.plan, &f.in, &f.out, &status) && status == YOKE_OK);
    f.plan = plans[2];
    setenv("YOKE_OPS_EXACT", "1", 1);
    CHECK(!yops_vendor_fft(&call, &f.plan, &f.in, &f.out, &status) && status == YOKE_OK);
    unsetenv("YOKE_OPS_EXACT");
    if (strcmp(t->info.backend, "cuda") != 0)
        CHECK(!yops_vendor_fft(&call, &f.plan, &f.in, &f.out, &status) && status == YOKE_OK);
    release(&f);
}

/* ---- yoke_fft ---- */

typedef struct call_of_fft {
    int32_t from, to, direction, scaling, dimensions;
    int64_t in[3], out[3];
    int32_t axes[3];
    size_t axis_count;
} call_of_fft;

enum { FLOATS = 512 }; /* of each side's buffer */

typedef struct pair {
    yoke_buffer *buffers[2];
    yoke_array in, out;
} pair;

static bool begin_pair(suite *t, const call_of_fft *c, pair *p)
{
    float values[FLOATS];
    uint32_t seed = 3;
    *p = (pair){ .buffers = { NULL, NULL } };
    for (int i = 0; i < FLOATS; i++)
        values[i] = (float)(test_random(&seed) % 17) - 8;
    for (int i = 0; i < 2; i++)
        if (!CHECK_OK(yoke_buffer_create(t->device, sizeof values, &p->buffers[i])) ||
            !CHECK_OK(yoke_write_sync(t->side, p->buffers[i], 0, values, sizeof values)))
            return false;
    p->in = yoke_array_nd(p->buffers[0], c->from, c->dimensions, c->in);
    p->out = yoke_array_nd(p->buffers[1], c->to, c->dimensions, c->out);
    return true;
}

static void end_pair(pair *p)
{
    yoke_buffer_release(p->buffers[0]);
    yoke_buffer_release(p->buffers[1]);
}

static bool call_fft(suite *t, const call_of_fft *c, const pair *p, uint32_t flags)
{
    yoke_fft_options options = YOKE_FFT_OPTIONS_INIT;
    options.scaling = c->scaling;
    options.flags = flags;
    return CHECK_OK(yoke_fft(t->stream, c->direction, &p->out, &p->in, c->axes, c->axis_count, &options));
}

static bool read_side(suite *t, const pair *p, int side, float *out)
{
    return CHECK_OK(yoke_stream_wait(t->stream)) &&
           CHECK_OK(yoke_read_sync(t->side, out, p->buffers[side], 0, FLOATS * sizeof *out));
}

static bool are_near(const float *a, const float *b, int count)
{
    bool near = true;
    for (int i = 0; i < count; i++)
        near = near && fabs((double)a[i] - (double)b[i]) <= 2e-4;
    return CHECK(near);
}

static const call_of_fft calls[] = {
    { YOKE_C64, YOKE_C64, YOKE_FFT_FORWARD, 0, 2, { 3, 8 }, { 3, 8 }, { 1 }, 1 },
    { YOKE_C64, YOKE_C64, YOKE_FFT_INVERSE, 0, 2, { 8, 3 }, { 8, 3 }, { 0 }, 1 },
    { YOKE_C64, YOKE_C64, YOKE_FFT_FORWARD, YOKE_FFT_SCALE_ORTHO, 3, { 4, 6, 2 }, { 4, 6, 2 }, { 1, 0 }, 2 },
    { YOKE_C64, YOKE_C64, YOKE_FFT_INVERSE, YOKE_FFT_SCALE_NONE, 3, { 3, 8, 2 }, { 3, 8, 2 }, { 1 }, 1 }, /* own kernels */
    { YOKE_C64, YOKE_C64, YOKE_FFT_FORWARD, 0, 2, { 6, 8 }, { 6, 8 }, { 0, 1 }, 2 },                      /* a batch of 1 */
    { YOKE_F32, YOKE_C64, YOKE_FFT_FORWARD, 0, 2, { 3, 8 }, { 3, 5 }, { 1 }, 1 },
    { YOKE_F32, YOKE_C64, YOKE_FFT_FORWARD, 0, 3, { 2, 4, 6 }, { 2, 4, 4 }, { 1, 2 }, 2 },
};
static const call_of_fft back_rows = { YOKE_C64, YOKE_F32, YOKE_FFT_INVERSE, 0, 2, { 3, 5 }, { 3, 8 }, { 1 }, 1 };
static const call_of_fft back = { YOKE_C64, YOKE_F32, YOKE_FFT_INVERSE, 0, 3, { 2, 4, 4 }, { 2, 4, 6 }, { 1, 2 }, 2 };

/* The whole buffer is near what Yoke's own kernels leave. */
static void through_yoke_fft(suite *t)
{
    static float out[2][FLOATS];
    if (!is_there(t))
        return;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (int way = 0; way < 2; way++) {
            pair p;
            if (begin_pair(t, &calls[i], &p) && call_fft(t, &calls[i], &p, way ? YOKE_FFT_EXACT : 0) &&
                read_side(t, &p, 1, out[way]) && way && !are_near(out[0], out[1], FLOATS))
                tap_diag("... call %zu", i);
            end_pair(&p);
        }
}

static void go_there_and_back(suite *t, const call_of_fft *there, const call_of_fft *from_there)
{
    static float in[FLOATS], spectrum[2][FLOATS], out[FLOATS];
    yoke_graph *graph = NULL;
    pair p, q;
    if (!is_there(t) || !begin_pair(t, there, &p) || !begin_pair(t, from_there, &q))
        return;
    q.in.buffer = p.buffers[1];
    NEED_OK(yoke_graph_create(t->device, "there and back", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED(call_fft(t, there, &p, 0) && call_fft(t, from_there, &q, 0));
    NEED_OK(yoke_graph_end(graph));
    for (int i = 0; i < 2; i++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED(read_side(t, &p, 0, in) && read_side(t, &q, 1, out) && are_near(in, out, FLOATS));
        in[5] += 3;
        NEED_OK(yoke_write_sync(t->side, p.buffers[0], 0, in, 48 * sizeof in[0]));
    }
    NEED(call_fft(t, there, &p, 0) && read_side(t, &p, 1, spectrum[0]));
    NEED(call_fft(t, from_there, &q, 0) && read_side(t, &p, 1, spectrum[1]));
    CHECK(memcmp(spectrum[0], spectrum[1], sizeof spectrum[0]) == 0); /* the input is not overwritten */
out:
    yoke_graph_release(graph);
    end_pair(&q);
    end_pair(&p);
}

static void there_and_back(suite *t)
{
    go_there_and_back(t, &calls[6], &back);
    go_there_and_back(t, &calls[5], &back_rows);
}

/* That it fails shows that the library is called; before, that the flag keeps it out. */
static void fails_by_library(suite *t, const call_of_fft *c)
{
    pair p;
    if (!is_there(t) || !begin_pair(t, c, &p))
        return;
    CHECK(call_fft(t, c, &p, YOKE_FFT_EXACT) && CHECK_OK(yoke_stream_wait(t->stream)));
    /* The launch that scales may be told already. */
    yoke_status status = yoke_fft(t->stream, c->direction, &p.out, &p.in, c->axes, c->axis_count, NULL);
    CHECK(status == YOKE_OK || status == YOKE_E_DRIVER);
    CHECK_FAILS(YOKE_E_DRIVER, "yoke_fft|cufftExecC2C|CUFFT_EXEC_FAILED (6)", yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_recover(t->stream));
    end_pair(&p);
}

static void yoke_fft_fails(suite *t)
{
    static const call_of_fft single = { YOKE_C64, YOKE_C64, YOKE_FFT_FORWARD, 0, 2, { 6, 8 }, { 6, 8 }, { 0, 1 }, 2 };
    fails_by_library(t, &calls[1]);
    fails_by_library(t, &single);
}

/* The kernel that scales cannot be compiled: nothing is written. */
static void scaling_is_not_compiled(suite *t)
{
    static float before[FLOATS], after[FLOATS];
    call_of_fft c = calls[1];
    pair p;
    c.scaling = YOKE_FFT_SCALE_NONE;
    if (!is_there(t) || !begin_pair(t, &c, &p))
        return;
    NEED(call_fft(t, &c, &p, 0) && read_side(t, &p, 1, before)); /* the library has its own kernel now */
    before[0] += 1;
    NEED_OK(yoke_write_sync(t->side, p.buffers[1], 0, before, sizeof before));
    setenv("YOKE_CUDA_DOUBLE_CXX", "/nonexistent", 1);
    CHECK_STATUS(YOKE_E_BUILD, yoke_fft(t->stream, c.direction, &p.out, &p.in, c.axes, c.axis_count, NULL));
    CHECK(!strstr(yoke_error()->text, "yoke_map"));
    unsetenv("YOKE_CUDA_DOUBLE_CXX");
    NEED(read_side(t, &p, 1, after));
    CHECK(memcmp(before, after, sizeof before) == 0);
    NEED_OK(yoke_fft(t->stream, c.direction, &p.out, &p.in, c.axes, c.axis_count, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
out:
    end_pair(&p);
}

/* ---- In processes of their own ---- */

static void a_call_fails(suite *t)
{
    transform f;
    if (!is_there(t) || !create(t, &plans[0], 5, &f))
        return;
    CHECK(enqueue(t->stream, &f));
    CHECK_FAILS(YOKE_E_DRIVER, "yoke_fft|cufftExecC2C|CUFFT_EXEC_FAILED (6)", yoke_stream_wait(t->stream));
    CHECK(compare(t, &f));
    CHECK_OK(yoke_stream_recover(t->stream));
    release(&f);
}

static void no_plan(suite *t)
{
    transform f;
    yops_call call;
    yoke_status status = YOKE_E_DRIVER;
    if (!is_there(t) || !create(t, &plans[0], 5, &f) || !CHECK_OK(yops_begin(&call, "yoke_fft", YOKE_HERE, t->stream)))
        return;
    for (int i = 0; i < 2; i++)
        CHECK(!yops_vendor_fft(&call, &f.plan, &f.in, &f.out, &status) && status == YOKE_OK);
    release(&f);
}

static const suite_case failing_call[] = { { "a failing call", a_call_fails, false } };
static const suite_case failing_fft[] = { { "a failing call of yoke_fft", yoke_fft_fails, false } };
static const suite_case failing_build[] = { { "a kernel that is not compiled", scaling_is_not_compiled, false } };
static const suite_case failing_plan[] = { { "no plan", no_plan, false } };

static void faults(suite *t)
{
    if (!strstr(t->info.name, "double")) {
        suite_skip("faults are the CUDA double's");
        return;
    }
    AGAIN(t, failing_call, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=cufftExecC2C=6", NULL }));
    AGAIN(t, failing_fft, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=cufftExecC2C=6", NULL }));
    AGAIN(t, failing_build, ((const char *const[]){ "YOKE_CACHE=off", NULL }));
    AGAIN(t, failing_plan, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=cufftMakePlanMany64=7", NULL }));
    AGAIN(t, failing_plan, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=cufftCreate=2", NULL }));
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "transforms of each kind", transforms, false },
        { "more plans than are kept", many_plans, false },
        { "a transform in a graph, with other data each time", recorded, false },
        { "transforms of many threads", threads, false },
        { "yoke_fft by the library is near its own kernels", through_yoke_fft, false },
        { "yoke_fft to half a spectrum and back, in a graph", there_and_back, false },
        { "what is not taken", not_taken, false },
        { "a library that fails", faults, false },
    };
    suite_case scenes[] = { failing_call[0], failing_fft[0], failing_build[0], failing_plan[0] };
    if (argc == 3)
        return AGAIN_MAIN(scenes, NULL, argv);
    return SUITE_MAIN(cases, NULL);
}
