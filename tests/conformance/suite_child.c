/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of their own, for what the library reads of its environment once, and for what ends with a process. The program is
 * started anew, with exec: so the child has nothing of its parent's.
 */
#include "../tap/sanitized.h"
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child. */
static _Noreturn void become(const char *scenario, const char *selector, const char *const *environment, int errors)
{
    for (size_t i = 0; environment && environment[i]; i++)
        if (putenv((char *)environment[i]) != 0) /* a name alone is taken out */
            _exit(127);
    if (errors >= 0 && dup2(errors, STDERR_FILENO) < 0)
        _exit(127);
    alarm(300); /* the parent's is not inherited; this one outlives exec */
    execl(program_invocation_name, program_invocation_name, scenario, selector, (char *)NULL);
    _exit(127);
}

/* Until the other end is closed; what has no room is read and forgotten. */
static void read_all(int fd, char *text, size_t size)
{
    char chunk[512];
    size_t used = 0;
    ssize_t length;

    while ((length = read(fd, chunk, sizeof chunk)) > 0 || (length < 0 && errno == EINTR))
        for (ssize_t i = 0; i < length; i++)
            if (used + 1 < size)
                text[used++] = chunk[i];
    text[used] = '\0';
}

bool suite_reap(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!CHECK(WIFEXITED(status)))
        tap_diag("the child was ended by signal %d", WTERMSIG(status));
    return WIFEXITED(status) && CHECK(WEXITSTATUS(status) == 0);
}

bool suite_again(const char *scenario, const char *selector, const char *const *environment, char *out_errors, size_t size)
{
    int ends[2] = { -1, -1 };

    if (out_errors && !CHECK(pipe(ends) == 0))
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        become(scenario, selector, environment, ends[1]);
    if (out_errors) {
        close(ends[1]);
        read_all(ends[0], out_errors, size);
        close(ends[0]);
    }
    return CHECK(child > 0) && suite_reap(child);
}
