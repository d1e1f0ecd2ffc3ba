# SPDX-License-Identifier: Apache-2.0
#
# Homebrew: Formula/y/yoke.rb. For Homebrew on Linux: Yoke does not run on macOS at present.
class Yoke < Formula
  desc "GPU computing in C, the same on CUDA and on any OpenCL driver"
  homepage "@HOME@"
  url "@TARBALL@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "opencl-headers" => :build
  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on :linux

  def install
    system "./configure", "--without-cuda-headers", "--without-gpuarray", "--without-mpi", *std_configure_args
    system "make", "install"
  end

  test do
    (testpath/"test.c").write <<~C
      #include <string.h>
      #include <yoke/yoke.h>
      int main(void) { return strcmp(yoke_version(), "#{version}") != 0; }
    C
    system ENV.cc, "test.c", "-I#{include}", "-L#{lib}", "-lyoke", "-o", "test"
    system "./test"
  end
end
