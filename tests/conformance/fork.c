/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting and listing devices leaves a later fork safe: the child opens a device and works with it, whatever its parent has
 * listed. Every case forks before this process has opened a device, so each runs once and goes through the devices itself.
 */
#include "suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers whose runtime does not survive a fork in a process that has other threads at that moment. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

enum { MOST = 32 };

/* In the child: a launch on this device gives the right answer. */
static void work_on(const char *selector)
{
    suite t = { .info = YOKE_DEVICE_INFO_INIT };

    NEED_OK(yoke_device_open(selector, &t.device));
    NEED_OK(yoke_device_get_info(t.device, &t.info));
    NEED_OK(yoke_stream_create(t.device, &t.side));
    suite_works(&t);
out:
    yoke_program_release(t.saxpy);
    yoke_stream_release(t.side);
    yoke_device_release(t.device);
}

/* Fork, run the function in the child, and expect that no check of its failed. */
static void in_child(void (*run)(const char *argument), const char *argument)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(60); /* the parent's is not inherited */
        run(argument);
        fflush(stdout);
        _exit(suite_failures() == 0 ? 0 : 1);
    }
    if (!CHECK(child > 0))
        return;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    CHECK(WIFEXITED(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void list_then_fork(suite *t)
{
    yoke_device_info infos[MOST];
    size_t count = 0, again = 0;

    (void)t;
    for (int i = 0; i < MOST; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    CHECK_OK(yoke_device_count(&count));
    CHECK_OK(yoke_device_list(infos, MOST, &count));
    if (count == 0) {
        suite_skip("no device: %s", yoke_device_report());
        return;
    }
    for (size_t i = 0; i < count && i < MOST; i++)
        in_child(work_on, infos[i].selector);
    CHECK_OK(yoke_device_count(&again));
    CHECK(again == count);
}

static void fork_again(const char *selector)
{
    size_t count = 0;

    CHECK_OK(yoke_device_count(&count));
    CHECK(count > 0);
    in_child(work_on, selector);
    work_on(selector);
}

static void grandchildren(suite *t)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    size_t count = 0;

    (void)t;
    CHECK_OK(yoke_device_list(&info, 1, &count));
    if (count == 0)
        suite_skip("no device: %s", yoke_device_report());
    else
        in_child(fork_again, info.selector);
}

static volatile sig_atomic_t reaped;

static void reap_all(int signal)
{
    int saved = errno;

    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        reaped++;
    errno = saved;
}

/* A program that reaps every child does no harm to the question, nor does one that has the system reap them. */
static void list_where_children_are_reaped(suite *t)
{
    struct sigaction reap, before;
    size_t expected = 0, count = 0;

    (void)t;
    CHECK_OK(yoke_device_count(&expected));
    memset(&reap, 0, sizeof reap);
    for (int i = 0; i < 2; i++) {
        reap.sa_handler = i ? SIG_IGN : reap_all;
        CHECK(sigaction(SIGCHLD, &reap, &before) == 0);
        CHECK_OK(yoke_device_count(&count));
        CHECK(count == expected);
        CHECK(sigaction(SIGCHLD, &before, &reap) == 0);
        CHECK(reap.sa_handler == (i ? SIG_IGN : reap_all)); /* the caller's handlers are the caller's */
    }
}

/* Nothing of the question is left behind: no child, no descriptor. */
static void list_leaves_nothing(suite *t)
{
    size_t count = 0;
    int first, last;

    (void)t;
    CHECK_OK(yoke_device_count(&count));
    first = dup(0);
    for (int i = 0; i < 5; i++)
        CHECK_OK(yoke_device_count(&count));
    last = dup(0);
    CHECK(last == first + 1);
    close(first);
    close(last);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void *count_in_thread(void *user)
{
    size_t count = 0;

    for (int i = 0; i < 3; i++) {
        CHECK_OK(yoke_device_count(&count));
        CHECK(count == *(size_t *)user);
    }
    return NULL;
}

static void list_in_several_threads(suite *t)
{
    pthread_t threads[4];
    size_t count = 0;

    (void)t;
    if (SANITIZED) {
        suite_skip("the sanitizer does not survive a fork beside other threads");
        return;
    }
    CHECK_OK(yoke_device_count(&count));
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, count_in_thread, &count) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void list_after_opening(suite *t)
{
    size_t count = 0;

    CHECK_OK(yoke_device_count(&count));
    CHECK(count > 0);
    suite_works(t);
}

int main(void)
{
    static const suite_case cases[] = {
        { "listed, forked, and the child works on each device", list_then_fork, true },
        { "a child that lists and forks again", grandchildren, true },
        { "listing where the program reaps every child", list_where_children_are_reaped, true },
        { "listing leaves no child and no descriptor behind", list_leaves_nothing, true },
        { "listing in several threads", list_in_several_threads, true },
        { "listing with a device open", list_after_opening, false },
    };
    return SUITE_MAIN(cases, NULL);
}
