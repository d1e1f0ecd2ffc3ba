# SPDX-License-Identifier: Apache-2.0
#
# Compares twins: awk -v name=FOLDER/NAME -f twins.awk NAME.cu NAME.cl. Prints each difference in the kernels' names, their
# parameters (types without qualifiers and address spaces, names, order), the structs' members (the same) and the line that states
# the tolerance, and exits 1 when there is one. Types that the languages spell differently count as the same. An OpenCL kernel may
# end with a __local parameter, which stands for CUDA's dynamic shared memory, and have samplers, which CUDA's textures include.
# Macros are not expanded. -v tolerance=1: the line has to be there.

function complain(text) {
    print name ": " text
    failed = 1
}

# One blank between words and none at the ends; words that the two languages spell differently left out or made the same.
function plain(text) {
    gsub(/[*]/, " * ", text)
    gsub(/[ \t\n]+/, " ", text)
    text = " " text " "
    while (text ~ / (const|volatile|restrict|__restrict__|__restrict|__global|global|__constant|__private) /)
        sub(/ (const|volatile|restrict|__restrict__|__restrict|__global|global|__constant|__private) /, " ", text)
    sub(/^ +/, "", text)
    sub(/ +$/, "", text)
    return text
}

# A declaration with its type spelled as in OpenCL C. Both languages have one word for 64 bits, but not the same.
function declaration(language, text) {
    text = plain(text)
    sub(/^unsigned long long /, "ulong ", text)
    if (language == "cu")
        sub(/^long long /, "long ", text)
    sub(/^unsigned char /, "uchar ", text)
    sub(/^unsigned short /, "ushort ", text)
    sub(/^unsigned (int )?/, "uint ", text)
    sub(/^signed char /, "char ", text)
    sub(/^(cudaTextureObject_t|(__read_only|read_only) image[23]d_t) /, "texture ", text)
    sub(/^(cudaSurfaceObject_t|(__write_only|write_only|__read_write|read_write) image[23]d_t) /, "surface ", text)
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

function add_kernel(language, kernel, list,    parts, n, i, parameter, count) {
    kernels[language, kernel] = 1
    order[++kernel_count] = kernel
    n = list ~ /^[ \t\n]*(void)?[ \t\n]*$/ ? 0 : split(list, parts, ",")
    for (i = 1; i <= n; i++) {
        parameter = declaration(language, parts[i])
        if (parameter ~ /^(__local|local) /) {
            if (i < n)
                complain("kernel " kernel ": a __local parameter has to be the last one")
            n--
            break
        }
        if (parameter !~ /^sampler_t /)
            parameters[language, kernel, ++count] = parameter
    }
    counts[language, kernel] = count + 0
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

# `struct name { ... }` and `typedef struct { ... } name`, without structs inside.
function read_structs(language, text,    head, stop, body) {
    while (match(text, /struct[ \t\n]*[A-Za-z_]*[A-Za-z_0-9]*[ \t\n]*\{/)) {
        head = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        stop = index(text, "}")
        body = substr(text, 1, stop - 1)
        text = substr(text, stop + 1)
        if (plain(head) == "struct") {
            head = substr(text, 1, index(text, ";") - 1)
            if (head ~ /\(/)
                head = substr(head, index(head, ")")) # an attribute
        }
        add_struct(language, plain(head), body)
    }
}

function add_struct(language, struct, body,    parts, n, i, member) {
    if (!(struct in struct_seen))
        struct_order[++struct_count] = struct
    struct_seen[struct] = 1
    structs[language, struct] = 1
    n = split(body, parts, ";")
    for (i = 1; i < n; i++) {
        member = declaration(language, parts[i])
        if (member ~ /^[a-z]+3 /)
            complain(struct ": member '" member "' has 12 bytes in CUDA and 16 in OpenCL for each vector")
        members[language, struct, i] = member
    }
    member_counts[language, struct] = n - 1
}

function compare_struct(struct,    i, n) {
    if (!(("cu", struct) in structs) || !(("cl", struct) in structs)) {
        complain(struct ": is only in " (("cu", struct) in structs ? "CUDA" : "OpenCL"))
        return
    }
    n = member_counts["cu", struct]
    if (n != member_counts["cl", struct])
        complain(struct ": " n " members in CUDA and " member_counts["cl", struct] " in OpenCL")
    for (i = 1; i <= n && i <= member_counts["cl", struct]; i++)
        if (members["cu", struct, i] != members["cl", struct, i])
            complain(struct ": member " i " is '" members["cu", struct, i] "' in CUDA and '" members["cl", struct, i] "' in OpenCL")
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

function compare_tolerance(    i) {
    for (i = 1; i <= 2; i++)
        if (tolerance && stated[i] !~ /^(0|[0-9]+ ulp|[0-9.]+(e-[0-9]+)? relative)$/)
            complain((i == 1 ? "CUDA" : "OpenCL") " has no line 'Tolerance: 0', 'Tolerance: N ulp' or 'Tolerance: R relative'")
    if (stated[1] != stated[2])
        complain("the tolerance is '" stated[1] "' in CUDA and '" stated[2] "' in OpenCL")
}

FNR == 1 { files++ }
/^ \* Tolerance: / { stated[files] = substr($0, 15) }
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
    for (i = 1; i <= struct_count; i++)
        compare_struct(struct_order[i])
    compare_tolerance()
    exit failed
}
