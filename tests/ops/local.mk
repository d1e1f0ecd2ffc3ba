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
	tests/ops/expression/evaluate.c \
	tests/ops/expression/evaluate.h \
	tests/ops/expression/evaluate_functions.c \
	tests/ops/expression/generate.c \
	tests/ops/expression/generate.h \
	tests/ops/expression/sources.c \
	tests/ops/expression/sources.h \
	tests/ops/linear/matmul_reference.c \
	tests/ops/linear/matmul_reference.h \
	tests/ops/map/trial.c \
	tests/ops/map/trial.h \
	tests/ops/order/order.c \
	tests/ops/order/order.h \
	tests/ops/random/reference.c \
	tests/ops/random/reference.h \
	tests/ops/reduce/reduce_reference.c \
	tests/ops/reduce/reduce_reference.h \
	tests/ops/signal/filter.h \
	tests/ops/signal/filter_reference.c \
	tests/ops/signal/spectrum.c \
	tests/ops/signal/spectrum.h
tests_ops_libarrays_la_LIBADD = tests/libsuite.la

ops_programs = \
	tests/ops/edges \
	tests/ops/first \
	tests/ops/forms \
	tests/ops/forms_more \
	tests/ops/large \
	tests/ops/places \
	tests/ops/prepare \
	tests/ops/repeat \
	tests/ops/rounds \
	tests/ops/small \
	tests/ops/streams \
	tests/ops/array/array \
	tests/ops/array/filled \
	tests/ops/call/dlpack \
	tests/ops/call/options \
	tests/ops/expression/compare \
	tests/ops/expression/names \
	tests/ops/expression/values \
	tests/ops/linear/blas \
	tests/ops/linear/edges \
	tests/ops/linear/matmul \
	tests/ops/linear/matmul_blocks \
	tests/ops/linear/matmul_rules \
	tests/ops/linear/matmul_tensor \
	tests/ops/linear/matmul_tune \
	tests/ops/linear/workspace \
	tests/ops/map/assign \
	tests/ops/map/map \
	tests/ops/map/map_values \
	tests/ops/map/transfer \
	tests/ops/order/gather \
	tests/ops/order/quantile \
	tests/ops/order/select \
	tests/ops/order/select_where \
	tests/ops/order/sort \
	tests/ops/order/sort_more \
	tests/ops/random/numbers \
	tests/ops/random/statistics \
	tests/ops/reduce/block_reduce \
	tests/ops/reduce/histogram \
	tests/ops/reduce/map_reduce \
	tests/ops/reduce/map_rows \
	tests/ops/reduce/own \
	tests/ops/reduce/reduce \
	tests/ops/reduce/reduce_segments \
	tests/ops/reduce/scan \
	tests/ops/signal/cufft \
	tests/ops/signal/fft \
	tests/ops/signal/fft_real \
	tests/ops/signal/filter \
	tests/ops/signal/filter_rank
EXTRA_PROGRAMS += $(ops_programs)
ops_opencl_tests = $(ops_programs:=.opencl.tap) $(ops_scipy_tests)
ops_cuda_tests = $(ops_programs:=.cuda.tap)

# In ./check: each program compiles dozens of kernels, so these are the ones that compile few. ./check --deep runs all, on PoCL.
ops_short_programs = \
	tests/ops/first \
	tests/ops/places \
	tests/ops/array/array \
	tests/ops/array/filled \
	tests/ops/call/dlpack \
	tests/ops/call/options \
	tests/ops/linear/matmul_rules \
	tests/ops/map/map_values \
	tests/ops/map/transfer \
	tests/ops/order/select_where \
	tests/ops/random/statistics \
	tests/ops/reduce/block_reduce \
	tests/ops/signal/filter
ops_short_tests = $(ops_short_programs:=.opencl.tap)
# For drivers that are slow, as Oclgrind is: all families, on few elements. In ./check --deep, those that reach the other kernels.
ops_oclgrind_tests = tests/ops/forms.opencl.tap tests/ops/small.opencl.tap
ops_oclgrind_more_tests = tests/ops/forms_more.opencl.tap
# In ./check --deep, what takes less than two minutes on rusticl, which compiles each kernel for a second and more: fft, filter,
# forms, random, scan, matmul and matmul_blocks compile dozens of large ones.
ops_rusticl_programs = \
	tests/ops/edges \
	tests/ops/rounds \
	tests/ops/small \
	tests/ops/array/filled \
	tests/ops/call/dlpack \
	tests/ops/call/options \
	tests/ops/expression/compare \
	tests/ops/linear/edges \
	tests/ops/linear/matmul_rules \
	tests/ops/map/assign \
	tests/ops/map/map_values \
	tests/ops/map/transfer \
	tests/ops/order/gather \
	tests/ops/order/select \
	tests/ops/order/select_where \
	tests/ops/order/sort \
	tests/ops/reduce/block_reduce \
	tests/ops/reduce/histogram \
	tests/ops/reduce/map_reduce \
	tests/ops/reduce/map_rows \
	tests/ops/reduce/own \
	tests/ops/reduce/reduce_segments
ops_rusticl_tests = $(ops_rusticl_programs:=.opencl.tap)
ops_cuda_short_tests = $(ops_short_programs:=.cuda.tap)
# With the vendors' libraries, or on the CUDA double with their stand-ins, which takes few kernels.
ops_vendor_tests = tests/ops/linear/blas.cuda.tap tests/ops/linear/workspace.cuda.tap tests/ops/signal/cufft.cuda.tap

# Without a device.
EXTRA_PROGRAMS += tests/ops/expression/expression tests/ops/library/search
ops_unit_tests = tests/ops/expression/expression.tap tests/ops/library/search.tap
tests_ops_expression_expression_SOURCES = tests/ops/expression/expression.c tests/ops/expression/mistakes.def

ops_scipy_tests = tests/ops/signal/filter_scipy.tap
EXTRA_DIST += tests/ops/signal/filter_scipy.py tests/ops/signal/filter_scipy.sh

ops_libraries = tests/ops/libarrays.la tests/libsuite.la libyoke-ops-all.la libyoke.la
tests_ops_edges_SOURCES = tests/ops/edges.c tests/ops/library/vendor.h
tests_ops_edges_LDADD = $(ops_libraries) -lm
tests_ops_first_SOURCES = tests/ops/first.c tests/ops/first.def
tests_ops_first_LDADD = $(ops_libraries)
tests_ops_forms_SOURCES = tests/ops/forms.c tests/ops/forms.h
tests_ops_forms_LDADD = $(ops_libraries)
tests_ops_forms_more_SOURCES = tests/ops/forms.h tests/ops/forms_more.c
tests_ops_forms_more_LDADD = $(ops_libraries)
tests_ops_large_LDADD = $(ops_libraries)
tests_ops_places_LDADD = $(ops_libraries)
tests_ops_prepare_LDADD = $(ops_libraries)
tests_ops_repeat_LDADD = $(ops_libraries)
tests_ops_rounds_LDADD = $(ops_libraries) -lm
tests_ops_small_LDADD = $(ops_libraries)
tests_ops_streams_LDADD = $(ops_libraries)
tests_ops_array_array_LDADD = $(ops_libraries)
tests_ops_array_filled_LDADD = $(ops_libraries)
tests_ops_call_dlpack_CPPFLAGS = $(AM_CPPFLAGS) $(DLPACK_CPPFLAGS)
tests_ops_call_dlpack_LDADD = $(ops_libraries)
tests_ops_call_options_LDADD = $(ops_libraries)
tests_ops_expression_compare_LDADD = $(ops_libraries)
tests_ops_expression_expression_LDADD = $(ops_libraries)
tests_ops_expression_names_LDADD = $(ops_libraries)
tests_ops_expression_values_LDADD = $(ops_libraries)
tests_ops_library_search_LDADD = $(ops_libraries)
tests_ops_linear_blas_SOURCES = tests/ops/linear/blas.c tests/ops/library/vendor.h
tests_ops_linear_blas_LDADD = $(ops_libraries)
tests_ops_linear_edges_LDADD = $(ops_libraries) -lm
tests_ops_linear_matmul_LDADD = $(ops_libraries)
tests_ops_linear_matmul_blocks_LDADD = $(ops_libraries)
tests_ops_linear_matmul_rules_LDADD = $(ops_libraries)
tests_ops_linear_matmul_tensor_LDADD = $(ops_libraries)
tests_ops_linear_matmul_tune_SOURCES = tests/ops/linear/matmul_tune.c tests/unit/sandbox.c tests/unit/sandbox.h
tests_ops_linear_matmul_tune_LDADD = $(ops_libraries)
tests_ops_linear_workspace_SOURCES = tests/ops/library/vendor.h tests/ops/linear/workspace.c
tests_ops_linear_workspace_LDADD = $(ops_libraries)
tests_ops_map_assign_LDADD = $(ops_libraries)
tests_ops_map_map_LDADD = $(ops_libraries)
tests_ops_map_map_values_LDADD = $(ops_libraries)
tests_ops_map_transfer_LDADD = $(ops_libraries)
tests_ops_order_gather_LDADD = $(ops_libraries)
tests_ops_order_quantile_LDADD = $(ops_libraries)
tests_ops_order_select_LDADD = $(ops_libraries)
tests_ops_order_select_where_LDADD = $(ops_libraries)
tests_ops_order_sort_LDADD = $(ops_libraries)
tests_ops_order_sort_more_LDADD = $(ops_libraries)
tests_ops_random_numbers_LDADD = $(ops_libraries)
tests_ops_random_statistics_LDADD = $(ops_libraries)
tests_ops_reduce_block_reduce_LDADD = $(ops_libraries)
tests_ops_reduce_histogram_LDADD = $(ops_libraries)
tests_ops_reduce_map_reduce_LDADD = $(ops_libraries)
tests_ops_reduce_map_rows_LDADD = $(ops_libraries) -lm
tests_ops_reduce_own_LDADD = $(ops_libraries)
tests_ops_reduce_reduce_LDADD = $(ops_libraries)
tests_ops_reduce_reduce_segments_LDADD = $(ops_libraries)
tests_ops_reduce_scan_LDADD = $(ops_libraries)
tests_ops_signal_cufft_SOURCES = tests/ops/library/vendor.h tests/ops/signal/cufft.c
tests_ops_signal_cufft_LDADD = $(ops_libraries) -lm
tests_ops_signal_fft_LDADD = $(ops_libraries)
tests_ops_signal_fft_real_LDADD = $(ops_libraries)
tests_ops_signal_filter_SOURCES = tests/ops/signal/filter.c tests/ops/signal/filter_scipy.def
tests_ops_signal_filter_LDADD = $(ops_libraries)
tests_ops_signal_filter_rank_LDADD = $(ops_libraries)
