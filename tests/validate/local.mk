# SPDX-License-Identifier: Apache-2.0
#
# YOKE_VALIDATE: planted mistakes, each with its right twin; and how much it keeps, for which the library's own functions are
# called.

validate_programs = tests/validate/mistakes tests/validate/memory_flat
EXTRA_PROGRAMS += $(validate_programs)
tests_validate_mistakes_SOURCES = \
	tests/validate/functions.c \
	tests/validate/graphs.c \
	tests/validate/memory.c \
	tests/validate/mistakes.c \
	tests/validate/races.c \
	tests/validate/scene.h
tests_validate_memory_flat_SOURCES = tests/validate/memory_flat.c
tests_validate_memory_flat_LDADD = tests/libsuite.la libyoke-all.la
