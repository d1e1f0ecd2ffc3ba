/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transform of PRIME points in place, fft_3, fft_5 and so on: included by fft.h once for each. Elements k and PRIME - k share
 * their products. COSINES and SINES are those of 1 / PRIME of a turn and of its multiples up to half a turn.
 */
#define HALF ((PRIME - 1) / 2)

YOKE_FUNCTION void JOIN(fft_, PRIME)(complex_value *v)
{
    const scalar cosines[HALF] = { COSINES }, sines[HALF] = { SINES };
    complex_value sums[HALF], differences[HALF], first = v[0], all = v[0];
#pragma unroll
    for (int k = 1; k <= HALF; k++) {
        sums[k - 1] = c_add(v[k], v[PRIME - k]);
        differences[k - 1] = c_subtract(v[k], v[PRIME - k]);
        all = c_add(all, sums[k - 1]);
    }
    v[0] = all;
#pragma unroll
    for (int m = 1; m <= HALF; m++) {
        complex_value a = first, b;
        b.x = b.y = (real)0;
#pragma unroll
        for (int k = 1; k <= HALF; k++) {
            const int at = m * k % PRIME, near = at <= HALF ? at : PRIME - at;
            const real c = (real)cosines[near - 1], s = (real)(at <= HALF ? sines[near - 1] : -sines[near - 1]);
            a.x = yoke_fma(sums[k - 1].x, c, a.x);
            a.y = yoke_fma(sums[k - 1].y, c, a.y);
            b.x = yoke_fma(differences[k - 1].x, s, b.x);
            b.y = yoke_fma(differences[k - 1].y, s, b.y);
        }
        v[m].x = a.x + b.y;
        v[m].y = a.y - b.x;
        v[PRIME - m].x = a.x - b.y;
        v[PRIME - m].y = a.y + b.x;
    }
}

#undef HALF
#undef PRIME
#undef COSINES
#undef SINES
