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
    char backend[16]; /* "" for any */
    yk_select_by by;
    int32_t number;   /* the index, or the YOKE_DEVICE_ kind */
    char text[128];   /* the UUID's 32 digits, the PCI address as in device infos, or part of a name */
    char origin[192]; /* where the selector comes from, for messages: "YOKE_DEVICE=cuda:1"; "" without a selector */
} yk_selector;

/* Parse a selector. `source` is its origin: a variable's name, or NULL for the program. YOKE_E_INVALID_ARGUMENT: malformed; the
 * record says what is allowed, and the nearest word. */
yoke_status yk_selector_parse(const char *source, const char *text, yk_selector *out);

/* Combine the caller's selector, or else the environment's YOKE_DEVICE, with YOKE_BACKEND. */
yoke_status yk_order_read(const char *selector, yk_selector *out);

/* The selector of YOKE_BACKEND alone. */
yoke_status yk_order_read_backend(yk_selector *out);

bool yk_selector_takes_backend(const yk_selector *selector, const char *backend);
bool yk_selector_takes(const yk_selector *selector, const yoke_device_info *info);

/* Sort best first: CUDA, then OpenCL GPU, accelerator, CPU, emulator; stable. */
void yk_rank(yoke_device_info *infos, size_t count);

/* "gpu" and so on; "device" for an unknown kind. */
const char *yk_device_kind_word(int32_t kind);

/* Copy to `word` the word of the devices' names that is nearest to the selector's text, for selectors by name; false when no
 * word is near. */
bool yk_selector_nearest_name(const yk_selector *selector, const yoke_device_info *infos, size_t count, char *word, size_t size);

#endif
