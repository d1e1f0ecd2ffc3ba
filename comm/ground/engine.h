/* SPDX-License-Identifier: Apache-2.0 */
/* The progress thread. It knows nothing of messages: it steps what it is given, as the functions there say. */
#ifndef YCOMM_ENGINE_H
#define YCOMM_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <yoke/comm.h>

/* What a thread hands over, and sleeps until it is complete. */
typedef struct ycomm_task {
    struct ycomm_task *next;
    bool (*step)(struct ycomm_task *task); /* do what can be done now: whether that was anything */
    bool complete;                         /* set by a step */
    bool ended;                            /* the same, told by the progress thread */
    pthread_cond_t end;
} ycomm_task;

/* What goes on beside, for which nobody waits: stepped until it is idle. */
typedef struct ycomm_watch {
    struct ycomm_watch *next;
    bool (*step)(struct ycomm_watch *watch);
    bool (*is_idle)(const struct ycomm_watch *watch);
    atomic_bool listed; /* asked without the engine's lock */
} ycomm_watch;

/* Start the thread, once in the process. */
yoke_status ycomm_engine_start(void);
/* Sleep until the progress thread, which steps the task from here on, finds it complete. */
void ycomm_engine_wait(ycomm_task *task);
/* Have the progress thread step it until it is idle, and stop that. */
void ycomm_engine_watch(ycomm_watch *watch);
void ycomm_engine_forget(ycomm_watch *watch);

#endif
