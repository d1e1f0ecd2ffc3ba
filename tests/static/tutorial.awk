# SPDX-License-Identifier: Apache-2.0
#
# For tutorial.sh. With `out`: the page's steps, one a line in out/steps, as "NUMBER KIND FILE", with the block in out/NUMBER and
# the comment above it in out/NUMBER.how; "section" for a heading. With `how`: applies one block, the first file, to the second.

function how_to(line) {
    sub(/^<!-- /, "", line)
    sub(/ -->$/, "", line)
    return line
}

function trimmed(line) {
    sub(/^ */, "", line)
    return line
}

# ---- The page's steps ----

out != "" && /^```/ && !inside {
    inside = ++steps
    split(substr($0, 4), words, " ")
    print inside, words[1], words[2] >(out "/steps")
    printf "" >(out "/" inside)
    printf "%s", comment >(out "/" inside ".how")
    next
}
out != "" && /^```/ { inside = 0; comment = ""; next }
out != "" && inside { print >(out "/" inside); next }
out != "" && /^## [0-9]/ { print ++steps, "section", $2 + 0 >(out "/steps") }
out != "" && /^<!-- / { comment = how_to($0); next }
out != "" && /[^ ]/ { comment = "" }
out != "" { next }

# ---- One block ----

FNR == 1 {
    file++
    if (how ~ /^before: /)
        first = last = substr(how, 9)
    else {
        split(substr(how, 13), ends, / \.\.\. /)
        first = ends[1]
        last = ends[2]
    }
}
file == 1 { block = block $0 "\n"; next }
!found && index(trimmed($0), first) == 1 { printf "%s", block; found = 1; dropping = how !~ /^before: / }
!dropping { print }
dropping && index(trimmed($0), last) == 1 { dropping = 0; ended = 1 }
END {
    if (out == "" && (!found || dropping)) {
        print "no line begins with what the page says: " how >"/dev/stderr"
        exit 1
    }
}
