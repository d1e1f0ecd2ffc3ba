# SPDX-License-Identifier: Apache-2.0
#
# Writes the first page of the reference, for Doxygen, and its navigation:
#     awk -v nav=FILE -v folder=EXAMPLES -f topics.awk -f headers.awk HEADER... >reference.dox
# A topic is a section of a header, as in build-aux/doxygen.awk. The page lists the topics with what belongs to each, and the
# examples with the first sentences of their first comments; each example is a page of its own.

# The first sentence of a comment, for HTML.
function first_sentence(text) {
    text = substr(text, 2)
    sub(/\n.*/, "", text)
    if (match(text, /\. ([A-Z0-9"`]|yoke_)/))
        text = substr(text, 1, RSTART)
    gsub(/\.\.\./, "\342\200\246", text)
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    while (match(text, /`[^`]*`/))
        text = substr(text, 1, RSTART - 1) "<code>" substr(text, RSTART + 1, RLENGTH - 2) "</code>" substr(text, RSTART + RLENGTH)
    return text
}

function page_of_topic(title) {
    title = tolower(title)
    gsub(/[^a-z0-9]+/, "__", title)
    return "group__" title ".html"
}

# A word in HTML: Doxygen is not to make anything else of it.
function entry(link, words) {
    print "<dt>" link "</dt><dd>" words "</dd>"
}

# What the first comment of an example says, up to the line that tells how to run it or to its first empty line.
function about_example(file,    line, text, begun, over) {
    text = ""
    begun = 0
    while ((getline line < file) > 0) {
        if (line ~ /SPDX/)
            continue
        begun = begun || line ~ /^\/\*/
        if (begun && line ~ /^ \*\/?$/)
            break
        over = line ~ /\*\/$/
        sub(/^( \*|\/\*) ?/, "", line)
        sub(/ *\*\/$/, "", line)
        text = text " " line
        if (over)
            break
    }
    close(file)
    gsub(/  +/, " ", text)
    gsub(/^ | $/, "", text)
    return text
}

END {
    if (failed)
        exit 1
    print "/** @mainpage Reference\n *"
    print "Every function, type and constant, by topic. <a href=\"yoke_8h.html\">The rules for every function</a> are those of"
    print "yoke.h; <a href=\"#examples\">the examples</a> lead to the functions that they call, and back.\n@htmlonly\n"
    for (i = 1; i <= items; i++) {
        if (section[i] == "" || kind[i] == "text" || kind[i] == "enum" || kind[i] == "macro")
            continue
        if (section[i] != last) {
            begin = "<a href=\"" page_of_topic(section[i]) "\">"
            print (last == "" ? "" : "</dl>") "<h2>" begin section[i] "</a></h2>\n<dl class=\"names\">"
            title = section[i]
            sub(/:.*/, "", title)
            print begin title "</a>" > nav
        }
        last = section[i]
        words = name[i]
        if (kind[i] == "function" && words in plain)
            words = plain[words]
        if (doc[i] == "" && joined[i])
            doc[i] = doc[i - 1]
        entry("<code>" words "</code>", first_sentence(doc[i]))
    }
    print "</dl>\n<h2 id=\"examples\">Examples</h2>\n<dl class=\"names\">"
    count = split(examples, example, " ")
    for (i = 1; i <= count; i++) {
        text = about_example(folder "/" example[i])
        entry("<a href=\"" substr(example[i], 1, length(example[i]) - 2) "_8c-example.html\"><code>" example[i] "</code></a>", \
            first_sentence("p" substr(text, 1, match(text, /\. /) ? RSTART : length(text))))
        gsub(/[<>#@&$\\]/, "\\\\&", text)
        pages = pages "/** @example " example[i] "\n * @details " text "\n */\n"
    }
    print "</dl>\n@endhtmlonly\n*/"
    printf "%s", pages
}
