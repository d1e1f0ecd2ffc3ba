/* SPDX-License-Identifier: Apache-2.0 */
/* The names of C++ kernels, and the kernels that compiled code names. */
#include <string.h>

#include "../tap/tap.h"
#include "program/code.h"
#include "program/cxx_name.h"

static void names(void)
{
    static const struct {
        const char *compiled, *plain; /* NULL: not a C++ name */
        bool is_template;
    } cases[] = {
        { "_Z5scalePff", "scale", false },
        { "_Z1fv", "f", false },
        { "_ZN2ns5scaleEPff", "ns::scale", false },
        { "_ZN1a1b1cEv", "a::b::c", false },
        { "_ZL5scalePff", "scale", false },
        { "_ZN12_GLOBAL__N_15scaleEPf", "scale", false },
        { "_ZN38_GLOBAL__N__00000000_4_k_cu_8a3c6f1e_05scaleEPf", "scale", false },
        { "_Z5twiceIfEvPT_", "twice", true },
        { "_ZN2ns5twiceIfEEvPT_", "ns::twice", true },
        { "scale", NULL, false },
        { "", NULL, false },
        { "_Z", NULL, false },
        { "_ZN", NULL, false },
        { "_Z9scale", NULL, false },
        { "_Z99999999999999999999scale", NULL, false },
        { "_Z05scale", NULL, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char plain[64] = "";
        bool is_template = false, read = yk_cxx_name_read(cases[i].compiled, plain, sizeof plain, &is_template);
        bool right = cases[i].plain ? read && strcmp(plain, cases[i].plain) == 0 && is_template == cases[i].is_template : !read;
        if (!tap_ok(right, "'%s' is %s", cases[i].compiled, cases[i].plain ? cases[i].plain : "not a C++ name"))
            tap_diag("read: %d, '%s'", read, plain);
    }
    char small[6];
    bool is_template;
    tap_ok(yk_cxx_name_read("_Z5scalePff", small, 6, &is_template), "a name that just fits");
    tap_ok(!yk_cxx_name_read("_Z6scaledPff", small, 6, &is_template), "a name that does not fit");
    tap_ok(yk_cxx_is_plain_name("_ZN2ns5scaleEPff", "scale") && yk_cxx_is_plain_name("_ZN2ns5scaleEPff", "ns::scale"),
           "a plain name, whole or its last part");
    tap_ok(!yk_cxx_is_plain_name("_ZN2ns5scaleEPff", "cale") && !yk_cxx_is_plain_name("_ZN2ns5scaleEPff", "s::scale") &&
               !yk_cxx_is_plain_name("_Z5twiceIfEvPT_", "twice") && !yk_cxx_is_plain_name("scale", "scale") &&
               !yk_cxx_is_plain_name("_Z5scalePff", ""),
           "what is not a plain name");
}

static bool lists(int kind, const void *bytes, size_t size, const char *wanted)
{
    yk_text text = { 0 };
    yk_code_list_kernels(kind, bytes, size, &text);
    bool right = strcmp(yk_text_get(&text), wanted) == 0;
    if (!right)
        tap_diag("listed '%s'", yk_text_get(&text));
    yk_text_free(&text);
    return right;
}

static void kernels_of_code(void)
{
    static const char ptx[] = ".version 8.0\n.visible .entry _Z5scalePff(\n.param .u64 a)\n{\n}\n.entry plain(\n)\n.entry";
    static const char cubin[] = "\177ELF.text.helper\0.nv.constant0.plain\0.text.plain\0.nv.constant0._ZN2ns5scaleEPff\0"
                                ".nv.constant0.plain\0.nv.constant0.";
    tap_ok(lists(YK_CODE_PTX, ptx, strlen(ptx), "_Z5scalePff;plain"), "the kernels of PTX");
    tap_ok(lists(YK_CODE_CUBIN, cubin, sizeof cubin - 1, "plain;_ZN2ns5scaleEPff"), "the kernels of a cubin, each once");
    tap_ok(lists(YK_CODE_SPIRV, ptx, strlen(ptx), "") && lists(YK_CODE_PTX, NULL, 0, "") && lists(YK_CODE_CUBIN, "", 0, ""),
           "other code, and none");
}

int main(void)
{
    tap_start(10);
    names();
    kernels_of_code();
    return tap_done();
}
