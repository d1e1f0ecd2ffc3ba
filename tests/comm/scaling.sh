#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The communication of Jacobi's iteration, simulated with 16, 64 and 256 ranks: with four times the ranks a step takes longer by the
# same amount again, as the logarithm of their number does. bench/scaling/ has the simulation.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

command -v smpirun >/dev/null || tap_skip_all "SimGrid is not installed (package libsimgrid-dev)"

tap_try "16, 64 and 256 ranks are simulated" sh "$top_srcdir/bench/scaling/run.sh" "$tap_folder/scaling" jacobi 16 64 256
cp "$tap_folder/output" "$tap_folder/times"

# grows SIDE: no faster than the logarithm, with half as much again for what the tree of the network costs.
grows() {
    awk -v name="jacobi_$1" '{ split($1, parts, ".") }
        parts[1] == name && $3 == "us" { time[parts[2]] = $2 }
        END {
            first = time[64] - time[16]
            second = time[256] - time[64]
            print "from 16 to 64 ranks: " first " us, from 64 to 256: " second " us"
            exit !(time[16] > 0 && first > 0 && second <= 1.5 * first)
        }' "$tap_folder/times"
}
tap_try "a step grows with the logarithm where communication takes most of it" grows 512
tap_try "and where it is hidden behind the kernel" grows 8192
tap_done
