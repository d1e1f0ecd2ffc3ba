/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stage of the sub-transforms of a block, included by fft.yk once for each: WIDTH * LENGTH / RADIX transforms of RADIX points
 * in registers. The first stage (STAGE == 0) reads global memory, the last one (STAGE == STAGES - 1) writes it; between stages the
 * points lie in shared memory. BEFORE is the product of the RADIXes of the stages before.
 */
#define PER_LINE (LENGTH / RADIX)
#define ALL (WIDTH * PER_LINE)
#define HOLD ((ALL + THREADS - 1) / THREADS)
#define IS_FIRST (STAGE == 0)
#define IS_LAST (STAGE == STAGES - 1)

#if IS_FIRST
/* Load the points j + r * PER_LINE of a column, multiplied by the roots that join this pass to those before. */
YOKE_FUNCTION void load_first(complex_value *v, YOKE_GLOBAL const in_type *in, fft_pass p, yoke_u32 column, yoke_u32 j)
{
    const yoke_u32 apart = p.length / LENGTH, next = PER_LINE * apart;
    const int is_there = column < p.columns;
    const fft_column at = find_column(p, is_there ? column : 0);
    const yoke_u32 begin = at.j + j * apart;
    const yoke_i64 begin_step = (yoke_i64)begin * p.in_step, next_step = (yoke_i64)next * p.in_step;
#pragma unroll
    for (int r = 0; r < RADIX; r++) {
        pair z = make_pair((scalar)0, (scalar)0);
        if (is_there)
            z = read_point(in, p, at.in_at, begin_step + r * next_step, begin + (yoke_u32)r * next);
        v[r].x = p.inverse ? z.y : z.x;
        v[r].y = p.inverse ? z.x : z.y;
    }
    if (p.before > 1) {
#pragma unroll
        for (int r = 0; r < RADIX; r++) {
            const yoke_i32 m = (yoke_i32)(at.k * (j + (yoke_u32)r * PER_LINE));
            const scalar_turn w = scalar_root(m, (yoke_i32)(p.before * LENGTH), p.turn_high, p.turn_low);
            v[r] = c_turn(v[r], w.c, w.s);
        }
    }
}
#endif

#if IS_LAST
YOKE_FUNCTION void store_last(const complex_value *v, YOKE_GLOBAL out_type *out, fft_pass p, yoke_u32 column, yoke_u32 j)
{
    const fft_column at = find_column(p, column);
    const yoke_u32 begin = at.to + at.k + j * p.before, next = PER_LINE * p.before;
    const yoke_i64 begin_at = at.out_at + (yoke_i64)begin * p.out_step, next_step = (yoke_i64)next * p.out_step;
#pragma unroll
    for (int r = 0; r < RADIX; r++) {
        const scalar x = (p.inverse ? v[r].y : v[r].x) * p.scale, y = (p.inverse ? v[r].x : v[r].y) * p.scale;
        write_point(out, p, begin_at + r * next_step, begin + (yoke_u32)r * next, make_pair(x, y));
    }
}
#endif

YOKE_INLINE_FUNCTION void JOIN(stage_, STAGE)(YOKE_GLOBAL const in_type *in, YOKE_GLOBAL out_type *out, fft_pass p,
                                              YOKE_SHARED_PTR pair *lines, YOKE_SHARED_PTR const pair *roots, yoke_u32 thread,
                                              yoke_u32 first_column)
{
    complex_value v[HOLD][RADIX];
    (void)in, (void)out, (void)p, (void)lines, (void)roots, (void)first_column;
#pragma unroll
    for (int b = 0; b < HOLD; b++) {
        const yoke_u32 id = thread + (yoke_u32)b * THREADS;
        if (id < ALL) {
#if IS_FIRST
            const yoke_u32 c = p.in_rows ? id / PER_LINE : id % WIDTH, j = p.in_rows ? id % PER_LINE : id / WIDTH;
            load_first(v[b], in, p, first_column + c, j);
#else
#if IS_LAST
            const yoke_u32 c = p.out_rows ? id / PER_LINE : id % WIDTH, j = p.out_rows ? id % PER_LINE : id / WIDTH;
#else
            const yoke_u32 c = id / PER_LINE, j = id % PER_LINE;
#endif
#pragma unroll
            for (int r = 0; r < RADIX; r++) {
                pair z = lines[c * PITCH + PAD(j + (yoke_u32)r * PER_LINE)];
                v[b][r].x = z.x;
                v[b][r].y = z.y;
                if (r > 0) {
                    const yoke_u32 m = j % BEFORE * (yoke_u32)r * (LENGTH / (BEFORE * RADIX));
#if HAS_TABLE
                    const pair w = roots[PAD(m)];
                    v[b][r] = c_turn(v[b][r], w.x, w.y);
#else
                    const scalar_turn w = small_root((yoke_i32)m, LENGTH, p.stage_high, p.stage_low);
                    v[b][r] = c_turn(v[b][r], w.c, w.s);
#endif
                }
            }
#endif
            JOIN(fft_, RADIX)(v[b]);
        }
    }
#if !IS_FIRST && !IS_LAST
    yoke_barrier();
#endif
#pragma unroll
    for (int b = 0; b < HOLD; b++) {
        const yoke_u32 id = thread + (yoke_u32)b * THREADS;
        if (id < ALL) {
#if IS_LAST
#if IS_FIRST
            const yoke_u32 c = p.in_rows ? id / PER_LINE : id % WIDTH, j = p.in_rows ? id % PER_LINE : id / WIDTH;
#else
            const yoke_u32 c = p.out_rows ? id / PER_LINE : id % WIDTH, j = p.out_rows ? id % PER_LINE : id / WIDTH;
#endif
            if (first_column + c < p.columns)
                store_last(v[b], out, p, first_column + c, j);
#else
#if IS_FIRST
            const yoke_u32 c = p.in_rows ? id / PER_LINE : id % WIDTH, j = p.in_rows ? id % PER_LINE : id / WIDTH;
#else
            const yoke_u32 c = id / PER_LINE, j = id % PER_LINE;
#endif
            const yoke_u32 at = j / BEFORE * (BEFORE * RADIX) + j % BEFORE;
#pragma unroll
            for (int r = 0; r < RADIX; r++)
                lines[c * PITCH + PAD(at + (yoke_u32)r * BEFORE)] = make_pair(v[b][r].x, v[b][r].y);
#endif
        }
    }
#if !IS_LAST
    yoke_barrier();
#endif
}

#undef PER_LINE
#undef ALL
#undef HOLD
#undef IS_FIRST
#undef IS_LAST
#undef STAGE
#undef RADIX
#undef BEFORE
