/* SPDX-License-Identifier: Apache-2.0 */
/* The time that a case may take; for tap.c, and for the test of it. */
#ifndef TAP_LIMIT_H
#define TAP_LIMIT_H

#include <stdbool.h>

/* Seconds of a case by the clock and by the processor, now and when it was last looked at. */
struct limit_times {
    double limit, wall, cpu, wall_before, cpu_before;
    bool has_child; /* one that goes on: it has a limit of its own, and its processor time is not known yet */
};

/* Why the case is given up, or NULL: it may go on. */
const char *limit_verdict(const struct limit_times *times);

/* From here on a case may take `seconds`; call before there are threads. */
void limit_start(unsigned seconds);

/* A case has ended, and the next one has the whole time. `where` is what the limit says when it is exceeded, without a new line. */
void limit_again(const char *where);

#endif
