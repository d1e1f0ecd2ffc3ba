/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: their kind, which identifies wrong or released objects, their reference counts, and their destruction. */
#ifndef YK_OBJECT_H
#define YK_OBJECT_H

#include "base/process/error.h"
#include "base/process/fork.h"

enum yk_kind {
    YK_DEVICE = 0x59444556,
    YK_STREAM = 0x59535452,
    YK_EVENT = 0x59455654,
    YK_BUFFER = 0x59425546,
    YK_IMAGE = 0x59494d47,
    YK_TEXELS = 0x5954584c, /* the memory of images; never handed to the user */
    YK_PROGRAM = 0x5950524f,
    YK_KERNEL = 0x594b4552,
    YK_GRAPH = 0x59475248,
    YK_GRAPH_EVENT = 0x594d4152, /* an event that was recorded into a graph */
    YK_EXEC = 0x59455845,        /* an executable graph; never handed to the user */
    YK_DEAD = 0x44454144
};

/* The first member of every object. */
typedef struct yk_object {
    atomic_uint kind; /* an enum yk_kind; YK_DEAD once released, and readable for a while: see yk_object_free */
    atomic_uint refs;
    void (*destroy)(
        void *object); /* the last reference is gone: calls yk_object_free, at once or when nothing uses the object any more */
} yk_object;

/* Memory for an object, not zeroed behind its header. NULL and a record when out of memory. */
void *yk_object_take(size_t size);
/* The object's last reference is gone and its members are released. */
void yk_object_free(void *object, size_t size);
/* YOKE_OK, or YOKE_E_INVALID_ARGUMENT with a record that says which argument of which function is NULL, released, or not such an
 * object. */
YK_COLD yoke_status yk_object_fault(const void *object, enum yk_kind kind, const char *function, const char *argument);

/* Zeroed memory for an object, with one reference. NULL and a record when out of memory. */
static inline void *yk_object_new(enum yk_kind kind, size_t size, void (*destroy)(void *object))
{
    yk_object *object = yk_object_take(size);
    if (object) {
        memset(object + 1, 0, size - sizeof *object);
        object->destroy = destroy;
        atomic_store_explicit(&object->refs, 1, memory_order_relaxed);
        atomic_store_explicit(&object->kind, (unsigned)kind, memory_order_relaxed);
    }
    return object;
}

static inline void yk_object_retain(void *object)
{
    atomic_fetch_add_explicit(&((yk_object *)object)->refs, 1, memory_order_relaxed);
}

/* The same, unless the last reference is gone: then false. */
static inline bool yk_object_retain_if_used(void *object)
{
    unsigned refs = atomic_load(&((yk_object *)object)->refs);
    while (refs > 0 && !atomic_compare_exchange_weak(&((yk_object *)object)->refs, &refs, refs + 1))
        continue;
    return refs > 0;
}

/* For any kind but a device, which its own retired objects may still reference: yoke_device_release. NULL is ignored. */
static inline void yk_object_release(void *object)
{
    yk_object *released = object;
    if (released && atomic_fetch_sub_explicit(&released->refs, 1, memory_order_acq_rel) == 1)
        released->destroy(released);
}

/* Whether the object is a live object of this kind that this process may use. */
static inline bool yk_is(const void *object, enum yk_kind kind)
{
    return object && !yk_forked && atomic_load_explicit(&((yk_object *)object)->kind, memory_order_relaxed) == (unsigned)kind;
}

/* The same for an object used together with another object that yk_is has accepted: this process may use both, or neither. */
static inline bool yk_is_same_process(const void *object, enum yk_kind kind)
{
    return object && atomic_load_explicit(&((const yk_object *)object)->kind, memory_order_relaxed) == (unsigned)kind;
}

/* For public functions: return the failure when `object` is not a live object of this kind. */
#define YK_CHECK(object, kind, function, argument)                    \
    do {                                                              \
        if (YK_UNLIKELY(!yk_is(object, kind)))                        \
            return yk_object_fault(object, kind, function, argument); \
    } while (0)

#endif
