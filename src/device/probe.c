/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Querying a backend for its devices. Loading a driver starts threads and makes a later fork unsafe, and a broken driver may crash
 * or hang: so a child process queries the driver, answers through a pipe and exits.
 */
#include "device/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "base/process/library.h"
#include "base/system/environment.h"
#include "base/system/room.h"
#include "stream/wait.h"
#include "device/trust.h"

unsigned yk_probe_seconds = 20;

#define SECOND ((uint64_t)1000000000) /* ns */

/* How long the first child may take for its sign of life, which needs less than a millisecond; each further child gets twice as
 * long. */
#define FIRST_PATIENCE (SECOND / 10)

enum { SIGN = 1 }; /* bytes of the sign of life, which comes before the answer */

/* The head of a child's answer; the device infos, the rejections, the failure's text and the loaded files follow. */
typedef struct answer_head {
    size_t total; /* bytes of the answer */
    yoke_status status;
    size_t count, rejected_length, text_length, files_length;
} answer_head;

yoke_status yk_probe_here(const yk_backend *backend, yk_device_list *list)
{
    size_t before = list->count;
    list->backend = backend;
    yoke_status status = backend->device_list(list);
    if (status < 0)
        list->count = before;
    return status;
}

uint64_t yk_probe_deadline(void)
{
    return yk_now() + SECOND * yk_probe_seconds;
}

/* ---- The child ---- */

static void apply(const char *settings)
{
    for (const char *line = settings; line && *line;) {
        size_t length = strcspn(line, "\n");
        char *setting = strndup(line, length), *value = setting ? strchr(setting, '=') : NULL;
        if (value) {
            *value++ = '\0';
            yk_environment_set(setting, value);
        }
        free(setting);
        line += length + (line[length] == '\n');
    }
}

static void send_answer(int answer, yoke_status status, const yk_device_list *list, const yk_text *files)
{
    const char *text = status < 0 ? yoke_error()->text : "";
    answer_head head = { 0, status, list->count, list->rejected.length, strlen(text), files->length };
    head.total = sizeof head + head.count * sizeof *list->infos + head.rejected_length + head.text_length + head.files_length;
    yk_child_write(answer, &head, sizeof head);
    yk_child_write(answer, list->infos, list->count * sizeof *list->infos);
    yk_child_write(answer, list->rejected.data, head.rejected_length);
    yk_child_write(answer, text, head.text_length);
    yk_child_write(answer, files->data, head.files_length);
}

/* Another thread may have held a lock of the C library when this process was forked, and then it is held here for ever. Use those
 * that the C library does not free in a child, the environment's and the loader's, before the sign of life. */
static void show_life(int answer)
{
    yk_environment_unset("no such variable");
    yk_library_take_locks();
    yk_child_write(answer, "", SIGN);
}

typedef struct question {
    const yk_backend *backend;
    const char *settings;
} question;

/* The program's log function does not run in the child. */
static void answer_question(int answer, void *user)
{
    const question *asked = user;
    yk_device_list list = { 0 };
    yk_text files = { 0 };
    atomic_store(&yk_log_level, YOKE_LOG_OFF);
    show_life(answer);
    apply(asked->settings);
    size_t loaded = yk_trust_count_files();
    yoke_status status = yk_probe_here(asked->backend, &list);
    const char *lack = list.count == 0 ? yk_room_lacks(YK_ROOM_OF_DRIVER) : NULL;
    if (list.count == 0 && !lack)
        lack = yk_room_lacks_thread();
    if (lack) /* it may be why there is no device */
        status = yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: the driver found no device, and %s", asked->backend->name, lack);
    yk_trust_list_files(loaded, &files);
    send_answer(answer, status, &list, &files);
}

/* ---- The parent ---- */

/* Whether the answer is complete; then `head` is its head. */
static bool get_head(const yk_text *answer, answer_head *head)
{
    if (answer->length < SIGN + sizeof *head)
        return false;
    memcpy(head, answer->data + SIGN, sizeof *head);
    return answer->length >= SIGN + head->total;
}

/* Read until the answer is complete or the child has closed its end; YOKE_PENDING when the deadline has passed and nothing is left.
 */
static yoke_status read_answer(const yk_child *child, uint64_t deadline, yk_text *answer)
{
    char bytes[4096];
    answer_head head;
    while (!get_head(answer, &head)) {
        if (!yk_child_wait(child, deadline))
            return YOKE_PENDING;
        size_t length = yk_child_read(child, bytes, sizeof bytes), before = answer->length;
        if (length == 0)
            return YOKE_OK;
        yk_text_add_bytes(answer, bytes, length);
        if (answer->length == before)
            return yk_no_memory("a driver's answer");
    }
    return YOKE_OK;
}

static yoke_status unpack(const answer_head *head, const char *infos, yk_device_list *list, yk_text *files)
{
    const char *rejected = infos + head->count * sizeof *list->infos;
    const char *text = rejected + head->rejected_length;
    yk_text_add_bytes(&list->rejected, rejected, head->rejected_length);
    if (files)
        yk_text_add_bytes(files, text + head->text_length, head->files_length);
    if (head->status < 0)
        return yk_fail(head->status, "%.*s", (int)head->text_length, text);
    if (head->count == 0)
        return YOKE_OK;
    yoke_device_info *grown = realloc(list->infos, (list->count + head->count) * sizeof *grown);
    if (!grown)
        return yk_no_memory("the list of devices");
    memcpy(grown + list->count, infos, head->count * sizeof *grown);
    list->infos = grown;
    list->count += head->count;
    return YOKE_OK;
}

/* Describe the driver's fault, for a message that names the driver before it. */
static void describe_silence(yk_probe_child *child, bool in_time, yk_child_fate fate)
{
    static const char when[] = "when it was queried for its devices";
    child->silent = !in_time;
    if (!in_time)
        snprintf(child->fault, sizeof child->fault, "did not answer in %u s", yk_probe_seconds);
    else if (fate.how == YK_CHILD_SIGNAL)
        snprintf(child->fault, sizeof child->fault, "crashed (signal %d) %s", fate.number, when);
    else if (fate.how == YK_CHILD_EXIT)
        snprintf(child->fault, sizeof child->fault, "ended the process (exit status %d) %s", fate.number, when);
    else
        snprintf(child->fault, sizeof child->fault, "ended the process %s", when);
}

static yoke_status start_child(const yk_backend *backend, const char *settings, yk_probe_child *out_child)
{
    *out_child = (yk_probe_child){ .backend = backend };
    int error = yk_child_start(&out_child->child, answer_question, &(question){ backend, settings }, yk_probe_seconds + 5);
    if (error == EMFILE || error == ENFILE)
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY,
                       "%s: cannot create a pipe to a child process that queries the driver: %s; raise the limit on open files "
                       "(ulimit -n), or close some",
                       backend->name, strerror(error));
    if (error)
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: cannot start a child process that queries the driver: %s", backend->name,
                       strerror(error));
    return YOKE_OK;
}

/* A child without a sign of life hangs in a lock that was held at the fork, or the machine is busy: another child takes its place.
 * The last one is left to yk_probe_answer. */
yoke_status yk_probe_ask(const yk_backend *backend, const char *settings, yk_probe_child *out_child)
{
    uint64_t patience = FIRST_PATIENCE, longest = SECOND * yk_probe_seconds / 2;
    yoke_status status = start_child(backend, settings, out_child);
    while (status >= 0 && patience < longest && !yk_child_wait(&out_child->child, yk_now() + patience)) {
        (void)yk_child_end(&out_child->child, false);
        status = start_child(backend, settings, out_child);
        patience *= 2;
    }
    return status;
}

yoke_status yk_probe_answer(yk_probe_child *child, uint64_t deadline, yk_device_list *list, yk_text *files)
{
    yk_text answer = { 0 };
    answer_head head;
    yoke_status status = read_answer(&child->child, deadline, &answer);
    yk_child_fate fate = yk_child_end(&child->child, status != YOKE_PENDING);
    if (status >= 0 && get_head(&answer, &head)) {
        status = unpack(&head, answer.data + SIGN + sizeof head, list, files);
    } else if (status >= 0) {
        describe_silence(child, status != YOKE_PENDING, fate);
        status = yk_fail(YOKE_E_UNAVAILABLE, "%s: the driver %s", child->backend->name, child->fault);
    }
    yk_text_free(&answer);
    return status;
}
