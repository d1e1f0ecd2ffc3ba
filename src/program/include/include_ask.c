/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What directives ask about headers: which one a macro names, and whether one exists (__has_include). After the expansion the
 * compiler cannot answer, since the files are gone; Yoke writes the answers into the text. Where it has none, an #error says why,
 * which the compiler reports if it gets there.
 */
#include "program/include/include_parts.h"

#include <stdio.h>
#include <string.h>

/* ---- Names ---- */

/* The name that these tokens spell as "name" or <name>. */
static bool read_name(const yk_pp *first, yk_text *name, bool *out_quoted)
{
    const yk_pp *last = first;
    while (last && last->next)
        last = last->next;
    if (!first)
        return false;
    *out_quoted = first->kind == YK_PP_STRING;
    if (*out_quoted || first->kind == YK_PP_HEADER) {
        yk_text_add_bytes(name, first->text + 1, first->length - 2);
        return first == last && !memchr(first->text, '\\', first->length);
    }
    if (!yk_pp_is(first, "<") || first == last || !yk_pp_is(last, ">"))
        return false;
    if (first->next != last)
        yk_pp_spell(first->next, last, name);
    return true;
}

static void add_token(yk_text *text, const yk_pp *token)
{
    yk_text_add_bytes(text, token->text, token->length);
}

/* Why macros cannot be followed. */
static void add_reason(yk_text *fault, const yk_expanded *expanded)
{
    if (expanded->stuck)
        yk_text_add(fault, "its macros cannot be expanded here");
    else if (expanded->unknown || expanded->compilers) {
        add_token(fault, expanded->unknown ? expanded->unknown : expanded->compilers);
        yk_text_add(fault, expanded->unknown ? " depends on what only the compiler knows" : " may be a macro of the compiler");
    }
}

/* Read a directive's operand into tokens. */
static bool read_operand(yk_expansion *x, const yk_header *header, const yk_directive *directive, yk_pp_list *list)
{
    yk_arena_free(&x->macros.brief);
    return yk_pp_read(&x->macros.brief, header->text + directive->operand, directive->end - directive->operand, list);
}

static yoke_status check_memory(const yk_expansion *x, const yk_text *text)
{
    return x->macros.brief.failed || text->is_cut ? yk_no_memory("the directives of a source") : YOKE_OK;
}

yoke_status yk_expansion_name(yk_expansion *x, const yk_header *header, const yk_directive *directive, yk_wanted *out_wanted,
                              yk_text *out_name, yk_text *out_fault)
{
    yk_pp_list list;
    yk_expanded expanded = { .stuck = true };
    if (read_operand(x, header, directive, &list))
        yk_macros_expand(&x->macros, list.first, false, &expanded);
    yoke_status status = check_memory(x, out_name);
    if (status < 0)
        return status;
    add_reason(out_fault, &expanded);
    *out_wanted = (yk_wanted){ .line = directive->line, .after = directive->after };
    if (out_fault->length == 0 && !read_name(expanded.list.first, out_name, &out_wanted->quoted)) {
        yk_text_add(out_fault, "it becomes ");
        yk_pp_spell(expanded.list.first, NULL, out_fault);
        yk_text_add(out_fault, ", which is not a header's name");
    }
    out_wanted->name = yk_text_get(out_name);
    return check_memory(x, out_name);
}

/* ---- Whether a header exists ---- */

typedef enum answer { ABSENT, PRESENT, COMPILERS /* the question stays */ } answer;

static yoke_status ask(yk_expansion *x, const yk_header *includer, const yk_wanted *wanted, answer *out_answer, yk_text *fault)
{
    static const char cub[] = "cub/cub.cuh", part[] = "cub/config.cuh"; /* a stub of Yoke's includes the Toolkit's */
    yoke_error_info before = *yoke_error();
    yk_header *header = NULL;
    bool outside = false;
    const char *name = wanted->name;
    yoke_status status = yk_headers_find(&x->headers, includer, wanted, &header);
    if (status == YOKE_E_BUILD) {
        yk_text_add(fault, "%s", yoke_error()->text);
        yk_error_restore(&before);
        return YOKE_OK;
    }
    if (status == YOKE_OK && header && header->place == YK_PLACE_OWN && strcmp(name, cub) == 0) {
        header = NULL;
        name = part;
    }
    if (status == YOKE_OK && !header && x->headers.outside)
        status = yk_outside_take(x->headers.outside, name, &outside);
    bool later = !x->headers.outside && x->headers.language == YK_LANGUAGE_CUDA; /* where it is compiled, the Toolkit may have it */
    *out_answer = header || outside ? PRESENT : later ? COMPILERS : ABSENT;
    return status;
}

/* Answer one question, at its word; *out_next is the token behind it. */
static yoke_status answer_one(yk_expansion *x, const yk_header *header, const yk_directive *directive, const yk_pp *at,
                              yk_pp_list *out, const yk_pp **out_next, bool *out_changed, yk_text *fault)
{
    yk_arena *arena = &x->macros.brief;
    yk_wanted wanted = { .line = directive->line, .after = yk_pp_is(at, "__has_include_next") };
    yk_pp_list operand = { 0 };
    yk_text name = { 0 };
    answer found = ABSENT;
    yoke_status status = YOKE_OK;

    const yk_pp *token = at->next;
    if (yk_pp_is(token, "("))
        for (token = token->next; token && !yk_pp_is(token, ")"); token = token->next)
            yk_pp_append(&operand, yk_pp_copy(arena, token));
    if (yk_pp_is(at, "__has_embed") || !token || !read_name(operand.first, &name, &wanted.quoted)) {
        yk_text_add(fault, "it does not understand the ");
        add_token(fault, at);
    } else {
        wanted.name = yk_text_get(&name);
        status = ask(x, header, &wanted, &found, fault);
    }
    yk_pp made = *at;
    if (status == YOKE_OK && found == COMPILERS) { /* in <>, since it would look for "name" in the working directory */
        char *text = yk_arena_take(arena, name.length + 2 + sizeof "__has_include()");
        if (text)
            made.length = (size_t)sprintf(text, "__has_include(<%s>)", wanted.name);
        made.text = text ? text : "";
    } else {
        made.kind = YK_PP_NUMBER;
        made.text = found == PRESENT ? "1" : "0";
        made.length = 1;
        *out_changed = true;
    }
    yk_pp_append(out, yk_pp_copy(arena, &made));
    *out_next = token ? token->next : NULL;
    yk_text_free(&name);
    return status;
}

/* Answer all questions in expanded tokens. */
static yoke_status answer_all(yk_expansion *x, const yk_header *header, const yk_directive *directive, const yk_pp *at,
                              yk_pp_list *out, bool *out_changed, yk_text *fault)
{
    yoke_status status = YOKE_OK;
    while (at && status == YOKE_OK) {
        if (at->kind == YK_PP_NAME && yk_pp_asks(at->text, at->length) && yk_pp_is(at->next, "(")) {
            status = answer_one(x, header, directive, at, out, &at, out_changed, fault);
            continue;
        }
        yk_pp_append(out, yk_pp_copy(&x->macros.brief, at));
        at = at->next;
    }
    return status;
}

/* ---- Conditions ---- */

/* Whether a macro that is not known in these tokens may ask for a file: by its definition, or since it is given a header's name. */
static const yk_pp *find_hidden_question(yk_expansion *x, const yk_pp *first, bool expanded)
{
    for (const yk_pp *token = first; token; token = token->next) {
        const yk_pp *open = token->next;
        if (token->kind != YK_PP_NAME || yk_pp_asks(token->text, token->length) || yk_pp_is(token, "defined"))
            continue;
        yk_macro_state state = yk_macro_get(&x->macros, token->text, token->length, NULL);
        if ((!expanded || state == YK_MACRO_UNKNOWN) && yk_macro_may_ask(&x->macros, token, first))
            return token;
        if (state != YK_MACRO_UNDEFINED && open && yk_pp_is(open, "(") && open->next &&
            (open->next->kind == YK_PP_STRING || yk_pp_is(open->next, "<")))
            return token;
    }
    return NULL;
}

static bool has_question(const yk_pp *first)
{
    for (; first; first = first->next)
        if (first->kind == YK_PP_NAME && yk_pp_asks(first->text, first->length))
            return true;
    return false;
}

/* The directive with other tokens, each apart. */
static void write_condition(yk_text *made, yk_directive_kind kind, const yk_pp *first)
{
    yk_text_add(made, kind == YK_DIRECTIVE_IF ? "#if" : "#elif");
    for (; first; first = first->next) {
        yk_text_add_bytes(made, " ", 1);
        add_token(made, first);
    }
    yk_text_add(made, "\n");
}

#define NO_ANSWER "whether this asks for a header, and for which, cannot be told: "

/* The directive for a question without an answer: the branch that it begins is an error. */
static void write_fault(yk_text *made, const yk_header *header, const yk_directive *directive, const yk_text *fault)
{
    yk_text_cut(made, 0);
    yk_text_add(made, "%s 1\n#error \"", directive->kind == YK_DIRECTIVE_IF ? "#if" : "#elif");
    yk_add_quoted(made, header->path, strlen(header->path));
    yk_text_add(made, ":%lu: " NO_ANSWER, directive->line);
    yk_add_quoted(made, yk_text_get(fault), fault->length);
    yk_text_add(made, "\"\n");
}

/* The condition of #if or #elif. */
static yoke_status ask_condition(yk_expansion *x, const yk_header *header, const yk_directive *directive, yk_truth *out_truth,
                                 yk_text *made, yk_text *fault)
{
    yk_pp_list list, answered = { 0 };
    yk_expanded expanded = { .stuck = true };
    bool readable = read_operand(x, header, directive, &list), changed = false;
    yoke_status status = YOKE_OK;

    if (readable)
        yk_macros_expand(&x->macros, list.first, true, &expanded);
    const yk_pp *hidden = expanded.stuck ? NULL : find_hidden_question(x, expanded.list.first, true);
    if (expanded.stuck && (has_question(list.first) || find_hidden_question(x, list.first, false)))
        add_reason(fault, &expanded);
    if (hidden) {
        add_token(fault, hidden);
        yk_text_add(fault, " depends on what only the compiler knows");
    }
    if (expanded.stuck || hidden)
        return YOKE_OK;
    if (has_question(expanded.list.first))
        status = answer_all(x, header, directive, expanded.list.first, &answered, &changed, fault);
    else
        answered = expanded.list;
    if (changed)
        write_condition(made, directive->kind, answered.first);
    if (status == YOKE_OK && !expanded.unknown)
        *out_truth = yk_condition_evaluate(&x->macros, answered.first);
    return status;
}

/* #ifdef and #ifndef. */
static yk_truth ask_defined(yk_expansion *x, const yk_header *header, const yk_directive *directive)
{
    yk_pp_list list;
    if (!read_operand(x, header, directive, &list) || !list.first || list.first->kind != YK_PP_NAME)
        return YK_UNKNOWN;
    yk_truth truth = yk_condition_defined(&x->macros, list.first->text, list.first->length);
    bool turned = directive->kind == YK_DIRECTIVE_IFNDEF && truth != YK_UNKNOWN;
    return turned ? (truth == YK_TRUE ? YK_FALSE : YK_TRUE) : truth;
}

yoke_status yk_expansion_ask(yk_expansion *x, const yk_header *header, const yk_directive *directive, yk_truth *out_truth,
                             yk_text *out_made)
{
    yk_text fault = { 0 };
    yoke_status status = YOKE_OK;
    *out_truth = YK_UNKNOWN;
    if (directive->kind == YK_DIRECTIVE_ELSE)
        *out_truth = YK_TRUE;
    else if (directive->kind == YK_DIRECTIVE_IFDEF || directive->kind == YK_DIRECTIVE_IFNDEF)
        *out_truth = ask_defined(x, header, directive);
    else if (directive->kind == YK_DIRECTIVE_IF || directive->kind == YK_DIRECTIVE_ELIF)
        status = ask_condition(x, header, directive, out_truth, out_made, &fault);
    if (status == YOKE_OK && fault.length > 0) {
        *out_truth = YK_UNKNOWN;
        if (directive->kind == YK_DIRECTIVE_IF && yk_expansion_is_sure(x))
            status = yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: " NO_ANSWER "%.300s", x->headers.function, header->path,
                             directive->line, yk_text_get(&fault));
        write_fault(out_made, header, directive, &fault);
    }
    if (status == YOKE_OK && fault.is_cut)
        status = YOKE_E_OUT_OF_HOST_MEMORY;
    yk_text_free(&fault);
    return status == YOKE_OK ? check_memory(x, out_made) : status;
}
