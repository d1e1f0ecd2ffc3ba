/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a struct on a device, computed by a kernel that is appended to the caller's text. The kernel stores sizes and
 * offsets only and never creates the struct, which may have any size.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/types.h>

#include "backend.h"
#include "program/program.h"
#include "program/source.h"

enum { MOST_FIELDS = 64, NAME_SIZE = 200 };

/* The layout, as the kernel stores it: the size of the struct, then each field's offset and size. */
typedef uint64_t layout[1 + 2 * MOST_FIELDS];

/* How each language writes the kernel. */
typedef struct dialect {
    const char *kernel, *global, *word;
} dialect;

static const dialect dialects[] = {
    [YK_LANGUAGE_CUDA] = { "extern \"C\" __global__", "", "unsigned long long" },
    [YK_LANGUAGE_OPENCL] = { "__kernel", "__global ", "ulong" },
};
_Static_assert(YK_COUNT_OF(dialects) == YK_LANGUAGE_COUNT, "a dialect for each language");

/* ---- The caller's arguments ---- */

static bool is_name(const char *text)
{
    static const char digits[] = "0123456789";
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return length > 0 && !text[length] && !strchr(digits, text[0]) && length < NAME_SIZE;
}

static yoke_status check_arguments(const char *function, const char *name, size_t size, const yoke_field *fields, size_t count)
{
    if (!name)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: name is NULL", function);
    if (!is_name(strncmp(name, "struct ", 7) == 0 ? name + 7 : name))
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: '%.60s' is not the name of a struct; examples are \"struct particle\" and \"particle\"", function,
                       name);
    if (size == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: size is 0; it must be sizeof(%.60s)", function, name);
    if (!fields)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: fields is NULL", function);
    if (count == 0 || count > MOST_FIELDS)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: count is %zu; it must be from 1 to %d", function, count, MOST_FIELDS);
    for (size_t i = 0; i < count; i++)
        if (!fields[i].name || !is_name(fields[i].name))
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: fields[%zu].name is '%.60s', which is not the name of a field", function,
                           i, fields[i].name ? fields[i].name : "(NULL)");
    return YOKE_OK;
}

/* ---- The kernel ---- */

static void write_kernel(yk_text *text, const dialect *d, const char *name, const yoke_field *fields, size_t count)
{
    yk_text_add(text, "\n\n#line 1 \"yoke_struct_check\"\n%s void yoke_struct_check(%s%s *yoke_out)\n{\n", d->kernel, d->global,
                d->word);
    yk_text_add(text, "%s%s *yoke_at = (%s%s *)yoke_out;\n", d->global, name, d->global, name);
    yk_text_add(text, "yoke_out[0] = (%s)sizeof(%s);\n", d->word, name);
    for (size_t i = 0; i < count; i++)
        yk_text_add(text,
                    "yoke_out[%zu] = (%s)((%schar *)&yoke_at->%s - (%schar *)yoke_at);\n"
                    "yoke_out[%zu] = (%s)sizeof(yoke_at->%s);\n",
                    2 * i + 1, d->word, d->global, fields[i].name, d->global, 2 * i + 2, d->word, fields[i].name);
    yk_text_add(text, "}\n");
}

/* Append the kernel to the text of the checked source; `text` stores the result. */
static yoke_status extend_source(const yoke_device *device, yoke_source *source, const char *name, const yoke_field *fields,
                                 size_t count, yk_text *text)
{
    size_t length;
    const char *own = yk_source_text(device, source, &length);

    yk_text_add_bytes(text, own, length);
    write_kernel(text, &dialects[device->traits.language], name, fields, count);
    if (text->length < length + 2 || strcmp(text->data + text->length - 2, "}\n") != 0)
        return yk_no_memory("the source of a struct's check");
    yk_source_set_text(device->traits.language, source, text->data, text->length);
    return YOKE_OK;
}

static yoke_status run(const char *function, yoke_device *device, const yoke_source *source, size_t count, uint64_t *found)
{
    size_t size = (1 + 2 * count) * sizeof *found;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;

    yoke_status status = yk_program_build_opened(function, device, source, &program);
    if (status == YOKE_OK)
        status = yoke_kernel_get(program, "yoke_struct_check", &kernel);
    if (status == YOKE_OK)
        status = yoke_stream_create(device, NULL, &stream);
    if (status == YOKE_OK)
        status = yoke_buffer_create(device, size, &buffer);
    if (status == YOKE_OK)
        status = yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffer));
    if (status == YOKE_OK)
        status = yoke_read_sync(stream, found, buffer, 0, size);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    yoke_program_release(program);
    return status;
}

static yoke_status compare(const char *function, const yoke_device *device, const char *name, size_t size, const yoke_field *fields,
                           size_t count, const uint64_t *found)
{
    static const char advice[] = "the types of <yoke/types.h> are the same everywhere";
    const char *selector = device->info.selector;
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = found[2 * i + 1], bytes = found[2 * i + 2];
        if (offset != fields[i].offset)
            return yk_fail(YOKE_E_KERNEL_ARGUMENT,
                           "%s: %s: field %s begins at byte %" PRIu64 " on %s and at byte %zu on the host; %s", function, name,
                           fields[i].name, offset, selector, fields[i].offset, advice);
        if (bytes != fields[i].size)
            return yk_fail(YOKE_E_KERNEL_ARGUMENT, "%s: %s: field %s has %" PRIu64 " bytes on %s and %zu on the host; %s", function,
                           name, fields[i].name, bytes, selector, fields[i].size, advice);
    }
    if (found[0] != size)
        return yk_fail(YOKE_E_KERNEL_ARGUMENT, "%s: %s has %" PRIu64 " bytes on %s and %zu on the host; %s", function, name,
                       found[0], selector, size, advice);
    return YOKE_OK;
}

static yoke_status check(const char *function, yoke_device *device, const yoke_source *source, const char *name, size_t size,
                         const yoke_field *fields, size_t count)
{
    yoke_source extended;
    yk_text text = { 0 };
    layout found;

    YK_CHECK(device, YK_DEVICE, function, "device");
    if (!source)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source is NULL", function);
    yoke_status status = check_arguments(function, name, size, fields, count);
    if (status < 0)
        return status;
    yk_source_file file;
    status = yk_source_open_for(function, device, source, &extended, &file);
    if (status == YOKE_OK)
        status = extend_source(device, &extended, name, fields, count, &text);
    if (status == YOKE_OK)
        status = run(function, device, &extended, count, found);
    if (status == YOKE_OK)
        status = compare(function, device, name, size, fields, count, found);
    yk_text_free(&text);
    yk_source_close(&file);
    return status;
}

yoke_status yoke_struct_check(yoke_device *device, const yoke_source *source, const char *name, size_t size,
                              const yoke_field *fields, size_t count)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_struct_check);
    yoke_status status = check(function, device, source, name, size, fields, count);
    return yk_attribute_site(function, NULL, status);
}
