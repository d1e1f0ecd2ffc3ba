/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be done with a source where its device is not: its includes expanded, its text compiled. For builds that compile kernels
 * when the program is built.
 */
#include <string.h>

#include "backend.h"
#include "base/process/fork.h"
#include "base/sizes.h"
#include "program/include/include.h"
#include "program/program.h"
#include "program/source.h"

/* Where a result goes: the arguments of a caller. */
typedef struct result {
    void *target;
    size_t capacity, *out_size;
} result;

static result result_in(void *target, size_t capacity, size_t *out_size)
{
    result r;
    r.target = target;
    r.capacity = capacity;
    r.out_size = out_size;
    return r;
}

static yoke_status check_result(const char *function, const yoke_source *source, const result *r)
{
    if (!r->out_size)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_size is NULL", function);
    *r->out_size = 0;
    if (!r->target && r->capacity > 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: target is NULL, capacity is %zu", function, r->capacity);
    if (!source)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source is NULL", function);
    return YOKE_OK;
}

static void give(const result *r, const yk_text *bytes)
{
    if (r->target && bytes->length > 0 && bytes->length <= r->capacity)
        memcpy(r->target, bytes->data, bytes->length);
    *r->out_size = bytes->length;
}

/* Check a source, and expand the includes of its text in a language. `outside`: as for yk_include_expand. */
static yoke_status expand_text(const char *function, const yoke_source *source, yk_language language, yk_outside *outside,
                               yk_text *out_text)
{
    size_t size;
    yk_line_map lines = { 0 };
    char name[sizeof((yoke_program *)0)->name];
    yoke_status status = yk_source_check_in(function, language, source);
    if (status < 0)
        return status;
    yk_name_copy(name, sizeof name, source->name ? source->name : "program");
    const char *text = yk_source_text_in(source, language, &size);
    status = yk_include_expand(function, source, language, text, size, name, outside, out_text, &lines);
    yk_line_map_free(&lines);
    return status;
}

static yoke_status expand(const char *function, const yoke_source *caller_source, const char *word, const result *r)
{
    yk_language language;
    yoke_source source;
    yk_source_file file;
    yk_text text = { 0 };
    yoke_status status = check_result(function, caller_source, r);
    if (status < 0)
        return status;
    if (!word || !yk_source_language(word, &language))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: language is %s%.20s; it must be \"cuda\" or \"opencl\"", function,
                       word ? "" : "NULL", word ? word : "");
    status = yk_source_open(function, language, caller_source, &source, &file);
    if (status == YOKE_OK)
        status = expand_text(function, &source, language, NULL, &text);
    if (status == YOKE_OK)
        give(r, &text);
    yk_source_close(&file);
    yk_text_free(&text);
    return status;
}

yoke_status yoke_source_expand(const yoke_source *source, const char *language, char *target, size_t capacity, size_t *out_size)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_source_expand);
    result r = result_in(target, capacity, out_size);
    return yk_attribute_site(function, NULL, expand(function, source, language, &r));
}

/* ---- Compiling ---- */

/* The backend whose compiler knows architectures of this form; NULL when none does. It becomes part of an option, so other
 * characters are rejected. */
static const yk_backend *find_backend(const char *architecture, yk_language *out_language)
{
    static const yk_backend *const backends[] = {
#define YK_BACKEND_ADDRESS(name) &yk_backend_##name,
        YK_BACKENDS(YK_BACKEND_ADDRESS)
    };
    if (!architecture || architecture[strspn(architecture, "abcdefghijklmnopqrstuvwxyz0123456789_")])
        return NULL;
    for (size_t i = 0; i < YK_COUNT_OF(backends); i++)
        if (backends[i]->program_architecture(architecture, out_language))
            return backends[i];
    return NULL;
}

static yoke_status compile(const char *function, const yoke_source *caller_source, const char *architecture, uint32_t flags,
                           const result *r)
{
    yk_language language;
    yoke_source source;
    yk_source_file file;
    yk_outside outside = { 0 };
    yk_text text = { 0 }, bytes = { 0 };
    yoke_status status = check_result(function, caller_source, r);
    if (status == YOKE_OK)
        status = yk_fork_check(function);
    if (status < 0)
        return status;
    const yk_backend *backend = find_backend(architecture, &language);
    if (!backend)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: architecture is %s%.40s; examples are \"sm_90\" and \"compute_90\"", function,
                       architecture ? "" : "NULL", architecture ? architecture : "");
    if (flags & ~(uint32_t)YOKE_COMPILE_BARE)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: flags is 0x%x; only YOKE_COMPILE_BARE (0x%x) is defined", function,
                       (unsigned)flags, (unsigned)YOKE_COMPILE_BARE);
    status = yk_source_open(function, language, caller_source, &source, &file);
    yoke_program *program = status == YOKE_OK ? yk_program_new(NULL, source.name) : NULL;
    if (status == YOKE_OK && !program)
        status = YOKE_E_OUT_OF_HOST_MEMORY;
    backend->program_include_folders(NULL, &outside.folders);
    if (status == YOKE_OK)
        status = expand_text(function, &source, language, &outside, &text);
    source.include_folders = outside.used ? outside.search : NULL;
    if (status == YOKE_OK)
        status = backend->program_compile(program, &source, &text, architecture, &program->log);
    if (status == YOKE_E_BUILD)
        yk_source_hint(&text);
    if (program)
        yk_text_add_bytes(yk_thread_text(YK_BUILD_LOG), yk_text_get(&program->log), program->log.length);
    if (status == YOKE_OK && !(flags & YOKE_COMPILE_BARE))
        status = yk_program_write_portable(program, &bytes);
    if (status == YOKE_OK && flags & YOKE_COMPILE_BARE && program->code_kind == YK_CODE_PTX)
        while (program->code.length > 0 && program->code.data[program->code.length - 1] == '\0')
            program->code.length--; /* a file of PTX has no terminator */
    if (status == YOKE_OK)
        give(r, flags & YOKE_COMPILE_BARE ? &program->code : &bytes);
    if (program)
        yk_program_destroy(program);
    yk_source_close(&file);
    yk_outside_free(&outside);
    yk_text_free(&bytes);
    yk_text_free(&text);
    return status;
}

yoke_status yoke_source_compile(const yoke_source *source, const char *architecture, uint32_t flags, void *target, size_t capacity,
                                size_t *out_size)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_source_compile);
    result r = result_in(target, capacity, out_size);
    yk_text_free(yk_thread_text(YK_BUILD_LOG));
    return yk_attribute_site(function, NULL, compile(function, source, architecture, flags, &r));
}
