/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: the object, its log and its names. A program may be returned while its build still runs (build_async.c): a function
 * that needs more than the object calls yk_program_wait first.
 */
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "memory/buffer.h"
#include "program/program_file.h"
#include "backend_api.h"
#include "stream/retire.h"

void yk_program_destroy(yoke_program *program)
{
    while (program->kernels) {
        yoke_kernel *kernel = program->kernels;
        program->kernels = kernel->next;
        yk_object_release(kernel);
    }
    if (program->native)
        program->device->backend->program_destroy(program);
    if (program->saved)
        yk_program_file_free(program->saved);
    free(program->saved);
    free(program->kernel_names);
    yk_text_free(&program->kernel_name_text);
    yk_text_free(&program->image);
    yk_text_free(&program->code);
    yk_text_free(&program->name_expressions);
    yk_text_free(&program->options);
    yk_text_free(&program->log);
    yk_kernel_table_free(&program->declared);
    if (program->failure)
        yk_failure_release(program->failure);
    pthread_cond_destroy(&program->built);
    pthread_mutex_destroy(&program->lock);
    yk_object_free(program, sizeof *program);
}

static void destroy_program(void *program)
{
    yk_program_destroy(program);
}

void yk_program_forbid(yoke_program *program)
{
    atomic_store(&program->object.kind, YK_DEAD);
    for (yoke_kernel *kernel = program->kernels; kernel; kernel = kernel->next)
        atomic_store(&kernel->object.kind, YK_DEAD);
}

/* The last reference is released, and kernels of the program may still run. */
static void end_program(void *object)
{
    YK_UNCANCELLED;
    yoke_program *program = object;
    yoke_device *device = program->device;
    yk_program_forbid(program);
    if (device->traits.releases_wait)
        yk_retire_until_idle(device, program, destroy_program, false, 0);
    else if (device->traits.keeps_used_objects)
        yk_program_destroy(program);
    else
        yk_retire(device, program, destroy_program, YK_MANY_STREAMS, 0);
    yk_device_put(device);
}

yoke_program *yk_program_new(yoke_device *device, const char *name)
{
    yoke_program *program = yk_object_new(YK_PROGRAM, sizeof *program, end_program);
    if (!program)
        return NULL;
    program->device = device;
    yk_name_copy(program->name, sizeof program->name, name ? name : "program");
    if (pthread_mutex_init(&program->lock, NULL))
        goto no_lock;
    if (pthread_cond_init(&program->built, NULL))
        goto no_cond;
    return program;

no_cond:
    pthread_mutex_destroy(&program->lock);
no_lock:
    yk_no_memory("a program's lock");
    yk_object_free(program, sizeof *program);
    return NULL;
}

void yk_program_complete(yoke_program *program, yk_failure *failure)
{
    pthread_mutex_lock(&program->lock);
    program->failure = failure;
    atomic_store_explicit(&program->state, failure ? YK_PROGRAM_FAILED : YK_PROGRAM_READY, memory_order_release);
    pthread_cond_broadcast(&program->built);
    pthread_mutex_unlock(&program->lock);
}

yoke_status yk_program_wait(yoke_program *program)
{
    YK_UNCANCELLED;
    if (atomic_load_explicit(&program->state, memory_order_acquire) == YK_PROGRAM_READY)
        return YOKE_OK;
    pthread_mutex_lock(&program->lock);
    while (atomic_load(&program->state) == YK_PROGRAM_BUILDING)
        pthread_cond_wait(&program->built, &program->lock);
    pthread_mutex_unlock(&program->lock);
    return program->failure ? yk_failure_report(program->failure) : YOKE_OK;
}

/* ---- References ---- */

/* A program that its device keeps lives as long as the device: a user's reference on it is one on the device. */
yoke_program *yoke_program_retain(yoke_program *program)
{
    if (yk_is(program, YK_PROGRAM))
        yk_object_retain(program->kept ? (void *)program->device : program);
    return program;
}

void yoke_program_release(yoke_program *program)
{
    if (!yk_is(program, YK_PROGRAM))
        return;
    if (program->kept)
        yk_device_put(program->device);
    else
        yk_object_release(program);
}

/* ---- Logs ---- */

const char *yoke_program_get_build_log(void)
{
    return yk_text_get(yk_thread_text(YK_BUILD_LOG));
}

yoke_device *yoke_program_get_device(const yoke_program *program)
{
    return yk_is(program, YK_PROGRAM) ? program->device : NULL;
}

const char *yoke_program_get_log(yoke_program *program)
{
    YK_UNCANCELLED;
    if (!yk_is(program, YK_PROGRAM))
        return "";
    pthread_mutex_lock(&program->lock);
    while (atomic_load(&program->state) == YK_PROGRAM_BUILDING)
        pthread_cond_wait(&program->built, &program->lock);
    pthread_mutex_unlock(&program->lock);
    return yk_text_get(&program->log);
}

/* ---- Name expressions ---- */

static bool add_name(yk_text *text, const char *name)
{
    size_t before = text->length, size = strlen(name) + 1;
    yk_text_add_bytes(text, name, size);
    return text->length - before == size;
}

yoke_status yk_program_add_name_expression(yoke_program *program, const char *name, const char *lowered)
{
    size_t before = program->name_expressions.length;
    if (add_name(&program->name_expressions, name) && add_name(&program->name_expressions, lowered))
        return YOKE_OK;
    yk_text_cut(&program->name_expressions, before);
    return yk_no_memory("the names of a program");
}

/* Blanks do not count: a compiler writes "f<int, 4>" where a program may have "f<int,4>". */
static bool is_same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* The other of the two names, source or lowered; NULL when there is none. */
static const char *other_name(const yoke_program *program, const char *wanted, bool is_lowered)
{
    const char *name = yk_text_get(&program->name_expressions), *end = name + program->name_expressions.length;
    while (name < end) {
        const char *lowered = name + strlen(name) + 1;
        if (is_same_name(is_lowered ? lowered : name, wanted))
            return is_lowered ? name : lowered;
        name = lowered + strlen(lowered) + 1;
    }
    return NULL;
}

const char *yk_program_lowered(const yoke_program *program, const char *name)
{
    const char *lowered = other_name(program, name, false);
    return lowered ? lowered : name;
}

const char *yk_program_spelled(const yoke_program *program, const char *lowered)
{
    const char *name = other_name(program, lowered, true);
    return name ? name : lowered;
}

/* ---- Variables ---- */

static yoke_status get_global(const char *function, yoke_program *program, const char *name, yoke_buffer **out_buffer)
{
    if (!out_buffer)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_buffer is NULL", function);
    *out_buffer = NULL;
    YK_CHECK(program, YK_PROGRAM, function, "program");
    if (!name || !*name)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: name is %s", function, name ? "empty" : "NULL");
    const char *lacks = yoke_device_lacks(program->device, YOKE_CAP_GLOBALS);
    if (lacks)
        return yk_fail(YOKE_E_UNSUPPORTED, "%s: %s does not support variables of programs: %s", function,
                       program->device->info.selector, lacks);
    yoke_status status = yk_program_wait(program);
    return status == YOKE_OK ? yk_buffer_of_global(program, name, out_buffer) : status;
}

yoke_status yoke_program_get_global(yoke_program *program, const char *name, yoke_buffer **out_buffer)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_program_get_global);
    yoke_status status = get_global(function, program, name, out_buffer);
    return yk_attribute_site(function, NULL, status);
}
