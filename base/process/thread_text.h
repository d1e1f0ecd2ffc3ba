/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the calling thread, for functions that return one to the program. */
#ifndef YK_THREAD_TEXT_H
#define YK_THREAD_TEXT_H

#include "base/text.h"

/* The calling thread's own texts: valid until the thread changes them, freed when it ends. */
enum yk_thread_text { YK_BUILD_LOG, YK_DEVICE_REPORT, YK_GRAPH_TEXT, YK_THREAD_TEXTS };
yk_text *yk_thread_text(enum yk_thread_text which);

#endif
