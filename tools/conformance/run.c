/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs as children: each in a process group of its own, all in one temporary folder, which has the suite's lock and Yoke's
 * cache. What they print is TAP, and whatever drivers say in between. A program has a time limit itself; here is one for those that
 * cannot keep it.
 */
#include "conformance.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { LONGEST_REMARKS = 16384 };

/* Text that grows. */
typedef struct text {
    char *data;
    size_t length, capacity;
} text;

typedef struct child {
    run *run; /* NULL: there is none */
    pid_t pid;
    int out; /* what it prints; -1 behind its end */
    text line, remarks;
    double heard, began;                     /* the last word, and the running case's begin */
    bool spoke, hung, bailed, planned, lost; /* lost: the system does not tell how it has ended */
    unsigned plan, seen;
    size_t place; /* whose cases are running */
    char last[200];
} child;

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

static double now(void)
{
    return (double)yk_now() / 1e9;
}

static void text_add(text *t, const char *bytes, size_t length)
{
    if (t->length + length + 1 > t->capacity) {
        t->capacity = (t->length + length + 1) * 2;
        t->data = grown(t->data, t->capacity, 1);
    }
    memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = '\0';
}

static void text_clear(text *t)
{
    t->length = 0;
    if (t->data)
        t->data[0] = '\0';
}

/* ---- What a child says ---- */

static void add(const suite *s, child *c, verdict v, size_t place, const char *name, size_t name_length, const char *why)
{
    double time = now();

    run_add(c->run, v, place, name, name_length, why, time - c->began);
    c->began = time;
    snprintf(c->last, sizeof c->last, "%.*s", (int)name_length, name);
    if (s->verbose)
        print_result(s, c->run, &c->run->results[c->run->count - 1], stdout);
}

/* "opencl:0: a case" is of that device, "once: a case" of none. Returns the case's name. */
static const char *take_place(const suite *s, const char *name, size_t *place)
{
    for (size_t i = 0; i <= s->device_count; i++) {
        size_t length = strlen(place_name(s, i));
        if (strncmp(name, place_name(s, i), length) == 0 && strncmp(name + length, ": ", 2) == 0) {
            *place = i;
            return name + length + 2;
        }
    }
    return name;
}

/* Behind "ok" or "not ok": a number, and then " - NAME", " - NAME # SKIP WHY" or " # SKIP PLACE: NAME: WHY", as the suite has it.
 */
static void take_case(const suite *s, child *c, bool passed, const char *rest)
{
    const char *directive = strstr(rest, "# SKIP "), *todo = strstr(rest, "# TODO "), *name, *why;
    size_t length;

    c->seen++;
    rest += strspn(rest, " 0123456789-");
    if (directive && rest == directive) {
        name = take_place(s, directive + strlen("# SKIP "), &c->place);
        why = strstr(name, ": ");
        length = why ? (size_t)(why - name) : strlen(name);
        add(s, c, SKIPPED, c->place, name, length, why ? why + 2 : name);
    } else {
        directive = directive ? directive : passed ? NULL : todo;
        name = take_place(s, rest, &c->place);
        length = directive ? (size_t)(directive - name) : strlen(name);
        why = directive ? directive + strlen("# SKIP ") : passed || !c->remarks.data ? "" : c->remarks.data;
        while (length > 0 && name[length - 1] == ' ')
            length--;
        add(s, c, directive ? SKIPPED : passed ? PASSED : FAILED, c->place, name, length, why);
    }
    text_clear(&c->remarks);
}

static void take_remark(const suite *s, child *c, const char *line)
{
    static const char tail[] = "does not hold: passed";
    size_t length = strlen(line);

    if (strncmp(line, "# ", 2) == 0) {
        line += 2;
        length -= 2;
        for (size_t i = 0; i < s->device_count; i++) {
            size_t selector = strlen(s->devices[i].selector);
            if (strncmp(line, s->devices[i].selector, selector) == 0 && strncmp(line + selector, " is ", 4) == 0)
                c->place = i;
        }
    }
    /* What the suite's own loop says of a case whose checks have told why they failed. */
    if (length >= sizeof tail - 1 && strcmp(line + length - (sizeof tail - 1), tail) == 0)
        return;
    if (c->remarks.length + length < LONGEST_REMARKS) {
        text_add(&c->remarks, line, length);
        text_add(&c->remarks, "\n", 1);
    }
}

static void take_line(const suite *s, child *c, const char *line)
{
    unsigned plan;

    if (strncmp(line, "ok ", 3) == 0) {
        take_case(s, c, true, line + 3);
    } else if (strncmp(line, "not ok ", 7) == 0) {
        take_case(s, c, false, line + 7);
    } else if (sscanf(line, "1..%u", &plan) == 1) {
        const char *why = strstr(line, "# SKIP ");
        c->planned = true;
        c->plan = plan;
        if (plan == 0)
            add(s, c, SKIPPED, s->device_count, "all of it", 9, why ? why + 7 : "");
    } else if (strncmp(line, "Bail out! ", 10) == 0) {
        c->bailed = true;
        add(s, c, BROKEN, c->place, strstr(line, "time limit") ? "hung" : "gave up", strstr(line, "time limit") ? 4 : 7, line + 10);
    } else if (*line) {
        take_remark(s, c, line);
    }
}

/* Takes what there is; false at the end, or when nothing has come. */
static bool hear(const suite *s, child *c)
{
    char bytes[4096];
    ssize_t length = read(c->out, bytes, sizeof bytes);

    if (length < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    if (length <= 0) {
        close(c->out);
        c->out = -1;
        return false;
    }
    c->spoke = true;
    c->heard = now();
    for (ssize_t i = 0; i < length; i++) {
        if (bytes[i] != '\n' && bytes[i] != '\0') {
            text_add(&c->line, &bytes[i], 1);
        } else if (bytes[i] == '\n' && c->line.data) {
            take_line(s, c, c->line.data);
            text_clear(&c->line);
        }
    }
    return true;
}

/* ---- Begin and end ---- */

static bool begin(const suite *s, child *c, run *r)
{
    char path[4096];
    int ends[2];

    *c = (child){ .run = r, .out = -1, .place = s->device_count };
    if ((size_t)snprintf(path, sizeof path, "%s/%s", s->folder, r->program) >= sizeof path || pipe2(ends, O_CLOEXEC) != 0 ||
        setenv("YOKE_BACKEND", r->backend, 1) != 0 || setenv("YOKE_TEST_DEVICES", r->devices, 1) != 0) {
        fprintf(stderr, "yoke-conformance: cannot start %s: %s\n", r->program, strerror(errno));
        return false;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fflush(NULL);
    c->pid = fork();
    if (c->pid == 0) {
        setpgid(0, 0);
        int null = open("/dev/null", O_RDONLY);
        if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 && dup2(ends[1], STDERR_FILENO) >= 0)
            execl(path, path, (char *)NULL);
        dprintf(ends[1], "Bail out! %s: %s\n", path, strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    if (c->pid < 0) {
        fprintf(stderr, "yoke-conformance: cannot fork for %s: %s\n", r->program, strerror(errno));
        close(ends[0]);
        return false;
    }
    setpgid(c->pid, c->pid); /* whoever is first */
    c->out = ends[0];
    c->began = c->heard = now();
    return true;
}

/* The child has ended in this way. Whatever it has left behind in its process group goes too. */
static void finish(const suite *s, child *c, int status)
{
    char behind[256] = "before its first case", why[600] = "";
    const char *name = "ended early";

    kill(-c->pid, SIGKILL);
    while (c->out >= 0 && hear(s, c))
        continue;
    if (c->line.length)
        take_line(s, c, c->line.data);
    if (c->last[0])
        snprintf(behind, sizeof behind, "after '%s', %u of %u cases", c->last, c->seen, c->plan);
    if (interrupted && !c->hung && WIFSIGNALED(status)) {
        name = "interrupted";
        snprintf(why, sizeof why, "interrupted %s", behind);
    } else if (c->hung) {
        name = "hung";
        snprintf(why, sizeof why, "printed nothing for %u s and was killed, %s", s->seconds, behind);
    } else if (c->lost) {
        snprintf(why, sizeof why, "its exit status is not known, %s", behind);
    } else if (WIFSIGNALED(status)) {
        name = "crashed";
        snprintf(why, sizeof why, "ended by signal %d (%s), %s", WTERMSIG(status), strsignal(WTERMSIG(status)), behind);
    } else if (!c->bailed && (c->planned ? c->plan != c->seen : true)) {
        snprintf(why, sizeof why, "exit status %d, %s", WEXITSTATUS(status), behind);
    } else if (WEXITSTATUS(status) != 0 && results_count(s, c->run, (size_t)ANYWHERE, FAILED) == 0 && !c->bailed) {
        snprintf(why, sizeof why, "exit status %d, though no case failed", WEXITSTATUS(status));
    }
    if (why[0]) {
        text said = { 0 };
        text_add(&said, why, strlen(why));
        if (c->remarks.length > 1) {
            text_add(&said, "\n", 1);
            text_add(&said, c->remarks.data, c->remarks.length - 1);
        }
        add(s, c, BROKEN, c->place, name, strlen(name), said.data);
        free(said.data);
    }
    if (c->out >= 0)
        close(c->out);
    free(c->line.data);
    free(c->remarks.data);
    c->run = NULL;
}

/* ---- All of them ---- */

static void show_progress(const suite *s, const child *children, size_t ended)
{
    struct winsize window = { 0 };
    char line[512];
    size_t used, bad = results_count(s, NULL, (size_t)ANYWHERE, FAILED) + results_count(s, NULL, (size_t)ANYWHERE, BROKEN);

    if (!s->progress)
        return;
    used = (size_t)snprintf(line, sizeof line, "[%zu/%zu] %zu failed", ended, s->run_count, bad);
    for (unsigned i = 0; i < s->jobs && used < sizeof line; i++)
        if (children[i].run)
            used +=
                (size_t)snprintf(line + used, sizeof line - used, "  %s %s", children[i].run->backend, children[i].run->program);
    int columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1 : 79;
    printf("\r\033[K%.*s", columns, line);
    fflush(stdout);
}

/* A program that has said nothing yet may wait until no other is running: its time begins when it is alone, or has spoken. */
static void keep_time(const suite *s, child *c, size_t running)
{
    if (!c->spoke && running > 1)
        c->heard = now();
    if (!c->hung && now() - c->heard > s->seconds * 1.25 + 1) {
        c->hung = true;
        kill(-c->pid, SIGKILL);
    }
}

/* Until something happens, or time has to be looked at. */
static void wait_for_words(const suite *s, child *children)
{
    struct pollfd files[MOST_JOBS];
    bool closed = false;

    for (unsigned i = 0; i < s->jobs; i++) {
        files[i] = (struct pollfd){ .fd = children[i].run ? children[i].out : -1, .events = POLLIN };
        closed = closed || (children[i].run && children[i].out < 0);
    }
    if (poll(files, s->jobs, closed ? 10 : 200) < 0)
        return;
    for (unsigned i = 0; i < s->jobs; i++)
        while (files[i].revents && children[i].out >= 0 && hear(s, &children[i]))
            continue;
}

static bool run_in_folder(suite *s)
{
    child children[MOST_JOBS] = { { 0 } };
    size_t next = 0, running = 0, ended = 0;
    bool well = true;

    while ((next < s->run_count && well && !interrupted) || running > 0) {
        for (unsigned i = 0; i < s->jobs && next < s->run_count && well && !interrupted; i++)
            if (!children[i].run) {
                well = begin(s, &children[i], &s->runs[next]);
                next++;
                running += well;
                children[i].run = well ? children[i].run : NULL;
                show_progress(s, children, ended);
            }
        wait_for_words(s, children);
        for (unsigned i = 0; i < s->jobs; i++) {
            child *c = &children[i];
            int status = 0;
            if (!c->run)
                continue;
            if (interrupted)
                kill(-c->pid, SIGKILL);
            keep_time(s, c, running);
            pid_t ended_one = waitpid(c->pid, &status, WNOHANG);
            c->lost = ended_one < 0 && errno != EINTR;
            if (ended_one == c->pid || c->lost) {
                finish(s, c, status);
                running--;
                ended++;
                show_progress(s, children, ended);
            }
        }
    }
    s->begun = next;
    if (s->progress)
        printf("\r\033[K");
    return well;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    (void)about;
    (void)kind;
    (void)walk;
    remove(path);
    return 0;
}

/* Children begin with an empty cache of Yoke's, and with no order to take other devices than theirs. */
static bool prepare(const suite *s, const char *folder)
{
    char cache[4096], seconds[16];

    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(seconds, sizeof seconds, "%u", s->seconds);
    return chdir(folder) == 0 && unsetenv("YOKE_DEVICE") == 0 && unsetenv("YOKE_CACHE") == 0 && unsetenv("YOKE_CACHE_SIZE") == 0 &&
           unsetenv("YOKE_TEST_REQUIRE") == 0 && unsetenv("YOKE_TEST_LOCKED") == 0 && setenv("YOKE_CACHE_DIR", cache, 1) == 0 &&
           setenv("YOKE_TEST_SECONDS", seconds, 1) == 0;
}

bool run_all(suite *s)
{
    const char *place = getenv("TMPDIR");
    struct sigaction act = { .sa_handler = interrupt }, usual = { .sa_handler = SIG_DFL };
    char folder[4000];

    snprintf(folder, sizeof folder, "%s/yoke-conformance.XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "yoke-conformance: cannot create a working folder %s: %s; TMPDIR names another place\n", folder,
                strerror(errno));
        return false;
    }
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGHUP, &act, NULL);
    sigaction(SIGCHLD, &usual, NULL); /* a caller that ignores it would keep the ends of children from us, and from them */
    bool well = prepare(s, folder);
    if (!well)
        fprintf(stderr, "yoke-conformance: %s: %s\n", folder, strerror(errno));
    well = well && run_in_folder(s);
    if (chdir("/") == 0)
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    s->interrupted = interrupted;
    return well;
}
