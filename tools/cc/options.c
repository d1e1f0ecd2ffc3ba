/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `yoke cc`: which files, how they are compiled, what is written; and whether all of that fits together. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

bool cc_ends(const char *path, const char *suffix)
{
    size_t length = path ? strlen(path) : 0, part = strlen(suffix);
    return length > part && strcmp(path + length - part, suffix) == 0;
}

char *cc_name(const cc_options *o)
{
    const char *path = o->forms[0].path ? o->forms[0].path : o->forms[1].path, *base = strrchr(path, '/');
    base = o->name ? o->name : base ? base + 1 : path;
    size_t length = o->name ? strlen(base) : strcspn(base, ".");
    char *name = tool_text("%s%.*s", isdigit((unsigned char)*base) ? "_" : "", (int)length, base);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return name;
}

char *cc_header(const cc_options *o)
{
    if (!cc_ends(o->output, ".c"))
        return NULL;
    return tool_text("%.*sh", (int)strlen(o->output) - 1, o->output);
}

static bool add_to(const char **list, size_t *count, const char *value)
{
    if (*count + 1 >= CC_MOST) /* a NULL ends it */
        return false;
    list[(*count)++] = value;
    return true;
}

/* Include folders have to be absolute. */
static int add_folder(const tool_command *command, cc_options *o, const char *folder)
{
    char *path = realpath(folder, NULL);
    if (!path)
        return tool_misused(command, "-I %s: %s", folder, strerror(errno));
    size_t index = o->folder_count;
    if (add_to(o->folders, &o->folder_count, path)) {
        o->typed_folders[index] = folder;
    } else {
        free(path);
        return tool_misused(command, "more than %d times -I", CC_MOST - 1);
    }
    return TOOL_FINE;
}

/* A header in "" is searched first in the folder of the file that includes it, as with every compiler. */
static void set_include_folders(const cc_options *o, cc_form *form)
{
    const char *slash = strrchr(form->path, '/');
    size_t count = 0;
    form->typed_folder = tool_text("%.*s", slash > form->path ? (int)(slash - form->path) : 1, slash ? form->path : ".");
    form->folder = realpath(form->typed_folder, NULL);
    if (form->folder)
        form->include_folders[count++] = form->folder;
    for (size_t i = 0; i < o->folder_count; i++)
        form->include_folders[count++] = o->folders[i];
}

static int add_file(const tool_command *command, cc_options *o, const char *path)
{
    const char *suffix = strrchr(path, '.');
    bool both = suffix && strcmp(suffix, ".yk") == 0, known = both;
    for (int i = 0; i < 2; i++) {
        cc_form *form = &o->forms[i];
        bool is_own = suffix && (strcmp(suffix, i == 0 ? ".cu" : ".cl") == 0 || (i == 0 && strcmp(suffix, ".cuh") == 0));
        if (!is_own && !both)
            continue;
        known = true;
        if (form->path)
            return tool_misused(command, "%s and %s: one file of each language", form->path, path);
        form->path = path;
        form->text = tool_read_file(path, &form->size);
        if (!form->text) {
            tool_complain(command, "%s: %s", path, strerror(errno));
            return TOOL_USAGE;
        }
    }
    if (!known)
        return tool_misused(command, "%s: what a file is shows in its name, which has to end in .cu or .cuh, .cl, or .yk for both",
                            path);
    return TOOL_FINE;
}

static bool is_architecture(const char *word)
{
    size_t digits = 0;
    const char *at = strncmp(word, "sm_", 3) == 0 ? word + 3 : strncmp(word, "compute_", 8) == 0 ? word + 8 : "";
    for (; isdigit((unsigned char)*at); at++)
        digits++;
    return digits > 1 && digits < 5 && (!*at || (islower((unsigned char)*at) && !at[1]));
}

/* "sm_80,sm_90": the list is cut up, and lasts as long as the command line. */
static int add_architectures(const tool_command *command, cc_options *o, char *list)
{
    if (!list[strspn(list, ",")])
        return tool_misused(command, "--arch '%s' names no architecture; examples are sm_90, and compute_90 for PTX", list);
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
        bool is_named = false;
        if (!is_architecture(word))
            return tool_misused(command, "--arch %s: an architecture is named as sm_90, or as compute_90 for PTX", word);
        for (size_t i = 0; i < o->architecture_count; i++)
            is_named = is_named || strcmp(o->architectures[i], word) == 0;
        if (!is_named && !add_to(o->architectures, &o->architecture_count, word))
            return tool_misused(command, "more than %d architectures", CC_MOST - 1);
    }
    return TOOL_FINE;
}

static bool is_identifier(const char *word)
{
    for (const char *at = word; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return *word && !isdigit((unsigned char)*word);
}

/* The versions that some compiler knows. With -o FILE.c none may be asked, and a mistyped one would only be found by the program.
 */
static int take_standard(const tool_command *command, const char *option, const char *word, const char *const *known,
                         const char **out_standard)
{
    tool_string list = { 0 };
    for (size_t i = 0; known[i]; i++) {
        if (strcmp(known[i], word) == 0)
            *out_standard = word;
        tool_add(&list, "%s%s", i == 0 ? "" : known[i + 1] ? ", " : " and ", known[i]);
    }
    int code = *out_standard == word
                   ? TOOL_FINE
                   : tool_misused(command, "%s %s: no compiler knows this version; there are %s", option, word, list.data);
    free(list.data);
    return code;
}

static int take_option(const tool_command *command, cc_options *o, int option)
{
    static const char *const cuda[] = { "03", "11", "14", "17", "20", "23", "26", NULL };
    static const char *const opencl[] = { "1.0", "1.1", "1.2", "2.0", "3.0", NULL };
    bool fits = true;
    switch (option) {
    case 'I':
        return add_folder(command, o, optarg);
    case 'D':
        fits = add_to(o->defines, &o->define_count, optarg);
        break;
    case 'a':
        return add_architectures(command, o, optarg);
    case 'd':
        fits = add_to(o->devices, &o->device_count, optarg);
        break;
    case 'n':
        fits = add_to(o->name_expressions, &o->name_count, optarg);
        break;
    case 'e':
        o->math = YOKE_MATH_EXACT;
        break;
    case 'f':
        o->math = YOKE_MATH_FAST;
        break;
    case 's':
        o->spirv = true;
        break;
    case 'C':
        return take_standard(command, "--cuda-std", optarg, cuda, &o->cuda_std);
    case 'O': /* as the compilers' option, CL3.0, or as in a yoke_source */
        return take_standard(command, "--opencl-std", strncmp(optarg, "CL", 2) == 0 ? optarg + 2 : optarg, opencl, &o->opencl_std);
    case 'N':
        if (!is_identifier(optarg))
            return tool_misused(command, "--name %s: a name consists of letters, digits and underscores", optarg);
        o->name = optarg;
        break;
    case 'M':
        o->depfile = optarg;
        break;
    case 'o':
        o->output = optarg;
        break;
    default:
        return cc_take_run_option(command, &o->run, option);
    }
    return fits ? TOOL_FINE : tool_misused(command, "an option more than %d times", CC_MOST - 1);
}

/* Devices that come later need PTX: that of the newest architecture, unless some is named. Code for an architecture with a letter,
 * as sm_90a, may use what later devices lack. */
static void add_ptx(cc_options *o)
{
    int newest = 0;
    for (size_t i = 0; i < o->architecture_count; i++) {
        const char *name = o->architectures[i], *number = strchr(name, '_') + 1;
        if (*name == 'c')
            return;
        if (!number[strspn(number, "0123456789")] && atoi(number) > newest)
            newest = atoi(number);
    }
    if (newest == 0)
        return;
    snprintf(o->ptx, sizeof o->ptx, "compute_%d", newest);
    (void)add_to(o->architectures, &o->architecture_count, o->ptx);
}

/* Whether a name has only what a text's #line, an #include and a rule for make can have. */
static bool is_plain(const char *name)
{
    bool plain = true;
    for (const char *c = name; c && *c && plain; c++)
        plain = (unsigned char)*c >= ' ' && !strchr("\"\\?", *c);
    return plain;
}

bool cc_fits_rule(const char *name)
{
    return is_plain(name) && (!name || (*name != '~' && !strpbrk(name, ":;*|%=[")));
}

/* Whether names can stand in what is written, the folders of headers included; headers are looked at where they are found. */
static int check_names(const tool_command *command, const cc_options *o)
{
    static const char rest[] = "has a quote, a question mark, a backslash or a control character, such as a newline";
    const char *slash = o->output ? strrchr(o->output, '/') : NULL;
    if (cc_ends(o->output, ".c") && !is_plain(slash ? slash + 1 : o->output))
        return tool_misused(command, "-o %s: the file includes its header by this name, which %s", o->output, rest);
    const char *folders[2 + CC_MOST], *names[] = { o->output, o->forms[0].path, o->forms[1].path };
    size_t count = 0;
    for (int i = 0; i < 2; i++)
        folders[count++] = o->forms[i].folder;
    for (size_t i = 0; i < o->folder_count; i++)
        folders[count++] = o->folders[i];
    for (size_t i = 0; o->depfile && i < count; i++)
        if (!is_plain(folders[i]))
            return tool_misused(command, "--depfile: a rule cannot name %s, which %s", folders[i], rest);
    for (size_t i = 0; o->depfile && i < sizeof names / sizeof names[0]; i++)
        if (!cc_fits_rule(names[i]))
            return tool_misused(command, "--depfile: a rule cannot name %s, which " CC_NO_RULE, names[i]);
    return TOOL_FINE;
}

/* Whether the rule would take the place of another file that is read or written. */
static bool is_depfile_taken(const cc_options *o)
{
    char *header = cc_header(o);
    const char *others[] = { o->output, header, o->forms[0].path, o->forms[1].path };
    bool taken = false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        taken = taken || tool_is_same_file(o->depfile, others[i]);
    free(header);
    return taken;
}

/* yoke_source is the type that the function returns. */
static int check_function(const tool_command *command, const cc_options *o)
{
    char *name = cc_name(o);
    bool fine = strcmp(name, "yoke") != 0;
    free(name);
    return fine ? TOOL_FINE
                : tool_misused(command, "the function cannot be called yoke_source, as its type is; --name gives it another name");
}

/* Whether --run and the others fit each other. */
static int check_run(const tool_command *command, const cc_options *o)
{
    const char *running = o->run.replay ? "--replay" : o->run.wanted ? "--run" : NULL;
    if (!o->run.wanted && o->run.other)
        return tool_misused(command, "%s is for --run", o->run.other);
    if (!running && o->run.either)
        return tool_misused(command, "%s is for --run and --replay", o->run.either);
    if (o->run.wanted && o->run.replay)
        return tool_misused(command, "--run makes data, and --replay has it");
    if (running && (o->output || o->architecture_count > 0 || o->spirv))
        return tool_misused(command, "%s compiles for its devices; -o, --arch and --spirv are without it", running);
    return TOOL_FINE;
}

/* Whether the options fit each other and what is to be written. */
static int check_output(const tool_command *command, const cc_options *o)
{
    const char *first = o->architecture_count ? o->architectures[0] : "";
    bool cubin = cc_ends(o->output, ".cubin"), ptx = cc_ends(o->output, ".ptx"), spirv = cc_ends(o->output, ".spv");
    if (o->architecture_count > 0 && !o->forms[0].path)
        return tool_misused(command, "--arch needs a .cu file");
    if ((o->spirv || spirv) && !o->forms[1].path)
        return tool_misused(command, "SPIR-V is made of a .cl or .yk file, and none is named");
    if (o->name && !cc_ends(o->output, ".c"))
        return tool_misused(command, "--name is for -o FILE.c");
    if (o->depfile && !o->output)
        return tool_misused(command, "--depfile is for -o FILE");
    if (!o->output)
        return TOOL_FINE;
    if (o->depfile && is_depfile_taken(o))
        return tool_misused(command, "--depfile %s: the rule has a file of its own", o->depfile);
    if (!cubin && !ptx && !spirv && !cc_ends(o->output, ".c"))
        return tool_misused(command, "-o %s: the name has to end in .c, .cubin, .ptx or .spv", o->output);
    if ((cubin || ptx) && o->architecture_count != 1)
        return tool_misused(command, "-o %s: a file of code is for one architecture; name it, as --arch %s", o->output,
                            cubin ? "sm_90" : "compute_90");
    if ((cubin || ptx) && cubin != (*first == 's'))
        return tool_misused(command, "-o %s and --arch %s: a cubin is made for sm_NN, PTX for compute_NN", o->output, first);
    if (cc_ends(o->output, ".c") && check_function(command, o) != TOOL_FINE)
        return TOOL_USAGE;
    return check_names(command, o);
}

int cc_read_options(const tool_command *command, int argc, char **argv, cc_options *o)
{
    static const struct option names[] = {
        { "arch", required_argument, NULL, 'a' },
        { "block", required_argument, NULL, CC_BLOCK },
        { "cuda-std", required_argument, NULL, 'C' },
        { "data", required_argument, NULL, CC_DATA },
        { "depfile", required_argument, NULL, 'M' },
        { "device", required_argument, NULL, 'd' },
        { "exact-math", no_argument, NULL, 'e' },
        { "fast-math", no_argument, NULL, 'f' },
        { "grid", required_argument, NULL, CC_GRID },
        { "kernel", required_argument, NULL, CC_KERNEL },
        { "name", required_argument, NULL, 'N' },
        { "name-expression", required_argument, NULL, 'n' },
        { "opencl-std", required_argument, NULL, 'O' },
        { "range", required_argument, NULL, CC_RANGE },
        { "replay", required_argument, NULL, CC_REPLAY },
        { "run", no_argument, NULL, CC_RUN },
        { "seed", required_argument, NULL, CC_SEED },
        { "shared", required_argument, NULL, CC_SHARED },
        { "size", required_argument, NULL, CC_SIZE },
        { "spirv", no_argument, NULL, 's' },
        { "type", required_argument, NULL, CC_TYPE },
        { "ulps", required_argument, NULL, CC_ULPS },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int code = TOOL_FINE;
    for (int option; code == TOOL_FINE && (option = tool_option(command, argc, argv, "hI:D:o:", names)) != -1;) {
        if (option == 'h')
            return tool_print_help(command, stdout), -1;
        code = take_option(command, o, option);
    }
    for (int i = optind; code == TOOL_FINE && i < argc; i++)
        code = add_file(command, o, argv[i]);
    if (code == TOOL_FINE && optind == argc)
        code = tool_misused(command, "no file to compile");
    for (int i = 0; i < 2; i++)
        if (o->forms[i].path)
            set_include_folders(o, &o->forms[i]);
    o->spirv = o->spirv || cc_ends(o->output, ".spv");
    if (code == TOOL_FINE)
        code = check_run(command, o);
    if (code == TOOL_FINE)
        code = check_output(command, o);
    if (code == TOOL_FINE && cc_ends(o->output, ".c"))
        add_ptx(o);
    return code;
}
