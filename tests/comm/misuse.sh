#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Bad input: misuse.c.

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device
tap_try "bad calls, 1 rank" mpi_cases 1 tests/comm/misuse calls
tap_try "bad calls, 2 ranks" mpi_cases 2 tests/comm/misuse calls
tap_try "bad calls, 3 ranks" mpi_cases 3 tests/comm/misuse calls
tap_try "MPI is not initialised" mpi_cases 1 tests/comm/misuse early
tap_try "MPI without MPI_THREAD_MULTIPLE" mpi_cases 2 tests/comm/misuse single

# ordered VARIABLE=VALUE STATUS WORDS
ordered() {
    (export "${1?}" && mpi_cases 2 tests/comm/misuse orders "$2" "$3")
}
case ${YOKE_BACKEND-} in # CUDA's: ways.sh
opencl)
    tap_try "YOKE_COMM=nccl" ordered YOKE_COMM=nccl unavailable 'YOKE_COMM=nccl cannot be obeyed|rank 0|of opencl|YOKE_COMM=staged'
    tap_try "YOKE_COMM=mpi" ordered YOKE_COMM=mpi unavailable 'YOKE_COMM=mpi cannot be obeyed|rank 0|of opencl|YOKE_COMM=staged'
    ;;
esac
tap_try "YOKE_COMM is not the same everywhere" mpi_cases 2 tests/comm/ways different
tap_try "YOKE_COMM=pigeon" ordered YOKE_COMM=pigeon invalid 'YOKE_COMM=pigeon|nccl'
tap_try "YOKE_COMM_TIMEOUT=soon" ordered YOKE_COMM_TIMEOUT=soon invalid 'YOKE_COMM_TIMEOUT=soon|seconds'
tap_try "YOKE_COMM_TIMEOUT=-1" ordered YOKE_COMM_TIMEOUT=-1 invalid 'YOKE_COMM_TIMEOUT=-1'
tap_try "YOKE_COMM_TIMEOUT beyond all numbers" ordered YOKE_COMM_TIMEOUT=99999999999999999999 invalid 'seconds'
tap_try "YOKE_COMM_PINNED=1" ordered YOKE_COMM_PINNED=1 invalid 'YOKE_COMM_PINNED=1|MiB|2 to'
tap_try "YOKE_COMM_PINNED=much" ordered YOKE_COMM_PINNED=much invalid 'YOKE_COMM_PINNED=much'
tap_done
