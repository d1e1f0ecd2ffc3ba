/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `yoke cc --run`: both forms launched with the same data, each on a device of its backend, or one form on two devices; and whether
 * they leave the same in every buffer.
 */
#include <stdlib.h>
#include <string.h>

#include "cc.h"

/* ---- Sides ---- */

static cc_form *form_for(cc_options *o, const char *backend)
{
    for (int i = 0; i < 2; i++)
        if (o->forms[i].path && strcmp(o->forms[i].backend, backend) == 0)
            return &o->forms[i];
    return NULL;
}

int cc_take_device(const tool_command *command, cc_options *o, yoke_device *device, cc_side *s)
{
    s->device = device;
    s->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (yoke_device_get_info(device, &s->info) < 0)
        return tool_no_device(command);
    s->form = form_for(o, s->info.backend);
    if (!s->form)
        return tool_misused(command, "--device %s is of the backend %s, for which there is no file", s->info.selector,
                            s->info.backend);
    s->name = tool_text("%s on %s", s->form->path, s->info.selector);
    return TOOL_FINE;
}

int cc_take_selector(const tool_command *command, cc_options *o, const char *selector, cc_side *s)
{
    yoke_device *device;
    if (yoke_device_open(selector, &device) < 0)
        return tool_no_device(command);
    return cc_take_device(command, o, device, s);
}

/* The first two devices that the form can run on; one text may be on any. */
static int take_any_two(const tool_command *command, cc_options *o, cc_side sides[2])
{
    yoke_device_info infos[CC_MOST];
    size_t count = 0, taken = 0;
    int code = TOOL_FINE;
    for (int i = 0; i < CC_MOST; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (yoke_device_list(infos, CC_MOST, &count) < 0)
        return tool_no_device(command);
    for (size_t i = 0; i < count && i < CC_MOST && taken < 2 && code == TOOL_FINE; i++)
        if (form_for(o, infos[i].backend))
            code = cc_take_selector(command, o, infos[i].selector, &sides[taken++]);
    if (code == TOOL_FINE && taken < 2) {
        tool_complain(command, "%s: there %s here to run it on, and comparing takes two", o->forms[o->forms[0].path ? 0 : 1].path,
                      taken == 1 ? "is one device" : "is no device");
        return TOOL_NO_DEVICE;
    }
    return code;
}

/* The devices that are named; else one for each form; else two for the only one. */
static int choose_sides(const tool_command *command, cc_options *o, cc_side sides[2])
{
    int code = TOOL_FINE;
    bool one_text = o->forms[0].path && o->forms[1].path && strcmp(o->forms[0].path, o->forms[1].path) == 0;
    if (o->device_count > 2)
        return tool_misused(command, "--run compares two devices, and %zu are named", o->device_count);
    if (o->device_count == 2) {
        for (int i = 0; i < 2 && code == TOOL_FINE; i++)
            code = cc_take_selector(command, o, o->devices[i], &sides[i]);
        return code;
    }
    if (!o->forms[0].path || !o->forms[1].path)
        return take_any_two(command, o, sides);
    for (int i = 0; i < 2 && code == TOOL_FINE; i++) {
        yoke_device *device = cc_open_device(o, &o->forms[i]);
        if (device) {
            code = cc_take_device(command, o, device, &sides[i]);
            continue;
        }
        if (one_text && i == 0)
            return take_any_two(command, o, sides);
        tool_complain(command, "%s cannot run: %s", o->forms[i].path, o->forms[i].why);
        code = TOOL_NO_DEVICE;
    }
    return code;
}

int cc_build_side(const tool_command *command, const cc_options *o, cc_side *s)
{
    yoke_source source = cc_source(o, s->form);
    if (o->math == YOKE_MATH_DEFAULT)
        source.math = YOKE_MATH_EXACT; /* which promises the same bits */
    if (yoke_program_build(s->device, &source, &s->program) == YOKE_OK)
        return TOOL_FINE;
    tool_complain(command, "%s does not compile: %s", s->name, yoke_error()->text);
    return yoke_error()->status == YOKE_E_UNAVAILABLE ? TOOL_NO_DEVICE : TOOL_WRONG;
}

void cc_free_side(cc_side *s)
{
    yoke_program_release(s->program);
    yoke_device_release(s->device);
    free(s->name);
}

/* ---- Kernels ---- */

yoke_kernel *cc_find_kernel(const cc_options *o, const cc_side *s, const char *name)
{
    yoke_kernel *kernel = NULL;
    for (size_t i = 0; i < o->name_count && strcmp(s->info.backend, "cuda") == 0; i++) {
        char *spelled = tool_text("%s", o->name_expressions[i]);
        cc_spell_as_opencl(spelled);
        bool same = strcmp(spelled, name) == 0;
        free(spelled);
        if (same)
            return yoke_kernel_get(s->program, o->name_expressions[i], &kernel) < 0 ? NULL : kernel;
    }
    return yoke_kernel_get(s->program, name, &kernel) < 0 ? NULL : kernel;
}

/* The names of the kernels that are run, those of the OpenCL form, which has no names of C++; to be freed. */
static const char **list_kernels(const cc_options *o, const cc_side sides[2], size_t *out_count)
{
    const cc_side *from = &sides[strcmp(sides[0].info.backend, "opencl") == 0 ? 0 : 1];
    size_t count = o->run.kernel ? 1 : yoke_program_get_kernel_count(from->program);
    const char **names = tool_alloc((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = o->run.kernel ? o->run.kernel : yoke_program_get_kernel_name(from->program, i);
    *out_count = count;
    return names;
}

/* Make the case of a kernel. */
static int prepare(const tool_command *command, cc_options *o, const cc_side sides[2], const char *name, yoke_kernel *kernels[2],
                   run_case *out_case)
{
    out_case->kernel = tool_text("%s", name);
    for (int i = 0; i < 2; i++) {
        kernels[i] = cc_find_kernel(o, &sides[i], name);
        if (kernels[i])
            continue;
        tool_complain(command, "kernel %s is not in %s: %s", name, sides[i].name, yoke_error()->text);
        return TOOL_WRONG;
    }
    return cc_make_case(command, &o->run, kernels, out_case);
}

/* A name that no parameter has is a mistake, which would go unseen. */
static int check_used(const tool_command *command, const cc_run *run)
{
    const cc_settings *all[] = { &run->sizes, &run->ranges, &run->files, &run->types };
    for (size_t i = 0; i < YK_COUNT_OF(all); i++)
        for (size_t j = 0; j < all[i]->count; j++)
            if (!all[i]->list[j].used)
                return tool_misused(command, "%s %s: no kernel has a parameter of this name", all[i]->list[j].option,
                                    all[i]->list[j].name);
    return TOOL_FINE;
}

static void print_launch(const run_case *c, const cc_side sides[2], const run_result results[2])
{
    const tool_colours *colours = tool_colours_of(stdout);
    printf("%skernel %s%s: %u x %u x %u blocks of %u x %u x %u threads\n", colours->bold, c->kernel, colours->reset, c->grid.x,
           c->grid.y, c->grid.z, c->block.x, c->block.y, c->block.z);
    for (int i = 0; i < 2; i++) {
        char time[32];
        printf("  %s (%s)%s%s%s\n", sides[i].name, sides[i].info.name, results[i].nanoseconds < 0 ? "" : ": ",
               run_time_text(results[i].nanoseconds, time), results[i].varies ? ", and other values in a second launch" : "");
    }
}

/* Launch a case on both sides, and compare. */
static int run_case_on(const tool_command *command, const cc_run *run, const cc_side sides[2], yoke_kernel *const kernels[2],
                       const run_case *c, size_t *out_differing)
{
    run_result results[2] = { { 0 }, { 0 } };
    const char *names[2] = { sides[0].name, sides[1].name };
    int code = TOOL_FINE;
    for (int i = 0; i < 2 && code == TOOL_FINE; i++)
        if (run_launch(kernels[i], c, &results[i]) < 0) {
            tool_complain(command, "kernel %s of %s: %s", c->kernel, names[i], yoke_error()->text);
            code = TOOL_WRONG;
        }
    if (code == TOOL_FINE) {
        print_launch(c, sides, results);
        *out_differing += run_report(c, results[0].after, results[1].after, run->ulps);
    }
    for (int i = 0; i < 2; i++)
        run_free_result(&results[i]);
    return code;
}

static int run_kernels(const tool_command *command, cc_options *o, const cc_side sides[2])
{
    const tool_colours *colours = tool_colours_of(stdout);
    size_t count = 0, differing = 0;
    const char **names = list_kernels(o, sides, &count);
    run_case *cases = tool_alloc((count + 1) * sizeof *cases);
    yoke_kernel *(*kernels)[2] = tool_alloc((count + 1) * sizeof *kernels);
    int code = TOOL_FINE;
    for (size_t i = 0; i < count && code == TOOL_FINE; i++)
        code = prepare(command, o, sides, names[i], kernels[i], &cases[i]);
    if (code == TOOL_FINE)
        code = check_used(command, &o->run);
    for (size_t i = 0; i < count && code == TOOL_FINE; i++)
        code = run_case_on(command, &o->run, sides, kernels[i], &cases[i], &differing);
    if (code == TOOL_FINE && differing > 0)
        printf("%sThe results differ%s in %zu buffer%s\n", colours->red, colours->reset, differing, differing == 1 ? "" : "s");
    else if (code == TOOL_FINE)
        printf("%sThe results are the same%s: %zu kernel%s\n", colours->green, colours->reset, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        run_free_case(&cases[i]);
    free(kernels);
    free(cases);
    free(names);
    return code == TOOL_FINE && differing > 0 ? TOOL_WRONG : code;
}

int cc_run_forms(const tool_command *command, cc_options *o)
{
    cc_side sides[2] = { { 0 }, { 0 } };
    int code = choose_sides(command, o, sides);
    for (int i = 0; i < 2 && code == TOOL_FINE; i++)
        code = cc_build_side(command, o, &sides[i]);
    if (code == TOOL_FINE)
        code = run_kernels(command, o, sides);
    for (int i = 0; i < 2; i++)
        cc_free_side(&sides[i]);
    return code;
}
