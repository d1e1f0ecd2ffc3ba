/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `yoke cc --run`, and what they say of a parameter. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

static const char *const option_words[] = {
    [0] = "--run",
    [CC_REPLAY - CC_RUN] = "--replay",
    [CC_KERNEL - CC_RUN] = "--kernel",
    [CC_SIZE - CC_RUN] = "--size",
    [CC_RANGE - CC_RUN] = "--range",
    [CC_DATA - CC_RUN] = "--data",
    [CC_TYPE - CC_RUN] = "--type",
    [CC_SEED - CC_RUN] = "--seed",
    [CC_ULPS - CC_RUN] = "--ulps",
    [CC_GRID - CC_RUN] = "--grid",
    [CC_BLOCK - CC_RUN] = "--block",
    [CC_SHARED - CC_RUN] = "--shared",
};

/* ---- Settings ---- */

static int add_setting(const tool_command *command, cc_settings *settings, const char *option, const char *text)
{
    size_t length = strcspn(text, "=");
    if (length == 0 || !text[length] || !text[length + 1])
        return tool_misused(command, "%s %s: it is NAME=VALUE, with the name of a parameter", option, text);
    if (settings->count == CC_MOST)
        return tool_misused(command, "%s more than %d times", option, CC_MOST);
    settings->list[settings->count++] = (cc_setting){ option, text, text + length + 1, length, false };
    return TOOL_FINE;
}

/* "m=10,n=20": the list is cut up, and lasts as long as the command line. */
static int add_sizes(const tool_command *command, cc_run *run, char *list)
{
    int code = TOOL_FINE;
    for (char *word = strtok(list, ","); word && code == TOOL_FINE; word = strtok(NULL, ","))
        code = add_setting(command, &run->sizes, "--size", word);
    return code;
}

static bool is_named(const cc_setting *setting, const char *name, size_t length)
{
    return length > 0 && setting->length == length && strncmp(setting->name, name, length) == 0;
}

/* The last one counts, as with every option. */
static cc_setting *find(cc_settings *settings, const char *name, size_t length)
{
    for (size_t i = settings->count; i-- > 0;)
        if (is_named(&settings->list[i], name, length))
            return &settings->list[i];
    return NULL;
}

cc_setting *cc_find_setting(cc_settings *settings, const char *name, const char *other_name)
{
    cc_setting *found = NULL;
    for (size_t i = 0; i < settings->count; i++)
        if (is_named(&settings->list[i], name, strlen(name)) || is_named(&settings->list[i], other_name, strlen(other_name))) {
            found = &settings->list[i];
            found->used = true;
        }
    return found;
}

/* One factor, which ends at '*' or with the text. Sizes that name each other in a circle end at the depth. */
static bool factor_of(cc_run *run, const char *text, size_t length, int depth, size_t *out_size);

static bool product_of(cc_run *run, const char *text, int depth, size_t *out_size)
{
    size_t product = 1, factor = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, "*");
        if (!factor_of(run, at, length, depth, &factor) || (factor && product > PTRDIFF_MAX / factor))
            return false;
        product *= factor;
        at += length;
        if (!*at)
            break;
    }
    *out_size = product;
    return true;
}

static bool factor_of(cc_run *run, const char *text, size_t length, int depth, size_t *out_size)
{
    if (length == 0 || depth == 0)
        return false;
    if (!isdigit((unsigned char)*text)) {
        cc_setting *named = find(&run->sizes, text, length);
        if (named)
            named->used = true;
        return named && product_of(run, named->value, depth - 1, out_size);
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *out_size = (size_t)number;
    return errno == 0 && end == text + length && number <= PTRDIFF_MAX;
}

bool cc_size_of(const tool_command *command, cc_run *run, const cc_setting *setting, size_t *out_size)
{
    enum { DEEPEST = 8 };
    if (product_of(run, setting->value, DEEPEST, out_size))
        return true;
    tool_misused(command, "--size %s: a size is a number, or a product of numbers and of other sizes", setting->name);
    return false;
}

bool cc_range_of(const char *text, double *out_from, double *out_to)
{
    char *end;
    *out_from = *out_to = strtod(text, &end);
    if (end == text || (*end && *end != ':'))
        return false;
    if (*end == ':') {
        const char *second = end + 1;
        *out_to = strtod(second, &end);
        if (end == second || *end)
            return false;
    }
    return *out_from <= *out_to && isfinite(*out_from) && isfinite(*out_to) && isfinite(*out_to - *out_from);
}

static int add_range(const tool_command *command, cc_run *run, const char *text)
{
    double from, to;
    int code = add_setting(command, &run->ranges, "--range", text);
    if (code == TOOL_FINE && !cc_range_of(strchr(text, '=') + 1, &from, &to))
        return tool_misused(command, "--range %s: a range is two numbers, as x=0:1, or one, as x=2", text);
    return code;
}

/* ---- The command line ---- */

static int take_dim(const tool_command *command, const char *option, const char *text, yoke_dim *out)
{
    uint32_t parts[3] = { 1, 1, 1 };
    const char *at = text;
    bool fine = true;
    for (int i = 0; i < 3 && fine; i++) {
        char *end;
        unsigned long part = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        fine = part > 0 && part <= INT32_MAX;
        if (!fine)
            break;
        parts[i] = (uint32_t)part;
        at = end;
        if (*at != 'x' || i == 2)
            break;
        at++;
    }
    if (!fine || *at)
        return tool_misused(command, "%s %s: it is one number to three, as 64 or 8x8", option, text);
    *out = (yoke_dim){ parts[0], parts[1], parts[2] };
    return TOOL_FINE;
}

static int take_number(const tool_command *command, const char *option, const char *text, long *out)
{
    return tool_number(text, 0, LONG_MAX, out) ? TOOL_FINE : tool_misused(command, "%s %s: it is a number", option, text);
}

int cc_take_run_option(const tool_command *command, cc_run *run, int option)
{
    const char *word = option >= CC_RUN && option <= CC_SHARED ? option_words[option - CC_RUN] : NULL;
    long number = 0;
    int code = TOOL_FINE;
    if (!word)
        return TOOL_USAGE;
    if (option == CC_RUN)
        run->wanted = true;
    else if (option == CC_REPLAY)
        run->replay = optarg;
    else if (option == CC_KERNEL || option == CC_ULPS)
        run->either = word;
    else
        run->other = word;
    switch (option) {
    case CC_KERNEL:
        run->kernel = optarg;
        break;
    case CC_SIZE:
        return add_sizes(command, run, optarg);
    case CC_RANGE:
        return add_range(command, run, optarg);
    case CC_DATA:
        return add_setting(command, &run->files, word, optarg);
    case CC_TYPE:
        return add_setting(command, &run->types, word, optarg);
    case CC_GRID:
        return take_dim(command, word, optarg, &run->grid);
    case CC_BLOCK:
        return take_dim(command, word, optarg, &run->block);
    case CC_SEED:
        code = take_number(command, word, optarg, &number);
        run->seed = (uint64_t)number;
        break;
    case CC_ULPS:
        code = take_number(command, word, optarg, &number);
        run->ulps = (uint64_t)number;
        break;
    case CC_SHARED:
        code = take_number(command, word, optarg, &number);
        run->shared = (size_t)number;
        break;
    }
    return code;
}
