# SPDX-License-Identifier: Apache-2.0
#
# An example is built if its libraries are installed. The main example, photos, reads and writes PNG files.

if HAVE_PNG
noinst_PROGRAMS += examples/photos/photos
endif
examples_photos_photos_SOURCES = \
	examples/photos.c \
	examples/photos/blur.c \
	examples/photos/files.c \
	examples/photos/options.c \
	examples/photos/photos.h \
	examples/photos/picture.c \
	examples/photos/report.c
examples_photos_photos_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
examples_photos_photos_LDADD = libyoke-ops.la libyoke.la $(PNG_LIBS)

# The event loop of libuv.
if HAVE_UV
noinst_PROGRAMS += examples/uv
endif
examples_uv_CPPFLAGS = $(AM_CPPFLAGS) $(UV_CFLAGS)
examples_uv_LDADD = libyoke.la $(UV_LIBS)

# Many processes.
if HAVE_MPI
noinst_PROGRAMS += examples/jacobi examples/kmeans_ranks examples/sort_ranks
endif
examples_jacobi_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS) $(MPI_CPPFLAGS)
examples_jacobi_LDADD = libyoke-comm.la libyoke.la $(PNG_LIBS) $(MPI_LIBS)
examples_kmeans_ranks_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS) $(MPI_CPPFLAGS)
examples_kmeans_ranks_LDADD = libyoke-comm.la libyoke-ops.la libyoke.la $(PNG_LIBS) $(MPI_LIBS)
examples_sort_ranks_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS) $(MPI_CPPFLAGS)
examples_sort_ranks_LDADD = libyoke-comm.la libyoke-ops.la libyoke.la $(PNG_LIBS) $(MPI_LIBS)

# Installed as sources, with a Makefile that builds them there.
examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/Makefile \
	examples/README.md \
	examples/arrays.c \
	examples/blur.c \
	examples/cancel.c \
	examples/converge.c \
	examples/drafted.c \
	examples/drafted.py \
	examples/drafted.yk \
	examples/event_loop.c \
	examples/example.h \
	examples/fallback.c \
	examples/heat.c \
	examples/hello.c \
	examples/histogram.c \
	examples/host_arrays.c \
	examples/host_function.c \
	examples/jacobi.c \
	examples/kmeans.c \
	examples/kmeans_ranks.c \
	examples/life.c \
	examples/load_kernel.c \
	examples/mandelbrot.c \
	examples/mandelbrot.cl \
	examples/mandelbrot.cu \
	examples/mandelbrot.h \
	examples/matmul.c \
	examples/monte_carlo.c \
	examples/nbody.c \
	examples/page_locked.c \
	examples/particles.c \
	examples/photos.c \
	examples/picture.h \
	examples/pinned.c \
	examples/pipeline.c \
	examples/reduce.c \
	examples/saxpy.cpp \
	examples/several_devices.c \
	examples/shared_memory.c \
	examples/sort_ranks.c \
	examples/sort_structs.c \
	examples/sparse.c \
	examples/statistics.c \
	examples/structs.c \
	examples/uv.c \
	examples/vector_add.c \
	examples/zoom.c
examples_photosdir = $(examplesdir)/photos
dist_examples_photos_DATA = \
	examples/photos/blur.c \
	examples/photos/files.c \
	examples/photos/options.c \
	examples/photos/photos.h \
	examples/photos/picture.c \
	examples/photos/report.c
# first.c of the tutorial, after its sections; tests/static/tutorial.sh compares these with the page.
examples_tutorialdir = $(examplesdir)/tutorial
dist_examples_tutorial_DATA = \
	examples/tutorial/first3.c \
	examples/tutorial/first5.c \
	examples/tutorial/first6.c \
	examples/tutorial/saxpy.cl \
	examples/tutorial/saxpy.cu

# The gallery: one file each; see README.md there.
noinst_PROGRAMS += \
	examples/arrays \
	examples/cancel \
	examples/converge \
	examples/event_loop \
	examples/fallback \
	examples/heat \
	examples/hello \
	examples/histogram \
	examples/host_arrays \
	examples/host_function \
	examples/life \
	examples/load_kernel \
	examples/matmul \
	examples/nbody \
	examples/page_locked \
	examples/pinned \
	examples/pipeline \
	examples/reduce \
	examples/several_devices \
	examples/shared_memory \
	examples/structs \
	examples/vector_add \
	examples/zoom
examples_arrays_LDADD = libyoke.la
examples_cancel_LDADD = libyoke.la
examples_converge_LDADD = libyoke.la
examples_event_loop_LDADD = libyoke.la
examples_fallback_LDADD = libyoke.la
examples_hello_LDADD = libyoke.la
examples_histogram_LDADD = libyoke.la
examples_host_arrays_LDADD = libyoke.la
examples_host_function_LDADD = libyoke.la
examples_life_LDADD = libyoke.la
examples_load_kernel_LDADD = libyoke.la
examples_matmul_LDADD = libyoke.la
examples_page_locked_LDADD = libyoke.la
examples_pinned_LDADD = libyoke.la
examples_pipeline_LDADD = libyoke.la
examples_reduce_LDADD = libyoke.la
examples_several_devices_LDADD = libyoke.la
examples_shared_memory_LDADD = libyoke.la
examples_structs_LDADD = libyoke.la
examples_vector_add_LDADD = libyoke.la
examples_zoom_LDADD = libyoke.la

# Kernels from files, made into C by the tool: it has to run here.
if !CROSS_COMPILING
noinst_PROGRAMS += examples/drafted examples/mandelbrot
endif
examples_mandelbrot_SOURCES = examples/mandelbrot.c
nodist_examples_mandelbrot_SOURCES = examples/mandelbrot_kernels.c
examples_mandelbrot_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/examples
examples_mandelbrot_LDADD = libyoke.la
CLEANFILES += examples/mandelbrot_kernels.c examples/mandelbrot_kernels.h
examples/mandelbrot_kernels.c: $(srcdir)/examples/mandelbrot.cu $(srcdir)/examples/mandelbrot.cl $(srcdir)/examples/mandelbrot.h \
		tools/yoke$(EXEEXT)
	$(AM_V_GEN)tools/yoke$(EXEEXT) cc --name mandelbrot -o $@ $(srcdir)/examples/mandelbrot.cu \
		$(srcdir)/examples/mandelbrot.cl
examples/mandelbrot_kernels.h: examples/mandelbrot_kernels.c
$(examples_mandelbrot_OBJECTS): examples/mandelbrot_kernels.h

examples_drafted_SOURCES = examples/drafted.c
nodist_examples_drafted_SOURCES = examples/drafted_kernels.c
examples_drafted_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)/examples
examples_drafted_LDADD = libyoke.la -lm
CLEANFILES += examples/drafted_kernels.c examples/drafted_kernels.h
examples/drafted_kernels.c: $(srcdir)/examples/drafted.yk tools/yoke$(EXEEXT)
	$(AM_V_GEN)tools/yoke$(EXEEXT) cc --name drafted -o $@ $(srcdir)/examples/drafted.yk
examples/drafted_kernels.h: examples/drafted_kernels.c
$(examples_drafted_OBJECTS): examples/drafted_kernels.h

# Those with a picture; without libpng they leave none, and there is nothing to blur.
examples_heat_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
examples_heat_LDADD = libyoke.la $(PNG_LIBS)
examples_nbody_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
examples_nbody_LDADD = libyoke.la $(PNG_LIBS)
if HAVE_PNG
noinst_PROGRAMS += examples/blur
endif
examples_blur_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
examples_blur_LDADD = libyoke-ops.la libyoke.la $(PNG_LIBS)

# Those that use libyoke-ops. kmeans and particles leave a picture, and statistics reads one, where there is libpng.
noinst_PROGRAMS += \
	examples/kmeans \
	examples/monte_carlo \
	examples/particles \
	examples/sort_structs \
	examples/sparse \
	examples/statistics
examples_kmeans_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
examples_kmeans_LDADD = libyoke-ops.la libyoke.la $(PNG_LIBS)
examples_monte_carlo_LDADD = libyoke-ops.la libyoke.la
examples_particles_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
examples_particles_LDADD = libyoke-ops.la libyoke.la $(PNG_LIBS)
examples_sort_structs_LDADD = libyoke-ops.la libyoke.la
examples_sparse_LDADD = libyoke-ops.la libyoke.la
examples_statistics_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS)
examples_statistics_LDADD = libyoke-ops.la libyoke.la $(PNG_LIBS)
