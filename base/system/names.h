/* SPDX-License-Identifier: Apache-2.0 */
/* What the libraries of drivers and vendors are called, and where the CUDA Toolkit has its own. The newest first. */
#ifndef YK_SYSTEM_NAMES_H
#define YK_SYSTEM_NAMES_H

#ifdef _WIN32
#define YK_NAME_CUDA "nvcuda.dll"
#define YK_NAME_OPENCL "OpenCL.dll"
#define YK_NAMES_NVRTC "nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"
#define YK_TEXT_NVRTC "nvrtc64_130_0.dll, 120 and 112"
#define YK_NAMES_CUBLAS "cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"
#define YK_NAMES_CUFFT "cufft64_12.dll", "cufft64_11.dll", "cufft64_10.dll"
#define YK_NAMES_CLBLAST "clblast.dll"
#define YK_TOOLKIT_VARIABLE "CUDA_PATH"
#define YK_TOOLKIT_LIBRARIES "/bin"
#define YK_TOOLKIT "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v13.0"
#else
#define YK_NAME_CUDA "libcuda.so.1"
#define YK_NAME_OPENCL "libOpenCL.so.1"
#define YK_NAMES_NVRTC "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"
#define YK_TEXT_NVRTC "libnvrtc.so.13, .12 and .11.2"
#define YK_NAMES_CUBLAS "libcublas.so.13", "libcublas.so.12", "libcublas.so.11"
#define YK_NAMES_CUFFT "libcufft.so.12", "libcufft.so.11", "libcufft.so.10"
#define YK_NAMES_CLBLAST "libclblast.so.1"
#define YK_TOOLKIT_VARIABLE "CUDA_HOME"
#define YK_TOOLKIT_LIBRARIES "/lib64"
#define YK_TOOLKIT "/usr/local/cuda"
#endif

#endif
