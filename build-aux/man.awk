# SPDX-License-Identifier: Apache-2.0
#
# Writes the manual pages from what headers.awk has read, from the tables of doc/environment*.md, doc/examples.md and
# parameters.txt:
#     awk -v out=FOLDER -v version=0.1.0 -v date=2026-01-31 -v guide=FOLDER \
#         -f man.awk -f man_seven.awk -f man_text.awk -f headers.awk HEADER... FILE.md... parameters.txt lib*.map
# A function has a page with those that stand right below it, and with those whose comments begin with "The same"; so has a macro
# with parameters. Types and constants are told of on the pages of functions that take them. FOLDER/links has the other names of
# pages, as "yoke_write_at.3 yoke_write.3". `guide` is the folder in which the guide is installed.

# The tables of variables, with the columns variable, values, meaning; and the paragraph on the default device.
FILENAME ~ /environment(-measuring)?\.md$/ {
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

# The nodes of a library's map: since which version it has a function.
FILENAME ~ /\.map$/ {
    if (/^YOKE[A-Z_]*_[0-9.]+ \{/) {
        node = $1
        sub(/.*_/, "", node)
        oldest = oldest == "" ? node : oldest
    } else if (/^ +yoke_/)
        since[substr($1, 1, length($1) - 1)] = node
}

# "size: how many bytes", or with a type or a function before the name; see parameters.txt.
FILENAME ~ /parameters\.txt$/ && !/^#/ && match($0, /:( |$)/) {
    parameter_key = substr($0, 1, RSTART - 1)
    if (parameter_key in parameter_meaning) {
        print "parameters.txt: two lines for " parameter_key > "/dev/stderr"
        failed = 1
    }
    parameter_meaning[parameter_key] = substr($0, RSTART + 2)
}

# "### yoke_write, yoke_read": the functions that the blocks of C below are an example of.
FILENAME ~ /examples\.md$/ {
    if (/^##+ /) {
        examples++
        example_names[examples] = /^### / ? substr($0, 5) : ""
        in_example = 0
    } else if (/^```/) {
        in_example = /^```c/
        if (in_example && example[examples] != "")
            example[examples] = example[examples] "\n"
    } else if (in_example) {
        example[examples] = example[examples] $0 "\n"
    }
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
        raw_text = raw_text " " raw[i]
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

# Whether an enum stands right above the first function of the page, or, without a prefix of its own, one of its constants is named
# by what a parameter means.
function belongs(i,    k, word) {
    for (k = i + 1; k <= items && (kind[k] == "text" || kind[k] == "enum") && header[k] == header[i]; k++) {}
    if (k == group[1] && section[k] == section[i])
        return 1
    for (k = 1; k <= members[i] && prefix_of(i) == "YOKE_"; k++) {
        word = member[i, k]
        sub(/ .*/, "", word)
        if (has_word(param_text, word))
            return 1
    }
    return 0
}

# Constants that the text names, or all of an enum if it names what they begin with or if a call takes their type.
function constants(i,    k, all, word, begun) {
    all = has_word(page_text, prefix_of(i)) || page_text ~ (prefix_of(i) "x") || belongs(i) || \
        (width[i] != "" && has_word(call_text, name[i]))
    begun = 0
    for (k = 1; k <= members[i]; k++) {
        word = member[i, k]
        sub(/ .*/, "", word)
        if (word ~ /_COUNT$/ || (!all && !has_word(page_text, word)))
            continue
        if (!begun) {
            if (!constants_begun)
                request(".Ss Constants")
            if (doc[i] != "" && members[i] > 1) {
                comment(doc[i], constants_begun)
                if (width[i] != "")
                    request(".Pp\nThese are of the type\n.Vt " name[i] " ,\nan\n.Vt " width[i] " .")
            }
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

# A macro's parameters as its comment or its definition names them.
function macro_prototype(i,    list, count, k) {
    request(".Fo " name[i])
    list = code[i]
    gsub(/^[^(]*\(|\).*$/, "", list)
    count = split(list, parameter, /, /)
    for (k = 1; k <= count; k++)
        request(".Fa \"" parameter[k] "\"")
    request(".Fc")
}

# What a header says first of itself.
function text_of(its_header,    i) {
    for (i = 1; i <= items && !(kind[i] == "text" && header[i] == its_header); i++) {}
    return i
}

# The names of the page: its calls, and the types that no page before has told of, those among them that it makes. The functions
# behind macros lead to it, too, and are shown in yoke_at.7.
function page_names(first,    i, k, count) {
    count = 0
    for (k = 1; k <= size; k++) {
        names[++count] = shown_name(group[k])
        if (name[group[k]] in plain)
            link_to(name[group[k]], first)
    }
    for (k = 1; k <= type_count; k++) {
        if (!(types[k] in told)) {
            told[types[k]] = first
            names[++count] = name[types[k]]
        }
    }
    for (i = 1; i <= items; i++) {
        if (width[i] != "" && !(i in told) && has_word(page_text raw_text, name[i])) {
            told[i] = first
            names[++count] = name[i]
        }
    }
    for (i = 1; i <= items; i++) {
        if (kind[i] == "opaque" && !(i in told) && index(page_text, name[i] " **out_")) {
            told[i] = first
            names[++count] = name[i]
            made[i] = 1
        }
    }
    return count
}

function synopsis(    k) {
    request(".Sh SYNOPSIS\n.In " include_of(group[1]))
    for (k = 1; k <= size; k++) {
        if (kind[group[k]] == "macro")
            macro_prototype(group[k])
        else
            prototype(code[group[k]], shown_name(group[k]), !(name[group[k]] in plain))
    }
    if (header[group[1]] ~ /\/(array|ops|vars)\.h$/)
        request(".Pp\n.Dl cc program.c $(pkg-config \\-\\-cflags \\-\\-libs yoke\\-ops)")
    if (header[group[1]] ~ /\/comm\.h$/)
        request(".Pp\n.Dl mpicc program.c $(pkg-config \\-\\-cflags \\-\\-libs yoke\\-comm)")
}

# The parameters of the page's functions that their comments do not list, once each.
function list_parameters(    k, j, list, count, word, meaning, own, seen, begun) {
    begun = 0
    param_text = ""
    for (k = 1; k <= size; k++) {
        list = code[group[k]]
        gsub(/^[^(]*\(|\)$/, "", list)
        count = kind[group[k]] == "function" && list != "void" ? split(list, parameter, /, /) : 0
        for (j = 1; j <= count; j++) {
            sub(/^const yoke_stream /, "yoke_stream ", parameter[j])
            sub(/^const yoke_device /, "yoke_device ", parameter[j])
            sub(/^const yoke_buffer /, "yoke_buffer ", parameter[j])
            sub(/^const yoke_kernel /, "yoke_kernel ", parameter[j])
            sub(/^const yoke_graph /, "yoke_graph ", parameter[j])
            word = parameter[j]
            sub(/.*[ *]/, "", word)
            if (word == "where" && name[group[k]] in plain)
                continue
            if (parameter[j] in seen || word in seen || index(page_text, "`" word "`: ") || index(page_text, "`" word "`, `"))
                continue
            own = name[group[k]]
            sub(/_at$/, "", own)
            own = own " " word
            meaning = own in parameter_meaning ? own : parameter[j] in parameter_meaning ? parameter[j] : word
            if (!(meaning in parameter_meaning)) {
                print "parameters.txt: " parameter[j] " of " name[group[k]] " has no line" > "/dev/stderr"
                failed = 1
            }
            seen[meaning] = 1
            param_text = param_text " " parameter_meaning[meaning]
            if (parameter_meaning[meaning] == "")
                continue
            if (!begun)
                request(".Ss Parameters\n.Bl -tag -width Ds -compact")
            begun = 1
            request(".It Fa " word)
            put(parameter_meaning[meaning])
        }
    }
    if (begun)
        request(".El")
}

function description(    i, k, label) {
    request(".Sh DESCRIPTION")
    if (kind[group[1]] == "macro") {
        comment(doc[text_of(header[group[1]])], 0)
        if (size == 1)
            request(".Pp")
    }
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
    list_parameters()
    for (i = 1; i <= items; i++) {
        if (i in made) {
            request(".Ss " name[i])
            put("Opaque: " substr(doc[i], 2, length(doc[i]) - 2) ".")
            delete made[i]
        }
    }
    for (k = 1; k <= type_count; k++)
        type(types[k])
    constants_begun = 0
    for (i = 1; i <= items; i++) {
        if (kind[i] == "enum")
            constants(i)
    }
}

# What a call gives, and what threads may do with it. The comment of a function that returns no status begins with its value.
function returned(    i, k, text, status, begun) {
    status = begun = 0
    for (k = 1; k <= size; k++) {
        i = group[k]
        text = code[i]
        if (text ~ /^yoke_status /)
            status = 1
        if (kind[i] == "macro" || text ~ /^(void|yoke_status|yoke_arg|yoke_pitch) / || doc[i] == "" || doc[i] ~ /^p(Take|Set) /)
            continue
        if (!begun)
            request(".Sh RETURN VALUES\n.Bl -tag -width Ds")
        begun = 1
        request(".It Fn " shown_name(i))
        text = doc[i]
        sub(/^p/, "", text)
        sub(/\n.*/, "", text)
        if (match(text, /\. /))
            text = substr(text, 1, RSTART)
        put(text)
    }
    if (begun)
        request(".El")
    if (status) {
        request(begun ? ".Pp" : ".Sh RETURN VALUES")
        put("A status: YOKE_OK, or a negative one, with a record of the failure behind yoke_error().")
        request("What any function may return is in\n.Xr yoke_status 3 .")
    }
    request(".Sh THREADS\nAny thread may call " (size > 1 ? "these" : "this") ", and so may a host function.")
    request("Calls on one object from several threads are safe.")
}

# Since which version the library has the page's functions; what headers define without the library is as old as the oldest.
function history(    k, version, others) {
    request(".Sh HISTORY")
    for (k = 1; k <= size; k++) {
        if (!(name[group[k]] in since))
            continue
        version = version == "" ? since[name[group[k]]] : version
        others = others || since[name[group[k]]] != version
    }
    if (!others)
        request("Since Yoke " (version == "" ? oldest : version) ".")
    for (k = 1; k <= size && others; k++) {
        if (name[group[k]] in since)
            request(".Fn " shown_name(group[k]) "\nsince Yoke " since[name[group[k]]] ".")
    }
}

# The examples of any of the page's functions, once each.
function page_examples(    k, e, list, count, j, begun, lines) {
    begun = 0
    for (e = 1; e <= examples; e++) {
        count = split(example_names[e], list, /, */)
        for (j = 1; j <= count; j++) {
            for (k = 1; k <= size && list[j] != shown_name(group[k]); k++) {}
            if (k <= size)
                break
        }
        if (j > count)
            continue
        request(begun ? ".Pp" : ".Sh EXAMPLES")
        if (!begun && example[e] ~ /YOKE_CHECK/)
            put("`YOKE_CHECK` ends the program if the call fails" (example[e] ~ /[(, ](x|y|z|hx|hy)[,)]/ ? \
                "; the buffers x, y and z and the arrays hx and hy have N floats each" : "") \
                (example[e] ~ /[(, &][abc][,)]/ ? "; a, b and c are arrays of 32 x 32 floats." : "."))
        request(begun || example[e] !~ /YOKE_CHECK/ ? ".Bd -literal -compact" : ".Bd -literal")
        begun = 1
        count = split(example[e], lines, "\n")
        for (j = 1; j < count; j++)
            literal(lines[j])
        request(".Ed")
    }
    if (examples && !begun) {
        print "doc/examples.md: " shown_name(group[1]) " has no example" > "/dev/stderr"
        failed = 1
    }
}

# The page of group[1..size], which are functions or macros.
function write_page(    first, i, k, count, see) {
    first = shown_name(group[1])
    page = out "/" first ".3"
    head(first, 3, header[group[1]])
    page_text = call_text = raw_text = ""
    split("", shown)
    type_count = 0
    for (k = 1; k <= size; k++)
        call_text = call_text " " code[group[k]]
    for (k = 1; k <= size; k++)
        page_text = page_text " " code[group[k]] " " doc[group[k]]
    if (kind[group[1]] == "macro")
        page_text = page_text " " doc[text_of(header[group[1]])]
    for (k = 1; k <= size; k++)
        find_types(code[group[k]])
    count = page_names(first)
    request(".Sh NAME")
    for (k = 1; k <= count; k++) {
        request(".Nm " names[k] (k < count ? " ," : ""))
        if (k > 1)
            link_to(names[k], first)
    }
    if (brief(doc[group[1]]) == "")
        fail(name[group[1]] " has no comment")
    request(".Nd " brief(doc[group[1]]))
    synopsis()
    description()
    returned()
    page_examples()
    request(".Sh SEE ALSO")
    for (i = 1; i <= items; i++) {
        if (is_call(i) && page_of[i] != first && (has_word(page_text, name[i]) || has_word(page_text, shown_name(i))))
            see[page_of[i]] = 1
    }
    references(see)
    for (k = 1; k <= size && !(name[group[k]] in plain); k++) {}
    request(k <= size ? ".Xr yoke 7 ,\n.Xr yoke_at 7" : ".Xr yoke 7")
    history()
    close(page)
}

function link_to(other, page_name) {
    print other ".3 " page_name ".3" > (out "/links")
}

# The list of references, in order.
function references(see,    word, sorted, count, k, j) {
    count = 0
    for (word in see) {
        for (k = count++; k > 0 && tolower(sorted[k]) > tolower(word); k--)
            sorted[k + 1] = sorted[k]
        sorted[k + 1] = word
    }
    for (k = 1; k <= count; k++)
        request(".Xr " sorted[k] " 3 ,")
}

# What has a page: functions, and macros with parameters; not what only other declarations of the header use.
function is_call(i) {
    if (kind[i] != "function" && !(kind[i] == "macro" && code[i] ~ /\(/))
        return 0
    return doc[i] !~ /^p(Shared by|For (YOKE_ARGS|the macros)|The value of YOKE_)/
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
        if (is_call(i)) {
            of_function[name[i]] = 1
            of_function[shown_name(i)] = 1
            if (!last || section[i] != section[last] || !((joined[i] && kind[i - 1] == "function") || doc[i] ~ /^pThe same/))
                first = shown_name(i)
            page_of[i] = first
            last = i
        }
    }
    printf "" > (out "/links")
    size = 0
    for (i = 1; i <= items; i++) {
        if (!is_call(i))
            continue
        if (size && page_of[i] != page_of[group[1]]) {
            write_page()
            size = 0
        }
        group[++size] = i
    }
    write_page()
    status_page()
    places_page()
    for (i = 1; i <= items; i++) {
        if (name[i] == "yoke_dim")
            link_to("YOKE_DIM", told[i])
    }
    contract()
    environment_page()
    close(out "/links")
    exit failed
}
