/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources: checking and copying them, and Yoke's built-in kernels, the twins of kernels/, which the build embeds. A wrong source
 * is rejected before it reaches a compiler, whose message would be harder to understand.
 */
#include "program/source.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "program/include/include.h"
#include "program/code.h"
#include "base/sizes.h"
#include "program/twins.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"

/* The source's text in each language, and the one for both: as a text or as a file. */
static const struct {
    const char *member, *word;
    size_t text, size, file;
} texts[] = {
    [YK_LANGUAGE_CUDA] = { "cuda", "cuda text", offsetof(yoke_source, cuda), offsetof(yoke_source, cuda_size),
                           offsetof(yoke_source, cuda_file) },
    [YK_LANGUAGE_OPENCL] = { "opencl", "opencl text", offsetof(yoke_source, opencl), offsetof(yoke_source, opencl_size),
                             offsetof(yoke_source, opencl_file) },
    [YK_LANGUAGE_COUNT] = { "text", "text", offsetof(yoke_source, text), offsetof(yoke_source, text_size),
                            offsetof(yoke_source, text_file) },
};
_Static_assert(YK_COUNT_OF(texts) == YK_LANGUAGE_COUNT + 1, "a row for each language, and one for both");

/* An option that the caller may not give, without its hyphens, and what to do instead. Matches all options that begin with it. What
 * an option would open is in no key of the cache, and what it defines is not known when #include is expanded. */
typedef struct refused_option {
    const char *begin, *instead;
} refused_option;

#define IN_TEXT "write #include into the text"

static const refused_option cuda_refused[] = {
    { "D", "use source.cuda_defines" },
    { "define-macro", "use source.cuda_defines" },
    { "U", "write #undef into the text" },
    { "undefine-macro", "write #undef into the text" },
    { "I", "use source.include_folders" },
    { "include-path", "use source.include_folders" },
    { "include", IN_TEXT },
    { "pre-include", IN_TEXT },
    { "pch", "Yoke has a cache of its own" },
    { "create-pch", "Yoke has a cache of its own" },
    { "use-pch", "Yoke has a cache of its own" },
    { "std", "use source.cuda_std" },
    { "arch", "the device decides" },
    { "gpu-architecture", "the device decides" },
    { NULL, NULL },
};

static const refused_option opencl_refused[] = {
    { "D", "use source.opencl_defines" },
    { "U", "write #undef into the text" },
    { "I", "use source.include_folders" },
    { "include", IN_TEXT },
    { "imacros", IN_TEXT },
    { "isystem", "use source.include_folders" },
    { "iquote", "use source.include_folders" },
    { "idirafter", "use source.include_folders" },
    { "cl-std", "use source.opencl_std" },
    { NULL, NULL },
};

/* What else a source has for each language. */
static const struct {
    size_t defines, options;
    const refused_option *refused;
} languages[] = {
    [YK_LANGUAGE_CUDA] = { offsetof(yoke_source, cuda_defines), offsetof(yoke_source, cuda_options), cuda_refused },
    [YK_LANGUAGE_OPENCL] = { offsetof(yoke_source, opencl_defines), offsetof(yoke_source, opencl_options), opencl_refused },
};
_Static_assert(YK_COUNT_OF(languages) == YK_LANGUAGE_COUNT, "a row for each language");

static const char **text_at(const yoke_source *source, size_t which)
{
    return (const char **)((char *)source + texts[which].text);
}

static const char *file_at(const yoke_source *source, size_t which)
{
    return *(const char *const *)((const char *)source + texts[which].file);
}

static bool is_given(const yoke_source *source, size_t which)
{
    return *text_at(source, which) || file_at(source, which);
}

/* Which text is used where this language is needed. */
static size_t choose_text(const yoke_source *source, yk_language language)
{
    size_t own = language;
    return !is_given(source, own) && is_given(source, YK_LANGUAGE_COUNT) ? YK_LANGUAGE_COUNT : own;
}

bool yk_source_language(const char *word, yk_language *out_language)
{
    for (size_t i = 0; i < YK_LANGUAGE_COUNT; i++)
        if (strcmp(word, texts[i].member) == 0) {
            *out_language = (yk_language)i;
            return true;
        }
    return false;
}

const char *yk_source_text_in(const yoke_source *source, yk_language language, size_t *out_size)
{
    size_t which = choose_text(source, language);
    const char *text = *text_at(source, which);
    size_t size = *(const size_t *)((const char *)source + texts[which].size);
    *out_size = text && size == 0 ? strlen(text) : size;
    return text;
}

const char *yk_source_text(const yoke_device *device, const yoke_source *source, size_t *out_size)
{
    return yk_source_text_in(source, device->traits.language, out_size);
}

const char *yk_source_file_path(const yoke_source *source, yk_language language, const char **out_member)
{
    size_t which = choose_text(source, language);
    *out_member = texts[which].member;
    return file_at(source, which);
}

void yk_source_set_text(yk_language language, yoke_source *source, const char *text, size_t size)
{
    const char *file = file_at(source, choose_text(source, language));
    for (size_t i = 0; i < YK_COUNT_OF(texts); i++) {
        *text_at(source, i) = i == language ? text : NULL;
        *(size_t *)((char *)source + texts[i].size) = i == language ? size : 0;
        *(const char **)((char *)source + texts[i].file) = i == language ? file : NULL;
    }
}

/* ---- Defines and options ---- */

static const char *const *strings_at(const yoke_source *source, size_t offset)
{
    return *(const char *const *const *)((const char *)source + offset);
}

const char *yk_source_define(const yoke_source *source, yk_language language, size_t index)
{
    const char *const *lists[] = { source->defines, strings_at(source, languages[language].defines) };
    for (size_t i = 0; i < YK_COUNT_OF(lists); i++)
        for (const char *const *define = lists[i]; define && *define; define++)
            if (index-- == 0)
                return *define;
    return NULL;
}

const char *const *yk_source_options(const yoke_source *source, yk_language language)
{
    return strings_at(source, languages[language].options);
}

/* ---- Checking ---- */

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\n\v\f", text[i]))
            return false;
    return true;
}

/* `needed_by`: a device, or what is to be done. */
static yoke_status check_text(const char *function, yk_language number, const char *needed_by, const yoke_source *source)
{
    size_t size;
    const char *word = texts[choose_text(source, number)].word, *text = yk_source_text_in(source, number, &size);
    if (!text) {
        bool other = false;
        for (size_t i = 0; i < YK_COUNT_OF(texts); i++)
            other = other || is_given(source, i);
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source has no %s, which %s needs%s", function, word, needed_by,
                       other ? "; it has only the other backend's text" : "");
    }
    if (!yk_is_range(text, size))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the size of source's %s is %zu, which exceeds the address space from %p",
                       function, word, size, (const void *)text);
    int kind = yk_code_find_kind(text, size);
    const char *nul = memchr(text, 0, size);
    if (kind != YK_FOUND_TEXT && kind != YK_CODE_BINARY)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: the %s of source is not source code, but %s; yoke_program_load takes compiled code", function, word,
                       yk_code_kind_text(kind));
    if (nul)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: byte %zu of the %zu bytes of source's %s is NUL%s", function,
                       (size_t)(nul - text) + 1, size, word,
                       nul == text + size - 1 ? "; the size must not count the terminator" : "");
    if (is_blank(text, size))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the %s of source is empty", function, word);
    return YOKE_OK;
}

/* The length of a macro's name, with its parameters if it has any, as "MAX(a, b)"; 0: malformed. */
static size_t macro_length(const char *define)
{
    size_t length = strspn(define, LETTERS DIGITS);
    if (length == 0 || strchr(DIGITS, define[0]) || define[length] != '(')
        return length > 0 && strchr(DIGITS, define[0]) ? 0 : length;
    size_t inside = strspn(define + length + 1, LETTERS DIGITS " ,.");
    return define[length + 1 + inside] == ')' ? length + inside + 2 : 0;
}

/* A name consists of letters, digits and _; a value is one line of source. */
static yoke_status check_define(const char *function, const char *define)
{
    size_t length = macro_length(define);
    if (length == 0 || (define[length] && define[length] != '='))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: define '%.60s' is neither NAME, NAME=VALUE nor NAME(a,b)=VALUE", function,
                       define);
    size_t end = strlen(define);
    while (end > 0 && strchr(" \t\v\f", define[end - 1]))
        end--;
    bool spliced = end > 0 && (define[end - 1] == '\\' || (end > 2 && memcmp(define + end - 3, "?\?/", 3) == 0));
    const char *comment = strstr(define + length, "/*");
    if (strpbrk(define + length, "\r\n") || spliced || (comment && !strstr(comment + 2, "*/")))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the value of define '%.60s' is not a single line; put it into the source",
                       function, define);
    return YOKE_OK;
}

static yoke_status check_option(const char *function, yk_language language, const char *option)
{
    const char *word = texts[language].member;
    bool sound = option[0] == '-' && option[1] != '\0';
    for (const char *c = option; *c && sound; c++)
        sound = (unsigned char)*c > ' ' && *c != '"' && *c != '\'';
    if (!sound)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: '%.60s' in source.%s_options is not an option: one word that begins with '-', without quotes", function,
                       option, word);
    for (const refused_option *refused = languages[language].refused; refused->begin; refused++)
        if (strncmp(option + strspn(option, "-"), refused->begin, strlen(refused->begin)) == 0)
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: '%.60s' in source.%s_options is rejected: %s", function, option, word,
                           refused->instead);
    return YOKE_OK;
}

static yoke_status check_name_expression(const char *function, const char *expression)
{
    if (!strpbrk(expression, LETTERS))
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: name expression '%.60s' does not name a kernel; an example is \"scale<float>\"", function, expression);
    for (const char *c = expression; *c; c++)
        if ((unsigned char)*c < ' ' || *c == ';')
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: byte %zu of name expression '%.60s' is not valid in a name", function,
                           (size_t)(c - expression) + 1, expression);
    return YOKE_OK;
}

static yoke_status check_options(const char *function, const yoke_source *source)
{
    const char *opencl = source->opencl_std, *cuda = source->cuda_std;
    if (source->math < YOKE_MATH_DEFAULT || source->math > YOKE_MATH_FAST)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: source.math is %d; it must be YOKE_MATH_DEFAULT (0), YOKE_MATH_EXACT (1) or YOKE_MATH_FAST (2)",
                       function, (int)source->math);
    if (source->flags & ~(uint32_t)YOKE_BUILD_DEBUG)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.flags is 0x%x; only YOKE_BUILD_DEBUG (0x%x) is defined", function,
                       (unsigned)source->flags, (unsigned)YOKE_BUILD_DEBUG);
    if (opencl && (strlen(opencl) != 3 || !strchr(DIGITS, opencl[0]) || opencl[1] != '.' || !strchr(DIGITS, opencl[2])))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.opencl_std is '%.20s'; it must be \"1.2\", \"2.0\" or \"3.0\"",
                       function, opencl);
    if (cuda && (strlen(cuda) != 2 || strspn(cuda, DIGITS) != 2))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.cuda_std is '%.20s'; it must be \"14\", \"17\" or \"20\"", function,
                       cuda);
    return YOKE_OK;
}

static yoke_status check_compiled(const char *function, const yoke_source *source)
{
    for (const yoke_code *code = source->compiled; code && code->bytes; code++) {
        size_t index = (size_t)(code - source->compiled);
        if (code->size == 0 || !yk_is_range(code->bytes, code->size))
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the size of source.compiled[%zu] is %zu%s", function, index, code->size,
                           code->size ? ", which exceeds the address space" : "");
        if (yk_code_find_kind(code->bytes, code->size) == YK_FOUND_TEXT)
            return yk_fail(YOKE_E_INVALID_ARGUMENT,
                           "%s: source.compiled[%zu] is text, not compiled code; texts belong into source.cuda and source.opencl",
                           function, index);
    }
    return YOKE_OK;
}

static yoke_status check_rest(const char *function, yk_language language, const yoke_source *source)
{
    yoke_status status = check_options(function, source);
    const char *text;
    for (size_t i = 0; status == YOKE_OK && (text = yk_source_define(source, language, i)); i++)
        status = check_define(function, text);
    for (const char *const *option = yk_source_options(source, language); option && *option && status == YOKE_OK; option++)
        status = check_option(function, language, *option);
    for (const char *const *expression = source->name_expressions; expression && *expression && status == YOKE_OK; expression++)
        status = check_name_expression(function, *expression);
    return status == YOKE_OK ? yk_include_check(function, source) : status;
}

yoke_status yk_source_check_in(const char *function, yk_language language, const yoke_source *source)
{
    yoke_status status = check_text(function, language, "this call", source);
    return status == YOKE_OK ? check_rest(function, language, source) : status;
}

yoke_status yk_source_check(const char *function, const yoke_device *device, const yoke_source *source)
{
    bool has_code = source->compiled && source->compiled->bytes;
    yoke_status status = check_compiled(function, source);
    bool has_text = *text_at(source, choose_text(source, device->traits.language)) != NULL;
    if (status == YOKE_OK && (has_text || !has_code))
        status = check_text(function, device->traits.language, device->info.selector, source);
    return status == YOKE_OK ? check_rest(function, device->traits.language, source) : status;
}

/* ---- Copying ---- */

/* Each copy runs twice: the first pass has no memory yet, and only counts `used`. */
typedef struct arena {
    char *memory;
    size_t used;
} arena;

static void *put(arena *a, const void *bytes, size_t size)
{
    char *place = a->memory ? a->memory + a->used : NULL;
    if (place && bytes)
        memcpy(place, bytes, size);
    a->used += (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1); /* keep the next object aligned */
    return place;
}

static const char *put_string(arena *a, const char *string)
{
    return string ? put(a, string, strlen(string) + 1) : NULL;
}

static const char *const *put_strings(arena *a, const char *const *strings)
{
    size_t count = 0;
    if (!strings)
        return NULL;
    while (strings[count])
        count++;
    const char **copies = put(a, strings, (count + 1) * sizeof *strings);
    for (size_t i = 0; i < count; i++) {
        const char *copy = put_string(a, strings[i]);
        if (copies)
            copies[i] = copy;
    }
    return copies;
}

static const yoke_header *put_headers(arena *a, const yoke_header *headers)
{
    size_t count = 0;
    if (!headers)
        return NULL;
    while (headers[count].name)
        count++;
    yoke_header *copies = put(a, headers, (count + 1) * sizeof *headers);
    for (size_t i = 0; i < count; i++) {
        yoke_header copy = { put_string(a, headers[i].name), put_string(a, headers[i].text) };
        if (copies)
            copies[i] = copy;
    }
    return copies;
}

static const yoke_code *put_compiled(arena *a, const yoke_code *compiled)
{
    size_t count = 0;
    if (!compiled)
        return NULL;
    while (compiled[count].bytes)
        count++;
    yoke_code *copies = put(a, compiled, (count + 1) * sizeof *compiled);
    for (size_t i = 0; i < count; i++) {
        const void *copy = put(a, compiled[i].bytes, compiled[i].size);
        if (copies)
            copies[i].bytes = copy;
    }
    return copies;
}

static yoke_source *put_source(arena *a, const yoke_device *device, const yoke_source *source)
{
    size_t size;
    const char *text = yk_source_text(device, source, &size);
    yoke_source copy = *source, *target = put(a, NULL, sizeof copy);
    char *own = text ? put(a, NULL, size + 1) : NULL;
    if (own) {
        memcpy(own, text, size);
        own[size] = '\0';
    }
    yk_source_set_text(device->traits.language, &copy, own, size);
    copy.name = put_string(a, source->name);
    copy.defines = put_strings(a, source->defines);
    copy.opencl_std = put_string(a, source->opencl_std);
    copy.cuda_std = put_string(a, source->cuda_std);
    copy.headers = put_headers(a, source->headers);
    copy.include_folders = put_strings(a, source->include_folders);
    copy.name_expressions = put_strings(a, source->name_expressions);
    copy.compiled = put_compiled(a, source->compiled);
    copy.cuda_file = put_string(a, source->cuda_file);
    copy.opencl_file = put_string(a, source->opencl_file);
    copy.text_file = put_string(a, source->text_file);
    copy.cuda_defines = put_strings(a, source->cuda_defines);
    copy.opencl_defines = put_strings(a, source->opencl_defines);
    copy.cuda_options = put_strings(a, source->cuda_options);
    copy.opencl_options = put_strings(a, source->opencl_options);
    if (target)
        *target = copy;
    return target;
}

yoke_source *yk_source_copy(const yoke_device *device, const yoke_source *source)
{
    arena a = { NULL, 0 };
    put_source(&a, device, source);
    a = (arena){ malloc(a.used), 0 };
    if (a.memory)
        return put_source(&a, device, source);
    yk_no_memory("a copy of a source");
    return NULL;
}

/* ---- Built-in sources ---- */

yoke_status yoke_source_builtin(const char *name, yoke_source *out_source)
{
    YK_FUNCTION(yoke_source_builtin);
    if (!out_source)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_source is NULL", function));
    *out_source = (yoke_source)YOKE_SOURCE_INIT;
    if (!name)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: name is NULL", function));

    const char *names[32];
    size_t count = 0;
    for (size_t i = 0; i < yk_twin_count; i++) {
        const yk_twin *twin = &yk_twins[i];
        if (strcmp(twin->name, name) == 0) {
            out_source->name = twin->name;
            out_source->cuda = twin->cuda;
            out_source->opencl = twin->opencl;
            out_source->math = YOKE_MATH_EXACT;
            return YOKE_OK;
        }
        if (count < YK_COUNT_OF(names))
            names[count++] = twin->name;
    }

    yk_text known = { 0 };
    for (size_t i = 0; i < count; i++)
        yk_text_add(&known, "%s%s", i ? ", " : "", names[i]);
    const char *nearest = yk_nearest(name, names, count);
    yoke_status status =
        yk_fail(YOKE_E_NOT_FOUND, "%s: there is no kernel source '%.60s'%s%s%s; there are %s", function, name,
                nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'" : "", yk_text_get(&known));
    yk_text_free(&known);
    return yk_attribute(function, NULL, status);
}

/* Whether the text uses the words of <yoke/kernel.h> and does not include it. */
static bool lacks_words(const yk_text *text)
{
    static const char word[] = "YOKE_KERNEL", guard[] = "YOKE_KERNEL_H";
    return text->length > 0 && memmem(text->data, text->length, word, strlen(word)) &&
           !memmem(text->data, text->length, guard, strlen(guard));
}

void yk_source_hint(const yk_text *text)
{
    if (lacks_words(text))
        yk_error_append("; the text lacks #include <yoke/kernel.h>");
}
