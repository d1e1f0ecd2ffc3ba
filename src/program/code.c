/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizing code. The first bytes distinguish the kinds; unknown bytes are text when all of them are printable, else a driver's
 * binary.
 */
#include "program/code.h"

#include <string.h>

#define SPIRV_MAGIC 0x07230203u
#define FATBIN_MAGIC 0xba55ed50u
#define ELF_MAGIC 0x464c457fu

enum { SPIRV_ENTRY_POINT = 15, SPIRV_FUNCTION = 54, SPIRV_FUNCTION_END = 56 }; /* opcodes */
enum { SPIRV_HEADER = 20, ELF_MACHINE_AT = 18, ELF_MACHINE_CUDA = 190 };

uint64_t yk_code_number(const void *bytes, size_t size, uint64_t at, unsigned width)
{
    uint64_t number = 0;
    if (size < width || at > size - width)
        return 0;
    for (unsigned i = width; i-- > 0;)
        number = number << 8 | ((const unsigned char *)bytes)[at + i];
    return number;
}

static uint32_t turned(uint32_t word)
{
    return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
}

/* After blanks and comments: PTX has C++'s comments. */
static size_t skip_comments(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        if (strchr(" \t\r\n\v\f", text[at]) && text[at]) {
            at++;
        } else if (size - at >= 2 && memcmp(text + at, "//", 2) == 0) {
            const char *end = memchr(text + at, '\n', size - at);
            at = end ? (size_t)(end - text) : size;
        } else if (size - at >= 2 && memcmp(text + at, "/*", 2) == 0) {
            for (at += 2; at < size && !(text[at] == '*' && at + 1 < size && text[at + 1] == '/');)
                at++;
            at = at < size ? at + 2 : size;
        } else {
            break;
        }
    }
    return at;
}

static bool is_ptx(const char *text, size_t size)
{
    static const char first[] = ".version";
    size_t at = skip_comments(text, size), length = strlen(first);
    return size - at > length && memcmp(text + at, first, length) == 0 && (text[at + length] == ' ' || text[at + length] == '\t');
}

/* Bytes above 127 are letters of some language. A trailing NUL is a terminator that was counted. */
static bool is_text(const unsigned char *bytes, size_t size)
{
    if (bytes[size - 1] == 0)
        size--;
    for (size_t i = 0; i < size; i++)
        if ((bytes[i] < ' ' && !(bytes[i] >= '\t' && bytes[i] <= '\r')) || bytes[i] == 127)
            return false;
    return size > 0;
}

int yk_code_find_kind(const void *bytes, size_t size)
{
    uint32_t magic = (uint32_t)yk_code_number(bytes, size, 0, 4);
    if (size == 0)
        return YK_FOUND_TEXT;
    if (yk_program_file_is(bytes, size))
        return YK_FOUND_PROGRAM_FILE;
    if (magic == SPIRV_MAGIC || turned(magic) == SPIRV_MAGIC)
        return YK_CODE_SPIRV;
    if (magic == FATBIN_MAGIC)
        return YK_CODE_FATBIN;
    if (magic == ELF_MAGIC)
        return yk_code_number(bytes, size, ELF_MACHINE_AT, 2) == ELF_MACHINE_CUDA ? YK_CODE_CUBIN : YK_FOUND_ELF;
    if (is_ptx(bytes, size))
        return YK_CODE_PTX;
    return is_text(bytes, size) ? YK_FOUND_TEXT : YK_CODE_BINARY;
}

const char *yk_code_kind_text(int kind)
{
    switch (kind) {
    case YK_CODE_CUBIN:
        return "a cubin";
    case YK_CODE_FATBIN:
        return "a fatbin";
    case YK_CODE_PTX:
        return "PTX";
    case YK_CODE_SPIRV:
        return "SPIR-V";
    case YK_FOUND_PROGRAM_FILE:
        return "a program binary of yoke_program_save";
    case YK_FOUND_ELF:
        return "an ELF file";
    case YK_FOUND_TEXT:
        return "text";
    default:
        return "binary";
    }
}

static uint32_t word_at(const void *bytes, size_t at)
{
    uint32_t word;
    memcpy(&word, (const char *)bytes + at, sizeof word);
    return word;
}

/* The upper half of an instruction's first word is its length in words, the lower half its opcode. Intel's compiler (2026.2)
 * ends the process when a function has no end. */
bool yk_spirv_is_whole(const void *bytes, size_t size)
{
    if (size < SPIRV_HEADER || size % 4 != 0)
        return false;
    bool other_order = word_at(bytes, 0) != SPIRV_MAGIC;
    bool in_function = false, has_function = false, names_function = false;
    size_t at = SPIRV_HEADER;
    while (at < size) {
        uint32_t word = word_at(bytes, at);
        if (other_order)
            word = turned(word);
        size_t length = word >> 16;
        uint32_t opcode = word & 0xffff;
        if (length == 0 || length > (size - at) / 4)
            return false;
        if (opcode == SPIRV_FUNCTION || opcode == SPIRV_FUNCTION_END) {
            if (in_function == (opcode == SPIRV_FUNCTION))
                return false;
            in_function = !in_function;
        }
        has_function |= in_function;
        names_function |= opcode == SPIRV_ENTRY_POINT;
        at += 4 * length;
    }
    return !in_function && (has_function || !names_function);
}

void yk_spirv_turn(void *bytes, size_t size)
{
    if (word_at(bytes, 0) == SPIRV_MAGIC)
        return;
    for (size_t at = 0; at + 4 <= size; at += 4) {
        uint32_t word = turned(word_at(bytes, at));
        memcpy((char *)bytes + at, &word, sizeof word);
    }
}
