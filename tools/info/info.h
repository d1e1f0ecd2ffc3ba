/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke info` has found out, for those who print it, as text or as JSON. */
#ifndef INFO_H
#define INFO_H

#include "tools/ground/host.h"
#include "tools/ground/icds.h"
#include "tools/ground/probe.h"

/* A device of a backend, and the probe that has found it. */
typedef struct info_view {
    const probe_device *device;
    const probe *by;
} info_view;

enum { INFO_MOST_VIEWS = 8 };

/* One physical device, through each backend that shows it. */
typedef struct info_physical {
    info_view views[INFO_MOST_VIEWS];
    size_t count;
} info_physical;

/* What to do, and about what. */
typedef struct info_advice {
    const char *about; /* "cuda", "opencl" or "environment" */
    char *text;
} info_advice;

typedef struct info {
    host host;
    icd_list icds;
    probe *probes; /* backends as programs see them, then each OpenCL driver alone */
    size_t probe_count;
    info_physical *devices; /* best first */
    size_t device_count;
    probe chosen;      /* the device that programs get without a selector; or that of the command line's */
    char *order_fault; /* why YOKE_DEVICE opens nothing; or NULL */
    info_advice *advice;
    size_t advice_count;
} info;

/* Ask all drivers, each for `seconds`, with what a report wants besides where `facts` is true; a selector is asked for as the
 * device that is wanted. False: it has been said why not. Free it in either case. */
bool info_look(const tool_command *command, info *self, const char *selector, unsigned seconds, bool facts);
void info_free(info *self);

/* Whether Yoke cannot use a backend as it is, because one of its drivers hangs or takes the process with it. */
bool info_is_broken(const probe *asked);

/* The selector opens a device only with the loader confined to one ICD file, because all together do not answer. */
bool info_needs_icd(const info_view *view);

/* How a probe ended, in words. */
char *info_outcome(const probe *asked);

/* Lines of the report that tell of something rejected: all but those about devices that are there. To be freed; "" for none. */
char *info_rejected(const probe *asked);

/* The capabilities' names in JSON, and in words. */
extern const char *const info_capability_names[YK_CAP_COUNT], *const info_capability_words[YK_CAP_COUNT];

/* Which device programs get without a selector, and why this one; or why they get none. To be freed. */
char *info_default(const info *self);

/* Fill the devices from the probes. */
void info_gather(info *self);

/* Append what to do about what is missing. */
void info_advise(info *self);

/* Print the answer, then the devices; with `all`, also limits, reasons and what was tried. */
void info_print(const info *self, bool all);

/* Print the devices with all that is known of them. */
void info_print_devices(const info *self);

void info_print_json(const info *self);

/* Write it as lines "KEY: VALUE", for the report of `yoke check`: devices without what tells one of its kind from another. */
void info_write_lines(const info *self, FILE *out);

#endif
