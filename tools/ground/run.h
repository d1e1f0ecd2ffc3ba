/* SPDX-License-Identifier: Apache-2.0 */
/* Running another program, with variables of the environment set, as if it ran in the place of this one (run.c). */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include "tools/ground/tool.h"

/* How a program ran, by the system's monotonic clock in nanoseconds. */
typedef struct tool_run {
    double began, ended;
    int signal; /* that ended it; 0: none */
} tool_run;

/* No exit code of a program. */
enum {
    TOOL_LOST = -1,        /* the system does not tell how the program ended */
    TOOL_NOT_STARTED = -2, /* it cannot be started, or a signal came before */
};
enum { TOOL_NO_PROGRAM = 127 }; /* what shells answer for a program that is not there */

/* From here on signals that would end this process are passed on to the program, and wait while it does not run. */
void tool_catch_signals(void);
/* Run a program with the settings: name, value, and so on, ended by NULL. Returns its exit code, or that of shells for a program
 * that a signal has ended; or one of the above. */
int tool_run_program(const tool_command *command, char **argv, const char *const *settings, tool_run *out_run);
/* End by this signal, which has ended the program; 0: by the one that has waited. Returns if there is none. */
void tool_end_by_signal(int number);

#endif
