/* SPDX-License-Identifier: Apache-2.0 */
/* The time limit that all tests stand on: each case has it for itself, and who exceeds it says where. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap/limit.h"
#include "../tap/tap.h"

enum { LIMIT = 60, NEARLY_OVER = 20 };

static void a_case_has_it_for_itself(void)
{
    alarm(NEARLY_OVER);
    tap_ok(true, "a case that takes long");
    unsigned left = alarm(LIMIT);
    tap_ok(left > NEARLY_OVER, "leaves the next its whole time (%u s)", left);
}

/* The output of a child that stands still behind its first case, and how it ended. */
static bool hang(char *said, size_t room, int *ended)
{
    int ends[2];
    size_t length = 0;

    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        tap_start(1);
        tap_ok(true, "well so far");
        for (;;)
            pause();
    }
    close(ends[1]);
    for (ssize_t got; child > 0 && (got = read(ends[0], said + length, room - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    return child > 0 && waitpid(child, ended, 0) == child;
}

static void who_exceeds_it_says_where(void)
{
    char said[2048];
    int ended = 0;

    unsetenv("YOKE_TEST_SECONDS"); /* it would make the limit longer */
    if (!tap_ok(hang(said, sizeof said, &ended), "a program that hangs"))
        return;
    tap_ok(WIFEXITED(ended) && WEXITSTATUS(ended) == TAP_TOLD, "ends as a test that has reported its failure");
    tap_ok(strstr(said, "\nBail out! time limit reached behind case ") && strstr(said, ", well so far: "), "and says where");
    tap_ok(strstr(said, " s of processor time: it waits for what does not come\n") != NULL, "and that it did not compute");
#ifdef __linux__
    tap_ok(strstr(said, "\n# thread ") != NULL, "and what its threads are at");
#endif
}

static void a_busy_machine_is_no_failure(void)
{
    static const struct {
        const char *what, *verdict;
        struct limit_times times;
    } cases[] = {
        { "as much processor time as the limit", "it loops, or has too much to do", { 120, 120, 120, 0, 0, false } },
        { "more, by several threads", "it loops, or has too much to do", { 120, 120, 230, 0, 0, false } },
        { "no processor time at all", "it waits for what does not come", { 120, 120, 0, 0, 0, false } },
        { "none since the last look", "it waits for what does not come", { 120, 150, 50, 120, 50, false } },
        { "none, but a child goes on", NULL, { 120, 120, 0, 0, 0, true } },
        { "a child that never ends", "it goes on, but too slowly", { 120, 1200, 0, 1170, 0, true } },
        { "a twentieth of a processor", NULL, { 120, 120, 6, 0, 0, false } },
        { "the same, long after the limit", NULL, { 120, 600, 30, 570, 28.5, false } },
        { "the same, for ever", "it goes on, but too slowly", { 120, 1200, 60, 1170, 58.5, false } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_is(limit_verdict(&cases[i].times), cases[i].verdict, "%s", cases[i].what);
}

int main(void)
{
    tap_start(LIMIT);
    a_case_has_it_for_itself();
    who_exceeds_it_says_where();
    a_busy_machine_is_no_failure();
    return tap_done();
}
