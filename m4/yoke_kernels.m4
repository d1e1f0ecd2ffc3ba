dnl SPDX-License-Identifier: Apache-2.0
dnl
dnl For configure.ac of programs that use Yoke: kernels compiled when the program is built. Installed where aclocal looks.
dnl
dnl YOKE_KERNELS([ARCHITECTURES]): find the tool yoke, and whether its `yoke cc` can compile CUDA for the architectures, as
dnl sm_80,sm_90; the user may give others, by --with-cuda-arch. Sets YOKE_CC, and YOKE_CCFLAGS. A Makefile.am then has
dnl
dnl     program_SOURCES = program.c
dnl     nodist_program_SOURCES = kernels.c kernels.h
dnl     BUILT_SOURCES = kernels.c kernels.h
dnl     CLEANFILES = $(BUILT_SOURCES)
dnl     kernels.c: saxpy.cu saxpy.cl
dnl             $(YOKE_CC) $(YOKE_CCFLAGS) -o $@ $(srcdir)/saxpy.cu $(srcdir)/saxpy.cl
dnl     kernels.h: kernels.c
dnl
dnl Without NVRTC the architectures of the argument are left out with a warning: the program then has the texts alone, which are
dnl compiled where it runs. Those of --with-cuda-arch are an order.
AC_DEFUN([YOKE_KERNELS], [
    AC_ARG_VAR([YOKE_CC], [compiles kernels into C files, for Yoke: "yoke cc"])
    AC_ARG_VAR([YOKE_CCFLAGS], [flags for YOKE_CC, as "--arch sm_90"; given, nothing is looked for])
    AC_ARG_WITH([cuda-arch],
        [AS_HELP_STRING([--with-cuda-arch=LIST],
            [compile CUDA kernels for these architectures, as sm_80,sm_90; "no": where the program runs])],
        [yoke_arch=$withval yoke_arch_ordered=yes], [yoke_arch=$1 yoke_arch_ordered=no])
    AS_IF([test -z "$YOKE_CC"], [
        AC_PATH_PROG([YOKE_TOOL], [yoke], [no])
        AS_IF([test "$YOKE_TOOL" = no], [AC_MSG_ERROR([the tool yoke is missing; it is part of Yoke. Set YOKE_CC="PATH/yoke cc"])])
        YOKE_CC="$YOKE_TOOL cc"
    ])
    AS_CASE([$yoke_arch], [yes], [AC_MSG_ERROR([--with-cuda-arch needs a list, as --with-cuda-arch=sm_80,sm_90])],
        [no], [yoke_arch=])
    AS_IF([test -n "$yoke_arch" && test -z "$YOKE_CCFLAGS"], [
        AC_MSG_CHECKING([whether $YOKE_CC compiles for $yoke_arch])
        echo '__global__ void kernel(int *x) { x@<:@0@:>@ = 1; }' >conftest.cu
        $YOKE_CC --arch "$yoke_arch" conftest.cu >conftest.said 2>&1
        yoke_code=$?
        cat conftest.said >&AS_MESSAGE_LOG_FD
        AS_IF([test $yoke_code -eq 0], [AC_MSG_RESULT([yes])
                YOKE_CCFLAGS="--arch $yoke_arch"],
            [test $yoke_code -eq 3 && test $yoke_arch_ordered = no], [AC_MSG_RESULT([no: NVRTC is missing])
                AC_MSG_WARN([CUDA kernels are not compiled now, but where the program runs, which takes NVRTC there])],
            [AC_MSG_RESULT([no])
                sed 's/^/    /' conftest.said >&2
                AC_MSG_ERROR([CUDA kernels cannot be compiled for $yoke_arch; --with-cuda-arch=no leaves that out])])
        rm -f conftest.cu conftest.said
    ])
])
