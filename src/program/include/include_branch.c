/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the expansion is among conditionals, and what it passes there. Three things are known of a branch: the compiler takes it,
 * skips it, or it depends on what only the compiler knows.
 */
#include "program/include/include_parts.h"

#include <stdlib.h>
#include <string.h>

#include "program/source.h"

const yk_conditional *yk_expansion_here(const yk_expansion *x)
{
    return &x->conditionals[x->depth - 1];
}

static yoke_status no_memory(void)
{
    return yk_no_memory("the conditionals of a source");
}

static yoke_status push(yk_expansion *x, yk_conditional conditional)
{
    if (x->depth == x->capacity) {
        size_t capacity = x->capacity ? 2 * x->capacity : 64;
        yk_conditional *conditionals = realloc(x->conditionals, capacity * sizeof *conditionals);
        if (!conditionals)
            return no_memory();
        x->conditionals = conditionals;
        x->capacity = capacity;
    }
    x->conditionals[x->depth++] = conditional;
    return YOKE_OK;
}

yoke_status yk_expansion_begin(yk_expansion *x)
{
    unsigned whole = yk_branch_open(&x->macros, 0);
    return whole ? push(x, (yk_conditional){ .branch = whole, .events = whole }) : no_memory();
}

/* Close a conditional's branch, unless it is the one around it. */
static void close_branch(yk_expansion *x, const yk_conditional *c)
{
    const yk_conditional *around = c - 1;
    if (c->branch != around->branch)
        yk_branch_close(&x->macros, c->branch);
    if (c->events != around->events)
        yk_branch_close(&x->macros, c->events);
}

void yk_expansion_leave(yk_expansion *x)
{
    if (x->depth > 1)
        close_branch(x, &x->conditionals[x->depth - 1]);
}

/* Begin the next branch of the innermost conditional. */
static yoke_status choose(yk_expansion *x, yk_truth truth)
{
    yk_conditional *c = &x->conditionals[x->depth - 1];
    const yk_conditional *around = c - 1;
    bool sure = truth == YK_TRUE && !c->unsure && !c->taken && !around->dead;
    c->dead = around->dead || c->taken || truth == YK_FALSE;
    c->taken = c->taken || truth == YK_TRUE;
    c->unsure = c->unsure || truth == YK_UNKNOWN;
    c->branch = sure ? around->branch : yk_branch_open(&x->macros, around->branch);
    c->events = sure ? around->events : c->branch;
    if (!sure && c->branch && around->branch != around->events)
        c->events = yk_branch_open(&x->macros, around->events);
    return c->branch && c->events ? YOKE_OK : no_memory();
}

yoke_status yk_expansion_pass(yk_expansion *x, yk_directive_kind kind, yk_truth truth)
{
    if (yk_directive_opens(kind)) {
        yoke_status status = push(x, (yk_conditional){ 0 });
        return status == YOKE_OK ? choose(x, truth) : status;
    }
    if (x->depth == 1) /* an error, which is the compiler's to find */
        return YOKE_OK;
    yk_expansion_leave(x);
    if (kind == YK_DIRECTIVE_ENDIF)
        x->depth--;
    else
        return choose(x, truth);
    return YOKE_OK;
}

yoke_status yk_expansion_pass_again(yk_expansion *x)
{
    const yk_conditional *around = yk_expansion_here(x);
    yk_conditional again = { .branch = around->branch, .dead = around->dead, .unsure = true };
    again.events = yk_branch_open(&x->macros, around->events);
    return again.events ? push(x, again) : no_memory();
}

bool yk_expansion_is_sure(const yk_expansion *x)
{
    return yk_expansion_here(x)->events == x->conditionals[0].events;
}

/* ---- Macros ---- */

yoke_status yk_expansion_define(yk_expansion *x, const char *text, size_t size, bool defines)
{
    const yk_conditional *here = yk_expansion_here(x);
    yk_definition definition = { text, size };
    yk_cursor c = { .at = text, .end = text + size };
    yk_text name = { 0 };
    if (here->dead)
        return YOKE_OK;
    for (int ch = yk_cursor_blanks(&c); ch >= 0 && yk_cursor_is_word(ch); ch = yk_cursor_peek(&c))
        yk_text_add_bytes(&name, c.at++, 1);
    bool passed = !name.is_cut && (name.length == 0 ||
                                   yk_macro_pass(&x->macros, here->events, name.data, name.length, defines ? &definition : NULL));
    yk_text_free(&name);
    return passed ? YOKE_OK : yk_no_memory("the macros of a source");
}

/* "NAME", "NAME=VALUE" or "MAX(a,b)=VALUE": as the text of a #define. */
yoke_status yk_expansion_predefine(yk_expansion *x)
{
    const char *define;
    for (size_t i = 0; (define = yk_source_define(x->headers.source, x->headers.language, i)); i++) {
        size_t name = strcspn(define, "="), length = strlen(define);
        char *text = yk_arena_take(&x->macros.kept, length + 3);
        if (!text)
            return yk_no_memory("the macros of a source");
        memcpy(text, define, name);
        text[name] = ' ';
        size_t size = length > name ? length : length + 2;
        if (length > name)
            memcpy(text + name + 1, define + name + 1, length - name - 1);
        else
            text[name + 1] = '1';
        yoke_status status = yk_expansion_define(x, text, size, true);
        if (status < 0)
            return status;
    }
    return YOKE_OK;
}
