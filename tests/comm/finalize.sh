#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# MPI_Finalize while a communicator lives: finalize.c.

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device
for ranks in 1 2 3; do
    tap_try "nothing is left, $ranks ranks" mpi_cases $ranks tests/comm/finalize nothing
    tap_try "an operation waits behind a host function, $ranks ranks" mpi_cases $ranks tests/comm/finalize gate
done
for ranks in 2 3; do
    tap_try "an operation is under way, $ranks ranks" mpi_cases $ranks tests/comm/finalize begun
done
tap_done
