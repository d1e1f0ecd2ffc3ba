/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing what was compiled: a file of code, or a C file whose function returns a yoke_source with the texts and all of the code.
 * The C file is C99 and C++11, and the same bytes every time. Bytes are written as numbers: nothing has to be escaped, and no
 * string is too long for a compiler.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc.h"

static void add_bytes(tool_string *file, const char *name, const char *bytes, size_t size, bool text)
{
    char *line = tool_alloc(32 * 4 + 1);
    tool_add(file, "static const unsigned char %s[] = {\n", name);
    for (size_t at = 0; at < size; at += 32) {
        size_t used = 0, end = at + 32 < size ? at + 32 : size;
        for (size_t i = at; i < end; i++)
            used += (size_t)sprintf(line + used, "%u,", (unsigned char)bytes[i]);
        tool_add(file, "%s\n", line);
    }
    tool_add(file, text ? "0\n};\n\n" : "};\n\n");
    free(line);
}

/* A string of C. */
static void add_string(tool_string *file, const char *string)
{
    tool_add(file, "\"");
    for (const char *c = string; *c; c++) {
        if (strchr("\"\\?", *c))
            tool_add(file, "\\%c", *c);
        else if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            tool_add(file, "\\%03o", (unsigned char)*c);
        else
            tool_add(file, "%c", *c);
    }
    tool_add(file, "\"");
}

static void add_strings(tool_string *file, const char *name, const char *const *strings, size_t count)
{
    if (count == 0)
        return;
    tool_add(file, "static const char *const %s[] = { ", name);
    for (size_t i = 0; i < count; i++) {
        add_string(file, strings[i]);
        tool_add(file, ", ");
    }
    tool_add(file, "NULL };\n\n");
}

/* How many bytes of this absolute path are a folder that the command line names, and how it does. */
static size_t find_folder(const cc_options *o, const cc_form *form, const char *path, const char **out_typed)
{
    for (size_t i = 0; form->include_folders[i]; i++) {
        const char *folder = form->include_folders[i];
        size_t length = strlen(folder);
        if (strncmp(path, folder, length) != 0 || path[length] != '/')
            continue;
        *out_typed = form->typed_folder;
        for (size_t j = 0; folder != form->folder && j < o->folder_count; j++)
            if (o->folders[j] == folder)
                *out_typed = o->typed_folders[j];
        return length;
    }
    return 0;
}

/* The text, in which the folders are as the command line has them, so that it is the same in every folder. */
static bool add_text(const tool_command *command, const cc_options *o, const cc_form *form, tool_string *file)
{
    tool_string shown = { 0 };
    size_t size;
    char *text = cc_expand(o, form, &size), *array = tool_text("%s_text", form->backend);
    if (!text) {
        tool_complain(command, "%s", yoke_error()->text);
        free(array);
        return false;
    }
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n"), folder = 0;
        const char *quote = strncmp(at, "#line ", 6) == 0 ? memchr(at, '"', length) : NULL, *typed = "";
        length += at[length] == '\n';
        if (quote)
            folder = find_folder(o, form, quote + 1, &typed);
        if (folder > 0) {
            tool_add_bytes(&shown, at, (size_t)(quote + 1 - at));
            tool_add(&shown, "%s", typed);
            length -= (size_t)(quote + 1 + folder - at);
            at = quote + 1 + folder;
        }
        tool_add_bytes(&shown, at, length);
        at += length;
    }
    add_bytes(file, array, shown.data ? shown.data : "", shown.length, true);
    free(shown.data);
    free(text);
    free(array);
    return true;
}

/* ---- Code ---- */

/* Machine code before PTX, and of each kind the newest first: a device takes the first that it accepts. */
static int compare(const void *one, const void *other)
{
    const cc_code *left = one, *right = other;
    bool left_is_ptx = left->target[0] == 'c', right_is_ptx = right->target[0] == 'c';
    int left_number = atoi(left->target + strcspn(left->target, "0123456789"));
    int right_number = atoi(right->target + strcspn(right->target, "0123456789"));
    if (left_is_ptx != right_is_ptx)
        return left_is_ptx ? 1 : -1;
    return left_number != right_number ? right_number - left_number : strcmp(right->target, left->target);
}

static size_t add_codes(const cc_options *o, tool_string *file)
{
    tool_string list = { 0 };
    for (int i = 0; i < 2; i++) {
        const cc_form *form = &o->forms[i];
        if (form->code_count > 0)
            qsort(form->codes, form->code_count, sizeof *form->codes, compare);
        for (size_t j = 0; j < form->code_count; j++) {
            char *array = tool_text("code_%s", form->codes[j].target);
            add_bytes(file, array, form->codes[j].bytes, form->codes[j].size, false);
            tool_add(&list, "    { %s, sizeof %s },\n", array, array);
            free(array);
        }
    }
    if (list.data)
        tool_add(file, "static const yoke_code compiled[] = {\n%s    { NULL, 0 },\n};\n\n", list.data);
    size_t length = list.length;
    free(list.data);
    return length;
}

/* ---- Files ---- */

#define MADE "/* Made by yoke cc. */\n"

/* Not a pipe or a device, which is written to and stays. */
static bool is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* A file of the same name that someone has written, as FILE.h beside FILE.c, is not replaced. */
static bool may_replace(const tool_command *command, const char *path)
{
    size_t size = 0;
    if (!is_regular(path))
        return true;
    char *old = tool_read_file(path, &size);
    bool may = !old || size == 0 || strncmp(old, MADE, strlen(MADE)) == 0;
    free(old);
    if (!may)
        tool_complain(command, "%s is there, and was not made by yoke cc: it is left as it is; give -o another name", path);
    return may;
}

static int write_file(const tool_command *command, const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    bool fine = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0)
        fine = false;
    if (fine)
        return TOOL_FINE;
    tool_complain(command, "%s cannot be written: %s", path, strerror(errno));
    if (file && is_regular(path))
        unlink(path); /* no half of a file, which a build would take for a whole one */
    return TOOL_WRONG;
}

static void add_function(const cc_options *o, const char *name, bool has_code, tool_string *file)
{
    tool_add(file, "yoke_source %s_source(void)\n{\n    yoke_source source = YOKE_SOURCE_INIT;\n    source.name = \"%s\";\n", name,
             name);
    for (int i = 0; i < 2; i++)
        if (o->forms[i].path)
            tool_add(file, "    source.%s = (const char *)%s_text;\n    source.%s_size = sizeof %s_text - 1;\n",
                     o->forms[i].backend, o->forms[i].backend, o->forms[i].backend, o->forms[i].backend);
    if (o->define_count)
        tool_add(file, "    source.defines = defines;\n");
    if (o->name_count)
        tool_add(file, "    source.name_expressions = name_expressions;\n");
    if (o->math != YOKE_MATH_DEFAULT)
        tool_add(file, "    source.math = %s;\n", o->math == YOKE_MATH_FAST ? "YOKE_MATH_FAST" : "YOKE_MATH_EXACT");
    for (int i = 0; i < 2; i++) {
        const char *standard = i ? o->opencl_std : o->cuda_std;
        if (standard) {
            tool_add(file, "    source.%s_std = ", i ? "opencl" : "cuda");
            add_string(file, standard);
            tool_add(file, ";\n");
        }
    }
    if (has_code)
        tool_add(file, "    source.compiled = compiled;\n");
    tool_add(file, "    return source;\n}\n");
}

static int write_header(const tool_command *command, const char *path, const char *name)
{
    char *guard = tool_text("%s_SOURCE_H", name); /* in the name's own case, by which names may differ alone */
    char *text = tool_text(MADE "#ifndef %s\n#define %s\n\n#include <yoke/yoke.h>\n\n"
                                "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                                "/* The kernels' source, for yoke_program_build. What it points to is static. */\n"
                                "yoke_source %s_source(void);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
                           guard, guard, name);
    int code = write_file(command, path, text, strlen(text));
    free(text);
    free(guard);
    return code;
}

static int write_source(const tool_command *command, const cc_options *o)
{
    tool_string file = { 0 };
    char *name = cc_name(o), *header = cc_header(o);
    const char *base = strrchr(header, '/');
    tool_add(&file, MADE "#include <stddef.h>\n\n#include \"%s\"\n\n", base ? base + 1 : header);
    bool fine = true;
    for (int i = 0; i < 2 && fine; i++)
        fine = !o->forms[i].path || add_text(command, o, &o->forms[i], &file);
    fine = fine && may_replace(command, o->output) && may_replace(command, header);
    int code = TOOL_WRONG;
    if (fine) {
        add_strings(&file, "defines", o->defines, o->define_count);
        add_strings(&file, "name_expressions", o->name_expressions, o->name_count);
        bool has_code = add_codes(o, &file) > 0;
        add_function(o, name, has_code, &file);
        code = write_header(command, header, name);
    }
    if (code == TOOL_FINE)
        code = write_file(command, o->output, file.data, file.length);
    free(file.data);
    free(header);
    free(name);
    return code;
}

static int write_output(const tool_command *command, const cc_options *o)
{
    const cc_form *form = &o->forms[cc_ends(o->output, ".spv")];
    if (cc_ends(o->output, ".c"))
        return write_source(command, o);
    if (form->code_count > 0)
        return write_file(command, o->output, form->codes[0].bytes, form->codes[0].size);
    tool_complain(command, "%s", form->why ? form->why : "there is no code to write");
    return TOOL_WRONG;
}

int cc_write(const tool_command *command, const cc_options *o)
{
    char *rule = o->depfile ? cc_list_files(command, o) : NULL;
    if (o->depfile && !rule)
        return TOOL_WRONG;
    int code = write_output(command, o);
    if (code == TOOL_FINE && rule)
        code = write_file(command, o->depfile, rule, strlen(rule));
    free(rule);
    return code;
}
