# SPDX-License-Identifier: Apache-2.0
#
# The core. Everything the library is made of is first put into libyoke-all.la, which is not installed: unit tests link that one,
# because libyoke.so hides what they look at.

noinst_LTLIBRARIES += libyoke-all.la
libyoke_all_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
libyoke_all_la_CFLAGS = $(AM_CFLAGS) $(COVERAGE_CFLAGS)
libyoke_all_la_SOURCES = \
	src/backend.def \
	src/backend.h \
	src/backend_api.h \
	src/objects/buffer.h \
	src/objects/device.c \
	src/objects/device.h \
	src/objects/event.h \
	src/objects/exec.h \
	src/objects/image.h \
	src/objects/kernel.h \
	src/objects/line_map.h \
	src/objects/objects.h \
	src/objects/op.def \
	src/objects/op.h \
	src/objects/program.h \
	src/objects/stream.h \
	src/objects/stream_state.h \
	src/objects/traits.h \
	src/stream/deadlock.c \
	src/stream/deferred.c \
	src/stream/depth.c \
	src/stream/depth.h \
	src/stream/enqueue.h \
	src/stream/event.c \
	src/stream/event.h \
	src/stream/event_callback.c \
	src/stream/event_completion.c \
	src/stream/event_pool.c \
	src/stream/gate.c \
	src/stream/native.c \
	src/stream/observer.h \
	src/stream/op.c \
	src/stream/op.h \
	src/stream/recording.c \
	src/stream/recording.h \
	src/stream/recovery.c \
	src/stream/retire.c \
	src/stream/retire.h \
	src/stream/sleep.c \
	src/stream/sleep.h \
	src/stream/staged.c \
	src/stream/staged.h \
	src/stream/stream.c \
	src/stream/stream.h \
	src/stream/stream_failure.c \
	src/stream/submit.c \
	src/stream/submitted_waits.c \
	src/stream/validator.h \
	src/stream/wait.c \
	src/stream/wait.h \
	src/stream/watchdog.c \
	src/stream/watchdog.h \
	src/stream/worker.c \
	src/memory/account.c \
	src/memory/account.h \
	src/memory/buffer.c \
	src/memory/buffer.h \
	src/memory/image.c \
	src/memory/image.h \
	src/memory/pinned.c \
	src/memory/pinned.h \
	src/memory/pool.c \
	src/memory/pool.h \
	src/program/build.c \
	src/program/build_async.c \
	src/program/cache/cache_folder.c \
	src/program/cache/cache_folder.h \
	src/program/cache/program_cache.c \
	src/program/cache/program_cache.h \
	src/program/code.c \
	src/program/code.h \
	src/program/include/host_headers.c \
	src/program/include/include.c \
	src/program/include/include.h \
	src/program/include/include_ask.c \
	src/program/include/include_branch.c \
	src/program/include/include_condition.c \
	src/program/include/include_expand.c \
	src/program/include/include_find.c \
	src/program/include/include_header.c \
	src/program/include/include_macro.c \
	src/program/include/include_macro.h \
	src/program/include/include_outside.c \
	src/program/include/include_parts.h \
	src/program/include/include_scan.c \
	src/program/include/include_token.c \
	src/program/include/include_write.c \
	src/program/kernel.c \
	src/program/kernel.h \
	src/program/device_programs.c \
	src/program/program.c \
	src/program/program.h \
	src/program/program_file.c \
	src/program/program_file.h \
	src/program/program_load.c \
	src/program/source.c \
	src/program/source.h \
	src/program/source_compile.c \
	src/program/source_file.c \
	src/program/twins.h \
	src/copy/copy.c \
	src/copy/copy.h \
	src/copy/fill.c \
	src/copy/fill.h \
	src/copy/image_copy.c \
	src/copy/rect.c \
	src/copy/staging.c \
	src/copy/staging.h \
	src/copy/transfer.c \
	src/launch/arguments.c \
	src/launch/arguments.h \
	src/launch/launch.c \
	src/launch/launch_host_arrays.c \
	src/launch/layout.c \
	src/graph/branches.c \
	src/graph/describe.c \
	src/graph/exec.c \
	src/graph/exec.h \
	src/graph/graph.c \
	src/graph/graph.h \
	src/graph/record.c \
	src/graph/update.c \
	src/trace/recorded.c \
	src/trace/recorded.h \
	src/trace/recorded_file.c \
	src/trace/trace.c \
	src/trace/trace.h \
	src/trace/trace_file.c \
	src/trace/trace_last.c \
	src/validate/order.c \
	src/validate/report.c \
	src/validate/shadow.c \
	src/validate/touch.c \
	src/validate/validate.c \
	src/validate/validate.h \
	src/device/attach.c \
	src/device/device.c \
	src/device/device.h \
	src/device/probe.c \
	src/device/probe.h \
	src/device/selector.c \
	src/device/selector.h \
	src/device/start.c \
	src/device/start.h \
	src/device/trust.c \
	src/device/trust.h

# Pure text of programs and of traces, which no library exports and the tool needs too.
noinst_LTLIBRARIES += libyoke-texts.la
libyoke_texts_la_CPPFLAGS = $(AM_CPPFLAGS)
libyoke_texts_la_CFLAGS = $(AM_CFLAGS) $(COVERAGE_CFLAGS)
libyoke_texts_la_SOURCES = \
	src/program/code_names.c \
	src/program/cxx_name.c \
	src/program/cxx_name.h \
	src/program/scan.c \
	src/program/scan.h \
	src/program/signature.c \
	src/trace/trace_array.c \
	src/trace/trace_array.h
libyoke_all_la_LIBADD = libyoke-texts.la libyoke-base.la

EXTRA_DIST += src/README.md

libyoke_la_SOURCES =
libyoke_la_LIBADD = libyoke-all.la
# It stays in memory once it is loaded, also when the plugin that brought it is closed: its threads outlive their work by a second,
# and a thread's texts are freed when the thread ends.
libyoke_la_LDFLAGS = $(AM_LDFLAGS) $(YOKE_NODELETE) -no-undefined -version-info $(YOKE_LIBTOOL_VERSION)
if HAVE_VERSION_SCRIPT
libyoke_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/build-aux/libyoke.map
EXTRA_libyoke_la_DEPENDENCIES = build-aux/libyoke.map
if FAULT_INJECTION
libyoke_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/base/process/inject.map
endif
endif
