/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declarations of kernels in sources, of CUDA where nothing else is said: what is plain is understood, and nothing else is
 * guessed at. Each case is a source and what has to be known of its kernels: "name(type name:what, ...)" each, where what is v and
 * bytes for a value, w for a buffer that may be written, r for one that is only read, p for one of which that is not known, l for
 * shared memory, and ? for all else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"
#include "base/process/process.h"
#include "backend_api.h"

#define KERNEL "extern \"C\" __global__ void "

static const struct {
    const char *source, *wanted;
} cases[] = {
    { KERNEL "f(float *x, int n) { }", "f(float * x:w, int n:v4)" },
    { KERNEL "f(const float *x, float const* y, float *const z) { }",
      "f(const float * x:r, float const * y:r, float * const z:w)" },
    { KERNEL "f(const float *__restrict__ x, float *__restrict y) {}",
      "f(const float * __restrict__ x:r, float * __restrict y:w)" },
    { KERNEL "f(const int x[], int y[16], int z[2][3])", "" },
    { KERNEL "f(const int x[], int y[16], int z[2][3]) {}", "f(const int [] x:r, int [] y:w, :?)" },
    { KERNEL "f() { }" KERNEL "g(void);", "f() g()" },
    { KERNEL
      "f(char a, unsigned char b, short c, unsigned short d, unsigned e, long f, long long g, unsigned long long h, double i,"
      " bool j, size_t k, long int l, signed m, uint8_t n, int64_t o, short int p, long double q);",
      "f(char a:v1, unsigned char b:v1, short c:v2, unsigned short d:v2, unsigned e:v4, long f:v8, long long g:v8, "
      "unsigned long long h:v8, double i:v8, bool j:v1, size_t k:v8, long int l:v8, signed m:v4, uint8_t n:v1, int64_t o:v8, "
      "short int p:v2, long double q:v8)" },
    { KERNEL "f(yoke_i8 a, const yoke_u16 b, yoke_i32 c, yoke_u64 d, yoke_f32 e, yoke_f64 f) {}",
      "f(yoke_i8 a:v1, const yoke_u16 b:v2, yoke_i32 c:v4, yoke_u64 d:v8, yoke_f32 e:v4, yoke_f64 f:v8)" },
    { KERNEL "f(float, const char *, unsigned long) {}", "f(float :v4, const char * :r, unsigned long :v8)" },
    { KERNEL "f(void *x, const void *y, float4 *z, const uchar2 *w, float2 v) {}",
      "f(void * x:w, const void * y:r, float4 * z:w, const uchar2 * w:r, float2 v:?)" },
    { KERNEL "f(half *x, const half *y, half a, ptrdiff_t b, longlong2 *z) {}",
      "f(half * x:w, const half * y:r, half a:v2, ptrdiff_t b:v8, longlong2 * z:w)" },
    { KERNEL "f(float **x, const float *const *y) {}", "f(float * * x:p, const float * const * y:p)" },
    /* What may be anything stays so. */
    { KERNEL "f(T *x, const T *y, T z) {}", "f(T * x:p, const T * y:p, T z:?)" },
    { "struct s { int a; };" KERNEL "f(s *x, const struct s *y, s z, const s w) {}",
      "f(s * x:w, const struct s * y:r, s z:?, const s w:?)" },
    { "typedef struct { int a; struct { int b; } c; } s;" KERNEL "f(s *x, const s *y) {}", "f(s * x:w, const s * y:r)" },
    { "typedef float real; typedef const float fixed; typedef float *row;" KERNEL "f(real *x, real k, fixed *y, row z, row *w) {}",
      "f(real * x:w, real k:v4, fixed * y:p, row z:?, row * w:p)" },
    { "#if BIG\ntypedef double real;\n#else\ntypedef float real;\n#endif\n" KERNEL "f(real *x, real k) {}",
      "f(real * x:p, real k:?)" },
    { "using real = float;" KERNEL "f(real *x, real k) {}", "f(real * x:p, real k:?)" },
    { "#define float const double\n" KERNEL "f(float *x, float k, int n) {}", "f(:?, :?, int n:v4)" },
    { "#  define \\\n IN const\n" KERNEL "f(IN float *x, float *IN y) {}", "f(:?, :?)" },
    { "#define f g\n" KERNEL "f(float *x) {}", "" },
    { KERNEL "f(float &x, std::array<int, 3> y, int (*z)(int), ns::t *w, int n = 3) {}", "f(:?, :?, :?, :?, :?)" },
    { KERNEL "f(float *x,\n#ifdef DOUBLE\n double k\n#else\n float k\n#endif\n) {}", "" },
    /* Kernels, and what are none. */
    { "__global__ void f(float *x) {}", "f(float * x:w)" },
    { "namespace a { __global__ void f(float *x); } namespace b { __global__ void f(int x); }", "f(:?)" },
    { "namespace n { " KERNEL "f(float *x) {} } void g(int) {} __global__ void h(int);", "f(float * x:w) h(int :v4)" },
    { "extern \"C\" { __global__ void f(int a) { if (a) { } } struct t { int q; }; __global__ void g(t *x); } __global__ void "
      "h(int);",
      "f(int a:v4) g(t * x:w) h(int :v4)" },
    { "extern \"C\" {\n__device__ void d(int a) {}\n}\nextern \"C\" __device__ void e(int b) {}", "" },
    { "extern \"C\" __global__ __launch_bounds__(256) void f(int a) {}" KERNEL "__launch_bounds__(64, (2)) g(int b) {}",
      "f(int a:v4) g(int b:v4)" },
    { "extern \"C\" __global__ void __attribute__((used)) f(int a) {}", "f(int a:v4)" },
    { "template <class T> __global__ void f(T *x, T v) {}\n" KERNEL "g(const T *x) {}", "f(T * x:p, T v:?) g(const T * x:p)" },
    { "#define K(n) " KERNEL "n(float *x) {}\nK(f)\n", "" },
    { "// " KERNEL "f(int);\n/* " KERNEL "g(int); */ const char *s = \"\\\"" KERNEL "h(int);\";", "" },
    { "const char *s = R\"x(" KERNEL "f(int); )\" )x\";" KERNEL "g(int n);", "g(int n:v4)" },
    { "// a comment that goes on \\\n" KERNEL "f(int);\nint i = 1'000;" KERNEL "g(int n);", "g(int n:v4)" },
    { KERNEL "f(int /* why, not */ n, // last\n float k);", "f(int n:v4, float k:v4)" },
    /* Declared more than once: what all agree about. */
    { KERNEL "f(float *x, int);" KERNEL "f(float *y, int n) {}", "f(float * x:w, int n:v4)" },
    { "#if A\n" KERNEL "f(float *x, int n) {}\n#else\n" KERNEL "f(const float *x, int n) {}\n#endif", "f(:?, int n:v4)" },
    { "#if A\n" KERNEL "f(float *x, int n) {}\n#else\n" KERNEL "f(float *x) {}\n#endif", "f!" },
    /* The words of <yoke/kernel.h>, also when the header's macros are there. */
    { "#define YOKE_GLOBAL\n#define YOKE_KERNEL extern \"C\" __global__\n"
      "YOKE_KERNEL YOKE_BLOCK_SIZE(16, 4, 1) void f(YOKE_GLOBAL const float *YOKE_RESTRICT x, YOKE_GLOBAL int *y,"
      " YOKE_CONSTANT_PTR float *z, int n YOKE_AND_DYNAMIC_SHARED) {} YOKE_FUNCTION int g(int a) {}",
      "f(const float * x:r, int * y:w, const float * z:r, int n:v4)" },
    { "YOKE_KERNEL void f(YOKE_GLOBAL) {} YOKE_KERNEL void g(", "f()" },
    { "YOKE_KERNEL", "" },
    /* Nonsense ends. */
    { KERNEL "f(", "" },
    { KERNEL "f(int a", "" },
    { KERNEL "f(int a))", "" },
    { KERNEL, "" },
    { "extern \"C\" __global__ void __launch_bounds__(((", "" },
    { "}}}}{{{{ extern \"C\" { }}} typedef typedef ; typedef", "" },
    { "extern", "" },
    { "\"never closed " KERNEL "f(int n);", "" },
    { "/* never closed " KERNEL "f(int n);", "" },
    { "#define", "" },
    { "#\\", "" },
    { KERNEL "f([], ], *, (int), {}) {}", "" },
};

static void describe(const yk_kernel_table *table, yk_text *text)
{
    for (size_t i = 0; i < table->count; i++) {
        const yk_declaration *kernel = &table->kernels[i];
        yk_text_add(text, "%s%s%s", i ? " " : "", kernel->name, kernel->count == SIZE_MAX ? "!" : "(");
        for (size_t j = 0; kernel->count != SIZE_MAX && j < kernel->count; j++) {
            const yk_param *param = &kernel->params[j];
            yk_text_add(text, "%s%s%s%s:", j ? ", " : "", param->type, param->type[0] ? " " : "", param->name);
            if (param->kind == YK_PARAM_SCALAR)
                yk_text_add(text, "v%u", (unsigned)param->size);
            else if (param->kind == YK_PARAM_BUFFER)
                yk_text_add(text, "%s", param->read_only < 0 ? "p" : param->read_only ? "r" : "w");
            else
                yk_text_add(text, param->kind == YK_PARAM_LOCAL ? "l" : "?");
        }
        if (kernel->count != SIZE_MAX)
            yk_text_add(text, ")");
    }
}

/* From memory that ends where the source does, so that a sanitizer sees a step too far. */
static void understands(int how, const char *source, const char *wanted)
{
    yk_kernel_table table = { 0 };
    yk_text text = { 0 };
    size_t size = strlen(source);
    char *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    memcpy(exact, source, size);
    bool read = yk_kernel_table_read(how, exact, size, &table);
    describe(&table, &text);
    if (!tap_ok(read && strcmp(yk_text_get(&text), wanted) == 0, "%.60s", source))
        tap_diag("wanted %s\nbut got %s", wanted, yk_text_get(&text));
    yk_text_free(&text);
    yk_kernel_table_free(&table);
    free(exact);
}

/* What yoke cc asks for: as the words stand there, in either language. */
static void as_written(void)
{
    static const struct {
        int how;
        const char *source, *wanted;
    } written[] = {
        { 0, KERNEL "declared(int a); " KERNEL "f(const T *__restrict__ x, struct s *y, IN float z, float4 v, int a[2][3]) {}",
          "f(T* x:r, s* y:w, IN float z:v0, float4 v:v16, int* a:w)" },
        { 0, "#define float double\ntemplate <class T> __global__ void f(float &x, T *const *y, unsigned long long int n) {}",
          "f(float x:v4, T** y:w, unsigned long long int n:v8)" },
        { YK_SIGNATURE_OPENCL,
          "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(__global const float *restrict x, constant int *y, "
          "ulong n,"
          " float3 v, unsigned int a, __local float *t) {} kernel void g(void) {} void h(int a) {} __kernel void i(int a);",
          "f(float* x:r, int* y:r, ulong n:v8, float3 v:v16, unsigned int a:v4, float* t:l) g()" },
    };
    for (size_t i = 0; i < YK_COUNT_OF(written); i++)
        understands(written[i].how | YK_SIGNATURE_AS_WRITTEN, written[i].source, written[i].wanted);
    understands(YK_SIGNATURE_OPENCL,
                "YOKE_KERNEL void f(YOKE_GLOBAL const float *YOKE_RESTRICT x, int n YOKE_AND_DYNAMIC_SHARED) {}",
                "f(const float * x:r, int n:v4)");
    understands(YK_SIGNATURE_OPENCL, "__kernel void f(__global float *x, uint n, local int *t, T v) {} __kernel void i(short a);",
                "f(__global float * x:w, uint n:v4, local int * t:l, T v:?) i(short a:v2)");
}

/* Every beginning of a source is a source. */
static void beginnings(void)
{
    size_t read = 0, all = 0;
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++) {
        size_t size = strlen(cases[i].source);
        for (size_t length = 0; length < size; length++, all++) {
            yk_kernel_table table = { 0 };
            char *exact = malloc(length ? length : 1);
            if (!exact)
                abort();
            memcpy(exact, cases[i].source, length);
            read += yk_kernel_table_read(0, exact, length, &table);
            yk_kernel_table_free(&table);
            free(exact);
        }
    }
    tap_is(read, all, "every beginning of these can be read");
}

static void many(void)
{
    enum { KERNELS = 200, PARAMS = YOKE_MAX_ARGS };
    yk_kernel_table table = { 0 };
    yk_text text = { 0 };
    for (int i = 0; i < KERNELS; i++) {
        yk_text_add(&text, KERNEL "kernel_%d(", i);
        for (int j = 0; j < (i == 7 ? PARAMS + 1 : i == 8 ? PARAMS : 2); j++)
            yk_text_add(&text, "%sint p%d", j ? ", " : "", j);
        yk_text_add(&text, ") { }\n");
    }
    bool read = yk_kernel_table_read(0, yk_text_get(&text), text.length, &table);
    tap_ok(read && table.count == KERNELS - 1, "of many kernels only the one with too many parameters is left out");
    tap_ok(table.count > 8 && table.kernels[7].count == PARAMS, "as many as a launch can give are no trouble");
    yk_kernel_table_free(&table);
    yk_text_free(&text);
}

int main(void)
{
    tap_start(60);
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++)
        understands(0, cases[i].source, cases[i].wanted);
    as_written();
    beginnings();
    many();
    return tap_done();
}
