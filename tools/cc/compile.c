/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA form, compiled for architectures that are named, where there need be no device: what the code holds is compared with
 * what the text declares, which shows the kernels that need a name expression.
 */
#include <stdlib.h>
#include <string.h>

#include "backend_api.h"
#include "program/code.h"
#include "program/cxx_name.h"

#include "cc.h"

/* ---- Names ---- */

/* The names of the kernels in the code, each followed by ';'. */
static char *list_names(const cc_code *code)
{
    yk_text names = { 0 };
    int kind = strncmp(code->target, "sm_", 3) == 0 ? YK_CODE_CUBIN : YK_CODE_PTX;
    yk_code_list_kernels(kind, code->bytes, code->size, &names);
    char *list = names.length ? tool_text("%s;", yk_text_get(&names)) : tool_text("%s", "");
    yk_text_free(&names);
    return list;
}

/* How many of the names may be this kernel of the text; *out_instance: one of them is an instance of a template. */
static size_t count_names(const char *names, const char *kernel, bool *out_instance)
{
    size_t count = 0;
    *out_instance = false;
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, ";"), part_length;
        char *name = tool_text("%.*s", (int)length, at), plain[512];
        bool instance = false;
        const char *part = yk_cxx_last_part(name, &part_length);
        bool same = part_length ? strncmp(part, kernel, part_length) == 0 && !kernel[part_length] : strcmp(name, kernel) == 0;
        if (same && yk_cxx_name_read(name, plain, sizeof plain, &instance) && instance)
            *out_instance = true;
        count += same;
        free(name);
        at += length + 1;
    }
    return count;
}

/* Whether an expression names this kernel: "ns::scale<float>" does for "scale". */
static bool names_kernel(const char *expression, const char *kernel)
{
    size_t length = strlen(kernel);
    for (const char *at = strstr(expression, kernel); at; at = strstr(at + 1, kernel)) {
        char before = at > expression ? at[-1] : ' ', after = at[length];
        if (!yk_is_alpha(before) && !yk_is_digit(before) && before != '_' && !yk_is_alpha(after) && !yk_is_digit(after) &&
            after != '_')
            return true;
    }
    return false;
}

/* The kernel once more, under the name that its twin has. */
static void add_instance(cc_form *form, size_t index, const char *expression)
{
    cc_kernel *copy = cc_add_kernel(form, expression, strlen(expression)), *from = &form->kernels[index];
    cc_spell_as_opencl(copy->name);
    copy->known = from->known;
    for (size_t i = 0; i < from->count; i++) {
        cc_param *param = cc_add_param(copy);
        *param = form->kernels[index].params[i];
    }
}

static void drop_kernel(cc_form *form, size_t index)
{
    free(form->kernels[index].name);
    free(form->kernels[index].params);
    free(form->kernels[index].problem);
    memmove(&form->kernels[index], &form->kernels[index + 1], (--form->kernel_count - index) * sizeof *form->kernels);
}

/* A template, and a kernel of the text that several names have, can only be looked up by an expression. */
static void check_kernel(cc_kernel *kernel, const char *names)
{
    bool instance;
    size_t count = count_names(names, kernel->name, &instance);
    if (count == 0 || instance)
        kernel->problem = tool_text("%s template needs --name-expression '%s<...>', and source.name_expressions where it is built",
                                    count == 0 ? "it is not in the code: a" : "it is compiled, but a", kernel->name);
    else if (count > 1)
        kernel->problem = tool_text("%zu kernels have this name: each needs a name expression, as "
                                    "--name-expression '(void (*)(float *))%s' for an overload",
                                    count, kernel->name);
}

void cc_check_names(const cc_options *o, cc_form *form)
{
    char *names = form->code_count > 0 ? list_names(&form->codes[0]) : tool_text("%s", "");
    size_t declared = form->kernel_count;
    for (size_t i = 0; i < declared;) {
        bool named = false;
        for (size_t j = 0; j < o->name_count; j++)
            if (names_kernel(o->name_expressions[j], form->kernels[i].name)) {
                add_instance(form, i, o->name_expressions[j]);
                named = true;
            }
        if (named) {
            drop_kernel(form, i);
            declared--;
            continue;
        }
        if (*names)
            check_kernel(&form->kernels[i], names);
        i++;
    }
    free(names);
}

/* ---- Compiling ---- */

static bool compile(const cc_options *o, cc_form *form, const char *architecture, uint32_t flags)
{
    yoke_source source = cc_source(o, form);
    size_t size = (size_t)1 << 22, capacity;
    char *bytes = NULL;
    free(form->device);
    form->device = tool_text("%s", architecture);
    do { /* compiles once unless the code is very large */
        capacity = size;
        bytes = tool_grow(bytes, capacity);
        yoke_status status = yoke_source_compile(&source, architecture, flags, bytes, capacity, &size);
        if (status < 0) {
            form->state = status == YOKE_E_UNAVAILABLE ? CC_UNTRIED : CC_BROKEN;
            form->why = tool_text("%s", yoke_error()->text);
            form->log = status == YOKE_E_BUILD ? tool_text("%s", yoke_program_get_build_log()) : NULL;
            free(bytes);
            return false;
        }
    } while (size > capacity);
    if (!form->log)
        form->log = tool_text("%s", yoke_program_get_build_log());
    cc_add_code(form, architecture, tool_grow(bytes, size), size);
    form->state = CC_COMPILED;
    return true;
}

void cc_compile_for(const cc_options *o, cc_form *form, uint32_t flags)
{
    tool_string list = { 0 };
    bool fine = true;
    for (size_t i = 0; fine && i < o->architecture_count; i++) {
        fine = compile(o, form, o->architectures[i], flags);
        tool_add(&list, "%s%s", i ? ", " : "", o->architectures[i]);
    }
    if (fine) {
        free(form->device);
        form->device = list.data;
        cc_read(o, form);
        cc_check_names(o, form);
    } else {
        free(list.data);
    }
}
