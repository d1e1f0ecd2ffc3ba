/* SPDX-License-Identifier: Apache-2.0 */
/* Where the two forms of a program differ, so that one launch could not serve both. */
#include <stdlib.h>
#include <string.h>

#include "base/type_name.h"

#include "cc.h"

static const struct {
    const char *word, *with_article;
} kinds[] = {
    [YOKE_PARAM_UNKNOWN] = { "", "of unknown kind" }, [YOKE_PARAM_VALUE] = { "value", "a value" },
    [YOKE_PARAM_BUFFER] = { "buffer", "a buffer" },   [YOKE_PARAM_LOCAL] = { "shared memory", "shared memory" },
    [YOKE_PARAM_IMAGE] = { "image", "an image" },
};
_Static_assert(YK_COUNT_OF(kinds) == YOKE_PARAM_IMAGE + 1, "words for each kind of parameter");

/* A number that is not a kind counts as an unknown kind. */
static size_t kind_index(int32_t kind)
{
    return kind >= 0 && (size_t)kind < YK_COUNT_OF(kinds) ? (size_t)kind : YOKE_PARAM_UNKNOWN;
}

const char *cc_kind_word(int32_t kind)
{
    return kinds[kind_index(kind)].word;
}

/* Only of types that both languages have: a struct or a typedef may have another name in each. */
static bool types_differ(const cc_param *one, const cc_param *other)
{
    yk_type left, right;
    return yk_type_read(true, one->type, &left) && yk_type_read(true, other->type, &right) &&
           (left.kind != right.kind || left.bytes != right.bytes || left.lanes != right.lanes || left.pointers != right.pointers);
}

/* The first thing in which two parameters differ, in words; NULL: in nothing. */
static char *difference(const cc_param *cuda, const cc_param *opencl)
{
    if (cuda->kind && opencl->kind && cuda->kind != opencl->kind)
        return tool_text("is %s in CUDA and %s in OpenCL", kinds[kind_index(cuda->kind)].with_article,
                         kinds[kind_index(opencl->kind)].with_article);
    if (cuda->bytes && opencl->bytes && cuda->bytes != opencl->bytes)
        return tool_text("has %u bytes in CUDA (%s) and %u in OpenCL (%s)", cuda->bytes, *cuda->type ? cuda->type : "?",
                         opencl->bytes, *opencl->type ? opencl->type : "?");
    if (types_differ(cuda, opencl))
        return tool_text("is '%s' in CUDA and '%s' in OpenCL", cuda->type, opencl->type);
    if (*cuda->name && *opencl->name && strcmp(cuda->name, opencl->name) != 0)
        return tool_text("is called '%s' in CUDA and '%s' in OpenCL", cuda->name, opencl->name);
    if (cuda->read_only >= 0 && opencl->read_only >= 0 && cuda->read_only != opencl->read_only)
        return tool_text("is const only in %s", cuda->read_only ? "CUDA" : "OpenCL");
    return NULL;
}

static const cc_kernel *find(const cc_form *form, const char *name)
{
    for (size_t i = 0; i < form->kernel_count; i++)
        if (strcmp(form->kernels[i].name, name) == 0)
            return &form->kernels[i];
    return NULL;
}

static size_t only_in(const cc_form *form, const cc_form *other, tool_string *words)
{
    size_t count = 0;
    for (size_t i = 0; i < form->kernel_count; i++)
        if (!find(other, form->kernels[i].name)) {
            tool_add(words, "  kernel %s: is only in %s\n", form->kernels[i].name, form->language);
            count++;
        }
    return count;
}

static size_t compare_kernels(const cc_kernel *cuda, const cc_kernel *opencl, tool_string *text)
{
    size_t differences = 0;
    if (!cuda->known || !opencl->known)
        return 0;
    if (cuda->count != opencl->count) {
        tool_add(text, "  kernel %s: %zu parameter%s in CUDA and %zu in OpenCL\n", cuda->name, cuda->count,
                 cuda->count == 1 ? "" : "s", opencl->count);
        return 1;
    }
    for (size_t i = 0; i < cuda->count; i++) {
        char *words = difference(&cuda->params[i], &opencl->params[i]);
        const char *name = *cuda->params[i].name ? cuda->params[i].name : opencl->params[i].name;
        if (words) {
            tool_add(text, "  kernel %s: parameter %zu%s%s%s %s\n", cuda->name, i + 1, *name ? " '" : "", name, *name ? "'" : "",
                     words);
            differences++;
        }
        free(words);
    }
    return differences;
}

size_t cc_compare(const cc_form *cuda, const cc_form *opencl, tool_string *words)
{
    size_t differences = only_in(cuda, opencl, words) + only_in(opencl, cuda, words);
    for (size_t i = 0; i < cuda->kernel_count; i++) {
        const cc_kernel *other = find(opencl, cuda->kernels[i].name);
        if (other)
            differences += compare_kernels(&cuda->kernels[i], other, words);
    }
    return differences;
}
