/* SPDX-License-Identifier: Apache-2.0 */
/* What rule.c searches: programs, and the queues and devices that their streams have. */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

enum { MAX_LENGTH = 5, STREAMS = 3, QUEUES = 3, NO_EVENT = 255 };

/* ---- What is searched: a program, where its streams are, and a rule ---- */

enum kind { KERNEL, CALL, CALL_FAILS, CALL_WAITS, RECORD, WAIT, CANCEL };

static struct program {
    unsigned length;
    struct {
        enum kind kind;
        unsigned stream;
        unsigned event; /* of WAIT and CALL_WAITS: which operation recorded it; else NO_EVENT */
    } ops[MAX_LENGTH];
} program;

/* Which queue and which device each stream has. Streams are named in the order in which the program uses them, so that every way of
 * sharing queues is here, once. */
static const struct placement {
    const char *name;
    unsigned streams;
    unsigned char queue[STREAMS], device[STREAMS];
} placements[] = {
    { "one queue", 1, { 0 }, { 0 } },
    { "one queue", 2, { 0, 0 }, { 0, 0 } },
    { "a queue each", 2, { 0, 1 }, { 0, 0 } },
    { "two devices", 2, { 0, 1 }, { 0, 1 } },
    { "one queue", 3, { 0, 0, 0 }, { 0, 0, 0 } },
    { "two queues, A and B share one", 3, { 0, 0, 1 }, { 0, 0, 0 } },
    { "two queues, A and C share one", 3, { 0, 1, 0 }, { 0, 0, 0 } },
    { "two queues, B and C share one", 3, { 0, 1, 1 }, { 0, 0, 0 } },
    { "a queue each", 3, { 0, 1, 2 }, { 0, 0, 0 } },
    { "two devices, A and B share a queue", 3, { 0, 0, 1 }, { 0, 0, 1 } },
    { "two devices, A and C share a queue", 3, { 0, 1, 0 }, { 0, 1, 0 } },
    { "two devices, B and C share a queue", 3, { 0, 1, 1 }, { 0, 1, 1 } },
};
static const struct placement *place;

#endif
