/* SPDX-License-Identifier: Apache-2.0 */
/* Images of programs: what goes in comes out, and nothing that was changed, cut or forged is taken or does harm. */
#include "program/program_file.h"

#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"
#include "base/hash.h"

static const unsigned char code[] = { 0x7f, 'E', 'L', 'F', 0, 1, 2, 0xff, 0, 0x80 };
static const yk_name_expression name_expressions[] = { { "scale<float>", "_Z5scaleIfEvPT_i" }, { "ns::scale", "_ZN2ns5scaleEv" } };
static const yk_param params[] = {
    { .kind = YK_PARAM_BUFFER, .size = 8, .read_only = 1, .name = "x", .type = "float*" },
    { .kind = YK_PARAM_ANY, .size = 4096, .read_only = -1 },
    { .kind = YK_PARAM_LOCAL, .size = 0, .read_only = 0, .name = "a_name_of_thirty-nine_characters_123456", .type = "float*" },
};
static const yk_program_file_kernel kernels[] = {
    { .name = "saxpy", .count = 3, .signature_has_local = true, .params = params },
    { .name = "untold", .count = -1 },
    { .name = "empty", .count = 0 },
    { .name = "one", .count = 1, .params = params + 1 },
    { .name = "refused", .count = -1, .refusal = "parameter 1 'a' of kernel 'refused' is of type image1d_t" },
};
static const yk_program_file sample = {
    .kind = YK_CODE_CUBIN,
    .code = code,
    .code_size = sizeof code,
    .fingerprint = "NVRTC 12.4, driver 12.4, sm_90",
    .log = "a warning\nof two lines",
    .options = "-cl-opt-disable -Werror",
    .name_expressions = name_expressions,
    .name_expression_count = YK_COUNT_OF(name_expressions),
    .kernels = kernels,
    .kernel_count = YK_COUNT_OF(kernels),
};

static bool same_param(const yk_param *a, const yk_param *b)
{
    return a->kind == b->kind && a->size == b->size && a->read_only == b->read_only && strcmp(a->name, b->name) == 0 &&
           strcmp(a->type, b->type) == 0;
}

static bool same_kernel(const yk_program_file_kernel *a, const yk_program_file_kernel *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->count == b->count && a->signature_has_local == b->signature_has_local &&
                !a->refusal == !b->refusal && (!a->refusal || strcmp(a->refusal, b->refusal) == 0);
    for (int32_t i = 0; same && i < a->count; i++)
        same = same_param(&a->params[i], &b->params[i]);
    return same;
}

/* Both with everything that `sample` has. */
static bool same_image(const yk_program_file *a, const yk_program_file *b)
{
    bool same = a->kind == b->kind && a->code_size == b->code_size && memcmp(a->code, b->code, a->code_size) == 0 &&
                strcmp(a->fingerprint, b->fingerprint) == 0 && strcmp(a->log, b->log) == 0 && strcmp(a->options, b->options) == 0 &&
                a->name_expression_count == b->name_expression_count && a->kernel_count == b->kernel_count;
    for (size_t i = 0; same && i < a->name_expression_count; i++)
        same = strcmp(a->name_expressions[i].name, b->name_expressions[i].name) == 0 &&
               strcmp(a->name_expressions[i].lowered, b->name_expressions[i].lowered) == 0;
    for (size_t i = 0; same && i < a->kernel_count; i++)
        same = same_kernel(&a->kernels[i], &b->kernels[i]);
    return same;
}

/* Read a copy that ends where its memory ends, so that a checker sees what is read beyond it. */
static yoke_status read_copy(const char *bytes, size_t size, yk_program_file *out_image, char **out_copy)
{
    char *copy = malloc(size ? size : 1);
    if (!copy)
        tap_bail("out of memory");
    memcpy(copy, bytes, size);
    yoke_status status = yk_program_file_read(copy, size, out_image);
    *out_copy = copy;
    return status;
}

static yoke_status try_copy(const char *bytes, size_t size)
{
    yk_program_file image;
    char *copy;
    yoke_status status = read_copy(bytes, size, &image, &copy);
    yk_program_file_free(&image);
    free(copy);
    return status;
}

static void round_trip(yk_text *bytes)
{
    yk_program_file image;
    char *copy;
    yk_text_add(bytes, "before");
    tap_is(yk_program_file_write(&sample, bytes), YOKE_OK, "an image is written");
    tap_ok(strncmp(bytes->data, "before", 6) == 0, "behind what was there");
    memmove(bytes->data, bytes->data + 6, bytes->length - 6);
    yk_text_cut(bytes, bytes->length - 6);
    tap_ok(yk_program_file_is(bytes->data, bytes->length) && yk_program_file_is(bytes->data, 8),
           "it is known as one by its first bytes");
    tap_ok(!yk_program_file_is(bytes->data, 7) && !yk_program_file_is("// a source, say", 16) && !yk_program_file_is(NULL, 0),
           "and nothing else is");
    tap_is(read_copy(bytes->data, bytes->length, &image, &copy), YOKE_OK, "and read: %s", yoke_error()->text);
    tap_ok(same_image(&sample, &image), "with everything that was written");
    tap_ok((const char *)image.code - copy == 32 && ((const char *)image.code)[image.code_size] == '\0',
           "its code is aligned as the image is, and a NUL follows");
    yk_program_file_free(&image);
    yk_program_file_free(&image);
    free(copy);
}

static void least_image(void)
{
    static const yk_program_file least = { .kind = YK_CODE_PTX };
    yk_text bytes = { 0 };
    yk_program_file image;
    tap_is(yk_program_file_write(&least, &bytes), YOKE_OK, "an image of nothing is written");
    tap_is(yk_program_file_read(bytes.data, bytes.length, &image), YOKE_OK, "and read");
    tap_ok(image.code_size == 0 && !*image.fingerprint && !*image.log && !*image.options && image.name_expression_count == 0 &&
               image.kernel_count == 0,
           "and nothing is in it");
    yk_program_file_free(&image);

    yk_program_file large = least;
    large.code = code;
    large.code_size = SIZE_MAX / 2;
    size_t before = bytes.length;
    tap_is(yk_program_file_write(&large, &bytes), YOKE_E_OUT_OF_HOST_MEMORY, "one that is too large for memory is refused");
    tap_is(bytes.length, before, "and leaves nothing behind");
    yk_text_free(&bytes);
}

static void damage(yk_text *bytes)
{
    size_t taken = 0, wrong = 0;
    for (size_t bit = 0; bit < 8 * bytes->length; bit++) {
        bytes->data[bit / 8] ^= (char)(1 << bit % 8);
        yoke_status status = try_copy(bytes->data, bytes->length);
        taken += status == YOKE_OK;
        wrong += status != YOKE_E_INVALID_ARGUMENT;
        bytes->data[bit / 8] ^= (char)(1 << bit % 8);
    }
    tap_is(taken, 0, "none of %zu images with one bit wrong is taken", 8 * bytes->length);
    tap_is(wrong, 0, "all are YOKE_E_INVALID_ARGUMENT");
    taken = 0;
    for (size_t size = 0; size < bytes->length; size++)
        taken += try_copy(bytes->data, size) != YOKE_E_INVALID_ARGUMENT;
    tap_is(taken, 0, "none that is cut short is taken");
    yk_text longer = { 0 };
    yk_text_add_bytes(&longer, bytes->data, bytes->length);
    yk_text_add_bytes(&longer, "", 1);
    tap_is(try_copy(longer.data, longer.length), YOKE_E_INVALID_ARGUMENT, "nor one with a byte too much");
    tap_ok(strstr(yoke_error()->text, "damaged") && strstr(yoke_error()->text, "bytes"), "which is reported: %s",
           yoke_error()->text);
    yk_text_free(&longer);
}

/* Make the hash right again: an image that somebody forged. */
static void sign(yk_text *bytes)
{
    unsigned char hash[YK_HASH_SIZE];
    yk_hash(bytes->data, bytes->length - sizeof hash, 0, hash);
    memcpy(bytes->data + bytes->length - sizeof hash, hash, sizeof hash);
}

static void forged(yk_text *bytes)
{
    static const unsigned char values[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
    size_t tried = 0, odd = 0;
    for (size_t at = 0; at < bytes->length - YK_HASH_SIZE; at++) {
        char before = bytes->data[at];
        for (size_t i = 0; i < YK_COUNT_OF(values); i++) {
            bytes->data[at] = (char)values[i];
            sign(bytes);
            yoke_status status = try_copy(bytes->data, bytes->length);
            tried++;
            odd += status != YOKE_OK && status != YOKE_E_INVALID_ARGUMENT && status != YOKE_E_UNSUPPORTED;
        }
        bytes->data[at] = before;
    }
    sign(bytes);
    tap_is(odd, 0, "%zu forged images with a hash that fits do no harm", tried);
    tap_is(try_copy(bytes->data, bytes->length), YOKE_OK, "and the one that they were made from is taken");

    bytes->data[8] = 3;
    sign(bytes);
    tap_is(try_copy(bytes->data, bytes->length), YOKE_E_UNSUPPORTED,
           "an image of another version is distinguished from a damaged image");
    tap_ok(strstr(yoke_error()->text, "format 3"), "%s", yoke_error()->text);
    bytes->data[8] = 2;
    sign(bytes);

    /* The code's size, so that the code ends at the image's end, or far behind, or before its beginning. */
    static const uint64_t sizes[] = { UINT64_MAX, UINT64_MAX - 31, (uint64_t)1 << 63, (uint64_t)1 << 32, 200 };
    size_t taken = 0;
    for (size_t i = 0; i < YK_COUNT_OF(sizes); i++) {
        for (int byte = 0; byte < 8; byte++)
            bytes->data[24 + byte] = (char)(sizes[i] >> 8 * byte);
        sign(bytes);
        taken += try_copy(bytes->data, bytes->length) != YOKE_E_INVALID_ARGUMENT;
    }
    tap_is(taken, 0, "no size of the code leads out of the image");
}

int main(void)
{
    tap_start(60);
    yk_text bytes = { 0 };
    round_trip(&bytes);
    least_image();
    damage(&bytes);
    forged(&bytes);
    yk_text_free(&bytes);
    return tap_done();
}
