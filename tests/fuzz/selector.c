/* SPDX-License-Identifier: Apache-2.0 */
/* Device selectors of any bytes: understood, or refused with words; and what is understood can be compared with a device. */
#include "device/selector.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yk_selector selector;
    char word[32], *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    yk_string_copy(info.name, sizeof info.name, "NVIDIA H200 NVL");
    yk_string_copy(info.backend, sizeof info.backend, "cuda");
    yk_string_copy(info.selector, sizeof info.selector, "cuda:0");

    yoke_status status = yk_selector_parse(text[0] == 'Y' ? "YOKE_DEVICE" : NULL, text, &selector);
    FUZZ_EXPECT(status == YOKE_OK || status == YOKE_E_INVALID_ARGUMENT);
    FUZZ_EXPECT(memchr(selector.text, '\0', sizeof selector.text) && memchr(selector.origin, '\0', sizeof selector.origin));
    FUZZ_EXPECT(status == YOKE_OK || *yoke_error()->text);
    if (status == YOKE_OK) {
        FUZZ_EXPECT(!*selector.backend || yk_selector_takes_backend(&selector, selector.backend));
        yk_selector_takes(&selector, &info);
        if (yk_selector_nearest_name(&selector, &info, 1, word, sizeof word))
            FUZZ_EXPECT(memchr(word, '\0', sizeof word));
    }
    free(text);
    return 0;
}
