/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child: a copy of this process that runs one function, answers through a pipe and ends. What crashes or hangs there does no harm
 * here. A system without fork has none, and Yoke does without.
 */
#ifndef YK_SYSTEM_CHILD_H
#define YK_SYSTEM_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct yk_child {
    long id;
    int answer; /* the end of the pipe that this process reads */
} yk_child;

/* How a child has ended: by a signal, by a call of exit, or nobody knows, since other code has asked before. */
typedef struct yk_child_fate {
    enum { YK_CHILD_UNKNOWN, YK_CHILD_SIGNAL, YK_CHILD_EXIT } how;
    int number; /* the signal, or the exit status */
} yk_child_fate;

/* Whether there are children here. */
bool yk_child_works(void);

/* Start a child, which runs fn(answer, user) without the program's signal handlers, exit handlers and output, ends after `seconds`
 * in any case, and has as many files as the system gives it. Returns an errno value: EMFILE or ENFILE without a descriptor for the
 * pipe. */
int yk_child_start(yk_child *out_child, void (*fn)(int answer, void *user), void *user, unsigned seconds);
/* In the child. */
void yk_child_write(int answer, const void *bytes, size_t size);

/* Wait until bytes or the end of the answer can be read at once, at most until `deadline` (yk_now); false: neither is there. */
bool yk_child_wait(const yk_child *child, uint64_t deadline);
/* The next bytes of the answer, at most `size`; 0: it has ended, or it cannot be read. */
size_t yk_child_read(const yk_child *child, void *bytes, size_t size);
/* Close the pipe and wait for the child's end; one that is late is killed. */
yk_child_fate yk_child_end(yk_child *child, bool in_time);

#endif
