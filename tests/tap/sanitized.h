/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether this program runs under the address or the thread sanitizer. Their runtimes do not survive a fork in a process that has
 * other threads at that moment, nor a thread that is cancelled; and they take more address space than a limit on it could leave.
 */
#ifndef SANITIZED_H
#define SANITIZED_H

#include <stdbool.h>

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

#endif
