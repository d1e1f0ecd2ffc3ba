/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done with a source where its device is not: its includes are expanded, its CUDA text is compiled for architectures that
 * are named. And what is made of that: sources with compiled code, of which a device takes what fits it, and else the text.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 << 20 };

static const yoke_header headers[] = { { "three.h", "#define THREE 3\n" }, { NULL, NULL } };
static const yoke_header endless[] = { { "three.h", "#include \"three.h\"\n" }, { NULL, NULL } };
static const char *const name_expressions[] = { "twice<int>", NULL };

/* The text gives another number than the code below is compiled with. */
static yoke_source source_of(const char *const *defines)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "shipped";
    source.cuda = "#include \"three.h\"\n"
                  "template <typename T> __global__ void twice(T *out, T x) { out[0] = x + x; }\n"
                  "__global__ void give(int *out, int a) { out[0] = a * THREE + WHENCE; }\n";
    source.opencl = "#include \"three.h\"\n"
                    "__kernel void twice_int(__global int *out, int x) { out[0] = x + x; }\n"
                    "__kernel void give(__global int *out, int a) { out[0] = a * THREE + WHENCE; }\n";
    source.headers = headers;
    source.name_expressions = name_expressions;
    source.defines = defines;
    return source;
}

static const char *const as_code[] = { "WHENCE=100", NULL }, *const as_text[] = { "WHENCE=200", NULL };

static bool is_cuda(suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

/* Whether NVRTC is there; the case is skipped without it. */
static bool has_nvrtc(void)
{
    yoke_source source = source_of(as_code);
    size_t size;
    if (yoke_source_compile(&source, "compute_80", 0, NULL, 0, &size) != YOKE_E_UNAVAILABLE)
        return true;
    CHECK_TEXT(yoke_error()->text, "nvrtc");
    suite_skip("%.300s", yoke_error()->text);
    return false;
}

/* "sm_90", or "compute_90", for the device. */
static void architecture_of(suite *t, const char *kind, char *name, size_t size)
{
    yoke_compiler_info compiler = YOKE_COMPILER_INFO_INIT;
    int major = 0, minor = 0;
    CHECK_OK(yoke_device_get_compiler(t->device, &compiler));
    CHECK(sscanf(compiler.target, "compute capability %d.%d", &major, &minor) == 2);
    snprintf(name, size, "%s_%d%d", kind, major, minor);
}

/* The code of the source for the device, to be freed: by name for CUDA, else as the driver saves it. NULL: there is none. */
static char *code_for(suite *t, const char *kind, size_t *out_size)
{
    yoke_source source = source_of(as_code);
    yoke_program *program = NULL;
    char name[32], *bytes = malloc(MOST);
    NEED(bytes);
    if (is_cuda(t)) {
        architecture_of(t, kind, name, sizeof name);
        NEED_OK(yoke_source_compile(&source, name, 0, bytes, MOST, out_size));
    } else {
        NEED_OK(yoke_program_build(t->device, &source, &program));
        NEED_OK(yoke_program_save(program, bytes, MOST, out_size));
    }
    NEED(*out_size > 0 && *out_size <= MOST);
    yoke_program_release(program);
    return bytes;
out:
    yoke_program_release(program);
    free(bytes);
    return NULL;
}

/* The program's kernels work and are checked; `whence`: which form runs. */
static void gives(suite *t, yoke_program *program, int32_t whence)
{
    yoke_kernel *give = NULL, *twice = NULL;
    guarded out = { 0 };
    NEED(guarded_create(t, sizeof(int32_t), &out));
    NEED_OK(yoke_kernel_get(program, "give", &give));
    NEED_OK(yoke_kernel_get(program, "twice<int>", &twice));
    NEED_OK(yoke_launch(t->stream, give, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, (int32_t)5)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &(int32_t){ 15 + whence });
    NEED_OK(yoke_launch(t->stream, twice, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, (int32_t)21)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &(int32_t){ 42 });
    if (suite_can(t, YOKE_CAP_SIGNATURE))
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "give",
                    yoke_launch(t->stream, give, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
out:
    guarded_release(&out);
}

static void builds(suite *t, const yoke_source *source, int32_t whence)
{
    yoke_program *program = NULL;
    if (CHECK_OK(yoke_program_build(t->device, source, &program)))
        gives(t, program, whence);
    yoke_program_release(program);
}

/* ---- Expanding and compiling ---- */

static void expanded(suite *t)
{
    yoke_source source = source_of(as_code);
    char text[1024];
    size_t size = 0, again = 0;
    (void)t;
    for (int i = 0; i < 2; i++) {
        const char *language = i ? "opencl" : "cuda";
        NEED_OK(yoke_source_expand(&source, language, NULL, 0, &size));
        NEED(size > 0 && size < sizeof text);
        memset(text, 0x5a, sizeof text);
        NEED_OK(yoke_source_expand(&source, language, text, size - 1, &again));
        CHECK(again == size && text[0] == 0x5a);
        NEED_OK(yoke_source_expand(&source, language, text, size, &again));
        CHECK(again == size && text[size] == 0x5a);
        text[size] = '\0';
        CHECK_TEXT(text, "#define THREE 3");
        CHECK_TEXT(text, i ? "__kernel void give" : "__global__ void give");
        CHECK(!strstr(text, "#include"));
    }
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source", yoke_source_expand(NULL, "cuda", text, 1, &size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "language is NULL", yoke_source_expand(&source, NULL, text, 1, &size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "metal|opencl", yoke_source_expand(&source, "metal", text, 1, &size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "target", yoke_source_expand(&source, "cuda", NULL, 1, &size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_size", yoke_source_expand(&source, "cuda", text, 1, NULL));
    CHECK(size == 0);
    source.headers = NULL; /* whether a directive is reached, only the compiler knows */
    NEED_OK(yoke_source_expand(&source, "opencl", text, sizeof text, &size));
    NEED(size < sizeof text);
    text[size] = '\0';
    CHECK_TEXT(text, "#error \"three.h is missing");
    source.headers = endless;
    CHECK_FAILS(YOKE_E_BUILD, "three.h|includes itself", yoke_source_expand(&source, "opencl", text, sizeof text, &size));
    source.opencl = NULL;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "no opencl text", yoke_source_expand(&source, "opencl", text, sizeof text, &size));
out:;
}

static void compiled(suite *t)
{
    yoke_source source = source_of(as_code);
    size_t size = 0, again = 0;
    char *bytes = malloc(MOST);
    (void)t;
    NEED(bytes);
    if (!has_nvrtc())
        goto out;
    NEED_OK(yoke_source_compile(&source, "sm_90", YOKE_COMPILE_BARE, bytes, MOST, &size));
    CHECK(memcmp(bytes, "\177ELF", 4) == 0);
    NEED_OK(yoke_source_compile(&source, "compute_80", YOKE_COMPILE_BARE, bytes, MOST, &size));
    CHECK_TEXT(bytes, ".target sm_80");
    NEED_OK(yoke_source_compile(&source, "sm_90", 0, NULL, 0, &size));
    memset(bytes, 0x5a, size + 1);
    NEED_OK(yoke_source_compile(&source, "sm_90", 0, bytes, size - 1, &again));
    CHECK(again == size && bytes[0] == 0x5a);
    NEED_OK(yoke_source_compile(&source, "sm_90", 0, bytes, size, &again));
    CHECK(again == size && bytes[0] != 0x5a && bytes[size] == 0x5a);
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "sm_29|supports|90", yoke_source_compile(&source, "sm_29", 0, bytes, MOST, &size));
    CHECK(size == 0);
    source.defines = NULL;
    CHECK_FAILS(YOKE_E_BUILD, "WHENCE", yoke_source_compile(&source, "sm_90", 0, bytes, MOST, &size));
    CHECK_TEXT(yoke_program_get_build_log(), "WHENCE");
    source = source_of(as_code);
    source.cuda_std = "99";
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "C++99", yoke_source_compile(&source, "sm_90", 0, bytes, MOST, &size));
    source = source_of(as_code);
    source.name_expressions = (const char *const[]){ "nobody<int>", NULL };
    CHECK_FAILS(YOKE_E_BUILD, "nobody", yoke_source_compile(&source, "sm_90", 0, bytes, MOST, &size));
out:
    free(bytes);
}

static void compiled_wrongly(suite *t)
{
    static const char *const names[] = { "", "sm-90", "sm_90 -G", "sm_90\n", "SM_90", "gfx90a", "90", "compute" };
    yoke_source source = source_of(as_code);
    char room[16];
    size_t size = 1;
    (void)t;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "architecture|sm_90",
                         yoke_source_compile(&source, names[i], 0, room, sizeof room, &size)))
            tap_diag("... '%s'", names[i]);
        CHECK(size == 0);
    }
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "architecture is NULL", yoke_source_compile(&source, NULL, 0, room, sizeof room, &size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "flags is 0x6", yoke_source_compile(&source, "sm_90", 6, room, sizeof room, &size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source", yoke_source_compile(NULL, "sm_90", 0, room, sizeof room, &size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "target", yoke_source_compile(&source, "sm_90", 0, NULL, 1, &size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_size", yoke_source_compile(&source, "sm_90", 0, room, sizeof room, NULL));
    source.cuda = NULL;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "no cuda text", yoke_source_compile(&source, "sm_90", 0, room, sizeof room, &size));
}

/* ---- Sources with compiled code ---- */

static void used(suite *t, const char *kind)
{
    yoke_source source = source_of(as_text);
    yoke_program *program = NULL;
    yoke_event *ready = NULL;
    size_t size = 0;
    char *bytes = NULL;
    if (!suite_can(t, YOKE_CAP_PROGRAM_BINARIES)) {
        suite_skip("no program binaries: %s", yoke_device_lacks(t->device, YOKE_CAP_PROGRAM_BINARIES));
        return;
    }
    if (is_cuda(t) && !has_nvrtc())
        return;
    bytes = code_for(t, kind, &size);
    NEED(bytes);
    yoke_code code[] = { { bytes, size }, { NULL, 0 } };
    source.compiled = code;
    builds(t, &source, 100);
    NEED_OK(yoke_program_build_async(t->device, &source, &program, &ready));
    memset(code, 0, sizeof code); /* it was read during the call */
    NEED_OK(yoke_event_wait(ready));
    gives(t, program, 100);
    code[0] = (yoke_code){ bytes, size };
    source.cuda = source.opencl = NULL;
    builds(t, &source, 100);
out:
    yoke_event_release(ready);
    yoke_program_release(program);
    free(bytes);
}

static void machine_code(suite *t)
{
    used(t, "sm");
}

static void ptx(suite *t)
{
    if (is_cuda(t))
        used(t, "compute");
    else
        suite_skip("CUDA's own");
}

/* Each is for some other device: the next is tried, and then the text. */
static const char other_cubin[64] = "\x7f"
                                    "ELF\x02\x01\x01\x33\x07\0\0\0\0\0\0\0\x02\0\xbe\0";
static const char other_ptx[] = "//\n.version 6.3\n.target sm_199\n.address_size 64\n.visible .entry give()\n{\n\tret;\n}\n";
static const char other_spirv[20] = "\x03\x02\x23\x07\0\0\x01\0\0\0\0\0\1\0\0\0\0\0\0\0";

static void not_for_this_device(suite *t)
{
    const yoke_code others[] = {
        { other_cubin, sizeof other_cubin }, { other_ptx, sizeof other_ptx - 1 }, { other_spirv, sizeof other_spirv }, { NULL, 0 }
    };
    yoke_source source = source_of(as_text);
    yoke_program *program = NULL;
    yoke_event *ready = NULL;
    size_t size = 0;
    char *bytes = NULL;

    source.compiled = is_cuda(t) || !suite_can(t, YOKE_CAP_SPIRV) ? others : others + 3;
    yoke_error_clear();
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK(yoke_error()->status == YOKE_OK); /* it is no failure, and leaves no record */
    gives(t, program, 200);
    yoke_program_release(program);
    program = NULL;
    if (suite_can(t, YOKE_CAP_PROGRAM_BINARIES) && (!is_cuda(t) || has_nvrtc())) {
        bytes = code_for(t, "sm", &size);
        NEED(bytes);
        yoke_code mixed[] = { others[0], others[1], { bytes, size }, { NULL, 0 } };
        source.compiled = mixed;
        builds(t, &source, 100);
    }
    source.compiled = others;
    source.cuda = source.opencl = NULL;
    source.name_expressions = NULL;
    if (!suite_can(t, YOKE_CAP_SPIRV))
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "source.compiled|has no text", yoke_program_build(t->device, &source, &program));
    CHECK(program == NULL);
    if (!suite_can(t, YOKE_CAP_SPIRV) && CHECK_OK(yoke_program_build_async(t->device, &source, &program, &ready)))
        CHECK_STATUS(YOKE_E_UNSUPPORTED, yoke_event_wait(ready));
out:
    yoke_event_release(ready);
    yoke_program_release(program);
    free(bytes);
}

static void wrong_code(suite *t)
{
    yoke_code code[] = { { "no code", 7 }, { NULL, 0 } };
    yoke_source source = source_of(as_text);
    yoke_program *program = NULL;
    size_t size = 0;
    char *bytes = NULL;
    source.compiled = code;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source.compiled[0]|text", yoke_program_build(t->device, &source, &program));
    code[0].size = 0;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source.compiled[0]|0", yoke_program_build(t->device, &source, &program));
    code[0].size = SIZE_MAX;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source.compiled[0]|address space", yoke_program_build(t->device, &source, &program));
    source.compiled = code + 1; /* an empty list is none */
    builds(t, &source, 200);
    source.opencl = source.cuda = NULL;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "no|text", yoke_program_build(t->device, &source, &program));
    if (!suite_can(t, YOKE_CAP_PROGRAM_BINARIES) || (is_cuda(t) && !has_nvrtc()))
        return;
    bytes = code_for(t, "sm", &size);
    NEED(bytes);
    source = source_of(as_text);
    source.compiled = code;
    code[0] = (yoke_code){ bytes, size / 2 };
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "damaged|source.compiled[0]", yoke_program_build(t->device, &source, &program));
    CHECK(program == NULL);
out:
    free(bytes);
}

/* ---- Questions for headers ---- */

/* The text needs no files: each header is in it, and each question for one is answered. */
static void questions(suite *t)
{
    static const yoke_header asked_headers[] = { { "v.h", "#define V 7\n" }, { NULL, NULL } };
    static const char *const asked_defines[] = { "GIVEN=<v.h>", NULL };
    static const char asking[] = "#define HDR \"v.h\"\n#define HAS(x) __has_include(x)\n#if __has_include(\"v.h\") && HAS(GIVEN)\n"
                                 "#include HDR\n#else\n#error \"the header is there\"\n#endif\n#undef V\n#include GIVEN\n"
                                 "#if __has_include(<none.h>) || V != 7\n#error \"this one is not\"\n#endif\n";
    yoke_source source = YOKE_SOURCE_INIT;
    char text[2048];
    size_t size = 0;
    (void)t;
    source.text = asking;
    source.headers = asked_headers;
    source.defines = asked_defines;
    for (int i = 0; i < 2; i++) {
        NEED_OK(yoke_source_expand(&source, i ? "opencl" : "cuda", text, sizeof text - 1, &size));
        NEED(size < sizeof text);
        text[size] = '\0';
        CHECK_TEXT(text, "#define V 7");
        CHECK(!strstr(text, "#include") && !strstr(text, "__has_include(\"") && !strstr(text, "HAS(GIVEN)"));
    }
    CHECK(!strstr(text, "__has_include(<"));
    if (has_nvrtc())
        CHECK_OK(yoke_source_compile(&source, "compute_80", YOKE_COMPILE_BARE, NULL, 0, &size));
out:;
}

int main(void)
{
    static const suite_case cases[] = {
        { "includes are expanded", expanded, true },
        { "questions for headers are answered", questions, true },
        { "compiled without a device", compiled, true },
        { "an architecture that is none", compiled_wrongly, true },
        { "a source with machine code", machine_code, false },
        { "a source with PTX", ptx, false },
        { "a source with code for others", not_for_this_device, false },
        { "a source with what is no code", wrong_code, false },
    };
    return SUITE_MAIN(cases, NULL);
}
