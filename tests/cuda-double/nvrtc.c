/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVRTC's look-alike: every function that Yoke uses of it, made over the same list, so that none can be missing. It compiles for
 * the CPU, and what comes out only the double of the driver can load.
 */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_MAJOR = 12, VERSION_MINOR = 8 };
enum { INVALID_INPUT = 3, INVALID_PROGRAM = 4, NO_NAMES_AFTER = 8, NO_NAMES_BEFORE = 9, NAME_NOT_VALID = 10 };

static const int architectures[] = { 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90 };
static const char *const standards[] = { "c++14", "c++17", "c++20" }; /* prelude.h needs the first */

/* By NVRTC's own tag, as its users have it. */
struct _nvrtcProgram {
    char *text, *name;
    char **expressions, **lowered, **flags;
    size_t expression_count, flag_count;
    char standard[16];
    int architecture;
    bool exact, fuses, compiled;
    double_text log, object, ptx, cubin;
};

#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) __attribute__((visibility("default"))) result name parameters;
#include "../../backends/cuda/symbols.def"

/* ---- What it is ---- */

const char *nvrtcGetErrorString(yk_nvrtcResult result)
{
    static const char *const names[] = { "NVRTC_SUCCESS",
                                         "NVRTC_ERROR_OUT_OF_MEMORY",
                                         "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                         "NVRTC_ERROR_INVALID_INPUT",
                                         "NVRTC_ERROR_INVALID_PROGRAM",
                                         "NVRTC_ERROR_INVALID_OPTION",
                                         "NVRTC_ERROR_COMPILATION",
                                         "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                         "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                         "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                         "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                         "NVRTC_ERROR_INTERNAL_ERROR" };
    return result < sizeof names / sizeof *names ? names[result] : "NVRTC_ERROR unknown";
}

yk_nvrtcResult nvrtcVersion(int *out_major, int *out_minor)
{
    if (!out_major || !out_minor)
        return INVALID_INPUT;
    *out_major = VERSION_MAJOR;
    *out_minor = VERSION_MINOR;
    return YK_NVRTC_SUCCESS;
}

yk_nvrtcResult nvrtcGetNumSupportedArchs(int *out_count)
{
    if (!out_count)
        return INVALID_INPUT;
    *out_count = (int)(sizeof architectures / sizeof *architectures);
    return YK_NVRTC_SUCCESS;
}

yk_nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    if (!out)
        return INVALID_INPUT;
    memcpy(out, architectures, sizeof architectures);
    return YK_NVRTC_SUCCESS;
}

/* ---- Programs ---- */

static void free_list(char **list, size_t count)
{
    for (size_t i = 0; list && i < count; i++)
        free(list[i]);
    free(list);
}

yk_nvrtcResult nvrtcCreateProgram(yk_nvrtcProgram *out_program, const char *source, const char *name, int header_count,
                                  const char *const *headers, const char *const *header_names)
{
    (void)headers;
    (void)header_names;
    if (!out_program || !source || header_count != 0) /* Yoke puts its headers in itself */
        return INVALID_INPUT;
    yk_nvrtcProgram program = calloc(1, sizeof *program);
    if (!program)
        return YK_NVRTC_ERROR_OUT_OF_MEMORY;
    program->text = strdup(source);
    program->name = strdup(name ? name : "default_program");
    *out_program = program;
    if (program->text && program->name)
        return YK_NVRTC_SUCCESS;
    nvrtcDestroyProgram(out_program);
    return YK_NVRTC_ERROR_OUT_OF_MEMORY;
}

yk_nvrtcResult nvrtcDestroyProgram(yk_nvrtcProgram *program)
{
    if (!program || !*program)
        return INVALID_PROGRAM;
    yk_nvrtcProgram p = *program;
    free_list(p->lowered, p->expression_count);
    free_list(p->expressions, p->expression_count);
    free_list(p->flags, p->flag_count);
    double_text_free(&p->log);
    double_text_free(&p->object);
    double_text_free(&p->ptx);
    double_text_free(&p->cubin);
    free(p->text);
    free(p->name);
    free(p);
    *program = NULL;
    return YK_NVRTC_SUCCESS;
}

/* False: there is no memory. */
static bool append(char ***list, size_t *count, const char *text)
{
    char **longer = realloc(*list, (*count + 1) * sizeof *longer);
    if (longer)
        *list = longer;
    if (!longer || !(longer[*count] = strdup(text)))
        return false;
    (*count)++;
    return true;
}

yk_nvrtcResult nvrtcAddNameExpression(yk_nvrtcProgram program, const char *name)
{
    if (!program || !name)
        return program ? INVALID_INPUT : INVALID_PROGRAM;
    if (program->compiled)
        return NO_NAMES_AFTER;
    return append(&program->expressions, &program->expression_count, name) ? YK_NVRTC_SUCCESS : YK_NVRTC_ERROR_OUT_OF_MEMORY;
}

yk_nvrtcResult nvrtcGetLoweredName(yk_nvrtcProgram program, const char *name, const char **out_lowered)
{
    if (!program || !name || !out_lowered)
        return program ? INVALID_INPUT : INVALID_PROGRAM;
    if (!program->lowered)
        return NO_NAMES_BEFORE;
    for (size_t i = 0; i < program->expression_count; i++)
        if (strcmp(program->expressions[i], name) == 0) {
            *out_lowered = program->lowered[i];
            return YK_NVRTC_SUCCESS;
        }
    return NAME_NOT_VALID;
}

/* ---- Options ---- */

/* What the option sets, behind "=" or ":"; NULL: it is another one. */
static const char *value_of(const char *option, const char *name)
{
    size_t length = strlen(name);
    return strncmp(option, name, length) == 0 && option[length] == '=' ? option + length + 1 : NULL;
}

static bool read_architecture(yk_nvrtcProgram program, const char *value)
{
    int used = 0;
    program->exact = strncmp(value, "sm_", 3) == 0;
    if (!program->exact && strncmp(value, "compute_", 8) != 0)
        return false;
    value = strchr(value, '_') + 1;
    if (sscanf(value, "%d%n", &program->architecture, &used) != 1 || value[used])
        return false;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (architectures[i] == program->architecture)
            return true;
    return false;
}

static bool read_standard(yk_nvrtcProgram program, const char *value)
{
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
        if (strcmp(standards[i], value) == 0) {
            snprintf(program->standard, sizeof program->standard, "%s", value);
            return true;
        }
    return false;
}

/* Those that make no difference here: arithmetic is exact whatever is asked for, and lines are always known. */
static bool is_ignored(const char *option)
{
    static const char *const options[] = {
        "-default-device",
        "--device-as-default-execution-space",
        "--use_fast_math",
        "-use_fast_math",
        "--fmad=true",
        "--fmad=false",
        "--prec-div=true",
        "--prec-div=false",
        "--prec-sqrt=true",
        "--prec-sqrt=false",
        "--ftz=true",
        "--ftz=false",
        "-lineinfo",
        "--generate-line-info",
        "-G",
        "--device-debug",
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i], option) == 0)
            return true;
    return false;
}

static bool read_option(yk_nvrtcProgram program, const char *option)
{
    const char *architecture = value_of(option, "--gpu-architecture"), *standard = value_of(option, "--std");
    architecture = architecture ? architecture : value_of(option, "-arch");
    standard = standard ? standard : value_of(option, "-std");
    if (architecture)
        return read_architecture(program, architecture);
    if (standard)
        return read_standard(program, standard);
    if (option[0] == '-' && strchr("DUI", option[1]) && option[1] && option[2])
        return append(&program->flags, &program->flag_count, option);
    if (strncmp(option, "--fmad=", 7) == 0)
        program->fuses = strcmp(option + 7, "true") == 0;
    return is_ignored(option);
}

/* ---- Compiling ---- */

NO_SANITIZER static const void *address_at(const double_library *library, size_t index)
{
    return library->table->kernels[index]().address;
}

/* The object is loaded to see what its names have become. A failure is in the log. */
static bool lower_names(yk_nvrtcProgram program)
{
    double_library library;
    program->lowered = calloc(program->expression_count + 1, sizeof *program->lowered);
    if (!program->lowered || !double_library_open(&program->object, &library, &program->log))
        return false;
    for (size_t i = 0; i < program->expression_count; i++) /* they are the first of the table, in this order */
        program->lowered[i] = strdup(double_library_name(&program->object, &library, address_at(&library, i)));
    double_library_close(&library);
    return true;
}

yk_nvrtcResult nvrtcCompileProgram(yk_nvrtcProgram program, int count, const char *const *options)
{
    if (!program || program->compiled)
        return program ? YK_NVRTC_ERROR_COMPILATION : INVALID_PROGRAM;
    strcpy(program->standard, "c++17");
    program->fuses = true;
    program->architecture = 52;
    for (int i = 0; i < count; i++)
        if (!read_option(program, options[i])) {
            double_text_add(&program->log, "nvrtc: error: invalid value or unknown option: %s\n", options[i]);
            return YK_NVRTC_ERROR_INVALID_OPTION;
        }
    program->compiled = true;
    double_request request = { .name = program->name,
                               .text = program->text,
                               .standard = program->standard,
                               .expressions = (const char *const *)program->expressions,
                               .expression_count = program->expression_count,
                               .flags = program->flags,
                               .flag_count = program->flag_count,
                               .architecture = program->architecture,
                               .fuses = program->fuses };
    if (!double_compile(&request, &program->object, &program->log))
        return YK_NVRTC_ERROR_COMPILATION;
    if (!lower_names(program))
        return program->log.length ? YK_NVRTC_ERROR_COMPILATION : YK_NVRTC_ERROR_OUT_OF_MEMORY;
    double_image_to_ptx(&program->object, program->architecture, &program->ptx);
    if (program->exact) {
        double_text_add_bytes(&program->cubin, program->object.data, program->object.length);
        double_image_to_cubin(&program->cubin, program->architecture);
    }
    return YK_NVRTC_SUCCESS;
}

/* ---- What came out ---- */

static yk_nvrtcResult size_of(const double_text *text, size_t more, size_t *out_size)
{
    if (!out_size)
        return INVALID_INPUT;
    *out_size = text->length + more;
    return YK_NVRTC_SUCCESS;
}

static yk_nvrtcResult copy_of(const double_text *text, size_t more, char *target)
{
    if (!target)
        return INVALID_INPUT;
    memcpy(target, double_text_get(text), text->length + more);
    return YK_NVRTC_SUCCESS;
}

yk_nvrtcResult nvrtcGetProgramLogSize(yk_nvrtcProgram program, size_t *out_size)
{
    return program ? size_of(&program->log, 1, out_size) : INVALID_PROGRAM;
}

yk_nvrtcResult nvrtcGetProgramLog(yk_nvrtcProgram program, char *log)
{
    return program ? copy_of(&program->log, 1, log) : INVALID_PROGRAM;
}

yk_nvrtcResult nvrtcGetCUBINSize(yk_nvrtcProgram program, size_t *out_size)
{
    return program ? size_of(&program->cubin, 0, out_size) : INVALID_PROGRAM;
}

yk_nvrtcResult nvrtcGetCUBIN(yk_nvrtcProgram program, char *image)
{
    return program ? copy_of(&program->cubin, 0, image) : INVALID_PROGRAM;
}

yk_nvrtcResult nvrtcGetPTXSize(yk_nvrtcProgram program, size_t *out_size)
{
    return program && program->ptx.length ? size_of(&program->ptx, 1, out_size) : INVALID_PROGRAM;
}

yk_nvrtcResult nvrtcGetPTX(yk_nvrtcProgram program, char *image)
{
    return program && program->ptx.length ? copy_of(&program->ptx, 1, image) : INVALID_PROGRAM;
}
