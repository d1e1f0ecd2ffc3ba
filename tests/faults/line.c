/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the layer, and the line of two streams. What is checked here holds whatever the lie: each function is called once, in its
 * order, with the status of the work before it.
 */
#include "line.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPIN_MS = 20 };

/* ---- The layer ---- */

const liar_control *liar;

/* Whether the loader that Yoke uses has the name of the variable in it: then it must have opened the layer. */
static bool loader_knows_layers(void)
{
    static const char name[] = "OPENCL_LAYERS";
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
    struct link_map *map = NULL;
    bool knows = false;

    if (!loader || dlinfo(loader, RTLD_DI_LINKMAP, &map) != 0)
        return CHECK(!"the OpenCL loader can be found");
    FILE *file = fopen(map->l_name, "rb");
    if (!CHECK(file != NULL))
        return true;
    char bytes[1 << 16];
    size_t kept = 0, length;
    while (!knows && (length = fread(bytes + kept, 1, sizeof bytes - kept, file)) > 0) {
        length += kept;
        knows = memmem(bytes, length, name, sizeof name - 1) != NULL;
        kept = length < sizeof name ? length : sizeof name;
        memmove(bytes, bytes + length - kept, kept);
    }
    fclose(file);
    return knows;
}

/* The loader has opened the layer when Yoke first used it. */
bool has_layer(void)
{
    if (liar)
        return true;
    void *layer = dlopen(LAYER, RTLD_NOW | RTLD_NOLOAD);
    if (layer) {
        liar = dlsym(layer, LIAR_SYMBOL);
        return CHECK(liar != NULL);
    }
    if (!loader_knows_layers()) {
        suite_skip("this OpenCL loader knows nothing of layers");
    } else if (access(LAYER, R_OK) != 0) {
        suite_skip("there is no " LAYER ", because shared libraries are not built");
    } else {
        layer = dlopen(LAYER, RTLD_NOW);
        tap_diag("%s", layer ? "the loader has not opened the layer, though it can be opened" : dlerror());
        CHECK(!"the layer is there");
        if (layer)
            dlclose(layer);
    }
    return false;
}

liar_report told(void)
{
    liar_report report;

    liar->report(&report);
    return report;
}

/* The truth again, late callbacks included; and all is well. */
void be_honest(suite *t)
{
    if (!liar)
        return;
    liar->lie(NULL);
    liar->deliver();
    CHECK(told().pending == 0);
    suite_works(t);
}

/* ---- Host functions ---- */

yoke_status hear(yoke_status status, void *user)
{
    listener *l = user;

    CHECK_STATUS(l->expected->status, status);
    if (status < 0) {
        CHECK(yoke_error()->status == status);
        CHECK(yoke_error()->driver_code == l->expected->code);
        CHECK_TEXT(yoke_error()->text, yoke_error()->driver_call);
    }
    if (l->got)
        CHECK_BYTES(l->got, l->wanted, 2 * sizeof *l->got);
    CHECK(atomic_fetch_add(&l->ran, 1) == 0);
    CHECK(atomic_load(&l->released) == 0);
    return YOKE_OK;
}

void heard(void *user)
{
    listener *l = user;

    CHECK(atomic_load(&l->ran) == 1);
    CHECK(atomic_fetch_add(&l->released, 1) == 0);
    gate_open(&l->done);
}

void check_outcome(const outcome *expected, yoke_status got, const char *where)
{
    if (expected->status == YOKE_OK || got != expected->status) {
        suite_check_status(expected->status, got, where, "the work's end");
        return;
    }
    suite_check_fails(expected->status, expected->words, got, where, "the work's end");
    suite_check(yoke_error()->driver_code == expected->code, where, "the record has the driver's code");
    suite_check(yoke_error()->driver_call[0] != '\0', where, "the record has the driver's call");
    suite_check(yoke_error()->where[0] != '\0', where, "the record has the place of the enqueue");
}

/* ---- A line of two streams ---- */

void line_close(line *l)
{
    yoke_event_release(l->event);
    yoke_stream_release(l->first);
    yoke_stream_release(l->second);
    guarded_release(&l->out);
    guarded_release(&l->mark);
    memory_free(l->got);
}

bool line_open(suite *t, line *l, unsigned kind, outcome expected)
{
    *l = (line){ .kind = kind, .stand = STAND_INIT, .expected = expected };
    l->behind_first = l->behind_second = (listener){ .expected = &l->expected, .done = GATE_INIT };
    l->got = memory_new(2 * sizeof *l->got);
    NEED(guarded_create(t, 2 * sizeof *l->got, &l->out) && guarded_create(t, 2 * sizeof *l->got, &l->mark));
    NEED(suite_spin(t, t->side, l->out.buffer, 1, 0, NULL));
    NEED_OK(yoke_stream_wait(t->side));
    NEED_OK(yoke_stream_create(t->device, NULL, &l->second));
    NEED_OK(yoke_stream_create(t->device, NULL, &l->first));
    l->queue = liar->newest_queue();
    return true;
out:
    line_close(l);
    return false;
}

const uint32_t marks[2] = { 0x600dcafe, 0x0ddba11 };

bool line_enqueue(suite *t, line *l)
{
    uint32_t rounds = 0;

    if (l->kind & HELD)
        NEED_OK(yoke_host_call(l->first, stand_at_gate, &l->stand, NULL));
    NEED_OK(yoke_write(l->first, l->out.buffer, 0, marks, sizeof marks));
    NEED(suite_spin(t, l->first, l->out.buffer, marks[0], SPIN_MS, &rounds));
    if (l->expected.status == YOKE_OK) {
        l->wanted[0] = marks[0];
        l->wanted[1] = spin_result(marks[0], rounds);
        NEED_OK(yoke_read(l->first, l->got, l->out.buffer, 0, sizeof l->wanted));
        l->behind_first.got = l->behind_second.got = l->got;
        l->behind_first.wanted = l->behind_second.wanted = l->wanted;
    }
    /* Functions come last: they are the first to ask how the work went. */
    NEED_OK(yoke_event_record(l->first, 0, &l->event));
    if (!(l->kind & ALONE)) {
        NEED_OK(yoke_stream_wait_event(l->second, l->event));
        NEED_OK(yoke_write(l->second, l->mark.buffer, 0, marks, sizeof marks));
    }
    NEED_OK(yoke_host_call(l->first, hear, &l->behind_first, heard));
    if (!(l->kind & ALONE)) {
        yoke_status status = yoke_host_call(l->second, hear, &l->behind_second, heard);
        l->second_refused = status < 0 && status == l->expected.status; /* the first one's thread may have found it out already */
        if (!l->second_refused)
            NEED_OK(status);
    }
    return true;
out:
    gate_open(&l->stand.leave);
    return false;
}

void line_check(suite *t, line *l)
{
    bool fine = l->expected.status == YOKE_OK;

    gate_open(&l->stand.leave);
    CHECK_OUTCOME(&l->expected, yoke_stream_wait(l->first));
    if (fine)
        CHECK_BYTES(l->got, l->wanted, sizeof l->wanted);
    CHECK_OUTCOME(&l->expected, yoke_event_wait(l->event));
    CHECK_OUTCOME(&l->expected, yoke_event_query(l->event));
    gate_wait(&l->behind_first.done, 1);
    if (!(l->kind & ALONE)) {
        CHECK_OUTCOME(&l->expected, yoke_stream_wait(l->second));
        if (!l->second_refused)
            gate_wait(&l->behind_second.done, 1);
        if (fine)
            guarded_check(t, &l->mark, marks);
    }
    CHECK_OUTCOME(&l->expected, yoke_stream_wait(l->first)); /* once more: it stays so */
    if (fine)
        guarded_check(t, &l->out, l->wanted);
}

void line_called_once(const line *l)
{
    unsigned second = l->kind & ALONE || l->second_refused ? 0 : 1;

    CHECK(atomic_load(&l->behind_first.ran) == 1 && atomic_load(&l->behind_first.released) == 1);
    CHECK(atomic_load(&l->behind_second.ran) == second && atomic_load(&l->behind_second.released) == second);
}

/* ---- A device of its own ---- */

static const yoke_source spin_source = {
    .size = sizeof spin_source, .name = "fault test", .cuda = SPIN_CUDA, .opencl = SPIN_OPENCL
};

suite *line_device(suite *t, yoke_status status, suite *own)
{
    if (status != YOKE_E_DEVICE_LOST)
        return t;
    *own = (suite){ .info = t->info };
    NEED_OK(yoke_device_open(t->info.selector, &own->device));
    NEED_OK(yoke_program_build(own->device, &spin_source, &own->program));
    NEED_OK(yoke_stream_create(own->device, NULL, &own->side));
    NEED_OK(yoke_stream_create(own->device, NULL, &own->stream));
    return own;
out:
    line_leave_device(NULL, own);
    return NULL;
}

void line_leave_device(suite *t, suite *own)
{
    if (t == own || !t) {
        yoke_stream_release(own->stream);
        yoke_stream_release(own->side);
        yoke_program_release(own->program);
        yoke_device_release(own->device);
    }
}

/* ---- The program ---- */

int line_main(const suite_case *cases, size_t count)
{
    /* Also for the children in which Yoke lists devices; the layer is the same everywhere. */
    if (setenv("OPENCL_LAYERS", LAYER, 1) != 0 || setenv("YOKE_BACKEND", "opencl", 1) != 0)
        tap_bail("the environment cannot be set");
    return suite_main(cases, count, &spin_source);
}
