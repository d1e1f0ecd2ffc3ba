# SPDX-License-Identifier: Apache-2.0
#
# libyoke-comm: MPI in the order of streams, where configure has found an MPI. It uses the public API of libyoke only, so that its
# include path has no src/. Its rooms name each other's headers from comm/ on.
# CMakeLists.txt and meson.build read these lists.

EXTRA_DIST += comm/README.md build-aux/libyoke-comm.map
comm_headers = \
	include/yoke/comm.h

if HAVE_MPI
comm_library = libyoke-comm.la
lib_LTLIBRARIES += $(comm_library)
libyoke_comm_la_CPPFLAGS = -I$(top_srcdir)/include -I$(top_srcdir)/comm -I$(top_srcdir) $(MPI_CPPFLAGS) \
	-DYCOMM_MPI_NAME='"$(YOKE_MPI_NAME)"'
libyoke_comm_la_CFLAGS = $(AM_CFLAGS) $(COVERAGE_CFLAGS)
yokeinclude_HEADERS += $(comm_headers)
pkgconfig_DATA += yoke-comm.pc
endif
libyoke_comm_la_SOURCES = \
	comm/choose.c \
	comm/comm.c \
	comm/exit.c \
	comm/finalize.c \
	comm/ground/block.c \
	comm/ground/block.h \
	comm/ground/call.c \
	comm/ground/call.h \
	comm/ground/check.c \
	comm/ground/comm.c \
	comm/ground/comm.h \
	comm/ground/engine.c \
	comm/ground/engine.h \
	comm/ground/failure.c \
	comm/ground/failure.h \
	comm/ground/farewell.c \
	comm/ground/gate.c \
	comm/ground/meeting.c \
	comm/ground/process.c \
	comm/ground/process.h \
	comm/ground/reduction.c \
	comm/ground/reduction.h \
	comm/ground/transport.def \
	comm/ground/transport.h \
	comm/message/allreduce.c \
	comm/message/collective.c \
	comm/message/op.c \
	comm/message/op.h \
	comm/message/opening.c \
	comm/message/opening.h \
	comm/message/pipe.c \
	comm/message/point_to_point.c \
	comm/message/post.c \
	comm/message/run.c \
	comm/message/run.h \
	comm/message/run_failure.c \
	comm/message/run_life.c \
	comm/message/share.c \
	comm/start.c \
	comm/start.h \
	comm/transport/address.c \
	comm/transport/address.h \
	comm/transport/mpi.c \
	comm/transport/nccl/connect.c \
	comm/transport/nccl/end.c \
	comm/transport/nccl/enqueue.c \
	comm/transport/nccl/nccl.c \
	comm/transport/nccl/nccl.h \
	comm/transport/nccl/ticket.c \
	comm/transport/nccl/watch.c \
	comm/transport/over_mpi.h \
	comm/transport/reason.c \
	comm/transport/staged.c \
	comm/transport/transports.h \
	comm/transport/vendor/api.h \
	comm/transport/vendor/drivers.c \
	comm/transport/vendor/libraries.c \
	comm/transport/vendor/symbols.def \
	comm/transport/vendor/vendor.h
libyoke_comm_la_LIBADD = libyoke-base.la libyoke.la $(MPI_LIBS)
# In memory for good, like libyoke: the progress thread never ends.
libyoke_comm_la_LDFLAGS = $(AM_LDFLAGS) $(YOKE_NODELETE) -no-undefined -version-info $(YOKE_COMM_LIBTOOL_VERSION)
if HAVE_VERSION_SCRIPT
libyoke_comm_la_LDFLAGS += -Wl,--version-script=$(top_srcdir)/build-aux/libyoke-comm.map
EXTRA_libyoke_comm_la_DEPENDENCIES = build-aux/libyoke-comm.map
endif
