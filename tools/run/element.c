/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of buffers: as text, set from a number, and how far apart two of them are. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <yoke/half.h>

#include "run.h"

/* The bytes of an element as an unsigned number. */
static uint64_t bits_of(run_type type, const void *at)
{
    uint8_t byte = 0;
    uint16_t word = 0;
    uint32_t half = 0;
    uint64_t whole = 0;
    switch (type.bytes) {
    case 2:
        memcpy(&word, at, sizeof word);
        return word;
    case 4:
        memcpy(&half, at, sizeof half);
        return half;
    case 8:
        memcpy(&whole, at, sizeof whole);
        return whole;
    default:
        memcpy(&byte, at, sizeof byte);
        return byte;
    }
}

static void set_bits(run_type type, void *at, uint64_t bits)
{
    uint8_t byte = (uint8_t)bits;
    uint16_t word = (uint16_t)bits;
    uint32_t half = (uint32_t)bits;
    const void *from = type.bytes == 2 ? (void *)&word : type.bytes == 4 ? (void *)&half : type.bytes == 8 ? (void *)&bits : &byte;
    memcpy(at, from, type.bytes ? type.bytes : 1);
}

static int64_t signed_of(run_type type, uint64_t bits)
{
    return type.bytes == 1 ? (int8_t)bits : type.bytes == 2 ? (int16_t)bits : type.bytes == 4 ? (int32_t)bits : (int64_t)bits;
}

static double floating_of(run_type type, uint64_t bits)
{
    yoke_half half = { (uint16_t)bits };
    uint32_t word = (uint32_t)bits;
    float number;
    double wide;
    memcpy(&number, &word, sizeof number);
    memcpy(&wide, &bits, sizeof wide);
    return type.bytes == 2 ? (double)yoke_half_to_float(half) : type.bytes == 4 ? (double)number : wide;
}

void run_print_element(run_type type, const void *at, char text[RUN_ELEMENT])
{
    uint64_t bits = bits_of(type, at);
    if (type.bytes == 0)
        snprintf(text, RUN_ELEMENT, "0x%02x", (unsigned)bits);
    else if (type.kind == YK_SCALAR_FLOATING)
        snprintf(text, RUN_ELEMENT, "%.*g", type.bytes == 2 ? 5 : type.bytes == 4 ? 9 : 17, floating_of(type, bits));
    else if (type.kind == YK_SCALAR_SIGNED)
        snprintf(text, RUN_ELEMENT, "%" PRId64, signed_of(type, bits));
    else
        snprintf(text, RUN_ELEMENT, "%" PRIu64, bits);
}

double run_type_end(run_type type)
{
    if (type.kind == YK_SCALAR_FLOATING)
        return HUGE_VAL;
    if (type.kind == YK_SCALAR_BOOL)
        return 2;
    return ldexp(1.0, (int)(8 * type.bytes) - (type.kind == YK_SCALAR_SIGNED));
}

static void set_floating(run_type type, void *at, double value)
{
    yoke_half half = yoke_half_from((float)value);
    float number = (float)value;
    memcpy(at, type.bytes == 2 ? (void *)&half : type.bytes == 4 ? (void *)&number : (void *)&value, type.bytes);
}

void run_set_element(run_type type, void *at, double value)
{
    double end = run_type_end(type);
    if (type.kind == YK_SCALAR_FLOATING)
        set_floating(type, at, value);
    else if (value >= end) /* of 64 bits the number below the end is no double */
        set_bits(type, at, type.kind == YK_SCALAR_BOOL ? 1 : UINT64_MAX >> (64 - 8 * type.bytes + (type.kind == YK_SCALAR_SIGNED)));
    else if (value < 0 && type.kind != YK_SCALAR_SIGNED)
        set_bits(type, at, 0);
    else if (value < -end)
        set_bits(type, at, (uint64_t)1 << (8 * type.bytes - 1));
    else if (value < 0)
        set_bits(type, at, (uint64_t)(int64_t)value);
    else
        set_bits(type, at, (uint64_t)value);
}

/* ---- Distances ---- */

/* The numbers of a floating-point type in their order, both zeros at the same place. */
static int64_t place_of(run_type type, uint64_t bits)
{
    uint64_t sign = (uint64_t)1 << (8 * type.bytes - 1), magnitude = bits & (sign - 1);
    return bits & sign ? -(int64_t)magnitude : (int64_t)magnitude;
}

static bool is_nan(run_type type, uint64_t bits)
{
    double value = floating_of(type, bits);
    return value != value;
}

static uint64_t distance_of(run_type type, const void *one, const void *other)
{
    uint64_t left = bits_of(type, one), right = bits_of(type, other);
    if (left == right)
        return 0;
    if (type.bytes && type.kind == YK_SCALAR_FLOATING) {
        bool left_nan = is_nan(type, left), right_nan = is_nan(type, right);
        if (left_nan || right_nan)
            return left_nan && right_nan ? 0 : UINT64_MAX;
        int64_t first = place_of(type, left), second = place_of(type, right);
        return first > second ? (uint64_t)first - (uint64_t)second : (uint64_t)second - (uint64_t)first;
    }
    if (type.bytes && type.kind == YK_SCALAR_SIGNED) {
        int64_t first = signed_of(type, left), second = signed_of(type, right);
        return first > second ? (uint64_t)first - (uint64_t)second : (uint64_t)second - (uint64_t)first;
    }
    return left > right ? left - right : right - left;
}

run_difference run_compare(run_type type, const void *one, const void *other, size_t size, uint64_t allowed)
{
    run_difference found = { 0 };
    size_t bytes = type.bytes ? type.bytes : 1;
    bool floating = type.bytes && type.kind == YK_SCALAR_FLOATING;
    if (size == 0 || memcmp(one, other, size) == 0)
        return found;
    for (size_t i = 0; i < size / bytes; i++) {
        uint64_t distance = distance_of(type, (const char *)one + i * bytes, (const char *)other + i * bytes);
        if (distance <= (floating ? allowed : 0) && distance != UINT64_MAX)
            continue;
        if (found.count++ == 0)
            found.first = i, found.first_distance = distance;
        if (distance > found.worst_distance)
            found.worst = i, found.worst_distance = distance;
    }
    return found;
}
