/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory and the reference counts of objects. A freed object stays readable, marked YK_DEAD, until a few dozen objects of its
 * size have been freed after it: a second release, or a use after the release, is then an error with a message instead of a crash.
 * Afterwards its memory is reused, so creating and releasing objects in a loop allocates nothing.
 */
#include "base/process/process.h"

#include <stdlib.h>
#include <string.h>

enum {
    CLASS_STEP = 64,  /* sizes are rounded up to a multiple of this */
    CLASS_COUNT = 64, /* class 0 has the sizes above the largest class: their memory is freed and not reused */
    QUARANTINE = 32,  /* objects of a class that stay readable */
    SPARE = 256       /* objects of a class that are kept for reuse */
};

typedef struct dead {
    yk_object object;
    struct dead *next;
} dead;

/* First in, first out. */
typedef struct dead_list {
    dead *first, *last;
    unsigned count;
} dead_list;

static atomic_bool pool_lock; /* protects pool; a leaf */
static dead_list pool[CLASS_COUNT];

static size_t size_class(size_t size)
{
    size_t class = (size + CLASS_STEP - 1) / CLASS_STEP;
    return class < CLASS_COUNT ? class : 0;
}

/* The oldest dead object of a list with more than `keep` objects, or NULL. */
static dead *take_oldest(dead_list *list, unsigned keep)
{
    if (list->count <= keep)
        return NULL;
    dead *oldest = list->first;
    list->first = oldest->next;
    list->count--;
    return oldest;
}

static void append(dead_list *list, dead *object)
{
    object->next = NULL;
    if (list->count++ > 0)
        list->last->next = object;
    else
        list->first = object;
    list->last = object;
}

void *yk_object_take(size_t size)
{
    void *object = NULL;
    size_t class = size_class(size);
    if (class > 0) {
        yk_light_lock(&pool_lock);
        object = take_oldest(&pool[class], QUARANTINE);
        yk_light_unlock(&pool_lock);
    }
    if (!object)
        object = malloc(class > 0 ? class * CLASS_STEP : size);
    if (!object)
        yk_no_memory("an object");
    return object;
}

void yk_object_free(void *object, size_t size)
{
    dead *last = object, *oldest;
    size_t class = size_class(size);
    atomic_store_explicit(&last->object.kind, YK_DEAD, memory_order_relaxed);
    yk_light_lock(&pool_lock);
    append(&pool[class], last);
    oldest = take_oldest(&pool[class], class > 0 ? QUARANTINE + SPARE : QUARANTINE);
    yk_light_unlock(&pool_lock);
    if (YK_UNLIKELY(oldest))
        free(oldest);
}
