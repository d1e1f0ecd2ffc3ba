/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macro expansion as C defines it, for the few tokens of a directive. A token remembers the macros that it comes from, which are
 * not expanded in it again (Dave Prosser's algorithm). What is rarer (__VA_OPT__, pasting marks) makes the tokens stuck.
 */
#include "program/include/include_macro.h"

#include <string.h>

enum { BYTES_MOST = 4 << 20 }; /* of one directive's tokens */

typedef struct parsed {
    yk_pp_list parameters;
    bool is_function, variadic;
    yk_pp *body;
} parsed;

typedef struct argument {
    struct argument *next;
    const yk_pp *name;
    yk_pp_list raw;
} argument;

typedef struct state {
    yk_macros *macros;
    bool condition;
    yk_expanded *out;
} state;

static yk_pp_list expand(state *s, yk_pp *at);

static void *take(state *s, size_t size)
{
    void *place = s->macros->brief.used < BYTES_MOST ? yk_arena_take(&s->macros->brief, size) : NULL;
    s->out->stuck = s->out->stuck || !place;
    return place;
}

static yk_pp *copy(state *s, const yk_pp *token)
{
    yk_pp *made = take(s, sizeof *made);
    if (made) {
        *made = *token;
        made->next = NULL;
    }
    return made;
}

/* ---- Hidden macros ---- */

static bool is_hidden(const yk_hidden *set, const char *name, size_t length)
{
    for (; set; set = set->next)
        if (set->length == length && memcmp(set->name, name, length) == 0)
            return true;
    return false;
}

static const yk_hidden *hide(state *s, const yk_hidden *set, const char *name, size_t length)
{
    if (is_hidden(set, name, length))
        return set;
    yk_hidden *made = take(s, sizeof *made);
    if (!made)
        return set;
    *made = (yk_hidden){ set, name, length };
    return made;
}

static const yk_hidden *hide_all(state *s, const yk_hidden *set, const yk_hidden *more)
{
    for (; more; more = more->next)
        set = hide(s, set, more->name, more->length);
    return set;
}

static const yk_hidden *hide_common(state *s, const yk_hidden *a, const yk_hidden *b)
{
    const yk_hidden *set = NULL;
    for (; a; a = a->next)
        if (is_hidden(b, a->name, a->length))
            set = hide(s, set, a->name, a->length);
    return set;
}

/* ---- Definitions ---- */

/* Read the parameters, at the token behind the parenthesis; returns the other parenthesis. NULL: this cannot be read. */
static yk_pp *parse_parameters(state *s, yk_pp *at, parsed *macro)
{
    static const yk_pp rest = { .kind = YK_PP_NAME, .text = "__VA_ARGS__", .length = sizeof "__VA_ARGS__" - 1 };
    while (at && !yk_pp_is(at, ")")) {
        yk_pp *parameter = at, *next = at->next;
        if (yk_pp_is(at, ".")) {
            for (int dots = 1; dots < 3 && yk_pp_is(next, "."); dots++)
                next = next->next;
            macro->variadic = true;
            parameter = copy(s, &rest);
        } else if (at->kind != YK_PP_NAME) {
            return NULL;
        }
        yk_pp_append(&macro->parameters, parameter);
        if (yk_pp_is(next, ",") && !macro->variadic)
            next = next->next;
        else if (!yk_pp_is(next, ")"))
            return NULL;
        at = next;
    }
    return at;
}

static bool parse(state *s, const yk_definition *definition, parsed *macro)
{
    yk_pp_list list;
    *macro = (parsed){ 0 };
    if (!yk_pp_read(&s->macros->brief, definition->text, definition->size, &list) || !list.first)
        return false;
    yk_pp *at = list.first->next;
    macro->is_function = yk_pp_is(at, "(") && !at->space;
    if (macro->is_function && !(at = parse_parameters(s, at->next, macro)))
        return false;
    macro->body = macro->is_function ? at->next : at;
    for (const yk_pp *token = macro->body; token; token = token->next)
        if (yk_pp_is(token, "__VA_OPT__"))
            return false;
    return true;
}

/* ---- Arguments ---- */

/* Read an argument's tokens; returns the comma or parenthesis that ends it, or NULL. `rest`: commas belong to it. */
static yk_pp *read_argument(state *s, yk_pp *at, bool rest, yk_pp_list *raw)
{
    size_t depth = 0;
    for (; at; at = at->next) {
        if (depth == 0 && (yk_pp_is(at, ")") || (!rest && yk_pp_is(at, ","))))
            break;
        depth += yk_pp_is(at, "(");
        depth -= yk_pp_is(at, ")");
        yk_pp_append(raw, copy(s, at));
    }
    return at;
}

/* Read the arguments, at the opening parenthesis; returns the closing one. NULL: it is missing, or the number is wrong. */
static yk_pp *read_arguments(state *s, yk_pp *at, const parsed *macro, argument **out_arguments)
{
    *out_arguments = NULL;
    if (!macro->parameters.first)
        at = at->next;
    for (const yk_pp *parameter = macro->parameters.first; at && parameter; parameter = parameter->next) {
        bool rest = macro->variadic && !parameter->next, none = yk_pp_is(at, ")");
        argument *made = take(s, sizeof *made);
        if (!made || (none && !rest))
            return NULL;
        *made = (argument){ .next = *out_arguments, .name = parameter };
        *out_arguments = made;
        if (!none)
            at = read_argument(s, at->next, rest, &made->raw);
    }
    return yk_pp_is(at, ")") ? at : NULL;
}

static const argument *find_argument(const argument *arguments, const yk_pp *token)
{
    for (; token && token->kind == YK_PP_NAME && arguments; arguments = arguments->next)
        if (arguments->name->length == token->length && memcmp(arguments->name->text, token->text, token->length) == 0)
            return arguments;
    return NULL;
}

/* ---- Bodies ---- */

/* #parameter */
static yk_pp *make_string(state *s, const argument *a, bool space)
{
    yk_text spelled = { 0 };
    yk_pp *made = take(s, sizeof *made);
    size_t size = 2;
    yk_pp_spell(a->raw.first, NULL, &spelled);
    for (size_t i = 0; i < spelled.length; i++)
        size += 1 + (spelled.data[i] == '"' || spelled.data[i] == '\\');
    char *text = take(s, size), *at = text;
    if (made && text && !spelled.is_cut) {
        *at++ = '"';
        for (size_t i = 0; i < spelled.length; i++) {
            if (spelled.data[i] == '"' || spelled.data[i] == '\\')
                *at++ = '\\'; /* where no string is: then the header's name is not found */
            *at++ = spelled.data[i];
        }
        *at = '"';
        *made = (yk_pp){ .kind = YK_PP_STRING, .space = space, .text = text, .length = size };
    } else {
        s->out->stuck = true;
    }
    yk_text_free(&spelled);
    return made;
}

/* left##right, in place of left. */
static void paste(state *s, yk_pp *left, const yk_pp *right)
{
    bool space = left->space;
    if (left->kind == YK_PP_EMPTY || right->kind == YK_PP_EMPTY) {
        if (left->kind == YK_PP_EMPTY)
            *left = (yk_pp){ NULL, right->kind, space, right->text, right->length, right->hidden };
        return;
    }
    bool words = (left->kind == YK_PP_NAME || left->kind == YK_PP_NUMBER) &&
                 (right->kind == YK_PP_NAME || right->kind == YK_PP_NUMBER) && !memchr(right->text, '.', right->length);
    char *text = words ? take(s, left->length + right->length) : NULL;
    if (!text) {
        s->out->stuck = true;
        return;
    }
    memcpy(text, left->text, left->length);
    memcpy(text + left->length, right->text, right->length);
    left->text = text;
    left->length += right->length;
    left->hidden = NULL;
}

/* The tokens of one element of a body: a parameter's argument, or a copy. */
static yk_pp_list get_piece(state *s, const yk_pp *token, const argument *a, bool pasted)
{
    yk_pp_list piece = { 0 };
    if (!a)
        yk_pp_append(&piece, copy(s, token));
    for (const yk_pp *at = a ? a->raw.first : NULL; at; at = at->next)
        yk_pp_append(&piece, copy(s, at));
    if (a && !pasted)
        piece = expand(s, piece.first);
    if (!piece.first) {
        static const yk_pp empty = { .kind = YK_PP_EMPTY, .text = "" };
        yk_pp_append(&piece, copy(s, &empty));
    }
    if (piece.first)
        piece.first->space = token->space;
    return piece;
}

/* The body with its arguments; `hidden`: what none of it comes from again. */
static yk_pp_list substitute(state *s, const parsed *macro, const argument *arguments, const yk_hidden *hidden)
{
    yk_pp_list made = { 0 }, out = { 0 };
    bool pasting = false;
    for (const yk_pp *token = macro->body; token && !s->out->stuck; token = token->next) {
        if (yk_pp_is(token, "##")) {
            pasting = made.last && token->next;
            s->out->stuck = s->out->stuck || !pasting;
            continue;
        }
        const argument *quoted = macro->is_function && yk_pp_is(token, "#") ? find_argument(arguments, token->next) : NULL;
        bool space = token->space;
        token = quoted ? token->next : token;
        bool pasted = pasting || yk_pp_is(token->next, "##");
        yk_pp_list piece = { 0 };
        if (quoted)
            yk_pp_append(&piece, make_string(s, quoted, space));
        else
            piece = get_piece(s, token, find_argument(arguments, token), pasted);
        if (pasting && piece.first && !s->out->stuck) {
            paste(s, made.last, piece.first);
            piece.first = piece.first->next;
        }
        pasting = false;
        for (yk_pp *at = piece.first, *next; at; at = next) {
            next = at->next;
            yk_pp_append(&made, at);
        }
    }
    for (yk_pp *at = made.first, *next; at; at = next) {
        next = at->next;
        at->hidden = hide_all(s, at->hidden, hidden);
        if (at->kind != YK_PP_EMPTY)
            yk_pp_append(&out, at);
    }
    return out;
}

/* ---- Expanding ---- */

/* Copy tokens up to and with the operand of `defined`, which is not expanded; returns the token behind. */
static yk_pp *keep_defined(state *s, yk_pp *at, yk_pp_list *out)
{
    bool closed = yk_pp_is(at->next, "(");
    for (int left = closed ? 4 : 2; at && left > 0; left--, at = at->next)
        yk_pp_append(out, copy(s, at));
    return at;
}

/* Copy __has_include and its operand, of which only macros are expanded; returns the token behind. */
static yk_pp *keep_question(state *s, yk_pp *at, yk_pp_list *out)
{
    yk_pp_list operand = { 0 };
    yk_pp_append(out, copy(s, at));
    at = at->next;
    if (!yk_pp_is(at, "("))
        return at;
    yk_pp_append(out, copy(s, at));
    at = read_argument(s, at->next, true, &operand);
    if (operand.first && operand.first->kind == YK_PP_NAME)
        operand = expand(s, operand.first);
    for (const yk_pp *token = operand.first; token; token = token->next)
        yk_pp_append(out, copy(s, token));
    return at;
}

/* What a macro's name becomes, put before the rest. NULL with *out_stays: the name stays. */
static yk_pp *replace(state *s, yk_pp *name, const yk_definition *definition, bool *out_stays)
{
    parsed macro;
    argument *arguments = NULL;
    const yk_hidden *hidden = name->hidden;
    yk_pp *rest = name->next;

    *out_stays = true;
    if (!parse(s, definition, &macro)) {
        s->out->stuck = true;
        return NULL;
    }
    if (macro.is_function) {
        if (!yk_pp_is(rest, "("))
            return NULL;
        yk_pp *end = read_arguments(s, rest, &macro, &arguments);
        if (!end) {
            s->out->stuck = true;
            return NULL;
        }
        hidden = hide_common(s, hidden, end->hidden);
        rest = end->next;
    }
    yk_pp_list made = substitute(s, &macro, arguments, hide(s, hidden, name->text, name->length));
    *out_stays = false;
    if (!made.first)
        return rest;
    made.first->space = name->space;
    made.last->next = rest;
    return made.first;
}

static yk_pp_list expand(state *s, yk_pp *at)
{
    yk_pp_list out = { 0 };
    while (at && !s->out->stuck) {
        yk_definition definition;
        bool stays = true;
        if (at->kind == YK_PP_NAME && s->condition && yk_pp_is(at, "defined")) {
            at = keep_defined(s, at, &out);
            continue;
        }
        if (at->kind == YK_PP_NAME && s->condition && yk_pp_asks(at->text, at->length)) {
            at = keep_question(s, at, &out);
            continue;
        }
        if (at->kind == YK_PP_NAME && !is_hidden(at->hidden, at->text, at->length)) {
            yk_macro_state known = yk_macro_get(s->macros, at->text, at->length, &definition);
            yk_pp *replaced = known == YK_MACRO_DEFINED ? replace(s, at, &definition, &stays) : NULL;
            if (known == YK_MACRO_UNKNOWN && !s->out->unknown)
                s->out->unknown = at;
            if (known == YK_MACRO_COMPILERS && !s->out->compilers)
                s->out->compilers = at;
            if (!stays) {
                at = replaced;
                continue;
            }
        }
        yk_pp *next = at->next;
        yk_pp_append(&out, copy(s, at));
        at = next;
    }
    return out;
}

void yk_macros_expand(yk_macros *macros, yk_pp *first, bool condition, yk_expanded *out)
{
    state s = { macros, condition, out };
    *out = (yk_expanded){ 0 };
    out->list = expand(&s, first);
}
