# SPDX-License-Identifier: Apache-2.0
#
# From Doxygen's tag file: each name and where the reference tells of it, as "name<tab>page#anchor<tab>kind".

function value(line) {
    gsub(/^[^>]*>|<.*/, "", line)
    return line
}

function add(name, place, what) {
    if (!((name, place) in seen) && name !~ /_$/)
        print name "\t" place "\t" what
    seen[name, place] = 1
}

/<compound kind=/ { compound = $0; gsub(/.*kind="|".*/, "", compound); member = "" }
/<member kind=/ { member = $0; gsub(/.*kind="|".*/, "", member) }
/<name>/ { name = value($0) }
/<filename>/ && compound == "struct" { add(name, value($0), "struct") }
/<anchorfile>/ { file = value($0) }
/<anchor>/ && compound == "file" && member != "" && file != "" { add(name, file "#" value($0), member) }
