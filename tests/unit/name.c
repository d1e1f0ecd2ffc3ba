/* SPDX-License-Identifier: Apache-2.0 */
/* Names from outside: cut between letters, made UTF-8, and kept for good at a price that does not grow with their number. */
#include <stdio.h>
#include <string.h>

#include "../tap/tap.h"
#include "objects/objects.h"

static void letters(void)
{
    static const struct {
        const char *text;
        size_t length;
        const char *what;
    } cases[] = {
        { "a", 1, "a letter of ASCII" },
        { "\xc3\xa4", 2, "two bytes" },
        { "\xe2\x82\xac", 3, "three" },
        { "\xf0\x9f\x9a\x80", 4, "four" },
        { "\xf4\x8f\xbf\xbf", 4, "the last one that there is" },
        { "\xf4\x90\x80\x80", 0, "one beyond that" },
        { "\xc3", 0, "a text that ends within a letter" },
        { "\xe2\x82", 0, "the same of three bytes" },
        { "\xf0\x9f\x9a", 0, "and of four" },
        { "\xa4", 0, "a byte that continues nothing" },
        { "\xc0\xaf", 0, "two bytes for what one could say" },
        { "\xe0\x80\xaf", 0, "three bytes for it" },
        { "\xf0\x80\x80\xaf", 0, "four bytes for it" },
        { "\xed\xa0\x80", 0, "half a surrogate pair" },
        { "\xff", 0, "a byte that begins nothing" },
        { "\xe2(\xac", 0, "a letter that is broken in the middle" },
    };
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++)
        tap_is(yk_letter(cases[i].text), cases[i].length, "%s", cases[i].what);
    char text[] = "K\xe4se \xe2\x82\xac\xe2\x82 \xc3\xa4\xff";
    yk_make_utf8(text);
    tap_is(text, "K?se \xe2\x82\xac?? \xc3\xa4?", "each byte that is not UTF-8 becomes a question mark");
}

/* Letters of so many bytes behind so many of one byte: whatever stands at the end of the room, no letter is cut. */
static void cutting(void)
{
    static const char *const wide[] = { "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x9a\x80" };
    bool whole = true, longest = true;
    for (size_t w = 0; w < YK_COUNT_OF(wide); w++) {
        size_t length = strlen(wide[w]);
        for (size_t before = 0; before < 40; before++) {
            char name[400] = "", cut[YK_NAME_SIZE], copied[YK_NAME_SIZE];
            memset(name, 'x', before);
            for (size_t i = 0; i < 40; i++)
                memcpy(name + before + i * length, wide[w], length + 1);
            yk_name_copy(cut, sizeof cut, name);
            yk_string_copy(copied, sizeof copied, name);
            size_t room = sizeof cut - 1;
            size_t expected = before >= room ? room : before + (room - before) / length * length;
            longest = longest && strlen(cut) == expected && strcmp(cut, copied) == 0;
            whole = whole && strncmp(cut, name, strlen(cut)) == 0;
        }
    }
    tap_ok(longest, "as many whole letters are kept as there is room for");
    tap_ok(whole, "and those are the name's");
    char three[3];
    yk_string_copy(three, sizeof three, "\xe2\x82\xac");
    tap_is(three, "", "no room for the only letter");
}

static void labels(void)
{
    char label[YK_LABEL_SIZE];
    yk_label(label, "upload", 7);
    tap_is(label, "'upload'", "a name is quoted");
    yk_label(label, NULL, 7);
    tap_is(label, "7", "without one there is a number");
    yk_label(label, "", UINT64_MAX);
    tap_is(label, "18446744073709551615", "an empty one counts as none");
    yk_label(label, "0123456789012345678901234567\xe2\x82\xac\xe2\x82\xac", 0);
    tap_is(label, "'0123456789012345678901234567\xe2\x82\xac'", "31 bytes are kept");
    yk_label(label, "01234567890123456789012345678\xe2\x82\xac", 0);
    tap_is(label, "'01234567890123456789012345678'", "and no part of a letter");
}

static void lasting(void)
{
    enum { NAMES = 20000, MOST = 24 };
    static const char *kept[NAMES];
    char name[32];
    bool same = true, own = true;
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "graph %d", i);
        kept[i] = yk_intern(name);
        own = own && kept[i] && kept[i] != name && strcmp(kept[i], name) == 0;
    }
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "graph %d", i);
        same = same && yk_intern(name) == kept[i];
    }
    tap_ok(own, "each of %d names is kept", NAMES);
    tap_ok(same, "and found again as the one text that it was");
    size_t longest = yk_intern_longest();
    if (!tap_ok(longest <= MOST, "none is compared with more than %d", MOST))
        tap_diag("but with %zu", longest);
}

int main(void)
{
    tap_start(60);
    letters();
    cutting();
    labels();
    lasting();
    return tap_done();
}
