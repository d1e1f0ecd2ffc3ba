# SPDX-License-Identifier: Apache-2.0
#
# Programs for Yoke's developers, which are not installed: each prints lines "name value unit", beside the raw driver in the same
# process. What they measure with is tools/measure/.

noinst_LTLIBRARIES += bench/libbench.la
bench_libbench_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS) $(GPUARRAY_CPPFLAGS)
bench_libbench_la_SOURCES = \
	bench/bench.c \
	bench/bench.h \
	bench/side_gpuarray.c \
	bench/startup.h \
	bench/startup_cuda.c \
	bench/startup_opencl.c

bench_libraries = bench/libbench.la tools/libmeasure.la libyoke.la $(GPUARRAY_LIBS)
noinst_PROGRAMS += bench/alloc
bench_alloc_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/events
bench_events_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/fft_error
bench_fft_error_LDADD = libyoke-ops.la $(bench_libraries) -lm
noinst_PROGRAMS += bench/first
bench_first_LDADD = tests/ops/libarrays.la tests/libsuite.la libyoke-ops-all.la $(bench_libraries)
noinst_PROGRAMS += bench/graph
bench_graph_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/hostcall
bench_hostcall_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/instructions
bench_instructions_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/matmul
bench_matmul_LDADD = libyoke-ops.la $(bench_libraries)
noinst_PROGRAMS += bench/matmul_tiles
bench_matmul_tiles_LDADD = libyoke-ops-all.la $(bench_libraries)
noinst_PROGRAMS += bench/one_text
bench_one_text_LDADD = tests/one_text/libsix.la $(bench_libraries)
noinst_PROGRAMS += bench/overhead
bench_overhead_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/scale
bench_scale_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/seeds
bench_seeds_LDADD = libyoke-ops.la $(bench_libraries) -lm
noinst_PROGRAMS += bench/startup
bench_startup_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/transfer
bench_transfer_LDADD = $(bench_libraries)
noinst_PROGRAMS += bench/ops
bench_ops_SOURCES = bench/ops.c bench/ops_peer.h
bench_ops_LDADD = libyoke-ops.la $(bench_libraries)

# Under mpirun: mpirun -n 2 bench/comm
if HAVE_MPI
noinst_PROGRAMS += bench/comm
bench_comm_SOURCES = bench/comm.c bench/comm.h bench/comm_jacobi.c bench/comm_nccl.c
bench_comm_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
bench_comm_LDADD = libyoke-comm.la $(bench_libraries) $(MPI_LIBS)
endif

# Simulations of many processes, built and run by run.sh there.
EXTRA_DIST += bench/scaling/curves.py bench/scaling/farewell.c bench/scaling/jacobi.c bench/scaling/pattern.h \
	bench/scaling/run.sh bench/scaling/sort.c

# The peers of bench/ops, which are not built unless asked for: CUB takes nvcc and a minute, the other OpenMP.
EXTRA_DIST += bench/ops_cpu.cpp bench/ops_cub.cu bench/ops_cupy.py bench/ops_curves.py bench/report.py \
	bench/seeds_cupy.py
CLEANFILES += bench/ops_cpu.so bench/ops_cub.so
bench/ops_cub.so: bench/ops_cub.cu bench/ops_peer.h
	$(AM_V_GEN)$(MKDIR_P) bench && \
	nvcc -O2 -std=c++17 -arch=native -Xcompiler -fPIC -shared -cudart static -o $@ $(srcdir)/bench/ops_cub.cu
bench/ops_cpu.so: bench/ops_cpu.cpp bench/ops_peer.h
	$(AM_V_GEN)$(MKDIR_P) bench && \
	$(CXX) -O3 -march=native -std=c++17 -fopenmp -fPIC -shared -o $@ $(srcdir)/bench/ops_cpu.cpp
