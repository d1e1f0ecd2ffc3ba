/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that have chosen a locale in which numbers have a comma: what the library reads and writes stays as it is. The locale is
 * made here, so that none has to be installed; and since the library reads its environment once, each scenario is a process of its
 * own.
 */
#include "suite.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum { TRACE_SIZE = 1 << 20 };

/* ---- In the child ---- */

static gate told = GATE_INIT;
static char told_text[1024];

static void hear(int level, const char *text, void *user)
{
    (void)level;
    (void)user;
    if (strstr(text, "has made no progress for ") && !gate_is_open(&told, 1)) {
        snprintf(told_text, sizeof told_text, "%s", text);
        gate_open(&told);
    }
}

static yoke_status stand(yoke_status status, void *user)
{
    (void)user;
    gate_wait(&told, 1);
    return status;
}

static yoke_status pass(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static void work(suite *t)
{
    float values[64] = { 0 };
    yoke_buffer *buffer = NULL;

    NEED_OK(yoke_buffer_create(t->device, sizeof values, &buffer));
    NEED_OK(yoke_write(t->stream, buffer, 0, values, sizeof values));
    NEED_OK(yoke_host_call(t->stream, pass, NULL, NULL));
    NEED_OK(yoke_read(t->stream, values, buffer, 0, sizeof values));
    NEED_OK(yoke_stream_wait(t->stream));
out:
    yoke_buffer_release(buffer);
}

/* Told of after 0.2 seconds or some more, which has a point. */
static void watchdog(suite *t)
{
    CHECK_OK(yoke_host_call(t->stream, stand, NULL, NULL));
    CHECK_OK(yoke_stream_wait(t->stream));
    const char *time = strstr(told_text, "has made no progress for ");
    unsigned seconds, tenths;
    char unit;
    if (!CHECK(time && sscanf(time, "has made no progress for %u.%1u %c:", &seconds, &tenths, &unit) == 3 && unit == 's'))
        tap_diag("it said: %s", told_text);
}

static void memory(suite *t)
{
    yoke_buffer *buffer = NULL;

    CHECK_OK(yoke_device_set_memory_limits(t->device, 1 << 20, 0));
    CHECK_FAILS(YOKE_E_OUT_OF_DEVICE_MEMORY, "1.5 MiB|1.0 MiB", yoke_buffer_create(t->device, 3 << 19, &buffer));
}

static const struct {
    const char *name;
    void (*run)(suite *t);
} scenarios[] = { { "trace", work }, { "watchdog", watchdog }, { "memory", memory } };

static int run_scenario(const char *name, const char *selector)
{
    suite t = { .info = YOKE_DEVICE_INFO_INIT };

    NEED(setlocale(LC_ALL, "") && strcmp(localeconv()->decimal_point, ",") == 0);
    yoke_log_set(YOKE_LOG_WARNING, hear, NULL);
    NEED_OK(yoke_device_open(selector, &t.device));
    NEED_OK(yoke_stream_create(t.device, NULL, &t.stream));
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            scenarios[i].run(&t);
out:
    yoke_stream_release(t.stream);
    yoke_device_release(t.device);
    return suite_failures() == 0 ? 0 : 1;
}

/* ---- In the parent ---- */

static char folder[] = "/tmp/yoke-locale.XXXXXX";
static const char *why_not; /* there is no locale to test with */

/* German, or where the system lacks what that is made of, a locale of which only the numbers are. */
static void make_locale(void)
{
    static const char how[] = "command -v localedef || exit 3; localedef -i de_DE -f UTF-8 ./yoke_comma && exit 0;"
                              "printf 'LC_NUMERIC\\ndecimal_point \"<U002C>\"\\nthousands_sep \"\"\\ngrouping -1\\n"
                              "END LC_NUMERIC\\n' >source; localedef -c -i source ./yoke_comma; [ -d yoke_comma ]";
    char command[1024];

    snprintf(command, sizeof command, "cd %s && { %s; } >log 2>&1", folder, how);
    int status = system(command);
    if (status == 3 << 8)
        why_not = "localedef is not installed";
    else if (status != 0)
        tap_diag("localedef makes no locale");
}

static void remove_folder(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        tap_diag("%s stays behind", folder);
}

/* Run the scenario in that locale, with one variable more. */
static void in_locale(suite *t, const char *scenario, const char *variable)
{
    char path[64];
    const char *environment[] = { "LC_ALL=yoke_comma", path, variable, NULL };

    snprintf(path, sizeof path, "LOCPATH=%s", folder);
    if (why_not)
        suite_skip("%s", why_not);
    else
        suite_again(scenario, t->info.selector, environment, NULL, 0);
}

static void trace_case(suite *t)
{
    char variable[80], *path = variable + strlen("YOKE_TRACE="), *text = memory_new(TRACE_SIZE);

    snprintf(variable, sizeof variable, "YOKE_TRACE=%s/trace.json", folder);
    in_locale(t, "trace", variable);
    FILE *file = why_not ? NULL : fopen(path, "r");
    if (why_not || !CHECK(file))
        goto out;
    text[fread(text, 1, TRACE_SIZE - 1, file)] = '\0';
    fclose(file);
    if (!CHECK(json_is_right(text) && strstr(text, "\"ts\":") && strstr(text, "host function")))
        tap_diag("it is: %.500s", text);
out:
    memory_free(text);
}

static void watchdog_case(suite *t)
{
    in_locale(t, "watchdog", "YOKE_WATCHDOG=0.2");
}

static void memory_case(suite *t)
{
    in_locale(t, "memory", "YOKE_WATCHDOG");
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "a trace is JSON", trace_case, false },
        { "the watchdog's time is read and written", watchdog_case, false },
        { "sizes in messages have a point", memory_case, false },
    };
    if (argc == 3)
        return run_scenario(argv[1], argv[2]);
    if (!mkdtemp(folder) || atexit(remove_folder) != 0)
        tap_bail("no folder in /tmp");
    make_locale();
    return SUITE_MAIN(cases, NULL);
}
