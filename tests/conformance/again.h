/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's cases once more, with settings that the library reads when a device is opened or only once: each in a process of its
 * own, which main has to recognise by its two arguments and give to again_main.
 */
#ifndef AGAIN_H
#define AGAIN_H

#include <string.h>

#include "suite.h"

/* In the child: run the case of this name. Returns the exit code. */
static inline int again_main(const suite_case *cases, size_t count, const yoke_source *source, char **argv)
{
    suite t = { .info = YOKE_DEVICE_INFO_INIT };
    bool known = false;

    NEED_OK(yoke_device_open(argv[2], &t.device));
    NEED_OK(yoke_device_get_info(t.device, &t.info));
    NEED_OK(yoke_stream_create(t.device, &t.side));
    NEED_OK(yoke_stream_create(t.device, &t.stream));
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

#define AGAIN_MAIN(cases, source, argv) again_main(cases, sizeof(cases) / sizeof((cases)[0]), source, argv)
#define AGAIN(t, cases, environment) again(t, cases, sizeof(cases) / sizeof((cases)[0]), environment)

#endif
