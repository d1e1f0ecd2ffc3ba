/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statuses and the record behind yoke_error: complete, one a thread, kept until the next failure, and set by nothing but failures.
 */
#include "suite.h"
#include "stand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#define STATUS_ENTRY(name, value, meaning) { name, value, #name, meaning },
static const struct {
    yoke_status status;
    int value;
    const char *name, *meaning;
} statuses[] = { YOKE_STATUS_LIST(STATUS_ENTRY) };

static void statuses_have_names(suite *t)
{
    (void)t;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        yoke_status s = statuses[i].status;

        CHECK(s == statuses[i].value);
        CHECK(strcmp(yoke_status_name(s), statuses[i].name) == 0);
        CHECK(strcmp(yoke_status_meaning(s), statuses[i].meaning) == 0);
        CHECK(yoke_status_group(s) == (s >= 0 ? YOKE_GROUP_NONE : -s / 100));
    }
    CHECK(strcmp(yoke_status_name(-9999), "unknown status") == 0);
    CHECK(strcmp(yoke_status_name(2), "unknown status") == 0);
    CHECK(yoke_status_meaning(-9999) != NULL && yoke_status_meaning(INT32_MIN) != NULL);
    CHECK(yoke_status_group(-9999) == YOKE_GROUP_STREAM);
    CHECK(yoke_status_group(-1) == YOKE_GROUP_STREAM);
    CHECK(yoke_status_group(77) == YOKE_GROUP_NONE);
}

static void version(suite *t)
{
    char expected[32];

    (void)t;
    snprintf(expected, sizeof expected, "%d.%d.%d", YOKE_VERSION_MAJOR, YOKE_VERSION_MINOR, YOKE_VERSION_PATCH);
    CHECK(strcmp(yoke_version(), expected) == 0);
}

static void is_empty(const yoke_error_info *record)
{
    CHECK(record != NULL && record->size >= sizeof *record);
    CHECK(record->status == YOKE_OK && record->driver_code == 0 && record->cause_status == YOKE_OK);
    CHECK(record->function && record->driver_call && record->driver_name && record->where);
    CHECK(!record->function[0] && !record->driver_call[0] && !record->driver_name[0] && !record->where[0]);
    CHECK(!record->text[0] && !record->cause[0]);
}

static void *look_at_empty_record(void *user)
{
    (void)user;
    is_empty(yoke_error());
    yoke_error_clear();
    is_empty(yoke_error());
    yoke_fail(-4242, "of the other thread");
    CHECK(yoke_error()->status == -4242);
    return NULL;
}

static void one_a_thread(suite *t)
{
    pthread_t thread;

    (void)t;
    yoke_fail(-4141, "of this thread");
    CHECK(pthread_create(&thread, NULL, look_at_empty_record, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK(yoke_error()->status == -4141);
    CHECK_TEXT(yoke_error()->text, "of this thread");
    yoke_error_clear();
    is_empty(yoke_error());
}

static void own_failures(suite *t)
{
    char longer[3000];

    (void)t;
    CHECK(yoke_fail(YOKE_E_HOST_FUNCTION, "cannot write %s, %d bytes", "/some/path", 17) == YOKE_E_HOST_FUNCTION);
    CHECK(yoke_error()->status == YOKE_E_HOST_FUNCTION);
    CHECK_TEXT(yoke_error()->text, "cannot write /some/path, 17 bytes");
    CHECK(yoke_fail(-5, "x") == -5 && yoke_error()->status == -5);
    CHECK(yoke_fail(0, "zero is no failure") == YOKE_E_HOST_FUNCTION);
    CHECK(yoke_error()->status == YOKE_E_HOST_FUNCTION);
    CHECK(yoke_fail(12, "nor is twelve") == YOKE_E_HOST_FUNCTION);
    memset(longer, 'y', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    CHECK(yoke_fail(-6, "%s", longer) == -6);
    CHECK(strnlen(yoke_error()->text, sizeof yoke_error()->text) < sizeof yoke_error()->text);
    CHECK(strlen(yoke_error()->text) > 500);
    CHECK(yoke_fail(-7, "%s and %s", yoke_error()->text, "its own text") == -7); /* the old text is an argument of the new */
    CHECK_TEXT(yoke_error()->text, "yyy");
}

static const char two_lines[] = "a[i] + * b[i]\n       ^ an operand is missing";

static yoke_status fail_in_two_lines(yoke_status status, void *user)
{
    (void)status;
    return yoke_fail(YOKE_E_HOST_FUNCTION, "%s", (const char *)user);
}

/* A mark below a part of the line above: the record has both lines, wherever it is read. */
static void own_lines(suite *t)
{
    CHECK_STATUS(-5, yoke_fail(-5, "%s \n", two_lines));
    CHECK(strcmp(yoke_error()->text, two_lines) == 0);
    CHECK_OK(yoke_host_call(t->stream, fail_in_two_lines, (void *)(uintptr_t)two_lines, NULL));
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_stream_wait(t->stream));
    CHECK(strcmp(yoke_error()->text, two_lines) == 0);
    CHECK_OK(yoke_stream_recover(t->stream));
}

static void kept_until_the_next_failure(suite *t)
{
    yoke_buffer *buffer = NULL;
    yoke_error_info before;

    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_buffer_create(t->device, 0, &buffer));
    before = *yoke_error();
    CHECK(before.status == YOKE_E_INVALID_ARGUMENT);
    CHECK(strcmp(before.function, "yoke_buffer_create") == 0);
    CHECK_TEXT(before.text, "size");
    CHECK(before.driver_code == 0 && !before.driver_call[0]);
    CHECK(suite_works(t));
    CHECK(memcmp(&before, yoke_error(), sizeof before) == 0);
    CHECK_STATUS(YOKE_E_RANGE, yoke_buffer_create(t->device, SIZE_MAX, &buffer));
    CHECK(yoke_error()->status == YOKE_E_RANGE);
}

/* A short program checks once: each later failure says that an object is NULL, and carries the first along. */
static void first_cause(suite *t)
{
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "first cause";
    source.cuda = source.opencl = "#error the first cause\n";
    yoke_stream_create(t->device, NULL, &stream);
    yoke_buffer_create(t->device, 64, &buffer);
    yoke_program_build(t->device, &source, &program);
    yoke_kernel_get(program, "nothing", &kernel);
    yoke_launch_n(stream, kernel, 64, YOKE_ARGS(buffer));
    yoke_buffer_release(NULL);
    CHECK(yoke_error()->status == YOKE_E_INVALID_ARGUMENT);
    CHECK(strcmp(yoke_error()->function, "yoke_launch_n") == 0);
    CHECK_TEXT(yoke_error()->text, "kernel");
    CHECK(yoke_error()->cause_status == YOKE_E_BUILD);
    CHECK_TEXT(yoke_error()->cause, "the first cause");
    CHECK_OK(yoke_stream_wait(stream));
    yoke_stream_release(stream);
    yoke_buffer_release(buffer);
}

/* The whole of a short program with a device that cannot be opened. */
static void first_cause_from_the_start(suite *t)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    unsigned char byte = 0;

    (void)t;
    yoke_device_open("opencl:4711", &device);
    yoke_stream_create(device, NULL, &stream);
    yoke_buffer_create(device, 1, &buffer);
    yoke_write(stream, buffer, 0, &byte, 1);
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_stream_wait(stream));
    CHECK(yoke_error()->cause_status == YOKE_E_NOT_FOUND || yoke_error()->cause_status == YOKE_E_UNAVAILABLE);
    CHECK_TEXT(yoke_error()->cause, "opencl");
    yoke_error_clear();
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_stream_wait(NULL));
    CHECK(yoke_error()->cause_status == YOKE_OK && !yoke_error()->cause[0]);
}

static void driver_failures(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;

    source.name = "refused";
    source.cuda = source.opencl = "#error refused\n";
    CHECK_STATUS(YOKE_E_BUILD, yoke_program_build(t->device, &source, &program));
    const yoke_error_info *record = yoke_error();
    CHECK(strcmp(record->function, "yoke_program_build") == 0);
    CHECK(record->driver_code != 0 && record->driver_call[0] && record->driver_name[0]);
    CHECK_TEXT(record->text, record->driver_call);
    CHECK_TEXT(record->text, record->driver_name);
    CHECK_TEXT(record->text, t->info.backend);
    CHECK(strchr(record->text, '\n') == NULL);
}

static void failures_say_where(suite *t)
{
    yoke_buffer *buffer = NULL;
    unsigned char byte = 0;
    char line[32];

    NEED_OK(yoke_buffer_create(t->device, 1, &buffer));
    snprintf(line, sizeof line, "error.c:%d", __LINE__ + 1);
    CHECK_STATUS(YOKE_E_RANGE, yoke_write(t->stream, buffer, 1, &byte, 1));
    CHECK_TEXT(yoke_error()->where, line);
    CHECK_STATUS(YOKE_E_RANGE, yoke_write_at(NULL, t->stream, buffer, 1, &byte, 1));
    CHECK(yoke_error()->where[0] == '\0');
    CHECK_STATUS(YOKE_E_RANGE, yoke_write_at("elsewhere.py:7", t->stream, buffer, 1, &byte, 1));
    CHECK_TEXT(yoke_error()->where, "elsewhere.py:7");
    CHECK(strcmp(yoke_error()->function, "yoke_write") == 0);

    snprintf(line, sizeof line, "error.c:%d", __LINE__ + 1); /* of the host function, not of the wait that tells */
    CHECK_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(t->stream));
    CHECK_TEXT(yoke_error()->where, line);
    CHECK_TEXT(yoke_error()->text, OWN_TEXT);
out:
    yoke_buffer_release(buffer);
}

/* What a library above Yoke writes into the log. */
typedef struct line {
    int count, level;
    char text[64];
} line;

static void keep_line(int level, const char *text, void *user)
{
    line *l = user;
    l->count++;
    l->level = level;
    snprintf(l->text, sizeof l->text, "%s", text);
}

static void library_speaks(suite *t)
{
    line l = { .count = 0 };
    (void)t;
    yoke_log_set(YOKE_LOG_INFO, keep_line, &l);
    yoke_log_write(YOKE_LOG_INFO, "solver: %d\nrounds", 12);
    yoke_log_write(YOKE_LOG_DEBUG, "not asked for");
    yoke_log_write(YOKE_LOG_OFF, "no level");
    yoke_log_write(YOKE_LOG_DEBUG + 1, "no level");
    yoke_log_write(YOKE_LOG_ERROR, NULL);
    suite_log_here();
    CHECK(l.count == 1 && l.level == YOKE_LOG_INFO && strcmp(l.text, "solver: 12 | rounds") == 0);
}

int main(void)
{
    static const suite_case cases[] = {
        { "yoke_log_write", library_speaks, false },
        { "statuses have names, meanings and groups", statuses_have_names, true },
        { "the version", version, true },
        { "one record a thread", one_a_thread, true },
        { "a program's own failures", own_failures, true },
        { "a program's own failure of several lines", own_lines, false },
        { "a program that checks once learns why its device was not opened", first_cause_from_the_start, true },
        { "kept until the next failure", kept_until_the_next_failure, false },
        { "a program that checks once learns the first cause", first_cause, false },
        { "a driver's failure names call, code and name", driver_failures, false },
        { "failures say where the work was enqueued", failures_say_where, false },
    };
    return SUITE_MAIN(cases, NULL);
}
