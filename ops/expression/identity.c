/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of expressions, and the facts that are remembered by it. */
#include "identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

/* ---- Bytes ---- */

enum { SEPARATOR = 1, MOST_REMEMBERED = 200, REMEMBERED = 16 };

static bool add(yops_identity *identity, size_t room, const char *bytes, size_t length)
{
    bool fits = identity->length + length <= room;
    if (fits)
        memcpy((identity->allocated ? identity->allocated : identity->own) + identity->length, bytes, length);
    identity->length += length;
    return fits;
}

/* Write what fits; the length is right in any case. */
static bool write_all(yops_identity *identity, size_t room, const char *text, const yoke_var *vars, size_t count, yops_kind kind)
{
    char begin = (char)(SEPARATOR + (int)kind);
    bool fits = add(identity, room, &begin, 1) && add(identity, room, text, strlen(text));
    for (size_t k = 0; k < count; k++) {
        int32_t dtype = vars[k].kind == YOKE_VAR_ARRAY ? vars[k].array.dtype : vars[k].scalar.dtype;
        char head[] = { SEPARATOR, (char)('0' + vars[k].kind), (char)('A' + dtype) };
        bool is_function = vars[k].kind == YOKE_VAR_FUNCTION;
        fits &= add(identity, room, head, sizeof head - is_function) && add(identity, room, vars[k].name, strlen(vars[k].name));
        if (is_function) {
            head[0] = SEPARATOR + 1;
            fits &= add(identity, room, head, 1) && add(identity, room, vars[k].text, strlen(vars[k].text));
        }
    }
    return fits;
}

/* Whether the list is whole enough to be written; what is wrong with it is the parser's to tell. */
static bool is_writable(const char *text, const yoke_var *vars, size_t count)
{
    if (!text || (!vars && count > 0) || count > YOPS_MOST_VARS)
        return false;
    for (size_t k = 0; k < count; k++) {
        const yoke_var *var = &vars[k];
        if (!var->name || var->kind < YOKE_VAR_ARRAY || var->kind > YOKE_VAR_FUNCTION ||
            (var->kind == YOKE_VAR_FUNCTION && !var->text) || (var->kind == YOKE_VAR_ARRAY && !yops_is_dtype(var->array.dtype)) ||
            (var->kind == YOKE_VAR_SCALAR && !yops_is_dtype(var->scalar.dtype)))
            return false;
    }
    return true;
}

static yoke_status make(const yops_call *call, const char *text, const yoke_var *vars, size_t count, yops_kind kind,
                        yops_identity *identity)
{
    identity->length = 0;
    if (!write_all(identity, sizeof identity->own, text, vars, count, kind)) {
        size_t room = 0;
        room = 1 + strlen(text);
        for (size_t k = 0; k < count; k++)
            room += 4 + strlen(vars[k].name) + (vars[k].kind == YOKE_VAR_FUNCTION ? strlen(vars[k].text) : 0);
        identity->allocated = malloc(room);
        if (!identity->allocated)
            return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the expression");
        identity->length = 0;
        write_all(identity, room, text, vars, count, kind);
    }
    identity->bytes = identity->allocated ? identity->allocated : identity->own;
    return YOKE_OK;
}

/* ---- Facts ---- */

/* Each thread remembers its own: no lock, and nothing of a device is kept. */
static _Thread_local struct memory {
    size_t length; /* 0: empty */
    yops_expression_facts facts;
    char bytes[MOST_REMEMBERED];
} memories[REMEMBERED];

static struct memory *place_of(const yops_identity *identity)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < identity->length; i++)
        h = (h ^ (unsigned char)identity->bytes[i]) * 16777619u;
    return &memories[(h ^ h >> 16) % REMEMBERED];
}

static bool is_of(const struct memory *memory, const yops_identity *identity)
{
    return memory->length == identity->length && memcmp(memory->bytes, identity->bytes, identity->length) == 0;
}

yoke_status yops_identity_get(const yops_call *call, const char *text, const yoke_var *vars, size_t count, yops_kind kind,
                              yops_identity *out_identity, yops_expression **out_expression)
{
    struct memory *memory = NULL;
    out_identity->allocated = NULL;
    out_identity->length = 0;
    *out_expression = NULL;
    if (is_writable(text, vars, count)) {
        yoke_status status = make(call, text, vars, count, kind, out_identity);
        if (status < 0)
            return status;
        memory = out_identity->length <= MOST_REMEMBERED ? place_of(out_identity) : NULL;
    }
    if (memory && is_of(memory, out_identity)) {
        out_identity->facts = memory->facts;
        return YOKE_OK;
    }
    yoke_status status = yops_expression_parse(call, text, vars, count, kind, out_expression);
    if (status < 0)
        return status;
    out_identity->facts = *yops_expression_get_facts(*out_expression);
    if (memory) {
        memory->length = out_identity->length;
        memory->facts = out_identity->facts;
        memcpy(memory->bytes, out_identity->bytes, out_identity->length);
    }
    return YOKE_OK;
}

void yops_identity_end(yops_identity *identity)
{
    free(identity->allocated);
}

yoke_status yops_identity_check_axes(const yops_call *call, const yops_identity *identity, const char *text, const yoke_var *vars,
                                     size_t count, int32_t dimensions, yops_expression **expression)
{
    uint32_t axes = (identity->facts.indices | identity->facts.indices >> YOKE_MAX_DIMENSIONS) & 255u;
    if (axes >> dimensions == 0)
        return YOKE_OK;
    yoke_status status = YOKE_OK;
    if (!*expression)
        status = yops_expression_parse(call, text, vars, count, identity->facts.value_dtype ? YOPS_VALUE : YOPS_MAP, expression);
    return status < 0 ? status : yops_expression_check_axes(call, *expression, dimensions);
}

yoke_status yops_identity_check_device(const yops_call *call, const yops_identity *identity)
{
    if (!identity->facts.needs_f64 || yoke_device_supports(call->device, YOKE_CAP_FP64))
        return YOKE_OK;
    return yops_fail(call, YOKE_E_UNSUPPORTED, "the expression computes with float64, which this device lacks: %s",
                     yoke_device_lacks(call->device, YOKE_CAP_FP64));
}
