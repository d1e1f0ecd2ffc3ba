# SPDX-License-Identifier: Apache-2.0
#
# Fuzz targets, over their corpora; fuzz.sh has them look for new inputs.
fuzz_programs = \
	tests/fuzz/environment \
	tests/fuzz/expression \
	tests/fuzz/program_file \
	tests/fuzz/selector \
	tests/fuzz/source
if HAVE_JANSSON
fuzz_programs += tests/fuzz/record
endif
EXTRA_PROGRAMS += $(fuzz_programs)
fuzz_tests = $(fuzz_programs:=.tap)
tests_fuzz_environment_SOURCES = tests/fuzz/environment.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_environment_LDADD = $(unit_libraries)
tests_fuzz_expression_SOURCES = tests/fuzz/expression.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_expression_LDADD = $(ops_libraries)
tests_fuzz_program_file_SOURCES = tests/fuzz/program_file.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_program_file_LDADD = $(unit_libraries)
tests_fuzz_record_SOURCES = tests/fuzz/record.c tests/fuzz/replay.c tests/fuzz/fuzz.h tools/run/launch.c tools/run/record.c \
	tools/run/run.h tools/ground/tool.c tools/ground/tool.h
tests_fuzz_record_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_fuzz_record_LDADD = $(unit_libraries) $(JANSSON_LIBS)
tests_fuzz_selector_SOURCES = tests/fuzz/selector.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_selector_LDADD = $(unit_libraries)
tests_fuzz_source_SOURCES = tests/fuzz/source.c tests/fuzz/replay.c tests/fuzz/fuzz.h
tests_fuzz_source_LDADD = $(unit_libraries)

# The one for sequences of calls, which needs a device: it runs with the random programs above.
EXTRA_PROGRAMS += tests/fuzz/calls
tests_fuzz_calls_SOURCES = \
	$(random_sources) \
	tests/fuzz/calls.c \
	tests/fuzz/fuzz.h \
	tests/fuzz/replay.c
tests_fuzz_calls_LDADD = tests/libtap.la libyoke.la
