# SPDX-License-Identifier: Apache-2.0
#
# Makes a page of the site of the HTML that cmark-gfm has made of a page in Markdown:
#     awk -v page=guide/concepts.html -v file=doc/concepts.md -v names=NAMES -v examples="hello.c ..." -v contents=FILE -f page.awk
# Headings get the anchors that GitHub gives them, and lines in `contents`, for the search. Links between files become links between
# pages; a link to a file that is no page becomes text. C is coloured, and names of the interface lead to the reference, by NAMES.

BEGIN {
    FS = "\t"
    while ((getline line < names) > 0) {
        split(line, parts, "\t")
        if (!(parts[1] in place))
            place[parts[1]] = parts[2]
    }
    FS = " "
    root = page
    gsub(/[^\/]+/, "..", root)
    sub(/\.\.$/, "", root)
    folder = file
    sub(/[^\/]*$/, "", folder)
    split(examples, list, " ")
    for (k in list)
        is_example[list[k]] = 1
    learn("keyword", "auto break case const continue default do else enum extern for goto if inline register return sizeof static")
    learn("keyword", "struct switch typedef union volatile while template class namespace using nullptr new delete this true false")
    learn("keyword", "NULL __global__ __device__ __shared__ __kernel __global __local __constant __private kernel global local")
    learn("keywordtype", "void char short int long float double signed unsigned bool size_t int8_t uint8_t int16_t uint16_t")
    learn("keywordtype", "int32_t uint32_t int64_t uint64_t uchar ushort uint ulong float2 float4 uchar4")
}

# The words of C, CUDA and OpenCL.
function learn(kind, words,    list, k) {
    split(words, list, " ")
    for (k in list)
        keyword[list[k]] = kind
}

# ---- Links ----

# The path of a link from the top of the source.
function resolved(path,    full) {
    full = folder path
    while (match(full, /[^\/]+\/\.\.\//))
        full = substr(full, 1, RSTART - 1) substr(full, RSTART + RLENGTH)
    return full
}

# The page of the site for a file of the source; "" where there is none.
function page_for(path, anchor) {
    if (path == "README.md")
        return anchor == "#drivers" ? "drivers.html" : "index.html"
    if (path == "doc/README.md" || path == "doc" || path == "doc/")
        return "guide/index.html" anchor
    if (path ~ /^doc\/[a-z0-9-]+\.md$/)
        return "guide/" substr(path, 5, length(path) - 7) ".html" anchor
    if (path ~ /^doc\/pictures\/[a-z0-9-]+\.(svg|png)$/)
        return substr(path, 5)
    if (path == "examples/README.md" || path == "examples" || path == "examples/")
        return "gallery.html" anchor
    if (path ~ /^examples\// && substr(path, 10) in is_example)
        return "reference/" substr(path, 10, length(path) - 11) "_8c-example.html"
    if (path ~ /^include\/yoke\/[a-z]+\.h$/)
        return "reference/" substr(path, 14, length(path) - 15) "_8h.html"
    if (path ~ /^(CHANGELOG|CONTRIBUTING|SECURITY)\.md$/)
        return tolower(substr(path, 1, length(path) - 3)) ".html" anchor
    if (path ~ /^site:/)
        return substr(path, 6) anchor
    return ""
}

# What a link or a picture leads to from this page; "" to drop it.
function target(link,    at, anchor, path) {
    if (link ~ /^(https?:|mailto:|#)/)
        return link
    at = index(link, "#")
    anchor = at ? substr(link, at) : ""
    path = at ? substr(link, 1, at - 1) : link
    path = page_for(path ~ /^site:/ ? path : resolved(path), anchor)
    return path == "" ? "" : root path
}

# The links of a line. A link may begin on one line and end on another: `dropped` says that an end tag has to go, too.
function with_links(text,    result, tag, link, at) {
    result = ""
    while (match(text, /<a href="[^"]*"|<img src="[^"]*"|<\/a>/)) {
        result = result substr(text, 1, RSTART - 1)
        tag = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (tag == "</a>") {
            result = result (dropped ? "" : tag)
            dropped = 0
            continue
        }
        at = index(tag, "\"")
        link = target(substr(tag, at + 1, length(tag) - at - 1))
        if (link == "" && tag ~ /^<a/) {
            dropped = 1
            sub(/^[^>]*>/, "", text)
        } else
            result = result substr(tag, 1, at) link "\""
    }
    return result text
}

# Names of the interface in the text, where they are not a part of a link.
function with_names(text,    result, word, name, before, k) {
    result = ""
    while (match(text, /<code>(yoke|YOKE)_[A-Za-z0-9_]+(\(\))?<\/code>/)) {
        word = substr(text, RSTART, RLENGTH)
        before = substr(text, 1, RSTART - 1)
        result = result before
        name = substr(word, 7, RLENGTH - 13)
        sub(/\(\)$/, "", name)
        inside += gsub(/<a /, "<a ", before) - gsub(/<\/a>/, "</a>", before)
        text = substr(text, RSTART + RLENGTH)
        result = result (inside == 0 && name in place ? "<a href=\"" root "reference/" place[name] "\">" word "</a>" : word)
    }
    before = text
    inside += gsub(/<a /, "<a ", before) - gsub(/<\/a>/, "</a>", before)
    return result text
}

# ---- Headings ----

# GitHub's anchor of a heading.
function anchor_of(text) {
    gsub(/<[^>]*>|&[a-z]+;/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
}

function heading(line,    level, text, anchor) {
    level = substr(line, 3, 1)
    text = line
    gsub(/^<h[1-6]>|<\/h[1-6]>$/, "", text)
    anchor = anchor_of(text)
    line = text
    gsub(/<[^>]*>/, "", text)
    if (contents != "")
        print text "\t" page (level == 1 ? "" : "#" anchor) "\tguide" >> contents
    if (level == 1)
        return "<h1>" with_links(line) "</h1>"
    return "<h" level " id=\"" anchor "\">" with_links(line) "<a class=\"anchor\" href=\"#" anchor \
        "\" aria-label=\"this section\">#</a></h" level ">"
}

# ---- Code ----

function span(kind, text) {
    return "<span class=\"" kind "\">" text "</span>"
}

# A word of C.
function word_of_code(word) {
    if (word in keyword)
        return span(keyword[word], word)
    if (word in place)
        return "<a href=\"" root "reference/" place[word] "\">" word "</a>"
    return word
}

# A line of C as cmark has escaped it. `comment` is 1 inside of a comment of several lines.
function coloured(text,    result, at, piece) {
    result = ""
    while (text != "") {
        if (comment) {
            at = index(text, "*/")
            piece = at ? substr(text, 1, at + 1) : text
            comment = !at
            result = result span("comment", piece)
        } else if (match(text, /^[ \t]*#[ \t]*[a-z]+/))
            result = result span("preprocessor", piece = substr(text, 1, RLENGTH))
        else if (match(text, /^[A-Za-z_][A-Za-z0-9_]*/))
            result = result word_of_code(piece = substr(text, 1, RLENGTH))
        else if (match(text, /^&quot;([^\\&]|\\&[a-z]+;|\\[^&]|&[a-pr-z][a-z]*;)*&quot;/))
            result = result span("stringliteral", piece = substr(text, 1, RLENGTH))
        else if (match(text, /^\/\/.*/))
            result = result span("comment", piece = text)
        else if (substr(text, 1, 2) == "/*") {
            comment = 1
            continue
        } else if (match(text, /^&[a-z]+;/) || match(text, /^[0-9][0-9a-zA-Z.]*/))
            result = result (piece = substr(text, 1, RLENGTH))
        else
            result = result (piece = substr(text, 1, 1))
        text = substr(text, length(piece) + 1)
    }
    return result
}

# ---- The page ----

/<pre><code/ {
    in_code = 1
    comment = 0
    at = index($0, "<pre><code")
    language = match($0, /language-[a-z]+/) ? substr($0, RSTART + 9, RLENGTH - 9) : "plain"
    begin = substr($0, 1, at - 1) "<pre class=\"" language "\" tabindex=\"0\"><code>"
    $0 = substr($0, at)
    sub(/^<pre><code[^>]*>/, "")
    is_c = language ~ /^(c|cpp|cuda|opencl)$/
    printf "%s", begin
}
in_code {
    over = /<\/code><\/pre>/
    sub(/<\/code><\/pre>.*/, "")
    printf "%s%s", is_c ? coloured($0) : $0, over ? "</code></pre>\n" : "\n"
    in_code = !over
    next
}
/^<!-- .* -->$/ { next }
/^<h[1-6]>/ { print heading($0); next }
# A table with long names is marked: on a telephone its rows are shown as paragraphs, with what is above a column before its cells.
/<table>/ { table = ""; in_table = 1; heads = 0 }
/^<tr>/ { column = 0 }
/^<th[ >]/ {
    head[++heads] = $0
    gsub(/<[^>]*>|"/, "", head[heads])
}
/^<td[ >]/ && head[++column] != "" && column > 1 { sub(/^<td/, "<td data-head=\"" head[column] ": \"") }
in_table {
    table = table with_names(with_links($0)) "\n"
    is_long = is_long || match($0, /<code>[^<][^<][^<][^<][^<][^<][^<][^<][^<][^<][^<][^<][^<][^<][^<][^<][^<][^<]+<\/code>/)
    if (/<\/table>/) {
        printf "<div class=\"scroll%s\" tabindex=\"0\">%s</div>\n", is_long ? " long" : "", table
        in_table = is_long = 0
    }
    next
}
{ print with_names(with_links($0)) }
