/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder to play in, and children that see the library for the first time: it reads the cache's environment only once in a
 * process. So main must never call a function of the cache itself.
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* In a child: note a failed condition, and go on. */
#define EXPECT(condition) sandbox_expect(!!(condition), __FILE__, __LINE__, #condition)
bool sandbox_expect(bool holds, const char *file, int line, const char *condition);

/* In a child that was started anew: how many conditions have failed. */
unsigned sandbox_failures(void);

/* Make the folder and go there; at the end remove it with all that is in it. */
void sandbox_enter(void);
void sandbox_leave(void);
/* The absolute path of a name in it; good until the next but three. */
const char *sandbox_path(const char *name);

/* A case: run fn in a child, with the variable set (NULL: taken out) beside YOKE_CACHE_DIR=<sandbox>/cache. */
void sandbox_case(const char *words, const char *name, const char *value, void (*fn)(void));
/* The child ends by itself and with 0. */
bool sandbox_reap(pid_t child);

/* Call fn, unless it is NULL, for each file in a folder whose name holds `part`; how many there are. */
size_t sandbox_each(const char *folder, const char *part, void (*fn)(const char *path, void *user), void *user);
/* Files: the names in a folder that hold `part`, and the last of them; a file's bytes, which the caller frees. */
size_t sandbox_count(const char *folder, const char *part, char *last, size_t size);
char *sandbox_read(const char *path, size_t *out_size);
bool sandbox_write(const char *path, const void *bytes, size_t size);
/* The file was last changed so many seconds ago. */
bool sandbox_age(const char *path, long seconds);
void sandbox_remove(const char *path);

#endif
