#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Public enums may grow. Code that compares a value by its order means the whole enum, from its first to its last constant, or a
# part that the list below names: a constant that is added behind the last one makes each such place fail here, so that somebody
# looks at it. The numbers that Python has in tables are as many as the header's.

top_srcdir=${top_srcdir:-$(dirname "$0")/../..}
. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C
cd "$top_srcdir" || exit 1

# Where a part of an enum is meant: what is behind it is of another kind, and is treated as its neighbours are.
cat >"$tap_folder/parts" <<'END'
YOKE_ARG_FLOATING backends/opencl/kernel.c
YOKE_ARG_STRUCT src/launch/arguments.c
YOKE_ARG_IN src/launch/arguments.h
YOKE_ARG_INOUT src/launch/arguments.h
YOKE_FAULT_SAY_PENDING backends/opencl/inject.c
YOKE_FAULT_SAY_PENDING base/process/inject.c
YOKE_LOG_ERROR base/process/log.c
END

# Lines of "NAME first|last|between" for each constant of an enum of several; comments go first, numbers are decimal.
cat include/yoke/*.h base/process/inject.h | sed 's,/\*.*\*/,,; s,/\*.*,,; s,^ \*.*,,' | awk '
    /^(typedef )?enum( [a-z_]+)? \{/ { inside = 1; count = 0; text = "" }
    inside { text = text " " $0 }
    inside && /\}/ {
        inside = 0
        sub(/^[^{]*\{/, "", text); sub(/\}.*/, "", text)
        fields = split(text, part, ",")
        for (i = 1; i <= fields; i++)
            if (match(part[i], /[A-Z][A-Z0-9_]+/))
                name[++count] = substr(part[i], RSTART, RLENGTH)
        for (i = 1; i <= count && count > 1; i++)
            print name[i], i == 1 ? "first" : i == count ? "last" : "between"
    }' >"$tap_folder/constants"
[ "$(wc -l <"$tap_folder/constants")" -gt 100 ]
tap_ok $? "the headers have enums"

# Lines of "NAME FILE" for each comparison by order.
pattern='(<|<=|>|>=) \(?(int32_t\))?YOKE_[A-Z0-9_]+|YOKE_[A-Z0-9_]+ [+-] 1\>'
grep -rnoE "$pattern" --include='*.c' --include='*.h' src backends base api ops comm |
    sed -E 's/^([^:]*):[0-9]*:.*(YOKE_[A-Z0-9_]+).*/\2 \1/' | sort -u >"$tap_folder/places"
[ "$(wc -l <"$tap_folder/places")" -gt 15 ]
tap_ok $? "values are compared by order in places"

sort "$tap_folder/constants" | join - "$tap_folder/places" | awk '$2 == "between" { print $1, $3 }' |
    grep -vxFf "$tap_folder/parts" >"$tap_folder/wrong"
[ ! -s "$tap_folder/wrong" ]
tap_ok $? "what is compared by order is an enum's first or last constant, or a part that is named in this test"
tap_tell "$tap_folder/wrong"

sort -u "$tap_folder/parts" | grep -vxFf "$tap_folder/places" >"$tap_folder/old"
[ ! -s "$tap_folder/old" ]
tap_ok $? "each part that is named here is compared somewhere"
tap_tell "$tap_folder/old"

# table FILE NAME PREFIX: the tuple has a name for each constant; an empty one at its start is for 0.
table() {
    names=$(awk -v start="cdef tuple $2 = (" 'index($0, start) == 1 { on = 1 } on { print } /\)$/ { on = 0 }' "$1" |
        grep -o '"[a-z0-9_]*"' | grep -cv '""')
    constants=$(cut -d ' ' -f 1 "$tap_folder/constants" | grep -cE "^$3")
    echo "# $names names, $constants constants"
    [ "$names" -eq "$constants" ]
}
tap_try "Python has a name for each kind of device" table python/yoke/_core/device.pyx device_kinds YOKE_DEVICE_
tap_try "Python has a name for each capability" table python/yoke/_core/device.pyx capability_names YOKE_CAP_
tap_done
