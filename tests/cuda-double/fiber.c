/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a block that meet at barriers, on one thread of the host: each has a stack of its own only from the first barrier
 * on that it waits at, because the next one starts on a fresh stack then. Those that meet no barrier follow each other on one.
 */
#include "module.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { STACK = 64 * 1024, MOST = DOUBLE_THREADS_PER_BLOCK };

/* Of a thread of the host: its stacks, and the block that it runs. */
typedef struct crew {
    char *stacks;
    void *host;          /* where the host's own stack was left */
    void *fibers[MOST];  /* and each fiber's */
    unsigned made, self; /* how many have begun; which one runs */
    unsigned idle[MOST], idle_count;
    unsigned now[MOST], now_count;     /* those that go on in this round */
    unsigned later[MOST], later_count; /* and those that wait for the next */
    unsigned next, total;              /* threads of the block that have not begun */
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

/* ---- Threads ---- */

NO_SANITIZER static void fiber_main(void)
{
    crew *c = own;
    for (;;) {
        unsigned self = c->self;
        while (c->next < c->total) {
            unsigned i = c->next++;
            double_place place = *c->place;
            place.first[0] = i % place.block[0];
            place.first[1] = i / place.block[0] % place.block[1];
            place.first[2] = i / place.block[0] / place.block[1];
            for (int d = 0; d < 3; d++)
                place.last[d] = place.first[d] + 1;
            c->kernel->run(c->params, &place);
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
    unsigned self = c->self;
    c->later[c->later_count++] = self;
    double_switch(&c->fibers[self], c->host);
}

/* When no thread of a round is left, all that have not ended wait. */
NO_SANITIZER static void run_rounds(crew *c)
{
    unsigned at = 0;
    for (;;) {
        if (c->next < c->total) {
            resume(c, c->idle_count ? c->idle[--c->idle_count] : make_fiber(c));
        } else if (at < c->now_count) {
            resume(c, c->now[at++]);
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
    c->now_count = c->later_count = c->next = 0;
    c->total = place->block[0] * place->block[1] * place->block[2];
    c->kernel = kernel;
    c->place = place;
    c->params = params;
    c->running = true;
    run_rounds(c);
    c->running = false;
}
