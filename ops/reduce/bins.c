/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bins of equal width. For integers between integers everything is exact: the bin is floor((x - low) * count / (high - low)), for
 * which kernels multiply by a factor that is computed here. Otherwise the edges are floating-point numbers, low + i * width.
 */
#include <math.h>

#include "bins.h"

/* An integer of 65 bits, two's complement: negative, or up to 2^64 - 1. */
typedef struct whole {
    bool negative;
    uint64_t bits;
} whole;

static bool is_less(whole a, whole b)
{
    if (a.negative != b.negative)
        return a.negative;
    return a.bits < b.bits; /* two's complement: also between negative numbers */
}

/* False when the number has a fraction, or is too large. */
static bool get_whole(yoke_number number, whole *out)
{
    if (yops_is_integer(number.dtype)) {
        bool negative = yops_is_signed(number.dtype) && number.value.i64 < 0;
        *out = (whole){ negative, number.value.u64 };
        return true;
    }
    double value = number.value.f64;
    if (value != floor(value) || fabs(value) >= 0x1p63)
        return false;
    *out = (whole){ value < 0, (uint64_t)(int64_t)value };
    return true;
}

static whole get_least(int32_t dtype)
{
    int bits = 8 * (int)yoke_dtype_get_size(dtype);
    return yops_is_signed(dtype) ? (whole){ true, ~(uint64_t)0 << (bits - 1) } : (whole){ false, 0 };
}

static whole get_largest(int32_t dtype)
{
    int bits = 8 * (int)yoke_dtype_get_size(dtype) - (yops_is_signed(dtype) ? 1 : 0);
    return (whole){ false, dtype == YOKE_BOOL ? 1 : ~(uint64_t)0 >> (64 - bits) };
}

static yoke_status fail_order(const yops_call *call, yoke_number low, yoke_number high, const char *why)
{
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "low is %s and high is %s: %s", yops_write_number(yops_real(low)).text,
                     yops_write_number(yops_real(high)).text, why);
}

static yoke_status get_whole_rule(const yops_call *call, int32_t dtype, yoke_number low_number, yoke_number high_number,
                                  uint32_t count, yops_bins *out_bins)
{
    yops_whole_rule *rule = &out_bins->rule.whole;
    whole low = { false, 0 }, high = low, least = get_least(dtype), largest = get_largest(dtype);
    get_whole(low_number, &low);
    get_whole(high_number, &high);
    if (!is_less(low, high))
        return fail_order(call, low_number, high_number, "low must be below high");
    uint64_t range = high.bits - low.bits;
    if (low.negative && !high.negative && high.bits > UINT64_MAX - (0 - low.bits))
        return fail_order(call, low_number, high_number, "the distance must be below 2^64");
    whole first = is_less(low, least) ? least : low, last = is_less(largest, high) ? largest : high;
    bool none = is_less(last, first);
    *rule = (yops_whole_rule){ .first = none ? 1 : (int64_t)first.bits,
                               .last = none ? 0 : (int64_t)last.bits,
                               .low = low.bits,
                               .range = range,
                               .count = count };
    out_bins->macro = "BINS_WHOLE=3";
    uint64_t width = range / count;
    bool fits = yoke_dtype_get_size(dtype) == 8 || (last.bits - low.bits <= UINT32_MAX && width <= UINT32_MAX); /* the kernel's */
    if (range % count == 0 && (width & (width - 1)) == 0 && fits) {
        out_bins->macro = "BINS_WHOLE=1";
        while (UINT64_C(1) << rule->shift < width)
            rule->shift++;
    } else if (range <= UINT64_C(1) << 32 && last.bits - low.bits <= UINT32_MAX) {
        out_bins->macro = "BINS_WHOLE=2";
        while (UINT64_C(1) << rule->shift < range)
            rule->shift++;
        rule->factor = (uint32_t)(((uint64_t)count << rule->shift) / range);
    }
    return YOKE_OK;
}

static yoke_status get_real_rule(const yops_call *call, yoke_number low, yoke_number high, uint32_t count, yops_real_rule *rule)
{
    float first = (float)yops_real(low), last = (float)yops_real(high), range = last - first;
    if (!(first < last) || !isfinite(first) || !isfinite(range))
        return fail_order(call, low, high, "as float, low must be below high, and high - low must be finite");
    *rule = (yops_real_rule){ first, last, range / (float)count, (float)count / range, count, 0 };
    return YOKE_OK;
}

static yoke_status get_double_rule(const yops_call *call, yoke_number low, yoke_number high, uint32_t count, yops_double_rule *rule)
{
    double first = yops_real(low), last = yops_real(high), range = last - first;
    if (!isfinite(range))
        return fail_order(call, low, high, "high - low must be finite");
    *rule = (yops_double_rule){ first, last, range / count, count / range, count, 0 };
    return YOKE_OK;
}

yoke_status yops_bins_even(const yops_call *call, int32_t dtype, yoke_number low, yoke_number high, uint32_t count,
                           yops_bins *out_bins)
{
    whole unused;
    yoke_status status = yops_check_limit(call, "low", low);
    if (status == YOKE_OK)
        status = yops_check_limit(call, "high", high);
    if (status < 0)
        return status;
    if (!isfinite(yops_real(low)) || !isfinite(yops_real(high)))
        return fail_order(call, low, high, "both must be finite");
    if (yops_is_integer(dtype) && get_whole(low, &unused) && get_whole(high, &unused)) {
        out_bins->size = sizeof out_bins->rule.whole;
        return get_whole_rule(call, dtype, low, high, count, out_bins);
    }
    if (!(yops_real(low) < yops_real(high)))
        return fail_order(call, low, high, "low must be below high");
    if (dtype == YOKE_F64) {
        out_bins->macro = "BINS_REAL_F64=1";
        out_bins->size = sizeof out_bins->rule.wide;
        return get_double_rule(call, low, high, count, &out_bins->rule.wide);
    }
    out_bins->macro = "BINS_REAL=1";
    out_bins->size = sizeof out_bins->rule.real;
    return get_real_rule(call, low, high, count, &out_bins->rule.real);
}
