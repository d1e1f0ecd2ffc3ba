/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that fail: what would end the process as a signal, in a thread that runs a kernel just now, ends the kernel with the
 * driver's code for it. Signals of any other thread go to whoever had them before.
 */
#undef _FORTIFY_SOURCE /* whose longjmp takes a jump from one of our stacks for an error */
#include "module.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

typedef struct frame {
    sigjmp_buf back;
    struct frame *before;
    yk_CUresult result;
} frame;

static const int caught[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
enum { CAUGHT = sizeof caught / sizeof caught[0] };

static struct sigaction previous[CAUGHT];
/* At a fixed place, so that a handler finds it without allocating. */
static _Thread_local frame *current __attribute__((tls_model("initial-exec")));

static yk_CUresult result_of(int number)
{
    return number == SIGSEGV  ? YK_CUDA_ERROR_ILLEGAL_ADDRESS
           : number == SIGBUS ? YK_CUDA_ERROR_MISALIGNED_ADDRESS
           : number == SIGILL ? YK_CUDA_ERROR_ILLEGAL_INSTRUCTION
                              : YK_CUDA_ERROR_LAUNCH_FAILED;
}

void double_fail(int result)
{
    frame *f = current;
    f->result = (yk_CUresult)result;
    siglongjmp(f->back, 1);
}

static void handle(int number, siginfo_t *info, void *context)
{
    size_t i = 0;
    if (current)
        double_fail((int)result_of(number));
    while (caught[i] != number)
        i++;
    if (previous[i].sa_flags & SA_SIGINFO)
        previous[i].sa_sigaction(number, info, context);
    else if (previous[i].sa_handler != SIG_DFL && previous[i].sa_handler != SIG_IGN)
        previous[i].sa_handler(number);
    else
        sigaction(number, &previous[i], NULL); /* the same instruction again: it ends the process */
}

static void catch_all(void)
{
    struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CAUGHT; i++)
        sigaction(caught[i], &action, &previous[i]);
}

yk_CUresult double_guarded(void (*function)(void *user), void *user)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    frame f = { .before = current, .result = YK_CUDA_SUCCESS };

    pthread_once(&once, catch_all);
    if (sigsetjmp(f.back, 1) == 0) {
        current = &f;
        function(user);
    }
    current = f.before;
    return f.result;
}
