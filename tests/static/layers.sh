#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Who may include and call whom: drivers only inside backends/, no backend another one, no vendor's header in the core; ops/ and
# comm/ include the public headers and base/ alone, of which base/process is libyoke's; and base/ nothing but public headers.

. "$top_srcdir/tests/tap/tap.sh"

# reached FOLDER PATTERN: the headers matching PATTERN that any file of the folder includes, directly or not. The compiler writes a
# rule for each, whose first word behind the target is the file.
reached() {
    # shellcheck disable=SC2086
    find "$1" -mindepth 1 -maxdepth 2 -name '*.[ch]' -exec $CC -M $YOKE_CPPFLAGS -I"$top_srcdir/include" -I"$top_srcdir/src" \
        -I"$top_srcdir/ops" -I"$top_srcdir" -x c {} + 2>&1 | tr ' ' '\n' | pattern=$2 awk '
            /\.o:$/ { begins = 1; next }
            begins && /\.[ch]$/ { file = $0; sub(/.*\//, "", file); begins = 0 }
            $0 ~ ENVIRON["pattern"] { print file ": " $0 }'
}

# code FILE...: their lines without comments, with the file's name and the number.
code() {
    awk 'FNR == 1 {
        name = FILENAME
        sub(/.*\//, "", name)
        inside = 0
    }
    {
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
        print name ":" FNR ": " out
    }' "$@"
}

vendor='(^|/)(CL/[a-z_]*\.h|cuda[a-z_]*\.h|nvrtc\.h)$'

reached "$top_srcdir/src" "$vendor|/backends/|^$top_srcdir/ops/" >"$tap_folder/core"
tap_empty "src/ includes no vendor's header and nothing of backends/ or ops/" "$tap_folder/core"

for folder in base base/process base/system base/system/posix; do
    reached "$top_srcdir/$folder" "$vendor|/(backends|src|ops|comm)/"
done >"$tap_folder/base"
tap_empty "base/ includes no vendor's header, and nothing of ours that stands on it" "$tap_folder/base"

# And what was compiled. Of what stands on base/process the linker sees to it: that is in libyoke alone.
base_objects() {
    find base -path base/process -prune -o -name '*.o' -exec nm "$@" {} + 2>/dev/null
}
base_objects -g --defined-only | awk 'NF == 3 { print $3 }' | sort -u >"$tap_folder/own"
base_objects -u | awk '$2 ~ /^y(k|ops|comm|vendor)_/ { print $2 }' | sort -u | comm -23 - "$tap_folder/own" >"$tap_folder/foreign"
tap_empty "base/ calls itself and public functions" "$tap_folder/foreign"
tap_try "base/ has object files" test -s "$tap_folder/own"
find base -name '*.o' -exec nm -g --defined-only {} + 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >"$tap_folder/own"
find base -name '*.o' -exec nm -u {} + 2>/dev/null | awk '$2 ~ /^(yk|yoke)_/ { print $2 }' | sort -u |
    comm -23 - "$tap_folder/own" >"$tap_folder/foreign"
tap_empty "base/process calls itself and base/" "$tap_folder/foreign"

reached "$top_srcdir/include/yoke" "$vendor|/backends/|/src/" >"$tap_folder/public"
tap_empty "include/ includes no vendor's header, and none of ours that is not public" "$tap_folder/public"

reached "$top_srcdir/ops" "$vendor|/backends/|/src/|/base/process/" >"$tap_folder/ops"
# A text of kernels includes headers of texts, which are embedded under their names alone.
(cd "$top_srcdir" && grep -nE '^ *# *include' ops/*.[ch] ops/*/*.[ch] ops/*/*.y[hk]) |
    sed -nE 's|^(ops/[^:]*:[0-9]*:) *# *include *(.*)|\1 \2|p' | while read -r place name; do
    case $name in
    '<yoke/'*) [ -f "$top_srcdir/include/$(echo "$name" | tr -d '<>')" ] || echo "$place $name" ;;
    '<'*) [ -z "${place##*.y[hk]:*}" ] && echo "$place $name" ;;
    '"base/process/'*) echo "$place $name" ;;
    '"base/'* | '"api/'*) [ -f "$top_srcdir/$(echo "$name" | tr -d '"')" ] || echo "$place $name" ;;
    '"generated.h"') ;; # what the expression of a call becomes
    *.yh'"') find "$top_srcdir/ops" -name "$(echo "$name" | tr -d '"')" | grep -q . || echo "$place $name" ;;
    *)
        name=$(echo "$name" | tr -d '"')
        [ -f "$top_srcdir/$(dirname "${place%%:*}")/$name" ] || [ -f "$top_srcdir/ops/$name" ] || echo "$place $name"
        ;;
    esac
done >>"$tap_folder/ops"
tap_empty "ops/ includes public headers and its own" "$tap_folder/ops"

# From the folder of the file, or from comm/ on.
(cd "$top_srcdir" && find comm -name '*.[ch]' -exec grep -HE '^ *# *include' {} +) |
    sed -nE 's/^([^:]*): *# *include *([^ ]*).*/\1 \2/p' | while read -r file name; do
    bare=$(echo "$name" | tr -d '<>"')
    case $name in
    '<yoke/'*) [ -f "$top_srcdir/include/$bare" ] || echo "$file $name" ;;
    '<'*cuda* | '<CL/'* | '<nccl'*) echo "$file $name" ;;
    '<'*) ;;
    '"base/process/'*) echo "$file $name" ;;
    '"base/'* | '"api/'*) [ -f "$top_srcdir/$bare" ] || echo "$file $name" ;;
    '"..'*) echo "$file $name" ;;
    *) [ -f "$top_srcdir/${file%/*}/$bare" ] || [ -f "$top_srcdir/comm/$bare" ] || echo "$file $name" ;;
    esac
done >"$tap_folder/comm"
tap_empty "comm/ includes public headers and its own" "$tap_folder/comm"

set --
for file in "$top_srcdir"/base/*.[ch] "$top_srcdir"/base/process/*.[ch] "$top_srcdir"/src/*.[ch] "$top_srcdir"/src/*/*.[ch] \
    "$top_srcdir"/ops/*.[ch] "$top_srcdir"/ops/*/*.[ch] $(find "$top_srcdir/comm" -name '*.[ch]' ! -path '*/vendor/*') \
    "$top_srcdir"/include/yoke/*.h "$top_srcdir"/examples/*.[ch]; do
    [ -f "$file" ] || continue
    # cuBLAS and cuFFT want the device's context current: its table of functions has two of the driver's.
    [ -n "${file##*/ops/library/*}" ] || continue
    set -- "$@" "$file"
done
code "$@" | grep -E '(^|[^A-Za-z0-9_"])(cu|cl|nvrtc)[A-Z][A-Za-z0-9_]*[[:space:]]*\(' >"$tap_folder/calls"
tap_empty "no call of a driver outside backends/" "$tap_folder/calls"

# And what was compiled: every function of a driver is found at run time, so none is left for the linker, in the backends either.
find base src backends ops comm -name '*.o' -exec nm -A -u {} + 2>/dev/null |
    grep -E ' (cu|cl|nvrtc)[A-Z][A-Za-z0-9_]*$' >"$tap_folder/undefined"
tap_empty "no object file wants a driver's function from the linker" "$tap_folder/undefined"
tap_try "there are object files" sh -c 'find src backends -name "*.o" | grep -q .'

for backend in "$top_srcdir"/backends/*/; do
    backend=${backend%/}
    for other in "$top_srcdir"/backends/*/; do
        other=${other%/}
        [ "$backend" = "$other" ] || reached "$backend" "backends/${other##*/}/|\.\./${other##*/}/"
    done >"$tap_folder/others"
    tap_empty "backends/${backend##*/} includes nothing of another backend" "$tap_folder/others"
done

# tests/backend-host compiles the files that read the list of backends once more.
grep -rl '\<YK_BACKENDS(' "$top_srcdir/src" | sed "s|^$top_srcdir/||" | grep -v '^src/backend.h$' | sort >"$tap_folder/readers"
sed -n 's/^\t\(src\/[^ ]*\).*/\1/p' "$top_srcdir/tests/backend-host/local.mk" | sort | comm -3 - "$tap_folder/readers" \
    >"$tap_folder/other_readers"
tap_empty "tests/backend-host compiles what reads the list of backends" "$tap_folder/other_readers"

# What a backend wants from the core: declared in backend_api.h or base/, or its own.
grep -hE '^ *#include "[a-z_]+/' "$top_srcdir"/backends/*/*.[ch] | grep -v '"base/' >"$tap_folder/includes"
tap_empty "backends include only backend.h, backend_api.h and base/" "$tap_folder/includes"
code "$top_srcdir/src/backend_api.h" "$top_srcdir"/base/*.h "$top_srcdir"/base/process/*.h "$top_srcdir"/base/system/*.h |
    grep -oE '\<yk_[a-z0-9_]+' |
    sort -u >"$tap_folder/api"
for backend in "$top_srcdir"/backends/*/; do
    backend=$(basename "$backend")
    find "backends/$backend" -name '*.o' -exec nm -g --defined-only {} + 2>/dev/null | awk 'NF == 3 { print $3 }' |
        sort -u >"$tap_folder/own"
    find "backends/$backend" -name '*.o' -exec nm -u {} + 2>/dev/null | awk '$2 ~ /^yk_/ { print $2 }' | sort -u |
        comm -23 - "$tap_folder/own" | comm -23 - "$tap_folder/api" >"$tap_folder/foreign"
    tap_empty "backends/$backend calls only what backend_api.h and base/ declare" "$tap_folder/foreign"
    tap_try "and has object files" test -s "$tap_folder/own"
done

reached "$top_srcdir/backends/cuda" "$vendor" >"$tap_folder/cuda"
tap_empty "backends/cuda is built without NVIDIA's headers" "$tap_folder/cuda"
tap_done
