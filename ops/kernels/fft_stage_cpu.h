/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stage of sub-transforms that lie side by side in vectors, included by fft_cpu.yk once for each: as fft_stage.h, from one
 * array to another. `roots` are those of LENGTH.
 */
YOKE_FUNCTION void JOIN(stage_, STAGE)(const complex_value *from, complex_value *to, const scalar_turn *roots)
{
    const int per_line = LENGTH / RADIX, before = BEFORE;
    (void)roots;
    for (int q = 0; q < per_line / before; q++)
        for (int k = 0; k < before; k++) {
            complex_value v[RADIX];
#pragma unroll
            for (int r = 0; r < RADIX; r++) {
                v[r] = from[q * before + k + r * per_line];
#if STAGE > 0
                if (r > 0) {
                    const scalar_turn w = roots[k * r * (LENGTH / (BEFORE * RADIX))];
                    v[r] = c_turn(v[r], (real)w.c, (real)w.s);
                }
#endif
            }
            JOIN(fft_, RADIX)(v);
#pragma unroll
            for (int r = 0; r < RADIX; r++)
                to[q * before * RADIX + k + r * before] = v[r];
        }
}

#undef STAGE
#undef RADIX
#undef BEFORE
