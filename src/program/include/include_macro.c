/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of macros where a directive is. Each #define and #undef is kept with its branch; when the branch of a conditional
 * ends, what it did to a macro may have happened or not, and the macro is unknown in the branch around it.
 */
#include "program/include/include_macro.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

typedef struct yk_branch {
    unsigned parent;
    bool open;
} yk_branch;

typedef struct event {
    unsigned branch;
    yk_macro_state state;
    yk_definition definition;
} event;

typedef struct yk_macro {
    struct yk_macro *next;
    const char *name;
    size_t length;
    event *events; /* at most one for each open branch, the outermost first */
    size_t count, capacity;
    yk_definition *bodies;                      /* every definition so far, some of them more than once */
    size_t body_count, body_capacity, searched; /* for pieces of questions: the first so many */
    bool visited;
} yk_macro;

/* ---- Branches ---- */

unsigned yk_branch_open(yk_macros *macros, unsigned parent)
{
    if (macros->branch_count == macros->branch_capacity) {
        unsigned capacity = macros->branch_capacity ? 2 * macros->branch_capacity : 64;
        yk_branch *branches = realloc(macros->branches, capacity * sizeof *branches);
        if (!branches)
            return 0;
        macros->branches = branches;
        macros->branch_capacity = capacity;
    }
    if (macros->branch_count == 0)
        macros->branches[macros->branch_count++] = (yk_branch){ 0, false };
    macros->branches[macros->branch_count] = (yk_branch){ parent, true };
    return macros->branch_count++;
}

void yk_branch_close(yk_macros *macros, unsigned branch)
{
    macros->branches[branch].open = false;
}

bool yk_branch_is_open(const yk_macros *macros, unsigned branch)
{
    return macros->branches[branch].open;
}

/* ---- The table ---- */

static size_t find_place(const yk_macros *macros, const char *name, size_t length)
{
    size_t place = (size_t)yk_hash64(name, length, 0) & (macros->capacity - 1);
    for (; macros->table[place]; place = (place + 1) & (macros->capacity - 1))
        if (macros->table[place]->length == length && memcmp(macros->table[place]->name, name, length) == 0)
            break;
    return place;
}

static yk_macro *find(const yk_macros *macros, const char *name, size_t length)
{
    return macros->capacity ? macros->table[find_place(macros, name, length)] : NULL;
}

static bool grow(yk_macros *macros)
{
    size_t capacity = macros->capacity ? 2 * macros->capacity : 64;
    yk_macro **table = calloc(capacity, sizeof *table);
    if (!table)
        return false;
    free(macros->table);
    macros->table = table;
    macros->capacity = capacity;
    for (yk_macro *macro = macros->first; macro; macro = macro->next)
        table[find_place(macros, macro->name, macro->length)] = macro;
    return true;
}

static yk_macro *find_or_add(yk_macros *macros, const char *name, size_t length)
{
    yk_macro *macro = find(macros, name, length);
    if (macro)
        return macro;
    if (2 * macros->count >= macros->capacity && !grow(macros))
        return NULL;
    char *own = yk_arena_take(&macros->kept, length + 1);
    macro = own ? calloc(1, sizeof *macro) : NULL;
    if (!macro)
        return NULL;
    memcpy(own, name, length);
    *macro = (yk_macro){ .next = macros->first, .name = own, .length = length };
    macros->first = macro;
    macros->table[find_place(macros, name, length)] = macro;
    macros->count++;
    return macro;
}

void yk_macros_free(yk_macros *macros)
{
    while (macros->first) {
        yk_macro *macro = macros->first;
        macros->first = macro->next;
        free(macro->events);
        free(macro->bodies);
        free(macro);
    }
    free(macros->table);
    free(macros->branches);
    yk_arena_free(&macros->kept);
    yk_arena_free(&macros->brief);
}

/* ---- Events ---- */

/* What happened in a branch that has ended is unknown in the branch around it. */
static void settle(const yk_macros *macros, yk_macro *macro)
{
    while (macro->count > 0 && !macros->branches[macro->events[macro->count - 1].branch].open) {
        event *last = &macro->events[macro->count - 1];
        unsigned branch = last->branch;
        while (!macros->branches[branch].open)
            branch = macros->branches[branch].parent;
        *last = (event){ .branch = branch, .state = YK_MACRO_UNKNOWN };
        if (macro->count > 1 && last[-1].branch == branch) {
            last[-1] = *last;
            macro->count--;
        }
    }
}

static bool add_body(yk_macro *macro, const yk_definition *definition)
{
    enum { LAST = 16 }; /* a header that is expanded often defines the same few again */
    for (size_t i = macro->body_count; i > 0 && i + LAST > macro->body_count; i--)
        if (macro->bodies[i - 1].text == definition->text)
            return true;
    if (macro->body_count == macro->body_capacity) {
        size_t capacity = macro->body_capacity ? 2 * macro->body_capacity : 1;
        yk_definition *bodies = realloc(macro->bodies, capacity * sizeof *bodies);
        if (!bodies)
            return false;
        macro->bodies = bodies;
        macro->body_capacity = capacity;
    }
    macro->bodies[macro->body_count++] = *definition;
    return true;
}

bool yk_macro_pass(yk_macros *macros, unsigned branch, const char *name, size_t length, const yk_definition *definition)
{
    yk_macro *macro = find_or_add(macros, name, length);
    if (!macro || (definition && !add_body(macro, definition)))
        return false;
    settle(macros, macro);
    if (macro->count == 0 || macro->events[macro->count - 1].branch != branch) {
        if (macro->count == macro->capacity) {
            size_t capacity = macro->capacity ? 2 * macro->capacity : 1;
            event *events = realloc(macro->events, capacity * sizeof *events);
            if (!events)
                return false;
            macro->events = events;
            macro->capacity = capacity;
        }
        macro->count++;
    }
    event *last = &macro->events[macro->count - 1];
    *last = (event){ .branch = branch, .state = definition ? YK_MACRO_DEFINED : YK_MACRO_UNDEFINED };
    if (definition)
        last->definition = *definition;
    return true;
}

/* Whether a compiler or its own headers may define this name. */
static bool may_be_compilers(const yk_macros *macros, const char *name, size_t length)
{
    static const char *const begins[] = { "__",    "cl_",   "CL_",    "CLK_",    "CUDA",    "NV_",   "POCL",
                                          "M_",    "FLT_",  "DBL_",   "HALF",    "FP_",     "HUGE_", "INT",
                                          "UINT",  "CHAR_", "SCHAR",  "UCHAR",   "SHRT",    "USHRT", "LONG",
                                          "ULONG", "SIZE_", "ATOMIC", "memory_", "kernel_", "NAN",   "MAXFLOAT" };
    static const char *const words[] = { "INFINITY", "NULL", "true", "false", "linux", "unix", "i386", "half", "assert" };
    if (macros->foreign || (length > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z'))
        return true;
    for (size_t i = 0; i < YK_COUNT_OF(begins); i++)
        if (length >= strlen(begins[i]) && memcmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    for (size_t i = 0; i < YK_COUNT_OF(words); i++)
        if (length == strlen(words[i]) && memcmp(name, words[i], length) == 0)
            return true;
    return false;
}

yk_macro_state yk_macro_get(yk_macros *macros, const char *name, size_t length, yk_definition *out_definition)
{
    yk_macro *macro = find(macros, name, length);
    if (macros->lost)
        return YK_MACRO_UNKNOWN;
    if (macro)
        settle(macros, macro);
    if (!macro || macro->count == 0)
        return may_be_compilers(macros, name, length) ? YK_MACRO_COMPILERS : YK_MACRO_UNDEFINED;
    const event *last = &macro->events[macro->count - 1];
    if (out_definition)
        *out_definition = last->definition;
    return last->state;
}

/* ---- Questions ---- */

static const char *const asking[YK_ASKING_WORDS] = { "__has_include", "__has_include_next", "__has_embed" };

/* Whether a name is among these tokens, which end at `end`. */
static bool is_among(const yk_pp *name, const yk_pp *first, const yk_pp *end)
{
    for (const yk_pp *token = first; token && token != end; token = token->next)
        if (token->length == name->length && memcmp(token->text, name->text, name->length) == 0)
            return true;
    return false;
}

/* The body of a definition, behind its name and its parameters: *out_end is the parenthesis, or where there are none. */
static const yk_pp *find_body(const yk_pp *name, const yk_pp **out_end)
{
    const yk_pp *at = name ? name->next : NULL;
    *out_end = name;
    if (!at || !yk_pp_is(at, "(") || at->space)
        return at;
    while (at && !yk_pp_is(at, ")"))
        at = at->next;
    *out_end = at;
    return at ? at->next : NULL;
}

/* `parameters` to `end`: names that are no pieces, since arguments take their place. */
static void add_pieces(const yk_pp *first, const yk_pp *parameters, const yk_pp *end, yk_pieces *pieces)
{
    for (const yk_pp *token = first; token; token = token->next)
        for (size_t i = 0; i < YK_ASKING_WORDS && token->kind == YK_PP_NAME && !is_among(token, parameters, end); i++)
            for (size_t start = 0; start + token->length <= strlen(asking[i]); start++)
                if (memcmp(asking[i] + start, token->text, token->length) == 0)
                    pieces->spans[i][start] |= UINT32_C(1) << (start + token->length);
}

/* Whether one of the words is a row of pieces. */
static bool make_question(const yk_pieces *pieces)
{
    for (size_t i = 0; i < YK_ASKING_WORDS; i++) {
        size_t length = strlen(asking[i]);
        uint32_t reached = 1; /* bit n: a row of pieces makes its first n letters */
        for (size_t start = 0; start < length; start++)
            if (reached & UINT32_C(1) << start)
                reached |= pieces->spans[i][start];
        if (reached & UINT32_C(1) << length)
            return true;
    }
    return false;
}

/* Pasting may make the name of any macro, so the pieces may be in the operand and in every body; each body is searched once. */
static bool pasting_may_ask(yk_macros *macros, const yk_pp *operand)
{
    for (yk_macro *macro = macros->first; macro; macro = macro->next)
        for (; macro->searched < macro->body_count; macro->searched++) {
            const yk_definition *body = &macro->bodies[macro->searched];
            yk_pp_list list;
            if (!yk_pp_read(&macros->brief, body->text, body->size, &list))
                return true;
            const yk_pp *end, *text = find_body(list.first, &end);
            add_pieces(text, end == list.first ? end : list.first->next, end, &macros->pieces);
        }
    yk_pieces all = macros->pieces;
    add_pieces(operand, NULL, NULL, &all);
    return make_question(&all);
}

static bool name_may_ask(yk_macros *macros, const yk_pp *name, const yk_pp *operand);

static bool body_may_ask(yk_macros *macros, const yk_definition *body, const yk_pp *operand)
{
    yk_pp_list list;
    if (!yk_pp_read(&macros->brief, body->text, body->size, &list))
        return true;
    for (const yk_pp *token = list.first; token; token = token->next)
        if (token->kind == YK_PP_NAME ? name_may_ask(macros, token, operand)
                                      : yk_pp_is(token, "##") && pasting_may_ask(macros, operand))
            return true;
    return false;
}

static bool name_may_ask(yk_macros *macros, const yk_pp *name, const yk_pp *operand)
{
    yk_macro *macro = find(macros, name->text, name->length);
    if (yk_pp_asks(name->text, name->length))
        return true;
    if (!macro || macro->visited)
        return false;
    macro->visited = true;
    for (size_t i = 0; i < macro->body_count; i++)
        if (body_may_ask(macros, &macro->bodies[i], operand))
            return true;
    return false;
}

bool yk_macro_may_ask(yk_macros *macros, const yk_pp *name, const yk_pp *operand)
{
    for (yk_macro *macro = macros->first; macro; macro = macro->next)
        macro->visited = false;
    return name_may_ask(macros, name, operand);
}
