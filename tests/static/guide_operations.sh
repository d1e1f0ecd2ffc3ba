#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The pages of the guide whose programs use operations, for each of which a driver compiles kernels: guide.sh.

guide_pages="doc/examples.md doc/operations.md"
# shellcheck source=tests/static/guide.sh
. "$top_srcdir/tests/static/guide.sh"
