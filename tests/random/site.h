/* SPDX-License-Identifier: Apache-2.0 */
/* A device that random programs use, its kernels, and random numbers. */
#ifndef SITE_H
#define SITE_H

#include <stdbool.h>
#include <stdint.h>

#include <yoke/yoke.h>

enum { MOST_SITES = 2 };

typedef struct site {
    yoke_device *device;
    yoke_device_info info;
    yoke_stream *side; /* for who looks on */
    yoke_program *program;
    yoke_kernel *advance, *join, *append, *append_from;
    bool timed;
} site;

/* Of this device, which stays the caller's; NULL opens it by `selector`. `site_close` what is there after a failure, too. */
yoke_status site_open(site *at, const char *selector);
void site_close(site *at);

/* The same for the same state. */
uint32_t draw_from(uint32_t *state, uint32_t below);

#endif
