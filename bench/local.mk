# SPDX-License-Identifier: Apache-2.0
#
# Each program prints lines "name value unit", beside the raw driver in the same process.

noinst_LTLIBRARIES += bench/libbench.la
bench_libbench_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS) $(GPUARRAY_CPPFLAGS)
bench_libbench_la_SOURCES = \
	bench/bench.c \
	bench/bench.h \
	bench/memory.h \
	bench/memory_cuda.c \
	bench/memory_opencl.c \
	bench/memory_yoke.c \
	bench/raw_cuda.c \
	bench/raw_cuda.h \
	bench/raw_opencl.c \
	bench/raw_opencl.h \
	bench/side_cuda.c \
	bench/side_gpuarray.c \
	bench/side_opencl.c \
	bench/side_yoke.c \
	bench/startup.h \
	bench/startup_cuda.c \
	bench/startup_opencl.c

bench_libraries = bench/libbench.la libyoke.la $(GPUARRAY_LIBS)
noinst_PROGRAMS += bench/alloc
bench_alloc_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/events
bench_events_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/graph
bench_graph_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/hostcall
bench_hostcall_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/instructions
bench_instructions_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/overhead
bench_overhead_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/scale
bench_scale_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/startup
bench_startup_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/transfer
bench_transfer_LDADD = $(bench_libraries)
