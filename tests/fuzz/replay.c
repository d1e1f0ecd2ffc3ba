/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target as a test: its corpus, and of each file in that all beginnings and every byte changed in some ways, or as many as
 * fuzz_places says. A wrong answer ends the program, which counts as a failure of the case that was announced last.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../tap/tap.h"
#include "fuzz.h"

enum { MOST = 16 << 10 };

#pragma weak LLVMFuzzerInitialize
__attribute__((weak)) size_t fuzz_places = 2000;

static size_t tried;

/* In memory that ends where the bytes end. */
static void try_copy(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy)
        tap_bail("out of memory");
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    tried++;
}

static void try_file(const char *path)
{
    static unsigned char bytes[MOST];
    static const unsigned char changes[] = { 0x01, 0x80, 0xff };
    FILE *file = fopen(path, "rb");
    if (!file)
        tap_bail("%s cannot be opened", path);
    size_t size = fread(bytes, 1, sizeof bytes, file), step = size / fuzz_places + 1;
    fclose(file);
    try_copy(bytes, size);
    for (size_t i = 0; i < size; i += step) {
        try_copy(bytes, i);
        for (size_t change = 0; change < sizeof changes; change++) {
            bytes[i] ^= changes[change];
            try_copy(bytes, size);
            bytes[i] ^= changes[change];
        }
    }
}

/* `arguments`: a corpus folder, when it is not the program's own. */
int main(int count, char **arguments)
{
    char folder[1024], path[2048];
    const char *source = getenv("top_srcdir"), *name = strrchr(arguments[0], '/');
    unsigned files = 0;
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&count, &arguments);
    tap_start(120);
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", source ? source : ".", name ? name + 1 : arguments[0]);
    DIR *listing = opendir(count > 1 ? arguments[1] : folder);
    if (!listing)
        tap_bail("there is no folder %s", count > 1 ? arguments[1] : folder);
    for (struct dirent *item = readdir(listing); item; item = readdir(listing)) {
        if (item->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", count > 1 ? arguments[1] : folder, item->d_name);
        tap_diag("%s", path);
        try_file(path);
        tap_ok(true, "%s", item->d_name);
        files++;
    }
    closedir(listing);
    tap_ok(files > 0, "%zu inputs of %u files", tried, files);
    return tap_done();
}
