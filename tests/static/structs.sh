#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How each public struct may grow, as <yoke/yoke.h> says: it begins with its size; or has reserved words, which have to be 0; or is
# final. Its comment names which. What a size of 0 stands for is in base/sized.h.

. "$top_srcdir/tests/tap/tap.sh"

# classes FILE…: "NAME CLASS" for each public struct. CLASS is one of the three words, or none or several of them.
classes() {
    awk '
        /^\/\*/ { comment = "" }
        !inside { comment = comment " " $0 }
        /^typedef struct yoke_[a-z0-9_]+ \{/ { inside = 1; name = $3; class = ""; members = 0; next }
        inside && /;/ && ++members == 1 && /^    size_t size; / { class = /the (running )?library/ ? " filled" : " sized" }
        inside && /^    uint[0-9]+_t (flags; .*\/\* reserved: 0 \*\/|reserved\[[0-9]+\]; +\/\* 0 \*\/)/ { words = 1 }
        inside && /^} / {
            if (words && comment ~ / Reserved: /)
                class = class " reserved"
            if (comment ~ /[.*] +Final[.:]/)
                class = class " final"
            print name class
            inside = words = 0
        }' "$@"
}

# unclear FILE…: the structs that are not in one class.
unclear() {
    classes "$@" | grep -vE '^yoke_[a-z0-9_]+ (sized|filled|reserved|final)$'
}

classes "$top_srcdir"/include/yoke/*.h >"$tap_folder/classes"
unclear "$top_srcdir"/include/yoke/*.h >"$tap_folder/unclear"
tap_empty "each public struct begins with its size, has reserved words, or is final, and says so" "$tap_folder/unclear"
tap_try "the structs are found" test "$(wc -l <"$tap_folder/classes")" -ge 30

sed -n 's/ sized$//p' "$tap_folder/classes" | sort >"$tap_folder/sized"
sed -n 's/^#define YK_FIRST_SIZE_\(yoke_[a-z0-9_]*\) .*/\1/p' "$top_srcdir/base/sized.h" | sort >"$tap_folder/listed"
diff "$tap_folder/sized" "$tap_folder/listed" >"$tap_folder/differences"
tap_empty "base/sized.h has those that a caller gives a size" "$tap_folder/differences"

# finds WORDS HEADER SED: whether a header that is changed has a struct that is found unclear.
finds() {
    sed "$3" "$top_srcdir/include/yoke/$2" >"$tap_folder/changed.h"
    unclear "$tap_folder/changed.h" | grep -qx "$1"
}

tap_try "a struct that says nothing is found" finds yoke_header program.h '/^} yoke_header/q; s/ Final\. / /'
tap_try "one without its size" finds yoke_kernel_info program.h '/^ *size_t size;/d'
tap_try "one whose size is not its first member" finds yoke_source program.h '/^typedef struct yoke_source/a\
    int32_t kind; /* a kind */'
tap_try "one that says two things" finds 'yoke_array reserved final' array.h 's/8 dimensions are final\./& Final./'
tap_try "one without the words that it promises" finds yoke_sampler image.h '/reserved\[/d'
tap_done
