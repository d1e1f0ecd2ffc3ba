/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For those who build libraries on Yoke, as libyoke-ops and libyoke-comm are built: what such a library keeps with a device or on
 * disk, and what it has to know of a caller's buffers and streams. A program needs none of it. The rules at the top of
 * <yoke/yoke.h> apply here too. Stability: a minor version may replace these functions by better ones, and its soname says so;
 * those of the other headers are replaced by a major version alone, from 1.0 on.
 */
#ifndef YOKE_LIBRARY_H
#define YOKE_LIBRARY_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a library keeps -------------------------------------------------------------------------------------------- */

/* Attach a value to a device, for a library that keeps something for each device, such as a handle of a vendor's library. When the
 * device ends, release(value) is called once, before the driver's context is released; it may run on any thread and must not use
 * the device through Yoke. `key`: any address of the library's own. `out_value` gets the value that the key has now: the caller's,
 * or, where the key has a value already, that one; then `value` stays the caller's. With a `value` of NULL nothing is attached, and
 * out_value is NULL where the key has no value. Any thread may call this; looking up takes no lock. YOKE_E_INVALID_ARGUMENT: key is
 * NULL. YOKE_E_OUT_OF_HOST_MEMORY. */
YOKE_API yoke_status yoke_device_attach(yoke_device *device, const void *key, void *value, yoke_release_fn release,
                                        void **out_value);

/* The device's program of this key: for libraries, whose callers hold no programs. The first call with a key builds the program, as
 * yoke_program_build does, and the device keeps it until the device itself ends; each later call with this key returns that program
 * and does not look at `source`, so the key must tell all sources apart. That takes some tens of nanoseconds, or a microsecond with
 * the longest key. `key`: up to 4096 bytes, compared byte by byte; begin it with the library's name. `source` may be NULL: then
 * nothing is built, and the answer is NULL where the device has no program of this key. `out_program` is borrowed: it lives as long
 * as the device. yoke_program_retain keeps program and device alive together. Several threads that use a new key at once get the
 * same program. A build that fails is not kept: the next call builds again. YOKE_E_INVALID_ARGUMENT: key is NULL, empty or too
 * long. Else as yoke_program_build. */
YOKE_API yoke_status yoke_device_get_program(yoke_device *device, const char *key, const yoke_source *source,
                                             yoke_program **out_program);

/* Keep a note on disk, for a library that remembers what it has found out: `size` bytes in a file of their own in the folder of the
 * cache of compiled programs (see yoke_cache_get_info), instead of what the key had; with a size of 0 the key's note is removed.
 * The key is the library's name and all that the note depends on: a device's name and driver, say. A note appears complete, is read
 * only by the user who wrote it, and is deleted when it has not been recalled for a month. Blocks for the disk. Any thread may call
 * this. YOKE_E_INVALID_ARGUMENT: key is NULL; note is NULL, and size is not 0. YOKE_E_UNAVAILABLE: YOKE_CACHE is not "on", or the
 * folder cannot be used or written to. YOKE_E_OUT_OF_HOST_MEMORY. */
YOKE_API yoke_status yoke_cache_note(const char *key, const void *note, size_t size);

/* Read a note: *out_size is its size, and at most `capacity` bytes of it are copied. *out_size is 0 where there is no note: none
 * was kept, YOKE_CACHE is "off", the folder cannot be used, or the file is damaged or another user's, which the log tells. Blocks
 * for the disk. Any thread may call this. YOKE_E_INVALID_ARGUMENT: key or out_size is NULL; note is NULL, and capacity is not
 * 0. */
YOKE_API yoke_status yoke_cache_recall(const char *key, void *note, size_t capacity, size_t *out_size);

/* ---- What a library is given ----------------------------------------------------------------------------------------- */

/* The buffer whose memory this is: the buffer itself, or the one that a view, or a view of a view, lies in. Borrowed: it lives as
 * long as `buffer`. Two buffers share memory only where their roots are the same. `out_offset`, which may be NULL, gets the offset
 * in bytes from the root's start. NULL, and offset 0, for NULL. */
YOKE_API yoke_buffer *yoke_buffer_get_root(const yoke_buffer *buffer, size_t *out_offset);

/* How many bytes the buffer's first byte lies behind a multiple of 16 bytes: not 0 only for views, and for memory that Yoke has not
 * allocated (yoke_buffer_wrap, a program's variable). 0 for NULL. */
YOKE_API size_t yoke_buffer_get_misalignment(const yoke_buffer *buffer);

/* ---- What a library reports ------------------------------------------------------------------------------------------ */

/* Write a message of `level`, YOKE_LOG_ERROR to YOKE_LOG_DEBUG, to wherever Yoke's own messages of this level go: for libraries
 * above Yoke. Any other level, and a format of NULL, write nothing. Any thread may call this, but not a log function. */
YOKE_API void yoke_log_write(yoke_log_level level, const char *format, ...) YOKE_PRINTF(2, 3);

/* Fail a stream in which other code has ended work before its time: a communicator that was aborted, say. The failure is `status`
 * with the calling thread's record, which yoke_fail makes. As after yoke_stream_cancel nothing further starts; besides, work that
 * the driver has been given and that is not known to be complete counts as failed, so that events behind it report the failure.
 * Does not wait. A stream that has failed keeps its failure. YOKE_E_DEVICE_LOST is taken for the loss of another device: the
 * streams that this stream's events reach fail with it, and no others. Any thread may call this, native sections of the stream too.
 * YOKE_E_INVALID_ARGUMENT: status is not negative. YOKE_E_OUT_OF_HOST_MEMORY: the stream has failed, and events that were recorded
 * before may not tell. */
#define yoke_native_fail(...) yoke_native_fail_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_native_fail_at(const char *where, yoke_stream *stream, yoke_status status);

#ifdef __cplusplus
}
#endif

#endif
