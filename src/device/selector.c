/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selectors as text, the order of preference, and the names to suggest. This file calls no driver; device.c queries the backends.
 */
#include "device/selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

#define BACKEND_NAME(name) #name,
static const char *const backend_names[] = { YK_BACKENDS(BACKEND_NAME) };
static const char *const first_words[] = { YK_BACKENDS(BACKEND_NAME) "uuid:", "pci:", "name~" };
#undef BACKEND_NAME

static const char *const kind_words[] = { "gpu", "accelerator", "cpu", "emulator" };
_Static_assert(YK_COUNT_OF(kind_words) == YOKE_DEVICE_EMULATOR, "a word for each kind of device"); /* YOKE_DEVICE_GPU is 1 */

const char *yk_device_kind_word(int32_t kind)
{
    return kind >= 1 && (size_t)kind <= YK_COUNT_OF(kind_words) ? kind_words[kind - 1] : "device";
}

/* Index of the word in the list, ignoring case; -1 when it is not in the list. */
static int find_word(const char *word, size_t length, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && yk_same_letters(word, words[i], length))
            return (int)i;
    return -1;
}

/* ---- Parsing ---- */

static yoke_status malformed(const yk_selector *selector, const char *word, size_t length, const char *const *words, size_t count,
                             const char *what)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy - 1), word);
    const char *nearest = yk_nearest(copy, words, count);
    yk_text backends = { 0 };
    for (size_t i = 0; i < YK_COUNT_OF(backend_names); i++)
        yk_text_add(&backends, "%s%s", i > 0 ? ", " : "", backend_names[i]);
    yk_fail(YOKE_E_INVALID_ARGUMENT,
            "%s: %s%s%s%s; a selector is a backend (%s), backend:index, backend:gpu (or accelerator, cpu, emulator), uuid:…, pci:… "
            "or name~PART; backend: may precede the last three",
            selector->origin, what, nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "",
            yk_text_get(&backends));
    yk_text_free(&backends);
    return YOKE_E_INVALID_ARGUMENT;
}

/* A UUID's 32 digits in lower case, without dashes and without nvidia-smi's prefix "GPU-". */
static bool uuid_digits(const char *text, char digits[33])
{
    size_t count = 0;
    if (yk_same_letters(text, "GPU-", 4))
        text += 4;
    for (; *text; text++) {
        if (*text == '-')
            continue;
        char digit = yk_lower(*text);
        if (!(yk_is_digit(digit) || (digit >= 'a' && digit <= 'f')) || count == 32)
            return false;
        digits[count++] = digit;
    }
    digits[count] = '\0';
    return count == 32;
}

/* Normalize a PCI address to the form of device infos, "0000:17:00.0"; the domain and the function may be missing. */
static bool pci_address(const char *text, char *address, size_t size)
{
    unsigned domain, bus, slot, function = 0;
    char full[32];
    int end = -1;
    const char *colon = strchr(text, ':');
    if (!colon || strlen(text) > 16 || text[strspn(text, "0123456789abcdefABCDEF:.")] != '\0')
        return false;
    snprintf(full, sizeof full, "%s%s", strchr(colon + 1, ':') ? "" : "0:", text);
    sscanf(full, "%8x:%2x:%2x%n.%1x%n", &domain, &bus, &slot, &end, &function, &end);
    if (end < 0 || full[end])
        return false;
    snprintf(address, size, "%04x:%02x:%02x.%x", domain, bus, slot, function);
    return true;
}

static yoke_status parse_value(yk_selector *out, const char *text, const char *value)
{
    switch (out->by) {
    case YK_BY_UUID: {
        char digits[33];
        if (!uuid_digits(value, digits))
            return malformed(out, "", 0, NULL, 0, "a UUID has 32 hexadecimal digits, as 68b8d1d4-5525-541e-965b-bc69d86e3b6f");
        yk_string_copy(out->text, sizeof out->text, digits);
        return YOKE_OK;
    }
    case YK_BY_PCI:
        if (!pci_address(value, out->text, sizeof out->text))
            return malformed(out, "", 0, NULL, 0, "a PCI address looks like 0000:17:00.0");
        return YOKE_OK;
    case YK_BY_NAME:
        if (!*value || strlen(value) >= sizeof out->text)
            return malformed(out, "", 0, NULL, 0, "name~ takes a part of a device's name, 1 to 127 characters");
        yk_string_copy(out->text, sizeof out->text, value);
        return YOKE_OK;
    default: {
        char *end;
        unsigned long index = strtoul(text, &end, 10);
        if (*end || strlen(text) > 9)
            return malformed(out, "", 0, NULL, 0, "the index of a device is a number below 1000000000");
        out->number = (int32_t)index;
        return YOKE_OK;
    }
    }
}

/* The word would select a device if a backend came before it: "gpu" and "0" do. */
static yoke_status lacks_backend(const yk_selector *selector, const char *word)
{
    yk_text what = { 0 };
    yk_text_add(&what, "the backend is missing, did you mean ");
    for (size_t i = YK_COUNT_OF(backend_names); i-- > 0;)
        yk_text_add(&what, "\"%s:%s\"%s", backend_names[i], word, i > 0 ? " or " : "?");
    yoke_status status = malformed(selector, "", 0, NULL, 0, yk_text_get(&what));
    yk_text_free(&what);
    return status;
}

/* Parse the part after "backend:", or the whole selector when it names no backend. */
static yoke_status parse_criterion(yk_selector *out, const char *text)
{
    static const struct {
        const char *prefix;
        yk_select_by by;
    } forms[] = { { "uuid:", YK_BY_UUID }, { "pci:", YK_BY_PCI }, { "name~", YK_BY_NAME } };
    for (size_t i = 0; i < YK_COUNT_OF(forms); i++) {
        size_t length = strlen(forms[i].prefix);
        if (yk_same_letters(text, forms[i].prefix, length)) {
            out->by = forms[i].by;
            return parse_value(out, text, text + length);
        }
    }
    if (*out->backend && yk_is_digit(*text)) {
        out->by = YK_BY_INDEX;
        return parse_value(out, text, text);
    }
    size_t length = strcspn(text, ":~");
    if (text[length])
        length++; /* so that "uid:" is close to "uuid:" */
    int kind = find_word(text, strlen(text), kind_words, YK_COUNT_OF(kind_words));
    bool is_number = yk_is_digit(*text) && strlen(text) < 10 && text[strspn(text, "0123456789")] == '\0';
    if (!*out->backend && (kind >= 0 || is_number))
        return lacks_backend(out, text);
    if (!*out->backend)
        return malformed(out, text, length, first_words, YK_COUNT_OF(first_words),
                         "is neither a backend nor uuid:…, pci:… or name~…");
    if (kind < 0)
        return malformed(out, text, length, kind_words, YK_COUNT_OF(kind_words),
                         "the text after the backend does not name a device");
    out->by = YK_BY_KIND;
    out->number = kind + 1;
    return YOKE_OK;
}

yoke_status yk_selector_parse(const char *source, const char *text, yk_selector *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->origin, sizeof out->origin, source ? "%s=%s" : "%sselector \"%s\"", source ? source : "", text);
    size_t length = strcspn(text, ":~");
    int backend = text[length] == '~' ? -1 : find_word(text, length, backend_names, YK_COUNT_OF(backend_names));
    if (backend < 0)
        return parse_criterion(out, text);
    yk_string_copy(out->backend, sizeof out->backend, backend_names[backend]);
    return text[length] ? parse_criterion(out, text + length + 1) : YOKE_OK;
}

/* ---- The order ---- */

yoke_status yk_order_read_backend(yk_selector *out)
{
    const char *ordered = getenv("YOKE_BACKEND");
    memset(out, 0, sizeof *out);
    if (!ordered || !*ordered)
        return YOKE_OK;
    snprintf(out->origin, sizeof out->origin, "YOKE_BACKEND=%s", ordered);
    int backend = find_word(ordered, strlen(ordered), backend_names, YK_COUNT_OF(backend_names));
    if (backend < 0) {
        const char *nearest = yk_nearest(ordered, backend_names, YK_COUNT_OF(backend_names));
        yk_text allowed = { 0 };
        for (size_t i = 0; i < YK_COUNT_OF(backend_names); i++)
            yk_text_add(&allowed, "%s%s", i > 0 ? " or " : "", backend_names[i]);
        yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: no such backend%s%s%s; use %s", out->origin, nearest ? ", did you mean \"" : "",
                nearest ? nearest : "", nearest ? "\"?" : "", yk_text_get(&allowed));
        yk_text_free(&allowed);
        return YOKE_E_INVALID_ARGUMENT;
    }
    yk_string_copy(out->backend, sizeof out->backend, backend_names[backend]);
    return YOKE_OK;
}

yoke_status yk_order_read(const char *selector, yk_selector *out)
{
    yk_selector backend;
    yoke_status status = yk_order_read_backend(&backend);
    if (status < 0)
        return status;
    const char *variable = NULL;
    if (!selector) {
        selector = getenv("YOKE_DEVICE");
        variable = "YOKE_DEVICE";
        if (!selector || !*selector) {
            *out = backend;
            return YOKE_OK;
        }
    }
    status = yk_selector_parse(variable, selector, out);
    if (status < 0 || !*backend.backend)
        return status;
    if (!*out->backend) {
        yk_string_copy(out->backend, sizeof out->backend, backend.backend);
        yk_text both = { 0 };
        yk_text_add(&both, "%s with %s", out->origin, backend.origin);
        yk_string_copy(out->origin, sizeof out->origin, yk_text_get(&both));
        yk_text_free(&both);
    } else if (variable && strcmp(out->backend, backend.backend) != 0) {
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s contradicts %s: unset one of them", out->origin, backend.origin);
    }
    return YOKE_OK;
}

bool yk_selector_takes_backend(const yk_selector *selector, const char *backend)
{
    return !*selector->backend || strcmp(selector->backend, backend) == 0;
}

bool yk_selector_takes(const yk_selector *selector, const yoke_device_info *info)
{
    char address[sizeof selector->text];
    if (!yk_selector_takes_backend(selector, info->backend))
        return false;
    switch (selector->by) {
    case YK_BY_ANY:
        return true;
    case YK_BY_INDEX:
        return info->index == selector->number;
    case YK_BY_KIND:
        return info->kind == selector->number;
    case YK_BY_UUID: {
        char digits[33];
        return uuid_digits(info->uuid, digits) && strcmp(digits, selector->text) == 0;
    }
    case YK_BY_PCI:
        return pci_address(info->pci, address, sizeof address) && strcmp(address, selector->text) == 0;
    case YK_BY_NAME:
        return yk_find_letters(info->name, selector->text) != NULL;
    }
    return false;
}

/* ---- Preference ---- */

/* Smaller is better. Emulators come after all real devices, whatever their backend. */
static int rank_of(const yoke_device_info *info)
{
    int backend = find_word(info->backend, strlen(info->backend), backend_names, YK_COUNT_OF(backend_names));
    int known = backend >= 0 ? backend : (int)YK_COUNT_OF(backend_names);
    int kind = info->kind >= YOKE_DEVICE_GPU && info->kind <= YOKE_DEVICE_EMULATOR ? info->kind : YOKE_DEVICE_EMULATOR;
    return (kind == YOKE_DEVICE_EMULATOR ? 1000 : 0) + known * 10 + kind;
}

void yk_rank(yoke_device_info *infos, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        yoke_device_info moving = infos[i];
        size_t place = i;
        for (; place > 0 && rank_of(&infos[place - 1]) > rank_of(&moving); place--)
            infos[place] = infos[place - 1];
        infos[place] = moving;
    }
}

bool yk_selector_nearest_name(const yk_selector *selector, const yoke_device_info *infos, size_t count, char *word, size_t size)
{
    char best[sizeof infos->name] = "";
    if (selector->by != YK_BY_NAME)
        return false;
    for (size_t i = 0; i < count; i++) {
        char name[sizeof infos->name], *rest = name;
        yk_string_copy(name, sizeof name, infos[i].name);
        for (char *part = strtok_r(name, " ", &rest); part; part = strtok_r(NULL, " ", &rest)) {
            const char *const pair[] = { best, part };
            const char *nearest = yk_nearest(selector->text, pair, YK_COUNT_OF(pair));
            if (nearest == part)
                yk_string_copy(best, sizeof best, part);
        }
    }
    yk_string_copy(word, size, best);
    return *best != '\0';
}
