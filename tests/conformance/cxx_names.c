/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of C++ are looked up, listed and checked by their plain names, whatever their parameters are. */
#include "suite.h"

#include <string.h>

static bool is_cuda(const suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

static bool is_listed(yoke_program *program, const char *name)
{
    for (size_t i = 0; i < yoke_program_get_kernel_count(program); i++)
        if (strcmp(yoke_program_get_kernel_name(program, i), name) == 0)
            return true;
    return false;
}

/* By the plain name, and checked like any other kernel. */
static void found_by_plain_names(suite *t, yoke_program *program)
{
    const yoke_dim one = YOKE_DIM(1);
    float value = 1;
    yoke_kernel *scale = NULL, *shift = NULL, *same = NULL;
    yoke_param_info param = YOKE_PARAM_INFO_INIT;
    yoke_buffer *x = NULL;

    NEED_OK(yoke_kernel_get(program, "scale", &scale));
    NEED_OK(yoke_kernel_get(program, "shift", &shift));
    CHECK_OK(yoke_kernel_get(program, "ns::shift", &same));
    CHECK(is_listed(program, "scale") && is_listed(program, "ns::shift") && is_listed(program, "_Z5twicePi"));
    CHECK_OK(yoke_kernel_get_param(scale, 1, &param));
    CHECK(strcmp(param.name, "k") == 0 && strcmp(param.type, "float") == 0);
    NEED_OK(yoke_buffer_create(t->device, sizeof value, &x));
    NEED_OK(yoke_write(t->stream, x, 0, &value, sizeof value));
    NEED_OK(yoke_launch(t->stream, scale, one, one, 0, YOKE_ARGS(x, 3.0f)));
    NEED_OK(yoke_launch(t->stream, shift, one, one, 0, YOKE_ARGS(x, 4.0f)));
    NEED_OK(yoke_launch(t->stream, same, one, one, 0, YOKE_ARGS(x, 5.0f)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "scale|parameter 2 'k'|2.0f", yoke_launch(t->stream, scale, one, one, 0, YOKE_ARGS(x, 3)));
    NEED_OK(yoke_read_sync(t->stream, &value, x, 0, sizeof value));
    CHECK(value == 12);
out:
    yoke_buffer_release(x);
}

static void kernels_of_cpp(suite *t)
{
    char *saved = NULL;
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;

    if (!is_cuda(t)) {
        suite_skip("C++ is CUDA's");
        return;
    }
    source.cuda = "__global__ void scale(float *x, float k) { x[0] *= k; }\n"
                  "namespace ns { __global__ void shift(float *x, float k) { x[0] += k; } }\n"
                  "__global__ void twice(float *x) { x[0] *= 2; }\n__global__ void twice(int *x) { x[0] *= 2; }\n"
                  "namespace a { __global__ void same(float *x) { x[0] = 1; } }\n"
                  "namespace b { __global__ void same(float *x) { x[0] = 2; } }\n"
                  "template <typename T> __global__ void fill(T *x) { x[0] = 1; }\n";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    found_by_plain_names(t, program);
    CHECK_FAILS(YOKE_E_NOT_FOUND, "'twice'|_Z5twicePf|overloaded|name_expressions", yoke_kernel_get(program, "twice", &kernel));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "'same'|one kernel|a::same|b::same", yoke_kernel_get(program, "same", &kernel));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "'fill'|template|name_expressions", yoke_kernel_get(program, "fill", &kernel));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "'scal'|the program has|scale", yoke_kernel_get(program, "scal", &kernel));
    CHECK_OK(yoke_kernel_get(program, "a::same", &kernel));
    CHECK_OK(yoke_kernel_get(program, "_Z5twicePf", &kernel));
    size_t size = 0;
    NEED_OK(yoke_program_save(program, NULL, 0, &size));
    saved = memory_new(size);
    NEED_OK(yoke_program_save(program, saved, size, &size));
    yoke_program_release(program);
    program = NULL;
    NEED_OK(yoke_program_load(t->device, "saved", saved, size, &program));
    found_by_plain_names(t, program);
out:
    memory_free(saved);
    yoke_program_release(program);
}

/* Kernels with a plain name whose first parameter is a struct, a vector, an enum or a pair by value: what follows the kernel's name
 * in its compiled name looks like another part of the name. */
static void first_parameter_by_value(suite *t)
{
    static const char *const names[] = { "by_value", "of_vector",     "of_enum",  "of_const",
                                         "of_pair",  "ns::of_struct", "of_array", "ns::of_both" };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_param_info param = YOKE_PARAM_INFO_INIT;
    yoke_buffer *x = NULL;
    struct {
        int32_t n;
    } s = { 7 };
    int32_t value = 0;

    if (!is_cuda(t)) {
        suite_skip("C++ is CUDA's");
        return;
    }
    source.cuda = "struct S { int n; };\nenum E { ONE = 1 };\ntemplate <typename A, typename B> struct Pair { A a; B b; };\n"
                  "namespace ns { struct N { int n; };\n"
                  "__global__ void of_struct(N n, int *x) { x[0] = n.n; } }\n"
                  "__global__ void by_value(S s, int *x) { x[0] = s.n; }\n"
                  "__global__ void of_vector(float4 f, int *x) { x[0] = (int)f.x; }\n"
                  "__global__ void of_enum(E e, int *x) { x[0] = e; }\n"
                  "__global__ void of_const(const struct S s, const S t, int *x) { x[0] = s.n + t.n; }\n"
                  "__global__ void of_pair(Pair<int, S> p, int *x) { x[0] = p.a; }\n"
                  "struct A { int n[4]; };\n__global__ void of_array(A a, S s, int *x) { x[0] = a.n[1] + s.n; }\n"
                  "namespace ns { __global__ void of_both(S s, N n) {} }\n__global__ void of_both(S s, S t, S u) {}\n";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CHECK_OK(yoke_kernel_get(program, names[i], &kernel));
        CHECK(is_listed(program, names[i]));
    }
    CHECK_FAILS(YOKE_E_NOT_FOUND, "of_both|ns::of_both", yoke_kernel_get(program, "of_both", &kernel));
    NEED_OK(yoke_kernel_get(program, "ns::of_struct", &kernel));
    CHECK_OK(yoke_kernel_get_param(kernel, 0, &param));
    CHECK(strcmp(param.name, "n") == 0 && strcmp(param.type, "N") == 0);
    NEED_OK(yoke_buffer_create(t->device, sizeof value, &x));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(yoke_arg_struct(&s, sizeof s), x)));
    NEED_OK(yoke_read_sync(t->stream, &value, x, 0, sizeof value));
    CHECK(value == 7);
out:
    yoke_buffer_release(x);
    yoke_program_release(program);
}

int main(void)
{
    static const suite_case cases[] = {
        { "kernels of C++ are known by their names", kernels_of_cpp, false },
        { "also where the first parameter is a struct, a vector or an enum", first_parameter_by_value, false },
    };

    return SUITE_MAIN(cases, NULL);
}
