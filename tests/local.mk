# SPDX-License-Identifier: Apache-2.0
#
# Every test is a make target of its own: tests/KIND/NAME.tap, for programs that run once for a backend
# tests/KIND/NAME.BACKEND.tap. That is an empty stamp, whose name tests/run-one.sh takes apart; so -j, TESTS=... and recheck work on
# each.

TEST_EXTENSIONS = .tap
TAP_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TAP_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-one.sh

# Yoke's own cache and those of drivers stay in the build folder, so that a run leaves nothing behind and starts from nothing.
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(top_srcdir)'; export top_srcdir; \
	POCL_CACHE_DIR="$${POCL_CACHE_DIR-$(abs_top_builddir)/cache/pocl}"; export POCL_CACHE_DIR; \
	MESA_SHADER_CACHE_DIR="$${MESA_SHADER_CACHE_DIR-$(abs_top_builddir)/cache/mesa}"; export MESA_SHADER_CACHE_DIR; \
	YOKE_CACHE_DIR='$(abs_top_builddir)/cache/yoke'; export YOKE_CACHE_DIR; unset YOKE_CACHE YOKE_CACHE_SIZE; \
	AWK='$(AWK)' CC='$(CC)' CXX='$(CXX)' CLANG='$(CLANG)' CMARK='$(CMARK)' DOXYGEN='$(DOXYGEN)' MAKE='$(MAKE)'; \
	export AWK CC CXX CLANG CMARK DOXYGEN MAKE; PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
	PACKAGE_VERSION='$(PACKAGE_VERSION)' prefix='$(prefix)' libdir='$(libdir)' datadir='$(datadir)'; \
	docdir='$(docdir)' mandir='$(mandir)'; export PACKAGE_VERSION prefix libdir datadir docdir mandir; \
	bindir='$(bindir)' libexecdir='$(libexecdir)' includedir='$(includedir)'; export bindir libexecdir includedir; \
	YOKE_CPPFLAGS='$(DEFS) $(OPENCL_CPPFLAGS)' CUDA_CPPFLAGS='$(CUDA_CPPFLAGS)' YOKE_SANITIZER='$(YOKE_SANITIZER)'; \
	YOKE_NODELETE='$(YOKE_NODELETE)'; export YOKE_CPPFLAGS CUDA_CPPFLAGS YOKE_SANITIZER YOKE_NODELETE;

check_LTLIBRARIES = tests/libtap.la tests/libsuite.la
tests_libtap_la_SOURCES = tests/tap/limit.c tests/tap/limit.h tests/tap/sanitized.h tests/tap/tap.c tests/tap/tap.h
tests_libsuite_la_SOURCES = \
	tests/conformance/account.h \
	tests/conformance/again.h \
	tests/conformance/area.c \
	tests/conformance/area.h \
	tests/conformance/driver.h \
	tests/conformance/image.h tests/conformance/json.h \
	tests/conformance/kernels.h \
	tests/conformance/native_section.h \
	tests/conformance/parked.h \
	tests/conformance/peer.h \
	tests/conformance/recorded.h \
	tests/conformance/stand.h \
	tests/conformance/suite.c \
	tests/conformance/suite.h \
	tests/conformance/suite_child.c \
	tests/conformance/suite_log.c \
	tests/conformance/told.h
tests_libsuite_la_LIBADD = tests/libtap.la

# What the programs link that say nothing else: the conformance programs.
LDADD = tests/libsuite.la libyoke.la

# Installed, for tools/yoke-conformance to run; in a folder of their own, since they have the names of what they test.
suitedir = $(libexecdir)/yoke/conformance

# These wait until nothing else runs in this folder, and so are last: none of them keeps a place for long.
alone_programs = \
	tests/conformance/context \
	tests/conformance/exhaustion \
	tests/conformance/pool
include tests/random/local.mk
include tests/validate/local.mk

conformance_programs = \
	tests/conformance/launch_host_arrays \
	tests/conformance/blocking \
	tests/conformance/rect \
	tests/conformance/rect_misuse \
	tests/conformance/buffer \
	tests/conformance/cancelled \
	tests/conformance/cooperative \
	tests/conformance/copy tests/conformance/cxx_names \
	tests/conformance/deadlock \
	tests/conformance/depth \
	tests/conformance/device \
	tests/conformance/device_program \
	tests/conformance/error \
	tests/conformance/event tests/conformance/event_fd tests/conformance/event_callback \
	tests/conformance/event_wait tests/conformance/event_ways \
	tests/conformance/failure \
	tests/conformance/fork \
	tests/conformance/graph \
	tests/conformance/graph_call \
	tests/conformance/graph_update \
	tests/conformance/graph_copy \
	tests/conformance/graph_misuse \
	tests/conformance/graph_order \
	tests/conformance/graph_random \
	tests/conformance/graph_recover \
	tests/conformance/hostcall_failure tests/conformance/hostcall_inside tests/conformance/hostcall_order \
	tests/conformance/hostcall_streams \
	tests/conformance/image tests/conformance/image_copy tests/conformance/image_misuse tests/conformance/info \
	tests/conformance/kernel \
	tests/conformance/kernels \
	tests/conformance/kinds \
	tests/conformance/launch \
	tests/conformance/locale \
	tests/conformance/log \
	tests/conformance/lost \
	tests/conformance/misuse \
	tests/conformance/misuse_launch \
	tests/conformance/names \
	tests/conformance/native \
	tests/conformance/native_enqueue \
	tests/conformance/native_graph \
	tests/conformance/native_memory \
	tests/conformance/native_wait \
	tests/conformance/peer \
	tests/conformance/peer_order \
	tests/conformance/peer_pinned \
	tests/conformance/pinned \
	tests/conformance/pool_order \
	tests/conformance/pool_streams \
	tests/conformance/pool_threads \
	tests/conformance/print \
	tests/conformance/release \
	tests/conformance/selection \
	tests/conformance/stream \
	tests/conformance/threads \
	tests/conformance/transfer \
	tests/conformance/watchdog \
	tests/conformance/watchdog_alone \
	$(alone_programs)
suite_PROGRAMS = $(conformance_programs)

# Not installed: these put functions of their own in the place of a backend's, which libyoke.so hides.
inner_programs = \
	tests/conformance/answered \
	tests/conformance/sleepers \
	tests/conformance/watchdog_chain
EXTRA_PROGRAMS += $(inner_programs)
tests_conformance_answered_LDADD = tests/libsuite.la libyoke-all.la
tests_conformance_sleepers_LDADD = tests/libsuite.la libyoke-all.la
tests_conformance_watchdog_chain_LDADD = tests/libsuite.la libyoke-all.la

cuda_tests = $(conformance_programs:=.cuda.tap) $(inner_programs:=.cuda.tap) $(validate_programs:=.cuda.tap)
opencl_tests = $(conformance_programs:=.opencl.tap) $(inner_programs:=.opencl.tap) $(validate_programs:=.opencl.tap)

tests_conformance_graph_random_SOURCES = tests/conformance/graph_random.c $(random_sources)
tests_conformance_program_cache_SOURCES = tests/conformance/program_cache.c tests/unit/sandbox.c tests/unit/sandbox.h
tests_conformance_fork_SOURCES = \
	tests/conformance/fork.c \
	tests/conformance/refused.c \
	tests/conformance/refused.h

# Plugins that use Yoke, and a program that loads them and does not. They have no home to be installed in.
check_LTLIBRARIES += tests/conformance/plugin_shared.la tests/conformance/plugin_static.la
plugin_sources = tests/conformance/plugin_module.c tests/conformance/plugin.h
plugin_flags = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_conformance_plugin_shared_la_SOURCES = $(plugin_sources)
tests_conformance_plugin_shared_la_LDFLAGS = $(plugin_flags) -Wl,-rpath,$(abs_top_builddir)/.libs
tests_conformance_plugin_shared_la_LIBADD = libyoke.la
tests_conformance_plugin_static_la_SOURCES = $(plugin_sources)
tests_conformance_plugin_static_la_LDFLAGS = $(plugin_flags) $(YOKE_NODELETE)
tests_conformance_plugin_static_la_LIBADD = libyoke-all.la
EXTRA_PROGRAMS += tests/conformance/plugin
tests_conformance_plugin_SOURCES = tests/conformance/plugin.c tests/conformance/plugin.h
tests_conformance_plugin_CPPFLAGS = $(AM_CPPFLAGS) -DPLUGIN_FOLDER='"$(abs_top_builddir)/tests/conformance/.libs"' \
	-DLIBRARY_FOLDER='"$(abs_top_builddir)/.libs"' -DNODELETE_IS_KNOWN='(sizeof "$(YOKE_NODELETE)" > 1)'
tests_conformance_plugin_LDADD = tests/libtap.la
opencl_tests += tests/conformance/plugin.opencl.tap
cuda_tests += tests/conformance/plugin.cuda.tap

# Both forms of each kernel, on all devices of all backends at once.
EXTRA_PROGRAMS += tests/conformance/twins
twins_tests = tests/conformance/twins.tap

# Of those, what is another thing with several devices, where the order of things is another, where threads meet, and with another
# compiler: on a driver that differs in one of these from another, no more is run.
several_tests = \
	tests/conformance/context.opencl.tap \
	tests/conformance/deadlock.opencl.tap \
	tests/conformance/device.opencl.tap \
	tests/conformance/event_wait.opencl.tap \
	tests/conformance/fork.opencl.tap \
	tests/conformance/graph_copy.opencl.tap \
	tests/conformance/hostcall_failure.opencl.tap \
	tests/conformance/hostcall_inside.opencl.tap \
	tests/conformance/hostcall_streams.opencl.tap \
	tests/conformance/misuse.opencl.tap \
	tests/conformance/peer.opencl.tap \
	tests/conformance/peer_order.opencl.tap \
	tests/conformance/peer_pinned.opencl.tap \
	tests/conformance/selection.opencl.tap \
	tests/conformance/stream.opencl.tap \
	tests/conformance/threads.opencl.tap
cuda_several_tests = $(several_tests:.opencl.tap=.cuda.tap)
order_tests = \
	tests/conformance/answered.opencl.tap \
	tests/conformance/blocking.opencl.tap \
	tests/conformance/buffer.opencl.tap \
	tests/conformance/cancelled.opencl.tap \
	tests/conformance/copy.opencl.tap \
	tests/conformance/deadlock.opencl.tap \
	tests/conformance/depth.opencl.tap \
	tests/conformance/event.opencl.tap \
	tests/conformance/event_callback.opencl.tap \
	tests/conformance/event_wait.opencl.tap \
	tests/conformance/event_ways.opencl.tap \
	tests/conformance/failure.opencl.tap \
	tests/conformance/graph_call.opencl.tap \
	tests/conformance/graph_order.opencl.tap \
	tests/conformance/graph_random.opencl.tap \
	tests/conformance/graph_recover.opencl.tap \
	tests/conformance/hostcall_failure.opencl.tap \
	tests/conformance/hostcall_inside.opencl.tap \
	tests/conformance/hostcall_order.opencl.tap \
	tests/conformance/hostcall_streams.opencl.tap \
	tests/conformance/native_enqueue.opencl.tap \
	tests/conformance/native_graph.opencl.tap \
	tests/conformance/pool_order.opencl.tap \
	tests/conformance/pool_streams.opencl.tap \
	tests/conformance/sleepers.opencl.tap \
	tests/conformance/stream.opencl.tap \
	tests/conformance/threads.opencl.tap \
	tests/conformance/transfer.opencl.tap \
	tests/conformance/watchdog.opencl.tap
thread_tests = \
	tests/conformance/copy.opencl.tap \
	tests/conformance/deadlock.opencl.tap \
	tests/conformance/event_callback.opencl.tap \
	tests/conformance/event_ways.opencl.tap \
	tests/conformance/failure.opencl.tap \
	tests/conformance/graph_call.opencl.tap \
	tests/conformance/graph_recover.opencl.tap \
	tests/conformance/hostcall_streams.opencl.tap \
	tests/conformance/native.opencl.tap \
	tests/conformance/native_enqueue.opencl.tap \
	tests/conformance/native_graph.opencl.tap \
	tests/conformance/program_async.opencl.tap \
	tests/conformance/sleepers.opencl.tap \
	tests/conformance/threads.opencl.tap \
	tests/conformance/transfer.opencl.tap
cuda_thread_tests = $(order_tests:.opencl.tap=.cuda.tap)
kernel_tests = \
	tests/conformance/arguments.opencl.tap \
	tests/conformance/launch_host_arrays.opencl.tap \
	tests/conformance/graph.opencl.tap \
	tests/conformance/kernel.opencl.tap \
	tests/conformance/kernels.opencl.tap \
	tests/conformance/launch.opencl.tap \
	tests/conformance/program.opencl.tap

# More of them, about what compilers make of sources: in ./check once for each compiler; and the gallery, which has its own.
source_programs = \
	tests/conformance/arguments tests/conformance/arguments_language \
	tests/conformance/include tests/conformance/include_questions \
	tests/conformance/layout \
	tests/conformance/misuse_arguments \
	tests/conformance/program \
	tests/conformance/program_async \
	tests/conformance/program_load \
	tests/conformance/program_source \
	tests/conformance/source_compile
suite_PROGRAMS += $(source_programs)
spirv_sources = tests/conformance/spirv.c tests/conformance/spirv.h
tests_conformance_program_load_SOURCES = tests/conformance/program_load.c $(spirv_sources)
cuda_source_tests = $(source_programs:=.cuda.tap) tests/examples.cuda.tap
source_tests = $(source_programs:=.opencl.tap) tests/examples.opencl.tap

# More of them, which take long: not for every driver in ./check.
long_programs = \
	tests/conformance/program_cache \
	tests/conformance/transfer_pageable \
	tests/conformance/transfer_trouble
suite_PROGRAMS += $(long_programs)
cuda_long_tests = $(long_programs:=.cuda.tap)
long_tests = $(long_programs:=.opencl.tap)

# Drivers that lie: programs like those above, with a layer between Yoke and the OpenCL driver. The module has no home to be
# installed in; libtool makes a shared one only for a folder.
check_LTLIBRARIES += tests/faults/layer.la tests/faults/libline.la
tests_faults_layer_la_SOURCES = \
	tests/faults/layer.c \
	tests/faults/layer.h \
	tests/faults/layer_memory.c \
	tests/faults/layer_program.c \
	tests/faults/layer_program.h
tests_faults_layer_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
tests_faults_layer_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_faults_libline_la_SOURCES = tests/faults/line.c tests/faults/line.h tests/faults/layer.h
tests_faults_libline_la_CPPFLAGS = $(AM_CPPFLAGS) -DLAYER='"$(abs_top_builddir)/tests/faults/.libs/layer.so"'
tests_faults_libline_la_LIBADD = tests/libsuite.la

fault_programs = \
	tests/faults/failures \
	tests/faults/lies \
	tests/faults/programs
EXTRA_PROGRAMS += $(fault_programs)
fault_tests = $(fault_programs:=.opencl.tap)

# Each allocation of the library fails once; and no thread can be started.
exhausted_programs = \
	tests/faults/exhausted \
	tests/faults/threads
EXTRA_PROGRAMS += $(exhausted_programs)
exhausted_tests = $(exhausted_programs:=.opencl.tap)
cuda_exhausted_tests = $(exhausted_programs:=.cuda.tap)
tests_faults_threads_SOURCES = tests/faults/inject.c tests/faults/inject.h tests/faults/threads.c
tests_faults_exhausted_SOURCES = \
	tests/faults/exhausted.c \
	tests/faults/exhausted.h \
	tests/faults/exhausted_graph.c \
	tests/faults/exhausted_memory.c \
	tests/faults/exhausted_ops.c \
	tests/faults/exhausted_whole.c \
	tests/faults/exhausted_work.c \
	tests/faults/inject.c \
	tests/faults/inject.h \
	tests/faults/stage.c

# Each call of the driver fails once: with a library that has been built for that.
sweep_tests = tests/faults/answers.opencl.tap tests/faults/sweep.opencl.tap
cuda_sweep_tests = tests/faults/answers.cuda.tap tests/faults/sweep.cuda.tap
tests_faults_sweep_SOURCES = \
	tests/faults/exhausted.h \
	tests/faults/exhausted_graph.c \
	tests/faults/exhausted_memory.c \
	tests/faults/exhausted_ops.c \
	tests/faults/exhausted_whole.c \
	tests/faults/exhausted_work.c \
	tests/faults/stage.c \
	tests/faults/sweep.c
tests_faults_exhausted_LDADD = tests/libsuite.la libyoke-ops.la libyoke.la
tests_faults_sweep_LDADD = $(tests_faults_exhausted_LDADD)
if FAULT_INJECTION
EXTRA_PROGRAMS += tests/faults/answers tests/faults/sweep
TESTS += $(sweep_tests) $(cuda_sweep_tests)
endif
EXTRA_DIST += tests/faults/answers.c tests/faults/sweep.c
tests_faults_failures_LDADD = tests/faults/libline.la libyoke.la
tests_faults_lies_LDADD = tests/faults/libline.la libyoke.la
tests_faults_programs_SOURCES = tests/faults/programs.c $(spirv_sources)
tests_faults_programs_LDADD = tests/faults/libline.la libyoke.la

include tests/cuda-double/local.mk
include tests/backend-host/local.mk

# Random programs against a model.
stress_programs = \
	tests/stress/stress
EXTRA_PROGRAMS += $(stress_programs)
stress_tests = $(stress_programs:=.opencl.tap) tests/fuzz/calls.opencl.tap
cuda_stress_tests = $(stress_programs:=.cuda.tap) tests/fuzz/calls.cuda.tap
tests_stress_stress_SOURCES = \
	$(random_sources) \
	tests/stress/stress.c \
	tests/stress/stress.h \
	tests/stress/stress_calls.c \
	tests/stress/stress_memory.c \
	tests/stress/stress_ops.c \
	tests/stress/stress_waits.c

# What is between devices, with those of all backends in one program; of those, the ones about order.
both_thread_tests = \
	tests/conformance/peer_order.tap \
	tests/conformance/peer_pinned.tap
both_tests = $(both_thread_tests) tests/conformance/peer.tap $(stress_programs:=.tap) tests/fuzz/calls.tap

unit_libraries = tests/libtap.la libyoke-all.la

# The cache among processes that are killed; it needs no device.
EXTRA_PROGRAMS += tests/stress/cache
cache_stress_tests = tests/stress/cache.tap
tests_stress_cache_SOURCES = tests/stress/cache.c tests/unit/sandbox.c tests/unit/sandbox.h
tests_stress_cache_LDADD = $(unit_libraries)

own_unit_programs = \
	tests/cuda-double/selftest \
	tests/unit/bad_drivers \
	tests/unit/program_cache \
	tests/unit/cache_folder \
	tests/unit/cache_notes \
	tests/unit/codes \
	tests/unit/cxx_name \
	tests/unit/device \
	tests/unit/error \
	tests/unit/half tests/unit/hash \
	tests/unit/include tests/unit/include_questions \
	tests/unit/program_file \
	tests/unit/listing \
	tests/unit/name \
	tests/unit/object \
	tests/unit/opencl_blocks \
	tests/unit/opencl_devices tests/unit/opencl_quirks \
	tests/unit/pinned tests/unit/retire \
	tests/unit/selector \
	tests/unit/signature \
	tests/unit/sizes tests/unit/tap tests/unit/text \
	tests/unit/waiter
# Sanitizers and counters do not look into NVRTC, which takes most of its test's time.
unit_programs = $(own_unit_programs) tests/unit/nvrtc
EXTRA_PROGRAMS += $(unit_programs)
unit_tests = $(unit_programs:=.tap)
own_unit_tests = $(own_unit_programs:=.tap)
# Of those, what has threads that meet in our own code.
thread_unit_tests = \
	tests/cuda-double/selftest.tap \
	tests/unit/device.tap \
	tests/unit/error.tap \
	tests/unit/object.tap \
	tests/unit/program_cache.tap
tests_cuda_double_selftest_SOURCES = tests/cuda-double/fault.c tests/cuda-double/fiber.c tests/cuda-double/module.c \
	tests/cuda-double/nvrtc.c tests/cuda-double/print.c tests/cuda-double/run.c tests/cuda-double/selftest.c \
	tests/cuda-double/selftest.h tests/cuda-double/selftest_code.c tests/cuda-double/selftest_warps.c
tests_cuda_double_selftest_CPPFLAGS = $(AM_CPPFLAGS)
tests_cuda_double_selftest_LDADD = tests/libtap.la tests/cuda-double/libcode.la
tests_unit_bad_drivers_SOURCES = tests/unit/bad_drivers.c tests/unit/drivers.c tests/unit/drivers.h tests/unit/sandbox.c \
	tests/unit/sandbox.h
tests_unit_bad_drivers_LDADD = $(unit_libraries)
tests_unit_program_cache_SOURCES = tests/unit/program_cache.c tests/unit/sandbox.c tests/unit/sandbox.h
tests_unit_program_cache_LDADD = $(unit_libraries)
tests_unit_cache_folder_SOURCES = tests/unit/cache_folder.c tests/unit/sandbox.c tests/unit/sandbox.h
tests_unit_cache_folder_LDADD = $(unit_libraries)
tests_unit_cache_notes_SOURCES = tests/unit/cache_notes.c tests/unit/sandbox.c tests/unit/sandbox.h
tests_unit_cache_notes_LDADD = $(unit_libraries)
tests_unit_codes_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
tests_unit_codes_LDADD = $(unit_libraries)
tests_unit_cxx_name_LDADD = $(unit_libraries)
tests_unit_device_LDADD = $(unit_libraries)
tests_unit_error_LDADD = $(unit_libraries)
tests_unit_half_LDADD = tests/libtap.la -lm
tests_unit_hash_LDADD = $(unit_libraries)
tests_unit_include_LDADD = $(unit_libraries)
tests_unit_include_questions_LDADD = $(unit_libraries)
tests_unit_program_file_LDADD = $(unit_libraries)
tests_unit_listing_SOURCES = tests/unit/drivers.c tests/unit/drivers.h tests/unit/listing.c tests/unit/sandbox.c \
	tests/unit/sandbox.h
tests_unit_listing_LDADD = $(unit_libraries)
tests_unit_name_LDADD = $(unit_libraries)
tests_unit_nvrtc_LDADD = $(unit_libraries)
tests_unit_object_LDADD = $(unit_libraries)
tests_unit_opencl_blocks_SOURCES = tests/unit/made_up.c tests/unit/made_up.h tests/unit/opencl_blocks.c
tests_unit_opencl_blocks_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
tests_unit_opencl_blocks_LDADD = $(unit_libraries)
tests_unit_opencl_devices_SOURCES = tests/unit/made_up.c tests/unit/made_up.h tests/unit/opencl_devices.c
tests_unit_opencl_devices_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
tests_unit_opencl_devices_LDADD = $(unit_libraries)
tests_unit_opencl_quirks_LDADD = $(unit_libraries)
tests_unit_pinned_LDADD = $(unit_libraries)
tests_unit_retire_LDADD = $(unit_libraries)
tests_unit_selector_LDADD = $(unit_libraries)
tests_unit_signature_LDADD = $(unit_libraries)
tests_unit_sizes_LDADD = tests/libtap.la
tests_unit_tap_LDADD = tests/libtap.la
tests_unit_text_LDADD = $(unit_libraries)
tests_unit_waiter_LDADD = $(unit_libraries)
include tests/fuzz/local.mk

# Models of the scheduler, searched exhaustively: they use nothing of the library.
model_programs = \
	tests/model/gate \
	tests/model/rule
EXTRA_PROGRAMS += $(model_programs)
model_tests = $(model_programs:=.tap)
tests_model_gate_SOURCES = src/objects/stream_state.h tests/model/gate.c tests/model/search.c tests/model/search.h
tests_model_gate_LDADD = tests/libtap.la
tests_model_rule_SOURCES = src/objects/stream_state.h tests/model/rule.c tests/model/rule.h \
	tests/model/search.c tests/model/search.h
tests_model_rule_LDADD = tests/libtap.la

EXTRA_PROGRAMS += tests/security/rights
tests_security_rights_LDADD = libyoke-all.la

EXTRA_PROGRAMS += tests/static/nvrtc_compile
tests_static_nvrtc_compile_LDADD = tests/libtap.la
if HAVE_PNG
EXTRA_PROGRAMS += tests/make_png
endif
tests_make_png_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
tests_make_png_LDADD = $(PNG_LIBS)

example_tests = \
	tests/photos.tap \
	tests/uv.tap

static_tests = \
	tests/static/cuda_api.tap \
	tests/static/forked.tap \
	tests/static/guide.tap \
	tests/static/headers.tap \
	tests/static/installed.tap \
	tests/static/kinds.tap tests/static/layers.tap \
	tests/static/rooms.tap tests/static/modules.tap \
	tests/static/manual.tap tests/static/names.tap \
	tests/static/opencl_syntax.tap \
	tests/static/style.tap tests/static/system.tap \
	tests/static/symbols.tap tests/static/tables.tap tests/static/structs.tap \
	tests/static/dtypes.tap tests/static/enums.tap tests/static/functions.tap tests/static/operations.tap \
	tests/static/twins.tap \
	tests/static/vendor_api.tap

# Of what is shipped, and of whom it trusts.
package_tests = \
	tests/release/packaging.tap tests/release/renamed.tap \
	tests/security/rights.tap \
	tests/security/sources.tap

# What takes long, for ./check --deep.
slow_tests = tests/static/guide_operations.tap tests/tools/bench.tap tests/tools/cc_twins.tap tests/tools/tune.tap
deep_static_tests = \
	tests/release/vendored.tap \
	tests/static/abi.tap \
	tests/static/analyzers.tap \
	tests/static/makers.tap \
	tests/static/nvrtc_compile.tap

# The reference and the web site, in a browser. They take Doxygen, cmark-gfm and chromium.
site_tests = tests/static/site.tap

# For a build with nothing optional: what is built and installed, and the cache of programs.
plain_tests = \
	tests/static/installed.tap \
	tests/static/symbols.tap \
	$(tool_tests) \
	tests/conformance/program_cache.opencl.tap \
	tests/conformance/program_load.opencl.tap \
	tests/conformance/program_source.opencl.tap \
	tests/conformance/stream.opencl.tap \
	tests/ops/array/array.opencl.tap \
	tests/examples.opencl.tap
include tests/ops/local.mk
include tests/installed.mk
include tests/shown.mk
include tests/tools.mk

# Those that want no driver, or take any; and all that there is for OpenCL.
early_tests = \
	$(static_tests) $(package_tests) $(tool_tests) $(unit_tests) $(ops_unit_tests) $(host_tests) $(fuzz_tests) \
	$(cache_stress_tests) $(model_tests) $(example_tests)
all_opencl_tests = \
	$(opencl_tests) $(source_tests) $(long_tests) $(stress_tests) $(fault_tests) $(exhausted_tests) $(ops_opencl_tests)

TESTS += $(early_tests) $(slow_tests) $(site_tests) $(all_opencl_tests) \
	$(cuda_tests) $(ops_cuda_tests) $(cuda_source_tests) $(cuda_long_tests) $(cuda_stress_tests) $(cuda_exhausted_tests)
CLEANFILES += $(TESTS) $(deep_static_tests)

$(sort $(TESTS) $(deep_static_tests) $(python_tests)):
	@$(MKDIR_P) $(@D) && : >$@

include tests/wanted.mk

EXTRA_DIST += \
	tests/array-api.sh \
	tests/array-api.txt \
	tests/cuda-double/README.md \
	.clang-tidy \
	tests/coverage.md \
	tests/coverage.sh \
	tests/fuzz/corpus \
	tests/fuzz/fuzz.sh \
	tests/examples.sh \
	tests/lsan.supp \
	tests/photos.sh \
	tests/release/arm64.sh tests/release/windows.sh \
	tests/release/debian.sh \
	tests/release/dist.sh \
	tests/release/gpu.sh \
	tests/release/packaging.sh tests/release/reproducible.sh \
	tests/release/renamed.sh tests/release/renamed/arrays.c tests/release/renamed/ranks.cpp tests/release/renamed/ranks.py \
	tests/release/vendored.sh \
	tests/run-one.sh \
	tests/security/rights.sh \
	tests/security/sources.sh \
	tests/static/abi.sh \
	tests/static/analyzers.sh \
	tests/static/cuda_api.c \
	tests/static/cuda_api.sh \
	tests/static/forked.sh \
	tests/static/guide.awk \
	tests/static/guide.c \
	tests/static/guide.sh \
	tests/static/guide_operations.sh \
	tests/static/headers.sh \
	tests/static/installed.sh \
	tests/static/kinds.sh tests/static/tables.sh tests/static/structs.sh \
	tests/static/dtypes.sh tests/static/enums.sh tests/static/functions.sh tests/static/operations.sh \
	tests/static/layers.sh \
	tests/static/rooms.sh tests/static/modules.sh \
	tests/static/manual.sh tests/static/names.sh tests/static/names.txt \
	tests/static/libyoke-comm.abi tests/static/libyoke-ops.abi tests/static/libyoke.abi \
	tests/static/links.awk \
	tests/static/makers.sh tests/static/makers.txt \
	tests/static/opencl_syntax.sh \
	tests/static/programs.sh \
	tests/static/pages.js \
	tests/static/site.sh \
	tests/static/style.sh tests/static/system.sh \
	tests/static/symbols.sh \
	tests/static/comm_symbols.txt tests/static/ops_symbols.txt tests/static/symbols.txt \
	tests/static/texts.awk tests/static/texts.sh \
	tests/static/twins.awk \
	tests/static/twins.sh \
	tests/static/vendor_api.c \
	tests/static/vendor_api.sh \
	tests/static/use.c \
	tests/summary.sh \
	tests/tap/tap.sh \
	tests/tsan.supp \
	tests/uv.sh

clean-local:
	rm -rf array-api cache makers wheel doc/doxygen doc/html doc/man doc/man.part site suite.lock tests/installed
