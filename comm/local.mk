# SPDX-License-Identifier: Apache-2.0
#
# libyoke-comm: MPI in the order of streams, where configure has found an MPI. It uses the public API of libyoke only, so that its
# include path has no src/.
# CMakeLists.txt and meson.build read these lists.

EXTRA_DIST += comm/README.md build-aux/libyoke-comm.map
comm_headers = \
	include/yoke/comm.h

if HAVE_MPI
comm_library = libyoke-comm.la
lib_LTLIBRARIES += $(comm_library)
libyoke_comm_la_CPPFLAGS = -I$(top_srcdir)/include -I$(top_srcdir) $(MPI_CPPFLAGS) -DYCOMM_MPI_NAME='"$(YOKE_MPI_NAME)"'
libyoke_comm_la_CFLAGS = $(AM_CFLAGS) $(COVERAGE_CFLAGS)
yokeinclude_HEADERS += $(comm_headers)
pkgconfig_DATA += yoke-comm.pc
endif
libyoke_comm_la_SOURCES = \
	comm/address.c \
	comm/allreduce.c \
	comm/aware.c \
	comm/block.c \
	comm/check.c \
	comm/collective.c \
	comm/comm.c \
	comm/comm.h \
	comm/engine.c \
	comm/exit.c \
	comm/finalize.c \
	comm/failure.c \
	comm/message.c \
	comm/nccl.c \
	comm/nccl.h \
	comm/nccl_op.c \
	comm/nccl_watch.c \
	comm/op.c \
	comm/pipe.c \
	comm/post.c \
	comm/reduction.c \
	comm/run.c \
	comm/start.c \
	comm/start.h \
	comm/way.c \
	comm/vendor/api.h \
	comm/vendor/drivers.c \
	comm/vendor/libraries.c \
	comm/vendor/symbols.def \
	comm/vendor/vendor.h
libyoke_comm_la_LIBADD = libyoke-base.la libyoke.la $(MPI_LIBS)
# In memory for good, like libyoke: the progress thread never ends.
libyoke_comm_la_LDFLAGS = $(AM_LDFLAGS) $(YOKE_NODELETE) -no-undefined -version-info $(YOKE_LIBTOOL_VERSION)
if HAVE_VERSION_SCRIPT
libyoke_comm_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/build-aux/libyoke-comm.map
EXTRA_libyoke_comm_la_DEPENDENCIES = build-aux/libyoke-comm.map
endif
