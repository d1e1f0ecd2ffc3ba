dnl SPDX-License-Identifier: Apache-2.0
dnl
dnl Yoke's own checks for configure.ac. Each one says in a variable yk_* what the summary shows.

dnl YK_TRY_FLAG(VARIABLE, FLAG): append FLAG to VARIABLE when the C compiler takes it.
AC_DEFUN([YK_TRY_FLAG], [
    AS_VAR_PUSHDEF([yk_memory_cache], [yk_cv_flag_$2])
    AC_CACHE_CHECK([whether $CC takes $2], [yk_memory_cache], [
        yk_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS -Werror $2"
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [AS_VAR_SET([yk_memory_cache], [yes])], [AS_VAR_SET([yk_memory_cache], [no])])
        CFLAGS=$yk_save_CFLAGS
    ])
    AS_VAR_IF([yk_memory_cache], [yes], [$1="$$1 $2"])
    AS_VAR_POPDEF([yk_memory_cache])
])

AC_DEFUN([YK_COMPILER_FLAGS], [
    YOKE_CFLAGS="-pthread"
    YOKE_LDFLAGS="-pthread"
    AC_SUBST([YOKE_CFLAGS])
    AC_SUBST([YOKE_LDFLAGS])
    YK_TRY_FLAG([YOKE_CFLAGS], [-std=c11])
    YK_TRY_FLAG([YOKE_CFLAGS], [-fvisibility=hidden])
    m4_foreach_w([yk_flag], [-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes],
                 [YK_TRY_FLAG([YOKE_CFLAGS], yk_flag)])
    AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [make every compiler warning an error])], [], [enable_werror=no])
    AS_IF([test "x$enable_werror" = xyes], [YOKE_CFLAGS="$YOKE_CFLAGS -Werror"])
])

dnl YK_SYSTEM: which folder of base/system is built, and what its functions need besides the C library.
AC_DEFUN([YK_SYSTEM], [
    AS_CASE([$host_os],
        [mingw*], [yk_windows=yes LIBS="$LIBS -lws2_32"
            AC_DEFINE([YOKE_EXPORTS], [1], [Define while Yoke itself is compiled, where libraries say what they export.])],
        [yk_windows=no])
    AM_CONDITIONAL([WINDOWS], [test "$yk_windows" = yes])
])

dnl YK_VERSION_SCRIPT(FILE): whether the linker can be told which symbols the library exports. Hidden visibility does most of it
dnl already; the script gives them a version.
AC_DEFUN([YK_VERSION_SCRIPT], [
    AC_CACHE_CHECK([whether the linker takes --version-script], [yk_cv_version_script], [
        yk_save_LDFLAGS=$LDFLAGS
        LDFLAGS="$LDFLAGS -shared -Wl,--version-script=$srcdir/$1"
        AC_LINK_IFELSE([AC_LANG_SOURCE([int yoke_probe(void); int yoke_probe(void) { return 0; }])],
                       [yk_cv_version_script=yes], [yk_cv_version_script=no])
        LDFLAGS=$yk_save_LDFLAGS
    ])
    AM_CONDITIONAL([HAVE_VERSION_SCRIPT], [test "x$yk_cv_version_script" = xyes])
])

dnl A driver may call back, and a thread of Yoke's may end, after the program has closed the library: it has to stay mapped.
AC_DEFUN([YK_NODELETE], [
    AC_SUBST([YOKE_NODELETE])
    AC_CACHE_CHECK([whether the linker takes -z nodelete], [yk_cv_nodelete], [
        yk_save_LDFLAGS=$LDFLAGS
        LDFLAGS="$LDFLAGS -shared -Wl,-z,nodelete"
        AC_LINK_IFELSE([AC_LANG_SOURCE([int yoke_probe(void); int yoke_probe(void) { return 0; }])],
                       [yk_cv_nodelete=yes], [yk_cv_nodelete=no])
        LDFLAGS=$yk_save_LDFLAGS
    ])
    AS_IF([test "x$yk_cv_nodelete" = xyes], [YOKE_NODELETE="-Wl,-z,nodelete"])
])

AC_DEFUN([YK_SANITIZER], [
    AC_ARG_ENABLE([sanitizer],
        [AS_HELP_STRING([--enable-sanitizer=LIST], [build with -fsanitize=LIST: "address,undefined" or "thread"])],
        [], [enable_sanitizer=no])
    yk_sanitizer=none
    AC_SUBST([YOKE_SANITIZER])
    AS_IF([test "x$enable_sanitizer" = xyes], [AC_MSG_ERROR([--enable-sanitizer needs a list, as "=address,undefined"])])
    AS_IF([test "x$enable_sanitizer" != xno], [
        yk_sanitizer=$enable_sanitizer
        yk_flags="-fsanitize=$enable_sanitizer -fno-omit-frame-pointer"
        yk_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS $yk_flags"
        AC_LINK_IFELSE([AC_LANG_PROGRAM()], [], [AC_MSG_ERROR([$CC cannot link a program with -fsanitize=$enable_sanitizer])])
        CFLAGS=$yk_save_CFLAGS
        YOKE_CFLAGS="$YOKE_CFLAGS $yk_flags"
        YOKE_SANITIZER="-fsanitize=$enable_sanitizer"
        YOKE_LDFLAGS="$YOKE_LDFLAGS $YOKE_SANITIZER"
    ])
])

AC_DEFUN([YK_FAULTS], [
    AC_ARG_ENABLE([fault-injection],
        [AS_HELP_STRING([--enable-fault-injection], [for tests: any call of a driver can fail, see base/process/inject.h])],
        [], [enable_fault_injection=no])
    AS_IF([test "x$enable_fault_injection" = xyes],
        [AC_DEFINE([YK_FAULT_INJECTION], [1], [Define to wrap every function of the drivers.])])
    AM_CONDITIONAL([FAULT_INJECTION], [test "x$enable_fault_injection" = xyes])
])

dnl YK_COVERAGE: count which lines of the library run. Threads count at once, so the counters are atomic. What is optimized has
dnl other branches than its source, but the tests stay fast: CFLAGS go before, since of several -O the last one holds.
AC_DEFUN([YK_COVERAGE], [
    AC_ARG_ENABLE([coverage], [AS_HELP_STRING([--enable-coverage], [build so that gcovr can tell which lines have run])],
        [], [enable_coverage=no])
    AS_IF([test "x$enable_coverage" = xyes], [
        yk_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS --coverage -fprofile-update=atomic"
        AC_LINK_IFELSE([AC_LANG_PROGRAM()], [], [AC_MSG_ERROR([$CC cannot link a program with --coverage])])
        CFLAGS=
        YOKE_CFLAGS="$YOKE_CFLAGS $yk_save_CFLAGS"
        YOKE_LDFLAGS="$YOKE_LDFLAGS --coverage"
        COVERAGE_CFLAGS="-O0 --coverage -fprofile-update=atomic"
        AC_DEFINE([YK_COUNTS_RUNS], [1], [Define to write what has been counted where a process ends at once.])
    ])
    AC_SUBST([COVERAGE_CFLAGS])
])

dnl Khronos' headers are all that the OpenCL backend needs to be built. The CUDA toolkit has a copy of them.
AC_DEFUN([YK_OPENCL_HEADERS], [
    yk_opencl_headers=no
    AC_CHECK_HEADER([CL/cl.h], [yk_opencl_headers=yes], [], [#define CL_TARGET_OPENCL_VERSION 300])
    AS_IF([test "$yk_opencl_headers" = no], [
        for yk_dir in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include; do
            AS_IF([test -f "$yk_dir/CL/cl.h"], [yk_opencl_headers=$yk_dir; break])
        done
    ])
    AS_CASE([$yk_opencl_headers],
        [no], [AC_MSG_ERROR([
    the OpenCL headers (CL/cl.h) are missing. They are small and need no driver:
        Debian, Ubuntu:  apt-get install opencl-headers
        Fedora:          dnf install opencl-headers
    or set CPPFLAGS=-I<their folder>])],
        [yes], [OPENCL_CPPFLAGS=],
        [OPENCL_CPPFLAGS="-isystem $yk_opencl_headers"])
    AC_SUBST([OPENCL_CPPFLAGS])
])

dnl The CUDA backend has its own declarations. NVIDIA's headers, when there, only serve to test these.
AC_DEFUN([YK_CUDA_HEADERS], [
    AC_ARG_WITH([cuda-headers],
        [AS_HELP_STRING([--with-cuda-headers=DIR], [where cuda.h is, to test our declarations against it; "no" leaves that out])],
        [], [with_cuda_headers=yes])
    yk_cuda_headers=no
    AS_CASE([$with_cuda_headers],
        [no], [],
        [yes], [for yk_dir in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include; do
                    AS_IF([test "$yk_cuda_headers" = no && test -f "$yk_dir/cuda.h"], [yk_cuda_headers=$yk_dir])
                done],
        [AS_IF([test -f "$with_cuda_headers/cuda.h"], [yk_cuda_headers=$with_cuda_headers],
               [AC_MSG_ERROR([--with-cuda-headers: there is no cuda.h in $with_cuda_headers])])])
    AS_IF([test "$yk_cuda_headers" != no], [CUDA_CPPFLAGS="-isystem $yk_cuda_headers"],
        [yk_cuda_headers="no: no test of our declarations against cuda.h (CUDA Toolkit)"])
    AC_SUBST([CUDA_CPPFLAGS])
])

dnl YK_REQUIRE_MACROS: macros of other packages, without which autoconf would write a configure that ends with a syntax error.
AC_DEFUN([YK_REQUIRE_MACROS], [
    m4_ifndef([LT_INIT], [m4_fatal([libtool is missing (libtool.m4): apt-get install autoconf automake libtool pkg-config])])
    m4_ifndef([PKG_CHECK_MODULES], [m4_fatal([pkg-config is missing (pkg.m4): apt-get install pkg-config])])
])

dnl The library of the mathematical functions. AC_SEARCH_LIBS declares the function as no function of that name is, for which
dnl compilers that know it warn: with -Werror in CFLAGS it finds none.
AC_DEFUN([YK_LIBM], [
    AC_MSG_CHECKING([for the library of the mathematical functions])
    yk_libs=$LIBS yk_libm=no
    for yk_lib in '' -lm; do
        LIBS="$yk_lib $yk_libs"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <math.h>]], [[volatile double x = 2; return (int)sqrt(x);]])],
            [yk_libm=${yk_lib:-none needed}; break])
    done
    AC_MSG_RESULT([$yk_libm])
    AS_IF([test "$yk_libm" = no], [AC_MSG_ERROR([no program that calls sqrt can be linked; config.log says why])])
])

dnl YK_OPTIONAL(VARIABLE, MODULE, PACKAGE, WORDS): an optional library, found by pkg-config; WORDS say what is left out without it.
dnl Sets yk_have_VARIABLE, yk_VARIABLE for the summary, and VARIABLE_CFLAGS with -DHAVE_VARIABLE.
AC_DEFUN([YK_OPTIONAL], [
    yk_have_$1=no
    PKG_CHECK_MODULES([$1], [$2], [yk_have_$1=yes yk_$1=yes $1_CFLAGS="$$1_CFLAGS -DHAVE_$1"],
        [AS_IF([test -n "$PKG_CONFIG"], [yk_$1="no: $4 (Debian: $3)"], [yk_$1="no: $4 (Debian: pkg-config $3)"])])
])

dnl YK_OPTIONAL_PROGRAM(VARIABLE, FOUND, WORDS, PACKAGE): the same for the summary's line yk_VARIABLE of a program, or "no".
AC_DEFUN([YK_OPTIONAL_PROGRAM], [
    AS_IF([test "x$2" = xno], [yk_$1="no: $3 (Debian: $4)"], [yk_$1="$2"])
])

AC_DEFUN([YK_LIBPNG], [
    YK_OPTIONAL([PNG], [libpng], [libpng-dev], [examples/photos is not built, and no example writes a picture])
    AM_CONDITIONAL([HAVE_PNG], [test "$yk_have_PNG" = yes])
])

dnl JSON of the tool.
AC_DEFUN([YK_JANSSON], [
    AC_ARG_WITH([jansson], [AS_HELP_STRING([--without-jansson], [build a yoke that writes no JSON])], [], [with_jansson=yes])
    yk_have_JANSSON=no yk_JANSSON="no: --without-jansson"
    AS_IF([test "x$with_jansson" != xno], [
        YK_OPTIONAL([JANSSON], [jansson >= 2.8], [libjansson-dev], [the tool yoke writes no JSON and draws no traces])])
    AM_CONDITIONAL([HAVE_JANSSON], [test "$yk_have_JANSSON" = yes])
])

AC_DEFUN([YK_LIBUV], [
    YK_OPTIONAL([UV], [libuv >= 1.0], [libuv1-dev], [examples/uv is not built])
    AM_CONDITIONAL([HAVE_UV], [test "$yk_have_UV" = yes])
])

dnl Only for comparison in bench/instructions. Debian's package has no .pc file.
AC_DEFUN([YK_GPUARRAY], [
    AC_ARG_WITH([gpuarray], [AS_HELP_STRING([--without-gpuarray], [leave libgpuarray out of the benchmarks])],
                [], [with_gpuarray=yes])
    yk_gpuarray="no: not in bench/instructions (Debian: libgpuarray-dev)"
    AS_IF([test "x$with_gpuarray" != xno], [
        AC_CHECK_HEADER([gpuarray/buffer.h],
            [AC_CHECK_LIB([gpuarray], [gpucontext_init],
                [yk_gpuarray=yes; GPUARRAY_LIBS=-lgpuarray; GPUARRAY_CPPFLAGS=-DHAVE_GPUARRAY])])
    ])
    AC_SUBST([GPUARRAY_LIBS])
    AC_SUBST([GPUARRAY_CPPFLAGS])
])

dnl Only for the test of our own declarations of DLPack's structs.
AC_DEFUN([YK_DLPACK], [
    yk_dlpack="no: no test of our declarations against dlpack.h (Debian: libdlpack-dev)"
    AC_CHECK_HEADER([dlpack/dlpack.h], [yk_dlpack=yes; DLPACK_CPPFLAGS=-DHAVE_DLPACK])
    AC_SUBST([DLPACK_CPPFLAGS])
])

dnl MPI, for libyoke-comm: which one is found by pkg-config, or asked of a compiler wrapper. The library is built for one MPI, since
dnl what an MPI_Comm is differs between them. Sets MPI_CPPFLAGS, MPI_LIBS, and YOKE_MPI_NAME for messages.
AC_DEFUN([YK_MPI], [
    AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi=WHICH],
        [build libyoke-comm for this MPI: openmpi, mpich, or the path of an mpicc; no: leave it out @<:@what is there@:>@])],
        [], [with_mpi=auto])
    yk_mpi="no: no libyoke-comm (Debian: libopenmpi-dev or libmpich-dev)" yk_have_mpi=no YOKE_MPI_NAME=
    AS_CASE([$with_mpi],
        [no], [yk_mpi="no: --without-mpi"],
        [auto | yes], [YK_MPI_MODULE([ompi-c], [Open MPI])
            AS_IF([test $yk_have_mpi = no], [YK_MPI_MODULE([mpich], [MPICH])])],
        [openmpi], [YK_MPI_MODULE([ompi-c], [Open MPI])],
        [mpich], [YK_MPI_MODULE([mpich], [MPICH])],
        [YK_MPI_WRAPPER([$with_mpi])])
    AS_IF([test $yk_have_mpi = yes], [
        yk_save_CPPFLAGS=$CPPFLAGS yk_save_LIBS=$LIBS
        CPPFLAGS="$CPPFLAGS $MPI_CPPFLAGS" LIBS="$MPI_LIBS $LIBS"
        AC_MSG_CHECKING([whether programs link with $YOKE_MPI_NAME])
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3 || MPI_VERSION == 3 && MPI_SUBVERSION < 1
#error MPI 3.1 is needed
#endif]], [[return MPI_Comm_idup(MPI_COMM_WORLD, 0, 0);]])],
            [yk_mpi=$YOKE_MPI_NAME], [yk_have_mpi=no yk_mpi="no: $YOKE_MPI_NAME does not link, or is older than MPI 3.1"])
        AC_MSG_RESULT([$yk_have_mpi])
        CPPFLAGS=$yk_save_CPPFLAGS LIBS=$yk_save_LIBS
    ])
    AS_IF([test "$yk_have_mpi" = no && test "$with_mpi" != no && test "$with_mpi" != auto],
        [AC_MSG_ERROR([--with-mpi=$with_mpi: there is no such MPI that can be used ($yk_mpi)])])
    AS_CASE([$YOKE_MPI_NAME],
        ["Open MPI"*], [AC_CHECK_PROGS([MPIRUN], [mpirun.openmpi mpirun], [no])],
        [MPICH*], [AC_CHECK_PROGS([MPIRUN], [mpirun.mpich mpiexec.hydra mpirun], [no])],
        [MPIRUN=`AS_ECHO(["$with_mpi"]) | sed 's/mpicc/mpirun/'`
            AS_IF([! test -x "$MPIRUN"], [MPIRUN=no])])
    AC_SUBST([MPIRUN])
    AC_SUBST([MPI_CPPFLAGS])
    AC_SUBST([MPI_LIBS])
    AC_SUBST([YOKE_MPI_NAME])
    AM_CONDITIONAL([HAVE_MPI], [test "$yk_have_mpi" = yes])
])

dnl YK_MPI_MODULE(MODULE, NAME): for YK_MPI. Of what the module names only MPI itself is linked: the rest is its own.
AC_DEFUN([YK_MPI_MODULE], [
    AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists $1], [
        yk_have_mpi=yes YOKE_MPI_NAME="$2 `$PKG_CONFIG --modversion $1`"
        MPI_CPPFLAGS=`$PKG_CONFIG --cflags-only-I $1`
        MPI_LIBS="`$PKG_CONFIG --libs-only-L $1`"
        for yk_word in `$PKG_CONFIG --libs-only-l $1`; do
            AS_CASE([$yk_word], [-lmpi*], [MPI_LIBS="$MPI_LIBS $yk_word"])
        done
    ])
])

dnl YK_MPI_WRAPPER(MPICC): for YK_MPI.
AC_DEFUN([YK_MPI_WRAPPER], [
    MPI_CPPFLAGS= MPI_LIBS=
    for yk_word in `$1 -show 2>/dev/null`; do
        AS_CASE([$yk_word],
            [-I*], [MPI_CPPFLAGS="$MPI_CPPFLAGS $yk_word"; yk_have_mpi=yes],
            [-L* | -lmpi* | -Wl,-rpath*], [MPI_LIBS="$MPI_LIBS $yk_word"; yk_have_mpi=yes])
    done
    YOKE_MPI_NAME="the MPI of $1"
])

dnl The tarball has the same bytes wherever, whenever and by whomever it is made: GNU tar can be told what to leave out, and neither
dnl tar nor xz is told anything else by the environment. SOURCE_DATE_EPOCH may give another time than that of this version. Of
dnl the machine, only the versions of autoconf, automake and libtool count; xz has another format for several threads. Whoever makes
dnl a tarball for no one else may say `make YOKE_XZ=-0`.
AC_DEFUN([YK_TARBALL], [
    AC_SUBST([YOKE_XZ], ['-e -T1'])
    AC_CACHE_CHECK([whether tar can make the same bytes again], [yk_cv_tar], [
        AS_IF([tar --version 2>/dev/null | grep GNU >/dev/null], [yk_cv_tar=yes], [yk_cv_tar=no])])
    AS_IF([test "$yk_cv_tar" = yes], [
        am__tar='LC_ALL=C; XZ_OPT="$(YOKE_XZ)"; XZ_DEFAULTS=; TAR_OPTIONS=; export LC_ALL XZ_DEFAULTS TAR_OPTIONS;'
        am__tar="$am__tar "'$${TAR-tar} --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime'
        am__tar="$am__tar "'--sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX'
        am__tar="$am__tar "'--mtime="$${SOURCE_DATE_EPOCH+@}$${SOURCE_DATE_EPOCH-$(YOKE_DATE) 00:00:00 UTC}" -chf - "$$tardir"'
    ])
])

dnl YK_CMAKE_FOLDER(VARIABLE, FOLDER): a folder as CMake finds it from where libdir/cmake/Yoke is now, so that the installed tree
dnl can be moved as a whole. One outside the prefix stays where it is.
AC_DEFUN([YK_CMAKE_FOLDER], [
    eval yk_folder=$2 yk_from=$libdir/cmake/Yoke
    eval yk_folder=$yk_folder yk_from=$yk_from
    eval yk_folder=$yk_folder yk_from=$yk_from
    $1=$yk_folder
    AS_CASE([$yk_folder:$yk_from], ["$prefix"/*:"$prefix"/*], [
        yk_up=`AS_ECHO(["$yk_from"]) | sed "s,^$prefix/,,; s,[[^/]][[^/]]*,..,g"`
        yk_down=`AS_ECHO(["$yk_folder"]) | sed "s,^$prefix/,,"`
        $1='${_yoke_here}'/$yk_up/$yk_down])
    AC_SUBST([$1])
])

AC_DEFUN([YK_CMAKE_PACKAGE], [
    yk_save_prefix=$prefix yk_save_exec_prefix=$exec_prefix
    AS_IF([test "$prefix" = NONE], [prefix=$ac_default_prefix])
    AS_IF([test "$exec_prefix" = NONE], [exec_prefix=$prefix])
    YK_CMAKE_FOLDER([YOKE_CMAKE_INCLUDEDIR], [$includedir])
    YK_CMAKE_FOLDER([YOKE_CMAKE_KERNELSDIR], [$datadir/$PACKAGE/kernels])
    YK_CMAKE_FOLDER([YOKE_CMAKE_BINDIR], [$bindir])
    prefix=$yk_save_prefix exec_prefix=$yk_save_exec_prefix
    AC_COMPUTE_INT([YOKE_POINTER_SIZE], [sizeof(void *)])
    AC_SUBST([YOKE_POINTER_SIZE])
    AC_SUBST([YOKE_CMAKE_MPI_LIBS], [`echo $MPI_LIBS | sed 's/ /;/g'`])
    AC_SUBST([YOKE_CMAKE_LIBS], [`echo -pthread $LIBS $YOKE_NODELETE | sed 's/ /;/g'`])
])
