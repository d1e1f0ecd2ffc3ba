/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE seam: what a backend is. One const table of functions per backend, with no NULL slots; what a driver lacks is a function of
 * the backend's own that fails with YOKE_E_UNSUPPORTED and says why.
 *
 * The core allocates every object, validates every argument and keeps the order of streams; a backend only fills in an object's
 * `native` members and calls its driver. Rules for every slot:
 *
 *  - On failure it sets the thread's record (yk_fail, yk_driver_fail), leaves nothing behind, and returns the negative status.
 *  - It may be called from any thread, several at once, also on one object, except that create and destroy of an object are alone.
 *  - It leaves the caller's current context as it was and calls nothing of the core but base/ and backend_api.h.
 *  - Destroy slots cannot fail: a driver that says it is shutting down has already freed everything.
 */
#ifndef YK_BACKEND_H
#define YK_BACKEND_H

#include <yoke/native.h>

#include "backend_api.h"
#include "objects/line_map.h"

struct yk_backend {
    const char *name; /* "cuda": the first part of selectors and of messages */

    /* The driver itself keeps memory and code alive while work it was given uses them, so destroy may be called at any time. Where
     * it does not, the core waits until every stream has passed. Where it does, but program_destroy may wait for what runs,
     * device_open sets device->releases_wait, and the core calls it on a thread of its own while the device has work. */
    bool keeps_used_objects;

    /* The driver gives an event for each command for nothing: write, read, copy, fill and launch then record op->end, where there
     * is one, behind the operation. */
    bool records_with_operations;

    /* Host memory that was pinned for one device is pinned for all of this backend's; else only for the one. */
    bool pins_for_all_devices;

    /* What it compiles of a source is the CUDA text; else the OpenCL text. */
    bool compiles_cuda;

    /* Shared memory of a launch is a parameter for each piece: arguments of YOKE_ARG_LOCAL get here. Else the core adds them up in
     * op->u.launch.shared and leaves them out. Of the other kinds only YOKE_ARG_BUFFER, _SCALAR and _STRUCT ever get here. */
    bool local_parameters;

    /* Start the driver if need be (never more than once) and append every device it has to the list, in PCI order where there is
     * one, with yk_device_list_add; devices and platforms that cannot be used with yk_device_list_reject. Creates no context. Fails
     * when the driver is missing or refuses to start: the record's text says why and what to do. */
    yoke_status (*device_list)(yk_device_list *list);

    /* Append all that decides which drivers device_list starts, as lines: variables of the environment and files, with
     * yk_text_add_variable and yk_text_add_file; not the libraries that are loaded for it. Loads nothing. False: other code of this
     * process has started drivers of these already, so that what a child would answer says nothing about this process. */
    bool (*driver_key)(yk_text *key);
    /* Append the name of each driver that device_list starts, a line each; nothing where there is but one. */
    void (*driver_names)(yk_text *names);
    /* Append what has to be in the environment for this one alone to be started: NAME=VALUE, a line each. */
    void (*driver_alone)(const char *name, yk_text *settings);
    /* In a forked child: make the locks of device_list new, since another thread of the parent may have held them. */
    void (*forked)(void);

    /* Open the device that device->info (as device_list gave it) describes: sets device->native. */
    yoke_status (*device_open)(yoke_device *device);
    void (*device_close)(yoke_device *device);
    /* The driver's handles: see native.h. */
    void (*device_native)(const yoke_device *device, yoke_native_device *out_native);
    /* Why the device lacks a capability whose bit is clear: a constant string. */
    const char *(*device_lacks)(const yoke_device *device, int capability);

    /* stream->flags is set. Sets stream->native: an in-order queue, independent of the driver's default stream. */
    yoke_status (*stream_create)(yoke_stream *stream);
    void (*stream_destroy)(yoke_stream *stream);
    /* Work in the stream has failed, and it is drained: make it take work again. Other threads may still ask for its old events. */
    yoke_status (*stream_renew)(yoke_stream *stream);
    /* Block until the driver has done all that it was given, for when it refuses to record an event. */
    void (*stream_finish)(yoke_stream *stream);
    /* The driver's handle for a native section, and what has to hold during one, until native_leave: see native.h. */
    yoke_status (*stream_native_enter)(yoke_stream *stream, void **out_handle);
    void (*stream_native_leave)(yoke_stream *stream);
    /* What is given to `stream` from now on starts after `event`, which is recorded on another stream of the same device. */
    yoke_status (*stream_wait_event)(yoke_stream *stream, yoke_event *event);

    /* Events are recycled: create once (event->stream and event->flags are set), then any number of record .. reset, then destroy.
     */
    yoke_status (*event_create)(yoke_event *event);
    void (*event_destroy)(yoke_event *event);
    /* Mark the end of what the driver has been given on event->stream. */
    yoke_status (*event_record)(yoke_event *event);
    /* Forget the recording, so that the event can be recorded again on any stream of the device. */
    void (*event_reset)(yoke_event *event);
    /* Does not block. YOKE_PENDING; YOKE_OK once the work before the event has finished and its effects are visible to this thread;
     * or its failure. A driver that does not answer has failed, too: then the stream is waited for first, since what it uses may go
     * now. Makes sure that the driver is working on it: two calls with no other call between them must make progress. */
    yoke_status (*event_query)(yoke_event *event);
    /* Ask the driver to call yk_notice_post(notice) soon after the event has settled. Only a wake-up: it may come late, twice or
     * never without harm. The function that the driver calls does nothing else. YOKE_PENDING: it will, but late, so who waits looks
     * often as well. YOKE_E_UNSUPPORTED, without a record, since the wait has not failed: this driver is of no use for that, or
     * refuses, which is told in the log. */
    yoke_status (*event_notify)(yoke_event *event, yk_notice *notice);
    /* Between two settled timed events of one device. */
    yoke_status (*event_elapsed)(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds);

    /* Memory of buffer->kind, which the device has the capability for: buffer->capacity bytes. Sets buffer->native (but not of
     * pinned memory on CUDA), buffer->extra if need be, and buffer->host of every kind but YOKE_MEMORY_DEVICE. */
    yoke_status (*buffer_create)(yoke_buffer *buffer);
    /* The same from the driver's own pool, in the order of a stream. Only called where device->driver_pool. */
    yoke_status (*buffer_create_ordered)(yoke_buffer *buffer, yoke_stream *stream);
    /* Page-lock the `capacity` bytes at buffer->host. */
    yoke_status (*buffer_register)(yoke_buffer *buffer);
    /* Make a buffer of the driver's handle for device memory, after making sure that it is one, and large enough. */
    yoke_status (*buffer_wrap)(yoke_buffer *buffer, uintptr_t native);
    /* Whatever buffer->origin. Ordered memory goes back in the order of buffer->owner_stream. */
    void (*buffer_destroy)(yoke_buffer *buffer);
    /* The driver's handle of a buffer or view. */
    yoke_status (*buffer_native)(const yoke_buffer *buffer, uintptr_t *out_native);
    /* view->root, view->offset (from the root's start) and view->size are set. Sets what a launch needs in view->native. A device
     * that cannot take this offset as an argument sets view->misaligned and succeeds. Views are destroyed by view_destroy. */
    yoke_status (*view_create)(yoke_buffer *view);
    void (*view_destroy)(yoke_buffer *view);
    /* Whether somebody else has pinned the memory at this address, as far as the driver knows. */
    bool (*host_is_pinned)(const yoke_device *device, const void *host);

    /* Bytes of the device's memory that are free; sets YOKE_MEMORY_INFO_ESTIMATED in the flags when the driver does not tell. */
    yoke_status (*device_memory)(const yoke_device *device, uint64_t *out_free, uint32_t *out_flags);
    /* The driver's own pool: keep at most so many bytes that are not in use; how many it keeps; give all but `keep` back now, and
     * say whether there were any. */
    void (*pool_limit)(const yoke_device *device, uint64_t limit);
    yoke_status (*pool_cached)(const yoke_device *device, uint64_t *out_bytes);
    bool (*pool_trim)(const yoke_device *device, uint64_t keep);

    /* Whether copy and copy_rect take a buffer of this other device of the same backend. Makes it so, where that can be. */
    bool (*copies_between)(const yoke_device *device, const yoke_device *other);

    /* Give an operation to the driver: all of it, or when that fails nothing; a part that was given already is waited for. All
     * arguments have been checked; buffers in transfers, copies and fills are roots, with offsets from their start. The pitches of
     * a rect are such that a slice's is a multiple of a row's. YK_OP_RECORD, _WAIT and _CALL never come here. */
    /* YOKE_E_INVALID_ARGUMENT from one to or from the host: the driver does not take that memory, and Yoke carries it. */
    yoke_status (*write)(yoke_stream *stream, const yk_op *op);
    yoke_status (*read)(yoke_stream *stream, const yk_op *op);
    yoke_status (*copy)(yoke_stream *stream, const yk_op *op);
    yoke_status (*write_rect)(yoke_stream *stream, const yk_op *op);
    yoke_status (*read_rect)(yoke_stream *stream, const yk_op *op);
    yoke_status (*copy_rect)(yoke_stream *stream, const yk_op *op);
    yoke_status (*fill)(yoke_stream *stream, const yk_op *op);
    yoke_status (*launch)(yoke_stream *stream, const yk_op *op);
    /* Where YOKE_CAP_COOPERATIVE: the launch, and how many blocks of so many threads can be on the device at the same time. */
    yoke_status (*launch_cooperative)(yoke_stream *stream, const yk_op *op);
    yoke_status (*cooperative_blocks)(const yoke_kernel *kernel, uint32_t block_threads, size_t shared, uint64_t *out_most);

    /* Graphs, where YOKE_CAP_GRAPHS. Whether a graph of the driver's can have this operation: others are given one by one. */
    bool (*graph_takes)(const yk_op *op);
    /* Make the driver's graph of the steps, which it takes: sets batch->native and the steps' own. */
    yoke_status (*graph_create)(yk_batch *batch);
    void (*graph_destroy)(yk_batch *batch);
    /* A step has this operation from the next launch on. It is of the same kind; step->op is still the one before.
     * YOKE_E_UNSUPPORTED, without a record: the driver's graph cannot be changed, or the driver refuses, which is told in the log.
     * Another is made. */
    yoke_status (*graph_update)(yk_batch *batch, yk_step *step, const yk_op *op);
    /* YOKE_E_UNSUPPORTED, without a record: not in a stream like this, so its steps are given one by one. */
    yoke_status (*graph_launch)(yoke_stream *stream, const yk_batch *batch);

    /* What compiles sources for it: all members but size, which start as "". */
    yoke_status (*device_compiler)(const yoke_device *device, yoke_compiler_info *out_info);
    /* Append all that decides, beside the source, what the compiler makes: its version, the driver's, the device. */
    yoke_status (*program_fingerprint)(const yoke_device *device, yk_text *text);
    /* Compile `text`: this backend's own of the source, with all that it includes, and `lines` says where its lines come from.
     * `source` is checked. Everything the compiler prints is appended to `log`, also on success. YOKE_E_BUILD when the text is at
     * fault. Sets program->native, and adds the name_expressions. */
    yoke_status (*program_build)(yoke_program *program, const yoke_source *source, const yk_text *text, const yk_line_map *lines,
                                 yk_text *log);
    /* Append the code of a program, for program_load. Only where YOKE_CAP_PROGRAM_BINARIES. */
    yoke_status (*program_code)(const yoke_program *program, yk_code_kind *out_kind, yk_text *code);
    /* Make a program of code, which is followed by a NUL byte, aligned to 16, and need not outlive the call. YK_CODE_BINARY only
     * where YOKE_CAP_PROGRAM_BINARIES, and from this very driver and device or from the caller; YK_CODE_SPIRV only where
     * YOKE_CAP_SPIRV. Sets program->native. YOKE_E_UNSUPPORTED: of a kind, or for a device, that this one does not take.
     * YOKE_E_BUILD: the driver does not make sense of it. */
    yoke_status (*program_load)(yoke_program *program, yk_code_kind kind, const void *code, size_t size, yk_text *log);
    void (*program_destroy)(yoke_program *program);
    /* A variable of the program: sets the size and native members of the buffer. Only where YOKE_CAP_GLOBALS. YOKE_E_NOT_FOUND. */
    yoke_status (*program_global)(const yoke_program *program, const char *name, yoke_buffer *buffer);
    /* Append the names of the program's kernels, separated by ';'; nothing when such drivers do not tell. */
    yoke_status (*program_kernel_names)(const yoke_program *program, yk_text *names);
    /* kernel->program, kernel->name and kernel->native_name are set. Sets kernel->native, the signature (yk_kernel_add_param, in
     * order, or kernel->param_count = -1 when the driver does not tell) and the members of kernel->info, but for size and
     * parameters; automatic_block may stay 0, and is chosen by the core then. YOKE_E_NOT_FOUND when the program has no such kernel.
     */
    yoke_status (*kernel_create)(yoke_kernel *kernel);
    void (*kernel_destroy)(yoke_kernel *kernel);
};

/* Every backend, in the order in which an unset environment prefers them. Adding one: its folder, and a line here. */
#define YK_BACKENDS(X) \
    X(cuda)            \
    X(opencl)

#define YK_BACKEND_DECLARE(name) extern const yk_backend yk_backend_##name;
YK_BACKENDS(YK_BACKEND_DECLARE)
#undef YK_BACKEND_DECLARE

#endif
