/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog where nothing else was asked for: it writes to stderr itself, and calls that fail are none of its business. The
 * environment is read once, so each scenario is a process of its own.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- In the child ---- */

static yoke_status fail_at_once(yoke_status status, void *user)
{
    (void)status;
    (void)user;
    return YOKE_E_HOST_FUNCTION;
}

static yoke_status stand(yoke_status status, void *leave)
{
    gate_wait(leave, 1);
    return status;
}

static bool named_stream(yoke_device *device, const char *name, yoke_stream **out_stream)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    desc.name = name;
    return CHECK_OK(yoke_stream_create(device, &desc, out_stream));
}

/* What goes to stderr is read here until the watchdog has spoken, and then handed on. */
static int run_alone(const char *selector)
{
    yoke_device *device = NULL;
    yoke_stream *standing = NULL, *failing = NULL;
    yoke_buffer *none = NULL;
    gate leave = GATE_INIT;
    char text[4096] = "";
    int ends[2], errors = dup(STDERR_FILENO);

    NEED(errors >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    NEED_OK(yoke_device_open(selector, &device));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_buffer_create(device, 0, &none));
    NEED(named_stream(device, "failing", &failing));
    NEED_OK(yoke_host_call(failing, fail_at_once, NULL, NULL));
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_stream_wait(failing));
    NEED(named_stream(device, "standing", &standing));
    NEED_OK(yoke_host_call(standing, stand, &leave, NULL));
    for (size_t used = 0; used + 1 < sizeof text && !strstr(text, "stream 'standing' of");) {
        ssize_t length = read(ends[0], text + used, sizeof text - 1 - used);
        NEED(length > 0);
        used += (size_t)length;
        text[used] = '\0';
    }
    gate_open(&leave);
    CHECK_OK(yoke_stream_wait(standing));
    dup2(errors, STDERR_FILENO);
    fputs(text, stderr);
out:
    yoke_stream_release(failing);
    yoke_stream_release(standing);
    yoke_device_release(device);
    return suite_failures() == 0 ? 0 : 1;
}

/* ---- In the parent ---- */

/* Lines of Yoke's that are not the watchdog's, who on a busy machine tells of the other stream, too; drivers and their compilers
 * write there as well. */
static unsigned count_others(const char *text)
{
    static const char own[] = "yoke: warning: stream '";
    unsigned count = 0;

    for (const char *line = text; (line = strstr(line, "yoke: ")); line++)
        count += (line == text || line[-1] == '\n') && strncmp(line, own, strlen(own)) != 0;
    return count;
}

static void alone(suite *t)
{
    static const char *const environment[] = { "YOKE_WATCHDOG=0.2", "YOKE_LOG", NULL };
    char errors[8192];

    suite_again("alone", t->info.selector, environment, errors, sizeof errors);
    if (!CHECK(strstr(errors, "yoke: warning: stream 'standing' of") && count_others(errors) == 0))
        tap_diag("it said: %s", errors);
}

static void beside_a_log(suite *t)
{
    static const char *const environment[] = { "YOKE_WATCHDOG=0.2", "YOKE_LOG=warning", NULL };
    char errors[8192];

    suite_again("alone", t->info.selector, environment, errors, sizeof errors);
    if (!CHECK(suite_has_words(errors, "yoke: error: yoke_buffer_create|stream 'failing' of|stream 'standing' of")))
        tap_diag("it said: %s", errors);
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "a watchdog that is ordered alone is heard alone", alone, false },
        { "beside a log, all is heard", beside_a_log, false },
    };
    if (argc == 3)
        return run_alone(argv[2]);
    return SUITE_MAIN(cases, NULL);
}
