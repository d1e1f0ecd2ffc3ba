# SPDX-License-Identifier: Apache-2.0
#
# An installation, for the tests of what is installed; and the tests of a release.

# What tests find installed is copied from here: libtool links libyoke-ops again while it installs, and meanwhile no test could link
# with it or run.
tests/installed.stamp: libyoke.la libyoke-ops.la $(comm_library) $(bin_PROGRAMS) | \
	$(filter-out tests/installed.stamp,$(check_DATA)) $(check_LTLIBRARIES)
	$(AM_V_GEN)rm -rf tests/installed && \
	$(MAKE) $(AM_MAKEFLAGS) install DESTDIR='$(abs_builddir)/tests/installed' >/dev/null && \
	: >$@
CLEANFILES += tests/installed.stamp

# With the prefix that is really there: make distcheck does it in between.
installcheck-local:
	@$(AM_TESTS_ENVIRONMENT) YOKE_TEST_ROOT='$(DESTDIR)' $(SHELL) $(top_srcdir)/tests/static/installed.sh

release_tests = \
	$(package_tests) \
	tests/conformance/launch.opencl.tap \
	tests/static/installed.tap \
	tests/static/manual.tap \
	tests/static/symbols.tap
