/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of #include: where it counts, what is put in, what is refused, and which line came from where. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "program/include/include.h"

static yk_text out;
static yk_line_map map;

static yoke_status expand_bytes(const yoke_source *source, yk_language language, const char *text, size_t size)
{
    yk_text_free(&out);
    yk_line_map_free(&map);
    return yk_include_expand("test", source, language, text, size, "main", NULL, &out, &map);
}

static yoke_status expand(const yoke_source *source, const char *text)
{
    return expand_bytes(source, YK_LANGUAGE_CUDA, text, strlen(text));
}

/* How often the expanded text has this. */
static int has(const char *part)
{
    int count = 0;
    for (const char *at = yk_text_get(&out); (at = strstr(at, part)); at++)
        count++;
    return count;
}

static bool says(const char *words)
{
    return strstr(yoke_error()->text, words) != NULL;
}

/* `line` of the expanded text is `text`, and the map says where it comes from. */
static void line_is(const char *text, const char *file, unsigned long line, const char *what)
{
    const char *at = strstr(yk_text_get(&out), text), *found = "";
    unsigned long number = 1, found_line = 0;
    for (const char *c = yk_text_get(&out); at && c < at; c++)
        number += *c == '\n';
    tap_ok(at && yk_line_map_find(&map, number, &found, &found_line), "%s: there is a line", what);
    tap_is(found, file, "%s: its file", what);
    tap_is(found_line, line, "%s: its number", what);
}

/* ---- Where an #include counts ---- */

static void lexing(void)
{
    static const yoke_header headers[] = { { "h", "IN;" }, { "it's/h", "IN;" }, { NULL, NULL } };
    static const struct {
        const char *text;
        int wanted; /* headers put in: in CUDA C++ */
        int opencl; /* and in OpenCL C */
    } cases[] = {
        { "#include \"h\"", 1, 1 },
        { "#include <h>\n", 1, 1 },
        { " \t# \t include/**/\"h\" // yes\r\n", 1, 1 },
        { "/* a\n*/ /* b */#include <h>\n", 1, 1 },
        { "#\\\ninc\\\r\nlude \"\\\nh\"\n", 1, 1 },
        { "\\\n#include \"h\"\n", 1, 1 },
        { "#include \"h\"/* more\n lines */\n#include \"h\"", 2, 2 },
        { "#include \"it's//h\"\n", 1, 1 },
        { "#if 0\ndon't\n#include \"h\"\n#endif\n", 1, 1 },
        { "'\"'; #include \"h\"\n", 0, 0 },
        { "int x; #include \"h\"\n", 0, 0 },
        { "// #include \"h\"\n", 0, 0 },
        { "// more \\\n#include \"h\"\n", 0, 0 },
        { "/\\\n/ more \\ \n#include \"h\"\n", 0, 0 },
        { "/*\n#include \"h\"\n*/\n", 0, 0 },
        { "/\\\n*\n#include \"h\"\n*\\\n/\n#include \"h\"\n", 1, 1 },
        { "/* \"\n*/\n#include \"h\"\n", 1, 1 },
        { "const char *s = \"/*\"; char c = '\"', d = '\\'';\n#include \"h\"\n", 1, 1 },
        { "const char *s = \"a \\\"/* \\\n#include <h>\\\n\";\n", 0, 0 },
        { "int n = 1'000; /*'\n#include \"h\"\n*/\n", 0, 0 },
        { "const char *s = R\"(\n#include \"h\"\n)\";\n#include \"h\"\n", 1, 2 },
        { "const char *s = u8R\"x(\n)\"\n#include \"h\"\n)x\";\n", 0, 1 },
        { "const char *s = SR\"(\n#include \"h\"\n)\";\n", 1, 1 },
        { "R\"( /*\n#include \"h\"\n", 0, 1 },
        { "#define TEXT \\\n#include \"h\"\n", 0, 0 },
        { "#include_next <h>\n", 1, 1 },
        { "%:include <h>\n%\\\n: include \"h\"\n", 2, 2 },
        { "#if _X\n#include MACRO\n#import <h>\n#include \"h\n#include\n#endif\n#includes \"h\"\n#\n##include \"h\"\n", 0, 0 },
        { "include \"h\"\n", 0, 0 },
        { "#error don't\n#include \"h\"\n", 1, 1 },
    };
    yoke_source source = YOKE_SOURCE_INIT;
    source.headers = headers;
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++) {
        size_t size = strlen(cases[i].text);
        bool right = expand_bytes(&source, YK_LANGUAGE_CUDA, cases[i].text, size) == YOKE_OK && has("IN;") == cases[i].wanted &&
                     expand_bytes(&source, YK_LANGUAGE_OPENCL, cases[i].text, size) == YOKE_OK && has("IN;") == cases[i].opencl;
        if (!tap_ok(right, "an #include counts where it should: %zu", i))
            tap_diag("%s", yoke_error()->text);
    }
}

static void as_it_is(void)
{
    static const char *const texts[] = { "",
                                         "\n",
                                         "int x;\n#define A 1\\\n+2\n#if A\n#endif\n",
                                         "include // #include\n",
                                         "#include <cuda_fp16.h>\r\nx",
                                         "#pragma once\n// include" };
    yoke_source source = YOKE_SOURCE_INIT;
    for (size_t i = 0; i < YK_COUNT_OF(texts); i++) {
        tap_is(expand(&source, texts[i]), YOKE_OK, "a text without headers to put in, %zu", i);
        tap_is(yk_text_get(&out), texts[i], "stays as it is, %zu", i);
    }
    tap_is(expand(&source, "\xef\xbb\xbfint x;"), YOKE_OK, "a mark of UTF-8");
    tap_is(yk_text_get(&out), "int x;", "is left out");
    tap_is(expand_bytes(&source, YK_LANGUAGE_CUDA, "a\0#include", 10), YOKE_E_INVALID_ARGUMENT, "a NUL byte is an error");
    tap_ok(says("at byte 1"), "which names it: %s", yoke_error()->text);
}

/* ---- What is put in ---- */

static void guards(void)
{
    static const yoke_header headers[] = {
        { "once.h", "#pragma once\nONCE;\n#include \"round.h\"\n" },
        { "round.h", "#ifndef ROUND_H\n#define ROUND_H\n#include \"once.h\"\nROUND;\n#endif /* ROUND_H */\n" },
        { "self.h", "#include \"self.h\"\n" },
        { "a.h", "#include \"b.h\"\n" },
        { "b.h", "\n#if 1\n#include \"a.h\"\n#endif\n" },
        { "twice.h", "TWICE;" },
        { "undef.h", "#ifndef UNDEF_H\n#define UNDEF_H\nUNDEF;\n#endif\n" },
        { "half.h", "#ifndef HALF_H\n#define HALF_H\nONE;\n#else\nTWO;\n#endif\n" },
        { NULL, NULL },
    };
    yoke_source source = YOKE_SOURCE_INIT;
    source.headers = headers;

    tap_is(expand(&source, "#include \"once.h\"\n#include \"round.h\"\n#include <once.h>\n"), YOKE_OK, "a circle with guards");
    tap_ok(has("ONCE;") == 1 && has("ROUND;") == 1, "each is put in once");
    tap_ok(has("#ifndef YOKE_ONCE_") == 1 && has("pragma once") == 0, "#pragma once has become a guard");
    tap_is(expand(&source, "#if A\n#include \"once.h\"\n#endif\n#include \"once.h\"\n#include \"once.h\"\n"), YOKE_OK,
           "a header in a branch, and outside");
    tap_is(has("ONCE;"), 2, "is put in for both, but not for a third");
    tap_is(expand(&source, "#if A\n#include \"undef.h\"\n#else\n#include \"undef.h\"\n#include \"undef.h\"\n#endif\n"), YOKE_OK,
           "a header in two branches");
    tap_is(has("UNDEF;"), 2, "is put in for each");
    tap_is(expand(&source, "#include \"undef.h\"\n#undef UNDEF_H\n#include \"undef.h\"\n"), YOKE_OK, "a guard that is taken back");
    tap_is(has("UNDEF;"), 2, "lets the header in again");
    tap_is(expand(&source, "#include \"twice.h\"\n#include \"twice.h\"\n"), YOKE_OK, "a header without guard");
    tap_is(has("TWICE;"), 2, "is put in as often as it is included");
    tap_is(expand(&source, "#include \"half.h\"\n#include \"half.h\"\n"), YOKE_OK, "a guard with an #else");
    tap_is(has("TWO;"), 2, "does not close");

    tap_is(expand(&source, "#include \"self.h\"\n"), YOKE_E_BUILD, "a header that includes itself is refused");
    tap_ok(says("self.h:1 includes self.h"), "with the chain: %s", yoke_error()->text);
    tap_is(expand(&source, "\n#include \"a.h\"\n"), YOKE_E_BUILD, "and a circle of two");
    tap_ok(says("a.h:1 includes b.h:3 includes a.h"), "with the chain: %s", yoke_error()->text);
}

/* A guard that may be set already does not say whether what is behind it has been seen. */
static void guards_set_by_others(void)
{
    static const yoke_header headers[] = { { "outer.h", "#ifndef OUTER_H\n#define OUTER_H\n#include \"inner.h\"\n#endif\n" },
                                           { "shim.h", "#ifndef __CUDACC__\n#define __CUDACC__\n#include \"inner.h\"\n#endif\n" },
                                           { "inner.h", "#pragma once\nINNER;\n" },
                                           { NULL, NULL } };
    static const char *const defines[] = { "OUTER_H=1", NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    source.headers = headers;
    tap_is(expand(&source, "#include \"outer.h\"\n#include \"inner.h\"\n"), YOKE_OK, "a guard of its own");
    tap_is(has("INNER;"), 1, "is sure to let it in");
    tap_is(expand(&source, "#define OUTER_H\n#include \"outer.h\"\n#include \"inner.h\"\n"), YOKE_OK, "one that the source sets");
    tap_is(has("INNER;"), 2, "is not");
    tap_is(expand(&source, "#include \"shim.h\"\n#include \"inner.h\"\n"), YOKE_OK, "nor one that the compiler may set");
    tap_is(has("INNER;"), 2, "is");
    source.defines = defines;
    tap_is(expand(&source, "#include \"outer.h\"\n#include \"inner.h\"\n"), YOKE_OK, "nor one that a define sets");
    tap_is(has("INNER;"), 2, "is");
}

/* Headers of which each includes all that come behind it: more ways lead to the last than there are bytes. */
static void many_ways(void)
{
    enum { COUNT = 60 };
    static char names[COUNT][8], texts[2][COUNT][2048];
    yoke_header headers[COUNT + 1] = { { NULL, NULL } };
    yoke_source source = YOKE_SOURCE_INIT;
    source.headers = headers;

    for (int style = 0; style < 2; style++) {
        for (int i = 0; i < COUNT; i++) {
            char *text = texts[style][i];
            snprintf(names[i], sizeof names[i], "h%d", i);
            text += style ? sprintf(text, "#ifndef H%d_H\n#define H%d_H\n", i, i) : sprintf(text, "#pragma once\n");
            for (int j = i + 1; j < COUNT; j++)
                text += sprintf(text, "#include \"h%d\"\n", j);
            sprintf(text, "IN%d;\n%s", i, style ? "#endif\n" : "");
            headers[i] = (yoke_header){ names[i], texts[style][i] };
        }
        tap_is(expand(&source, "#include \"h0\"\n"), YOKE_OK, "many ways, with %s", style ? "include guards" : "#pragma once");
        tap_ok(has("IN59;") == 1 && has("IN0;") == 1, "each header is put in once");
    }
}

static void limits(void)
{
    enum { COUNT = 210 };
    static char names[COUNT][8], texts[COUNT][64];
    yoke_header headers[COUNT + 1] = { { NULL, NULL } };
    yoke_source source = YOKE_SOURCE_INIT;
    source.headers = headers;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "h%d", i);
        snprintf(texts[i], sizeof texts[i], i + 1 < COUNT ? "#include \"h%d\"\n" : "END;\n", i + 1);
        headers[i] = (yoke_header){ names[i], texts[i] };
    }
    tap_is(expand(&source, "#include \"h10\"\n"), YOKE_OK, "200 deep");
    tap_is(has("END;"), 1, "are put in");
    tap_is(expand(&source, "#include \"h9\"\n"), YOKE_E_BUILD, "201 are refused");
    tap_ok(says("h208:1") && says("200 deep"), "with the place: %s", yoke_error()->text);

    static char long_text[1 << 20];
    memset(long_text, ' ', sizeof long_text - 1);
    headers[30].text = long_text;
    for (int i = 0; i < 30; i++)
        snprintf(texts[i], sizeof texts[i], "#include \"h%d\"\n#include \"h%d\"\n", i + 1, i + 1);
    tap_is(expand(&source, "#include \"h0\"\n"), YOKE_E_BUILD, "headers without guards that double 30 times are refused");
    tap_ok(says("64 MiB"), "by their size: %s", yoke_error()->text);
}

static void ends(void)
{
    yoke_header headers[] = { { "h", "" }, { NULL, NULL } };
    static const struct {
        const char *text, *words;
    } wrong[] = {
        { "int x;\n/* open\n", "h:2: this comment" },
        { "R\"(open\n)", "h:1: this comment or raw string" },
        { "#if 1\n#if 2\n#endif\n", "h:1: this #if" },
        { "#endif\n", "h:1: this #else, #elif or #endif" },
        { "\n#else\n", "h:2: this #else" },
    };
    static const char *const right[] = { "", "int x;", "int x; // \\", "int x; // \\\n", "#if 1\n#endif", "\xef\xbb\xbf#define A" };
    yoke_source source = YOKE_SOURCE_INIT;
    source.headers = headers;
    for (size_t i = 0; i < YK_COUNT_OF(wrong); i++) {
        headers[0].text = wrong[i].text;
        tap_is(expand(&source, "#include <h>\nAFTER;"), YOKE_E_BUILD, "a header that leaves something open, %zu", i);
        tap_ok(says(wrong[i].words), "is named: %s", yoke_error()->text);
    }
    for (size_t i = 0; i < YK_COUNT_OF(right); i++) {
        headers[0].text = right[i];
        tap_is(expand(&source, "#include <h>\nAFTER;"), YOKE_OK, "a header with an unusual end, %zu", i);
        tap_ok(has("\n\n#line 2 \"main\"\nAFTER;") == 1 && has("\xef") == 0, "which ends there");
    }
}

static void lines(void)
{
    static const yoke_header headers[] = { { "dir/a.h", "#pragma once\n/* two\nlines */\n#include \"b.h\"\nA;\n" },
                                           { "dir/b.h", "\n\nB;" },
                                           { "odd\"\\name", "ODD;" },
                                           { NULL, NULL } };
    yoke_source source = YOKE_SOURCE_INIT;
    const char *file;
    unsigned long line;
    source.headers = headers;
    tap_is(expand(&source,
                  "FIRST;\n#include \\\n\"dir/a.h\" // \\\nmore\nMIDDLE;\n#include \"none.h\"\n#include <odd\"\\name>\nLAST;"),
           YOKE_OK, "files in files");
    line_is("FIRST;", "main", 1, "before");
    line_is("B;", "dir/b.h", 3, "the inner header");
    line_is("A;", "dir/a.h", 5, "the outer one, behind it");
    line_is("MIDDLE;", "main", 5, "behind the header");
    line_is("#error", "main", 6, "what is not there");
    line_is("ODD;", "odd\"\\name", 1, "a name with all sorts of characters");
    line_is("LAST;", "main", 8, "the end");
    tap_ok(has("#line 1 \"dir/b.h\"\n\n\nB;\n\n#line 5 \"dir/a.h\"\nA;") == 1, "#line says the same");
    tap_is(has("#line 1 \"odd__name\"\n"), 1, "and has no characters with a meaning");
    tap_ok(!yk_line_map_find(&map, 0, &file, &line), "there is no line 0");
    yk_line_map_free(&map);
    tap_ok(!yk_line_map_find(&map, 1, &file, &line), "an empty map knows nothing");
}

/* A text's own #line, for compilers that ignore it. */
static void lines_of_generators(void)
{
    static const yoke_header headers[] = {
        { "c.h", "C;\n# 40 \"made.y\" 2\nY;\n#line 50\nZ;\n#if 0\n#line 90 \"skipped\"\nS;\n#endif\nE;\n#line NUMBER\nN;\n" },
        { NULL, NULL }
    };
    static const yoke_source plain = YOKE_SOURCE_INIT;
    yoke_source source = YOKE_SOURCE_INIT;
    source.headers = headers;
    tap_is(expand(&source, "#ifndef _G\n#line 7 \"unsure\"\nU;\n#endif\n# /**/ line 7 \"mine\"\nM;\n#include \"c.h\"\nLAST;"),
           YOKE_OK, "lines of generators");
    line_is("U;", "main", 3, "a branch that may be skipped");
    line_is("M;", "mine", 7, "the text's own");
    line_is("C;", "c.h", 1, "a header");
    line_is("Y;", "made.y", 40, "as preprocessors write it");
    line_is("Z;", "made.y", 50, "without a file");
    line_is("S;", "made.y", 53, "a branch that is skipped");
    line_is("E;", "made.y", 55, "behind the branch");
    line_is("N;", "made.y", 57, "a macro, which is left to the compiler");
    line_is("LAST;", "mine", 9, "the end, which goes on with the text's own");
    tap_is(expand(&plain, "FIRST;\n#line 3 \"alone\"\nALONE;"), YOKE_OK, "a text without headers");
    line_is("FIRST;", "main", 1, "before");
    line_is("ALONE;", "alone", 3, "behind");
    tap_is(expand(&plain, "#line 3 \"open\nOPEN;\n#line 1234567890\n#line\n#line 3x\nLAST;"), YOKE_OK, "what is malformed");
    line_is("OPEN;", "main", 2, "a file that does not end");
    line_is("LAST;", "main", 6, "no numbers");
}

/* ---- Where headers are looked for ---- */

static char folder[64];

static void write_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        tap_bail("%s cannot be written: %s", path, strerror(errno));
}

static const char *in_folder(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static void make_folders(void)
{
    static const char *const names[] = { "one", "one/sub", "two", "two/sub", "out" };
    char path[512], target[512];
    snprintf(folder, sizeof folder, "/tmp/yoke-include.XXXXXX");
    if (!mkdtemp(folder))
        tap_bail("no folder for headers: %s", strerror(errno));
    for (size_t i = 0; i < YK_COUNT_OF(names); i++)
        if (mkdir(in_folder(path, sizeof path, names[i]), 0700) != 0)
            tap_bail("%s: %s", path, strerror(errno));
    write_file("one/both.h", "ONE;\n");
    write_file("two/both.h", "TWO;\n");
    write_file("two/only.h", "ONLY;\n");
    write_file("one/sub/beside.h", "#include \"both.h\"\n#include \"../both.h\"\n#include <both.h>\n#include \"next.h\"\n");
    write_file("one/sub/both.h", "SUB;\n");
    write_file("one/sub/next.h", "#pragma once\nNEXT;\n");
    write_file("two/sub/next.h", "WRONG;\n");
    write_file("out/secret.h", "SECRET;\n");
    write_file("one/nul.h", "");
    if (truncate(in_folder(path, sizeof path, "one/nul.h"), 3) != 0 ||
        symlink(in_folder(target, sizeof target, "out/secret.h"), in_folder(path, sizeof path, "one/link.h")) != 0 ||
        symlink("../out", in_folder(path, sizeof path, "one/outside")) != 0 ||
        symlink("sub/next.h", in_folder(path, sizeof path, "one/inside.h")) != 0 ||
        symlink("circle.h", in_folder(path, sizeof path, "one/circle.h")) != 0 ||
        mkfifo(in_folder(path, sizeof path, "one/pipe.h"), 0600) != 0)
        tap_bail("no links in %s: %s", folder, strerror(errno));
}

static void remove_folders(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command) != 0)
        tap_diag("%s is left", folder);
}

static void places(void)
{
    char one[512], two[512], text[1024];
    const char *folders[] = { in_folder(one, sizeof one, "one"), in_folder(two, sizeof two, "two/"), NULL };
    yoke_header headers[] = { { "virtual/a.h", "#include \"both.h\"\n#include <both.h>\n" },
                              { "virtual/both.h", "VIRTUAL;" },
                              { NULL, NULL },
                              { NULL, NULL } };
    yoke_source source = YOKE_SOURCE_INIT;
    source.headers = headers;
    source.include_folders = folders;

    tap_is(expand(&source, "#include \"both.h\"\n#include \"only.h\"\n"), YOKE_OK, "headers in folders");
    tap_ok(has("ONE;") == 1 && has("TWO;") == 0 && has("ONLY;") == 1, "in the order of the folders");
    snprintf(text, sizeof text, "%s/one/both.h", folder);
    line_is("ONE;", text, 1, "a header in a folder");
    tap_is(expand(&source, "#include \"sub/beside.h\"\n"), YOKE_OK, "beside the includer");
    tap_ok(has("SUB;") == 1 && has("ONE;") == 2 && has("NEXT;") == 1 && has("WRONG;") == 0, "comes first, but not for <>");
    tap_is(expand(&source, "#include \"virtual/../virtual//./a.h\"\n"), YOKE_OK, "virtual headers");
    tap_ok(has("VIRTUAL;") == 1 && has("ONE;") == 1, "are beside each other");
    headers[2] = (yoke_header){ "both.h", "FIRST;" };
    tap_is(expand(&source, "#include \"both.h\"\n"), YOKE_OK, "a virtual header and one in a folder");
    tap_ok(has("FIRST;") == 1 && has("ONE;") == 0, "it comes first");
    tap_is(expand(&source, "#include <yoke/types.h>\n#include \"yoke/types.h\"\n"), YOKE_OK, "<yoke/types.h> is always there");
    tap_is(has("#define YOKE_TYPES_H"), 1, "and put in once");
    tap_is(expand(&source, "#include <yoke/kernel.h>\n#include \"yoke/kernel.h\"\n"), YOKE_OK, "and so is <yoke/kernel.h>");
    tap_is(has("#define YOKE_KERNEL_H"), 1, "once");
    headers[2] = (yoke_header){ "yoke/types.h", "MINE;" };
    tap_is(expand(&source, "#include <yoke/types.h>\n"), YOKE_OK, "unless there is another of this name");
    tap_ok(has("MINE;") == 1 && has("YOKE_TYPES_H") == 0, "which comes first");
    tap_is(expand(&source, "#include \"inside.h\"\n#include <sub/next.h>\n"), YOKE_OK, "a link that stays inside");
    tap_is(has("NEXT;"), 1, "is the same file");
}

static void missing(void)
{
    char one[512];
    const char *folders[] = { in_folder(one, sizeof one, "one"), NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    source.include_folders = folders;

    tap_is(expand(&source, "#include <cuda_fp16.h>\n"), YOKE_OK, "what is not there");
    tap_is(yk_text_get(&out), "#include <cuda_fp16.h>\n", "is left to the CUDA compiler in <>,");
    tap_is(expand(&source, "#include \"cuda_fp16.h\"\nint x;"), YOKE_OK, "but not in quotes:");
    tap_ok(has("#error \"cuda_fp16.h is missing: ") == 1 && has(one) == 1 && has("\"\nint x;") == 1, "there it is an #error: %s",
           yk_text_get(&out));
    tap_is(expand_bytes(&source, YK_LANGUAGE_OPENCL, "#include <cuda_fp16.h>\n", 23), YOKE_OK, "and for OpenCL");
    tap_is(has("#error \"cuda_fp16.h is missing: "), 1, "always");
    tap_is(expand(&source, "#include \"a?"
                           "?/\\'b\"\n"),
           YOKE_OK, "a name with all sorts of characters");
    tap_is(has("#error \"a__/_'b is"), 1, "has none with a meaning there");
}

static void refused(void)
{
    char one[512];
    const char *folders[] = { in_folder(one, sizeof one, "one"), NULL };
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "#include \"/etc/passwd\"\n", "main:1: an absolute path" },
        { "\n#include </etc/passwd>\n", "main:2: an absolute path" },
        { "#include \"../out/secret.h\"\n", "leads out" },
        { "#include <sub/../../out/secret.h>\n", "leads out" },
        { "#include \"..\"\n", "leads out" },
        { "#include \"link.h\"\n", "link.h is rejected: a link leads out" },
        { "#include \"outside/secret.h\"\n", "a link leads out" },
        { "#include \"sub\"\n", "not a regular file" },
        { "#include \"pipe.h\"\n", "not a regular file" },
        { "#include \"circle.h\"\n", "cannot be opened" },
        { "#include \"nul.h\"\n", "NUL byte at byte 0" },
        { "#include \"\"\n", "#include of nothing" },
        { "#include \"both.h\" \"more\"\n", "text after the name" },
        { "#include \"bell\a.h\"\n", "not a text" },
    };
    yoke_source source = YOKE_SOURCE_INIT;
    source.include_folders = folders;
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++) {
        tap_is(expand(&source, cases[i].text), YOKE_E_BUILD, "refused: %zu", i);
        tap_ok(says(cases[i].words) && has("SECRET;") == 0, "and why: %s", yoke_error()->text);
    }
}

static void malformed(void)
{
    static const char *const names[] = { "", "/a", "a/../b", "./a", "a//b", "a/", "..", "a\nb" };
    static const yoke_header twice[] = { { "a", "" }, { "b", "" }, { "a", "" }, { NULL, NULL } }, empty[] = { { "a", NULL } };
    char file[512], nowhere[512];
    const char *folders[] = { in_folder(file, sizeof file, "one/both.h"), in_folder(nowhere, sizeof nowhere, "nowhere"), "one", "",
                              "/tmp\n" };
    static const char *const words[] = { "is not a folder", "No such file", "absolute", "absolute", "not a line of text" };
    yoke_source source = YOKE_SOURCE_INIT;

    for (size_t i = 0; i < YK_COUNT_OF(names); i++) {
        const yoke_header headers[] = { { names[i], "" }, { NULL, NULL } };
        source.headers = headers;
        tap_is(expand(&source, ""), YOKE_E_INVALID_ARGUMENT, "no name of a header, %zu: %s", i,
               says("\n") ? "" : yoke_error()->text);
    }
    source.headers = twice;
    tap_is(expand(&source, ""), YOKE_E_INVALID_ARGUMENT, "two headers of one name");
    tap_ok(says("[0] and [2]"), "both are named: %s", yoke_error()->text);
    source.headers = empty;
    tap_is(expand(&source, ""), YOKE_E_INVALID_ARGUMENT, "a header without text");
    source.headers = NULL;
    for (size_t i = 0; i < YK_COUNT_OF(folders); i++) {
        const char *list[] = { "/tmp", folders[i], NULL };
        source.include_folders = list;
        tap_is(expand(&source, ""), YOKE_E_INVALID_ARGUMENT, "no include folder, %zu", i);
        tap_ok(says("include_folders[1]") && says(words[i]), "and why: %s", says("\n") ? "" : yoke_error()->text);
    }
    const char *root[] = { "/", NULL };
    char name[600];
    snprintf(name, sizeof name, "#include \"%s/two/only.h\"\n", folder + 1);
    source.include_folders = root;
    tap_is(expand(&source, name), YOKE_OK, "the root is a folder too");
    tap_is(has("ONLY;"), 1, "with all there is");
}

/* ---- Time ---- */

/* Texts for which something that is not linear would take minutes; the runner's limit finds that. */
static void large(void)
{
    static const char *const units[] = {
        "int f(int a) { return a + 1'000 / 3; }\n", "/*", "R\"(", "\\\n", "'", "1'0", "//\\\n", "#if 1\n", "#include <a.h>\n"
    };
    enum { SIZE = 10 << 20 };
    static const yoke_header headers[] = { { "a.h", "#pragma once\n" }, { NULL, NULL } };
    yoke_source source = YOKE_SOURCE_INIT;
    char *text = malloc(SIZE + 64);
    source.headers = headers;
    for (size_t i = 0; text && i < YK_COUNT_OF(units); i++) {
        size_t unit = strlen(units[i]), size = 0;
        for (; size + unit <= SIZE; size += unit)
            memcpy(text + size, units[i], unit);
        memcpy(text + size, "\n#include <a.h>\n", 16);
        tap_is(expand_bytes(&source, YK_LANGUAGE_CUDA, text, size + 16), YOKE_OK, "10 MiB of the same, %zu", i);
    }
    free(text);
}

int main(void)
{
    tap_start(60);
    lexing();
    as_it_is();
    guards();
    guards_set_by_others();
    many_ways();
    limits();
    ends();
    lines();
    lines_of_generators();
    make_folders();
    places();
    missing();
    refused();
    malformed();
    remove_folders();
    large();
    yk_text_free(&out);
    yk_line_map_free(&map);
    return tap_done();
}
