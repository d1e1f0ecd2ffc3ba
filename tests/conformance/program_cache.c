/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of compiled programs, as programs see it: what is built once is there for the next process, all that decides counts,
 * and whatever is wrong with the folder or an entry, programs build and run. The library reads the cache's environment once, so
 * each scene is a process of its own, with a folder that its case has made.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/sandbox.h"
#include "again.h"

#define BODY "int i; for (i = 0; i < 4; i++) x[i] = x[i] * factor + EXTRA; }\n"
#define CUDA "#include \"extra.h\"\nextern \"C\" __global__ void scale(int *x, int factor) { " BODY
#define OPENCL "#include \"extra.h\"\n__kernel void scale(__global int *x, int factor) { " BODY
#define BOTH "#include <yoke/kernel.h>\n#include \"extra.h\"\nYOKE_KERNEL void scale(YOKE_GLOBAL int *x, int factor) { " BODY

static const yoke_header plain_header[] = { { "extra.h", "#define EXTRA EXTRA_VALUE\n" }, { NULL, NULL } };
static const char *const plain_defines[] = { "EXTRA_VALUE=3", NULL };

static yoke_source plain_source(void)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "scale";
    source.cuda = CUDA;
    source.opencl = OPENCL;
    source.defines = plain_defines;
    source.headers = plain_header;
    return source;
}

static yoke_cache_info info_now(void)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    CHECK_OK(yoke_cache_get_info(&info));
    return info;
}

/* This is the mode, and none that is less than the environment asks for. */
static void check_mode(int32_t mode)
{
    yoke_cache_info info = info_now();
    CHECK(info.mode == mode && !*info.reason);
}

/* The program does what its source says: x * 2 + extra. */
static bool works(suite *t, yoke_program *program, int32_t extra)
{
    int32_t data[4] = { 1, -2, 30000, 0 }, wanted[4];
    yoke_buffer *x = NULL;
    yoke_kernel *kernel;
    bool right = false;
    for (int i = 0; i < 4; i++)
        wanted[i] = data[i] * 2 + extra;
    NEED_OK(yoke_kernel_get(program, "scale", &kernel));
    NEED_OK(yoke_buffer_create(t->device, sizeof data, &x));
    NEED_OK(yoke_write(t->stream, x, 0, data, sizeof data));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, (int32_t)2)));
    NEED_OK(yoke_read(t->stream, data, x, 0, sizeof data));
    NEED_OK(yoke_stream_wait(t->stream));
    right = CHECK_BYTES(data, wanted, sizeof data);
out:
    yoke_buffer_release(x);
    return right;
}

enum { NOT_RUN = -1 }; /* as `extra`: running costs more than building, on some drivers */

/* Build and run; what it adds to the counts is so much, where programs can be kept at all. */
static void build(suite *t, const yoke_source *source, int32_t extra, uint32_t hits, uint32_t misses, uint32_t stored)
{
    yoke_program *program = NULL;
    yoke_cache_info before = info_now(), after;
    NEED_OK(yoke_program_build(t->device, source, &program));
    after = info_now();
    if (!suite_can(t, YOKE_CAP_PROGRAM_BINARIES))
        hits = misses = stored = 0;
    if (!CHECK(after.hits - before.hits == hits && after.misses - before.misses == misses &&
               after.stored - before.stored == stored))
        tap_diag("%u hits, %u misses, %u stored", after.hits - before.hits, after.misses - before.misses,
                 after.stored - before.stored);
    if (extra != NOT_RUN)
        works(t, program, extra);
out:
    yoke_program_release(program);
}

/* ---- Scenes: in a process of their own ---- */

static void scene_cold(suite *t)
{
    yoke_source source = plain_source();
    build(t, &source, 3, 0, 1, 1);
    build(t, &source, 3, 1, 0, 0);
    check_mode(YOKE_CACHE_ON);
}

/* A kernel from the cache is checked like any other. */
static void scene_warm(suite *t)
{
    yoke_source source = plain_source();
    yoke_program *program = NULL;
    yoke_kernel *kernel;
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    build(t, &source, 3, 1, 0, 0);
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "scale", &kernel));
    NEED_OK(yoke_kernel_get_info(kernel, &info));
    if (suite_can(t, YOKE_CAP_SIGNATURE)) {
        CHECK(info.parameters == 2);
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "scale",
                    yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS((int32_t)2, (int32_t)2)));
    }
    CHECK_STATUS(YOKE_E_NOT_FOUND, yoke_kernel_get(program, "scales", &kernel));
    CHECK_TEXT(yoke_error()->text, "scale");
out:
    yoke_program_release(program);
}

/* Each change of what decides is another program, and the first is still there afterwards. */
static void scene_decides(suite *t)
{
    static const yoke_header header[] = { { "extra.h", "#define EXTRA (EXTRA_VALUE + 1)\n" }, { NULL, NULL } };
    static const char *const defines[] = { "EXTRA_VALUE=5", NULL }, *const other_defines[] = { "EXTRA_VALUE=6", NULL };
    static const char *const cuda_options[] = { "--fmad=true", NULL }, *const opencl_options[] = { "-w", NULL };
    yoke_source source = plain_source();
    build(t, &source, 3, 0, 1, 1);
    source.defines = defines;
    build(t, &source, 5, 0, 1, 1);
    source = plain_source();
    source.headers = header;
    build(t, &source, 4, 0, 1, 1);
    source = plain_source();
    source.defines = NULL;
    source.cuda_defines = source.opencl_defines = defines;
    build(t, &source, 5, 1, 0, 0); /* the same as in `defines` */
    source.cuda_defines = source.opencl_defines = other_defines;
    build(t, &source, 6, 0, 1, 1);
    source = plain_source();
    source.cuda_options = cuda_options;
    source.opencl_options = opencl_options;
    build(t, &source, NOT_RUN, 0, 1, 1);
    source.cuda_options = source.opencl_options = NULL;
    source.math = YOKE_MATH_FAST;
    build(t, &source, NOT_RUN, 0, 1, 1);
    source = plain_source();
    source.cuda = CUDA "/**/";
    source.opencl = OPENCL "/**/";
    build(t, &source, NOT_RUN, 0, 1, 1);
    source = plain_source();
    build(t, &source, 3, 1, 0, 0);
}

/* One text for both languages: what counts is the text that the compiler gets, and not in which member it is given. */
static void scene_one_text(suite *t)
{
    yoke_source source = plain_source();
    source.cuda = source.opencl = NULL;
    source.text = BOTH;
    build(t, &source, 3, 0, 1, 1);
    build(t, &source, 3, 1, 0, 0);
    source.text = BOTH "/**/";
    build(t, &source, NOT_RUN, 0, 1, 1);
    source.cuda = source.opencl = BOTH;
    build(t, &source, 3, 1, 0, 0);
    source.cuda = CUDA;
    source.opencl = OPENCL;
    build(t, &source, 3, 0, 1, 1);
}

/* A header on disk that changes between two builds, without its name or size or time. */
static void scene_header(suite *t)
{
    char folder[600], path[700];
    const char *const folders[] = { folder, NULL };
    struct stat before;
    snprintf(folder, sizeof folder, "%s.include", getenv("YOKE_CACHE_DIR"));
    snprintf(path, sizeof path, "%s/extra.h", folder);
    yoke_source source = plain_source();
    source.headers = NULL;
    source.include_folders = folders;
    NEED(mkdir(folder, 0700) == 0 && sandbox_write(path, "#define EXTRA 7\n", 16) && stat(path, &before) == 0);
    build(t, &source, 7, 0, 1, 1);
    NEED(sandbox_write(path, "#define EXTRA 8\n", 16));
    NEED(utimensat(AT_FDCWD, path, (struct timespec[]){ before.st_atim, before.st_mtim }, 0) == 0);
    build(t, &source, 8, 0, 1, 1);
    NEED(sandbox_write(path, "#define EXTRA 7\n", 16));
    build(t, &source, 7, 1, 0, 0);
out:
    return;
}

/* cub/NAME below the folder has this text. */
static bool write_cub(const char *folder, const char *name, const char *text)
{
    char path[800];
    snprintf(path, sizeof path, "%s/cub/%s", folder, name);
    return CHECK(sandbox_write(path, text, strlen(text)));
}

/* CCCL, whose headers the CUDA compiler reads itself: what they include counts, too. */
static void scene_cccl(suite *t)
{
    static const yoke_header headers[] = { { "extra.h", "#include \"cub/mine.cuh\"\n" }, { NULL, NULL } };
    char folder[600], path[700];
    const char *const folders[] = { folder, NULL };
    yoke_source source = plain_source();
    source.headers = headers;
    source.include_folders = folders;
    snprintf(folder, sizeof folder, "%s.cccl", getenv("YOKE_CACHE_DIR"));
    snprintf(path, sizeof path, "%s/cub", folder);
    NEED(mkdir(folder, 0700) == 0 && mkdir(path, 0700) == 0);
    NEED(write_cub(folder, "version.cuh", "\n") && write_cub(folder, "mine.cuh", "#pragma once\n#include \"inner.cuh\"\n"));
    NEED(write_cub(folder, "inner.cuh", "#define EXTRA 7\n#if 0\n#include <nobody.h>\n#include \"../cub/mine.cuh\"\n#endif\n"));
    build(t, &source, 7, 0, 1, 1);
    build(t, &source, 7, 1, 0, 0);
    NEED(write_cub(folder, "inner.cuh", "#define EXTRA 8\n"));
    build(t, &source, 8, 0, 1, 1);
    if (strcmp(t->info.backend, "cuda") != 0)
        return;
    NEED(write_cub(folder, "mine.cuh", "#define INNER \"inner.cuh\"\n#include INNER\n"));
    build(t, &source, 8, 0, 1, 1);
    build(t, &source, 8, 1, 0, 0);
    NEED(write_cub(folder, "inner.cuh", "#define EXTRA 11\n"));
    build(t, &source, 11, 0, 1, 1);
    source.headers = NULL;
    source.cuda = "#define MINE <cub/mine.cuh>\n#include MINE\nextern \"C\" __global__ void scale(int *x, int factor) { " BODY;
    build(t, &source, 11, 0, 0, 0); /* what it includes is not known, so it is not kept */
out:
    return;
}

static void scene_damaged(suite *t)
{
    yoke_source source = plain_source();
    build(t, &source, 3, 0, 1, 1);
    CHECK(info_now().rejected == (suite_can(t, YOKE_CAP_PROGRAM_BINARIES) ? 1 : 0));
    build(t, &source, 3, 1, 0, 0);
}

static void scene_read(suite *t)
{
    static const char *const defines[] = { "EXTRA_VALUE=5", NULL };
    yoke_source source = plain_source();
    build(t, &source, 3, 1, 0, 0);
    source.defines = defines;
    build(t, &source, NOT_RUN, 0, 1, 0);
    build(t, &source, 5, 0, 1, 0);
    check_mode(YOKE_CACHE_READ);
}

static void scene_off(suite *t)
{
    yoke_source source = plain_source();
    build(t, &source, 3, 0, 0, 0);
    build(t, &source, 3, 0, 0, 0);
    check_mode(YOKE_CACHE_OFF);
}

static void scene_unusable(suite *t)
{
    yoke_source source = plain_source();
    suite_expect_log();
    build(t, &source, 3, 0, 0, 0);
    build(t, &source, 3, 0, 0, 0);
    CHECK(info_now().mode == YOKE_CACHE_OFF && *info_now().reason);
}

/* The folder is removed between two builds. */
static void scene_removed(suite *t)
{
    yoke_source source = plain_source();
    build(t, &source, 3, 0, 1, 1);
    sandbox_remove(getenv("YOKE_CACHE_DIR"));
    build(t, &source, 3, 0, 1, 0);
    CHECK(access(getenv("YOKE_CACHE_DIR"), F_OK) != 0);
}

/* What does not compile is not kept, and fails in the same way each time. */
static void scene_wrong(suite *t)
{
    yoke_source source = plain_source();
    yoke_program *program = NULL;
    source.cuda = source.opencl = "this is no kernel;\n";
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(YOKE_E_BUILD, yoke_program_build(t->device, &source, &program));
        CHECK(!program && *yoke_program_get_build_log());
    }
    CHECK(info_now().stored == 0 && info_now().hits == 0);
}

/* Others may be about the same. */
static void scene_crowd(suite *t)
{
    yoke_source source = plain_source();
    yoke_program *program = NULL;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    works(t, program, 3);
    CHECK(info_now().rejected == 0);
out:
    yoke_program_release(program);
}

/* Without YOKE_CACHE. PoCL compiles to hand out a program: it is asked only when that pays, at the eighth miss. */
static void scene_costly(suite *t)
{
    yoke_source source = plain_source();
    bool is_costly = strcmp(t->info.platform, "Portable Computing Language") == 0;
    for (int i = 1; is_costly && i < 8; i++)
        build(t, &source, NOT_RUN, 0, 1, 0);
    build(t, &source, 3, 0, 1, 1);
    build(t, &source, 3, 1, 0, 0);
    check_mode(YOKE_CACHE_ON);
}

static const suite_case scenes[] = {
    { "cold", scene_cold, false },         { "warm", scene_warm, false },         { "decides", scene_decides, false },
    { "header", scene_header, false },     { "cccl", scene_cccl, false },         { "read", scene_read, false },
    { "damaged", scene_damaged, false },   { "off", scene_off, false },           { "wrong", scene_wrong, false },
    { "removed", scene_removed, false },   { "unusable", scene_unusable, false }, { "crowd", scene_crowd, false },
    { "one text", scene_one_text, false }, { "costly", scene_costly, false },
};

/* ---- Cases ---- */

static char place[500], folder[520], folder_variable[560];

static bool make_place(void)
{
    const char *above = getenv("TMPDIR");
    snprintf(place, sizeof place, "%s/yoke-cache.XXXXXX", above && above[0] == '/' ? above : "/tmp");
    if (!CHECK(mkdtemp(place)))
        return false;
    snprintf(folder, sizeof folder, "%s/cache", place);
    snprintf(folder_variable, sizeof folder_variable, "YOKE_CACHE_DIR=%s", folder);
    return true;
}

static void remove_place(void)
{
    sandbox_remove(place);
    CHECK(access(place, F_OK) != 0);
}

static size_t entries(void)
{
    return sandbox_each(folder, ".yoke", NULL, NULL);
}

static bool scene_with(suite *t, const char *name, const char *variable, char *out_errors, size_t size)
{
    const char *const environment[] = { folder_variable, variable ? variable : "YOKE_CACHE=on", "YOKE_CACHE_SIZE", NULL };
    bool well = suite_again(name, t->info.selector, environment, out_errors, size);
    if (!well)
        tap_diag("... in scene %s", name);
    return well;
}

static bool scene(suite *t, const char *name)
{
    return scene_with(t, name, NULL, NULL, 0);
}

static void check_private(const char *path, void *user)
{
    struct stat status;
    (void)user;
    CHECK(stat(path, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 07777) == 0600);
}

static void kept(suite *t)
{
    size_t expected = suite_can(t, YOKE_CAP_PROGRAM_BINARIES) ? 1 : 0;
    size_t files = expected + 1; /* and the note of the drivers that have answered */
    struct stat status;
    if (!make_place())
        return;
    scene(t, "cold");
    CHECK(stat(folder, &status) == 0 && (status.st_mode & 07777) == 0700);
    CHECK(sandbox_each(folder, "", check_private, NULL) == files && entries() == expected);
    scene(t, "warm");
    scene_with(t, "read", "YOKE_CACHE=read", NULL, 0);
    CHECK(sandbox_each(folder, "", NULL, NULL) == files);
    remove_place();
}

static void costly(suite *t)
{
    if (!make_place())
        return;
    scene_with(t, "costly", "YOKE_CACHE", NULL, 0);
    CHECK(entries() == (suite_can(t, YOKE_CAP_PROGRAM_BINARIES) ? 1 : 0));
    scene(t, "warm");
    remove_place();
}

static void decides(suite *t)
{
    if (!make_place())
        return;
    scene(t, "decides");
    CHECK(entries() == (suite_can(t, YOKE_CAP_PROGRAM_BINARIES) ? 7 : 0));
    scene(t, "header");
    scene(t, "cccl");
    remove_place();
}

static void one_text(suite *t)
{
    if (!make_place())
        return;
    scene(t, "one text");
    CHECK(entries() == (suite_can(t, YOKE_CAP_PROGRAM_BINARIES) ? 3 : 0));
    remove_place();
}

static void damage(const char *path, void *user)
{
    size_t size, *at = user;
    char *bytes = sandbox_read(path, &size);
    bytes[*at < size ? *at : size - 1] ^= 0x10;
    CHECK(sandbox_write(path, bytes, size));
    free(bytes);
}

/* Near the beginning, in the code, and at the end. */
static void damaged(suite *t)
{
    static const size_t places[] = { 3, 100, SIZE_MAX };
    if (!make_place())
        return;
    scene(t, "cold");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t at = places[i];
        sandbox_each(folder, ".yoke", damage, &at);
        scene(t, "damaged");
    }
    remove_place();
}

static void not_kept(suite *t)
{
    if (!make_place())
        return;
    scene_with(t, "off", "YOKE_CACHE=off", NULL, 0);
    CHECK(access(folder, F_OK) != 0);
    scene(t, "wrong");
    CHECK(entries() == 0);
    scene(t, "removed");
    remove_place();
}

/* A file in its place; another user's would be the same, and tests/unit/cache_folder.c has those. The reason is logged, once. */
static void unusable(suite *t)
{
    char errors[4096];
    if (!make_place())
        return;
    CHECK(sandbox_write(folder, "", 0));
    if (scene_with(t, "unusable", "YOKE_LOG=warning", errors, sizeof errors)) {
        const char *first = strstr(errors, folder);
        CHECK(first && !strstr(first + 1, folder));
        CHECK_TEXT(errors, "no cache of compiled programs");
    }
    remove_place();
}

typedef struct worker {
    suite *t;
    pthread_t thread;
} worker;

static void *join_crowd(void *argument)
{
    scene(((worker *)argument)->t, "crowd");
    return NULL;
}

static void crowd(suite *t)
{
    worker workers[3];
    unsigned started = 0;
    if (!make_place())
        return;
    for (; started < 3; started++) {
        workers[started].t = t;
        if (!CHECK(pthread_create(&workers[started].thread, NULL, join_crowd, &workers[started]) == 0))
            break;
    }
    while (started > 0)
        pthread_join(workers[--started].thread, NULL);
    CHECK(entries() == (suite_can(t, YOKE_CAP_PROGRAM_BINARIES) ? 1 : 0) && sandbox_each(folder, "tmp-", NULL, NULL) == 0);
    scene(t, "warm");
    remove_place();
}

static const suite_case cases[] = {
    { "what is built once is there for the next process", kept, false },
    { "what is costly to keep is kept once it has been built often", costly, false },
    { "all that decides what the compiler makes counts", decides, false },
    { "one text for both languages counts like each language's own", one_text, false },
    { "damaged entries are built anew", damaged, false },
    { "what is switched off, wrong or removed is not kept", not_kept, false },
    { "an unusable folder is logged once, and programs build", unusable, false },
    { "processes that build the same at once", crowd, false },
};

int main(int argc, char **argv)
{
    if (argc == 3)
        return AGAIN_MAIN(scenes, NULL, argv);
    return SUITE_MAIN(cases, NULL);
}
