/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time limit of a case. It lives in the program because Automake's driver has none: a hung program would hang the whole suite.
 *
 * Wall time alone would fail a test for the machine's load. When it is over, the processor time that the program has used tells
 * what is the matter. As much as the limit: it loops, or has too much to do. Next to none: it waits for something that does not
 * come. In between, it is alive and gets too little of a busy machine, and may go on. All of this runs in a signal handler: no
 * lock, no memory, no formatted output.
 */
#include "limit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "tap.h"

enum {
    MOST = 10,        /* times the limit: after that it is over in any case */
    LOOK = 30,        /* seconds between looks, once the limit is over */
    STILL_PARTS = 100 /* a program that uses less than this part of a processor stands still */
};

/* Without a lock: torn values in the last words of a program that hangs are no harm. */
static unsigned limit_seconds;
static char limit_where[256];
static double case_wall, case_cpu; /* when the case began, by both clocks */
static double look_wall, look_cpu; /* when it was last looked at */

static double clock_now(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

/* Of this process, and of its children that have ended. */
static double cpu_now(void)
{
    struct rusage children;
    double own = clock_now(CLOCK_PROCESS_CPUTIME_ID);

    if (getrusage(RUSAGE_CHILDREN, &children) != 0)
        return own;
    return own + (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           1e-6 * (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

/* A child that goes on has its own limit, and its processor time is not known before it has ended. */
static bool child_goes_on(void)
{
    siginfo_t info = { 0 };
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

static void say(const char *text)
{
    ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written;
}

static void say_number(uint64_t number)
{
    char text[24], *at = text + sizeof text - 1;

    *at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    say(at);
}

static void say_seconds(double seconds)
{
    uint64_t tenths = seconds > 0 ? (uint64_t)(10 * seconds) : 0;

    say_number(tenths / 10);
    say(".");
    say_number(tenths % 10);
    say(" s");
}

#ifdef __linux__
/* One remark for the thread: its name and state as the kernel has them: "1234 (name) S ..." */
static void say_thread(const char *name)
{
    char path[64] = "/proc/self/task/", text[128];
    size_t length = strlen(path);

    if (strlen(name) > 16)
        return;
    memcpy(path + length, name, strlen(name) + 1);
    memcpy(path + strlen(path), "/stat", sizeof "/stat");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    if (got <= 0)
        return;
    text[got] = '\0';
    char *end = strrchr(text, ')');
    if (end && end[1] == ' ' && end[2])
        end[3] = '\0';
    say("# thread ");
    say(text);
    say(end && end[2] == 'R' ? ", which runs\n" : "\n");
}

/* Which threads there are, and what each is at. opendir would take memory, whose lock the interrupted thread may hold. */
static void say_threads(void)
{
    struct entry { /* what the system call getdents64 writes */
        uint64_t inode;
        int64_t offset;
        unsigned short length;
        unsigned char type;
        char name[];
    };
    _Alignas(struct entry) char room[2048];
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long got;

    while (folder >= 0 && (got = syscall(SYS_getdents64, folder, room, sizeof room)) > 0)
        for (long at = 0; at < got;) {
            struct entry *entry = (struct entry *)(room + at);
            if (entry->name[0] != '.')
                say_thread(entry->name);
            at += entry->length;
        }
    if (folder >= 0)
        close(folder);
}
#else
static void say_threads(void)
{
}
#endif

static _Noreturn void give_up(double wall, double cpu, const char *why)
{
    say("\nBail out! time limit reached ");
    say(limit_where);
    say(": ");
    say_seconds(wall);
    say(", ");
    say_seconds(cpu);
    say(" of processor time: ");
    say(why);
    say("\n");
    say_threads();
    _exit(TAP_TOLD);
}

const char *limit_verdict(const struct limit_times *t)
{
    if (t->cpu >= t->limit)
        return "it loops, or has too much to do";
    if (!t->has_child && t->cpu - t->cpu_before < (t->wall - t->wall_before) / STILL_PARTS)
        return "it waits for what does not come";
    return t->wall >= MOST * t->limit ? "it goes on, but too slowly" : NULL;
}

static void time_is_up(int signal)
{
    int kept = errno;
    double wall = clock_now(CLOCK_MONOTONIC), cpu = cpu_now();
    struct limit_times times = {
        limit_seconds, wall - case_wall, cpu - case_cpu, look_wall - case_wall, look_cpu - case_cpu, child_goes_on(),
    };
    const char *why = limit_verdict(&times);

    (void)signal;
    if (why)
        give_up(times.wall, times.cpu, why);
    look_wall = wall;
    look_cpu = cpu;
    alarm(limit_seconds < LOOK ? limit_seconds : LOOK);
    errno = kept;
}

void limit_again(const char *where)
{
    size_t length = strlen(where);

    length = length < sizeof limit_where ? length : sizeof limit_where - 1;
    memcpy(limit_where, where, length);
    limit_where[length] = '\0';
    case_wall = look_wall = clock_now(CLOCK_MONOTONIC);
    case_cpu = look_cpu = cpu_now();
    alarm(limit_seconds);
}

void limit_start(unsigned seconds)
{
    struct sigaction action = { .sa_handler = time_is_up, .sa_flags = SA_RESTART };

    limit_seconds = seconds;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    limit_again("before the first case");
}
