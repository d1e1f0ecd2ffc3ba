/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for cuFFT: transforms by their definition, a thread for each element of the output. A plan needs its stream and then,
 * as Yoke asks for it, a work area that comes from outside. A transform whose area another one writes to meanwhile is no number;
 * nor is one back to real data whose half spectrum is not symmetric where that can be seen, of which cuFFT promises nothing.
 */
#include "vendor.h"

#define YOPS_CUFFT_SYMBOL(result, name, parameters) VENDOR_API result name parameters;
#include "../../../ops/library/symbols.def"

enum { MOST_PLANS = 256, WORK_SIZE = 4096 };

typedef struct plan {
    bool used, automatic;
    int rank, type;
    long long lengths[3], in_embed[3], out_embed[3], in_stride, in_distance, out_stride, out_distance, batch;
    yops_cudaStream_t stream;
    void *area;
    atomic_bool busy;
    yk_CUmodule module;
    yk_CUfunction function;
} plan;

static plan plans[MOST_PLANS];
static pthread_mutex_t plans_lock = PTHREAD_MUTEX_INITIALIZER; /* protects `used` */

/* One dimension is three with lengths of 1 in front. Kinds: 0 complex to complex, 1 real to complex, 2 complex to real. */
static const char text[] =
    "struct sides { long long lengths[3], in_embed[3], out_embed[3], in_stride, in_distance, out_stride, out_distance, batch; };\n"
    "__device__ static double get(const void *p, int wide, long long i)\n"
    "{\n"
    "    return wide ? ((const double *)p)[i] : ((const float *)p)[i];\n"
    "}\n"
    "__device__ static void put(void *p, int wide, long long i, double value)\n"
    "{\n"
    "    if (wide) ((double *)p)[i] = value; else ((float *)p)[i] = (float)value;\n"
    "}\n"
    "extern \"C\" __global__ void dft(const void *in, void *out, sides s, int kind, int wide, int direction,\n"
    "                               volatile unsigned *area, unsigned tag)\n"
    "{\n"
    "    long long half = s.lengths[2] / 2 + 1, last = kind == 1 ? half : s.lengths[2];\n"
    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    long long z = i % last, y = i / last % s.lengths[1], x = i / last / s.lengths[1] % s.lengths[0];\n"
    "    long long which = i / last / s.lengths[1] / s.lengths[0];\n"
    "    double re = 0, im = 0;\n"
    "    if (which >= s.batch) return;\n"
    "    area[i % 1024] = tag;\n"
    "    for (long long a = 0; a < s.lengths[0]; a++)\n"
    "        for (long long b = 0; b < s.lengths[1]; b++)\n"
    "            for (long long c = 0; c < s.lengths[2]; c++) {\n"
    "                double angle = 2 * 3.14159265358979323846 * direction * ((double)(a * x % s.lengths[0]) / s.lengths[0] +\n"
    "                    (double)(b * y % s.lengths[1]) / s.lengths[1] + (double)(c * z % s.lengths[2]) / s.lengths[2]);\n"
    "                long long d = a, e = b, f = c;\n"
    "                double sign = 1, u, v = 0;\n"
    "                if (kind == 2 && c >= half) {\n"
    "                    d = (s.lengths[0] - a) % s.lengths[0]; e = (s.lengths[1] - b) % s.lengths[1]; f = s.lengths[2] - c; sign "
    "= -1;\n"
    "                }\n"
    "                long long at = which * s.in_distance + ((d * s.in_embed[1] + e) * s.in_embed[2] + f) * s.in_stride;\n"
    "                u = get(in, wide, kind == 1 ? at : 2 * at);\n"
    "                if (kind != 1) v = sign * get(in, wide, 2 * at + 1);\n"
    "                if (kind == 2 && 2 * c % s.lengths[2] == 0) {\n"
    "                    d = (s.lengths[0] - a) % s.lengths[0]; e = (s.lengths[1] - b) % s.lengths[1];\n"
    "                    long long other = which * s.in_distance + ((d * s.in_embed[1] + e) * s.in_embed[2] + c) * s.in_stride;\n"
    "                    if (get(in, wide, 2 * other) != u || get(in, wide, 2 * other + 1) != -v) re = "
    "__int_as_float(0x7fc00000);\n"
    "                }\n"
    "                re += u * cos(angle) - v * sin(angle);\n"
    "                im += u * sin(angle) + v * cos(angle);\n"
    "            }\n"
    "    long long at = which * s.out_distance + ((x * s.out_embed[1] + y) * s.out_embed[2] + z) * s.out_stride;\n"
    "    if (area[i % 1024] != tag) re = __int_as_float(0x7fc00000);\n"
    "    put(out, wide, kind == 2 ? at : 2 * at, re);\n"
    "    if (kind != 2) put(out, wide, 2 * at + 1, im);\n"
    "}\n";

static plan *find(yops_cufftHandle handle)
{
    return handle >= 1 && handle <= MOST_PLANS && plans[handle - 1].used ? &plans[handle - 1] : NULL;
}

yops_cufftResult cufftGetProperty(yops_libraryPropertyType type, int *out_value)
{
    VENDOR_BEGIN(cufftGetProperty);
    *out_value = vendor_version((int)type, 12);
    return YOPS_CUFFT_SUCCESS;
}

yops_cufftResult cufftCreate(yops_cufftHandle *out_plan)
{
    VENDOR_BEGIN(cufftCreate);
    int i = 0;
    pthread_mutex_lock(&plans_lock);
    while (i < MOST_PLANS && plans[i].used)
        i++;
    if (i < MOST_PLANS)
        plans[i].used = plans[i].automatic = true;
    pthread_mutex_unlock(&plans_lock);
    *out_plan = i + 1;
    return i < MOST_PLANS ? YOPS_CUFFT_SUCCESS : YOPS_CUFFT_ALLOC_FAILED;
}

yops_cufftResult cufftDestroy(yops_cufftHandle handle)
{
    plan *p = find(handle);
    if (!p)
        return YOPS_CUFFT_INVALID_PLAN;
    if (p->module)
        cuModuleUnload(p->module);
    pthread_mutex_lock(&plans_lock);
    memset(p, 0, sizeof *p);
    pthread_mutex_unlock(&plans_lock);
    return YOPS_CUFFT_SUCCESS;
}

yops_cufftResult cufftSetAutoAllocation(yops_cufftHandle handle, int automatic)
{
    VENDOR_BEGIN(cufftSetAutoAllocation);
    plan *p = find(handle);
    if (!p)
        return YOPS_CUFFT_INVALID_PLAN;
    p->automatic = automatic != 0;
    return YOPS_CUFFT_SUCCESS;
}

static void spread(long long target[3], const long long *source, int rank)
{
    for (int i = 0; i < 3; i++)
        target[i] = i < 3 - rank ? 1 : source[i - (3 - rank)];
}

yops_cufftResult cufftMakePlanMany64(yops_cufftHandle handle, int rank, long long int *lengths, long long int *in_embed,
                                     long long int in_stride, long long int in_distance, long long int *out_embed,
                                     long long int out_stride, long long int out_distance, yops_cufftType type, long long int batch,
                                     size_t *out_work_size)
{
    VENDOR_BEGIN(cufftMakePlanMany64);
    plan *p = find(handle);
    if (!p || p->automatic)
        return YOPS_CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > 3 || batch < 1 || in_distance < 1 || out_distance < 1)
        return YOPS_CUFFT_INVALID_SIZE;
    p->rank = rank;
    p->type = (int)type;
    spread(p->lengths, lengths, rank);
    spread(p->in_embed, in_embed, rank);
    spread(p->out_embed, out_embed, rank);
    p->in_stride = in_stride;
    p->in_distance = in_distance;
    p->out_stride = out_stride;
    p->out_distance = out_distance;
    p->batch = batch;
    *out_work_size = WORK_SIZE;
    return vendor_load(text, "dft", &p->module, &p->function) ? YOPS_CUFFT_SUCCESS : YOPS_CUFFT_SETUP_FAILED;
}

yops_cufftResult cufftSetStream(yops_cufftHandle handle, yops_cudaStream_t stream)
{
    VENDOR_BEGIN(cufftSetStream);
    plan *p = find(handle);
    if (!p)
        return YOPS_CUFFT_INVALID_PLAN;
    p->stream = stream;
    p->area = NULL;
    return YOPS_CUFFT_SUCCESS;
}

yops_cufftResult cufftSetWorkArea(yops_cufftHandle handle, void *area)
{
    VENDOR_BEGIN(cufftSetWorkArea);
    plan *p = find(handle);
    if (!p)
        return YOPS_CUFFT_INVALID_PLAN;
    p->area = area;
    return YOPS_CUFFT_SUCCESS;
}

static atomic_uint launches;

static yops_cufftResult execute(yops_cufftHandle handle, const void *in, void *out, unsigned type, int kind, int wide,
                                int direction)
{
    plan *p = find(handle);
    if (!p || !p->function || (unsigned)p->type != type)
        return YOPS_CUFFT_INVALID_PLAN;
    if (!p->area || !p->stream)
        return YOPS_CUFFT_NO_WORKSPACE;
    if (atomic_exchange(&p->busy, true))
        return YOPS_CUFFT_INTERNAL_ERROR;
    struct {
        long long lengths[3], in_embed[3], out_embed[3], in_stride, in_distance, out_stride, out_distance, batch;
    } sides = { .in_stride = p->in_stride,
                .in_distance = p->in_distance,
                .out_stride = p->out_stride,
                .out_distance = p->out_distance,
                .batch = p->batch };
    memcpy(sides.lengths, p->lengths, sizeof sides.lengths);
    memcpy(sides.in_embed, p->in_embed, sizeof sides.in_embed);
    memcpy(sides.out_embed, p->out_embed, sizeof sides.out_embed);
    unsigned tag = atomic_fetch_add(&launches, 1) + 1;
    void *parameters[] = { &in, &out, &sides, &kind, &wide, &direction, &p->area, &tag };
    uint64_t count = (uint64_t)(p->lengths[0] * p->lengths[1] * (kind == 1 ? p->lengths[2] / 2 + 1 : p->lengths[2]) * p->batch);
    bool launched = vendor_launch(p->function, p->stream, count, parameters);
    if (launched && kind == 2 && in != out) /* the input may be overwritten, and is */
        launched = cuMemsetD8Async((yk_CUdeviceptr)(uintptr_t)in, 0xff, wide ? 16 : 8, p->stream) == YK_CUDA_SUCCESS;
    atomic_store(&p->busy, false);
    return launched ? YOPS_CUFFT_SUCCESS : YOPS_CUFFT_EXEC_FAILED;
}

yops_cufftResult cufftExecC2C(yops_cufftHandle handle, yops_cufftComplex *in, yops_cufftComplex *out, int direction)
{
    VENDOR_BEGIN(cufftExecC2C);
    return execute(handle, in, out, YOPS_CUFFT_C2C, 0, 0, direction);
}

yops_cufftResult cufftExecR2C(yops_cufftHandle handle, yops_cufftReal *in, yops_cufftComplex *out)
{
    VENDOR_BEGIN(cufftExecR2C);
    return execute(handle, in, out, YOPS_CUFFT_R2C, 1, 0, -1);
}

yops_cufftResult cufftExecC2R(yops_cufftHandle handle, yops_cufftComplex *in, yops_cufftReal *out)
{
    VENDOR_BEGIN(cufftExecC2R);
    return execute(handle, in, out, YOPS_CUFFT_C2R, 2, 0, 1);
}

yops_cufftResult cufftExecZ2Z(yops_cufftHandle handle, yops_cufftDoubleComplex *in, yops_cufftDoubleComplex *out, int direction)
{
    VENDOR_BEGIN(cufftExecZ2Z);
    return execute(handle, in, out, YOPS_CUFFT_Z2Z, 0, 1, direction);
}

yops_cufftResult cufftExecD2Z(yops_cufftHandle handle, yops_cufftDoubleReal *in, yops_cufftDoubleComplex *out)
{
    VENDOR_BEGIN(cufftExecD2Z);
    return execute(handle, in, out, YOPS_CUFFT_D2Z, 1, 1, -1);
}

yops_cufftResult cufftExecZ2D(yops_cufftHandle handle, yops_cufftDoubleComplex *in, yops_cufftDoubleReal *out)
{
    VENDOR_BEGIN(cufftExecZ2D);
    return execute(handle, in, out, YOPS_CUFFT_Z2D, 2, 1, 1);
}
