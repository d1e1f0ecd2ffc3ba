/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of facts. A line is `KEY value`, where KEY is the name of a query; `assumed KEY value` is a fact that no source gives. A
 * number may be decimal or hexadecimal, or words of the list below, whose values are added. Lines that begin with # are for
 * readers.
 */
#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, UINT, ULONG, SIZE, SIZES };

typedef struct fact {
    const char *key;
    cl_uint query;
    enum kind kind;
    bool known;
    uint64_t numbers[3];
    char text[4096];
} fact;

#define ROW(name, kind)                     \
    {                                       \
#name, name, kind, false, { 0 }, "" \
    }
static fact facts[] = {
    ROW(CL_PLATFORM_NAME, TEXT),
    ROW(CL_PLATFORM_VENDOR, TEXT),
    ROW(CL_PLATFORM_VERSION, TEXT),
    ROW(CL_DEVICE_NAME, TEXT),
    ROW(CL_DEVICE_VENDOR, TEXT),
    ROW(CL_DEVICE_VERSION, TEXT),
    ROW(CL_DRIVER_VERSION, TEXT),
    ROW(CL_DEVICE_OPENCL_C_VERSION, TEXT),
    ROW(CL_DEVICE_PROFILE, TEXT),
    ROW(CL_DEVICE_EXTENSIONS, TEXT),
    ROW(CL_DEVICE_IL_VERSION, TEXT),
    ROW(CL_DEVICE_TYPE, ULONG),
    ROW(CL_DEVICE_ADDRESS_BITS, UINT),
    ROW(CL_DEVICE_MAX_COMPUTE_UNITS, UINT),
    ROW(CL_DEVICE_MAX_CLOCK_FREQUENCY, UINT),
    ROW(CL_DEVICE_MAX_WORK_GROUP_SIZE, SIZE),
    ROW(CL_DEVICE_MAX_WORK_ITEM_SIZES, SIZES),
    ROW(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, SIZE),
    ROW(CL_DEVICE_GLOBAL_MEM_SIZE, ULONG),
    ROW(CL_DEVICE_MAX_MEM_ALLOC_SIZE, ULONG),
    ROW(CL_DEVICE_HOST_UNIFIED_MEMORY, UINT),
    ROW(CL_DEVICE_LOCAL_MEM_TYPE, UINT),
    ROW(CL_DEVICE_LOCAL_MEM_SIZE, ULONG),
    ROW(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, ULONG),
    ROW(CL_DEVICE_MAX_CONSTANT_ARGS, UINT),
    ROW(CL_DEVICE_MAX_PARAMETER_SIZE, SIZE),
    ROW(CL_DEVICE_MEM_BASE_ADDR_ALIGN, UINT),
    ROW(CL_DEVICE_SINGLE_FP_CONFIG, ULONG),
    ROW(CL_DEVICE_DOUBLE_FP_CONFIG, ULONG),
    ROW(CL_DEVICE_HALF_FP_CONFIG, ULONG),
    ROW(CL_DEVICE_QUEUE_PROPERTIES, ULONG),
    ROW(CL_DEVICE_PROFILING_TIMER_RESOLUTION, SIZE),
    ROW(CL_DEVICE_SVM_CAPABILITIES, ULONG),
    ROW(CL_DEVICE_IMAGE_SUPPORT, UINT),
    ROW(CL_DEVICE_IMAGE2D_MAX_WIDTH, SIZE),
    ROW(CL_DEVICE_IMAGE2D_MAX_HEIGHT, SIZE),
    ROW(CL_DEVICE_IMAGE3D_MAX_WIDTH, SIZE),
    ROW(CL_DEVICE_IMAGE3D_MAX_HEIGHT, SIZE),
    ROW(CL_DEVICE_IMAGE3D_MAX_DEPTH, SIZE),
    ROW(CL_KERNEL_WORK_GROUP_SIZE, SIZE),
    ROW(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, SIZE),
    ROW(PROFILE_CALLBACKS, UINT),
    ROW(PROFILE_BINARIES, UINT),
    ROW(PROFILE_ALIGNMENT, UINT),
};

static const struct {
    const char *word;
    uint64_t value;
} words[] = {
    { "none", 0 },
    { "no", 0 },
    { "refused", 0 },
    { "lost", 2 },
    { "yes", 1 },
    { "CPU", CL_DEVICE_TYPE_CPU },
    { "GPU", CL_DEVICE_TYPE_GPU },
    { "ACCELERATOR", CL_DEVICE_TYPE_ACCELERATOR },
    { "LOCAL", CL_LOCAL },
    { "GLOBAL", CL_GLOBAL },
    { "DENORM", CL_FP_DENORM },
    { "INF_NAN", CL_FP_INF_NAN },
    { "ROUND_TO_NEAREST", CL_FP_ROUND_TO_NEAREST },
    { "ROUND_TO_ZERO", CL_FP_ROUND_TO_ZERO },
    { "ROUND_TO_INF", CL_FP_ROUND_TO_INF },
    { "FMA", CL_FP_FMA },
    { "SOFT_FLOAT", CL_FP_SOFT_FLOAT },
    { "CORRECTLY_ROUNDED_DIVIDE_SQRT", CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT },
    { "OUT_OF_ORDER", CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE },
    { "PROFILING", CL_QUEUE_PROFILING_ENABLE },
    { "COARSE_GRAIN_BUFFER", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER },
    { "FINE_GRAIN_BUFFER", CL_DEVICE_SVM_FINE_GRAIN_BUFFER },
    { "FINE_GRAIN_SYSTEM", CL_DEVICE_SVM_FINE_GRAIN_SYSTEM },
    { "ATOMICS", CL_DEVICE_SVM_ATOMICS },
};

enum { FACTS = sizeof facts / sizeof *facts, WORDS = sizeof words / sizeof *words };

/* ---- Reading ---- */

static bool read_number(const char *word, uint64_t *out_number)
{
    char *end;

    errno = 0;
    *out_number = strtoull(word, &end, 0);
    if (end != word && !*end && errno == 0)
        return true;
    for (int i = 0; i < WORDS; i++)
        if (strcmp(words[i].word, word) == 0) {
            *out_number = words[i].value;
            return true;
        }
    return false;
}

static bool read_numbers(fact *of, char *value)
{
    int count = 0;
    char *rest;

    for (char *word = strtok_r(value, " ", &rest); word; word = strtok_r(NULL, " ", &rest), count++) {
        uint64_t number;
        if (!read_number(word, &number) || (of->kind == SIZES && count == 3))
            return false;
        if (of->kind == SIZES)
            of->numbers[count] = number;
        else
            of->numbers[0] |= number;
    }
    return of->kind == SIZES ? count == 3 : count > 0;
}

static bool read_line(char *line)
{
    static const char assumed[] = "assumed ";

    line[strcspn(line, "\n")] = '\0';
    if (!*line || *line == '#')
        return true;
    if (strncmp(line, assumed, strlen(assumed)) == 0)
        line += strlen(assumed);
    char *value = line + strcspn(line, " ");
    if (*value)
        *value++ = '\0';
    for (int i = 0; i < FACTS; i++) {
        fact *of = &facts[i];
        if (strcmp(of->key, line) != 0)
            continue;
        if (of->known || strlen(value) >= sizeof of->text)
            return false;
        of->known = true;
        strcpy(of->text, value);
        return of->kind == TEXT || read_numbers(of, value);
    }
    return false;
}

bool profile_read(const char *path)
{
    char line[sizeof facts->text + 64];
    unsigned number = 0;
    bool right = true;
    FILE *file = fopen(path, "re");

    if (!file) {
        fprintf(stderr, "profile: %s: %s\n", path, strerror(errno));
        return false;
    }
    while (right && fgets(line, sizeof line, file)) {
        number++;
        right = read_line(line);
    }
    if (!right)
        fprintf(stderr, "profile: %s:%u: no such fact, or the second of it, or no such value\n", path, number);
    fclose(file);
    return right;
}

/* ---- Answering ---- */

static const fact *find(cl_uint query)
{
    for (int i = 0; i < FACTS; i++)
        if (facts[i].query == query)
            return facts[i].known ? &facts[i] : NULL;
    return NULL;
}

uint64_t profile_number(cl_uint query, uint64_t absent)
{
    const fact *found = find(query);
    return found ? found->numbers[0] : absent;
}

const char *profile_text(cl_uint query)
{
    const fact *found = find(query);
    return found ? found->text : "";
}

bool profile_extends(const char *extension)
{
    size_t length = strlen(extension);
    const char *all = profile_text(CL_DEVICE_EXTENSIONS);

    for (const char *at = all; (at = strstr(at, extension)); at += length)
        if ((at == all || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

unsigned profile_version(cl_uint query, unsigned absent)
{
    const char *text = profile_text(query);
    unsigned major, minor;

    if (sscanf(text, "OpenCL C %u.%u", &major, &minor) == 2 || sscanf(text, "OpenCL %u.%u", &major, &minor) == 2)
        return 100 * major + 10 * minor;
    return absent;
}

cl_int profile_give(const void *answer, size_t needed, size_t size, void *value, size_t *size_ret)
{
    if (value && size < needed)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, answer, needed);
    if (size_ret)
        *size_ret = needed;
    return CL_SUCCESS;
}

bool profile_answer(cl_uint query, size_t size, void *value, size_t *size_ret, cl_int *out_code)
{
    const fact *found = find(query);

    if (!found)
        return false;
    cl_uint narrow = (cl_uint)found->numbers[0];
    size_t sizes[3] = { (size_t)found->numbers[0], (size_t)found->numbers[1], (size_t)found->numbers[2] };
    switch (found->kind) {
    case TEXT:
        *out_code = profile_give(found->text, strlen(found->text) + 1, size, value, size_ret);
        break;
    case UINT:
        *out_code = profile_give(&narrow, sizeof narrow, size, value, size_ret);
        break;
    case ULONG:
        *out_code = profile_give(&found->numbers[0], sizeof found->numbers[0], size, value, size_ret);
        break;
    case SIZE:
    case SIZES:
        *out_code = profile_give(sizes, found->kind == SIZE ? sizeof *sizes : sizeof sizes, size, value, size_ret);
        break;
    }
    return true;
}
