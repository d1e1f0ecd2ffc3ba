/* SPDX-License-Identifier: Apache-2.0 */
/*
 * #include in sources: one set of headers for both languages, what the compilers say about mistakes in them, and what is refused.
 * How the text is put together is tests/unit/include.c's.
 */
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <yoke/library.h>
#include <yoke/types.h>

/* What a header adds to a kernel that differs in its head alone. */
#define KERNEL(body)                                                                                           \
    "#ifdef __CUDACC__\nextern \"C\" __global__ void f(int *out)\n#else\n__kernel void f(__global int *out)\n" \
    "#endif\n" body

static yoke_source source_of(const char *text, const yoke_header *headers, const char *const *folders)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "includes";
    source.cuda = source.opencl = text;
    source.headers = headers;
    source.include_folders = folders;
    return source;
}

/* The kernel f of the source gives these two numbers. */
static void gives(suite *t, const yoke_source *source, int32_t first, int32_t second)
{
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    if (!CHECK_OK(yoke_program_build(t->device, source, &program))) {
        tap_diag("%s", yoke_program_get_build_log());
        goto out;
    }
    NEED_OK(yoke_kernel_get(program, "f", &kernel));
    NEED(guarded_create(t, 2 * sizeof first, &out));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, (int32_t[]){ first, second });
out:
    guarded_release(&out);
    yoke_program_release(program);
}

/* Make a folder with a file in it, whose path is `folder`/sub/file.h. False: the case has failed. */
static bool make_folder(char *folder, size_t size, const char *text)
{
    char path[128];
    snprintf(folder, size, "/tmp/yoke-include.XXXXXX");
    if (!CHECK(mkdtemp(folder)))
        return false;
    snprintf(path, sizeof path, "%s/sub", folder);
    CHECK(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/sub/file.h", folder);
    FILE *file = fopen(path, "w");
    return CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = { "/sub/file.h", "/sub/link.h", "/sub", "" };
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s%s", folder, names[i]);
        CHECK(remove(path) == 0 || errno == ENOENT);
    }
}

/* A text with headers of every kind, each of which matters; then the same with other headers, which a cache must not mix up. */
static void put_in(suite *t)
{
    yoke_header headers[] = { { "lib/a.h", "#pragma once\n#include \"b.h\"\n#define A (10 * B)\n" },
                              { "lib/b.h", "#ifndef B_H\n#define B_H\n#include <lib/a.h>\n#define B 4\n#endif\n" },
                              { NULL, NULL } };
    static const char text[] = "#include \"lib/a.h\"\n#include <lib/b.h>\n#include <sub/file.h>\n#include <yoke/types.h>\n" KERNEL(
        "{ yoke_vec2 v; v.x = 3.0f; yoke_i64 big = A; out[0] = (int)(big + FROM_FILE);"
        " out[1] = (int)sizeof(yoke_u64) + (int)v.x; }\n");
    char folder[64];
    const char *folders[] = { folder, NULL };

    NEED(make_folder(folder, sizeof folder, "#define FROM_FILE 2\r\n"));
    yoke_source source = source_of(text, headers, folders);
    gives(t, &source, 42, 11);
    headers[1].text = "#define B 5";
    gives(t, &source, 52, 11);
out:
    remove_folder(folder);
}

/* Headers that only the other language has, and one that nobody has. */
static void branches(suite *t)
{
    static const yoke_header headers[] = { { "shared.h", "#ifdef __CUDACC__\n#define LANGUAGE 1\n#else\n#define LANGUAGE 2\n"
                                                         "#endif\n#if LANGUAGE == 2 && defined(__CUDACC__)\n"
                                                         "#include <opencl_only.h>\n#include \"nowhere.h\"\n#endif\n" },
                                           { NULL, NULL } };
    static const char text[] = "#include \"shared.h\"\n#ifdef NEVER\n#include \"nobody's.h\"\n#include <more.h>\n#endif\n" KERNEL(
        "{ out[0] = LANGUAGE; out[1] = 7; }\n");
    const char *defines[] = { "NEVER=1", NULL };
    yoke_source source = source_of(text, headers, NULL);
    yoke_program *program = NULL;

    gives(t, &source, strcmp(t->info.backend, "cuda") == 0 ? 1 : 2, 7);
    source.defines = defines;
    CHECK_STATUS(YOKE_E_BUILD, yoke_program_build(t->device, &source, &program));
    CHECK_TEXT(yoke_program_get_build_log(), "nobody's.h is missing");
    yoke_program_release(program);
}

/* The log names a file and line, as the compiler spells that. */
static void log_names(suite *t, const char *file, int line)
{
    char place[128];
    snprintf(place, sizeof place, strcmp(t->info.backend, "cuda") == 0 ? "%s(%d)" : "%s:%d", file, line);
    if (!CHECK_TEXT(yoke_program_get_build_log(), place))
        tap_diag("%s", yoke_program_get_build_log());
}

static void messages(suite *t)
{
    yoke_header headers[] = { { "good.h", "/* more than\n one line */\n" },
                              { "bad.h", "#pragma once\n\nint wrong = nothing1;\n" },
                              { NULL, NULL } };
    static const char in_header[] = "#include \"good.h\"\n#include \"bad.h\"\n" KERNEL("{ out[0] = 1; }\n");
    static const char behind[] = "#include \"good.h\"\n#include <yoke/types.h>\n" KERNEL("{ out[0] = nothing2; }\n");
    static const char missing[] = "#include \"good.h\"\n\n#include \"nowhere.h\"\n" KERNEL("{ out[0] = 1; }\n");
    char folder[64], path[128];
    const char *folders[] = { folder, NULL };
    yoke_program *program = NULL;

    yoke_source source = source_of(in_header, headers, NULL);
    CHECK_FAILS(YOKE_E_BUILD, "", yoke_program_build(t->device, &source, &program));
    log_names(t, "bad.h", 3);
    CHECK_TEXT(yoke_program_get_build_log(), "nothing1");
    source = source_of(behind, headers, NULL);
    CHECK_FAILS(YOKE_E_BUILD, "", yoke_program_build(t->device, &source, &program));
    log_names(t, "includes", 8);
    source = source_of(missing, headers, NULL);
    CHECK_FAILS(YOKE_E_BUILD, "", yoke_program_build(t->device, &source, &program));
    log_names(t, "includes", 3);
    CHECK_TEXT(yoke_program_get_build_log(), "nowhere.h is missing");

    NEED(make_folder(folder, sizeof folder, "\n\nint wrong = nothing3;\n"));
    source = source_of("#include <sub/file.h>\n" KERNEL("{ out[0] = 1; }\n"), NULL, folders);
    CHECK_FAILS(YOKE_E_BUILD, "", yoke_program_build(t->device, &source, &program));
    snprintf(path, sizeof path, "%s/sub/file.h", folder);
    log_names(t, path, 3);
out:
    remove_folder(folder);
}

static void refused(suite *t)
{
    yoke_header headers[] = { { "self.h", "#include \"self.h\"\n" }, { "open.h", "/* " }, { NULL, NULL } };
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "#include \"/etc/hostname\"\n", "yoke_program_build|includes:1|absolute path" },
        { "\n#include \"../file.h\"\n", "includes:2|leads out of every include folder" },
        { "#include \"link.h\"\n", "link.h is rejected|leads out of the include folder" },
        { "#include \"self.h\"\n", "self.h includes itself|self.h:1 includes self.h" },
        { "#include \"open.h\"\n", "open.h:1|does not end" },
    };
    char folder[64], sub[80], link[96];
    const char *folders[] = { sub, NULL };
    yoke_program *program = NULL;

    NEED(make_folder(folder, sizeof folder, ""));
    snprintf(sub, sizeof sub, "%s/sub", folder);
    snprintf(link, sizeof link, "%s/link.h", sub);
    NEED(symlink("/etc/passwd", link) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        yoke_source source = source_of(cases[i].text, headers, folders);
        CHECK_FAILS(YOKE_E_BUILD, cases[i].words, yoke_program_build(t->device, &source, &program));
        CHECK(!program);
    }
    yoke_source source = source_of(KERNEL("{ out[0] = 1; }\n"), headers, folders);
    headers[0].name = "../self.h";
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "headers[0]|../self.h", yoke_program_build(t->device, &source, &program));
    headers[0].name = "";
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "headers[0]|empty", yoke_program_build(t->device, &source, &program));
    source.headers = NULL;
    folders[0] = "sub";
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "include_folders[0]|absolute", yoke_program_build(t->device, &source, &program));
    snprintf(sub, sizeof sub, "%s/sub/file.h", folder);
    folders[0] = sub;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "include_folders[0]|is not a folder", yoke_program_build(t->device, &source, &program));
    snprintf(sub, sizeof sub, "%s/nowhere", folder);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "include_folders[0]|No such file", yoke_program_build(t->device, &source, &program));
out:
    remove_folder(folder);
}

/* ---- Host headers ---- */

/* CUDA texts have stubs of them, unless the source has its own. */
static void host_headers(suite *t)
{
    static const yoke_header headers[] = { { "math.h", "#define M_PI 7\n" }, { NULL, NULL } };
    static const char text[] =
        "#ifdef __CUDACC__\n#include <stdio.h>\n#include <math.h>\n#include <stdint.h>\n#include <float.h>\n"
        "#include <limits.h>\n#include <stdlib.h>\n#include <string.h>\n#include <assert.h>\n#include <cuda.h>\n"
        "#include \"cuda_runtime.h\"\nstatic uint big(int64_t x) { ushort one = 1; return (uint32_t)(x > INT_MAX ? one : 0); "
        "}\n#else\n"
        "static uint big(long x) { return x > INT_MAX; }\n#endif\n" KERNEL(
            "{ out[0] = M_PI; out[1] = big(1) + (FLT_MAX > 1e38f ? CHAR_BIT : 0); }\n");
    yoke_source source = source_of(text, NULL, NULL);

    gives(t, &source, 3, 8);
    source.headers = headers;
    gives(t, &source, strcmp(t->info.backend, "cuda") == 0 ? 7 : 3, 8);
}

/* ---- Texts that are files ---- */

/* folder/name has this text. */
static bool make_file(const char *folder, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    return CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_file(const char *folder, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(remove(path) == 0 || errno == ENOENT);
}

static yoke_source file_source(const char *path)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.cuda_file = source.opencl_file = path;
    return source;
}

/* The file's folder has its headers; ".." leads to an include folder; and messages have the file's name. */
static void from_file(suite *t)
{
    static const yoke_header headers[] = { { "virtual.h", "#define VIRTUAL 3\n" }, { NULL, NULL } };
    static const char text[] = "#include \"near.h\"\n#include \"../near.h\"\n#include <near.h>\n#include \"virtual.h\"\n" KERNEL(
        "{ out[0] = NEAR + VIRTUAL; out[1] = FAR; }\n");
    char folder[64], path[128], before[512];
    const char *folders[] = { folder, NULL };
    yoke_program *program = NULL;
    yoke_event *done = NULL;
    yoke_kernel *kernel;
    bool moved = false;

    NEED(make_folder(folder, sizeof folder, text));
    NEED(make_file(folder, "near.h", "#define FAR 50\n"));
    NEED(make_file(folder, "sub/near.h", "#pragma once\n#define NEAR 4\n"));
    NEED(make_file(folder, "sub/virtual.h", "#error not this one\n"));
    snprintf(path, sizeof path, "%s/sub/file.h", folder);
    yoke_source source = file_source(path);
    source.headers = headers;
    CHECK_FAILS(YOKE_E_BUILD, "../near.h|out of every include folder", yoke_program_build(t->device, &source, &program));
    source.include_folders = folders;
    gives(t, &source, 7, 50);
    NEED_OK(yoke_program_build_async(t->device, &source, &program, &done));
    NEED_OK(yoke_kernel_get(program, "f", &kernel));
    yoke_program_release(program);
    program = NULL;

    NEED(make_file(folder, "sub/near.h", "#pragma once\n#define NEAR 5\n")); /* which a cache must notice */
    gives(t, &source, 8, 50);
    NEED(getcwd(before, sizeof before) && chdir(folder) == 0);
    moved = true;
    source.cuda_file = source.opencl_file = "sub/file.h";
    gives(t, &source, 8, 50);
    NEED(make_file(folder, "sub/file.h", "\n#error far below\n"));
    CHECK_FAILS(YOKE_E_BUILD, "far below", yoke_program_build(t->device, &source, &program));
    if (!strstr(t->info.platform, "Oclgrind")) /* which ignores #line */
        CHECK_TEXT(yoke_program_get_build_log(), "file.h");
    CHECK(!strstr(yoke_program_get_build_log(), "file.h.cu"));
out:
    if (moved)
        CHECK(chdir(before) == 0);
    yoke_event_release(done);
    yoke_program_release(program);
    remove_file(folder, "near.h");
    remove_file(folder, "sub/near.h");
    remove_file(folder, "sub/virtual.h");
    remove_folder(folder);
}

/* ---- Each form of a source, and whoever takes one ---- */

typedef struct shared {
    int32_t a, b;
} shared;

/* The text includes "value.h", which is in the folder of the file and, with another value, in an include folder: what is beside the
 * file comes first, so a source that is a file gives 5, and one that is a text 6. */
static const char forms_text[] = "#include \"value.h\"\nstruct shared { int a, b; };\n" KERNEL("{ out[0] = VALUE; out[1] = 8; }\n");

static void form_is_taken(suite *t, const char *form, const yoke_source *source, int32_t value)
{
    static const yoke_field fields[] = { YOKE_FIELD(shared, a), YOKE_FIELD(shared, b) };
    bool is_cuda = strcmp(t->info.backend, "cuda") == 0;
    char *expanded = NULL, key[80], wanted[32];
    yoke_program *program = NULL, *kept;
    yoke_event *done = NULL;
    yoke_kernel *kernel;
    size_t size = 0;

    gives(t, source, value, 8);
    NEED_OK(yoke_program_build_async(t->device, source, &program, &done));
    NEED_OK(yoke_kernel_get(program, "f", &kernel));
    snprintf(key, sizeof key, "%s %d", form, (int)getpid());
    NEED_OK(yoke_device_get_program(t->device, key, source, &kept));
    CHECK_OK(yoke_kernel_get(kept, "f", &kernel));
    CHECK_OK(yoke_struct_check(t->device, source, "struct shared", sizeof(shared), fields, 2));
    NEED_OK(yoke_source_expand(source, is_cuda ? "cuda" : "opencl", NULL, 0, &size));
    NEED(expanded = calloc(1, size + 1));
    NEED_OK(yoke_source_expand(source, is_cuda ? "cuda" : "opencl", expanded, size, &size));
    snprintf(wanted, sizeof wanted, "VALUE %d", (int)value);
    CHECK_TEXT(expanded, wanted);
    if (is_cuda)
        CHECK_OK(yoke_source_compile(source, "compute_90", 0, NULL, 0, &size));
    else
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "architecture", yoke_source_compile(source, "gfx900", 0, NULL, 0, &size));
out:
    if (suite_failures() > 0)
        tap_diag("the form is %s", form);
    free(expanded);
    yoke_event_release(done);
    yoke_program_release(program);
}

static void forms(suite *t)
{
    char folder[64], near[80], path[128];
    const char *folders[] = { near, NULL };
    yoke_source source = YOKE_SOURCE_INIT, start;

    NEED(make_folder(folder, sizeof folder, forms_text));
    NEED(make_file(folder, "sub/value.h", "#define VALUE 5\n"));
    NEED(make_file(folder, "value.h", "#define VALUE 6\n"));
    snprintf(near, sizeof near, "%s", folder);
    snprintf(path, sizeof path, "%s/sub/file.h", folder);
    source.include_folders = folders;
    start = source;
    source.cuda = source.opencl = forms_text;
    form_is_taken(t, "a text for each language", &source, 6);
    source = start;
    source.text = forms_text;
    form_is_taken(t, "a text for both languages", &source, 6);
    source = start;
    source.cuda_file = source.opencl_file = path;
    form_is_taken(t, "a file for each language", &source, 5);
    source = start;
    source.text_file = path;
    form_is_taken(t, "a file for both languages", &source, 5);
    source.cuda = source.opencl = forms_text;
    form_is_taken(t, "a file for both languages, and texts that come first", &source, 6);
out:
    remove_file(folder, "value.h");
    remove_file(folder, "sub/value.h");
    remove_folder(folder);
}

static void file_refused(suite *t, const char *path, yoke_status status, const char *words)
{
    yoke_program *program = NULL;
    yoke_event *done = NULL;
    yoke_source source = file_source(path);
    CHECK_FAILS(status, words, yoke_program_build(t->device, &source, &program));
    CHECK(!program && yoke_program_get_build_log()[0] == '\0');
    CHECK_FAILS(status, words, yoke_program_build_async(t->device, &source, &program, &done));
    CHECK(!program && !done);
}

static void files_refused(suite *t)
{
    char folder[64], path[128];
    yoke_program *program = NULL;

    NEED(make_folder(folder, sizeof folder, ""));
    snprintf(path, sizeof path, "%s/sub/file.h", folder);
    file_refused(t, path, YOKE_E_INVALID_ARGUMENT, "_file|file.h|is empty");
    NEED(make_file(folder, "sub/file.h", " \n"));
    file_refused(t, path, YOKE_E_INVALID_ARGUMENT, "text|is empty");
    NEED(make_file(folder, "sub/file.h", ".version 8.0\n.target sm_90\n"));
    file_refused(t, path, YOKE_E_INVALID_ARGUMENT, "PTX|yoke_program_load");
    file_refused(t, folder, YOKE_E_INVALID_ARGUMENT, "a folder");
    file_refused(t, "/dev/null", YOKE_E_INVALID_ARGUMENT, "not a regular file");
    file_refused(t, "/a\nb", YOKE_E_INVALID_ARGUMENT, "line of text");
    file_refused(t, "", YOKE_E_NOT_FOUND, "_file|No such file");
    file_refused(t, "nowhere.cl", YOKE_E_NOT_FOUND, "nowhere.cl|No such file|working directory is /");
    snprintf(path, sizeof path, "%s/sub/file.h/more.h", folder);
    file_refused(t, path, YOKE_E_NOT_FOUND, "Not a directory");
    snprintf(path, sizeof path, "%s/sub/link.h", folder);
    NEED(symlink("link.h", path) == 0);
    file_refused(t, path, YOKE_E_INVALID_ARGUMENT, "link.h|symbolic links");
    snprintf(path, sizeof path, "%s/sub/file.h", folder);
    if (geteuid() != 0) {
        CHECK(chmod(path, 0) == 0);
        file_refused(t, path, YOKE_E_INVALID_ARGUMENT, "Permission denied");
        CHECK(chmod(path, 0600) == 0);
    }
    NEED(make_file(folder, "sub/file.h", KERNEL("{ out[0] = 1; }\n")));
    yoke_source source = file_source(path);
    source.cuda = source.opencl = KERNEL("{ out[0] = 1; }\n");
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "_file|one of them", yoke_program_build(t->device, &source, &program));
    source.cuda = source.opencl = NULL;
    if (strcmp(t->info.backend, "cuda") == 0)
        source.cuda_file = NULL;
    else
        source.opencl_file = NULL;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "other backend's text", yoke_program_build(t->device, &source, &program));
out:
    remove_folder(folder);
}

int main(void)
{
    static const suite_case cases[] = {
        { "headers are put in, and a change in one counts", put_in, false },
        { "what is missing matters only where it is included", branches, false },
        { "messages name the header's file and line", messages, false },
        { "what is refused", refused, false },
        { "host headers for CUDA texts", host_headers, false },
        { "texts that are files", from_file, false },
        { "files that are refused", files_refused, false },
        { "each form of a source is taken by whoever takes sources", forms, false },
    };

    return SUITE_MAIN(cases, NULL);
}
