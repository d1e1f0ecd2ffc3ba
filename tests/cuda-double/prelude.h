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
#define __device__
#define __host__
#define __managed__
#define __grid_constant__
#define __constant__ __attribute__((section("double_constant"), used))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __noinline__ __attribute__((noinline))
#define __restrict __restrict__
#define assert(condition) ((condition) ? (void)0 : double_own::fail(710))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

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

template <class T> struct same {
    typedef T type;
};
} // namespace double_own

/* ---- Threads ---- */

/* Other threads of the block run in between, on this thread of the host. */
static inline void __syncthreads()
{
    const uint3 own = threadIdx;
    asm volatile("" ::: "memory");
    double_own::hooks->barrier();
    asm volatile("" ::: "memory");
    threadIdx = own;
}

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
template <class T> static inline T __ldg(const T *from)
{
    return *from;
}

/* ---- Atomic operations ---- */

#define DOUBLE_ATOMIC(name, expression)                                                               \
    template <class T> static inline T name(T *at, typename double_own::same<T>::type value)          \
    {                                                                                                 \
        T old, now;                                                                                   \
        __atomic_load(at, &old, __ATOMIC_RELAXED);                                                    \
        do                                                                                            \
            now = expression;                                                                         \
        while (!__atomic_compare_exchange(at, &old, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
        return old;                                                                                   \
    }
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

template <class T>
static inline T atomicCAS(T *at, typename double_own::same<T>::type old, typename double_own::same<T>::type value)
{
    __atomic_compare_exchange(at, &old, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return old;
}

/* ---- Numbers ---- */

#define DOUBLE_SAME(type, name, function, parameters, arguments) \
    static inline type name parameters                           \
    {                                                            \
        return __builtin_##function arguments;                   \
    }
/* Each by its name in C, and by the one that C++ has for both widths. */
#define DOUBLE_MATH1(name)                               \
    DOUBLE_SAME(float, name##f, name##f, (float x), (x)) \
    DOUBLE_SAME(float, name, name##f, (float x), (x))    \
    DOUBLE_SAME(double, name, name, (double x), (x))
#define DOUBLE_MATH2(name)                                           \
    DOUBLE_SAME(float, name##f, name##f, (float x, float y), (x, y)) \
    DOUBLE_SAME(float, name, name##f, (float x, float y), (x, y))    \
    DOUBLE_SAME(double, name, name, (double x, double y), (x, y))
#define DOUBLE_MATH3(name)                                                       \
    DOUBLE_SAME(float, name##f, name##f, (float x, float y, float z), (x, y, z)) \
    DOUBLE_SAME(float, name, name##f, (float x, float y, float z), (x, y, z))    \
    DOUBLE_SAME(double, name, name, (double x, double y, double z), (x, y, z))
DOUBLE_MATH1(acos)
DOUBLE_MATH1(asin)
DOUBLE_MATH1(atan)
DOUBLE_MATH1(cbrt)
DOUBLE_MATH1(ceil)
DOUBLE_MATH1(cos)
DOUBLE_MATH1(cosh)
DOUBLE_MATH1(erf)
DOUBLE_MATH1(exp)
DOUBLE_MATH1(exp2)
DOUBLE_MATH1(expm1)
DOUBLE_MATH1(fabs)
DOUBLE_MATH1(floor)
DOUBLE_MATH1(log)
DOUBLE_MATH1(log10)
DOUBLE_MATH1(log1p)
DOUBLE_MATH1(log2)
DOUBLE_MATH1(rint)
DOUBLE_MATH1(round)
DOUBLE_MATH1(sin)
DOUBLE_MATH1(sinh)
DOUBLE_MATH1(sqrt)
DOUBLE_MATH1(tan)
DOUBLE_MATH1(tanh)
DOUBLE_MATH1(trunc)
DOUBLE_MATH2(atan2)
DOUBLE_MATH2(copysign)
DOUBLE_MATH2(fmax)
DOUBLE_MATH2(fmin)
DOUBLE_MATH2(fmod)
DOUBLE_MATH2(hypot)
DOUBLE_MATH2(pow)
DOUBLE_MATH3(fma)

static inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
static inline double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
static inline float __fadd_rn(float x, float y)
{
    return x + y;
}
static inline float __fsub_rn(float x, float y)
{
    return x - y;
}
static inline float __fmul_rn(float x, float y)
{
    return x * y;
}
static inline float __fdiv_rn(float x, float y)
{
    return x / y;
}
static inline float __fsqrt_rn(float x)
{
    return sqrtf(x);
}
static inline float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}
static inline float __fdividef(float x, float y)
{
    return x / y;
}
static inline float __saturatef(float x)
{
    return fminf(fmaxf(x, 0.0f), 1.0f);
}
static inline float __cosf(float x)
{
    return cosf(x);
}
static inline float __expf(float x)
{
    return expf(x);
}
static inline float __logf(float x)
{
    return logf(x);
}
static inline float __powf(float x, float y)
{
    return powf(x, y);
}
static inline float __sinf(float x)
{
    return sinf(x);
}

namespace double_own {
template <class To, class From> static inline To bits(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "the same bits");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
} // namespace double_own

static inline int __float_as_int(float x)
{
    return double_own::bits<int>(x);
}
static inline unsigned __float_as_uint(float x)
{
    return double_own::bits<unsigned>(x);
}
static inline float __int_as_float(int x)
{
    return double_own::bits<float>(x);
}
static inline float __uint_as_float(unsigned x)
{
    return double_own::bits<float>(x);
}
static inline long long __double_as_longlong(double x)
{
    return double_own::bits<long long>(x);
}
static inline double __longlong_as_double(long long x)
{
    return double_own::bits<double>(x);
}

static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
static inline int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}

#define DOUBLE_LEAST_MOST(type)            \
    static inline type min(type x, type y) \
    {                                      \
        return y < x ? y : x;              \
    }                                      \
    static inline type max(type x, type y) \
    {                                      \
        return x < y ? y : x;              \
    }
DOUBLE_LEAST_MOST(int)
DOUBLE_LEAST_MOST(unsigned)
DOUBLE_LEAST_MOST(long)
DOUBLE_LEAST_MOST(unsigned long)
DOUBLE_LEAST_MOST(long long)
DOUBLE_LEAST_MOST(unsigned long long)
static inline float min(float x, float y)
{
    return fminf(x, y);
}
static inline float max(float x, float y)
{
    return fmaxf(x, y);
}
static inline double min(double x, double y)
{
    return fmin(x, y);
}
static inline double max(double x, double y)
{
    return fmax(x, y);
}
static inline int abs(int x)
{
    return x < 0 ? -x : x;
}
static inline long abs(long x)
{
    return x < 0 ? -x : x;
}
static inline long long abs(long long x)
{
    return x < 0 ? -x : x;
}
static inline float abs(float x)
{
    return fabsf(x);
}
static inline double abs(double x)
{
    return fabs(x);
}

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
