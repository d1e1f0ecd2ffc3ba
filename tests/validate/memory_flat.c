/* SPDX-License-Identifier: Apache-2.0 */
/* What YOKE_VALIDATE keeps does not grow with the number of launches: ranges and reads of each buffer are counted as they are made.
 */
#include <stdlib.h>

#include "../conformance/suite.h"
#include "validate/validate.h"

static const char cuda[] = "extern \"C\" __global__ void move(unsigned *y, const unsigned *x) { y[0] = x[0]; }\n";
static const char opencl[] = "__kernel void move(__global unsigned *y, __global const unsigned *x) { y[0] = x[0]; }\n";

enum { LAUNCHES = 100000, BETWEEN_WAITS = 1000, STREAMS = 4, PARTS = 16, PART = 4096, MOST_KEPT = 1000, EACH = 10 };

/* With every stream waited for, so that nobody changes it. */
static size_t count_kept(void)
{
    size_t kept = 0;
    for (const yk_shadow *shadow = yk_shadow_all; shadow; shadow = shadow->next)
        for (unsigned i = 0; i < shadow->ranges.count; i++)
            kept += 1 + shadow->ranges.list[i].read_count;
    for (const yk_order *order = yk_order_all; order; order = order->next)
        for (const yk_turn *turn = order->first; turn; turn = turn->next)
            kept++;
    return kept;
}

static bool wait_for_all(yoke_stream *const *streams)
{
    bool ok = true;
    for (int i = 0; i < STREAMS; i++)
        ok = CHECK_OK(yoke_stream_wait(streams[i])) && ok;
    return ok;
}

/* All streams read one buffer, each writes parts of another in turn, and every tenth launch a new place of a third is filled. */
static void launches(suite *t)
{
    yoke_stream *streams[STREAMS] = { NULL };
    yoke_buffer *x = NULL, *y = NULL, *z = NULL, *parts[STREAMS * PARTS] = { NULL };
    size_t kept = 0;
    NEED_OK(yoke_buffer_create(t->device, PART, &x));
    NEED_OK(yoke_buffer_create(t->device, (size_t)STREAMS * PARTS * PART, &y));
    NEED_OK(yoke_buffer_create(t->device, (size_t)LAUNCHES / EACH * 4, &z));
    for (size_t i = 0; i < (size_t)STREAMS * PARTS; i++)
        NEED_OK(yoke_buffer_create_view(y, i * PART, PART, &parts[i]));
    for (int i = 0; i < STREAMS; i++)
        NEED_OK(yoke_stream_create(t->device, NULL, &streams[i]));
    NEED_OK(yoke_fill(t->stream, x, 0, PART, &(uint32_t){ 1 }, 4));
    NEED_OK(yoke_stream_wait(t->stream));
    yoke_kernel *move = suite_kernel(t, "move");
    for (int i = 0; i < LAUNCHES; i++) {
        NEED_OK(yoke_launch_n(streams[i % STREAMS], move, 1, YOKE_ARGS(parts[i % (STREAMS * PARTS)], x)));
        if (i % EACH == 0)
            NEED_OK(yoke_fill(streams[i % STREAMS], z, (size_t)(i / EACH) * 4, 4, &(uint32_t){ 1 }, 4));
        if (i % BETWEEN_WAITS < BETWEEN_WAITS - 1)
            continue;
        NEED(wait_for_all(streams));
        size_t now = count_kept();
        kept = now > kept ? now : kept;
    }
    tap_diag("at most %zu ranges and reads are kept of %d launches", kept, LAUNCHES);
    CHECK(kept > 0 && kept < MOST_KEPT);
out:
    for (int i = 0; i < STREAMS; i++) {
        yoke_stream_wait(streams[i]);
        yoke_stream_release(streams[i]);
    }
    for (size_t i = 0; i < (size_t)STREAMS * PARTS; i++)
        yoke_buffer_release(parts[i]);
    yoke_buffer_release(z);
    yoke_buffer_release(y);
    yoke_buffer_release(x);
}

int main(void)
{
    static const suite_case cases[] = { { "what is kept does not grow with the number of launches", launches, false } };
    if (setenv("YOKE_VALIDATE", "all", 1) != 0)
        return 1;
    return SUITE_MAIN(cases, (&(yoke_source){ .cuda = cuda, .opencl = opencl }));
}
