/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launch that YOKE_RECORD has kept, as a case. The files may be anybody's: every number is checked, contents are looked for in
 * the record's own folder alone, by their hash, and have to have it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "run.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

enum { HASH_LETTERS = 2 * YK_HASH_SIZE, LARGEST_VALUE = 1 << 16, LARGEST_SHARED = 1 << 30 };

/* A whole number from `least` to `most`; false: the member is none. */
static bool get_number(const json_t *object, const char *name, json_int_t least, json_int_t most, size_t *out)
{
    const json_t *member = json_object_get(object, name);
    json_int_t value = json_integer_value(member);
    if (!json_is_integer(member) || value < least || value > most)
        return false;
    *out = (size_t)value;
    return true;
}

/* A member that is a string; "" where it is none. */
static const char *get_word(const json_t *object, const char *name)
{
    const char *word = json_string_value(json_object_get(object, name));
    return word ? word : "";
}

static bool get_dim(const json_t *object, const char *name, yoke_dim *out)
{
    uint32_t parts[3];
    const json_t *list = json_object_get(object, name);
    if (json_array_size(list) != 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        json_int_t part = json_integer_value(json_array_get(list, i));
        if (part < 1 || part > INT32_MAX)
            return false;
        parts[i] = (uint32_t)part;
    }
    *out = (yoke_dim){ parts[0], parts[1], parts[2] };
    return true;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* `size` bytes of two letters each; false: the text is not that. */
static bool get_bytes(const char *text, size_t size, unsigned char *out)
{
    if (strlen(text) != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

/* ---- Arguments ---- */

/* The elements, as far as the type's name tells them. */
static run_type type_of(const char *kind, const char *word, size_t size)
{
    yk_type type;
    bool buffer = strcmp(kind, "buffer") == 0, floating = strcmp(kind, "floating") == 0;
    if (strcmp(kind, "integer") == 0 || floating)
        return (run_type){ floating ? YK_SCALAR_FLOATING : YK_SCALAR_SIGNED, (uint32_t)size };
    if (!buffer || !yk_type_read(true, word, &type) || type.pointers > 1 || type.bytes == 0 || size % type.bytes != 0)
        return (run_type){ YK_SCALAR_UNSIGNED, 0 };
    return (run_type){ type.kind, type.bytes };
}

/* A value, of as many bytes as a register of the kind may have. */
static const char *read_value(const json_t *from, const char *kind, run_arg *arg)
{
    bool structure = strcmp(kind, "struct") == 0;
    bool fits = structure ? arg->size >= 1 && arg->size <= LARGEST_VALUE
                          : arg->size == 1 || arg->size == 2 || arg->size == 4 || arg->size == 8;
    if (!fits || (strcmp(kind, "floating") == 0 && arg->size == 1))
        return "a value has a size that no value has";
    arg->kind = YOKE_PARAM_VALUE;
    arg->before = tool_alloc(arg->size);
    return get_bytes(get_word(from, "value"), arg->size, arg->before) ? NULL : "a value has not the bytes of its size";
}

static const char *read_buffer(const json_t *from, const run_case *c, size_t index, run_hashes *hashes)
{
    run_arg *arg = &c->args[index];
    arg->kind = YOKE_PARAM_BUFFER;
    if (arg->size < 1)
        return "a buffer has no bytes";
    if (json_object_get(from, "same")) {
        if (!get_number(from, "same", 0, (json_int_t)index - 1, &arg->same))
            return "a buffer is the same as one that does not come before it";
        const run_arg *first = &c->args[arg->same];
        return first->kind == YOKE_PARAM_BUFFER && first->same == arg->same && first->size == arg->size
                   ? NULL
                   : "a buffer is the same as an argument of another size or kind";
    }
    return get_bytes(get_word(from, "before"), YK_HASH_SIZE, hashes[index].before) &&
                   get_bytes(get_word(from, "after"), YK_HASH_SIZE, hashes[index].after)
               ? NULL
               : "a buffer names no contents";
}

static const char *read_arg(const json_t *from, run_case *c, size_t index, run_hashes *hashes)
{
    run_arg *arg = &c->args[index];
    const char *kind = get_word(from, "kind");
    arg->same = index;
    if (!get_number(from, "size", 0, PTRDIFF_MAX / 4, &arg->size))
        return "an argument has no size";
    snprintf(arg->name, sizeof arg->name, "%s", get_word(from, "name"));
    tool_clean(arg->name);
    arg->read_only = json_is_true(json_object_get(from, "const"));
    arg->type = type_of(kind, get_word(from, "type"), arg->size);
    if (strcmp(kind, "buffer") == 0)
        return read_buffer(from, c, index, hashes);
    if (strcmp(kind, "integer") == 0 || strcmp(kind, "floating") == 0 || strcmp(kind, "struct") == 0)
        return read_value(from, kind, arg);
    if (strcmp(kind, "null") == 0) {
        arg->kind = YOKE_PARAM_BUFFER;
        return arg->size == 0 ? NULL : "a null pointer has bytes";
    }
    arg->kind = YOKE_PARAM_LOCAL;
    return strcmp(kind, "shared") != 0   ? "an argument is of a kind that no record has"
           : arg->size <= LARGEST_SHARED ? NULL
                                         : "more shared memory than there is";
}

static const char *read_case(const json_t *from, run_case *c, run_hashes **out_hashes)
{
    const json_t *args = json_object_get(from, "args");
    const char *why = NULL;
    size_t version;
    if (!get_number(from, "launch_record", 1, 1, &version))
        return "it is no record of a launch, or one of a later version";
    if (!*get_word(from, "kernel") || !json_is_array(args) || json_array_size(args) > YOKE_MAX_ARGS)
        return "it has no kernel, or not the arguments of one";
    if (!get_dim(from, "grid", &c->grid) || !get_dim(from, "block", &c->block) ||
        !get_number(from, "shared", 0, LARGEST_SHARED, &c->shared))
        return "it has not the shape of a launch";
    c->kernel = tool_text("%s", get_word(from, "kernel"));
    c->origin = tool_text("%s (%s)", get_word(from, "backend"), get_word(from, "device"));
    tool_clean(c->kernel);
    tool_clean(c->origin);
    c->args = tool_alloc((json_array_size(args) + 1) * sizeof *c->args);
    *out_hashes = tool_alloc((json_array_size(args) + 1) * sizeof **out_hashes);
    for (; c->count < json_array_size(args) && !why; c->count++)
        why = read_arg(json_array_get(args, c->count), c, c->count, *out_hashes);
    return why;
}

const char *run_parse_record(const char *text, size_t size, run_case *out_case, run_hashes **out_hashes)
{
    json_error_t error;
    json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    *out_case = (run_case){ 0 };
    *out_hashes = NULL;
    const char *why = document ? read_case(document, out_case, out_hashes) : "it is no JSON";
    json_decref(document);
    if (why) {
        run_free_case(out_case);
        free(*out_hashes);
        *out_hashes = NULL;
    }
    return why;
}
#else
const char *run_parse_record(const char *text, size_t size, run_case *out_case, run_hashes **out_hashes)
{
    (void)text, (void)size;
    *out_case = (run_case){ 0 };
    *out_hashes = NULL;
    return "this yoke was built without libjansson (Debian: libjansson-dev), so it cannot read JSON";
}
#endif

/* ---- Contents ---- */

/* Read a file, which is no pipe and no device, of at most `most` bytes. NULL with errno. */
static char *read_regular(const char *path, size_t most, size_t *out_size)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return NULL;
    errno = EFBIG;
    if (about.st_size < 0 || (uint64_t)about.st_size > most)
        return NULL;
    errno = EINVAL;
    return S_ISREG(about.st_mode) ? tool_read_file(path, out_size) : NULL;
}

/* The contents of a buffer, to be freed. NULL: *out_why, to be freed, says why not. */
static unsigned char *read_contents(const char *folder, const unsigned char *hash, size_t size, char **out_why)
{
    char name[2 * YK_HASH_SIZE + 1] = "";
    unsigned char found[YK_HASH_SIZE] = { 0 };
    size_t length = 0;
    for (size_t i = 0; i < YK_HASH_SIZE; i++)
        snprintf(name + 2 * i, 3, "%02x", hash[i]);
    char *path = tool_text("%s/%s.bin", folder, name);
    unsigned char *bytes = (unsigned char *)read_regular(path, size, &length);
    if (!bytes) {
        *out_why = tool_text("%s: %s", path, strerror(errno));
    } else {
        yk_hash(bytes, length, 0, found);
        if (length != size || memcmp(found, hash, sizeof found) != 0) {
            *out_why = tool_text("%s: it has not the contents that its name and the record say", path);
            free(bytes);
            bytes = NULL;
        }
    }
    free(path);
    return bytes;
}

char *run_read_record(const char *path, run_case *out_case)
{
    enum { LARGEST_RECORD = 1 << 24 };
    size_t size = 0;
    run_hashes *hashes = NULL;
    const char *slash = strrchr(path, '/');
    char *folder = tool_text("%.*s", slash > path ? (int)(slash - path) : 1, slash ? path : "."), *why = NULL;
    char *text = read_regular(path, LARGEST_RECORD, &size);
    *out_case = (run_case){ 0 };
    if (!text) {
        why = tool_text("%s: %s", path, strerror(errno));
    } else {
        const char *fault = run_parse_record(text, size, out_case, &hashes);
        why = fault ? tool_text("%s: %s", path, fault) : NULL;
    }
    for (size_t i = 0; !why && hashes && i < out_case->count; i++) {
        run_arg *arg = &out_case->args[i];
        if (arg->kind != YOKE_PARAM_BUFFER || arg->size == 0 || arg->same != i)
            continue;
        arg->before = read_contents(folder, hashes[i].before, arg->size, &why);
        arg->expected = arg->before ? read_contents(folder, hashes[i].after, arg->size, &why) : NULL;
    }
    if (why)
        run_free_case(out_case);
    free(hashes);
    free(text);
    free(folder);
    return why;
}
