/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building without blocking, on one of Yoke's threads. An event needs a stream: each build has its own, which gets no work and
 * which the event keeps alive. The job retains program and event, so that the caller may release both at any time.
 */
#include <stdlib.h>

#include "stream/event.h"
#include "program/program.h"
#include "program/source.h"
#include "stream/stream.h"
#include "base/process/thread.h"

typedef struct job {
    yoke_program *program;
    yoke_event *event; /* or NULL */
    yoke_source *source;
} job;

YK_FUNCTION(yoke_program_build_async);

static void free_job(job *j)
{
    yoke_event_release(j->event);
    yoke_program_release(j->program);
    free(j->source);
    free(j);
}

/* Program and event share one failure, so that reading it from either counts as reported. */
static void run(void *argument)
{
    job *j = argument;
    yk_failure *failure = NULL;
    yoke_status status = yk_program_compile(j->program, function, j->source);
    if (status < 0)
        yk_attribute(function, NULL, status);
    if (j->event) {
        yk_event_complete(j->event, status);
        failure = status < 0 ? yk_failure_retain(atomic_load(&j->event->failure)) : NULL;
    } else if (status < 0) {
        failure = yk_failure_from_record();
    }
    yk_program_complete(j->program, failure);
    free_job(j);
}

static yoke_status add_event(job *j, yoke_device *device)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    desc.name = j->program->name;
    yoke_status status = yoke_stream_create(device, &desc, &stream);
    if (status < 0)
        return status;
    j->event = yk_event_new(stream, 0, NULL);
    yoke_stream_release(stream);
    return j->event ? YOKE_OK : yoke_error()->status;
}

static yoke_status new_job(yoke_device *device, const yoke_source *source, bool with_event, job **out_job)
{
    yoke_status status = YOKE_E_OUT_OF_HOST_MEMORY;
    job *j = calloc(1, sizeof *j);
    if (!j)
        return yk_no_memory("a build");
    j->source = yk_source_copy(device, source);
    if (j->source)
        j->program = yk_program_new(device, source->name);
    if (j->program) {
        yk_object_retain(device);
        status = with_event ? add_event(j, device) : YOKE_OK;
    }
    if (status < 0)
        free_job(j);
    else
        *out_job = j;
    return status;
}

static yoke_status build(yoke_device *device, const yoke_source *caller_source, yoke_program **out_program, yoke_event **out_event)
{
    YK_CHECK(device, YK_DEVICE, function, "device");
    if (!caller_source)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source is NULL", function);
    yoke_source source;
    job *j = NULL;
    yk_source_file file;
    yoke_status status = yk_source_open_for(function, device, caller_source, &source, &file);
    if (status == YOKE_OK)
        status = yk_device_check(device);
    if (status == YOKE_OK)
        status = new_job(device, &source, out_event != NULL, &j);
    yk_source_close(&file);
    if (!j)
        return status;

    yoke_program *program = yoke_program_retain(j->program);
    yoke_event *event = yoke_event_retain(j->event);
    if (device->blocking) {
        yoke_error_info before = *yoke_error();
        run(j);
        yk_error_restore(&before);
    } else if ((status = yk_thread_run(run, j, "a build")) < 0) {
        free_job(j);
    }
    if (status < 0) {
        yoke_event_release(event);
        yoke_program_release(program);
        return status;
    }
    *out_program = program;
    if (out_event)
        *out_event = event;
    return YOKE_OK;
}

yoke_status yoke_program_build_async(yoke_device *device, const yoke_source *source, yoke_program **out_program,
                                     yoke_event **out_event)
{
    YK_UNCANCELLED;
    yoke_status status;
    if (out_event)
        *out_event = NULL;
    if (out_program) {
        *out_program = NULL;
        status = build(device, source, out_program, out_event);
    } else {
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_program is NULL", function);
    }
    return yk_attribute_site(function, NULL, status);
}
