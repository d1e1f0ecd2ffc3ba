/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running the program of `yoke trace` or `yoke validate`: signals are for the program, and its end is this one's. What the tool has
 * to say of it is wanted all the same, and files for temporary use go.
 */
#include "tools/ground/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

static struct sigaction before[NSIG]; /* what the caller had ordered, which is the program's, too */
static sigset_t mask;                 /* the caller's, and the program's */
static sigset_t passed;               /* the signals that are passed on */
static volatile pid_t program;        /* 0: it does not run */
static volatile sig_atomic_t asked;   /* a signal that came while it did not */

static bool is_among(int number, const int *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == number)
            return true;
    return false;
}

/* Signals that a process causes by a fault of its own. */
static bool is_fault(int number)
{
    static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
    return is_among(number, faults, sizeof faults / sizeof faults[0]);
}

/* Whether a signal ends a process that has not ordered otherwise, and can be caught. */
static bool is_ending(int number)
{
    static const int others[] = { SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH };
    return !is_among(number, others, sizeof others / sizeof others[0]);
}

/* What the terminal sends (Ctrl-C) has gone to the program as well. */
static bool is_of_terminal(int number, const siginfo_t *about)
{
    return about->si_code == SI_KERNEL && (number == SIGHUP || number == SIGINT || number == SIGQUIT);
}

static void pass_on(int number, siginfo_t *about, void *context)
{
    int error = errno;
    (void)context;
    if (is_fault(number) && (about->si_code > 0 || about->si_pid == getpid())) {
        signal(number, SIG_DFL);
        raise(number);
    } else if (program == 0) {
        asked = number;
    } else if (about->si_code == SI_QUEUE) {
        sigqueue(program, number, about->si_value);
    } else if (!is_of_terminal(number, about)) {
        kill(program, number);
    }
    errno = error;
}

/* What is ignored, as nohup does it, stays so, and so does what a library under this tool handles. */
void tool_catch_signals(void)
{
    struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigemptyset(&action.sa_mask);
    sigemptyset(&passed);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &before[number]) == 0 && before[number].sa_handler == SIG_DFL && is_ending(number) &&
            sigaction(number, &action, NULL) == 0)
            sigaddset(&passed, number);
}

static _Noreturn void become(char **argv, const char *const *settings, int failure)
{
    for (; *settings; settings += 2)
        setenv(settings[0], settings[1], 1);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&passed, number) == 1)
            sigaction(number, &before[number], NULL);
    tool_restore_signals();
    sigprocmask(SIG_SETMASK, &mask, NULL);
    execvp(argv[0], argv);
    int error = errno;
    (void)!write(failure, &error, sizeof error);
    _exit(TOOL_NO_PROGRAM);
}

/* Start the program; 0, or an error. Its every exit code is its own, so that a pipe, which exec closes, tells of one that cannot be
 * started. */
static int start(char **argv, const char *const *settings, pid_t *out_child)
{
    int failure[2], error = 0;
    if (pipe2(failure, O_CLOEXEC) != 0)
        return errno;
    fflush(NULL);
    *out_child = fork();
    if (*out_child == 0)
        become(argv, settings, failure[1]);
    if (*out_child < 0)
        error = errno;
    close(failure[1]);
    while (*out_child > 0 && read(failure[0], &error, sizeof error) < 0 && errno == EINTR)
        continue;
    close(failure[0]);
    if (error && *out_child > 0)
        waitpid(*out_child, NULL, 0);
    return error;
}

/* Wait for the program's end, and pass on signals until then, those too that the caller has blocked. 0, or an error. */
static int await(pid_t child, int *out_state)
{
    siginfo_t ended;
    int error = 0;
    program = child;
    sigprocmask(SIG_UNBLOCK, &passed, NULL);
    while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    sigprocmask(SIG_BLOCK, &passed, NULL); /* no signal goes to who has this number next */
    if (waitpid(child, out_state, 0) != child)
        error = errno;
    program = 0;
    return error;
}

static int run_program(const tool_command *command, char **argv, const char *const *settings, tool_run *out_run)
{
    int state = 0;
    pid_t child = -1;
    out_run->began = (double)yk_now();
    int error = start(argv, settings, &child);
    if (error) {
        tool_complain(command, "cannot start %s: %s", argv[0], strerror(error));
        return TOOL_NOT_STARTED;
    }
    error = await(child, &state);
    if (error) {
        tool_complain(command, "cannot wait for the end of %s: %s", argv[0], strerror(error));
        return TOOL_LOST;
    }
    out_run->ended = (double)yk_now();
    out_run->signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int tool_run_program(const tool_command *command, char **argv, const char *const *settings, tool_run *out_run)
{
    *out_run = (tool_run){ 0 };
    sigprocmask(SIG_BLOCK, &passed, NULL); /* a signal comes before the program is started, or goes to it */
    int code = asked ? TOOL_NOT_STARTED : run_program(command, argv, settings, out_run);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return code;
}

void tool_end_by_signal(int number)
{
    sigset_t alone;
    number = number ? number : asked;
    if (!number)
        return;
    fflush(NULL);
    prctl(PR_SET_DUMPABLE, 0); /* the core that may be wanted is the program's */
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&alone);
    sigaddset(&alone, number);
    sigprocmask(SIG_UNBLOCK, &alone, NULL); /* the caller may have blocked it */
}
