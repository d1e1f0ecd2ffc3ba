# SPDX-License-Identifier: Apache-2.0
#
# Writes a header from what headers.awk has read of it, with its comments as Doxygen wants them: doc/Doxyfile.in has this as its
# filter. Operations are shown as functions without the place that their macros add.

# A text in Doxygen's Markdown. What stands in backquotes is left as it is.
function marked(text,    parts, count, k, result) {
    count = split(text, parts, "`")
    result = ""
    for (k = 1; k <= count; k++) {
        if (k % 2) {
            gsub(/[<>#@&~$]/, "\\\\&", parts[k])
            gsub(/\.\.\./, "\\&hellip;", parts[k])
        }
        result = result (k > 1 ? "`" : "") parts[k]
    }
    return result
}

function comment(text, begin,    blocks, count, k, mode, block) {
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
            print " *\n * " marked(substr(blocks[k], 2))
        else if (block == "b")
            print " * - " marked(substr(blocks[k], 2))
        else if (block == "l")
            print " * " substr(blocks[k], 2)
        mode = block
    }
    print " */"
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
    for (i = 1; i <= items; i++) {
        if (i == 1) {
            comment(doc[i], " @file")
            for (k = 1; k <= statuses; k++)
                print (k == 1 ? "/** What functions return. */\nenum {\n    " : "    ") status_name[k] " = " status_value[k] \
                    ", /**< " marked(status_doc[k]) " */" (k == statuses ? "\n};" : "")
            if (statuses)
                print "/** YOKE_OK, YOKE_PENDING, or a failure, which is negative. */\ntypedef int32_t yoke_status;"
        }
        if (section[i] != section[i - 1] && section[i] != "")
            print "/** @name " section[i] " */"
        if (kind[i] == "text")
            continue
        # Below each other they share a comment.
        if (doc[i] == "" && joined[i] && kind[i] == kind[i - 1])
            doc[i] = doc[i - 1]
        if (kind[i] == "function" && name[i] in plain) {
            text = code[i]
            sub(/_at\(const char \*where(, )?/, "(", text)
            comment(doc[i], "")
            print text ";"
            doc[i] = "pAs " plain[name[i]] "(), for callers that say themselves where they are: `where` is \"file:line\", " \
                "or NULL.\n"
        }
        if (doc[i] != "")
            comment(doc[i], "")
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
    }
}
