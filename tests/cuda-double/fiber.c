/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a block that meet at barriers, on one thread of the host: each has a stack of its own only from the first barrier
 * on that it waits at, because the next one starts on a fresh stack then. Those that meet no barrier follow each other on one.
 * Threads of a warp meet likewise, without the others. Which threads run is decided only where one of them stops.
 */
#include "module.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { STACK = 64 * 1024, MOST = DOUBLE_THREADS_PER_BLOCK, WARP = 32 };

/* A thread of the block, as those of its warp see it. */
typedef struct lane {
    enum { RUNS, MEETS, ASKS, ENDED } state; /* ASKS: who else is active */
    unsigned fiber, mask;
    const void *place; /* in the code, of one that asks */
    unsigned long long value, *values;
    unsigned *present;
} lane;

/* Of a thread of the host: its stacks, and the block that it runs. */
typedef struct crew {
    char *stacks;
    void *host;          /* where the host's own stack was left */
    void *fibers[MOST];  /* and each fiber's */
    unsigned made, self; /* how many have begun; which one runs */
    unsigned idle[MOST], idle_count;
    unsigned ready[MOST], ready_first, ready_count; /* a ring of those whose meeting has taken place */
    unsigned now[MOST], now_count;                  /* those that go on in this round */
    unsigned later[MOST], later_count;              /* and those that wait for the next */
    unsigned next, total;                           /* threads of the block that have not begun */
    unsigned threads[MOST];                         /* which one each fiber runs */
    unsigned meeting, asking;                       /* how many threads */
    lane lanes[MOST];
    bool running;
    const double_kernel *kernel;
    const double_place *place;
    const void *params;
} crew;

static pthread_key_t key;
static _Thread_local crew *own;

/* ---- Stacks ---- */

/* Leave what a call has to preserve on this stack, whose top goes to *save, and go on where `load` was left. */
void double_switch(void **save, void *load);

#if defined(__x86_64__)
enum { FRAME_WORDS = 8, ENTRY_WORD = 6 }; /* with one that aligns the stack as behind a call */
__asm__(".text\n.globl double_switch\n.hidden double_switch\n.type double_switch,@function\ndouble_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size double_switch, . - double_switch\n");
#elif defined(__aarch64__)
enum { FRAME_WORDS = 20, ENTRY_WORD = 11 };
__asm__(".text\n.globl double_switch\n.hidden double_switch\n.type double_switch,@function\ndouble_switch:\n"
        "sub sp, sp, #160\n"
        "stp x19, x20, [sp]\nstp x21, x22, [sp, #16]\nstp x23, x24, [sp, #32]\nstp x25, x26, [sp, #48]\n"
        "stp x27, x28, [sp, #64]\nstp x29, x30, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "mov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp]\nldp x21, x22, [sp, #16]\nldp x23, x24, [sp, #32]\nldp x25, x26, [sp, #48]\n"
        "ldp x27, x28, [sp, #64]\nldp x29, x30, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\nldp d14, d15, [sp, #144]\n"
        "add sp, sp, #160\nret\n"
        ".size double_switch, . - double_switch\n");
#else
#error "fiber.c needs a double_switch for this machine: a dozen instructions"
#endif

static void free_crew(void *user)
{
    crew *c = user;
    munmap(c->stacks, (size_t)STACK * MOST);
    free(c);
}

static void make_key(void)
{
    if (pthread_key_create(&key, free_crew) != 0)
        abort();
}

static crew *get_crew(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (own)
        return own;
    pthread_once(&once, make_key);
    crew *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->stacks = mmap(NULL, (size_t)STACK * MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c->stacks == MAP_FAILED || pthread_setspecific(key, c) != 0) {
        free(c);
        return NULL;
    }
    own = c;
    return c;
}

/* ---- Warps ---- */

/* The threads of a warp: from `first` to before the one returned. */
NO_SANITIZER static unsigned warp_of(const crew *c, unsigned thread, unsigned *out_first)
{
    *out_first = thread / WARP * WARP;
    return *out_first + WARP < c->total ? *out_first + WARP : c->total;
}

NO_SANITIZER static void go_on(crew *c, lane *l)
{
    l->state = RUNS;
    c->ready[(c->ready_first + c->ready_count++) % MOST] = l->fiber;
}

/* When all that the mask names are there, or have ended, each gets the values of all. */
NO_SANITIZER static void try_meeting(crew *c, unsigned thread, unsigned mask)
{
    unsigned first, end = warp_of(c, thread, &first), present = 0;
    for (unsigned i = first; i < end; i++) {
        const lane *l = &c->lanes[i];
        if (!(mask >> (i - first) & 1) || l->state == ENDED)
            continue;
        if (l->state != MEETS || l->mask != mask)
            return;
        present |= 1u << (i - first);
    }
    for (unsigned i = first; i < end; i++) {
        lane *l = &c->lanes[i];
        if (!(present >> (i - first) & 1))
            continue;
        for (unsigned other = 0; other < WARP; other++)
            l->values[other] = present >> other & 1 ? c->lanes[first + other].value : 0xcdcdcdcdcdcdcdcdu;
        *l->present = present;
        c->meeting--;
        go_on(c, l);
    }
}

NO_SANITIZER static void end_thread(crew *c, unsigned thread)
{
    unsigned first, end = warp_of(c, thread, &first);
    c->lanes[thread].state = ENDED;
    for (unsigned i = first; c->meeting && i < end; i++)
        if (c->lanes[i].state == MEETS)
            try_meeting(c, thread, c->lanes[i].mask);
}

/* Until others let it go on. */
NO_SANITIZER static void stop(crew *c)
{
    double_switch(&c->fibers[c->self], c->host);
}

NO_SANITIZER void double_fibers_warp(unsigned mask, unsigned long long value, unsigned long long *values, unsigned *present)
{
    crew *c = own;
    unsigned thread = c->threads[c->self];
    if (!(mask >> thread % WARP & 1)) /* who calls has to be named */
        double_fail(YK_CUDA_ERROR_LAUNCH_FAILED);
    c->lanes[thread] =
        (lane){ .state = MEETS, .fiber = c->self, .mask = mask, .value = value, .values = values, .present = present };
    c->meeting++;
    try_meeting(c, thread, mask);
    stop(c);
}

NO_SANITIZER unsigned double_fibers_active(void)
{
    crew *c = own;
    unsigned thread = c->threads[c->self], present = 0;
    c->lanes[thread] = (lane){ .state = ASKS, .fiber = c->self, .place = __builtin_return_address(0), .present = &present };
    c->asking++;
    stop(c);
    return present;
}

/* All that ask. */
NO_SANITIZER static void answer(crew *c)
{
    for (unsigned i = 0; i < c->total && c->asking; i++) {
        unsigned first, end = warp_of(c, i, &first), present = 0;
        const void *place = c->lanes[i].place;
        if (c->lanes[i].state != ASKS)
            continue;
        for (unsigned other = first; other < end; other++)
            if (c->lanes[other].state == ASKS && c->lanes[other].place == place)
                present |= 1u << (other - first);
        for (unsigned other = first; other < end; other++)
            if (present >> (other - first) & 1) {
                *c->lanes[other].present = present;
                c->asking--;
                go_on(c, &c->lanes[other]);
            }
    }
}

/* ---- Threads ---- */

NO_SANITIZER static void fiber_main(void)
{
    crew *c = own;
    for (;;) {
        unsigned self = c->self;
        while (c->next < c->total) {
            unsigned i = c->next++;
            double_place place = *c->place;
            c->threads[self] = i;
            place.first[0] = i % place.block[0];
            place.first[1] = i / place.block[0] % place.block[1];
            place.first[2] = i / place.block[0] / place.block[1];
            for (int d = 0; d < 3; d++)
                place.last[d] = place.first[d] + 1;
            c->kernel->run(c->params, &place);
            end_thread(c, i);
        }
        c->idle[c->idle_count++] = self;
        double_switch(&c->fibers[self], c->host);
    }
}

/* A stack on which a call of fiber_main has just been made, as double_switch leaves one. */
NO_SANITIZER static unsigned make_fiber(crew *c)
{
    unsigned i = c->made++;
    void (*entry)(void) = fiber_main;
    void **words = (void **)(c->stacks + (size_t)STACK * (i + 1)) - FRAME_WORDS;
    words[ENTRY_WORD] = *(void **)&entry;
    c->fibers[i] = words;
    return i;
}

NO_SANITIZER static void resume(crew *c, unsigned fiber)
{
    c->self = fiber;
    double_switch(&c->host, c->fibers[fiber]);
}

NO_SANITIZER void double_fibers_meet(void)
{
    crew *c = own;
    c->later[c->later_count++] = c->self;
    stop(c);
}

/* When no thread of a round is left, all that have not ended wait. Those that a warp's meeting waits for in vain, since they stand
 * at a barrier or meet others, would hang on a GPU. */
NO_SANITIZER static void run_rounds(crew *c)
{
    unsigned at = 0;
    for (;;) {
        if (c->next < c->total) {
            resume(c, c->idle_count ? c->idle[--c->idle_count] : make_fiber(c));
        } else if (at < c->now_count) {
            resume(c, c->now[at++]);
        } else if (c->ready_count) {
            unsigned fiber = c->ready[c->ready_first];
            c->ready_first = (c->ready_first + 1) % MOST;
            c->ready_count--;
            resume(c, fiber);
        } else if (c->asking) {
            answer(c);
        } else if (c->meeting) {
            double_fail(YK_CUDA_ERROR_LAUNCH_FAILED);
        } else if (c->later_count) {
            for (unsigned i = 0; i < c->later_count; i++)
                c->now[i] = c->later[i];
            c->now_count = c->later_count;
            c->later_count = at = 0;
        } else {
            return;
        }
    }
}

void double_fibers_run(const double_kernel *kernel, const double_place *place, const void *params)
{
    crew *c = get_crew();
    if (!c)
        double_fail(YK_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    if (c->running) /* a fault has ended the one before in the middle: begin with new stacks */
        c->made = c->idle_count = 0;
    c->now_count = c->later_count = c->ready_first = c->ready_count = c->next = c->meeting = c->asking = 0;
    c->total = place->block[0] * place->block[1] * place->block[2];
    c->kernel = kernel;
    c->place = place;
    c->params = params;
    for (unsigned i = 0; i < c->total; i++)
        c->lanes[i].state = RUNS;
    c->running = true;
    run_rounds(c);
    c->running = false;
}
