/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two forms of compiled code. A cubin is the shared object with another machine, architecture and mark in its header, so that
 * it measures like one; PTX has it in hexadecimal, in comments. An image comes without its size, as the driver gets it.
 */
#include "module.h"

#include <ctype.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_CUDA = 190, ABI_CUDA = 0x33, ABI_VERSION = 7, MARK_AT = EI_PAD, LINE_BYTES = 60, FATBIN = 0xba55ed50 };
enum { PTX_MAJOR = 8, PTX_MINOR = 7 }; /* the newest that this driver takes: that of CUDA 12.8 */

#define PTX_MARK "// double: "

/* The linker's, of this library: what an object of this machine has in its header. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* ---- Cubin ---- */

/* Of everything but the header. FNV-1a. */
static uint32_t checksum(const char *bytes, size_t length)
{
    uint32_t sum = 2166136261u;
    for (size_t i = sizeof(ElfW(Ehdr)); i < length; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 16777619u;
    return sum;
}

static void mark(const double_text *object, unsigned char out[7])
{
    uint32_t sum = checksum(object->data, object->length);
    memcpy(out, "yok", 3);
    memcpy(out + 3, &sum, 4);
}

void double_image_to_cubin(double_text *object, int architecture)
{
    ElfW(Ehdr) header;
    memcpy(&header, object->data, sizeof header);
    mark(object, header.e_ident + MARK_AT);
    header.e_ident[EI_OSABI] = ABI_CUDA;
    header.e_ident[EI_ABIVERSION] = ABI_VERSION;
    header.e_machine = MACHINE_CUDA;
    header.e_flags = (unsigned)architecture << 16 | (unsigned)architecture;
    memcpy(object->data, &header, sizeof header);
}

/* Its sections' headers are at its end. */
static yk_CUresult read_cubin(const void *image, double_text *object)
{
    ElfW(Ehdr) header;
    unsigned char expected[7];
    memcpy(&header, image, sizeof header);
    if (header.e_machine != MACHINE_CUDA || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        memcmp(header.e_ident + MARK_AT, "yok", 3) != 0)
        return YK_CUDA_ERROR_INVALID_IMAGE;
    double_text_add_bytes(object, image, header.e_shoff + (size_t)header.e_shnum * header.e_shentsize);
    mark(object, expected);
    if (memcmp(header.e_ident + MARK_AT, expected, sizeof expected) != 0)
        return YK_CUDA_ERROR_INVALID_IMAGE;
    int made_for = (int)(header.e_flags & 0xff);
    if (made_for / 10 != DOUBLE_CAPABILITY_MAJOR || made_for % 10 > DOUBLE_CAPABILITY_MINOR)
        return YK_CUDA_ERROR_NO_BINARY_FOR_GPU;
    memset(header.e_ident + EI_OSABI, 0, EI_NIDENT - EI_OSABI);
    header.e_machine = __ehdr_start.e_machine;
    header.e_flags = __ehdr_start.e_flags;
    memcpy(object->data, &header, sizeof header);
    return YK_CUDA_SUCCESS;
}

/* ---- PTX ---- */

void double_image_to_ptx(const double_text *object, int architecture, double_text *ptx)
{
    static const char digits[] = "0123456789abcdef";
    double_text_add(ptx, "//\n// Made by the double of NVRTC, for tests: code for the CPU is in the comments.\n//\n\n");
    double_text_add(ptx, ".version %d.%d\n.target sm_%d\n.address_size 64\n\n", PTX_MAJOR, PTX_MINOR, architecture);
    if (memmem(object->data, object->length, "vprintf", strlen("vprintf")))
        double_text_add(ptx,
                        ".extern .func (.param .b32 result) vprintf\n(\n\t.param .b64 format,\n\t.param .b64 values\n)\n;\n\n");
    for (size_t at = 0; at < object->length; at += LINE_BYTES) {
        char line[2 * LINE_BYTES + 1];
        size_t count = object->length - at < LINE_BYTES ? object->length - at : LINE_BYTES;
        for (size_t i = 0; i < count; i++) {
            unsigned char byte = (unsigned char)object->data[at + i];
            line[2 * i] = digits[byte >> 4];
            line[2 * i + 1] = digits[byte & 15];
        }
        double_text_add(ptx, PTX_MARK "%.*s\n", (int)(2 * count), line);
    }
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_comments(const char *ptx, double_text *object)
{
    for (const char *line = strstr(ptx, PTX_MARK); line; line = strstr(line, PTX_MARK)) {
        for (line += strlen(PTX_MARK); digit(line[0]) >= 0 && digit(line[1]) >= 0; line += 2)
            double_text_add_bytes(object, &(char){ (char)(digit(line[0]) << 4 | digit(line[1])) }, 1);
    }
}

static yk_CUresult read_ptx(const char *ptx, double_text *object, double_text *log)
{
    const char *version = strstr(ptx, ".version"), *target = strstr(ptx, ".target");
    double_text source = { 0 };
    int major = 0, minor = 0, architecture = 0;

    if (!version || sscanf(version, ".version %d.%d", &major, &minor) != 2 || !target ||
        sscanf(target, ".target sm_%d", &architecture) != 1) {
        double_text_add(log, "ptxas application ptx input, line 1; fatal   : Missing .version or .target directive\n");
        return YK_CUDA_ERROR_INVALID_PTX;
    }
    if (major > PTX_MAJOR || (major == PTX_MAJOR && minor > PTX_MINOR)) {
        double_text_add(log, "ptxas application ptx input; fatal   : Unsupported .version %d.%d; current version is '%d.%d'\n",
                        major, minor, PTX_MAJOR, PTX_MINOR);
        return YK_CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (architecture > 10 * DOUBLE_CAPABILITY_MAJOR + DOUBLE_CAPABILITY_MINOR) {
        double_text_add(log, "ptxas fatal   : SM version specified by .target is higher than the device's\n");
        return YK_CUDA_ERROR_INVALID_PTX;
    }
    read_comments(ptx, object);
    if (object->length)
        return YK_CUDA_SUCCESS;
    double_request request = { .name = "ptx", .standard = "c++17", .architecture = architecture };
    bool ok = double_ptx_translate(ptx, &source, log);
    request.text = double_text_get(&source);
    ok = ok && double_compile(&request, object, log);
    double_text_free(&source);
    return ok ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_INVALID_PTX;
}

/* ---- What an image is ---- */

yk_CUresult double_image_read(const void *image, double_text *object, double_text *log)
{
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (memcmp(image, ELFMAG, SELFMAG) == 0)
        return read_cubin(image, object);
    if (magic == FATBIN)
        return YK_CUDA_ERROR_NO_BINARY_FOR_GPU;
    for (const char *c = image; *c; c++)
        if (!isprint((unsigned char)*c) && !isspace((unsigned char)*c))
            return YK_CUDA_ERROR_INVALID_IMAGE;
    return strstr(image, ".version") ? read_ptx(image, object, log) : YK_CUDA_ERROR_INVALID_IMAGE;
}
