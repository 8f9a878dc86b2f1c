// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementary functions for kernels, within two units in the last place for the arguments that they meet: positive normal
 * numbers for logarithms, (0, 1) for normcdfinv. Series of reduced arguments; normcdfinv is algorithm AS 241 (Wichura,
 * Applied Statistics 37, 1988).
 */
#ifndef MATHLIB_FUNCTIONS_CUH
#define MATHLIB_FUNCTIONS_CUH

#include "maniple/device.h"

__device__ inline float power_of_two(float x)
{
    float power;
    asm("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

#ifndef __NVCC__ // which brings its own

__device__ inline float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return fma(a, b, c); }

// A polynomial in x, its highest coefficient first.
template <class R, int N> __device__ inline R polynomial(R x, const R (&coefficients)[N])
{
    R sum = coefficients[0];
#pragma unroll
    for (int i = 1; i < N; i++)
        sum = fused(sum, x, coefficients[i]);
    return sum;
}

__device__ inline double to_power_of_two(int exponent) // from -1022 to 1023
{
    return __builtin_bit_cast(double, (long long)(exponent + 1023) << 52);
}

__device__ inline double exp(double x)
{
    if (x > 709.8)
        return __builtin_huge_val();
    if (!(x > -745.2))
        return x != x ? x : 0;
    double n = __builtin_rint(x * 1.4426950408889634);
    double r = fma(n, -1.9082149292705877e-10, fma(n, -0.6931471803691238, x)); // ln 2 in two parts
    const double series[] = {1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0, 1 / 40320.0, 1 / 5040.0,
                             1 / 720.0,        1 / 120.0,       1 / 24.0,       1 / 6.0,       0.5,          1,           1};
    int half = (int)n / 2;
    return polynomial(r, series) * to_power_of_two(half) * to_power_of_two((int)n - half);
}

// 2 s + 2 s^3 / 3 + ... with s = (m - 1) / (m + 1) is log m.
__device__ inline double log(double x)
{
    long long bits = __builtin_bit_cast(long long, x), from_root = bits - 0x3FE6A09E667F3BCD; // the square root of 1/2
    int exponent = (int)(from_root >> 52);
    double m = __builtin_bit_cast(double, bits - ((long long)exponent << 52)), s = (m - 1) / (m + 1), square = s * s;
    const double series[] = {2 / 23.0, 2 / 21.0, 2 / 19.0, 2 / 17.0, 2 / 15.0, 2 / 13.0,
                             2 / 11.0, 2 / 9.0,  2 / 7.0,  2 / 5.0,  2 / 3.0};
    double rest = fma(s * square, polynomial(square, series), (double)exponent * 1.9082149292705877e-10);
    return fma((double)exponent, 0.6931471803691238, fma(2.0, s, rest));
}

__device__ inline float logf(float x)
{
    int bits = __builtin_bit_cast(int, x), exponent = (bits - 0x3F3504F3) >> 23;
    float m = __builtin_bit_cast(float, bits - (exponent << 23)), s = (m - 1) / (m + 1), square = s * s;
    const float series[] = {2 / 11.0f, 2 / 9.0f, 2 / 7.0f, 2 / 5.0f, 2 / 3.0f};
    float rest = fmaf(s * square, polynomial(square, series), (float)exponent * 3.194618329871446e-05f);
    return fmaf((float)exponent, 0.693115234375f, fmaf(2.0f, s, rest));
}

__device__ inline float expf(float x)
{
    float n = __builtin_rintf(x * 1.4426950216293335f);
    n = n > 150 ? 150 : n < -160 ? -160 : n;
    float rest = fmaf(x, 1.925963033500011e-08f, fmaf(x, 1.4426950216293335f, -n));
    float half = __builtin_rintf(n * 0.5f);
    return power_of_two(rest) * power_of_two(half) * power_of_two(n - half);
}

// The sine and cosine of pi x.
__device__ inline void sincospi(double x, double *sine, double *cosine)
{
    double quarter = __builtin_rint(2 * x), r = fma(quarter, -0.5, x), square = r * r;
    const double sines[] = {7.952054001475513e-07,  -2.1915353447830217e-05, 0.00046630280576761255, -0.0073704309457143504,
                            0.08214588661112823,    -0.5992645293207921,     2.5501640398773455,     -5.16771278004997};
    const double cosines[] = {4.303069587032947e-06, -0.0001046381049248457, 0.0019295743094039231, -0.02580689139001406,
                              0.2353306303588932,    -1.3352627688545895,    4.0587121264167685,    -4.934802200544679, 1};
    double s = fma(r, 3.141592653589793, r * fma(square, polynomial(square, sines), 1.2246467991473532e-16));
    double c = polynomial(square, cosines);
    int turn = (int)quarter;
    *sine = turn & 1 ? c : s;
    *cosine = turn & 1 ? s : c;
    *sine = turn & 2 ? -*sine : *sine;
    *cosine = (turn + 1) & 2 ? -*cosine : *cosine;
}

__device__ inline void sincospif(float x, float *sine, float *cosine)
{
    float quarter = __builtin_rintf(2 * x), r = fmaf(quarter, -0.5f, x), square = r * r;
    const float sines[] = {0.08214588661112823f, -0.5992645293207921f, 2.5501640398773455f, -5.16771278004997f};
    const float cosines[] = {-0.02580689139001406f, 0.2353306303588932f, -1.3352627688545895f, 4.0587121264167685f,
                             -4.934802200544679f, 1};
    float s = fmaf(r, 3.1415927410125732f, r * fmaf(square, polynomial(square, sines), -8.742277657347586e-08f));
    float c = polynomial(square, cosines);
    int turn = (int)quarter;
    *sine = turn & 1 ? c : s;
    *cosine = turn & 1 ? s : c;
    *sine = turn & 2 ? -*sine : *sine;
    *cosine = (turn + 1) & 2 ? -*cosine : *cosine;
}

// The number below which a normal distribution has that share.
__device__ inline double normcdfinv(double share)
{
    double q = share - 0.5;
    if (q > -0.425 && q < 0.425) {
        double r = 0.180625 - q * q;
        const double above[] = {2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
                                4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
                                1.3314166789178437745e+2, 3.3871328727963666080e+0};
        const double below[] = {5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
                                2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
                                4.2313330701600911252e+1, 1};
        return q * polynomial(r, above) / polynomial(r, below);
    }
    double r = sqrt(-log(q < 0 ? share : 1 - share)), value;
    if (r <= 5) {
        const double above[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                                1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
                                4.63033784615654529590e+0, 1.42343711074968357734e+0};
        const double below[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                                1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e+0,
                                2.05319162663775882187e+0, 1};
        value = polynomial(r - 1.6, above) / polynomial(r - 1.6, below);
    } else {
        const double above[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                                2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e+0,
                                5.46378491116411436990e+0, 6.65790464350110377720e+0};
        const double below[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                                7.86869131145613259100e-4,  1.48753612908506148525e-2, 1.36929880922735805310e-1,
                                5.99832206555887937690e-1,  1};
        value = polynomial(r - 5, above) / polynomial(r - 5, below);
    }
    return q < 0 ? -value : value;
}

#endif

#endif
