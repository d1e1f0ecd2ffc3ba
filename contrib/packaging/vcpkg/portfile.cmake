# SPDX-License-Identifier: Apache-2.0
#
# vcpkg: ports/yoke/portfile.cmake. The library alone, built with CMake.

vcpkg_download_distfile(archive
    URLS "@TARBALL@"
    FILENAME "yoke-${VERSION}.tar.xz"
    SHA512 @SHA512@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")

# YokeConfig.cmake finds the library from its own place, lib/cmake/Yoke, and stays there. So there is one build: a C library
# serves programs of both kinds.
set(VCPKG_BUILD_TYPE release)
set(VCPKG_POLICY_SKIP_MISPLACED_CMAKE_FILES_CHECK enabled)
set(VCPKG_POLICY_SKIP_LIB_CMAKE_MERGE_CHECK enabled)

vcpkg_cmake_configure(
    SOURCE_PATH "${source}"
    OPTIONS -DYOKE_INSTALL=ON "-DYOKE_OPENCL_INCLUDE_DIR=${CURRENT_INSTALLED_DIR}/include")
vcpkg_cmake_install()
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
