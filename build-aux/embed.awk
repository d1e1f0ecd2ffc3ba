# SPDX-License-Identifier: Apache-2.0
#
# Writes a C file that holds the kernels' sources, and headers that kernels include:
#     awk -v folder=DIR -f embed.awk kernels/saxpy.cu kernels/saxpy.cl ... include/yoke/types.h include/yoke/kernel.h
# or, for libyoke-ops, texts for both languages and the headers that they share:
#     awk -v folder=DIR -v ops=1 -f embed.awk ops/reduce/reduce.yk ... ops/array/element.yh
# Bytes are written as numbers: nothing has to be escaped and no string is too long for a compiler. Run with LC_ALL=C, so that a
# character is a byte in every awk.

function fail(text) {
    print "embed.awk: " text > "/dev/stderr"
    failed = 1
    exit 1
}

# The file's bytes as an array of this name.
function embed(path, array,    line, status, i, out, column) {
    printf "static const unsigned char %s[] = {\n", array
    column = 0
    while ((status = (getline line < path)) > 0) {
        line = line "\n"
        for (i = 1; i <= length(line); i++) {
            if (!(substr(line, i, 1) in code))
                fail(path ": holds a byte 0")
            printf "%d,%s", code[substr(line, i, 1)], ++column % 32 ? "" : "\n"
        }
    }
    if (status < 0)
        fail(path ": cannot be read")
    if (column == 0)
        fail(path ": is empty")
    close(path)
    printf "0\n};\n\n"
}

# The table of libyoke-ops: a text under its name, a header with its ".yh".
function embed_ops(    i, name, array, table) {
    print "#include \"call/text.h\"\n"
    for (i = 1; i < ARGC; i++) {
        name = ARGV[i]
        sub(/.*\//, "", name)
        sub(/\.yk$/, "", name)
        array = name
        gsub(/[^a-z0-9_]/, "_", array)
        embed(folder "/" ARGV[i], array)
        table = table "    { \"" name "\", (const char *)" array " },\n"
    }
    printf "const yops_text yops_texts[] = {\n%s    { NULL, NULL },\n};\n", table
    exit failed
}

BEGIN {
    for (i = 1; i < 256; i++)
        code[sprintf("%c", i)] = i
    print "/* SPDX-License-Identifier: Apache-2.0 */"
    print "/* Made by build-aux/embed.awk. */"
    if (ops)
        embed_ops()
    print "#include <stddef.h>\n"
    print "#include \"program/twins.h\"\n"
    for (i = 1; i < ARGC; i++) {
        name = ARGV[i]
        sub(/.*\//, "", name)
        kind = name
        sub(/.*\./, "", kind)
        sub(/\.[^.]*$/, "", name)
        if (kind == "h" && name ~ /^[a-z_]+$/) {
            embed(folder "/" ARGV[i], "yk_" name "_h")
            print "const char *const yk_" name "_header = (const char *)yk_" name "_h;\n"
            continue
        }
        if (kind != "cu" && kind != "cl" || name !~ /^[a-z][a-z0-9_]*$/)
            fail(ARGV[i] ": is no NAME.cu or NAME.cl")
        if (!(name in seen)) {
            seen[name] = 1
            names[++count] = name
        }
        have[name, kind] = 1
        embed(folder "/" ARGV[i], "yk_" name "_" kind)
    }
    print "const yk_twin yk_twins[] = {"
    for (i = 1; i <= count; i++) {
        name = names[i]
        if (!((name, "cu") in have) || !((name, "cl") in have))
            fail(name ": needs both a .cu and a .cl file")
        printf "    { \"%s\", (const char *)yk_%s_cu, (const char *)yk_%s_cl },\n", name, name, name
    }
    print "};\n"
    print "const size_t yk_twin_count = sizeof yk_twins / sizeof yk_twins[0];"
    exit failed
}
