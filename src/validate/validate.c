/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to the streams of a validated device, one thing at a time. An operation is looked at when its turn to be submitted
 * comes: what is before it has been looked at then, whatever was deferred. What the program knew when it enqueued a deferred
 * operation is kept until that turn.
 */
#include "validate/validate.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/fork.h"
#include "base/process/thread.h"
#include "base/system/environment.h"
#include "stream/validator.h"

/* Protects what is known; taken with a stream's lock held, and before the log's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned checks;

static void stream_begin(yoke_stream *stream)
{
    pthread_mutex_lock(&lock);
    stream->order = yk_order_begin(stream);
    pthread_mutex_unlock(&lock);
}

/* ---- Deferred operations ---- */

static void deferred(yoke_stream *stream)
{
    pthread_mutex_lock(&lock);
    if (stream->order)
        yk_order_defer(stream->order);
    pthread_mutex_unlock(&lock);
}

static void taken(yoke_stream *stream)
{
    pthread_mutex_lock(&lock);
    if (stream->order) {
        yk_order_take(stream->order);
        stream->order->by_worker = true;
    }
    pthread_mutex_unlock(&lock);
}

static void ran(yoke_stream *stream)
{
    pthread_mutex_lock(&lock);
    if (stream->order)
        stream->order->by_worker = false;
    pthread_mutex_unlock(&lock);
}

/* ---- Operations ---- */

/* With the lock held: where the stream's next operation is. NULL: the stream is not validated. */
static yk_order *place_of(yoke_stream *stream)
{
    yk_order *order = stream->order;
    if (order && !order->by_worker)
        yk_order_join_host(order);
    return order;
}

static void submitted(yoke_stream *stream, const yk_op *op)
{
    yk_op_family family = yk_family_of(op->kind);
    pthread_mutex_lock(&lock);
    yk_order *order = place_of(stream);
    if (order && family == YK_FAMILY_WAIT && !op->u.wait.native) {
        yk_order_join(order, op->u.wait.event->moment);
    } else if (order && family != YK_FAMILY_WAIT && family != YK_FAMILY_GRAPH) {
        yk_order_advance(order);
        yk_touch(order, op, checks);
    }
    pthread_mutex_unlock(&lock);
}

/* With the lock held: the steps of a driver's graph, each branch in a place of its own. A step is behind those that it follows, by
 * their clocks, and behind those of its branch. */
static void replay(yk_order *order, const yk_batch *batch, yk_order *branches, yk_clock **after)
{
    for (size_t i = 0; i < batch->count; i++) {
        const yk_step *step = &batch->steps[i];
        yk_order *branch = &branches[step->branch];
        if (!branch->stream && !yk_order_branch(order, step->branch, branch))
            return;
        for (size_t k = 0; k < step->after_count; k++)
            yk_order_join(branch, step->after[k] < i ? after[step->after[k]] : NULL);
        yk_order_advance(branch);
        yk_touch(branch, step->op, checks);
        yk_order_record(branch, &after[i]);
    }
}

static unsigned count_branches(const yk_batch *batch)
{
    unsigned last = 0;
    for (size_t i = 0; i < batch->count; i++)
        last = batch->steps[i].branch > last ? batch->steps[i].branch : last;
    return last + 1;
}

static void replayed(yoke_stream *stream, const yk_batch *batch)
{
    unsigned count = count_branches(batch);
    yk_order *branches = calloc(count, sizeof *branches);
    yk_clock **after = calloc(batch->count ? batch->count : 1, sizeof *after);
    pthread_mutex_lock(&lock);
    yk_order *order = place_of(stream);
    if (order && branches && after)
        replay(order, batch, branches, after);
    for (unsigned i = 0; branches && i < count; i++)
        if (branches[i].stream)
            yk_order_end_branch(order, &branches[i]);
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; after && i < batch->count; i++)
        free(after[i]);
    free(after);
    free(branches);
}

/* ---- Order ---- */

static void records(yoke_stream *stream, yoke_event *event)
{
    pthread_mutex_lock(&lock);
    const yk_order *order = place_of(stream);
    if (order)
        yk_order_record(order, &event->moment);
    pthread_mutex_unlock(&lock);
}

static void follows(yoke_stream *stream, yoke_event *event)
{
    pthread_mutex_lock(&lock);
    if (stream->order)
        yk_order_join(stream->order, event->moment);
    pthread_mutex_unlock(&lock);
}

static void knows(const yoke_event *event)
{
    pthread_mutex_lock(&lock);
    yk_order_host_knows(event->moment);
    pthread_mutex_unlock(&lock);
}

static void knows_all(const yoke_stream *stream)
{
    pthread_mutex_lock(&lock);
    if (stream->order)
        yk_order_host_knows(stream->order->clock);
    pthread_mutex_unlock(&lock);
}

static void function_begin(yoke_stream *stream)
{
    knows_all(stream);
}

/* What the function has waited for is before what comes next. */
static void function_end(yoke_stream *stream)
{
    pthread_mutex_lock(&lock);
    if (stream->order)
        yk_order_join_host(stream->order);
    pthread_mutex_unlock(&lock);
}

/* ---- Memory ---- */

static void buffer_begin(yoke_buffer *root)
{
    pthread_mutex_lock(&lock);
    if (root->host)
        yk_touch_renew(root->host, root->size);
    yk_shadow *shadow = yk_shadow_of(root);
    if (shadow)
        shadow->complete = root->kind == YOKE_MEMORY_DEVICE && (root->origin == YK_CREATED || root->origin == YK_ORDERED);
    pthread_mutex_unlock(&lock);
}

static void buffer_end(yoke_buffer *root)
{
    pthread_mutex_lock(&lock);
    yk_shadow_end(root);
    pthread_mutex_unlock(&lock);
}

static void buffer_exposed(yoke_buffer *root)
{
    pthread_mutex_lock(&lock);
    if (root->shadow)
        root->shadow->complete = false;
    pthread_mutex_unlock(&lock);
}

/* ---- Leaks ---- */

static void report_failure(const yoke_stream *stream)
{
    const yoke_error_info *failure = &stream->failure->info;
    yk_text text = { 0 };
    yk_text_add(&text, "stream %s of %s has failed, and no call has returned its failure: %s", stream->label,
                stream->device->info.selector, failure->text);
    yk_report_write(
        &(yk_report){ .check = "leaks",
                      .what = yk_text_get(&text),
                      .advice = "wait for the stream (yoke_stream_wait) before it is released, and look at the status" });
    yk_text_free(&text);
}

static void stream_end(yoke_stream *stream)
{
    bool unseen =
        atomic_load(&stream->failed) && !atomic_load(&stream->failure->told) && stream->failure->info.status != YOKE_E_CANCELLED;
    pthread_mutex_lock(&lock);
    if (unseen && (checks & YK_CHECK_LEAKS))
        report_failure(stream);
    if (stream->order)
        yk_order_end(stream->order);
    stream->order = NULL;
    pthread_mutex_unlock(&lock);
}

static void report_buffer(const yk_shadow *shadow)
{
    yk_text text = { 0 };
    bool used = shadow->first.number > 0;
    yk_text_add(&text, "a %s of %zu bytes of %s was never released, %s", shadow->root->origin == YK_IMAGED ? "image" : "buffer",
                shadow->root->size, shadow->root->device->info.selector,
                used ? "whose first operation was this" : "and no operation has used it");
    yk_report_write(&(yk_report){ .check = "leaks",
                                  .what = yk_text_get(&text),
                                  .advice = "release it, and the views of it",
                                  .first = used ? &shadow->first : NULL });
    yk_text_free(&text);
}

static void report_stream(const yk_order *order)
{
    yk_text text = { 0 };
    yk_text_add(&text, "stream %s of %s was never released", order->label, order->device);
    yk_report_write(&(yk_report){ .check = "leaks", .what = yk_text_get(&text), .advice = "release it with yoke_stream_release" });
    yk_text_free(&text);
}

/* At the program's exit: what it has not released. */
static void report_leaks(void)
{
    if (yk_forked)
        return;
    pthread_mutex_lock(&lock);
    for (const yk_shadow *shadow = yk_shadow_all; shadow; shadow = shadow->next)
        report_buffer(shadow);
    for (const yk_order *order = yk_order_all; order; order = order->next)
        if (atomic_load(&order->stream->object.kind) == YK_STREAM)
            report_stream(order);
    pthread_mutex_unlock(&lock);
}

/* ---- The setting ---- */

static const yk_validator validator = { .stream_begin = stream_begin,
                                        .stream_end = stream_end,
                                        .deferred = deferred,
                                        .taken = taken,
                                        .ran = ran,
                                        .submitted = submitted,
                                        .replayed = replayed,
                                        .records = records,
                                        .follows = follows,
                                        .knows = knows,
                                        .knows_all = knows_all,
                                        .function_begin = function_begin,
                                        .function_end = function_end,
                                        .buffer_begin = buffer_begin,
                                        .buffer_end = buffer_end,
                                        .buffer_exposed = buffer_exposed };

static const struct {
    const char *word;
    unsigned checks;
} words[] = {
    { "races", YK_CHECK_RACES },
    { "host", YK_CHECK_HOST },
    { "leaks", YK_CHECK_LEAKS },
    { "uninit", YK_CHECK_UNINIT },
    { "all", YK_CHECK_RACES | YK_CHECK_HOST | YK_CHECK_LEAKS | YK_CHECK_UNINIT },
};

static unsigned checks_of(const char *word, size_t length)
{
    for (size_t i = 0; i < YK_COUNT_OF(words); i++)
        if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0)
            return words[i].checks;
    return 0;
}

static yoke_status read_words(const char *list, unsigned *out_checks)
{
    for (*out_checks = 0;; list++) {
        size_t length = strcspn(list, ",");
        unsigned asked = checks_of(list, length);
        if (!asked)
            return yk_fail(YOKE_E_INVALID_ARGUMENT,
                           "YOKE_VALIDATE: '%.*s' is no check; the checks are races, host, leaks and uninit, with commas between "
                           "them, or all%s",
                           (int)(length < 40 ? length : 40), list,
                           length == 6 && strncmp(list, "bounds", 6) == 0 ? "; writes out of bounds are not found yet" : "");
        *out_checks |= asked;
        list += length;
        if (!*list)
            return YOKE_OK;
    }
}

yoke_status yk_validate_init(yoke_device *device)
{
    static bool begun;
    unsigned asked = 0;
    const char *list = yk_environment("YOKE_VALIDATE");
    if (!list || !*list)
        return YOKE_OK;
    yoke_status status = read_words(list, &asked);
    if (status < 0)
        return status;
    pthread_mutex_lock(&lock);
    if (!begun && (asked & YK_CHECK_LEAKS) && atexit(report_leaks) != 0)
        yk_log_ordered(YOKE_LOG_ERROR, "YOKE_VALIDATE: leaks cannot be found: atexit failed");
    if (!begun)
        yk_report_begin();
    checks = begun ? checks : asked;
    begun = true;
    pthread_mutex_unlock(&lock);
    device->validator = &validator;
    return YOKE_OK;
}
