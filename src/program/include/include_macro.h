/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros, as far as directives need them: which header an #include of a macro names, and which way a conditional goes. The one
 * thing to know: an answer is either what every compiler would find, or "unknown". A macro is known where its last #define or
 * #undef is in a branch that is still open, since the compiler has then passed it, too.
 */
#ifndef YK_INCLUDE_MACRO_H
#define YK_INCLUDE_MACRO_H

#include "base/process/process.h"
#include "objects/traits.h"

/* ---- Tokens (include_token.c) ---- */

typedef enum yk_pp_kind {
    YK_PP_NAME,
    YK_PP_NUMBER,
    YK_PP_STRING, /* with its quotes */
    YK_PP_CHARACTER,
    YK_PP_HEADER, /* <name>, where __has_include asks for it */
    YK_PP_MARK,   /* anything else; %: is #, and %:%: is ## */
    YK_PP_EMPTY   /* an empty argument beside ## */
} yk_pp_kind;

/* The macros that a token comes from, which are not expanded again in it. */
typedef struct yk_hidden {
    const struct yk_hidden *next;
    const char *name;
    size_t length;
} yk_hidden;

typedef struct yk_pp {
    struct yk_pp *next;
    yk_pp_kind kind;
    bool space; /* blanks or comments precede it */
    const char *text;
    size_t length;
    const yk_hidden *hidden;
} yk_pp;

typedef struct yk_pp_list {
    yk_pp *first, *last;
} yk_pp_list;

/* Memory that is freed at once. */
typedef struct yk_arena {
    struct yk_chunk *chunks;
    size_t used; /* bytes in all */
    bool failed; /* out of memory */
} yk_arena;

void *yk_arena_take(yk_arena *arena, size_t size); /* NULL: failed */
void yk_arena_free(yk_arena *arena);

void yk_pp_append(yk_pp_list *list, yk_pp *token);
/* A copy without a follower; NULL: out of memory. */
yk_pp *yk_pp_copy(yk_arena *arena, const yk_pp *token);
bool yk_pp_is(const yk_pp *token, const char *text);
/* Whether a name asks the compiler for a file: __has_include, __has_include_next, __has_embed. */
bool yk_pp_asks(const char *name, size_t length);
/* The tokens of one logical line. False: it has what compilers may read differently (trigraphs, $, raw strings, an open quote), or
 * there is no memory. */
bool yk_pp_read(yk_arena *arena, const char *text, size_t size, yk_pp_list *list);
/* Append the spelling of the tokens before `end`, which may be NULL. */
void yk_pp_spell(const yk_pp *first, const yk_pp *end, yk_text *out);

/* ---- Macros (include_macro.c) ---- */

typedef enum yk_macro_state {
    YK_MACRO_UNDEFINED,
    YK_MACRO_DEFINED,
    YK_MACRO_COMPILERS, /* the text says nothing about it; a compiler may define it */
    YK_MACRO_UNKNOWN    /* depends on conditions that are unknown */
} yk_macro_state;

/* Of a #define: the text behind that word, to the end of its line. */
typedef struct yk_definition {
    const char *text;
    size_t size;
} yk_definition;

enum { YK_ASKING_WORDS = 3, YK_ASKING_LENGTH = 18 };

/* The pieces that have been seen of each word which asks for a file: bit `end` of spans[word][start] is for its letters from start
 * to end. Pasting may make the word of them. */
typedef struct yk_pieces {
    uint32_t spans[YK_ASKING_WORDS][YK_ASKING_LENGTH];
} yk_pieces;

typedef struct yk_macros {
    yk_language language;
    struct yk_macro *first;
    struct yk_macro **table;
    size_t count, capacity;
    struct yk_branch *branches; /* those of conditionals: branches[0] is none, branches[1] is the whole text */
    unsigned branch_count, branch_capacity;
    bool foreign;     /* the compiler reads headers of the CUDA Toolkit, which define macros */
    bool lost;        /* any macro may be anything */
    yk_pieces pieces; /* in the bodies searched so far */
    yk_arena kept;    /* as long as the table */
    yk_arena brief;   /* for one directive */
} yk_macros;

void yk_macros_free(yk_macros *macros);
/* 0: out of memory. */
unsigned yk_branch_open(yk_macros *macros, unsigned parent);
void yk_branch_close(yk_macros *macros, unsigned branch);
bool yk_branch_is_open(const yk_macros *macros, unsigned branch);

/* Pass a #define or #undef of this name in this branch; `definition` is NULL for #undef. False: out of memory. */
bool yk_macro_pass(yk_macros *macros, unsigned branch, const char *name, size_t length, const yk_definition *definition);
/* `out_definition` may be NULL. */
yk_macro_state yk_macro_get(yk_macros *macros, const char *name, size_t length, yk_definition *out_definition);
/* Whether a macro of unknown definition may ask the compiler for a file, by __has_include, in an operand of these tokens. */
bool yk_macro_may_ask(yk_macros *macros, const yk_pp *name, const yk_pp *operand);

/* ---- Expansion (include_expand.c) ---- */

typedef struct yk_expanded {
    yk_pp_list list;
    const yk_pp *unknown;   /* a macro that is YK_MACRO_UNKNOWN; NULL: none */
    const yk_pp *compilers; /* one that is YK_MACRO_COMPILERS */
    bool stuck;             /* the tokens cannot be expanded here */
} yk_expanded;

/* Expand all macros. `condition`: the operands of `defined` and __has_include stay. */
void yk_macros_expand(yk_macros *macros, yk_pp *first, bool condition, yk_expanded *out);

/* ---- Conditions (include_condition.c) ---- */

typedef enum yk_truth { YK_FALSE, YK_TRUE, YK_UNKNOWN } yk_truth;

/* The value of an #if. The tokens are expanded, and no __has_include is left that Yoke answers. */
yk_truth yk_condition_evaluate(yk_macros *macros, const yk_pp *first);
/* Whether it is defined: of #ifdef. */
yk_truth yk_condition_defined(yk_macros *macros, const char *name, size_t length);

#endif
