# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Starting programs under mpirun, for the tests here, which source it. The MPI is the one that libyoke-comm was built for.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

[ "${YOKE_MPIRUN:-no}" != no ] || tap_skip_all "there is no mpirun of ${YOKE_MPI_NAME:-an MPI}"

# Open MPI asks a second time before it starts programs for root, counts cores, and ends all ranks when one has ended. MPICH's UCX
# remarks on messages that nobody has received.
# Open MPI's folder for a user is removed by whichever mpirun ends while another one is starting: each test has its own.
export TMPDIR="$tap_folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_LOG_LEVEL=error
unset YOKE_COMM YOKE_COMM_TIMEOUT YOKE_COMM_PINNED YOKE_NCCL
case $YOKE_MPI_NAME in
"Open MPI"*) mpi_options='--oversubscribe' ;;
*) mpi_options='' ;;
esac

# mpi_run RANKS PROGRAM ARGUMENT...: no longer than five minutes.
mpi_run() {
    mpi_ranks=$1
    shift
    # shellcheck disable=SC2086
    timeout 300 $YOKE_MPIRUN $mpi_options ${mpi_more-} -n "$mpi_ranks" "$@" </dev/null
}

# mpi_cases RANKS PROGRAM ARGUMENT...: a program that speaks TAP; all of its cases have passed.
mpi_cases() {
    mpi_run "$@" >"$tap_folder/cases" 2>&1
    mpi_status=$?
    grep -vE '^ok ' "$tap_folder/cases"
    [ "$mpi_status" -eq 0 ] && grep -qE '^1\.\.[1-9]' "$tap_folder/cases" && ! grep -q '^not ok' "$tap_folder/cases"
}

# mpi_device: whether there is a device; where YOKE_TEST_REQUIRE names the backend, one is missing.
mpi_device() {
    mpi_run 1 tests/comm/operations device >"$tap_folder/device" 2>&1
    if grep -q '^1..0 # SKIP' "$tap_folder/device"; then
        case ,${YOKE_TEST_REQUIRE-}, in
        *",${YOKE_BACKEND-},"*) ;;
        *) tap_skip_all "$(sed -n 's/^1..0 # SKIP //p' "$tap_folder/device")" ;;
        esac
    fi
}
