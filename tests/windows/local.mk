# SPDX-License-Identifier: Apache-2.0
#
# What tests need on Windows; tests/release/windows.sh compiles them with it.

EXTRA_DIST += \
	tests/windows/libc/initializer_list \
	tests/windows/libc/string.h \
	tests/windows/limit.c \
	tests/windows/posix.h \
	tests/windows/sys/file.h \
	tests/windows/system.c
