/* SPDX-License-Identifier: Apache-2.0 */
/* Sources, for building programs. The functions work on a copy that has the members of the running library's version. */
#ifndef YK_SOURCE_H
#define YK_SOURCE_H

#include "backend_api.h"
#include "base/process/process.h"
#include "objects/objects.h"

/* The language of this word, "cuda" or "opencl"; false when there is none. */
bool yk_source_language(const char *word, yk_language *out_language);
/* The text in a language, which may lack a NUL terminator. */
const char *yk_source_text_in(const yoke_source *source, yk_language language, size_t *out_size);
/* After its text has failed to compile: append to the failure what the text lacks, if that can be told. */
void yk_source_hint(const yk_text *text);

/* As yk_source_check, without a device: the text in this language is needed. */
yoke_status yk_source_check_in(const char *function, yk_language language, const yoke_source *source);
/* The file of the source's text in a language, or NULL; *out_member begins the names of yoke_source's members for that text, as
 * "cuda". */
const char *yk_source_file_path(const yoke_source *source, yk_language language, const char **out_member);

/* What a source's file needs; zero: the source has none (source_file.c). */
typedef struct yk_source_file {
    yk_text text;
    char *folder;
    const char **folders; /* source->include_folders, and the folder */
} yk_source_file;

/* What whoever takes a source of the caller's begins with: copy the caller's struct, whose version may be older or newer, and read
 * the file of the text in this language, if the source names one. *out_source then has the file's text as its text in this
 * language, and the file's folder as the last of the include folders. It must not be used after yk_source_close. */
yoke_status yk_source_open(const char *function, yk_language language, const yoke_source *caller_source, yoke_source *out_source,
                           yk_source_file *file);
/* The same, for building it on this device: also checks the source. */
yoke_status yk_source_open_for(const char *function, const yoke_device *device, const yoke_source *caller_source,
                               yoke_source *out_source, yk_source_file *file);
void yk_source_close(yk_source_file *file);

/* YOKE_OK, or YOKE_E_INVALID_ARGUMENT, which says why the source does not suit this device. Opens no file. */
yoke_status yk_source_check(const char *function, const yoke_device *device, const yoke_source *source);
/* The text in the device's language; NULL where the source has only compiled code. */
const char *yk_source_text(const yoke_device *device, const yoke_source *source, size_t *out_size);
/* Replace the source's texts by this text, in this language. The file that the text is from stays, for the headers beside it. */
void yk_source_set_text(yk_language language, yoke_source *source, const char *text, size_t size);
/* A copy of the source and everything that it points to, except the texts in other languages: one allocation, for free(). NULL
 * and a record when out of memory. */
yoke_source *yk_source_copy(const yoke_device *device, const yoke_source *source);

#endif
