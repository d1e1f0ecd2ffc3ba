/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a C file is made of, as a rule for make and Ninja: those that are named, and the headers that they include. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc.h"

/* Append a name, with a backslash before what is special to make. */
static void add_name(tool_string *rule, const char *name, size_t length)
{
    tool_add(rule, " ");
    for (size_t i = 0; i < length; i++) {
        if (strchr(" #\\", name[i]))
            tool_add(rule, "\\");
        tool_add(rule, name[i] == '$' ? "$$" : "%c", name[i]);
    }
}

static bool is_before(const char *text, const char *line, size_t length)
{
    for (const char *at = strstr(text, "#line "); at && at < line; at = strstr(at + 1, "#line ")) {
        const char *quote = strchr(at, '"');
        if (quote && quote + 1 < line && strncmp(quote + 1, line, length) == 0 && quote[1 + length] == '"')
            return true;
    }
    return false;
}

/* Yoke marks where each header begins by a #line. Some have no file, as <yoke/types.h>. */
static bool add_headers(const tool_command *command, tool_string *rule, const char *path, const char *text)
{
    bool fine = true;
    for (const char *at = text; *at && fine;) {
        size_t length = strcspn(at, "\n"), name_length;
        const char *quote = strncmp(at, "#line ", 6) == 0 ? memchr(at, '"', length) : NULL;
        const char *end = quote ? memchr(quote + 1, '"', length - (size_t)(quote + 1 - at)) : NULL;
        name_length = end ? (size_t)(end - quote - 1) : 0;
        char *name = tool_text("%.*s", (int)name_length, quote ? quote + 1 : "");
        if (name_length > 0 && strcmp(name, path) != 0 && access(name, F_OK) == 0 && !is_before(text, quote + 1, name_length)) {
            fine = cc_fits_rule(name);
            add_name(rule, name, name_length);
        }
        if (!fine)
            tool_complain(command, "--depfile: a rule cannot name %s, which " CC_NO_RULE, name);
        free(name);
        at += length + (at[length] == '\n');
    }
    return fine;
}

char *cc_list_files(const tool_command *command, const cc_options *o)
{
    tool_string rule = { 0 };
    bool fine = true;
    add_name(&rule, o->output, strlen(o->output));
    tool_add(&rule, ":");
    for (int i = 0; i < 2 && fine; i++) {
        const cc_form *form = &o->forms[i];
        size_t size;
        char *text = form->path ? cc_expand(o, form, &size) : NULL;
        if (form->path)
            add_name(&rule, form->path, strlen(form->path));
        fine = !text || add_headers(command, &rule, form->path, text);
        free(text);
    }
    tool_add(&rule, "\n");
    if (!fine) {
        free(rule.data);
        return NULL;
    }
    memmove(rule.data, rule.data + 1, rule.length); /* the blank before the first name */
    return rule.data;
}
