/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both questions are one: whether numbers x[k], from 0 to most[k], have the sum of all step[k] * x[k] equal to a goal. Two elements
 * of an array lie at one place if the differences of their indices, times the strides, add up to 0; of two arrays, if an index of
 * one leads to the same byte as an index of the other. Terms of which one continues the other are joined; two terms are decided as
 * an equation of whole numbers; more of them by trying the values of the largest.
 */
#include "collide.h"

enum { MOST_TERMS = 2 * YOKE_MAX_DIMENSIONS + 2, MOST_TRIES = 20000 };

typedef struct term {
    uint64_t step, most;
} term;

typedef struct equation {
    term terms[MOST_TERMS]; /* the largest step first */
    int count;
    int32_t tries;                                           /* that are left */
    uint64_t reach[MOST_TERMS + 1], divisor[MOST_TERMS + 1]; /* of term k and all behind it */
} equation;

/* ---- Whole numbers ---- */

static uint64_t find_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* a * b modulo m < 2^63, without wider numbers. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t product = 0;
    for (a %= m; b; b >>= 1) {
        if (b & 1)
            product = (product + a) % m;
        a = a * 2 % m;
    }
    return product;
}

/* x with a * x = 1 modulo m > 1, which have no common divisor. */
static uint64_t invert(uint64_t a, uint64_t m)
{
    uint64_t r = m, s = a % m, x = 0, y = 1;
    while (s > 1) {
        uint64_t quotient = r / s, rest = r % s, next = (x + m - multiply(quotient, y, m)) % m;
        r = s;
        s = rest;
        x = y;
        y = next;
    }
    return y;
}

/* ---- Equations ---- */

static void add_term(equation *e, uint64_t step, uint64_t most)
{
    int at = e->count;
    if (step == 0 || most == 0)
        return;
    for (; at > 0 && e->terms[at - 1].step < step; at--)
        e->terms[at] = e->terms[at - 1];
    e->terms[at] = (term){ step, most };
    e->count++;
}

/* One term for two, where the smaller one reaches from each step of the larger to the next: as axes of contiguous arrays. */
static void join_terms(equation *e)
{
    for (int k = e->count - 2; k >= 0; k--) {
        term *large = &e->terms[k], *small = large + 1;
        uint64_t times = large->step / small->step;
        if (large->step % small->step != 0 || times > small->most + 1)
            continue;
        small->most += times * large->most;
        for (int i = k; i + 1 < e->count; i++)
            e->terms[i] = e->terms[i + 1];
        e->count--;
        if (k < e->count - 1) /* the joined term against what is behind it, too */
            k++;
    }
}

static void prepare(equation *e)
{
    join_terms(e);
    e->tries = MOST_TRIES;
    e->reach[e->count] = e->divisor[e->count] = 0;
    for (int k = e->count - 1; k >= 0; k--) {
        e->reach[k] = e->reach[k + 1] + e->terms[k].step * e->terms[k].most;
        e->divisor[k] = find_divisor(e->terms[k].step, e->divisor[k + 1]);
    }
}

/* The values of term k that leave no more than the terms behind it reach. */
static bool find_range(const equation *e, int k, uint64_t goal, uint64_t *out_low, uint64_t *out_high)
{
    uint64_t step = e->terms[k].step, rest = e->reach[k + 1];
    *out_low = goal > rest ? yops_divide_up(goal - rest, step) : 0;
    *out_high = goal / step < e->terms[k].most ? goal / step : e->terms[k].most;
    return *out_low <= *out_high;
}

/* Two terms are left, whose common divisor divides the goal: the first value in the range that leaves a multiple of the other step.
 */
static bool solve_two(const equation *e, int k, uint64_t goal)
{
    uint64_t low, high, divisor = e->divisor[k], step = e->terms[k].step / divisor, other = e->terms[k + 1].step / divisor;
    if (!find_range(e, k, goal, &low, &high))
        return false;
    uint64_t x = other > 1 ? multiply(goal / divisor % other, invert(step, other), other) : 0;
    return (x + other - low % other) % other <= high - low;
}

static yops_collision solve(equation *e, int k, uint64_t goal)
{
    uint64_t low, high;
    if (goal == 0)
        return YOPS_COLLIDES;
    if (k == e->count || goal > e->reach[k] || goal % e->divisor[k] != 0)
        return YOPS_APART;
    if (k + 1 == e->count)
        return YOPS_COLLIDES; /* a multiple of the step, within reach */
    if (k + 2 == e->count)
        return solve_two(e, k, goal) ? YOPS_COLLIDES : YOPS_APART;
    if (!find_range(e, k, goal, &low, &high))
        return YOPS_APART;
    for (uint64_t x = low; x <= high; x++) {
        if (e->tries-- <= 0)
            return YOPS_UNKNOWN;
        yops_collision found = solve(e, k + 1, goal - x * e->terms[k].step);
        if (found != YOPS_APART)
            return found;
    }
    return YOPS_APART;
}

/* ---- The questions ---- */

/* Indices that differ along axis `first`, by 1 and more, and along the axes of smaller strides by anything. */
static yops_collision collides_along(const yoke_array *array, const int32_t *axes, int32_t first, int32_t count)
{
    equation e = { .count = 0 };
    uint64_t step = yops_distance(array->strides[axes[first]]), goal = 0;
    for (int32_t k = first + 1; k < count; k++) {
        uint64_t smaller = yops_distance(array->strides[axes[k]]), most = (uint64_t)array->shape[axes[k]] - 1;
        goal += smaller * most;
        add_term(&e, smaller, 2 * most);
    }
    if (goal < step)
        return YOPS_APART;
    add_term(&e, step, (uint64_t)array->shape[axes[first]] - 2);
    prepare(&e);
    return solve(&e, 0, goal - step);
}

yops_collision yops_collides_with_itself(const yoke_array *array)
{
    int32_t axes[YOKE_MAX_DIMENSIONS], count = 0;
    yops_collision found = YOPS_APART;
    for (int32_t i = 0; i < array->dimensions; i++) {
        int32_t at = count;
        if (array->shape[i] == 1)
            continue;
        if (array->strides[i] == 0)
            return YOPS_COLLIDES;
        for (; at > 0 && yops_distance(array->strides[axes[at - 1]]) < yops_distance(array->strides[i]); at--)
            axes[at] = axes[at - 1];
        axes[at] = i;
        count++;
    }
    for (int32_t first = 0; first < count && found != YOPS_COLLIDES; first++) {
        yops_collision along = collides_along(array, axes, first, count);
        found = along == YOPS_APART ? found : along;
    }
    return found;
}

/* The array's elements, counted in units, from the one that lies first, or last, on. */
static void add_array(equation *e, const yoke_array *array, uint64_t unit)
{
    uint64_t units = yoke_dtype_get_size(array->dtype) / unit;
    for (int32_t i = 0; i < array->dimensions; i++)
        if (array->shape[i] > 1)
            add_term(e, yops_distance(array->strides[i]) * units, (uint64_t)array->shape[i] - 1);
    add_term(e, 1, units - 1);
}

/* From the first unit of `a` upwards, and from the last unit of `b` downwards, to the same one. */
yops_collision yops_collide(const yoke_array *a, const yops_place *a_place, const yoke_array *b, const yops_place *b_place)
{
    equation e = { .count = 0 };
    uint64_t a_size = yoke_dtype_get_size(a->dtype), b_size = yoke_dtype_get_size(b->dtype),
             unit = a_size < b_size ? a_size : b_size;
    if (b_place->last < a_place->first || a_place->last < b_place->first)
        return YOPS_APART;
    add_array(&e, a, unit);
    add_array(&e, b, unit);
    prepare(&e);
    return solve(&e, 0, b_place->last / unit - a_place->first / unit);
}
