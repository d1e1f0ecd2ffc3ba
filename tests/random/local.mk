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
check_PROGRAMS += $(random_programs)
random_tests = $(random_programs:=.opencl.tap)
cuda_random_tests = $(random_programs:=.cuda.tap)
TESTS += $(random_tests) $(cuda_random_tests)
tests_random_operations_SOURCES = \
	tests/random/operations.c \
	tests/random/ops_expression.c \
	tests/random/ops_families.h \
	tests/random/ops_fft.c \
	tests/random/ops_filter.c \
	tests/random/ops_gather.c \
	tests/random/ops_histogram.c \
	tests/random/ops_map.c \
	tests/random/ops_matmul.c \
	tests/random/ops_memory.c \
	tests/random/ops_mistakes.c \
	tests/random/ops_model.h \
	tests/random/ops_numbers.c \
	tests/random/ops_reduce.c \
	tests/random/ops_scan.c \
	tests/random/ops_select.c \
	tests/random/ops_sort.c \
	tests/random/ops_table.c \
	tests/random/ops_value.c
tests_random_operations_LDADD = tests/libsuite.la libyoke-ops.la libyoke.la -lm
