/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of any text, with lists of variables of any kind. The input is a byte of flags, then names ended by NUL, each behind
 * a byte for its dtype and a byte for its kind, up to a name that is empty; the rest is the expression. What is accepted has to be
 * told, emitted and evaluated.
 */
#include <string.h>

#include "../ops/expression/evaluate.h"
#include "fuzz.h"

enum { MOST = 40 };

typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

static uint8_t take_byte(input *from)
{
    if (from->left == 0)
        return 0;
    from->left--;
    return *from->at++;
}

/* Up to a NUL, or all that is left; the caller frees it. */
static char *take_string(input *from)
{
    const uint8_t *end = from->left ? memchr(from->at, '\0', from->left) : NULL;
    size_t length = end ? (size_t)(end - from->at) : from->left;
    char *string = malloc(length + 1);
    if (!string)
        abort();
    memcpy(string, from->left ? from->at : (const uint8_t *)"", length);
    string[length] = '\0';
    length += end != NULL;
    from->at += length;
    from->left -= length;
    return string;
}

static evaluate_value answer(evaluation *self, unsigned var, const evaluate_value *arguments)
{
    (void)self, (void)var, (void)arguments;
    return (evaluate_value){ 0 };
}

static void look_at(const yops_call *call, const yops_expression *e, size_t count, bool wants_value)
{
    const yops_expression_facts *facts = yops_expression_get_facts(e);
    uint64_t all = (UINT64_C(1) << count) - 1;
    char *text = NULL;
    static evaluation self;
    FUZZ_EXPECT(((facts->read | facts->written | facts->functions) & ~all) == 0);
    FUZZ_EXPECT((facts->functions & (facts->read | facts->written)) == 0);
    FUZZ_EXPECT(wants_value ? facts->value_dtype > 0 && facts->value_dtype < YK_DTYPE_COUNT && !facts->written
                            : facts->value_dtype == 0 && facts->written);
    for (int i = 1; i < e->node_count; i++)
        FUZZ_EXPECT(e->nodes[i].dtype != YOPS_ADAPTS && e->nodes[i].a < e->node_count && e->nodes[i].height <= YOPS_MOST_HEIGHT);
    FUZZ_EXPECT(yops_expression_emit(call, e, &text) == YOKE_OK && strstr(text, wants_value ? "value = " : "out_"));
    free(text);
    memset(&self, 0, sizeof self);
    self.call = answer;
    evaluate(e, &self);
    for (int32_t dimensions = 0; dimensions <= YOKE_MAX_DIMENSIONS; dimensions++)
        yops_expression_check_axes(call, e, dimensions);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const yops_call call = { "yoke_map", "fuzz", NULL, NULL };
    yoke_var vars[MOST];
    char *names[MOST], *text;
    size_t count = 0;
    input from = { bytes, size };
    bool wants_value = take_byte(&from) & 1;
    while (count < MOST && from.left > 0) {
        uint8_t kind = take_byte(&from), dtype = kind == 0 ? 0 : take_byte(&from);
        if (kind == 0)
            break;
        names[count] = take_string(&from);
        vars[count] = yoke_var_array(names[count], (yoke_array){ .dtype = dtype });
        vars[count].scalar.dtype = dtype;
        vars[count].kind = kind & 3;
        vars[count].text = kind & 4 ? NULL : "";
        count++;
    }
    text = take_string(&from);
    yops_expression *e = NULL;
    yoke_status status = yops_expression_parse(&call, text, vars, count, wants_value, &e);
    FUZZ_EXPECT(status == YOKE_OK || status == YOKE_E_INVALID_ARGUMENT);
    FUZZ_EXPECT(status == YOKE_OK || strncmp(yoke_error()->text, "yoke_map: ", 10) == 0);
    if (status == YOKE_OK)
        look_at(&call, e, count, wants_value);
    yops_expression_free(e);
    free(text);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    return 0;
}
