/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every .cu, and the text for both languages, is CUDA to NVIDIA's own compiler: NVRTC needs neither a GPU nor a driver. Skipped
 * where there is no libnvrtc. Makes PTX for the oldest architecture that this NVRTC knows, and machine code for sm_90, or for the
 * newest where there is no sm_90.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"

typedef struct nvrtc_program *program;

static struct {
    int (*version)(int *major, int *minor);
    int (*arch_count)(int *count);
    int (*archs)(int *archs);
    int (*create)(program *out, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(program p, int options, const char *const *list);
    int (*log_size)(program p, size_t *size);
    int (*log)(program p, char *text);
    int (*ptx_size)(program p, size_t *size);
    int (*cubin_size)(program p, size_t *size);
    int (*destroy)(program *p);
} nvrtc;

static void *library_open(void)
{
    static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2" };
    static const char *const folders[] = { "", "/usr/local/cuda/lib64/" };
    const char *asked = getenv("YOKE_NVRTC");
    void *library = asked ? dlopen(asked, RTLD_NOW | RTLD_LOCAL) : NULL;

    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++)
        for (size_t n = 0; n < sizeof names / sizeof names[0] && !library; n++) {
            char path[256];

            snprintf(path, sizeof path, "%s%s", folders[f], names[n]);
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    return library;
}

static void symbols_load(void *library)
{
    static const struct {
        const char *name;
        void *slot;
    } symbols[] = {
        { "nvrtcVersion", &nvrtc.version },         { "nvrtcGetNumSupportedArchs", &nvrtc.arch_count },
        { "nvrtcGetSupportedArchs", &nvrtc.archs }, { "nvrtcCreateProgram", &nvrtc.create },
        { "nvrtcCompileProgram", &nvrtc.compile },  { "nvrtcGetProgramLogSize", &nvrtc.log_size },
        { "nvrtcGetProgramLog", &nvrtc.log },       { "nvrtcGetPTXSize", &nvrtc.ptx_size },
        { "nvrtcGetCUBINSize", &nvrtc.cubin_size }, { "nvrtcDestroyProgram", &nvrtc.destroy },
    };

    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library, symbols[i].name);

        if (!address)
            tap_bail("libnvrtc has no %s", symbols[i].name);
        memcpy(symbols[i].slot, &address, sizeof address);
    }
}

/* The whole file, ended by 0. */
static char *file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0)
        tap_bail("cannot read %s", path);
    fclose(file);
    return text;
}

/* One case: `architecture` is "compute_90" for PTX or "sm_90" for machine code. `words` is <yoke/kernel.h>. */
static void compile(const char *name, const char *text, const char *words, const char *architecture)
{
    static const char *const words_name = "yoke/kernel.h";
    char option[64], log[4096] = "";
    const char *const options[] = { option, "--std=c++17", "--fmad=false" };
    bool machine = strncmp(architecture, "sm_", 3) == 0;
    size_t size = 0, log_size = 0;
    program p = NULL;

    snprintf(option, sizeof option, "--gpu-architecture=%s", architecture);
    bool good = nvrtc.create(&p, text, name, 1, &words, &words_name) == 0 && nvrtc.compile(p, 3, options) == 0 &&
                (machine ? nvrtc.cubin_size(p, &size) : nvrtc.ptx_size(p, &size)) == 0 && size > 1;
    tap_ok(good, "%s for %s", name, architecture);
    if (p && nvrtc.log_size(p, &log_size) == 0 && log_size > 1 && log_size <= sizeof log && nvrtc.log(p, log) == 0)
        tap_diag("%s", log);
    if (p)
        nvrtc.destroy(&p);
}

static int is_cuda(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".yk") == 0);
}

static void compile_folder(const char *top, const char *name, const char *const architectures[2])
{
    char folder[4096], path[8192];
    struct dirent **entries = NULL;

    snprintf(path, sizeof path, "%s/include/yoke/kernel.h", top);
    char *words = file_read(path);
    snprintf(folder, sizeof folder, "%s/%s", top, name);
    int files = scandir(folder, &entries, is_cuda, alphasort);
    tap_ok(files > 0, "there are kernels in %s", name);
    for (int i = 0; i < files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        char *text = file_read(path);
        for (int a = 0; a < 2; a++)
            compile(entries[i]->d_name, text, words, architectures[a]);
        free(text);
        free(entries[i]);
    }
    free(entries);
    free(words);
}

int main(void)
{
    const char *top = getenv("top_srcdir");
    char ptx[32], machine[32];
    const char *const architectures[2] = { ptx, machine };
    int major = 0, minor = 0, count = 0, archs[64];
    void *library = library_open();

    tap_start(300);
    if (!library)
        tap_skip_all("there is no libnvrtc (looked for by name, in /usr/local/cuda/lib64, and for what YOKE_NVRTC names)");
    symbols_load(library);
    if (nvrtc.version(&major, &minor) != 0 || nvrtc.arch_count(&count) != 0 || count < 1 || count > 64 || nvrtc.archs(archs) != 0)
        tap_bail("NVRTC does not say what it is");
    tap_diag("NVRTC %d.%d, architectures %d to %d", major, minor, archs[0], archs[count - 1]);
    snprintf(ptx, sizeof ptx, "compute_%d", archs[0]);
    int target = archs[count - 1];
    for (int i = 0; i < count; i++)
        if (archs[i] == 90)
            target = 90;
    snprintf(machine, sizeof machine, "sm_%d", target);

    compile_folder(top ? top : ".", "kernels", architectures);
    compile_folder(top ? top : ".", "tests/one_text", architectures);
    return tap_done();
}
