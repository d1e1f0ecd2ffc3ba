#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The ways that are CUDA's: NCCL, of which the CUDA double has a stand-in, and an MPI that knows CUDA's memory, which on the double
# is any. With each: operations, their order, failing ranks, and what is not there, or of another version, or fails. YOKE_TEST_SHORT
# leaves out what takes long: the order and the failing ranks.
# shellcheck disable=SC2030,SC2031 # variables are for one run

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device
vendor=$PWD/tests/cuda-double/vendor/.libs
[ "${YOKE_BACKEND-}" = cuda ] || tap_skip_all "these ways are CUDA's"
grep -q 'CUDA double' "$tap_folder/device" || tap_skip_all "the stand-ins are the CUDA double's"
[ -f "$vendor/libnccl.so.2" ] || tap_skip_all "there is no stand-in for NCCL"
export YOKE_CUDA_DOUBLE_DEVICES=4 YOKE_COMM_TIMEOUT=10
with_nccl=$vendor:$LD_LIBRARY_PATH

# way RANKS PROGRAM ARGUMENT...
nccl() {
    (export LD_LIBRARY_PATH="$with_nccl" YOKE_COMM=nccl && mpi_cases "$@")
}
mpi() {
    (export YOKE_TEST_AWARE_MPI=1 YOKE_COMM=mpi && mpi_cases "$@")
}
tap_try "NCCL: operations, 1 rank" nccl 1 tests/comm/operations
tap_try "NCCL: operations, 3 ranks" nccl 3 tests/comm/operations
tap_try "MPI: operations, 3 ranks" mpi 3 tests/comm/operations
connecting() {
    (export YOKE_VENDOR_DOUBLE=connects=2 && nccl "$@")
}
if [ -z "${YOKE_TEST_SHORT-}" ]; then
    YOKE_COMM_TIMEOUT=60 # thousands of operations ahead take their time on a busy machine
    tap_try "NCCL: order, 2 ranks" nccl 2 tests/comm/order
    export YOKE_TEST_SILENCE=6
    tap_try "NCCL: failures, 3 ranks" nccl 3 tests/comm/failure
    tap_try "NCCL: failures where a call waits to connect ranks" connecting 3 tests/comm/failure
    tap_try "NCCL: a kernel that fails" nccl 3 tests/comm/failure kernel
    tap_try "MPI: order, 2 ranks" mpi 2 tests/comm/order
    YOKE_COMM_TIMEOUT=10
fi
caller() {
    (export LD_LIBRARY_PATH="$with_nccl" YOKE_COMM=nccl YOKE_VENDOR_DOUBLE=slow=500 && mpi_cases 2 tests/comm/ways caller)
}
tap_try "NCCL is called by the thread that enqueues" caller

# chosen WAY WORDS: without an order, two ranks choose this way, and say why.
chosen() {
    mpi_cases 2 tests/comm/ways way "$1" "$2"
}
with_both() {
    (export LD_LIBRARY_PATH="$with_nccl" YOKE_TEST_AWARE_MPI=1 && chosen "$@")
}
one_device() {
    (export LD_LIBRARY_PATH="$with_nccl" YOKE_CUDA_DOUBLE_DEVICES=1 && chosen "$@")
}
tap_try "NCCL is chosen where it is" with_both nccl 'NCCL 2.28.9'
tap_try "two ranks on one device: not by NCCL" one_device staged '2 ranks use the device|one each'

# fails CALL=CODE SCENE WORDS: the call fails with this code.
fails() {
    (export LD_LIBRARY_PATH="$with_nccl" YOKE_COMM=nccl YOKE_VENDOR_DOUBLE="$1" && mpi_cases 2 tests/comm/ways "$2" "$3")
}
tap_try "no identity" fails ncclGetUniqueId=3 add 'ncclGetUniqueId at rank 0|ncclInternalError'
tap_try "no communicator" fails ncclCommInitRank=2 add 'ncclCommInitRank|ncclSystemError|NCCL_DEBUG'
tap_try "ranks cannot be connected" fails ncclSend=5 add 'ncclSend|ncclInvalidUsage'
# late SECONDS CALL=... SCENE WORDS: the same with this time limit.
late() {
    (export YOKE_COMM_TIMEOUT="$1" && shift && fails "$@")
}
tap_try "an identity that is late" late 1 late_id=3 stack 'not all ranks have added their stream in 1 s'
tap_try "a communicator that is late" late 1 late_init=2 memory 'not connected all ranks in 1 s|NCCL_DEBUG'
tap_try "a graph that one rank launches more often" late 3 none=0 graph 'not complete after 3 s|YOKE_COMM_TIMEOUT'
tap_try "a call fails" fails ncclBroadcast=3 operation 'ncclBroadcast|ncclInternalError'
tap_try "NCCL reports a failure" fails async=6 late 'ncclRemoteError'

# refused WAY WORDS: an order that cannot be obeyed.
refused() {
    (export YOKE_COMM="$1" && mpi_cases 2 tests/comm/misuse orders unavailable "YOKE_COMM=$1 cannot be obeyed|$2|YOKE_COMM=staged")
}
# nccl_at PATH VERSION COMMAND...: this NCCL, and no other that may be installed here.
nccl_at() {
    (export YOKE_NCCL="$1" YOKE_VENDOR_DOUBLE="version=$2" && shift 2 && "$@")
}
none=$tap_folder/libnccl.so.2
tap_try "YOKE_COMM=nccl without NCCL" nccl_at "$none" 22809 refused nccl 'rank 0|NCCL is not there|libnccl2'
tap_try "YOKE_COMM=nccl with an old NCCL" nccl_at "$vendor/libnccl.so.2" 2804 refused nccl 'rank 0|it is NCCL 2.8.4'
tap_try "YOKE_COMM=nccl with an unknown NCCL" nccl_at "$vendor/libnccl.so.2" 30000 refused nccl 'rank 0|it is NCCL 3.0.0'
tap_try "without NCCL" nccl_at "$none" 22809 chosen staged 'NCCL is not there'
tap_try "an old NCCL" nccl_at "$vendor/libnccl.so.2" 2804 chosen staged 'it is NCCL 2.8.4'
tap_try "YOKE_NCCL has the path of another" nccl_at "$vendor/libnccl.so.2" 22809 chosen nccl 'NCCL 2.28.9'
tap_try "YOKE_NCCL is no path" nccl_at libnccl.so.2 22809 chosen staged 'YOKE_NCCL=libnccl.so.2 is no absolute path'
tap_try "YOKE_COMM=mpi without such an MPI" refused mpi 'rank 0|MPIX_Query_cuda_support returns 0'
tap_done
