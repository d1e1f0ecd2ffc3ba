/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a program from a source: check the source, expand its includes, and look up an equal program in the cache on disk or in
 * another thread's current build. The key covers everything that determines the compiler's result; equal keys mean equal programs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "backend_api.h"
#include "program/include/include.h"
#include "program/include/include_parts.h"
#include "program/cache/program_cache.h"
#include "program/program.h"
#include "program/source.h"
#include "stream/observer.h"
#include "stream/stream.h"

/* Raised whenever a backend compiles the same source differently, or an entry holds more, so that older entries are not used. */
#define KEY_REVISION "3"

/* A source with everything that a compiler needs. */
typedef struct job {
    const yoke_source *source;
    yk_text text; /* with its includes expanded */
    yk_line_map lines;
    yk_outside outside;
    yk_text key;     /* empty where programs are not cached */
    const char *how; /* the program was made: for the device's observer */
} job;

/* ---- The key ---- */

/* Each part is preceded by its length, so that no two lists of parts have the same bytes. False: out of memory, and the key is
 * incomplete. */
static bool add_part(yk_text *key, const char *label, const char *bytes, size_t size)
{
    char head[64];
    size_t before = key->length;
    int length = snprintf(head, sizeof head, "%s %zu\n", label, size);
    yk_text_add_bytes(key, head, (size_t)length);
    yk_text_add_bytes(key, bytes, size);
    yk_text_add_bytes(key, "\n", 1);
    return key->length - before == (size_t)length + size + 1;
}

static bool add_string(yk_text *key, const char *label, const char *string)
{
    return !string || add_part(key, label, string, strlen(string));
}

static bool add_strings(yk_text *key, const char *label, const char *const *strings)
{
    for (; strings && *strings; strings++)
        if (!add_string(key, label, *strings))
            return false;
    return true;
}

static bool add_options(yk_text *key, const yoke_program *program, const yoke_source *source)
{
    yk_language language = program->device->traits.language;
    const char *define;
    char numbers[64];
    for (size_t i = 0; (define = yk_source_define(source, language, i)); i++)
        if (!add_string(key, "define", define))
            return false;
    snprintf(numbers, sizeof numbers, "arithmetic %" PRId32 " flags %" PRIu32, source->math, source->flags);
    return add_string(key, "options", numbers) && add_string(key, "name", program->name) &&
           add_string(key, "opencl_std", source->opencl_std) && add_string(key, "cuda_std", source->cuda_std) &&
           add_strings(key, "option", yk_source_options(source, language)) &&
           add_strings(key, "instance", source->name_expressions);
}

static yoke_status make_key(const yoke_program *program, job *j)
{
    const yk_backend *backend = program->device->backend;
    yk_text fingerprint = { 0 };
    yoke_status status = backend->program_fingerprint(program->device, &fingerprint);
    if (status == YOKE_OK &&
        !(add_string(&j->key, "yoke", YOKE_TEXT(YOKE_VERSION_MAJOR) "." YOKE_TEXT(YOKE_VERSION_MINOR) " " KEY_REVISION) &&
          add_string(&j->key, "backend", backend->name) && add_string(&j->key, "for", yk_text_get(&fingerprint)) &&
          add_options(&j->key, program, j->source) && add_part(&j->key, "text", yk_text_get(&j->text), j->text.length) &&
          add_part(&j->key, "headers", yk_text_get(&j->outside.read), j->outside.read.length)))
        status = yk_no_memory("the key of a program");
    yk_text_free(&fingerprint);
    return status;
}

/* Without a key there is no compiler, which compiling reports better; or the compiler's version is unknown, and it compiles
 * anyway. */
static bool has_key(const yoke_program *program, job *j)
{
    yoke_error_info before = *yoke_error();
    yoke_status status = make_key(program, j);
    if (status < 0)
        yk_log(YOKE_LOG_WARNING, "program '%s' is not searched in the cache: %s", program->name, yoke_error()->text);
    yk_error_restore(&before);
    return status == YOKE_OK;
}

/* ---- Compiling ---- */

static yoke_status compile(yoke_program *program, job *j)
{
    j->how = "compiled";
    yoke_source source = *j->source;
    source.include_folders = j->outside.used ? j->outside.search : NULL;
    yk_log(YOKE_LOG_INFO, "program '%s' is being compiled for %s", program->name, program->device->info.selector);
    yoke_status status = program->device->backend->program_build(program, &source, &j->text, &j->lines, &program->log);
    if (status == YOKE_E_BUILD)
        yk_source_hint(&j->text);
    if (status == YOKE_OK)
        yk_log(YOKE_LOG_INFO, "program '%s' is compiled for %s", program->name, program->device->info.selector);
    return status;
}

/* A failure here only means that there is no program file; the build succeeds. */
static bool has_file(yoke_program *program)
{
    yoke_error_info before = *yoke_error();
    yoke_status status = yk_program_make_file(program);
    if (status < 0)
        yk_log(status == YOKE_E_UNSUPPORTED ? YOKE_LOG_INFO : YOKE_LOG_WARNING, "program '%s' cannot be cached: %s", program->name,
               yoke_error()->text);
    yk_error_restore(&before);
    return status == YOKE_OK;
}

static bool restore_cached(yoke_program *program, job *j)
{
    yk_text file = { 0 };
    if (!yk_cache_find(&j->key, &file))
        return false;
    j->how = "from the cache";
    yoke_error_info before = *yoke_error();
    yoke_status status = yk_program_restore(program, &file);
    if (status < 0) {
        yk_log(YOKE_LOG_WARNING, "program '%s' is in the cache, but cannot be used: %s", program->name, yoke_error()->text);
        yk_cache_reject(&j->key);
    }
    yk_error_restore(&before);
    yk_text_free(&file);
    return status == YOKE_OK;
}

static yoke_status find_or_compile(yoke_program *program, job *j)
{
    if (yk_cache_is_on() && restore_cached(program, j))
        return YOKE_OK;
    yoke_status status = compile(program, j);
    if (status == YOKE_OK && yk_cache_takes(&j->key, program->device->traits.compiles_for_code) && has_file(program))
        yk_cache_store(&j->key, &program->image);
    return status;
}

/* ---- Once per process ---- */

/* A build in progress; other threads that build an equal program wait for it. */
typedef struct flight {
    struct flight *next;
    const yk_text *key; /* the building thread's */
    yk_text file;       /* the program file, once the flight has landed; empty when there is none */
    unsigned others;    /* number of threads that wait, or are about to load the program file */
    bool landed;
    pthread_cond_t landing;
} flight;

static pthread_mutex_t flights_lock = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below, and all flights */
static flight *flights;

static flight *find_flight(const yk_text *key)
{
    flight *f = flights;
    while (f && (f->key->length != key->length || memcmp(f->key->data, key->data, key->length) != 0))
        f = f->next;
    return f;
}

/* The key's flight: a new flight, or another thread's, once it has landed. NULL: out of memory. */
static flight *board(const yk_text *key, bool *out_first)
{
    pthread_mutex_lock(&flights_lock);
    flight *f = find_flight(key);
    *out_first = !f;
    if (f) {
        f->others++;
        while (!f->landed)
            pthread_cond_wait(&f->landing, &flights_lock);
    } else if ((f = calloc(1, sizeof *f))) {
        if (pthread_cond_init(&f->landing, NULL)) {
            free(f);
            f = NULL;
        } else {
            f->key = key;
            f->next = flights;
            flights = f;
        }
    }
    pthread_mutex_unlock(&flights_lock);
    return f;
}

static void free_flight(flight *f)
{
    pthread_cond_destroy(&f->landing);
    yk_text_free(&f->file);
    free(f);
}

/* The build is done: the threads that have boarded get the program file, unless `program` is NULL. */
static void land(flight *f, yoke_program *program)
{
    pthread_mutex_lock(&flights_lock);
    if (f->others > 0 && program) {
        pthread_mutex_unlock(&flights_lock);
        if (has_file(program))
            yk_text_add_bytes(&f->file, program->image.data, program->image.length);
        pthread_mutex_lock(&flights_lock);
    }
    flight **at = &flights;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    f->landed = true;
    bool alone = f->others == 0;
    pthread_cond_broadcast(&f->landing);
    pthread_mutex_unlock(&flights_lock);
    if (alone)
        free_flight(f);
}

static void leave(flight *f)
{
    pthread_mutex_lock(&flights_lock);
    bool last = --f->others == 0;
    pthread_mutex_unlock(&flights_lock);
    if (last)
        free_flight(f);
}

static bool restore_from(yoke_program *program, const flight *f)
{
    yk_text file = { 0 };
    yoke_error_info before = *yoke_error();
    yk_text_add_bytes(&file, yk_text_get(&f->file), f->file.length);
    bool restored = file.length > 0 && yk_program_restore(program, &file) == YOKE_OK;
    if (!restored)
        yk_log(YOKE_LOG_INFO, "program '%s' cannot be loaded from another thread's build: %s", program->name,
               file.length > 0 ? yoke_error()->text : "it cannot be cached");
    yk_error_restore(&before);
    yk_text_free(&file);
    return restored;
}

static yoke_status compile_once(yoke_program *program, job *j)
{
    bool first = false;
    flight *f = board(&j->key, &first);
    yoke_status status = YOKE_OK;
    if (!f)
        return find_or_compile(program, j);
    if (first) {
        status = find_or_compile(program, j);
        land(f, status == YOKE_OK ? program : NULL);
    } else {
        j->how = "from another thread's build";
        if (!restore_from(program, f))
            status = compile(program, j);
        leave(f);
    }
    return status;
}

static yoke_status take_options(yoke_program *program, const yoke_source *source)
{
    const char *const *options = yk_source_options(source, program->device->traits.language);
    size_t wanted = 0;
    for (size_t i = 0; options && options[i]; i++) {
        yk_text_add(&program->options, "%s%s", i > 0 ? " " : "", options[i]);
        wanted += (i > 0) + strlen(options[i]);
    }
    return program->options.length == wanted ? YOKE_OK : yk_no_memory("the compiler's options");
}

/* Whether the text, or a define in it, may name a header. */
static bool may_include(const yoke_device *device, const yoke_source *source, const char *text, size_t size)
{
    const char *define;
    bool may = yk_directives_may_include(text, size);
    for (size_t i = 0; !may && (define = yk_source_define(source, device->traits.language, i)); i++)
        may = yk_directives_may_include(define, strlen(define));
    return may;
}

static yoke_status build_text(yoke_program *program, const char *function, job *j, bool kept)
{
    const yoke_device *device = program->device;
    size_t size;
    const char *text = yk_source_text(device, j->source, &size);
    bool reads_headers = device->traits.reads_headers && may_include(device, j->source, text, size);
    if (reads_headers)
        device->backend->program_include_folders(device, &j->outside.folders);
    yoke_status status = yk_include_expand(function, j->source, device->traits.language, text, size, program->name,
                                           reads_headers ? &j->outside : NULL, &j->text, &j->lines);
    kept = kept && !j->outside.unknown;
    if (status == YOKE_OK)
        status = take_options(program, j->source);
    if (status == YOKE_OK && kept)
        kept = has_key(program, j);
    if (status == YOKE_OK)
        status = kept ? compile_once(program, j) : compile(program, j);
    return status;
}

yoke_status yk_program_compile(yoke_program *program, const char *function, const yoke_source *source)
{
    yoke_device *device = program->device;
    uint64_t since = yk_observe_device_now(device);
    bool kept = !yoke_device_lacks(device, YOKE_CAP_PROGRAM_BINARIES);
    job j = { .source = source };
    bool loaded = false;
    yoke_status status = yk_program_load_compiled(program, function, source, &loaded);
    if (loaded)
        j.how = "from compiled code";
    else if (status == YOKE_OK)
        status = build_text(program, function, &j, kept);
    yk_text_free(&j.key);
    yk_outside_free(&j.outside);
    yk_line_map_free(&j.lines);
    yk_text_free(&j.text);
    yk_observe_worked(device, YK_HOST_BUILD, program->name, status < 0 ? "failed" : j.how, 0, since);
    return yk_device_failed(device, status);
}

/* ---- Building ---- */

yoke_status yk_program_create(yoke_device *device, const char *function, const yoke_source *source, yk_text *log,
                              yoke_program **out_program)
{
    yoke_program *program = yk_program_new(device, source->name);
    if (!program)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    yoke_status status = yk_program_compile(program, function, source);
    if (log)
        yk_text_add_bytes(log, yk_text_get(&program->log), program->log.length);
    if (status < 0) {
        yk_program_destroy(program);
        return status;
    }
    yk_program_complete(program, NULL);
    *out_program = program;
    return YOKE_OK;
}

yoke_status yk_program_build_opened(const char *function, yoke_device *device, const yoke_source *source,
                                    yoke_program **out_program)
{
    yk_text_free(yk_thread_text(YK_BUILD_LOG));
    yoke_status status = yk_device_check(device);
    if (status == YOKE_OK)
        status = yk_program_create(device, function, source, yk_thread_text(YK_BUILD_LOG), out_program);
    if (status == YOKE_OK)
        yk_object_retain(device);
    return status;
}

yoke_status yk_program_build(const char *function, yoke_device *device, const yoke_source *caller_source,
                             yoke_program **out_program)
{
    yk_text_free(yk_thread_text(YK_BUILD_LOG));
    if (!out_program)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_program is NULL", function);
    *out_program = NULL;
    YK_CHECK(device, YK_DEVICE, function, "device");
    if (!caller_source)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source is NULL", function);
    yoke_source source;
    yk_source_file file;
    yoke_status status = yk_source_open_for(function, device, caller_source, &source, &file);
    if (status == YOKE_OK)
        status = yk_program_build_opened(function, device, &source, out_program);
    yk_source_close(&file);
    return status;
}

yoke_status yoke_program_build(yoke_device *device, const yoke_source *source, yoke_program **out_program)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_program_build);
    yoke_status status = yk_program_build(function, device, source, out_program);
    return yk_attribute_site(function, NULL, status);
}
