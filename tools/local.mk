# SPDX-License-Identifier: Apache-2.0
#
# Programs that are installed beside the library. Of `yoke` a subcommand is a file of its name, or a room of that name where it has
# parts; ground/ is what the subcommands share. tests/static/rooms.sh has the rooms and who may call whom.

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
	tools/measure/side_yoke.c \
	tools/measure/sides.c

bin_PROGRAMS += tools/yoke
tools_yoke_SOURCES = \
	tools/tune.c \
	tools/validate.c \
	tools/yoke.c \
	tools/bench/bench.c \
	tools/bench/bench.h \
	tools/bench/figures.c \
	tools/bench/figures.h \
	tools/bench/lines.c \
	tools/bench/table.c \
	tools/cc/cc.c \
	tools/cc/cc.h \
	tools/cc/compile.c \
	tools/cc/depend.c \
	tools/cc/embed.c \
	tools/cc/form.c \
	tools/cc/generate.c \
	tools/cc/options.c \
	tools/cc/read.c \
	tools/cc/replay.c \
	tools/cc/run.c \
	tools/cc/run_options.c \
	tools/cc/spirv.c \
	tools/cc/twins.c \
	tools/check/check.c \
	tools/check/check.h \
	tools/check/private.c \
	tools/check/report.c \
	tools/ground/facts.c \
	tools/ground/facts.h \
	tools/ground/host.c \
	tools/ground/host.h \
	tools/ground/icds.c \
	tools/ground/icds.h \
	tools/ground/options.c \
	tools/ground/probe.c \
	tools/ground/probe.h \
	tools/ground/run.c \
	tools/ground/run.h \
	tools/ground/tool.c \
	tools/ground/tool.h \
	tools/info/advice.c \
	tools/info/group.c \
	tools/info/info.c \
	tools/info/info.h \
	tools/info/json.c \
	tools/info/lines.c \
	tools/info/text.c \
	tools/run/element.c \
	tools/run/launch.c \
	tools/run/npy.c \
	tools/run/record.c \
	tools/run/report.c \
	tools/run/run.h \
	tools/trace/draw.c \
	tools/trace/idle.c \
	tools/trace/json.c \
	tools/trace/read.c \
	tools/trace/spans.c \
	tools/trace/trace.c \
	tools/trace/trace.h \
	tools/trace/why.c
tools_yoke_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(OPENCL_CPPFLAGS)
tools_yoke_LDADD = tools/libmeasure.la libyoke-texts.la libyoke-base.la libyoke-ops.la libyoke.la $(JANSSON_LIBS)

dist_man_MANS = tools/yoke.1 tools/yoke-conformance.1

# Found by bash's completion when the prefix is /usr or /usr/local.
bashcompdir = $(datadir)/bash-completion/completions
bashcomp_DATA = tools/completions/yoke
CLEANFILES += tools/completions/yoke
EXTRA_DIST += tools/README.md tools/yoke.bash

tools/completions/yoke: tools/yoke.bash
	$(AM_V_GEN)$(MKDIR_P) tools/completions && cp $(srcdir)/tools/yoke.bash $@

# What --json writes.
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = tools/schema/bench.json tools/schema/info.json tools/schema/trace.json \
	tools/schema/tune.json tools/schema/validate.json

# The conformance suite for whoever has no source.
bin_PROGRAMS += tools/yoke-conformance
tools_yoke_conformance_CPPFLAGS = $(AM_CPPFLAGS) -DCONFORMANCE_DIR='"$(suitedir)"'
tools_yoke_conformance_LDADD = libyoke-base.la libyoke.la
tools_yoke_conformance_SOURCES = \
	tools/conformance/conformance.h \
	tools/conformance/junit.c \
	tools/conformance/lines.c \
	tools/conformance/main.c \
	tools/conformance/results.c \
	tools/conformance/run.c \
	tools/conformance/tap.c \
	tools/conformance/text.c
