/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: loaded images, their functions with what is known of each, and their variables. */
#include "module.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As an unassuming kernel of a real device has. */
enum { REGISTERS = 32 };

/* Of the driver's attributes of functions, those that Yoke does not ask for. */
enum { PTX_VERSION = 5, BINARY_VERSION = 6 };

struct double_module {
    double_text object;
    double_library library;
    double_function *functions;
    size_t count;
};

static const double_hooks hooks = { .barrier = double_fibers_meet,
                                    .meet = double_fibers_warp,
                                    .active = double_fibers_active,
                                    .print = double_print,
                                    .fail = double_fail };

/* ---- Functions ---- */

/* Static shared memory in a function is a variable of the host's threads that is local to it: its name begins with the function's.
 */
typedef struct shared_search {
    char prefix[512];
    size_t size;
} shared_search;

static bool add_shared(const double_symbol *symbol, void *user)
{
    shared_search *s = user;
    if (symbol->type == STT_TLS && strncmp(symbol->name, s->prefix, strlen(s->prefix)) == 0)
        s->size += symbol->size;
    return false;
}

static size_t shared_of(const double_text *object, const char *name)
{
    shared_search s = { .size = 0 };
    if (strncmp(name, "_Z", 2) == 0)
        snprintf(s.prefix, sizeof s.prefix, "_ZZ%sE", name + 2);
    else
        snprintf(s.prefix, sizeof s.prefix, "_ZZ%zu%sE", strlen(name), name);
    double_symbols(object, add_shared, &s);
    return s.size;
}

/* One that was asked for and is in the table by itself too is the same function. */
static void add_function(double_module *module, double_kernel kernel, unsigned device)
{
    const char *name = double_library_name(&module->object, &module->library, kernel.address);
    if (!kernel.run)
        return;
    for (size_t i = 0; i < module->count; i++)
        if (strcmp(module->functions[i].name, name) == 0) {
            if (kernel.most_threads)
                module->functions[i].kernel = kernel;
            return;
        }
    double_function *function = &module->functions[module->count++];
    *function = (double_function){ .module = module, .device = device, .kernel = kernel, .name = name };
    function->static_shared_bytes = shared_of(&module->object, name);
    function->most_dynamic = DOUBLE_SHARED_PER_BLOCK - (int)function->static_shared_bytes;
    function->has_barriers = module->library.table->has_barriers != 0;
}

yk_CUresult double_module_load_log(const void *image, unsigned device, char *log, size_t size, double_module **out_module)
{
    double_module *module = calloc(1, sizeof *module);
    double_text text = { 0 };
    yk_CUresult result = YK_CUDA_ERROR_OUT_OF_MEMORY;

    *out_module = NULL;
    if (!module)
        return result;
    result = double_image_read(image, &module->object, &text);
    if (result == YK_CUDA_SUCCESS && !double_library_open(&module->object, &module->library, &text))
        result = YK_CUDA_ERROR_INVALID_IMAGE;
    if (log && size > 0)
        snprintf(log, size, "%s", double_text_get(&text));
    double_text_free(&text);
    if (result == YK_CUDA_SUCCESS) {
        const double_table *table = module->library.table;
        *table->hooks = &hooks;
        module->functions = calloc(table->kernel_count + 1, sizeof *module->functions);
        if (!module->functions)
            result = YK_CUDA_ERROR_OUT_OF_MEMORY;
        for (unsigned i = 0; module->functions && i < table->kernel_count; i++)
            add_function(module, table->kernels[i](), device);
    }
    if (result != YK_CUDA_SUCCESS) {
        double_module_unload(module);
        return result;
    }
    *out_module = module;
    return YK_CUDA_SUCCESS;
}

yk_CUresult double_module_load(const void *image, double_module **out_module)
{
    return double_module_load_log(image, 0, NULL, 0, out_module);
}

void double_module_unload(double_module *module)
{
    if (!module)
        return;
    double_library_close(&module->library);
    double_text_free(&module->object);
    free(module->functions);
    free(module);
}

size_t double_module_count(const double_module *module)
{
    return module->count;
}

double_function *double_module_at(double_module *module, size_t index)
{
    return index < module->count ? &module->functions[index] : NULL;
}

yk_CUresult double_module_function(double_module *module, const char *name, double_function **out_function)
{
    *out_function = NULL;
    for (size_t i = 0; i < module->count && !*out_function; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            *out_function = &module->functions[i];
    return *out_function ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_NOT_FOUND;
}

/* ---- Variables ---- */

typedef struct variable_search {
    const char *name;
    double_symbol found;
} variable_search;

/* A static variable has its own name in CUDA, and is _ZL6factor for a compiler of the host. */
static const char *without_mangling(const char *name)
{
    if (strncmp(name, "_ZL", 3) != 0)
        return name;
    char *rest;
    size_t length = strtoul(name + 3, &rest, 10);
    return strlen(rest) == length ? rest : name;
}

static bool is_variable(const double_symbol *symbol, void *user)
{
    variable_search *s = user;
    bool found = symbol->type == STT_OBJECT && strcmp(without_mangling(symbol->name), s->name) == 0;
    if (found)
        s->found = *symbol;
    return found;
}

yk_CUresult double_module_global(double_module *module, const char *name, void **out_address, size_t *out_size)
{
    variable_search s = { .name = name };
    if (strncmp(name, "double_", 7) != 0) /* which are ours */
        double_symbols(&module->object, is_variable, &s);
    if (!s.found.name)
        return YK_CUDA_ERROR_NOT_FOUND;
    if (out_address)
        *out_address = module->library.base + s.found.value;
    if (out_size)
        *out_size = s.found.size;
    return YK_CUDA_SUCCESS;
}

/* ---- What is known of a function ---- */

const char *double_function_name(const double_function *function)
{
    return function->name;
}

yk_CUresult double_function_param(const double_function *function, size_t index, size_t *out_offset, size_t *out_size)
{
    if (index >= function->kernel.field_count)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (out_offset)
        *out_offset = function->kernel.fields[index].offset;
    if (out_size)
        *out_size = function->kernel.fields[index].size;
    return YK_CUDA_SUCCESS;
}

size_t double_function_params_size(const double_function *function)
{
    return function->kernel.params_size;
}

yk_CUresult double_function_attribute(const double_function *function, int attribute, int *out_value)
{
    unsigned most = function->kernel.most_threads;
    switch (attribute) {
    case YK_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *out_value = most ? (int)most : DOUBLE_THREADS_PER_BLOCK;
        return YK_CUDA_SUCCESS;
    case YK_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *out_value = (int)function->static_shared_bytes;
        return YK_CUDA_SUCCESS;
    case YK_CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *out_value = (int)function->module->library.table->constant_size;
        return YK_CUDA_SUCCESS;
    case YK_CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *out_value = 0;
        return YK_CUDA_SUCCESS;
    case YK_CU_FUNC_ATTRIBUTE_NUM_REGS:
        *out_value = REGISTERS;
        return YK_CUDA_SUCCESS;
    case PTX_VERSION:
    case BINARY_VERSION:
        *out_value = 10 * DOUBLE_CAPABILITY_MAJOR + DOUBLE_CAPABILITY_MINOR;
        return YK_CUDA_SUCCESS;
    case YK_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *out_value = function->most_dynamic;
        return YK_CUDA_SUCCESS;
    default:
        return YK_CUDA_ERROR_INVALID_VALUE;
    }
}

yk_CUresult double_function_set_attribute(double_function *function, int attribute, int value)
{
    if (attribute != YK_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
        value > DOUBLE_SHARED_OPTIN - (int)function->static_shared_bytes)
        return YK_CUDA_ERROR_INVALID_VALUE;
    function->most_dynamic = value;
    return YK_CUDA_SUCCESS;
}
