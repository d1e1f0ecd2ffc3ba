/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selectors as text, the order of preference, and the names to suggest. Pure functions, except that yk_order_read reads the
 * environment.
 */
#ifndef YK_SELECT_H
#define YK_SELECT_H

#include "backend_api.h"

typedef enum yk_select_by { YK_BY_ANY, YK_BY_INDEX, YK_BY_KIND, YK_BY_UUID, YK_BY_PCI, YK_BY_NAME } yk_select_by;

typedef struct yk_selector {
    char backend[16]; /* "" is any */
    yk_select_by by;
    int32_t number;   /* the index, or the YOKE_DEVICE_ kind */
    char text[128];   /* the UUID's 32 digits, the PCI address as infos have it, or the part of a name */
    char origin[192]; /* who said so, for messages: "YOKE_DEVICE=cuda:1"; "" when nobody ordered anything */
} yk_selector;

/* Parse a selector. `source` is who said it: a variable's name, or NULL for a program's own. YOKE_E_INVALID_ARGUMENT: malformed;
 * the record says what is allowed, and the nearest word. */
yoke_status yk_selector_parse(const char *source, const char *text, yk_selector *out);

/* What the caller's selector, or without one the environment's YOKE_DEVICE, and YOKE_BACKEND order together. */
yoke_status yk_order_read(const char *selector, yk_selector *out);

/* What YOKE_BACKEND alone orders. */
yoke_status yk_order_read_backend(yk_selector *out);

bool yk_selector_takes_backend(const yk_selector *selector, const char *backend);
bool yk_selector_takes(const yk_selector *selector, const yoke_device_info *info);

/* Put the best first: CUDA, then OpenCL GPU, accelerator, CPU, emulator; else as it was. */
void yk_rank(yoke_device_info *infos, size_t count);

/* "gpu" and so on; "device" for a number that is no kind. */
const char *yk_device_kind_word(int32_t kind);

/* The word of the devices' names that is nearest to a selector's by name, copied to `word`; false when none is near. */
bool yk_selector_nearest_name(const yk_selector *selector, const yoke_device_info *infos, size_t count, char *word, size_t size);

#endif
