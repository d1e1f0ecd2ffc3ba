#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The rooms of src/ and their walls: a room includes and calls only itself and the rooms before it, and files that call each other
# in a circle stand in one room, eight of them at most.

. "$top_srcdir/tests/tap/tap.sh"

# From the ground up. A folder inside a room is part of it; backend.h, backend.def and backend_api.h are the seam, for every room
# but base.
rooms='base objects stream memory program copy launch graph trace device'
largest=8

# The room of a path below src/, or "seam".
room='function room(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "seam" }'
ranks='BEGIN { count = split(rooms, names, " "); for (i = 1; i <= count; i++) rank[names[i]] = i; rank["seam"] = 2 }'

(cd "$top_srcdir/src" && find . -name '*.[ch]' | sort) | sed 's|^\./||' >"$tap_folder/files"
awk -v rooms="$rooms" "$room $ranks"' !(room($0) in rank) { print $0 " is in no room" }' "$tap_folder/files" >"$tap_folder/lost"
tap_empty "every file of src/ is in a room" "$tap_folder/lost"

# ---- Includes ----

while read -r file; do
    sed -n "s|^#include \"\([a-z_/]*\.[a-z]*\)\".*|$file \1|p" "$top_srcdir/src/$file"
done <"$tap_folder/files" >"$tap_folder/includes"
awk -v rooms="$rooms" "$room $ranks"'
    !(room($2) in rank) { print $1 " includes " $2 ", which is in no room"; next }
    rank[room($2)] > rank[room($1)] { print $1 " includes " $2 }' "$tap_folder/includes" >"$tap_folder/up"
tap_empty "no room includes a room above it" "$tap_folder/up"
tap_try "there are includes" test -s "$tap_folder/includes"

# ---- Calls, by the symbols of what was compiled ----

# Lines of "FILE T NAME" for what a file defines and "FILE U NAME" for what it wants.
find src -name 'libyoke_all_la-*.o' ! -path '*/.libs/*' >"$tap_folder/objects"
[ -s "$tap_folder/objects" ] || find src -name 'libyoke_all_la-*.o' >"$tap_folder/objects"
xargs nm -A <"$tap_folder/objects" 2>/dev/null |
    sed -n 's|^src/\(.*/\)\(\.libs/\)*libyoke_all_la-\([a-z_]*\)\.o:[0-9a-f ]* \([A-Z]\) \(yo*ke*_.*\)$|\1\3 \4 \5|p' |
    sed 's|\.libs/||' >"$tap_folder/symbols"
awk '$2 != "U" { home[$3] = $1 }
     $2 == "U" { wants[++count] = $1; name[count] = $3 }
     END {
         for (i = 1; i <= count; i++)
             if (name[i] in home && home[name[i]] != wants[i])
                 print wants[i], home[name[i]], name[i]
     }' "$tap_folder/symbols" | sort -u >"$tap_folder/calls"
tap_try "there are calls" test -s "$tap_folder/calls"
awk -v rooms="$rooms" "$room $ranks"'
    rank[room($2)] > rank[room($1)] { print $1 " calls " $2 ": " $3 }' "$tap_folder/calls" >"$tap_folder/up"
tap_empty "no room calls a room above it" "$tap_folder/up"

# Two files are in one circle when each reaches the other.
awk -v largest="$largest" "$room"'
    function reach(from, at,    i) {
        for (i = 1; i <= degree[at]; i++)
            if (!((from, next_of[at, i]) in reached)) {
                reached[from, next_of[at, i]] = 1
                reach(from, next_of[at, i])
            }
    }
    !(($1, $2) in seen) { seen[$1, $2] = 1; next_of[$1, ++degree[$1]] = $2; files[$1] = files[$2] = 1 }
    END {
        for (file in files)
            reach(file, file)
        for (file in files) {
            if (file in done || !((file, file) in reached))
                continue
            size = 0
            circle = ""
            walls = 0
            for (other in files)
                if ((file, other) in reached && (other, file) in reached) {
                    done[other] = 1
                    size++
                    circle = circle " " other
                    walls += room(other) != room(file)
                }
            print size ":" circle >"/dev/stderr"
            if (size > largest || walls)
                print size " files call each other" (walls ? " across rooms" : "") ":" circle
        }
    }' "$tap_folder/calls" >"$tap_folder/circles" 2>"$tap_folder/sizes"
tap_empty "circles of files that call each other are small, and inside a room" "$tap_folder/circles"
sort -rn "$tap_folder/sizes" | sed 's/^/# /'
tap_done
