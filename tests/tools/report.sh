#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bench/report.py makes tables of figures: units, ratios, what is missing, what is doubted, and a table in its place in a page. And
# that each program that it runs is one of bench/ or python/bench/.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

command -v python3 >/dev/null || tap_skip_all "there is no python3"
source=$(cd "$top_srcdir" && pwd)
report=$source/bench/report.py
cd "$tap_folder" || exit 1

cat >figures <<'END'
# load average 0.10 on 2 cores
cuda.launch.yoke 3094.6 ns
cuda.launch.raw 950 ns
opencl.launch.yoke 104.4 ns
# opencl.launch.yoke: half of its batches took from 0.4 to 2.0 of the median: do not trust the figure
opencl.add_f32_26.yoke 1234567 us
opencl.add_f32_26.ratio 1.0049 of_raw
END
python3 "$report" --figures figures driver operations >tables 2>&1
tap_ok $? "tables are made of figures that were kept"
grep -qxF '| launch, the call alone | 3.09 µs | 950 ns | 104 ns (?) | – |' tables
tap_ok $? "a figure has three digits and a unit in which there are no thousands, and the mark of a doubt; what is missing is a dash"
grep -qxF '| add, 2^26 `float` | 1,235 ms | – | – | 1.00 |' tables
tap_ok $? "where CUDA has no figure, OpenCL's stands; a ratio has two places"
grep -qxF -e '- load average 0.10 on 2 cores' tables
tap_ok $? "what the programs said is told"
python3 "$report" --figures figures python | grep -qxF "This machine lacks what all of it needs."
tap_ok $? "a table without a figure is a sentence"

printf '%s\n' "before" "" "<!-- table: driver -->" "" "| | old |" "|---|---|" "| launch | 1 |" "" "after" >page
python3 "$report" --figures figures --into page driver >tables
{
    printf '%s\n' "before" "" "<!-- table: driver -->" ""
    grep '^|' tables
    printf '%s\n' "" "after"
} >wanted
diff wanted page >difference
tap_empty "a page gets the new table in the place of the old one" difference

python3 "$report" --figures figures nonsense 2>&1 | grep -qF "there is no table nonsense; there are driver "
tap_ok $? "a table that does not exist is refused, and the tables are named"

python3 "$report" --help | grep -q "^Tables: driver "
tap_ok $? "--help lists the tables"
grep -oE '"((cuda|opencl) )?(python/)?bench/[a-z_]+(\.py)?' "$report" | sed 's/^"//; s/^\(cuda\|opencl\) //' | sort -u |
    while read -r program; do
        [ -f "$source/$program" ] || [ -f "$source/$program.c" ] || echo "$program"
    done >missing
tap_empty "each program that it runs is there" missing
tap_done
