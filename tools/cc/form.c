/* SPDX-License-Identifier: Apache-2.0 */
/* A form: its kernels and codes, and its text as a source and expanded. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

cc_kernel *cc_add_kernel(cc_form *form, const char *name, size_t length)
{
    form->kernels = tool_grow(form->kernels, (form->kernel_count + 1) * sizeof *form->kernels);
    cc_kernel *kernel = &form->kernels[form->kernel_count++];
    *kernel = (cc_kernel){ .name = tool_text("%.*s", (int)length, name) };
    return kernel;
}

cc_param *cc_add_param(cc_kernel *kernel)
{
    kernel->params = tool_grow(kernel->params, (kernel->count + 1) * sizeof *kernel->params);
    cc_param *param = &kernel->params[kernel->count++];
    *param = (cc_param){ .read_only = -1 };
    return param;
}

void cc_free_form(cc_form *form)
{
    for (size_t i = 0; i < form->kernel_count; i++) {
        free(form->kernels[i].name);
        free(form->kernels[i].params);
        free(form->kernels[i].problem);
    }
    free(form->kernels);
    free(form->text);
    free(form->why);
    free(form->log);
    free(form->device);
    free(form->folder);
    free(form->typed_folder);
    for (size_t i = 0; i < form->code_count; i++)
        free(form->codes[i].bytes);
    free(form->codes);
}

yoke_source cc_source(const cc_options *o, const cc_form *form)
{
    bool cuda = strcmp(form->backend, "cuda") == 0;
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = form->path;
    *(cuda ? &source.cuda : &source.opencl) = form->text;
    *(cuda ? &source.cuda_size : &source.opencl_size) = form->size;
    source.defines = o->defines;
    source.include_folders = form->include_folders;
    source.opencl_std = o->opencl_std;
    source.cuda_std = o->cuda_std;
    source.math = o->math;
    source.name_expressions = o->name_count ? o->name_expressions : NULL;
    return source;
}

void cc_add_code(cc_form *form, const char *target, char *bytes, size_t size)
{
    form->codes = tool_grow(form->codes, (form->code_count + 1) * sizeof *form->codes);
    form->codes[form->code_count++] = (cc_code){ target, bytes, size };
}

char *cc_expand(const cc_options *o, const cc_form *form, size_t *out_size)
{
    yoke_source source = cc_source(o, form);
    size_t size = form->size + 1, capacity;
    char *text = NULL;
    do {
        capacity = size;
        text = tool_grow(text, capacity + 1);
        if (yoke_source_expand(&source, form->backend, text, capacity, &size) < 0) {
            free(text);
            return NULL;
        }
    } while (size > capacity);
    text[size] = '\0';
    *out_size = size;
    return text;
}

void cc_spell_as_opencl(char *name)
{
    size_t length = 0;
    for (const char *at = name; *at; at++)
        if (isalnum((unsigned char)*at) || *at == '_')
            name[length++] = *at;
        else if (length > 0 && name[length - 1] != '_')
            name[length++] = '_';
    while (length > 0 && name[length - 1] == '_')
        length--;
    name[length] = '\0';
}
