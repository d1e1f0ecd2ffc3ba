/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a C++ programmer writes for the CPU, for bench/ops: plain loops with OpenMP on all threads, and libstdc++'s parallel
 * std::sort; FFTW, opened if it is installed. Built where a compiler with OpenMP is there: make bench/ops_cpu.so.
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <numeric>
#include <omp.h>
#include <parallel/algorithm>
#include <random>
#include <vector>

#include "ops_peer.h"

namespace {

struct work {
    std::function<void()> run;
    std::vector<unsigned char> memory[4];
    volatile double result;
};

unsigned long long hash(size_t i)
{
    unsigned long long x = i * 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

template <typename type> type *array(work *w, int which, int64_t n)
{
    w->memory[which].resize(size_t(n) * sizeof(type));
    type *a = reinterpret_cast<type *>(w->memory[which].data());
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        a[i] = std::is_floating_point<type>::value ? type(double(hash(size_t(i)) >> 40) / 16777216.0) : type(hash(size_t(i)));
    return a;
}

/* libstdc++'s distribution: each thread has a generator of its own. */
void normal(float *out, int64_t n)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num(), threads = omp_get_num_threads();
        std::mt19937_64 generator{ static_cast<unsigned long long>(me) };
        std::normal_distribution<float> distribution;
        for (int64_t i = n * me / threads; i < n * (me + 1) / threads; i++)
            out[i] = distribution(generator);
    }
}

/* Each thread sums its part, then adds the sums before it. */
template <typename type> void scan(const type *in, type *out, int64_t n)
{
    std::vector<type> sums(size_t(omp_get_max_threads()) + 1);
#pragma omp parallel
    {
        int me = omp_get_thread_num(), threads = omp_get_num_threads();
        int64_t from = n * me / threads, to = n * (me + 1) / threads;
        type sum = 0;
        for (int64_t i = from; i < to; i++)
            sum = type(sum + in[i]);
        sums[size_t(me) + 1] = sum;
#pragma omp barrier
        sum = 0;
        for (int t = 0; t <= me; t++)
            sum = type(sum + sums[size_t(t)]);
        for (int64_t i = from; i < to; i++)
            out[i] = sum = type(sum + in[i]);
    }
}

/* A square picture by a Gaussian of sigma 3, first along the columns and then along the rows; ends are reflected. */
void gaussian(const float *in, float *between, float *out, int64_t side)
{
    constexpr int radius = 12, taps = 2 * radius + 1;
    float weights[taps];
    double sum = 0;
    for (int k = 0; k < taps; k++)
        sum += std::exp(-(k - radius) * (k - radius) / 18.0);
    for (int k = 0; k < taps; k++)
        weights[k] = float(std::exp(-(k - radius) * (k - radius) / 18.0) / sum);
    auto reflected = [=](int64_t p) { return p < 0 ? -1 - p : p < side ? p : 2 * side - 1 - p; };
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < side; y++) {
        float *to = between + y * side;
        std::fill(to, to + side, 0.0f);
        for (int k = 0; k < taps; k++) {
            const float *from = in + reflected(y + k - radius) * side, weight = weights[k];
#pragma omp simd
            for (int64_t x = 0; x < side; x++)
                to[x] += weight * from[x];
        }
    }
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < side; y++) {
        const float *from = between + y * side;
        float *to = out + y * side;
        for (int64_t x = 0; x < side; x++)
            if (x < radius || x >= side - radius) {
                to[x] = 0;
                for (int k = 0; k < taps; k++)
                    to[x] += weights[k] * from[reflected(x + k - radius)];
            }
#pragma omp simd
        for (int64_t x = radius; x < side - radius; x++) {
            float sum = 0;
            for (int k = 0; k < taps; k++)
                sum += weights[k] * from[x + k - radius];
            to[x] = sum;
        }
    }
}

/* Transforms of m points by FFTW on all threads; false where its library is missing. Plans are kept: the program is short. */
bool set_up_fft(work *w, int64_t m, int64_t batch)
{
    void *library = dlopen("libfftw3f_omp.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return false;
    auto start = reinterpret_cast<int (*)()>(dlsym(library, "fftwf_init_threads"));
    auto use = reinterpret_cast<void (*)(int)>(dlsym(library, "fftwf_plan_with_nthreads"));
    auto make = reinterpret_cast<void *(*)(int, const int *, int, void *, const int *, int, int, void *, const int *, int, int, int,
                                           unsigned)>(dlsym(RTLD_DEFAULT, "fftwf_plan_many_dft"));
    auto execute = reinterpret_cast<void (*)(void *)>(dlsym(RTLD_DEFAULT, "fftwf_execute"));
    if (!start || !use || !make || !execute || !start())
        return false;
    use(omp_get_max_threads());
    float *a = array<float>(w, 0, 2 * m * batch), *b = array<float>(w, 1, 2 * m * batch);
    int n = int(m);
    void *plan = make(1, &n, int(batch), a, nullptr, 1, n, b, nullptr, 1, n, -1, 1u << 6); /* FFTW_FORWARD, FFTW_ESTIMATE */
    w->run = [=] { execute(plan); };
    return plan != nullptr;
}

/* Each thread finds the first of its largest; the leftmost of these wins. */
template <typename type> int64_t argmax(const type *a, int64_t n)
{
    int64_t best = 0;
#pragma omp parallel
    {
        int64_t mine = 0;
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < n; i++)
            mine = a[i] > a[mine] ? i : mine;
#pragma omp critical
        best = a[mine] > a[best] || (a[mine] == a[best] && mine < best) ? mine : best;
    }
    return best;
}

/* Each thread counts what it keeps, then writes it behind what the threads before it keep. */
template <typename type> int64_t select(const type *in, type *out, int64_t n, type limit)
{
    std::vector<int64_t> counts(size_t(omp_get_max_threads()) + 1);
#pragma omp parallel
    {
        int me = omp_get_thread_num(), threads = omp_get_num_threads();
        int64_t from = n * me / threads, to = n * (me + 1) / threads, at = 0;
        for (int64_t i = from; i < to; i++)
            at += in[i] < limit;
        counts[size_t(me) + 1] = at;
#pragma omp barrier
        at = 0;
        for (int t = 0; t <= me; t++)
            at += counts[size_t(t)];
        for (int64_t i = from; i < to; i++)
            if (in[i] < limit)
                out[at++] = in[i];
    }
    return std::accumulate(counts.begin(), counts.end(), int64_t(0));
}

/* 256 bins over all values of the type; each thread has its own. */
template <typename type> void histogram(const type *a, uint32_t *bins, int64_t n)
{
    std::fill(bins, bins + 256, 0u);
#pragma omp parallel
    {
        uint32_t mine[256] = {};
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < n; i++)
            mine[a[i] >> (8 * sizeof(type) - 8)]++;
#pragma omp critical
        for (int b = 0; b < 256; b++)
            bins[b] += mine[b];
    }
}

/* What there is for all types. */
template <typename type> bool set_up(work *w, const char *operation, int64_t n)
{
    type *a = array<type>(w, 0, n), *b = array<type>(w, 1, n);
    if (!strcmp(operation, "copy")) {
        /* The floor of a map: two inputs and an output of so many bytes in all. */
        int64_t m = n * 2 / 3;
        type *c = array<type>(w, 2, m);
        w->run = [=] {
#pragma omp parallel for simd schedule(static)
            for (int64_t i = 0; i < m; i++)
                c[i] = type(a[i] + b[i]);
        };
    } else if (!strcmp(operation, "sum")) {
        /* Integers are summed in 64 bits, as by Yoke. */
        using sum_type = typename std::conditional<std::is_floating_point<type>::value, type, uint64_t>::type;
        w->run = [=] {
            sum_type sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
            for (int64_t i = 0; i < n; i++)
                sum += a[i];
            w->result = double(sum);
        };
    } else if (!strcmp(operation, "max")) {
        w->run = [=] {
            type most = a[0];
#pragma omp parallel for simd schedule(static) reduction(max : most)
            for (int64_t i = 0; i < n; i++)
                most = a[i] > most ? a[i] : most;
            w->result = double(most);
        };
    } else if (!strcmp(operation, "argmax")) {
        w->run = [=] { w->result = double(argmax(a, n)); };
    } else if (!strcmp(operation, "scan")) {
        w->run = [=] { scan(a, b, n); };
    } else if (!strcmp(operation, "select")) {
        type half = std::is_floating_point<type>::value ? type(0.5) : type(1ull << (8 * sizeof(type) - 1));
        w->run = [=] { w->result = double(select(a, b, n, half)); };
    } else {
        return false;
    }
    return true;
}

/* What there is for integers. The sort of a copy, as Yoke's side sorts one. */
template <typename type> bool set_up_integer(work *w, const char *operation, int64_t n)
{
    type *a = array<type>(w, 0, n);
    if (!strcmp(operation, "sort")) {
        type *b = array<type>(w, 1, n);
        w->run = [=] {
            memcpy(b, a, size_t(n) * sizeof *a);
            __gnu_parallel::sort(b, b + n);
        };
    } else if (!strcmp(operation, "sort_pairs")) {
        struct pair {
            type key;
            uint32_t value;
        };
        w->memory[1].resize(size_t(n) * sizeof(pair));
        pair *b = reinterpret_cast<pair *>(w->memory[1].data());
        w->run = [=] {
#pragma omp parallel for schedule(static)
            for (int64_t i = 0; i < n; i++)
                b[i] = pair{ a[i], uint32_t(i) };
            __gnu_parallel::stable_sort(b, b + n, [](const pair &x, const pair &y) { return x.key < y.key; });
        };
    } else if (!strcmp(operation, "histogram")) {
        uint32_t *bins = array<uint32_t>(w, 1, 256);
        w->run = [=] { histogram(a, bins, n); };
    } else {
        return false;
    }
    return true;
}

/* What there is for one type. */
bool set_up_other(work *w, const char *operation, int bytes, int64_t n)
{
    if (!strcmp(operation, "random_normal") && bytes == 4) {
        float *a = array<float>(w, 0, n);
        w->run = [=] { normal(a, n); };
    } else if (!strcmp(operation, "gaussian") && bytes == 4 && n >= 1024) {
        int64_t side = int64_t(std::sqrt(double(n)));
        float *a = array<float>(w, 0, n), *b = array<float>(w, 1, n), *c = array<float>(w, 2, n);
        w->run = [=] { gaussian(a, b, c, side); };
    } else if (!strcmp(operation, "fft") && bytes == 8) {
        return set_up_fft(w, n, 1);
    } else if (!strcmp(operation, "fft_rows") && bytes == 8) {
        return set_up_fft(w, 512, n / 512);
    } else {
        return false;
    }
    return true;
}

bool set_up_any(work *w, const char *operation, int bytes, int64_t n)
{
    switch (bytes) {
    case 1:
        return set_up<uint8_t>(w, operation, n) || set_up_integer<uint8_t>(w, operation, n);
    case 2:
        return set_up<uint16_t>(w, operation, n) || set_up_integer<uint16_t>(w, operation, n);
    case 4:
        return set_up<float>(w, operation, n) || set_up_integer<uint32_t>(w, operation, n);
    default:
        return bytes == 8 && (set_up<double>(w, operation, n) || set_up_integer<uint64_t>(w, operation, n));
    }
}

void *begin(const char *operation, int bytes, int64_t n)
{
    work *w = new work;
    if (set_up_other(w, operation, bytes, n) || set_up_any(w, operation, bytes, n))
        return w;
    delete w;
    return nullptr;
}

double run(void *self, int count)
{
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; i++)
        static_cast<work *>(self)->run();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void end(void *self)
{
    delete static_cast<work *>(self);
}

const ops_peer peer = { "openmp", begin, run, end };

} // namespace

const ops_peer *yoke_bench_peer(void)
{
    return &peer;
}
