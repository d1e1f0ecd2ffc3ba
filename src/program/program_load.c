/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs from compiled code, and program binaries (program_file.h), which store what drivers do not: the signatures of kernels,
 * the lowered name expressions, the log.
 */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "program/code.h"
#include "program/cxx_name.h"
#include "program/kernel.h"
#include "program/program.h"
#include "program/source.h"
#include "base/sizes.h"
#include "stream/observer.h"
#include "stream/stream.h"

/* ---- Writing program files ---- */

/* Look up every kernel, so that all signatures are known. Append each kernel that is refused because of its parameters, and the
 * reason, each NUL-terminated: a driver that loads the code again may not report the parameters. */
static yoke_status find_kernels(yoke_program *program, yk_text *refusals)
{
    yk_text names = { 0 };
    yoke_error_info before = *yoke_error();
    yoke_status status = program->device->backend->program_kernel_names(program, &names);
    for (char *name = names.data; name && *name && status == YOKE_OK;) {
        char *end = strchr(name, ';');
        yoke_kernel *kernel;
        if (end)
            *end++ = '\0';
        status = yk_kernel_find(program, name, &kernel);
        if (status == YOKE_E_UNSUPPORTED) {
            yk_text_add_bytes(refusals, name, strlen(name) + 1);
            yk_text_add_bytes(refusals, yoke_error()->text, strlen(yoke_error()->text) + 1);
            status = YOKE_OK;
        }
        name = end;
    }
    if (status == YOKE_OK)
        yk_error_restore(&before);
    yk_text_free(&names);
    return status;
}

/* With program->lock held. */
static yoke_status list_kernels(const yoke_program *program, const yk_text *refusals, yk_program_file *file)
{
    const char *refused = yk_text_get(refusals), *end = refused + refusals->length;
    size_t count = 0;
    for (const char *at = refused; at < end; at += strlen(at) + 1)
        count++; /* two texts for each */
    for (const yoke_kernel *kernel = program->kernels; kernel; kernel = kernel->next)
        count++;
    yk_program_file_kernel *kernels = calloc(count + 1, sizeof *kernels);
    if (!kernels)
        return yk_no_memory("a program binary");
    file->kernels = kernels;
    for (const yoke_kernel *kernel = program->kernels; kernel; kernel = kernel->next) {
        yk_program_file_kernel *target = &kernels[file->kernel_count];
        target->name = kernel->native_name;
        target->count = kernel->param_count < 0 ? -1 : kernel->param_count + kernel->sampler_count + kernel->takes_local;
        target->signature_has_local = kernel->signature_has_local;
        target->params = kernel->params; /* with the samplers, and the shared-memory parameter behind the others */
        file->kernel_count++;
    }
    while (refused < end) {
        const char *reason = refused + strlen(refused) + 1;
        kernels[file->kernel_count++] = (yk_program_file_kernel){ .name = refused, .count = -1, .refusal = reason };
        refused = reason + strlen(reason) + 1;
    }
    return YOKE_OK;
}

static yoke_status list_name_expressions(const yoke_program *program, yk_program_file *file)
{
    const char *name = yk_text_get(&program->name_expressions), *end = name + program->name_expressions.length;
    size_t count = 0;
    for (const char *at = name; at < end; at += strlen(at) + 1)
        count++;
    yk_name_expression *name_expressions = calloc(count / 2 + 1, sizeof *name_expressions);
    if (!name_expressions)
        return yk_no_memory("a program binary");
    file->name_expressions = name_expressions;
    for (; name < end; file->name_expression_count++) {
        const char *lowered = name + strlen(name) + 1;
        name_expressions[file->name_expression_count] = (yk_name_expression){ name, lowered };
        name = lowered + strlen(lowered) + 1;
    }
    return YOKE_OK;
}

static void free_lists(yk_program_file *file)
{
    free((void *)file->kernels);
    free((void *)file->name_expressions);
}

/* With program->lock held. */
static yoke_status write_file(const yoke_program *program, const yk_text *refusals, yk_text *bytes)
{
    const yk_backend *backend = program->device->backend;
    yk_text code = { 0 }, fingerprint = { 0 };
    yk_program_file file = { .log = yk_text_get(&program->log), .options = yk_text_get(&program->options) };
    yoke_status status = backend->program_code(program, &file.kind, &code);
    if (status == YOKE_OK && file.kind == YK_CODE_BINARY)
        status = backend->program_fingerprint(program->device, &fingerprint);
    file.code = yk_text_get(&code);
    file.code_size = code.length;
    file.fingerprint = yk_text_get(&fingerprint);
    if (status == YOKE_OK)
        status = list_name_expressions(program, &file);
    if (status == YOKE_OK)
        status = list_kernels(program, refusals, &file);
    if (status == YOKE_OK)
        status = yk_program_file_write(&file, bytes);
    free_lists(&file);
    yk_text_free(&fingerprint);
    yk_text_free(&code);
    return status;
}

/* The declaration of the kernel with this compiled name, where there is only one and the size of every parameter is known. */
static const yk_declaration *find_declaration(const yk_kernel_table *table, const char *compiled)
{
    const yk_declaration *found = NULL;
    size_t length;
    const char *part = yk_cxx_last_part(compiled, &length);
    if (length == 0) {
        part = compiled;
        length = strlen(compiled);
    }
    for (size_t i = 0; i < table->count; i++) {
        const yk_declaration *declared = &table->kernels[i];
        if (strncmp(declared->name, part, length) == 0 && declared->name[length] == '\0')
            found = declared->count == SIZE_MAX ? NULL : declared;
    }
    for (size_t i = 0; found && i < found->count; i++)
        if (found->params[i].size == 0)
            return NULL;
    return found;
}

/* The kernels of code that no driver has loaded, with the parameters that the text declares. `names`: separated by ';', and cut up
 * here. */
static yoke_status list_declared(const yoke_program *program, yk_text *names, yk_program_file *file)
{
    size_t count = 1;
    for (size_t i = 0; i < names->length; i++)
        count += names->data[i] == ';';
    yk_program_file_kernel *kernels = calloc(count, sizeof *kernels);
    if (!kernels)
        return yk_no_memory("a program binary");
    file->kernels = kernels;
    for (char *name = names->data; name && *name;) {
        char *end = strchr(name, ';');
        if (end)
            *end++ = '\0';
        const yk_declaration *declared = find_declaration(&program->declared, name);
        kernels[file->kernel_count++] = (yk_program_file_kernel){ .name = name,
                                                                  .count = declared ? (int32_t)declared->count : -1,
                                                                  .params = declared ? declared->params : NULL };
        name = end;
    }
    return YOKE_OK;
}

yoke_status yk_program_write_portable(const yoke_program *program, yk_text *bytes)
{
    yk_text names = { 0 };
    yk_program_file file = { .kind = (yk_code_kind)program->code_kind,
                             .code = yk_text_get(&program->code),
                             .code_size = program->code.length,
                             .fingerprint = "",
                             .log = "",
                             .options = "" };
    yk_code_list_kernels(program->code_kind, program->code.data, program->code.length, &names);
    yoke_status status = list_name_expressions(program, &file);
    if (status == YOKE_OK)
        status = list_declared(program, &names, &file);
    if (status == YOKE_OK)
        status = yk_program_file_write(&file, bytes);
    free_lists(&file);
    yk_text_free(&names);
    return status;
}

static bool is_made(yoke_program *program)
{
    pthread_mutex_lock(&program->lock);
    bool made = program->image.length > 0;
    pthread_mutex_unlock(&program->lock);
    return made;
}

yoke_status yk_program_make_file(yoke_program *program)
{
    yk_text bytes = { 0 }, refusals = { 0 };
    yoke_status status = YOKE_OK;
    if (is_made(program))
        return YOKE_OK;
    status = find_kernels(program, &refusals);
    if (status < 0) {
        yk_text_free(&refusals);
        return status;
    }
    pthread_mutex_lock(&program->lock);
    if (program->image.length == 0) {
        status = write_file(program, &refusals, &bytes);
        if (status == YOKE_OK)
            program->image = bytes;
        else
            yk_text_free(&bytes);
    }
    pthread_mutex_unlock(&program->lock);
    yk_text_free(&refusals);
    return status;
}

/* ---- Reading program files ---- */

/* A driver's binary for one device must not be passed to another device: some drivers do not check, and crash. Other kinds of
 * code identify their target. */
static yoke_status check_fingerprint(const yoke_program *program, const yk_program_file *file)
{
    yk_text mine = { 0 };
    if (file->kind != YK_CODE_BINARY)
        return YOKE_OK;
    yoke_status status = program->device->backend->program_fingerprint(program->device, &mine);
    if (status == YOKE_OK && strcmp(yk_text_get(&mine), file->fingerprint) != 0)
        status = yk_fail(YOKE_E_UNSUPPORTED, "program '%s' was saved for another device or driver: for %.200s; this is %.200s",
                         program->name, file->fingerprint, yk_text_get(&mine));
    yk_text_free(&mine);
    return status;
}

static yoke_status restore(yoke_program *program, const yk_program_file *file)
{
    yoke_status status = check_fingerprint(program, file);
    size_t before = program->options.length; /* more than 0: they are known from the source */
    for (size_t i = 0; i < file->name_expression_count && status == YOKE_OK; i++)
        status = yk_program_add_name_expression(program, file->name_expressions[i].name, file->name_expressions[i].lowered);
    if (status == YOKE_OK && before == 0)
        yk_text_add(&program->options, "%s", file->options);
    if (status == YOKE_OK && program->options.length < strlen(file->options))
        status = yk_no_memory("the compiler's options");
    if (status == YOKE_OK)
        status = program->device->backend->program_load(program, file->kind, file->code, file->code_size, &program->log);
    if (status == YOKE_OK) {
        yk_text_add_bytes(&program->log, file->log, strlen(file->log));
    } else {
        yk_text_cut(&program->options, before);
        yk_text_free(&program->name_expressions);
    }
    return status;
}

yoke_status yk_program_restore(yoke_program *program, yk_text *bytes)
{
    yk_program_file *file = calloc(1, sizeof *file);
    if (!file)
        return yk_no_memory("a program binary");
    yoke_status status = yk_program_file_read(bytes->data, bytes->length, file);
    if (status == YOKE_OK)
        status = restore(program, file);
    if (status < 0) {
        yk_program_file_free(file);
        free(file);
        return status;
    }
    program->saved = file;
    program->image = *bytes;
    *bytes = (yk_text){ 0 };
    return YOKE_OK;
}

static const yk_program_file_kernel *find_signature(const yoke_kernel *kernel)
{
    const yk_program_file *file = kernel->program->saved;
    for (size_t i = 0; file && i < file->kernel_count; i++)
        if (strcmp(file->kernels[i].name, kernel->native_name) == 0)
            return &file->kernels[i];
    return NULL;
}

yoke_status yk_program_complete_signature(yoke_kernel *kernel)
{
    const yk_program_file_kernel *saved = find_signature(kernel);
    yoke_status status = YOKE_OK;
    if (saved && saved->refusal)
        return yk_fail(YOKE_E_UNSUPPORTED, "%s", saved->refusal);
    if (!saved || saved->count < 0)
        return YOKE_OK;
    if (kernel->param_count < 0) {
        kernel->param_count = 0;
        kernel->signature_has_local = saved->signature_has_local;
        for (int32_t i = 0; i < saved->count && status == YOKE_OK; i++)
            status = yk_kernel_add_param(kernel, &saved->params[i]);
        return status;
    }
    for (int32_t i = 0; i < kernel->param_count && saved->count == kernel->param_count; i++)
        if (kernel->params[i].kind == YK_PARAM_ANY && kernel->params[i].size == saved->params[i].size)
            kernel->params[i] = saved->params[i];
    return status;
}

/* ---- Loading and saving ---- */

static yoke_status check_kind(const char *function, const yoke_device *device, int kind)
{
    const char *lacks = NULL;
    if (kind == YK_FOUND_TEXT)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: binary is text, neither PTX nor other compiled code; yoke_program_build takes "
                       "sources",
                       function);
    if (kind == YK_CODE_SPIRV)
        lacks = yoke_device_lacks(device, YOKE_CAP_SPIRV);
    else if (kind == YK_FOUND_PROGRAM_FILE || kind == YK_CODE_BINARY || kind == YK_FOUND_ELF)
        lacks = yoke_device_lacks(device, YOKE_CAP_PROGRAM_BINARIES);
    if (lacks)
        return yk_fail(YOKE_E_UNSUPPORTED, "%s: binary is %s, which %s does not accept: %s", function, yk_code_kind_text(kind),
                       device->info.selector, lacks);
    return YOKE_OK;
}

/* Make a program from the bytes, which it takes over on success. */
static yoke_status make(yoke_program *program, int kind, yk_text *bytes)
{
    if (kind == YK_FOUND_PROGRAM_FILE)
        return yk_program_restore(program, bytes);
    if (kind == YK_CODE_SPIRV) {
        if (!yk_spirv_is_whole(bytes->data, bytes->length))
            return yk_fail(YOKE_E_BUILD, "program '%s': the SPIR-V ends in the middle of an instruction or function, or is damaged",
                           program->name);
        yk_spirv_turn(bytes->data, bytes->length);
    }
    if (kind == YK_FOUND_ELF)
        kind = YK_CODE_BINARY;
    yoke_status status =
        program->device->backend->program_load(program, (yk_code_kind)kind, bytes->data, bytes->length, &program->log);
    if (status == YOKE_OK) {
        program->code = *bytes;
        program->code_kind = kind;
        *bytes = (yk_text){ 0 };
    }
    return status;
}

static yoke_status load_code(const char *function, yoke_program *program, const yoke_code *code)
{
    int kind = yk_code_find_kind(code->bytes, code->size);
    yk_text bytes = { 0 };
    yoke_status status = check_kind(function, program->device, kind);
    if (status < 0)
        return status;
    yk_text_add_bytes(&bytes, code->bytes, code->size);
    status = bytes.length == code->size ? make(program, kind, &bytes) : yk_no_memory("a program's code");
    yk_text_free(&bytes);
    return status;
}

/* Code without a signature gets the types of the text's own kernels, where they agree with the driver's report. */
static yoke_status read_declarations(yoke_program *program, const yoke_source *source)
{
    size_t size;
    const char *text = yk_source_text(program->device, source, &size);
    int how = program->device->traits.language == YK_LANGUAGE_OPENCL ? YK_SIGNATURE_OPENCL : 0;
    return !text || yk_kernel_table_read(how, text, size, &program->declared) ? YOKE_OK : yk_no_memory("the kernels' declarations");
}

/* The device's driver does not take this code, but may take other code or the text. A driver that is older than the code reports
 * it as damaged. */
static bool does_not_fit(yoke_status status)
{
    return status == YOKE_E_UNSUPPORTED || status == YOKE_E_UNAVAILABLE || status == YOKE_E_BUILD;
}

yoke_status yk_program_load_compiled(yoke_program *program, const char *function, const yoke_source *source, bool *out_loaded)
{
    const char *selector = program->device->info.selector;
    yoke_error_info before = *yoke_error();
    yoke_status status = YOKE_E_UNSUPPORTED;
    size_t index = 0, size;
    *out_loaded = false;
    if (!source->compiled || !source->compiled->bytes)
        return YOKE_OK;
    for (; source->compiled[index].bytes; index++) {
        status = load_code(function, program, &source->compiled[index]);
        if (!does_not_fit(status))
            break;
        yk_log(status == YOKE_E_BUILD ? YOKE_LOG_WARNING : YOKE_LOG_INFO, "program '%s': source.compiled[%zu] does not fit %s: %s",
               program->name, index, selector, yoke_error()->text);
        yk_text_free(&program->log);
    }
    *out_loaded = status == YOKE_OK;
    if (*out_loaded) {
        status = read_declarations(program, source);
        yk_log(YOKE_LOG_INFO, "program '%s' is loaded from source.compiled[%zu] for %s", program->name, index, selector);
    } else if (!does_not_fit(status)) {
        yk_error_append("; this is source.compiled[%zu]", index);
        return status;
    } else if (!yk_source_text(program->device, source, &size)) {
        yk_error_append("; %s takes none of source.compiled (%zu), this is the last, and the source has no text for it", selector,
                        index);
        return status;
    } else {
        status = YOKE_OK;
    }
    if (status == YOKE_OK)
        yk_error_restore(&before);
    return status;
}

static yoke_status load(const char *function, yoke_device *device, const char *name, const void *binary, size_t size,
                        yoke_program **out_program)
{
    if (!out_program)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_program is NULL", function);
    *out_program = NULL;
    YK_CHECK(device, YK_DEVICE, function, "device");
    if (!binary || size == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s", function, binary ? "size is 0" : "binary is NULL");
    if (!yk_is_range(binary, size))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: size is %zu, which exceeds the address space from %p", function, size, binary);
    int kind = yk_code_find_kind(binary, size);
    yoke_status status = check_kind(function, device, kind);
    if (status == YOKE_OK)
        status = yk_device_check(device);
    if (status < 0)
        return status;

    yk_text bytes = { 0 };
    yoke_program *program = yk_program_new(device, name);
    uint64_t since = yk_observe_device_now(device);
    yk_text_add_bytes(&bytes, binary, size);
    if (!program || bytes.length != size)
        status = yk_no_memory("a program's code");
    else
        status = yk_device_failed(device, make(program, kind, &bytes));
    if (program)
        yk_observe_worked(device, YK_HOST_BUILD, program->name, status < 0 ? "failed" : "loaded", 0, since);
    yk_text_free(&bytes);
    if (program)
        yk_text_add_bytes(yk_thread_text(YK_BUILD_LOG), yk_text_get(&program->log), program->log.length);
    if (status < 0) {
        if (program)
            yk_program_destroy(program);
        return status;
    }
    yk_object_retain(device);
    yk_program_complete(program, NULL);
    *out_program = program;
    return YOKE_OK;
}

yoke_status yoke_program_load(yoke_device *device, const char *name, const void *binary, size_t size, yoke_program **out_program)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_program_load);
    yk_text_free(yk_thread_text(YK_BUILD_LOG));
    yoke_status status = load(function, device, name, binary, size, out_program);
    return yk_attribute_site(function, NULL, status);
}

static yoke_status save(const char *function, yoke_program *program, void *target, size_t capacity, size_t *out_size)
{
    if (!out_size)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_size is NULL", function);
    *out_size = 0;
    YK_CHECK(program, YK_PROGRAM, function, "program");
    if (!target && capacity > 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: target is NULL, capacity is %zu", function, capacity);
    const char *lacks = yoke_device_lacks(program->device, YOKE_CAP_PROGRAM_BINARIES);
    if (lacks)
        return yk_fail(YOKE_E_UNSUPPORTED, "%s: programs of %s cannot be saved: %s", function, program->device->info.selector,
                       lacks);
    yoke_status status = yk_program_wait(program);
    if (status == YOKE_OK)
        status = yk_program_make_file(program);
    if (status < 0)
        return status;
    if (target && program->image.length <= capacity)
        memcpy(target, program->image.data, program->image.length);
    *out_size = program->image.length;
    return YOKE_OK;
}

yoke_status yoke_program_save(yoke_program *program, void *target, size_t capacity, size_t *out_size)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_program_save);
    yoke_status status = save(function, program, target, capacity, out_size);
    return yk_attribute_site(function, NULL, status);
}
