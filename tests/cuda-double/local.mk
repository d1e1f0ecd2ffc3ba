# SPDX-License-Identifier: Apache-2.0
#
# The double of CUDA's driver and of NVRTC, which runs on the CPU: for tests on machines without a GPU. Its compiler is the host's.
check_LTLIBRARIES += tests/cuda-double/libcode.la tests/cuda-double/libcuda.la tests/cuda-double/libnvrtc.la
tests_cuda_double_libcode_la_SOURCES = \
	tests/cuda-double/compiler.c \
	tests/cuda-double/double.h \
	tests/cuda-double/elf.c \
	tests/cuda-double/image.c \
	tests/cuda-double/module.h \
	tests/cuda-double/prelude.h \
	tests/cuda-double/prelude_bits.h \
	tests/cuda-double/prelude_math.h \
	tests/cuda-double/prelude_texture.h \
	tests/cuda-double/prelude_warp.h \
	tests/cuda-double/ptx.c \
	tests/cuda-double/source.c \
	tests/cuda-double/table.h \
	tests/cuda-double/text.c
tests_cuda_double_libcode_la_CPPFLAGS = $(AM_CPPFLAGS) -DDOUBLE_CXX='"$(CXX_PATH)"' \
	-DDOUBLE_PRELUDE='"$(abs_top_srcdir)/tests/cuda-double/prelude.h"'
tests_cuda_double_libcuda_la_SOURCES = \
	tests/cuda-double/alloc.c \
	tests/cuda-double/capture.c \
	tests/cuda-double/context.c \
	tests/cuda-double/copy.c \
	tests/cuda-double/driver.c \
	tests/cuda-double/driver.h \
	tests/cuda-double/event.c \
	tests/cuda-double/fault.c \
	tests/cuda-double/fiber.c \
	tests/cuda-double/graph.c \
	tests/cuda-double/host.c \
	tests/cuda-double/launch.c \
	tests/cuda-double/memory.c \
	tests/cuda-double/module.c \
	tests/cuda-double/pool.c \
	tests/cuda-double/print.c \
	tests/cuda-double/run.c \
	tests/cuda-double/stream.c \
	tests/cuda-double/texture.c \
	tests/cuda-double/work.c
tests_cuda_double_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_cuda_double_libcuda_la_LIBADD = tests/cuda-double/libcode.la
tests_cuda_double_libnvrtc_la_SOURCES = tests/cuda-double/nvrtc.c
tests_cuda_double_libnvrtc_la_LDFLAGS = $(AM_LDFLAGS) -version-info 13:0:0 -shared -rpath /nowhere
tests_cuda_double_libnvrtc_la_LIBADD = tests/cuda-double/libcode.la

# Stand-ins for cuBLAS, cuFFT, NCCL and CLBlast, in a folder that no other test looks into.
check_LTLIBRARIES += tests/cuda-double/vendor/libcublas.la tests/cuda-double/vendor/libcufft.la \
	tests/cuda-double/vendor/libnccl.la tests/cuda-double/vendor/libclblast.la
tests_cuda_double_vendor_libclblast_la_SOURCES = tests/cuda-double/vendor/clblast.c tests/cuda-double/vendor/vendor.h
tests_cuda_double_vendor_libclblast_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_cuda_double_vendor_libcublas_la_SOURCES = tests/cuda-double/vendor/cublas.c tests/cuda-double/vendor/vendor.h
tests_cuda_double_vendor_libcublas_la_LDFLAGS = $(AM_LDFLAGS) -version-info 13:0:0 -shared -rpath /nowhere
tests_cuda_double_vendor_libcublas_la_LIBADD = tests/cuda-double/libcuda.la tests/cuda-double/libnvrtc.la
tests_cuda_double_vendor_libcufft_la_SOURCES = tests/cuda-double/vendor/cufft.c tests/cuda-double/vendor/vendor.h
tests_cuda_double_vendor_libcufft_la_LDFLAGS = $(AM_LDFLAGS) -version-info 12:0:0 -shared -rpath /nowhere
tests_cuda_double_vendor_libcufft_la_LIBADD = tests/cuda-double/libcuda.la tests/cuda-double/libnvrtc.la
tests_cuda_double_vendor_libnccl_la_SOURCES = tests/cuda-double/vendor/nccl.c tests/cuda-double/vendor/vendor.h
tests_cuda_double_vendor_libnccl_la_LDFLAGS = $(AM_LDFLAGS) -version-info 2:0:0 -shared -rpath /nowhere
tests_cuda_double_vendor_libnccl_la_LIBADD = tests/cuda-double/libcuda.la tests/cuda-double/libnvrtc.la

# What drivers answer, asked of themselves: cases are what the double has to say, and a GPU's answers can be compared.
EXTRA_PROGRAMS += tests/cuda-double/probes
double_tests = tests/cuda-double/probes.tap tests/cuda-double/selftest.tap
tests_cuda_double_probes_SOURCES = \
	tests/cuda-double/probes.c \
	tests/cuda-double/probes.h \
	tests/cuda-double/probes_code.c \
	tests/cuda-double/probes_language.c \
	tests/cuda-double/probes_memory.c \
	tests/cuda-double/probes_print.c \
	tests/cuda-double/probes_stream.c
tests_cuda_double_probes_LDADD = tests/libtap.la
