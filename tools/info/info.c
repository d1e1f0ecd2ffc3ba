/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `yoke info`: every device through every backend. Each backend is asked in a child of its own, and beside that each OpenCL driver
 * alone: the loader runs all of them in one process, so one that hangs or crashes takes the others with it, and has to be named.
 */
#include "info.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 10 };

const char *const info_capability_names[] = {
    [YOKE_CAP_FP64] = "fp64",
    [YOKE_CAP_INT64_ATOMICS] = "int64_atomics",
    [YOKE_CAP_SIGNATURE] = "signature",
    [YOKE_CAP_TIMING] = "timing",
    [YOKE_CAP_EXACT_FP32] = "exact_fp32",
    [YOKE_CAP_MAPPED] = "mapped",
    [YOKE_CAP_MANAGED] = "managed",
    [YOKE_CAP_PROGRAM_BINARIES] = "program_binaries",
    [YOKE_CAP_SPIRV] = "spirv",
    [YOKE_CAP_GLOBALS] = "globals",
    [YOKE_CAP_COOPERATIVE] = "cooperative",
    [YOKE_CAP_GRAPHS] = "graphs",
    [YOKE_CAP_IMAGES] = "images",
};
_Static_assert(YK_COUNT_OF(info_capability_names) == YOKE_CAP_IMAGES + 1, "a name for each capability");

const char *const info_capability_words[] = {
    [YOKE_CAP_FP64] = "double",
    [YOKE_CAP_INT64_ATOMICS] = "64-bit atomics",
    [YOKE_CAP_SIGNATURE] = "checked launches",
    [YOKE_CAP_TIMING] = "timed events",
    [YOKE_CAP_EXACT_FP32] = "exact float",
    [YOKE_CAP_MAPPED] = "mapped memory",
    [YOKE_CAP_MANAGED] = "managed memory",
    [YOKE_CAP_PROGRAM_BINARIES] = "program binaries",
    [YOKE_CAP_SPIRV] = "SPIR-V",
    [YOKE_CAP_GLOBALS] = "program variables",
    [YOKE_CAP_COOPERATIVE] = "cooperative launches",
    [YOKE_CAP_GRAPHS] = "graphs by the driver",
    [YOKE_CAP_IMAGES] = "images",
};
_Static_assert(YK_COUNT_OF(info_capability_words) == YOKE_CAP_IMAGES + 1, "words for each capability");

char *info_outcome(const probe *asked)
{
    const char *doing = asked->doing ? asked->doing : "starting";
    switch (asked->outcome) {
    case PROBE_LATE:
        return tool_text("did not answer in %.0f s (%s)", asked->seconds, doing);
    case PROBE_CRASHED:
        return tool_text("crashed with signal %d, %s (%s)", asked->code, strsignal(asked->code), doing);
    case PROBE_ENDED:
        return tool_text("ended the process with exit status %d (%s)", asked->code, doing);
    case PROBE_FAILED:
    case PROBE_ANSWERED:
        break;
    }
    return tool_text("%zu device%s", asked->count, asked->count == 1 ? "" : "s");
}

char *info_rejected(const probe *asked)
{
    tool_string text = { 0 };
    for (const char *line = asked->report ? asked->report : ""; *line;) {
        size_t length = strcspn(line, "\n");
        bool there = false;
        for (size_t i = 0; i < asked->count && !there; i++) {
            size_t selector = strlen(asked->devices[i].info.selector);
            there = strncmp(line, asked->devices[i].info.selector, selector) == 0 && line[selector] == ' ';
        }
        if (!there)
            tool_add(&text, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    return text.data ? text.data : tool_text("%s", asked->message ? asked->message : "");
}

/* ---- Asking ---- */

static probe *add_probe(info *self, char *what, const char *backend)
{
    self->probes = tool_grow(self->probes, (self->probe_count + 1) * sizeof *self->probes);
    probe *added = &self->probes[self->probe_count++];
    *added = (probe){ .what = what, .backend = backend };
    return added;
}

/* A new folder in `place` with one .icd file that names this library; NULL when that cannot be had. */
static char *confine(const char *place, size_t index, const char *library)
{
    char *folder = tool_text("%s/%zu/", place, index), *path = tool_text("%sonly.icd", folder);
    FILE *file = mkdir(folder, 0700) == 0 ? fopen(path, "w") : NULL;
    bool written = file && fprintf(file, "%s\n", library) > 0;
    if (file && fclose(file) != 0)
        written = false;
    free(path);
    if (written)
        return folder;
    free(folder);
    return NULL;
}

static void unconfine(const char *place, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *folder = tool_text("%s/%zu/", place, i), *path = tool_text("%sonly.icd", folder);
        unlink(path);
        rmdir(folder);
        free(path);
        free(folder);
    }
    rmdir(place);
}

static bool is_wanted(const char *backend)
{
    const char *order = getenv("YOKE_BACKEND");
    return !order || !*order || strcasecmp(order, backend) == 0;
}

/* What each driver answers, each OpenCL driver alone, and the one device that is wanted. */
static bool ask(const tool_command *command, info *self, const char *selector, unsigned seconds, bool facts)
{
    char *place = NULL, *why = NULL;
    bool fine = true;

    if (is_wanted("cuda"))
        add_probe(self, tool_text("cuda"), "cuda");
    if (is_wanted("opencl")) {
        add_probe(self, tool_text("opencl"), "opencl");
        icds_find(&self->icds);
        place = tool_make_folder("yoke-info", &why);
        if (!place) {
            tool_complain(command, "%s", why);
            fine = false;
            goto out;
        }
        for (size_t i = 0; i < self->icds.count; i++) {
            const icd *driver = &self->icds.icds[i];
            char *folder = driver->fault ? NULL : confine(place, i, driver->library);
            if (!folder)
                continue;
            probe *added = add_probe(self, tool_text("%s", driver->file), "opencl");
            added->icd_folder = folder;
            added->icd_library = tool_text("%s", driver->library);
            added->ask_library = true;
        }
    }
    probe *chosen = add_probe(self, tool_text("%s", selector ? selector : "default"), NULL);
    chosen->selector = selector;
    chosen->as_program = !selector;
    for (size_t i = 0; i < self->probe_count; i++)
        self->probes[i].ask_facts = facts;
    probe_run(self->probes, self->probe_count, seconds);
    self->chosen = self->probes[--self->probe_count];
    if (place)
        unconfine(place, self->icds.count);
out:
    free(why);
    free(place);
    return fine;
}

/* ---- The device that is wanted ---- */

/* Up to the semicolon: what to do has a place of its own. */
static char *first_words(const char *message)
{
    return tool_text("%.*s", (int)strcspn(message, ";\n"), message);
}

/* Why programs that go by YOKE_DEVICE get no device; NULL when they get one, or it is not set. To be freed. */
static char *order_fault(const probe *chosen)
{
    const char *order = getenv("YOKE_DEVICE");
    bool failed = chosen->outcome == PROBE_FAILED; /* a driver that does not answer is told of by its own probe */
    return order && *order && failed ? first_words(chosen->message) : NULL;
}

/* Whether YOKE_DEVICE orders a device that programs do not get, for whatever reason. */
static bool is_disobeyed(const probe *chosen)
{
    const char *order = getenv("YOKE_DEVICE");
    return order && *order && chosen->count == 0;
}

static size_t count_views(const info *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->device_count; i++)
        for (size_t k = 0; k < self->devices[i].count; k++)
            count += !info_needs_icd(&self->devices[i].views[k]);
    return count;
}

char *info_default(const info *self)
{
    const char *device = getenv("YOKE_DEVICE"), *backend = getenv("YOKE_BACKEND");
    size_t count = count_views(self);
    if (self->chosen.count == 0) {
        char *why = info_is_broken(&self->chosen) ? info_outcome(&self->chosen) : NULL, *text;
        if (why)
            text = tool_text("unknown: a driver %s", why);
        else
            text = tool_text("no device%s%s", self->order_fault ? ": " : "", self->order_fault ? self->order_fault : "");
        free(why);
        return text;
    }
    const yoke_device_info *found = &self->chosen.devices[0].info;
    char *text = tool_text("%s, %s (%s)", found->selector, found->name, tool_kind_word(found->kind)), *whole;
    if (device && *device)
        whole = tool_text("%s: as YOKE_DEVICE=%s says", text, device);
    else if (backend && *backend)
        whole = tool_text("%s: the %s device of YOKE_BACKEND=%s", text, count > 1 ? "best" : "only", backend);
    else if (count > 1)
        whole = tool_text("%s: the best of %zu (CUDA before OpenCL, GPU before CPU); YOKE_DEVICE=SELECTOR chooses another", text,
                          count);
    else
        whole = tool_text("%s: the only device", text);
    free(text);
    return whole;
}

/* Leave only the device that the selector opens. Returns the exit code. */
static int choose(const tool_command *command, info *self, const char *selector)
{
    const probe *chosen = &self->chosen;
    int code = TOOL_NO_DEVICE;
    for (size_t i = 0; chosen->count == 1 && i < self->device_count && code != TOOL_FINE; i++)
        for (size_t k = 0; k < self->devices[i].count; k++)
            if (strcmp(self->devices[i].views[k].device->info.selector, chosen->devices[0].info.selector) == 0) {
                self->devices[0] = self->devices[i];
                code = TOOL_FINE;
            }
    if (code == TOOL_FINE) {
        self->device_count = 1;
    } else if (chosen->outcome == PROBE_FAILED) {
        tool_complain(command, "%s", chosen->message);
        code = chosen->status == YOKE_E_INVALID_ARGUMENT ? TOOL_USAGE : TOOL_NO_DEVICE;
    } else {
        char *outcome = info_outcome(chosen);
        tool_complain(command, "%s: the driver %s; 'yoke info' says which one", selector, outcome);
        free(outcome);
    }
    return code;
}

void info_free(info *self)
{
    for (size_t i = 0; i < self->advice_count; i++)
        free(self->advice[i].text);
    free(self->advice);
    free(self->order_fault);
    probe_free(&self->chosen, 1);
    free(self->devices);
    probe_free(self->probes, self->probe_count);
    free(self->probes);
    icds_free(&self->icds);
    host_free(&self->host);
}

bool info_look(const tool_command *command, info *self, const char *selector, unsigned seconds, bool facts)
{
    *self = (info){ 0 };
    host_look(&self->host, "");
    if (!ask(command, self, selector, seconds, facts))
        return false;
    self->order_fault = selector ? NULL : order_fault(&self->chosen);
    info_gather(self);
    info_advise(self);
    return true;
}

/* ---- The subcommand ---- */

static int show(const tool_command *command, const char *selector, bool json, bool all, unsigned seconds)
{
    info self;
    int code = TOOL_WRONG;
    if (info_look(command, &self, selector, seconds, false)) {
        code = self.device_count > 0 && !is_disobeyed(&self.chosen) ? TOOL_FINE : TOOL_NO_DEVICE;
        if (selector)
            code = choose(command, &self, selector);
        if (json && (!selector || code == TOOL_FINE))
            info_print_json(&self);
        else if (!selector)
            info_print(&self, all);
        else if (code == TOOL_FINE)
            info_print_devices(&self);
    }
    info_free(&self);
    return code;
}

static int run(const tool_command *command, int argc, char **argv)
{
    static const struct option options[] = {
        { "all", no_argument, NULL, 'a' },
        { "json", no_argument, NULL, 'j' },
        { "timeout", required_argument, NULL, 't' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    bool json = false, all = false;
    long seconds = SECONDS;
    for (int option; (option = tool_option(command, argc, argv, "ah", options)) != -1;) {
        if (option == 'a')
            all = true;
        else if (option == 'j')
            json = true;
        else if (option == 'h')
            return tool_print_help(command, stdout), TOOL_FINE;
        else if (option != 't')
            return TOOL_USAGE;
        else if (!tool_number(optarg, 1, 3600, &seconds))
            return tool_misused(command, "--timeout takes 1 to 3600 seconds, not '%s'", optarg);
    }
    if (argc - optind > 1)
        return tool_misused(command, "at most one selector is allowed");
    if (!tool_backend_exists(command))
        return TOOL_USAGE;
    if (json && !tool_has_json(command))
        return TOOL_WRONG;
    return show(command, argc > optind ? argv[optind] : NULL, json, all, (unsigned)seconds);
}

const tool_command tool_info = {
    .name = "info",
    .arguments = "[OPTION]... [SELECTOR]",
    .summary = "list devices, say which one programs use, and what is missing",
    .help =
        "Says which device programs use unless told otherwise, what is missing, and what to do about it; then lists every device "
        "of every backend. With SELECTOR (cuda:0, opencl:gpu, name~H200 ...) it describes only the device that SELECTOR opens. "
        "A GPU that two backends offer is listed once. Each driver is queried in its own process. The exit status is 3 if there is "
        "no device, or not the one that SELECTOR, YOKE_DEVICE or YOKE_BACKEND names.\n\n"
        "  -a, --all          also print limits, what each device can and cannot do and why, and what was tried\n"
        "  --json             print all of it as JSON; the schema is installed as yoke/schema/info.json\n"
        "  --timeout SECONDS  how long to wait for a driver to answer (default: 10)\n"
        "  -h, --help         print this\n",
    .run = run,
};
