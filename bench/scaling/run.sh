#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Simulates the patterns of this folder on a model of a cluster, and prints lines "name.ranks value unit". It takes SimGrid
# (Debian: libsimgrid-dev), and some minutes where there are 1,024 ranks.
#     sh bench/scaling/run.sh FOLDER [jacobi|sort|farewell [RANKS...]]             FOLDER is for what is built
#     python3 bench/scaling/curves.py FILE... >doc/pictures/scaling.svg            of what was printed
#
# The model: 16,384 hosts, each a GPU with a link of its own of 25 GB/s, in a fat tree of three levels: 32 hosts at a switch of the
# lowest, 32 of these in a part, and 16 parts. A switch has half as many links upwards as downwards. Each link takes 0.3 us; a
# message takes 0.5 us of either host. The collectives are those that grow with the logarithm: MPIs have them, and choose them by
# rules of their own, of which SimGrid has copies that choose a barrier of n messages.
set -eu

command -v smpirun >/dev/null || { echo "smpirun is missing (Debian: apt-get install libsimgrid-dev)" >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
what=${2-all}
shift
[ $# -eq 0 ] || shift
mkdir -p "$folder"
cd "$folder"

for program in jacobi sort farewell; do
    smpicc -std=gnu11 -O2 -o "$program" "$here/$program.c" -lm
done
cat >platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="host" suffix="" radical="0-16383" speed="1Gf" bw="25GBps" lat="300ns"
           topology="FAT_TREE" topo_parameters="3;32,32,16;1,16,16;1,1,1"/>
</platform>
END
awk 'BEGIN { for (i = 0; i < 16384; i++) print "host" i }' >hosts

# simulate RANKS PROGRAM ARGUMENT...
simulate() {
    ranks=$1
    shift
    smpirun -platform platform.xml -hostfile hosts -no-privatize -np "$ranks" \
        --log=root.threshold:error --cfg=contexts/stack-size:256 --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1Gf \
        --cfg=network/bandwidth-factor:0.95 --cfg=network/latency-factor:1 \
        --cfg=smpi/os:0:0.5e-6:0 --cfg=smpi/or:0:0.5e-6:0 --cfg=smpi/ois:0:0.2e-6:0 \
        --cfg=smpi/barrier:ompi_recursivedoubling --cfg=smpi/bcast:binomial_tree --cfg=smpi/allreduce:rdb \
        --cfg=smpi/allgather:bruck --cfg=smpi/alltoall:bruck "$@"
}

[ $# -gt 0 ] || set -- 1 4 16 64 256 1024
for ranks; do
    case $what in
    jacobi | all)
        simulate "$ranks" ./jacobi 8192 20 10
        simulate "$ranks" ./jacobi 512 20 10
        ;;
    esac
    case $what in
    sort | all)
        simulate "$ranks" ./sort 4194304 "$([ "$ranks" -gt 1024 ] && echo 3 || echo 2)"
        [ "$ranks" -gt 256 ] || simulate "$ranks" ./sort 4194304 1 # 1,024 ranks take a quarter of an hour
        ;;
    sort-flat) simulate "$ranks" ./sort 4194304 1 ;;
    esac
    case $what in
    farewell | all)
        simulate "$ranks" ./farewell one
        simulate "$ranks" ./farewell tree
        [ "$ranks" -gt 256 ] || simulate "$ranks" ./farewell all
        ;;
    esac
done
