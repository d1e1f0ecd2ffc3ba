/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: looked up once, kept by their program, with the signature that every launch is checked against. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "program.h"

static size_t kernel_size(const char *name)
{
    return sizeof(yoke_kernel) + strlen(name) + 1;
}

void yk_kernel_destroy(yoke_kernel *kernel)
{
    kernel->program->device->backend->kernel_destroy(kernel);
    free(kernel->heads);
    free(kernel->params);
    yk_object_free(kernel, kernel_size(kernel->name));
}

yoke_status yk_kernel_add_param(yoke_kernel *kernel, const yk_param *param)
{
    if (kernel->takes_shared)
        return yk_fail(YOKE_E_UNSUPPORTED,
                       "kernel '%s': parameter %d '%s' follows a __local parameter; dynamic shared memory has to be the "
                       "kernel's one last parameter",
                       kernel->name, kernel->param_count, param->name);
    if (param->kind == YK_PARAM_SHARED) {
        kernel->takes_shared = true;
        return YOKE_OK;
    }
    if (kernel->param_count == YOKE_MAX_ARGS)
        return yk_fail(YOKE_E_UNSUPPORTED, "kernel '%s' has more than %d parameters; put some into a struct", kernel->name,
                       YOKE_MAX_ARGS);
    yk_param *params = realloc(kernel->params, ((size_t)kernel->param_count + 1) * sizeof *params);
    if (!params)
        return yk_no_memory("a kernel's signature");
    kernel->params = params;
    kernel->params[kernel->param_count++] = *param;
    return YOKE_OK;
}

/* Larger blocks seldom help a one-dimensional kernel. */
#define AUTOMATIC_BLOCK 256

/* As near to that as the kernel allows, in whole multiples of what it prefers. */
static uint32_t choose_block(const yoke_kernel_info *info)
{
    uint32_t block = info->max_block_threads < AUTOMATIC_BLOCK ? info->max_block_threads : AUTOMATIC_BLOCK;
    uint32_t multiple = info->preferred_multiple;
    if (multiple > block && multiple <= info->max_block_threads)
        return multiple;
    return multiple && block > multiple ? block - block % multiple : block;
}

static yk_arg_head head(uint32_t kind, uint32_t size)
{
    yoke_arg arg = { kind, size, { 0 } };
    yk_arg_head word;
    memcpy(&word, &arg, sizeof word);
    return word;
}

static yoke_status note_heads(yoke_kernel *kernel)
{
    if (kernel->param_count <= 0)
        return YOKE_OK;
    kernel->heads = calloc((size_t)kernel->param_count, sizeof *kernel->heads);
    if (!kernel->heads)
        return yk_no_memory("a kernel's signature");
    for (int i = 0; i < kernel->param_count; i++) {
        const yk_param *param = &kernel->params[i];
        bool by_value = param->kind != YK_PARAM_BUFFER && param->size >= 1 && param->size <= 8;
        bool buffer = param->kind == YK_PARAM_BUFFER || (param->kind == YK_PARAM_ANY && param->size == sizeof(uint64_t));
        kernel->heads[i][0] = by_value ? head(YOKE_ARG_SCALAR, param->size) : UINT64_MAX;
        kernel->heads[i][1] = buffer ? head(YOKE_ARG_BUFFER, sizeof(yoke_buffer *)) : UINT64_MAX;
    }
    return YOKE_OK;
}

/* There is no such kernel: say which there are, and which may have been meant. Changes the names' separators. */
static void add_names(const yoke_program *program, const char *wanted)
{
    yoke_error_info record = *yoke_error();
    yk_text names = { 0 };
    program->device->backend->program_kernel_names(program, &names);
    yk_error_restore(&record);
    if (names.length)
        yk_error_append("; it has %s", names.data);

    const char *candidates[64];
    size_t count = 0;
    for (char *name = names.data; name && count < YK_COUNT_OF(candidates); count++) {
        candidates[count] = name;
        name = strchr(name, ';');
        if (name)
            *name++ = '\0';
    }
    const char *nearest = yk_nearest(wanted, candidates, count);
    if (nearest)
        yk_error_append("; did you mean '%s'?", nearest);
    yk_text_free(&names);
}

/* With program->lock held. */
static yoke_status create(yoke_program *program, const char *name, yoke_kernel **out_kernel)
{
    size_t size = kernel_size(name);
    yoke_kernel *kernel = yk_object_new(YK_KERNEL, size);
    if (!kernel)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    kernel->program = program;
    memcpy(kernel->name, name, strlen(name) + 1);
    yoke_status status = YOKE_E_OUT_OF_HOST_MEMORY;
    kernel->native_name = yk_program_lowered(program, kernel->name);
    kernel->lasting_name = yk_intern(name);
    if (!kernel->lasting_name)
        goto no_native;
    status = program->device->backend->kernel_create(kernel);
    if (status < 0)
        goto no_native;
    status = yk_program_complete_signature(kernel);
    if (status == YOKE_OK)
        status = note_heads(kernel);
    if (status < 0)
        goto no_heads;
    kernel->info.size = sizeof kernel->info;
    kernel->info.parameters = kernel->param_count;
    kernel->automatic_block = choose_block(&kernel->info);
    kernel->next = program->kernels;
    program->kernels = kernel;
    *out_kernel = kernel;
    return YOKE_OK;

no_heads:
    program->device->backend->kernel_destroy(kernel);
no_native:
    if (status == YOKE_E_NOT_FOUND)
        add_names(program, name);
    free(kernel->params);
    yk_object_free(kernel, size);
    return status;
}

yoke_status yk_kernel_find(yoke_program *program, const char *name, yoke_kernel **out_kernel)
{
    yoke_status status = YOKE_OK;
    pthread_mutex_lock(&program->lock);
    yoke_kernel *kernel = program->kernels;
    while (kernel && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    if (!kernel)
        status = create(program, name, &kernel);
    pthread_mutex_unlock(&program->lock);
    *out_kernel = kernel;
    return status;
}

yoke_status yoke_kernel_get(yoke_program *program, const char *name, yoke_kernel **out_kernel)
{
    static const char function[] = "yoke_kernel_get";
    if (!out_kernel)
        return yk_blame(function, NULL, yk_fail(YOKE_E_INVALID, "%s: out_kernel is NULL", function));
    *out_kernel = NULL;
    YK_CHECK(program, YK_PROGRAM, function, "program");
    if (!name || !*name)
        return yk_blame(function, NULL, yk_fail(YOKE_E_INVALID, "%s: name is %s", function, name ? "empty" : "NULL"));

    yoke_status status = yk_program_wait(program);
    if (status == YOKE_OK)
        status = yk_kernel_find(program, name, out_kernel);
    return status < 0 ? yk_blame(function, NULL, status) : status;
}

yoke_status yoke_kernel_get_info(const yoke_kernel *kernel, yoke_kernel_info *out_info)
{
    static const char function[] = "yoke_kernel_get_info";
    if (!out_info || !out_info->size)
        return yk_blame(function, NULL,
                        yk_fail(YOKE_E_INVALID, "%s: out_info %s", function,
                                out_info ? "has size 0; start from YOKE_KERNEL_INFO_INIT" : "is NULL"));
    YK_CHECK(kernel, YK_KERNEL, function, "kernel");
    size_t size = out_info->size < sizeof kernel->info ? out_info->size : sizeof kernel->info;
    memcpy(out_info, &kernel->info, size);
    if (size >= sizeof out_info->size)
        out_info->size = size;
    return YOKE_OK;
}

/* ---- Checking arguments ---- */

/* A parameter as messages name it: its position from 1, and its name where that is known. */
static const char *param_text(char *target, size_t size, const yoke_kernel *kernel, size_t i)
{
    yk_text text = { 0 };
    yk_text_add(&text, "parameter %zu", i + 1);
    if (i < (size_t)(kernel->param_count > 0 ? kernel->param_count : 0) && kernel->params[i].name[0])
        yk_text_add(&text, " '%s'", kernel->params[i].name);
    yk_string_copy(target, size, yk_text_get(&text));
    yk_text_free(&text);
    return target;
}

static yoke_status check_buffer(const yoke_kernel *kernel, const yoke_stream *stream, const char *function,
                                const yoke_buffer *buffer, size_t i)
{
    char param[64];
    if (YK_UNLIKELY(!yk_is(buffer, YK_BUFFER))) {
        char argument[160];
        yk_text text = { 0 };
        yk_text_add(&text, "the buffer for %s of kernel '%.60s'", param_text(param, sizeof param, kernel, i), kernel->name);
        yk_string_copy(argument, sizeof argument, yk_text_get(&text));
        yk_text_free(&text);
        return yk_object_fault(buffer, YK_BUFFER, function, argument);
    }
    if (YK_UNLIKELY(buffer->device != stream->device))
        return yk_fail(YOKE_E_INVALID, "%s: kernel '%s', %s: the buffer belongs to another device (%s) than the stream (%s)",
                       function, kernel->name, param_text(param, sizeof param, kernel, i), buffer->device->info.selector,
                       stream->device->info.selector);
    if (YK_UNLIKELY(buffer->kind == YOKE_MEMORY_PINNED))
        return yk_fail(YOKE_E_ARGUMENT, "%s: kernel '%s', %s: the buffer is pinned host memory; copy it to a device buffer",
                       function, kernel->name, param_text(param, sizeof param, kernel, i));
    if (YK_UNLIKELY(buffer->misaligned))
        return yk_fail(YOKE_E_ARGUMENT,
                       "%s: kernel '%s', %s: the view starts at byte %zu of its buffer; as a kernel argument on %s it has to "
                       "start at a multiple of %llu",
                       function, kernel->name, param_text(param, sizeof param, kernel, i), buffer->offset,
                       stream->device->info.selector, (unsigned long long)stream->device->info.view_alignment);
    return YOKE_OK;
}

static yoke_status wrong_kind(const yoke_kernel *kernel, const char *function, const yoke_arg *arg, size_t i)
{
    const yk_param *param = &kernel->params[i];
    char text[64];
    return yk_fail(YOKE_E_ARGUMENT, "%s: kernel '%s', %s%s%s%s takes %s, but a %s was given", function, kernel->name,
                   param_text(text, sizeof text, kernel, i), param->type[0] ? " (" : "", param->type, param->type[0] ? ")" : "",
                   param->kind == YK_PARAM_BUFFER ? "a buffer" : "a value", arg->kind == YOKE_ARG_BUFFER ? "buffer" : "value");
}

static yoke_status wrong_width(const yoke_kernel *kernel, const char *function, const yoke_arg *arg, size_t i, size_t given)
{
    const yk_param *param = &kernel->params[i];
    char text[64];
    return yk_fail(YOKE_E_ARGUMENT, "%s: kernel '%s', %s%s%s%s is %u bytes wide, but a %s of %zu bytes was given", function,
                   kernel->name, param_text(text, sizeof text, kernel, i), param->type[0] ? " (" : "", param->type,
                   param->type[0] ? ")" : "", (unsigned)param->size,
                   arg->kind == YOKE_ARG_BUFFER   ? "buffer"
                   : arg->kind == YOKE_ARG_STRUCT ? "struct"
                                                  : "scalar",
                   given);
}

/* Whether the argument means anything at all, whatever the kernel. */
static yoke_status check_value(const yoke_kernel *kernel, const char *function, const yoke_arg *arg, size_t i)
{
    char text[64];
    bool sound = (arg->kind == YOKE_ARG_SCALAR && arg->size >= 1 && arg->size <= 8) ||
                 (arg->kind == YOKE_ARG_STRUCT && arg->size >= 1 && arg->value.bytes);
    if (sound)
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID, "%s: kernel '%s', %s: the argument is not usable (kind %u, %u bytes%s); make it with YOKE_ARGS",
                   function, kernel->name, param_text(text, sizeof text, kernel, i), (unsigned)arg->kind, (unsigned)arg->size,
                   arg->kind == YOKE_ARG_STRUCT && !arg->value.bytes ? ", from NULL" : "");
}

static yoke_status check_arg(const yoke_kernel *kernel, const yoke_stream *stream, const char *function, const yoke_arg *arg,
                             size_t i)
{
    bool is_buffer = arg->kind == YOKE_ARG_BUFFER;
    yoke_status status =
        is_buffer ? check_buffer(kernel, stream, function, arg->value.buffer, i) : check_value(kernel, function, arg, i);
    if (status < 0 || kernel->param_count < 0)
        return status;
    const yk_param *param = &kernel->params[i];
    size_t given = is_buffer ? sizeof(uint64_t) : arg->size;
    if ((param->kind == YK_PARAM_BUFFER && !is_buffer) || (param->kind == YK_PARAM_SCALAR && is_buffer))
        return wrong_kind(kernel, function, arg, i);
    if (param->size && param->kind != YK_PARAM_BUFFER && param->size != given)
        return wrong_width(kernel, function, arg, i, given);
    return YOKE_OK;
}

yoke_status yk_kernel_check_args(const yoke_kernel *kernel, const yoke_stream *stream, const char *function, const yoke_arg *args,
                                 size_t count)
{
    if (count > YOKE_MAX_ARGS)
        return yk_fail(YOKE_E_INVALID, "%s: %zu arguments given; a launch takes at most %d", function, count, YOKE_MAX_ARGS);
    if (count && !args)
        return yk_fail(YOKE_E_INVALID, "%s: args is NULL, count is %zu", function, count);
    if (kernel->param_count >= 0 && count != (size_t)kernel->param_count)
        return yk_fail(YOKE_E_ARGUMENT, "%s: kernel '%s' takes %d arguments, %zu were given%s", function, kernel->name,
                       kernel->param_count, count,
                       kernel->takes_shared ? " (its last parameter, shared memory, is none of them)" : "");
    for (size_t i = 0; i < count; i++) {
        yoke_status status = check_arg(kernel, stream, function, &args[i], i);
        if (status < 0)
            return status;
        if (args[i].kind == YOKE_ARG_BUFFER)
            yk_buffer_used(args[i].value.buffer->root, stream);
    }
    return YOKE_OK;
}
