/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows, sizes in words, nearest names, settings of the environment, and what the statuses mean. */
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"
#include "objects/objects.h"

static void growing(void)
{
    yk_text text = { 0 };
    size_t expected = 0;
    tap_is(yk_text_get(&text), "", "an empty text is \"\"");
    for (int i = 0; i < 2000; i++) {
        yk_text_add(&text, "%d,", i);
        expected += i < 10 ? 2 : i < 100 ? 3 : i < 1000 ? 4 : 5;
    }
    tap_is(text.length, expected, "its length is right after 2000 additions");
    tap_is(strlen(yk_text_get(&text)), expected, "and it is terminated");
    tap_ok(strncmp(yk_text_get(&text), "0,1,2,3,", 8) == 0 && strcmp(yk_text_get(&text) + expected - 5, "1999,") == 0,
           "its ends are right");
    yk_text_add_bytes(&text, "a\0b", 3);
    tap_ok(text.length == expected + 3 && memcmp(text.data + expected, "a\0b", 4) == 0,
           "bytes are added as they are, and terminated");
    yk_text_add_bytes(&text, NULL, 0);
    yk_text_add_bytes(&text, "", SIZE_MAX);
    tap_is(text.length, expected + 3, "nothing, and more than memory can hold, change nothing");
    text.is_cut = true; /* as after realloc has failed */
    yk_text_add(&text, "behind a gap");
    yk_text_add_bytes(&text, "b", 1);
    tap_is(text.length, expected + 3, "nothing is added to a text that ran out of memory");
    yk_text_cut(&text, expected + 3);
    yk_text_add_bytes(&text, "b", 1);
    tap_is(text.length, expected + 4, "until it is cut");
    yk_text_free(&text);
    tap_ok(!text.data && text.length == 0 && text.capacity == 0, "a freed text is empty");
    yk_text_free(&text);
}

static void copying(void)
{
    char target[8];
    memset(target, 'x', sizeof target);
    yk_string_copy(target, 5, "abcdefgh");
    tap_ok(strcmp(target, "abcd") == 0 && target[5] == 'x', "a string that is too long is cut and terminated");
    yk_string_copy(target, sizeof target, "ab");
    tap_is(target, "ab", "a short one is copied");
    yk_string_copy(target, sizeof target, NULL);
    tap_is(target, "", "NULL counts as \"\"");
    target[0] = 'y';
    yk_string_copy(target, 0, "ab");
    tap_is(target[0], 'y', "no room, nothing written");
}

static void sizes(void)
{
    char text[32];
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        { 0, "0 bytes" },           { 1, "1 byte" },           { 1023, "1023 bytes" },
        { 1024, "1.0 KiB" },        { 1536, "1.5 KiB" },       { 1048575, "1.0 MiB" },
        { 3221225472u, "3.0 GiB" }, { 1ull << 40, "1.0 TiB" }, { UINT64_MAX, "16.0 EiB" },
    };
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++)
        tap_is(yk_bytes_text(text, sizeof text, cases[i].bytes), cases[i].text, "%s", cases[i].text);
    yk_bytes_text(text, 4, 1536);
    tap_is(text, "1.5", "a target that is too small is terminated");
}

static void decimals(void)
{
    static const struct {
        double value;
        unsigned digits;
        const char *text;
    } written[] = {
        { 0, 3, "0.000" },       { 13737.203, 3, "13737.203" },    { -1.5, 1, "-1.5" },
        { -0.0001, 3, "0.000" }, { 0.9996, 3, "1.000" },           { 2.06, 1, "2.1" },
        { 7, 0, "7" },           { 4e12, 3, "4000000000000.000" },
    };
    for (size_t i = 0; i < YK_COUNT_OF(written); i++) {
        yk_text text = { 0 };
        yk_text_add_decimal(&text, written[i].value, written[i].digits);
        tap_is(yk_text_get(&text), written[i].text, "%s is written", written[i].text);
        yk_text_free(&text);
    }
    static const struct {
        const char *text;
        double value;
    } read[] = {
        { "0.2", 0.2 }, { "5", 5 }, { ".5", 0.5 }, { "5.", 5 }, { "1e3", 1000 }, { "25E-1", 2.5 }, { "1.25e+2", 125 }, { "0", 0 },
    };
    double value;
    for (size_t i = 0; i < YK_COUNT_OF(read); i++)
        tap_ok(yk_read_decimal(read[i].text, &value) && value == read[i].value, "%s is read", read[i].text);
    static const char *const wrong[] = { "", ".", "0,2", "1.5x", "-1", "1e", "1e+", "nan", "inf", "0x10", "1e999", " 1" };
    for (size_t i = 0; i < YK_COUNT_OF(wrong); i++)
        tap_ok(!yk_read_decimal(wrong[i], &value), "\"%s\" is no number", wrong[i]);
}

static void cases_of_letters(void)
{
    tap_ok(yk_same_letters("OpenCL", "opencl:0", 6) && !yk_same_letters("open", "opencl", 6) && yk_same_letters("a", "A", 2),
           "letters are compared in any case");
    tap_is(yk_find_letters("NVIDIA TITAN V", "titan"), "TITAN V", "and found in any case");
    tap_ok(!yk_find_letters("NVIDIA", "via") && !yk_find_letters("ab", "abc"), "or not found");
    tap_is(yk_find_letters("x", ""), "x", "nothing is found at once");
}

static void nearest(void)
{
    static const char *const words[] = { "gaussian_rows", "gaussian_columns", "saxpy", "vector_add", "reduce" };
    size_t count = YK_COUNT_OF(words);
    tap_is(yk_nearest("saxy", words, count), "saxpy", "a letter too few");
    tap_is(yk_nearest("SAXPY", words, count), "saxpy", "another case");
    tap_is(yk_nearest("gausian_colums", words, count), "gaussian_columns", "two letters too few");
    tap_is(yk_nearest("vectoradd", words, count), "vector_add", "a missing underscore");
    tap_ok(!yk_nearest("matmul", words, count), "nothing is near");
    tap_ok(!yk_nearest("", words, count) && !yk_nearest(NULL, words, count), "nothing is near to nothing");
    tap_ok(!yk_nearest("saxpy", words, 0) && !yk_nearest("x", (const char *const[]){ "y", NULL, "" }, 3),
           "no candidates, or none with a letter in common");
    char name[300];
    memset(name, 'n', sizeof name);
    name[299] = '\0';
    tap_is(yk_nearest(name, (const char *const[]){ name }, 1), name, "names of any length do no harm");
}

static char warning[256];

static void hear(int level, const char *text, void *user)
{
    (void)level, (void)user;
    yk_string_copy(warning, sizeof warning, text);
}

/* What a variable with this value is read as; the warning, if there is one. */
static int setting(int (*read)(const char *name, int otherwise), const char *value)
{
    setenv("YOKE_SETTING", value, 1);
    *warning = '\0';
    int found = read("YOKE_SETTING", -1);
    unsetenv("YOKE_SETTING");
    return found;
}

static void settings(void)
{
    yoke_log_set(YOKE_LOG_WARNING, hear, NULL);
    tap_is(yk_read_switch("YOKE_SETTING", -1), -1, "an unset switch is what it is otherwise");
    tap_ok(setting(yk_read_switch, "") == -1 && setting(yk_read_switch, "0") == 0 && setting(yk_read_switch, "1") == 1 && !*warning,
           "an empty one too; 0 and 1 are what they are");
    tap_is(setting(yk_read_switch, "yes"), 1, "another word counts as 1");
    tap_is(warning, "YOKE_SETTING is 'yes'; it must be 0 or 1, and counts as 1", "with a warning");
    tap_ok(setting(yk_read_count, "") == -1 && setting(yk_read_count, "1") == 1 && setting(yk_read_count, "37") == 37 && !*warning,
           "a number is read");
    static const char *const wrong[] = { "0", "-3", "+3", " 3", "3x", "x", "99999999999", "99999999999999999999999" };
    for (size_t i = 0; i < YK_COUNT_OF(wrong); i++)
        tap_ok(setting(yk_read_count, wrong[i]) == -1 && strstr(warning, "it must be a number from 1, and is ignored"),
               "\"%s\" is no number", wrong[i]);
    yoke_log_set(YOKE_LOG_OFF, NULL, NULL);
}

static void statuses(void)
{
#define CHECK(name, value, meaning) \
    tap_ok(strcmp(yoke_status_name(value), #name) == 0 && strcmp(yoke_status_meaning(value), meaning) == 0, #name);
    YOKE_STATUS_LIST(CHECK)
#undef CHECK
    tap_is(yoke_status_name(-7), "unknown status", "a number that is no status has no name");
    tap_ok(*yoke_status_meaning(-7) && *yoke_status_meaning(7), "but some meaning");
    tap_is(yoke_status_group(YOKE_OK), YOKE_GROUP_NONE, "success gives up nothing");
    tap_is(yoke_status_group(YOKE_PENDING), YOKE_GROUP_NONE, "nor does YOKE_PENDING");
    tap_is(yoke_status_group(YOKE_E_RANGE), YOKE_GROUP_CALLER, "YOKE_E_RANGE is the caller's");
    tap_is(yoke_status_group(YOKE_E_BUILD), YOKE_GROUP_OPERATION, "YOKE_E_BUILD gives up the operation");
    tap_is(yoke_status_group(YOKE_E_CANCELLED), YOKE_GROUP_STREAM, "YOKE_E_CANCELLED gives up the stream");
    tap_is(yoke_status_group(YOKE_E_DEVICE_LOST), YOKE_GROUP_DEVICE, "YOKE_E_DEVICE_LOST gives up the device");
    tap_is(yoke_status_group(-7), YOKE_GROUP_STREAM, "a program's own code gives up the stream");
    tap_is(yoke_version(), "0.1.0", "the version");
}

int main(void)
{
    tap_start(73);
    growing();
    copying();
    sizes();
    decimals();
    cases_of_letters();
    nearest();
    settings();
    statuses();
    return tap_done();
}
