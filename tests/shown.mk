# SPDX-License-Identifier: Apache-2.0
#
# What readers are shown: the tutorial, typed; the programs of the pages, with mistakes in them; and C++, where there is a compiler.

static_tests += tests/static/programs.tap tests/static/tutorial.tap
source_tests += tests/cpp.opencl.tap
cuda_source_tests += tests/cpp.cuda.tap
EXTRA_DIST += \
	tests/cpp.cpp \
	tests/cpp.sh \
	tests/static/programs.sh \
	tests/static/tutorial.awk \
	tests/static/tutorial.sh
