# SPDX-License-Identifier: Apache-2.0
#
# What `make check` and `make check-TESTS` build. For TESTS=... on the command line: the programs of these tests, which have the
# test's name without the backend's; for a script, what is installed, and the test programs that it names, or a script that it
# reads. Else all. By functions of GNU make.

all_test_programs = $(EXTRA_PROGRAMS) $(suite_PROGRAMS)
named_tests = $(basename $(TESTS:.tap=))
named_scripts = $(wildcard $(addprefix $(srcdir)/,$(addsuffix .sh,$(named_tests))))
read_scripts = $(wildcard $(addprefix $(srcdir)/,$(shell grep -oh 'tests/[a-z0-9_/]*\.sh' $(named_scripts) /dev/null)))
named_in_scripts = $(shell grep -oh 'tests/[a-z0-9_/]*' $(named_scripts) $(read_scripts) /dev/null)
wanted_programs = $(filter $(addsuffix $(EXEEXT),$(named_tests) $(named_in_scripts)),$(all_test_programs))
wanted_by_scripts = $(if $(named_scripts),all-am $(if $(filter tests/installed%,$(named_in_scripts)),tests/installed.stamp))
tests_are_named = $(and $(filter command,$(origin TESTS)),$(strip $(TESTS)))
check_DATA = $(if $(tests_are_named),$(wanted_programs) $(wanted_by_scripts),$(all_test_programs) tests/installed.stamp)
CLEANFILES += $(EXTRA_PROGRAMS)

# make test-programs TESTS='$(thread_tests)' builds that, and list-programs says what it is.
test-programs: $(check_DATA) $(check_LTLIBRARIES)
list-programs:
	@printf '%s\n' $(check_DATA)
.PHONY: list-programs test-programs
