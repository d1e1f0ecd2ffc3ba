/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by CLBlast, which compiles its kernels at the first call of each kind. */
#include <stdio.h>
#include <string.h>

#include "blas_call.h"

typedef struct gemm_section {
    yops_section section;
    yops_blas_call gemm;
} gemm_section;

/* One call with scalars of this type. */
#define CALL(letter, alpha, beta)                                                                                            \
    (g->batch > 1 ? (*out_call = "CLBlast" #letter "gemmStridedBatched",                                                     \
                     yops_clblast.CLBlast##letter##gemmStridedBatched(                                                       \
                         YOPS_CLBlastLayoutColMajor, a_op, b_op, m, n, k, alpha, a, (size_t)g->a.origin, (size_t)g->a.ld,    \
                         (size_t)g->a.batch, b, (size_t)g->b.origin, (size_t)g->b.ld, (size_t)g->b.batch, beta, c,           \
                         (size_t)g->c.origin, (size_t)g->c.ld, (size_t)g->c.batch, (size_t)g->batch, &queue, NULL))          \
                  : (*out_call = "CLBlast" #letter "gemm",                                                                   \
                     yops_clblast.CLBlast##letter##gemm(                                                                     \
                         YOPS_CLBlastLayoutColMajor, a_op, b_op, m, n, k, alpha, a, (size_t)g->a.origin, (size_t)g->a.ld, b, \
                         (size_t)g->b.origin, (size_t)g->b.ld, beta, c, (size_t)g->c.origin, (size_t)g->c.ld, &queue, NULL)))

static yops_CLBlastStatusCode multiply(const gemm_section *s, yops_cl_command_queue queue, const char **out_call)
{
    const yops_blas_call *g = &s->gemm;
    const size_t m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    yops_cl_mem a = (yops_cl_mem)s->section.handles[0], b = (yops_cl_mem)s->section.handles[1];
    yops_cl_mem c = (yops_cl_mem)s->section.handles[2];
    const yops_CLBlastTranspose a_op = g->a.transposed ? YOPS_CLBlastTransposeYes : YOPS_CLBlastTransposeNo;
    const yops_CLBlastTranspose b_op = g->b.transposed ? YOPS_CLBlastTransposeYes : YOPS_CLBlastTransposeNo;
    const yops_cl_float2 alpha_c = { { (float)g->alpha[0], (float)g->alpha[1] } };
    const yops_cl_float2 beta_c = { { (float)g->beta[0], (float)g->beta[1] } };
    const yops_cl_double2 alpha_z = { { g->alpha[0], g->alpha[1] } }, beta_z = { { g->beta[0], g->beta[1] } };
    switch (g->c.dtype) {
    case YOKE_F32:
        return CALL(S, (float)g->alpha[0], (float)g->beta[0]);
    case YOKE_F64:
        return CALL(D, g->alpha[0], g->beta[0]);
    case YOKE_C64:
        return CALL(C, alpha_c, beta_c);
    case YOKE_C128: /* the last that is taken: below */
        break;
    }
    return CALL(Z, alpha_z, beta_z);
}

static yoke_status run(yops_section *section, void *native_stream)
{
    const char *call;
    yops_CLBlastStatusCode result = multiply((const gemm_section *)section, native_stream, &call);
    if (result == YOPS_CLBlastSuccess)
        return YOKE_OK;
    return yoke_fail(YOKE_E_DRIVER, "%s: %s: %s (%d)", section->function, call, yops_clblast_result(result), result);
}

/* Halves are not here: CLBlast sums them in half precision. */
static bool is_taken(const yops_blas_call *gemm, yops_why *why)
{
    int32_t dtype = gemm->c.dtype;
    bool listed = dtype == YOKE_F32 || dtype == YOKE_F64 || dtype == YOKE_C64 || dtype == YOKE_C128;
    const yoke_buffer *buffers[] = { gemm->a.buffer, gemm->b.buffer, gemm->c.buffer };
    if (!listed || gemm->a.dtype != dtype || gemm->b.dtype != dtype) {
        snprintf(why->text, sizeof why->text, "CLBlast has no product of %s and %s to %s that sums as Yoke does",
                 yoke_dtype_get_name(gemm->a.dtype), yoke_dtype_get_name(gemm->b.dtype), yoke_dtype_get_name(dtype));
        return false;
    }
    for (size_t i = 0; i < YOPS_COUNT_OF(buffers); i++)
        if (yoke_buffer_get_kind(buffers[i]) == YOKE_MEMORY_MANAGED) {
            snprintf(why->text, sizeof why->text, "CLBlast cannot use managed memory");
            return false;
        }
    return true;
}

bool yops_clblast_gemm(const yops_call *call, const yops_blas_call *gemm, yops_why *why, yoke_status *out_status)
{
    const yvendor_found *library = yops_library_open(YOPS_CLBLAST);
    yoke_buffer *const buffers[] = { gemm->a.buffer, gemm->b.buffer, gemm->c.buffer };
    yops_section *section;
    if (!library->usable)
        yops_library_blame(library, why);
    if (!library->usable || !is_taken(gemm, why))
        return false;
    *out_status = yops_section_create(call, sizeof(gemm_section), run, &section);
    if (*out_status == YOKE_OK) {
        ((gemm_section *)section)->gemm = *gemm;
        *out_status = yops_section_enqueue(call, section, buffers, YOPS_COUNT_OF(buffers));
    }
    return true;
}
