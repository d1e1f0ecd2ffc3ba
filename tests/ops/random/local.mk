# SPDX-License-Identifier: Apache-2.0
#
# Random operations on arrays and their oracle.
random_programs = \
	tests/ops/random/operations
check_PROGRAMS += $(random_programs)
random_tests = $(random_programs:=.opencl.tap)
cuda_random_tests = $(random_programs:=.cuda.tap)
TESTS += $(random_tests) $(cuda_random_tests)
tests_ops_random_operations_SOURCES = \
	tests/ops/random/operations.c \
	tests/ops/random/expression.c \
	tests/ops/random/families.h \
	tests/ops/random/fft.c \
	tests/ops/random/filter.c \
	tests/ops/random/gather.c \
	tests/ops/random/histogram.c \
	tests/ops/random/map.c \
	tests/ops/random/matmul.c \
	tests/ops/random/memory.c \
	tests/ops/random/mistakes.c \
	tests/ops/random/model.h \
	tests/ops/random/numbers.c \
	tests/ops/random/reduce.c \
	tests/ops/random/scan.c \
	tests/ops/random/select.c \
	tests/ops/random/sort.c \
	tests/ops/random/table.c \
	tests/ops/random/value.c
tests_ops_random_operations_LDADD = tests/libsuite.la libyoke-ops.la libyoke.la -lm
