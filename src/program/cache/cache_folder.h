/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of the cache on disk: which folder the environment names, and whether it may be used. */
#ifndef YK_CACHE_FOLDER_H
#define YK_CACHE_FOLDER_H

#include "base/process/process.h"
#include "base/system/file.h"

typedef struct yk_cache_folder {
    yk_folder *folder; /* NULL: no cache */
    int32_t mode;
    bool is_ordered; /* the mode, by YOKE_CACHE */
    bool try_again;  /* it could not be opened for want of descriptors or memory, which says nothing of the folder */
    uint64_t limit;
    char path[sizeof((yoke_cache_info){ 0 }.folder)]; /* for messages: truncated when longer */
    char reason[sizeof((yoke_cache_info){ 0 }.reason)];
} yk_cache_folder;

/* Read the environment and open the folder. `folder` is always valid afterwards; only `mode` says whether it can be used. */
void yk_cache_folder_open(yk_cache_folder *folder);

#endif
