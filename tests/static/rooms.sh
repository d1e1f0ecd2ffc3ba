#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The rooms of each library and their walls: a room includes and calls only itself and the rooms before it, and files that call
# each other in a circle stand in one room, five of them at most.

. "$top_srcdir/tests/tap/tap.sh"

# A room is a folder, with the folders inside it; "." is what stands beside the folders. The room of a path below the library's
# folder:
room='function room(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "." }'
ranks='BEGIN { count = split(rooms, floors, " ")
    for (i = 1; i <= count; i++) { beside = split(floors[i], names, "+"); for (k = 1; k <= beside; k++) rank[names[k]] = i } }'

list_files() {
    (cd "$top_srcdir/$folder" && find . -name '*.[ch]' -o -name '*.y[hk]' | sort) | sed 's|^\./||' >"$tap_folder/files"
}

# Lines of "FILE INCLUDED", both below the folder. What is found beside the file is its room's, all else is named from the folder or
# from the top; texts of kernels include each other by their names alone.
list_includes() {
    cp "$tap_folder/files" "$tap_folder/all"
    while read -r file; do
        sed -n 's|^#include "\([a-z0-9_/.]*\)".*|\1|p' "$top_srcdir/$folder/$file" | while read -r included; do
            beside=$(dirname "$file")/$included
            if [ -f "$top_srcdir/$folder/$beside" ]; then
                printf '%s %s\n' "$file" "${beside#./}"
            elif [ -f "$top_srcdir/$folder/${included#"$folder/"}" ]; then
                printf '%s %s\n' "$file" "${included#"$folder/"}"
            else
                sed -n "s|.*/$included\$|$file &|p" "$tap_folder/all"
            fi
        done
    done <"$tap_folder/files" >"$tap_folder/includes"
}

# Lines of "CALLER CALLED NAME", by the symbols of what was compiled.
list_calls() {
    find "$folder" -name '*-*.o' ! -path '*/.libs/*' >"$tap_folder/objects"
    [ -s "$tap_folder/objects" ] || find "$folder" -name '*-*.o' >"$tap_folder/objects"
    xargs nm -A <"$tap_folder/objects" 2>/dev/null |
        sed -n "s|^$folder/\(.*/\)*\(\.libs/\)*[a-z_]*-\([a-z0-9_]*\)\.o:[0-9a-f ]* \([A-Z]\) \([a-z].*\)\$|\1\3 \4 \5|p" |
        sed 's|\.libs/||' >"$tap_folder/symbols"
    awk -v free="$free" '$2 != "U" { home[$3] = $1 }
         $2 == "U" { wants[++count] = $1; name[count] = $3 }
         END {
             for (i = 1; i <= count; i++)
                 if (name[i] in home && home[name[i]] != wants[i] && name[i] !~ free)
                     print wants[i], home[name[i]], name[i]
         }' "$tap_folder/symbols" | sort -u >"$tap_folder/calls"
}

# Two files are in one circle when each reaches the other.
list_circles() {
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
                size = walls = 0
                circle = ""
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
}

# library FOLDER LARGEST ROOMS [FREE]: what is said above, of one library; its rooms from the ground up, those that need each other
# as one with a "+". FREE is a pattern of functions that any room may call.
library() {
    folder=$1 largest=$2 rooms=$3 free=${4-^$}
    list_files
    awk -v rooms="$rooms" "$room $ranks"' !(room($0) in rank) { print $0 " is in no room" }' "$tap_folder/files" >"$tap_folder/lost"
    tap_empty "$folder: every file is in a room" "$tap_folder/lost"
    list_includes
    awk -v rooms="$rooms" "$room $ranks"' rank[room($2)] > rank[room($1)] { print $1 " includes " $2 }' \
        "$tap_folder/includes" >"$tap_folder/up"
    tap_empty "$folder: no room includes a room above it" "$tap_folder/up"
    tap_try "$folder: there are includes" test -s "$tap_folder/includes"
    [ "$folder" != comm ] || [ -f libyoke-comm.la ] || return 0 # not without an MPI
    list_calls
    tap_try "$folder: there are calls" test -s "$tap_folder/calls"
    awk -v rooms="$rooms" "$room $ranks"' rank[room($2)] > rank[room($1)] { print $1 " calls " $2 ": " $3 }' \
        "$tap_folder/calls" >"$tap_folder/up"
    tap_empty "$folder: no room calls a room above it" "$tap_folder/up"
    list_circles
    tap_empty "$folder: circles of files that call each other are small, and inside a room" "$tap_folder/circles"
    sort -rn "$tap_folder/sizes" | sed 's/^/# /'
}

# backend.h, backend.def and backend_api.h are the seam, for every room.
# The system and the folder itself are in every library, process in libyoke alone: they call public functions as all do.
library base 5 'system . process' '^yoke_'

library src 5 'objects+. stream memory program copy launch graph trace validate device'

# One room each. The table of a backend's slots names all of its files, and none of them may need the table.
library backends/cuda 5 '.'
library backends/opencl 5 '.'

# What makes and ends communicators stands on top.
library comm 1 'ground message transport .'

# prepare.c, which calls every operation once, stands above the rooms.
library ops 5 'array call library expression map reduce order signal linear random .'

# Beside the folders, and above them, is what has no parts: yoke.c and the subcommands of one file.
library tools 5 'ground measure conformance run cc info trace bench check .'

tap_done
