/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is cut from a report before it leaves the machine: names of the user and the machine, and the folders of all paths. Drivers
 * and compilers print paths of their caches and of temporary files, in which such names are.
 */
#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"

enum { MOST_BYTES = 4000, SHORTEST_NAME = 2 };

/* ---- The words ---- */

/* "/" and "/tmp" tell nothing of anyone, and the rule for paths takes them. */
static void add_path(private_words *words, const char *path)
{
    size_t length = path ? strlen(path) : 0;
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length < 2 || *path != '/' || words->path_count == YK_COUNT_OF(words->paths))
        return;
    size_t at = words->path_count++;
    for (; at > 0 && strlen(words->paths[at - 1]) < length; at--)
        words->paths[at] = words->paths[at - 1];
    words->paths[at] = tool_text("%.*s", (int)length, path);
}

/* What every machine may be called hides nothing, and would be missed in other texts. */
static void add_name(private_words *words, const char *name)
{
    static const char *const usual[] = { "root", "localhost", "localhost.localdomain", "(none)" };
    if (!name || strlen(name) < SHORTEST_NAME || words->name_count == YK_COUNT_OF(words->names))
        return;
    for (size_t i = 0; i < YK_COUNT_OF(usual); i++)
        if (strcmp(name, usual[i]) == 0)
            return;
    words->names[words->name_count++] = tool_text("%s", name);
}

void private_find(private_words *words)
{
    static const char *const folders[] = { "HOME", "TMPDIR", "XDG_CACHE_HOME", "YOKE_CACHE_DIR", "PWD" };
    static const char *const names[] = { "USER", "LOGNAME", "SUDO_USER", "HOSTNAME" };
    const struct passwd *user = getpwuid(getuid());
    struct utsname system;
    *words = (private_words){ 0 };
    for (size_t i = 0; i < YK_COUNT_OF(folders); i++)
        add_path(words, getenv(folders[i]));
    add_path(words, user ? user->pw_dir : NULL);
    for (size_t i = 0; i < YK_COUNT_OF(names); i++)
        add_name(words, getenv(names[i]));
    add_name(words, user ? user->pw_name : NULL);
    if (uname(&system) == 0) {
        add_name(words, system.nodename);
        char *domain = strchr(system.nodename, '.');
        if (domain)
            *domain = '\0';
        add_name(words, domain ? system.nodename : NULL);
    }
}

void private_free(private_words *words)
{
    for (size_t i = 0; i < words->path_count; i++)
        free(words->paths[i]);
    for (size_t i = 0; i < words->name_count; i++)
        free(words->names[i]);
}

/* ---- Cutting ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The length of the folder of the user that begins here; 0: none does. */
static size_t own_folder(const private_words *words, const char *at)
{
    for (size_t i = 0; i < words->path_count; i++) {
        size_t length = strlen(words->paths[i]);
        if (strncmp(at, words->paths[i], length) == 0 && !is_word(at[length]))
            return length;
    }
    return 0;
}

/* Also as a part of what has other parts: "pocl-alice_1". */
static size_t own_name(const private_words *words, char last, const char *at)
{
    for (size_t i = 0; i < words->name_count && !isalnum((unsigned char)last); i++) {
        size_t length = strlen(words->names[i]);
        if (strncmp(at, words->names[i], length) == 0 && !isalnum((unsigned char)at[length]))
            return length;
    }
    return 0;
}

/* The length of a path from here on, to the last slash in it; 0: it is none, or has one name only. */
static size_t folders(const char *at, const char *ends)
{
    size_t length = strcspn(at, ends), last = 0;
    for (size_t i = 1; i < length && !(at[i - 1] == ' ' && at[i] == '/'); i++) /* another path begins there */
        if (at[i] == '/')
            last = i;
    return last;
}

/* The last name below /home is a user's. */
static size_t any_folders(const char *at)
{
    static const char ends[] = " \t\n'\"`,;:()<>=|[]{}", homes[] = "/home";
    bool begins = *at == '/' || (at[0] == '~' && at[1] == '/');
    size_t length = begins ? folders(at, ends) : 0;
    return length == strlen(homes) && strncmp(at, homes, length) == 0 ? strcspn(at, ends) : length;
}

/* With what is below it, where folders may have blanks in their names. */
static size_t own_folders(const private_words *words, const char *at)
{
    size_t length = own_folder(words, at);
    return length && at[length] == '/' ? length + folders(at + length, "\t\n'\"`,;:()<>=|[]{}") : length;
}

/* 8-4-4-4-12 hexadecimal digits: they tell one device from all others. */
static size_t uuid(const char *at)
{
    static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    for (size_t i = 0; shape[i]; i++)
        if (shape[i] == '-' ? at[i] != '-' : !isxdigit((unsigned char)at[i]))
            return 0;
    return strlen(shape);
}

static char before(const char *text, const char *at)
{
    if (at == text)
        return ' ';
    return at[-1];
}

/* Whether a path may begin here: no word goes before its slash ("1/2" is none), but for a compiler's option, as "-I". */
static bool may_begin(const char *text, const char *at)
{
    char last = before(text, at);
    bool option = at > text + 1 && at[-2] == '-' && isalpha((unsigned char)last);
    return option || (last != '.' && (!is_word(last) || last == '-'));
}

/* What is private here, and what stands in its place; 0: nothing is. */
static size_t private_length(const private_words *words, const char *text, const char *at, const char **out_place)
{
    size_t length = uuid(at);
    *out_place = "(uuid)";
    if (length > 0)
        return length;
    *out_place = "...";
    length = own_folders(words, at);
    if (length == 0 && may_begin(text, at))
        length = any_folders(at);
    if (length > 0)
        return length;
    *out_place = "(private)";
    return own_name(words, before(text, at), at);
}

char *private_cut(const private_words *words, const char *text)
{
    tool_string out = { 0 };
    const char *place;
    tool_add(&out, "%s", "");
    for (const char *at = text; *at;) {
        size_t length = private_length(words, text, at, &place);
        if (length > 0)
            tool_add(&out, "%s", place);
        else
            tool_add_bytes(&out, at, 1);
        at += length ? length : 1;
    }
    tool_clean(out.data);
    for (char *at = out.data; *at; at++)
        if (*at == '\n')
            *at = ' ';
    if (out.length > MOST_BYTES) {
        size_t end = MOST_BYTES - 4;
        while ((out.data[end] & 0xC0) == 0x80) /* no part of a character */
            end--;
        strcpy(out.data + end, " ...");
    }
    return out.data;
}
