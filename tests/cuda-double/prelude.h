/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What CUDA C++ has and C++ has not, for the host's compiler: it stands before every source. Small, because it is compiled each
 * time; so there are no headers but our own. __global__, __shared__, __launch_bounds__ and __cluster_dims__ are source.c's.
 */
#include "table.h"

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define YOKE_CUDA_DOUBLE 1 /* no PTX */
#define __device__
#define __host__
#define __managed__
#define __grid_constant__
#define __constant__ __attribute__((section("double_constant"), used))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __noinline__ __attribute__((noinline))
#define __restrict __restrict__
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : double_own::assert_fails(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
#define NULL __null

extern "C" {
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *malloc(size_t size);
void free(void *memory);
int dprintf(int fd, const char *format, ...);
}

#define DOUBLE_VECTOR(type, name, two, four)                             \
    struct name##1                                                       \
    {                                                                    \
        type x;                                                          \
    };                                                                   \
    struct __attribute__((aligned(two))) name##2                         \
    {                                                                    \
        type x, y;                                                       \
    };                                                                   \
    struct name##3                                                       \
    {                                                                    \
        type x, y, z;                                                    \
    };                                                                   \
    struct __attribute__((aligned(four))) name##4                        \
    {                                                                    \
        type x, y, z, w;                                                 \
    };                                                                   \
    static inline name##1 make_##name##1(type x)                         \
    {                                                                    \
        return { x };                                                    \
    }                                                                    \
    static inline name##2 make_##name##2(type x, type y)                 \
    {                                                                    \
        return { x, y };                                                 \
    }                                                                    \
    static inline name##3 make_##name##3(type x, type y, type z)         \
    {                                                                    \
        return { x, y, z };                                              \
    }                                                                    \
    static inline name##4 make_##name##4(type x, type y, type z, type w) \
    {                                                                    \
        return { x, y, z, w };                                           \
    }
DOUBLE_VECTOR(signed char, char, 2, 4)
DOUBLE_VECTOR(unsigned char, uchar, 2, 4)
DOUBLE_VECTOR(short, short, 4, 8)
DOUBLE_VECTOR(unsigned short, ushort, 4, 8)
DOUBLE_VECTOR(int, int, 8, 16)
DOUBLE_VECTOR(unsigned, uint, 8, 16)
DOUBLE_VECTOR(long, long, 16, 16)
DOUBLE_VECTOR(unsigned long, ulong, 16, 16)
DOUBLE_VECTOR(long long, longlong, 16, 16)
DOUBLE_VECTOR(unsigned long long, ulonglong, 16, 16)
DOUBLE_VECTOR(float, float, 8, 16)
DOUBLE_VECTOR(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
};

extern "C" __attribute__((visibility("hidden"), aligned(16))) __thread char double_dynamic[];
static __thread uint3 threadIdx, blockIdx;
static __thread dim3 blockDim, gridDim;
static const int warpSize = 32;

namespace double_own {
static const double_hooks *hooks;

[[noreturn]] static inline void fail(int result)
{
    hooks->fail(result);
    __builtin_unreachable();
}

/* The driver's words. */
[[noreturn]] static inline void assert_fails(const char *condition, const char *file, int line, const char *function)
{
    dprintf(2, "%s:%d: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function, blockIdx.x,
            blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, condition);
    fail(710);
}

template <class T> struct same {
    typedef T type;
};
} // namespace double_own

/* ---- Threads ---- */

#include "prelude_warp.h"

static inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_block()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_system()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
[[noreturn]] static inline void __trap()
{
    double_own::fail(719);
}
static inline void __nanosleep(unsigned)
{
}

/* Ticks of the host. */
static inline long long clock64()
{
#if defined(__x86_64__)
    return (long long)__builtin_ia32_rdtsc();
#else
    long long ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}
static inline clock_t clock()
{
    return (clock_t)clock64();
}

/* Caches make no difference here. */
#define DOUBLE_LOAD(name)                               \
    template <class T> static inline T name(const T *x) \
    {                                                   \
        return *x;                                      \
    }
DOUBLE_LOAD(__ldg)
DOUBLE_LOAD(__ldca)
DOUBLE_LOAD(__ldcg)
DOUBLE_LOAD(__ldcs)
DOUBLE_LOAD(__ldcv)
DOUBLE_LOAD(__ldlu)
#define DOUBLE_STORE(name)                                                                     \
    template <class T> static inline void name(T *x, typename double_own::same<T>::type value) \
    {                                                                                          \
        *x = value;                                                                            \
    }
DOUBLE_STORE(__stcg)
DOUBLE_STORE(__stcs)
DOUBLE_STORE(__stwb)
DOUBLE_STORE(__stwt)

/* Not known to the compiler as the host's. As NVRTC's code, the object names vprintf where a kernel prints, and only there. */
extern "C" inline __attribute__((visibility("hidden"), noinline)) int vprintf(const char *format, __builtin_va_list values)
{
    return double_own::hooks->print(format, values);
}

extern "C" inline __attribute__((visibility("hidden"))) int printf(const char *format, ...)
{
    __builtin_va_list values;
    __builtin_va_start(values, format);
    int result = vprintf(format, values);
    __builtin_va_end(values);
    return result;
}

/* ---- Atomic operations ---- */

#define DOUBLE_ATOMIC_OF(name, expression)                                                            \
    template <class T> static inline T name(T *at, typename double_own::same<T>::type value)          \
    {                                                                                                 \
        T old, now;                                                                                   \
        __atomic_load(at, &old, __ATOMIC_RELAXED);                                                    \
        do                                                                                            \
            now = expression;                                                                         \
        while (!__atomic_compare_exchange(at, &old, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
        return old;                                                                                   \
    }
#define DOUBLE_ATOMIC(name, expression)        \
    DOUBLE_ATOMIC_OF(name, expression)         \
    DOUBLE_ATOMIC_OF(name##_block, expression) \
    DOUBLE_ATOMIC_OF(name##_system, expression)
DOUBLE_ATOMIC(atomicAdd, old + value)
DOUBLE_ATOMIC(atomicSub, old - value)
DOUBLE_ATOMIC(atomicExch, value)
DOUBLE_ATOMIC(atomicMin, old < value ? old : value)
DOUBLE_ATOMIC(atomicMax, old > value ? old : value)
DOUBLE_ATOMIC(atomicAnd, old &value)
DOUBLE_ATOMIC(atomicOr, old | value)
DOUBLE_ATOMIC(atomicXor, old ^ value)
DOUBLE_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
DOUBLE_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)

#define DOUBLE_CAS(name)                                                                                          \
    template <class T>                                                                                            \
    static inline T name(T *at, typename double_own::same<T>::type old, typename double_own::same<T>::type value) \
    {                                                                                                             \
        __atomic_compare_exchange(at, &old, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                   \
        return old;                                                                                               \
    }
DOUBLE_CAS(atomicCAS)
DOUBLE_CAS(atomicCAS_block)
DOUBLE_CAS(atomicCAS_system)

#include "prelude_math.h"

#include "prelude_texture.h"

/* ---- The table ---- */

namespace double_own {
template <unsigned... I> struct indices {
};
template <unsigned N, unsigned... I> struct count_up : count_up<N - 1, N - 1, I...> {
};
template <unsigned... I> struct count_up<0, I...> {
    typedef indices<I...> type;
};

constexpr unsigned align(unsigned at, unsigned to)
{
    return (at + to - 1) / to * to;
}

/* A reference is given as the address. */
template <class T> struct slot {
    typedef T type;
    static inline const T &get(const void *at)
    {
        return *(const T *)at;
    }
};
template <class T> struct slot<T &> {
    typedef T *type;
    static inline T &get(const void *at)
    {
        return **(T *const *)at;
    }
};

/* Where the parameters lie, and behind them how many bytes they are. */
template <class... P> struct layout {
    double_field fields[sizeof...(P) + 1];
    constexpr layout() : fields()
    {
        const unsigned sizes[] = { sizeof(typename slot<P>::type)..., 0 }, alignments[] = { alignof(typename slot<P>::type)..., 1 };
        unsigned at = 0;
        for (unsigned i = 0; i <= sizeof...(P); i++) {
            at = align(at, alignments[i]);
            fields[i] = { at, sizes[i] };
            at += sizes[i];
        }
    }
};

template <class... P> constexpr layout<P...> layout_of{};

static inline void go_to(const double_place *place)
{
    gridDim = dim3(place->grid[0], place->grid[1], place->grid[2]);
    blockDim = dim3(place->block[0], place->block[1], place->block[2]);
    blockIdx = { place->at[0], place->at[1], place->at[2] };
}

/* A name that was asked for and is no kernel's is a variable's. */
template <class T, T *Variable> struct entry {
    template <unsigned...> static double_kernel make()
    {
        return { (const void *)Variable, nullptr, nullptr, 0, 0, 0, { 0, 0, 0 } };
    }
};

template <class... P, void (*Kernel)(P...)> struct entry<void(P...), Kernel> {
    typedef typename count_up<sizeof...(P)>::type all;

    template <unsigned... I> static inline void call(const void *params, indices<I...>)
    {
        (void)params;
        Kernel(slot<P>::get((const char *)params + layout_of<P...>.fields[I].offset)...);
    }

    static void run(const void *params, const double_place *place)
    {
        go_to(place);
        for (unsigned z = place->first[2]; z < place->last[2]; z++)
            for (unsigned y = place->first[1]; y < place->last[1]; y++)
                for (unsigned x = place->first[0]; x < place->last[0]; x++) {
                    threadIdx = { x, y, z };
                    call(params, all());
                }
    }

    template <unsigned Most, unsigned... Cluster> static double_kernel make()
    {
        const double_field *fields = layout_of<P...>.fields;
        return { (const void *)Kernel, run, fields, sizeof...(P), fields[sizeof...(P)].offset, Most, { Cluster... } };
    }
};

#if __cpp_noexcept_function_type
template <class... P, void (*Kernel)(P...) noexcept>
struct entry<void(P...) noexcept, Kernel> : entry<void(P...), static_cast<void (*)(P...)>(Kernel)> {
};
#endif

template <class T> struct pointed;
template <class T> struct pointed<T *> {
    typedef T type;
};
template <class T> T *pointer(T *);
} // namespace double_own

extern "C" __attribute__((weak, visibility("hidden"))) const char __start_double_constant[], __stop_double_constant[];
struct double_prelude_ends;
