/* SPDX-License-Identifier: Apache-2.0 */
/* Plots as inline SVG. Colours are CSS variables of the page around them, so that they follow its light and dark scheme. */
#ifndef PLOT_H
#define PLOT_H

#include "figures.h"

/* Text inside of HTML. */
void plot_text(FILE *out, const char *text);

/* Speed of copies over their size, both axes logarithmic; a solid line for Yoke, a dashed one for the driver. */
void plot_bandwidth(FILE *out, const figures *device);

/* How the times of one figure are distributed, Yoke's over the driver's. */
void plot_latency(FILE *out, const figure *one);

#endif
