/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Yoke for C++11 and later: the C interface with destructors, exceptions, spans and lambdas. Header only, and thin: each function
 * is one call of the C function whose name its comment or its own name tells, and the contract is that function's.
 *
 *  - Objects own one reference and can be moved, not copied; retain() gives a second owner, get() the C handle, for C functions.
 *  - A failure throws yoke::error. Nothing is thrown through a C function: what a host function throws fails its stream.
 *  - Copies and host functions run later: memory that they use has to outlive them. The destructor of a stream therefore waits for
 *    the stream's work. Declare the stream after the memory, and the memory outlives the work also when an exception unwinds.
 *  - Functions that enqueue return true; false only in a stream of YOKE_STREAM_PENDING_WHEN_FULL that is full. They allocate
 *    nothing, but for host functions, whose captures they store.
 *  - stream.at(YOKE_HERE) enqueues with the caller's place, which messages then name.
 *
 * <yoke/hpp/base.hpp> has errors, spans and owners, <yoke/hpp/objects.hpp> devices, memory, programs and kernels, and
 * <yoke/hpp/stream.hpp> events, streams, launches, host functions and graphs. doc/cpp.md is an introduction.
 */
#ifndef YOKE_YOKE_HPP
#define YOKE_YOKE_HPP

#include <yoke/hpp/base.hpp>
#include <yoke/hpp/objects.hpp>
#include <yoke/hpp/stream.hpp>

#endif
