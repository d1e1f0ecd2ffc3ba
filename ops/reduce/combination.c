/* SPDX-License-Identifier: Apache-2.0 */
/* Combinations of the caller's own: what is checked of them, and their kernels. */
#include "combination.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/dtypes.h"
#include "map/evaluation.h"

/* ---- The dtype that is computed with, and the first value ---- */

/* Narrow integers count as int32 and the halves as float32, as everywhere in expressions; but what becomes bool is bool all along,
 * so that 2 and 3 are the same there. */
static int32_t choose_computed(int32_t out)
{
    if (yops_is_complex(out) || out == YOKE_BOOL)
        return out;
    if (yops_is_floating(out))
        return out == YOKE_F64 ? YOKE_F64 : YOKE_F32;
    return yoke_dtype_get_size(out) == 8 || out == YOKE_U32 ? out : YOKE_I32;
}

/* Whether a number is what has become of it in an integer dtype, which is the nearest one. */
static bool is_held(yoke_number number, yoke_number converted)
{
    if (yops_is_floating(number.dtype)) {
        double back = yops_is_signed(converted.dtype) ? (double)converted.value.i64 : (double)converted.value.u64;
        return number.value.f64 >= -9223372036854775808.0 && number.value.f64 < 18446744073709551616.0 && back == number.value.f64;
    }
    return number.value.u64 == converted.value.u64;
}

/* The bytes that the kernels read. */
static void store_number(yops_combination *c, const yoke_number *number)
{
    const size_t size = yops_combination_get_size(c->computed);
    const float narrow[2] = { (float)number->value.parts[0], (float)number->value.parts[1] }, single = (float)number->value.f64;
    const uint32_t word = (uint32_t)number->value.u64;
    const void *bytes = &number->value;
    if (c->computed == YOKE_C64)
        bytes = narrow;
    else if (c->computed == YOKE_F32)
        bytes = &single;
    else if (yops_is_integer(c->computed) && size == 4)
        bytes = &word;
    memcpy(c->initial, bytes, size);
}

static yoke_status set_initial(yops_combination *c, yoke_number initial)
{
    yoke_status status = yops_check_number(c->call, "initial", initial);
    if (status < 0)
        return status;
    if (yops_is_complex(initial.dtype) && !yops_is_complex(c->computed))
        return yops_fail(c->call, YOKE_E_INVALID_ARGUMENT, "initial is complex, and the values are %s",
                         yoke_dtype_get_name(c->computed));
    yoke_number number =
        yops_is_complex(c->computed) ? yops_number_complex(initial, c->computed) : yops_number_nearest(initial, c->computed);
    if (yops_is_integer(c->computed) && !is_held(initial, number))
        return yops_fail(c->call, YOKE_E_INVALID_ARGUMENT, "initial has no place in %s, which the values are",
                         yoke_dtype_get_name(c->computed));
    store_number(c, &number);
    return YOKE_OK;
}

/* ---- Checks ---- */

static yoke_status take_functions(yops_combination *c, const yoke_var *functions, size_t count)
{
    if (count > YOPS_MOST_VARS - 2)
        return yops_fail(c->call, YOKE_E_INVALID_ARGUMENT, "count is %zu: a combination calls at most %d functions", count,
                         YOPS_MOST_VARS - 2);
    if (count > 0 && !functions)
        return yops_fail(c->call, YOKE_E_INVALID_ARGUMENT, "vars is NULL, but count is %zu", count);
    for (size_t k = 0; k < count; k++) {
        if (functions[k].kind == YOKE_VAR_ARRAY || functions[k].kind == YOKE_VAR_SCALAR)
            return yops_fail(c->call, YOKE_E_INVALID_ARGUMENT,
                             "'%.80s', vars[%zu], is not a function: a combination has the values a and b alone; write a number "
                             "into the expression",
                             functions[k].name ? functions[k].name : "", k);
        c->vars[k] = functions[k];
    }
    c->vars[count] = yoke_var_scalar("a", (yoke_number){ .dtype = c->computed });
    c->vars[count + 1] = yoke_var_scalar("b", (yoke_number){ .dtype = c->computed });
    c->count = count + 2;
    return YOKE_OK;
}

static yoke_status check_types(const yops_combination *c, int32_t in, int32_t out)
{
    const yops_expression_facts *facts = &c->identity.facts;
    if (yops_is_complex(in) && !yops_is_complex(out))
        return yops_fail(c->call, YOKE_E_INVALID_ARGUMENT,
                         "a has the dtype %s, and out %s: complex numbers are combined to complex ones", yoke_dtype_get_name(in),
                         yoke_dtype_get_name(out));
    if (yops_is_complex(facts->value_dtype) && !yops_is_complex(out))
        return yops_fail(c->call, YOKE_E_INVALID_ARGUMENT, "the combination is %s, and out has the dtype %s",
                         yoke_dtype_get_name(facts->value_dtype), yoke_dtype_get_name(out));
    if (facts->indices != 0)
        return yops_fail(c->call, YOKE_E_INVALID_ARGUMENT,
                         "the combination '%.200s' has an index variable: it knows two values, a and b, and not where they are",
                         c->text);
    return YOKE_OK;
}

yoke_status yops_combination_begin(yops_combination *c, const yops_call *call, const char *text, const yoke_var *functions,
                                   size_t count, int32_t in, int32_t out, yoke_number initial)
{
    *c = (yops_combination){ .call = call, .text = text, .computed = choose_computed(out) };
    yoke_status status = take_functions(c, functions, count);
    if (status == YOKE_OK)
        status = yops_identity_get(call, text, c->vars, c->count, YOPS_VALUE, &c->identity, &c->expression);
    if (status == YOKE_OK)
        status = yops_identity_check_device(call, &c->identity);
    if (status == YOKE_OK)
        status = check_types(c, in, out);
    if (status == YOKE_OK)
        status = set_initial(c, initial);
    c->needs_f64 = c->identity.facts.needs_f64 || yops_needs_f64(in) || yops_needs_f64(out);
    return status;
}

size_t yops_combination_get_size(int32_t computed)
{
    return computed == YOKE_BOOL ? 4 : yoke_dtype_get_size(computed);
}

void yops_combination_end(yops_combination *c)
{
    yops_expression_free(c->expression);
    yops_identity_end(&c->identity);
}

yoke_status yops_combination_check_rounds(const yops_combination *c, const yops_traits *traits, uint64_t elements)
{
    bool has_loops = yops_may_loop(c->text);
    for (size_t k = 0; k < c->count; k++)
        has_loops = has_loops || (c->vars[k].kind == YOKE_VAR_FUNCTION && yops_may_loop(c->vars[k].text));
    if (!has_loops)
        return YOKE_OK;
    return yops_check_rounds(c->call, traits, elements * YOPS_MOST_TURNS, "a combination with functions that may have loops");
}

/* ---- Kernels ---- */

static char *generate(const yops_combination *c, const char *statements)
{
    static const char format[] = "#include \"expression.yh\"\n"
                                 "YOKE_FUNCTION value_%s yops_combine(const value_%s in_%zu, const value_%s in_%zu)\n"
                                 "{\n    value_%s value;\n%s\n    return FROM(%s, CLASS(%s))(value);\n}\n";
    const char *type = yops_dtype_token(c->computed), *value = yops_dtype_token(c->identity.facts.value_dtype);
    size_t size = sizeof format + strlen(statements) + 160;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, format, type, type, c->count - 2, type, c->count - 1, value, statements, type, value);
    return text;
}

static yoke_status compile(yops_combination *c, const char *key, const char *text, const char *options, const char *name,
                           yoke_kernel **out_kernel)
{
    char *statements = NULL, *functions = NULL, *generated = NULL;
    yoke_status status = YOKE_OK;
    if (!c->expression)
        status = yops_expression_parse(c->call, c->text, c->vars, c->count, YOPS_VALUE, &c->expression);
    if (status == YOKE_OK)
        status = yops_expression_emit(c->call, c->expression, &statements);
    if (status == YOKE_OK)
        status = yops_expression_get_functions(c->call, c->expression, c->vars, &functions);
    if (status == YOKE_OK) {
        generated = generate(c, statements);
        status = generated ? yops_kernel_generated(c->call, key, text, options, functions, generated, name, out_kernel)
                           : yops_fail(c->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the text of a kernel");
    }
    free(generated);
    free(functions);
    free(statements);
    return status;
}

yoke_status yops_combination_get_kernel(yops_combination *c, const char *text, const char *options, const char *name,
                                        yoke_kernel **out_kernel)
{
    size_t size = strlen(text) + strlen(options) + c->identity.length + 32;
    char *key = malloc(size);
    if (!key)
        return yops_fail(c->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the name of a kernel");
    int length = snprintf(key, size, "yoke-ops own %s %s ", text, options);
    memcpy(key + length, c->identity.bytes, c->identity.length);
    key[(size_t)length + c->identity.length] = '\0';
    yoke_status status = YOKE_OK;
    if (!yops_kernel_known(c->call, key, name, out_kernel))
        status = compile(c, key, text, options, name, out_kernel);
    free(key);
    return status;
}
