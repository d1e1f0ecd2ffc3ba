# SPDX-License-Identifier: Apache-2.0
#
# Included by CMakeLists.txt: installs the libraries, their headers and kernels, and what find_package(Yoke) and pkg-config read.
# The templates are those of configure, so the names of their variables are, too.

set(PACKAGE yoke)
set(PACKAGE_VERSION "${_yoke_version}")
set(prefix "${CMAKE_INSTALL_PREFIX}")
set(exec_prefix "\${prefix}")
set(libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
set(includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
set(bindir "${CMAKE_INSTALL_FULL_BINDIR}")
set(datarootdir "${CMAKE_INSTALL_FULL_DATAROOTDIR}")
set(datadir "${CMAKE_INSTALL_FULL_DATADIR}")
set(YOKE_NODELETE "")
if(YOKE_HAS_NODELETE)
    set(YOKE_NODELETE -Wl,-z,nodelete)
endif()
set(LIBS "-lm")
if(CMAKE_DL_LIBS)
    set(LIBS "-l${CMAKE_DL_LIBS} -lm")
endif()
set(YOKE_CMAKE_LIBS "-pthread;${CMAKE_DL_LIBS};-lm;${YOKE_NODELETE}")
set(YOKE_CMAKE_MPI_LIBS "")
set(MPI_LIBS "")
if(YOKE_COMM)
    set(YOKE_CMAKE_MPI_LIBS "${MPI_C_LIBRARIES}")
    string(REPLACE ";" " " MPI_LIBS "${MPI_C_LIBRARIES}")
endif()
set(YOKE_POINTER_SIZE "${CMAKE_SIZEOF_VOID_P}")

# The installed tree can be moved as a whole.
set(_yoke_package "${libdir}/cmake/Yoke")
file(RELATIVE_PATH _yoke_up "${_yoke_package}" "${includedir}")
set(YOKE_CMAKE_INCLUDEDIR "\${_yoke_here}/${_yoke_up}")
file(RELATIVE_PATH _yoke_up "${_yoke_package}" "${datadir}/yoke/kernels")
set(YOKE_CMAKE_KERNELSDIR "\${_yoke_here}/${_yoke_up}")
file(RELATIVE_PATH _yoke_up "${_yoke_package}" "${bindir}")
set(YOKE_CMAKE_BINDIR "\${_yoke_here}/${_yoke_up}")

configure_file(yoke.pc.in yoke.pc @ONLY)
configure_file(yoke-ops.pc.in yoke-ops.pc @ONLY)
configure_file(cmake/YokeConfig.cmake.in YokeConfig.cmake @ONLY)
configure_file(cmake/YokeConfigVersion.cmake.in YokeConfigVersion.cmake @ONLY)

install(TARGETS yoke yoke_ops
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(YOKE_COMM)
    configure_file(yoke-comm.pc.in yoke-comm.pc @ONLY)
    install(TARGETS yoke_comm
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/yoke-comm.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
install(FILES ${_yoke_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/yoke")
install(FILES ${_yoke_hpp_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/yoke/hpp")
install(FILES ${_yoke_kernels} DESTINATION "${CMAKE_INSTALL_DATADIR}/yoke/kernels")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/yoke.pc" "${CMAKE_CURRENT_BINARY_DIR}/yoke-ops.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/YokeConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/YokeConfigVersion.cmake"
    cmake/YokeKernels.cmake
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/Yoke")
