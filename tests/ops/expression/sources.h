/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every form of kernel that an expression gets into, without a launch: the source of each call is compiled by the device's
 * compiler, and by NVRTC where it is there, or kept; then the call ends. So the kernels of GPUs are compiled where there is none.
 * And every name that the kernels' texts have.
 */
#ifndef OPS_SOURCES_H
#define OPS_SOURCES_H

#include "../arrays.h"

#include "ops/expression/tree.h"

/* ---- What is compiled ---- */

typedef struct sources_watched {
    yoke_device *device;
    bool compiles, fails;
    const char *nvrtc; /* what it compiles for, or NULL: there is none */
    unsigned count;     /* of sources with an expression */
    char *text;         /* of the last one, where none is compiled, and what was made for it */
    const char *before; /* stands before each text that is compiled, or NULL */
} sources_watched;
extern sources_watched sources;

/* From now on calls end with SOURCES_STOPPED before a kernel with an expression is built. `compiles`: the source is compiled, else
 * its text is kept. sources_end puts everything back. */
enum { SOURCES_STOPPED = YOKE_E_UNSUPPORTED };
void sources_begin(suite *t, bool compiles);
void sources_end(void);

/* The compilers alone. */
yoke_status sources_build(const yoke_source *source);
yoke_status sources_build_by_nvrtc(const yoke_source *source);

/* ---- Forms ---- */

enum { SOURCES_MOST_VARS = 32 };

/* Arrays that nothing is read from: xx_x, or under another name, and xx_y; the operation's own are called xx_out. Further variables
 * follow. */
typedef struct sources_operands {
    suite *t;
    yoke_buffer *buffer;
    int32_t dtype;
    const char *x_name;
    yoke_var more[SOURCES_MOST_VARS];
    size_t more_count;
    const char *value; /* the expression's */
} sources_operands;

bool sources_operands_create(suite *t, int32_t dtype, sources_operands *o);

/* The first is a map by chunks. */
enum { SOURCES_FORMS = 19 };
const char *sources_name(int form);

/* Make the call. */
yoke_status sources_call(const sources_operands *o, int form);
/* The same; checked: it comes to a source with the expression, and nothing is wrong with it. */
bool sources_try(const sources_operands *o, int form);

/* ---- Words ---- */

typedef struct sources_words {
    char **all;
    size_t count, room;
} sources_words;

/* The identifiers of all texts, their comments too, and of what is made for each form; and some of the languages'. The sources are
 * kept, not compiled. */
void sources_find_words(sources_operands *o, sources_words *out);
void sources_release_words(sources_words *words);

#endif
