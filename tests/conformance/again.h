/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's cases once more, with settings that the library reads when a device is opened or only once: each in a process of its
 * own, which main has to recognise by its two arguments and give to again_main.
 */
#ifndef AGAIN_H
#define AGAIN_H

#include <string.h>

#include "suite.h"

/* The name of the case that again_in_command_buffers runs. */
#define IN_COMMAND_BUFFERS "in command buffers"

/* In the child: run the case of this name. Returns the exit code. */
static inline int again_main(const suite_case *cases, size_t count, const yoke_source *source, char **argv)
{
    suite t = { .info = YOKE_DEVICE_INFO_INIT };
    bool known = false;

    NEED_OK(yoke_device_open(argv[2], &t.device));
    NEED_OK(yoke_device_get_info(t.device, &t.info));
    if (strcmp(argv[1], IN_COMMAND_BUFFERS) == 0)
        CHECK(suite_can(&t, YOKE_CAP_GRAPHS));
    NEED_OK(yoke_stream_create(t.device, NULL, &t.side));
    NEED_OK(yoke_stream_create(t.device, NULL, &t.stream));
    if (source)
        NEED_OK(yoke_program_build(t.device, source, &t.program));
    for (size_t i = 0; i < count; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            known = true;
            cases[i].run(&t);
        }
    CHECK(known);
out:
    yoke_program_release(t.saxpy);
    yoke_program_release(t.program);
    yoke_stream_release(t.stream);
    yoke_stream_release(t.side);
    yoke_device_release(t.device);
    return suite_failures() == 0 ? 0 : 1;
}

/* In a case: run each of these again. `environment` as suite_again takes it. */
static inline void again(suite *t, const suite_case *cases, size_t count, const char *const *environment)
{
    for (size_t i = 0; i < count; i++)
        if (!suite_again(cases[i].name, t->info.selector, environment, NULL, 0))
            tap_diag("... with %s: %s", environment[0], cases[i].name);
}

/* In a case about graphs: run the one called IN_COMMAND_BUFFERS where Yoke leaves a driver's command buffers alone because its own
 * replay is quicker. They are PoCL's, whose device with threads stands for the others. */
static inline void again_in_command_buffers(suite *t)
{
    static const char *const environment[] = { "YOKE_COMMAND_BUFFERS=1", "YOKE_LOG=info", NULL };
    const char *lacks = yoke_device_lacks(t->device, YOKE_CAP_GRAPHS);
    char log[8192] = "";

    if (!lacks || !strstr(lacks, environment[0]))
        suite_skip("%s", lacks ? lacks : "the driver replays every graph");
    else if (strncmp(t->info.name, "pthread", 7) != 0)
        suite_skip("not on this device of PoCL");
    else if (!suite_again(IN_COMMAND_BUFFERS, t->info.selector, environment, log, sizeof log) ||
             !CHECK(!strstr(log, "cannot create a graph")))
        tap_diag("... with %s, and this log: %s", environment[0], log);
}

#define AGAIN_MAIN(cases, source, argv) again_main(cases, sizeof(cases) / sizeof((cases)[0]), source, argv)
#define AGAIN(t, cases, environment) again(t, cases, sizeof(cases) / sizeof((cases)[0]), environment)

#endif
