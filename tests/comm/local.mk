# SPDX-License-Identifier: Apache-2.0
#
# The suite of libyoke-comm: programs that run under mpirun, each started by the script of the same name with several numbers of
# ranks. Once for each backend, like the conformance suite.

if HAVE_MPI
comm_programs = \
	tests/comm/failure \
	tests/comm/finalize \
	tests/comm/memory \
	tests/comm/misuse \
	tests/comm/operations \
	tests/comm/order
EXTRA_PROGRAMS += $(comm_programs) tests/comm/ways
comm_opencl_tests = $(comm_programs:=.opencl.tap) tests/comm/examples.opencl.tap tests/comm/guide.opencl.tap
comm_cuda_tests = $(comm_programs:=.cuda.tap) tests/comm/examples.cuda.tap tests/comm/ways.cuda.tap
# In ./check; ./check --deep runs all, and what is about no order and no documents once more with MPICH.
comm_short_tests = tests/comm/examples.opencl.tap tests/comm/misuse.opencl.tap
TESTS += $(comm_opencl_tests) $(comm_cuda_tests)
endif
# Takes SimGrid and no MPI.
scaling_tests = tests/comm/scaling.tap
TESTS += $(scaling_tests)
AM_TESTS_ENVIRONMENT += \
	MPI_CPPFLAGS='$(MPI_CPPFLAGS)' MPI_LIBS='$(MPI_LIBS)' YOKE_MPI_NAME='$(YOKE_MPI_NAME)' YOKE_MPIRUN='$(MPIRUN)'; \
	export MPI_CPPFLAGS MPI_LIBS YOKE_MPI_NAME YOKE_MPIRUN;

comm_flags = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
comm_libraries = libyoke-comm.la libyoke.la tests/libtap.la $(MPI_LIBS)
comm_ranks = tests/comm/ranks.c tests/comm/ranks.h
tests_comm_failure_SOURCES = tests/comm/failure.c $(comm_ranks)
tests_comm_failure_CPPFLAGS = $(comm_flags)
tests_comm_failure_LDADD = $(comm_libraries)
tests_comm_finalize_SOURCES = tests/comm/finalize.c
tests_comm_finalize_CPPFLAGS = $(comm_flags)
tests_comm_finalize_LDADD = $(comm_libraries)
tests_comm_memory_SOURCES = tests/comm/memory.c tests/faults/inject.c tests/faults/inject.h $(comm_ranks)
tests_comm_memory_CPPFLAGS = $(comm_flags)
tests_comm_memory_LDADD = $(comm_libraries)
tests_comm_misuse_SOURCES = tests/comm/misuse.c $(comm_ranks)
tests_comm_misuse_CPPFLAGS = $(comm_flags)
tests_comm_misuse_LDADD = $(comm_libraries)
tests_comm_operations_SOURCES = tests/comm/operations.c $(comm_ranks)
tests_comm_operations_CPPFLAGS = $(comm_flags)
tests_comm_operations_LDADD = $(comm_libraries)
tests_comm_order_SOURCES = tests/comm/order.c $(comm_ranks)
tests_comm_order_CPPFLAGS = $(comm_flags)
tests_comm_order_LDADD = $(comm_libraries)
tests_comm_ways_SOURCES = tests/comm/ways.c $(comm_ranks)
tests_comm_ways_CPPFLAGS = $(comm_flags)
tests_comm_ways_LDADD = $(comm_libraries)

EXTRA_DIST += \
	tests/comm/examples.sh \
	tests/comm/failure.sh \
	tests/comm/finalize.sh \
	tests/comm/guide.sh \
	tests/comm/memory.sh \
	tests/comm/misuse.sh \
	tests/comm/mpi.sh \
	tests/comm/operations.sh \
	tests/comm/order.sh \
	tests/comm/scaling.sh \
	tests/comm/ways.sh
