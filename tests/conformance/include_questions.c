/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers that macros name, and __has_include, by the device's own compiler: each spelling of a directive brings the header that
 * the compiler would have opened, and a header that is edited is read again. tests/unit/include_questions.c has what is refused.
 */
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD                                                                                                   \
    "#ifdef __CUDACC__\nextern \"C\" __global__ void f(int *out)\n#else\n__kernel void f(__global int *out)\n" \
    "#endif\n"
#define STRING "#define S2(x) #x\n#define S(x) S2(x)\n"

static yoke_source source_of(const char *text, const yoke_header *headers, const char *const *folders)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "questions";
    source.cuda = source.opencl = text;
    source.headers = headers;
    source.include_folders = folders;
    return source;
}

/* The kernel f of the source gives this number. */
static void gives(suite *t, const yoke_source *source, int32_t wanted)
{
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    if (!CHECK_OK(yoke_program_build(t->device, source, &program))) {
        tap_diag("%s", yoke_program_get_build_log());
        goto out;
    }
    NEED_OK(yoke_kernel_get(program, "f", &kernel));
    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &wanted);
out:
    guarded_release(&out);
    yoke_program_release(program);
}

static bool write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    return CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* ---- Spellings ---- */

/* Each line brings the header, which counts. */
#define INCLUDES                                                                               \
    STRING "#define HDR \"v.h\"\n#define ANGLE <v.h>\n#define ID(x) x\n" HEAD "{ int n = 0;\n" \
           "#include HDR\n"                                                                    \
           " # /**/ include ANGLE // yes\n"                                                    \
           "%:include HDR\n"                                                                   \
           "#inc\\\nlude H\\\nDR\n"                                                            \
           "#include S(v.h)\n"                                                                 \
           "#include ID(HDR)\n"                                                                \
           "#include GIVEN\n"                                                                  \
           "#if 0\n#undef HDR\n#else\n#include HDR\n#endif\n"                                  \
           "#ifndef GIVEN\n#define GIVEN \"none\"\n#endif\n"                                   \
           "#include GIVEN\n"                                                                  \
           "out[0] = n; }\n"

enum { INCLUDED = 9 };

static void spellings(suite *t)
{
    yoke_header headers[] = { { "v.h", "n += 1;\n" }, { NULL, NULL } };
    static const char *const defines[] = { "GIVEN=\"v.h\"", NULL };
    yoke_source source = source_of(INCLUDES, headers, NULL);
    source.defines = defines;
    gives(t, &source, INCLUDED);
    headers[0].text = "n += 2;\n";
    gives(t, &source, 2 * INCLUDED);
}

/* Files; then an edited one, which a cache must notice; then one that a define names absolutely. */
static void edited(suite *t)
{
    char folder[] = "/tmp/yoke-questions.XXXXXX", path[64], define[64];
    const char *folders[] = { folder, NULL }, *defines[] = { "GIVEN=\"v.h\"", NULL };

    NEED(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/v.h", folder);
    NEED(write_file(path, "n += 1;\n"));
    yoke_source source = source_of(INCLUDES, NULL, folders);
    source.defines = defines;
    gives(t, &source, INCLUDED);
    NEED(write_file(path, "n += 3;\n"));
    gives(t, &source, 3 * INCLUDED);

    source = source_of(STRING HEAD "{ int n = 0;\n#include S(DIR/v.h)\nout[0] = n; }\n", NULL, NULL);
    snprintf(define, sizeof define, "DIR=%s", folder);
    defines[0] = define;
    source.defines = defines;
    gives(t, &source, 3);
    NEED(write_file(path, "n += 4;\n"));
    gives(t, &source, 4);
out:
    CHECK(remove(path) == 0 || errno == ENOENT);
    CHECK(remove(folder) == 0);
}

/* ---- __has_include ---- */

#define ASK(condition, bit) "#if " condition "\nn += " bit ";\n#endif\n"
#define QUESTIONS                                                                                               \
    STRING "#define HAS(x) __has_include(x)\n#define HDR \"v.h\"\n#define BOTH (HAS(HDR) && HAS(<v.h>))\n" HEAD \
           "{ int n = 0;\n" ASK("__has_include(\"v.h\")", "1") ASK("__has_include(<v.h>)", "2")                 \
               ASK("__has_\\\ninclude /**/ (HDR)", "4") ASK("HAS(\"v.h\")", "8") ASK("HAS(S(v.h))", "16")       \
                   ASK("defined(__has_include) && __has_include(<v.h>)", "32") ASK("BOTH", "64")                \
                       ASK("0\n#elif __has_include(<v.h>)", "128") ASK("__has_include(\"none.h\")", "1000")     \
                           ASK("__has_include(<yoke/types.h>)", "256") "out[0] = n; }\n"

enum { ALL = 511, ALWAYS = 256 };

static void questions(suite *t)
{
    static const yoke_header headers[] = { { "v.h", "" }, { NULL, NULL } };
    char folder[] = "/tmp/yoke-questions.XXXXXX", path[64];
    const char *folders[] = { folder, NULL };

    yoke_source source = source_of(QUESTIONS, headers, NULL);
    gives(t, &source, ALL);
    NEED(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/v.h", folder);
    source = source_of(QUESTIONS, NULL, folders);
    gives(t, &source, ALWAYS);
    NEED(write_file(path, ""));
    gives(t, &source, ALL);
    CHECK(remove(path) == 0);
    gives(t, &source, ALWAYS);
out:
    CHECK(remove(folder) == 0);
}

/* ---- Headers that are read more than once ---- */

static void repeated(suite *t)
{
    static const yoke_header headers[] = {
        { "counter.h", "#ifndef N\n#define N 0\n#endif\n#if N < 3\nn += 1;\n#if N == 0\n#undef N\n#define N 1\n#elif N == 1\n"
                       "#undef N\n#define N 2\n#else\n#undef N\n#define N 3\n#endif\n#include \"counter.h\"\n#endif\n" },
        { "else.h", "#ifndef ELSE_H\n#define ELSE_H\n#include \"else.h\"\nn += 10;\n#else\nn += 100;\n#endif\n" },
        { "operator.h", "_Pragma(\"once\")\nn += 1000;\n" },
        { "some.h", "#ifdef KEEP\n#pragma once\n#endif\nn += 10000;\n" },
        { NULL, NULL }
    };
    yoke_source source = source_of(HEAD "{ int n = 0;\n#include \"counter.h\"\n#include \"else.h\"\n#include \"operator.h\"\n"
                                        "#include \"operator.h\"\n#include \"some.h\"\n#define KEEP\n#include \"some.h\"\n"
                                        "#include \"some.h\"\nout[0] = n; }\n",
                                   headers, NULL);
    gives(t, &source, 3 + 10 + 100 + 1000 + 20000);
}

/* ---- What Yoke cannot tell ---- */

/* Only the compiler knows which header this is. */
#define TEXT_OF(condition) \
    "#if " condition "\n#define HDR \"v.h\"\n#endif\n" HEAD "{ int n = 0;\n#include HDR\nout[0] = n; }\n"

static void refused(suite *t)
{
    static const yoke_header headers[] = { { "v.h", "n += 1;\n" }, { NULL, NULL } };
    static const char import[] = HEAD "{ int n = 0;\n#import \"v.h\"\nout[0] = n; }\n";
    static const char skipped[] = "#if __cplusplus > 0 || __OPENCL_VERSION__ > 0\n#else\n#import \"v.h\"\n#include HDR\n"
                                  "#if __has_include(HDR)\n#endif\n#endif\n" HEAD "{ out[0] = 5; }\n";
    yoke_program *program = NULL;
    yoke_source source = source_of(import, headers, NULL);
    CHECK_FAILS(YOKE_E_BUILD, "#import|questions:7", yoke_program_build(t->device, &source, &program));
    source = source_of(skipped, headers, NULL);
    gives(t, &source, 5);
    if (strcmp(t->info.backend, "cuda") == 0)
        return;
    source = source_of(TEXT_OF("__OPENCL_VERSION__ > 0"), headers, NULL);
    CHECK_FAILS(YOKE_E_BUILD, "#include HDR|questions:10|HDR depends on", yoke_program_build(t->device, &source, &program));
}

/* NVRTC is given the folders and opens the header itself; such a program is not cached. */
static void left(suite *t)
{
    char folder[] = "/tmp/yoke-questions.XXXXXX", path[64];
    const char *folders[] = { folder, NULL };
    yoke_source source = source_of(TEXT_OF("__cplusplus > 0"), NULL, folders);
    size_t size = 0;

    if (strcmp(t->info.backend, "cuda") != 0) {
        suite_skip("an OpenCL driver is not given the folders");
        return;
    }
    NEED(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/v.h", folder);
    for (int i = 1; i <= 2; i++) {
        NEED(write_file(path, i == 1 ? "n += 1;\n" : "n += 2;\n"));
        gives(t, &source, i);
    }
    CHECK_FAILS(YOKE_E_BUILD, "#include HDR|HDR depends on", yoke_source_expand(&source, "cuda", NULL, 0, &size));
out:
    CHECK(remove(path) == 0 || errno == ENOENT);
    CHECK(remove(folder) == 0);
}

int main(void)
{
    static const suite_case cases[] = {
        { "headers that macros name", spellings, false },
        { "such a header is edited", edited, false },
        { "questions for headers", questions, false },
        { "headers that include themselves, and #pragma once by other words", repeated, false },
        { "what Yoke cannot tell", refused, false },
        { "what NVRTC can tell", left, false },
    };

    return SUITE_MAIN(cases, NULL);
}
