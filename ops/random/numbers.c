/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform, normal and exponential numbers and integers: the checks of their parameters. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "random.h"

/* ---- Floating point ---- */

static yoke_status check_floating(const yops_random *r)
{
    if (yops_is_integer(r->out->dtype))
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT, "out has the dtype %s: integers are yoke_random_integers'",
                         yoke_dtype_get_name(r->out->dtype));
    return YOKE_OK;
}

/* The dtype of a number, seen as fractions of so many bits, from 2^least on. */
typedef struct format {
    int bits, least, largest; /* the largest number is below 2^largest */
} format;

static format format_of(int32_t dtype)
{
    const yk_dtype *row = yk_dtype_get(dtype);
    int largest = 1 << (row->exponent - 1);
    return (format){ row->fraction + 1, 2 - largest - row->fraction, largest };
}

/* The unit in the last place of x, which is not 0. */
static int unit_of(format f, double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent - f.bits > f.least ? exponent - f.bits : f.least;
}

/* x rounded to the format; infinity where it is too large. */
static double round_to(format f, double x)
{
    if (x == 0 || !isfinite(x) || f.bits == 53)
        return x;
    int unit = unit_of(f, x);
    double rounded = ldexp(nearbyint(ldexp(x, -unit)), unit);
    return fabs(rounded) >= ldexp(1, f.largest) ? (x < 0 ? -INFINITY : INFINITY) : rounded;
}

/* The number of the format next to x, below or above it. x is one. */
static double next_to(format f, double x, bool above)
{
    double sign = above ? 1 : -1;
    if (f.bits == 53)
        return nextafter(x, sign * INFINITY);
    if (x == 0)
        return sign * ldexp(1, f.least);
    int unit = unit_of(f, x);
    /* Towards 0 from a power of 2 the unit is half of it. */
    bool is_power = fabs(x) == ldexp(1, unit + f.bits - 1) && unit > f.least;
    return x + sign * ldexp(1, is_power && (x > 0) != above ? unit - 1 : unit);
}

static yoke_status set_interval(yops_random *r, double low, double high)
{
    format f = format_of(r->out->dtype);
    double first = round_to(f, low), last = round_to(f, high), width = last - first;
    bool mirrored = r->options.interval == YOKE_INTERVAL_WITHOUT_LOW;
    if (r->options.interval == YOKE_INTERVAL_WITH_BOTH)
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT,
                         "options->interval is YOKE_INTERVAL_WITH_BOTH: one end of an interval of uniform numbers is left out");
    if (f.bits != 53)
        width = round_to(format_of(YOKE_F32), width);
    if (!isfinite(first) || !isfinite(last) || !isfinite(width))
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT,
                         "low is %s and high is %s: as %s, they or their distance are not finite", yops_write_number(low).text,
                         yops_write_number(high).text, yoke_dtype_get_name(r->out->dtype));
    if (!(first < last))
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT, "low is %s and high is %s: as %s, low must be below high",
                         yops_write_number(low).text, yops_write_number(high).text, yoke_dtype_get_name(r->out->dtype));
    double step = ldexp(width, -f.bits), least = f.bits == 53 ? DBL_MIN : FLT_MIN;
    if (step < least)
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT,
                         "low is %s and high is %s: their distance has no 2^%d steps that are normal numbers",
                         yops_write_number(low).text, yops_write_number(high).text, f.bits);
    r->scale[0] = mirrored ? -step : step;
    r->scale[1] = mirrored ? last : first;
    r->scale[2] = mirrored ? next_to(f, first, true) : first;
    r->scale[3] = mirrored ? last : next_to(f, last, false);
    return YOKE_OK;
}

yoke_status yoke_random_uniform_at(const char *where, yoke_stream *stream, const yoke_array *out, double low, double high,
                                   uint64_t seed, uint64_t offset, const yoke_random_options *options)
{
    yops_random r = { .kind = YOPS_RANDOM_UNIFORM, .seed = seed, .offset = offset };
    yoke_status status = yops_random_begin(&r, "yoke_random_uniform", where, stream, "out", out, options);
    if (status == YOKE_OK)
        status = check_floating(&r);
    if (status == YOKE_OK)
        status = set_interval(&r, low, high);
    return status < 0 ? status : yops_random_run(&r);
}

/* Numbers are scaled as float, unless they are double. */
static double as_computed(const yops_random *r, double x)
{
    return yops_needs_f64(r->out->dtype) ? x : round_to(format_of(YOKE_F32), x);
}

yoke_status yoke_random_normal_at(const char *where, yoke_stream *stream, const yoke_array *out, double mean, double deviation,
                                  uint64_t seed, uint64_t offset, const yoke_random_options *options)
{
    yops_random r = { .kind = YOPS_RANDOM_NORMAL, .seed = seed, .offset = offset };
    yoke_status status = yops_random_begin(&r, "yoke_random_normal", where, stream, "out", out, options);
    if (status == YOKE_OK)
        status = check_floating(&r);
    if (status < 0)
        return status;
    r.scale[0] = as_computed(&r, mean);
    r.scale[1] = as_computed(&r, deviation);
    if (!isfinite(r.scale[0]) || !isfinite(r.scale[1]) || deviation < 0)
        return yops_fail(&r.call, YOKE_E_INVALID_ARGUMENT,
                         "mean is %s and deviation is %s: both must be finite, and deviation not negative",
                         yops_write_number(mean).text, yops_write_number(deviation).text);
    return yops_random_run(&r);
}

yoke_status yoke_random_exponential_at(const char *where, yoke_stream *stream, const yoke_array *out, double mean, uint64_t seed,
                                       uint64_t offset, const yoke_random_options *options)
{
    yops_random r = { .kind = YOPS_RANDOM_EXPONENTIAL, .seed = seed, .offset = offset };
    yoke_status status = yops_random_begin(&r, "yoke_random_exponential", where, stream, "out", out, options);
    if (status == YOKE_OK)
        status = check_floating(&r);
    if (status < 0)
        return status;
    r.scale[0] = as_computed(&r, mean) / 2;
    if (!isfinite(r.scale[0]) || mean < 0)
        return yops_fail(&r.call, YOKE_E_INVALID_ARGUMENT, "mean is %s: it must be finite and not negative",
                         yops_write_number(mean).text);
    return yops_random_run(&r);
}

/* ---- Integers ---- */

/* An integer of any dtype: value, or value - 2^64 where `negative`. */
typedef struct integer {
    uint64_t value;
    bool negative;
} integer;

static bool is_below(integer a, integer b)
{
    return a.negative != b.negative ? a.negative : a.value < b.value;
}

static yoke_status get_integer(const yops_random *r, const char *name, yoke_number number, integer *out)
{
    yoke_status status = yops_check_number(&r->call, name, number);
    if (status == YOKE_OK && !yops_is_integer(number.dtype))
        status = yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT, "%s has the dtype %s: it must be an integer", name,
                           yoke_dtype_get_name(number.dtype));
    if (status < 0)
        return status;
    out->value = yops_is_signed(number.dtype) ? (uint64_t)number.value.i64 : number.value.u64;
    out->negative = yops_is_signed(number.dtype) && number.value.i64 < 0;
    return YOKE_OK;
}

static bool holds(int32_t dtype, integer x)
{
    int bits = dtype == YOKE_BOOL ? 1 : 8 * (int)yoke_dtype_get_size(dtype) - yops_is_signed(dtype);
    if (x.negative)
        return yops_is_signed(dtype) && (int64_t)x.value >= -(INT64_C(1) << (bits - 1)) * 2;
    return bits == 64 || x.value >> bits == 0;
}

static yoke_status set_range(yops_random *r, integer low, integer high)
{
    int32_t dtype = r->out->dtype, interval = r->options.interval;
    if (is_below(high, low) || (interval != YOKE_INTERVAL_WITH_BOTH && !is_below(low, high)))
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT,
                         "low is %s%" PRIu64 " and high is %s%" PRIu64 ": no integer is between them", low.negative ? "-" : "",
                         low.negative ? 0 - low.value : low.value, high.negative ? "-" : "",
                         high.negative ? 0 - high.value : high.value);
    if (interval == YOKE_INTERVAL_WITHOUT_LOW)
        low = (integer){ low.value + 1, low.negative && low.value != UINT64_MAX };
    else if (interval == YOKE_INTERVAL_WITHOUT_HIGH)
        high = (integer){ high.value - 1, high.negative || high.value == 0 };
    for (int i = 0; i < 2; i++) {
        integer x = i ? high : low;
        if (!holds(dtype, x))
            return yops_fail(&r->call, YOKE_E_RANGE, "out has the dtype %s, which does not hold %s%" PRIu64,
                             yoke_dtype_get_name(dtype), x.negative ? "-" : "", x.negative ? 0 - x.value : x.value);
    }
    r->low = low.value;
    r->range = high.value - low.value + 1;
    uint64_t range = r->range;
    if (range != 0 && range <= UINT64_C(1) << 32)
        r->threshold = (UINT64_C(1) << 32) % range;
    else
        r->threshold = range ? (UINT64_MAX - range + 1) % range : 0;
    return YOKE_OK;
}

yoke_status yoke_random_integers_at(const char *where, yoke_stream *stream, const yoke_array *out, yoke_number low,
                                    yoke_number high, uint64_t seed, uint64_t offset, const yoke_random_options *options)
{
    yops_random r = { .kind = YOPS_RANDOM_INTEGERS, .seed = seed, .offset = offset };
    integer first, last;
    yoke_status status = yops_random_begin(&r, "yoke_random_integers", where, stream, "out", out, options);
    if (status == YOKE_OK && !yops_is_integer(out->dtype))
        status = yops_fail(&r.call, YOKE_E_INVALID_ARGUMENT, "out has the dtype %s: it must be bool or an integer",
                           yoke_dtype_get_name(out->dtype));
    if (status == YOKE_OK)
        status = get_integer(&r, "low", low, &first);
    if (status == YOKE_OK)
        status = get_integer(&r, "high", high, &last);
    if (status == YOKE_OK)
        status = set_range(&r, first, last);
    return status < 0 ? status : yops_random_run(&r);
}
