#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The ABI of libyoke.so is the recorded ABI in libyoke.abi: programs built against it still run. New functions are allowed. After an
# intended change, see YOKE_LIBTOOL_VERSION in configure.ac, and record the ABI again from a build folder with
#
#   sh ../tests/static/abi.sh record

top_srcdir=${top_srcdir:-..}
. "$top_srcdir/tests/tap/tap.sh"

recorded=$top_srcdir/tests/static/libyoke.abi
library=.libs/libyoke.so

command -v abidw >/dev/null || tap_skip_all "abidw is not installed (package abigail-tools)"
[ -f $library ] || tap_skip_all "no shared library in this build"
[ "$(uname -m)" = x86_64 ] || tap_skip_all "recorded for x86_64, and this is $(uname -m)"
readelf -S $library | grep -qF .debug_info || tap_skip_all "the library has no debug information, which tells its types"

if [ "${1-}" = record ]; then
    abidw --headers-dir "$top_srcdir/include" --drop-private-types --drop-undefined-syms --exported-interfaces-only \
        --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --out-file "$recorded" $library
    exit
fi

# What programs see only a pointer to may change.
cat >"$tap_folder/opaque" <<EOF
[suppress_type]
name_regexp = ^(yk_.*|yoke_(buffer|device|event|graph|image|kernel|program|stream))$
EOF
tap_try "nothing is removed and nothing changed" abidiff --no-added-syms --suppressions "$tap_folder/opaque" "$recorded" $library
abidiff --suppressions "$tap_folder/opaque" "$recorded" $library | sed -n 's/^ *\[A\]/# new, not recorded yet:/p'
tap_done
