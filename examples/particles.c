/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A particle system with operations of <yoke/ops.h>: in each step particles are born, move, bounce and die, and the living are
 * moved together again. How many there are is known on the device alone, where each step finds it. Two steps, back and forth
 * between two sets of arrays, are a graph. Writes a picture, particles.png. particles [STEPS]
 *
 * A common mistake: to read the number of the living back in each step, to know how many to move. The device would wait for the
 * host.
 */
#include <yoke/graph.h>
#include <yoke/ops.h>

#include "example.h"
#include "picture.h"

enum { CAPACITY = 20000, BORN = 60, WIDTH = 480, HEIGHT = 320, MEMBERS = 5 };

/* The members of all particles, an array each. */
typedef struct particles {
    yoke_array x, y, vx, vy, life;
} particles;

typedef struct fountain {
    particles sets[2];
    yoke_array count, step; /* one number each: of the living, of the steps */
    yoke_array alive, cell,
        hits;         /* of each particle: whether it lives on, its pixel; of each pixel: how many particles are there */
    yoke_array light; /* of each pixel: the picture */
} fountain;

/* Particles from `count` on are new ones, up to BORN of them. A name on the left that is no array is a value of its own. */
static const char move[] = "fresh = i - count;"
                           "born = fresh >= 0 && fresh < births;"
                           "number = 4u * (uint32)(step * births + fresh);"
                           "side = fresh % 2 == 0 ? 1.0f : -1.0f;"
                           "above = y >= 100;"
                           "x = born ? 240 + 220 * side : x + vx;"
                           "y = born ? 0 : y + vy;"
                           "bounces = !born && above && y < 100 && x >= 140 && x < 340;"
                           "vx = born ? -side * (1.25f + 0.25f * chance(number)) : vx;"
                           "vy = born ? 4 + 0.25f * chance(number + 1u) : bounces ? -0.5f * vy : vy - 0.03125f;"
                           "y = bounces ? 100 : y;"
                           "life = born ? 350 + (int32)(64 * chance(number + 2u)) : life - 1;"
                           "alive = fresh < births && life > 0 && x >= 0 && x < width && y >= 0;"
                           "cell = alive ? (int32)y * width + (int32)x : -1";

/* Random numbers from -1 to 1: the same on the host, since each operation here is exact. */
#define CHANCE                             \
    "n = (n ^ (n >> 16)) * 0x7feb352du;\n" \
    "n = (n ^ (n >> 15)) * 0x846ca68bu;\n" \
    "return (float)(int)(n ^ (n >> 16)) * (1.0f / 2147483648.0f);\n"

static yoke_array create(yoke_device *device, int32_t dtype, int64_t n)
{
    yoke_array array;

    YOKE_CHECK(yoke_array_create(device, dtype, 1, &n, &array));
    return array;
}

static void create_all(yoke_device *device, fountain *f)
{
    for (int i = 0; i < 2; i++)
        f->sets[i] =
            (particles){ create(device, YOKE_F32, CAPACITY), create(device, YOKE_F32, CAPACITY), create(device, YOKE_F32, CAPACITY),
                         create(device, YOKE_F32, CAPACITY), create(device, YOKE_I32, CAPACITY) };
    f->count = create(device, YOKE_I32, 1);
    f->step = create(device, YOKE_I32, 1);
    f->alive = create(device, YOKE_BOOL, CAPACITY);
    f->cell = create(device, YOKE_I32, CAPACITY);
    f->hits = create(device, YOKE_U32, WIDTH * HEIGHT);
    f->light = create(device, YOKE_F32, WIDTH * HEIGHT);
}

static void release_all(const fountain *f)
{
    const yoke_array others[] = { f->count, f->step, f->alive, f->cell, f->hits, f->light };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        yoke_buffer_release(others[i].buffer);
    for (int i = 0; i < 2; i++) {
        const yoke_array members[MEMBERS] = { f->sets[i].x, f->sets[i].y, f->sets[i].vx, f->sets[i].vy, f->sets[i].life };
        for (int j = 0; j < MEMBERS; j++)
            yoke_buffer_release(members[j].buffer);
    }
}

/* Moves all in `from`, and leaves the living in `to`. */
static void enqueue_step(yoke_stream *stream, const fountain *f, const particles *from, const particles *to)
{
    const yoke_array x = from->x, y = from->y, vx = from->vx, vy = from->vy, life = from->life, alive = f->alive, cell = f->cell;
    const yoke_array count = f->count, step = f->step, light = f->light, hits = f->hits;
    const yoke_var chance =
        yoke_var_function("float chance(uint32 n)", "YOKE_FUNCTION float chance(unsigned int n)\n{\n" CHANCE "}\n");
    const int births = BORN, width = WIDTH;

    YOKE_CHECK(yoke_map(stream, move, YOKE_VARS(x, y, vx, vy, life, alive, cell, count, step, births, width, chance)));
    YOKE_CHECK(yoke_map(stream, "step += 1", YOKE_VARS(step)));

    /* All members by the same flags, so that they stay together; the first call tells how many were kept. */
    YOKE_CHECK(yoke_select(stream, &to->x, &count, &x, &alive));
    YOKE_CHECK(yoke_select(stream, &to->y, NULL, &y, &alive));
    YOKE_CHECK(yoke_select(stream, &to->vx, NULL, &vx, &alive));
    YOKE_CHECK(yoke_select(stream, &to->vy, NULL, &vy, &alive));
    YOKE_CHECK(yoke_select(stream, &to->life, NULL, &life, &alive));

    /* Where particles are, light is added; it fades. Cells that are none are not counted. */
    YOKE_CHECK(yoke_bincount(stream, &hits, &cell, NULL));
    YOKE_CHECK(yoke_map(stream, "light = 0.9375f * light + hits", YOKE_VARS(light, hits)));
}

/* ---- The same on the host, particle by particle -------------------------------------------------------------------------- */

typedef struct particle {
    float x, y, vx, vy;
    int life;
} particle;

static float chance_on_host(uint32_t n)
{
    n = (n ^ (n >> 16)) * 0x7feb352du;
    n = (n ^ (n >> 15)) * 0x846ca68bu;
    n ^= n >> 16;
    return (float)(n < 0x80000000u ? (double)n : (double)n - 4294967296.0) * (1.0f / 2147483648.0f);
}

static particle be_born(int step, int fresh)
{
    const uint32_t number = 4u * (uint32_t)(step * BORN + fresh);
    const float side = fresh % 2 == 0 ? 1 : -1;

    return (particle){ 240 + 220 * side, 0, -side * (1.25f + 0.25f * chance_on_host(number)),
                       4 + 0.25f * chance_on_host(number + 1), 350 + (int)(64 * chance_on_host(number + 2)) };
}

static int step_on_host(particle *p, int count, int step)
{
    int kept = 0;

    for (int i = 0; i < CAPACITY && i < count + BORN; i++) {
        particle q = p[i];
        if (i >= count) {
            q = be_born(step, i - count);
        } else {
            const int above = q.y >= 100;
            q.x += q.vx;
            q.y += q.vy;
            if (above && q.y < 100 && q.x >= 140 && q.x < 340) {
                q.y = 100;
                q.vy *= -0.5f;
            } else
                q.vy -= 0.03125f;
            q.life--;
        }
        if (q.life > 0 && q.x >= 0 && q.x < WIDTH && q.y >= 0)
            p[kept++] = q; /* never in front of what is still to be read */
    }
    return kept;
}

/* How many particles are not, bit by bit, those of the host. */
static int check(yoke_stream *stream, const particles *set, const particle *expected, int count)
{
    static float x[CAPACITY], y[CAPACITY], vx[CAPACITY], vy[CAPACITY];
    static int32_t life[CAPACITY];
    int wrong = 0;

    YOKE_CHECK(yoke_read(stream, x, set->x.buffer, 0, sizeof x));
    YOKE_CHECK(yoke_read(stream, y, set->y.buffer, 0, sizeof y));
    YOKE_CHECK(yoke_read(stream, vx, set->vx.buffer, 0, sizeof vx));
    YOKE_CHECK(yoke_read(stream, vy, set->vy.buffer, 0, sizeof vy));
    YOKE_CHECK(yoke_read(stream, life, set->life.buffer, 0, sizeof life));
    YOKE_CHECK(yoke_stream_wait(stream));
    for (int i = 0; i < count; i++) {
        const particle *p = &expected[i];
        wrong += x[i] != p->x || y[i] != p->y || vx[i] != p->vx || vy[i] != p->vy || life[i] != p->life;
    }
    return wrong;
}

/* From black over blue to white; y is upwards. */
static void draw(yoke_stream *stream, const yoke_array *light)
{
    static float values[WIDTH * HEIGHT];
    static unsigned char pixels[WIDTH * HEIGHT * 3];

    YOKE_CHECK(yoke_read_sync(stream, values, light->buffer, 0, sizeof values));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int c = 0; c < 3; c++)
            pixels[3 * ((HEIGHT - 1 - i / WIDTH) * WIDTH + i % WIDTH) + c] = picture_byte(values[i] * 0.25f * (1 + (float)c) / 3);
    picture_write("particles.png", pixels, WIDTH, HEIGHT);
}

int main(int argc, char **argv)
{
    const int steps = (number(argc, argv, 1, 400, 1000000) + 1) / 2 * 2;
    static particle expected[CAPACITY];
    fountain f;
    yoke_device *device;
    yoke_stream *stream;
    yoke_graph *graph;
    int count, living = 0;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    create_all(device, &f);
    YOKE_CHECK(yoke_assign_value(stream, &f.count, YOKE_NUMBER(0)));
    YOKE_CHECK(yoke_assign_value(stream, &f.step, YOKE_NUMBER(0)));
    YOKE_CHECK(yoke_assign_value(stream, &f.light, YOKE_NUMBER(0)));

    YOKE_CHECK(yoke_graph_create(device, "two steps", &graph));
    YOKE_CHECK(yoke_graph_begin(graph, stream)); /* from here on operations are recorded and do not run */
    enqueue_step(stream, &f, &f.sets[0], &f.sets[1]);
    enqueue_step(stream, &f, &f.sets[1], &f.sets[0]);
    YOKE_CHECK(yoke_graph_end(graph));
    for (int i = 0; i < steps; i += 2)
        YOKE_CHECK(yoke_graph_launch(stream, graph));
    for (int i = 0; i < steps; i++) /* the same on the host, meanwhile */
        living = step_on_host(expected, living, i);
    YOKE_CHECK(yoke_read_sync(stream, &count, f.count.buffer, 0, sizeof count));

    draw(stream, &f.light);
    const int wrong = abs(count - living) + check(stream, &f.sets[0], expected, living);
    printf("particles: %d steps, %d particles were born and %d are alive, %d wrong\n", steps, steps * BORN, count, wrong);

    release_all(&f);
    yoke_graph_release(graph);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return wrong != 0;
}
