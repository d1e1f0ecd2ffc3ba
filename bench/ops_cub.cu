/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUB, of NVIDIA's CUDA Toolkit, for bench/ops: the operations of the library that sets the mark on NVIDIA's GPUs; and cuFFT, where
 * it is installed. Built with nvcc where it is there: make bench/ops_cub.so.
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <dlfcn.h>
#include <functional>
#include <thrust/iterator/counting_iterator.h>

#include "ops_peer.h"

#define MUST(call)                                                                        \
    do {                                                                                  \
        cudaError_t error_ = (call);                                                      \
        if (error_ != cudaSuccess) {                                                      \
            fprintf(stderr, "ops_cub: %s: %s\n", #call, cudaGetErrorString(error_));      \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

namespace
{

struct work {
    void *in = nullptr, *out = nullptr, *temporary = nullptr, *other = nullptr, *more = nullptr, *count = nullptr;
    void *copied = nullptr;
    size_t temporary_size = 0;
    cudaStream_t stream = nullptr;
    std::function<cudaError_t(void *, size_t &)> run;
};

template <typename type> __global__ void fill(type *out, size_t n)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        unsigned long long x = i * 0x9e3779b97f4a7c15ull;
        x ^= x >> 29;
        x *= 0xbf58476d1ce4e5b9ull;
        x ^= x >> 32;
        if (std::is_floating_point<type>::value)
            out[i] = type(double(x >> 11) / 9007199254740992.0);
        else
            out[i] = type(x);
    }
}

/* True for half of the values that fill() makes. */
struct below_half {
    __device__ bool operator()(float x) const
    {
        return x < 0.5f;
    }
    __device__ bool operator()(double x) const
    {
        return x < 0.5;
    }
    __device__ bool operator()(uint8_t x) const
    {
        return x < 0x80;
    }
    __device__ bool operator()(uint16_t x) const
    {
        return x < 0x8000;
    }
    __device__ bool operator()(uint32_t x) const
    {
        return x < 0x80000000u;
    }
    __device__ bool operator()(uint64_t x) const
    {
        return x >> 63 == 0;
    }
};

template <typename type> bool set_up(work *w, const char *operation, int64_t n)
{
    type *in = static_cast<type *>(w->in), *out = static_cast<type *>(w->out);
    cudaStream_t s = w->stream;
    if (!strcmp(operation, "copy"))
        w->run = [=](void *t, size_t &size) {
            size = size ? size : 1;
            return t ? cudaMemcpyAsync(out, in, n * sizeof *in, cudaMemcpyDeviceToDevice, s) : cudaSuccess;
        };
    else if (!strcmp(operation, "sum"))
        w->run = [=](void *t, size_t &size) { return cub::DeviceReduce::Sum(t, size, in, out, n, s); };
    else if (!strcmp(operation, "max"))
        w->run = [=](void *t, size_t &size) { return cub::DeviceReduce::Max(t, size, in, out, n, s); };
    else if (!strcmp(operation, "scan"))
        w->run = [=](void *t, size_t &size) { return cub::DeviceScan::InclusiveSum(t, size, in, out, n, s); };
    else if (!strcmp(operation, "sort")) {
        /* Of a copy, as Yoke's side sorts one: that sort is in place. */
        MUST(cudaMalloc(&w->copied, n * sizeof(type)));
        type *copied = static_cast<type *>(w->copied);
        w->run = [=](void *t, size_t &size) {
            if (t)
                MUST(cudaMemcpyAsync(copied, in, n * sizeof *in, cudaMemcpyDeviceToDevice, s));
            return cub::DeviceRadixSort::SortKeys(t, size, copied, out, n, 0, int(8 * sizeof(type)), s);
        };
    } else if (!strcmp(operation, "sort_pairs")) {
        MUST(cudaMalloc(&w->copied, n * sizeof(type)));
        type *copied = static_cast<type *>(w->copied);
        MUST(cudaMalloc(&w->other, n * 4));
        MUST(cudaMalloc(&w->more, n * 4));
        unsigned *values = static_cast<unsigned *>(w->other), *sorted = static_cast<unsigned *>(w->more);
        w->run = [=](void *t, size_t &size) {
            if (t)
                MUST(cudaMemcpyAsync(copied, in, n * sizeof *in, cudaMemcpyDeviceToDevice, s));
            return cub::DeviceRadixSort::SortPairs(t, size, copied, out, values, sorted, n, 0, int(8 * sizeof(type)), s);
        };
    } else if (!strcmp(operation, "select")) {
        void *count = w->count;
        w->run = [=](void *t, size_t &size) {
            return cub::DeviceSelect::If(t, size, in, out, static_cast<int64_t *>(count), n, below_half(), s);
        };
    } else {
        return false;
    }
    return true;
}

template <typename type> bool set_up_integer(work *w, const char *operation, int64_t n)
{
    if (strcmp(operation, "histogram"))
        return false;
    type *in = static_cast<type *>(w->in);
    int *bins = static_cast<int *>(w->out);
    cudaStream_t s = w->stream;
    /* 256 bins over the whole range of the type. */
    double low = 0, high = sizeof(type) == 1 ? 256.0 : sizeof(type) == 2 ? 65536.0 : 4294967296.0;
    if (sizeof(type) == 1)
        w->run = [=](void *t, size_t &size) { return cub::DeviceHistogram::HistogramEven(t, size, in, bins, 257, 0, 256, n, s); };
    else
        w->run = [=](void *t, size_t &size) {
            return cub::DeviceHistogram::HistogramEven(t, size, in, bins, 257, low, high, n, s);
        };
    return true;
}

template <typename type> bool set_up_argmax(work *w, const char *operation, int64_t n)
{
    if (strcmp(operation, "argmax"))
        return false;
    type *in = static_cast<type *>(w->in);
    auto *best = static_cast<type *>(w->out);
    auto *where = static_cast<int64_t *>(w->count);
    cudaStream_t s = w->stream;
    w->run = [=](void *t, size_t &size) { return cub::DeviceReduce::ArgMax(t, size, in, best, where, n, s); };
    return true;
}

/* cuFFT, where it is installed. Plans are kept: the program is short. */
bool set_up_fft(work *w, const char *operation, int64_t n)
{
    void *library = nullptr;
    bool rows = !strcmp(operation, "fft_rows");
    if (strcmp(operation, "fft") && !rows)
        return false;
    for (const char *name : { "libcufft.so.12", "libcufft.so.11", "libcufft.so.10" })
        if (!library)
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    auto make = reinterpret_cast<int (*)(int *, int, int, int)>(dlsym(library, "cufftPlan1d"));
    auto use = reinterpret_cast<int (*)(int, cudaStream_t)>(dlsym(library, "cufftSetStream"));
    auto execute = reinterpret_cast<int (*)(int, void *, void *, int)>(dlsym(library, "cufftExecC2C"));
    int plan = 0, m = rows ? 512 : int(n);
    if (!make || !use || !execute || make(&plan, m, 0x29, int(n / m)) || use(plan, w->stream)) /* CUFFT_C2C */
        return false;
    void *in = w->in, *out = w->out;
    w->run = [=](void *t, size_t &size) {
        size = size ? size : 1;
        return t && execute(plan, in, out, -1) ? cudaErrorUnknown : cudaSuccess; /* CUFFT_FORWARD */
    };
    return true;
}

template <typename type> void fill_input(work *w, int64_t n)
{
    fill<<<1024, 256, 0, w->stream>>>(static_cast<type *>(w->in), size_t(n));
}

void finish(void *self)
{
    work *w = static_cast<work *>(self);
    for (void *memory : { w->in, w->out, w->temporary, w->other, w->more, w->count, w->copied })
        cudaFree(memory);
    cudaStreamDestroy(w->stream);
    delete w;
}

void *begin(const char *operation, int bytes, int64_t n)
{
    work *w = new work;
    bool integer = !strcmp(operation, "sort") || !strcmp(operation, "sort_pairs") || !strcmp(operation, "histogram"), known;
    size_t size = size_t(n) * bytes;
    MUST(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
    MUST(cudaMalloc(&w->in, size + 16));
    MUST(cudaMalloc(&w->out, size + 4096));
    MUST(cudaMalloc(&w->count, 64));
    if (bytes == 1) {
        fill_input<uint8_t>(w, n);
        known = set_up<uint8_t>(w, operation, n) || set_up_integer<uint8_t>(w, operation, n);
    } else if (bytes == 2) {
        fill_input<uint16_t>(w, n);
        known = set_up<uint16_t>(w, operation, n) || set_up_integer<uint16_t>(w, operation, n);
    } else if (bytes == 4 && integer) {
        fill_input<uint32_t>(w, n);
        known = set_up<uint32_t>(w, operation, n) || set_up_integer<uint32_t>(w, operation, n);
    } else if (bytes == 4) {
        fill_input<float>(w, n);
        known = set_up<float>(w, operation, n) || set_up_argmax<float>(w, operation, n);
    } else if (integer) {
        fill_input<uint64_t>(w, n);
        known = set_up<uint64_t>(w, operation, n);
    } else {
        fill_input<double>(w, n);
        known = set_up<double>(w, operation, n) || set_up_fft(w, operation, n);
    }
    if (!known) {
        finish(w);
        return nullptr;
    }
    MUST(w->run(nullptr, w->temporary_size));
    MUST(cudaMalloc(&w->temporary, w->temporary_size + 1));
    MUST(cudaStreamSynchronize(w->stream));
    return w;
}

double run(void *self, int count)
{
    work *w = static_cast<work *>(self);
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; i++)
        MUST(w->run(w->temporary, w->temporary_size));
    MUST(cudaStreamSynchronize(w->stream));
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

const ops_peer peer = { "cub", begin, run, finish };

} // namespace

const ops_peer *yoke_bench_peer(void)
{
    return &peer;
}
