/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of images: they move exactly their region, from and to the host and buffers, at once, behind a host function and in
 * graphs; and what the memory of images counts as.
 */
#include "image.h"

#include <yoke/graph.h>

static void *bytes_at(unsigned char *image, size_t x, size_t y, size_t z, size_t texel)
{
    return image + ((z * H + y) * W + x) * texel;
}

/* Regions, from the host and from buffers, against a mirror. */
static void check_copies(suite *t, bool volume, int32_t memory)
{
    static const yoke_region regions[] = { { 0, 0, 0, W, H, 0 },  { 3, 2, 0, 5, 4, 1 }, { 15, 7, 0, 1, 1, 0 },
                                           { 0, 3, 0, 16, 1, 0 }, { 1, 0, 1, 7, 8, 3 }, { 0, 0, 3, 2, 2, 1 } };
    yoke_image_desc desc = { .format = YOKE_FORMAT_UINT16, .channels = 4, .width = W, .height = H, .depth = volume ? D : 0 };
    enum { TEXEL = 8, OFFSET = 24, SIZE = W * H * D * TEXEL };
    unsigned char *mirror = memory_new(SIZE), *data = memory_new(SIZE), *got = memory_new(SIZE);
    size_t whole = volume ? SIZE : SIZE / D;
    yoke_image *image = NULL;
    yoke_buffer *buffer = NULL;

    NEED_OK(yoke_image_create(t->device, &desc, &image));
    NEED_OK(yoke_buffer_create_in(t->device, memory, SIZE + OFFSET, &buffer));
    fill_random(mirror, SIZE, 1);
    NEED_OK(yoke_write_image(t->stream, image, NULL, mirror, whole));
    for (size_t i = 0; i < 2 * sizeof regions / sizeof regions[0]; i++) {
        yoke_region r = regions[i / 2];
        size_t depth = r.depth ? r.depth : 1, bytes = r.width * r.height * depth * TEXEL;
        if (r.z + depth > (volume ? D : 1))
            continue;
        fill_random(data, bytes, (uint32_t)i + 2);
        if (i & 1) {
            NEED_OK(yoke_write_image(t->stream, image, &r, data, bytes));
            NEED_OK(yoke_read_image(t->stream, got, image, &r, bytes));
        } else {
            NEED_OK(yoke_write(t->stream, buffer, OFFSET, data, bytes));
            NEED_OK(yoke_copy_to_image(t->stream, image, &r, buffer, OFFSET));
            NEED_OK(yoke_fill(t->stream, buffer, 0, SIZE + OFFSET, "\0", 1));
            NEED_OK(yoke_copy_from_image(t->stream, buffer, OFFSET, image, &r));
            NEED_OK(yoke_read(t->stream, got, buffer, OFFSET, bytes));
        }
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(CHECK_BYTES(got, data, bytes));
        for (size_t z = 0; z < depth; z++)
            for (size_t y = 0; y < r.height; y++)
                memcpy(bytes_at(mirror, r.x, r.y + y, r.z + z, TEXEL), data + (z * r.height + y) * r.width * TEXEL,
                       r.width * TEXEL);
        NEED_OK(yoke_read_image(t->stream, got, image, NULL, whole));
        NEED_OK(yoke_stream_wait(t->stream));
        if (!CHECK_BYTES(got, mirror, whole)) {
            tap_diag("region %zu, memory %d", i, (int)memory);
            break;
        }
    }
out:
    yoke_image_release(image);
    yoke_buffer_release(buffer);
    memory_free(mirror);
    memory_free(data);
    memory_free(got);
}

static void copies(suite *t)
{
    if (!needs_images(t))
        return;
    check_copies(t, false, YOKE_MEMORY_DEVICE);
    check_copies(t, true, YOKE_MEMORY_DEVICE);
    if (suite_can(t, YOKE_CAP_MAPPED))
        check_copies(t, false, YOKE_MEMORY_MAPPED);
    if (suite_can(t, YOKE_CAP_MANAGED))
        check_copies(t, true, YOKE_MEMORY_MANAGED);
}

/* Behind a host function everything is deferred, and the stream keeps what it names. */
static yoke_status set_texels(yoke_status status, void *user)
{
    float *texels = user;
    for (int i = 0; i < W * H; i++)
        texels[i] = (float)(2 * i);
    return status;
}

static void deferred(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = W, .height = H };
    float texels[W * H] = { 0 }, got[W * H] = { 0 };
    yoke_image *image = NULL, *other = NULL;

    if (!needs_images(t) || !one_channel(t, &desc, &image))
        return;
    NEED(one_channel(t, &desc, &other));
    NEED_OK(yoke_host_call(t->stream, set_texels, texels, NULL));
    NEED_OK(yoke_write_image(t->stream, image, NULL, texels, sizeof texels));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "shift"), YOKE_DIM(1, H), YOKE_DIM(W), 0,
                        YOKE_ARGS(image, yoke_arg_surface(other))));
    NEED_OK(yoke_read_image(t->stream, got, other, NULL, sizeof got));
    yoke_image_release(image);
    yoke_image_release(other);
    image = other = NULL;
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < W * H; i++)
        if (!CHECK(got[i] == (float)(2 * (i % W ? i - 1 : i))))
            break;
out:
    yoke_image_release(image);
    yoke_image_release(other);
}

/* Recorded once, launched with other texels each time; an update passes another image. */
static void graphs(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = W, .height = H };
    float texels[W * H], got[W * H];
    yoke_image *image = NULL, *other = NULL, *third = NULL;
    yoke_graph *graph = NULL;

    if (!needs_images(t) || !one_channel(t, &desc, &image))
        return;
    NEED(one_channel(t, &desc, &other) && one_channel(t, &desc, &third));
    NEED_OK(yoke_graph_create(t->device, "images", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED_OK(yoke_write_image(t->stream, image, NULL, texels, sizeof texels));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "shift"), YOKE_DIM(1, H), YOKE_DIM(W), 0,
                        YOKE_ARGS(image, yoke_arg_surface(other))));
    NEED_OK(yoke_read_image(t->stream, got, other, NULL, sizeof got));
    NEED_OK(yoke_graph_end(graph));
    CHECK(yoke_graph_get_size(graph) == 3);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < W * H; i++) {
            texels[i] = (float)(i + 1000 * round);
            got[i] = -1;
        }
        if (round == 2) { /* from an image that has other texels */
            NEED_OK(yoke_write_image(t->stream, third, NULL, texels, sizeof texels));
            NEED_OK(yoke_stream_wait(t->stream));
            memset(texels, 0, sizeof texels);
            NEED_OK(yoke_graph_set_args(graph, 1, YOKE_ARGS(third, yoke_arg_surface(other))));
            yoke_image_release(third);
            third = NULL;
        }
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        for (int i = 0; i < W * H; i++)
            if (!CHECK(got[i] == (float)((i % W ? i - 1 : i) + 1000 * round))) {
                tap_diag("launch %d, texel %d: %g", round, i, got[i]);
                break;
            }
    }
out:
    yoke_graph_release(graph);
    yoke_image_release(image);
    yoke_image_release(other);
    yoke_image_release(third);
}

/* ---- Memory ---- */

static void memory_in_use(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_UNORM8, .channels = 4, .width = 512, .height = 256 };
    yoke_memory_info before = YOKE_MEMORY_INFO_INIT, now = YOKE_MEMORY_INFO_INIT;
    yoke_image *image = NULL, *view = NULL;

    if (!needs_images(t))
        return;
    CHECK_OK(yoke_device_get_memory(t->device, &before));
    NEED_OK(yoke_image_create(t->device, &desc, &image));
    NEED_OK(yoke_image_create_view(image, &(yoke_sampler){ .normalized = 1 }, &view));
    CHECK_OK(yoke_device_get_memory(t->device, &now));
    CHECK(now.in_use == before.in_use + 512 * 256 * 4);
    yoke_image_release(image);
    image = NULL;
    CHECK_OK(yoke_device_get_memory(t->device, &now));
    CHECK(now.in_use == before.in_use + 512 * 256 * 4);
    NEED_OK(yoke_device_set_memory_limits(t->device, now.in_use + 1000, YOKE_NO_LIMIT));
    CHECK_FAILS(YOKE_E_OUT_OF_DEVICE_MEMORY, "limit", yoke_image_create(t->device, &desc, &image));
    NEED_OK(yoke_device_set_memory_limits(t->device, YOKE_NO_LIMIT, YOKE_NO_LIMIT));
    yoke_image_release(view);
    view = NULL;
    CHECK_OK(yoke_device_get_memory(t->device, &now));
    CHECK(now.in_use == before.in_use);
out:
    yoke_image_release(image);
    yoke_image_release(view);
}

int main(void)
{
    static const suite_case cases[] = {
        { "copies of regions", copies, false },
        { "images behind a host function", deferred, false },
        { "images in graphs", graphs, false },
        { "the memory of images", memory_in_use, false },
    };
    const yoke_source source = { .name = "image", .cuda = image_cuda, .opencl = image_opencl };
    return SUITE_MAIN(cases, &source);
}
