# SPDX-License-Identifier: Apache-2.0
#
# The suite of libyoke-ops: like the conformance suite, each program runs once for each backend, on all of its devices.

check_LTLIBRARIES += tests/ops/libarrays.la
tests_ops_libarrays_la_SOURCES = \
	tests/ops/arrays.c \
	tests/ops/arrays.h \
	tests/ops/calls.c \
	tests/ops/calls.h \
	tests/ops/calls_table.c \
	tests/ops/evaluate.c \
	tests/ops/evaluate.h \
	tests/ops/evaluate_functions.c \
	tests/ops/filter.h \
	tests/ops/filter_reference.c \
	tests/ops/generate.c \
	tests/ops/generate.h \
	tests/ops/matmul_reference.c \
	tests/ops/matmul_reference.h \
	tests/ops/order.c \
	tests/ops/order.h \
	tests/ops/random_reference.c \
	tests/ops/random_reference.h \
	tests/ops/reduce_reference.c \
	tests/ops/reduce_reference.h \
	tests/ops/sources.c \
	tests/ops/sources.h \
	tests/ops/spectrum.c \
	tests/ops/spectrum.h \
	tests/ops/trial.c \
	tests/ops/trial.h
tests_ops_libarrays_la_LIBADD = tests/libsuite.la

ops_programs = \
	tests/ops/array \
	tests/ops/assign \
	tests/ops/block_reduce \
	tests/ops/compare \
	tests/ops/dlpack \
	tests/ops/edges \
	tests/ops/edges_matmul \
	tests/ops/expression_values \
	tests/ops/fft \
	tests/ops/fft_real \
	tests/ops/filled \
	tests/ops/filter \
	tests/ops/forms \
	tests/ops/forms_more \
	tests/ops/gather \
	tests/ops/histogram \
	tests/ops/large \
	tests/ops/map \
	tests/ops/map_reduce \
	tests/ops/map_values \
	tests/ops/matmul \
	tests/ops/matmul_blocks \
	tests/ops/matmul_rules \
	tests/ops/matmul_tune \
	tests/ops/names \
	tests/ops/options \
	tests/ops/places \
	tests/ops/prepare \
	tests/ops/random \
	tests/ops/random_statistics \
	tests/ops/reduce \
	tests/ops/reduce_segments \
	tests/ops/repeat \
	tests/ops/rounds \
	tests/ops/scan \
	tests/ops/select \
	tests/ops/select_where \
	tests/ops/small \
	tests/ops/sort \
	tests/ops/sort_more \
	tests/ops/streams \
	tests/ops/transfer \
	tests/ops/vendor \
	tests/ops/vendor_fft \
	tests/ops/vendor_workspace
check_PROGRAMS += $(ops_programs)
ops_opencl_tests = $(ops_programs:=.opencl.tap) $(ops_scipy_tests)
ops_cuda_tests = $(ops_programs:=.cuda.tap)

# In ./check: each program compiles dozens of kernels, so these are the ones that compile few. ./check --deep runs all, on PoCL.
ops_short_programs = \
	tests/ops/array \
	tests/ops/block_reduce \
	tests/ops/dlpack \
	tests/ops/filled \
	tests/ops/filter \
	tests/ops/map_values \
	tests/ops/matmul_rules \
	tests/ops/options \
	tests/ops/places \
	tests/ops/random_statistics \
	tests/ops/select_where \
	tests/ops/transfer
ops_short_tests = $(ops_short_programs:=.opencl.tap)
# For drivers that are slow, as Oclgrind is: all families, on few elements. In ./check --deep, those that reach the other kernels.
ops_oclgrind_tests = tests/ops/forms.opencl.tap tests/ops/small.opencl.tap
ops_oclgrind_more_tests = tests/ops/forms_more.opencl.tap
# In ./check --deep, what takes less than two minutes on rusticl, which compiles each kernel for a second and more: fft, filter,
# forms, random, scan and matmul_blocks compile dozens of large ones.
ops_rusticl_programs = \
	tests/ops/assign \
	tests/ops/block_reduce \
	tests/ops/compare \
	tests/ops/dlpack \
	tests/ops/edges \
	tests/ops/edges_matmul \
	tests/ops/filled \
	tests/ops/gather \
	tests/ops/histogram \
	tests/ops/map_reduce \
	tests/ops/map_values \
	tests/ops/matmul \
	tests/ops/matmul_rules \
	tests/ops/options \
	tests/ops/random_statistics \
	tests/ops/reduce_segments \
	tests/ops/rounds \
	tests/ops/select \
	tests/ops/select_where \
	tests/ops/small \
	tests/ops/sort \
	tests/ops/transfer
ops_rusticl_tests = $(ops_rusticl_programs:=.opencl.tap)
ops_cuda_short_tests = $(ops_short_programs:=.cuda.tap)

# Without a device.
check_PROGRAMS += tests/ops/expression tests/ops/vendor_search
ops_unit_tests = tests/ops/expression.tap tests/ops/vendor_search.tap
tests_ops_expression_SOURCES = tests/ops/expression.c tests/ops/expression_mistakes.def

ops_scipy_tests = tests/ops/filter_scipy.tap
EXTRA_DIST += tests/ops/filter_scipy.py tests/ops/filter_scipy.sh

ops_libraries = tests/ops/libarrays.la tests/libsuite.la libyoke-ops-all.la libyoke.la
tests_ops_array_LDADD = $(ops_libraries)
tests_ops_assign_LDADD = $(ops_libraries)
tests_ops_block_reduce_LDADD = $(ops_libraries)
tests_ops_compare_LDADD = $(ops_libraries)
tests_ops_dlpack_CPPFLAGS = $(AM_CPPFLAGS) $(DLPACK_CPPFLAGS)
tests_ops_dlpack_LDADD = $(ops_libraries)
tests_ops_edges_SOURCES = tests/ops/edges.c tests/ops/vendor.h
tests_ops_edges_LDADD = $(ops_libraries) -lm
tests_ops_edges_matmul_LDADD = $(ops_libraries) -lm
tests_ops_expression_LDADD = $(ops_libraries)
tests_ops_expression_values_LDADD = $(ops_libraries)
tests_ops_filled_LDADD = $(ops_libraries)
tests_ops_filter_SOURCES = tests/ops/filter.c tests/ops/filter_scipy.def
tests_ops_filter_LDADD = $(ops_libraries)
tests_ops_fft_LDADD = $(ops_libraries)
tests_ops_fft_real_LDADD = $(ops_libraries)
tests_ops_forms_SOURCES = tests/ops/forms.c tests/ops/forms.h
tests_ops_forms_LDADD = $(ops_libraries)
tests_ops_forms_more_SOURCES = tests/ops/forms.h tests/ops/forms_more.c
tests_ops_forms_more_LDADD = $(ops_libraries)
tests_ops_gather_LDADD = $(ops_libraries)
tests_ops_histogram_LDADD = $(ops_libraries)
tests_ops_large_LDADD = $(ops_libraries)
tests_ops_map_LDADD = $(ops_libraries)
tests_ops_map_reduce_LDADD = $(ops_libraries)
tests_ops_map_values_LDADD = $(ops_libraries)
tests_ops_matmul_LDADD = $(ops_libraries)
tests_ops_matmul_blocks_LDADD = $(ops_libraries)
tests_ops_matmul_rules_LDADD = $(ops_libraries)
tests_ops_matmul_tune_SOURCES = tests/ops/matmul_tune.c tests/unit/sandbox.c tests/unit/sandbox.h
tests_ops_matmul_tune_LDADD = $(ops_libraries)
tests_ops_names_LDADD = $(ops_libraries)
tests_ops_options_LDADD = $(ops_libraries)
tests_ops_places_LDADD = $(ops_libraries)
tests_ops_prepare_LDADD = $(ops_libraries)
tests_ops_random_LDADD = $(ops_libraries)
tests_ops_random_statistics_LDADD = $(ops_libraries)
tests_ops_reduce_LDADD = $(ops_libraries)
tests_ops_reduce_segments_LDADD = $(ops_libraries)
tests_ops_repeat_LDADD = $(ops_libraries)
tests_ops_rounds_LDADD = $(ops_libraries) -lm
tests_ops_scan_LDADD = $(ops_libraries)
tests_ops_select_LDADD = $(ops_libraries)
tests_ops_select_where_LDADD = $(ops_libraries)
tests_ops_small_LDADD = $(ops_libraries)
tests_ops_sort_LDADD = $(ops_libraries)
tests_ops_sort_more_LDADD = $(ops_libraries)
tests_ops_streams_LDADD = $(ops_libraries)
tests_ops_transfer_LDADD = $(ops_libraries)
tests_ops_vendor_SOURCES = tests/ops/vendor.c tests/ops/vendor.h
tests_ops_vendor_LDADD = $(ops_libraries)
tests_ops_vendor_fft_SOURCES = tests/ops/vendor.h tests/ops/vendor_fft.c
tests_ops_vendor_fft_LDADD = $(ops_libraries) -lm
tests_ops_vendor_workspace_SOURCES = tests/ops/vendor.h tests/ops/vendor_workspace.c
tests_ops_vendor_workspace_LDADD = $(ops_libraries)
tests_ops_vendor_search_LDADD = $(ops_libraries)
