# SPDX-License-Identifier: Apache-2.0
#
# Kernels compiled when a program is built. Included by find_package(Yoke).
#
#     yoke_add_kernels(program saxpy.cu saxpy.cl ARCH sm_80 sm_90)
#
# compiles one text of each language into a C file of the target, and declares saxpy_source() in saxpy.h, which the target's files
# can include. Without ARCH, the CUDA text is compiled where the program runs. More arguments: NAME, the name of both in place of
# that of the first file; DEFINES, INCLUDES (folders), NAME_EXPRESSIONS, CUDA_STD, OPENCL_STD, FAST_MATH and SPIRV, as the options
# of `yoke cc`. YOKE_TOOL is the tool yoke, which has to run on the machine that builds.

find_program(YOKE_TOOL NAMES yoke HINTS "${_yoke_bindir}" DOC "the tool yoke, which compiles kernels into C files")

function(yoke_add_kernels target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "FAST_MATH;SPIRV" "NAME;CUDA_STD;OPENCL_STD" "ARCH;DEFINES;INCLUDES;NAME_EXPRESSIONS")
    if(NOT TARGET "${target}")
        message(FATAL_ERROR "yoke_add_kernels: '${target}' is not a target")
    endif()
    if(NOT arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "yoke_add_kernels(${target}): no file; name FILE.cu, FILE.cl or both")
    endif()
    if(NOT YOKE_TOOL)
        message(FATAL_ERROR "yoke_add_kernels: the tool yoke is missing. It is installed with Yoke; set YOKE_TOOL to its path")
    endif()

    set(files "")
    foreach(file ${arg_UNPARSED_ARGUMENTS})
        get_filename_component(path "${file}" ABSOLUTE)
        if(NOT EXISTS "${path}" OR NOT file MATCHES "\\.c[ul]$")
            message(FATAL_ERROR "yoke_add_kernels(${target}): ${file} is not a file whose name ends in .cu or .cl")
        endif()
        list(APPEND files "${path}")
    endforeach()
    if(NOT arg_NAME)
        list(GET files 0 first)
        get_filename_component(arg_NAME "${first}" NAME_WE)
    endif()
    string(MAKE_C_IDENTIFIER "${arg_NAME}" name)

    set(options "")
    if(arg_ARCH)
        string(REPLACE ";" "," list "${arg_ARCH}")
        list(APPEND options --arch "${list}")
    endif()
    foreach(define ${arg_DEFINES})
        list(APPEND options -D "${define}")
    endforeach()
    foreach(folder ${arg_INCLUDES})
        get_filename_component(path "${folder}" ABSOLUTE)
        list(APPEND options -I "${path}")
    endforeach()
    foreach(expression ${arg_NAME_EXPRESSIONS})
        list(APPEND options --name-expression "${expression}")
    endforeach()
    if(arg_CUDA_STD)
        list(APPEND options --cuda-std "${arg_CUDA_STD}")
    endif()
    if(arg_OPENCL_STD)
        list(APPEND options --opencl-std "${arg_OPENCL_STD}")
    endif()
    if(arg_FAST_MATH)
        list(APPEND options --fast-math)
    endif()
    if(arg_SPIRV)
        list(APPEND options --spirv)
    endif()

    # Before 3.20 only Ninja reads the list of headers.
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels")
    set(output "${folder}/${name}.c")
    set(headers "")
    if(CMAKE_GENERATOR STREQUAL "Ninja" OR NOT CMAKE_VERSION VERSION_LESS 3.20)
        set(headers DEPFILE "${output}.d")
        list(APPEND options --depfile "${output}.d")
    endif()
    if(POLICY CMP0116)
        cmake_policy(SET CMP0116 NEW)
    endif()
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
        OUTPUT "${output}" "${folder}/${name}.h"
        COMMAND "${YOKE_TOOL}" cc ${options} --name "${name}" -o "${output}" ${files}
        DEPENDS ${files} ${headers}
        COMMENT "Compiling the kernels of ${name}"
        VERBATIM)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT "C" IN_LIST languages)
        set_source_files_properties("${output}" PROPERTIES LANGUAGE CXX)
    endif()
    target_sources("${target}" PRIVATE "${output}" "${folder}/${name}.h")
    target_include_directories("${target}" PRIVATE "${folder}")
endfunction()
