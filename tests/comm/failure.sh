#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Failing ranks: failure.c. A rank that is killed or stands still makes the others fail, in time. MPICH's launcher may end the
# others first: then only that all have ended in time is certain.

# shellcheck source=tests/comm/mpi.sh
. "$top_srcdir/tests/comm/mpi.sh"
mpi_device
# NCCL takes seconds to connect ranks on GPUs, and the limit is for that, too.
silence=3
[ "${YOKE_BACKEND-}" != cuda ] || grep -q 'CUDA double' "$tap_folder/device" || silence=15
# What fails is heard of, however late a rank is on a busy machine; only what is never answered lasts as long as the silence.
export YOKE_COMM_TIMEOUT=60 YOKE_TEST_SILENCE=$((2 * silence))
for ranks in 2 3 4; do
    tap_try "failures, $ranks ranks" mpi_cases $ranks tests/comm/failure
done

if [ "${YOKE_BACKEND-}" = cuda ]; then
    tap_try "a kernel that fails at one of 3 ranks" mpi_cases 3 tests/comm/failure kernel
else
    tap_skip "OpenCL does not notice a kernel that fails"
fi

# silent WAY RANKS SURVIVORS: so many ranks say that they have ended in time, or "some" of them.
silent() {
    case $YOKE_MPI_NAME in # a dead rank is no reason to end the others
    "Open MPI"*) mpi_more=--enable-recovery ;;
    *) mpi_more=-disable-auto-cleanup ;;
    esac
    : >"$tap_folder/said"
    mpi_run "$2" tests/comm/failure "$1" "$tap_folder/said" 2>&1
    [ $? -ne 124 ] || return
    cat "$tap_folder/said"
    ! grep -qE '^(LATE|UNNAMED|WENT ON)' "$tap_folder/said" || return
    [ "$3" = some ] || [ "$(grep -c '^ENDED rank' "$tap_folder/said")" -eq "$3" ]
}
# in_time WAY RANKS SURVIVORS: in one of some tries, since a busy machine may stop any rank for a while.
in_time() {
    for try in 1 2 3 4 5; do
        ! silent "$@" || return 0
        grep -q '^LATE' "$tap_folder/said" || return 1
        echo "late at try $try"
    done
    return 1
}
YOKE_COMM_TIMEOUT=$silence
case $YOKE_MPI_NAME in
"Open MPI"*)
    tap_try "one of 2 ranks is killed" in_time killed 2 1
    tap_try "one of 4 ranks is killed" in_time killed 4 3
    ;;
*) tap_try "one of 4 ranks is killed" in_time killed 4 some ;;
esac
YOKE_COMM_TIMEOUT=60 # much longer than it may take: whoever exits says so
case $YOKE_MPI_NAME in "Open MPI"*) survivors='1 3' ;; *) survivors='some some' ;; esac
for way in exits returns; do
    tap_try "one of 2 ranks $way" in_time $way 2 "${survivors% *}"
    tap_try "one of 4 ranks $way" in_time $way 4 "${survivors#* }"
done
YOKE_COMM_TIMEOUT=$silence
tap_try "one of 2 ranks stands still" in_time stopped 2 2
tap_try "one of 4 ranks stands still" in_time stopped 4 4
tap_done
