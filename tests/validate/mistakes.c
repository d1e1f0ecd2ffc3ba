/* SPDX-License-Identifier: Apache-2.0 */
/* YOKE_VALIDATE finds every planted mistake, once, with the places of both operations, and reports nothing of its right twin. */
#include "scene.h"

#include <stdio.h>
#include <unistd.h>

#define KERNELS(kernel, global, index)                                                                                        \
    kernel "void move(" global "unsigned *y, const " global "unsigned *x)\n{ unsigned i = " index "; y[i] = x[i]; }\n" kernel \
           "void bump(" global "unsigned *x)\n{ unsigned i = " index "; x[i] = x[i] + 1u; }\n" kernel "void look(" global     \
           "unsigned *y, " global "unsigned *x)\n{ unsigned i = " index "; y[i] = x[i]; }\n"

static const char cuda[] = KERNELS("extern \"C\" __global__ ", "", "blockIdx.x * blockDim.x + threadIdx.x");
static const char opencl[] = KERNELS("__kernel ", "__global ", "get_global_id(0)");

/* ---- Scenes ---- */

void scene_follow_at(const char *where, yoke_stream *stream, yoke_stream *other)
{
    yoke_event *event = NULL;
    CHECK_OK(yoke_event_record_at(where, other, 0, &event));
    CHECK_OK(yoke_stream_wait_event_at(where, stream, event));
    yoke_event_release(event);
}

void scene_order(scene *s)
{
    if (s->right)
        scene_follow(s->b, s->a);
}

void scene_move_at(const char *where, scene *s, yoke_stream *stream, yoke_buffer *out, yoke_buffer *in)
{
    CHECK_OK(yoke_launch_n_at(where, stream, suite_kernel(s->t, "move"), WORDS, YOKE_ARGS(out, in)));
}

void scene_bump_at(const char *where, scene *s, yoke_stream *stream, yoke_buffer *x)
{
    CHECK_OK(yoke_launch_n_at(where, stream, suite_kernel(s->t, "bump"), yoke_buffer_get_size(x) / 4, YOKE_ARGS(x)));
}

void scene_fill_at(const char *where, yoke_stream *stream, yoke_buffer *x, size_t begin, size_t size)
{
    CHECK_OK(yoke_fill_at(where, stream, x, begin, size, &(uint32_t){ 7 }, 4));
}

static yoke_status stand(yoke_status status, void *user)
{
    scene *s = user;
    (void)status;
    while (sem_wait(&s->go) != 0)
        continue;
    return YOKE_OK;
}

void scene_hold(scene *s, yoke_stream *stream)
{
    CHECK_OK(yoke_host_call(stream, stand, s, NULL));
}

void scene_go(scene *s)
{
    sem_post(&s->go);
}

static bool set_up(suite *t, scene *s, bool right)
{
    *s = (scene){ .t = t, .right = right, .host = calloc(2, BYTES) };
    NEED(s->host && sem_init(&s->go, 0, 0) == 0 && sem_init(&s->told, 0, 0) == 0);
    s->other = s->host + BYTES;
    NEED_OK(yoke_stream_create(t->device, NULL, &s->a));
    NEED_OK(yoke_stream_create(t->device, NULL, &s->b));
    NEED_OK(yoke_stream_create(t->device, NULL, &s->c));
    NEED_OK(yoke_buffer_create(t->device, BYTES, &s->x));
    NEED_OK(yoke_buffer_create(t->device, BYTES, &s->y));
    NEED_OK(yoke_buffer_create(t->device, BYTES, &s->z));
    scene_fill(s->a, s->x, 0, BYTES);
    scene_fill(s->a, s->y, 0, BYTES);
    NEED_OK(yoke_stream_wait(s->a));
    return true;
out:
    return false;
}

static void tear_down(scene *s)
{
    yoke_stream *streams[] = { s->a, s->b, s->c };
    for (size_t i = 0; i < 3; i++) {
        if (streams[i])
            CHECK_OK(yoke_stream_wait(streams[i]));
        yoke_stream_release(streams[i]);
    }
    yoke_buffer_release(s->z);
    yoke_buffer_release(s->y);
    yoke_buffer_release(s->x);
    sem_destroy(&s->told);
    sem_destroy(&s->go);
    free(s->host);
}

/* ---- Reports ---- */

static char path[] = "/tmp/yoke-mistakes.XXXXXX";

/* How many reports there are; the last one. */
static unsigned count_reports(char *last, size_t size)
{
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(last, (int)size, file))
        count++;
    if (file)
        fclose(file);
    return count;
}

/* The number of new reports; the last one is in `text`. */
static unsigned play(suite *t, const mistake *m, bool right, char *text, size_t size)
{
    scene s;
    unsigned before = count_reports(text, size);
    if (set_up(t, &s, right))
        m->play(&s);
    tear_down(&s);
    return count_reports(text, size) - before;
}

static void play_all(suite *t, const mistakes *all)
{
    char text[4096], check[40];
    for (size_t i = 0; i < all->count; i++) {
        const mistake *m = &all->list[i];
        if (m->capability >= 0 && !yoke_device_supports(t->device, m->capability))
            continue;
        if (!suite_check(play(t, m, true, text, sizeof text) == 0, m->name, "the right one is silent"))
            printf("# %s", text);
        snprintf(check, sizeof check, "\"check\":\"%s\"", m->check);
        suite_check(play(t, m, false, text, sizeof text) == 1, m->name, "the mistake is found once");
        suite_check(strstr(text, check) != NULL, m->name, m->check);
        suite_check(strstr(text, "\"first\":{") && !strstr(text, "\"where\":null"), m->name, "it has its places");
    }
}

static void races(suite *t)
{
    play_all(t, &race_mistakes);
}

static void functions(suite *t)
{
    play_all(t, &function_mistakes);
}

static void graphs(suite *t)
{
    play_all(t, &graph_mistakes);
}

static void memory(suite *t)
{
    play_all(t, &memory_mistakes);
}

int main(void)
{
    static const suite_case cases[] = {
        { "races between streams are found, and none where there is an order", races, false },
        { "so are races with what host functions and native sections do, and with deferred operations", functions, false },
        { "and those in graphs, and with graphs", graphs, false },
        { "so are host memory in two copies at once, and reads of what nothing has written", memory, false },
    };
    int file = mkstemp(path);
    if (file < 0 || setenv("YOKE_VALIDATE", "all", 1) != 0 || setenv("YOKE_VALIDATE_JSON", path, 1) != 0) {
        perror("mistakes");
        return 1;
    }
    close(file);
    int code = SUITE_MAIN(cases, (&(yoke_source){ .cuda = cuda, .opencl = opencl }));
    unlink(path);
    return code;
}
