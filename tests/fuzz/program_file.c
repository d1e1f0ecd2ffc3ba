/* SPDX-License-Identifier: Apache-2.0 */
/* Images of any bytes: as they are, and with a size and a hash that fit. What can be read is written again as the same bytes. */
#include "program/program_file.h"

#include "fuzz.h"
#include "base/hash.h"

/* Look at everything that there is, so that a checker sees where it lies. */
static size_t walk(const yk_program_file *image)
{
    size_t sum = strlen(image->fingerprint) + strlen(image->log) + strlen(image->options);
    const unsigned char *code = image->code;
    for (size_t i = 0; i <= image->code_size; i++)
        sum += code[i];
    for (size_t i = 0; i < image->name_expression_count; i++)
        sum += strlen(image->name_expressions[i].name) + strlen(image->name_expressions[i].lowered);
    for (size_t i = 0; i < image->kernel_count; i++) {
        const yk_program_file_kernel *kernel = &image->kernels[i];
        FUZZ_EXPECT(kernel->count >= -1);
        sum += strlen(kernel->name) + (kernel->refusal ? strlen(kernel->refusal) : 0);
        for (int32_t j = 0; j < kernel->count; j++) {
            const yk_param *param = &kernel->params[j];
            FUZZ_EXPECT(param->kind <= YK_PARAM_SAMPLER && param->read_only >= -1 && param->read_only <= 1);
            sum += strlen(param->name) + strlen(param->type);
        }
    }
    return sum;
}

static void try(const unsigned char *bytes, size_t size)
{
    yk_program_file image;
    yk_text again = { 0 };
    yoke_status status = yk_program_file_read(bytes, size, &image);
    FUZZ_EXPECT(status == YOKE_OK || status == YOKE_E_INVALID_ARGUMENT || status == YOKE_E_UNSUPPORTED);
    FUZZ_EXPECT(status == YOKE_OK || (image.memory == NULL && *yoke_error()->text));
    if (status == YOKE_OK) {
        FUZZ_EXPECT(walk(&image) < SIZE_MAX && yk_program_file_is(bytes, size));
        FUZZ_EXPECT(yk_program_file_write(&image, &again) == YOKE_OK);
        FUZZ_EXPECT(again.length == size && memcmp(again.data, bytes, size) == 0);
    }
    yk_text_free(&again);
    yk_program_file_free(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { TOTAL_AT = 16, LEAST = 48 };
    try(bytes, size);
    if (size < LEAST)
        return 0;
    unsigned char *forged = malloc(size);
    if (!forged)
        return 0;
    memcpy(forged, bytes, size);
    for (int i = 0; i < 8; i++)
        forged[TOTAL_AT + i] = (unsigned char)((uint64_t)size >> 8 * i);
    yk_hash(forged, size - YK_HASH_SIZE, 0, forged + size - YK_HASH_SIZE);
    try(forged, size);
    free(forged);
    return 0;
}
