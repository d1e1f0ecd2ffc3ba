#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The ABI of libyoke.so, libyoke-ops.so and libyoke-comm.so is what libyoke.abi, libyoke-ops.abi and libyoke-comm.abi have recorded:
# programs built against it still run. It is the same for every MPI. New functions are allowed. After an intended change, see
# YOKE_LIBTOOL_VERSION in configure.ac, and record the ABI again from a build folder with
#
#   sh ../tests/static/abi.sh record                    all, or
#   sh ../tests/static/abi.sh record libyoke-ops        one

top_srcdir=${top_srcdir:-$(dirname "$0")/../..}
. "$top_srcdir/tests/tap/tap.sh"

command -v abidw >/dev/null || tap_skip_all "abidw is not installed (package abigail-tools)"
[ -f .libs/libyoke.so ] || tap_skip_all "no shared library in this build"
[ "$(uname -m)" = x86_64 ] || tap_skip_all "recorded for x86_64, and this is $(uname -m)"
readelf -S .libs/libyoke.so | grep -qF .debug_info || tap_skip_all "the library has no debug information, which tells its types"

if [ "${1-}" = record ]; then
    shift
    [ $# -gt 0 ] || set -- libyoke libyoke-ops libyoke-comm
    for library; do
        abidw --headers-dir "$top_srcdir/include" --drop-private-types --drop-undefined-syms --exported-interfaces-only \
            --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
            --out-file "$top_srcdir/tests/static/$library.abi" ".libs/$library.so" || exit 1
    done
    exit
fi

# What programs see only a pointer to may change.
cat >"$tap_folder/opaque" <<END
[suppress_type]
name_regexp = ^(yk_.*|yoke_(buffer|comm|device|event|graph|image|kernel|program|stream))$
END
for library in libyoke libyoke-ops libyoke-comm; do
    recorded=$top_srcdir/tests/static/$library.abi
    if [ ! -f ".libs/$library.so" ]; then
        tap_skip "$library: configure found no MPI"
        continue
    fi
    tap_try "$library: nothing is removed and nothing changed" abidiff --no-added-syms --suppressions "$tap_folder/opaque" \
        "$recorded" ".libs/$library.so"
    abidiff --suppressions "$tap_folder/opaque" "$recorded" ".libs/$library.so" | sed -n 's/^ *\[A\]/# new, not recorded yet:/p'
done
tap_done
