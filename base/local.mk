# SPDX-License-Identifier: Apache-2.0
#
# What every library and tool stands on; README.md has the rule. libyoke-base.la is linked into each of them, and is not installed:
# each has its own copy of these functions, hidden, and an archive of each contains them. So they keep no state of which a process
# must have one; that is in process/, which is libyoke's alone.
# CMakeLists.txt and meson.build read these lists.

noinst_LTLIBRARIES += libyoke-base.la
libyoke_base_la_CPPFLAGS = -I$(top_srcdir)/include -I$(top_srcdir)
libyoke_base_la_CFLAGS = $(AM_CFLAGS) $(COVERAGE_CFLAGS)
libyoke_base_la_SOURCES = \
	api/dtypes.def \
	api/dtypes.h \
	api/functions.def \
	api/operations.def \
	api/reductions.def \
	api/reductions.h \
	base/clock.c \
	base/clock.h \
	base/hash.c \
	base/hash.h \
	base/library_search.c \
	base/library_search.h \
	base/macros.h \
	base/name.c \
	base/scalar_types.def \
	base/setting.c \
	base/setting.h \
	base/sized.h \
	base/sizes.h \
	base/system/child.h \
	base/system/environment.h \
	base/system/file.h \
	base/system/loader.h \
	base/system/memory.h \
	base/system/missing.h \
	base/system/names.h \
	base/system/notice.h \
	base/system/room.h \
	base/system/text_stream.h \
	base/system/thread.h \
	base/text.c \
	base/text.h \
	base/type_name.c \
	base/type_name.h

# One of these folders, in which the files have the same names.
system_posix = \
	base/system/posix/child.c \
	base/system/posix/environment.c \
	base/system/posix/facts.h \
	base/system/posix/file.c \
	base/system/posix/folder.c \
	base/system/posix/loader.c \
	base/system/posix/memory.c \
	base/system/posix/notice.c \
	base/system/posix/room.c \
	base/system/posix/text_stream.c \
	base/system/posix/thread.c
system_windows = \
	base/system/windows/child.c \
	base/system/windows/environment.c \
	base/system/windows/file.c \
	base/system/windows/folder.c \
	base/system/windows/loader.c \
	base/system/windows/memory.c \
	base/system/windows/missing.c \
	base/system/windows/notice.c \
	base/system/windows/room.c \
	base/system/windows/text_stream.c \
	base/system/windows/thread.c \
	base/system/windows/wide.c \
	base/system/windows/wide.h
if WINDOWS
libyoke_base_la_SOURCES += $(system_windows)
else
libyoke_base_la_SOURCES += $(system_posix)
endif

libyoke_all_la_SOURCES += \
	base/process/error.c \
	base/process/error.h \
	base/process/error_shared.c \
	base/process/fork.c \
	base/process/fork.h \
	base/process/info.c \
	base/process/info.h \
	base/process/lasting.c \
	base/process/lasting.h \
	base/process/library.c \
	base/process/library.h \
	base/process/log.c \
	base/process/log.h \
	base/process/object.c \
	base/process/object.h \
	base/process/process.h \
	base/process/status.c \
	base/process/thread.c \
	base/process/thread.h \
	base/process/thread_text.c \
	base/process/thread_text.h \
	base/process/waiter.c \
	base/process/waiter.h

EXTRA_DIST += base/README.md
