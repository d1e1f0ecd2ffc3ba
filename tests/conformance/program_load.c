/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled programs, saved and loaded: in the same process and another, damaged in every way, of other kinds and for other devices.
 * The driver's own formats are only tried where nothing but an error can come of it, because drivers do not survive everything.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "again.h"
#include "spirv.h"

static const char *const twins[2] = {
    "template <typename T> __global__ void twice(T *out, T x) { out[0] = x + x; }\n"
    "extern \"C\" __global__ void fill(int *out, int value, float scale) { out[0] = value * (int)scale; }\n"
    "extern \"C\" __global__ void shared(int *out, int n) { extern __shared__ int part[]; part[0] = n; out[0] = part[0]; }\n",
    "__kernel void twice_int(__global int *out, int x) { out[0] = x + x; }\n"
    "__kernel void fill(__global int *out, int value, float scale) { out[0] = value * (int)scale; }\n"
    "__kernel void shared(__global int *out, int n, __local int *part) { part[0] = n; out[0] = part[0]; }\n"
};
static const char *const name_expressions[] = { "twice<int>", NULL };

static bool is_cuda(suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

static yoke_source source_of_twins(void)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "saved";
    source.cuda = twins[0];
    source.opencl = twins[1];
    source.name_expressions = name_expressions;
    return source;
}

/* The image of a program, to be freed; NULL, and the case has failed, when there is none. */
static char *save(yoke_program *program, size_t *out_size)
{
    char *image = NULL;

    *out_size = 0;
    if (CHECK_OK(yoke_program_save(program, NULL, 0, out_size)) && CHECK(*out_size > 0))
        image = malloc(*out_size);
    if (image && !CHECK_OK(yoke_program_save(program, image, *out_size, out_size))) {
        free(image);
        image = NULL;
    }
    return image;
}

static char *saved_twins(suite *t, size_t *out_size)
{
    yoke_source source = source_of_twins();
    yoke_program *program = NULL;
    char *image = NULL;

    if (CHECK_OK(yoke_program_build(t->device, &source, &program)))
        image = save(program, out_size);
    yoke_program_release(program);
    return image;
}

/* All of the twins work, and are checked as those of a source are. */
static void works(suite *t, yoke_program *program)
{
    yoke_kernel *twice = NULL, *fill = NULL, *shared = NULL;
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof(int32_t), &out));
    NEED_OK(yoke_kernel_get(program, "twice<int>", &twice));
    NEED_OK(yoke_kernel_get(program, "fill", &fill));
    NEED_OK(yoke_kernel_get(program, "shared", &shared));
    NEED_OK(yoke_launch(t->stream, twice, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, (int32_t)21)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &(int32_t){ 42 });
    NEED_OK(yoke_launch(t->stream, fill, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, (int32_t)5, 3.0f)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &(int32_t){ 15 });
    NEED_OK(yoke_launch(t->stream, shared, YOKE_DIM(1), YOKE_DIM(1), 64, YOKE_ARGS(out.buffer, (int32_t)8)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &(int32_t){ 8 });
    if (suite_can(t, YOKE_CAP_SIGNATURE)) {
        CHECK_OK(yoke_kernel_get_info(fill, &info));
        CHECK(info.parameters == 3);
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "fill",
                    yoke_launch(t->stream, fill, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "fill|4",
                    yoke_launch(t->stream, fill, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, (int64_t)5, 3.0f)));
    }
    CHECK_FAILS(YOKE_E_NOT_FOUND, "fil", yoke_kernel_get(program, "fil", &fill));
out:
    guarded_release(&out);
}

/* Without the capability there is neither saving nor loading. */
static bool can_save(suite *t)
{
    yoke_source source = source_of_twins();
    yoke_program *program = NULL;
    size_t size = 1;

    if (suite_can(t, YOKE_CAP_PROGRAM_BINARIES))
        return true;
    if (CHECK_OK(yoke_program_build(t->device, &source, &program)))
        CHECK_FAILS(YOKE_E_UNSUPPORTED, yoke_device_lacks(t->device, YOKE_CAP_PROGRAM_BINARIES),
                    yoke_program_save(program, NULL, 0, &size));
    CHECK(size == 0);
    yoke_program_release(program);
    CHECK_FAILS(YOKE_E_UNSUPPORTED, yoke_device_lacks(t->device, YOKE_CAP_PROGRAM_BINARIES),
                yoke_program_load(t->device, NULL, "\1\2\3\4\5\6\7\0", 8, &program));
    suite_skip("no images: %s", yoke_device_lacks(t->device, YOKE_CAP_PROGRAM_BINARIES));
    return false;
}

static void saved_and_loaded(suite *t)
{
    yoke_program *program = NULL, *second = NULL;
    size_t size = 0, again_size = 0;
    char *image = NULL, *again_image = NULL;

    if (!can_save(t))
        return;
    image = saved_twins(t, &size);
    NEED(image);
    NEED_OK(yoke_program_load(t->device, "first", image, size, &program));
    works(t, program);
    again_image = save(program, &again_size); /* what was loaded can be saved */
    NEED(again_image);
    CHECK(again_size == size && CHECK_BYTES(again_image, image, size));
    memset(image, 0, size); /* it was read during the call */
    works(t, program);
    NEED_OK(yoke_program_load(t->device, NULL, again_image, size, &second));
    yoke_program_release(program);
    program = NULL;
    works(t, second);
    CHECK(yoke_program_get_log(second) != NULL && strcmp(yoke_program_get_log(NULL), "") == 0);
out:
    yoke_program_release(second);
    yoke_program_release(program);
    free(again_image);
    free(image);
}

static void room(suite *t)
{
    yoke_source source = source_of_twins();
    yoke_program *program = NULL;
    size_t size = 0, told = 0;
    char *target = NULL;

    if (!can_save(t))
        return;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_program_save(program, NULL, 0, &size));
    target = malloc(size + 1);
    NEED(target);
    memset(target, 0x5a, size + 1);
    CHECK_OK(yoke_program_save(program, target, size - 1, &told));
    CHECK(told == size);
    for (size_t i = 0; i <= size; i++)
        if (!CHECK(target[i] == 0x5a))
            break;
    CHECK_OK(yoke_program_save(program, target, size + 1, &told));
    CHECK_OK(yoke_program_save(program, target, SIZE_MAX, &told)); /* that there is room enough is all it says */
    CHECK(told == size && target[size] == 0x5a);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "target", yoke_program_save(program, NULL, size, &told));
    CHECK(told == 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_size", yoke_program_save(program, target, size, NULL));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_program_save(NULL, target, size, &told));
out:
    free(target);
    yoke_program_release(program);
}

/* Every length, and a bit of every so many bytes: nothing of that is taken. */
static void damaged(suite *t)
{
    yoke_program *program = NULL;
    size_t size = 0, kept = 0;
    char *image = NULL, *copy = NULL;

    if (!can_save(t))
        return;
    image = saved_twins(t, &size);
    NEED(image);
    for (size_t length = 8; length < size; length = length * 5 / 4 + 1) {
        copy = malloc(length); /* so that reading beyond its end is found out */
        NEED(copy);
        memcpy(copy, image, length);
        if (!CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_program_load(t->device, "short", copy, length, &program)))
            tap_diag("... of %zu bytes the first %zu", size, length);
        CHECK(program == NULL);
        free(copy);
        copy = NULL;
    }
    for (size_t i = 4; i < size; i += 1 + i / 8) {
        image[i] ^= (char)(1 << i % 8);
        yoke_status status = yoke_program_load(t->device, "bent", image, size, &program);
        /* Bits of the magic number make it none of ours, and those of the version another's. */
        if (!CHECK(status == YOKE_E_INVALID_ARGUMENT || (i < 16 && (status == YOKE_E_UNSUPPORTED || status == YOKE_E_BUILD))))
            tap_diag("... byte %zu of %zu: %d, %s", i, size, (int)status, yoke_error()->text);
        CHECK(program == NULL);
        image[i] ^= (char)(1 << i % 8);
        kept++;
    }
    CHECK(kept > 20);
    NEED_OK(yoke_program_load(t->device, "whole", image, size, &program));
    works(t, program);
out:
    yoke_program_release(program);
    free(copy);
    free(image);
}

static void not_for_this_device(suite *t, const char *what, const void *code, size_t size)
{
    yoke_program *program = (yoke_program *)t;

    if (!CHECK_FAILS(YOKE_E_UNSUPPORTED, what, yoke_program_load(t->device, "foreign", code, size, &program)))
        tap_diag("... given %s", what);
    CHECK(program == NULL);
}

/* What is no code, and what is code for another backend. */
static void kinds(suite *t)
{
    static const char cubin[64] = "\x7f"
                                  "ELF\x02\x01\x01\x33\x07\0\0\0\0\0\0\0\x02\0\xbe\0";
    static const char elf[64] = "\x7f"
                                "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0";
    static const char fatbin[64] = "\x50\xed\x55\xba\x01\0\x10\0\xff\xff\xff\xff";
    static const char ptx[] = "// PTX\n.version 6.0\n.target sm_50\n.address_size 64\n";
    static const char spirv[20] = "\x03\x02\x23\x07\0\0\x01\0\0\0\0\0\1\0\0\0\0\0\0\0";
    static const char no_code[] = "\1\2\3 no code\0 at all \377\376";
    yoke_program *program = NULL;

    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "binary is NULL", yoke_program_load(t->device, NULL, NULL, 5, &program));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "size is 0", yoke_program_load(t->device, NULL, ptx, 0, &program));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "address space", yoke_program_load(t->device, NULL, no_code, SIZE_MAX, &program));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "address space", yoke_program_load(t->device, NULL, ptx, SIZE_MAX / 2 + 1, &program));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_program", yoke_program_load(t->device, NULL, ptx, sizeof ptx, NULL));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_program_load(NULL, NULL, ptx, sizeof ptx, &program));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "text|yoke_program_build",
                yoke_program_load(t->device, NULL, twins[1], strlen(twins[1]), &program));
    if (is_cuda(t)) {
        not_for_this_device(t, "binary|cuda", no_code, sizeof no_code);
        not_for_this_device(t, "cuda", elf, sizeof elf);
        not_for_this_device(t, "SPIR-V", spirv, sizeof spirv);
        CHECK_FAILS(YOKE_E_BUILD, "a cubin|damaged", yoke_program_load(t->device, "c", cubin, sizeof cubin, &program));
        CHECK_FAILS(YOKE_E_BUILD, "a fatbin|damaged", yoke_program_load(t->device, "f", fatbin, sizeof fatbin, &program));
    } else {
        not_for_this_device(t, "a cubin", cubin, sizeof cubin);
        not_for_this_device(t, "a fatbin", fatbin, sizeof fatbin);
        not_for_this_device(t, "PTX", ptx, sizeof ptx);
        if (!suite_can(t, YOKE_CAP_SPIRV))
            not_for_this_device(t, "SPIR-V", spirv, sizeof spirv);
        else
            CHECK_FAILS(YOKE_E_BUILD, "SPIR-V", yoke_program_load(t->device, "s", spirv, 18, &program));
        if (suite_can(t, YOKE_CAP_PROGRAM_BINARIES))
            CHECK_FAILS(YOKE_E_BUILD, "n", yoke_program_load(t->device, "n", no_code, sizeof no_code, &program));
    }
    CHECK(program == NULL);
}

/* PTX as compilers write it, which any driver of the last years compiles. */
static void ptx(suite *t)
{
    static const char good[] = "//\n.version 6.3 \n.target sm_75\n.address_size 64\n\n"
                               ".visible .entry answer(.param .u64 answer_param_0)\n{\n\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<3>;\n"
                               "\tld.param.u64 %rd1, [answer_param_0];\n\tcvta.to.global.u64 %rd2, %rd1;\n"
                               "\tmov.u32 %r1, 42;\n\tst.global.u32 [%rd2], %r1;\n\tret;\n}\n";
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    size_t size = 0;
    char *image = NULL, text[sizeof good + 8];
    guarded out = { 0 };

    if (!is_cuda(t)) {
        suite_skip("CUDA's own");
        return;
    }
    NEED(guarded_create(t, sizeof(int32_t), &out));
    for (int i = 0; i < 2; i++) {
        NEED_OK(i ? yoke_program_load(t->device, "saved", image, size, &program)
                  : yoke_program_load(t->device, "ptx", good, strlen(good), &program)); /* its end is not read */
        NEED_OK(yoke_kernel_get(program, "answer", &kernel));
        NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
        NEED_OK(yoke_stream_wait(t->stream));
        guarded_check(t, &out, &(int32_t){ 42 });
        if (i == 0)
            image = save(program, &size);
        NEED(image);
        yoke_program_release(program);
        program = NULL;
    }
    snprintf(text, sizeof text, ".version 99.0%s", strchr(strstr(good, ".version"), '\n'));
    CHECK_FAILS(YOKE_E_UNAVAILABLE, "99.0|CUDA 1", yoke_program_load(t->device, "newer", text, strlen(text), &program));
    strcpy(text, good);
    memcpy(strstr(text, "mov.u32"), "mob.u32", 7);
    CHECK_FAILS(YOKE_E_BUILD, "wrong", yoke_program_load(t->device, "wrong", text, strlen(text), &program));
    CHECK_TEXT(yoke_program_get_build_log(), "mob");
    text[40] = '\0';
    CHECK_FAILS(YOKE_E_BUILD, "NUL", yoke_program_load(t->device, "holed", text, sizeof good - 1, &program));
    CHECK(program == NULL);
out:
    yoke_program_release(program);
    guarded_release(&out);
    free(image);
}

/* The cubin inside of an image, as such: whole, and ending too early. */
static void cubin(suite *t)
{
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    size_t size = 0, at = 0;
    char *image = NULL;

    if (!is_cuda(t)) {
        suite_skip("CUDA's own");
        return;
    }
    image = saved_twins(t, &size);
    NEED(image);
    while (at + 64 < size && memcmp(image + at,
                                    "\x7f"
                                    "ELF",
                                    4) != 0)
        at++;
    if (at + 64 >= size) {
        suite_skip("NVRTC makes no cubin for this device");
        goto out;
    }
    memmove(image, image + at, size - at);
    size -= at;
    NEED_OK(yoke_program_load(t->device, "cubin", image, size, &program));
    CHECK_OK(yoke_kernel_get(program, "fill", &kernel));
    CHECK_STATUS(YOKE_E_NOT_FOUND, yoke_kernel_get(program, "twice<int>", &kernel)); /* which only images know */
    yoke_program_release(program);
    program = NULL;
    for (size_t length = 64; length < size / 2; length *= 2) {
        CHECK_FAILS(YOKE_E_BUILD, "early", yoke_program_load(t->device, "early", image, length, &program));
        CHECK(program == NULL);
    }
    image[48] ^= 0x7f; /* the flags, with both forms of the architecture */
    image[49] ^= 0x7f;
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "another|compute capability", yoke_program_load(t->device, "another", image, size, &program));
    CHECK(program == NULL);
    suite_works(t);
out:
    yoke_program_release(program);
    free(image);
}

/* ---- Other processes ---- */

#define FILE_NAME "YOKE_TEST_IMAGE"

static char *read_file(const char *name, size_t *out_size)
{
    enum { MOST = 4 << 20 };
    FILE *file = name ? fopen(name, "rb") : NULL;
    char *bytes = file ? malloc(MOST) : NULL;

    *out_size = bytes ? fread(bytes, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

static void load_file(suite *t)
{
    yoke_program *program = NULL;
    size_t size = 0;
    char *image = read_file(getenv(FILE_NAME), &size);

    NEED(image && size > 0);
    NEED_OK(yoke_program_load(t->device, "from a file", image, size, &program));
    works(t, program);
out:
    yoke_program_release(program);
    free(image);
}

static void refuse_file(suite *t)
{
    yoke_program *program = NULL;
    size_t size = 0;
    char *image = read_file(getenv(FILE_NAME), &size);

    NEED(image && size > 0);
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "another device|pthread|basic", yoke_program_load(t->device, "far", image, size, &program));
    CHECK(program == NULL);
out:
    free(image);
}

static const suite_case in_children[] = {
    { "load", load_file, false },
    { "refuse", refuse_file, false },
};

static void other_process(suite *t)
{
    char name[64], assignment[128];
    const char *environment[] = { assignment, NULL, NULL };
    size_t size = 0;
    char *image = NULL;
    FILE *file = NULL;

    if (!can_save(t))
        return;
    snprintf(name, sizeof name, "/tmp/yoke-image-%ld", (long)getpid());
    snprintf(assignment, sizeof assignment, FILE_NAME "=%s", name);
    image = saved_twins(t, &size);
    file = fopen(name, "wb");
    NEED(image && file && fwrite(image, 1, size, file) == size);
    fclose(file);
    file = NULL;
    suite_again("load", t->info.selector, environment, NULL, 0);
    if (strncmp(t->info.name, "pthread", 7) == 0) {
        environment[1] = "POCL_DEVICES=basic"; /* another device of the same driver */
        suite_again("refuse", "opencl:cpu", environment, NULL, 0);
    }
out:
    if (file)
        fclose(file);
    unlink(name);
    free(image);
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "saved and loaded", saved_and_loaded, false },
        { "the room for an image", room, false },
        { "damaged images", damaged, false },
        { "kinds of code", kinds, false },
        { "PTX", ptx, false },
        { "a cubin", cubin, false },
        { "SPIR-V", spirv_runs, false },
        { "SPIR-V, saved and loaded", spirv_is_saved, false },
        { "damaged SPIR-V", spirv_is_damaged, false },
        { "in another process, and for another device", other_process, false },
    };
    if (argc == 3)
        return AGAIN_MAIN(in_children, NULL, argv);
    return SUITE_MAIN(cases, NULL);
}
