/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Openings. A message is opened by a few numbers that go before its pieces, and that its receiver compares; a collective by a
 * reduction of such numbers, in which all ranks see whether all agree.
 */
#include <inttypes.h>
#include <stdio.h>

#include "opening.h"

static const char *const verbs[] = {
#define NAME(verb, name) #name,
    YCOMM_VERBS(NAME)
#undef NAME
};

const char *ycomm_verb_name(ycomm_verb verb)
{
    return verbs[verb];
}

/* What is compared, in this order. */
enum { VERB, DTYPE, COUNT, PEER, OPERATION, TAG, NUMBERS };
_Static_assert(2 * NUMBERS <= YCOMM_OPENING, "an opening holds each number and its negative");

int ycomm_post_opening(MPI_Comm mpi, int tag, const ycomm_part *part, bool matched, ycomm_opening *o)
{
    bool message = ycomm_is_message(part->verb);

    o->said[VERB] = message ? YCOMM_SEND : part->verb;
    o->said[DTYPE] = part->dtype;
    o->said[COUNT] = (int64_t)part->count;
    o->said[PEER] = message ? 0 : part->peer;
    o->said[OPERATION] = part->operation;
    o->said[TAG] = part->tag;
    if (part->verb == YCOMM_SEND && matched)
        return MPI_Issend(o->said, NUMBERS, MPI_INT64_T, part->peer, tag, mpi, &o->request);
    if (part->verb == YCOMM_SEND)
        return MPI_Isend(o->said, NUMBERS, MPI_INT64_T, part->peer, tag, mpi, &o->request);
    if (part->verb == YCOMM_RECEIVE)
        return MPI_Irecv(o->heard, NUMBERS, MPI_INT64_T, part->peer, tag, mpi, &o->request);
    for (int i = 0; i < NUMBERS; i++) /* the maximum of the negatives is the minimum's negative */
        o->said[NUMBERS + i] = -o->said[i];
    return MPI_Iallreduce(o->said, o->heard, 2 * NUMBERS, MPI_INT64_T, MPI_MAX, mpi, &o->request);
}

static bool check_message(const yoke_comm *comm, const ycomm_part *part, const ycomm_opening *o, ycomm_failure *out_failure)
{
    if (o->heard[DTYPE] == part->dtype && o->heard[COUNT] == (int64_t)part->count && o->heard[TAG] == part->tag)
        return true;
    ycomm_failure_set(out_failure, YOKE_E_INVALID_ARGUMENT,
                      "rank %d receives %" PRIu64 " elements of %s (tag %d), but rank %d sends %" PRId64 " of %s (tag %" PRId64 ")",
                      (int)comm->rank, part->count, ycomm_dtype_name(part->dtype), (int)part->tag, (int)part->peer, o->heard[COUNT],
                      ycomm_dtype_name((int32_t)o->heard[DTYPE]), o->heard[TAG]);
    return false;
}

/* A number in words. */
static const char *word(int number, int64_t value, char *text, size_t size)
{
    if (number == VERB && value >= 0 && value < (int64_t)YCOMM_COUNT_OF(verbs))
        return verbs[value];
    if (number == DTYPE)
        return ycomm_dtype_name((int32_t)value);
    snprintf(text, size, "%" PRId64, value);
    return text;
}

bool ycomm_check_opening(const yoke_comm *comm, const ycomm_part *part, const ycomm_opening *o, ycomm_failure *out_failure)
{
    static const char *const names[NUMBERS] = {
        [VERB] = "operation", [DTYPE] = "dtype", [COUNT] = "number of elements", [PEER] = "root", [OPERATION] = "kind of reduction",
    };
    char most[24], least[24], here[24];
    if (part->verb == YCOMM_SEND)
        return true; /* the receiver compares */
    if (part->verb == YCOMM_RECEIVE)
        return check_message(comm, part, o, out_failure);
    for (int i = 0; i < TAG; i++)
        if (o->heard[i] != -o->heard[NUMBERS + i]) {
            ycomm_failure_set(out_failure, YOKE_E_INVALID_ARGUMENT,
                              "the ranks do not agree on the %s: %s at one, %s at another, and %s at rank %d", names[i],
                              word(i, -o->heard[NUMBERS + i], least, sizeof least), word(i, o->heard[i], most, sizeof most),
                              word(i, o->said[i], here, sizeof here), (int)comm->rank);
            return false;
        }
    return true;
}
