/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that are of little help with programs: that forget the parameters of kernels once a program is a binary, that refuse the
 * binaries they have made, or give none out. Building works all the same. And one that takes SPIR-V, which few of the others do.
 */
#include <stdlib.h>
#include <string.h>

#include "../conformance/again.h"
#include "../conformance/spirv.h"
#include "line.h"

enum { NOT_AVAILABLE = -19, INVALID_VALUE = -30, INVALID_BINARY = -42, INVALID_OPTIONS = -43, INVALID_OPERATION = -59 };

static yoke_source source_of(const char *defines[2], const char *define)
{
    yoke_source source = YOKE_SOURCE_INIT;
    defines[0] = define;
    defines[1] = NULL;
    source.name = "binary";
    source.opencl = "__kernel void put(__global int *out, int value, __local int *part)\n"
                    "{ part[0] = value; out[0] = part[0] + NUMBER; }\n"
                    "__kernel void none(void) { }\n";
    source.defines = defines;
    return source;
}

/* The kernel writes 100 more than the define. */
static void works(suite *t, yoke_program *program, int32_t number)
{
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof number, &out));
    NEED_OK(yoke_kernel_get(program, "put", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 16, YOKE_ARGS(out.buffer, (int32_t)100)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &(int32_t){ 100 + number });
out:
    guarded_release(&out);
}

/* How many parameters the kernel is known to take; -2 when there is no such kernel. */
static int32_t parameters(yoke_program *program, const char *name)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    yoke_kernel *kernel = NULL;
    bool found = CHECK_OK(yoke_kernel_get(program, name, &kernel)) && CHECK_OK(yoke_kernel_get_info(kernel, &info));
    return found ? info.parameters : -2;
}

static bool can_try(suite *t)
{
    if (!has_layer())
        return false;
    if (suite_can(t, YOKE_CAP_PROGRAM_BINARIES))
        return true;
    suite_skip("no images: %s", yoke_device_lacks(t->device, YOKE_CAP_PROGRAM_BINARIES));
    return false;
}

/* The saved program, which the caller frees; NULL: the case has failed. */
static char *save(yoke_program *program, size_t *out_size)
{
    char *image = NULL;

    NEED_OK(yoke_program_save(program, NULL, 0, out_size));
    image = malloc(*out_size);
    NEED(image);
    NEED_OK(yoke_program_save(program, image, *out_size, out_size));
    return image;
out:
    free(image);
    return NULL;
}

static void forgotten_parameters(suite *t)
{
    const char *defines[2];
    yoke_source source = source_of(defines, "NUMBER=1");
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_buffer *buffer = NULL;
    size_t size = 0;
    char *image = NULL;

    if (!can_try(t))
        return;
    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    image = save(program, &size);
    NEED(image);
    int32_t known = parameters(program, "put");
    CHECK(known >= 2);
    yoke_program_release(program);
    program = NULL;

    liar->lie(&(liar_orders){ .call = LIAR_ARGUMENT_INFO, .code = NOT_AVAILABLE, .fail_at = 1, .fail_times = ALWAYS });
    NEED_OK(yoke_program_load(t->device, "loaded", image, size, &program));
    CHECK(parameters(program, "put") == known && parameters(program, "none") == 0);
    CHECK(told().refused > 0);
    works(t, program, 1);
    NEED_OK(yoke_kernel_get(program, "put", &kernel));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "put", yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 16, YOKE_ARGS((int32_t)1)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "put|value|4",
                yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 16, YOKE_ARGS(buffer, (int64_t)1)));
    yoke_program_release(program);
    program = NULL;
out:
    be_honest(t);
    yoke_program_release(program);
    yoke_buffer_release(buffer);
    free(image);
}

/* A driver whose binaries it compiles further is given the options of the source with them; it may refuse them, too. */
static void options_again(suite *t)
{
    static const char *const options[] = { "-cl-mad-enable", "-cl-no-signed-zeros", NULL };
    const char *defines[2];
    yoke_source source = source_of(defines, "NUMBER=4");
    yoke_program *program = NULL;
    yoke_cache_info cache = YOKE_CACHE_INFO_INIT;
    size_t size = 0;
    char *image = NULL;

    if (!can_try(t))
        return;
    source.opencl_options = options;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    image = save(program, &size);
    NEED(image);
    yoke_program_release(program);
    program = NULL;

    liar->lie(&(liar_orders){ .call = LIAR_BUILD_OPTIONS, .code = INVALID_OPTIONS, .fail_at = 1, .fail_times = ALWAYS });
    NEED_OK(yoke_program_load(t->device, "loaded", image, size, &program));
    CHECK(told().refused == 1);
    works(t, program, 4);
    yoke_program_release(program);
    program = NULL;
    CHECK_OK(yoke_cache_get_info(&cache));
    if (cache.mode == YOKE_CACHE_ON) {
        NEED_OK(yoke_program_build(t->device, &source, &program));
        CHECK(told().refused == 2);
        works(t, program, 4);
        yoke_program_release(program);
        program = NULL;
    }

    /* Compiled code that is refused leaves none of its options behind. */
    suite_expect_log();
    liar->lie(&(liar_orders){ .call = LIAR_TAKE_BINARY, .code = INVALID_BINARY, .fail_at = 1, .fail_times = 1 });
    const yoke_code compiled[] = { { image, size }, { NULL, 0 } };
    source.compiled = compiled;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK(told().refused == 1);
    works(t, program, 4);
out:
    be_honest(t);
    yoke_program_release(program);
    free(image);
}

/* What is in the cache is built anew, and replaced. */
static void refused_binaries(suite *t)
{
    const char *defines[2];
    yoke_source source = source_of(defines, "NUMBER=2");
    yoke_program *program = NULL;
    yoke_cache_info before = YOKE_CACHE_INFO_INIT, after = YOKE_CACHE_INFO_INIT;
    size_t size = 0;
    char *image = NULL;

    if (!can_try(t))
        return;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    image = save(program, &size);
    NEED(image);
    yoke_program_release(program);
    program = NULL;

    liar->lie(&(liar_orders){ .call = LIAR_TAKE_BINARY, .code = INVALID_BINARY, .fail_at = 1, .fail_times = ALWAYS });
    CHECK_FAILS(YOKE_E_BUILD, "refused one", yoke_program_load(t->device, "refused one", image, size, &program));
    CHECK(program == NULL);
    CHECK_OK(yoke_cache_get_info(&before));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK_OK(yoke_cache_get_info(&after));
    works(t, program, 2);
    yoke_program_release(program);
    program = NULL;
    if (before.mode == YOKE_CACHE_ON)
        CHECK(told().refused == 2 && after.hits == before.hits && after.stored == before.stored + 1);
    liar->lie(NULL);
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK_OK(yoke_cache_get_info(&before));
    if (before.mode == YOKE_CACHE_ON)
        CHECK(before.hits == after.hits + 1);
    works(t, program, 2);
out:
    be_honest(t);
    yoke_program_release(program);
    free(image);
}

static void no_binaries(suite *t)
{
    const char *defines[2];
    yoke_source source = source_of(defines, "NUMBER=3");
    yoke_program *program = NULL;
    yoke_cache_info before = YOKE_CACHE_INFO_INIT, after = YOKE_CACHE_INFO_INIT;
    size_t size = 1;

    if (!can_try(t))
        return;
    liar->lie(&(liar_orders){ .call = LIAR_GIVE_BINARY, .code = OUT_OF_RESOURCES, .fail_at = 1, .fail_times = ALWAYS });
    CHECK_OK(yoke_cache_get_info(&before));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK_OK(yoke_cache_get_info(&after));
    CHECK(after.stored == before.stored);
    works(t, program, 3);
    CHECK_FAILS(YOKE_E_DRIVER, "clGetProgramInfo|CL_OUT_OF_RESOURCES", yoke_program_save(program, NULL, 0, &size));
    CHECK(size == 0);
    liar->lie(NULL);
    CHECK_OK(yoke_program_save(program, NULL, 0, &size)); /* as soon as it can be had */
    CHECK(size > 0);
out:
    be_honest(t);
    yoke_program_release(program);
}

/* PoCL compiles each kernel once more to give one out: nothing asks for what is not kept. */
static void no_binary_is_asked_for(suite *t)
{
    const char *defines[2];
    yoke_source source = source_of(defines, "NUMBER=4");
    yoke_program *program = NULL;
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    size_t size = 0;

    NEED(has_layer());
    NEED(yoke_cache_get_info(&info) == YOKE_OK && info.mode == YOKE_CACHE_READ);
    liar->lie(&(liar_orders){ .call = LIAR_GIVE_BINARY, .code = OUT_OF_RESOURCES, .fail_at = 1, .fail_times = ALWAYS });
    NEED_OK(yoke_program_build(t->device, &source, &program));
    works(t, program, 4);
    CHECK(told().refused == 0);
    CHECK(yoke_program_save(program, NULL, 0, &size) == YOKE_E_DRIVER);
    CHECK(told().refused == 1);
out:
    be_honest(t);
    yoke_program_release(program);
}

/* ---- SPIR-V ---- */

/* There are drivers that tell no parameters of what is in SPIR-V; there may be some that cannot even be asked to. */
static void takes_spirv(suite *t)
{
    static const struct {
        int code;
        yoke_status status;
        const char *words;
    } refusals[] = {
        { INVALID_VALUE, YOKE_E_BUILD, "clCreateProgramWithIL|CL_INVALID_VALUE|rejects program 'unwanted'" },
        { INVALID_OPERATION, YOKE_E_DRIVER, "clCreateProgramWithIL|CL_INVALID_OPERATION|unwanted" },
        { OUT_OF_HOST_MEMORY, YOKE_E_OUT_OF_HOST_MEMORY, "clCreateProgramWithIL|CL_OUT_OF_HOST_MEMORY|unwanted" },
    };

    NEED(has_layer() && suite_can(t, YOKE_CAP_SPIRV));
    spirv_runs(t);
    spirv_is_saved(t);
    spirv_is_damaged(t);
    liar->lie(&(liar_orders){ .call = LIAR_ARGUMENT_INFO, .code = NOT_AVAILABLE, .fail_at = 1, .fail_times = ALWAYS });
    spirv_runs(t);
    spirv_is_saved(t);
    CHECK(told().refused > 0);
    liar->lie(&(liar_orders){ .call = LIAR_BUILD_OPTIONS, .code = INVALID_OPTIONS, .fail_at = 1, .fail_times = ALWAYS });
    spirv_runs(t);
    CHECK(told().refused == 2);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        liar->lie(&(liar_orders){ .call = LIAR_TAKE_SPIRV, .code = refusals[i].code, .fail_at = 1, .fail_times = 1 });
        spirv_is_refused(t, refusals[i].status, refusals[i].words);
        CHECK(told().refused == 1);
    }
    liar->lie(NULL);
    spirv_runs(t);
out:
    be_honest(t);
}

static const suite_case in_children[] = {
    { "SPIR-V", takes_spirv, false },
    { "read", no_binary_is_asked_for, false },
};

static void read_cache(suite *t)
{
    static const char *const environment[] = { "YOKE_CACHE=read", NULL };

    if (can_try(t) && !suite_again("read", t->info.selector, environment, NULL, 0))
        tap_diag("... with %s", environment[0]);
}

static void spirv(suite *t)
{
    static const char *const environment[] = { "YOKE_LAYER_SPIRV=1", NULL };

    if (has_layer() && !suite_again("SPIR-V", t->info.selector, environment, NULL, 0))
        tap_diag("... with %s", environment[0]);
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "parameters that the driver forgets", forgotten_parameters, false },
        { "options that a binary is built with again", options_again, false },
        { "binaries that the driver refuses", refused_binaries, false },
        { "binaries that the driver does not give out", no_binaries, false },
        { "with a cache that is only read, no binary is asked for", read_cache, false },
        { "a driver that takes SPIR-V", spirv, false },
    };

    if (argc == 3)
        return AGAIN_MAIN(in_children, NULL, argv);
    setenv("YOKE_CACHE", "on", 0); /* then a program is stored when it is built, on PoCL too */
    return line_main(cases, sizeof cases / sizeof cases[0]);
}
