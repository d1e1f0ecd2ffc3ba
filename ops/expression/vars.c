/* SPDX-License-Identifier: Apache-2.0 */
/* The names of expressions: the list of variables and its mistakes, the program's functions, and what a wrong name was meant to be.
 */
#include <stdio.h>
#include <string.h>

#include "tree.h"

const yops_function yops_functions[YOPS_FUNCTIONS] = {
#define YOPS_FUNCTION(name, arguments, rule, how, python) { #name, sizeof #name - 1, arguments, YOPS_RULE_##rule, YOPS_HOW_##how },
#include "api/functions.def"
};

/* In the order of facts.indices. */
static const char *const index_names[YOPS_INDEX_NAMES] = { "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "n0",
                                                           "n1", "n2", "n3", "n4", "n5", "n6", "n7", "i",  "n" };
static const char *const constant_names[] = { "true", "false", "INFINITY", "NAN", "M_PI" };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t identifier_length(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]) || (length > 0 && text[length] >= '0' && text[length] <= '9'))
        length++;
    return length;
}

static bool begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static bool equal(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

/* ---- Finding names ---- */

int32_t yops_find_dtype(const char *text, size_t length)
{
    if (*text < 'b' || *text > 'u' || length < 4 || length > 10)
        return 0;
    if (equal("float", text, length)) /* as the languages of kernels say */
        return YOKE_F32;
    if (equal("double", text, length))
        return YOKE_F64;
    for (int32_t i = 1; i < YK_DTYPE_COUNT; i++)
        if (equal(yoke_dtype_get_name(i), text, length))
            return i;
    return 0;
}

int yops_find_var(const yops_expression *expression, const char *text, size_t length)
{
    for (int i = 0; i < expression->var_count; i++)
        if (expression->vars[i].length == length && memcmp(expression->vars[i].text, text, length) == 0)
            return i;
    return -1;
}

int yops_find_function(const char *text, size_t length)
{
    for (int i = 0; i < YOPS_FUNCTIONS; i++)
        if (yops_functions[i].length == length && *yops_functions[i].name == *text &&
            memcmp(yops_functions[i].name, text, length) == 0)
            return i;
    return -1;
}

int yops_find_new_name(const yops_expression *expression, const char *text, size_t length)
{
    for (int i = 0; i < expression->new_name_count; i++)
        if (expression->new_names[i].length == length && memcmp(expression->text + expression->new_names[i].at, text, length) == 0)
            return i;
    return -1;
}

int yops_find_index(const char *text, size_t length)
{
    if ((*text != 'i' && *text != 'n') || length > 2)
        return -1;
    for (int i = 0; i < YOPS_INDEX_NAMES; i++)
        if (equal(index_names[i], text, length))
            return i;
    return -1;
}

/* ---- The nearest name ---- */

enum { LONGEST_COMPARED = 24 };

/* How many letters have to be put in, left out, exchanged with their neighbour, or changed, which counts `change`; the others count
 * 2. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned change)
{
    unsigned rows[3][LONGEST_COMPARED + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (unsigned j = 0; j <= b_length; j++)
        last[j] = 2 * j;
    for (unsigned i = 1; i <= a_length; i++) {
        now[0] = 2 * i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1] ? change : 0);
            best = last[j] + 2 < best ? last[j] + 2 : best;
            best = now[j - 1] + 2 < best ? now[j - 1] + 2 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 2 < best)
                best = before[j - 2] + 2;
            now[j] = best;
        }
        unsigned *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[b_length];
}

typedef struct nearest {
    const char *text, *best;
    size_t length, best_length, best_begin;
    unsigned least, least_weighed;
} nearest;

/* Of names that are equally near, those are better that have all the letters which are there: letters are left out and exchanged
 * more often than hit wrong. Of those, the one with the longer beginning in common. */
static void consider(nearest *n, const char *name, size_t length)
{
    size_t begin = 0;
    if (length == 0 || length > LONGEST_COMPARED || n->length > LONGEST_COMPARED || begins_with(name, "yops_"))
        return;
    while (begin < length && begin < n->length && name[begin] == n->text[begin])
        begin++;
    unsigned d = distance(n->text, n->length, name, length, 2) / 2, weighed = distance(n->text, n->length, name, length, 3);
    if (d >= length || d >= n->length || d > n->least || (d == n->least && !n->best))
        return;
    if (d == n->least && (weighed > n->least_weighed || (weighed == n->least_weighed && begin <= n->best_begin)))
        return;
    n->least = d;
    n->least_weighed = weighed;
    n->best = name;
    n->best_length = length;
    n->best_begin = begin;
}

const char *yops_find_nearest(const yops_expression *expression, const char *text, size_t length, bool calls, size_t *out_length)
{
    static const char *const types[][2] = { { "int", "int32" },       { "long", "int64" },   { "short", "int16" },
                                            { "char", "int8" },       { "half", "float16" }, { "uint", "uint32" },
                                            { "unsigned", "uint32" }, { "size_t", "uint64" } };
    nearest n = { text, NULL, length, 0, 0, length < 3 ? 2 : 3, 0 };
    for (size_t i = 0; i < YOPS_COUNT_OF(types); i++)
        if (equal(types[i][0], text, length)) {
            *out_length = strlen(types[i][1]);
            return types[i][1];
        }
    for (int i = 0; i < expression->var_count; i++)
        if ((expression->vars[i].kind == YOKE_VAR_FUNCTION) == calls)
            consider(&n, expression->vars[i].text, expression->vars[i].length);
    for (int i = 0; i < expression->new_name_count && !calls; i++)
        consider(&n, expression->text + expression->new_names[i].at, expression->new_names[i].length);
    for (int i = 0; i < YOPS_FUNCTIONS && calls; i++)
        consider(&n, yops_functions[i].name, yops_functions[i].length);
    for (size_t i = 0; i < YOPS_COUNT_OF(constant_names) && !calls && length > 2; i++)
        consider(&n, constant_names[i], strlen(constant_names[i]));
    for (int32_t i = 1; i < YK_DTYPE_COUNT && !calls && length > 2; i++)
        consider(&n, yoke_dtype_get_name(i), strlen(yoke_dtype_get_name(i)));
    *out_length = n.best_length;
    return n.best;
}

void yops_list_names(const yops_expression *expression, char *target, size_t size)
{
    size_t used = 0;
    *target = '\0';
    for (int i = 0; i < expression->var_count + expression->new_name_count; i++) {
        bool is_var = i < expression->var_count;
        const yops_name *var = &expression->vars[i];
        const yops_new_name *made = &expression->new_names[is_var ? 0 : i - expression->var_count];
        const char *name = is_var ? var->text : expression->text + made->at;
        size_t length = is_var ? var->length : made->length;
        if ((is_var && var->kind == YOKE_VAR_FUNCTION) || begins_with(name, "yops_"))
            continue;
        bool fits = used + length + sizeof ", , ..." <= size;
        used +=
            (size_t)snprintf(target + used, size - used, "%s%.*s", used ? ", " : "", fits ? (int)length : 3, fits ? name : "...");
        if (!fits)
            return;
    }
}

/* ---- The program's functions ---- */

typedef struct declaration {
    const yops_call *call;
    const char *text, *at;
    size_t number;
} declaration;

static yoke_status wrong_declaration(const declaration *d, const char *what)
{
    return yops_fail(d->call, YOKE_E_INVALID_ARGUMENT,
                     "the declaration of the function vars[%zu], '%.120s', %s: write it as 'float smooth(float x, int32 n)'",
                     d->number, d->text, what);
}

static void skip_blanks(declaration *d)
{
    while (*d->at == ' ' || *d->at == '\t' || *d->at == '\n' || *d->at == '\r')
        d->at++;
}

static const char *take_identifier(declaration *d, size_t *out_length)
{
    skip_blanks(d);
    const char *first = d->at;
    *out_length = identifier_length(first);
    d->at += *out_length;
    skip_blanks(d);
    return first;
}

/* The name of a real dtype. */
static int32_t take_dtype(declaration *d)
{
    size_t length;
    const char *name = take_identifier(d, &length);
    int32_t dtype = yops_find_dtype(name, length);
    return yops_is_complex(dtype) ? 0 : dtype;
}

static yoke_status take_parameters(declaration *d, yops_name *name)
{
    size_t length;
    const char *begin = take_identifier(d, &length);
    if (equal("void", begin, length) && *d->at == ')')
        return YOKE_OK;
    d->at = begin;
    while (*d->at != ')' || name->parameters > 0) {
        int32_t dtype = take_dtype(d);
        if (!dtype)
            return wrong_declaration(d, "has a parameter whose type is not the name of a real dtype");
        if (name->parameters == YOPS_MOST_PARAMETERS)
            return wrong_declaration(d, "has more than 16 parameters");
        name->parameter[name->parameters++] = (uint8_t)dtype;
        take_identifier(d, &length);
        if (*d->at == ')')
            return YOKE_OK;
        if (*d->at++ != ',')
            return wrong_declaration(d, "lacks a comma or a closing parenthesis between its parameters");
    }
    return YOKE_OK;
}

/* Words of C and operators of C++, which no function can be called and no macro, and names that C keeps for compilers. */
static bool is_word_of_c(const char *name, size_t length)
{
    static const char *const words[] = { "auto",   "break",    "case",   "char",   "const",    "continue", "default", "defined",
                                         "do",     "double",   "else",   "enum",   "extern",   "float",    "for",     "goto",
                                         "if",     "inline",   "int",    "long",   "register", "restrict", "return",  "short",
                                         "signed", "sizeof",   "static", "struct", "switch",   "typedef",  "union",   "unsigned",
                                         "void",   "volatile", "while",  "and",    "and_eq",   "bitand",   "bitor",   "compl",
                                         "not",    "not_eq",   "or",     "or_eq",  "xor",      "xor_eq" };
    for (size_t i = 0; i < YOPS_COUNT_OF(words); i++)
        if (equal(words[i], name, length))
            return true;
    return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* What is wrong with a function's name, or NULL. Everything else is allowed: calls.c keeps it apart. */
static const char *find_fault(const char *name, size_t length)
{
    if (yops_find_function(name, length) >= 0 || yops_find_dtype(name, length))
        return "which has a meaning already";
    if (begins_with(name, "yoke_") || begins_with(name, "yops_") || begins_with(name, "YOKE_") || begins_with(name, "YOPS_"))
        return "whose beginning is Yoke's own";
    return is_word_of_c(name, length) ? "which is a word of C or C++, or kept for compilers" : NULL;
}

static yoke_status read_function(const yops_call *call, size_t number, const yoke_var *var, yops_name *out)
{
    declaration d = { call, var->name, var->name, number };
    size_t length;
    int32_t dtype = take_dtype(&d);
    if (!dtype)
        return wrong_declaration(&d, "does not begin with the name of a real dtype");
    const char *name = take_identifier(&d, &length);
    if (length == 0 || length > UINT8_MAX || *d.at != '(')
        return wrong_declaration(&d, "has no name with parentheses behind its type");
    d.at++;
    skip_blanks(&d);
    *out = (yops_name){ .text = name, .length = (uint16_t)length, .kind = YOKE_VAR_FUNCTION, .dtype = (uint8_t)dtype };
    yoke_status status = take_parameters(&d, out);
    if (status < 0)
        return status;
    d.at++;
    skip_blanks(&d);
    if (*d.at)
        return wrong_declaration(&d, "goes on behind its closing parenthesis");
    const char *fault = find_fault(name, length);
    if (fault)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "the function vars[%zu] has the name '%.*s', %s", number, (int)length, name,
                         fault);
    if (!var->text)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "the function '%.*s', vars[%zu], has no text: its text is NULL",
                         (int)length, name, number);
    return YOKE_OK;
}

/* ---- The list ---- */

static yoke_status read_array(const yops_call *call, size_t number, const yoke_var *var)
{
    int32_t dtype = var->array.dtype;
    if (dtype == 0) {
        const char *reason = yops_why_no_array();
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "'%.80s', vars[%zu], is not an array%s%.400s", var->name, number,
                         reason ? ", because it could not be made: " : ": its dtype is 0, as of a NULL pointer",
                         reason ? reason : "");
    }
    if (!yops_is_dtype(dtype))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "the array '%.80s', vars[%zu], has the dtype %d, which does not exist",
                         var->name, number, (int)dtype);
    return YOKE_OK;
}

static yoke_status read_var(const yops_call *call, size_t number, const yoke_var *var, yops_name *out)
{
    if (!var->name)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "vars[%zu] has no name: its name is NULL", number);
    if (var->kind == YOKE_VAR_FUNCTION)
        return read_function(call, number, var, out);
    size_t length = identifier_length(var->name);
    if (length == 0 || var->name[length] || length > UINT8_MAX)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                         "vars[%zu] has the name '%.80s', which is not one of letters, digits and _: give it one with "
                         "yoke_var_array(\"x\", array) or yoke_var_scalar(\"x\", number)",
                         number, var->name);
    if (yops_find_dtype(var->name, length))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "vars[%zu] has the name '%s', which is a dtype's", number, var->name);
    yoke_status status = YOKE_OK;
    int32_t dtype = var->kind == YOKE_VAR_ARRAY ? var->array.dtype : var->scalar.dtype;
    if (var->kind == YOKE_VAR_ARRAY)
        status = read_array(call, number, var);
    else if (var->kind != YOKE_VAR_SCALAR)
        status =
            yops_fail(call, YOKE_E_INVALID_ARGUMENT, "'%.80s', vars[%zu], has the kind %u: it is neither an array nor a scalar",
                      var->name, number, (unsigned)var->kind);
    else if (!yops_is_dtype(dtype))
        status = yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                           "the scalar '%.80s', vars[%zu], has the dtype %d, which does not exist: use YOKE_NUMBER(1.5f)",
                           var->name, number, (int)dtype);
    out->text = var->name;
    out->length = (uint16_t)length;
    out->kind = (uint8_t)var->kind;
    out->dtype = (uint8_t)dtype;
    out->is_assigned = out->is_read_back = false;
    out->stage = 0;
    out->parameters = 0;
    return status;
}

yoke_status yops_read_vars(const yops_call *call, const yoke_var *vars, size_t count, yops_expression *expression)
{
    if (count > YOPS_MOST_VARS)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "count is %zu: a list has at most %d variables", count, YOPS_MOST_VARS);
    if (count > 0 && !vars)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "vars is NULL, but count is %zu", count);
    expression->var_count = 0;
    expression->default_real = YOKE_F32;
    for (size_t i = 0; i < count; i++) {
        yops_name *name = &expression->vars[i];
        yoke_status status = read_var(call, i, &vars[i], name);
        if (status < 0)
            return status;
        int other = yops_find_var(expression, name->text, name->length);
        if (other >= 0)
            return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "vars[%d] and vars[%zu] have the same name, '%.*s'", other, i,
                             (int)(name->length > 80 ? 80 : name->length), name->text);
        if (name->kind != YOKE_VAR_FUNCTION && yops_needs_f64(name->dtype))
            expression->default_real = YOKE_F64;
        expression->var_count++;
    }
    return YOKE_OK;
}
