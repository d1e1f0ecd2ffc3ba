# SPDX-License-Identifier: Apache-2.0
#
# The tests of the tool `yoke`, on drivers that are there, missing and broken: programs and scripts.

check_LTLIBRARIES += tests/tools/bad_icd.la tests/tools/stub_cuda.la
tests_tools_bad_icd_la_SOURCES = tests/tools/bad_icd.c tests/tools/misbehave.h
tests_tools_stub_cuda_la_SOURCES = tests/tools/misbehave.h tests/tools/stub_cuda.c
tests_tools_bad_icd_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_tools_stub_cuda_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
EXTRA_PROGRAMS += tests/tools/element tests/tools/group tests/tools/guide_messages tests/tools/host tests/tools/recorded \
	tests/tools/trouble tests/tools/validated
tests_tools_element_SOURCES = tests/tools/element.c tools/run/element.c tools/run/npy.c tools/run/run.h tools/ground/tool.c \
	tools/ground/tool.h
tests_tools_element_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_tools_element_LDADD = tests/libtap.la libyoke.la $(JANSSON_LIBS)
tests_tools_validated_LDADD = libyoke.la
tests_tools_guide_messages_LDADD = libyoke.la
tests_tools_group_SOURCES = tests/tools/group.c tools/info/info.h tools/info/group.c tools/ground/tool.c \
	tools/ground/tool.h
tests_tools_group_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_tools_group_LDADD = tests/libtap.la libyoke.la $(JANSSON_LIBS)
tests_tools_recorded_LDADD = libyoke.la
tests_tools_trouble_LDADD = libyoke.la
tests_tools_host_SOURCES = tests/tools/host.c tools/ground/host.c tools/ground/host.h tools/ground/tool.c \
	tools/ground/tool.h
tests_tools_host_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_tools_host_LDADD = tests/libtap.la libyoke.la $(JANSSON_LIBS)
if HAVE_JANSSON
EXTRA_PROGRAMS += tests/tools/json_check
endif
tests_tools_json_check_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_tools_json_check_LDADD = $(JANSSON_LIBS)

tool_tests = \
	tests/tools/add_report.tap \
	tests/tools/cc.tap \
	tests/tools/cc_output.tap \
	tests/tools/cc_run.tap \
	tests/tools/check.tap \
	tests/tools/conformance.tap \
	tests/tools/crash.tap \
	tests/tools/element.tap \
	tests/tools/group.tap \
	tests/tools/guide_programs.tap \
	tests/tools/host.tap \
	tests/tools/info.tap \
	tests/tools/legs.tap \
	tests/tools/recorded.tap \
	tests/tools/report.tap \
	tests/tools/trace.tap \
	tests/tools/validate.tap \
	tests/tools/validate_random.tap \
	tests/tools/yoke.tap

EXTRA_DIST += \
	tests/tools/add_report.sh \
	tests/tools/bench.sh \
	tests/tools/cc.sh \
	tests/tools/cc_output.sh \
	tests/tools/cc_run.sh \
	tests/tools/cc_twins.sh \
	tests/tools/check.sh \
	tests/tools/conformance.sh \
	tests/tools/crash.sh \
	tests/tools/guide_programs.sh \
	tests/tools/info.sh \
	tests/tools/legs.sh \
	tests/tools/run.sh \
	tests/tools/recorded.sh \
	tests/tools/report.sh \
	tests/tools/trace.sh \
	tests/tools/tune.sh \
	tests/tools/validate.sh \
	tests/tools/validate_random.sh \
	tests/tools/yoke.sh

# Not a test: all tests, many at a time and four times, to find those that depend on time, load or order.
unsteady:
	MAKE='$(MAKE)' $(SHELL) $(top_srcdir)/tests/unsteady.sh TESTS='$(TESTS)'
.PHONY: unsteady
EXTRA_DIST += tests/unsteady.sh
