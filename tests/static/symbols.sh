#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The libraries export what the headers declare and what symbols.txt (libyoke), ops_symbols.txt (libyoke-ops) and comm_symbols.txt
# (libyoke-comm) list, internal names in the archives have our prefix, and libyoke-ops and libyoke-comm use what libyoke exports
# and nothing else of it, but the functions of base/, of which each library has its own. Each function stands in a node of
# build-aux/lib*.map, which says since which version it is there. After functions have been added, to symbols.txt by hand, write the
# lists of the other two, the maps and Debian's lists anew, from a build folder, with
#
#   sh ../tests/static/symbols.sh record
#
# New functions go into the last node of a map. Make it, empty, for a release that adds the first: YOKE_0.2.0 { } YOKE_0.1.0;

top_srcdir=${top_srcdir:-$(dirname "$0")/../..}
. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

# Headers of libyoke-ops are those that its local.mk installs; the others are libyoke's.
ops_headers=$(sed -n 's|^\tinclude/yoke/\([a-z]*\.h\).*|\1|p' "$top_srcdir/ops/local.mk")

# declared HEADER...: a declaration may go on for lines: what counts is the name behind YOKE_API.
declared() {
    sed -n 's/^YOKE_API [^(]*[ *]\(yoke_[a-z0-9_]*\)(.*/\1/p' "$@" | sort
}

# exported LIBRARY
exported() {
    nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort
}

cd "$top_srcdir/include/yoke" || exit 1
# shellcheck disable=SC2086
declared $ops_headers >"$tap_folder/ops_declared"
declared comm.h >"$tap_folder/comm_declared"
others=$(printf '%s\n' *.h | grep -vxF "$ops_headers" | grep -vx comm.h)
# shellcheck disable=SC2086
declared $others >"$tap_folder/yoke_declared"
cd "$OLDPWD" || exit 1

# "name@node version" for each function of a map.
nodes() {
    awk '/^YOKE[A-Z_]*_[0-9.]+ \{/ { node = version = $1; sub(/.*_/, "", version) }
         /^ +yoke_/ { sub(/;.*/, ""); print $1 "@" node " " version }' "$top_srcdir/build-aux/$1.map" | sort
}

# record NAME LIST
record() {
    list=$top_srcdir/tests/static/$2 map=$top_srcdir/build-aux/lib$1.map symbols=$top_srcdir/debian/lib${1}0.symbols
    if [ "$1" != yoke ]; then
        # What the header declares: a library does not export what its map lacks.
        sed -i '/^[^#]/d' "$list" && cat "$tap_folder/${1#yoke-}_declared" >>"$list"
    fi
    # The last node has what no node before it has.
    awk -v last="$(grep -c '^YOKE' "$map")" '
        NR == FNR { if (!/^#/) names[++count] = $1; next }
        /^YOKE/ { node++ }
        /^ +yoke_/ && node == last { next }
        /^ +yoke_/ { name = $1; sub(/;/, "", name); earlier[name] = 1 }
        { print }
        /^global:/ && node == last { for (i = 1; i <= count; i++) if (!(names[i] in earlier)) print "    " names[i] ";" }
        ' "$list" "$map" >"$tap_folder/map" && cat "$tap_folder/map" >"$map"
    sed -i '/^ yoke_/d' "$symbols" && nodes "lib$1" | sed 's/^/ /' >>"$symbols"
}

if [ "${1-}" = record ]; then
    record yoke symbols.txt
    record yoke-ops ops_symbols.txt
    record yoke-comm comm_symbols.txt
    exit
fi

# versions NAME: of what is in $tap_folder/listed, and in Debian's package.
versions() {
    nodes "$1" | sed 's/@.*//' | diff "$tap_folder/listed" - >"$tap_folder/difference"
    tap_empty "each function of $1 stands in one node of its map: since which version it is there" "$tap_folder/difference"
    grep '^ yoke_' "$top_srcdir/debian/${1}0.symbols" | sed 's/^ //' | sort >"$tap_folder/packaged"
    nodes "$1" | diff - "$tap_folder/packaged" >"$tap_folder/difference"
    tap_empty "Debian's package of $1 has the same list and versions" "$tap_folder/difference"
}

# library NAME LIST PREFIXES NEEDED: libNAME.so and libNAME.a. PREFIXES and NEEDED are patterns, of the global names in the
# archive and of the libraries that it may need.
library() {
    name=lib$1 list=$top_srcdir/tests/static/$2 prefixes=$3 needed=$4
    grep -v '^#' "$list" >"$tap_folder/listed"

    tap_try "$2 is sorted" sort -c "$tap_folder/listed"
    diff "$tap_folder/listed" "$tap_folder/${1#yoke-}_declared" >"$tap_folder/difference"
    tap_empty "the headers of $name declare what is listed" "$tap_folder/difference"

    versions "$name"

    if [ -f ".libs/$name.so" ]; then
        exported ".libs/$name.so" | diff "$tap_folder/listed" - >"$tap_folder/difference"
        tap_empty "$name.so exports what is listed" "$tap_folder/difference"
        nm -D --defined-only ".libs/$name.so" | sed -n 's/.* \(yoke_[a-z0-9_]*\)@@*\(.*\)/\1@\2/p' | sort >"$tap_folder/versioned"
        nodes "$name" | sed 's/ .*//' | diff - "$tap_folder/versioned" >"$tap_folder/difference"
        [ -s "$tap_folder/versioned" ] || : >"$tap_folder/difference" # a linker without versions
        tap_empty "with these versions" "$tap_folder/difference"

        # ld-linux is named where thread-local storage is used; the sanitizers bring libraries of their own.
        objdump -p ".libs/$name.so" | awk -v allowed="^(lib($needed|asan|ubsan|tsan|gcc_s)\\\\.so|ld-linux)" '
            $1 == "NEEDED" && $2 !~ allowed { print $2 }' >"$tap_folder/needed"
        tap_empty "$name.so needs only lib($needed)" "$tap_folder/needed"

        if [ -n "${YOKE_NODELETE-}" ]; then
            readelf -dW ".libs/$name.so" | grep -q 'FLAGS_1.*NODELETE'
            tap_ok $? "$name.so stays in memory when the plugin that brought it is closed"
        else
            tap_skip "the linker has no -z nodelete"
        fi
    else
        tap_skip "no shared library in this build"
        tap_skip "no shared library in this build"
        tap_skip "no shared library in this build"
        tap_skip "no shared library in this build"
    fi

    if [ -f ".libs/$name.a" ]; then
        # Weak and common helpers of the compiler and of sanitizers are not ours.
        nm -g --defined-only ".libs/$name.a" 2>/dev/null | awk -v ours="^($prefixes|_)" '
            NF == 3 && $2 ~ /[TDBR]/ && $3 !~ ours { print $3 }' >"$tap_folder/strange"
        tap_empty "every global name in $name.a begins with $prefixes" "$tap_folder/strange"
        nm -g --defined-only ".libs/$name.a" 2>/dev/null | awk 'NF == 3 && $2 ~ /[TDBR]/ && $3 ~ /^yoke_/ { print $3 }' | sort |
            diff "$tap_folder/listed" - >"$tap_folder/difference"
        tap_empty "and none but those that are listed with yoke_" "$tap_folder/difference"
    else
        tap_skip "no static library in this build"
        tap_skip "no static library in this build"
    fi
}

library yoke symbols.txt 'yoke_|yk_|yvendor_' 'c|m|dl|pthread'
library yoke-ops ops_symbols.txt 'yoke_|yops_|yk_|yvendor_' 'yoke|c|m'

sh "$top_srcdir/build-aux/where.sh" "$top_srcdir" | sed -n 's/^| `\(.*\)` | .* | .* |$/\1/p' >"$tap_folder/placed"
grep -hv '^#' "$top_srcdir"/tests/static/symbols.txt "$top_srcdir"/tests/static/*_symbols.txt | sort |
    diff - "$tap_folder/placed" >"$tap_folder/difference"
tap_empty "each function is defined in one file, by the page that says in which" "$tap_folder/difference"

sh "$top_srcdir/build-aux/where.sh" "$top_srcdir" | sed -n 's/^| `\(.*\)` | .* | .* |$/\1/p' >"$tap_folder/placed"
grep -hv '^#' "$top_srcdir"/tests/static/symbols.txt "$top_srcdir"/tests/static/*_symbols.txt | sort |
    diff - "$tap_folder/placed" >"$tap_folder/difference"
tap_empty "each function is defined in one file, by the page that says in which" "$tap_folder/difference"

# What base/ has, a copy of which is in each library.
find base -path base/process -prune -o -name '*.o' -exec nm -g --defined-only {} + 2>/dev/null |
    awk 'NF == 3 { print $3 }' | sort -u >"$tap_folder/base"
tap_try "base/ has functions" test -s "$tap_folder/base"

# libyoke-comm is there where an MPI is, and needs that.
grep -v '^#' "$top_srcdir/tests/static/comm_symbols.txt" >"$tap_folder/listed"
diff "$tap_folder/listed" "$tap_folder/comm_declared" >"$tap_folder/difference"
tap_empty "comm.h declares what is listed in comm_symbols.txt" "$tap_folder/difference"
versions libyoke-comm
if [ -f .libs/libyoke-comm.so ]; then
    exported .libs/libyoke-comm.so | diff "$tap_folder/listed" - >"$tap_folder/difference"
    tap_empty "libyoke-comm.so exports what is listed" "$tap_folder/difference"
    find comm -name '*.o' -exec nm -u {} + | awk '$2 ~ /^yo*ke*_/ { print $2 }' | sort -u >"$tap_folder/used"
    grep -v '^#' "$top_srcdir/tests/static/symbols.txt" | sort - "$tap_folder/listed" "$tap_folder/base" |
        comm -23 "$tap_folder/used" - >"$tap_folder/foreign"
    tap_empty "libyoke-comm uses only what libyoke exports, and base/" "$tap_folder/foreign"
    tap_try "and uses some of it" test -s "$tap_folder/used"
    find comm -name '*.o' -exec nm -g --defined-only {} + | awk '
        NF == 3 && $2 ~ /[TDBR]/ && $3 !~ /^(yoke_comm_|ycomm_|_)/ { print $3 }' >"$tap_folder/strange"
    tap_empty "every global name in libyoke-comm begins with yoke_comm_ or ycomm_" "$tap_folder/strange"
else
    tap_skip "configure found no MPI, so that there is no libyoke-comm"
fi

# The objects, so that a build without shared libraries is looked at as well.
find ops -name '*.o' -exec nm -u {} + 2>/dev/null | awk '$2 ~ /^yo*ke*_/ { print $2 }' | sort -u >"$tap_folder/used"
find ops -name '*.o' -exec nm -g --defined-only {} + 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >"$tap_folder/own"
grep -v '^#' "$top_srcdir/tests/static/symbols.txt" | sort - "$tap_folder/own" "$tap_folder/base" |
    comm -23 "$tap_folder/used" - >"$tap_folder/foreign"
tap_empty "libyoke-ops uses only what libyoke exports, and base/" "$tap_folder/foreign"
tap_try "and uses some of it" test -s "$tap_folder/used"
tap_done
