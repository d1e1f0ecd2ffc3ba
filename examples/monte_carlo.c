/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The price of a call option by Monte Carlo's method, with random numbers and reductions of <yoke/ops.h>: what a share is worth in
 * a year, in millions of possible worlds, beside Black and Scholes' formula. monte_carlo [WORLDS]
 *
 * A common mistake: to give each batch of worlds a seed of its own. One seed and an offset that goes on promises that no number
 * comes twice, and the result is the same for batches of any size.
 */
#include <math.h>

#include <yoke/ops.h>

#include "example.h"

enum { BATCH = 1 << 20 };

static const float spot = 100, strike = 105, rate = 0.03f, volatility = 0.2f; /* a year */

/* The mean of what the option pays in `n` worlds, and of its square, in units of today. */
static void price_batch(yoke_stream *stream, yoke_array z, uint64_t offset, double found[2])
{
    const float drift = rate - volatility * volatility / 2, discount = expf(-rate);
    yoke_array mean, variance;
    float results[2];

    YOKE_CHECK(yoke_array_create(yoke_stream_get_device(stream), YOKE_F32, 1, (int64_t[]){ 2 }, &mean));
    variance = yoke_array_index(mean, 0, 1);
    yoke_array first = yoke_array_index(mean, 0, 0);
    const char *worth = "pays = discount * fmax(spot * exp(drift + volatility * z) - strike, 0); pays";
    YOKE_CHECK(yoke_random_normal(stream, &z, 0, 1, 2026, offset, NULL));
    YOKE_CHECK(yoke_map_reduce(stream, YOKE_REDUCE_MEAN, &first, worth, YOKE_VARS(z, spot, strike, volatility, drift, discount),
                               YOKE_ALL_AXES));
    YOKE_CHECK(yoke_map_reduce(stream, YOKE_REDUCE_VARIANCE, &variance, worth,
                               YOKE_VARS(z, spot, strike, volatility, drift, discount), YOKE_ALL_AXES));
    YOKE_CHECK(yoke_read_sync(stream, results, mean.buffer, 0, sizeof results));
    yoke_buffer_release(mean.buffer);
    found[0] = (double)results[0];
    found[1] = (double)results[1] + found[0] * found[0];
}

static double normal_below(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* Black and Scholes. */
static double price_exactly(void)
{
    const double up = (log((double)(spot / strike)) + (double)rate) / (double)volatility + (double)volatility / 2;

    return (double)spot * normal_below(up) - (double)strike * exp(-(double)rate) * normal_below(up - (double)volatility);
}

int main(int argc, char **argv)
{
    const int64_t worlds = number(argc, argv, 1, 8 * BATCH, 1 << 30);
    yoke_device *device;
    yoke_stream *stream;
    yoke_array z;
    double sum = 0, squares = 0, found[2];

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_array_create(device, YOKE_F32, 1, (int64_t[]){ BATCH }, &z));
    for (int64_t done = 0; done < worlds; done += BATCH) {
        const int64_t n = worlds - done < BATCH ? worlds - done : BATCH;
        price_batch(stream, yoke_array_slice(z, 0, 0, n, 1), (uint64_t)done, found);
        sum += found[0] * (double)n;
        squares += found[1] * (double)n;
    }
    yoke_buffer_release(z.buffer);
    yoke_stream_release(stream);
    yoke_device_release(device);

    const double price = sum / (double)worlds, exact = price_exactly();
    const double error = sqrt((squares / (double)worlds - price * price) / (double)worlds);
    const int wrong = !(fabs(price - exact) < 4 * error);
    printf("monte_carlo: %lld worlds, %.4f +- %.4f, by the formula %.4f, %d wrong\n", (long long)worlds, price, error, exact,
           wrong);
    return wrong;
}
