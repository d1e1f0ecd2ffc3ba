/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where threads of a block, or of a warp, meet; for prelude.h. Other threads run in between, on this thread of the host. All that
 * a warp does is one exchange: each thread brings a value, and gets those of all that were there.
 */

namespace double_own {
/* What is in variables of the host's thread is this thread's again at the end. */
struct pause {
    const uint3 own;
    pause() : own(threadIdx)
    {
        asm volatile("" ::: "memory");
    }
    ~pause()
    {
        asm volatile("" ::: "memory");
        threadIdx = own;
    }
};

static inline void barrier()
{
    pause here;
    hooks->barrier();
}

static __thread int votes;

/* How many of the block have voted. */
static inline int count_votes(bool vote)
{
    barrier();
    votes = 0;
    barrier();
    votes += vote;
    barrier();
    return votes;
}

static inline int lane()
{
    return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

template <class T> struct exchange {
    unsigned long long values[32];
    unsigned present;
    exchange(unsigned mask, T value)
    {
        unsigned long long wide = 0;
        __builtin_memcpy(&wide, &value, sizeof value);
        pause here;
        hooks->meet(mask, wide, values, &present);
    }
    T operator[](int lane) const
    {
        T value;
        __builtin_memcpy(&value, &values[lane], sizeof value);
        return value;
    }
    template <class Operation> T reduce(Operation operation) const
    {
        const int first = __builtin_ctz(present);
        T result = (*this)[first];
        for (int i = first + 1; i < 32; i++)
            if (present >> i & 1)
                result = operation(result, (*this)[i]);
        return result;
    }
};

/* Those of the present whose value is this one, bit by bit. */
template <class T> static inline unsigned same_as(const exchange<T> &all, int lane)
{
    unsigned result = 0;
    for (int i = 0; i < 32; i++)
        if (all.present >> i & 1 && all.values[i] == all.values[lane])
            result |= 1u << i;
    return result;
}
} // namespace double_own

/* ---- Of a block ---- */

static inline void __syncthreads()
{
    double_own::barrier();
}
static inline int __syncthreads_count(int vote)
{
    return double_own::count_votes(vote != 0);
}
static inline int __syncthreads_and(int vote)
{
    return double_own::count_votes(vote == 0) == 0;
}
static inline int __syncthreads_or(int vote)
{
    return double_own::count_votes(vote != 0) != 0;
}

/* ---- Of a warp ---- */

static inline void __syncwarp(unsigned mask = 0xffffffff)
{
    double_own::exchange<int>(mask, 0);
}
/* In the kernel's own code, whose place is what tells who is active together. */
static __forceinline__ unsigned __activemask()
{
    double_own::pause here;
    return double_own::hooks->active();
}
static inline unsigned __ballot_sync(unsigned mask, int vote)
{
    const double_own::exchange<int> all(mask, vote != 0);
    unsigned result = 0;
    for (int i = 0; i < 32; i++)
        result |= all.present >> i & 1 && all[i] ? 1u << i : 0;
    return result;
}
static inline int __any_sync(unsigned mask, int vote)
{
    return __ballot_sync(mask, vote) != 0;
}
static inline int __all_sync(unsigned mask, int vote)
{
    return __ballot_sync(mask, !vote) == 0;
}

/* A width is a power of two; a warp is as many parts of so many threads. */
#define DOUBLE_WARP(type)                                                                       \
    static inline type __shfl_sync(unsigned mask, type value, int from, int width = 32)         \
    {                                                                                           \
        const int lane = double_own::lane();                                                    \
        const double_own::exchange<type> all(mask, value);                                      \
        return all[(lane & ~(width - 1)) | (from & (width - 1))];                               \
    }                                                                                           \
    static inline type __shfl_up_sync(unsigned mask, type value, unsigned by, int width = 32)   \
    {                                                                                           \
        const int lane = double_own::lane();                                                    \
        const double_own::exchange<type> all(mask, value);                                      \
        return (unsigned)(lane & (width - 1)) < by ? value : all[lane - (int)by];               \
    }                                                                                           \
    static inline type __shfl_down_sync(unsigned mask, type value, unsigned by, int width = 32) \
    {                                                                                           \
        const int lane = double_own::lane();                                                    \
        const double_own::exchange<type> all(mask, value);                                      \
        return by >= (unsigned)(width - (lane & (width - 1))) ? value : all[lane + (int)by];    \
    }                                                                                           \
    static inline type __shfl_xor_sync(unsigned mask, type value, int by, int width = 32)       \
    {                                                                                           \
        const int lane = double_own::lane(), from = (lane ^ by) & 31;                           \
        const double_own::exchange<type> all(mask, value);                                      \
        return from > (lane | (width - 1)) ? value : all[from];                                 \
    }                                                                                           \
    static inline unsigned __match_any_sync(unsigned mask, type value)                          \
    {                                                                                           \
        const int lane = double_own::lane();                                                    \
        return double_own::same_as(double_own::exchange<type>(mask, value), lane);              \
    }                                                                                           \
    static inline unsigned __match_all_sync(unsigned mask, type value, int *all_same)           \
    {                                                                                           \
        const int lane = double_own::lane();                                                    \
        const double_own::exchange<type> all(mask, value);                                      \
        *all_same = double_own::same_as(all, lane) == all.present;                              \
        return *all_same ? all.present : 0;                                                     \
    }
DOUBLE_WARP(int)
DOUBLE_WARP(unsigned)
DOUBLE_WARP(long)
DOUBLE_WARP(unsigned long)
DOUBLE_WARP(long long)
DOUBLE_WARP(unsigned long long)
DOUBLE_WARP(float)
DOUBLE_WARP(double)

#define DOUBLE_REDUCE(name, type, expression)                                                             \
    static inline type name(unsigned mask, type value)                                                    \
    {                                                                                                     \
        return double_own::exchange<type>(mask, value).reduce([](type x, type y) { return expression; }); \
    }
DOUBLE_REDUCE(__reduce_add_sync, int, (int)((unsigned)x + (unsigned)y))
DOUBLE_REDUCE(__reduce_add_sync, unsigned, x + y)
DOUBLE_REDUCE(__reduce_min_sync, int, y < x ? y : x)
DOUBLE_REDUCE(__reduce_min_sync, unsigned, y < x ? y : x)
DOUBLE_REDUCE(__reduce_max_sync, int, x < y ? y : x)
DOUBLE_REDUCE(__reduce_max_sync, unsigned, x < y ? y : x)
DOUBLE_REDUCE(__reduce_and_sync, unsigned, (x & y))
DOUBLE_REDUCE(__reduce_or_sync, unsigned, x | y)
DOUBLE_REDUCE(__reduce_xor_sync, unsigned, x ^ y)
