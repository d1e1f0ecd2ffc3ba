#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Programs are built against the installed libraries as a user would build them: with pkg-config or by hand, and with CMake, in C99,
# C11 and C++11, shared and static. make check has installed the libraries below a DESTDIR, which is copied to another place; for
# make installcheck they are already installed below YOKE_TEST_ROOT. PKG_CONFIG is empty where configure has found none.

. "$top_srcdir/tests/tap/tap.sh"

# A make inside a make: the outer one's job server is none of its business.
unset MAKEFLAGS MFLAGS MAKELEVEL
root=${YOKE_TEST_ROOT-$tap_folder/root}
if [ -z "${YOKE_TEST_ROOT+there}" ]; then
    tap_try "make install DESTDIR=..." cp -R "$PWD/tests/installed" "$root"
fi
[ -z "$root" ] || export PKG_CONFIG_SYSROOT_DIR="$root"
export PKG_CONFIG_PATH="$root$libdir/pkgconfig"
export LD_LIBRARY_PATH="$root$libdir"

# ---- The compiler, with pkg-config's flags or ours ----

if [ -n "$PKG_CONFIG" ]; then
    tap_try "pkg-config knows the version" "$PKG_CONFIG" --exact-version="$PACKAGE_VERSION" yoke
    cflags=$($PKG_CONFIG --cflags yoke) libs=$($PKG_CONFIG --libs yoke) static_libs=$($PKG_CONFIG --libs --static yoke)
    plugin_libs=$($PKG_CONFIG --libs-only-other --static yoke)
    tap_try "pkg-config knows the version of the operations" "$PKG_CONFIG" --exact-version="$PACKAGE_VERSION" yoke-ops
    ops_libs=$($PKG_CONFIG --libs yoke-ops) ops_static_libs=$($PKG_CONFIG --libs --static yoke-ops)
else
    tap_skip "pkg-config is not installed"
    cflags="-I$root$includedir" libs="-L$root$libdir -lyoke"
    plugin_libs=$(sed -n 's/^Libs.private: //p' "$root$libdir/pkgconfig/yoke.pc") static_libs="$libs $plugin_libs"
    ops_libs="-L$root$libdir -lyoke-ops $libs" ops_static_libs="-L$root$libdir -lyoke-ops $static_libs"
fi

cat >"$tap_folder/consumer.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <yoke/yoke.h>

int main(void)
{
    yoke_source source;

    if (strcmp(yoke_version(), EXPECTED_VERSION) != 0)
        return 1;
    if (yoke_source_builtin("saxpy", &source) < 0 || !source.cuda || !source.opencl)
        return 2;
    return yoke_launch(NULL, NULL, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_NO_ARGS) == YOKE_E_INVALID_ARGUMENT ? 0 : 3;
}
END
cp "$tap_folder/consumer.c" "$tap_folder/consumer.cpp"

cat >"$tap_folder/arrays.c" <<'END'
#include <string.h>
#include <yoke/ops.h>

int main(void)
{
    yoke_array a = { YOKE_NULL, 0, YOKE_F32, 2, { 6, 7 }, { 7, 1 }, 0 };

    if (strcmp(yoke_version(), EXPECTED_VERSION) != 0)
        return 1;
    if (yoke_dtype_get_size(YOKE_C128) != 16 || yoke_array_get_size(&a) != 42)
        return 2;
    a = yoke_array_index(yoke_array_transpose(a, YOKE_NULL), 0, 7);
    return a.dtype == 0 && strstr(yoke_error()->text, "yoke_array_index") ? 0 : 3;
}
END
cp "$tap_folder/arrays.c" "$tap_folder/arrays.cpp"

# consumer COMPILER STANDARD FILE LIBRARIES...: build and run.
consumer() {
    compiler=$1 standard=$2 file=$3
    shift 3
    # shellcheck disable=SC2086
    $compiler -std="$standard" -pedantic -Wall -Wextra -Werror -DEXPECTED_VERSION="\"$PACKAGE_VERSION\"" $YOKE_SANITIZER \
        $cflags "$tap_folder/$file" -o "$tap_folder/consumer" "$@" &&
        "$tap_folder/consumer"
}

if [ -f "$root$libdir/libyoke.so" ]; then
    # shellcheck disable=SC2086
    set -- $libs
    tap_try "a C99 program with libyoke.so" consumer "$CC" c99 consumer.c "$@"
    tap_try "a C11 program with libyoke.so" consumer "$CC" c11 consumer.c "$@"
    if [ "$CXX" != no ]; then
        tap_try "a C++11 program with libyoke.so" consumer "$CXX" c++11 consumer.cpp "$@"
    else
        tap_skip "a C++11 program with libyoke.so: no C++ compiler"
    fi
    # shellcheck disable=SC2086
    set -- $ops_libs
    tap_try "a C99 program with libyoke-ops.so" consumer "$CC" c99 arrays.c "$@"
    if [ "$CXX" != no ]; then
        tap_try "a C++11 program with libyoke-ops.so" consumer "$CXX" c++11 arrays.cpp "$@"
    else
        tap_skip "a C++11 program with libyoke-ops.so: no C++ compiler"
    fi
fi
if [ -f "$root$libdir/libyoke.a" ]; then
    # Where there are both, the linker takes the shared one, unless it is told.
    # shellcheck disable=SC2046
    set -- $(echo "$static_libs" | sed 's/-lyoke/-l:libyoke.a/')
    tap_try "a C99 program with libyoke.a" consumer "$CC" c99 consumer.c "$@"
    # shellcheck disable=SC2046
    set -- $(echo "$ops_static_libs" | sed 's/-lyoke-ops/-l:libyoke-ops.a/; s/-lyoke\>/-l:libyoke.a/')
    tap_try "a C99 program with libyoke-ops.a" consumer "$CC" c99 arrays.c "$@"

    # Each has a copy of base/, of which a program takes one. -u takes all else that they have into it.
    archives='-l:libyoke-ops.a -l:libyoke.a' lists="symbols.txt ops_symbols.txt"
    if [ -f "$root$libdir/libyoke-comm.a" ]; then
        archives="-l:libyoke-comm.a $archives $MPI_LIBS" lists="$lists comm_symbols.txt"
    fi
    whole() {
        # shellcheck disable=SC2046,SC2086
        consumer "$CC" c99 arrays.c $(cd "$top_srcdir/tests/static" && sed -n 's/^yoke_.*/-Wl,-u,&/p' $lists) \
            "-L$root$libdir" "$@" ${static_libs##*-lyoke}
    }
    # shellcheck disable=SC2086
    tap_try "a program with all of all archives" whole $archives
    # shellcheck disable=SC2086
    tap_try "and with libyoke.a as the first" whole -Wl,--start-group -l:libyoke.a $archives -Wl,--end-group

    # stays: a plugin that is linked with these keeps itself in memory.
    stays() {
        # shellcheck disable=SC2086
        $CC -shared -fPIC $YOKE_SANITIZER -DEXPECTED_VERSION='""' $cflags "$tap_folder/consumer.c" \
            -o "$tap_folder/plugin.so" "$@" && readelf -dW "$tap_folder/plugin.so" | grep 'FLAGS_1.*NODELETE'
    }
    if [ -n "${YOKE_NODELETE-}" ]; then
        # shellcheck disable=SC2086
        tap_try "a plugin with libyoke.a stays in memory" stays $plugin_libs
    else
        tap_skip "the linker has no -z nodelete"
    fi
fi

# ---- CMake ----

# Two processes, which also need what the MPI needs.
cat >"$tap_folder/ranks.c" <<'END'
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include <yoke/comm.h>

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    yoke_comm *comm;
    int provided, ranks, right;

    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
        return 1;
    MPI_Comm_size(world, &ranks);
    right = ranks == 2 && yoke_comm_create(YOKE_NULL, &world, &comm) == YOKE_E_INVALID_ARGUMENT &&
            strstr(yoke_error()->text, "device is NULL") && strcmp(yoke_version(), EXPECTED_VERSION) == 0;
    puts(right ? "right" : "wrong");
    MPI_Finalize();
    return right ? 0 : 2;
}
END

# ranks PROGRAM: it is right at both ranks.
ranks() {
    case $YOKE_MPI_NAME in
    "Open MPI"*) set -- --oversubscribe -n 2 "$@" ;;
    *) set -- -n 2 "$@" ;;
    esac
    TMPDIR="$tap_folder" OMPI_ALLOW_RUN_AS_ROOT=1 \
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 "$YOKE_MPIRUN" "$@" </dev/null >"$tap_folder/said" &&
        [ "$(grep -c '^right$' "$tap_folder/said")" -eq 2 ]
}

comm_consumer() {
    # shellcheck disable=SC2046,SC2086
    $CC -std=c99 -pedantic -Wall -Wextra -Werror -DEXPECTED_VERSION="\"$PACKAGE_VERSION\"" $YOKE_SANITIZER \
        $($PKG_CONFIG --cflags yoke-comm) $MPI_CPPFLAGS "$tap_folder/ranks.c" -o "$tap_folder/ranks" \
        $($PKG_CONFIG --libs yoke-comm) $MPI_LIBS && ranks "$tap_folder/ranks"
}
if [ ! -f "$root$libdir/libyoke-comm.so" ] || [ -z "$PKG_CONFIG" ] || [ "${YOKE_MPIRUN:-no}" = no ]; then
    comm=false
    tap_skip "libyoke-comm: it is not installed, or mpirun or pkg-config is not"
else
    comm=true
    tap_try "pkg-config knows the version of libyoke-comm" "$PKG_CONFIG" --exact-version="$PACKAGE_VERSION" yoke-comm
    tap_try "two ranks with libyoke-comm.so" comm_consumer
fi

cat >"$tap_folder/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(consumer ${LANGUAGE})
find_package(Yoke ${ASKED} REQUIRED COMPONENTS ${KIND})
if(LANGUAGE STREQUAL NONE)
    return()
endif()
if(NOT EXISTS "${Yoke_KERNELS_DIR}/saxpy.cl")
    message(FATAL_ERROR "no kernels in ${Yoke_KERNELS_DIR}")
endif()
add_executable(consumer consumer.c)
add_executable(arrays arrays.c)
foreach(program consumer arrays)
    target_compile_definitions(${program} PRIVATE EXPECTED_VERSION="${Yoke_VERSION}")
endforeach()
if(KIND STREQUAL comm)
    find_package(MPI REQUIRED COMPONENTS C)
    add_executable(ranks ranks.c)
    target_compile_definitions(ranks PRIVATE EXPECTED_VERSION="${Yoke_VERSION}")
    target_link_libraries(ranks Yoke::comm MPI::MPI_C)
endif()
if(KIND STREQUAL ops OR KIND STREQUAL comm)
    target_link_libraries(consumer Yoke::yoke)
    target_link_libraries(arrays Yoke::ops)
elseif(KIND)
    target_link_libraries(consumer Yoke::yoke_${KIND})
    target_link_libraries(arrays Yoke::ops_${KIND})
    if(KIND STREQUAL static)
        add_library(plugin MODULE consumer.c)
        target_compile_definitions(plugin PRIVATE EXPECTED_VERSION="${Yoke_VERSION}")
        get_target_property(_libraries Yoke::yoke_static INTERFACE_LINK_LIBRARIES)
        target_include_directories(plugin PRIVATE $<TARGET_PROPERTY:Yoke::yoke_static,INTERFACE_INCLUDE_DIRECTORIES>)
        target_link_libraries(plugin ${_libraries})
    endif()
else()
    target_link_libraries(consumer Yoke::yoke)
    target_link_libraries(arrays Yoke::ops)
endif()
END

# found LANGUAGE KIND ASKED [OPTION]: configure the program, or for the language NONE only look for the package.
found() {
    language=$1 kind=$2 asked=$3 more=${4-}
    # The compiler may come with options of its own.
    # shellcheck disable=SC2086
    set -- $CC
    compiler=$1
    shift
    rm -rf "$tap_folder/cmake"
    cmake -S "$tap_folder" -B "$tap_folder/cmake" -DYoke_DIR="$root$libdir/cmake/Yoke" -DLANGUAGE="$language" -DKIND="$kind" \
        -DASKED="$asked" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$* $YOKE_SANITIZER" ${more:+"$more"}
}

cmake_consumer() {
    found C "$1" "$PACKAGE_VERSION" && cmake --build "$tap_folder/cmake" && "$tap_folder/cmake/consumer" &&
        "$tap_folder/cmake/arrays"
}

cmake_ranks() {
    case $YOKE_MPI_NAME in
    "Open MPI"*) wrapper=mpicc.openmpi ;;
    MPICH*) wrapper=mpicc.mpich ;;
    *) wrapper=mpicc ;;
    esac
    command -v "$wrapper" >/dev/null || wrapper=mpicc
    found C comm "$PACKAGE_VERSION" -DMPI_C_COMPILER="$(command -v "$wrapper")" && cmake --build "$tap_folder/cmake" &&
        ranks "$tap_folder/cmake/ranks"
}

cmake_plugin() {
    cmake_consumer static && readelf -dW "$tap_folder/cmake/libplugin.so" | grep 'FLAGS_1.*NODELETE'
}

# refused WORDS KIND ASKED: there is none, in these words.
refused() {
    ! found NONE "$2" "$3" 2>"$tap_folder/said" && grep -F "$1" "$tap_folder/said"
}

if command -v cmake >/dev/null; then
    tap_try "CMake: Yoke::yoke and Yoke::ops" cmake_consumer ""
    tap_try "CMake: COMPONENTS ops" cmake_consumer ops
    if $comm; then
        tap_try "CMake: COMPONENTS comm" cmake_ranks
    elif [ ! -f "$root$libdir/libyoke-comm.so" ] && [ ! -f "$root$libdir/libyoke-comm.a" ]; then
        tap_try "CMake: there is no comm library" refused "not installed as 'comm'" comm ""
    fi
    if [ -f "$root$libdir/libyoke.a" ] && [ -n "${YOKE_NODELETE-}" ]; then
        tap_try "CMake: a plugin with Yoke::yoke_static stays in memory" cmake_plugin
    fi
    for kind in shared:so static:a; do
        if [ -f "$root$libdir/libyoke.${kind#*:}" ]; then
            tap_try "CMake: Yoke::yoke_${kind%:*} and Yoke::ops_${kind%:*}" cmake_consumer "${kind%:*}"
        else
            tap_try "CMake: there is no ${kind%:*} library" refused "not installed as '${kind%:*}'" "${kind%:*}" ""
        fi
    done
    tap_try "CMake: a range of versions" found NONE "" "0.0.1...$PACKAGE_VERSION"
    tap_try "CMake: no later version" refused "version: $PACKAGE_VERSION" "" 99.0
    tap_try "CMake: no earlier one that means something else" refused "version: $PACKAGE_VERSION" "" 0.0
    tap_try "CMake: no version beyond a range" refused "version: $PACKAGE_VERSION" "" "0.0.1...<$PACKAGE_VERSION"
else
    tap_skip "CMake is not installed"
fi

# ---- What else is installed ----

for kernel in "$top_srcdir"/kernels/*.c[ul]; do
    cmp "$kernel" "$root$datadir/yoke/kernels/${kernel##*/}"
done >"$tap_folder/kernels" 2>&1
tap_empty "the kernels are installed as they are" "$tap_folder/kernels"

comm_symbols=/dev/null
[ ! -f libyoke-comm.la ] || comm_symbols=$top_srcdir/tests/static/comm_symbols.txt
cat "$top_srcdir/tests/static/symbols.txt" "$top_srcdir/tests/static/ops_symbols.txt" "$comm_symbols" |
    sed '/^#/d' | sed 's/$/ 3/; $ a yoke 7' | sed '$ a yoke-environment 7' | sed '$ a yoke_at 7' |
    while read -r page number; do
        [ -f "$root$mandir/man$number/$page.$number" ] || echo "$page.$number"
    done >"$tap_folder/pages"
tap_empty "every function has a manual page, and so have the contract and the environment" "$tap_folder/pages"

for page in "$root$docdir"/guide/*.md "$root$docdir"/examples/*.md; do
    grep -oE '\]\([A-Za-z0-9_./-]+' "$page" | sed 's/^](//' | grep -E '/|\.md$' | while read -r link; do
        [ -e "${page%/*}/$link" ] || echo "${page##*/}: $link"
    done
done >"$tap_folder/links"
tap_empty "no link of the installed guide leads nowhere" "$tap_folder/links"

cp -R "$root$docdir/examples" "$tap_folder/examples"
chmod -R u+w "$tap_folder/examples"

# hello: 3 is its exit code where there is no device.
hello() {
    # shellcheck disable=SC2086
    $CC -std=gnu11 -O2 $YOKE_SANITIZER $cflags "$tap_folder/examples/hello.c" -o "$tap_folder/hello" $libs || return 1
    "$tap_folder/hello" || [ $? -eq 3 ]
}
tap_try "the installed hello.c" hello

# A program without a dynamic linker can open no driver, and says so.
hello_static() {
    "$tap_folder/hello" 2>&1 | grep 'linked with -static'
}
# shellcheck disable=SC2086
if [ -z "$YOKE_SANITIZER" ] && [ -f "$root$libdir/libyoke.a" ] &&
    $CC -std=gnu11 -O2 -static $cflags "$tap_folder/examples/hello.c" -o "$tap_folder/hello" $static_libs 2>/dev/null; then
    tap_try "the same, linked with -static, says why it has no device" hello_static
else
    tap_skip "there is nothing to link with -static"
fi

# 3 is also what yoke info says where there is no device.
installed_yoke() {
    "$root$bindir/yoke" info || [ $? -eq 3 ]
}
tap_try "the installed yoke info" installed_yoke

# The sanitizer has to be in the program as well as in the library.
example() {
    if [ -n "$PKG_CONFIG" ] && $PKG_CONFIG --exists "$1"; then
        tap_try "the installed Makefile builds $2" "$MAKE" -C "$tap_folder/examples" CC="$CC $YOKE_SANITIZER" \
            PKG_CONFIG="$PKG_CONFIG" "$2"
    else
        tap_skip "the installed Makefile builds $2: there is no $1"
    fi
}
example libpng photos/photos
example libuv uv
if [ "$CXX" != no ] && [ -n "$PKG_CONFIG" ]; then
    tap_try "the installed Makefile builds saxpy, in C++" "$MAKE" -C "$tap_folder/examples" CXX="$CXX $YOKE_SANITIZER" \
        PKG_CONFIG="$PKG_CONFIG" saxpy
else
    tap_skip "the installed Makefile builds saxpy, in C++: no C++ compiler, or no pkg-config"
fi

# ---- Kernels that are compiled by the build ----

# The programs end with 3 where there is no device.
ends_well() {
    "$@" || [ $? -eq 3 ]
}
kernels=$tap_folder/kernels_of
mkdir "$kernels"
cp "$tap_folder"/examples/mandelbrot* "$tap_folder/examples/example.h" "$kernels"
sed 's/mandelbrot_kernels/mandelbrot_source/' "$kernels/mandelbrot.c" >"$kernels/main.c"
PATH="$root$bindir:$PATH"

mandelbrot() {
    rm -f "$tap_folder/examples/mandelbrot_kernels.c"
    "$MAKE" -C "$tap_folder/examples" CC="$CC $YOKE_SANITIZER" PKG_CONFIG="$PKG_CONFIG" ARCH="$1" mandelbrot &&
        ends_well "$tap_folder/examples/mandelbrot"
}
if [ -n "$PKG_CONFIG" ]; then
    tap_try "the installed Makefile builds mandelbrot" mandelbrot sm_90
    tap_try "the same without architectures" mandelbrot ""
fi

cat >"$kernels/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(consumer C)
find_package(Yoke REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer Yoke::yoke)
yoke_add_kernels(consumer mandelbrot.cu mandelbrot.cl NAME mandelbrot_source ${MORE})
target_compile_definitions(consumer PRIVATE mandelbrot_source=mandelbrot_source_source)
END

# by_cmake MORE: configure, build, and run it.
by_cmake() {
    # shellcheck disable=SC2086
    set -- "$1" $CC
    more=$1 compiler=$2
    shift 2
    rm -rf "$kernels/build"
    cmake -S "$kernels" -B "$kernels/build" -DYoke_DIR="$root$libdir/cmake/Yoke" -DMORE="$more" -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_C_FLAGS="$* $YOKE_SANITIZER" && cmake --build "$kernels/build" && ends_well "$kernels/build/consumer"
}

# again: a changed header is noticed.
again() {
    touch "$kernels/mandelbrot.h" && cmake --build "$kernels/build" | grep 'Compiling the kernels of'
}

# objects WORDS MORE: it is refused, in these words.
objects() {
    ! by_cmake "$2" >"$tap_folder/said" 2>&1 && tr -s '\n ' '  ' <"$tap_folder/said" | grep -F -- "$1"
}
if command -v cmake >/dev/null; then
    tap_try "CMake: yoke_add_kernels" by_cmake "INCLUDES;.;DEFINES;UNUSED=1"
    sleep 1 # make compares whole seconds on some file systems
    tap_try "CMake: a header that has changed" again
    tap_try "CMake: a file that is not there" objects "absent.cu is not a file whose name ends in .cu or .cl" absent.cu
    tap_try "CMake: an architecture that is none" objects "an architecture is named as sm_90" "ARCH;gfx90a"
else
    tap_skip "CMake is not installed"
fi

cat >"$kernels/meson.build" <<'END'
project('consumer', 'c')
yoke = dependency('yoke')
kernels = custom_target(input: ['mandelbrot.cu', 'mandelbrot.cl'], output: ['mandelbrot_kernels.c', 'mandelbrot_kernels.h'],
    depfile: 'mandelbrot_kernels.d', command: [find_program(yoke.get_variable('tool'), 'yoke'), 'cc',
        '--name', 'mandelbrot', '--depfile', '@DEPFILE@', '-o', '@OUTPUT0@', '@INPUT@'])
executable('consumer', 'mandelbrot.c', kernels, dependencies: yoke)
END
by_meson() {
    rm -rf "$kernels/build"
    CFLAGS="$YOKE_SANITIZER" LDFLAGS="$YOKE_SANITIZER" meson setup "$kernels/build" "$kernels" &&
        meson compile -C "$kernels/build" && ends_well "$kernels/build/consumer"
}
if command -v meson >/dev/null && command -v ninja >/dev/null && [ -n "$PKG_CONFIG" ]; then
    tap_try "Meson: a custom target" by_meson
else
    tap_skip "Meson: it is not installed, or ninja or pkg-config"
fi

cat >"$kernels/configure.ac" <<'END'
AC_INIT([consumer], [1])
AM_INIT_AUTOMAKE([foreign -Wall -Werror])
AC_PROG_CC
YOKE_KERNELS
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
sed "s/@TAB@/$(printf '\t')/" >"$kernels/Makefile.am" <<'END'
bin_PROGRAMS = consumer
consumer_SOURCES = mandelbrot.c
nodist_consumer_SOURCES = mandelbrot_kernels.c mandelbrot_kernels.h
BUILT_SOURCES = mandelbrot_kernels.c mandelbrot_kernels.h
CLEANFILES = $(BUILT_SOURCES)
mandelbrot_kernels.c: mandelbrot.cu mandelbrot.cl mandelbrot.h
@TAB@$(YOKE_CC) $(YOKE_CCFLAGS) --name mandelbrot -o $@ $(srcdir)/mandelbrot.cu $(srcdir)/mandelbrot.cl
mandelbrot_kernels.h: mandelbrot_kernels.c
END
autotools() { # the consumer's own, whatever is said of Yoke's
    (unset ACLOCAL AUTOCONF AUTOHEADER AUTOMAKE
        cd "$kernels" && ACLOCAL_PATH="$root$datadir/aclocal" autoreconf -fi)
}
# by_autotools OPTION...
by_autotools() {
    # shellcheck disable=SC2086
    (rm -rf "$kernels/build" && mkdir "$kernels/build" && cd "$kernels/build" &&
        ../configure "$@" CC="$CC $YOKE_SANITIZER" CPPFLAGS="$cflags" LIBS="$libs" && "$MAKE" && ends_well ./consumer)
}
# stops WORDS OPTION...: configure ends with these words.
stops() {
    words=$1
    shift
    ! by_autotools "$@" >"$tap_folder/said" 2>&1 && grep -F -- "$words" "$tap_folder/said"
}
if command -v autoreconf >/dev/null && command -v automake >/dev/null; then
    tap_try "Automake: YOKE_KERNELS is found" autotools
    tap_try "Automake: a program with it" by_autotools
    tap_try "Automake: an architecture that is none" stops "CUDA kernels cannot be compiled for gfx90a" --with-cuda-arch=gfx90a
    tap_try "Automake: no list" stops "--with-cuda-arch needs a list" --with-cuda-arch
    tap_try "Automake: where the program runs" by_autotools --with-cuda-arch=no
else
    tap_skip "Automake is not installed"
fi

if [ -z "${YOKE_TEST_ROOT+there}" ]; then
    tap_try "make uninstall" "$MAKE" uninstall DESTDIR="$root"
    find "$root" ! -type d -o -iname yoke >"$tap_folder/left"
    tap_empty "nothing is left behind" "$tap_folder/left"
fi
tap_done
