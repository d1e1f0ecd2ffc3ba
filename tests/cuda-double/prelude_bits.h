/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of integers and of bits, for prelude_math.h; and the least and the most. */

namespace double_own {
template <class To, class From> static inline To bits(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "the same bits");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
} // namespace double_own

#define DOUBLE_BITS(to, from, name)     \
    static inline to name(from x)       \
    {                                   \
        return double_own::bits<to>(x); \
    }
DOUBLE_BITS(int, float, __float_as_int)
DOUBLE_BITS(unsigned, float, __float_as_uint)
DOUBLE_BITS(float, int, __int_as_float)
DOUBLE_BITS(float, unsigned, __uint_as_float)
DOUBLE_BITS(long long, double, __double_as_longlong)
DOUBLE_BITS(double, long long, __longlong_as_double)
static inline int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
static inline int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
static inline double __hiloint2double(int high, int low)
{
    return double_own::bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline unsigned __brev(unsigned x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
/* Three bits of each of the selector's half bytes name one of eight bytes. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const unsigned long long all = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 32; i += 8)
        result |= ((unsigned)(all >> 8 * (selector >> i / 2 & 7)) & 0xff) << i;
    return result;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? low : __funnelshift_l(low, high, by);
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? high : __funnelshift_r(low, high, by);
}

static inline unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
static inline int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
static inline long long __mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
static inline int __mul24(int x, int y)
{
    return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8));
}
static inline unsigned __umul24(unsigned x, unsigned y)
{
    return (x & 0xffffff) * (y & 0xffffff);
}
static inline int __hadd(int x, int y)
{
    return (int)(((long long)x + y) >> 1);
}
static inline int __rhadd(int x, int y)
{
    return (int)(((long long)x + y + 1) >> 1);
}
static inline unsigned __uhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y) >> 1);
}
static inline unsigned __urhadd(unsigned x, unsigned y)
{
    return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}
static inline unsigned __sad(int x, int y, unsigned z)
{
    return (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y) + z;
}
static inline unsigned __usad(unsigned x, unsigned y, unsigned z)
{
    return (x < y ? y - x : x - y) + z;
}
#define DOUBLE_DP4A(type, bytes)                            \
    static inline type __dp4a(type a, type b, type sum)     \
    {                                                       \
        for (int i = 0; i < 32; i += 8)                     \
            sum += (type)(bytes)(a >> i) * (bytes)(b >> i); \
        return sum;                                         \
    }
DOUBLE_DP4A(int, signed char)
DOUBLE_DP4A(unsigned, unsigned char)

/* ---- The least and the most ---- */

#define DOUBLE_LEAST_MOST(type, first, second) \
    static inline type min(first a, second b)  \
    {                                          \
        const type x = (type)a, y = (type)b;   \
        return y < x ? y : x;                  \
    }                                          \
    static inline type max(first a, second b)  \
    {                                          \
        const type x = (type)a, y = (type)b;   \
        return x < y ? y : x;                  \
    }
#define DOUBLE_LEAST_MOST_OF(type)                        \
    DOUBLE_LEAST_MOST(type, type, type)                   \
    DOUBLE_LEAST_MOST(unsigned type, type, unsigned type) \
    DOUBLE_LEAST_MOST(unsigned type, unsigned type, type) \
    DOUBLE_LEAST_MOST(unsigned type, unsigned type, unsigned type)
DOUBLE_LEAST_MOST_OF(int)
DOUBLE_LEAST_MOST_OF(long)
DOUBLE_LEAST_MOST_OF(long long)
#define DOUBLE_LEAST_MOST_FLOAT(type, first, second) \
    static inline type min(first x, second y)        \
    {                                                \
        return fmin((type)x, (type)y);               \
    }                                                \
    static inline type max(first x, second y)        \
    {                                                \
        return fmax((type)x, (type)y);               \
    }
DOUBLE_LEAST_MOST_FLOAT(float, float, float)
DOUBLE_LEAST_MOST_FLOAT(double, double, double)
DOUBLE_LEAST_MOST_FLOAT(double, float, double)
DOUBLE_LEAST_MOST_FLOAT(double, double, float)
#define DOUBLE_LEAST_MOST_NAMED(type, least, most) \
    static inline type least(type x, type y)       \
    {                                              \
        return min(x, y);                          \
    }                                              \
    static inline type most(type x, type y)        \
    {                                              \
        return max(x, y);                          \
    }
DOUBLE_LEAST_MOST_NAMED(unsigned, umin, umax)
DOUBLE_LEAST_MOST_NAMED(long long, llmin, llmax)
DOUBLE_LEAST_MOST_NAMED(unsigned long long, ullmin, ullmax)

#define DOUBLE_ABS(type, name)      \
    static inline type name(type x) \
    {                               \
        return x < 0 ? -x : x;      \
    }
DOUBLE_ABS(int, abs)
DOUBLE_ABS(long, abs)
DOUBLE_ABS(long long, abs)
DOUBLE_ABS(long, labs)
DOUBLE_ABS(long long, llabs)
static inline float abs(float x)
{
    return fabsf(x);
}
static inline double abs(double x)
{
    return fabs(x);
}
