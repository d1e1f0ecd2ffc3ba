/* SPDX-License-Identifier: Apache-2.0 */
/* What another subcommand wants of `yoke bench`. */
#ifndef BENCH_H
#define BENCH_H

#include "figures.h"

/* Measure a device in a process of its own, for about a second and never for more than 30, and write the few figures of a report as
 * lines "KEY: VALUE", in which the device has this number. What goes wrong is a line, too. */
void bench_write_lines(const tool_command *command, const char *selector, size_t number, FILE *out);

#endif
