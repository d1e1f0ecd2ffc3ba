#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Memory for what is on its way, its limit and its end: memory.c.

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device
export YOKE_COMM=staged YOKE_COMM_TIMEOUT=20
limited() {
    (export YOKE_COMM_PINNED=2 && mpi_cases "$1" tests/comm/memory limit)
}
for ranks in 1 3 6; do
    tap_try "the limit, $ranks ranks" limited $ranks
done
tap_try "after failures, 3 ranks" mpi_cases 3 tests/comm/memory failed
tap_try "no memory, 2 ranks" mpi_cases 2 tests/comm/memory exhausted
tap_try "no memory, 3 ranks" mpi_cases 3 tests/comm/memory exhausted
tap_done
