# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What ./demo and ./check share; they source it in the top folder. It gets a bare Debian ready and builds in build/. All output of
# other programs goes to build/NAME.log.

say() {
    printf '%s\n' "$*"
}

die() {
    say "$*" >&2
    exit 1
}

# step NAME WORDS COMMAND...: run a command, tell in one line what is being done, keep its output in build/NAME.log.
step() {
    step_name=$1 step_words=$2
    shift 2
    printf '  %-46s' "$step_words"
    step_start=$(date +%s)
    if "$@" >"build/$step_name.log" 2>&1 </dev/null; then
        say "done, $(($(date +%s) - step_start)) s"
    else
        say "FAILED. The end of its output:"
        tail -n 25 "build/$step_name.log" | sed 's/^/    /'
        say "  All of it is in $PWD/build/$step_name.log"
        return 1
    fi
}

# ---- What this machine lacks ----

has_program() {
    command -v "$1" >/dev/null
}

has_header() {
    printf '#include <%s>\n' "$1" | "${CC:-cc}" -E - >/dev/null 2>&1
}

has_opencl_headers() {
    has_header CL/cl.h || [ -f "${CUDA_HOME:-/usr/local/cuda}/include/CL/cl.h" ]
}

has_library() {
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -qF "$1"
}

has_driver() {
    has_library libcuda.so.1 || has_opencl_driver
}

# The environment may name OpenCL drivers, and keeps its say.
has_opencl_driver() {
    has_library libOpenCL.so.1 || return 1
    [ -n "${OCL_ICD_FILENAMES-}${OCL_ICD_VENDORS-}" ] || [ -n "$(find /etc/OpenCL/vendors -name '*.icd' 2>/dev/null)" ]
}

has_pocl() {
    [ -n "${OCL_ICD_FILENAMES-}${OCL_ICD_VENDORS-}" ] || [ -f /etc/OpenCL/vendors/pocl.icd ]
}

has_python_header() {
    python3 -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' 2>/dev/null
}

# Debian has one of these modules in a package of its own.
has_venv() {
    python3 -c 'import ensurepip, venv' 2>/dev/null
}

# Debian's PoCL brings a clang with a number in its name.
clang_name() {
    for name in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
        has_program $name && echo $name && return
    done
    return 1
}

# need PACKAGES TEST...: the packages are missing unless the test succeeds, and nothing works without them.
need() {
    need_packages=$1
    shift
    "$@" >/dev/null || needed="$needed $need_packages"
}

# want PACKAGES TEST...: the same, but only some tests, an example or the JSON of the tools are left out without them.
want() {
    want_packages=$1
    shift
    "$@" >/dev/null || wanted="$wanted $want_packages"
}

find_missing() {
    needed='' wanted=''
    need gcc has_program "${CC:-cc}"
    need libc6-dev has_header stdio.h
    need make has_program make
    if [ ! -x configure ]; then
        need autoconf has_program autoconf
        need automake has_program automake
        need libtool has_program libtoolize
    fi
    need pkg-config has_program pkg-config
    need opencl-headers has_opencl_headers
    need libpng-dev has_header png.h
    want libjansson-dev has_header jansson.h
    if [ "$1" = demo ]; then
        need "ocl-icd-libopencl1 pocl-opencl-icd" has_driver
        return
    fi
    need "ocl-icd-libopencl1 pocl-opencl-icd" has_opencl_driver
    want pocl-opencl-icd has_pocl
    want mesa-opencl-icd test -f /etc/OpenCL/vendors/rusticl.icd
    want oclgrind has_program oclgrind
    want clang clang_name
    want libuv1-dev has_header uv.h
    want libdlpack-dev has_header dlpack/dlpack.h
    want g++ has_program g++
    want shellcheck has_program shellcheck
    want xz-utils has_program xz
    want libxml2-utils has_program xmllint
    want mandoc has_program mandoc
    want cmake has_program cmake
    want "libopenmpi-dev openmpi-bin" has_program mpicc.openmpi
    [ "$1" = deep ] || return 0
    want "libmpich-dev mpich" has_program mpicc.mpich
    want libsimgrid-dev has_program smpirun
    want clang-15 has_program clang-15
    want clang-tidy has_program clang-tidy
    want cppcheck has_program cppcheck
    want abigail-tools has_program abidw
    want gcovr has_program gcovr
    want python3-venv has_venv
    want python3-dev has_python_header
    want doxygen has_program doxygen
    want cmark-gfm has_program cmark-gfm
    want chromium has_program chromium
    want "debhelper dpkg-dev" has_program dh
    want lintian has_program lintian
    want "meson ninja-build" has_program meson
    want g++-aarch64-linux-gnu has_program aarch64-linux-gnu-g++
    want qemu-user has_program qemu-aarch64
}

# apt NEEDED WANTED: install packages, as root. A name that the system's archive does not have would keep all others from being
# installed, so such a wanted one is left out.
# shellcheck disable=SC2086
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 update
    packages=$1
    for package in $2; do
        [ -z "$(apt-cache policy "$package" 2>/dev/null)" ] || packages="$packages $package"
    done
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends $packages
}

# install_missing demo|check|deep: install what is missing, or say what to type.
# shellcheck disable=SC2086
install_missing() {
    find_missing "$1"
    [ -n "$needed$wanted" ] || return 0
    as_root=''
    if ! has_program apt-get; then
        can_install=false
    elif [ "$(id -u)" -eq 0 ]; then
        can_install=true
    elif has_program sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && say "Installing$needed$wanted" && sudo -v; }; }; then
        can_install=true as_root=sudo
    else
        can_install=false
    fi
    if $can_install && [ -n "$needed" ]; then
        step install "installing packages" apt "$needed" "$wanted" && return 0
        find_missing "$1"
    elif $can_install; then
        printf '  %-46s' "installing packages for more tests"
        if apt "" "$wanted" >build/install.log 2>&1 </dev/null; then
            say "done"
            return 0
        fi
        say "not possible here, see build/install.log"
        find_missing "$1"
    fi
    if [ -n "$needed" ]; then
        say "Missing here, by the names of Debian's packages:$needed$wanted"
        say "Please type this, as an administrator, and then try again:"
        say ""
        say "    apt-get update && apt-get install --no-install-recommends$needed$wanted"
        exit 1
    fi
    say "  Not installed, so something is left out:$wanted"
}

# ---- Building ----

# Each file is compiled and linked by libtool, a shell script that bash takes half as long again to run.
if [ -z "${CONFIG_SHELL-}" ] && [ -x /bin/dash ]; then
    export CONFIG_SHELL=/bin/dash
fi

configure() (
    cd build && ../configure
)

# get_ready demo|check|deep: install, configure and build. Ends the program where that fails.
get_ready() {
    # A build folder holds absolute paths: one that was made elsewhere is of no use.
    if [ -f build/.made-in ] && [ "$(cat build/.made-in)" != "$PWD" ]; then
        rm -rf build
    fi
    mkdir -p build || exit 1
    install_missing "$1"
    [ ! -f config.status ] || die "This folder is configured itself, so build/ cannot be used. Please type 'make distclean' first."
    if [ ! -x configure ]; then
        step autoreconf "generating configure" autoreconf -fi || exit 1
    fi
    if [ ! -f build/Makefile ]; then
        step configure "configuring" configure || exit 1
        pwd >build/.made-in
    fi
    # The main job needs no tools, no gallery and no conformance suite.
    targets=all
    if [ "$1" = demo ] && make -C build -n examples/photos/photos >/dev/null 2>&1; then
        targets='libyoke.la examples/photos/photos'
    fi
    # shellcheck disable=SC2086
    step make "building" make -C build -j "$jobs" $targets || exit 1
}

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
