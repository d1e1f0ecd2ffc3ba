# SPDX-License-Identifier: Apache-2.0
#
# An installed page of the guide, in which links to files that are not installed are plain text:
#     awk -v folder=DIR -f links.awk PAGE        the page lies in that folder

# The text of a link may go over several lines, so a page is taken as a whole.
function flush(    done, link, at) {
    while (match(text, /\]\([A-Za-z0-9_.\/-]+(#[^)]*)?\)/)) {
        link = substr(text, RSTART + 2, RLENGTH - 3)
        sub(/#.*/, "", link)
        if ((link !~ /\// && link !~ /\.md$/) || system("test -e '" folder "/" link "'") == 0) {
            done = done substr(text, 1, RSTART + RLENGTH - 1)
        } else {
            done = done substr(text, 1, RSTART - 1)
            for (at = length(done); at > 0 && substr(done, at, 1) != "["; at--)
                ;
            done = substr(done, 1, at - 1) substr(done, at + 1)
        }
        text = substr(text, RSTART + RLENGTH)
    }
    printf "%s", done text
    text = ""
}

/^ *```/ {
    flush()
    code = !code
}

code {
    print
    next
}

{
    text = text $0 "\n"
}

END {
    flush()
}
