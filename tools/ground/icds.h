/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL drivers that the loader will look at: what /etc/OpenCL/vendors, or the environment instead, names. */
#ifndef ICDS_H
#define ICDS_H

#include "tools/ground/tool.h"

typedef struct icd {
    char *file;    /* the .icd file, or the library itself where the environment names that */
    char *library; /* what it names: a path, or a name for the dynamic loader; "" when it cannot be read */
    char *fault;   /* why it cannot be read; or NULL */
} icd;

typedef struct icd_list {
    char *place;      /* where they were looked for, for messages */
    bool ordered;     /* by a variable of the environment */
    bool lacks_slash; /* that is a folder's name without one at its end */
    icd *icds;
    size_t count;
} icd_list;

void icds_find(icd_list *list);
void icds_free(icd_list *list);

#endif
