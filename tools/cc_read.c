/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a file that nothing here can compile, read from its text: enough to compare it with its twin. */
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

void cc_read(cc_form *form)
{
    yk_kernel_table table = { 0 };
    int how = YK_SIGNATURE_AS_WRITTEN | (strcmp(form->backend, "opencl") == 0 ? YK_SIGNATURE_OPENCL : 0);
    if (!yk_kernel_table_read(how, form->text, form->size, &table))
        tool_no_memory();
    form->from_text = true;
    for (size_t i = 0; i < table.count; i++)
        take_kernel(form, &table.kernels[i]);
    yk_kernel_table_free(&table);
}
