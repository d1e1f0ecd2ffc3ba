# SPDX-License-Identifier: Apache-2.0
#
# Prints the words of one list of the Makefile, one a line, so that CMakeLists.txt and meson.build need no lists of their own:
#     awk -v list=libyoke_all_la_SOURCES -f list.awk src/local.mk backends/local.mk
# What a conditional of configure.ac adds is left out: the library alone needs none of it.

/^if / {
    conditional++
}

/^endif/ {
    conditional--
}

index($0 " ", list " = ") == 1 || index($0 " ", list " += ") == 1 {
    inside = found = 1
    sub(/^[^=]*=/, "")
}

inside {
    inside = /\\$/
    sub(/\\$/, "")
    count = conditional ? 0 : split($0, words, /[ \t]+/)
    for (i = 1; i <= count; i++)
        if (words[i] != "")
            print words[i]
}

END {
    if (!found) {
        print "list.awk: there is no list " list > "/dev/stderr"
        exit 1
    }
}
