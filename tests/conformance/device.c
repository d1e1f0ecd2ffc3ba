/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: counting, listing, opening, what they say of themselves, and who keeps them alive. What a selector finds is in
 * selection.c.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };

static void list_devices(yoke_device_info *infos, size_t *out_count)
{
    for (size_t i = 0; i < MOST; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    CHECK_OK(yoke_device_list(infos, MOST, out_count));
    CHECK(*out_count <= MOST);
}

static void count_is_length_of_list(suite *t)
{
    yoke_device_info infos[MOST], first[2] = { YOKE_DEVICE_INFO_INIT, YOKE_DEVICE_INFO_INIT };
    size_t counted = 77, listed = 78, none = 79, one = 80;

    (void)t;
    CHECK_OK(yoke_device_count(&counted));
    list_devices(infos, &listed);
    CHECK(counted == listed);
    CHECK_OK(yoke_device_list(NULL, 0, &none));
    CHECK(none == counted);

    memset(&first[1], 0xEE, sizeof first[1]);
    CHECK_OK(yoke_device_list(first, 1, &one));
    CHECK(one == counted);
    if (counted > 0)
        CHECK(strcmp(first[0].selector, infos[0].selector) == 0);
    yoke_device_info untouched;
    memset(&untouched, 0xEE, sizeof untouched);
    CHECK(memcmp(&first[1], &untouched, sizeof untouched) == 0);
    CHECK(yoke_device_get_report() != NULL);
}

static void selectors_are_unique(suite *t)
{
    yoke_device_info infos[MOST];
    size_t count = 0;

    (void)t;
    list_devices(infos, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(infos[i].selector, infos[j].selector) != 0);
}

static bool is_pci(const char *text)
{
    unsigned domain, bus, device, function;
    char rest;

    return strlen(text) == 12 && sscanf(text, "%4x:%2x:%2x.%1x%c", &domain, &bus, &device, &function, &rest) == 4;
}

static bool is_uuid(const char *text)
{
    for (size_t i = 0; i < 36; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-' : !strchr("0123456789abcdef", text[i]) || !text[i])
            return false;
    return text[36] == '\0';
}

static void info_makes_sense(suite *t)
{
    const yoke_device_info *info = &t->info;
    const char *ordered = getenv("YOKE_BACKEND");
    char selector[64];

    if (ordered && *ordered)
        CHECK(strcmp(info->backend, ordered) == 0);
    snprintf(selector, sizeof selector, "%s:%d", info->backend, (int)info->index);
    CHECK(strcmp(info->selector, selector) == 0);
    CHECK(info->name[0] && info->vendor[0] && info->platform[0] && info->driver[0]);
    CHECK(info->kind >= YOKE_DEVICE_GPU && info->kind <= YOKE_DEVICE_EMULATOR);
    CHECK(!info->pci[0] || is_pci(info->pci));
    CHECK(!info->uuid[0] || is_uuid(info->uuid));
    CHECK(info->capabilities >> (YOKE_CAP_IMAGES + 1) == 0);
    CHECK(info->compute_units > 0);
    CHECK(info->memory > 0);
    CHECK(info->max_buffer > 0 && info->max_buffer <= info->memory);
    CHECK(info->max_shared_bytes > 0);
    CHECK(info->max_block_threads > 0);
    for (int d = 0; d < 3; d++) {
        CHECK(info->max_grid[d] > 0);
        CHECK(info->max_block[d] > 0 && info->max_block[d] <= info->max_block_threads * 1024);
    }
    CHECK(info->max_block[0] >= 1 && info->max_grid[0] >= 65535);
    CHECK(info->view_alignment > 0 && (info->view_alignment & (info->view_alignment - 1)) == 0);
    CHECK(strcmp(info->backend, "cuda") != 0 || info->compute_capability >= 50);
    CHECK(info->compute_capability == 0 || info->kind == YOKE_DEVICE_GPU);
}

static void info_is_what_the_list_said(suite *t)
{
    yoke_device_info infos[MOST];
    size_t count = 0, found = 0;

    list_devices(infos, &count);
    for (size_t i = 0; i < count; i++) {
        const yoke_device_info *a = &infos[i], *b = &t->info;

        if (strcmp(a->selector, b->selector) != 0)
            continue;
        found++;
        CHECK(a->size == b->size && a->index == b->index && a->kind == b->kind);
        CHECK(strcmp(a->name, b->name) == 0 && strcmp(a->vendor, b->vendor) == 0);
        CHECK(strcmp(a->platform, b->platform) == 0 && strcmp(a->driver, b->driver) == 0);
        CHECK(strcmp(a->pci, b->pci) == 0 && strcmp(a->uuid, b->uuid) == 0);
        CHECK(a->memory == b->memory && a->max_buffer == b->max_buffer && a->max_shared_bytes == b->max_shared_bytes);
        CHECK(memcmp(a->max_grid, b->max_grid, sizeof a->max_grid) == 0);
        CHECK(memcmp(a->max_block, b->max_block, sizeof a->max_block) == 0);
        CHECK(a->max_block_threads == b->max_block_threads && a->view_alignment == b->view_alignment);
        CHECK(a->capabilities == b->capabilities && a->compute_units == b->compute_units);
        CHECK(a->compute_capability == b->compute_capability);
    }
    CHECK(found == 1);
}

/* A program that was built against a smaller struct has not got the memory behind it. */
static void info_of_an_older_program(suite *t)
{
    yoke_device_info info, untouched;
    size_t known = offsetof(yoke_device_info, vendor);

    memset(&info, 0xEE, sizeof info);
    memset(&untouched, 0xEE, sizeof untouched);
    info.size = known;
    CHECK_OK(yoke_device_get_info(t->device, &info));
    CHECK(info.size == known);
    CHECK(strcmp(info.selector, t->info.selector) == 0 && strcmp(info.name, t->info.name) == 0);
    CHECK_BYTES((char *)&info + known, (char *)&untouched + known, sizeof info - known);

    memset(&info, 0xEE, sizeof info);
    info.size = 0;
    CHECK_OK(yoke_device_get_info(t->device, &info));
    CHECK(info.size == 0 && strcmp(info.selector, t->info.selector) == 0 && info.view_alignment == t->info.view_alignment);
    info.size = offsetof(yoke_device_info, backend) - 1;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "size", yoke_device_get_info(t->device, &info));
    info.size = offsetof(yoke_device_info, backend);
    CHECK_OK(yoke_device_get_info(t->device, &info));
    CHECK(strcmp(info.selector, t->info.selector) == 0);
}

/* A program that was built against a later, larger struct. */
static void info_of_a_newer_program(suite *t)
{
    struct {
        yoke_device_info info;
        unsigned char later[64];
    } newer;

    memset(&newer, 0, sizeof newer);
    newer.info.size = sizeof newer;
    CHECK_OK(yoke_device_get_info(t->device, &newer.info));
    CHECK(strcmp(newer.info.selector, t->info.selector) == 0);
    CHECK(newer.info.view_alignment == t->info.view_alignment);
}

static void capabilities_have_reasons(suite *t)
{
    for (int capability = 0; capability < (YOKE_CAP_IMAGES + 1); capability++)
        CHECK(yoke_device_supports(t->device, capability) == suite_can(t, capability));
    CHECK(yoke_device_lacks(t->device, (YOKE_CAP_IMAGES + 1)) != NULL);
    CHECK(yoke_device_lacks(t->device, -1) != NULL);
    CHECK(yoke_device_lacks(t->device, 1000) != NULL);
    CHECK(!yoke_device_supports(t->device, (YOKE_CAP_IMAGES + 1)) && !yoke_device_supports(t->device, -1));
    CHECK(!yoke_device_supports(NULL, YOKE_CAP_TIMING));
}

static void compiler_has_a_name(suite *t)
{
    struct {
        yoke_compiler_info info;
        unsigned char later[64];
    } newer = { .info = YOKE_COMPILER_INFO_INIT };
    yoke_compiler_info *info = &newer.info, older = YOKE_COMPILER_INFO_INIT;
    yoke_status status = yoke_device_get_compiler(t->device, info);

    if (status == YOKE_E_UNAVAILABLE) { /* only NVRTC may be missing */
        CHECK_TEXT(yoke_error()->text, "NVRTC");
        return;
    }
    CHECK_OK(status);
    CHECK(info->size == sizeof *info);
    CHECK(*info->name && info->name[strlen(info->name) - 1] != ' ');
    CHECK_TEXT(info->language, strcmp(t->info.backend, "cuda") == 0 ? "CUDA C++" : "OpenCL C");

    memset(newer.later, 0xEE, sizeof newer.later);
    info->size = sizeof newer;
    CHECK_OK(yoke_device_get_compiler(t->device, info));
    CHECK(newer.later[0] == 0 && newer.later[sizeof newer.later - 1] == 0);
    memset(older.language, 'x', sizeof older.language);
    older.size = offsetof(yoke_compiler_info, language);
    CHECK_OK(yoke_device_get_compiler(t->device, &older));
    CHECK(strcmp(older.name, info->name) == 0);
    CHECK(older.language[0] == 'x');
    older.size = 0;
    CHECK_OK(yoke_device_get_compiler(t->device, &older));
    CHECK(older.size == 0 && strcmp(older.target, info->target) == 0);
}

static void opens_many_times(suite *t)
{
    yoke_device *opened[8] = { NULL };
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;

    for (int i = 0; i < 8; i++)
        CHECK_OK(yoke_device_open(t->info.selector, &opened[i]));
    for (int i = 0; i < 8; i++) {
        CHECK_OK(yoke_device_get_info(opened[i], &info));
        CHECK(strcmp(info.selector, t->info.selector) == 0);
        yoke_device_release(opened[i]);
    }
    suite_works(t);
}

static void children_keep_it_alive(suite *t)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    unsigned char in[1000], out[1000] = { 0 };

    fill_random(in, sizeof in, 3);
    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, sizeof in, &buffer));
    CHECK(yoke_stream_get_device(stream) == device);
    yoke_device_release(device);
    CHECK(yoke_stream_get_device(stream) == device);
    CHECK_OK(yoke_write(stream, buffer, 0, in, sizeof in));
    CHECK_OK(yoke_read_sync(stream, out, buffer, 0, sizeof out));
    CHECK_BYTES(out, in, sizeof in);
out:
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

static void retain_counts(suite *t)
{
    yoke_device *device = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;

    NEED_OK(yoke_device_open(t->info.selector, &device));
    CHECK(yoke_device_retain(device) == device);
    yoke_device_release(device);
    CHECK_OK(yoke_device_get_info(device, &info));
    yoke_device_release(device);
    CHECK(yoke_device_retain(NULL) == NULL);
    yoke_device_release(NULL);
out:
    return;
}

enum { ROUNDS = 20 };

/* Drivers of GPUs make a context in a fifth of a second, one after the other: three of those will do. */
static void *open_and_close(void *user)
{
    const char *selector = user;
    double end = suite_now() + 1;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;

    for (int i = 0; i < ROUNDS && (i < 3 || suite_now() < end); i++) {
        CHECK_OK(yoke_device_open(selector, &device));
        CHECK_OK(yoke_stream_create(device, NULL, &stream));
        CHECK_OK(yoke_device_get_info(device, &info));
        yoke_device_release(device);
        yoke_stream_release(stream);
    }
    return NULL;
}

static void opens_in_several_threads(suite *t)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, open_and_close, t->info.selector) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    static const suite_case cases[] = {
        { "the count is the length of the list, which fills no more than asked", count_is_length_of_list, true },
        { "every selector is there once", selectors_are_unique, true },
        { "its description makes sense", info_makes_sense, false },
        { "its description is what the list said", info_is_what_the_list_said, false },
        { "an older program's smaller description", info_of_an_older_program, false },
        { "a newer program's larger description", info_of_a_newer_program, false },
        { "a capability that is missing has a reason", capabilities_have_reasons, false },
        { "its compiler has a name", compiler_has_a_name, false },
        { "opens many times", opens_many_times, false },
        { "its children keep it alive", children_keep_it_alive, false },
        { "references are counted", retain_counts, false },
        { "opens in several threads at once", opens_in_several_threads, false },
    };
    return SUITE_MAIN(cases, NULL);
}
