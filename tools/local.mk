# SPDX-License-Identifier: Apache-2.0
#
# Programs that are installed beside the library. Of `yoke` a subcommand is a file of its name, and its parts begin with that name.

# What `yoke bench` and the programs in bench/ measure, and how.
noinst_LTLIBRARIES += tools/libmeasure.la
tools_libmeasure_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
tools_libmeasure_la_SOURCES = \
	tools/measure/cases.c \
	tools/measure/cases.h \
	tools/measure/measure.c \
	tools/measure/measure.h \
	tools/measure/raw_cuda.c \
	tools/measure/raw_cuda.h \
	tools/measure/raw_opencl.c \
	tools/measure/raw_opencl.h \
	tools/measure/side_cuda.c \
	tools/measure/side_opencl.c \
	tools/measure/side_yoke.c

bin_PROGRAMS += tools/yoke
tools_yoke_SOURCES = \
	tools/advice.c \
	tools/bench.c \
	tools/bench_measure.c \
	tools/bench_table.c \
	tools/cc.c \
	tools/cc.h \
	tools/cc_compile.c \
	tools/cc_depend.c \
	tools/cc_embed.c \
	tools/cc_options.c \
	tools/cc_read.c \
	tools/cc_spirv.c \
	tools/cc_twins.c \
	tools/check.c \
	tools/figures.h \
	tools/host.c \
	tools/host.h \
	tools/icds.c \
	tools/icds.h \
	tools/info.c \
	tools/info.h \
	tools/info_group.c \
	tools/info_json.c \
	tools/info_text.c \
	tools/options.c \
	tools/probe.c \
	tools/probe.h \
	tools/tool.c \
	tools/tool.h \
	tools/trace.c \
	tools/trace.h \
	tools/trace_draw.c \
	tools/trace_idle.c \
	tools/trace_json.c \
	tools/trace_read.c \
	tools/trace_run.c \
	tools/trace_spans.c \
	tools/trace_why.c \
	tools/tune.c \
	tools/yoke.c
tools_yoke_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tools_yoke_LDADD = tools/libmeasure.la libyoke-texts.la libyoke-base.la libyoke-ops.la libyoke.la $(JANSSON_LIBS)

dist_man_MANS = tools/yoke.1 tools/yoke-conformance.1

# Found by bash's completion when the prefix is /usr or /usr/local.
bashcompdir = $(datadir)/bash-completion/completions
bashcomp_DATA = tools/completions/yoke
CLEANFILES += tools/completions/yoke
EXTRA_DIST += tools/yoke.bash

tools/completions/yoke: tools/yoke.bash
	$(AM_V_GEN)$(MKDIR_P) tools/completions && cp $(srcdir)/tools/yoke.bash $@

# What --json writes.
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = tools/schema/bench.json tools/schema/info.json tools/schema/trace.json \
	tools/schema/tune.json

# The conformance suite for whoever has no source.
bin_PROGRAMS += tools/yoke-conformance
tools_yoke_conformance_CPPFLAGS = $(AM_CPPFLAGS) -DCONFORMANCE_DIR='"$(suitedir)"'
tools_yoke_conformance_LDADD = libyoke.la
tools_yoke_conformance_SOURCES = \
	tools/conformance/conformance.h \
	tools/conformance/junit.c \
	tools/conformance/main.c \
	tools/conformance/results.c \
	tools/conformance/run.c \
	tools/conformance/tap.c \
	tools/conformance/text.c
