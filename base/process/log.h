/* SPDX-License-Identifier: Apache-2.0 */
/* Log messages (log.c). Backends may include this header. */
#ifndef YK_LOG_H
#define YK_LOG_H

#include "base/macros.h"

YK_DEFINED_HERE extern atomic_int yk_log_level; /* YOKE_LOG_; negative until the environment has been read */
YK_COLD void yk_log_line(int level, const char *format, ...) YOKE_PRINTF(2, 3);
/* A message that the environment requested by a variable of its own: goes to stderr even when logging is off. */
YK_COLD void yk_log_ordered(int level, const char *format, ...) YOKE_PRINTF(2, 3);
#define yk_log(level, ...)                                                                                         \
    do {                                                                                                           \
        if (YK_UNLIKELY((unsigned)(level) <= (unsigned)atomic_load_explicit(&yk_log_level, memory_order_relaxed))) \
            yk_log_line(level, __VA_ARGS__);                                                                       \
    } while (0)

/* In a forked child: a log function that was running in the parent does not return here. */
void yk_log_forked(void);

#endif
