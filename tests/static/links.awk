# SPDX-License-Identifier: Apache-2.0
#
# Prints every link of HTML pages that leads nowhere: to a file that is not among the pages and not in `files` (a list, one a line),
# or to an anchor that the page lacks. Run in the top folder of the pages: awk -v files=LIST -f links.awk PAGE...

function directory(path) {
    sub(/[^\/]*$/, "", path)
    return path
}

function resolved(path) {
    while (sub(/(^|\/)\.\//, "/", path)) {}
    while (match(path, /[^\/.][^\/]*\/\.\.\//))
        path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    return path
}

BEGIN {
    while ((getline line < files) > 0) {
        sub(/^\.\//, "", line)
        exists[line] = 1
    }
}

FNR == 1 { page = FILENAME; sub(/^\.\//, "", page) }
{
    text = $0
    while (match(text, /[ \t](id|name)="[^"]*"/)) {
        word = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        sub(/^[a-z]*="/, "", word)
        anchor[page, word] = 1
    }
    text = $0
    while (match(text, /[ \t](href|src)="[^"]*"/)) {
        word = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        sub(/^[a-z]*="/, "", word)
        links++
        from[links] = page
        at[links] = FNR
        link[links] = word
    }
}

END {
    for (k = 1; k <= links; k++) {
        word = link[k]
        if (word ~ /^(https?|mailto):/)
            continue
        split(word, parts, "#")
        path = parts[1] == "" ? from[k] : resolved(directory(from[k]) parts[1])
        if (word == "" || !(path in exists))
            print from[k] ":" at[k] ": there is no file for '" word "'"
        else if (parts[2] != "" && !((path, parts[2]) in anchor))
            print from[k] ":" at[k] ": there is no anchor for '" word "'"
    }
    if (!links)
        print "no links at all"
}
