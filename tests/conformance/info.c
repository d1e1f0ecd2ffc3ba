/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that the library fills in, and that a program of another version has larger or smaller: all functions that do so keep to
 * the same rules, and so they are one table.
 */
#include "suite.h"

#include <string.h>

#include <yoke/native.h>

enum { LATER = 64, ROOM = 2048 };

/* `object` of the case, or NULL. */
static yoke_status device_info(suite *t, bool there, void *out)
{
    return yoke_device_get_info(there ? t->device : NULL, out);
}

static yoke_status compiler_info(suite *t, bool there, void *out)
{
    return yoke_device_get_compiler(there ? t->device : NULL, out);
}

static yoke_status memory_info(suite *t, bool there, void *out)
{
    return yoke_device_get_memory(there ? t->device : NULL, out);
}

static yoke_status native_device(suite *t, bool there, void *out)
{
    return yoke_device_get_native(there ? t->device : NULL, out);
}

static yoke_status cache_info(suite *t, bool there, void *out)
{
    (void)t;
    (void)there;
    return yoke_cache_get_info(out);
}

static yoke_status kernel_info(suite *t, bool there, void *out)
{
    return yoke_kernel_get_info(there ? suite_kernel(t, "set") : NULL, out);
}

static yoke_status param_info(suite *t, bool there, void *out)
{
    return yoke_kernel_get_param(there ? suite_kernel(t, "set") : NULL, 0, out);
}

static yoke_status listed_info(suite *t, bool there, void *out)
{
    size_t count;

    (void)t;
    (void)there;
    return yoke_device_list(out, 1, &count);
}

static const struct filled {
    const char *name;
    yoke_status (*get)(suite *t, bool there, void *out);
    size_t size;  /* as this version has it */
    size_t least; /* that is taken */
    bool takes_object, lists;
} all[] = {
    { "yoke_device_get_info", device_info, sizeof(yoke_device_info), offsetof(yoke_device_info, backend), true, false },
    { "yoke_device_get_compiler", compiler_info, sizeof(yoke_compiler_info), sizeof(size_t), true, false },
    { "yoke_device_get_memory", memory_info, sizeof(yoke_memory_info), sizeof(size_t), true, false },
    { "yoke_device_get_native", native_device, sizeof(yoke_native_device), sizeof(size_t), true, false },
    { "yoke_cache_get_info", cache_info, sizeof(yoke_cache_info), sizeof(size_t), false, false },
    { "yoke_kernel_get_info", kernel_info, sizeof(yoke_kernel_info), sizeof(size_t), true, false },
    { "yoke_kernel_get_param", param_info, sizeof(yoke_param_info), sizeof(size_t), true, false },
    { "yoke_device_list", listed_info, sizeof(yoke_device_info), offsetof(yoke_device_info, backend), false, true },
};

typedef union room {
    size_t size;
    unsigned char bytes[ROOM];
} room;

static void prepare(room *r, size_t size)
{
    memset(r, 0xEE, sizeof *r);
    r->size = size;
}

/* All bytes of a part are this one. */
static bool is_all(const room *r, size_t from, size_t to, unsigned char value)
{
    for (size_t i = from; i < to; i++)
        if (r->bytes[i] != value)
            return false;
    return true;
}

static bool applies(suite *t, const struct filled *one)
{
    room r;

    prepare(&r, one->size);
    yoke_status status = one->get(t, true, &r); /* a driver may tell nothing of parameters */
    return status != YOKE_E_UNSUPPORTED && CHECK_OK(status);
}

static void check(bool held, const struct filled *one, const char *what)
{
    if (!CHECK(held))
        tap_diag("%s: %s", one->name, what);
}

static void of_other_versions(suite *t)
{
    room own, other;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const struct filled *one = &all[i];
        if (!applies(t, one))
            continue;
        prepare(&own, one->size);
        CHECK_OK(one->get(t, true, &own));
        check(own.size == one->size, one, "its own size");
        check(is_all(&own, one->size, ROOM, 0xEE), one, "behind its own struct");

        prepare(&other, one->size + LATER);
        CHECK_OK(one->get(t, true, &other));
        check(other.size == one->size + LATER, one, "the size of a larger one");
        check(is_all(&other, one->size, one->size + LATER, 0), one, "what is not known");
        check(is_all(&other, one->size + LATER, ROOM, 0xEE), one, "behind a larger one");

        prepare(&other, one->least);
        CHECK_OK(one->get(t, true, &other));
        check(other.size == one->least, one, "the size of a smaller one");
        check(is_all(&other, one->least, ROOM, 0xEE), one, "behind a smaller one");
    }
}

/* Also nothing is left as it was where a call fails. */
static void of_nothing(suite *t)
{
    room r;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const struct filled *one = &all[i];
        if (!one->takes_object)
            continue;
        prepare(&r, one->size + LATER);
        CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, one->get(t, false, &r));
        check(r.size == one->size + LATER, one, "the size of what failed");
        check(is_all(&r, sizeof(size_t), one->size + LATER, 0), one, "what failed");
        check(is_all(&r, one->size + LATER, ROOM, 0xEE), one, "behind what failed");
    }
}

/* 0 stands for the struct of version 0.1, which is this version's. */
static void of_no_size(suite *t)
{
    room own, none;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const struct filled *one = &all[i];
        if (!applies(t, one))
            continue;
        prepare(&own, one->size);
        CHECK_OK(one->get(t, true, &own));
        prepare(&none, 0);
        CHECK_OK(one->get(t, true, &none));
        check(none.size == 0, one, "the size of 0");
        check(is_all(&none, one->size, ROOM, 0xEE), one, "behind a struct without a size");
        /* Not the last word, which may be padding. */
        size_t word = one->size - 2 * sizeof(size_t);
        check(memcmp(none.bytes + word, own.bytes + word, sizeof(size_t)) == 0, one, "a word of a struct without a size");
    }
}

/* A size that was never set. */
static void of_wild_sizes(suite *t)
{
    static const size_t wrong[] = { SIZE_MAX, (size_t)1 << 40 };
    room r;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            prepare(&r, wrong[k]);
            CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "size|_INIT", all[i].get(t, true, &r));
        }
}

int main(void)
{
    static const yoke_source source = {
        .size = sizeof source,
        .cuda = SET_CUDA,
        .opencl = SET_OPENCL,
    };
    static const suite_case cases[] = {
        { "structs of older and of newer programs", of_other_versions, false },
        { "structs of calls that fail", of_nothing, false },
        { "structs without a size", of_no_size, false },
        { "structs with a size that was never set", of_wild_sizes, false },
    };
    return SUITE_MAIN(cases, &source);
}
