/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables that are a switch or a number (setting.c). Backends may include this header. */
#ifndef YK_SETTING_H
#define YK_SETTING_H

#include "base/macros.h"

/* Whether a variable of the environment is 0 or 1; `otherwise` when it is unset or empty. Another word counts as 1, with a warning
 * in the log. */
int yk_read_switch(const char *name, int otherwise);
/* The same for a number from 1; what is no such number counts as unset, with a warning. */
int yk_read_count(const char *name, int otherwise);

#endif
