/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sources may be: texts with and without sizes, long ones and empty ones, compiled code given for a text, language versions,
 * name_expressions, and every member filled in wrongly. What is refused is refused before any compiler sees it.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_CUDA "extern \"C\" __global__ void seven(int *out) { out[0] = 7; }\n"
#define KERNEL_BOTH                                                                                                    \
    "#ifdef __CUDACC__\nextern \"C\" __global__ void seven(int *out)\n#else\n__kernel void seven(__global int *out)\n" \
    "#endif\n"
#define KERNEL_OPENCL "__kernel void seven(__global int *out) { out[0] = 7; }\n"

static bool is_cuda(suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

/* The same text for whichever backend there is; `size` as in the source. */
static yoke_source source_of(const char *text, size_t size)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "source";
    source.cuda = source.opencl = text;
    source.cuda_size = source.opencl_size = size;
    return source;
}

static yoke_source good_source(void)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "seven";
    source.cuda = KERNEL_CUDA;
    source.opencl = KERNEL_OPENCL;
    return source;
}

/* The kernel writes `wanted`. */
static void gives(suite *t, yoke_program *program, const char *name, int32_t wanted)
{
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_kernel_get(program, name, &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &wanted);
out:
    guarded_release(&out);
}

static void refused(suite *t, const yoke_source *source, const char *words)
{
    yoke_program *program = (yoke_program *)t;
    yoke_event *event = (yoke_event *)t;

    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, yoke_program_build(t->device, source, &program));
    CHECK(program == NULL);
    CHECK(yoke_program_get_build_log()[0] == '\0'); /* no compiler was asked */
    program = (yoke_program *)t;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, yoke_program_build_async(t->device, source, &program, &event));
    CHECK(program == NULL && event == NULL);
}

static void text_refused(suite *t, const char *text, size_t size, const char *words)
{
    yoke_source source = source_of(text, size);
    refused(t, &source, words);
}

static void no_text(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;

    refused(t, &source, "no |text");
    if (is_cuda(t))
        source.opencl = KERNEL_OPENCL;
    else
        source.cuda = KERNEL_CUDA;
    refused(t, &source, "other backend's text");
    text_refused(t, "", 0, "empty");
    text_refused(t, " \t\r\n\v\f ", 0, "empty");
    text_refused(t, "\n", 1, "empty");
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source is NULL", yoke_program_build(t->device, NULL, &(yoke_program *){ NULL }));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_program", yoke_program_build(t->device, &source, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_program", yoke_program_build_async(t->device, &source, NULL, NULL));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_program_build_async(NULL, &source, &(yoke_program *){ NULL }, NULL));
}

static void nul_bytes(suite *t)
{
    text_refused(t, "int a;\0int b;", 13, "byte 7 of|13|NUL");
    text_refused(t, "\0int b;", 7, "byte 1 of|NUL");
    text_refused(t, "int a;\0", 7, "byte 7 of|NUL|terminator");
}

/* Compiled code, which every one of these bytes begins like. */
static void no_source_at_all(suite *t)
{
    static const char cubin[64] = "\x7f"
                                  "ELF\x02\x01\x01\x33\x07\0\0\0\0\0\0\0\x02\0\xbe\0";
    static const char elf[64] = "\x7f"
                                "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0";
    static const char fatbin[16] = "\x50\xed\x55\xba\x01\0\x10\0";
    static const char spirv[24] = "\x03\x02\x23\x07\0\0\x01\0", other_spirv[24] = "\x07\x23\x02\x03\0\x01\0\0";

    text_refused(t, "//\n// made by hand\n/* a\ncomment */\n\n.version 7.0\n.target sm_70\n", 0, "PTX|yoke_program_load");
    text_refused(t, ".version\t8.0\n", 0, "PTX|yoke_program_load");
    text_refused(t, cubin, sizeof cubin, "a cubin|yoke_program_load");
    text_refused(t, elf, sizeof elf, "ELF|yoke_program_load");
    text_refused(t, elf, 0, "ELF|yoke_program_load");
    text_refused(t, fatbin, sizeof fatbin, "fatbin|yoke_program_load");
    text_refused(t, spirv, sizeof spirv, "SPIR-V|yoke_program_load");
    text_refused(t, other_spirv, sizeof other_spirv, "SPIR-V|yoke_program_load");
    text_refused(t, spirv, 0, "SPIR-V|yoke_program_load");
}

static void wrong_members(suite *t)
{
    yoke_source source = good_source();
    static const char *const bad_stds[] = { "", "1", "12", "1.", "1.2.3", "two", "c++17", NULL };
    static const char *const bad_instances[] = { "", "<>", "7", "a\nb", "a;b", "a\tb", NULL };

    source.math = 3;
    refused(t, &source, "math|3");
    source = good_source();
    source.flags = 6;
    refused(t, &source, "flags|0x6");
    for (int i = 0; bad_stds[i]; i++) {
        source = good_source();
        source.opencl_std = bad_stds[i];
        refused(t, &source, "opencl_std");
        source = good_source();
        source.cuda_std = strcmp(bad_stds[i], "12") == 0 ? "1z" : bad_stds[i];
        refused(t, &source, "cuda_std");
    }
    for (int i = 0; bad_instances[i]; i++) {
        const char *name_expressions[] = { "fine<int>", bad_instances[i], NULL };
        source = good_source();
        source.name_expressions = name_expressions;
        refused(t, &source, "name expression");
    }
    for (int i = 0; i < 4; i++) {
        static const char *const bad_defines[] = { "", "1A=2", "A-B=2", "A=2\n#error" };
        const char *defines[] = { "GOOD=1", bad_defines[i], NULL };
        source = good_source();
        source.defines = defines;
        refused(t, &source, "define");
    }
}

/* A size of 0 means all members of 0.1.0, as in an initializer without .size. */
static void size_of_zero(suite *t)
{
    static const char *const defines[] = { "VALUE=7", NULL };
    static const yoke_header headers[] = { { .name = "seven.h", .text = "#define SEVEN VALUE\n" }, { 0 } };
    yoke_source source = {
        .cuda = "#include \"seven.h\"\nextern \"C\" __global__ void seven(unsigned *x) { x[0] = SEVEN; }",
        .opencl = "#include \"seven.h\"\n__kernel void seven(__global uint *x) { x[0] = SEVEN; }",
        .defines = defines,
        .headers = headers,
    };
    yoke_program *program = NULL;

    NEED_OK(yoke_program_build(t->device, &source, &program));
    gives(t, program, "seven", 7);
    yoke_program_release(program);
    source.flags = 0x80000000u;
    CHECK_REFUSED("flags", yoke_program_build(t->device, &source, &program));
    source.size = offsetof(yoke_source, cuda_std); /* a program that was compiled with fewer members */
    source.cuda = "extern \"C\" __global__ void seven(unsigned *x) { x[0] = VALUE; }";
    source.opencl = "__kernel void seven(__global uint *x) { x[0] = VALUE; }";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    gives(t, program, "seven", 7);
out:
    yoke_program_release(program);
}

/* Sizes that no text can have, whatever lies there. */
static void no_size(suite *t)
{
    static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 2 + 1 };
    const char *text = is_cuda(t) ? KERNEL_CUDA : KERNEL_OPENCL;
    yoke_program *program = NULL;
    yoke_event *built = NULL;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        yoke_source source = source_of(text, sizes[i]);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_program_build|address space", yoke_program_build(t->device, &source, &program));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_program_build_async|address space",
                    yoke_program_build_async(t->device, &source, &program, &built));
        CHECK(!program && !built);
    }
}

/* A text with a size needs no end; and what follows it is not read. */
static void sized(suite *t)
{
    const char *text = is_cuda(t) ? KERNEL_CUDA : KERNEL_OPENCL;
    size_t size = strlen(text);
    char *exact = malloc(size), *longer = malloc(size + 20);
    yoke_program *program = NULL;

    NEED(exact && longer);
    memcpy(exact, text, size);
    memcpy(longer, text, size);
    memcpy(longer + size, "\n#error read too far", 20);
    for (int i = 0; i < 2; i++) {
        yoke_source source = source_of(i ? longer : exact, size);
        NEED_OK(yoke_program_build(t->device, &source, &program));
        gives(t, program, "seven", 7);
        yoke_program_release(program);
        program = NULL;
    }
out:
    yoke_program_release(program);
    free(longer);
    free(exact);
}

/* 10 MiB, nearly all of it a comment; and the line of an error behind it. */
static void long_source(suite *t)
{
    const size_t size = 10 << 20;
    const char *text = is_cuda(t) ? KERNEL_CUDA : KERNEL_OPENCL;
    char *source_text = malloc(size + 200);
    yoke_program *program = NULL;

    NEED(source_text);
    memset(source_text, 'x', size);
    for (size_t i = 100; i < size; i += 100)
        source_text[i] = '\n';
    memcpy(source_text, "/*", 2);
    memcpy(source_text + size - 3, "*/\n", 3);
    strcpy(source_text + size, text);
    yoke_source source = source_of(source_text, 0);
    NEED_OK(yoke_program_build(t->device, &source, &program));
    gives(t, program, "seven", 7);
    yoke_program_release(program);
    program = NULL;
    strcpy(source_text + size, "#error far behind\n");
    source.name = "endless";
    CHECK_FAILS(YOKE_E_BUILD, "far behind", yoke_program_build(t->device, &source, &program));
    if (!strstr(t->info.platform, "Oclgrind")) /* which ignores #line */
        CHECK_TEXT(yoke_program_get_build_log(), "endless");
out:
    yoke_program_release(program);
    free(source_text);
}

/* Whether anything comes of it is the compiler's; the program is the same. */
static void debug(suite *t)
{
    yoke_source source = good_source();
    yoke_program *program = NULL;

    source.flags = YOKE_BUILD_DEBUG;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    gives(t, program, "seven", 7);
    source.cuda = source.opencl = "#error wrong\n";
    CHECK_FAILS(YOKE_E_BUILD, "wrong", yoke_program_build(t->device, &source, &(yoke_program *){ NULL }));
out:
    yoke_program_release(program);
}

/* C++17 unless the source asks for another; OpenCL C has no such thing, and the same member there is another. */
static void standards(suite *t)
{
    yoke_source source = good_source();
    yoke_program *program = NULL;

    source.cuda = "extern \"C\" __global__ void seven(int *out) { out[0] = (int)(__cplusplus / 100); }\n";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    gives(t, program, "seven", is_cuda(t) ? 2017 : 7);
    yoke_program_release(program);
    program = NULL;
    source.cuda_std = "14";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    gives(t, program, "seven", is_cuda(t) ? 2014 : 7);
    yoke_program_release(program);
    program = NULL;
    source.cuda_std = "98";
    source.opencl_std = "9.9";
    CHECK_FAILS(YOKE_E_UNSUPPORTED, is_cuda(t) ? "98" : "9.9", yoke_program_build(t->device, &source, &program));
    CHECK(program == NULL);
    source.opencl_std = "1.2"; /* which is not to be blamed for an error of the source */
    source.cuda_std = "17";
    source.cuda = source.opencl = "#error wrong\n";
    CHECK_FAILS(YOKE_E_BUILD, "wrong", yoke_program_build(t->device, &source, &program));
out:
    yoke_program_release(program);
}

/* Defines for one language, and function-like ones: each compiler gets its own and the common ones. */
static void language_defines(suite *t)
{
    static const char *const common[] = { "SUM(a, b)=((a) + (b))", "ONE", NULL }; /* OpenCL C 1.2 has no variadic ones */
    static const char *const cuda[] = { "OWN=20", "TIMES(a)=(2 * (a))", "FIRST(a, ...)=(a)", "ONLY_CUDA=1", NULL };
    static const char *const opencl[] = { "OWN=30", "TIMES(a)=(3 * (a))", "FIRST(a, b)=(a)", "ONLY_OPENCL=1", NULL };
    static const char *const bad[] = { "MAX(a=1", "MAX(a)b=1", "MAX(a;b)=1", "(a)=1", "1(a)=1", "MAX(a)=1\\", "MAX(\"a\")", NULL };
    const char *one[2] = { NULL };
    yoke_source source = source_of(KERNEL_BOTH "{ out[0] = SUM(FIRST(TIMES(OWN), 1), ONE); }\n#if defined(ONLY_CUDA) == "
                                               "defined(ONLY_OPENCL)\n#error mixed\n#endif\n",
                                   0);
    yoke_program *program = NULL;
    yoke_event *done = NULL;

    source.defines = common;
    source.cuda_defines = cuda;
    source.opencl_defines = opencl;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    gives(t, program, "seven", is_cuda(t) ? 41 : 91);
    yoke_program_release(program);
    program = NULL;
    NEED_OK(yoke_program_build_async(t->device, &source, &program, &done)); /* which copies them */
    gives(t, program, "seven", is_cuda(t) ? 41 : 91);
    for (int i = 0; bad[i]; i++) {
        one[0] = bad[i];
        source = good_source();
        if (is_cuda(t))
            source.cuda_defines = one;
        else
            source.opencl_defines = one;
        refused(t, &source, "define");
        source = good_source();
        source.defines = one;
        refused(t, &source, "define");
    }
out:
    yoke_event_release(done);
    yoke_program_release(program);
}

/* Options for each compiler: those of the other language are not looked at, and a compiler's refusal is told. */
static void options(suite *t)
{
    static const char *const cuda[] = { "--fmad=true", "-lineinfo", NULL }, *const opencl[] = { "-w", "-cl-opt-disable", NULL };
    static const char *const unknown[] = { "--yoke-knows-no-such-option", NULL };
    static const struct {
        const char *option, *words;
    } bad[] = {
        { "", "option" },
        { "-", "option" },
        { "fast", "option" },
        { "-a b", "option" },
        { "-a\"b\"", "option" },
        { "-a\nb", "option" },
        { "-DX=1", "_defines" },
        { "-I/usr", "include_folders" },
        { "--std=c++17", "std" },
        { "-cl-std=CL1.2", "std" },
        { "--gpu-architecture=sm_90", "device" },
        { "-include=x.h", "#include" },
        { "--include=x.h", "#include" },
        { "-UX", "#undef" },
        { "--undefine-macro=X", "#undef" },
        { "--pre-include=x.h", "#include" },
        { "--use-pch=x", "cache" },
    };
    yoke_source source = good_source();
    yoke_program *program = NULL;
    const char *one[2] = { NULL };

    source.cuda_options = is_cuda(t) ? cuda : unknown;
    source.opencl_options = is_cuda(t) ? unknown : opencl;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    gives(t, program, "seven", 7);
    source.cuda_options = source.opencl_options = unknown;
    CHECK_FAILS(YOKE_E_BUILD, "yoke-knows-no-such-option", yoke_program_build(t->device, &source, &(yoke_program *){ NULL }));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bool of_cuda = strncmp(bad[i].option, "--", 2) == 0 && !strstr(bad[i].option, "--include"),
             of_opencl = strstr(bad[i].option, "-cl-");
        if (is_cuda(t) ? of_opencl : of_cuda)
            continue;
        one[0] = bad[i].option;
        source = good_source();
        source.cuda_options = source.opencl_options = one;
        refused(t, &source, bad[i].words);
    }
out:
    yoke_program_release(program);
}

static void name_expressions(suite *t)
{
    static const char *const names[] = { "scale<float>", "scale<int>", "deep::scale", "plain", NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL, *again = NULL;

    source.name = "name_expressions";
    source.name_expressions = names;
    source.cuda = "template <typename T> __global__ void scale(int *out) { out[0] = (int)((T)5 / (T)2 * (T)2); }\n"
                  "namespace deep { __global__ void scale(int *out) { out[0] = 3; } }\n"
                  "extern \"C\" __global__ void plain(int *out) { out[0] = 9; }\n";
    source.opencl = "__kernel void scale_float(__global int *out) { out[0] = (int)(5.0f / 2.0f * 2.0f); }\n"
                    "__kernel void scale_int(__global int *out) { out[0] = 5 / 2 * 2; }\n"
                    "__kernel void deep_scale(__global int *out) { out[0] = 3; }\n"
                    "__kernel void plain(__global int *out) { out[0] = 9; }\n";
    for (int i = 0; i < 2; i++) { /* the second time from the cache, where there is one */
        NEED_OK(yoke_program_build(t->device, &source, &program));
        gives(t, program, "scale<float>", 5);
        gives(t, program, "scale<int>", 4);
        gives(t, program, "deep::scale", 3);
        gives(t, program, "plain", 9);
        if (is_cuda(t)) /* OpenCL's kernel is scale_int, without a blank as well */
            gives(t, program, "scale< int >", 4);
        CHECK_OK(yoke_kernel_get(program, "scale<int>", &kernel));
        CHECK_OK(yoke_kernel_get(program, "scale<int>", &again));
        CHECK(kernel == again);
        CHECK_FAILS(YOKE_E_NOT_FOUND, "scale<double>|name_expressions", yoke_kernel_get(program, "scale<double>", &kernel));
        yoke_program_release(program);
        program = NULL;
    }
    if (is_cuda(t)) {
        static const char *const wrong[] = { "scale<nothing>", NULL };
        source.name_expressions = wrong;
        CHECK_FAILS(YOKE_E_BUILD, "nothing", yoke_program_build(t->device, &source, &program));
        CHECK(!strstr(yoke_error()->text, "__nv_name_map"));
    }
out:
    yoke_program_release(program);
}

/* A variable as a buffer, which is all that keeps the program in the end. */
static void globals(suite *t)
{
    yoke_source source = good_source();
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_buffer *table = NULL, *none = NULL;
    const int32_t given[4] = { 11, 22, 33, 44 };
    int32_t got[4] = { 0 };

    source.cuda = "__device__ int table[4] = { 1, 2, 3, 4 };\n__constant__ int factor = 3;\n"
                  "extern \"C\" __global__ void seven(int *out) { out[0] = table[2] * factor; }\n"
                  "extern \"C\" __global__ void change(int *in) { in[1] += 100; }\n";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    if (!suite_can(t, YOKE_CAP_GLOBALS)) {
        CHECK_FAILS(YOKE_E_UNSUPPORTED, yoke_device_lacks(t->device, YOKE_CAP_GLOBALS),
                    yoke_program_get_global(program, "table", &table));
        CHECK(table == NULL);
        goto out;
    }
    NEED_OK(yoke_program_get_global(program, "table", &table));
    CHECK(yoke_buffer_get_size(table) == sizeof given && yoke_buffer_get_kind(table) == YOKE_MEMORY_DEVICE);
    NEED_OK(yoke_read(t->stream, got, table, 0, sizeof got));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(got[0] == 1 && got[3] == 4);
    NEED_OK(yoke_write(t->stream, table, 0, given, sizeof given));
    gives(t, program, "seven", 99);
    NEED_OK(yoke_kernel_get(program, "change", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(table)));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "tables", yoke_program_get_global(program, "tables", &none));
    CHECK(none == NULL);
    yoke_program_release(program);
    program = NULL;
    NEED_OK(yoke_read(t->stream, got, table, 0, sizeof got));
    yoke_buffer_release(table);
    table = NULL;
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(got[0] == 11 && got[1] == 122);
out:
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_program_get_global(NULL, "table", &none));
    if (program) {
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_buffer", yoke_program_get_global(program, "table", NULL));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "name", yoke_program_get_global(program, NULL, &none));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "name", yoke_program_get_global(program, "", &none));
    }
    yoke_buffer_release(table);
    yoke_program_release(program);
}

int main(void)
{
    static const suite_case cases[] = {
        { "no text", no_text, false },
        { "NUL bytes", nul_bytes, false },
        { "compiled code instead of a text", no_source_at_all, false },
        { "members that are wrong", wrong_members, false },
        { "a size of 0, and of fewer members", size_of_zero, false },
        { "texts with a size", sized, false },
        { "sizes that no text has", no_size, false },
        { "10 MiB of source", long_source, false },
        { "line information", debug, false },
        { "language versions", standards, false },
        { "defines of one language, and with parameters", language_defines, false },
        { "options of the compilers", options, false },
        { "name_expressions", name_expressions, false },
        { "variables as buffers", globals, false },
    };
    return SUITE_MAIN(cases, NULL);
}
