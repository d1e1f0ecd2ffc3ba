/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: a compiled program in a form that outlives the process, for the cache and for yoke_program_save. The same bytes on every
 * machine; any bytes may be read, and none that were changed are taken.
 */
#ifndef YK_IMAGE_H
#define YK_IMAGE_H

#include "core.h"

typedef enum yk_code_kind {
    YK_CODE_BINARY = 1, /* an OpenCL driver's own, for one device */
    YK_CODE_CUBIN = 2,
    YK_CODE_FATBIN = 3,
    YK_CODE_PTX = 4,
    YK_CODE_SPIRV = 5
} yk_code_kind;

/* A kernel that the compiler gave another name than the source. */
typedef struct yk_image_instance {
    const char *name, *lowered;
} yk_image_instance;

/* A kernel's signature: its parameters in order, a shared one included. */
typedef struct yk_image_kernel {
    const char *name;
    int32_t count;             /* -1: the driver did not tell; then params is not looked at */
    bool signature_has_shared; /* as in yoke_kernel */
    const yk_param *params;
} yk_image_kernel;

typedef struct yk_image {
    yk_code_kind kind;
    const void *code;
    size_t code_size;
    const char *fingerprint; /* all that decides, beside the source, whether the code is of any use */
    const char *log;         /* the compiler's */
    const yk_image_instance *instances;
    size_t instance_count;
    const yk_image_kernel *kernels;
    size_t kernel_count;
    void *memory; /* of the arrays in an image that was read */
} yk_image;

/* Whether the bytes start like an image, whole or not, of this version or another. */
bool yk_image_is(const void *bytes, size_t size);
/* Append. All members but `memory` are set; strings may be NULL, which means "". YOKE_E_UNSUPPORTED: built without xxHash. */
yoke_status yk_image_write(const yk_image *image, yk_text *out_bytes);
/* Sets all of *out_image, to be freed by yk_image_free; strings and code point into the bytes, which have to stay. Code is followed
 * by a NUL byte, and aligned to 16 bytes where the bytes are. YOKE_E_INVALID: damaged, or no image. YOKE_E_UNSUPPORTED: written by
 * another version of Yoke, or built without xxHash. The record's text says so without the name of a function before it. */
yoke_status yk_image_read(const void *bytes, size_t size, yk_image *out_image);
/* Also of one that could not be read, or is zeroed. */
void yk_image_free(yk_image *image);

#endif
