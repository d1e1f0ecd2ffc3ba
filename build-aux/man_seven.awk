# SPDX-License-Identifier: Apache-2.0
#
# The manual pages of section 7, and that of yoke_status, which belong to no function: the overview, the functions behind macros,
# and the environment. For man.awk.

function contract(    i, k, last, text, place) {
    page = out "/yoke.7"
    head("yoke", 7, "include/yoke/yoke.h")
    text = doc[1]
    sub(/^p[^\n]*\n/, "", text)
    request(".Sh NAME\n.Nm yoke\n.Nd GPU computing in C, the same on NVIDIA's CUDA driver and on any OpenCL driver")
    request(".Sh SYNOPSIS\n.In yoke/yoke.h\n.Pp\n.Dl cc program.c $(pkg-config \\-\\-cflags \\-\\-libs yoke)\n.Sh DESCRIPTION")
    comment(text, 0)
    request(".Ss Statuses")
    list_statuses()
    last = ""
    for (i = 1; i <= items; i++) {
        if (!is_call(i) || page_of[i] != shown_name(i))
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
    request(".El")
    if (guide != "")
        request(".Sh FILES\n.Bl -tag -width Ds\n.It Pa " guide "\nThe guide: README.md leads to its pages.\n.El")
    request(".Sh SEE ALSO\n.Xr pkg-config 1 ,\n.Xr yoke 1 ,\n.Xr yoke-environment 7 ,\n.Xr yoke_at 7")
    request(".Pp\n.Xr yoke 1\nis a program: it lists devices, checks drivers and traces programs.")
    close(page)
}

function list_statuses(    i, k) {
    request(".Bl -tag -width Ds")
    for (k = 1; k <= statuses; k++) {
        request(".It Dv " status_name[k] " No = " status_value[k])
        put(toupper(substr(status_doc[k], 1, 1)) substr(status_doc[k], 2) ".")
    }
    request(".El\n.Pp")
    for (i = 1; i <= items; i++) {
        if (kind[i] == "enum" && member[i, 1] ~ /YOKE_GROUP/)
            comment(doc[i], 0)
    }
    paragraph("yoke_status_group() returns the group. A host function may return negative codes of its own.")
}

# All functions that macros call with the caller's place, in one page.
function places_page(    i) {
    page = out "/yoke_at.7"
    head("yoke_at", 7, "include/yoke/*.h")
    request(".Sh NAME\n.Nm yoke_at\n.Nd the functions that take the place of a call, which macros add")
    request(".Sh SYNOPSIS\n.In yoke/yoke.h")
    for (i = 1; i <= items; i++) {
        if (name[i] in plain)
            prototype(code[i], name[i], 1)
    }
    request(".Sh DESCRIPTION")
    paragraph("Each function that enqueues work is a macro over a function whose name ends in _at. The macro adds the caller's " \
        "file and line, so that a failure that is reported later names the line that enqueued the work. Other languages, C++ " \
        "wrappers and function pointers use the functions here; each is described in the manual page of its macro.")
    request(".Ss Parameters\n.Bl -tag -width Ds -compact\n.It Fa where")
    put(parameter_meaning["where"])
    request(".El\n.Sh SEE ALSO\n.Xr yoke_error 3 ,\n.Xr yoke 7")
    close(page)
}

# The type has no declaration that a comment belongs to.
function status_page() {
    page = out "/yoke_status.3"
    head("yoke_status", 3, "include/yoke/yoke.h")
    request(".Sh NAME\n.Nm yoke_status\n.Nd what the functions of Yoke return")
    request(".Sh SYNOPSIS\n.In yoke/yoke.h\n.Vt typedef int32_t yoke_status ;")
    request(".Sh DESCRIPTION")
    put("A status is 0, positive, or negative: a failure, whose record yoke_error() returns.")
    list_statuses()
    request(".Sh EXAMPLES\n.Bd -literal -compact\nif (yoke_stream_wait(stream) < 0)")
    literal("    fprintf(stderr, \"%s\\n\", yoke_error()->text);")
    request(".Ed\n.Sh SEE ALSO\n.Xr yoke_error 3 ,\n.Xr yoke_status_name 3 ,\n.Xr yoke 7\n.Sh HISTORY\nSince Yoke " oldest ".")
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
