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
        { "_Z1f1SPi", "f", false },        /* f(S, int *) */
        { "_Z1f6float4Pf", "f", false },   /* f(float4, float *) */
        { "_Z1fN2ns1SEPS0_", "f", false }, /* f(ns::S, ns::S *) */
        { "_Z25xs_lookup_kernel_baseline6Inputs14SimulationData", "xs_lookup_kernel_baseline", false },
        { "_Z4copy1SS_", "copy", false },             /* copy(S, S) */
        { "_ZL1f1S1T", "f", false },                  /* static f(S, T) */
        { "_ZN2ns1fENS_1SE", "ns::f", false },        /* ns::f(ns::S) */
        { "_ZN2nsL1fE1S", "ns::f", false },           /* static ns::f(S) */
        { "_ZN12_GLOBAL__N_11fENS_1SE", "f", false }, /* f(S), both in an unnamed namespace */
        { "_ZN2ns12_GLOBAL__N_11fE1SS1_", "ns::f", false },
        { "_Z1f4pairIifE1S", "f", false },     /* f(pair<int, float>, S) */
        { "_Z1fSt5arrayIfLm4EE", "f", false }, /* f(std::array<float, 4>) */
        { "_Z1fRA4_KfRK1S", "f", false },      /* f(const float (&)[4], const S &) */
        { "_Z1fM1SFivE1T", "f", false },       /* f(int (S::*)(), T) */
        { "_Z1fDF16_P1S", "f", false },        /* f(_Float16, S *) */
        { "_Z1fZ1gvE1SPi", "f", false },       /* f(S of g(), int *) */
        { "_Z1fB3new1SPi", "f", false },       /* f(S, int *) with an ABI tag */
        { "_ZN2nsB2v11fB3newB3oldE1S", "ns::f", false },
        { "_Z5twiceI1SEvT_1R", "twice", true },         /* twice<S>(S, R) */
        { "_Z5twiceIXadL_Z1g1SEEEv1S", "twice", true }, /* twice<&g>(S) */
        { "_Z5twiceILi4EE1SPS0_", "twice", true },      /* twice<4>(S) */
        { "_Z5twiceIZ1gvEUlfE_Ev1ST_", "twice", true }, /* twice<a lambda of g()>(S, ...) */
        { "_ZSt4swap1S", "std::swap", false },
        { "_ZNSt2ns1fE1S", "std::ns::f", false },
        { "_Zls1SPi", NULL, false }, /* operator<<(S, int *) */
        { "_ZN1S3addERKS_", "S::add", false },
        { "_ZN1SC1Ei", NULL, false },    /* S::S(int) */
        { "_ZNK1S3addEi", NULL, false }, /* S::add(int) const */
        { "_ZN1SplERKS_", NULL, false }, /* S::operator+ */
        { "_ZZ1g1SE1f", NULL, false },   /* what is inside g(S) */
        { "_ZN2ns1f", NULL, false },
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
        size_t length;
        const char *last = yk_cxx_last_part(cases[i].compiled, &length),
                   *colon = cases[i].plain ? strrchr(cases[i].plain, ':') : NULL;
        const char *wanted = colon ? colon + 1 : cases[i].plain ? cases[i].plain : "";
        right = right && length == strlen(wanted) && strncmp(last, wanted, length) == 0;
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
