# SPDX-License-Identifier: Apache-2.0
#
# A layer between Yoke and PoCL that makes PoCL look and behave like other devices, and their facts.
check_LTLIBRARIES += tests/profiles/profile.la
tests_profiles_profile_la_SOURCES = \
	tests/profiles/facts.c \
	tests/profiles/kernel.c \
	tests/profiles/layer.c \
	tests/profiles/memory.c \
	tests/profiles/profile.h \
	tests/profiles/program.c
tests_profiles_profile_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CPPFLAGS)
tests_profiles_profile_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
profile_tests = tests/profiles/profiles.tap
profiles:
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/profiles/profiles.sh all
.PHONY: profiles
EXTRA_DIST += \
	tests/profiles/README.md \
	tests/profiles/profiles.sh \
	tests/profiles/adreno-630-rusticl.txt \
	tests/profiles/adreno-750.txt \
	tests/profiles/amd-app-cpu.txt \
	tests/profiles/apple-m1.txt \
	tests/profiles/apple-m4-pro.txt \
	tests/profiles/arc-a770.txt \
	tests/profiles/firepro-s7150.txt \
	tests/profiles/geforce-940m.txt \
	tests/profiles/geforce-gtx-1070.txt \
	tests/profiles/geforce-gtx-1650.txt \
	tests/profiles/geforce-rtx-2080-ti.txt \
	tests/profiles/geforce-rtx-3050.txt \
	tests/profiles/geforce-titan-x.txt \
	tests/profiles/instinct-mi100.txt \
	tests/profiles/intel-cpu-2016.txt \
	tests/profiles/intel-cpu-2023.txt \
	tests/profiles/intel-fpga-emulator.txt \
	tests/profiles/intel-gen7.txt \
	tests/profiles/intel-gen9.txt \
	tests/profiles/intel-xe-lp.txt \
	tests/profiles/mali-g52.txt \
	tests/profiles/mali-g610.txt \
	tests/profiles/mali-g71.txt \
	tests/profiles/mali-t860.txt \
	tests/profiles/powervr-bxm.txt \
	tests/profiles/radeon-kaveri.txt \
	tests/profiles/radeon-rx-5500-clover.txt \
	tests/profiles/radeon-rx-5700.txt \
	tests/profiles/radeon-rx-580.txt \
	tests/profiles/radeon-rx-6700-xt.txt \
	tests/profiles/radeon-rx-7900-xtx.txt \
	tests/profiles/radeon-vega-apu.txt \
	tests/profiles/radeon-vii.txt \
	tests/profiles/smallest.txt \
	tests/profiles/tesla-k80.txt \
	tests/profiles/videocore-4.txt \
	tests/profiles/videocore-6-clvk.txt \
	tests/profiles/vivante-gc7000l.txt
