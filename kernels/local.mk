# SPDX-License-Identifier: Apache-2.0
#
# The twins: installed as files, and embedded in the library, as are the headers that any kernel may include.

kernelsdir = $(pkgdatadir)/kernels
dist_kernels_DATA = \
	kernels/fill.cl \
	kernels/fill.cu \
	kernels/fractal.cl \
	kernels/fractal.cu \
	kernels/gaussian.cl \
	kernels/gaussian.cu \
	kernels/matmul.cl \
	kernels/matmul.cu \
	kernels/points.cl \
	kernels/points.cu \
	kernels/reduce.cl \
	kernels/reduce.cu \
	kernels/rgba8.cl \
	kernels/rgba8.cu \
	kernels/saxpy.cl \
	kernels/saxpy.cu \
	kernels/vector_add.cl \
	kernels/vector_add.cu

nodist_libyoke_all_la_SOURCES = kernels/embedded.c
CLEANFILES += kernels/embedded.c

# Headers that any kernel may include.
kernel_headers = \
	include/yoke/block_rank.h \
	include/yoke/block_reduce.h \
	include/yoke/block_scan.h \
	include/yoke/kernel.h \
	include/yoke/philox.h \
	include/yoke/types.h

kernels/embedded.c: build-aux/embed.awk $(dist_kernels_DATA) $(kernel_headers)
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	LC_ALL=C $(AWK) -v folder='$(srcdir)' -f $(srcdir)/build-aux/embed.awk $(dist_kernels_DATA) $(kernel_headers) >$@.part && \
	mv $@.part $@
