/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products by the vendors' libraries: cuBLAS on CUDA (on the CUDA double, its stand-in) and CLBlast on OpenCL. Small
 * integers make every sum exact, in any order and in every dtype.
 */
#include "ops/linear/blas.h"
#include "../../conformance/again.h"
#include "../arrays.h"
#include "../library/vendor.h"

#include <stdlib.h>

#include <yoke/graph.h>

/* ---- Matrices ---- */

/* A matrix of a batch in the middle of a buffer, and all bytes of the buffer on the host. */
typedef struct matrix {
    int32_t dtype;
    int64_t rows, columns, row, column, batch, origin, size; /* elements; size: of the buffer */
    unsigned char *host, *result;
    yoke_buffer *buffer;
} matrix;

typedef struct form {
    int transposed, gap; /* 1: by columns; elements between rows and between matrices */
} form;

enum { GUARD = 37 };

static void set(const matrix *m, int64_t at, double value)
{
    size_t size = yoke_dtype_get_size(m->dtype);
    unsigned char *element = m->host + (size_t)at * size;
    bool complex = m->dtype == YOKE_C64 || m->dtype == YOKE_C128;
    int32_t part = m->dtype == YOKE_C64 ? YOKE_F32 : m->dtype == YOKE_C128 ? YOKE_F64 : m->dtype;
    test_store(part, element, value);
    if (complex)
        test_store(part, element + size / 2, value > 0 ? -1 : 2);
}

static bool upload(suite *t, const matrix *m)
{
    return CHECK_OK(yoke_write_sync(t->side, m->buffer, 0, m->host, (size_t)m->size * yoke_dtype_get_size(m->dtype)));
}

static bool create(suite *t, int32_t dtype, int64_t rows, int64_t columns, int64_t batch, form f, uint32_t seed, matrix *m)
{
    int64_t lines = f.transposed ? columns : rows, length = (f.transposed ? rows : columns) + f.gap;
    *m = (matrix){ .dtype = dtype, .rows = rows, .columns = columns, .batch = lines * length + f.gap, .origin = GUARD };
    m->row = f.transposed ? 1 : length;
    m->column = f.transposed ? length : 1;
    m->size = m->batch * batch + 2 * (int64_t)GUARD;
    size_t bytes = (size_t)m->size * yoke_dtype_get_size(dtype);
    m->host = malloc(bytes);
    m->result = malloc(bytes);
    for (int64_t i = 0; i < m->size; i++)
        set(m, i, (double)(test_random(&seed) % 5) - 2);
    return CHECK(m->host && m->result) && CHECK_OK(yoke_buffer_create(t->device, bytes, &m->buffer)) && upload(t, m);
}

static void release(matrix *m)
{
    yoke_buffer_release(m->buffer);
    free(m->host);
    free(m->result);
}

typedef struct number {
    double re, im;
} number;

static number get(const matrix *m, int64_t at)
{
    size_t size = yoke_dtype_get_size(m->dtype);
    const unsigned char *element = m->host + (size_t)at * size;
    int32_t part = m->dtype == YOKE_C64 ? YOKE_F32 : m->dtype == YOKE_C128 ? YOKE_F64 : m->dtype;
    return (number){ (double)test_load(part, element), part != m->dtype ? (double)test_load(part, element + size / 2) : 0 };
}

/* ---- Products ---- */

typedef struct product {
    matrix a, b, c;
    yops_gemm gemm;
} product;

typedef struct shape {
    int64_t m, n, k, batch;
    form a, b, c;
    double alpha, beta;
    bool broadcast; /* one B for the whole batch */
} shape;

static void release_product(product *p)
{
    release(&p->a);
    release(&p->b);
    release(&p->c);
}

static bool create_product(suite *t, const shape *s, int32_t in, int32_t out, product *p)
{
    memset(p, 0, sizeof *p);
    if (!create(t, in, s->m, s->k, s->batch, s->a, 1, &p->a) || !create(t, in, s->k, s->n, s->batch, s->b, 2, &p->b) ||
        !create(t, out, s->m, s->n, s->batch, s->c, 3, &p->c))
        return false;
    p->gemm = (yops_gemm){ .a_dtype = in,
                           .b_dtype = in,
                           .c_dtype = out,
                           .m = (uint64_t)s->m,
                           .n = (uint64_t)s->n,
                           .k = (uint64_t)s->k,
                           .batch = (uint64_t)s->batch,
                           .a = { .root = p->a.buffer, .origin = GUARD },
                           .b = { .root = p->b.buffer, .origin = GUARD },
                           .c = { .root = p->c.buffer, .origin = GUARD },
                           .a_row = p->a.row,
                           .a_column = p->a.column,
                           .a_batch = p->a.batch,
                           .b_row = p->b.row,
                           .b_column = p->b.column,
                           .b_batch = s->broadcast ? 0 : p->b.batch,
                           .c_row = p->c.row,
                           .c_column = p->c.column,
                           .c_batch = p->c.batch,
                           .alpha = yoke_number_f64(s->alpha),
                           .beta = yoke_number_f64(s->beta) };
    return true;
}

/* What C has to be, in place of what it was. */
static void compute(product *p)
{
    const yops_gemm *g = &p->gemm;
    double alpha = g->alpha.value.f64, beta = g->beta.value.f64;
    bool complex = g->c_dtype == YOKE_C64 || g->c_dtype == YOKE_C128;
    int32_t part = g->c_dtype == YOKE_C64 ? YOKE_F32 : YOKE_F64;
    size_t size = yoke_dtype_get_size(g->c_dtype);
    for (int64_t i = 0; i < (int64_t)(g->batch * g->m * g->n); i++) {
        int64_t row = i % (int64_t)g->m, column = i / (int64_t)g->m % (int64_t)g->n, which = i / (int64_t)(g->m * g->n);
        int64_t at = GUARD + which * g->c_batch + row * g->c_row + column * g->c_column;
        number sum = { 0, 0 }, old = get(&p->c, at);
        for (int64_t k = 0; k < (int64_t)g->k; k++) {
            number x = get(&p->a, GUARD + which * g->a_batch + row * g->a_row + k * g->a_column);
            number y = get(&p->b, GUARD + which * g->b_batch + k * g->b_row + column * g->b_column);
            sum.re += x.re * y.re - x.im * y.im;
            sum.im += x.re * y.im + x.im * y.re;
        }
        if (complex) {
            test_store(part, p->c.host + (size_t)at * size, alpha * sum.re + beta * old.re);
            test_store(part, p->c.host + (size_t)at * size + size / 2, alpha * sum.im + beta * old.im);
        } else {
            test_store(g->c_dtype, p->c.host + (size_t)at * size, alpha * sum.re + beta * old.re);
        }
    }
}

static yops_call call_of(yoke_stream *stream)
{
    yops_call call;
    CHECK_OK(yops_begin(&call, "yoke_matmul", YOKE_HERE, stream));
    return call;
}

static bool enqueue(yoke_stream *stream, const product *p)
{
    yops_call call = call_of(stream);
    yoke_status status = YOKE_E_DRIVER;
    return CHECK(yops_vendor_gemm(&call, &p->gemm, &status)) && CHECK_OK(status);
}

/* Make each -0 a 0: libraries differ in whether they add a product to 0 or begin with it. */
static void forget_signs_of_zeros(void *elements, size_t bytes, int32_t dtype)
{
    size_t size = yoke_dtype_get_size(dtype) / (dtype == YOKE_C64 || dtype == YOKE_C128 ? 2 : 1);
    unsigned char minus_zero[8] = { 0 }, *at = elements;
    minus_zero[size - 1] = 0x80;
    for (size_t i = 0; i + size <= bytes; i += size)
        if (memcmp(at + i, minus_zero, size) == 0)
            at[i + size - 1] = 0;
}

/* All bytes of C, those between its elements too. */
static bool compare(suite *t, const product *p)
{
    size_t bytes = (size_t)p->c.size * yoke_dtype_get_size(p->c.dtype);
    if (!CHECK_OK(yoke_read_sync(t->side, p->c.result, p->c.buffer, 0, bytes)))
        return false;
    forget_signs_of_zeros(p->c.result, bytes, p->c.dtype);
    forget_signs_of_zeros(p->c.host, bytes, p->c.dtype);
    return CHECK_BYTES(p->c.result, p->c.host, bytes);
}

static bool try_product(suite *t, const shape *s, int32_t in, int32_t out)
{
    product p;
    bool right = create_product(t, s, in, out, &p) && enqueue(t->stream, &p) && CHECK_OK(yoke_stream_wait(t->stream));
    if (right)
        compute(&p);
    right = right && compare(t, &p);
    if (!right)
        tap_diag("... %d to %d, %d x %d x %d, batch %d", in, out, (int)s->m, (int)s->n, (int)s->k, (int)s->batch);
    release_product(&p);
    return right;
}

static const shape shapes[] = {
    { 5, 7, 3, 1, { 0, 0 }, { 0, 0 }, { 0, 0 }, 1, 0, false },  { 5, 7, 3, 1, { 1, 2 }, { 0, 1 }, { 0, 3 }, 2, 1, false },
    { 5, 7, 3, 1, { 0, 2 }, { 1, 1 }, { 1, 3 }, -1, 2, false }, { 5, 7, 3, 1, { 1, 0 }, { 1, 0 }, { 1, 0 }, 1, 0, false },
    { 1, 7, 3, 1, { 1, 0 }, { 0, 1 }, { 0, 0 }, 1, 1, false },  { 5, 1, 3, 1, { 0, 0 }, { 1, 0 }, { 1, 1 }, 1, 0, false },
    { 5, 7, 1, 1, { 0, 0 }, { 0, 0 }, { 0, 0 }, 3, 0, false },  { 4, 6, 5, 3, { 0, 1 }, { 1, 0 }, { 0, 2 }, 1, 1, false },
    { 4, 6, 5, 3, { 1, 1 }, { 0, 0 }, { 1, 2 }, 2, 0, true },   { 33, 17, 40, 1, { 0, 0 }, { 0, 0 }, { 0, 0 }, 1, 0, false },
};

/* CLBlast compiles kernels for each dtype, and others for batches, which takes seconds: all layouts in float, of others the first.
 */
static bool is_for_clblast(int32_t dtype, size_t which)
{
    return which == 0 || (dtype == YOKE_F32 && (shapes[which].batch == 1 || !shapes[which].broadcast));
}

static void products(suite *t)
{
    static const int32_t types[][2] = {
        { YOKE_F32, YOKE_F32 }, { YOKE_F64, YOKE_F64 }, { YOKE_C64, YOKE_C64 },   { YOKE_C128, YOKE_C128 },
        { YOKE_F16, YOKE_F16 }, { YOKE_F16, YOKE_F32 }, { YOKE_BF16, YOKE_BF16 }, { YOKE_BF16, YOKE_F32 },
    };
    bool cuda = strcmp(t->info.backend, "cuda") == 0;
    if (!vendor_is_there(t))
        return;
    setenv("YOKE_BLAS", cuda ? "cublas" : "clblast", 1); /* unset, Yoke's own kernels take vectors */
    for (size_t i = 0; i < (cuda ? sizeof types / sizeof types[0] : 3); i++)
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0] && test_has(t, types[i][0]); k++)
            if ((cuda || is_for_clblast(types[i][0], k)) && !try_product(t, &shapes[k], types[i][0], types[i][1]))
                goto out;
out:
    unsetenv("YOKE_BLAS");
}

/* ---- What is not taken, and orders ---- */

static void expect_refused(suite *t, const yops_gemm *gemm, yoke_status expected, const char *words)
{
    yops_call call = call_of(t->stream);
    yoke_status status = YOKE_E_DRIVER;
    bool taken = yops_vendor_gemm(&call, gemm, &status);
    if (expected == YOKE_OK) {
        CHECK(!taken && status == YOKE_OK);
    } else {
        CHECK(taken);
        CHECK_FAILS(expected, words, status);
    }
}

static void orders(suite *t)
{
    bool cuda = strcmp(t->info.backend, "cuda") == 0;
    const char *own = cuda ? "cublas" : "clblast", *other = cuda ? "clblast" : "cublas";
    static bool told;
    yops_gemm gemm;
    product p;
    if (!vendor_is_there(t) || !create_product(t, &shapes[0], YOKE_F32, YOKE_F32, &p))
        return;
    setenv("YOKE_BLAS", "own", 1);
    expect_refused(t, &p.gemm, YOKE_OK, NULL);
    setenv("YOKE_BLAS", "mkl", 1);
    expect_refused(t, &p.gemm, YOKE_E_INVALID_ARGUMENT, "yoke_matmul|YOKE_BLAS|mkl|own, cublas or clblast");
    setenv("YOKE_BLAS", other, 1);
    expect_refused(t, &p.gemm, YOKE_E_UNAVAILABLE, "yoke_matmul|YOKE_BLAS|this device|CUDA|OpenCL");
    setenv("YOKE_BLAS", own, 1);
    setenv("YOKE_OPS_EXACT", "1", 1);
    expect_refused(t, &p.gemm, YOKE_E_INVALID_ARGUMENT, "YOKE_BLAS|YOKE_OPS_EXACT|unset");
    CHECK(suite_logged(YOKE_LOG_WARNING, "YOKE_OPS_EXACT") == 0);
    suite_expect_log();
    setenv("YOKE_OPS_EXACT", "yes", 1); /* counts as 1, and is logged once, whatever the number of devices */
    expect_refused(t, &p.gemm, YOKE_E_INVALID_ARGUMENT, "YOKE_BLAS|YOKE_OPS_EXACT|unset");
    expect_refused(t, &p.gemm, YOKE_E_INVALID_ARGUMENT, "YOKE_BLAS|YOKE_OPS_EXACT|unset");
    CHECK(suite_logged(YOKE_LOG_WARNING, "YOKE_OPS_EXACT is 'yes'|must be 0 or 1|counts as 1") == !told);
    told = true;
    unsetenv("YOKE_BLAS");
    expect_refused(t, &p.gemm, YOKE_OK, NULL);
    setenv("YOKE_OPS_EXACT", "0", 1);
    setenv("YOKE_BLAS", own, 1);
    gemm = p.gemm;
    gemm.a_dtype = gemm.b_dtype = gemm.c_dtype = YOKE_I32;
    expect_refused(t, &gemm, YOKE_E_UNSUPPORTED, "YOKE_BLAS|no product|int32");
    gemm = p.gemm;
    gemm.a_column = gemm.k > 1 ? 0 : 1;
    expect_refused(t, &gemm, YOKE_E_UNSUPPORTED, "YOKE_BLAS|strides");
    gemm = p.gemm;
    gemm.b_row = -gemm.b_row;
    expect_refused(t, &gemm, YOKE_E_UNSUPPORTED, "strides");
    gemm = p.gemm;
    gemm.c_row = 2 * gemm.c_row, gemm.c_column = 2;
    expect_refused(t, &gemm, YOKE_E_UNSUPPORTED, "strides");
    gemm = p.gemm;
    gemm.batch = 2, gemm.c_batch = 0;
    expect_refused(t, &gemm, YOKE_E_UNSUPPORTED, "strides");
    gemm = p.gemm;
    gemm.m = (uint64_t)1 << 31;
    expect_refused(t, &gemm, YOKE_E_UNSUPPORTED, "2^31");
    unsetenv("YOKE_BLAS");
    gemm.a_dtype = YOKE_I32;
    expect_refused(t, &gemm, YOKE_OK, NULL);
    gemm = p.gemm;
    gemm.k = 0;
    expect_refused(t, &gemm, YOKE_OK, NULL);
    unsetenv("YOKE_OPS_EXACT");
    setenv("YOKE_BLAS", own, 1);
    CHECK(enqueue(t->stream, &p));
    CHECK_OK(yoke_stream_wait(t->stream));
    unsetenv("YOKE_BLAS");
    release_product(&p);
}

/* A CPU's products stay here, and those with a vector, unless it is ordered otherwise. */
static void by_default(suite *t)
{
    static const struct {
        uint64_t m, n;
        bool has_vector;
    } parts[] = { { 2, 2, false }, { 1, 2, true }, { 2, 1, true }, { 1, 1, true } };
    product p;
    yoke_status status;
    bool cuda = strcmp(t->info.backend, "cuda") == 0, gpu = t->info.kind == YOKE_DEVICE_GPU;
    if (!vendor_is_there(t) || !create_product(t, &shapes[0], YOKE_F32, YOKE_F32, &p))
        return;
    unsetenv("YOKE_BLAS");
    yops_call call = call_of(t->stream);
    bool takes = cuda || (gpu && !strstr(t->info.vendor, "NVIDIA"));
    CHECK(yops_vendor_gemm(&call, &p.gemm, &status) == takes);
    CHECK_OK(status);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        yops_gemm part = p.gemm;
        part.m = parts[i].m;
        part.n = parts[i].n;
        CHECK(yops_vendor_gemm(&call, &part, &status) == (takes && !parts[i].has_vector));
        CHECK_OK(status);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    release_product(&p);
}

/* ---- Graphs, threads, and what lives how long ---- */

static void recorded(suite *t)
{
    yoke_graph *graph = NULL;
    product p;
    if (!vendor_is_there(t) || !create_product(t, &shapes[1], YOKE_F32, YOKE_F32, &p))
        return;
    NEED_OK(yoke_graph_create(t->device, "product", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED(enqueue(t->stream, &p));
    NEED_OK(yoke_graph_end(graph));
    NEED(compare(t, &p));                               /* nothing has run */
    setenv("YOKE_VENDOR_DOUBLE", "cublasGemmEx=13", 1); /* launches repeat what was captured, and do not call the library */
    for (int i = 0; i < 3; i++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        compute(&p);
        NEED(compare(t, &p));
        set(&p.a, GUARD, i + 5);
        NEED(upload(t, &p.a));
    }
    yoke_buffer_release(p.a.buffer); /* the graph has its own reference */
    p.a.buffer = NULL;
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_wait(t->stream));
    compute(&p);
    compare(t, &p);
out:
    unsetenv("YOKE_VENDOR_DOUBLE");
    yoke_graph_release(graph);
    release_product(&p);
}

enum { THREADS = 8, ROUNDS = 6 };

typedef struct worker {
    suite *t;
    pthread_t thread;
    yoke_stream *stream;
    product p;
} worker;

static void *work(void *user)
{
    worker *w = user;
    for (int i = 0; i < ROUNDS; i++)
        enqueue(w->stream, &w->p);
    return NULL;
}

static void threads(suite *t)
{
    static worker workers[THREADS];
    if (!vendor_is_there(t))
        return;
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < THREADS; i++) {
        workers[i].t = t;
        CHECK(create_product(t, &shapes[1], YOKE_F32, YOKE_F32, &workers[i].p));
        CHECK_OK(yoke_stream_create(t->device, NULL, &workers[i].stream));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(workers[i].thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK_OK(yoke_stream_wait(workers[i].stream));
        for (int k = 0; k < ROUNDS; k++)
            compute(&workers[i].p);
        compare(t, &workers[i].p);
        yoke_stream_release(workers[i].stream);
        release_product(&workers[i].p);
    }
}

static yoke_status pass_gate(yoke_status status, void *user)
{
    gate_wait(user, 1);
    return status;
}

/* The product waits behind a host function, and its inputs are released meanwhile. */
static void deferred(suite *t)
{
    gate g = GATE_INIT;
    product p;
    if (!vendor_is_there(t) || !create_product(t, &shapes[2], YOKE_F32, YOKE_F32, &p))
        return;
    CHECK_OK(yoke_host_call(t->stream, pass_gate, &g, NULL));
    CHECK(enqueue(t->stream, &p));
    yoke_buffer_release(p.a.buffer);
    yoke_buffer_release(p.b.buffer);
    p.a.buffer = p.b.buffer = NULL;
    gate_open(&g);
    CHECK_OK(yoke_stream_wait(t->stream));
    compute(&p);
    compare(t, &p);
    release_product(&p);
}

/* ---- In processes of their own ---- */

static void a_call_fails(suite *t)
{
    product p;
    yoke_status status = YOKE_E_DRIVER;
    if (!vendor_is_there(t) || !create_product(t, &shapes[0], YOKE_F32, YOKE_F32, &p))
        return;
    yops_call call = call_of(t->stream);
    CHECK(yops_vendor_gemm(&call, &p.gemm, &status));
    CHECK_FAILS(YOKE_E_DRIVER, "yoke_matmul|cublasGemmEx|CUBLAS_STATUS_EXECUTION_FAILED (13)", yoke_stream_wait(t->stream));
    CHECK(compare(t, &p));
    CHECK_OK(yoke_stream_recover(t->stream));
    release_product(&p);
}

static void no_handle(suite *t)
{
    product p;
    if (!vendor_is_there(t) || !create_product(t, &shapes[0], YOKE_F32, YOKE_F32, &p))
        return;
    expect_refused(t, &p.gemm, YOKE_OK, NULL);
    setenv("YOKE_BLAS", "cublas", 1);
    expect_refused(t, &p.gemm, YOKE_E_UNAVAILABLE, "YOKE_BLAS|cublasCreate_v2|CUBLAS_STATUS_NOT_INITIALIZED (1)");
    release_product(&p);
}

/* The search goes on, and may find another one. */
static void wrong_version(suite *t)
{
    product p;
    CHECK(!vendor_open_double(t) || !strstr(yops_library_open(YOPS_CUBLAS)->path, "cuda-double"));
    if (yops_library_open(YOPS_CUBLAS)->usable || !create_product(t, &shapes[0], YOKE_F32, YOKE_F32, &p))
        return;
    CHECK_TEXT(yops_library_open(YOPS_CUBLAS)->reason, "cuBLAS 9.1.2; Yoke can use versions 11 to 13");
    expect_refused(t, &p.gemm, YOKE_OK, NULL);
    setenv("YOKE_BLAS", "cublas", 1);
    expect_refused(t, &p.gemm, YOKE_E_UNAVAILABLE, "YOKE_BLAS|versions 11 to 13");
    release_product(&p);
}

/* CLBlast fails: the product fails with its call and its code, and leaves the output alone; Yoke's own kernels go on. */
static void clblast_fails(suite *t)
{
    yoke_matmul_options options = YOKE_MATMUL_OPTIONS_INIT;
    yoke_array ones = { 0 }, c = { 0 };
    float back[64] = { 0 };
    if (!CHECK(dlopen(VENDOR_FOLDER "libclblast.so.1", RTLD_NOW | RTLD_LOCAL)) ||
        !CHECK(yops_library_open(YOPS_CLBLAST)->usable && strstr(yops_library_open(YOPS_CLBLAST)->path, VENDOR_FOLDER)))
        return;
    NEED_OK(yoke_array_create(t->device, YOKE_F32, 2, (const int64_t[]){ 8, 8 }, &ones));
    NEED_OK(yoke_array_create(t->device, YOKE_F32, 2, (const int64_t[]){ 8, 8 }, &c));
    NEED_OK(yoke_assign_value(t->stream, &ones, YOKE_NUMBER(1)));
    NEED_OK(yoke_assign_value(t->stream, &c, YOKE_NUMBER(5)));
    NEED_OK(yoke_matmul(t->stream, &c, &ones, &ones, &options));
    CHECK_FAILS(YOKE_E_DRIVER, "yoke_matmul|CLBlastSgemm|CLBlastOpenCLBuildProgramFailure (-11)", yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_recover(t->stream));
    NEED_OK(yoke_read_array(t->stream, back, &c));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(back[0] == 5 && back[63] == 5);
    setenv("YOKE_BLAS", "own", 1);
    NEED_OK(yoke_matmul(t->stream, &c, &ones, &ones, &options));
    NEED_OK(yoke_read_array(t->stream, back, &c));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(back[0] == 8 && back[63] == 8);
out:
    yoke_buffer_release(ones.buffer);
    yoke_buffer_release(c.buffer);
}

/* The library, in which TF32 fails, is asked for it where the caller allows it, and only there. */
static void tf32_when_asked(suite *t)
{
    yoke_matmul_options options = YOKE_MATMUL_OPTIONS_INIT;
    yoke_array a = { 0 }, b = { 0 }, c = { 0 };
    if (!vendor_is_there(t))
        return;
    NEED_OK(yoke_array_create(t->device, YOKE_F32, 2, (const int64_t[]){ 8, 8 }, &a));
    NEED_OK(yoke_array_create(t->device, YOKE_F32, 2, (const int64_t[]){ 8, 8 }, &b));
    NEED_OK(yoke_array_create(t->device, YOKE_F32, 2, (const int64_t[]){ 8, 8 }, &c));
    NEED_OK(yoke_assign_value(t->stream, &a, YOKE_NUMBER(1)));
    NEED_OK(yoke_assign_value(t->stream, &b, YOKE_NUMBER(1)));
    NEED_OK(yoke_matmul(t->stream, &c, &a, &b, &options));
    NEED_OK(yoke_stream_wait(t->stream));
    options.flags = YOKE_MATMUL_TF32 | YOKE_MATMUL_EXACT;
    NEED_OK(yoke_matmul(t->stream, &c, &a, &b, &options));
    NEED_OK(yoke_stream_wait(t->stream));
    options.flags = YOKE_MATMUL_TF32;
    NEED_OK(yoke_matmul(t->stream, &c, &a, &b, &options));
    CHECK_FAILS(YOKE_E_DRIVER, "CUBLAS_STATUS_EXECUTION_FAILED (13)", yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_recover(t->stream));
out:
    yoke_buffer_release(a.buffer);
    yoke_buffer_release(b.buffer);
    yoke_buffer_release(c.buffer);
}

static const suite_case failing_call[] = { { "a failing call", a_call_fails, false } };
static const suite_case failing_handle[] = { { "no handle", no_handle, false } };
static const suite_case failing_tf32[] = { { "TF32 when it is asked for", tf32_when_asked, false } };
static const suite_case failing_clblast[] = { { "CLBlast fails", clblast_fails, false } };
static const suite_case old_version[] = { { "an old version", wrong_version, false } };

static void faults(suite *t)
{
    if (strcmp(t->info.backend, "opencl") == 0) {
        AGAIN(t, failing_clblast, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=CLBlastSgemm=-11", "YOKE_BLAS=clblast", NULL }));
        return;
    }
    if (!strstr(t->info.name, "double")) {
        suite_skip("faults are the CUDA double's");
        return;
    }
    AGAIN(t, failing_call, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=cublasGemmEx=13", NULL }));
    AGAIN(t, failing_handle, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=cublasCreate_v2=1", NULL }));
    AGAIN(t, failing_tf32, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=tf32=13", "YOKE_BLAS=cublas", NULL }));
    AGAIN(t, old_version, ((const char *const[]){ "YOKE_VENDOR_DOUBLE=version=9", NULL }));
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "products of every dtype and layout", products, false },
        { "orders, and what no library takes", orders, false },
        { "which library there is by default", by_default, false },
        { "a product in a graph, with other data each time", recorded, false },
        { "products of many threads", threads, false },
        { "a product behind a host function, without its inputs' owner", deferred, false },
        { "libraries that fail", faults, false },
    };
    suite_case scenes[] = { failing_call[0], failing_handle[0], failing_tf32[0], failing_clblast[0], old_version[0] };
    if (argc == 3)
        return AGAIN_MAIN(scenes, NULL, argv);
    return SUITE_MAIN(cases, NULL);
}
