/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of `yoke cc --run`, made from what the compiled kernels say of their parameters. The same command line makes the same
 * data everywhere.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

enum { USUAL_SIZE = 1000, USUAL_BLOCK = 256 };

/* A kernel's parameters in both forms. A __local one in OpenCL is none in CUDA. */
typedef struct pair {
    yoke_param_info one, other;
} pair;

typedef struct maker {
    const tool_command *command;
    cc_run *run;
    const char *kernel;
    size_t usual; /* of an integer */
    size_t total; /* the product of the sizes that name integers */
} maker;

/* ---- Parameters ---- */

static yoke_status get_params(yoke_kernel *kernel, pair *pairs, size_t count, bool first, bool other_local)
{
    size_t index = 0;
    for (size_t i = 0; i < count; i++) {
        yoke_param_info *info = first ? &pairs[i].one : &pairs[i].other;
        *info = (yoke_param_info)YOKE_PARAM_INFO_INIT;
        if (!first && other_local && pairs[i].one.kind == YOKE_PARAM_LOCAL) {
            *info = pairs[i].one;
            continue;
        }
        if (yoke_kernel_get_param(kernel, index++, info) < 0)
            return yoke_error()->status;
    }
    return YOKE_OK;
}

/* The pairs, to be freed; NULL: complained. */
static pair *get_pairs(const maker *m, yoke_kernel *const kernels[2], size_t *out_count)
{
    yoke_kernel_info infos[2] = { YOKE_KERNEL_INFO_INIT, YOKE_KERNEL_INFO_INIT };
    for (int i = 0; i < 2; i++)
        if (yoke_kernel_get_info(kernels[i], &infos[i]) < 0 || infos[i].parameters < 0) {
            tool_complain(m->command, "kernel %s: a driver does not tell its parameters", m->kernel);
            return NULL;
        }
    int most = infos[0].parameters >= infos[1].parameters ? 0 : 1, least = 1 - most;
    size_t count = (size_t)infos[most].parameters, locals = 0, fewer = count - (size_t)infos[least].parameters;
    pair *pairs = tool_alloc((count + 1) * sizeof *pairs);
    yoke_status status = get_params(kernels[most], pairs, count, true, false);
    for (size_t i = 0; i < count; i++)
        locals += pairs[i].one.kind == YOKE_PARAM_LOCAL;
    if (status == YOKE_OK && fewer != 0 && fewer != locals) {
        tool_complain(m->command, "kernel %s: %d parameters in one form and %d in the other", m->kernel,
                      (int)infos[most].parameters, (int)infos[least].parameters);
        free(pairs);
        return NULL;
    }
    if (status == YOKE_OK)
        status = get_params(kernels[least], pairs, count, false, fewer != 0);
    if (status < 0) {
        tool_complain(m->command, "%s", yoke_error()->text);
        free(pairs);
        return NULL;
    }
    *out_count = count;
    return pairs;
}

/* The elements of a parameter, and how many of them are one of its values: a float4 is four. False: its type is not known. */
static bool type_of(const yoke_param_info *info, run_type *out_type, size_t *out_lanes)
{
    static const yk_scalar_kind kinds[] = { [YOKE_SCALAR_BOOL] = YK_SCALAR_BOOL,
                                            [YOKE_SCALAR_SIGNED] = YK_SCALAR_SIGNED,
                                            [YOKE_SCALAR_UNSIGNED] = YK_SCALAR_UNSIGNED,
                                            [YOKE_SCALAR_FLOATING] = YK_SCALAR_FLOATING };
    _Static_assert(YK_COUNT_OF(kinds) == YOKE_SCALAR_FLOATING + 1, "a kind for each public one");
    yk_type type;
    *out_lanes = 1;
    if (info->scalar > YOKE_SCALAR_UNKNOWN && (size_t)info->scalar < YK_COUNT_OF(kinds)) {
        *out_type = (run_type){ kinds[info->scalar], info->scalar_bytes };
        return true;
    }
    /* Three components are four in OpenCL C. */
    if (!yk_type_read(true, info->type, &type) || type.pointers > 1 || type.lanes == 3)
        return false;
    *out_type = (run_type){ type.kind, type.bytes };
    *out_lanes = type.lanes;
    return true;
}

static bool named_type(const char *word, run_type *out_type, size_t *out_lanes)
{
    yk_type type;
    if (!yk_type_read(true, word, &type) || type.pointers > 0 || type.lanes == 3)
        return false;
    *out_type = (run_type){ type.kind, type.bytes };
    *out_lanes = type.lanes;
    return true;
}

/* A parameter whose value --size may be. */
static bool is_integer(const pair *p)
{
    run_type type;
    size_t lanes;
    return p->one.kind == YOKE_PARAM_VALUE && (type_of(&p->one, &type, &lanes) || type_of(&p->other, &type, &lanes)) &&
           lanes == 1 && type.kind != YK_SCALAR_FLOATING;
}

/* ---- Sizes ---- */

/* What an integer is unless --size says it, and what a buffer has: from the sizes that name integers. */
static bool find_sizes(maker *m, const pair *pairs, size_t count)
{
    bool any = false;
    m->usual = USUAL_SIZE;
    m->total = 1;
    if (m->run->sizes.count > 0 && !cc_size_of(m->command, m->run, &m->run->sizes.list[0], &m->usual))
        return false;
    for (size_t i = 0; i < count; i++) {
        cc_setting *setting = cc_find_setting(&m->run->sizes, pairs[i].one.name, pairs[i].other.name);
        size_t size;
        if (!setting || !is_integer(&pairs[i]))
            continue;
        if (!cc_size_of(m->command, m->run, setting, &size))
            return false;
        m->total = size && m->total > PTRDIFF_MAX / size ? PTRDIFF_MAX : m->total * size;
        any = true;
    }
    if (!any)
        m->total = m->usual;
    return true;
}

/* ---- Values ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t bits = *state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

static void fill(const maker *m, run_arg *arg, size_t index, double from, double to)
{
    uint64_t state = m->run->seed * 0x2545f4914f6cdd1du + index * 0x9e3779b97f4a7c15u * 977;
    bool whole = arg->type.kind != YK_SCALAR_FLOATING;
    for (size_t at = 0; at < arg->size; at += arg->type.bytes) {
        double part = (double)(next_random(&state) >> 11) * 0x1p-53, value = from + part * (to - from);
        run_set_element(arg->type, arg->before + at, whole ? floor(value) : value);
    }
}

/* Whether integers of the type can be what the range says; of a floating-point type any can. */
static bool fits(run_type type, double from, double to)
{
    double end = run_type_end(type), least = type.kind == YK_SCALAR_SIGNED ? -end : 0;
    return type.kind == YK_SCALAR_FLOATING || (from >= least && from < end && to <= end && (from < to || from == floor(from)));
}

/* The values that a parameter has where nothing is said of them. */
static void usual_range(const maker *m, const run_arg *arg, bool single, double *out_from, double *out_to)
{
    bool floating = arg->type.kind == YK_SCALAR_FLOATING;
    double end = run_type_end(arg->type), most = (double)m->usual;
    *out_from = floating ? -1 : single ? most : 0;
    *out_to = floating ? 1 : single ? most : most < 1 ? 1 : most;
    if (*out_to > end)
        *out_to = end;
}

static int fill_generated(const maker *m, run_arg *arg, const pair *p, size_t index)
{
    cc_setting *range = cc_find_setting(&m->run->ranges, p->one.name, p->other.name);
    cc_setting *size = is_integer(p) ? cc_find_setting(&m->run->sizes, p->one.name, p->other.name) : NULL;
    double from, to;
    size_t number;
    usual_range(m, arg, is_integer(p), &from, &to);
    if (size) {
        if (!cc_size_of(m->command, m->run, size, &number))
            return TOOL_USAGE;
        from = to = (double)number;
        if (from >= run_type_end(arg->type))
            return tool_misused(m->command, "--size %s: '%s' has %u bytes, which is too few for it", size->name, arg->name,
                                (unsigned)arg->size);
    }
    if (range) {
        (void)cc_range_of(range->value, &from, &to);
        if (!fits(arg->type, from, to))
            return tool_misused(m->command, "--range %s: '%s' is of integers of %u bytes, which have no such values", range->name,
                                arg->name, (unsigned)arg->type.bytes);
    }
    fill(m, arg, index, from, to);
    return TOOL_FINE;
}

static int fill_from_file(const maker *m, run_arg *arg, const cc_setting *file, bool typed)
{
    run_type type;
    size_t size;
    char *why = NULL;
    unsigned char *bytes = run_read_npy(file->value, &type, &size, &why);
    if (!bytes) {
        tool_complain(m->command, "%s", why);
        free(why);
        return TOOL_USAGE;
    }
    free(arg->before);
    arg->before = bytes;
    if (typed && (type.bytes != arg->type.bytes || type.kind != arg->type.kind))
        return tool_misused(m->command, "--data %s: its elements are of another type than those of '%s'", file->name, arg->name);
    if (arg->kind == YOKE_PARAM_VALUE && arg->size != 0 && size != arg->size)
        return tool_misused(m->command, "--data %s: it has %zu bytes, and '%s' %zu", file->name, size, arg->name, arg->size);
    arg->type = type;
    arg->size = size;
    return TOOL_FINE;
}

/* ---- Arguments ---- */

static int make_local(const maker *m, run_arg *arg, const pair *p)
{
    cc_setting *size = cc_find_setting(&m->run->sizes, p->one.name, p->other.name);
    if (!size)
        return tool_misused(m->command, "kernel %s: '%s' is shared memory; --size %s=BYTES says how much", m->kernel, arg->name,
                            arg->name);
    return cc_size_of(m->command, m->run, size, &arg->size) ? TOOL_FINE : TOOL_USAGE;
}

/* The bytes of a value. Of a struct not every driver tells them. */
static int value_size(const maker *m, run_arg *arg, const pair *p, size_t lanes, bool declared)
{
    cc_setting *size = is_integer(p) ? NULL : cc_find_setting(&m->run->sizes, p->one.name, p->other.name);
    size_t length = lanes;
    if (size && declared)
        return tool_misused(m->command, "--size %s: '%s' is no integer; --range gives it a value", size->name, arg->name);
    if (size && !cc_size_of(m->command, m->run, size, &length))
        return TOOL_USAGE;
    arg->size = p->one.bytes ? p->one.bytes : p->other.bytes;
    if (arg->size == 0 && !declared && !size)
        return tool_misused(m->command,
                            "kernel %s: no driver tells how large '%s' is; --size %s=COUNT says how many of --type it has",
                            m->kernel, arg->name, arg->name);
    if (arg->size == 0)
        arg->size = (length > UINT16_MAX ? UINT16_MAX : length) * arg->type.bytes;
    if (arg->size % arg->type.bytes != 0 || (size && arg->size != length * arg->type.bytes))
        return tool_misused(m->command, "kernel %s: '%s' has %zu bytes, and not those of --type and --size", m->kernel, arg->name,
                            arg->size);
    return TOOL_FINE;
}

/* The bytes of a buffer. */
static int buffer_size(const maker *m, run_arg *arg, const pair *p, size_t lanes)
{
    cc_setting *size = cc_find_setting(&m->run->sizes, p->one.name, p->other.name);
    size_t length = m->total, each = lanes * arg->type.bytes;
    if (size && !cc_size_of(m->command, m->run, size, &length))
        return TOOL_USAGE;
    if (length > PTRDIFF_MAX / each)
        return tool_misused(m->command, "kernel %s: '%s' is larger than any memory", m->kernel, arg->name);
    arg->size = length * each;
    return TOOL_FINE;
}

static int make_arg(const maker *m, const pair *p, size_t index, run_arg *arg)
{
    const yoke_param_info *one = &p->one, *other = &p->other;
    cc_setting *type = cc_find_setting(&m->run->types, one->name, other->name);
    cc_setting *file = cc_find_setting(&m->run->files, one->name, other->name);
    size_t lanes = 1;
    snprintf(arg->name, sizeof arg->name, "%s", *one->name ? one->name : other->name);
    arg->same = index;
    arg->kind = one->kind != YOKE_PARAM_UNKNOWN ? one->kind : other->kind;
    arg->read_only = one->read_only == 1 && other->read_only == 1;
    if (arg->kind == YOKE_PARAM_LOCAL)
        return make_local(m, arg, p);
    if (arg->kind != YOKE_PARAM_VALUE && arg->kind != YOKE_PARAM_BUFFER) {
        tool_complain(m->command, "kernel %s: '%s' is %s, which --run cannot give", m->kernel, arg->name,
                      arg->kind == YOKE_PARAM_IMAGE ? "an image" : "of a kind that no driver tells");
        return TOOL_USAGE;
    }
    if (type && !named_type(type->value, &arg->type, &lanes))
        return tool_misused(
            m->command, "--type %s: no such type; examples are float, uint, double4%s", type->name,
            strchr(type->value, '3')
                ? "; three components take the place of four in OpenCL C: name the type of one, and four of them in --size"
                : "");
    bool declared = !type && (type_of(one, &arg->type, &lanes) || type_of(other, &arg->type, &lanes)), typed = type || declared;
    if (!typed && !file)
        return tool_misused(m->command,
                            "kernel %s: '%s' is of the type '%s'; --type %s=float says what it is made of, or --data has it",
                            m->kernel, arg->name, *one->type ? one->type : other->type, arg->name);
    if (file) {
        arg->size = one->bytes ? one->bytes : other->bytes; /* of a value */
        return fill_from_file(m, arg, file, typed);
    }
    int code = arg->kind == YOKE_PARAM_VALUE ? value_size(m, arg, p, lanes, declared) : buffer_size(m, arg, p, lanes);
    if (code != TOOL_FINE)
        return code;
    arg->before = tool_alloc(arg->size + 1);
    return fill_generated(m, arg, p, index);
}

/* ---- The shape ---- */

/* A block that both kernels can have, and blocks enough for as many threads as the buffers have elements. */
static int make_shape(const maker *m, yoke_kernel *const kernels[2], run_case *c)
{
    uint32_t most = USUAL_BLOCK;
    c->block = m->run->block;
    c->grid = m->run->grid;
    for (int i = 0; i < 2; i++) {
        yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
        if (yoke_kernel_get_info(kernels[i], &info) < 0)
            continue;
        if (c->block.x == 0 && info.required_block[0])
            c->block = (yoke_dim){ info.required_block[0], info.required_block[1], info.required_block[2] };
        most = info.max_block_threads && info.max_block_threads < most ? info.max_block_threads : most;
    }
    if (c->block.x == 0)
        c->block = (yoke_dim){ most, 1, 1 };
    if (c->grid.x > 0)
        return TOOL_FINE;
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z, blocks = m->total / threads + (m->total % threads != 0);
    if (blocks > INT32_MAX)
        return tool_misused(m->command, "kernel %s: more than one thread for each of %zu elements; --grid says how many blocks",
                            m->kernel, m->total);
    c->grid = (yoke_dim){ blocks ? (uint32_t)blocks : 1, 1, 1 };
    return TOOL_FINE;
}

int cc_make_case(const tool_command *command, cc_run *run, yoke_kernel *const kernels[2], run_case *out_case)
{
    maker m = { .command = command, .run = run, .kernel = out_case->kernel };
    size_t count = 0;
    pair *pairs = get_pairs(&m, kernels, &count);
    if (!pairs)
        return TOOL_WRONG;
    int code = find_sizes(&m, pairs, count) ? TOOL_FINE : TOOL_USAGE;
    out_case->args = tool_alloc((count + 1) * sizeof *out_case->args);
    out_case->count = count;
    out_case->shared = run->shared;
    for (size_t i = 0; i < count && code == TOOL_FINE; i++)
        code = make_arg(&m, &pairs[i], i, &out_case->args[i]);
    if (code == TOOL_FINE)
        code = make_shape(&m, kernels, out_case);
    free(pairs);
    return code;
}
