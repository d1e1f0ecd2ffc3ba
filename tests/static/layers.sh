#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Who may include and call whom: drivers only inside backends/, no backend another one, no vendor's header in the core.

. "$top_srcdir/tests/tap/tap.sh"

# reached FOLDER PATTERN: the headers matching PATTERN that any C file of the folder includes, directly or not.
reached() {
    for file in "$1"/*.c; do
        [ -f "$file" ] || continue
        # shellcheck disable=SC2086
        $CC -M $YOKE_CPPFLAGS -I"$top_srcdir/include" -I"$top_srcdir/src" "$file" 2>&1 | tr ' ' '\n' | grep -E "$2" |
            sed "s|^|${file##*/}: |"
    done
}

# The file's lines without comments, numbered.
code() {
    awk '{
        line = $0
        out = ""
        while (line != "") {
            if (inside) {
                end = index(line, "*/")
                if (!end)
                    break
                line = substr(line, end + 2)
                inside = 0
            } else {
                start = index(line, "/*")
                if (!start) {
                    out = out line
                    break
                }
                out = out substr(line, 1, start - 1)
                line = substr(line, start + 2)
                inside = 1
            }
        }
        print FNR ": " out
    }' "$1"
}

vendor='(^|/)(CL/[a-z_]*\.h|cuda[a-z_]*\.h|nvrtc\.h)$'

reached "$top_srcdir/src" "$vendor|/backends/" >"$tap_folder/core"
tap_empty "src/ includes no vendor's header and nothing of backends/" "$tap_folder/core"

grep -nE '#[[:space:]]*include[[:space:]]*[<"](CL/|cuda|nvrtc)' "$top_srcdir"/include/yoke/*.h >"$tap_folder/public"
tap_empty "include/ includes no vendor's header" "$tap_folder/public"

for file in "$top_srcdir"/src/*.[ch] "$top_srcdir"/include/yoke/*.h "$top_srcdir"/examples/*.[ch]; do
    [ -f "$file" ] || continue
    code "$file" | grep -E '(^|[^A-Za-z0-9_"])(cu|cl|nvrtc)[A-Z][A-Za-z0-9_]*[[:space:]]*\(' | sed "s|^|${file##*/}:|"
done >"$tap_folder/calls"
tap_empty "no call of a driver outside backends/" "$tap_folder/calls"

for backend in "$top_srcdir"/backends/*/; do
    backend=${backend%/}
    for other in "$top_srcdir"/backends/*/; do
        other=${other%/}
        [ "$backend" = "$other" ] || reached "$backend" "backends/${other##*/}/|\.\./${other##*/}/"
    done >"$tap_folder/others"
    tap_empty "backends/${backend##*/} includes nothing of another backend" "$tap_folder/others"
done

reached "$top_srcdir/backends/cuda" "$vendor" >"$tap_folder/cuda"
tap_empty "backends/cuda is built without NVIDIA's headers" "$tap_folder/cuda"
tap_done
