/* SPDX-License-Identifier: Apache-2.0 */
/* Products on the host, element by element. */
#include "matmul_reference.h"

#include <math.h>
#include <string.h>

/* A sum, of whichever type. Floats are kept in a double, which holds them. */
typedef struct sum {
    double re, im;
    uint64_t bits;
} sum;

typedef enum kind { SUM_U32, SUM_U64, SUM_F32, SUM_F64, SUM_C64, SUM_C128 } kind;

typedef struct product {
    const matmul_arrays *x;
    kind kind;
    bool is_signed; /* a sum of integers counts as signed */
    int64_t m, n, k, slice, slices;
    bool is_vector;
} product;

static bool is_complex(int32_t dtype)
{
    return dtype == YOKE_C64 || dtype == YOKE_C128;
}

static bool is_real(int32_t dtype)
{
    return yk_dtype_is_floating(dtype);
}

static bool is_signed(int32_t dtype)
{
    return dtype == YOKE_I8 || dtype == YOKE_I16 || dtype == YOKE_I32 || dtype == YOKE_I64;
}

static int64_t up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* As <yoke/matmul.h> says. */
static void cut(product *p, int64_t batch)
{
    int64_t slices = 1, unit = 32;
    if (p->is_vector) {
        int64_t elements = p->m * p->n * batch;
        unit = 128;
        if (!(elements >= 4096 || p->k <= 4096))
            slices = least(up(p->k, 2048), up(8192, elements));
    } else if (p->k >= 512) {
        int64_t tiles = up(p->m, 64) * up(p->n, 64) * batch;
        slices = least(p->k / 256, (p->m <= 32 || p->n <= 32 ? 1024 : 160) / tiles);
        slices = slices < 1 ? 1 : slices;
    }
    p->slice = slices > 1 ? up(up(p->k, slices), unit) * unit : p->k;
    p->slices = p->k > 0 ? up(p->k, p->slice) : 0;
}

static kind kind_of(const matmul_trial *t, bool *out_signed)
{
    int32_t a = t->a.dtype, b = t->b.dtype, c = t->c.dtype;
    bool wide = a == YOKE_F64 || a == YOKE_C128 || b == YOKE_F64 || b == YOKE_C128 || c == YOKE_F64 || c == YOKE_C128;
    bool integer = c != YOKE_BOOL && yk_dtype_is_integer(c);
    *out_signed = integer ? is_signed(c) : is_signed(a) || is_signed(b);
    if (is_complex(a) || is_complex(b))
        return wide ? SUM_C128 : SUM_C64;
    if (is_real(a) || is_real(b))
        return wide ? SUM_F64 : SUM_F32;
    return integer && yoke_dtype_get_size(c) <= 4 ? SUM_U32 : SUM_U64;
}

/* ---- Elements ---- */

/* The place in row-major order of the memory's shape. `index` has the batch of c, which is broadcast. */
static int64_t place_of(const matmul_operand *o, int32_t matrix, const int64_t *batch, int32_t batches, int64_t row, int64_t column)
{
    int64_t place = 0;
    int32_t mine = o->dimensions - matrix;
    for (int32_t i = 0; i < mine; i++) {
        int64_t index = batch[batches - mine + i];
        place = place * o->shape[i] + (o->shape[i] == 1 ? 0 : index);
    }
    if (matrix == 0)
        return place;
    if (matrix == 1)
        return place * (o->shape[mine] + o->padding) + row + column;
    if (o->transposed)
        return (place * o->shape[mine + 1] + column) * (o->shape[mine] + o->padding) + row;
    return (place * o->shape[mine] + row) * (o->shape[mine + 1] + o->padding) + column;
}

static sum element(const product *p, const test_array *array, int64_t place)
{
    sum s = { 0 };
    long double re = test_get(array, place);
    int32_t dtype = array->array.dtype;
    if (p->kind <= SUM_U64) {
        s.bits = re < 0 ? (uint64_t)(int64_t)re : (uint64_t)re;
        return s;
    }
    bool narrow = p->kind == SUM_F32 || p->kind == SUM_C64;
    volatile float narrow_re = (float)re;
    s.re = narrow ? narrow_re : (double)re;
    if (is_complex(dtype)) {
        long double im = test_get_imaginary(array, place);
        volatile float narrow_im = (float)im;
        s.im = narrow ? narrow_im : (double)im;
    }
    return s;
}

/* ---- Arithmetic ---- */

static double fused(const product *p, double a, double b, double c)
{
    volatile float narrow = fmaf((float)a, (float)b, (float)c);
    return p->kind == SUM_F32 || p->kind == SUM_C64 ? (double)narrow : fma(a, b, c);
}

static double rounded(const product *p, double x)
{
    volatile float narrow = (float)x; /* GCC 12 leaves out roundings of packed doubles */
    return p->kind == SUM_F32 || p->kind == SUM_C64 ? (double)narrow : x;
}

static sum add(const product *p, sum a, sum b)
{
    sum r = { rounded(p, a.re + b.re), rounded(p, a.im + b.im), a.bits + b.bits };
    return r;
}

static sum multiply_add(const product *p, sum a, sum b, sum c)
{
    sum r = { 0, 0, a.bits * b.bits + c.bits };
    if (p->kind == SUM_F32 || p->kind == SUM_F64) {
        r.re = fused(p, a.re, b.re, c.re);
    } else if (p->kind >= SUM_C64) {
        r.re = fused(p, -a.im, b.im, fused(p, a.re, b.re, c.re));
        r.im = fused(p, a.im, b.re, fused(p, a.re, b.im, c.im));
    }
    return r;
}

/* One slice: a chain, or the tree of 128. */
static sum sum_slice(const product *p, const int64_t *batch, int32_t batches, int64_t row, int64_t column, int64_t slice)
{
    const matmul_arrays *x = p->x;
    const matmul_operand *a = &x->trial->a, *b = &x->trial->b;
    int64_t first = slice * p->slice, last = least(p->k, first + p->slice), chains = p->is_vector ? 128 : 1;
    sum parts[128];
    for (int64_t i = 0; i < chains; i++) /* adding -0 leaves a product as it is */
        parts[i] = x->trial->is_outer ? (sum){ -0.0, -0.0, 0 } : (sum){ 0 };
    for (int64_t q = first; q < last; q++) {
        int64_t at_a = place_of(a, a->dimensions < 2 ? 1 : 2, batch, batches, a->dimensions < 2 ? 0 : row, q);
        int64_t at_b = place_of(b, b->dimensions < 2 ? 1 : 2, batch, batches, q, b->dimensions < 2 ? 0 : column);
        sum *part = &parts[(q - first) % chains];
        *part = multiply_add(p, element(p, &x->a, at_a), element(p, &x->b, at_b), *part);
    }
    for (int64_t half = chains / 2; half > 0; half /= 2)
        for (int64_t i = 0; i < half; i++)
            parts[i] = add(p, parts[i], parts[i + half]);
    return parts[0];
}

/* alpha * sum + beta * c. */
static sum scale(const product *p, sum s, int64_t at_c)
{
    const matmul_trial *t = p->x->trial;
    if (!t->has_scales)
        return s;
    sum c = t->beta != 0 ? element(p, &p->x->c, at_c) : (sum){ 0 };
    sum r = { 0 };
    if (t->scale_dtype) { /* the products in their order */
        const double alpha[2] = { rounded(p, t->alpha), rounded(p, t->alpha_imaginary) };
        const double beta[2] = { rounded(p, t->beta), rounded(p, t->beta_imaginary) };
        r.re = fused(p, -alpha[1], s.im, rounded(p, alpha[0] * s.re));
        r.im = fused(p, alpha[1], s.re, rounded(p, alpha[0] * s.im));
        if (beta[0] == 0 && beta[1] == 0)
            return r;
        c = element(p, &p->x->c, at_c);
        r.re = fused(p, -beta[1], c.im, fused(p, beta[0], c.re, r.re));
        r.im = fused(p, beta[1], c.re, fused(p, beta[0], c.im, r.im));
        return r;
    }
    r.bits = (uint64_t)(int64_t)t->alpha * s.bits + (uint64_t)(int64_t)t->beta * c.bits;
    double alpha = rounded(p, t->alpha), beta = rounded(p, t->beta);
    r.re = t->beta != 0 ? fused(p, beta, c.re, rounded(p, alpha * s.re)) : rounded(p, alpha * s.re);
    r.im = t->beta != 0 ? fused(p, beta, c.im, rounded(p, alpha * s.im)) : rounded(p, alpha * s.im);
    return r;
}

static void store(const product *p, sum s, int64_t column, int64_t at)
{
    const matmul_arrays *x = p->x;
    test_array wanted = x->wanted;
    if (p->kind <= SUM_U64) {
        uint64_t bits = p->kind == SUM_U32 ? (uint32_t)s.bits : s.bits;
        int64_t narrow = p->kind == SUM_U32 ? (int64_t)(int32_t)bits : (int64_t)bits;
        test_set(&wanted, at, p->is_signed ? (long double)narrow : (long double)bits);
        return;
    }
    if (x->trial->has_bias) {
        double value = rounded(p, s.re + (double)test_get(&x->bias, column));
        s.re = value > 0 ? value : 0;
    }
    if (is_complex(x->trial->c.dtype))
        test_set_complex(&wanted, at, s.re, s.im);
    else
        test_set(&wanted, at, s.re);
}

void matmul_compute(matmul_arrays *x)
{
    const matmul_operand *a = &x->trial->a, *b = &x->trial->b, *c = &x->trial->c;
    product p = { .x = x, .m = 1, .n = 1 };
    int32_t matrix = (a->dimensions > 1 ? 1 : 0) + (b->dimensions > 1 ? 1 : 0), batches = c->dimensions - matrix;
    int64_t total = 1, batch[MATMUL_MOST] = { 0 };
    p.kind = kind_of(x->trial, &p.is_signed);
    p.k = x->trial->is_outer ? 1 : a->shape[a->dimensions - 1];
    p.m = a->dimensions > 1 ? a->shape[a->dimensions - 2] : 1;
    p.n = b->dimensions > 1 ? b->shape[b->dimensions - 1] : 1;
    p.is_vector = p.m == 1 || p.n == 1;
    for (int32_t i = 0; i < batches; i++)
        total *= c->shape[i];
    cut(&p, total);
    for (int64_t i = 0; c->padding > 0 && i < x->c.count; i++) /* what lies between the lines stays as it is */
        test_set_complex(&x->wanted, i, test_get(&x->c, i), test_get_imaginary(&x->c, i));
    for (int64_t number = 0; number < total; number++) {
        int64_t rest = number;
        for (int32_t i = batches - 1; i >= 0; i--) {
            batch[i] = rest % c->shape[i];
            rest /= c->shape[i];
        }
        for (int64_t row = 0; row < p.m; row++)
            for (int64_t column = 0; column < p.n; column++) {
                sum s = { 0 };
                for (int64_t i = 0; i < p.slices; i++) {
                    sum part = sum_slice(&p, batch, batches, row, column, i);
                    s = i == 0 ? part : add(&p, s, part);
                }
                int64_t at = place_of(c, matrix, batch, batches, row, column);
                store(&p, scale(&p, s, at), column, at);
            }
    }
}

/* ---- Trials ---- */

matmul_trial matmul_trial_of(int64_t m, int64_t n, int64_t k)
{
    matmul_trial t = { .a = { .dtype = YOKE_F32, .dimensions = 2, .shape = { m, k } },
                       .b = { .dtype = YOKE_F32, .dimensions = 2, .shape = { k, n } },
                       .c = { .dtype = YOKE_F32, .dimensions = 2, .shape = { m, n } } };
    return t;
}

static bool create(suite *t, const matmul_operand *o, layout how, uint32_t seed, test_array *array, yoke_array *view)
{
    int64_t shape[MATMUL_MOST];
    int32_t axes[MATMUL_MOST], last = o->dimensions - 1;
    memcpy(shape, o->shape, sizeof shape);
    for (int32_t i = 0; i <= last; i++)
        axes[i] = i;
    if (o->transposed) {
        shape[last] = o->shape[last - 1];
        shape[last - 1] = o->shape[last];
        axes[last] = last - 1;
        axes[last - 1] = last;
    }
    int64_t line = last >= 0 ? shape[last] : 0;
    if (last >= 0)
        shape[last] += o->padding;
    if (!test_array_create(t, o->dtype, o->dimensions, shape, how, seed, array))
        return false;
    *view = array->array;
    if (last >= 0)
        view->shape[last] = line;
    *view = yoke_array_transpose(*view, axes);
    return true;
}

bool matmul_arrays_create(suite *t, const matmul_trial *trial, uint32_t seed, matmul_arrays *out)
{
    memset(out, 0, sizeof *out);
    out->trial = trial;
    out->keeps_zeros = yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32);
    yoke_array view;
    matmul_operand wanted = trial->c;
    int64_t columns = trial->c.dimensions > 0 ? trial->c.shape[trial->c.dimensions - 1] : 1;
    return create(t, &trial->a, trial->how, 3 * seed, &out->a, &out->view_a) &&
           create(t, &trial->b, trial->how, 3 * seed + 1, &out->b, &out->view_b) &&
           create(t, &trial->c, trial->how, 3 * seed + 2, &out->c, &out->view_c) &&
           create(t, &wanted, LAYOUT_CONTIGUOUS, seed, &out->wanted, &view) &&
           test_array_create(t, YOKE_F32, 1, &columns, LAYOUT_CONTIGUOUS, seed, &out->bias);
}

void matmul_arrays_release(matmul_arrays *x)
{
    test_array_release(&x->bias);
    test_array_release(&x->wanted);
    test_array_release(&x->c);
    test_array_release(&x->b);
    test_array_release(&x->a);
}

bool matmul_compare(const matmul_arrays *x)
{
    for (int64_t i = 0; i < x->c.count; i++)
        if (!test_same(x->c.array.dtype, test_element(&x->c, i), test_element(&x->wanted, i)) &&
            (x->keeps_zeros || test_get(&x->c, i) != 0 || test_get(&x->wanted, i) != 0 || test_get_imaginary(&x->c, i) != 0 ||
             test_get_imaginary(&x->wanted, i) != 0)) {
            tap_diag("element %lld is %.9Lg and %.9Lg, not %.9Lg and %.9Lg", (long long)i, test_get(&x->c, i),
                     test_get_imaginary(&x->c, i), test_get(&x->wanted, i), test_get_imaginary(&x->wanted, i));
            return CHECK(false);
        }
    return true;
}

static yoke_status run(suite *t, const matmul_arrays *x)
{
    const matmul_trial *trial = x->trial;
    yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
    yoke_var bias = yoke_var_array("bias", x->bias.array);
    o.flags = trial->flags | (trial->in_any_order ? 0 : YOKE_MATMUL_EXACT);
    if (trial->has_scales) {
        o.alpha = yoke_number_f64(trial->alpha);
        o.beta = yoke_number_f64(trial->beta);
    }
    if (trial->scale_dtype == YOKE_C128) {
        o.alpha = yoke_number_c128(trial->alpha, trial->alpha_imaginary);
        o.beta = yoke_number_c128(trial->beta, trial->beta_imaginary);
    } else if (trial->scale_dtype == YOKE_C64) { /* one complex number is enough */
        if (trial->alpha_imaginary != 0)
            o.alpha = yoke_number_c64((float)trial->alpha, (float)trial->alpha_imaginary);
        if (trial->beta_imaginary != 0)
            o.beta = yoke_number_c64((float)trial->beta, (float)trial->beta_imaginary);
    }
    if (trial->has_bias) {
        o.epilogue = "fmax(value + bias, 0)";
        o.vars = &bias;
        o.var_count = 1;
    }
    if (trial->is_outer) {
        yoke_array column = yoke_array_index(x->view_a, 1, 0), row = yoke_array_index(x->view_b, 0, 0);
        return yoke_outer(t->stream, &x->view_c, &column, &row, &o);
    }
    return yoke_matmul(t->stream, &x->view_c, &x->view_a, &x->view_b, &o);
}

/* Sums of a few thousand products are beyond what float16 holds exactly, and not beyond float. */
static void fill_small(test_array *a, uint32_t seed)
{
    uint32_t random = seed * 747796405u + 1;
    for (int64_t i = 0; i < a->count; i++)
        test_set(a, i, (long double)(test_random(&random) % 8) - 1);
}

bool matmul_try(suite *t, const matmul_trial *trial, uint32_t seed)
{
    matmul_arrays x;
    bool ok = false;
    NEED(matmul_arrays_create(t, trial, seed, &x));
    if (trial->in_any_order) {
        fill_small(&x.a, seed);
        fill_small(&x.b, seed + 1);
    } else if (trial->special || !yk_dtype_is_integer(trial->a.dtype)) {
        test_fill_whole_range(&x.a, seed, trial->special);
        test_fill_whole_range(&x.b, seed + 1, false);
    }
    matmul_compute(&x);
    NEED(test_upload(t, &x.a) && test_upload(t, &x.b) && test_upload(t, &x.bias));
    unsigned char *before = memory_new(x.c.memory.size);
    memcpy(before, x.c.bytes, x.c.memory.size);
    ok = true;
    /* The same bits again. */
    for (int round = 0; round < 2 && ok; round++) {
        memcpy(x.c.bytes, before, x.c.memory.size);
        ok = test_upload(t, &x.c) && CHECK_OK(run(t, &x)) && CHECK_OK(yoke_stream_wait(t->stream)) &&
             test_download_checked(t, &x.c, false) && matmul_compare(&x);
    }
    memory_free(before);
    ok = ok && test_download_checked(t, &x.a, true) && test_download_checked(t, &x.b, true);
    if (!ok)
        tap_diag("of dtypes %s, %s, %s; the last axes: %lld, %lld, %lld", yoke_dtype_get_name(trial->a.dtype),
                 yoke_dtype_get_name(trial->b.dtype), yoke_dtype_get_name(trial->c.dtype),
                 (long long)trial->a.shape[trial->a.dimensions - 1], (long long)trial->b.shape[0],
                 (long long)trial->b.shape[trial->b.dimensions - 1]);
out:
    matmul_arrays_release(&x);
    return ok;
}
