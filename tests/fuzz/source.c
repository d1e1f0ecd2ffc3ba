/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of any bytes: which kind of code they are, whether their options are right, and what they include. The input is a byte
 * that chooses the backend, six strings (a define, another, an instance, a standard, a header's name and its text), and the text.
 */
#include "program/source.h"

#include "backend.h"
#include "program/code.h"
#include "fuzz.h"
#include "program/include/include.h"

typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

/* Up to a NUL, or all that is left; NULL where that is nothing. The caller frees it. */
static char *take_string(input *from)
{
    const uint8_t *end = from->left ? memchr(from->at, '\0', from->left) : NULL;
    size_t length = end ? (size_t)(end - from->at) : from->left;
    char *string = length ? malloc(length + 1) : NULL;
    if (string) {
        memcpy(string, from->at, length);
        string[length] = '\0';
    }
    length += end != NULL;
    from->at += length;
    from->left -= length;
    return string;
}

static void look_at_code(const uint8_t *bytes, size_t size)
{
    int kind = yk_code_find_kind(bytes, size);
    FUZZ_EXPECT(*yk_code_kind_text(kind));
    if (kind == YK_CODE_SPIRV && yk_spirv_is_whole(bytes, size)) {
        uint8_t *turned = malloc(size);
        if (!turned)
            return;
        memcpy(turned, bytes, size);
        yk_spirv_turn(turned, size);
        FUZZ_EXPECT(yk_code_find_kind(turned, size) == YK_CODE_SPIRV && yk_spirv_is_whole(turned, size));
        free(turned);
    }
}

static void expand(const yoke_source *source, yk_language language, const char *text, size_t size)
{
    yk_text out = { 0 };
    yk_line_map map = { 0 };
    const char *file;
    unsigned long line;
    yoke_status status = yk_include_expand("fuzz", source, language, text, size, "fuzz", NULL, &out, &map);
    FUZZ_EXPECT(status == YOKE_OK || status == YOKE_E_INVALID_ARGUMENT || status == YOKE_E_BUILD ||
                status == YOKE_E_OUT_OF_HOST_MEMORY);
    for (unsigned long i = 0; i < 100; i++)
        FUZZ_EXPECT(!yk_line_map_find(&map, i, &file, &line) || strlen(file) < SIZE_MAX);
    yk_line_map_free(&map);
    yk_text_free(&out);
}

static void check(const yoke_device *device, const yoke_source *source)
{
    size_t size;
    yoke_status status = yk_source_check("fuzz", device, source);
    FUZZ_EXPECT(status == YOKE_OK || status == YOKE_E_INVALID_ARGUMENT);
    FUZZ_EXPECT(status == YOKE_OK || *yoke_error()->text);
    if (status < 0)
        return;
    const char *text = yk_source_text(device, source, &size);
    FUZZ_EXPECT(text && size > 0);
    yoke_source *copy = yk_source_copy(device, source);
    if (!copy)
        return;
    FUZZ_EXPECT(yk_source_check("fuzz", device, copy) == YOKE_OK);
    expand(copy, device->traits.language, yk_source_text(device, copy, &size), size);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { STRINGS = 6 };
    static yoke_device device; /* of which only the language is looked at */
    look_at_code(bytes, size);
    if (size == 0)
        return 0;
    device.traits.language = bytes[0] & 1 ? YK_LANGUAGE_CUDA : YK_LANGUAGE_OPENCL;
    input from = { bytes + 1, size - 1 };
    char *strings[STRINGS], *text;
    for (size_t i = 0; i < STRINGS; i++)
        strings[i] = take_string(&from);
    text = malloc(from.left + 1); /* of which the last byte is not the source's */
    if (text) {
        const char *defines[] = { strings[0], strings[1], NULL }, *name_expressions[] = { strings[2], NULL };
        yoke_header headers[] = { { strings[4], strings[5] ? strings[5] : "" }, { NULL, NULL } };
        yoke_source source = YOKE_SOURCE_INIT;
        memcpy(text, from.at, from.left);
        text[from.left] = '\0';
        source.cuda = source.opencl = text;
        source.cuda_size = source.opencl_size = from.left;
        source.defines = defines;
        source.name_expressions = name_expressions;
        source.headers = headers;
        source.opencl_std = source.cuda_std = strings[3];
        check(&device, &source);
    }
    free(text);
    for (size_t i = 0; i < STRINGS; i++)
        free(strings[i]);
    return 0;
}
