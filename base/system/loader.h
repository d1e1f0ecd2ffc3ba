/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared libraries: opening them, what they define, and which of them are in the process. A name without a folder is searched as
 * the system's loader searches, but never in the working folder. Nothing is ever closed.
 */
#ifndef YK_SYSTEM_LOADER_H
#define YK_SYSTEM_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/* Open a library by its name or path; NULL: yk_loader_why says why. */
void *yk_loader_open(const char *name);
/* The same, of a library that is in the process already. */
void *yk_loader_find(const char *name);
/* What the last failure of this thread was; a text that lives until the next call. */
const char *yk_loader_why(void);
/* Whether that failure says that there is no such file. */
bool yk_loader_is_absent(const char *name, const char *why);

/* A function of the library; NULL: it has none of this name. */
void *yk_loader_symbol(void *library, const char *name);
/* What a program that links the library of this function would call, where the user has put another library before it (LD_PRELOAD);
 * NULL: nobody has. */
void *yk_loader_stand_in(const char *symbol);

/* The file that an address lies in, without links, to be freed; NULL: none is known. */
char *yk_loader_path_of(const void *address);
/* Visit the files of the libraries in the process, until a visit returns other than 0. */
void yk_loader_each(int (*visit)(const char *path, void *user), void *user);
/* Whether the program can open libraries: one that is linked with -static cannot. */
bool yk_loader_works(void);
/* Take the loader's locks once, and release them. */
void yk_loader_take_locks(void);

#endif
