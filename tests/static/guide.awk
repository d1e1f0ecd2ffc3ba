# SPDX-License-Identifier: Apache-2.0
#
# Takes the code blocks out of one page of the guide, and leaves them in the folder `out`: each whole program as program-LINE.c,
# fragments as functions in fragments.c with their calls in calls.c, kernels under their own names. `name` is the page's for
# messages. What is wrong with the page itself is printed. guide.sh says how blocks are marked.

/^ *```/ {
    if (kind != "")
        close_block()
    else
        open_block()
    previous = ""
    next
}
kind != "" { text = text $0 "\n" }
kind == "" && /[^ ]/ { previous = $0 }
END {
    if (kind != "")
        wrong("this block is not closed", start)
}

function wrong(what, line) {
    print name ":" line ": " what
}

function open_block(    info) {
    info = $0
    sub(/^ *```/, "", info)
    count = split(info, words, " ")
    start = NR
    text = ""
    kind = "other"
    if (words[1] == "c")
        kind = count == 1 ? "c" : words[2] ~ /\.c$/ ? "other" : words[2]
    else if ((words[1] == "cuda" || words[1] == "opencl") && count == 2)
        kind = "kernel"
    if (words[1] == "c" && (count > 2 || (kind != "c" && kind != "top" && kind != "other" && kind != "fragment=none")))
        wrong("no mark of a block is '" info "'", NR)
    if (kind == "kernel" && words[2] !~ /^[a-z0-9_]+\.c[lu]$/)
        wrong("'" words[2] "' is no name of a kernel's file", NR)
    if (kind == "fragment=none" && previous !~ /^ *<!-- not compiled: .* -->$/)
        wrong("a comment above has to say why this is not compiled", NR)
}

function close_block(    file) {
    place = "#line " start + 1 " \"" name "\"\n"
    if (kind == "kernel") {
        file = out "/" words[2]
        printf "%s", text >file
        close(file)
    } else if (kind == "top") {
        printf "%s%s", place, text >(out "/fragments.c")
    } else if (kind == "c" && text ~ /(^|\n)int main\(/) {
        printf "%s%s", place, text >(out "/program-" start ".c")
    } else if (kind == "c") {
        printf "static int fragment_%d(void)\n{\n%s%s    return 0;\n}\n", start, place, text >(out "/fragments.c")
        printf "    { fragment_%d, \"%s:%d\" },\n", start, name, start >(out "/calls.c")
    }
    kind = ""
}
