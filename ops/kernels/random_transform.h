/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random words become normal and exponential numbers, by fused multiply-adds, exact operations and a correctly rounded square root
 * alone, so that every device gives the same bits. tests/ops/random.c includes this text too, with the host's words for kernels.
 *
 * Normal numbers come in pairs, by Box and Muller's transform of two words a and b. a | 1 is an odd signed integer x: its sign is
 * random, and |x| / 2^31 is uniform in (0, 1). The radius sqrt(-2 ln(|x| / 2^31)) gets the sign of x; so the angle, pi/2 * b / 2^31
 * for signed b, needs to span half a circle only, where neither sine nor cosine needs a case.
 */
#ifndef YOPS_RANDOM_TRANSFORM_H
#define YOPS_RANDOM_TRANSFORM_H

/* sqrt of a normal number, correctly rounded. NVIDIA's compiler does the same behind a test for other numbers. */
#if (defined(__CUDACC__) && !defined(YOKE_CUDA_DOUBLE)) || defined(__NV_CL_C_VERSION)
YOKE_FUNCTION float normal_sqrt(float x)
{
    float y, root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    root = x * y;
    return yoke_fma(yoke_fma(-root, root, x), 0.5f * y, root);
}
#else
#define normal_sqrt(x) sqrt(x)
#endif

/* -2 ln(|x| / 2^31) + 2^-26 for an integer x that is not 0, as a float. What is added stands for the rounding of integers to 2^31,
 * and keeps the result from 0. */
YOKE_FUNCTION float minus_2_log(float x)
{
    const yoke_u32 bits = yoke_float_as_uint(x);
    /* |x| = m * 2^(31 - down / 2^23), m between the square roots of 1/2 and of 2. The sign falls out. */
    const yoke_u32 down = (0x4f3504f3u - bits) & 0x7f800000u;
    const float t = fabs(yoke_uint_as_float(bits + down - 0x0f800000u)) - 1.0f;
    float p = 0.18150848150253296f;
    p = yoke_fma(p, t, -0.3180834949016571f);
    p = yoke_fma(p, t, 0.34851887822151184f);
    p = yoke_fma(p, t, -0.39884233474731445f);
    p = yoke_fma(p, t, 0.49921265244483948f);
    p = yoke_fma(p, t, -0.66667485237121582f);
    p = yoke_fma(p, t, 1.0000100135803223f);
    p = yoke_fma(p, t, -2.0f);
    return yoke_fma(t, p, yoke_fma((float)(yoke_i32)down, 1.6525916635146132e-7f, 1.4901161193847656e-8f));
}

/* The two normal numbers of a and b. */
YOKE_FUNCTION void normal_pair(yoke_u32 a, yoke_u32 b, float mean, float deviation, float *out)
{
    const float x = (float)(yoke_i32)(a | 1u), g = (float)(yoke_i32)b * 4.656612873077393e-10f, s = g * g;
    const float root = normal_sqrt(minus_2_log(x));
    const float r = yoke_uint_as_float(yoke_float_as_uint(root) | (yoke_float_as_uint(x) & 0x80000000u)) * deviation;
    float c = 0.00085969042265787721f, q = 0.00015580758918076754f;
    c = yoke_fma(c, s, -0.020813968032598495f);
    q = yoke_fma(q, s, -0.0046828612685203552f);
    c = yoke_fma(c, s, 0.25365319848060608f);
    q = yoke_fma(q, s, 0.07969578355550766f);
    c = yoke_fma(c, s, -1.233698844909668f);
    q = yoke_fma(q, s, -0.6459650993347168f);
    c = yoke_fma(c, s, 1.0f);
    q = yoke_fma(q, s, 1.5707963705062866f);
    out[0] = yoke_fma(r, c, mean);
    out[1] = yoke_fma(r * g, q, mean);
}

#ifdef NEED_F64

#if defined(__CUDACC__)
#define bits_of_f64(x) ((yoke_u64)__double_as_longlong(x))
#define f64_of_bits(x) __longlong_as_double((long long)(x))
#elif defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define bits_of_f64(x) as_ulong(x)
#define f64_of_bits(x) as_double(x)
#endif
#define BITS_64(high, low) ((yoke_u64)(high) << 32 | (yoke_u64)(low))

/* The same with 2^63 and 2^-55. */
YOKE_FUNCTION double minus_2_log_f64(double x)
{
    const yoke_u64 bits = bits_of_f64(x);
    const yoke_u64 down = (BITS_64(0x43e6a09eu, 0x667f3bccu) - bits) & BITS_64(0x7ff00000u, 0u);
    const double t = fabs(f64_of_bits(bits + down - BITS_64(0x03f00000u, 0u))) - 1.0;
    double p = -0.052301916740949521;
    p = yoke_fma(p, t, 0.11963397079537721);
    p = yoke_fma(p, t, -0.13006966817197452);
    p = yoke_fma(p, t, 0.11355567188075741);
    p = yoke_fma(p, t, -0.11336761076731482);
    p = yoke_fma(p, t, 0.12393358410241717);
    p = yoke_fma(p, t, -0.13369177357435821);
    p = yoke_fma(p, t, 0.14298878694048703);
    p = yoke_fma(p, t, -0.15383059703707808);
    p = yoke_fma(p, t, 0.16665827113013088);
    p = yoke_fma(p, t, -0.18181847861346279);
    p = yoke_fma(p, t, 0.20000030410924249);
    p = yoke_fma(p, t, -0.22222222294961844);
    p = yoke_fma(p, t, 0.24999999382927973);
    p = yoke_fma(p, t, -0.2857142856018679);
    p = yoke_fma(p, t, 0.33333333339651244);
    p = yoke_fma(p, t, -0.40000000000133207);
    p = yoke_fma(p, t, 0.49999999999975953);
    p = yoke_fma(p, t, -0.66666666666666285);
    p = yoke_fma(p, t, 1.0);
    p = yoke_fma(p, t, -2.0);
    return yoke_fma(t, p, yoke_fma((double)(yoke_i32)(down >> 52), 1.3862943611198906, 2.7755575615628914e-17));
}

YOKE_FUNCTION void normal_pair_f64(yoke_u64 a, yoke_u64 b, double mean, double deviation, double *out)
{
    const double x = (double)(yoke_i64)(a | 1u), g = (double)(yoke_i64)b * 1.0842021724855044e-19, s = g * g;
    const double root = sqrt(minus_2_log_f64(x));
    const double r = f64_of_bits(bits_of_f64(root) | (bits_of_f64(x) & BITS_64(0x80000000u, 0u))) * deviation;
    double c = -5.126183445201474e-13, q = 4.2608106966573295e-12;
    c = yoke_fma(c, s, 6.5624342852080805e-11);
    c = yoke_fma(c, s, -6.3865620802002845e-09);
    c = yoke_fma(c, s, 4.7108744914894156e-07);
    c = yoke_fma(c, s, -2.5202042360652428e-05);
    c = yoke_fma(c, s, 0.00091926027483618981);
    c = yoke_fma(c, s, -0.020863480763352482);
    c = yoke_fma(c, s, 0.25366950790104797);
    c = yoke_fma(c, s, -1.2337005501361697);
    c = yoke_fma(c, s, 1.0);
    q = yoke_fma(q, s, -6.619048649055545e-10);
    q = yoke_fma(q, s, 5.6910574795570305e-08);
    q = yoke_fma(q, s, -3.5988337237009191e-06);
    q = yoke_fma(q, s, 0.00016044118026113506);
    q = yoke_fma(q, s, -0.0046817541341417305);
    q = yoke_fma(q, s, 0.079692626246015738);
    q = yoke_fma(q, s, -0.64596409750623873);
    q = yoke_fma(q, s, 1.5707963267948966);
    out[0] = yoke_fma(r, c, mean);
    out[1] = yoke_fma(r * g, q, mean);
}

#endif

#endif
