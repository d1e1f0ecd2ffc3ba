/* SPDX-License-Identifier: Apache-2.0 */
/* Which sides there are, and both sides of a device: see measure.h. */
#include "measure.h"

#include <string.h>

const measure_side *measure_raw(yoke_device *device)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    measure_must(yoke_device_get_info(device, &info));
    return strcmp(info.backend, "cuda") == 0 ? &measure_cuda : &measure_opencl;
}

void measure_open(measure_pair *pair, yoke_device *device, bool raw)
{
    const measure_side *sides[MEASURE_SIDES] = { measure_raw(device), &measure_yoke };
    for (int i = 0; i < MEASURE_SIDES; i++)
        pair->batch[i] = (measure_batch){ .side = sides[i], .self = i == MEASURE_RAW && !raw ? NULL : sides[i]->open(device) };
}

void measure_close(measure_pair *pair)
{
    for (int i = 0; i < MEASURE_SIDES; i++)
        if (pair->batch[i].self)
            pair->batch[i].side->close(pair->batch[i].self);
}

void measure_reserve(measure_pair *pair, size_t size0, size_t size1)
{
    for (int i = 0; i < MEASURE_SIDES; i++)
        if (pair->batch[i].self)
            pair->batch[i].side->reserve(pair->batch[i].self, size0, size1);
}

bool measure_make_graphs(measure_pair *pair, int kernels)
{
    bool made[MEASURE_SIDES] = { false, false };
    for (int i = 0; i < MEASURE_SIDES; i++) {
        const measure_batch *batch = &pair->batch[i];
        if (!batch->self)
            continue;
        batch->side->enter(batch->self);
        made[i] = batch->side->graph_make(batch->self, kernels);
        batch->side->leave(batch->self);
    }
    return made[MEASURE_RAW];
}

void measure_set(measure_pair *pair, double (*run)(const measure_batch *batch), void *host, size_t size, int count)
{
    for (int i = 0; i < MEASURE_SIDES; i++) {
        pair->batch[i].run = run;
        pair->batch[i].host = host;
        pair->batch[i].size = size;
        pair->batch[i].count = count;
    }
}
