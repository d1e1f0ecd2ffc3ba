/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of expressions on the host: its own <math.h>, and what expressions define differently. */
#include "evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXTRA(type, suffix)                                           \
    static type rsqrt##suffix(type x)                                 \
    {                                                                 \
        return 1 / sqrt##suffix(x);                                   \
    }                                                                 \
    static type my_exp10##suffix(type x)                              \
    {                                                                 \
        return pow##suffix(10, x);                                    \
    }                                                                 \
    static type sinpi_of##suffix(type x)                              \
    {                                                                 \
        type r = remainder##suffix(x, 2);                             \
        return (type)sin(3.14159265358979323846 * (double)r);         \
    }                                                                 \
    static type cospi_of##suffix(type x)                              \
    {                                                                 \
        type r = fabs##suffix(remainder##suffix(x, 2));               \
        return (type)sin(3.14159265358979323846 * (0.5 - (double)r)); \
    }                                                                 \
    /* minimumNumber: of equal ones, the one with the sign */         \
    static type least##suffix(type a, type b)                         \
    {                                                                 \
        if (isnan(a) || isnan(b))                                     \
            return isnan(a) ? b : a;                                  \
        return a < b || (a == b && signbit(a)) ? a : b;               \
    }                                                                 \
    static type greatest##suffix(type a, type b)                      \
    {                                                                 \
        if (isnan(a) || isnan(b))                                     \
            return isnan(a) ? b : a;                                  \
        return a > b || (a == b && !signbit(a)) ? a : b;              \
    }
EXTRA(float, f)
EXTRA(double, )

/* A function of the catalogue that no reference below knows: the switch over all of them has no default, so that the compiler tells
 * of a new one; the others say so here. */
static _Noreturn void has_no_reference(yops_function_id id)
{
    fprintf(stderr, "evaluate_functions.c has no reference for %s\n", yops_functions[id].name);
    abort();
}

#define REALS(C, type, suffix)                                                                                                    \
    static type real_function_##C(yops_function_id id, type a, type b, type c, int exponent)                                      \
    {                                                                                                                             \
        switch (id) {                                                                                                             \
        case YOPS_FUNCTION_abs:                                                                                                   \
            return fabs##suffix(a);                                                                                               \
        case YOPS_FUNCTION_clamp:                                                                                                 \
            return isnan(a) ? a : least##suffix(greatest##suffix(a, b), c);                                                       \
        case YOPS_FUNCTION_cospi:                                                                                                 \
            return cospi_of##suffix(a);                                                                                           \
        case YOPS_FUNCTION_exp10:                                                                                                 \
            return my_exp10##suffix(a);                                                                                           \
        case YOPS_FUNCTION_fdim:                                                                                                  \
            return fdim##suffix(a, b);                                                                                            \
        case YOPS_FUNCTION_fma:                                                                                                   \
            return fma##suffix(a, b, c);                                                                                          \
        case YOPS_FUNCTION_fmax:                                                                                                  \
        case YOPS_FUNCTION_max:                                                                                                   \
            return greatest##suffix(a, b);                                                                                        \
        case YOPS_FUNCTION_fmin:                                                                                                  \
        case YOPS_FUNCTION_min:                                                                                                   \
            return least##suffix(a, b);                                                                                           \
        case YOPS_FUNCTION_ldexp:                                                                                                 \
            return ldexp##suffix(a, exponent);                                                                                    \
        case YOPS_FUNCTION_rsqrt:                                                                                                 \
            return rsqrt##suffix(a);                                                                                              \
        case YOPS_FUNCTION_sinpi:                                                                                                 \
            return sinpi_of##suffix(a);                                                                                           \
            ONE(acos, suffix)                                                                                                     \
            ONE(acosh, suffix)                                                                                                    \
            ONE(asin, suffix)                                                                                                     \
            ONE(asinh, suffix)                                                                                                    \
            ONE(atan, suffix)                                                                                                     \
            ONE(atanh, suffix)                                                                                                    \
            ONE(cbrt, suffix)                                                                                                     \
            ONE(ceil, suffix) ONE(cos, suffix) ONE(cosh, suffix) ONE(erf, suffix) ONE(erfc, suffix) ONE(exp, suffix)              \
                ONE(exp2, suffix) ONE(expm1, suffix) ONE(fabs, suffix) ONE(floor, suffix) ONE(lgamma, suffix) ONE(log, suffix)    \
                    ONE(log10, suffix) ONE(log1p, suffix) ONE(log2, suffix) ONE(rint, suffix) ONE(round, suffix) ONE(sin, suffix) \
                        ONE(sinh, suffix) ONE(sqrt, suffix) ONE(tan, suffix) ONE(tanh, suffix) ONE(tgamma, suffix)                \
                            ONE(trunc, suffix) TWO(atan2, suffix) TWO(copysign, suffix) TWO(fmod, suffix) TWO(hypot, suffix)      \
                                TWO(nextafter, suffix) TWO(pow, suffix) TWO(remainder, suffix) OTHER(complex) OTHER(conj)         \
                                    OTHER(imag) OTHER(isfinite) OTHER(isinf) OTHER(isnan) OTHER(real)                             \
                                        OTHER(signbit) case YOPS_FUNCTIONS : break;                                               \
        }                                                                                                                         \
        has_no_reference(id);                                                                                                     \
    }
#define ONE(name, suffix)      \
    case YOPS_FUNCTION_##name: \
        return name##suffix(a);
#define TWO(name, suffix)      \
    case YOPS_FUNCTION_##name: \
        return name##suffix(a, b);
#define OTHER(name) case YOPS_FUNCTION_##name: /* not of real numbers, or in a function below */
REALS(f, float, f)
REALS(d, double, )

static uint32_t test_real(yops_function_id id, double a)
{
    if (id == YOPS_FUNCTION_isnan)
        return !!isnan(a);
    if (id == YOPS_FUNCTION_isinf)
        return !!isinf(a);
    if (id == YOPS_FUNCTION_isfinite)
        return !!isfinite(a);
    if (id == YOPS_FUNCTION_signbit)
        return !!signbit(a);
    has_no_reference(id);
}

static evaluate_value integer_function(yops_function_id id, const evaluate_value *v, char class)
{
    uint64_t a = evaluate_extended(v[0], class), b = evaluate_extended(v[1], class), c = evaluate_extended(v[2], class);
    uint64_t flip = class == 'i' || class == 'l' ? UINT64_C(1) << 63 : 0; /* orders signed numbers */
    if (id == YOPS_FUNCTION_abs)
        return evaluate_cut(flip && a >> 63 ? 0 - a : a, class);
    if (id == YOPS_FUNCTION_min)
        return evaluate_cut((a ^ flip) < (b ^ flip) ? a : b, class);
    a = (a ^ flip) > (b ^ flip) ? a : b;
    if (id == YOPS_FUNCTION_max)
        return evaluate_cut(a, class);
    if (id == YOPS_FUNCTION_clamp)
        return evaluate_cut((a ^ flip) < (c ^ flip) ? a : c, class);
    has_no_reference(id);
}

static evaluate_value complex_function(yops_function_id id, evaluate_value a, char class)
{
    evaluate_value v = { 0 };
    bool narrow = class == 'e';
    if (id == YOPS_FUNCTION_abs) {
        narrow ? (void)(v.f = hypotf(a.e[0], a.e[1])) : (void)(v.d = hypot(a.g[0], a.g[1]));
    } else if (id == YOPS_FUNCTION_real) {
        narrow ? (void)(v.f = a.e[0]) : (void)(v.d = a.g[0]);
    } else if (id == YOPS_FUNCTION_imag) {
        narrow ? (void)(v.f = a.e[1]) : (void)(v.d = a.g[1]);
    } else if (id == YOPS_FUNCTION_conj) {
        v = a;
        narrow ? (void)(v.e[1] = -a.e[1]) : (void)(v.g[1] = -a.g[1]);
    } else {
        has_no_reference(id);
    }
    return v;
}

evaluate_value evaluate_function(evaluation *self, const yops_node *node, const evaluate_value *v, char class)
{
    const yops_function *f = &yops_functions[node->index];
    evaluate_value result = { 0 };
    self->driver_functions += f->how == YOPS_HOW_DRIVER || (f->rule == YOPS_RULE_SIZE && (class == 'e' || class == 'g'));
    if (class == 'e' || class == 'g')
        return complex_function((yops_function_id)node->index, v[0], class);
    if (f->rule == YOPS_RULE_TEST)
        result.u = test_real((yops_function_id)node->index, class == 'f' ? v[0].f : v[0].d);
    else if (f->rule == YOPS_RULE_PAIR && class == 'f')
        result.e[0] = v[0].f, result.e[1] = v[1].f;
    else if (f->rule == YOPS_RULE_PAIR)
        result.g[0] = v[0].d, result.g[1] = v[1].d;
    else if (class == 'f')
        result.f = real_function_f((yops_function_id)node->index, v[0].f, v[1].f, v[2].f, v[1].i);
    else if (class == 'd')
        result.d = real_function_d((yops_function_id)node->index, v[0].d, v[1].d, v[2].d, v[1].i);
    else
        return integer_function((yops_function_id)node->index, v, class);
    return result;
}
