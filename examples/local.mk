# SPDX-License-Identifier: Apache-2.0
#
# Each example is built where its libraries are. The main job, photos, reads and writes PNG files.

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
examples_photos_photos_LDADD = libyoke.la $(PNG_LIBS)

# The event loop of libuv.
if HAVE_UV
noinst_PROGRAMS += examples/uv
endif
examples_uv_CPPFLAGS = $(AM_CPPFLAGS) $(UV_CFLAGS)
examples_uv_LDADD = libyoke.la $(UV_LIBS)

# Installed as sources, with a Makefile that builds them there.
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/Makefile examples/photos.c examples/uv.c
examples_photosdir = $(examplesdir)/photos
dist_examples_photos_DATA = \
	examples/photos/blur.c \
	examples/photos/files.c \
	examples/photos/options.c \
	examples/photos/photos.h \
	examples/photos/picture.c \
	examples/photos/report.c
