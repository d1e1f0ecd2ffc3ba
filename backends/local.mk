# SPDX-License-Identifier: Apache-2.0
#
# The backends, each in its folder. Both are always built: their drivers are opened at run time.

libyoke_all_la_SOURCES += \
	backends/cuda/api.h \
	backends/cuda/backend.c \
	backends/cuda/buffer.c \
	backends/cuda/copy.c \
	backends/cuda/device.c \
	backends/cuda/driver.c \
	backends/cuda/driver.h \
	backends/cuda/error.c \
	backends/cuda/event.c \
	backends/cuda/graph.c \
	backends/cuda/image.c \
	backends/cuda/kernel.c \
	backends/cuda/module.c \
	backends/cuda/nvrtc.c \
	backends/cuda/program.c \
	backends/cuda/stream.c \
	backends/cuda/symbols.def \
	backends/cuda/toolkit.c \
	backends/opencl/backend.c \
	backends/opencl/buffer.c \
	backends/opencl/command_buffer.h \
	backends/opencl/copy.c \
	backends/opencl/describe.c \
	backends/opencl/device.c \
	backends/opencl/driver.c \
	backends/opencl/driver.h \
	backends/opencl/error.c \
	backends/opencl/event.c \
	backends/opencl/graph.c \
	backends/opencl/icds.c \
	backends/opencl/image.c \
	backends/opencl/kernel.c \
	backends/opencl/lock.c \
	backends/opencl/program.c \
	backends/opencl/quirks.c \
	backends/opencl/quirks.def \
	backends/opencl/quirks.h \
	backends/opencl/shared.c \
	backends/opencl/stream.c \
	backends/opencl/symbols.def

# Faults on order: in no library but one for tests.
if FAULT_INJECTION
libyoke_all_la_SOURCES += \
	backends/cuda/inject.c \
	backends/opencl/inject.c \
	base/process/inject.c \
	base/process/inject.h
endif
EXTRA_DIST += backends/cuda/inject.c backends/opencl/inject.c base/process/inject.c base/process/inject.h base/process/inject.map
