/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every call of the driver fails once: each scenario is run again and again, and each time another one of the driver's calls in it
 * fails, in one of the ways that calls fail. Whoever has to know is told, with a record that names the call; nothing is lost; the
 * library goes on. It takes a library with --enable-fault-injection.
 *
 *     sweep                                               all of it, as long as YOKE_SWEEP_SECONDS allows for each scenario
 *     sweep SCENARIO [--fail N memory|failure|lost]       one scenario; one fault
 */
#include "exhausted.h"

#include <errno.h>
#include <execinfo.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/inject.h"

/* A fault that takes longer than this hangs. */
enum { FAULT_SECONDS = 60 };

static const struct {
    const char *name;
    enum yoke_fault_what what;
    unsigned every; /* n-th call: a device is lost the same way wherever it is noticed */
} ways[] = { { "memory", YOKE_FAULT_MEMORY, 1 }, { "failure", YOKE_FAULT_FAILURE, 1 }, { "lost", YOKE_FAULT_LOST, 3 } };

enum { LOST = 2, WAYS = sizeof ways / sizeof ways[0] };

/* Shared by the program and the process that is at a scenario, so that what that was doing is known when it crashes or hangs. */
typedef struct progress {
    atomic_uint call, way;          /* what fails now */
    unsigned calls;                 /* of a run in which nothing fails */
    unsigned next;                  /* of the faults, in the order in which they are tried */
    unsigned tried, survived, seen; /* happened; without a complaint; reported by a call */
    bool finished;
    char selector[32];
    char absent[400]; /* why there is no device */
} progress;

static progress *shared;

/* ---- What is seen of a fault ---- */

static struct {
    bool told;          /* a call, a function or a stream's wait has reported it */
    atomic_bool logged; /* a warning has */
    bool stream_failed;
    bool lost;
    const char *call;    /* that failed */
    char first[1024];    /* who told first */
    char given_up[1024]; /* what kept the scenario from its end */
} run;

static bool show_stack; /* of the call that fails */

static yoke_fault_report fault_now(void)
{
    yoke_fault_report report;

    yoke_fault_get_report(&report);
    return report;
}

/* The thread's record is about the fault: it has the call and its code, or at least names it. */
static bool names_fault(void)
{
    const yoke_error_info *error = yoke_error();
    yoke_fault_report fault = fault_now();

    return fault.happened && (strcmp(error->driver_call, fault.call) == 0 || strstr(error->text, fault.call));
}

bool was_told(yoke_status status)
{
    if (status >= 0 || !names_fault())
        return false;
    run.told = true;
    run.lost = run.lost || status == YOKE_E_DEVICE_LOST;
    return true;
}

bool failed_once(yoke_status status, const char *where, const char *call)
{
    bool first = !run.first[0];

    if (!fault_now().happened)
        return false;
    if (!was_told(status))
        return false;
    if (first) {
        snprintf(run.first, sizeof run.first, "%s: %s: %s", where, call, yoke_error()->text);
        CHECK(yoke_error()->status == status);
        CHECK(yoke_error()->function[0] != '\0');
    }
    return first && status != YOKE_E_DEVICE_LOST;
}

/* Then the report has the reason, unless it was nothing that a device cannot do without. */
bool devices_may_hide(void)
{
    yoke_fault_report fault = fault_now();

    run.told = run.told || (fault.happened && strstr(yoke_device_get_report(), fault.call));
    return fault.happened;
}

void gave_up(const char *where, const char *call)
{
    if (!run.given_up[0])
        snprintf(run.given_up, sizeof run.given_up, "%s: %s: %s: %s", where, call, yoke_status_name(yoke_error()->status),
                 yoke_error()->text);
}

/* A wait that is refused says nothing of the work: it is tried again. */
void finish(yoke_stream *stream)
{
    yoke_status status = yoke_stream_wait(stream);

    if (status < 0 && was_told(status))
        status = yoke_stream_wait(stream);
    if (status < 0)
        run.stream_failed = run.stream_failed || was_told(status);
}

static void listen(int level, const char *text, void *user)
{
    yoke_fault_report fault = fault_now();

    count_log(level, text, user);
    if (show_stack && strstr(text, "injected")) {
        void *stack[24];
        backtrace_symbols_fd(stack, backtrace(stack, 24), STDOUT_FILENO);
    }
    /* What gives something back on a lost device, over and over, says so in a whisper; so does who waits without a wake-up. */
    bool whispered = atomic_load(&shared->way) == LOST || strstr(text, "cannot notify of completion");
    if ((level <= YOKE_LOG_WARNING || whispered) && fault.happened && strstr(text, fault.call) && !strstr(text, "injected"))
        atomic_store(&run.logged, true);
}

/* ---- One fault ---- */

static bool is_among(const char *const *names, const char *call)
{
    while (*names && strcmp(*names, call) != 0)
        names++;
    return *names != NULL;
}

/* A failure of these is not the user's: what they are for can be had without them, and the work is right all the same. */
static bool may_be_silent(const char *call)
{
    static const char *const silent[] = {
        /* Something about a device or a kernel that is not known then. */
        "clGetDeviceInfo",
        "clGetKernelWorkGroupInfo",
        /* Memory is had at the second try, as below; this one cannot say that anything else has failed. */
        "clSVMAlloc",
        /* Whether host memory is pinned: if nobody knows, it is copied as if it were not. */
        "cuPointerGetAttribute",
        /* Only a word for what has failed already. */
        "cuGetErrorName",
        NULL,
    };
    /* Where there was no memory what is kept for later goes back, and the second try has it; or pageable memory does. */
    static const char *const tried_again[] = {
        "clCreateBuffer",          "clEnqueueMapBuffer", "cuCtxPushCurrent_v2", "cuMemAlloc_v2",
        "cuMemAllocFromPoolAsync", "cuMemAllocManaged",  "cuMemHostAlloc",      NULL,
    };
    bool memory = ways[atomic_load(&shared->way)].what == YOKE_FAULT_MEMORY;
    /* Other drivers are only asked for what there is beside, to tell it. */
    bool other = (strncmp(call, "cl", 2) == 0) != (strncmp(shared->selector, "opencl", 6) == 0);

    return other || is_among(silent, call) || (memory && is_among(tried_again, call));
}

/* What a thread of the library's own notices, it logs a moment after the call. */
static bool somebody_knows(const yoke_fault_report *fault)
{
    double start = suite_now();

    while (!run.told && !atomic_load(&run.logged) && !may_be_silent(fault->call) && suite_now() - start < 5)
        sched_yield();
    return run.told || atomic_load(&run.logged) || may_be_silent(fault->call);
}

/* The scenario has ended with this status. Its streams have failed for the fault or not at all, and recover. */
static void judge(suite *t, yoke_status status)
{
    yoke_fault_report fault = fault_now();

    if (t->device) {
        finish(t->stream);
        finish(t->side);
        if (!run.lost) {
            CHECK_OK(yoke_stream_recover(t->stream));
            CHECK_OK(yoke_stream_recover(t->side));
        }
    }
    if (status < 0 && !CHECK(run.told && (run.stream_failed || run.lost)))
        tap_diag("it could not go on: %s", run.given_up);
    if (fault.happened && !CHECK(somebody_knows(&fault)))
        tap_diag("nothing reported %s", fault.call);
}

static void check_objects(void)
{
    char objects[300];
    double start = suite_now();

    while (yoke_fault_objects(objects, sizeof objects) > 0 && suite_now() - start < 5)
        sched_yield();
    if (!CHECK(yoke_fault_objects(objects, sizeof objects) == 0))
        tap_diag("the driver still has %s", objects);
}

/* The library works: on the device itself, or on one that is opened anew once that is lost. */
static void works(suite *t, const char *selector)
{
    if (run.lost)
        take_down(t);
    if (!t->device && !make_ready(t, selector, false))
        return;
    suite_works(t);
    nothing_is_left(t);
}

/* False: the scenario could not even begin. */
static bool run_once(const scenario *s, const yoke_fault *fault)
{
    suite t = { 0 }, p = { 0 };
    char second[32];
    bool ready = true;

    memset(&run, 0, sizeof run);
    yoke_fault_order(NULL);
    if (!(s->flags & OPENS_ITSELF))
        ready = make_ready(&t, shared->selector, s->flags & KERNELS);
    if (s->flags & TWO_DEVICES) {
        find_second(shared->selector, second, sizeof second);
        ready = ready && make_ready(&p, second, false);
    }
    if (ready) {
        snprintf(t.info.selector, sizeof t.info.selector, "%s", shared->selector);
        yoke_fault_order(fault);
        yoke_status status = s->run(&t, &p);
        if (p.device)
            finish(p.stream);
        judge(&t, status);
        if (s->flags & OPENS_ITSELF)
            CHECK(all_devices_closed());
        yoke_fault_report report = fault_now();
        run.call = report.call;
        shared->calls = fault ? shared->calls : report.seen;
        shared->tried += fault && report.happened;
        shared->seen += run.told;
        yoke_fault_order(NULL);
        if (s->flags & TWO_DEVICES && run.lost)
            take_down(&p);
        works(&t, shared->selector);
    }
    take_down(&p);
    take_down(&t);
    CHECK(all_devices_closed());
    check_objects();
    return ready;
}

/* The `i`-th of all faults of a scenario. */
static yoke_fault fault_number(unsigned i)
{
    unsigned way = 0, calls = shared->calls;

    while (way < WAYS - 1 && i >= calls / ways[way].every) {
        i -= calls / ways[way].every;
        way++;
    }
    atomic_store(&shared->way, way);
    atomic_store(&shared->call, 1 + i * ways[way].every);
    return (yoke_fault){ .what = ways[way].what, .at = 1 + i * ways[way].every };
}

static unsigned fault_count(void)
{
    unsigned count = 0;

    for (size_t i = 0; i < WAYS; i++)
        count += shared->calls / ways[i].every;
    return count;
}

static bool survives(const scenario *s, const yoke_fault *fault)
{
    unsigned before = suite_failures(), tried = shared->tried;

    alarm(FAULT_SECONDS);
    run_once(s, fault);
    bool good = suite_failures() == before;
    shared->survived += good && shared->tried > tried;
    if (!good) {
        tap_diag("%s %s --fail %u %s, which was %s; who told of it: %s", program_invocation_name, s->name, fault ? fault->at : 0,
                 ways[atomic_load(&shared->way)].name, run.call ? run.call : "nothing", run.first[0] ? run.first : "nobody");
    }
    return good;
}

/* ---- A scenario, in processes of its own ---- */

static int in_child(const scenario *s, double until, int (*work)(const scenario *s, double until))
{
    fflush(stdout);
    pid_t child = fork();
    int status = 0;

    if (child < 0)
        tap_bail("no process can be started");
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        if (s && s->order && putenv((char *)s->order) != 0)
            _exit(127);
        yoke_log_set(YOKE_LOG_DEBUG, listen, NULL);
        exit(work(s, until)); /* and not _exit: what has run is counted then */
    }
    waitpid(child, &status, 0);
    return status;
}

static int find_device(const scenario *s, double until)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    size_t count = 0;

    (void)s, (void)until;
    if (yoke_device_list(&info, 1, &count) >= 0 && count > 0)
        snprintf(shared->selector, sizeof shared->selector, "%s", info.selector);
    else
        snprintf(shared->absent, sizeof shared->absent, "%s", yoke_device_get_report());
    return 0;
}

/* What is kept for the life of the process, as the list of devices, is had beforehand; but where that is what the scenario is
 * about, the process ends with the first fault. */
static int some_faults(const scenario *s, double until)
{
    bool listing = strcmp(s->name, "listing") == 0;
    size_t count = 0;

    if (!listing && !CHECK_OK(yoke_device_count(&count)))
        return 1;
    if (shared->calls == 0)
        return !survives(s, NULL);
    if (!listing) /* caches fill */
        run_once(s, NULL);
    size_t descriptors = entries_of("/proc/self/fd");
    for (unsigned least = 3; shared->next < fault_count() && (least > 0 || suite_now() < until); least -= least > 0) {
        yoke_fault fault = fault_number(spread(shared->next++, fault_count()) - 1);
        survives(s, &fault);
        if (listing)
            return suite_failures() != 0;
    }
    if (strncmp(shared->selector, "cuda", 4) != 0) /* whose driver opens dozens of its own, for good */
        CHECK(descriptors + 8 > entries_of("/proc/self/fd"));
    shared->finished = true;
    return suite_failures() != 0;
}

static void sweep(const scenario *s, double seconds)
{
    double until = suite_now() + seconds;
    bool good = true;
    unsigned crashes = 0;

    shared->calls = shared->next = shared->tried = shared->survived = shared->seen = 0;
    shared->finished = false;
    if (in_child(s, until, some_faults) != 0)
        good = false;
    while (good && crashes < 20 && !shared->finished && shared->next < fault_count() &&
           (shared->next == 0 || suite_now() < until)) {
        int status = in_child(s, until, some_faults);
        if (WIFSIGNALED(status)) {
            tap_diag("%s: %s %s --fail %u %s", WTERMSIG(status) == SIGALRM ? "HANGS" : strsignal(WTERMSIG(status)),
                     program_invocation_name, s->name, atomic_load(&shared->call), ways[atomic_load(&shared->way)].name);
            crashes++;
        }
    }
    tap_ok(good && shared->tried > 0 && shared->survived == shared->tried && crashes == 0,
           "%s: %u of %u faults of %u calls tried, %u survived, %u of them told by a call", s->words, shared->tried, fault_count(),
           shared->calls, shared->survived, shared->seen);
}

static int one_fault(const scenario *s, double until)
{
    size_t count = 0;
    yoke_fault fault = { .what = ways[atomic_load(&shared->way)].what, .at = atomic_load(&shared->call) };

    (void)until;
    if (strcmp(s->name, "listing") != 0) {
        yoke_device_count(&count);
        run_once(s, NULL);
    }
    shared->tried = 0;
    show_stack = true;
    bool good = survives(s, &fault);
    printf("# %s; told: %s; logged: %s; %s\n", good ? "survived" : "NOT SURVIVED",
           run.first[0] ? run.first
           : run.told   ? "yes"
                        : "no",
           atomic_load(&run.logged) ? "yes" : "no", shared->tried ? run.call : "there is no such call");
    return !good;
}

int main(int argc, char **argv)
{
    const char *asked = getenv("YOKE_SWEEP_SECONDS"), *required = getenv("YOKE_TEST_REQUIRE"), *backend = getenv("YOKE_BACKEND");
    double seconds = asked ? atof(asked) : 1;
    unsigned tried = 0, survived = 0;

    tap_start(900);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        tap_bail("no shared memory");
    const char *wanted = getenv("YOKE_TEST_DEVICES");
    if (wanted && *wanted)
        snprintf(shared->selector, sizeof shared->selector, "%.*s", (int)strcspn(wanted, ","), wanted);
    else
        in_child(NULL, 0, find_device);
    if (!shared->selector[0]) {
        if (required && backend && strstr(required, backend))
            return tap_ok(false, "there is a device"), tap_done();
        tap_skip_all("no device: %s", shared->absent);
    }
    const scenario *only = argc > 1 ? find_scenario(argv[1]) : NULL;
    if (argc > 1 && !only)
        tap_bail("there is no scenario '%s'", argv[1]);
    if (argc == 5) {
        for (unsigned i = 0; i < WAYS; i++)
            if (strcmp(ways[i].name, argv[4]) == 0)
                atomic_store(&shared->way, i);
        atomic_store(&shared->call, (unsigned)strtoul(argv[3], NULL, 10));
        return in_child(only, 0, one_fault) != 0;
    }
    for (size_t i = 0; i < scenario_count; i++) {
        if (only && only != &scenarios[i])
            continue;
        sweep(&scenarios[i], seconds);
        tried += shared->tried;
        survived += shared->survived;
    }
    tap_diag("%u faults tried, %u survived", tried, survived);
    return tap_done();
}
