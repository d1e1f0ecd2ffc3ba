# SPDX-License-Identifier: Apache-2.0
#
# Random programs and the model that they have to agree with. Their drivers are conformance/graph_random, fuzz/calls, stress/stress.
random_sources = \
	tests/random/functions.c \
	tests/random/order.c \
	tests/random/order.h \
	tests/random/report.c \
	tests/random/site.c \
	tests/random/site.h \
	tests/random/steps.c \
	tests/random/steps.h \
	tests/random/steps_graph.c \
	tests/random/steps_work.c \
	tests/random/steps_wrong.c \
	tests/random/world.c \
	tests/random/world.h

# Random operations on arrays and their oracle.
random_programs = \
	tests/random/operations
EXTRA_PROGRAMS += $(random_programs)
random_tests = $(random_programs:=.opencl.tap)
cuda_random_tests = $(random_programs:=.cuda.tap)
TESTS += $(random_tests) $(cuda_random_tests)
tests_random_operations_SOURCES = \
	tests/random/ops/operations.c \
	tests/random/ops/expression.c \
	tests/random/ops/families.h \
	tests/random/ops/fft.c \
	tests/random/ops/filter.c \
	tests/random/ops/gather.c \
	tests/random/ops/histogram.c \
	tests/random/ops/map.c \
	tests/random/ops/matmul.c \
	tests/random/ops/memory.c \
	tests/random/ops/mistakes.c \
	tests/random/ops/model.h \
	tests/random/ops/numbers.c \
	tests/random/ops/reduce.c \
	tests/random/ops/scan.c \
	tests/random/ops/select.c \
	tests/random/ops/sort.c \
	tests/random/ops/table.c \
	tests/random/ops/value.c
tests_random_operations_LDADD = tests/libsuite.la libyoke-ops.la libyoke.la -lm
