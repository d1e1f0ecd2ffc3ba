/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running the program of `yoke trace`: signals are for the program, and its end is this one's. The trace and the report are wanted
 * all the same, and the file for temporary use goes.
 */
#include "trace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CAUGHT = 7 };
static const int caught[CAUGHT] = { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };
static struct sigaction before[CAUGHT]; /* what the caller had ordered, which is the program's, too */
static volatile pid_t program;          /* 0: it does not run */
static volatile sig_atomic_t asked;     /* a signal that came while it did not */

/* What the terminal sends (Ctrl-C) has gone to the program as well. */
static void pass_on(int number, siginfo_t *about, void *context)
{
    int error = errno;
    (void)context;
    if (program == 0)
        asked = number;
    else if (about->si_code != SI_KERNEL)
        kill(program, number);
    errno = error;
}

void trace_catch_signals(void)
{
    struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* as nohup does it */
            sigaction(caught[i], &action, NULL);
    }
}

/* Keep the handler from running, or let it run. */
static void block_signals(bool block)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < CAUGHT; i++)
        sigaddset(&set, caught[i]);
    sigprocmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static double monotonic_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static _Noreturn void become(const tool_command *command, char **argv, const char *path)
{
    setenv("YOKE_TRACE", path, 1);
    for (int i = 0; i < CAUGHT; i++)
        sigaction(caught[i], &before[i], NULL);
    block_signals(false);
    execvp(argv[0], argv);
    tool_complain(command, "cannot start %s: %s", argv[0], strerror(errno));
    _exit(TRACE_NOT_STARTED);
}

int trace_run_program(const tool_command *command, char **argv, const char *path, int *out_signal)
{
    int state = 0;
    siginfo_t ended;
    fflush(NULL);
    trace_run how = { .began = monotonic_now() };
    block_signals(true);
    pid_t child = asked ? 0 : fork();
    if (child == 0 && !asked)
        become(command, argv, path);
    program = child > 0 ? child : 0;
    block_signals(false);
    if (child <= 0) {
        if (child < 0)
            tool_complain(command, "cannot fork for %s: %s", argv[0], strerror(errno));
        return TRACE_NOT_STARTED;
    }
    while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    block_signals(true); /* no signal goes to who has this number next */
    waitpid(child, &state, 0);
    program = 0;
    block_signals(false);
    how.ended = monotonic_now();
    how.signal = *out_signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    trace_add_run(command, path, &how);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

void trace_end_by_signal(int number)
{
    number = number ? number : asked;
    if (!number)
        return;
    fflush(NULL);
    prctl(PR_SET_DUMPABLE, 0); /* the core that may be wanted is the program's */
    signal(number, SIG_DFL);
    raise(number);
}
