# SPDX-License-Identifier: Apache-2.0
#
# A page of the guide as Doxygen takes it: doc/Doxyfile.in has this as its filter. Blocks lose what tests/static/guide.sh knows them
# by, and pictures their folder. Links that lead out of doc/ become text, since HTML has no such pages, and so do those to headings
# of the same page; those to headings of another one lead to that page: Doxygen has names of its own for headings. Pages get names:
# it makes others of their paths, and stumbles over a folder with a blank.

FNR == 1 && FILENAME !~ /README\.md$/ {
    name = FILENAME
    gsub(/.*\/|\.md$/, "", name)
    $0 = $0 " {#guide_" name "}"
}
/^ *```/ {
    split($0, words, " ")
    code = !code
    print code ? (words[1] ~ /^```(c|cpp|cuda|opencl)$/ ? "```{.c}" : "```") : "```"
    next
}
!code {
    gsub(/\]\(pictures\//, "](")
    while (match($0, /\.md#[^)]*\)/))
        $0 = substr($0, 1, RSTART + 2) substr($0, RSTART + RLENGTH - 1)
    while (match($0, /\]\([a-z-]+\.md\)/))
        $0 = substr($0, 1, RSTART + 1) "@ref guide_" substr($0, RSTART + 2, RLENGTH - 6) substr($0, RSTART + RLENGTH - 1)
    while (match($0, /\]\((\.\.\/|#)[^)]*\)/)) {
        link = substr($0, 1, RSTART - 1)
        rest = substr($0, RSTART + RLENGTH)
        match(link, /\[[^[]*$/)
        $0 = substr(link, 1, RSTART - 1) substr(link, RSTART + 1) rest
    }
}
{ print }
