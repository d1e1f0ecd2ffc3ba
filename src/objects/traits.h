/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the core must know of a driver: the only place where a backend describes it. device_open sets the traits of a device, which
 * are zero before; nothing changes them afterwards. Zero means a driver without quirks, except for `fills_well` and `fill_reach`.
 */
#ifndef YK_OBJECTS_TRAITS_H
#define YK_OBJECTS_TRAITS_H

#include "base/macros.h"

/* The languages of kernels. Each has a text in yoke_source, and a line in the tables of program/source.c and launch/layout.c. */
typedef enum yk_language { YK_LANGUAGE_CUDA, YK_LANGUAGE_OPENCL, YK_LANGUAGE_COUNT } yk_language;

enum { YK_MAX_PATTERN = 16 }; /* bytes of a fill's pattern */

typedef struct yk_traits {
    /* Which text of a source program_build compiles. */
    yk_language language;

    /* The compiler reads headers of its own: program_include_folders. */
    bool reads_headers;

    /* To hand out a program's code, the driver compiles its kernels once more, and it has a cache of its own. */
    bool compiles_for_code;

    /* The driver keeps memory and code alive while submitted work uses them, so destroy may be called at any time. Without this,
     * the core waits until every stream has passed. */
    bool keeps_used_objects;

    /* The driver waits for running kernels, of whatever program and memory, when a program or memory is released, and blocks all
     * threads meanwhile: the core destroys them when the device has nothing to do, and memory when a thread waits for memory. */
    bool releases_wait;

    /* The driver returns an event for each command at no cost: write, read, copy, fill and launch then also record op->end, where
     * it is set. */
    bool records_with_operations;

    /* The kernels run on the host's cores, and a thread that blocks in the driver, event_wait, is woken sooner than one that polls
     * beside the driver's own threads, or one that sleeps until a notification. */
    bool waits_well;

    /* Host memory that was pinned for one device is pinned for every device of this backend. */
    bool pins_for_all_devices;

    /* The driver has a pool for ordered memory: buffer_create_ordered, and the pool_ slots. */
    bool driver_pool;

    /* Each part of a launch's shared memory is a parameter of the kernel: YOKE_ARG_LOCAL arguments reach the backend. Without this,
     * the core adds them up in op->u.launch.shared and omits them. Of the other kinds only YOKE_ARG_BUFFER, _INTEGER, _FLOATING
     * and _STRUCT reach a backend. */
    bool local_parameters;

    /* A kernel takes an image and its sampler as two parameters. Without this it takes one object for both. */
    bool sampler_parameters;

    /* The largest images, of two and of three dimensions. */
    uint64_t max_image[2][3];

    /* The device works in the host's memory. */
    bool in_host_memory;

    /* The driver copies pageable memory slowly, so Yoke stages large transfers itself (copy/staging.c). */
    bool copies_pageable_slowly;

    /* A small write captures its bytes when it is submitted, not when its turn comes. */
    bool captures_writes;

    /* A copy between the device and pageable memory ends sooner when the driver's call waits for it: transfer.sync is then set for
     * reads, and for small writes. */
    bool waits_in_copies;

    /* Submitting a read to pageable memory does not return before the read has run. */
    bool reads_block;

    /* Whether a fill with a pattern of this many bytes runs at memory speed. Otherwise the core uses a kernel (copy/fill.c). */
    bool fills_well[YK_MAX_PATTERN + 1];

    /* The driver's fills are correct up to this offset; beyond it the core uses a kernel. */
    uint64_t fill_reach;

    /* The driver's handles from 1 to this number name default streams. */
    uint8_t default_streams;
} yk_traits;

#endif
