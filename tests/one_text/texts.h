/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels' texts, which the build takes from six.yk, twins.cu and twins.cl. */
#ifndef TEXTS_H
#define TEXTS_H

extern const char six_text[], six_twins_cuda[], six_twins_opencl[];

#endif
