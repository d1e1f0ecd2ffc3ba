# SPDX-License-Identifier: Apache-2.0
#
# How man.awk writes text into `page`: the comments of the headers in the language of manual pages, mdoc(7).

function is_word(text) {
    return text ~ /^[A-Za-z_][A-Za-z0-9_]*$/
}

# A text with the names in it as manual pages have them: parameters and variables slanted, functions and what is typed bold.
function marked(text,    result, word, after) {
    gsub(/\\/, "\\e", text)
    gsub(/\342\200\246/, "...", text)
    result = ""
    while (match(text, /`[^`]*`|yoke_[a-z0-9_]+(\(\))?/)) {
        word = substr(text, RSTART, RLENGTH)
        after = substr(text, RSTART + RLENGTH)
        result = result substr(text, 1, RSTART - 1)
        # A part of a longer name, or the name of a file.
        if (result ~ /[A-Za-z0-9_]$/) {
            result = result word
        } else if (word ~ /^`/) {
            word = substr(word, 2, length(word) - 2)
            result = result (is_word(word) && word !~ /^YOKE_/ ? "\\fI" : "\\fB") word "\\fR"
        } else {
            sub(/\(\)$/, "", word)
            result = result "\\fB" word "\\fR" (word in of_function && after !~ /^["(]/ ? "()" : "")
        }
        text = after
    }
    return result text
}

# A line of text, which must not look like a request.
function put(text) {
    print (text ~ /^[.']/ ? "\\&" : "") marked(text) > page
}

function request(text) {
    print text > page
}

# Code, as it is.
function literal(text) {
    gsub(/\\/, "\\e", text)
    gsub(/\342\200\246/, "...", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    print (text ~ /^\./ ? "\\&" : "") text > page
}

# Sentences on lines of their own. What a status means is an item of a list, and so is a parameter with all that follows.
function paragraph(text,    at, sentence, listed, colon, item) {
    listed = ""
    while (text != "") {
        at = match(text, /\. ([A-Z0-9"`]|yoke_)/) ? RSTART : 0
        sentence = at ? substr(text, 1, at) : text
        text = at ? substr(text, at + 2) : ""
        item = match(sentence, /^YOKE_(OK|PENDING|E_[A-Z_]+): /) ? "status" : ""
        if (item == "" && match(sentence, /^`[a-z_]+`(, `[a-z_]+`)*: /))
            item = "parameter"
        if (item != "") {
            if (listed == "")
                request(".Bl -tag -width Ds")
            listed = item
            colon = index(sentence, ":")
            item = substr(sentence, 1, colon - 1)
            gsub(/`, `/, " , ", item)
            gsub(/`/, "", item)
            request((listed == "status" ? ".It Dv " : ".It Fa ") item)
            put(substr(sentence, colon + 2))
            continue
        }
        if (listed == "status") {
            request(".El\n.Pp")
            listed = ""
        }
        put(sentence)
    }
    if (listed != "")
        request(".El")
}

# A comment. `follows`: there is text before it.
function comment(text, follows,    blocks, count, i, mode, block) {
    count = split(text, blocks, "\n")
    mode = ""
    for (i = 1; i <= count; i++) {
        block = substr(blocks[i], 1, 1)
        if (block != mode) {
            if (mode == "b")
                request(".El")
            if (mode == "l")
                request(".Ed")
            if (block == "b")
                request(".Bl -bullet")
            if (block == "l")
                request(".Bd -literal -offset indent")
        }
        if (block == "p") {
            # A list of statuses makes a space of its own.
            if ((follows || i > 1) && blocks[i] !~ /^p(YOKE_(OK|PENDING|E_[A-Z_]+)|`[a-z_]+`(, `[a-z_]+`)*): /)
                request(".Pp")
            paragraph(substr(blocks[i], 2))
        } else if (block == "b") {
            request(".It")
            paragraph(substr(blocks[i], 2))
        } else if (block == "l") {
            literal(substr(blocks[i], 2))
        }
        mode = block
    }
}

# What a comment says first, without what stands in parentheses.
function first_clause(text) {
    sub(/^p/, "", text)
    sub(/\n.*/, "", text)
    while (match(text, / \([^()]*\)/))
        text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
    if (match(text, /[.:;] |[.]$/))
        text = substr(text, 1, RSTART - 1)
    return text
}

# The same as the one line that a page is found by.
function brief(text) {
    text = first_clause(text)
    sub(/^YOKE_[A-Z_]+\([^)]*\) /, "", text)
    gsub(/`/, "", text)
    if (text !~ /^(YOKE|NULL|[A-Z][A-Z])/)
        text = tolower(substr(text, 1, 1)) substr(text, 2)
    return text
}
