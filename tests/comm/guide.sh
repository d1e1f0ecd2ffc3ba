#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The examples of libyoke-comm's functions, from doc/examples.md, as one program with 2 ranks. They may use what guide.sh of
# tests/static says, and comm, rank and ranks.

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device

cat >"$tap_folder/guide.c" <<'END'
#include <mpi.h>
#include <yoke/check.h>
#include <yoke/comm.h>
#include <yoke/ops.h>

enum { N = 1024 };

int main(int argc, char **argv)
{
    int provided, rank, ranks;
    MPI_Comm all = MPI_COMM_WORLD;
    yoke_device *device;
    yoke_stream *stream;
    yoke_comm *comm;
    yoke_source source;
    yoke_program *program;
    yoke_kernel *saxpy;
    yoke_buffer *x, *y;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    YOKE_CHECK(yoke_comm_open_device(&all, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_comm_create(device, &all, &comm));
    YOKE_CHECK(yoke_comm_add(comm, stream));
    YOKE_CHECK(yoke_source_builtin("saxpy", &source));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "saxpy", &saxpy));
    YOKE_CHECK(yoke_buffer_create(device, N * sizeof(float), &x));
    YOKE_CHECK(yoke_buffer_create(device, N * sizeof(float), &y));
    YOKE_CHECK(yoke_fill(stream, x, 0, N * sizeof(float), &(float){ 1 }, sizeof(float)));
    YOKE_CHECK(yoke_fill(stream, y, 0, N * sizeof(float), &(float){ 2 }, sizeof(float)));
    yoke_array a = yoke_array_2d(x, YOKE_F32, 32, 32), b = yoke_array_2d(y, YOKE_F32, 32, 32);
END
awk '/^## / { inside = /^## Many processes/ } !inside { next }
    /^```c/ { print "    {"; code = 1; next }
    /^```/ && code { print "    }"; code = 0; next }
    code' "$top_srcdir/doc/examples.md" >"$tap_folder/fragments"
cat "$tap_folder/fragments" - >>"$tap_folder/guide.c" <<'END'
    YOKE_CHECK(yoke_stream_wait(stream));
    yoke_buffer_release(x);
    yoke_buffer_release(y);
    yoke_program_release(program);
    yoke_comm_release(comm);
    yoke_stream_release(stream);
    yoke_device_release(device);
    MPI_Finalize();
    return 0;
}
END

compile() {
    # shellcheck disable=SC2086
    $CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${YOKE_SANITIZER-} -I "$top_srcdir/include" $MPI_CPPFLAGS \
        "$tap_folder/guide.c" -o "$tap_folder/guide" -L .libs -lyoke-comm -lyoke-ops -lyoke $MPI_LIBS -lpthread
}
export LD_LIBRARY_PATH="$PWD/.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"
tap_try "there are examples" grep -q yoke_comm_alltoall "$tap_folder/fragments"
tap_try "they compile" compile
tap_try "they run" mpi_run 2 "$tap_folder/guide"
tap_done
