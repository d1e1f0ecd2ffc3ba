# SPDX-License-Identifier: Apache-2.0
#
# YOKE_VALIDATE: planted mistakes, each with its right twin.

validate_programs = tests/validate/mistakes
EXTRA_PROGRAMS += $(validate_programs)
tests_validate_mistakes_SOURCES = \
	tests/validate/functions.c \
	tests/validate/graphs.c \
	tests/validate/memory.c \
	tests/validate/mistakes.c \
	tests/validate/races.c \
	tests/validate/scene.h
