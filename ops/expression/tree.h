/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of an expression, and what the files of its front end call of each other: vars.c checks the list of variables and finds
 * names, lexer.c makes tokens, parse.c builds the tree, types.c and compare.c give types, reductions.c knows the calls that reduce
 * a row, fail.c tells mistakes, emit.c writes the kernel's statements, calls.c what they call.
 */
#ifndef YOPS_EXPRESSION_TREE_H
#define YOPS_EXPRESSION_TREE_H

#include "expression.h"

/* The type of a floating-point constant without a suffix, and of what is computed from such ones and integers, until a neighbour
 * decides. No node has it in a finished tree. */
enum { YOPS_ADAPTS = YK_DTYPE_COUNT };

enum { YOPS_MOST_PARAMETERS = 16, YOPS_INDEX_NAMES = 2 * YOKE_MAX_DIMENSIONS + 2 };

typedef enum yops_operation {
#define YOPS_OPERATOR(NAME, text, precedence, rule, word) YOPS_##NAME,
#define YOPS_SIGN(NAME, text) YOPS_##NAME,
#include "operations.def"
    YOPS_OPERATIONS
} yops_operation;

typedef enum yops_rule {
    YOPS_RULE_LOGIC,
    YOPS_RULE_BITS,
    YOPS_RULE_EQUALITY,
    YOPS_RULE_ORDER,
    YOPS_RULE_SHIFT,
    YOPS_RULE_ARITHMETIC,
    YOPS_RULE_REMAINDER,
    YOPS_RULE_SIGN
} yops_rule;

typedef struct yops_operator {
    const char *text;
    uint8_t length, precedence, rule; /* of a sign the precedence is 0 */
    const char *word;
} yops_operator;
extern const yops_operator yops_operators[YOPS_OPERATIONS];

typedef enum yops_function_id {
#define YOPS_FUNCTION(name, arguments, rule, how, python) YOPS_FUNCTION_##name,
#include "api/functions.def"
    YOPS_FUNCTIONS
} yops_function_id;

typedef enum yops_function_rule {
    YOPS_RULE_REAL,
    YOPS_RULE_SCALE,
    YOPS_RULE_TEST,
    YOPS_RULE_ORDERED,
    YOPS_RULE_SIZE,
    YOPS_RULE_PART,
    YOPS_RULE_TURN,
    YOPS_RULE_PAIR
} yops_function_rule;

typedef enum yops_how { YOPS_HOW_DRIVER, YOPS_HOW_CHEAP, YOPS_HOW_HELPER } yops_how;

typedef struct yops_function {
    const char *name;
    uint8_t length, arguments, rule, how;
} yops_function;
extern const yops_function yops_functions[YOPS_FUNCTIONS];

/* ---- The tree ---- */

typedef enum yops_node_kind {
    YOPS_NODE_NONE,
    YOPS_NODE_CONSTANT, /* value */
    YOPS_NODE_IN,       /* what the variable `index` was before */
    YOPS_NODE_OUT,      /* what has been assigned to the variable `index` */
    YOPS_NODE_NAME,     /* the temporary `index` */
    YOPS_NODE_INDEX,    /* the index variable of bit `index` */
    YOPS_NODE_REDUCE,   /* reduction `index` of a along the row */
    YOPS_NODE_CONVERT,  /* a as the node's dtype; float16 and bfloat16 are rounded */
    YOPS_NODE_SIGN,     /* operation a */
    YOPS_NODE_OPERATOR, /* a operation b */
    YOPS_NODE_LOGIC,    /* a && b, a || b: b only where it decides */
    YOPS_NODE_SELECT,   /* a ? b : c, of which only one is evaluated */
    YOPS_NODE_FUNCTION, /* function `index` of a, b, c */
    YOPS_NODE_CALL,     /* function `index` of the list; a is the first of its arguments */
    YOPS_NODE_ARGUMENT, /* a; b is the next argument */
    YOPS_NODE_SET_OUT,  /* a statement: a to the variable `index`; b is the next statement */
    YOPS_NODE_SET_NAME  /* the same to the temporary `index` */
} yops_node_kind;

enum {
    YOPS_CALLS = 1, /* a function of the program's is called in the node or below */
    YOPS_COSTS = 2  /* something that is worth a branch */
};

/* Children are positions in the expression's nodes; 0 is none. Where a node has several children of one class (as kernels compute
 * them: element.yh), the first one's dtype tells it: a narrower integer or a float16 stands for int32 or float without conversion.
 * Only the operands of comparisons may be of two classes. */
typedef struct yops_node {
    uint8_t kind, dtype, operation, effects;
    uint8_t stage; /* the highest stage of the reductions in the node, itself included; 0: there are none */
    uint16_t height, a, b, c, index;
    uint16_t at, length; /* in the text */
    union {
        int64_t i64;  /* of signed integers */
        uint64_t u64; /* of unsigned integers and bool */
        struct {
            double wide;
            float narrow; /* rounded from the text, not from `wide` */
        } real;
    } value;
} yops_node;

/* Before the names of the program's functions, in kernels. */
#define YOPS_OWN "yops_own_"

typedef struct yops_name {
    const char *text; /* lives during the parse only */
    uint16_t length;
    uint8_t kind;  /* YOKE_VAR_ */
    uint8_t dtype; /* of a function, its result's */
    bool is_assigned, is_read_back;
    uint8_t stage; /* of what has been assigned */
    uint8_t parameters, parameter[YOPS_MOST_PARAMETERS];
} yops_name;

typedef struct yops_new_name {
    uint16_t at, length;
    uint8_t dtype, stage;
} yops_new_name;

struct yops_expression {
    yops_expression_facts facts;
    uint16_t value, first, last; /* the node of the value; the statements */
    uint16_t node_count, capacity, text_length, var_count, new_name_count;
    int32_t default_real;                                                /* what a constant becomes that no neighbour decides */
    uint16_t index_at[YOPS_INDEX_NAMES], index_length[YOPS_INDEX_NAMES]; /* where each index variable is used first */
    yops_name vars[YOPS_MOST_VARS];
    yops_new_name new_names[YOPS_MOST_TEMPORARIES];
    int32_t reduction_count;
    yops_row_reduction reductions[YOPS_MOST_REDUCTIONS];
    char *text;
    yops_node nodes[]; /* the first is not used */
};

/* ---- Parsing ---- */

typedef enum yops_token_kind {
    YOPS_TOKEN_END,
    YOPS_TOKEN_NAME,
    YOPS_TOKEN_NUMBER,
    YOPS_TOKEN_OPERATOR, /* `operation`; a sign is the operator of that text, ! and ~ are themselves */
    YOPS_TOKEN_ASSIGN,   /* `operation`, or YOPS_OPERATIONS for = */
    YOPS_TOKEN_OTHER     /* one of ( ) , ; ? : */
} yops_token_kind;

typedef struct yops_token {
    uint8_t kind, operation, character;
    uint16_t at, length;
} yops_token;

typedef struct yops_parser {
    const yops_call *call;
    yops_expression *expression;
    const char *text;
    yops_token token; /* the next */
    uint16_t end;     /* where the token before ended */
    unsigned depth;
    yops_kind kind;
    yoke_status status; /* the first mistake's */
} yops_parser;

/* Tell a mistake, once, with the part of the text that begins at `at`. Returns 0, for functions that return a node. */
uint16_t yops_mistake(yops_parser *parser, unsigned at, unsigned length, const char *format, ...) YOKE_PRINTF(4, 5);
yoke_status yops_fail_with_caret(const yops_call *call, const char *text, size_t size, unsigned at, unsigned length,
                                 const char *message);

/* Move on to the next token. A stray character is a mistake, and ends the text. */
void yops_next_token(yops_parser *parser);
/* The number of the token, as a node. */
uint16_t yops_parse_number(yops_parser *parser);

/* Check the list, and set the expression's vars. */
yoke_status yops_read_vars(const yops_call *call, const yoke_var *vars, size_t count, yops_expression *expression);
/* The dtype of a name, or 0. */
int32_t yops_find_dtype(const char *text, size_t length);
/* -1: there is none. */
int yops_find_var(const yops_expression *expression, const char *text, size_t length);
int yops_find_function(const char *text, size_t length);
int yops_find_new_name(const yops_expression *expression, const char *text, size_t length);
int yops_find_index(const char *text, size_t length);
/* What a wrong name was perhaps meant to be; NULL. `calls`: a function, else a value. *out_length is its length. */
const char *yops_find_nearest(const yops_expression *expression, const char *text, size_t length, bool calls, size_t *out_length);
/* The names of values that there are: "c, x, y", or "" where there is none. What does not fit is told by dots. */
void yops_list_names(const yops_expression *expression, char *target, size_t size);

/* ---- Types: each returns a node, or 0 after a mistake, and takes 0 for a child that was one ---- */

uint16_t yops_new_node(yops_parser *parser, yops_node node);
/* Convert where the types differ in more than their name, or, `always`, where they differ at all. */
uint16_t yops_convert(yops_parser *parser, uint16_t number, int32_t dtype, bool always);
/* Give a type to what adapts. */
uint16_t yops_settle(yops_parser *parser, uint16_t number);
uint16_t yops_new_sign(yops_parser *parser, yops_token sign, uint16_t a);
uint16_t yops_new_operator(yops_parser *parser, yops_token token, uint16_t a, uint16_t b);
uint16_t yops_new_comparison(yops_parser *parser, yops_token token, uint16_t a, uint16_t b);
uint16_t yops_new_select(yops_parser *parser, uint16_t a, uint16_t b, uint16_t c);
/* A call of the function of expressions, or of the list, with its arguments. */
uint16_t yops_new_function(yops_parser *parser, yops_token token, int number, const uint16_t *arguments);
uint16_t yops_new_call(yops_parser *parser, yops_token token, int var, const uint16_t *arguments);

/* ---- Reductions of rows ---- */

/* The operation of a call by this name with so many arguments, or 0. */
int32_t yops_find_row_reduction(const char *text, size_t length, unsigned count);
uint16_t yops_new_reduction(yops_parser *parser, yops_token token, int32_t operation, uint16_t argument);

/* What C computes an operand with, and two of them; what adapts stays so. */
int32_t yops_promote(int32_t dtype);
int32_t yops_find_common(int32_t a, int32_t b);

/* The letter of element.yh for how a dtype is computed. */
char yops_class(int32_t dtype);
/* The name for messages: "float", "a constant". */
const char *yops_type_name(int32_t dtype);

#endif
