/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The full check of a launch's arguments, for arguments that fail the fast check because they are wrong or of a rare kind. Every
 * message names the kernel and the parameter, what it takes and what was passed.
 */
#include "launch/arguments.h"

#include "backend.h"
#include "stream/recording.h"
#include "memory/pinned.h"
#include "base/sizes.h"

/* CUDA's limit for all parameters of a kernel, since 12.1. */
enum { MOST_BYTES = 32764 };

/* What the arguments are checked against. */
typedef struct context {
    const char *function;
    const yoke_kernel *kernel;
    const yoke_stream *stream;
} context;

/* ---- Words ---- */

/* NULL when the parameter is unknown. A trailing shared-memory parameter follows the parameters that count. */
static const yk_param *param_of(const yoke_kernel *kernel, size_t i)
{
    size_t count = kernel->param_count < 0 ? 0 : (size_t)kernel->param_count + kernel->takes_local;
    return i < count ? yk_kernel_param(kernel, i) : NULL;
}

/* A parameter as messages name it: its position from 1, and its name and type where they are known. */
static const char *param_text(char *target, size_t size, const yoke_kernel *kernel, size_t i)
{
    const yk_param *param = param_of(kernel, i);
    yk_text text = { 0 };
    yk_text_add(&text, "parameter %zu", i + 1);
    if (param && param->name[0])
        yk_text_add(&text, " '%s'", param->name);
    if (param && param->type[0])
        yk_text_add(&text, " (%s)", param->type);
    yk_string_copy(target, size, yk_text_get(&text));
    yk_text_free(&text);
    return target;
}

/* Fail with a message that starts: "yoke_launch: kernel 'scale', parameter 2 'k' (float) ". */
#define FAULT(status, at, i, format, ...)                                             \
    yk_fail(status, "%s: kernel '%s', %s" format, (at)->function, (at)->kernel->name, \
            param_text((char[144]){ 0 }, 144, (at)->kernel, i), __VA_ARGS__)

static const char *passed_text(const yoke_arg *arg)
{
    static const char *const words[] = {
        [YOKE_ARG_BUFFER] = "buffer",
        [YOKE_ARG_INTEGER] = "integer",
        [YOKE_ARG_FLOATING] = "floating-point value",
        [YOKE_ARG_STRUCT] = "struct",
        [YOKE_ARG_NULL] = "null pointer",
        [YOKE_ARG_LOCAL] = "shared memory",
        [YOKE_ARG_IN] = "host array (yoke_in)",
        [YOKE_ARG_OUT] = "host array (yoke_out)",
        [YOKE_ARG_INOUT] = "host array (yoke_inout)",
        [YOKE_ARG_IMAGE] = "image (yoke_arg_image)",
        [YOKE_ARG_SURFACE] = "image (yoke_arg_surface)",
    };
    _Static_assert(YK_COUNT_OF(words) == YOKE_ARG_SURFACE + 1, "a word for each kind of argument");
    return words[yk_arg_kind(arg)];
}

/* What was passed, with its article: "an integer". */
static const char *article(const yoke_arg *arg)
{
    uint32_t kind = yk_arg_kind(arg);
    return kind == YOKE_ARG_INTEGER || yk_arg_is_image(arg) ? "an " : kind == YOKE_ARG_LOCAL ? "" : "a ";
}

static const char *expected_text(const yk_param *param)
{
    switch (param->kind) {
    case YK_PARAM_BUFFER:
        return "a buffer";
    case YK_PARAM_LOCAL:
        return "shared memory (yoke_arg_local)";
    case YK_PARAM_IMAGE:
        return param->read_only == 0 ? "an image that it writes (yoke_arg_surface)" : "an image (yoke_arg_image)";
    case YK_PARAM_ANY:
    case YK_PARAM_SCALAR:
    case YK_PARAM_SAMPLER:
        break;
    }
    return "a value";
}

/* ---- One argument ---- */

static bool is_pointer(const yoke_arg *arg)
{
    return arg->kind == YOKE_ARG_BUFFER || arg->kind == YOKE_ARG_NULL || yk_arg_is_array(arg);
}

static yoke_status check_object(const context *at, const void *object, enum yk_kind kind, const char *what, size_t i)
{
    char argument[160], words[64];
    yk_text text = { 0 };
    if (yk_is(object, kind))
        return YOKE_OK;
    yk_text_add(&text, "the %s for %s of kernel '%.60s'", what, param_text(words, sizeof words, at->kernel, i), at->kernel->name);
    yk_string_copy(argument, sizeof argument, yk_text_get(&text));
    yk_text_free(&text);
    return yk_object_fault(object, kind, at->function, argument);
}

static yoke_status check_buffer(const context *at, const yoke_buffer *buffer, size_t i)
{
    const yk_param *param = param_of(at->kernel, i);
    yoke_status status = check_object(at, buffer, YK_BUFFER, "buffer", i);
    if (status < 0)
        return status;
    if (buffer->device != at->stream->device)
        return FAULT(YOKE_E_INVALID_ARGUMENT, at, i,
                     ": the buffer belongs to another device (%s) than the stream (%s); both must come from one yoke_device_open",
                     buffer->device->info.selector, at->stream->device->info.selector);
    if (buffer->kind == YOKE_MEMORY_PINNED)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i, ": the buffer is %s", "pinned host memory; copy it to a device buffer");
    if (buffer->misaligned)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i,
                     ": the view starts at byte %zu of its buffer; a kernel argument on %s must start at a multiple of %llu",
                     buffer->offset, at->stream->device->info.selector,
                     (unsigned long long)at->stream->device->info.view_alignment);
    if (buffer->read_only && param && param->kind == YK_PARAM_BUFFER && param->read_only == 0)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i, ": the buffer is %s",
                     "a const view, and the kernel may write to it; declare the parameter const, or pass the buffer itself");
    return YOKE_OK;
}

static yoke_status check_array(const context *at, const yoke_arg *arg, size_t i)
{
    const yk_param *param = param_of(at->kernel, i);
    const yoke_device *device = at->stream->device;
    uint64_t size = yk_arg_host_size(arg);
    if (yk_is_recording(at->stream))
        return FAULT(YOKE_E_UNSUPPORTED, at, i,
                     ": a %s cannot be recorded into a graph; record a yoke_write or yoke_read of a buffer instead",
                     passed_text(arg));
    if (!arg->value.host || size == 0)
        return FAULT(YOKE_E_INVALID_ARGUMENT, at, i, ": the %s %s", passed_text(arg), arg->value.host ? "has 0 bytes" : "is NULL");
    if (size > device->info.max_buffer)
        return FAULT(YOKE_E_RANGE, at, i, ": the %s has %llu bytes; the largest single buffer of %s has %llu", passed_text(arg),
                     (unsigned long long)size, device->info.selector, (unsigned long long)device->info.max_buffer);
    if (!yk_is_range(arg->value.host, size))
        return FAULT(YOKE_E_INVALID_ARGUMENT, at, i, ": %llu bytes from %p exceed the address space", (unsigned long long)size,
                     arg->value.host);
    if (yk_arg_kind(arg) == YOKE_ARG_IN)
        return YOKE_OK;
    if (yk_arg_kind(arg) == YOKE_ARG_OUT && param && param->read_only == 1)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i, ": the kernel only reads this parameter, and a %s must be written",
                     passed_text(arg));
    if (!yk_is_target(device, arg->value.host, (size_t)size))
        return FAULT(YOKE_E_INVALID_ARGUMENT, at, i, ": the %llu bytes of host memory at %p cannot be written",
                     (unsigned long long)size, arg->value.host);
    return YOKE_OK;
}

/* An image whose texels the kernel writes, or reads by surf2Dread, is a surface; only OpenCL reads both in one way. */
static yoke_status check_image(const context *at, const yoke_arg *arg, size_t i)
{
    const yk_param *param = param_of(at->kernel, i);
    const yoke_image *image = arg->value.image;
    yoke_status status = check_object(at, image, YK_IMAGE, "image", i);
    if (status < 0)
        return status;
    if (image->base.device != at->stream->device)
        return FAULT(YOKE_E_INVALID_ARGUMENT, at, i,
                     ": the image belongs to another device (%s) than the stream (%s); both must come from one yoke_device_open",
                     image->base.device->info.selector, at->stream->device->info.selector);
    if (!param || param->kind != YK_PARAM_IMAGE)
        return YOKE_OK;
    bool apart = !at->stream->device->traits.sampler_parameters;
    if (arg->kind == YOKE_ARG_IMAGE ? param->read_only == 0 : apart && param->read_only == 1)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i, " %s; pass %s",
                     arg->kind == YOKE_ARG_IMAGE ? "is an image that the kernel writes"
                                                 : "is a texture, which is read by a sampler",
                     arg->kind == YOKE_ARG_IMAGE ? "yoke_arg_surface(image)" : "yoke_arg_image(image)");
    bool volume = strstr(param->type, "3d") != NULL, flat = strstr(param->type, "2d") != NULL;
    if (image->desc.depth > 0 ? flat : volume)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i, " has %d dimensions, but the image that was passed has %d", volume ? 3 : 2,
                     volume ? 2 : 3);
    return YOKE_OK;
}

/* Whether the argument is valid, whatever the kernel. */
static yoke_status check_value(const context *at, const yoke_arg *arg, size_t i)
{
    if (arg->kind == YOKE_ARG_STRUCT && arg->size > MOST_BYTES)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i,
                     ": a struct of %u bytes was passed; at most %d bytes can be passed by value; put the struct into a buffer",
                     (unsigned)arg->size, (int)MOST_BYTES);
    bool sound = ((arg->kind == YOKE_ARG_INTEGER || arg->kind == YOKE_ARG_FLOATING) && arg->size >= 1 && arg->size <= 8) ||
                 (arg->kind == YOKE_ARG_STRUCT && arg->size >= 1 && arg->value.bytes) || arg->kind == YOKE_ARG_LOCAL ||
                 arg->kind == YOKE_ARG_NULL;
    if (sound)
        return YOKE_OK;
    return FAULT(YOKE_E_INVALID_ARGUMENT, at, i, ": the argument is invalid (kind %u, %u bytes%s); make it with YOKE_ARGS",
                 (unsigned)arg->kind, (unsigned)arg->size, arg->kind == YOKE_ARG_STRUCT && !arg->value.bytes ? ", from NULL" : "");
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* What to write for this parameter; "" where the kind of its value is not known. */
static const char *value_text(const yk_param *param)
{
    uint32_t size = param->size, kind = param->value;
    if (kind == 0)
        return "";
    if (kind == YOKE_ARG_STRUCT)
        return "; write yoke_arg_struct(&v, sizeof v)";
    if (kind == YOKE_ARG_INTEGER)
        return size == 1   ? strstr(param->type, "bool") ? "; write (bool)x" : "; write (int8_t)x"
               : size == 2 ? "; write (int16_t)x"
               : size == 4 ? "; write 2 or (int)x"
                           : "; write (int64_t)x";
    return size == 2 ? "; write yoke_half_from(x)" : size == 4 ? "; write 2.0f or (float)x" : "; write 2.0 or (double)x";
}

/* An integer for a floating-point parameter, or the reverse, would be taken for other bits. */
static yoke_status check_value_kind(const context *at, const yoke_arg *arg, const yk_param *param, size_t i)
{
    uint32_t wanted = param->value;
    if (wanted == YOKE_ARG_STRUCT && (arg->kind == YOKE_ARG_INTEGER || arg->kind == YOKE_ARG_FLOATING))
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i,
                     " takes a vector of %u bytes, but %s%s was passed; write yoke_arg_struct(&v, sizeof v)", (unsigned)param->size,
                     article(arg), passed_text(arg));
    if (wanted == 0 || wanted == arg->kind || wanted == YOKE_ARG_STRUCT ||
        (arg->kind != YOKE_ARG_INTEGER && arg->kind != YOKE_ARG_FLOATING))
        return YOKE_OK;
    return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i, " takes %s of %u byte%s, but %s of %u byte%s was passed%s",
                 wanted == YOKE_ARG_INTEGER ? "an integer" : "a floating-point value", (unsigned)param->size, plural(param->size),
                 arg->kind == YOKE_ARG_INTEGER ? "an integer" : "a floating-point value", (unsigned)arg->size, plural(arg->size),
                 value_text(param));
}

/* A texture or surface object of the program's own. */
static bool is_native_image(const context *at, const yoke_arg *arg)
{
    return !at->stream->device->traits.sampler_parameters && arg->kind == YOKE_ARG_INTEGER && arg->size == sizeof(uint64_t);
}

static yoke_status check_fit(const context *at, const yoke_arg *arg, size_t i)
{
    const yk_param *param = param_of(at->kernel, i);
    bool local = arg->kind == YOKE_ARG_LOCAL, image = yk_arg_is_image(arg), pointer = is_pointer(arg);
    if (!param || (param->kind == YK_PARAM_IMAGE && (image || is_native_image(at, arg))))
        return YOKE_OK;
    if (local != (param->kind == YK_PARAM_LOCAL) || (param->kind == YK_PARAM_BUFFER && !pointer) ||
        (param->kind == YK_PARAM_SCALAR && (pointer || image)) || param->kind == YK_PARAM_IMAGE)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i, " takes %s, but %s%s was passed", expected_text(param), article(arg),
                     passed_text(arg));
    yoke_status status = check_value_kind(at, arg, param, i);
    if (status < 0)
        return status;
    size_t passed = pointer ? sizeof(uint64_t) : arg->size;
    if (!local && param->size && param->kind != YK_PARAM_BUFFER && param->size != passed)
        return FAULT(YOKE_E_KERNEL_ARGUMENT, at, i, " is %u byte%s wide, but %s%s of %zu byte%s was passed%s",
                     (unsigned)param->size, plural(param->size), article(arg), passed_text(arg), passed, passed == 1 ? "" : "s",
                     value_text(param));
    return YOKE_OK;
}

static yoke_status check_one(const context *at, const yoke_arg *arg, size_t i)
{
    yoke_status status;
    if (arg->kind == YOKE_ARG_BUFFER)
        status = check_buffer(at, arg->value.buffer, i);
    else if (yk_arg_is_array(arg))
        status = check_array(at, arg, i);
    else if (yk_arg_is_image(arg))
        status = check_image(at, arg, i);
    else
        status = check_value(at, arg, i);
    return status < 0 ? status : check_fit(at, arg, i);
}

/* ---- All of them ---- */

/* Append the parameters: ": float *x, float k". */
static void append_params(const yoke_kernel *kernel)
{
    enum { SHOWN = 10 };
    for (int i = 0; i < kernel->param_count && i < SHOWN; i++) {
        const yk_param *param = yk_kernel_param(kernel, (size_t)i);
        const char *separator = i ? ", " : ": "; /* with the next word: trailing blanks of a message are dropped */
        if (param->type[0] || param->name[0])
            yk_error_append("%s%s%s%s", separator, param->type, param->type[0] && param->name[0] ? " " : "", param->name);
        else
            yk_error_append("%s%u bytes", separator, (unsigned)param->size);
    }
    if (kernel->param_count > SHOWN)
        yk_error_append(" and %d more", kernel->param_count - SHOWN);
}

static size_t count_locals(const yk_op *op)
{
    size_t locals = 0;
    for (size_t i = 0; i < op->u.launch.count; i++)
        locals += op->u.launch.args[i].kind == YOKE_ARG_LOCAL;
    return locals;
}

/* Shared memory of the last parameter may be passed as `shared`, or as the last argument. */
static yoke_status check_count(const char *function, const yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    bool local_parameters = kernel->program->device->traits.local_parameters;
    size_t count = op->u.launch.count, passed = local_parameters ? count : count - count_locals(op);
    if (kernel->param_count < 0 || passed == (size_t)kernel->param_count)
        return YOKE_OK;
    if (kernel->takes_local && passed == (size_t)kernel->param_count + 1 && op->u.launch.args[count - 1].kind == YOKE_ARG_LOCAL)
        return YOKE_OK;
    yoke_status status =
        yk_fail(YOKE_E_KERNEL_ARGUMENT, "%s: kernel '%s' takes %d argument%s, %zu %s passed%s", function, kernel->name,
                kernel->param_count, kernel->param_count == 1 ? "" : "s", passed, passed == 1 ? "was" : "were",
                kernel->takes_local ? " (its last parameter, shared memory, does not count)" : "");
    append_params(kernel);
    return status;
}

/* A value that has fitted fits again, also where no driver tells its size: the next launch needs no full check for it. */
static void note_fit(const yoke_kernel *kernel, size_t param, const yoke_arg *arg)
{
    yk_arg_head none = YK_NO_HEAD;
    bool value = arg->kind == YOKE_ARG_INTEGER || arg->kind == YOKE_ARG_FLOATING || arg->kind == YOKE_ARG_STRUCT;
    if (value && kernel->param_count > 0 && param < (size_t)kernel->param_count)
        atomic_compare_exchange_strong(&kernel->heads[param].other, &none, yk_arg_head_of(arg));
}

yoke_status yk_arguments_check(const char *function, const yoke_stream *stream, const yk_op *op, bool *out_special)
{
    const yoke_arg *args = op->u.launch.args;
    const context at = { function, op->u.launch.kernel, stream };
    size_t count = op->u.launch.count, param = 0;
    if (count > YOKE_MAX_ARGS)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %zu arguments were passed; a launch takes at most %d", function, count,
                       YOKE_MAX_ARGS);
    if (count && !args)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: args is NULL, count is %zu", function, count);
    yoke_status status = check_count(function, op);
    *out_special = false;
    for (size_t i = 0; i < count && status == YOKE_OK; i++) {
        bool parameter = args[i].kind != YOKE_ARG_LOCAL || stream->device->traits.local_parameters;
        status = parameter ? check_one(&at, &args[i], param) : check_value(&at, &args[i], param);
        if (status == YOKE_OK && args[i].kind == YOKE_ARG_BUFFER)
            yk_buffer_used(args[i].value.buffer->root, stream);
        else if (status == YOKE_OK)
            note_fit(at.kernel, param, &args[i]);
        param += parameter;
        *out_special = *out_special || args[i].kind > YOKE_ARG_STRUCT;
    }
    return status;
}

/* ---- Arguments for one language ---- */

enum { ONE_LANGUAGE = YOKE_ARG_CUDA_ONLY | YOKE_ARG_OPENCL_ONLY };

bool yk_arguments_are_mixed(const yk_op *op)
{
    bool mixed = false;
    for (size_t i = 0; op->u.launch.args && op->u.launch.count <= YOKE_MAX_ARGS && i < op->u.launch.count && !mixed; i++)
        mixed = op->u.launch.args[i].kind & ONE_LANGUAGE;
    return mixed;
}

size_t yk_arguments_in_language(yk_language language, const yk_op *op, yoke_arg *target)
{
    uint32_t other = language == YK_LANGUAGE_CUDA ? YOKE_ARG_OPENCL_ONLY : YOKE_ARG_CUDA_ONLY;
    size_t count = 0;
    for (size_t i = 0; i < op->u.launch.count; i++) {
        if (op->u.launch.args[i].kind & other)
            continue;
        target[count] = op->u.launch.args[i];
        target[count++].kind &= ~(uint32_t)ONE_LANGUAGE;
    }
    return count;
}

/* ---- Shared memory ---- */

size_t yk_arguments_local_bytes(const yk_op *op)
{
    size_t sum = op->u.launch.shared;
    if (op->u.launch.count > YOKE_MAX_ARGS || !op->u.launch.args)
        return sum;
    for (size_t i = 0; i < op->u.launch.count; i++) {
        const yoke_arg *arg = &op->u.launch.args[i];
        if (arg->kind == YOKE_ARG_LOCAL && !yk_size_add(&sum, arg->value.u64))
            return SIZE_MAX;
    }
    return sum;
}

yoke_status yk_arguments_check_local(const char *function, const yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    size_t shared = op->u.launch.shared, all = yk_arguments_local_bytes(op);
    if (all > kernel->info.max_dynamic_shared_bytes)
        return yk_fail(YOKE_E_RANGE, "%s: shared_bytes is %zu%s; kernel '%s' allows at most %llu on this device", function, all,
                       all > shared ? ", with yoke_arg_local" : "", kernel->name,
                       (unsigned long long)kernel->info.max_dynamic_shared_bytes);
    if (!kernel->signature_has_local)
        return YOKE_OK;
    bool in_place = kernel->takes_local && op->u.launch.count == (size_t)kernel->param_count + 1;
    if (kernel->takes_local == (in_place || shared > 0) && !(in_place && shared > 0))
        return YOKE_OK;
    if (yk_arguments_are_mixed(op))
        return YOKE_OK; /* what counts is checked without the other language's arguments */
    if (in_place)
        return yk_fail(YOKE_E_KERNEL_ARGUMENT,
                       "%s: the last parameter of kernel '%s' is passed twice: by yoke_arg_local, and shared_bytes is %zu",
                       function, kernel->name, shared);
    if (kernel->takes_local)
        return yk_fail(YOKE_E_KERNEL_ARGUMENT,
                       "%s: the last parameter of kernel '%s' is shared memory, but shared_bytes is 0; pass yoke_arg_local(bytes) "
                       "last, or the size to yoke_launch",
                       function, kernel->name);
    return yk_fail(YOKE_E_KERNEL_ARGUMENT,
                   "%s: shared_bytes is %zu, but the last parameter of kernel '%s' is not a __local pointer", function, shared,
                   kernel->name);
}
