# SPDX-License-Identifier: Apache-2.0
#
# Six kernels in one text for both languages, and their twins: for the conformance suite and bench/one_text. The texts are files, so
# that compilers and editors can read them, and become strings here.

one_text_kernels = tests/one_text/six.yk tests/one_text/twins.cu tests/one_text/twins.cl
EXTRA_DIST += $(one_text_kernels)

noinst_LTLIBRARIES += tests/one_text/libsix.la
tests_one_text_libsix_la_SOURCES = tests/one_text/six.c tests/one_text/six.h tests/one_text/texts.h
nodist_tests_one_text_libsix_la_SOURCES = tests/one_text/texts.c
CLEANFILES += tests/one_text/texts.c

source_programs += tests/conformance/block_scan tests/conformance/one_text tests/conformance/one_text_warps
tests_conformance_one_text_LDADD = tests/one_text/libsix.la tests/libsuite.la libyoke.la

one_text_string = sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $(srcdir)/tests/one_text
tests/one_text/texts.c: $(one_text_kernels) tests/one_text/local.mk
	$(AM_V_GEN)$(MKDIR_P) tests/one_text && { \
	echo '#include "$(abs_srcdir)/tests/one_text/texts.h"' && \
	echo 'const char six_text[] =' && $(one_text_string)/six.yk && echo ';' && \
	echo 'const char six_twins_cuda[] =' && $(one_text_string)/twins.cu && echo ';' && \
	echo 'const char six_twins_opencl[] =' && $(one_text_string)/twins.cl && echo ';'; } >$@.part && \
	mv $@.part $@
