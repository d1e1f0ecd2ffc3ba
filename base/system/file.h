/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and folders. Paths are UTF-8 with '/' between their parts. An open file is a small number, is closed in programs that are
 * started, and never waits: a pipe or a terminal is opened at once. Functions that return an int return an errno value, others set
 * errno.
 */
#ifndef YK_SYSTEM_FILE_H
#define YK_SYSTEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum yk_file_kind { YK_FILE_OTHER, YK_FILE_REGULAR, YK_FILE_FOLDER } yk_file_kind;

typedef struct yk_file_facts {
    yk_file_kind kind;
    bool is_own;           /* of the user with whose rights the process runs */
    uint64_t size;         /* bytes */
    int64_t seconds;       /* when it was changed last */
    long nanoseconds;
    uint64_t disk, number; /* which file it is */
} yk_file_facts;

typedef enum yk_file_use {
    YK_FILE_READ,   /* no link */
    YK_FILE_FOLLOW, /* read, through links */
    YK_FILE_CHANGE, /* read and write, no link; created where there is none */
    YK_FILE_APPEND, /* write at the end, whatever others have written meanwhile; no link; created where there is none */
    YK_FILE_NEW     /* write; none of the name is there, and other users get no access */
} yk_file_use;

int yk_file_open(const char *path, yk_file_use use); /* -1: it cannot be opened; ELOOP: it is a link */
int yk_file_close(int file);
bool yk_file_get_facts(int file, yk_file_facts *out_facts);
/* Read or write all bytes; fewer are read only at the end of the file. -1: it cannot be read. */
ptrdiff_t yk_file_read(int file, void *bytes, size_t size);
ptrdiff_t yk_file_read_at(int file, void *bytes, size_t size, uint64_t at);
int yk_file_write(int file, const void *bytes, size_t size);
/* EFBIG: the file would exceed the process's limit, for which the system would end the process. */
int yk_file_write_at(int file, const void *bytes, size_t size, uint64_t at);
int yk_file_cut(int file, uint64_t size);
/* Keep the file for this process; EWOULDBLOCK: another one has it. */
int yk_file_lock(int file);
void yk_file_touch(int file); /* it was changed now */
/* Whether this process may write a file of that size. */
bool yk_file_may_have(uint64_t size);

bool yk_path_is_absolute(const char *path);
char *yk_path_real(const char *path); /* absolute and without links, to be freed; NULL: there is none */
bool yk_path_is_there(const char *path);
bool yk_path_get_facts(const char *path, yk_file_facts *out_facts); /* links are followed */

/* An open folder, which stays this one whatever becomes of its path. */
typedef struct yk_folder yk_folder;

/* NULL: it cannot be opened; ELOOP: it is a link, and `follow` is false. */
yk_folder *yk_folder_open(const char *path, bool follow);
void yk_folder_close(yk_folder *folder);
/* Create the folder and those above it, for this user alone; opening it tells whether that went well. */
void yk_folder_make(char *path);
/* Whether only this user may change what is in the folder; false: `reason` says who else may. */
bool yk_folder_is_own(const yk_folder *folder, char *reason, size_t size);
int yk_folder_check_writable(const yk_folder *folder);

/* What is in the folder, as names, the last followed by NULL; NULL: out of memory, or it cannot be read. In the order of bytes. */
char **yk_folder_list(const yk_folder *folder);
void yk_folder_list_free(char **names);
int yk_folder_open_file(const yk_folder *folder, const char *name, yk_file_use use);
bool yk_folder_get_facts(const yk_folder *folder, const char *name, yk_file_facts *out_facts); /* of a link itself */
int yk_folder_rename(const yk_folder *folder, const char *from, const char *to); /* a file `to` is replaced at once */
void yk_folder_remove(const yk_folder *folder, const char *name);

#endif
