/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that host and device share: those that lie the same on both pass yoke_struct_check, and work as arguments and in buffers;
 * the first difference of the others is found. All of a case's structs are in one text, because each check builds one.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include <yoke/types.h>

#define SHARED_TEXT                                                                                \
    "#include <yoke/types.h>\n"                                                                    \
    "struct inner { yoke_i16 a; yoke_i64 b; };\n"                                                  \
    "struct particle { yoke_vec4 place; yoke_vec2 turn; yoke_f32 mass; yoke_u8 kind; yoke_u32 id;" \
    " struct inner inner[3]; yoke_u16 tail[5]; };\n"                                               \
    "typedef struct { yoke_i8 a; yoke_u64 b; } short_name;\n"

struct inner {
    yoke_i16 a;
    yoke_i64 b;
};
struct particle {
    yoke_vec4 place;
    yoke_vec2 turn;
    yoke_f32 mass;
    yoke_u8 kind;
    yoke_u32 id;
    struct inner inner[3];
    yoke_u16 tail[5];
};
typedef struct {
    yoke_i8 a;
    yoke_u64 b;
} short_name;

static const yoke_field particle_fields[] = {
    YOKE_FIELD(struct particle, place), YOKE_FIELD(struct particle, turn), YOKE_FIELD(struct particle, mass),
    YOKE_FIELD(struct particle, kind),  YOKE_FIELD(struct particle, id),   YOKE_FIELD(struct particle, inner),
    YOKE_FIELD(struct particle, tail),
};

enum { PARTICLE_FIELDS = sizeof particle_fields / sizeof particle_fields[0] };

/* A source of one text for both languages. */
static yoke_source source_of(const char *text)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "structs";
    source.cuda = source.opencl = text;
    return source;
}

static void alike(suite *t)
{
    const yoke_field short_fields[] = { YOKE_FIELD(short_name, b) };
    yoke_source source = source_of(SHARED_TEXT);
    CHECK_OK(yoke_struct_check(t->device, &source, "struct particle", sizeof(struct particle), particle_fields, PARTICLE_FIELDS));
    CHECK_OK(yoke_struct_check(t->device, &source, "short_name", sizeof(short_name), short_fields, 1));
}

/* The fields are where the check says: by value and through a pointer. */
static void used(suite *t)
{
    static const char cuda[] = SHARED_TEXT "extern \"C\" __global__ void use(struct particle *out, struct particle by_value)\n"
                                           "{ out[1] = by_value; out[0].place.z = by_value.mass; out[0].tail[4] = by_value.kind;"
                                           " out[0].inner[2].b = by_value.inner[1].b + 1; }\n";
    static const char opencl[] = SHARED_TEXT "__kernel void use(__global struct particle *out, struct particle by_value)\n"
                                             "{ out[1] = by_value; out[0].place.z = by_value.mass; out[0].tail[4] = by_value.kind;"
                                             " out[0].inner[2].b = by_value.inner[1].b + 1; }\n";
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_buffer *buffer = NULL;
    struct particle value, got[2];

    memset(&value, 0, sizeof value);
    memset(got, 0, sizeof got);
    value.place.y = 2.5f;
    value.turn.y = -1.0f;
    value.mass = 7.0f;
    value.kind = 200;
    value.id = 123456789;
    value.inner[1].b = INT64_C(-0x123456789abc);
    value.inner[2].a = -3;
    value.tail[4] = 54321;
    source.cuda = cuda;
    source.opencl = opencl;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "use", &kernel));
    NEED_OK(yoke_buffer_create(t->device, sizeof got, &buffer));
    NEED_OK(yoke_write(t->stream, buffer, 0, got, sizeof got));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffer, yoke_arg_struct(&value, sizeof value))));
    NEED_OK(yoke_read_sync(t->stream, got, buffer, 0, sizeof got));
    CHECK(got[1].place.y == 2.5f && got[1].turn.y == -1.0f && got[1].mass == 7.0f);
    CHECK(got[1].kind == 200 && got[1].id == 123456789 && got[1].tail[4] == 54321);
    CHECK(got[1].inner[1].b == value.inner[1].b && got[1].inner[2].a == -3);
    CHECK(got[0].place.z == 7.0f && got[0].tail[4] == 200 && got[0].inner[2].b == value.inner[1].b + 1);
out:
    yoke_buffer_release(buffer);
    yoke_program_release(program);
}

struct with_three {
    float a, b[3], c;
};
#pragma pack(push, 1)
struct packed {
    char a;
    int b;
};
#pragma pack(pop)
struct longer {
    int a, b, c;
};

/* A vector of three has 12 bytes in CUDA and 16 in OpenCL, so one of the two is found out whatever the host believes. */
static void different(suite *t)
{
    static const char text[] = "#include <yoke/types.h>\n"
                               "struct with_three { yoke_f32 a; float3 b; yoke_f32 c; };\n"
                               "struct packed { char a; yoke_i32 b; };\n"
                               "struct longer { yoke_i32 a, b; };\n"
                               "struct deep { struct packed first[2]; yoke_i64 second; };\n";
    const yoke_field three[] = { YOKE_FIELD(struct with_three, a), YOKE_FIELD(struct with_three, b),
                                 YOKE_FIELD(struct with_three, c) };
    const yoke_field in_opencl[] = { { "a", 0, 4 }, { "b", 16, 16 }, { "c", 32, 4 } };
    const yoke_field packed[] = { YOKE_FIELD(struct packed, a), YOKE_FIELD(struct packed, b) };
    const yoke_field longer[] = { YOKE_FIELD(struct longer, a), YOKE_FIELD(struct longer, b) };
    const yoke_field deep[] = { { "first", 0, 10 }, { "second", 16, 8 } };
    yoke_source source = source_of(text);
    bool opencl = strcmp(t->info.backend, "opencl") == 0;

    CHECK_STATUS(opencl ? YOKE_E_KERNEL_ARGUMENT : YOKE_OK,
                 yoke_struct_check(t->device, &source, "struct with_three", sizeof(struct with_three), three, 3));
    if (opencl)
        CHECK_TEXT(yoke_error()->text, "field b begins at byte 16");
    CHECK_STATUS(opencl ? YOKE_OK : YOKE_E_KERNEL_ARGUMENT,
                 yoke_struct_check(t->device, &source, "struct with_three", 48, in_opencl, 3));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "yoke_struct_check|struct packed|field b|at byte 4 on|at byte 1 on the host",
                yoke_struct_check(t->device, &source, "struct packed", sizeof(struct packed), packed, 2));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "struct longer|has 8 bytes on|12 on the host",
                yoke_struct_check(t->device, &source, "struct longer", sizeof(struct longer), longer, 2));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "struct deep|field first|has 16 bytes on|10 on the host",
                yoke_struct_check(t->device, &source, "struct deep", 24, deep, 2));
}

/* As many fields as there may be; a bool, and a large struct, of which no thread could have one. */
static void limits(suite *t)
{
    static char text[4096], names[64][8];
    yoke_field fields[65], far[] = { { "flag", 4, 1 }, { "end", 8 + (1u << 24), 4 } };
    size_t length =
        (size_t)snprintf(text, sizeof text, "struct far { int first; bool flag; int middle[1 << 22], end; };\nstruct many {");

    for (size_t i = 0; i < 64; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        length += (size_t)snprintf(text + length, sizeof text - length, " %s %s;", i % 2 ? "double" : "char", names[i]);
        fields[i] = (yoke_field){ names[i], 8 * i, i % 2 ? 8 : 1 };
    }
    fields[64] = fields[63];
    snprintf(text + length, sizeof text - length, " };\n");
    for (char *at = text; yoke_device_lacks(t->device, YOKE_CAP_FP64) && (at = strstr(at, "double"));)
        memcpy(at, " long ", 6); /* as wide */
    yoke_source source = source_of(text);
    CHECK_OK(yoke_struct_check(t->device, &source, "struct many", 64 * 8, fields, 64));
    CHECK_OK(yoke_struct_check(t->device, &source, "struct far", (1u << 24) + 12, far, 2));
    fields[63].offset += 8;
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "field f63|at byte 504 on|at byte 512 on",
                yoke_struct_check(t->device, &source, "struct many", 64 * 8, fields, 64));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "count is 65|1 to 64",
                yoke_struct_check(t->device, &source, "struct many", 512, fields, 65));
}

static void misuse(suite *t)
{
    static const char *const no_names[] = { "",        "struct", "struct ", "struct  inner",  "struct inner;", "inner x; } int i",
                                            "inner\n", "9a",     "a b",     "struct inner *", "\xc3\xa4" };
    const yoke_field fields[] = { YOKE_FIELD(struct inner, a) };
    yoke_field field = fields[0];
    yoke_source source = source_of(SHARED_TEXT), none = YOKE_SOURCE_INIT, blank = source_of(" \n"),
                broken = source_of("int f( {\n");
    size_t size = sizeof(struct inner);

    for (size_t i = 0; i < sizeof no_names / sizeof no_names[0]; i++)
        CHECK_STATUS(strcmp(no_names[i], "struct") == 0 ? YOKE_E_BUILD : YOKE_E_INVALID_ARGUMENT,
                     yoke_struct_check(t->device, &source, no_names[i], size, fields, 1));
    for (size_t i = 0; i < sizeof no_names / sizeof no_names[0]; i++) {
        field.name = no_names[i];
        CHECK_STATUS(strcmp(no_names[i], "struct") == 0 ? YOKE_E_BUILD : YOKE_E_INVALID_ARGUMENT,
                     yoke_struct_check(t->device, &source, "struct inner", size, &field, 1));
    }
    field.name = NULL;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "fields[0].name|NULL",
                yoke_struct_check(t->device, &source, "struct inner", size, &field, 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device is NULL", yoke_struct_check(NULL, &source, "struct inner", size, fields, 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source is NULL", yoke_struct_check(t->device, NULL, "struct inner", size, fields, 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "name is NULL", yoke_struct_check(t->device, &source, NULL, size, fields, 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "size is 0", yoke_struct_check(t->device, &source, "struct inner", 0, fields, 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "fields is NULL", yoke_struct_check(t->device, &source, "struct inner", size, NULL, 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "count is 0", yoke_struct_check(t->device, &source, "struct inner", size, fields, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_struct_check|has no",
                yoke_struct_check(t->device, &none, "struct inner", size, fields, 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_struct_check|empty",
                yoke_struct_check(t->device, &blank, "struct inner", size, fields, 1));
    CHECK_STATUS(YOKE_E_BUILD, yoke_struct_check(t->device, &broken, "struct inner", size, fields, 1));
    CHECK_STATUS(YOKE_E_BUILD, yoke_struct_check(t->device, &source, "struct outer", size, fields, 1));
    field.name = "nowhere";
    CHECK_STATUS(YOKE_E_BUILD, yoke_struct_check(t->device, &source, "struct inner", size, &field, 1));
    CHECK_TEXT(yoke_program_get_build_log(), "nowhere");
    CHECK_OK(yoke_struct_check(t->device, &source, "struct inner", size, fields, 1));
}

int main(void)
{
    static const suite_case cases[] = {
        { "structs that lie the same", alike, false },
        { "by value and through pointers", used, false },
        { "structs that do not, and where", different, false },
        { "64 fields, a bool, and more than a thread could hold", limits, false },
        { "what is no struct, name or source", misuse, false },
    };

    return SUITE_MAIN(cases, NULL);
}
