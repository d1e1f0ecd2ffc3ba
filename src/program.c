/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: compiling source twins. The compiler's log belongs to the thread that built, since a program that fails does not exist.
 */
#include <string.h>

#include "backend.h"
#include "kernel.h"
#include "program.h"
#include "stream.h"
#include "trash.h"

const char *yoke_build_log(void)
{
    return yk_text_get(yk_thread_text(YK_BUILD_LOG));
}

/* Letters, digits and _ make a name; a value is one line of source. */
static yoke_status check_define(const char *function, const char *define)
{
    size_t length = strspn(define, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (length == 0 || (define[0] >= '0' && define[0] <= '9') || (define[length] && define[length] != '='))
        return yk_fail(YOKE_E_INVALID, "%s: define '%.60s' is neither NAME nor NAME=VALUE", function, define);
    if (strpbrk(define + length, "\r\n") || define[strlen(define) - 1] == '\\')
        return yk_fail(YOKE_E_INVALID, "%s: the value of define '%.60s' does not fit on a line of its own; put it into the source",
                       function, define);
    return YOKE_OK;
}

/* `source` is a copy with the members of the running library. */
static yoke_status check_source(const char *function, const yoke_device *device, const yoke_source *source)
{
    bool is_cuda = strcmp(device->backend->name, "cuda") == 0;
    const char *text = is_cuda ? source->cuda : source->opencl, *other = is_cuda ? source->opencl : source->cuda;
    if (!text)
        return yk_fail(YOKE_E_INVALID, "%s: source has no %s text, which %s takes%s", function, device->backend->name,
                       device->info.selector, other ? "; it has only the other twin" : "");
    if (!text[strspn(text, " \t\r\n")])
        return yk_fail(YOKE_E_INVALID, "%s: the %s text of source is empty", function, device->backend->name);
    if (source->math != YOKE_MATH_EXACT && source->math != YOKE_MATH_FAST)
        return yk_fail(YOKE_E_INVALID, "%s: source.math is %d; it may be YOKE_MATH_EXACT (0) or YOKE_MATH_FAST (1)", function,
                       (int)source->math);
    if (source->opencl_std && (strlen(source->opencl_std) != 3 || strspn(source->opencl_std, "0123456789.") != 3))
        return yk_fail(YOKE_E_INVALID, "%s: source.opencl_std is '%.20s'; it may be \"1.2\", \"2.0\" or \"3.0\"", function,
                       source->opencl_std);
    for (const char *const *define = source->defines; define && *define; define++) {
        yoke_status status = check_define(function, *define);
        if (status < 0)
            return status;
    }
    return YOKE_OK;
}

yoke_status yk_program_create(yoke_device *device, const yoke_source *source, yk_text *log, yoke_program **out_program)
{
    yoke_program *program = yk_object_new(YK_PROGRAM, sizeof *program);
    yoke_status status;
    if (!program)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    program->device = device;
    yk_string_copy(program->name, sizeof program->name, source->name ? source->name : "program");
    if (pthread_mutex_init(&program->lock, NULL)) {
        status = yk_no_memory("a program's lock");
        goto no_lock;
    }
    status = device->backend->program_build(program, source, log);
    if (status < 0)
        goto no_native;
    yk_log(YOKE_LOG_INFO, "program '%s' is built for %s", program->name, device->info.selector);
    *out_program = program;
    return YOKE_OK;

no_native:
    yk_device_failed(device, status);
    yk_kernel_table_free(&program->declared);
    pthread_mutex_destroy(&program->lock);
no_lock:
    yk_object_free(program, sizeof *program);
    return status;
}

static yoke_status build(const char *function, yoke_device *device, const yoke_source *source, yoke_program **out_program)
{
    if (!out_program)
        return yk_fail(YOKE_E_INVALID, "%s: out_program is NULL", function);
    *out_program = NULL;
    YK_CHECK(device, YK_DEVICE, function, "device");
    if (!source)
        return yk_fail(YOKE_E_INVALID, "%s: source is NULL", function);
    yoke_source known = YOKE_SOURCE_INIT;
    memcpy(&known, source, source->size && source->size < sizeof known ? source->size : sizeof known);
    yoke_status status = check_source(function, device, &known);
    if (status == YOKE_OK)
        status = yk_device_check(device);
    if (status < 0)
        return status;

    status = yk_program_create(device, &known, yk_thread_text(YK_BUILD_LOG), out_program);
    if (status == YOKE_OK)
        yk_object_retain(device);
    return status;
}

yoke_status yoke_program_build(yoke_device *device, const yoke_source *source, yoke_program **out_program)
{
    yk_text_free(yk_thread_text(YK_BUILD_LOG));
    yoke_status status = build("yoke_program_build", device, source, out_program);
    return status < 0 ? yk_blame("yoke_program_build", NULL, status) : status;
}

yoke_program *yoke_program_retain(yoke_program *program)
{
    if (yk_is(program, YK_PROGRAM))
        yk_object_retain(program);
    return program;
}

void yk_program_destroy(yoke_program *program)
{
    while (program->kernels) {
        yoke_kernel *kernel = program->kernels;
        program->kernels = kernel->next;
        yk_kernel_destroy(kernel);
    }
    program->device->backend->program_destroy(program);
    yk_kernel_table_free(&program->declared);
    pthread_mutex_destroy(&program->lock);
    yk_object_free(program, sizeof *program);
}

static void destroy_program(void *program)
{
    yk_program_destroy(program);
}

void yoke_program_release(yoke_program *program)
{
    if (!yk_is(program, YK_PROGRAM) || !yk_object_release(program))
        return;
    yoke_device *device = program->device;
    atomic_store(&program->object.kind, YK_DEAD);
    for (yoke_kernel *kernel = program->kernels; kernel; kernel = kernel->next)
        atomic_store(&kernel->object.kind, YK_DEAD);
    if (device->backend->keeps_used_objects)
        destroy_program(program);
    else
        yk_trash_throw(device, program, destroy_program, YK_MANY);
    yoke_device_release(device);
}
