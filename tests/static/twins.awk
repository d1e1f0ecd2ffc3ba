# SPDX-License-Identifier: Apache-2.0
#
# Compares twins: awk -v name=NAME -f twins.awk NAME.cu NAME.cl. Prints each difference in the kernels' names, their parameters
# (types without qualifiers and address spaces, names, order) and the structs' members, and exits 1 when there is one. An OpenCL
# kernel may end with a __local parameter, which stands for CUDA's dynamic shared memory. Macros are not expanded.

function complain(text) {
    print "kernels/" name ": " text
    failed = 1
}

# One blank between words and none at the ends; words that the two languages spell differently left out.
function plain(text) {
    gsub(/[*]/, " * ", text)
    gsub(/[ \t\n]+/, " ", text)
    gsub(/unsigned long long/, "ulong", text) # the two languages have no one word for 64 bits
    text = " " text " "
    while (text ~ / (const|volatile|restrict|__restrict__|__restrict|__global|global|__constant|__private) /)
        sub(/ (const|volatile|restrict|__restrict__|__restrict|__global|global|__constant|__private) /, " ", text)
    sub(/^ +/, "", text)
    sub(/ +$/, "", text)
    return text
}

function without_comments(text,    out, start, stop) {
    gsub(/\/\/[^\n]*/, "", text)
    out = ""
    while ((start = index(text, "/*")) > 0) {
        out = out substr(text, 1, start - 1) " "
        text = substr(text, start + 2)
        stop = index(text, "*/")
        text = stop ? substr(text, stop + 2) : ""
    }
    return out text
}

# Drop attribute lists, whose brackets would be taken for the parameters'.
function without_attributes(text,    start, rest, depth, i, c) {
    while (match(text, /(__attribute__|__launch_bounds__) *\(/)) {
        start = RSTART
        rest = substr(text, start + RLENGTH)
        depth = 1
        for (i = 1; i <= length(rest) && depth > 0; i++) {
            c = substr(rest, i, 1)
            depth += (c == "(") - (c == ")")
        }
        text = substr(text, 1, start - 1) " " substr(rest, i)
    }
    return text
}

function add_kernel(language, kernel, list,    parts, n, i, parameter) {
    kernels[language, kernel] = 1
    order[++kernel_count] = kernel
    n = list ~ /^[ \t\n]*(void)?[ \t\n]*$/ ? 0 : split(list, parts, ",")
    for (i = 1; i <= n; i++) {
        parameter = plain(parts[i])
        if (parameter ~ /^(__local|local) /) {
            if (i < n)
                complain("kernel " kernel ": a __local parameter has to be the last one")
            n--
            break
        }
        parameters[language, kernel, i] = parameter
    }
    counts[language, kernel] = n
}

function read_kernels(language, mark, text,    head, close_at) {
    while (match(text, mark "[ \t\n]+void[ \t\n]+[A-Za-z_][A-Za-z_0-9]*[ \t\n]*\\(")) {
        head = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        sub(/[ \t\n]+$/, "", head)
        sub(/.*[ \t\n]/, "", head)
        close_at = index(text, ")")
        add_kernel(language, head, substr(text, 1, close_at - 1))
    }
}

function read_structs(language, text,    head, stop) {
    while (match(text, /struct[ \t\n]+[A-Za-z_][A-Za-z_0-9]*[ \t\n]*\{/)) {
        head = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        stop = index(text, "}")
        structs[plain(head)] = 1
        members[language, plain(head)] = plain(substr(text, 1, stop - 1))
    }
}

function compare_kernel(kernel,    i, n, cuda, opencl) {
    if (!(("cl", kernel) in kernels) || !(("cu", kernel) in kernels)) {
        complain("kernel " kernel ": is only in " (("cu", kernel) in kernels ? "CUDA" : "OpenCL"))
        return
    }
    n = counts["cu", kernel]
    if (n != counts["cl", kernel]) {
        complain("kernel " kernel ": " n " parameters in CUDA and " counts["cl", kernel] " in OpenCL")
        return
    }
    for (i = 1; i <= n; i++) {
        cuda = parameters["cu", kernel, i]
        opencl = parameters["cl", kernel, i]
        if (cuda != opencl)
            complain("kernel " kernel ": parameter " i " is '" cuda "' in CUDA and '" opencl "' in OpenCL")
    }
}

FNR == 1 { files++ }
/^[ \t]*#/ { next }
{ text[files] = text[files] $0 "\n" }

END {
    for (i = 1; i <= 2; i++)
        text[i] = without_attributes(without_comments(text[i]))
    read_kernels("cu", "__global__", text[1])
    read_kernels("cl", "(__kernel|kernel)", text[2])
    read_structs("cu", text[1])
    read_structs("cl", text[2])
    if (kernel_count == 0)
        complain("holds no kernel")
    for (i = 1; i <= kernel_count; i++)
        if (!(order[i] in told)) {
            told[order[i]] = 1
            compare_kernel(order[i])
        }
    for (s in structs)
        if (members["cu", s] != members["cl", s])
            complain(s ": its members are '" members["cu", s] "' in CUDA and '" members["cl", s] "' in OpenCL")
    exit failed
}
