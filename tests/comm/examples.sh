#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The examples of many processes, with 1 to 4 ranks: each compares its result with that of one processor.

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device
examples=$PWD/examples

# runs PATTERN RANKS NAME ARGUMENT...: the example ends well, and prints a line that matches.
runs() {
    pattern=$1 ranks=$2 name=$3
    shift 3
    (cd "$tap_folder" && mpi_run "$ranks" "$examples/$name" "$@") >"$tap_folder/said" 2>&1
    code=$?
    cat "$tap_folder/said"
    [ "$code" -eq 0 ] && grep -qE -- "$pattern" "$tap_folder/said"
}
for ranks in 1 2 3 4; do
    tap_try "jacobi, $ranks ranks" runs '^jacobi: .* 300 steps, 0 of 64000 points differ .*: right$' $ranks jacobi
    tap_try "sort_ranks, $ranks ranks" runs '^sort_ranks: .* 64000 pairs, .* 0 in a wrong place: right$' $ranks sort_ranks
    [ ! -f "$tap_folder/sort_ranks.png" ] || mv "$tap_folder/sort_ranks.png" "$tap_folder/$ranks.png"
    tap_try "sort_ranks, $ranks ranks, pairs with one key" runs '^sort_ranks: .* 320 pairs, .* 0 in a wrong place: right$' \
        $ranks sort_ranks 1
    tap_try "kmeans_ranks, $ranks ranks" runs '^kmeans_ranks: .* 17 rounds, 0 of 7 centres differ .*: right$' $ranks kmeans_ranks
done

same_pictures() {
    cmp "$tap_folder/1.png" "$tap_folder/2.png" && cmp "$tap_folder/1.png" "$tap_folder/3.png" &&
        cmp "$tap_folder/1.png" "$tap_folder/4.png"
}
if [ -f "$tap_folder/1.png" ]; then
    tap_try "sort_ranks draws the same picture with 1, 2, 3 and 4 ranks" same_pictures
else
    tap_skip "sort_ranks draws nothing: built without libpng"
fi
tap_done
