/* SPDX-License-Identifier: Apache-2.0 */
/* Which library computes a matrix product, by the environment's order and by the device; and the product in the words of BLAS. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "blas_call.h"

/* ---- The product by columns ---- */

/* A dimension of 1 or 0 elements has no stride worth the name. */
static bool by_columns(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t *out_ld)
{
    *out_ld = columns > 1 ? column : rows;
    return (row == 1 || rows <= 1) && *out_ld >= rows && *out_ld >= 1 && *out_ld <= INT_MAX;
}

static bool describe(yops_blas_matrix *out, int32_t dtype, const yops_place *place, int64_t rows, int64_t columns, int64_t row,
                     int64_t column, int64_t batch)
{
    *out = (yops_blas_matrix){ .dtype = dtype, .buffer = place->root, .origin = place->origin, .batch = batch };
    if (batch < 0)
        return false;
    if (by_columns(rows, columns, row, column, &out->ld))
        return true;
    out->transposed = true;
    return by_columns(columns, rows, column, row, &out->ld);
}

static bool translate(const yops_gemm *g, yops_blas_call *out, yops_why *why)
{
    int64_t m = (int64_t)g->m, n = (int64_t)g->n, k = (int64_t)g->k, ld;
    if (g->m > INT_MAX || g->n > INT_MAX || g->k > INT_MAX || g->batch > INT_MAX) {
        snprintf(why->text, sizeof why->text, "m, n, k or the batch is above 2^31 - 1");
        return false;
    }
    bool columns = by_columns(m, n, g->c_row, g->c_column, &ld), fits;
    *out = (yops_blas_call){ .k = (int)k, .batch = (int)g->batch, .tf32 = g->tf32 };
    if (columns) {
        out->m = (int)m;
        out->n = (int)n;
        fits = describe(&out->c, g->c_dtype, &g->c, m, n, g->c_row, g->c_column, g->c_batch) &&
               describe(&out->a, g->a_dtype, &g->a, m, k, g->a_row, g->a_column, g->a_batch) &&
               describe(&out->b, g->b_dtype, &g->b, k, n, g->b_row, g->b_column, g->b_batch);
    } else { /* C' = B' * A' */
        out->m = (int)n;
        out->n = (int)m;
        fits = describe(&out->c, g->c_dtype, &g->c, n, m, g->c_column, g->c_row, g->c_batch) &&
               describe(&out->a, g->b_dtype, &g->b, n, k, g->b_column, g->b_row, g->b_batch) &&
               describe(&out->b, g->a_dtype, &g->a, k, m, g->a_column, g->a_row, g->a_batch);
    }
    out->alpha[0] = yops_real(g->alpha);
    out->alpha[1] = yops_imaginary(g->alpha);
    out->beta[0] = yops_real(g->beta);
    out->beta[1] = yops_imaginary(g->beta);
    fits = fits && !out->c.transposed && (g->batch <= 1 || out->c.batch > 0);
    if (!fits)
        snprintf(why->text, sizeof why->text, "the strides of a matrix are not those of rows or columns of contiguous elements");
    return fits;
}

/* ---- The choice ---- */

typedef enum choice { CHOOSE, OWN, CUBLAS, CLBLAST, UNKNOWN } choice;

static choice read_order(const char *order)
{
    static const char *const words[] = { [CHOOSE] = "", [OWN] = "own", [CUBLAS] = "cublas", [CLBLAST] = "clblast" };
    _Static_assert(YOPS_COUNT_OF(words) == UNKNOWN, "a word for each choice");
    for (size_t i = 0; i < YOPS_COUNT_OF(words); i++)
        if (strcmp(order ? order : "", words[i]) == 0)
            return (choice)i;
    return UNKNOWN;
}

/* The environment's orders, read once for each product: a search through the environment takes a while. */
typedef struct orders {
    const char *text; /* of YOKE_BLAS, or NULL */
    bool exact;
} orders;

static orders read_orders(void)
{
    const char *text = getenv("YOKE_BLAS");
    return (orders){ text && *text ? text : NULL, yops_vendor_is_exact() };
}

static yoke_status unknown_order(const yops_call *call, const char *text)
{
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "YOKE_BLAS is '%s'; it must be own, cublas or clblast", text);
}

/* What the environment says about this device: the library, or a failure. */
static yoke_status choose(const yops_call *call, const yops_vendor_device *device, const orders *given, choice *out_choice)
{
    choice order = read_order(given->text);
    *out_choice = order;
    if (order == UNKNOWN)
        return unknown_order(call, given->text);
    if (given->exact && (order == CUBLAS || order == CLBLAST))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                         "YOKE_BLAS=%s cannot be obeyed: YOKE_OPS_EXACT keeps vendors' libraries out; unset one of them",
                         given->text);
    if ((order == CUBLAS && !device->is_cuda) || (order == CLBLAST && device->is_cuda))
        return yops_fail(call, YOKE_E_UNAVAILABLE,
                         "YOKE_BLAS=%s cannot be obeyed: %s is for devices of %s, and this device is of %s", given->text,
                         order == CUBLAS ? "cuBLAS" : "CLBlast", order == CUBLAS ? "CUDA" : "OpenCL",
                         device->is_cuda ? "CUDA" : "OpenCL");
    if (order == CHOOSE)
        *out_choice = given->exact ? OWN : device->is_cuda ? CUBLAS : device->likes_clblast ? CLBLAST : OWN;
    return YOKE_OK;
}

yoke_status yops_blas_check_orders(const yops_call *call)
{
    const char *text = read_orders().text;
    return text && read_order(text) == UNKNOWN ? unknown_order(call, text) : YOKE_OK;
}

/* A product with a vector reads a matrix once, which Yoke's own kernel does as fast as memory allows: of 8192 x 8192 floats in 66
 * us on an H200, where cuBLAS takes 163. */
static bool is_faster_by_own(const yops_gemm *gemm)
{
    return gemm->m == 1 || gemm->n == 1;
}

static bool is_obvious(const orders *given)
{
    return given->text ? strcmp(given->text, "own") == 0 : given->exact;
}

bool yops_vendor_gemm(const yops_call *call, const yops_gemm *gemm, yoke_status *out_status)
{
    yops_vendor_device *device;
    yops_blas_call product;
    yops_why why = { YOKE_OK, "" };
    choice chosen = OWN;
    bool taken;
    *out_status = YOKE_OK;
    if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0 || gemm->batch == 0)
        return false;
    const orders given = read_orders();
    if (is_obvious(&given) || (!given.text && is_faster_by_own(gemm)))
        return false;
    *out_status = yops_vendor_device_get(call, &device);
    if (*out_status == YOKE_OK)
        *out_status = choose(call, device, &given, &chosen);
    if (*out_status < 0)
        return true;
    if (chosen == OWN)
        return false;
    taken = translate(gemm, &product, &why) && (chosen == CUBLAS ? yops_cublas_gemm(call, device, &product, &why, out_status)
                                                                 : yops_clblast_gemm(call, &product, &why, out_status));
    if (taken || !given.text)
        return taken;
    *out_status = yops_fail(call, why.status < 0 ? why.status : YOKE_E_UNSUPPORTED, "YOKE_BLAS=%s cannot be obeyed: %s", given.text,
                            why.text);
    return true;
}
