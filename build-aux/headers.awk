# SPDX-License-Identifier: Apache-2.0
#
# Reads the public headers for man.awk and doxygen.awk, which are given first and whose END has then, for item i of `items`:
#     kind[i]            "function", "struct", "callback", "opaque", "enum", "macro" or "text" (about all that follows)
#     name[i], code[i]   its name, and its declaration without the body; an enum's name is the type right above it, or ""
#     width[i]           what that type is, as "int32_t"
#     doc[i]             its comment: blocks ended by \n, that begin with "p" (paragraph), "b" (bullet) or "l" (line as it is)
#     joined[i]          whether it stands right below the item before, and shares its comment if it has none of its own
#     header[i], section[i], plain[i] (of a macro: the function that it calls with the caller's place)
#     members[i], member[i, k], member_doc[i, k]; statuses, status_name[k], status_value[k], status_doc[k]
# A comment belongs to the declaration right below it, or, behind a member, to that. Run with LC_ALL=C.

function fail(text) {
    print FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

function trim(text) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}

# One line of a comment into `pending`. `space`: nothing yet, or the last line was empty.
function comment_line(line) {
    gsub(/\342\200\246/, "...", line)
    if (line ~ /^ *$/) {
        fresh = 1
    } else if (line ~ /^ *- /) {
        sub(/^ *- /, "", line)
        pending = pending "\nb" line
        fresh = 0
    } else if (line ~ /^     /) {
        pending = pending "\nl" substr(line, 6)
        fresh = 1
    } else {
        pending = pending (fresh || pending == "" ? "\np" : " ") trim(line)
        fresh = 0
    }
}

function end_comment() {
    sub(/^\n/, "", pending)
    pending = pending "\n"
}

# A new item with the comment above it.
function add(what, its_name, its_code) {
    items++
    kind[items] = what
    name[items] = its_name
    code[items] = its_code
    doc[items] = pending
    header[items] = file
    section[items] = heading
    width[items] = its_name != "" && its_code == "enum" ? type_width : ""
    joined[items] = adjacent
    members[items] = 0
    pending = ""
    adjacent = 1
}

# The members of a struct or an enum: each is what a comma or semicolon ends, with the comments above or behind it.
function add_members(body, mark,    i, at, piece, above, last) {
    i = items
    last = 0
    while (body !~ /^[ \n]*$/) {
        if (body ~ /^[ \n]*\/\*/) {
            # On the line of the member before, or on a line of its own.
            at = index(body, "*/")
            piece = substr(body, 1, at + 1)
            body = substr(body, at + 2)
            above = piece ~ /^ *\n/ || !last
            sub(/^[ \n]*\/\*/, "", piece)
            sub(/\*\/$/, "", piece)
            gsub(/\n *\*/, " ", piece)
            gsub(/\342\200\246/, "...", piece)
            if (above)
                waiting = trim(piece)
            else
                member_doc[i, last] = trim(piece)
            continue
        }
        at = index(body, mark)
        # The last of an enum has a comment or nothing behind it.
        if (!at || (index(body, "/*") && index(body, "/*") < at))
            at = mark == "," && index(body, "/*") ? index(body, "/*") : (at ? at : length(body) + 1)
        last = ++members[i]
        member[i, last] = trim(substr(body, 1, at - 1))
        sub(/^YOKE_ALIGNED\([0-9]+\) /, "", member[i, last])
        member_doc[i, last] = waiting
        waiting = ""
        body = substr(body, substr(body, at, 1) == mark ? at + 1 : at)
    }
}

# Comments speak of parameters by their names.
function check_parameters(text,    list, count, k) {
    list = substr(text, index(text, "(") + 1)
    sub(/\)$/, "", list)
    count = split(list, parameter, /, /)
    for (k = 1; k <= count; k++) {
        if (list != "void" && parameter[k] != "..." && parameter[k] !~ /[ *][a-z_][a-z0-9_]*$/)
            fail("a parameter without a name: " text)
    }
}

# Whole declarations, without the words that are for the compiler.
function declaration(text,    words, count, body, rest, i) {
    if (text ~ /^(YOKE_API|static inline) /) {
        sub(/^(YOKE_API|static inline) /, "", text)
        sub(/ YOKE_PRINTF\([^)]*\)/, "", text)
        sub(/;.*$/, "", text)
        text = trim(text)
        check_parameters(text)
        words = substr(text, 1, index(text, "(") - 1)
        sub(/.*[ *]/, "", words)
        add("function", words, text)
    } else if (text ~ /^typedef [^{]*\(\*/) {
        words = text
        sub(/^[^(]*\(\*/, "", words)
        sub(/\).*/, "", words)
        sub(/;.*$/, ";", text)
        add("callback", words, trim(text))
    } else if (text ~ /^typedef u?int32_t yoke_[a-z_]+;/) {
        # Of the constants right below, which have its comment.
        split(text, words_of, /[ ;]/)
        type_width = words_of[2]
        type_name = words_of[3]
        return
    } else if (text ~ /^(typedef struct [a-z0-9_]+|enum) \{/) {
        body = substr(text, index(text, "{") + 1)
        match(body, /\n?\}[^}]*;/)
        for (rest = 0; match(substr(body, rest + 1), /\}[^};]*;/); rest += RSTART)
            count = rest + RSTART
        rest = substr(body, count + 1)
        body = substr(body, 1, count - 1)
        if (text ~ /^enum/) {
            # The one that comes of a list is told of as statuses.
            if (body ~ /#/)
                return
            if (pending == "" && match(rest, /\/\*.*\*\//))
                pending = "p" trim(substr(rest, RSTART + 2, RLENGTH - 4)) "\n"
            add("enum", type_name, "enum")
            type_name = ""
        } else {
            words = rest
            sub(/;.*/, "", words)
            add("struct", trim(words), "typedef struct " trim(words))
        }
        raw[items] = ""
        if (body ~ /\{/)
            raw[items] = body
        else
            add_members(body, text ~ /^enum/ ? "," : ";")
    } else if (text ~ /^typedef struct /) {
        words = text
        sub(/;.*/, "", words)
        sub(/.* /, "", words)
        if (match(text, /\/\*.*\*\//))
            pending = "p" trim(substr(text, RSTART + 2, RLENGTH - 4)) "\n"
        sub(/;.*/, ";", text)
        add("opaque", words, text)
    }
    pending = ""
}

# What only another compiler sees.
function hidden(line) {
    return line ~ /^#if.*(__cplusplus|__OPENCL|__CUDACC__)/ && line !~ /!defined/
}

FILENAME !~ /\.h$/ { next }

FNR == 1 {
    file = FILENAME
    sub(/.*include\//, "", file)
    heading = ""
    pending = ""
    adjacent = 0
    inside_comment = skipping = depth = open = in_body = 0
}

in_body {
    if ($0 ~ /^}/)
        in_body = 0
    next
}

# Left out: what is for C++ and for kernels. depth counts the conditions inside.
skipping {
    if ($0 ~ /^#if/)
        depth++
    else if ($0 ~ /^#endif/ && depth-- == 0)
        skipping = 0
    else if ($0 ~ /^#el/ && depth == 0)
        skipping = 0
    next
}

hidden($0) {
    skipping = 1
    depth = 0
    next
}

inside_comment {
    line = $0
    inside_comment = line !~ /\*\/ *$/
    sub(/ *\*\/ *$/, "", line)
    sub(/^ \*/, "", line)
    comment_line(line)
    if (!inside_comment)
        end_comment()
    next
}

open != "" && open != 0 {
    open = open "\n" $0
    if (complete(open)) {
        line = open
        open = 0
        declaration(line)
    }
    next
}

# A declaration is over at its semicolon outside of braces, and an inline function at its parameters.
function complete(text,    rest) {
    if (text ~ /^static inline/) {
        if (text !~ /\)$/)
            return 0
        in_body = 1
        return 1
    }
    if (text ~ /\/\*([^*]|\*+[^*\/])*$/)
        return 0
    rest = text
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", rest)
    return gsub(/{/, "{", rest) == gsub(/}/, "}", rest) && rest ~ /; *$/
}

/^\/\* (SPDX|clang-format)/ { next }

/^\/\* ---- / {
    heading = $0
    gsub(/^\/\* -+ | -+ \*\/$/, "", heading)
    pending = ""
    adjacent = 0
    next
}

/^\/\*/ {
    line = $0
    inside_comment = line !~ /\*\/ *$/
    sub(/^\/\*/, "", line)
    sub(/ *\*\/ *$/, "", line)
    pending = ""
    fresh = 0
    comment_line(line)
    if (!inside_comment)
        end_comment()
    next
}

# A comment that nothing follows is about all that comes.
/^$/ || /^#ifndef YOKE_[A-Z]*_H$/ {
    type_name = ""
    if (pending != "")
        add("text", "", "")
    adjacent = 0
    next
}

# A list that an enum is made of: the statuses, or an enum like any other, whose texts are what its members are called.
/^#define YOKE_[A-Z]+_LIST\(X\)/ {
    statuses_listed = $0 ~ /STATUS/
    if (!statuses_listed)
        add("enum", type_name, "enum")
    type_name = ""
    next
}

/^ +X\(YOKE_/ && !statuses_listed {
    line = $0
    sub(/^ +X\(/, "", line)
    split(line, parts, /, *|\)/)
    member[items, ++members[items]] = parts[1] " = " parts[2]
    gsub(/"/, "", parts[3])
    member_doc[items, members[items]] = parts[3] ", " parts[4] (parts[4] == 1 ? " byte" : " bytes")
    if (match(line, /\/\*.*\*\//))
        member_doc[items, members[items]] = member_doc[items, members[items]] ": " trim(substr(line, RSTART + 2, RLENGTH - 4))
    next
}

/^ +X\(YOKE_/ {
    line = $0
    sub(/^ +X\(/, "", line)
    statuses++
    status_name[statuses] = substr(line, 1, index(line, ",") - 1)
    sub(/^[^,]*, */, "", line)
    status_value[statuses] = substr(line, 1, index(line, ",") - 1)
    sub(/^[^"]*"/, "", line)
    sub(/".*/, "", line)
    status_doc[statuses] = line
    next
}

# The functions that one macro makes, with the comment of that.
/^#define YOKE_(ARG_VALUE|NUMBER)_FN/ {
    scalar_doc = pending
    next
}

/^YOKE_(ARG_VALUE|NUMBER)_FN\(/ {
    pending = scalar_doc
    scalar_doc = ""
    of_kind = /^YOKE_ARG/ ? "yoke_arg" : "yoke_number"
    line = $0
    gsub(/^[^(]*\(|\).*/, "", line)
    split(line, parts, ", ")
    add("function", of_kind "_" parts[1], of_kind " " of_kind "_" parts[1] "(" parts[2] " value)")
    next
}

/^#define / {
    line = $2
    if (match($0, /\(YOKE_HERE, /)) {
        sub(/\(.*/, "", line)
        plain[line "_at"] = line
        next
    }
    if ($0 ~ /\/\*.*\*\/$/) {
        pending = $0
        gsub(/^.*\/\* *| *\*\/$/, "", pending)
        pending = "p" pending "\n"
    }
    if (pending != "" && line ~ /^YOKE_/ && $0 !~ /^#define YOKE_[A-Z]*_LIST/) {
        line = $0
        sub(/^#define /, "", line)
        if (match(line, /^[A-Z0-9_]+\([^)]*\)/) || match(line, /^[A-Z0-9_]+/))
            line = substr(line, 1, RLENGTH)
        $0 = line
        # A comment that begins with a macro's name is about that macro, which others may stand before.
        if (match(pending, /^pYOKE_[A-Z_]+\([^)]*\)/))
            $0 = line = substr(pending, 2, RLENGTH - 1)
        sub(/\(.*/, "", $0)
        add("macro", $0, line)
    }
    pending = ""
    next
}

/^(YOKE_API|static inline|typedef|enum) / {
    if (complete($0))
        declaration($0)
    else
        open = $0
    next
}
