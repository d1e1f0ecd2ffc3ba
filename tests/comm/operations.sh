#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every operation with 1 to 4 ranks: operations.c.

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device
for ranks in 1 2 3 4; do
    tap_try "operations, $ranks ranks" mpi_cases $ranks tests/comm/operations
done
tap_done
