#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A project brings Yoke along, with CMake and with Meson: the libraries have everything that make puts into them and export the same
# names, and examples/hello.c and a program with arrays run with them, on OpenCL if there is a driver. libyoke-comm is one of them
# where configure has found an MPI.

. "$top_srcdir/tests/tap/tap.sh"

unset MAKEFLAGS MFLAGS MAKELEVEL
source=$(cd "$top_srcdir" && pwd)
version=$PACKAGE_VERSION
# The compiler may come with options of its own.
# shellcheck disable=SC2086
set -- $CC
compiler=$1
shift
export CC="$compiler" CFLAGS="-O0 $* ${YOKE_SANITIZER-}" LDFLAGS="${YOKE_SANITIZER-}"
export YOKE_BACKEND=opencl PKG_CONFIG_PATH=''

# A folder with a blank is nothing special there, other than for configure and make.
here="$tap_folder/a project"
mkdir -p "$here/subprojects"
ln -s "$source" "$here/subprojects/yoke"
cp "$source/examples/hello.c" "$here/hello.c"
cat >"$here/arrays.c" <<'END_OF_FILE'
#include <yoke/ops.h>

int main(void)
{
    yoke_array a = { YOKE_NULL, 0, YOKE_F32, 2, { 6, 7 }, { 7, 1 } };

    return yoke_array_get_size(&a) == 42 && yoke_version() ? 0 : 1;
}
END_OF_FILE

cat >"$here/ranks.c" <<'END_OF_FILE'
#include <string.h>
#include <yoke/comm.h>

int main(void)
{
    yoke_comm *comm = YOKE_NULL;

    return yoke_comm_create(YOKE_NULL, YOKE_NULL, &comm) < 0 && strstr(yoke_error()->text, "yoke_comm_create") ? 0 : 1;
}
END_OF_FILE
libraries='libyoke:symbols libyoke-ops:ops_symbols' comm=false
[ ! -f libyoke-comm.la ] || libraries="$libraries libyoke-comm:comm_symbols" comm=true

# ---- What the library is made of ----

# What the library's files share: small letters stand for what is static in one of them, which the compiler may leave out.
inner() {
    nm --defined-only "$1" | sed -n 's/^[0-9a-f]* [A-Z] \(yo*[kp][es]*_[a-z0-9_]*\)$/\1/p' | sort -u
}

case $YOKE_CPPFLAGS in
*YK_FAULT_INJECTION*) compared=false ;;
*) compared=true ;;
esac
inner .libs/libyoke-all.a >"$tap_folder/libyoke"
inner .libs/libyoke-ops-all.a >"$tap_folder/libyoke-ops"

# made_of WORDS FOLDER: libyoke.a and libyoke-ops.a there.
made_of() {
    if $compared; then
        for name in libyoke libyoke-ops; do
            inner "$2/$name.a" | diff "$tap_folder/$name" - >"$tap_folder/objections"
            tap_empty "$1: $name.a is made of the same files" "$tap_folder/objections"
        done
    else
        tap_skip "$1: this build has wrappers round the drivers' functions"
    fi
}

# exports WORDS FOLDER: libyoke.so and the others there.
exports() {
    for name in $libraries; do
        grep -vE '^(#|later )' "$source/tests/static/${name#*:}.txt" | sort >"$tap_folder/listed"
        name=${name%:*}
        nm -D --defined-only "$2/$name.so" | sed -n 's/^[0-9a-f]* [TDBR] \([a-z0-9_]*\)\(@.*\)\{0,1\}$/\1/p' | sort |
            diff "$tap_folder/listed" - >"$tap_folder/objections"
        tap_empty "$1: $name.so exports what it should" "$tap_folder/objections"
        readelf -dW "$2/$name.so" | grep -q "SONAME.*\\[$name\\.so\\.[0-9]*\\]"
        tap_ok $? "$1: $name.so has a soname"
    done
}

# runs WORDS FOLDER: hello, arrays and ranks; 3 says that there is no device.
runs() {
    tap_try "$1: arrays runs" "$2/arrays"
    if $comm; then
        tap_try "$1: ranks runs" "$2/ranks"
    else
        tap_skip "$1: configure found no MPI"
    fi
    "$2/hello" >"$tap_folder/out" 2>"$tap_folder/err" </dev/null
    case $? in
    0)
        grep -q '^Hello, world from ' "$tap_folder/out"
        tap_ok $? "$1: hello runs"
        ;;
    3) tap_skip "$1: hello runs: $(head -n 1 "$tap_folder/err")" ;;
    *)
        tap_ok 1 "$1: hello runs"
        tap_tell "$tap_folder/err"
        ;;
    esac
}

# What a program is built against, as make installs it: all that is in these folders.
installed_of() {
    (cd "$1" && find include share/yoke/kernels -type f | LC_ALL=C sort)
}

# installs WORDS FOLDER: an installation there has the same files as make's.
installs() {
    root=$(find "$PWD/tests/installed" -type d -path '*/include/yoke' | sed 's|/include/yoke$||')
    installed_of "$root" >"$tap_folder/expected"
    installed_of "$2" | diff "$tap_folder/expected" - >"$tap_folder/objections"
    tap_empty "$1: what is installed below include and share is what make installs" "$tap_folder/objections"
    grep -q hpp/base.hpp "$tap_folder/expected"
    tap_ok $? "$1: C++ headers are among it"
    if command -v "${CXX%% *}" >/dev/null; then
        echo '#include <yoke/yoke.hpp>' >"$tap_folder/includes.cpp"
        # The compiler may come with options of its own.
        # shellcheck disable=SC2086
        tap_try "$1: a C++ program includes yoke.hpp" $CXX -std=c++17 -fsyntax-only -I"$2/include" "$tap_folder/includes.cpp"
    else
        tap_skip "$1: a C++ program includes yoke.hpp: there is no C++ compiler"
    fi
}

# ---- CMake ----

cat >"$here/CMakeLists.txt" <<'END_OF_FILE'
cmake_minimum_required(VERSION 3.14)
project(consumer C)
if(WAY STREQUAL FetchContent)
    include(FetchContent)
    FetchContent_Declare(Yoke SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}/subprojects/yoke")
    FetchContent_MakeAvailable(Yoke)
else()
    find_package(Yoke ${ASKED} REQUIRED)
endif()
if(NOT EXISTS "${Yoke_KERNELS_DIR}/saxpy.cl" OR NOT Yoke_VERSION VERSION_EQUAL ASKED)
    message(FATAL_ERROR "no kernels in ${Yoke_KERNELS_DIR}, or ${Yoke_VERSION} is not ${ASKED}")
endif()
add_executable(hello hello.c)
target_link_libraries(hello Yoke::yoke)
add_executable(arrays arrays.c)
target_link_libraries(arrays Yoke::ops)
if(YOKE_COMM)
    add_executable(ranks ranks.c)
    target_link_libraries(ranks Yoke::comm)
endif()
END_OF_FILE

# cmake_hello WAY FOLDER OPTION...
cmake_hello() {
    way=$1 folder=$2
    shift 2
    cmake -S "$here" -B "$here/$folder" -DWAY="$way" -DASKED="$version" -DYOKE_COMM="$comm" -DCMAKE_BUILD_TYPE=None "$@" &&
        cmake --build "$here/$folder" -j 2
}

cmake_install() {
    cmake -S "$source" -B "$here/alone" -DYOKE_COMM="$comm" -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$here/first" \
        -DCMAKE_INSTALL_LIBDIR=lib &&
        cmake --build "$here/alone" -j 2 && cmake --build "$here/alone" --target install && mv "$here/first" "$here/installed"
}

if command -v cmake >/dev/null; then
    tap_try "CMake: FetchContent" cmake_hello FetchContent fetched
    runs "CMake: FetchContent" "$here/fetched"
    made_of "CMake" "$here/fetched/_deps/yoke-build"
    tap_try "CMake: alone, installed and moved" cmake_install
    exports "CMake" "$here/installed/lib"
    tap_try "CMake: find_package of what CMake has installed" cmake_hello find_package found -DCMAKE_PREFIX_PATH="$here/installed"
    runs "CMake: find_package of what CMake has installed" "$here/found"
    installs "CMake" "$here/installed"
else
    tap_skip "CMake is not installed"
fi

# ---- Meson ----

cat >"$here/meson.build" <<'END_OF_FILE'
project('consumer', 'c', meson_version: '>=0.63')
executable('hello', 'hello.c', dependencies: dependency('yoke', fallback: 'yoke'))
executable('arrays', 'arrays.c', dependencies: dependency('yoke-ops', fallback: 'yoke'))
END_OF_FILE
feature=disabled
if $comm; then
    feature=enabled
    echo "executable('ranks', 'ranks.c', dependencies: dependency('yoke-comm', fallback: 'yoke'))" >>"$here/meson.build"
fi

meson_hello() {
    (cd "$here" && meson setup meson --buildtype plain --wrap-mode forcefallback -Ddefault_library=both \
        -Dyoke:comm="$feature") && ninja -C "$here/meson"
}

if command -v meson >/dev/null && command -v ninja >/dev/null; then
    tap_try "Meson: a subproject" meson_hello
    runs "Meson: a subproject" "$here/meson"
    made_of "Meson" "$here/meson/subprojects/yoke"
    exports "Meson" "$here/meson/subprojects/yoke"
    grep -qF "Project version: $version" "$here/meson/meson-logs/meson-log.txt"
    tap_ok $? "Meson: the version is that of configure.ac"
    tap_try "Meson: it is installed" meson install -C "$here/meson" --destdir "$here/root"
    installs "Meson" "$here/root/usr/local"
else
    tap_skip "Meson or Ninja is not installed"
fi
tap_done
