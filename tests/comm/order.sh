#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The order of operations, with 1 to 4 ranks: order.c.

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device
for ranks in 1 2 3 4; do
    tap_try "order, $ranks ranks" mpi_cases $ranks tests/comm/order
done
tap_done
