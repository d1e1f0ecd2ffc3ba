/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels: looked up once, kept by their program, with the signature that every launch is checked against. The driver's report
 * comes first; the declarations of the program's source or binary complete it where both agree.
 */
#include "program/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "base/type_name.h"
#include "program/code.h"
#include "program/cxx_name.h"
#include "program/program.h"

static size_t kernel_size(const char *name)
{
    return sizeof(yoke_kernel) + strlen(name) + 1;
}

/* Called with its program, which owns it. */
static void destroy(void *object)
{
    yoke_kernel *kernel = object;
    kernel->program->device->backend->kernel_destroy(kernel);
    free(kernel->heads);
    free(kernel->params);
    yk_object_free(kernel, kernel_size(kernel->name));
}

/* ---- Signatures ---- */

yoke_status yk_kernel_has_too_many(const yoke_kernel *kernel)
{
    return yk_fail(YOKE_E_UNSUPPORTED, "kernel '%s' has more than %d parameters; put some into a struct", kernel->name,
                   YOKE_MAX_ARGS);
}

yoke_status yk_kernel_add_param(yoke_kernel *kernel, const yk_param *param)
{
    int most = param->kind == YK_PARAM_LOCAL ? YOKE_MAX_ARGS + 1 : YOKE_MAX_ARGS; /* the last parameter may be `shared` */
    if (kernel->param_count >= most)
        return yk_kernel_has_too_many(kernel);
    yk_param *params = realloc(kernel->params, ((size_t)kernel->param_count + 1) * sizeof *params);
    if (!params)
        return yk_no_memory("a kernel's signature");
    kernel->params = params;
    kernel->params[kernel->param_count++] = *param;
    return YOKE_OK;
}

static bool agrees(const yk_declaration *declared, const yoke_kernel *kernel)
{
    if (kernel->param_count < 0 || declared->count != (size_t)kernel->param_count)
        return false;
    for (size_t i = 0; i < declared->count; i++)
        if (declared->params[i].size && kernel->params[i].size && declared->params[i].size != kernel->params[i].size)
            return false;
    return true;
}

/* A C++ kernel is declared by the last part of its name. */
static bool is_declared_as(const yoke_kernel *kernel, const char *name)
{
    size_t length;
    const char *part = yk_cxx_last_part(kernel->native_name, &length);
    if (length > 0)
        return strncmp(part, name, length) == 0 && name[length] == '\0';
    return strcmp(name, kernel->name) == 0;
}

/* Complete the driver's report from the declaration. */
static void apply_declaration(yoke_kernel *kernel)
{
    const yk_kernel_table *table = &kernel->program->declared;
    for (size_t i = 0; i < table->count; i++) {
        const yk_declaration *declared = &table->kernels[i];
        if (!is_declared_as(kernel, declared->name) || !agrees(declared, kernel))
            continue;
        for (size_t j = 0; j < declared->count; j++) {
            uint32_t size = kernel->params[j].size;
            if (kernel->params[j].kind == YK_PARAM_ANY)
                kernel->params[j] = declared->params[j];
            if (size)
                kernel->params[j].size = size;
        }
    }
}

/* Samplers, and a trailing shared-memory parameter, are not among the arguments of a launch. */
static yoke_status set_others_apart(yoke_kernel *kernel)
{
    bool has_image = false;
    for (int i = 0; i < kernel->param_count; i++) {
        kernel->sampler_count += kernel->params[i].kind == YK_PARAM_SAMPLER;
        has_image = has_image || kernel->params[i].kind == YK_PARAM_IMAGE;
    }
    if (kernel->sampler_count > 0 && !has_image)
        return yk_fail(YOKE_E_UNSUPPORTED,
                       "kernel '%s' takes a sampler and no image: a sampler is passed with the image that it belongs to",
                       kernel->name);
    kernel->takes_local = kernel->param_count > 0 && kernel->params[kernel->param_count - 1].kind == YK_PARAM_LOCAL;
    if (kernel->takes_local)
        kernel->param_count--;
    if (kernel->sampler_count > 0)
        kernel->param_count -= kernel->sampler_count;
    return YOKE_OK;
}

/* Larger blocks seldom help a one-dimensional kernel. */
#define AUTOMATIC_BLOCK 256

/* As close to AUTOMATIC_BLOCK as the kernel allows, in whole multiples of its preferred multiple. */
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
    return yk_arg_head_of(&(yoke_arg){ kind, size, { 0 } });
}

static bool read_type(const yoke_kernel *kernel, const yk_param *param, yk_type *out)
{
    return yk_type_read(kernel->program->device->traits.language == YK_LANGUAGE_OPENCL, param->type, out);
}

/* The kind of value that the parameter's type says; 0 where it does not. */
static uint32_t value_of(const yoke_kernel *kernel, const yk_param *param)
{
    yk_type type;
    if (param->kind == YK_PARAM_BUFFER || param->kind == YK_PARAM_IMAGE || !read_type(kernel, param, &type) || type.pointers > 0)
        return 0;
    if (type.lanes != 1)
        return YOKE_ARG_STRUCT;
    return type.kind == YK_SCALAR_FLOATING ? YOKE_ARG_FLOATING : YOKE_ARG_INTEGER;
}

static yoke_status note_heads(yoke_kernel *kernel)
{
    if (kernel->param_count <= 0)
        return YOKE_OK;
    for (int i = 0; i < kernel->param_count + kernel->sampler_count; i++) {
        yk_param *param = &kernel->params[i];
        param->value = value_of(kernel, param);
        if (param->value == YOKE_ARG_STRUCT && param->kind == YK_PARAM_ANY)
            param->kind = YK_PARAM_SCALAR; /* a vector is no pointer */
    }
    kernel->heads = calloc((size_t)kernel->param_count, sizeof *kernel->heads);
    if (!kernel->heads)
        return yk_no_memory("a kernel's signature");
    for (int i = 0; i < kernel->param_count; i++) {
        const yk_param *param = yk_kernel_param(kernel, (size_t)i);
        bool by_value = (param->kind == YK_PARAM_SCALAR || param->kind == YK_PARAM_ANY) && param->size >= 1 && param->size <= 8;
        bool buffer = param->kind == YK_PARAM_BUFFER || (param->kind == YK_PARAM_ANY && param->size == sizeof(uint64_t));
        by_value = by_value && param->value != YOKE_ARG_STRUCT; /* which the full check notes */
        yk_arg_heads *heads = &kernel->heads[i];
        heads->value = by_value ? head(param->value ? param->value : YOKE_ARG_INTEGER, param->size) : YK_NO_HEAD;
        heads->buffer = buffer ? head(YOKE_ARG_BUFFER, sizeof(yoke_buffer *)) : YK_NO_HEAD;
        atomic_init(&heads->other, by_value && !param->value ? head(YOKE_ARG_FLOATING, param->size) : YK_NO_HEAD);
    }
    return YOKE_OK;
}

/* ---- Looking up ---- */

/* A kernel that `wanted`, as "scale", "ns::scale" or "scale<float>", may mean by the last part of its name; or NULL. */
static const char *find_cxx_name(const char *wanted, const char *const *names, size_t count)
{
    size_t length = strcspn(wanted, "<"), part_length;
    for (size_t i = length; i > 0; i--)
        if (wanted[i - 1] == ':') {
            wanted += i;
            length -= i;
            break;
        }
    for (size_t i = 0; i < count; i++) {
        const char *part = yk_cxx_last_part(names[i], &part_length), *colon = strrchr(names[i], ':');
        if (colon) {
            part = colon + 1;
            part_length = strlen(part);
        }
        if (part_length && part_length == length && strncmp(part, wanted, length) == 0)
            return names[i];
    }
    return NULL;
}

/* The names cannot be told. */
static void append_reason(const yoke_error_info *reason)
{
    yk_error_append("; the driver does not list the program's kernels: %.300s", reason->text);
}

/* Append as many names as the record has room for. */
static void append_names(const char *const *names, size_t count)
{
    enum { ROOM = 360 };
    size_t taken = 0, shown = 0;
    while (shown < count && (shown == 0 || taken + strlen(names[shown]) < ROOM)) {
        yk_error_append("%s%.200s", shown ? ", " : "; the program has ", names[shown]);
        taken += strlen(names[shown++]) + 2;
    }
    if (shown < count)
        yk_error_append(" and %zu more", count - shown);
}

/* List the program's kernels by their compiled names, separated by ';': from the driver, else from the code, else from the
 * declarations. */
static yoke_status list_compiled_names(const yoke_program *program, yk_text *names)
{
    yoke_status status = program->device->backend->program_kernel_names(program, names);
    if (status == YOKE_OK && names->length == 0)
        yk_code_list_kernels(program->code_kind, program->code.data, program->code.length, names);
    for (size_t i = 0; names->length == 0 && i < program->declared.count; i++)
        yk_text_add(names, "%s%s", i ? ";" : "", program->declared.kernels[i].name);
    return status;
}

/* Split a text into the names that it lists; NULL when there are none, or out of memory. The caller frees the array. */
static const char **split_names(yk_text *text, size_t *out_count)
{
    size_t count = 1;
    for (size_t i = 0; i < text->length; i++)
        count += text->data[i] == ';';
    const char **names = text->length ? malloc(count * sizeof *names) : NULL;
    char *name = text->data;
    for (size_t i = 0; names && i < count; i++) {
        names[i] = name;
        name += strcspn(name, ";");
        *name++ = '\0';
    }
    *out_count = names ? count : 0;
    return names;
}

/* The one kernel with this plain name, by its compiled name; NULL for none or several. */
static const char *find_unique(const char *wanted, const char *const *names, size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!yk_cxx_is_plain_name(names[i], wanted))
            continue;
        if (found)
            return NULL;
        found = names[i];
    }
    return found;
}

/* List the program's kernels as yoke_kernel_get takes them: a C++ kernel by its plain name where no other kernel has that name. */
static yoke_status list_names(const yoke_program *program, yk_text *out_names)
{
    yk_text text = { 0 };
    size_t count;
    yoke_status status = list_compiled_names(program, &text);
    const char **names = status == YOKE_OK ? split_names(&text, &count) : NULL;
    for (size_t i = 0; names && i < count; i++) {
        char plain[512];
        bool is_template;
        bool is_plain =
            yk_cxx_name_read(names[i], plain, sizeof plain, &is_template) && find_unique(plain, names, count) == names[i];
        yk_text_add(out_names, "%s%s", i ? ";" : "", is_plain ? plain : names[i]);
    }
    free(names);
    yk_text_free(&text);
    return status;
}

/* Find the compiled name of the C++ kernel with this plain name; NULL when there is none, or more than one. */
static yoke_status find_compiled_name(const yoke_program *program, const char *wanted, const char **out_compiled)
{
    yk_text text = { 0 };
    size_t count;
    yoke_status status = list_compiled_names(program, &text);
    const char **names = status == YOKE_OK ? split_names(&text, &count) : NULL;
    const char *found = names ? find_unique(wanted, names, count) : NULL;
    if (found)
        found = yk_intern(found);
    *out_compiled = found;
    free(names);
    yk_text_free(&text);
    return status;
}

/* The kernel does not exist: append the names that may have been meant, and all existing names. */
static void add_names(const yoke_program *program, const char *wanted)
{
    yoke_error_info record = *yoke_error(), silence;
    yk_text text = { 0 };
    size_t count;
    bool listed = list_names(program, &text) == YOKE_OK;
    silence = *yoke_error();
    yk_error_restore(&record);
    if (!listed)
        append_reason(&silence);
    const char **names = split_names(&text, &count);
    if (names) {
        const char *nearest = yk_nearest(wanted, names, count), *cxx_name = find_cxx_name(wanted, names, count);
        append_names(names, count);
        if (cxx_name)
            yk_error_append(
                "; '%.120s' may be meant: a plain name belongs to one kernel, and overloaded functions and templates are "
                "named in source.name_expressions",
                cxx_name);
        else if (strchr(wanted, '<'))
            yk_error_append("; kernels of templates have the names that source.name_expressions gives them");
        else if (nearest)
            yk_error_append("; did you mean '%.120s'?", nearest);
    }
    free(names);
    yk_text_free(&text);
}

/* Create the driver's kernel. A name that the code does not have may be the plain name of a C++ kernel. */
static yoke_status create_native(yoke_kernel *kernel)
{
    const yk_backend *backend = kernel->program->device->backend;
    yoke_error_info before = *yoke_error();
    yoke_status status = backend->kernel_create(kernel);
    bool has_names = kernel->program->device->traits.language == YK_LANGUAGE_CUDA && kernel->native_name == kernel->name;
    if (status != YOKE_E_NOT_FOUND || !has_names)
        return status;
    yoke_error_info record = *yoke_error();
    const char *compiled = NULL;
    if (find_compiled_name(kernel->program, kernel->name, &compiled) < 0) {
        yoke_error_info reason = *yoke_error();
        yk_error_restore(&record);
        append_reason(&reason);
        return record.status;
    }
    if (!compiled)
        return yk_error_restore(&record);
    kernel->native_name = compiled;
    status = backend->kernel_create(kernel);
    if (status == YOKE_OK)
        yk_error_restore(&before);
    return status;
}

/* With program->lock held. */
static yoke_status create(yoke_program *program, const char *name, yoke_kernel **out_kernel)
{
    size_t size = kernel_size(name);
    yoke_kernel *kernel = yk_object_new(YK_KERNEL, size, destroy);
    if (!kernel)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    kernel->program = program;
    memcpy(kernel->name, name, strlen(name) + 1);
    yoke_status status = YOKE_E_OUT_OF_HOST_MEMORY;
    kernel->native_name = yk_program_lowered(program, kernel->name);
    kernel->lasting_name = yk_intern(name);
    if (!kernel->lasting_name)
        goto no_native;
    status = create_native(kernel);
    if (status < 0)
        goto no_native;
    status = yk_program_complete_signature(kernel);
    if (status < 0)
        goto no_heads;
    apply_declaration(kernel);
    status = set_others_apart(kernel);
    if (status == YOKE_OK)
        status = note_heads(kernel);
    if (status < 0)
        goto no_heads;
    kernel->fast_count = kernel->param_count;
    if (kernel->param_count < 0 || kernel->takes_local || kernel->info.required_block[0])
        kernel->fast_count = YK_NO_COUNT;
    uint64_t most_blocks = program->device->info.max_grid[0];
    kernel->line_blocks = most_blocks < UINT32_MAX ? (uint32_t)most_blocks : UINT32_MAX;
    kernel->line_threads = kernel->info.max_block_threads;
    if (kernel->line_threads > program->device->info.max_block[0])
        kernel->line_threads = (uint32_t)program->device->info.max_block[0];
    kernel->info.size = sizeof kernel->info;
    kernel->info.parameters = kernel->param_count;
    if (!kernel->info.automatic_block)
        kernel->info.automatic_block = choose_block(&kernel->info);
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
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_kernel_get);
    YK_OUT(out_kernel);
    YK_CHECK(program, YK_PROGRAM, function, "program");
    if (!name || !*name)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: name is %s", function, name ? "empty" : "NULL"));

    yoke_status status = yk_program_wait(program);
    if (status == YOKE_OK)
        status = yk_kernel_find(program, name, out_kernel);
    return yk_attribute_site(function, NULL, status);
}

/* Wait until the program is built, and list its kernels once. A failed build does not fail this call. */
static void know_kernel_names(yoke_program *program)
{
    yoke_error_info before = *yoke_error();
    yk_text text = { 0 };
    const char **names = NULL;
    size_t count = 0;
    pthread_mutex_lock(&program->lock);
    bool known = program->kernel_names_known;
    pthread_mutex_unlock(&program->lock);
    if (known)
        return;
    if (yk_program_wait(program) == YOKE_OK && list_names(program, &text) == YOKE_OK)
        names = split_names(&text, &count);
    yk_error_restore(&before);
    pthread_mutex_lock(&program->lock);
    if (!program->kernel_names_known) {
        program->kernel_names_known = true;
        program->kernel_names = names;
        program->kernel_name_count = count;
        program->kernel_name_text = text;
        names = NULL;
        text = (yk_text){ 0 };
    }
    pthread_mutex_unlock(&program->lock);
    free(names);
    yk_text_free(&text);
}

size_t yoke_program_get_kernel_count(yoke_program *program)
{
    YK_UNCANCELLED;
    if (!yk_is(program, YK_PROGRAM))
        return 0;
    know_kernel_names(program);
    return program->kernel_name_count;
}

const char *yoke_program_get_kernel_name(yoke_program *program, size_t index)
{
    return index < yoke_program_get_kernel_count(program) ? program->kernel_names[index] : NULL;
}

yoke_program *yoke_kernel_get_program(const yoke_kernel *kernel)
{
    return yk_is(kernel, YK_KERNEL) ? kernel->program : NULL;
}

const char *yoke_kernel_get_name(const yoke_kernel *kernel)
{
    return yk_is(kernel, YK_KERNEL) ? kernel->lasting_name : "";
}

yoke_status yoke_kernel_get_info(const yoke_kernel *kernel, yoke_kernel_info *out_info)
{
    YK_FUNCTION(yoke_kernel_get_info);
    if (YK_INFO_BEGIN(function, out_info, yoke_kernel_info, "start from YOKE_KERNEL_INFO_INIT") < 0)
        return YOKE_E_INVALID_ARGUMENT;
    YK_CHECK(kernel, YK_KERNEL, function, "kernel");
    YK_INFO_FILL(out_info, yoke_kernel_info, &kernel->info);
    return YOKE_OK;
}

/* What the parameter's type says of a scalar, or of the scalars that a pointer points to. */
static void describe_scalar(const yoke_kernel *kernel, const yk_param *param, yoke_param_info *info)
{
    static const int32_t scalars[] = { [YK_SCALAR_BOOL] = YOKE_SCALAR_BOOL,
                                       [YK_SCALAR_SIGNED] = YOKE_SCALAR_SIGNED,
                                       [YK_SCALAR_UNSIGNED] = YOKE_SCALAR_UNSIGNED,
                                       [YK_SCALAR_FLOATING] = YOKE_SCALAR_FLOATING };
    _Static_assert(YK_COUNT_OF(scalars) == YK_SCALAR_FLOATING + 1, "a public kind for each kind");
    yk_type type;
    if (!read_type(kernel, param, &type) || type.pointers > 1 || type.lanes > 1)
        return;
    info->scalar = scalars[type.kind];
    info->scalar_bytes = type.bytes;
}

yoke_status yoke_kernel_get_param(const yoke_kernel *kernel, size_t index, yoke_param_info *out_info)
{
    YK_FUNCTION(yoke_kernel_get_param);
    if (YK_INFO_BEGIN(function, out_info, yoke_param_info, "start from YOKE_PARAM_INFO_INIT") < 0)
        return YOKE_E_INVALID_ARGUMENT;
    YK_CHECK(kernel, YK_KERNEL, function, "kernel");
    if (kernel->param_count < 0)
        return yk_attribute(function, NULL,
                            yk_fail(YOKE_E_UNSUPPORTED,
                                    "%s: the parameters of kernel '%s' are unknown: the driver does not report them", function,
                                    kernel->name));
    if (index >= (size_t)kernel->param_count)
        return yk_attribute(function, NULL,
                            yk_fail(YOKE_E_RANGE, "%s: index %zu is out of range: kernel '%s' has %d parameters", function, index,
                                    kernel->name, kernel->param_count));
    const yk_param *param = yk_kernel_param(kernel, index);
    yoke_param_info info = YOKE_PARAM_INFO_INIT;
    info.kind = (int32_t)param->kind;
    info.read_only = param->kind == YK_PARAM_BUFFER || param->kind == YK_PARAM_IMAGE ? param->read_only : -1;
    info.bytes = param->size;
    yk_name_copy(info.name, sizeof info.name, param->name);
    yk_name_copy(info.type, sizeof info.type, param->type);
    describe_scalar(kernel, param, &info);
    YK_INFO_FILL(out_info, yoke_param_info, &info);
    return YOKE_OK;
}
