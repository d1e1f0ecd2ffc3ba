/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of random operations on arrays (tests/random/operations.c). A step is one call of an operation, with arrays that are
 * views of the model's memory. It is enqueued, and what it left in its outputs is read behind it, in stream order; judged it is
 * later, when all streams have been waited for: then the steps are gone through in the order in which the program made them. The
 * oracle says from what memory held before a step, what it has to hold behind it, and takes over what it holds. So results that are
 * only near go on as inputs, whatever their last bits are. The oracle follows the headers alone and shares no code with the
 * library, but the list of dtypes: elements are long double, which holds each value of every dtype, and integers are computed in
 * 128 bits.
 */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include "../../conformance/suite.h"

#include <yoke/ops.h>

#include "api/dtypes.h"

enum {
    MOST_ARRAYS = 5, /* of a step; array 0 is an output, but for operations that only read */
    SLABS = 8,
    STREAMS = 3,
    GUARD = 128, /* bytes round the memory of a slab */
    MOST_TERMS = 24,
    MOST_WEIGHTS = 125,
    MOST_TEXT = 1024
};

__extension__ typedef __int128 wide_int;

/* An element of any dtype. */
typedef struct number {
    long double re, im;
} number;

/* ---- Expressions: expression.c ---- */

typedef struct term {
    char kind; /* of expression.c */
    int32_t type;
    int8_t of[3]; /* terms */
    number value; /* of a constant */
} term;

typedef struct expression {
    term terms[MOST_TERMS];
    int count; /* the last is the expression */
} expression;

/* ---- Steps ---- */

/* Memory of the device between guard bytes, and what it should hold. */
typedef struct slab {
    yoke_buffer *whole, *view; /* view: without the guards */
    size_t size;               /* of the view */
    unsigned char *shadow;     /* of the whole */
    int stream;                /* whose order it was used in last, or -1 */
} slab;

/* What an element of an output has to be: exactly that, all NaNs being equal; or no farther than `slack`, before it is converted
 * from floating point to the dtype. */
typedef struct expected {
    enum { ANYTHING, EXACT, NEAR, NEAR_ROUNDED } how; /* rounded: to the nearest integer, if the dtype is one */
    number value;
    long double slack;
} expected;

typedef struct operand {
    yoke_array array;
    slab *slab; /* NULL: the step has no such array */
    bool is_out;
    bool only_read; /* what yoke_read_array is given: compared as an output, and no element of it is written */
    int64_t count;        /* elements */
    unsigned char *fresh; /* bytes of the slab's view that are written before the step, or NULL */
    bool is_free;         /* any other values would do as well */
    unsigned char *found; /* bytes of the whole slab behind the step, of an output */
    expected *want;       /* of an output, while it is judged */
} operand;

struct model;
struct step;
struct variant;

/* How an operation is made, enqueued and judged. */
typedef struct operation {
    const char *name; /* as in tests/static/ops_symbols.txt, without _at */
    /* The dtypes, and what else a kernel depends on: few of these, since each is compiled. */
    void (*vary)(struct model *m, struct variant *v);
    /* The arrays and the other arguments. False: they do not fit into the memory. */
    bool (*draw)(struct model *m, struct step *s);
    yoke_status (*call)(yoke_stream *stream, const struct step *s);
    void (*judge)(struct step *s);
} operation;

typedef struct variant {
    const operation *op;
    int32_t d[MOST_ARRAYS]; /* dtypes */
    int32_t kind;           /* YOKE_REDUCE_SUM, … */
    int32_t flags;          /* of the operation's own */
    expression e;
} variant;

typedef struct step {
    const variant *v;
    struct model *m;
    unsigned number;
    operand a[MOST_ARRAYS];
    int32_t mode, axis, axis_count, axes[YOKE_MAX_DIMENSIONS];
    uint32_t mask; /* the axes as bits */
    yoke_number low, high;
    double f[3], weights[MOST_WEIGHTS];
    int64_t n[3];
    int32_t origins[3];
    uint64_t seed, offset;
    uint32_t sequence;
    unsigned char *host, *host_found; /* memory of the host that the step reads or writes */
    size_t host_size;
    int32_t broken; /* how the call is wrong: it has to be refused, and to change nothing */
    bool skipped;   /* a function before it failed: it does not run */
    int stream;
} step;

typedef struct model {
    suite *t;
    uint64_t random;
    uint32_t seed;
    const char *only;
    bool exact, has_double, traced, disagrees;
    bool careless; /* an output of each batch is changed before it is judged, which the oracle has to notice, and keep to itself */
    slab slabs[SLABS];
    yoke_stream *streams[STREAMS];
    variant variants[16];
    unsigned variant_count, steps, judged;
    int64_t largest; /* elements of an array */
    void **blocks;   /* memory of the host that steps use until they have been judged */
    size_t block_count, block_room;
    unsigned long elements[NEAR_ROUNDED + 1]; /* that were compared, by how */
} model;

/* ---- value.c ---- */

uint32_t draw(model *m, uint32_t below);
int64_t draw_between(model *m, int64_t low, int64_t high); /* both included */
bool chance(model *m, uint32_t percent);
int32_t pick(model *m, const int32_t *list, size_t count);
#define PICK(m, ...) pick(m, (const int32_t[]){ __VA_ARGS__ }, sizeof((const int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t))
int32_t pick_integer(model *m);
int32_t pick_index(model *m); /* an integer dtype of 4 or 8 bytes */
int32_t pick_float(model *m);
int32_t pick_real(model *m); /* bool, an integer or floating point */
int32_t pick_any(model *m);
int32_t pick_complex(model *m);

bool is_integer(int32_t dtype); /* bool too */
bool is_signed(int32_t dtype);
bool is_complex(int32_t dtype);
bool is_wide(int32_t dtype);        /* double or complex128 */
long double unit_of(int32_t dtype); /* half the distance from 1 to the next number */
/* The least number above 0 of a float, or of a double: a product of subnormal numbers is off by at most that, a sum never. */
long double smallest_of(bool is_double);
long double largest_of(int32_t dtype);
long double lowest_of(int32_t dtype);
number load(int32_t dtype, const void *element);
void store(int32_t dtype, void *element, number x); /* of a value that the dtype has */
number convert(number x, int32_t from, int32_t to);
long double wrap(int32_t dtype, wide_int x);
uint64_t to_bits(long double x); /* modulo 2^64, of a whole number */
number draw_value(model *m, int32_t dtype, unsigned style);
yoke_number number_of(int32_t dtype, long double x);

/* Styles of values. */
enum { SMALL_VALUES, ANY_VALUES, SPECIAL_VALUES, STYLES };

/* ---- memory.c ---- */

bool memory_begin(model *m, size_t size);
void memory_end(model *m);
/* Memory of the host, with guard bytes, until forget. */
void *remember(model *m, size_t size);
void forget(model *m);
/* Draw a shape of so many axes at least and at most. */
void draw_shape(model *m, int32_t least, int32_t most, yoke_array *shape);
/* Add array k: a view of memory that the step does not use yet, in any layout. An input gets new values, or keeps what is there. */
bool add_in(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape);
bool add_out(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape);
/* The same, with values that the caller has to give: put. */
bool add_fresh(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape);
/* An input whose shape broadcasts to that one. */
bool add_broadcast(model *m, step *s, int k, int32_t dtype, int32_t dimensions, const int64_t *shape);
void put(operand *o, int64_t position, number x);
/* An element of an array by its position in row-major order, as memory held it before the step. */
number get(const operand *o, int64_t position);
const unsigned char *bytes_of(const operand *o, const unsigned char *whole, int64_t position);
/* The operand as an array of that shape. */
operand spread(const operand *o, const yoke_array *shape);
int64_t size_of(int32_t dimensions, const int64_t *shape);
/* Expect of output k. */
void want_exactly(step *s, int k, int64_t position, number x);
void want_near(step *s, int k, int64_t position, number x, long double slack);
void want_anything(step *s, int k, int64_t position);
/* From the value of a type: exact, where the device computes floats exactly; else near. */
void want_computed(step *s, int k, int64_t position, number x, int32_t type);
void want_unchanged(step *s, int k, int64_t position);
/* New values for an input that may have any: another block than `fresh`. */
unsigned char *other_values(model *m, const operand *o);
/* Compare the outputs with what is expected, and take them over. */
void compare(step *s);
/* The first that is found; reported, unless the model is careless. */
void disagreement(const step *s, const char *format, ...) YOKE_PRINTF(2, 3);
void step_print(const step *s);

/* ---- expression.c ---- */

/* An expression of `arrays` variables x1, x2, … of these dtypes and the scalar s of type float. */
void expression_draw(model *m, expression *e, const int32_t *dtypes, int arrays, bool has_index);
void expression_text(const expression *e, char *text, size_t size);
number expression_value(const expression *e, const number *arrays, const int32_t *dtypes, long double scalar, int64_t position);
int32_t expression_type(const expression *e);
int32_t common_type(int32_t a, int32_t b);
number arithmetic(char kind, int32_t type, number a, number b);
number least(number a, number b, bool largest);

/* ---- table.c ---- */

/* NULL: there are no more. */
const operation *operation_at(size_t index);
bool table_is_complete(const char *symbols);

/* ---- mistakes.c ---- */

/* Make the call wrong: false where it is not known how. */
bool mistake_draw(model *m, step *s);
yoke_status mistake_call(yoke_stream *stream, const step *s);
bool mistake_suits(const step *s, yoke_status status);

#define ARRAY(k) (s->a[k].slab ? &s->a[k].array : NULL)

#endif
