# SPDX-License-Identifier: Apache-2.0
#
# libyoke-ops: operations on arrays, in rooms (README.md). It uses the public API of libyoke only, so that its include path has no
# src/.
# CMakeLists.txt and meson.build read these lists.

lib_LTLIBRARIES += libyoke-ops.la
noinst_LTLIBRARIES += libyoke-ops-all.la
libyoke_ops_all_la_CPPFLAGS = -I$(top_srcdir)/include -I$(top_srcdir)/ops -I$(top_srcdir)
libyoke_ops_all_la_CFLAGS = $(AM_CFLAGS) $(COVERAGE_CFLAGS)
libyoke_ops_all_la_SOURCES = \
	ops/array/array.c \
	ops/array/array.h \
	ops/array/collide.c \
	ops/array/collide.h \
	ops/array/decimal.c \
	ops/array/dtype.c \
	ops/array/layout.c \
	ops/array/layout.h \
	ops/array/number.c \
	ops/array/number.h \
	ops/array/strided.c \
	ops/array/strided.h \
	ops/call/call.c \
	ops/call/call.h \
	ops/call/check.c \
	ops/call/dlpack.c \
	ops/call/dlpack.h \
	ops/call/options.c \
	ops/call/program.c \
	ops/call/rounds.c \
	ops/call/traits.c \
	ops/call/text.h \
	ops/library/api.h \
	ops/library/device.c \
	ops/library/libraries.c \
	ops/library/library.h \
	ops/library/section.c \
	ops/library/symbols.def \
	ops/expression/calls.c \
	ops/expression/compare.c \
	ops/expression/emit.c \
	ops/expression/expression.h \
	ops/expression/fail.c \
	ops/expression/identity.c \
	ops/expression/identity.h \
	ops/expression/lexer.c \
	ops/expression/operations.def \
	ops/expression/parse.c \
	ops/expression/reductions.c \
	ops/expression/tree.h \
	ops/expression/types.c \
	ops/expression/vars.c \
	ops/map/assign.c \
	ops/map/elementwise.c \
	ops/map/elementwise.h \
	ops/map/elementwise_text.c \
	ops/map/evaluation.c \
	ops/map/evaluation.h \
	ops/map/map.c \
	ops/map/transfer.c \
	ops/reduce/bins.c \
	ops/reduce/bins.h \
	ops/reduce/combination.c \
	ops/reduce/combination.h \
	ops/reduce/group.c \
	ops/reduce/group.h \
	ops/reduce/histogram.c \
	ops/reduce/histogram.h \
	ops/reduce/histogram_weights.c \
	ops/reduce/map_reduce.c \
	ops/reduce/map_rows.c \
	ops/reduce/map_rows.h \
	ops/reduce/map_rows_check.c \
	ops/reduce/map_rows_text.c \
	ops/reduce/reduce.c \
	ops/reduce/reduce.h \
	ops/reduce/reduce_segments.c \
	ops/reduce/reduction.c \
	ops/reduce/scan.c \
	ops/order/gather.c \
	ops/order/gather_call.c \
	ops/order/gather_call.h \
	ops/order/quantile.c \
	ops/order/ranks.c \
	ops/order/select.c \
	ops/order/sort.c \
	ops/order/sort.h \
	ops/order/sort_layout.c \
	ops/order/sort_passes.c \
	ops/order/sort_short.c \
	ops/order/top.c \
	ops/signal/cufft.c \
	ops/signal/cufft.h \
	ops/signal/fft.c \
	ops/signal/fft.h \
	ops/signal/fft_axis.c \
	ops/signal/fft_convolve.c \
	ops/signal/fft_direct.c \
	ops/signal/fft_library.c \
	ops/signal/fft_pass.c \
	ops/signal/fft_plan.c \
	ops/signal/filter.c \
	ops/signal/filter.h \
	ops/signal/filter_full.c \
	ops/signal/filter_launch.c \
	ops/signal/filter_plane.c \
	ops/signal/filter_rank.c \
	ops/signal/filter_stages.c \
	ops/linear/blas.c \
	ops/linear/blas.h \
	ops/linear/blas_call.h \
	ops/linear/clblast.c \
	ops/linear/cublas.c \
	ops/linear/gemm.h \
	ops/linear/matmul.c \
	ops/linear/matmul.h \
	ops/linear/matmul_run.c \
	ops/linear/matmul_shapes.c \
	ops/linear/matmul_shapes.def \
	ops/linear/matmul_tune.c \
	ops/linear/matmul_tuned.c \
	ops/random/numbers.c \
	ops/random/order.c \
	ops/random/random.c \
	ops/random/random.h \
	ops/prepare.c
libyoke_ops_all_la_LIBADD = libyoke-base.la
nodist_libyoke_ops_all_la_SOURCES = ops/call/texts.c
CLEANFILES += ops/call/texts.c

# Texts for both languages, and headers that they include.
ops_texts = \
	ops/map/map.yk \
	ops/reduce/group.yk \
	ops/reduce/histogram.yk \
	ops/reduce/histogram_weights.yk \
	ops/reduce/map_rows.yk \
	ops/reduce/reduce.yk \
	ops/reduce/reduce_segments.yk \
	ops/reduce/scan.yk \
	ops/reduce/scan_blocks.yk \
	ops/order/gather.yk \
	ops/order/scatter_add.yk \
	ops/order/search.yk \
	ops/order/select.yk \
	ops/order/select_blocks.yk \
	ops/order/sort.yk \
	ops/order/sort_block.yk \
	ops/order/sort_cpu.yk \
	ops/order/sort_layout.yk \
	ops/order/top.yk \
	ops/order/quantile.yk \
	ops/order/ranks.yk \
	ops/signal/fft.yk \
	ops/signal/fft_bluestein.yk \
	ops/signal/fft_cpu.yk \
	ops/signal/fft_direct.yk \
	ops/signal/fft_real.yk \
	ops/signal/filter.yk \
	ops/signal/filter_full.yk \
	ops/signal/filter_plane.yk \
	ops/signal/filter_rank.yk \
	ops/linear/matmul.yk \
	ops/linear/matmul_cpu.yk \
	ops/linear/matmul_finish.yk \
	ops/linear/matmul_outer.yk \
	ops/linear/matmul_tensor.yk \
	ops/linear/matmul_vector.yk \
	ops/random/random.yk
ops_headers = \
	ops/array/block_size.yh \
	ops/array/dtypes.yh \
	ops/array/element.yh \
	ops/array/only.yh \
	ops/array/strided.yh \
	ops/expression/expression.yh \
	ops/map/operands.yh \
	ops/reduce/bins.yh \
	ops/reduce/map_rows_stage.yh \
	ops/reduce/reduce_state.yh \
	ops/reduce/reduce_tile.yh \
	ops/reduce/reduce_tree.yh \
	ops/reduce/scan.yh \
	ops/reduce/scan_stretch.yh \
	ops/reduce/sums.yh \
	ops/order/select.yh \
	ops/order/sort_key.yh \
	ops/signal/fft.yh \
	ops/signal/fft_points.yh \
	ops/signal/fft_prime.yh \
	ops/signal/fft_stage.yh \
	ops/signal/fft_stage_cpu.yh \
	ops/signal/boundary.yh \
	ops/signal/filter.yh \
	ops/linear/matmul.yh \
	ops/linear/tensor.yh \
	ops/random/random_transform.yh
EXTRA_DIST += $(ops_texts) $(ops_headers) ops/README.md build-aux/libyoke-ops.map

ops/call/texts.c: build-aux/embed.awk $(ops_texts) $(ops_headers)
	$(AM_V_GEN)$(MKDIR_P) ops/call && \
	LC_ALL=C $(AWK) -v folder='$(srcdir)' -v ops=1 -f $(srcdir)/build-aux/embed.awk $(ops_texts) $(ops_headers) >$@.part && \
	mv $@.part $@

libyoke_ops_la_SOURCES =
libyoke_ops_la_LIBADD = libyoke-ops-all.la libyoke.la
# In memory for good, like libyoke: failures that arrive later may name texts of it.
libyoke_ops_la_LDFLAGS = $(AM_LDFLAGS) $(YOKE_NODELETE) -no-undefined -version-info $(YOKE_OPS_LIBTOOL_VERSION)
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
