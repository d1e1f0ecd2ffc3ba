// SPDX-License-Identifier: Apache-2.0
// A program of the time before 0.1.0, for renamed.sh: ranks by the names that they had. It is compiled, not run.
#include <cstdio>

#include <yoke/check.h>
#include <yoke/comm.h>

namespace {

const char *name_of(const yoke_comm_info *described)
{
    switch (described->way) {
    case YOKE_COMM_STAGED:
        return "staged";
    case YOKE_COMM_MPI:
        return "mpi";
    case YOKE_COMM_NCCL:
        return "nccl";
    default:
        return "";
    }
}

struct road {
    int way; // no member of Yoke's: it keeps its name
};

} // namespace

int ranks(yoke_stream *stream, yoke_comm *comm, const yoke_array *out, const yoke_array *in)
{
    yoke_comm_info info = YOKE_COMM_INFO_INIT;
    const road road = { 3 };

    YOKE_CHECK(yoke_comm_get_info(comm, &info));
    for (int reduction :
         { YOKE_COMM_SUM, YOKE_COMM_PRODUCT, YOKE_COMM_MIN, YOKE_COMM_MAX, YOKE_COMM_AND, YOKE_COMM_OR, YOKE_COMM_XOR })
        YOKE_CHECK(yoke_comm_allreduce(stream, comm, reduction, out, in));
    const int before = info.rank > 0 ? info.rank - 1 : YOKE_COMM_NOBODY;
    const int behind = info.rank + 1 < info.ranks ? info.rank + 1 : YOKE_COMM_NOBODY;
    YOKE_CHECK(yoke_comm_exchange(stream, comm, out, before, in, behind, 0));
    YOKE_CHECK(yoke_comm_exchange_at("ranks.cpp", stream, comm, out, behind, in, before, 1));
    std::printf("by %s, %d %d\n", name_of(&info), info.way, road.way);
    return 0;
}
