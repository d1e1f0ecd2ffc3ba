/* SPDX-License-Identifier: Apache-2.0 */
/* Array files of NumPy: a header with a dictionary of Python, and the elements as they are in memory. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { NPY_FIXED = 10, NPY_LONG = 12 }; /* bytes before the dictionary, in version 1 and in later ones */

/* The dictionary, ended; *out_data is where the elements begin. NULL: the file is no array file. */
static char *read_header(const unsigned char *file, size_t size, size_t *out_data)
{
    if (size < NPY_LONG || memcmp(file, "\x93NUMPY", 6) != 0 || file[6] < 1 || file[6] > 3)
        return NULL;
    size_t begin = file[6] == 1 ? NPY_FIXED : NPY_LONG, length = file[8] | (size_t)file[9] << 8;
    if (file[6] > 1)
        length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (length > size - begin)
        return NULL;
    *out_data = begin + length;
    return tool_text("%.*s", (int)length, (const char *)file + begin);
}

/* What stands behind a key: "'descr': " has "'<f4'". NULL: there is no such key. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " :");
    return at;
}

/* "<f4'" is the type of one scalar, complex numbers being two. */
static bool read_type(const char *at, run_type *out)
{
    static const char letters[] = "biuf";
    static const yk_scalar_kind kinds[] = { YK_SCALAR_BOOL, YK_SCALAR_SIGNED, YK_SCALAR_UNSIGNED, YK_SCALAR_FLOATING };
    bool quoted = *at == '\'' && (at[1] == '<' || at[1] == '|'), complex = quoted && at[2] == 'c';
    const char *letter = quoted && at[2] ? strchr(letters, complex ? 'f' : at[2]) : NULL;
    if (!letter || !isdigit((unsigned char)at[3]))
        return false;
    char *end;
    long bytes = strtol(at + 3, &end, 10) / (complex ? 2 : 1);
    *out = (run_type){ kinds[letter - letters], (uint32_t)bytes };
    if (*end != '\'' || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
        return false;
    return (bytes == 1 || *letter != 'b') && (bytes > 1 || *letter != 'f');
}

/* The elements that "(3, 4)" has; false where it is no shape, or has more than there can be. */
static bool read_shape(const char *at, size_t *out_count)
{
    size_t count = 1;
    if (*at++ != '(')
        return false;
    for (at += strspn(at, " ,"); *at != ')'; at += strspn(at, " ,")) {
        char *end;
        if (!isdigit((unsigned char)*at))
            return false;
        errno = 0;
        unsigned long long extent = strtoull(at, &end, 10);
        if (errno || (extent && count > SIZE_MAX / 16 / extent))
            return false;
        count *= (size_t)extent;
        at = end;
    }
    *out_count = count;
    return true;
}

static const char *read_array(const char *header, run_type *out_type, size_t *out_size)
{
    const char *descr = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
               *shape = value_of(header, "'shape'");
    size_t count;
    if (!descr || !order || !shape || !read_shape(shape, &count))
        return "its header is not that of an array";
    if (strncmp(order, "False", 5) != 0)
        return "it is in the order of Fortran; numpy.ascontiguousarray makes one in the order of C";
    if (!read_type(descr, out_type))
        return "its elements are no numbers of 1 to 8 bytes in the order of this machine";
    *out_size = count * out_type->bytes * (descr[2] == 'c' ? 2 : 1);
    return NULL;
}

unsigned char *run_read_npy(const char *path, run_type *out_type, size_t *out_size, char **out_why)
{
    size_t size = 0, data = 0, bytes = 0;
    unsigned char *file = (unsigned char *)tool_read_file(path, &size), *elements = NULL;
    if (!file) {
        *out_why = tool_text("%s: %s", path, strerror(errno));
        return NULL;
    }
    char *header = read_header(file, size, &data);
    const char *why = header ? read_array(header, out_type, &bytes) : "it is no .npy file";
    if (!why && bytes != size - data)
        why = "it has not as many bytes as its header says";
    if (why) {
        *out_why = tool_text("%s: %s", path, why);
    } else {
        elements = tool_alloc(bytes + 1);
        memcpy(elements, file + data, bytes);
        *out_size = bytes;
    }
    free(header);
    free(file);
    return elements;
}
