/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPIR-V: loaded, launched, saved and damaged, where the driver takes any. What is damaged here has to be found by Yoke or by any
 * driver: about identifiers and types drivers believe what they are given, and some end the process over it.
 */
#include "spirv.h"

#include <stdlib.h>
#include <string.h>

/* A kernel "add" that adds `value` to `out[0]`, as spirv-as makes it of what stands to the right. */
static const uint32_t add[] = {
    /* clang-format off */
    0x07230203, 0x00010000, 0, 11, 0,                           /* SPIR-V 1.0; identifiers are below 11 */
    0x00020011, 4,                                              /*           OpCapability Addresses */
    0x00020011, 6,                                              /*           OpCapability Kernel */
    0x0003000e, sizeof(void *) / 4, 2,                          /*           OpMemoryModel Physical64 OpenCL, or Physical32 */
    0x0004000f, 6, 1, 0x00646461,                               /*           OpEntryPoint Kernel %add "add" */
    0x00030005, 2, 0x0074756f,                                  /*           OpName %out "out" */
    0x00040005, 3, 0x756c6176, 0x00000065,                      /*           OpName %value "value" */
    0x00020013, 4,                                              /* %void   = OpTypeVoid */
    0x00040015, 5, 32, 0,                                       /* %int    = OpTypeInt 32 0 */
    0x00040020, 6, 5, 5,                                        /* %buffer = OpTypePointer CrossWorkgroup %int */
    0x00050021, 7, 4, 6, 5,                                     /* %kernel = OpTypeFunction %void %buffer %int */
    0x00050036, 4, 1, 0, 7,                                     /* %add    = OpFunction %void None %kernel */
    0x00030037, 6, 2,                                           /* %out    = OpFunctionParameter %buffer */
    0x00030037, 5, 3,                                           /* %value  = OpFunctionParameter %int */
    0x000200f8, 8,                                              /* %begin  = OpLabel */
    0x0006003d, 5, 9, 2, 2, 4,                                  /* %old    = OpLoad %int %out Aligned 4 */
    0x00050080, 5, 10, 9, 3,                                    /* %sum    = OpIAdd %int %old %value */
    0x0005003e, 2, 10, 2, 4,                                    /*           OpStore %out %sum Aligned 4 */
    0x000100fd,                                                 /*           OpReturn */
    0x00010038                                                  /*           OpFunctionEnd */
    /* clang-format on */
};
enum { WORDS = sizeof add / sizeof add[0], NAMED = 16 * sizeof add[0] /* up to the end of OpEntryPoint */ };

/* Without the capability it is refused, whole as it is. */
static bool can_load(suite *t)
{
    const char *lacks = yoke_device_lacks(t->device, YOKE_CAP_SPIRV);
    yoke_program *program = (yoke_program *)t;

    if (suite_can(t, YOKE_CAP_SPIRV))
        return true;
    CHECK_FAILS(YOKE_E_UNSUPPORTED, lacks, yoke_program_load(t->device, "add", add, sizeof add, &program));
    CHECK(program == NULL);
    suite_skip("%s", lacks);
    return false;
}

/* Some drivers tell the parameters of kernels in SPIR-V, and some do not. */
static void check_parameters(yoke_kernel *kernel)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    yoke_param_info param = YOKE_PARAM_INFO_INIT;

    CHECK_OK(yoke_kernel_get_info(kernel, &info));
    if (info.parameters < 0) {
        tap_diag("this driver does not tell the parameters of kernels in SPIR-V");
        CHECK(info.parameters == -1);
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "add", yoke_kernel_get_param(kernel, 0, &param));
        return;
    }
    CHECK(info.parameters == 2);
    CHECK_OK(yoke_kernel_get_param(kernel, 0, &param));
    CHECK(param.kind == YOKE_PARAM_BUFFER && param.bytes == sizeof(void *));
    CHECK_OK(yoke_kernel_get_param(kernel, 1, &param));
    CHECK((param.kind == YOKE_PARAM_VALUE || param.kind == YOKE_PARAM_UNKNOWN) && (param.bytes == 4 || param.bytes == 0));
}

/* The kernel is known and does its work, and what does not fit it is refused, whatever is known of its parameters. */
static void works(suite *t, yoke_program *program)
{
    yoke_kernel *kernel = NULL, *none = NULL;
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof(int32_t), &out) && guarded_write(t, &out, &(int32_t){ 40 }));
    CHECK(yoke_program_get_kernel_count(program) == 1);
    CHECK(strcmp(yoke_program_get_kernel_name(program, 0), "add") == 0);
    CHECK_FAILS(YOKE_E_NOT_FOUND, "ad|add", yoke_kernel_get(program, "ad", &none));
    NEED_OK(yoke_kernel_get(program, "add", &kernel));
    check_parameters(kernel);
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, (int32_t)2)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &(int32_t){ 42 });
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "add|2|1",
                yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "add|8",
                yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, (int64_t)2)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &(int32_t){ 42 });
out:
    guarded_release(&out);
}

static void turn(uint32_t *words)
{
    for (size_t i = 0; i < WORDS; i++)
        words[i] = words[i] << 24 | (words[i] & 0xff00) << 8 | (words[i] >> 8 & 0xff00) | words[i] >> 24;
}

/* From memory that is as large as the program and at no even address, in both byte orders. */
void spirv_runs(suite *t)
{
    yoke_program *program = NULL;
    uint32_t words[WORDS];
    char *bytes = NULL;

    if (!can_load(t))
        return;
    memcpy(words, add, sizeof add);
    bytes = malloc(1 + sizeof words);
    NEED(bytes);
    for (int i = 0; i < 2; i++) {
        memcpy(bytes + 1, words, sizeof words);
        NEED_OK(yoke_program_load(t->device, "add", bytes + 1, sizeof words, &program));
        CHECK_BYTES(bytes + 1, words, sizeof words);
        memset(bytes, 0, 1 + sizeof words); /* it was read during the call */
        works(t, program);
        yoke_program_release(program);
        program = NULL;
        turn(words);
    }
out:
    yoke_program_release(program);
    free(bytes);
}

void spirv_is_saved(suite *t)
{
    yoke_program *program = NULL, *again = NULL;
    size_t size = 0;
    char *image = NULL;

    if (!can_load(t))
        return;
    NEED_OK(yoke_program_load(t->device, NULL, add, sizeof add, &program));
    if (!suite_can(t, YOKE_CAP_PROGRAM_BINARIES)) {
        CHECK_FAILS(YOKE_E_UNSUPPORTED, yoke_device_lacks(t->device, YOKE_CAP_PROGRAM_BINARIES),
                    yoke_program_save(program, NULL, 0, &size));
        goto out;
    }
    NEED_OK(yoke_program_save(program, NULL, 0, &size));
    image = malloc(size);
    NEED(image);
    NEED_OK(yoke_program_save(program, image, size, &size));
    NEED_OK(yoke_program_load(t->device, "saved", image, size, &again));
    works(t, again);
out:
    yoke_program_release(again);
    yoke_program_release(program);
    free(image);
}

/* The first `size` bytes of the words, from memory that ends there. */
static yoke_status load_part(suite *t, const uint32_t *words, size_t size, yoke_program **out_program)
{
    void *part = malloc(size);
    yoke_status status = YOKE_E_OUT_OF_HOST_MEMORY;

    if (CHECK(part)) {
        memcpy(part, words, size);
        status = yoke_program_load(t->device, "part", part, size, out_program);
    }
    free(part);
    return status;
}

/* What ends early does not compile. Before it names its kernel it may be a program without any; and from there on no driver gets
 * to see it. */
static void every_length(suite *t, const uint32_t *words)
{
    size_t without = 0;

    for (size_t size = 4; size < WORDS * sizeof words[0]; size++) {
        yoke_program *program = NULL;
        yoke_kernel *kernel;
        yoke_status status = load_part(t, words, size, &program);
        if (status == YOKE_OK) {
            without++;
            CHECK(size < NAMED);
            CHECK_STATUS(YOKE_E_NOT_FOUND, yoke_kernel_get(program, "add", &kernel));
        } else if (!CHECK(status == YOKE_E_BUILD && !program && (size < NAMED || strstr(yoke_error()->text, "damaged")))) {
            tap_diag("... of %zu bytes the first %zu: %s", WORDS * sizeof words[0], size, yoke_error()->text);
        }
        yoke_program_release(program);
    }
    CHECK(without <= 3);
}

void spirv_is_damaged(suite *t)
{
    static const struct {
        const char *what;
        size_t at;
        uint32_t word;
    } damages[] = {
        { "a magic number inside", 12, 0x07230203 },        { "an instruction of the other byte order", 16, 0x05000300 },
        { "an instruction without a length", 23, 0x13 },    { "one that is longer than the rest", 23, 0xffff0013 },
        { "a function inside of a function", 68, 0x10036 }, { "an end too many", 67, 0x10038 },
    };
    uint32_t words[WORDS];
    yoke_program *program = NULL;

    if (!can_load(t))
        return;
    every_length(t, add);
    memcpy(words, add, sizeof add);
    turn(words);
    every_length(t, words);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        memcpy(words, add, sizeof add);
        words[damages[i].at] = damages[i].word;
        if (!CHECK_FAILS(YOKE_E_BUILD, "part|SPIR-V|damaged", load_part(t, words, sizeof words, &program)))
            tap_diag("... given %s", damages[i].what);
        CHECK(program == NULL);
    }
    memcpy(words, add, sizeof add);
    words[0] = 0x07230204; /* the magic number itself: what may be a driver's own */
    yoke_status status = load_part(t, words, sizeof words, &program);
    CHECK(status == YOKE_E_BUILD || (status == YOKE_E_UNSUPPORTED && !suite_can(t, YOKE_CAP_PROGRAM_BINARIES)));
    CHECK(program == NULL);
    CHECK_OK(load_part(t, add, sizeof add, &program));
    yoke_program_release(program);
    suite_works(t);
}

void spirv_is_refused(suite *t, yoke_status status, const char *words)
{
    yoke_program *program = (yoke_program *)t;

    CHECK_FAILS(status, words, yoke_program_load(t->device, "unwanted", add, sizeof add, &program));
    CHECK(program == NULL);
}
