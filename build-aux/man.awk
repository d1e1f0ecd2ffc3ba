# SPDX-License-Identifier: Apache-2.0
#
# Writes the manual pages from what headers.awk has read, and from the tables of doc/environment.md:
#     awk -v out=FOLDER -v version=0.1.0 -v date=2026-01-31 -f man.awk -f headers.awk HEADER... environment.md
# A function has a page with those that stand right below it, and with those whose comments begin with "The same"; types and
# constants are told of on the pages of functions that take them. FOLDER/links has the other names of pages, as
# "yoke_write_at.3 yoke_write.3".

# The tables of variables, with the columns variable, values, meaning; and the paragraph on the default device.
FILENAME ~ /environment\.md$/ {
    if (/^\| `YOKE_[A-Z_]*` /) {
        split($0, columns, / *\| */)
        variables++
        variable[variables] = columns[2]
        meaning[variables] = columns[4] ~ /^`/ ? columns[4] : columns[3] ": " columns[4]
    }
    in_default = /^Without either,/ || in_default && !/^$/
    if (in_default)
        environment_text = environment_text " " $0
}

# ---- Text ----

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
            result = result "\\fB" word "\\fR" (word in of_function ? "()" : "")
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

# Sentences on lines of their own; what a status means is an item of a list.
function paragraph(text,    at, sentence, listed, colon) {
    listed = 0
    while (text != "") {
        at = match(text, /\. ([A-Z0-9"`]|yoke_)/) ? RSTART : 0
        sentence = at ? substr(text, 1, at) : text
        text = at ? substr(text, at + 2) : ""
        if (match(sentence, /^YOKE_(OK|PENDING|E_[A-Z_]+): /)) {
            if (!listed)
                request(".Bl -tag -width Ds")
            listed = 1
            colon = index(sentence, ":")
            request(".It Dv " substr(sentence, 1, colon - 1))
            put(substr(sentence, colon + 2))
            continue
        }
        if (listed)
            request(".El\n.Pp")
        listed = 0
        put(sentence)
    }
    if (listed)
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
            if ((follows || i > 1) && blocks[i] !~ /^pYOKE_(OK|PENDING|E_[A-Z_]+): /)
                request(".Pp")
            paragraph(substr(blocks[i], 2))
        } else if (block == "b") {
            request(".It")
            paragraph(substr(blocks[i], 2))
        } else if (block == "l") {
            put(substr(blocks[i], 2))
        }
        mode = block
    }
}

# What a comment says first, as the one line that a page is found by.
function brief(text) {
    sub(/^p/, "", text)
    sub(/\n.*/, "", text)
    if (match(text, /[.:;] |[.]$| \(/))
        text = substr(text, 1, RSTART - 1)
    while (length(text) > 90 && match(text, /,[^,]*$/))
        text = substr(text, 1, RSTART - 1)
    gsub(/`/, "", text)
    if (text !~ /^(YOKE|NULL|[A-Z][A-Z])/)
        text = tolower(substr(text, 1, 1)) substr(text, 2)
    return text
}

# ---- What is on a page ----

function has_word(text, word,    at, before, after) {
    while ((at = index(text, word)) > 0) {
        before = at > 1 ? substr(text, at - 1, 1) : " "
        after = substr(text, at + length(word), 1)
        if (before !~ /[A-Za-z0-9_]/ && after !~ /[A-Za-z0-9_]/)
            return 1
        text = substr(text, at + length(word))
    }
    return 0
}

# The types that the page's functions take, and those in these.
function find_types(text,    i, k) {
    for (i = 1; i <= items; i++) {
        if ((kind[i] != "struct" && kind[i] != "callback") || i in shown || !has_word(text, name[i]))
            continue
        shown[i] = 1
        types[++type_count] = i
        page_text = page_text " " doc[i]
        for (k = 1; k <= members[i]; k++) {
            page_text = page_text " " member[i, k] " " member_doc[i, k]
            find_types(member[i, k])
        }
        if (kind[i] == "callback")
            find_types(code[i])
    }
}

function prefix_of(i,    k, prefix, word) {
    prefix = member[i, 1]
    sub(/ .*/, "", prefix)
    for (k = 1; k <= members[i]; k++) {
        word = member[i, k]
        while (substr(word, 1, length(prefix)) != prefix || prefix !~ /_$/)
            prefix = substr(prefix, 1, length(prefix) - 1)
    }
    return prefix
}

# Constants that the text names, or all of an enum if it names what they begin with.
function constants(i,    k, all, word, begun) {
    all = has_word(page_text, prefix_of(i)) || page_text ~ (prefix_of(i) "x")
    begun = 0
    for (k = 1; k <= members[i]; k++) {
        word = member[i, k]
        sub(/ .*/, "", word)
        if (word ~ /_COUNT$/ || (!all && !has_word(page_text, word)))
            continue
        if (!begun) {
            if (!constants_begun)
                request(".Ss Constants")
            if (doc[i] != "" && members[i] > 1)
                comment(doc[i], constants_begun)
            request(".Bl -tag -width Ds")
            begun = constants_begun = 1
        }
        word = member[i, k]
        sub(/ = /, " No = ", word)
        request(".It Dv " word)
        if (member_doc[i, k] != "")
            paragraph(member_doc[i, k])
        else if (members[i] == 1 && doc[i] != "")
            comment(doc[i], 0)
    }
    if (begun)
        request(".El")
}

function type(i,    k, lines, count) {
    request(".Ss " name[i])
    if (kind[i] == "callback")
        request(".Bd -literal\n" code[i] "\n.Ed")
    comment(doc[i] == "" ? doc[i - 1] : doc[i], kind[i] == "callback")
    if (raw[i] != "") {
        request(".Bd -literal\n" code[i] " {")
        count = split(raw[i], lines, "\n")
        for (k = 1; k <= count; k++) {
            if (lines[k] !~ /^ *$/)
                request(lines[k])
        }
        request("} " name[i] ";\n.Ed")
    }
    if (!members[i])
        return
    request(".Bl -tag -width Ds")
    for (k = 1; k <= members[i]; k++) {
        request(".It Vt \"" member[i, k] "\"")
        if (member_doc[i, k] != "")
            paragraph(member_doc[i, k])
    }
    request(".El")
}

# A function's prototype. `as`: its name here; `place`: whether the caller's place is a parameter.
function prototype(text, as, place,    at, result, list, count, k) {
    at = index(text, "(")
    result = substr(text, 1, at - 1)
    sub(/[a-z0-9_]+$/, "", result)
    sub(/ $/, "", result)
    request(".Ft \"" result "\"\n.Fo " as)
    list = substr(text, at + 1, length(text) - at - 1)
    count = split(list, parameter, /, /)
    for (k = 1; k <= count; k++) {
        if (k == 1 && !place)
            continue
        request(".Fa \"" parameter[k] "\"")
    }
    request(".Fc")
}

# The page of the functions group[1..size].
function write_page(    first, i, k, j, names, seen, text, last, label, returns, see, count, free) {
    first = shown_name(group[1])
    page = out "/" first ".3"
    head(first, 3, header[group[1]])
    page_text = ""
    split("", shown)
    type_count = 0
    returns = 0
    free = ""
    for (k = 1; k <= size; k++) {
        page_text = page_text " " code[group[k]] " " doc[group[k]]
        returns = returns || code[group[k]] ~ /^yoke_status /
    }
    for (k = 1; k <= size; k++)
        find_types(code[group[k]])
    count = 0
    for (k = 1; k <= size; k++) {
        names[++count] = shown_name(group[k])
        if (name[group[k]] in plain)
            names[++count] = name[group[k]]
    }
    for (k = 1; k <= type_count; k++) {
        if (!(types[k] in told)) {
            told[types[k]] = first
            names[++count] = name[types[k]]
        }
    }
    request(".Sh NAME")
    for (k = 1; k <= count; k++) {
        request(".Nm " names[k] (k < count ? " ," : ""))
        if (k > 1)
            print names[k] ".3 " first ".3" > (out "/links")
    }
    text = brief(doc[group[1]])
    if (text == "")
        fail(name[group[1]] " has no comment")
    request(".Nd " text "\n.Sh SYNOPSIS\n.In " include_of(group[1]))
    for (k = 1; k <= size; k++) {
        if (name[group[k]] in plain)
            prototype(code[group[k]], plain[name[group[k]]], 0)
        prototype(code[group[k]], name[group[k]], 1)
    }
    request(".Sh DESCRIPTION")
    label = ""
    for (k = 1; k <= size; k++) {
        i = group[k]
        if (size > 1 && doc[i] != "") {
            for (label = shown_name(i); k < size && doc[group[k + 1]] == ""; k++)
                label = label ", " shown_name(group[k + 1])
            # What has a comment of its own below others shares the page and not the comment.
            request(".Ss " label)
        }
        comment(doc[i], 0)
    }
    if (about[group[1]])
        comment(doc[about[group[1]]], 1)
    for (k = 1; k <= type_count; k++)
        type(types[k])
    constants_begun = 0
    for (i = 1; i <= items; i++) {
        if (kind[i] == "enum")
            constants(i)
    }
    if (returns) {
        request(".Sh RETURN VALUES")
        put("A status: YOKE_OK, or a negative one, with a record of the failure behind yoke_error().")
        request("What any function may return is in\n.Xr yoke 7 .")
    }
    request(".Sh SEE ALSO")
    for (i = 1; i <= items; i++) {
        if (kind[i] == "function" && page_of[i] != first && (has_word(page_text, name[i]) || has_word(page_text, shown_name(i))))
            see[shown_name(i)] = 1
    }
    references(see)
    close(page)
}

# The list of references, in order.
function references(see,    word, sorted, count, k, j) {
    count = 0
    for (word in see) {
        for (k = count++; k > 0 && sorted[k] > word; k--)
            sorted[k + 1] = sorted[k]
        sorted[k + 1] = word
    }
    for (k = 1; k <= count; k++)
        request(".Xr " sorted[k] " 3 ,")
    request(".Xr yoke 7")
}

function shown_name(i) {
    return name[i] in plain ? plain[name[i]] : name[i]
}

# yoke.h includes some of the others.
function include_of(i) {
    return header[i] ~ /\/(memory|program|args)\.h$/ ? "yoke/yoke.h" : header[i]
}

function head(title, number, source) {
    request(".\\\" SPDX-License-Identifier: Apache-2.0\n.\\\" Made from " source " by build-aux/man.awk.")
    request(".Dd " day "\n.Dt " toupper(title) " " number "\n.Os \"Yoke " version "\"")
}

# ---- Section 7 ----

function contract(    i, k, last, text, place) {
    page = out "/yoke.7"
    head("yoke", 7, "include/yoke/yoke.h")
    text = doc[1]
    sub(/^p[^\n]*\n/, "", text)
    request(".Sh NAME\n.Nm yoke\n.Nd GPU computing in C, the same on NVIDIA's CUDA driver and on any OpenCL driver")
    request(".Sh SYNOPSIS\n.In yoke/yoke.h\n.Pp\n.Dl cc program.c $(pkg-config \\-\\-cflags \\-\\-libs yoke)\n.Sh DESCRIPTION")
    comment(text, 0)
    request(".Ss Statuses\n.Bl -tag -width Ds")
    for (k = 1; k <= statuses; k++) {
        request(".It Dv " status_name[k] " No = " status_value[k])
        put(status_doc[k] ".")
    }
    request(".El\n.Pp")
    for (i = 1; i <= items; i++) {
        if (kind[i] == "enum" && member[i, 1] ~ /YOKE_GROUP/)
            comment(doc[i], 0)
    }
    put("See yoke_status_group().")
    last = ""
    for (i = 1; i <= items; i++) {
        if (kind[i] != "function" || page_of[i] != shown_name(i))
            continue
        place = header[i] section[i]
        if (place != last) {
            if (last != "")
                request(".El")
            for (k = i; k > 1 && header[k - 1] == header[i]; k--) {}
            if (index(last, header[i]) != 1 && k > 1) {
                request(".Ss Header <" header[i] ">")
                comment(doc[k], 0)
            }
            if (section[i] != "")
                request(".Ss " section[i])
            request(".Bl -tag -width Ds")
        }
        last = place
        request(".It Xr " shown_name(i) " 3")
        put(brief(doc[i]))
    }
    request(".El\n.Sh SEE ALSO\n.Xr pkg-config 1 ,\n.Xr yoke-environment 7")
    close(page)
}

function environment_page(    k) {
    page = out "/yoke-environment.7"
    head("yoke-environment", 7, "doc/environment.md")
    request(".Sh NAME\n.Nm yoke-environment\n.Nd environment variables of programs that use Yoke\n.Sh DESCRIPTION")
    paragraph("Yoke reads these variables when a program first uses it. A program that runs with other rights than its user's " \
        "(set-user-ID) has no cache, writes no trace, and loads no library that a variable names.")
    request(".Sh ENVIRONMENT\n.Bl -tag -width Ds")
    for (k = 1; k <= variables; k++) {
        if (variable[k] ~ /TEST/)
            continue
        gsub(/`/, "", variable[k])
        request(".It Ev " variable[k])
        paragraph(toupper(substr(meaning[k], 1, 1)) substr(meaning[k], 2) ".")
    }
    request(".El\n.Pp")
    sub(/^ *Without either/, "Without `YOKE_BACKEND` and `YOKE_DEVICE`", environment_text)
    paragraph(trim(environment_text))
    request(".Sh SEE ALSO\n.Xr yoke_cache_get_info 3 ,\n.Xr yoke_device_open 3 ,\n.Xr yoke 7")
    close(page)
}

END {
    if (failed)
        exit 1
    split("January February March April May June July August September October November December", months, " ")
    split(date, parts, "-")
    day = months[parts[2] + 0] " " (parts[3] + 0) ", " parts[1]
    free = 0
    for (i = 1; i <= items; i++) {
        if (header[i] != header[i - 1] || section[i] != section[i - 1])
            free = 0
        # The first of a header is about all of it, and in yoke.7.
        if (kind[i] == "text" && header[i] == header[i - 1])
            free = i
        about[i] = free
        if (kind[i] == "function") {
            of_function[name[i]] = 1
            of_function[shown_name(i)] = 1
            if (!count || !((joined[i] && kind[i - 1] == "function") || doc[i] ~ /^pThe same/))
                first = shown_name(i)
            page_of[i] = first
            count++
        }
    }
    printf "" > (out "/links")
    size = 0
    for (i = 1; i <= items; i++) {
        if (kind[i] != "function")
            continue
        if (size && page_of[i] != page_of[group[1]]) {
            write_page()
            size = 0
        }
        group[++size] = i
    }
    write_page()
    contract()
    environment_page()
    close(out "/links")
    exit failed
}
