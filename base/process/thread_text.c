/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the calling thread, freed when it ends. */
#include "base/process/thread_text.h"

#include <pthread.h>

static pthread_key_t thread_texts_key;
static pthread_once_t thread_texts_once = PTHREAD_ONCE_INIT;
static bool thread_texts_are_freed;

static void free_thread_texts(void *texts)
{
    for (size_t i = 0; i < YK_THREAD_TEXTS; i++)
        yk_text_free((yk_text *)texts + i);
}

static void create_thread_texts_key(void)
{
    thread_texts_are_freed = pthread_key_create(&thread_texts_key, free_thread_texts) == 0;
}

yk_text *yk_thread_text(enum yk_thread_text which)
{
    static _Thread_local yk_text texts[YK_THREAD_TEXTS];
    pthread_once(&thread_texts_once, create_thread_texts_key);
    if (thread_texts_are_freed && !pthread_getspecific(thread_texts_key))
        pthread_setspecific(thread_texts_key, texts);
    return &texts[which];
}
