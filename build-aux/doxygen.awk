# SPDX-License-Identifier: Apache-2.0
#
# Writes a header from what headers.awk has read of it, with its comments as Doxygen wants them: doc/Doxyfile.in has this as its
# filter. Each section of a header is a topic. Operations are shown as functions without the place that their macros add.

# The functions and constants of all headers in this folder: comments speak of them by their names.
function learn_names(folder,    list, header, line) {
    list = "ls '" folder "'*.h"
    while ((list | getline header) > 0) {
        while ((getline line < header) > 0) {
            if (line ~ /^(YOKE_API|static inline|#define yoke_)/ && match(line, /yoke_[a-z0-9_]+\(/))
                known[substr(line, RSTART, RLENGTH - 1)] = "()"
            else if (line ~ /^(enum \{| +(X\()?)YOKE_[A-Z0-9_]+(,| =)/) {
                gsub(/\/\*.*/, "", line)
                while (match(line, /YOKE_[A-Z0-9_]+/)) {
                    known[substr(line, RSTART, RLENGTH)] = "#"
                    line = substr(line, RSTART + RLENGTH)
                }
            }
        }
        close(header)
    }
    close(list)
}

# Since which version the libraries have their functions: the nodes of the maps in this folder.
function learn_versions(folder,    list, map, line, node) {
    list = "ls '" folder "'*.map"
    while ((list | getline map) > 0) {
        while ((getline line < map) > 0) {
            if (line ~ /^YOKE[A-Z_]*_[0-9.]+ \{/) {
                node = line
                gsub(/.*_| .*/, "", node)
            } else if (match(line, /yoke_[a-z0-9_]+/))
                since[substr(line, RSTART, RLENGTH)] = node
        }
        close(map)
    }
    close(list)
}

# A text with the names in it as Doxygen makes links of them.
function linked(text,    result, word, after) {
    result = ""
    while (match(text, /(yoke|YOKE)_[A-Za-z0-9_]+/)) {
        word = substr(text, RSTART, RLENGTH)
        after = substr(text, RSTART + RLENGTH)
        result = result substr(text, 1, RSTART - 1)
        if (result !~ /[A-Za-z0-9_]$/ && word in known && !(known[word] == "()" && after ~ /^\(/))
            result = result (known[word] == "#" ? "#" word : word "()")
        else
            result = result word
        text = after
    }
    return result text
}

# A text in Doxygen's Markdown. What stands in backquotes is left as it is.
function marked(text,    parts, count, k, result) {
    count = split(text, parts, "`")
    result = ""
    for (k = 1; k <= count; k++) {
        if (k % 2) {
            gsub(/[<>#@&~$]/, "\\\\&", parts[k])
            gsub(/\.\.\./, "\\&hellip;", parts[k])
            parts[k] = linked(parts[k])
        }
        result = result (k > 1 ? "`" : "") parts[k]
    }
    return result
}

# The sentences of a paragraph that say what a status means become a table.
function paragraph(text,    at, sentence, colon, in_table) {
    print " *"
    while (text != "") {
        at = match(text, /\. ([A-Z0-9"`]|yoke_)/) ? RSTART : 0
        sentence = at ? substr(text, 1, at) : text
        text = at ? substr(text, at + 2) : ""
        if (match(sentence, /^YOKE_(OK|PENDING|E_[A-Z_]+): /)) {
            colon = index(sentence, ":")
            print " * @retval " substr(sentence, 1, colon - 1) " " marked(substr(sentence, colon + 2))
            in_table = 1
        } else {
            print (in_table ? " *\n * " : " * ") marked(sentence)
            in_table = 0
        }
    }
}

function comment(text, begin, version,    blocks, count, k, mode, block) {
    print "/**" begin
    count = split(text, blocks, "\n")
    mode = ""
    for (k = 1; k <= count; k++) {
        block = substr(blocks[k], 1, 1)
        if (mode == "l" && block != "l")
            print " * @endcode"
        if (block == "l" && mode != "l")
            print " * @code"
        if (block == "p")
            paragraph(substr(blocks[k], 2))
        else if (block == "b")
            print " * - " marked(substr(blocks[k], 2))
        else if (block == "l")
            print " * " substr(blocks[k], 2)
        mode = block
    }
    if (version != "")
        print " * @since " version
    print " */"
}

# A topic, with the comments of its section that belong to no declaration.
function begin_topic(i,    id, title, k) {
    title = section[i]
    id = tolower(title)
    gsub(/[^a-z0-9]+/, "_", id)
    print "/** @defgroup " id " " title
    for (k = i; k <= items && section[k] == title; k++)
        if (kind[k] == "text")
            print " *\n * " marked(substr(doc[k], 2, length(doc[k]) - 2))
    print " * @{ */"
}

function end_topic() {
    print "/** @} */"
}

# What yoke_error() and the others return, from the list of statuses.
function add_statuses(    k) {
    for (k = 1; k <= statuses; k++)
        print (k == 1 ? "/** What functions return. */\nenum {\n    " : "    ") status_name[k] " = " status_value[k] \
            ", /**< " marked(status_doc[k]) " */" (k == statuses ? "\n};" : "")
    print "/** YOKE_OK, YOKE_PENDING, or a failure, which is negative. */\ntypedef int32_t yoke_status;"
}

# The names of constants speak for themselves, and so do members where a struct's comment tells of all of them.
function add_body(i,    k, j, told, text, type, names, count) {
    if (raw[i] != "") {
        gsub(/\/\*/, "/**<", raw[i])
        print raw[i]
        return
    }
    told = kind[i] == "enum"
    if (kind[i] == "struct") {
        for (k = 1; k <= members[i] && member_doc[i, k] == ""; k++) {}
        told = k > members[i]
    }
    for (k = 1; k <= members[i]; k++) {
        text = member_doc[i, k] == "" && told ? "`" member[i, k] "`" : member_doc[i, k]
        if (kind[i] == "enum" && members[i] == 1 && doc[i] != "")
            text = substr(doc[i], 2, length(doc[i]) - 2)
        text = text == "" ? "" : " /**< " marked(text) " */"
        if (kind[i] == "enum") {
            print "    " member[i, k] "," text
            continue
        }
        # One by one, with the comment that they share.
        count = split(member[i, k], names, ", ")
        type = names[1]
        sub(/[a-z0-9_\[\]]+$/, "", type)
        for (j = 1; j <= count; j++)
            print "    " (j > 1 ? type : "") names[j] ";" text
    }
}

END {
    if (failed)
        exit 1
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    learn_names(folder)
    learn_versions(folder "../../build-aux/")
    for (i = 1; i <= items; i++) {
        if (i == 1)
            comment(doc[i], " @file")
        if (section[i] != section[i - 1]) {
            if (section[i - 1] != "")
                end_topic()
            begin_topic(i)
            if (section[i] == "Status")
                add_statuses()
        }
        if (kind[i] == "text")
            continue
        # Below each other they share a comment.
        if (doc[i] == "" && joined[i] && kind[i] == kind[i - 1])
            doc[i] = doc[i - 1]
        if (kind[i] == "function" && name[i] in plain) {
            text = code[i]
            sub(/_at\(const char \*where(, )?/, "(", text)
            comment(doc[i], "", since[name[i]])
            print text ";"
            doc[i] = "pAs " plain[name[i]] "(), for callers that say themselves where they are: `where` is \"file:line\", " \
                "or NULL.\n"
        }
        if (width[i] != "")
            print "/** The type of the constants below. */\ntypedef " width[i] " " name[i] ";"
        if (doc[i] != "")
            comment(doc[i], "", since[name[i]])
        if (kind[i] == "function")
            print code[i] ";"
        else if (kind[i] == "macro")
            print "#define " code[i]
        else if (kind[i] == "struct" || kind[i] == "enum") {
            print code[i] " {"
            add_body(i)
            print "}" (kind[i] == "struct" ? " " name[i] : "") ";"
        } else
            print code[i]
    }    if (items && section[items] != "")
        end_topic()
}
