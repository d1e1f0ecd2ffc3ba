/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names from the program or a driver: truncated at character boundaries and made valid UTF-8, because messages, traces and JSON
 * contain them.
 */
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The valid second bytes depend on the first: no overlong encodings, and no surrogates. */
static bool may_follow(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most;
}

static size_t length_from(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t yk_letter(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = length_from(bytes[0]);
    if (length > 1 && !may_follow(bytes[0], bytes[1]))
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void yk_make_utf8(char *text)
{
    for (size_t length; *text; text += length) {
        length = yk_letter(text);
        if (length == 0) {
            *text = '?';
            length = 1;
        }
    }
}

/* How many of these bytes are whole characters, when the text was truncated behind them. */
static size_t whole_letters(const char *text, size_t length)
{
    size_t back = 0;
    while (back < length && back < 3 && ((unsigned char)text[length - 1 - back] & 0xc0) == 0x80)
        back++;
    return back < length && length_from((unsigned char)text[length - 1 - back]) > back + 1 ? length - 1 - back : length;
}

void yk_string_copy(char *target, size_t size, const char *source)
{
    if (size == 0)
        return;
    size_t length = source ? strnlen(source, size - 1) : 0;
    if (length > 0 && length == size - 1)
        length = whole_letters(source, length);
    if (length > 0)
        memmove(target, source, length);
    target[length] = '\0';
}

void yk_name_copy(char *target, size_t size, const char *name)
{
    yk_string_copy(target, size, name);
    if (size > 0)
        yk_make_utf8(target);
}

void yk_label(char label[YK_LABEL_SIZE], const char *name, uint64_t number)
{
    char kept[YK_NAME_SIZE];
    yk_name_copy(kept, sizeof kept, name);
    if (*kept)
        snprintf(label, YK_LABEL_SIZE, "'%s'", kept);
    else
        snprintf(label, YK_LABEL_SIZE, "%" PRIu64, number);
}
