/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of a shared object of the host, in its bytes, and loading it. */
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The loader puts an object where another one lay that has been unloaded, maybe by another thread. Its own lock orders the two, but
 * a sanitizer does not see that one. */
static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;

/* The linker's own output, so nothing of it is checked. */
void double_symbols(const double_text *object, bool (*each)(const double_symbol *symbol, void *user), void *user)
{
    const char *bytes = object->data;
    ElfW(Ehdr) header;
    memcpy(&header, bytes, sizeof header);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        ElfW(Shdr) section, strings;
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_SYMTAB)
            continue;
        memcpy(&strings, bytes + header.e_shoff + section.sh_link * sizeof strings, sizeof strings);
        for (size_t at = 0; at < section.sh_size; at += sizeof(ElfW(Sym))) {
            ElfW(Sym) s;
            memcpy(&s, bytes + section.sh_offset + at, sizeof s);
            double_symbol symbol = { bytes + strings.sh_offset + s.st_name, s.st_value, s.st_size, s.st_info & 15,
                                     s.st_info >> 4 != STB_LOCAL };
            if (s.st_shndx != SHN_UNDEF && each(&symbol, user))
                return;
        }
    }
}

static void *load(const char *path, double_text *log)
{
    pthread_mutex_lock(&loader);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        double_text_add(log, "fatal   : the code cannot be loaded: %s\n", dlerror());
    pthread_mutex_unlock(&loader);
    return handle;
}

/* From a file of its own name, and not from memory: the loader takes two of one name for the same, and those of descriptors would
 * come again. */
bool double_library_open(const double_text *object, double_library *out, double_text *log)
{
    char path[] = "/tmp/yoke-cuda-double.XXXXXX";
    Dl_info info;
    int fd = mkostemp(path, O_CLOEXEC);
    *out = (double_library){ 0 };
    if (fd < 0)
        return false;
    if (write(fd, object->data, object->length) == (ssize_t)object->length)
        out->handle = load(path, log);
    unlink(path);
    close(fd);
    out->table = out->handle ? dlsym(out->handle, DOUBLE_TABLE) : NULL;
    if (!out->table || !dladdr(out->table, &info)) {
        double_library_close(out);
        return false;
    }
    out->base = info.dli_fbase;
    return true;
}

void double_library_close(double_library *library)
{
    if (library->handle) {
        pthread_mutex_lock(&loader);
        dlclose(library->handle);
        pthread_mutex_unlock(&loader);
    }
    *library = (double_library){ 0 };
}

typedef struct search {
    size_t value;
    const char *name;
    bool global;
} search;

/* One that others can see is the better name of two. */
static bool is_there(const double_symbol *symbol, void *user)
{
    search *s = user;
    if (symbol->value == s->value && (symbol->type == STT_FUNC || symbol->type == STT_OBJECT) && !s->global) {
        s->name = symbol->name;
        s->global = symbol->global;
    }
    return s->global;
}

const char *double_library_name(const double_text *object, const double_library *library, const void *address)
{
    search s = { (size_t)((const char *)address - library->base), "", false };
    double_symbols(object, is_there, &s);
    return s.name;
}
