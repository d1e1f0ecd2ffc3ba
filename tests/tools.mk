# SPDX-License-Identifier: Apache-2.0
#
# The scripts that test the tool, and the tests that are not in local.mk.

tool_tests += tests/tools/cc_output.tap
EXTRA_DIST += \
	tests/tools/bench.sh \
	tests/tools/cc.sh \
	tests/tools/cc_output.sh \
	tests/tools/conformance.sh \
	tests/tools/guide_programs.sh \
	tests/tools/info.sh \
	tests/tools/run.sh \
	tests/tools/trace.sh \
	tests/tools/tune.sh \
	tests/tools/yoke.sh
