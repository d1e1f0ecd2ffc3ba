/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL form as SPIR-V: clang makes LLVM's bitcode of it, and llvm-spirv translates that. The two have to be of one version.
 */
#include <fcntl.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc.h"

extern char **environ;

/* Whether the loader's path has this program. */
static bool has_program(const char *name)
{
    const char *path = getenv("PATH");
    bool found = false;
    while (path && *path && !found) {
        size_t length = strcspn(path, ":");
        char *file = tool_text("%.*s/%s", (int)length, path, name);
        found = access(file, X_OK) == 0;
        free(file);
        path += length + (path[length] == ':');
    }
    return found;
}

/* "" or "-19": the ending of the names of both programs, as Debian has them; NULL when there is no such pair. */
static const char *find_version(void)
{
    static const char *const versions[] = { "", "-22", "-21", "-20", "-19", "-18", "-17", "-16", "-15", "-14" };
    const char *found = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !found; i++) {
        char *clang = tool_text("clang%s", versions[i]), *spirv = tool_text("llvm-spirv%s", versions[i]);
        if (has_program(clang) && has_program(spirv))
            found = versions[i];
        free(clang);
        free(spirv);
    }
    return found;
}

/* Run a program; what it prints goes to a file. False: it could not be run, or has failed. */
static bool run(char *const *words, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        tool_no_memory();
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int error = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return false;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

typedef struct job {
    char *clang, *translator, *folder, *text, *bitcode, *spirv, *log;
} job;

static bool compile(const cc_options *o, const job *j)
{
    char *words[CC_MOST + 20], *standard = tool_text("-cl-std=CL%s", o->opencl_std ? o->opencl_std : "1.2");
    char *const before[] = { j->clang,
                             (char *)"-x",
                             (char *)"cl",
                             standard,
                             (char *)"--target=spir64",
                             (char *)"-Xclang",
                             (char *)"-finclude-default-header",
                             (char *)"-O2", /* without its passes: the driver optimizes, and passes make what SPIR-V lacks */
                             (char *)"-Xclang",
                             (char *)"-disable-llvm-passes",
                             (char *)"-emit-llvm",
                             (char *)"-c" };
    size_t count = sizeof before / sizeof *before, first = count;
    memcpy(words, before, sizeof before);
    for (size_t i = 0; i < o->define_count; i++)
        words[count++] = tool_text("-D%s", o->defines[i]);
    size_t end = count;
    if (o->math == YOKE_MATH_FAST)
        words[count++] = (char *)"-cl-fast-relaxed-math";
    else if (o->math == YOKE_MATH_EXACT)
        words[count++] = (char *)"-ffp-contract=off";
    words[count++] = (char *)"-o";
    words[count++] = j->bitcode;
    words[count++] = j->text;
    words[count] = NULL;
    bool fine = run(words, j->log);
    for (size_t i = first; i < end; i++)
        free(words[i]);
    free(standard);
    char *const translate[] = { j->translator, j->bitcode, (char *)"-o", j->spirv, NULL };
    return fine && run(translate, j->log);
}

/* `name` is what messages call the text. */
static bool write_text(const char *path, const char *name, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    bool fine =
        file && (strpbrk(name, "\"\\\n") || fprintf(file, "#line 1 \"%s\"\n", name) > 0) && fwrite(text, 1, size, file) == size;
    return file && fclose(file) == 0 && fine;
}

/* The files are in the folder, which this owns from here on. */
static job begin(const char *version, char *folder)
{
    return (job){ .clang = tool_text("clang%s", version),
                  .translator = tool_text("llvm-spirv%s", version),
                  .folder = folder,
                  .text = tool_text("%s/kernel.cl", folder),
                  .bitcode = tool_text("%s/kernel.bc", folder),
                  .spirv = tool_text("%s/kernel.spv", folder),
                  .log = tool_text("%s/log", folder) };
}

static void end(job *j)
{
    char *const paths[] = { j->text, j->bitcode, j->spirv, j->log };
    for (size_t i = 0; i < 4; i++) {
        unlink(paths[i]);
        free(paths[i]);
    }
    rmdir(j->folder);
    free(j->folder);
    free(j->clang);
    free(j->translator);
}

bool cc_compile_spirv(const cc_options *o, cc_form *form)
{
    const char *version = find_version();
    size_t size = 0, code_size = 0;
    if (!version) {
        form->why =
            tool_text("SPIR-V needs clang and llvm-spirv of the same version in PATH, and %s (Debian: apt-get install clang-19 "
                      "llvm-spirv-19; the names may end in a version)",
                      has_program("clang") ? "llvm-spirv is missing" : "they are not there");
        return false;
    }
    char *text = cc_expand(o, form, &size), *code = NULL;
    if (!text) {
        form->why = tool_text("%s", yoke_error()->text);
        return false;
    }
    char *folder = tool_make_folder("yoke-cc", &form->why);
    if (!folder) {
        free(text);
        return false;
    }
    job j = begin(version, folder);
    if (!write_text(j.text, form->path, text, size))
        form->why = tool_text("%s cannot be written: %s; TMPDIR names another place", j.text, strerror(errno));
    else if (!compile(o, &j) || !(code = tool_read_file(j.spirv, &code_size)) || code_size == 0)
        form->why = tool_text("%s and %s do not make SPIR-V of it", j.clang, j.translator);
    form->log = tool_read_file(j.log, NULL);
    end(&j);
    free(text);
    if (form->why)
        free(code);
    else
        cc_add_code(form, "spirv", code, code_size);
    return !form->why;
}
