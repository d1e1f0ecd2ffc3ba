/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every .cu, and each text for both languages, is CUDA to NVIDIA's own compiler: NVRTC needs neither a GPU nor a driver. Skipped
 * where there is no libnvrtc. Makes PTX for the oldest architecture that this NVRTC knows, and machine code for sm_90, or for the
 * newest where there is no sm_90. Optimising is most of that work: of a text of an operation it is done for the first set of
 * macros, and left out for the others, where the NVRTC can.
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

/* The headers that a text may include. */
enum { MOST_HEADERS = 64, MOST_OPTIONS = 64 };
static struct {
    const char *names[MOST_HEADERS], *texts[MOST_HEADERS];
    int count;
} headers;

static void header_add(const char *name, const char *path)
{
    if (headers.count == MOST_HEADERS)
        tap_bail("more than %d headers", MOST_HEADERS);
    headers.names[headers.count] = strdup(name);
    headers.texts[headers.count++] = path ? file_read(path) : "";
}

/* That of CUDA 11 does not know it. */
static const char quick_option[] = "--Ofast-compile=max";
static bool has_quick;

static void find_quick(void)
{
    const char *options[] = { quick_option };
    program p = NULL;

    has_quick = nvrtc.create(&p, "", "text", 0, NULL, NULL) == 0 && nvrtc.compile(p, 1, options) == 0;
    if (p)
        nvrtc.destroy(&p);
    tap_diag("NVRTC %s %s", has_quick ? "knows" : "does not know", quick_option);
}

/* One case: `architecture` is "compute_90" for PTX or "sm_90" for machine code; `set` is a list of macros, as "A=1 B=2", or "-". */
static void compile(const char *name, const char *text, const char *set, const char *architecture, bool optimised)
{
    char option[64], log[4096] = "", words[2048], *rest = words;
    const char *options[MOST_OPTIONS] = { option, "--std=c++17", "--fmad=false", quick_option };
    int option_count = has_quick && !optimised ? 4 : 3;
    bool machine = strncmp(architecture, "sm_", 3) == 0;
    size_t size = 0, log_size = 0;
    program p = NULL;

    snprintf(option, sizeof option, "--gpu-architecture=%s", architecture);
    snprintf(words, sizeof words, "%s", set);
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (option_count + 2 > MOST_OPTIONS) {
            tap_bail("%s: too many macros", name);
        } else if (strcmp(word, "-") != 0) {
            options[option_count++] = "-D";
            options[option_count++] = word;
        }
    bool good = nvrtc.create(&p, text, "text", headers.count, headers.texts, headers.names) == 0 &&
                nvrtc.compile(p, option_count, options) == 0 &&
                (machine ? nvrtc.cubin_size(p, &size) : nvrtc.ptx_size(p, &size)) == 0 && size > 1;
    tap_ok(good, "%s, %s, for %s", name, set, architecture);
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

/* Calls `each` for the files of a folder. */
static int files_of(const char *top, const char *name, int (*filter)(const struct dirent *), const char *const architectures[2],
                    void (*each)(const char *path, const char *name, const char *const architectures[2]))
{
    char folder[4096], path[8192];
    struct dirent **entries = NULL;

    snprintf(folder, sizeof folder, "%s/%s", top, name);
    int files = scandir(folder, &entries, filter, alphasort);
    for (int i = 0; i < files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        each(path, entries[i]->d_name, architectures);
        free(entries[i]);
    }
    free(entries);
    return files;
}

static void compile_plain(const char *path, const char *name, const char *const architectures[2])
{
    char *text = file_read(path);

    for (int a = 0; a < 2; a++)
        compile(name, text, "-", architectures[a], true);
    free(text);
}

static void compile_folder(const char *top, const char *name, const char *const architectures[2])
{
    tap_ok(files_of(top, name, is_cuda, architectures, compile_plain) > 0, "there are kernels in %s", name);
}

/* ---- Texts of operations: opencl_syntax.sh says how they name their sets of macros ---- */

static int is_header(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && strcmp(dot, ".h") == 0;
}

static int is_text_header(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && strcmp(dot, ".yh") == 0;
}

static int is_text(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && (strcmp(dot, ".yh") == 0 || strcmp(dot, ".yk") == 0);
}

static int is_room(const struct dirent *entry)
{
    return !strchr(entry->d_name, '.');
}

/* As files_of, in each folder of ops/. */
static int texts_of(const char *top, int (*filter)(const struct dirent *), const char *const architectures[2],
                    void (*each)(const char *path, const char *name, const char *const architectures[2]))
{
    char folder[4096], room[512];
    struct dirent **rooms = NULL;
    int count = 0;

    snprintf(folder, sizeof folder, "%s/ops", top);
    int room_count = scandir(folder, &rooms, is_room, alphasort);
    for (int i = 0; i < room_count; i++) {
        snprintf(room, sizeof room, "ops/%s", rooms[i]->d_name);
        int found = files_of(top, room, filter, architectures, each);
        count += found > 0 ? found : 0;
        free(rooms[i]);
    }
    free(rooms);
    return count;
}

static void add_header(const char *path, const char *name, const char *const architectures[2])
{
    (void)architectures;
    header_add(name, path);
}

/* The public headers that kernels include. */
static int is_for_kernels(const struct dirent *entry)
{
    return strcmp(entry->d_name, "kernel.h") == 0 || strcmp(entry->d_name, "philox.h") == 0 ||
           strcmp(entry->d_name, "types.h") == 0 || (strncmp(entry->d_name, "block_", 6) == 0 && is_header(entry));
}

static void add_public(const char *path, const char *name, const char *const architectures[2])
{
    char spelled[512];

    (void)architectures;
    snprintf(spelled, sizeof spelled, "yoke/%s", name);
    header_add(spelled, path);
}

/* What stands behind `mark` in the line, or NULL. */
static const char *marked(const char *line, const char *mark)
{
    if (strncmp(line, "// ", 3) != 0 && strncmp(line, " * ", 3) != 0)
        return NULL;
    return strncmp(line + 3, mark, strlen(mark)) == 0 ? line + 3 + strlen(mark) : NULL;
}

/* Machine code for each set, and PTX for the first, which is optimised. headers.texts[generated] is "generated.h". */
static void compile_sets(const char *path, const char *name, const char *const architectures[2])
{
    char *text = file_read(path), *copy = file_read(path), include[256];
    char *generated = calloc(1, strlen(text) + 1);
    const char *sets[64], *found;
    int count = 0;

    if (!generated)
        tap_bail("no memory");
    for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;)
        if ((found = marked(line, "options: ")) != NULL && count < 64)
            sets[count++] = found;
        else if ((found = marked(line, "generated: ")) != NULL)
            strcat(strcat(generated, found), "\n");
    headers.texts[0] = generated;
    snprintf(include, sizeof include, "#include \"%s\"\n", name);
    for (int i = 0; i < count; i++) {
        compile(name, strstr(name, ".yh") ? include : text, sets[i], architectures[1], i == 0);
        if (i == 0)
            compile(name, strstr(name, ".yh") ? include : text, sets[i], architectures[0], true);
    }
    if (count == 0 && !strstr(name, ".yh"))
        tap_ok(false, "%s has a line '// options: ...'", name);
    headers.texts[0] = "";
    free(generated);
    free(copy);
    free(text);
}

/* NVRTC 13.0 crashes on this for sm_90 without what <yoke/kernel.h> does before its atomics. */
static void compile_own_vector_names(const char *const architectures[2])
{
    static const char text[] = "#include <yoke/kernel.h>\n"
                               "YOKE_FUNCTION float float2(float x) { return x; }\n"
                               "YOKE_FUNCTION float float4(float x) { return float2(x); }\n"
                               "YOKE_KERNEL void count(YOKE_GLOBAL int *p) { yoke_atomic_add(p, (int)float4(1)); }\n";
    for (int a = 0; a < 2; a++)
        compile("functions with the names of CUDA's vectors, and an atomic", text, "-", architectures[a], true);
}

static void headers_find(const char *top)
{
    header_add("generated.h", NULL);
    files_of(top, "include/yoke", is_for_kernels, NULL, add_public);
    texts_of(top, is_text_header, NULL, add_header);
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
    find_quick();
    if (nvrtc.version(&major, &minor) != 0 || nvrtc.arch_count(&count) != 0 || count < 1 || count > 64 || nvrtc.archs(archs) != 0)
        tap_bail("NVRTC does not say what it is");
    tap_diag("NVRTC %d.%d, architectures %d to %d", major, minor, archs[0], archs[count - 1]);
    snprintf(ptx, sizeof ptx, "compute_%d", archs[0]);
    int target = archs[count - 1];
    for (int i = 0; i < count; i++)
        if (archs[i] == 90)
            target = 90;
    snprintf(machine, sizeof machine, "sm_%d", target);

    top = top ? top : ".";
    headers_find(top);
    compile_folder(top, "kernels", architectures);
    compile_folder(top, "tests/one_text", architectures);
    compile_own_vector_names(architectures);
    tap_ok(texts_of(top, is_text, architectures, compile_sets) > 0, "there are texts in ops");
    return tap_done();
}
