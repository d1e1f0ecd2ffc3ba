# SPDX-License-Identifier: Apache-2.0
#
# Random programs and the model that they have to agree with. Their drivers are conformance/graph_random, fuzz/calls, stress/stress.
random_sources = \
	tests/random/functions.c \
	tests/random/order.c \
	tests/random/order.h \
	tests/random/report.c \
	tests/random/site.c \
	tests/random/site.h \
	tests/random/steps.c \
	tests/random/steps.h \
	tests/random/steps_graph.c \
	tests/random/steps_work.c \
	tests/random/steps_wrong.c \
	tests/random/world.c \
	tests/random/world.h
