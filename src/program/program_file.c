/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program binaries as bytes. All numbers are little-endian; each text has its length before it and a NUL after it:
 *
 *     0   magic (8 bytes), format (u32), kind of the code (u32), bytes in all (u64), bytes of code (u64)
 *     32  code, NUL, fingerprint, log, options
 *         the numbers of name expressions, kernels and parameters (u64 each)
 *         name expressions: name, lowered name
 *         kernels: name, count (i32), flags (u32), with KERNEL_IS_REFUSED the reason, then for each parameter: kind (u32),
 *         size (u32), read_only (i32), name, type
 *     -16 hash of all before it
 *
 * Magic, format, size and hash have the same place in every format, so a reader can distinguish damage from another version. A
 * correct hash proves nothing: anyone can compute it.
 */
#include "program/program_file.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/sizes.h"

/* No text begins like this, and a copy with converted line ends does not either. */
static const unsigned char magic[8] = { 0x89, 'Y', 'o', 'k', 'e', '\r', '\n', 0x1a };

enum {
    FORMAT = 2,
    FORMAT_AT = 8,
    TOTAL_AT = 16,
    HEAD_SIZE = 32,
    TEXT_LEAST = 8 + 1, /* in bytes */
    NAME_EXPRESSION_LEAST = 2 * TEXT_LEAST,
    KERNEL_LEAST = TEXT_LEAST + 4 + 4,
    PARAM_LEAST = 4 + 4 + 4 + 2 * TEXT_LEAST
};

enum { KERNEL_HAS_SHARED = 1, KERNEL_IS_REFUSED = 2 }; /* the flags of a kernel */

/* ---- Writing ---- */

typedef struct writer {
    yk_text *out;
    size_t size; /* expected size: a yk_text that runs out of memory omits bytes */
} writer;

static void put(writer *to, const void *bytes, size_t size)
{
    yk_text_add_bytes(to->out, bytes, size);
    to->size += size;
}

static void encode(unsigned char *target, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        target[i] = (unsigned char)(value >> 8 * i);
}

static void put_number(writer *to, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    encode(bytes, value, size);
    put(to, bytes, size);
}

static void put_text(writer *to, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(to, length, 8);
    put(to, text ? text : "", length + 1);
}

static size_t param_count(const yk_program_file_kernel *kernel)
{
    return kernel->count > 0 ? (size_t)kernel->count : 0;
}

static void put_kernel(writer *to, const yk_program_file_kernel *kernel)
{
    put_text(to, kernel->name);
    put_number(to, (uint32_t)kernel->count, 4);
    put_number(to, (kernel->signature_has_local ? KERNEL_HAS_SHARED : 0) | (kernel->refusal ? KERNEL_IS_REFUSED : 0), 4);
    if (kernel->refusal)
        put_text(to, kernel->refusal);
    for (size_t i = 0; i < param_count(kernel); i++) {
        const yk_param *param = &kernel->params[i];
        put_number(to, (uint32_t)param->kind, 4);
        put_number(to, param->size, 4);
        put_number(to, (uint32_t)param->read_only, 4);
        put_text(to, param->name);
        put_text(to, param->type);
    }
}

static void put_file(writer *to, const yk_program_file *file)
{
    put(to, magic, sizeof magic);
    put_number(to, FORMAT, 4);
    put_number(to, (uint32_t)file->kind, 4);
    put_number(to, 0, 8); /* the total size, written at the end */
    put_number(to, file->code_size, 8);
    put(to, file->code, file->code_size);
    put(to, "", 1);
    put_text(to, file->fingerprint);
    put_text(to, file->log);
    put_text(to, file->options);

    size_t params = 0;
    for (size_t i = 0; i < file->kernel_count; i++)
        params += param_count(&file->kernels[i]);
    put_number(to, file->name_expression_count, 8);
    put_number(to, file->kernel_count, 8);
    put_number(to, params, 8);
    for (size_t i = 0; i < file->name_expression_count; i++) {
        put_text(to, file->name_expressions[i].name);
        put_text(to, file->name_expressions[i].lowered);
    }
    for (size_t i = 0; i < file->kernel_count; i++)
        put_kernel(to, &file->kernels[i]);
}

yoke_status yk_program_file_write(const yk_program_file *file, yk_text *out_bytes)
{
    size_t before = out_bytes->length;
    writer to = { out_bytes, 0 };
    put_file(&to, file);
    unsigned char hash[YK_HASH_SIZE];
    size_t size = to.size;
    if (out_bytes->length - before == size) {
        encode((unsigned char *)out_bytes->data + before + TOTAL_AT, size + sizeof hash, 8);
        yk_hash(out_bytes->data + before, size, 0, hash);
        put(&to, hash, sizeof hash);
    }
    if (out_bytes->length - before == size + sizeof hash)
        return YOKE_OK;
    yk_text_cut(out_bytes, before);
    return yk_no_memory("a program binary");
}

/* ---- Reading ---- */

typedef struct reader {
    const unsigned char *at;
    size_t left;
    bool bad; /* set at the first error: everything read afterwards is 0 or "" */
} reader;

static const unsigned char *take(reader *from, uint64_t size)
{
    if (from->bad || size > from->left) {
        from->bad = true;
        return NULL;
    }
    const unsigned char *taken = from->at;
    from->at += size;
    from->left -= (size_t)size;
    return taken;
}

static uint64_t decode(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static uint64_t take_number(reader *from, size_t size)
{
    const unsigned char *bytes = take(from, size);
    return bytes ? decode(bytes, size) : 0;
}

static int32_t take_signed(reader *from)
{
    uint32_t value = (uint32_t)take_number(from, 4);
    return value <= INT32_MAX ? (int32_t)value : -(int32_t)~value - 1;
}

/* Each element takes at least `least` bytes, so a count never makes the reader allocate more memory than the file's size
 * justifies. */
static size_t take_count(reader *from, size_t least)
{
    uint64_t count = take_number(from, 8);
    if (count <= from->left / least)
        return (size_t)count;
    from->bad = true;
    return 0;
}

static const char *take_text(reader *from)
{
    uint64_t length = take_number(from, 8);
    if (length >= from->left) {
        from->bad = true;
        return "";
    }
    const unsigned char *text = take(from, length + 1);
    if (!text || memchr(text, '\0', (size_t)length + 1) != text + length) {
        from->bad = true;
        return "";
    }
    return (const char *)text;
}

static void take_short_text(reader *from, char *target, size_t size)
{
    const char *text = take_text(from);
    if (strlen(text) >= size)
        from->bad = true;
    yk_string_copy(target, size, text);
}

static void take_param(reader *from, yk_param *param)
{
    uint64_t kind = take_number(from, 4);
    param->size = (uint32_t)take_number(from, 4);
    param->read_only = take_signed(from);
    if (kind > YK_PARAM_SAMPLER || param->read_only < -1 || param->read_only > 1)
        from->bad = true;
    else
        param->kind = (yk_param_kind)kind;
    take_short_text(from, param->name, sizeof param->name);
    take_short_text(from, param->type, sizeof param->type);
}

/* `*room` parameters are left at *params. */
static void take_kernel(reader *from, yk_program_file_kernel *kernel, yk_param **params, size_t *room)
{
    kernel->name = take_text(from);
    kernel->count = take_signed(from);
    uint64_t flags = take_number(from, 4);
    kernel->signature_has_local = flags & KERNEL_HAS_SHARED;
    kernel->refusal = flags & KERNEL_IS_REFUSED ? take_text(from) : NULL;
    kernel->params = *params;
    if (kernel->count < -1 || param_count(kernel) > *room || (flags & ~(uint64_t)(KERNEL_HAS_SHARED | KERNEL_IS_REFUSED))) {
        from->bad = true;
        kernel->count = -1;
    }
    *room -= param_count(kernel);
    for (size_t i = 0; i < param_count(kernel); i++)
        take_param(from, (*params)++);
}

/* The part after the texts. */
static yoke_status take_arrays(reader *from, yk_program_file *file)
{
    file->name_expression_count = take_count(from, NAME_EXPRESSION_LEAST);
    file->kernel_count = take_count(from, KERNEL_LEAST);
    size_t room = take_count(from, PARAM_LEAST);
    if (from->bad || file->name_expression_count + file->kernel_count == 0)
        return YOKE_OK;
    size_t size = 0;
    bool fits = yk_size_add_product(&size, file->name_expression_count, sizeof(yk_name_expression)) &&
                yk_size_add_product(&size, file->kernel_count, sizeof(yk_program_file_kernel)) &&
                yk_size_add_product(&size, room, sizeof(yk_param));
    yk_name_expression *name_expressions = fits ? calloc(1, size) : NULL;
    if (!name_expressions)
        return yk_no_memory("a program binary");
    yk_program_file_kernel *kernels = (yk_program_file_kernel *)(name_expressions + file->name_expression_count);
    yk_param *params = (yk_param *)(kernels + file->kernel_count);
    file->memory = name_expressions;
    file->name_expressions = name_expressions;
    file->kernels = kernels;
    for (size_t i = 0; i < file->name_expression_count && !from->bad; i++) {
        name_expressions[i].name = take_text(from);
        name_expressions[i].lowered = take_text(from);
    }
    for (size_t i = 0; i < file->kernel_count && !from->bad; i++)
        take_kernel(from, &kernels[i], &params, &room);
    if (room)
        from->bad = true;
    return YOKE_OK;
}

bool yk_program_file_is(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Check the parts that are the same in every format. */
static yoke_status check_whole(const unsigned char *bytes, size_t size)
{
    if (!yk_program_file_is(bytes, size))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "this is not a program binary of yoke_program_save");
    uint64_t total = size < HEAD_SIZE + YK_HASH_SIZE ? HEAD_SIZE + YK_HASH_SIZE : decode(bytes + TOTAL_AT, 8);
    if (total != size)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "the program binary is damaged: it should have %s%" PRIu64 " bytes, but has %zu",
                       size < HEAD_SIZE + YK_HASH_SIZE ? "at least " : "", total, size);
    unsigned char hash[YK_HASH_SIZE];
    yk_hash(bytes, size - sizeof hash, 0, hash);
    if (memcmp(hash, bytes + size - sizeof hash, sizeof hash) != 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "the program binary is damaged: its checksum is wrong");
    uint32_t format = (uint32_t)decode(bytes + FORMAT_AT, 4);
    if (format != FORMAT)
        return yk_fail(YOKE_E_UNSUPPORTED,
                       "the program binary has format %" PRIu32 " of another version of Yoke; this one reads format %d", format,
                       FORMAT);
    return YOKE_OK;
}

yoke_status yk_program_file_read(const void *bytes, size_t size, yk_program_file *out_file)
{
    memset(out_file, 0, sizeof *out_file);
    yoke_status status = check_whole(bytes, size);
    if (status < 0)
        return status;

    reader from = { (const unsigned char *)bytes + FORMAT_AT + 4, size - FORMAT_AT - 4 - YK_HASH_SIZE, false };
    uint64_t kind = take_number(&from, 4);
    take(&from, 8); /* the total size */
    uint64_t code_size = take_number(&from, 8);
    out_file->code = take(&from, code_size);
    out_file->code_size = (size_t)code_size;
    const unsigned char *end = take(&from, 1);
    if (kind < YK_CODE_BINARY || kind > YK_CODE_SPIRV || !end || *end)
        from.bad = true;
    out_file->kind = (yk_code_kind)kind;
    out_file->fingerprint = take_text(&from);
    out_file->log = take_text(&from);
    out_file->options = take_text(&from);
    status = take_arrays(&from, out_file);
    if (status == YOKE_OK && !from.bad && from.left == 0)
        return YOKE_OK;
    yk_program_file_free(out_file);
    return status < 0 ? status : yk_fail(YOKE_E_INVALID_ARGUMENT, "the program binary is damaged: its contents are inconsistent");
}

void yk_program_file_free(yk_program_file *file)
{
    free(file->memory);
    memset(file, 0, sizeof *file);
}
