/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke bench` has measured for a report, as lines "KEY: VALUE": doc/testing.md says what each key is. */
#include <string.h>

#include "figures.h"

/* Times in nanoseconds; of a copy, the speed of the size that is fastest, in GB/s. */
void figures_write_lines(const figures *device, const char *selector, size_t number, FILE *out)
{
    fprintf(out, "bench.%zu.device: %s\n", number, selector);
    for (size_t i = 0; i < device->count; i++) {
        const figure *one = &device->all[i];
        double best = distribution_at(&one->yoke, 0.5);
        if (one->group != MEASURE_COPY) {
            fprintf(out, "bench.%zu.%s_ns: %.1f\n", number, one->name, best);
            continue;
        }
        for (; i + 1 < device->count && strcmp(device->all[i + 1].name, one->name) == 0; i++) {
            double speed = distribution_at(&device->all[i + 1].yoke, 0.5);
            best = speed > best ? speed : best;
        }
        fprintf(out, "bench.%zu.%s_gb_per_s: %.2f\n", number, one->name, best);
    }
    if (device->problem || device->count == 0)
        fprintf(out, "bench.%zu.problem: %s\n", number, device->problem ? device->problem : "the device cannot be opened");
}
