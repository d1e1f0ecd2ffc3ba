/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a file that nothing here can compile, read from its text: enough to compare it with its twin. A file that declares
 * none itself has those of its headers.
 */
#include <stdlib.h>
#include <string.h>

#include "backend_api.h"

#include "cc.h"

static void take_kernel(cc_form *form, const yk_declaration *declared)
{
    cc_kernel *kernel = cc_add_kernel(form, declared->name, strlen(declared->name));
    kernel->known = declared->count != SIZE_MAX;
    for (size_t i = 0; kernel->known && i < declared->count; i++) {
        const yk_param *from = &declared->params[i];
        cc_param *param = cc_add_param(kernel);
        param->kind = (int32_t)from->kind;
        param->read_only = from->read_only;
        param->bytes = from->size;
        strcpy(param->name, from->name);
        strcpy(param->type, from->type);
    }
    /* The last one, when it is shared memory, is none that a launch has to give. */
    if (kernel->count > 0 && kernel->params[kernel->count - 1].kind == YOKE_PARAM_LOCAL)
        kernel->count--;
}

static void read_table(const cc_form *form, const char *text, size_t size, yk_kernel_table *out_table)
{
    int how = YK_SIGNATURE_AS_WRITTEN | (strcmp(form->backend, "opencl") == 0 ? YK_SIGNATURE_OPENCL : 0);
    *out_table = (yk_kernel_table){ 0 };
    if (!yk_kernel_table_read(how, text, size, out_table))
        tool_no_memory();
}

void cc_read(const cc_options *o, cc_form *form)
{
    yk_kernel_table table;
    size_t size;
    char *expanded;
    read_table(form, form->text, form->size, &table);
    if (table.count == 0 && (expanded = cc_expand(o, form, &size))) {
        yk_kernel_table_free(&table);
        read_table(form, expanded, size, &table);
        free(expanded);
    }
    form->from_text = true;
    for (size_t i = 0; i < table.count; i++)
        take_kernel(form, &table.kernels[i]);
    yk_kernel_table_free(&table);
}
