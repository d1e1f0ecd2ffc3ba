# SPDX-License-Identifier: Apache-2.0
#
# libyoke-ops: operations on arrays. It uses the public API of libyoke only, so that its include path has no src/.
# CMakeLists.txt and meson.build read these lists.

lib_LTLIBRARIES += libyoke-ops.la
noinst_LTLIBRARIES += libyoke-ops-all.la
libyoke_ops_all_la_CPPFLAGS = -I$(top_srcdir)/include -I$(top_srcdir)
libyoke_ops_all_la_CFLAGS = $(AM_CFLAGS) $(COVERAGE_CFLAGS)
libyoke_ops_all_la_SOURCES = \
	ops/array.c \
	ops/assign.c \
	ops/bins.c \
	ops/bins.h \
	ops/call.c \
	ops/call.h \
	ops/check.c \
	ops/collide.c \
	ops/collide.h \
	ops/decimal.c \
	ops/dlpack.c \
	ops/dlpack.h \
	ops/dtype.c \
	ops/elementwise.c \
	ops/elementwise.h \
	ops/elementwise_text.c \
	ops/evaluation.c \
	ops/evaluation.h \
	ops/expression.h \
	ops/expression_calls.c \
	ops/expression_compare.c \
	ops/expression_emit.c \
	ops/expression_fail.c \
	ops/expression_lexer.c \
	ops/expression_parse.c \
	ops/expression_tree.h \
	ops/expression_types.c \
	ops/expression_vars.c \
	ops/fft.c \
	ops/fft.h \
	ops/fft_axis.c \
	ops/fft_convolve.c \
	ops/fft_direct.c \
	ops/fft_library.c \
	ops/fft_pass.c \
	ops/fft_plan.c \
	ops/filter.c \
	ops/filter.h \
	ops/filter_launch.c \
	ops/filter_plane.c \
	ops/filter_stages.c \
	ops/functions.def \
	ops/gather.c \
	ops/gemm.h \
	ops/group.c \
	ops/group.h \
	ops/histogram.c \
	ops/histogram.h \
	ops/histogram_weights.c \
	ops/identity.c \
	ops/identity.h \
	ops/layout.c \
	ops/layout.h \
	ops/map.c \
	ops/map_reduce.c \
	ops/matmul.c \
	ops/matmul.h \
	ops/matmul_run.c \
	ops/matmul_shapes.c \
	ops/matmul_shapes.def \
	ops/matmul_tune.c \
	ops/matmul_tuned.c \
	ops/number.c \
	ops/number.h \
	ops/operations.def \
	ops/options.c \
	ops/prepare.c \
	ops/program.c \
	ops/random.c \
	ops/random.h \
	ops/random_numbers.c \
	ops/random_order.c \
	ops/reduce.c \
	ops/reduce.h \
	ops/reduce_segments.c \
	ops/reduction.c \
	ops/rounds.c \
	ops/rows.c \
	ops/rows.h \
	ops/scan.c \
	ops/select.c \
	ops/sort.c \
	ops/sort.h \
	ops/sort_layout.c \
	ops/sort_passes.c \
	ops/sort_rows.c \
	ops/strided.c \
	ops/strided.h \
	ops/text.h \
	ops/top.c \
	ops/transfer.c \
	ops/vendor/api.h \
	ops/vendor/blas.c \
	ops/vendor/blas.h \
	ops/vendor/blas_call.h \
	ops/vendor/clblast.c \
	ops/vendor/cublas.c \
	ops/vendor/cufft.c \
	ops/vendor/device.c \
	ops/vendor/fft.h \
	ops/vendor/libraries.c \
	ops/vendor/section.c \
	ops/vendor/symbols.def \
	ops/vendor/vendor.h
libyoke_ops_all_la_LIBADD = libyoke-base.la
nodist_libyoke_ops_all_la_SOURCES = ops/texts.c
CLEANFILES += ops/texts.c

# Texts for both languages, and headers that they include.
ops_texts = \
	ops/kernels/fft.yk \
	ops/kernels/fft_bluestein.yk \
	ops/kernels/fft_cpu.yk \
	ops/kernels/fft_direct.yk \
	ops/kernels/fft_real.yk \
	ops/kernels/filter.yk \
	ops/kernels/filter_plane.yk \
	ops/kernels/gather.yk \
	ops/kernels/group.yk \
	ops/kernels/histogram.yk \
	ops/kernels/histogram_weights.yk \
	ops/kernels/map.yk \
	ops/kernels/matmul.yk \
	ops/kernels/matmul_cpu.yk \
	ops/kernels/matmul_finish.yk \
	ops/kernels/matmul_outer.yk \
	ops/kernels/matmul_vector.yk \
	ops/kernels/random.yk \
	ops/kernels/reduce.yk \
	ops/kernels/reduce_segments.yk \
	ops/kernels/scan.yk \
	ops/kernels/scan_blocks.yk \
	ops/kernels/scatter_add.yk \
	ops/kernels/search.yk \
	ops/kernels/select.yk \
	ops/kernels/select_blocks.yk \
	ops/kernels/sort.yk \
	ops/kernels/sort_block.yk \
	ops/kernels/sort_cpu.yk \
	ops/kernels/sort_move.yk \
	ops/kernels/top.yk
ops_headers = \
	ops/kernels/bins.h \
	ops/kernels/block_size.h \
	ops/kernels/element.h \
	ops/kernels/expression.h \
	ops/kernels/fft.h \
	ops/kernels/fft_points.h \
	ops/kernels/fft_prime.h \
	ops/kernels/fft_stage.h \
	ops/kernels/fft_stage_cpu.h \
	ops/kernels/filter.h \
	ops/kernels/matmul.h \
	ops/kernels/operands.h \
	ops/kernels/random_transform.h \
	ops/kernels/reduce_state.h \
	ops/kernels/reduce_tile.h \
	ops/kernels/reduce_tree.h \
	ops/kernels/scan.h \
	ops/kernels/scan_stretch.h \
	ops/kernels/select.h \
	ops/kernels/sort_key.h \
	ops/kernels/strided.h \
	ops/kernels/sums.h
EXTRA_DIST += $(ops_texts) $(ops_headers) ops/README.md build-aux/libyoke-ops.map

ops/texts.c: build-aux/embed.awk $(ops_texts) $(ops_headers)
	$(AM_V_GEN)$(MKDIR_P) ops && \
	LC_ALL=C $(AWK) -v folder='$(srcdir)' -v ops=1 -f $(srcdir)/build-aux/embed.awk $(ops_texts) $(ops_headers) >$@.part && \
	mv $@.part $@

libyoke_ops_la_SOURCES =
libyoke_ops_la_LIBADD = libyoke-ops-all.la libyoke.la
# In memory for good, like libyoke: failures that arrive later may name texts of it.
libyoke_ops_la_LDFLAGS = $(AM_LDFLAGS) $(YOKE_NODELETE) -no-undefined -version-info $(YOKE_LIBTOOL_VERSION)
if HAVE_VERSION_SCRIPT
libyoke_ops_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/build-aux/libyoke-ops.map
EXTRA_libyoke_ops_la_DEPENDENCIES = build-aux/libyoke-ops.map
endif

yokeinclude_HEADERS += \
	include/yoke/array.h \
	include/yoke/fft.h \
	include/yoke/filter.h \
	include/yoke/matmul.h \
	include/yoke/ops.h \
	include/yoke/random.h \
	include/yoke/vars.h
pkgconfig_DATA += yoke-ops.pc
