# SPDX-License-Identifier: Apache-2.0
#
# The core. Everything the library is made of is first put into libyoke-all.la, which is not installed: unit tests link that one,
# because libyoke.so hides what they look at.

noinst_LTLIBRARIES += libyoke-all.la
libyoke_all_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
libyoke_all_la_CFLAGS = $(AM_CFLAGS) $(COVERAGE_CFLAGS)
libyoke_all_la_SOURCES = \
	src/account.c \
	src/account.h \
	src/arguments.c \
	src/arguments.h \
	src/arrays.c \
	src/backend.h \
	src/build.c \
	src/build_async.c \
	src/buffer.c \
	src/buffer.h \
	src/box.c \
	src/cache.c \
	src/cache.h \
	src/cache_folder.c \
	src/cache_folder.h \
	src/copy.c \
	src/copy.h \
	src/change.c \
	src/code.c \
	src/code.h \
	src/core.h \
	src/depth.c \
	src/depth.h \
	src/describe.c \
	src/device.c \
	src/device.h \
	src/enqueue.h \
	src/error.c \
	src/event.c \
	src/event.h \
	src/failing.c \
	src/failure.c \
	src/fill.c \
	src/fill.h \
	src/fork.c \
	src/graph.c \
	src/graph.h \
	src/hash.c \
	src/hash.h \
	src/held.c \
	src/image.c \
	src/image.h \
	src/include.c \
	src/include.h \
	src/include_find.c \
	src/include_parts.h \
	src/include_scan.c \
	src/info.c \
	src/kernel.c \
	src/kernel.h \
	src/lanes.c \
	src/launch.c \
	src/layout.c \
	src/library.c \
	src/library.h \
	src/log.c \
	src/name.c \
	src/native.c \
	src/object.c \
	src/object.h \
	src/op.c \
	src/pinned.c \
	src/pinned.h \
	src/plan.c \
	src/plan.h \
	src/pool.c \
	src/pool.h \
	src/probe.c \
	src/probe.h \
	src/program.c \
	src/program.h \
	src/record.c \
	src/saved.c \
	src/select.c \
	src/select.h \
	src/settle.c \
	src/settle.h \
	src/sizes.h \
	src/sleep.c \
	src/sleep.h \
	src/source.c \
	src/source.h \
	src/staging.c \
	src/staging.h \
	src/start.c \
	src/start.h \
	src/status.c \
	src/stream.c \
	src/stream.h \
	src/text.c \
	src/text.h \
	src/thread.c \
	src/thread.h \
	src/trace.c \
	src/trace.h \
	src/trace_file.c \
	src/transfer.c \
	src/trash.c \
	src/trash.h \
	src/trust.c \
	src/trust.h \
	src/twins.h \
	src/waiter.c \
	src/waiter.h \
	src/watch.c \
	src/watchdog.c \
	src/watchdog.h \
	src/worker.c

libyoke_la_SOURCES =
libyoke_la_LIBADD = libyoke-all.la
# It stays in memory once it is loaded, also when the plugin that brought it is closed: its threads outlive their work by a second,
# and a thread's texts are freed when the thread ends.
libyoke_la_LDFLAGS = $(AM_LDFLAGS) $(YOKE_NODELETE) -no-undefined -version-info $(YOKE_LIBTOOL_VERSION)
if HAVE_VERSION_SCRIPT
libyoke_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/build-aux/libyoke.map
EXTRA_libyoke_la_DEPENDENCIES = build-aux/libyoke.map
endif
