# SPDX-License-Identifier: Apache-2.0
#
# A backend for the tests alone. The library's files that read the list of backends are compiled again, with this backend in the
# list, and linked before libyoke-all.la, so that the linker uses the new objects.

check_LTLIBRARIES += tests/backend-host/libhost.la
tests_backend_host_libhost_la_SOURCES = \
	tests/backend-host/backend.c \
	tests/backend-host/device.c \
	tests/backend-host/host.h \
	tests/backend-host/kernel.c \
	tests/backend-host/stream.c \
	src/device/device.c \
	src/device/selector.c \
	src/device/start.c \
	src/program/source_compile.c
tests_backend_host_libhost_la_CPPFLAGS = $(AM_CPPFLAGS) '-DYK_TEST_BACKENDS(X)=X(host)'
host_libraries = tests/libsuite.la tests/backend-host/libhost.la libyoke-all.la

# The conformance programs whose kernels are in the backend's table, and that need no work in flight after a call; from the same
# object files.
host_conformance_programs = \
	tests/backend-host/copy \
	tests/backend-host/depth \
	tests/backend-host/device \
	tests/backend-host/event \
	tests/backend-host/event_callback \
	tests/backend-host/event_fd \
	tests/backend-host/event_wait \
	tests/backend-host/event_ways \
	tests/backend-host/fork \
	tests/backend-host/hostcall_failure \
	tests/backend-host/hostcall_inside \
	tests/backend-host/hostcall_order \
	tests/backend-host/hostcall_streams \
	tests/backend-host/pinned \
	tests/backend-host/pool \
	tests/backend-host/rect \
	tests/backend-host/selection \
	tests/backend-host/sleepers \
	tests/backend-host/stream \
	tests/backend-host/transfer
tests_backend_host_copy_SOURCES = tests/conformance/copy.c
tests_backend_host_copy_LDADD = $(host_libraries)
tests_backend_host_device_SOURCES = tests/conformance/device.c
tests_backend_host_device_LDADD = $(host_libraries)
tests_backend_host_event_SOURCES = tests/conformance/event.c
tests_backend_host_event_LDADD = $(host_libraries)
tests_backend_host_event_callback_SOURCES = tests/conformance/event_callback.c
tests_backend_host_event_callback_LDADD = $(host_libraries)
tests_backend_host_event_fd_SOURCES = tests/conformance/event_fd.c
tests_backend_host_event_fd_LDADD = $(host_libraries)
tests_backend_host_event_ways_SOURCES = tests/conformance/event_ways.c
tests_backend_host_event_ways_LDADD = $(host_libraries)
tests_backend_host_event_wait_SOURCES = tests/conformance/event_wait.c
tests_backend_host_event_wait_LDADD = $(host_libraries)
tests_backend_host_fork_SOURCES = tests/conformance/fork.c tests/conformance/refused.c tests/conformance/refused.h
tests_backend_host_fork_LDADD = $(host_libraries)
tests_backend_host_depth_SOURCES = tests/conformance/depth.c
tests_backend_host_depth_LDADD = $(host_libraries)
tests_backend_host_hostcall_failure_SOURCES = tests/conformance/hostcall_failure.c
tests_backend_host_hostcall_failure_LDADD = $(host_libraries)
tests_backend_host_hostcall_inside_SOURCES = tests/conformance/hostcall_inside.c
tests_backend_host_hostcall_inside_LDADD = $(host_libraries)
tests_backend_host_hostcall_order_SOURCES = tests/conformance/hostcall_order.c
tests_backend_host_hostcall_order_LDADD = $(host_libraries)
tests_backend_host_hostcall_streams_SOURCES = tests/conformance/hostcall_streams.c
tests_backend_host_hostcall_streams_LDADD = $(host_libraries)
tests_backend_host_pool_SOURCES = tests/conformance/pool.c
tests_backend_host_pool_LDADD = $(host_libraries)
tests_backend_host_rect_SOURCES = tests/conformance/rect.c
tests_backend_host_rect_LDADD = $(host_libraries)
tests_backend_host_selection_SOURCES = tests/conformance/selection.c
tests_backend_host_selection_LDADD = $(host_libraries)
tests_backend_host_sleepers_SOURCES = tests/conformance/sleepers.c
tests_backend_host_sleepers_LDADD = $(host_libraries)
tests_backend_host_stream_SOURCES = tests/conformance/stream.c
tests_backend_host_stream_LDADD = $(host_libraries)
tests_backend_host_transfer_SOURCES = tests/conformance/transfer.c
tests_backend_host_transfer_LDADD = $(host_libraries)
tests_backend_host_pinned_SOURCES = tests/conformance/pinned.c
tests_backend_host_pinned_LDADD = $(host_libraries)

EXTRA_PROGRAMS += $(host_conformance_programs)
host_tests = $(host_conformance_programs:=.host.tap)
