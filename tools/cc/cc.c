/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `yoke cc`: both forms of a program, each compiled on a device of its backend: twins, or one text for both. A form that no device
 * here can compile is read as text, so that the forms can be compared on any machine.
 */
#include "cc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Devices ---- */

/* One of those that were asked for, when it is of this backend; else the backend's best. NULL with form->why. */
yoke_device *cc_open_device(const cc_options *o, cc_form *form)
{
    const char *order = getenv("YOKE_BACKEND"), *wanted = getenv("YOKE_DEVICE");
    yoke_device *device = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    for (size_t i = 0; i <= o->device_count; i++) {
        const char *selector = i < o->device_count ? o->devices[i] : wanted;
        if (!selector || !*selector || yoke_device_open(selector, &device) < 0)
            continue;
        if (yoke_device_get_info(device, &info) == YOKE_OK && strcmp(info.backend, form->backend) == 0)
            return device;
        yoke_device_release(device);
    }
    if (order && *order && strcasecmp(order, form->backend) != 0)
        form->why = tool_text("YOKE_BACKEND=%s leaves it out", order);
    else if (yoke_device_open(form->backend, &device) < 0)
        form->why = strcmp(form->backend, "cuda") == 0
                        ? tool_text("there is no CUDA device here (yoke info says why); --arch sm_90 compiles without one")
                        : tool_text("there is no device of the backend %s: %s", form->backend, yoke_error()->text);
    return device;
}

/* ---- Compiling ---- */

static void describe_kernel(cc_form *form, yoke_program *program, const char *name)
{
    cc_kernel *kernel = cc_add_kernel(form, name, strlen(name));
    yoke_kernel *handle;
    kernel->info = (yoke_kernel_info)YOKE_KERNEL_INFO_INIT;
    if (yoke_kernel_get(program, name, &handle) < 0 || yoke_kernel_get_info(handle, &kernel->info) < 0) {
        kernel->problem = tool_text("%s", yoke_error()->text);
        return;
    }
    kernel->known = kernel->info.parameters >= 0;
    for (int32_t i = 0; i < kernel->info.parameters; i++) {
        yoke_param_info info = YOKE_PARAM_INFO_INIT;
        if (yoke_kernel_get_param(handle, (size_t)i, &info) < 0)
            continue;
        cc_param *param = cc_add_param(kernel);
        param->kind = info.kind;
        param->read_only = info.read_only;
        param->bytes = info.bytes;
        snprintf(param->name, sizeof param->name, "%s", info.name);
        snprintf(param->type, sizeof param->type, "%s", info.type);
    }
}

static bool is_name_expression(const cc_options *o, const char *name)
{
    bool found = strncmp(name, "_Z", 2) == 0;
    for (size_t i = 0; i < o->name_count && !found; i++)
        found = strcmp(name, o->name_expressions[i]) == 0;
    return found;
}

/* Instances are looked up by their spelling, and not by the names that the compiler has made of it. */
static void describe_program(const cc_options *o, cc_form *form, yoke_program *program)
{
    bool name_expressions = o->name_count > 0 && strcmp(form->backend, "cuda") == 0;
    for (size_t i = 0; i < yoke_program_get_kernel_count(program); i++) {
        const char *name = yoke_program_get_kernel_name(program, i);
        if (!name_expressions || !is_name_expression(o, name))
            describe_kernel(form, program, name);
    }
    for (size_t i = 0; name_expressions && i < o->name_count; i++) {
        describe_kernel(form, program, o->name_expressions[i]);
        cc_spell_as_opencl(form->kernels[form->kernel_count - 1].name);
    }
}

static void compile(const cc_options *o, cc_form *form)
{
    yoke_source source = cc_source(o, form);
    yoke_program *program = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device = cc_open_device(o, form);
    form->state = CC_UNTRIED;
    if (!device)
        return;
    if (yoke_device_get_info(device, &info) == YOKE_OK)
        form->device = tool_text("%s (%s)", info.selector, info.name);
    yoke_status status = yoke_program_build(device, &source, &program);
    if (status == YOKE_E_UNAVAILABLE) { /* a device without a compiler */
        form->why = tool_text("%s", yoke_error()->text);
    } else {
        form->log = tool_text("%s", yoke_program_get_build_log());
        form->state = status < 0 ? CC_BROKEN : CC_COMPILED;
        form->why = status < 0 ? tool_text("%s", yoke_error()->text) : NULL;
    }
    if (form->state == CC_COMPILED)
        describe_program(o, form, program);
    yoke_program_release(program);
    yoke_device_release(device);
}

/* ---- Printing ---- */

static void print_param(const cc_param *param, size_t index)
{
    char bytes[32] = "";
    if (param->bytes)
        snprintf(bytes, sizeof bytes, "%u byte%s", param->bytes, param->bytes == 1 ? "" : "s");
    printf("    %2zu  %-16s %-20s %-14s %s%s\n", index + 1, *param->name ? param->name : "?", *param->type ? param->type : "?",
           cc_kind_word(param->kind), bytes, param->read_only == 1 ? ", const" : "");
}

static void print_kernel(const cc_form *form, const cc_kernel *kernel)
{
    const tool_colours *colours = tool_colours_of(stdout);
    printf("  kernel %s%s%s", colours->bold, kernel->name, colours->reset);
    if (!form->from_text && !kernel->problem) {
        printf(": blocks of up to %u threads", kernel->info.max_block_threads);
        if (kernel->info.registers >= 0)
            printf(", %d registers", (int)kernel->info.registers);
        if (kernel->info.static_shared_bytes)
            printf(", %llu bytes of shared memory", (unsigned long long)kernel->info.static_shared_bytes);
    }
    printf("\n");
    if (kernel->problem)
        printf("    %s%s%s\n", colours->yellow, kernel->problem, colours->reset);
    if (kernel->problem)
        return;
    if (!kernel->known)
        printf("    %s\n", form->from_text ? "it is declared in ways that differ" : "the driver does not tell its parameters");
    for (size_t i = 0; i < kernel->count; i++)
        print_param(&kernel->params[i], i);
}

/* `brief`: of the kernels only those with a problem. */
static void print_form(const cc_form *form, bool brief)
{
    const tool_colours *colours = tool_colours_of(stdout);
    printf("%s%s%s: ", colours->bold, form->path, colours->reset);
    if (form->state == CC_UNTRIED) {
        printf("%snot compiled%s:\n  ", colours->yellow, colours->reset);
        tool_wrap(stdout, 2, form->why);
    } else if (form->state == CC_BROKEN)
        printf("%sdoes not compile%s for %s\n", colours->red, colours->reset, form->device);
    else
        printf("%scompiles%s for %s\n", colours->green, colours->reset, form->device);
    for (const char *line = form->log ? form->log : ""; *line;) {
        size_t length = strcspn(line, "\n");
        if (length > 0)
            printf("  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (form->state == CC_BROKEN && (!form->log || !*form->log))
        printf("  "), tool_wrap(stdout, 2, form->why);
    if (form->kernel_count == 0 && form->state != CC_BROKEN)
        printf("  no kernel in it\n");
    else if (form->from_text && form->state != CC_BROKEN && !brief)
        printf("  Its kernels, as the text declares them:\n");
    for (size_t i = 0; i < form->kernel_count; i++)
        if (!brief || form->kernels[i].problem)
            print_kernel(form, &form->kernels[i]);
    if (!brief)
        printf("\n");
}

/* Whether the forms have the same kernels with the same parameters; what the kernels do is not compared. */
static bool print_difference(const cc_options *o, const cc_form *cuda, const cc_form *opencl)
{
    const tool_colours *colours = tool_colours_of(stdout);
    tool_string differences = { 0 };
    size_t count = cc_compare(cuda, opencl, &differences);
    if (count > 0)
        printf("%sThe forms differ%s in %zu place%s:\n%s", colours->red, colours->reset, count, count == 1 ? "" : "s",
               differences.data);
    else if (!o->output)
        printf("%sThe kernels and their parameters agree%s: %zu kernel%s\n", colours->green, colours->reset, cuda->kernel_count,
               cuda->kernel_count == 1 ? "" : "s");
    free(differences.data);
    return count == 0;
}

/* On a device, unless there is an architecture; with -o only on the devices that are named, so that a build needs none. */
static void compile_form(const cc_options *o, cc_form *form)
{
    bool cuda = strcmp(form->backend, "cuda") == 0;
    if (cuda && o->architecture_count > 0) {
        cc_compile_for(o, form, cc_ends(o->output, ".c") ? 0 : YOKE_COMPILE_BARE);
    } else if (!cuda && o->spirv) {
        form->device = tool_text("SPIR-V");
        form->state = cc_compile_spirv(o, form) ? CC_COMPILED : CC_BROKEN;
        if (form->state == CC_COMPILED)
            cc_read(o, form);
    } else if (o->output && o->device_count == 0) {
        form->state = CC_UNTRIED;
        form->why = tool_text("-o uses no device unless --device names it");
    } else {
        compile(o, form);
    }
    if (form->state == CC_UNTRIED) {
        cc_read(o, form);
        if (cuda)
            cc_check_names(o, form);
    }
}

/* Whether there is something to say of a form whose code is written. */
static bool is_notable(const cc_form *form)
{
    bool notable = form->state == CC_BROKEN || (form->log && *form->log);
    for (size_t i = 0; i < form->kernel_count; i++)
        notable = notable || form->kernels[i].problem;
    return notable;
}

static int report(const tool_command *command, cc_options *o)
{
    cc_form *forms = o->forms;
    bool tried = false, fine = true, both = true;
    for (int i = 0; i < 2; i++)
        if (forms[i].path)
            compile_form(o, &forms[i]);
    for (int i = 0; i < 2; i++) {
        if (forms[i].path && (!o->output || is_notable(&forms[i])))
            print_form(&forms[i], o->output != NULL);
        tried = tried || forms[i].state > CC_UNTRIED;
        fine = fine && forms[i].state != CC_BROKEN;
        both = both && forms[i].state != CC_ABSENT && forms[i].state != CC_BROKEN;
    }
    if (both && !print_difference(o, &forms[0], &forms[1]) && !o->output) /* a pair may differ on purpose, and is still a source */
        fine = false;
    if (!fine)
        return TOOL_WRONG;
    if (o->output && o->architecture_count > 0 && forms[0].state == CC_UNTRIED) {
        tool_complain(command, "%s", forms[0].why);
        return TOOL_WRONG;
    }
    if (o->output)
        return cc_write(command, o);
    return tried ? TOOL_FINE : TOOL_NO_DEVICE;
}

/* ---- The subcommand ---- */

/* A selector that opens nothing is an error, also when no form would need it. */
static int check_devices(const tool_command *command, const cc_options *o)
{
    for (size_t i = 0; i < o->device_count; i++) {
        yoke_device *device;
        if (yoke_device_open(o->devices[i], &device) < 0)
            return tool_no_device(command);
        yoke_device_release(device);
    }
    return TOOL_FINE;
}

static int run(const tool_command *command, int argc, char **argv)
{
    cc_options o = { .forms = { { .language = "CUDA", .backend = "cuda" }, { .language = "OpenCL", .backend = "opencl" } } };
    int code = cc_read_options(command, argc, argv, &o);
    if (!o.run.wanted && !o.run.replay)
        setenv("YOKE_CACHE", "off", 1); /* what comes from the cache has no log */
    if (code == TOOL_FINE && !tool_backend_exists(command))
        code = TOOL_USAGE;
    if (code == TOOL_FINE)
        code = check_devices(command, &o);
    if (code == TOOL_FINE)
        code = o.run.wanted ? cc_run_forms(command, &o) : o.run.replay ? cc_replay(command, &o) : report(command, &o);
    for (int i = 0; i < 2; i++)
        cc_free_form(&o.forms[i]);
    for (size_t i = 0; i < o.folder_count; i++)
        free((char *)o.folders[i]);
    return code < 0 ? TOOL_FINE : code;
}

const tool_command tool_cc = {
    .name = "cc",
    .arguments = "[OPTION]... FILE.cu [FILE.cl] | FILE.yk",
    .summary = "compile a program's CUDA and OpenCL forms, list their kernels, and say where they differ",
    .help =
        "Each form is compiled on a device of its backend. What no device here can compile is only read. FILE.yk is one text for "
        "both languages, with <yoke/kernel.h>, and has both forms. With --arch, NVRTC "
        "compiles the CUDA form without a device; with -o, no device is used unless --device names it.\n\n"
        "  -I DIR                    also search this folder for included files, after that of the file\n"
        "  -D NAME[=VALUE]           define a macro\n"
        "  --arch sm_90,...          compile CUDA for these architectures, without a device; compute_90: to PTX\n"
        "  --cuda-std 20             the version of C++: 03, 11, 14, 17, 20, 23 or 26\n"
        "  --opencl-std 3.0          the version of OpenCL C: 1.0, 1.1, 1.2, 2.0 or 3.0\n"
        "  --exact-math              fuse nothing: the same bits by both languages\n"
        "  --fast-math               let the compilers fuse and approximate\n"
        "  --name-expression NAME    a template or an overloaded kernel, as 'scale<float>'; may be repeated\n"
        "  --device SELECTOR         compile on this device, as opencl:1; may be repeated, once for each backend\n"
        "  -o FILE                   write FILE.c and FILE.h (a yoke_source with the texts and the code for each --arch), or "
        "FILE.cubin, FILE.ptx, FILE.spv\n"
        "  --name NAME               with -o FILE.c: the function is NAME_source(); else it is called after the first text\n"
        "  --depfile FILE            with -o: also write a rule for make or Ninja that names what was read\n"
        "  --spirv                   with -o FILE.c: also SPIR-V, made by clang and llvm-spirv\n"
        "  --run                     launch both forms with the same data, each on its device, and compare what they leave\n"
        "  --replay RECORD           launch what YOKE_RECORD has kept, a folder or one of its .json files, and compare\n"
        "  --kernel NAME             with --run and --replay: this kernel alone\n"
        "  --size NAME=COUNT,...     with --run: the value of an integer, or the elements of a buffer; COUNT may be a product, as "
        "rows*columns\n"
        "  --range NAME=FROM:TO      with --run: from where its values are taken at random; NAME=VALUE: all of them\n"
        "  --data NAME=FILE.npy      with --run: its values, an array file of NumPy\n"
        "  --type NAME=TYPE          with --run: what a struct is made of, as float\n"
        "  --seed NUMBER             with --run: other random values\n"
        "  --grid X[xY[xZ]]          with --run: blocks of the launch\n"
        "  --block X[xY[xZ]]         with --run: threads of a block\n"
        "  --shared BYTES            with --run: dynamic shared memory of a block\n"
        "  --ulps COUNT              with --run and --replay: floating-point numbers so far apart are equal\n"
        "  -h, --help                print this help\n\n"
        "With --run an integer is the first --size (1000), a buffer has the product of the sizes that name integers, "
        "integers in buffers are from 0 to below the first --size, and the other numbers from -1 to 1. Two --device choose "
        "where one text, or one form, runs twice.\n\n"
        "The exit code is 1 when a form does not compile, a file cannot be written or, without -o, the forms differ; and 3 when "
        "nothing could be compiled, or with --run a second device is missing.\n",
    .run = run,
};
