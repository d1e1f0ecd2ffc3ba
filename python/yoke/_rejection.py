# SPDX-License-Identifier: Apache-2.0
"""Random numbers that are drawn until one fits, as functions of C's for expressions: gamma, Poisson's and binomial numbers. The
number of a position p has the blocks of Philox with the counter (p, sequence, kind * 65536 + attempt), as <yoke/random.h> has it,
with kinds of their own. All is computed in double, so that only log and exp, whose last bits are the device's, may let a number
be accepted on one device and not on the other."""

# A uniform number of (0, 1) from one word, or from two.
_WORDS = """#include <yoke/philox.h>
YOKE_FUNCTION uint4 own_words(yoke_u64 seed, yoke_u32 sequence, yoke_u64 p, yoke_u32 kind, yoke_u32 attempt)
{
    return yoke_philox(yoke_uint4((yoke_u32)p, (yoke_u32)(p >> 32), sequence, kind * 65536u + (attempt & 65535u)),
                       yoke_uint2((yoke_u32)seed, (yoke_u32)(seed >> 32)));
}
YOKE_FUNCTION double own_short(yoke_u32 word)
{
    return ((double)word + 0.5) * 2.3283064365386962890625e-10;
}
YOKE_FUNCTION double own_long(yoke_u32 low, yoke_u32 high)
{
    return ((double)(((yoke_u64)high << 32 | low) >> 12) + 0.5) * 2.220446049250313080847263336181640625e-16;
}
"""

# The logarithm of x!: Stirling's series from 10 on, to which smaller numbers are led by products.
_FACTORIAL = """YOKE_FUNCTION double own_log_factorial(double x)
{
    double product = 1.0, y = x + 1.0, z;
    while (y < 10.0) {
        product *= y;
        y += 1.0;
    }
    z = 1.0 / (y * y);
    z = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z * (1.0 / 1188.0))))) / y;
    return (y - 0.5) * log(y) - y + 0.91893853320467274178 + z - log(product);
}
"""

# Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). A shape below 1 is that above it, times u^(1/shape).
GAMMA = ("double gamma_number(uint64 seed, uint32 sequence, uint64 p, double shape)", _WORDS + """
YOKE_FUNCTION double gamma_number(yoke_u64 seed, yoke_u32 sequence, yoke_u64 p, double shape)
{
    double d = (shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d), scale = 1.0;
    yoke_u32 attempt;
    if (!(shape > 0.0))
        return shape == 0.0 ? 0.0 : shape - shape + sqrt(-1.0);
    if (shape < 1.0) {
        uint4 words = own_words(seed, sequence, p, 5u, 65535u);
        scale = pow(own_long(words.x, words.y), 1.0 / shape);
    }
    for (attempt = 0; attempt < 65535u; attempt++) {
        uint4 words = own_words(seed, sequence, p, 5u, attempt);
        double x = sqrt(-2.0 * log(own_long(words.x, words.y))) * cos(6.283185307179586477 * own_short(words.z));
        double v = 1.0 + c * x, u = own_short(words.w);
        v = v * v * v;
        if (v > 0.0 && (u < 1.0 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + d - d * v + d * log(v)))
            return d * v * scale;
    }
    return d * scale;
}
""")

# Below a mean of 10 by adding up probabilities, from there on by Hörmann, "The transformed rejection method for generating Poisson
# random variables" (1993), PTRS.
POISSON = ("int64 poisson_number(uint64 seed, uint32 sequence, uint64 p, double lam)", _WORDS + _FACTORIAL + """
YOKE_FUNCTION yoke_i64 poisson_number(yoke_u64 seed, yoke_u32 sequence, yoke_u64 p, double lam)
{
    yoke_u32 attempt;
    double k = 0.0;
    if (!(lam > 0.0 && lam < 9.2e18))
        return lam == 0.0 ? 0 : -1;
    if (lam < 10.0) {
        uint4 words = own_words(seed, sequence, p, 6u, 0u);
        double u = own_long(words.x, words.y), part = exp(-lam), sum = part;
        while (u > sum && k < 200.0) {
            k += 1.0;
            part *= lam / k;
            sum += part;
        }
        return (yoke_i64)k;
    }
    double b = 0.931 + 2.53 * sqrt(lam), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4);
    double least = 0.9277 - 3.6224 / (b - 2.0), log_lam = log(lam);
    for (attempt = 0; attempt < 65536u; attempt++) {
        uint4 words = own_words(seed, sequence, p, 6u, attempt);
        double u = own_long(words.x, words.y) - 0.5, v = own_long(words.z, words.w), s = 0.5 - fabs(u);
        k = floor((2.0 * a / s + b) * u + lam + 0.43);
        if (s >= 0.07 && v <= least)
            return (yoke_i64)k;
        if (k < 0.0 || (s < 0.013 && v > s))
            continue;
        if (log(v * inverse / (a / (s * s) + b)) <= k * log_lam - lam - own_log_factorial(k))
            return (yoke_i64)k;
    }
    return (yoke_i64)lam;
}
""")

# Below n * p = 10 by adding up probabilities, from there on by Hörmann, "The generation of binomial random variates" (1993), BTRS.
# A p above 1/2 counts what fails.
BINOMIAL = ("int64 binomial_number(uint64 seed, uint32 sequence, uint64 position, int64 n, double probability)",
            _WORDS + _FACTORIAL + """
YOKE_FUNCTION yoke_i64 own_binomial(yoke_u64 seed, yoke_u32 sequence, yoke_u64 position, double n, double p)
{
    yoke_u32 attempt;
    double q = 1.0 - p, k = 0.0;
    if (n * p < 10.0) {
        uint4 words = own_words(seed, sequence, position, 7u, 0u);
        double u = own_long(words.x, words.y), part = exp(n * log1p(-p)), sum = part;
        while (u > sum && k < n && k < 200.0) {
            k += 1.0;
            part *= (n - k + 1.0) * p / (k * q);
            sum += part;
        }
        return (yoke_i64)k;
    }
    double spread = sqrt(n * p * q), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p, centre = n * p + 0.5;
    double least = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread, m = floor((n + 1.0) * p), odds = log(p / q);
    double top = own_log_factorial(m) + own_log_factorial(n - m);
    for (attempt = 0; attempt < 65536u; attempt++) {
        uint4 words = own_words(seed, sequence, position, 7u, attempt);
        double u = own_long(words.x, words.y) - 0.5, v = own_long(words.z, words.w), s = 0.5 - fabs(u);
        k = floor((2.0 * a / s + b) * u + centre);
        if (k < 0.0 || k > n)
            continue;
        if (s >= 0.07 && v <= least)
            return (yoke_i64)k;
        if (log(v * alpha / (a / (s * s) + b)) <= top - own_log_factorial(k) - own_log_factorial(n - k) + (k - m) * odds)
            return (yoke_i64)k;
    }
    return (yoke_i64)m;
}
YOKE_FUNCTION yoke_i64 binomial_number(yoke_u64 seed, yoke_u32 sequence, yoke_u64 position, yoke_i64 n, double probability)
{
    if (n <= 0 || !(probability > 0.0))
        return 0;
    if (!(probability < 1.0))
        return n;
    if (probability > 0.5)
        return n - own_binomial(seed, sequence, position, (double)n, 1.0 - probability);
    return own_binomial(seed, sequence, position, (double)n, probability);
}
""")
