/* SPDX-License-Identifier: Apache-2.0 */
#include "sources.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/map/elementwise.h"
#include "ops/linear/matmul.h"
#include "ops/call/text.h"

/* ---- What is compiled ---- */

sources_watched sources;

static const char *generated_of(const yoke_source *source)
{
    for (const yoke_header *h = source->headers; h && h->name; h++)
        if (strcmp(h->name, "generated.h") == 0)
            return h->text;
    return "";
}

/* Kernels with many functions are compiled for minutes where they are made fast. */
static yoke_source without_optimization(const yoke_source *source)
{
    static const char *const for_opencl[] = { "-cl-opt-disable", NULL }, *const for_cuda[] = { "--device-debug", NULL };
    yoke_source plain = *source;
    plain.opencl_options = for_opencl;
    plain.cuda_options = for_cuda;
    return plain;
}

yoke_status sources_build_by_nvrtc(const yoke_source *source)
{
    size_t size;
    const yoke_source plain = without_optimization(source);
    source = &plain;
    return sources.nvrtc ? yoke_source_compile(source, sources.nvrtc, YOKE_COMPILE_BARE, NULL, 0, &size) : YOKE_OK;
}

yoke_status sources_build(const yoke_source *source)
{
    yoke_program *program = NULL;
    const yoke_source plain = without_optimization(source);
    yoke_status status = yoke_program_build(sources.device, &plain, &program);
    if (program)
        yoke_program_release(program);
    return status;
}

static void check_build(yoke_status status)
{
    if (status == YOKE_OK)
        return;
    sources.fails = true;
    tap_diag("%s", yoke_error()->text);
    tap_diag("%.2000s", yoke_program_get_build_log());
}

static void compile(const yoke_source *source)
{
    size_t size = (sources.before ? strlen(sources.before) : 0) + strlen(source->text) + 1;
    yoke_source all = *source;
    char *text = memory_new(size);
    snprintf(text, size, "%s%s", sources.before ? sources.before : "", source->text);
    all.text = text;
    check_build(sources_build(&all));
    check_build(sources_build_by_nvrtc(&all));
    memory_free(text);
}

static yoke_status watch(const yoke_source *source)
{
    const char *generated = generated_of(source);
    if (!*generated)
        return YOKE_OK;
    sources.count++;
    if (!sources.compiles) {
        size_t size = strlen(source->text) + strlen(generated) + 1;
        memory_free(sources.text);
        sources.text = memory_new(size);
        snprintf(sources.text, size, "%s%s", source->text, generated);
    } else {
        compile(source);
    }
    return SOURCES_STOPPED;
}

/* The newest that NVRTC knows, since it declares more for newer ones. */
static const char *find_nvrtc(suite *t)
{
    static const char *const targets[] = { "compute_90", "compute_80" };
    yoke_source source = YOKE_SOURCE_INIT;
    size_t size;
    source.text = "extern \"C\" __global__ void nothing() {}";
    for (size_t i = 0; i < YOPS_COUNT_OF(targets) && strcmp(t->info.backend, "cuda") != 0; i++)
        if (yoke_source_compile(&source, targets[i], YOKE_COMPILE_BARE, NULL, 0, &size) == YOKE_OK)
            return targets[i];
    return NULL;
}

void sources_begin(suite *t, bool compiles)
{
    suite_expect_log();
    sources.nvrtc = find_nvrtc(t);
    sources.device = t->device;
    sources.compiles = compiles;
    sources.fails = false;
    sources.count = 0;
    yops_program_watch = watch;
}

void sources_end(void)
{
    yops_program_watch = NULL;
    yops_traits_force = NULL;
    yops_elementwise_force = (yops_elementwise_forced){ 0 };
    yops_matmul_force = (yops_matmul_forced){ 0 };
    memory_free(sources.text);
    sources.text = NULL;
}

/* ---- Forms ---- */

enum { SIDE = 64, COUNT = SIDE * SIDE, DEPTH = 8192, MOST = SOURCES_MOST_VARS };

typedef sources_operands operands;

static yoke_array array_at(const operands *o, int which, int32_t dimensions, const int64_t *shape)
{
    yoke_array a = yoke_array_nd(o->buffer, o->dtype, dimensions, shape);
    a.offset += which * (8 * COUNT);
    return a;
}

static size_t list_vars(const operands *o, yoke_var *vars, bool has_out, int32_t dimensions, bool turned)
{
    static const int64_t sides[] = { SIDE, SIDE };
    static const int64_t line[] = { COUNT };
    const int64_t *shape = dimensions == 2 ? sides : line;
    size_t count = 0;
    if (has_out)
        vars[count++] = yoke_var_array("xx_out", array_at(o, 0, dimensions, shape));
    yoke_array x = array_at(o, 1, dimensions, shape);
    vars[count++] = yoke_var_array(o->x_name, turned ? yoke_array_transpose(x, NULL) : x);
    vars[count++] = yoke_var_array("xx_y", array_at(o, 2, dimensions, shape));
    memcpy(vars + count, o->more, o->more_count * sizeof *vars);
    return count + o->more_count;
}

static yoke_status map_any(const operands *o, char way, int32_t dimensions, bool wide)
{
    static char text[YOPS_MOST_TEXT + 16];
    yoke_var vars[MOST];
    bool turned = way == YOPS_WAY_TILE || way == YOPS_WAY_BLOCK;
    size_t count = list_vars(o, vars, true, dimensions, turned);
    const char *last = strrchr(o->value, ';'); /* of several assignments, the array's is the last */
    last = last ? last + 1 : o->value;
    snprintf(text, sizeof text, "%.*sxx_out = %s", (int)(last - o->value), o->value, last);
    /* Tiles are what becomes of the other ways where an array is turned. */
    yops_elementwise_force = (yops_elementwise_forced){ .way = way == YOPS_WAY_TILE    ? YOPS_WAY_GRID
                                                               : way == YOPS_WAY_BLOCK ? YOPS_WAY_CPU
                                                                                       : way,
                                                        .wide = wide };
    return yoke_map(o->t->stream, text, vars, count);
}

static yoke_status by_grid(const operands *o)
{
    return map_any(o, YOPS_WAY_GRID, 1, false);
}
static yoke_status by_wide_grid(const operands *o)
{
    return map_any(o, YOPS_WAY_GRID, 2, true);
}
static yoke_status by_tiles(const operands *o)
{
    return map_any(o, YOPS_WAY_TILE, 2, false);
}
static yoke_status by_rows(const operands *o)
{
    return map_any(o, YOPS_WAY_CPU, 2, false);
}
static yoke_status by_blocks(const operands *o)
{
    return map_any(o, YOPS_WAY_BLOCK, 2, false);
}

static yoke_status reduce_all(const operands *o)
{
    yoke_var vars[MOST];
    size_t count = list_vars(o, vars, false, 2, false);
    yoke_array out = array_at(o, 0, 0, NULL);
    return yoke_map_reduce(o->t->stream, YOKE_REDUCE_SUM, &out, o->value, vars, count, YOKE_ALL_AXES);
}
static yoke_status reduce_columns(const operands *o)
{
    yoke_var vars[MOST];
    size_t count = list_vars(o, vars, false, 2, false);
    yoke_array out = array_at(o, 0, 1, (const int64_t[]){ SIDE });
    return yoke_map_reduce(o->t->stream, YOKE_REDUCE_VARIANCE, &out, o->value, vars, count, YOKE_AXES(0));
}
static yoke_status reduce_segments(const operands *o)
{
    yoke_var vars[MOST];
    size_t count = list_vars(o, vars, false, 1, false);
    yoke_array out = array_at(o, 0, 1, (const int64_t[]){ 9 }), offsets = yoke_array_1d(o->buffer, YOKE_I32, 10);
    offsets.offset += 6 * 8 * COUNT;
    return yoke_map_reduce_segments(o->t->stream, YOKE_REDUCE_SUM, &out, o->value, vars, count, &offsets);
}

static yoke_status select_any(const operands *o, int from)
{
    yoke_var vars[MOST];
    size_t count = list_vars(o, vars, false, 1, false);
    yoke_array out = array_at(o, 0, 1, (const int64_t[]){ COUNT }), in = array_at(o, from, 1, (const int64_t[]){ COUNT });
    return yoke_select_where(o->t->stream, &out, NULL, &in, o->value, vars, count);
}
static yoke_status select_other(const operands *o)
{
    return select_any(o, 4);
}
static yoke_status select_itself(const operands *o)
{
    return select_any(o, 1);
}

static yoke_status multiply_any(const operands *o, int64_t m, int64_t n, int64_t k)
{
    yoke_matmul_options options = YOKE_MATMUL_OPTIONS_INIT;
    yoke_var vars[MOST];
    const int64_t all[] = { m, n };
    options.flags = YOKE_MATMUL_EXACT;
    options.epilogue = o->value;
    options.vars = vars;
    options.var_count = 2 + o->more_count;
    vars[0] = yoke_var_array(o->x_name, array_at(o, 1, 2, all));
    vars[1] = yoke_var_array("xx_y", array_at(o, 2, 2, all));
    memcpy(vars + 2, o->more, o->more_count * sizeof *vars);
    yoke_array c = array_at(o, 0, 2, all), a = array_at(o, 3, 2, (const int64_t[]){ m, k });
    yoke_array b = array_at(o, 3, 2, (const int64_t[]){ k, n });
    return yoke_matmul(o->t->stream, &c, &a, &b, &options);
}
static yoke_status multiply_tiles(const operands *o)
{
    return multiply_any(o, SIDE, SIDE, SIDE);
}
static yoke_status multiply_vector(const operands *o)
{
    return multiply_any(o, SIDE, 1, SIDE);
}
static yoke_status multiply_slices(const operands *o)
{
    return multiply_any(o, 32, 32, DEPTH);
}

static const yops_traits cpu = { .is_cpu = true, .compute_units = 4, .max_block_threads = 1024, .max_shared_bytes = 49152 };
static const yops_traits gpu = { .compute_units = 80, .max_block_threads = 1024, .max_shared_bytes = 49152 };
static const yops_traits nvidia = {
    .blocks_progress = true, .compute_units = 80, .max_block_threads = 1024, .max_shared_bytes = 49152
};

static const struct form {
    const char *name;
    const yops_traits *traits;
    yoke_status (*call)(const operands *o);
} forms[SOURCES_FORMS] = {
    { "a map by chunks", &gpu, by_grid },
    { "a map by chunks of rows, with wide offsets", &gpu, by_wide_grid },
    { "a map by tiles", &gpu, by_tiles },
    { "a map by rows on a CPU", &cpu, by_rows },
    { "a map by tiles on a CPU", &cpu, by_blocks },
    { "a reduction by blocks", &gpu, reduce_all },
    { "a reduction of columns by blocks", &gpu, reduce_columns },
    { "a reduction on a CPU", &cpu, reduce_all },
    { "a reduction of columns on a CPU", &cpu, reduce_columns },
    { "a reduction of segments by blocks", &gpu, reduce_segments },
    { "a reduction of segments on a CPU", &cpu, reduce_segments },
    { "a selection in a single pass", &nvidia, select_other },
    { "a selection of what is tested, in a single pass", &nvidia, select_itself },
    { "a selection by threads", &gpu, select_other },
    { "a product by blocks", &gpu, multiply_tiles },
    { "a product on a CPU", &cpu, multiply_tiles },
    { "a product with a vector by blocks", &gpu, multiply_vector },
    { "a product with a vector on a CPU", &cpu, multiply_vector },
    { "the end of a product in slices", &gpu, multiply_slices },
};
bool sources_operands_create(suite *t, int32_t dtype, operands *o)
{
    *o = (operands){ .t = t, .dtype = dtype, .x_name = "xx_x" };
    return CHECK_OK(yoke_buffer_create(t->device, 8 * (size_t)(8 * COUNT + 32 * DEPTH), &o->buffer));
}

const char *sources_name(int form)
{
    return forms[form].name;
}

yoke_status sources_call(const operands *o, int form)
{
    yops_traits_force = forms[form].traits;
    yops_matmul_force.by_blocks = !forms[form].traits->is_cpu;
    return forms[form].call(o);
}

bool sources_try(const operands *o, int form)
{
    unsigned before = sources.count;
    yoke_status status = sources_call(o, form);
    if (CHECK(status == SOURCES_STOPPED && sources.count == before + 1 && !sources.fails))
        return true;
    tap_diag("%s, \"%s\": %s", forms[form].name, o->value, status == SOURCES_STOPPED ? "does not compile" : yoke_error()->text);
    return false;
}

/* ---- Words of the kernels ---- */

typedef sources_words words;

static bool is_name(const char *word)
{
    return isalpha((unsigned char)*word) || *word == '_';
}

static void add_word(words *w, const char *text, size_t length)
{
    for (size_t i = 0; i < w->count; i++)
        if (strncmp(w->all[i], text, length) == 0 && !w->all[i][length])
            return;
    if (w->count == w->room) {
        char **all = memory_new((2 * w->room + 256) * sizeof *all);
        if (w->count)
            memcpy(all, w->all, w->count * sizeof *all);
        memory_free(w->all);
        w->all = all;
        w->room = 2 * w->room + 256;
    }
    w->all[w->count] = memory_new(length + 1);
    memcpy(w->all[w->count], text, length);
    w->all[w->count++][length] = '\0';
}

/* Every identifier, of comments too. */
static void add_words(words *w, const char *text)
{
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        if (length > 0 && is_name(text) && length < 200)
            add_word(w, text, length);
        text += length ? length : 1;
    }
}

void sources_release_words(words *w)
{
    for (size_t i = 0; i < w->count; i++)
        memory_free(w->all[i]);
    memory_free(w->all);
    *w = (words){ 0 };
}

static void add_expanded(words *w, const char *language)
{
    yoke_source source = YOKE_SOURCE_INIT;
    size_t size = 0;
    source.text = "#include <yoke/kernel.h>\n#include <yoke/types.h>\n#include <yoke/block_scan.h>\n";
    if (!CHECK_OK(yoke_source_expand(&source, language, NULL, 0, &size)))
        return;
    char *text = memory_new(size + 1);
    if (CHECK_OK(yoke_source_expand(&source, language, text, size, &size))) {
        text[size] = '\0';
        add_words(w, text);
    }
    memory_free(text);
}

void sources_find_words(operands *o, words *w)
{
    *w = (words){ 0 };
    add_words(w,
              "round i n T kernel get_global_id float4 half min int threadIdx blockIdx signed template class global local x y s0 "
              "constant uint complex double2 sin mix step sign select clamp mul_hi operator this new private namespace bool true");
    for (const yops_text *text = yops_texts; text->name; text++)
        add_words(w, text->text);
    add_expanded(w, "opencl");
    add_expanded(w, "cuda");
    o->value = "sin(xx_x) + ldexp(xx_x, 2) + round(xx_x) + i";
    for (int form = 0; form < SOURCES_FORMS; form++)
        if (sources_try(o, form))
            add_words(w, sources.text);
}
