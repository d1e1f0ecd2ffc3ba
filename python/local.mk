# SPDX-License-Identifier: Apache-2.0
#
# The Python package: pip builds it, from this folder of a clone or of the tarball. tests/python.sh builds a wheel of it and tests
# that; it takes pip and a network, and so is no part of make check.

EXTRA_DIST += \
	tests/python.sh \
	python/README.md \
	python/bench/launch.py \
	python/bench/peers.py \
	python/bench/seeds.py \
	python/bench/side.c \
	python/examples/README.md \
	python/examples/01_host_function.py \
	python/examples/02_thread_beside.py \
	python/examples/03_asyncio.py \
	python/examples/04_vector_add.py \
	python/examples/05_matrix_product.py \
	python/examples/06_shared_memory.py \
	python/examples/07_device_function.py \
	python/examples/08_matrix_function.py \
	python/examples/09_structs.py \
	python/examples/10_array_add.py \
	python/examples/11_kernel_file.py \
	python/examples/11_kernel_file.yk \
	python/examples/12_pinned_memory.py \
	python/examples/13_fallback.py \
	python/examples/14_blur_image.pgm \
	python/examples/14_blur_image.py \
	python/examples/15_several_devices.py \
	python/examples/ranks/pi.py \
	python/pyproject.toml \
	python/setup.py \
	python/tests/bad_values.py \
	python/tests/conftest.py \
	python/tests/kernel_samples.py \
	python/tests/peer_driver.py \
	python/tests/peer_libraries.py \
	python/tests/ranks.py \
	python/tests/test_arrays.py \
	python/tests/test_bad_input.py \
	python/tests/test_build.py \
	python/tests/test_close.py \
	python/tests/test_comm.py \
	python/tests/test_core.py \
	python/tests/test_docs.py \
	python/tests/test_exact.py \
	python/tests/test_examples.py \
	python/tests/test_full.py \
	python/tests/test_host.py \
	python/tests/test_images.py \
	python/tests/test_indexing.py \
	python/tests/test_indices.py \
	python/tests/test_kernels_errors.py \
	python/tests/test_kernels_expressions.py \
	python/tests/test_kernels_language.py \
	python/tests/test_kernels_launch.py \
	python/tests/test_leaks.py \
	python/tests/test_mistakes.py \
	python/tests/test_native.py \
	python/tests/test_numbers.py \
	python/tests/test_odd_objects.py \
	python/tests/test_operations.py \
	python/tests/test_operators.py \
	python/tests/test_peers.py \
	python/tests/test_same_names.py \
	python/tests/test_standard.py \
	python/tests/test_trace.py \
	python/tests/test_types.py \
	python/tests/torture.py \
	python/tests/tree.py \
	python/tests/typed_sample.py \
	python/yoke/__init__.py \
	python/yoke/__init__.pyi \
	python/yoke/__main__.py \
	python/yoke/_core/README.md \
	python/yoke/_core/__init__.py \
	python/yoke/_core/__init__.pyi \
	python/yoke/_core/array.pxd \
	python/yoke/_core/array.pyx \
	python/yoke/_core/c_ops.pxd \
	python/yoke/_core/c_python.pxd \
	python/yoke/_core/c_yoke.pxd \
	python/yoke/_core/comm.pyx \
	python/yoke/_core/copies.pxd \
	python/yoke/_core/copies.pyx \
	python/yoke/_core/create.pxd \
	python/yoke/_core/create.pyx \
	python/yoke/_core/device.pxd \
	python/yoke/_core/device.pyx \
	python/yoke/_core/dtype.pxd \
	python/yoke/_core/dtype.pyx \
	python/yoke/_core/errors.pxd \
	python/yoke/_core/errors.pyx \
	python/yoke/_core/event.pxd \
	python/yoke/_core/event.pyx \
	python/yoke/_core/exchange.pyx \
	python/yoke/_core/expression.pxd \
	python/yoke/_core/expression.pyx \
	python/yoke/_core/graph.pyx \
	python/yoke/_core/indexing.pyx \
	python/yoke/_core/kernel.pxd \
	python/yoke/_core/kernel.pyx \
	python/yoke/_core/memory.pxd \
	python/yoke/_core/memory.pyx \
	python/yoke/_core/numerics.pxd \
	python/yoke/_core/numerics.pyx \
	python/yoke/_core/operators.pxd \
	python/yoke/_core/operators.pyx \
	python/yoke/_core/order.pxd \
	python/yoke/_core/order.pyx \
	python/yoke/_core/process.pxd \
	python/yoke/_core/process.pyx \
	python/yoke/_core/program.pxd \
	python/yoke/_core/program.pyx \
	python/yoke/_core/reduction.pxd \
	python/yoke/_core/reduction.pyx \
	python/yoke/_core/stream.pxd \
	python/yoke/_core/stream.pyx \
	python/yoke/_complex.py \
	python/yoke/_elementwise.py \
	python/yoke/_elementwise.pyi \
	python/yoke/_positions.py \
	python/yoke/_positions.pyi \
	python/yoke/_shapes.py \
	python/yoke/_shapes.pyi \
	python/yoke/_statistics.py \
	python/yoke/_statistics.pyi \
	python/yoke/_trace.py \
	python/yoke/_types.py \
	python/yoke/_types.pyi \
	python/yoke/aio.py \
	python/yoke/comm.py \
	python/yoke/comm.pyi \
	python/yoke/fft.py \
	python/yoke/fft.pyi \
	python/yoke/kernels/__init__.py \
	python/yoke/kernels/__init__.pyi \
	python/yoke/kernels/arithmetic.py \
	python/yoke/kernels/arrays.py \
	python/yoke/kernels/calls.py \
	python/yoke/kernels/device.py \
	python/yoke/kernels/errors.py \
	python/yoke/kernels/expressions.py \
	python/yoke/kernels/lambdas.py \
	python/yoke/kernels/launch.py \
	python/yoke/kernels/simulate.py \
	python/yoke/kernels/statements.py \
	python/yoke/kernels/translate.py \
	python/yoke/kernels/types.py \
	python/yoke/linalg.py \
	python/yoke/linalg.pyi \
	python/yoke/ndimage.py \
	python/yoke/ndimage.pyi \
	python/yoke/numpy/__init__.py \
	python/yoke/numpy/__init__.pyi \
	python/yoke/numpy/_common.py \
	python/yoke/numpy/_common.pyi \
	python/yoke/numpy/_creation.py \
	python/yoke/numpy/_creation.pyi \
	python/yoke/numpy/_functions.py \
	python/yoke/numpy/_functions.pyi \
	python/yoke/numpy/_indexing.py \
	python/yoke/numpy/_indexing.pyi \
	python/yoke/numpy/_joining.py \
	python/yoke/numpy/_joining.pyi \
	python/yoke/numpy/_manipulation.py \
	python/yoke/numpy/_manipulation.pyi \
	python/yoke/numpy/_nan.py \
	python/yoke/numpy/_nan.pyi \
	python/yoke/numpy/_reductions.py \
	python/yoke/numpy/_reductions.pyi \
	python/yoke/numpy/_sorting.py \
	python/yoke/numpy/_sorting.pyi \
	python/yoke/numpy/_statistics.py \
	python/yoke/numpy/_statistics.pyi \
	python/yoke/numpy/_ufunc.py \
	python/yoke/numpy/_ufunc.pyi \
	python/yoke/numpy/_ufuncs.py \
	python/yoke/numpy/_ufuncs.pyi \
	python/yoke/py.typed \
	python/yoke/random.py \
	python/yoke/random.pyi

# The program `yoke` for the wheel, which needs the C library alone: Jansson is linked statically.
python/yoke-tool$(EXEEXT): $(tools_yoke_OBJECTS) $(tools_yoke_DEPENDENCIES)
	$(AM_V_CCLD)$(MKDIR_P) python && jansson='$(JANSSON_LIBS)' && \
	$(LINK) $(tools_yoke_OBJECTS) tools/libmeasure.la libyoke-texts.la libyoke-base.la libyoke-ops.la libyoke.la \
		$${jansson:+`$(CC) -print-file-name=libjansson.a`} $(LIBS)

clean-local: clean-python
clean-python:
	rm -rf python/yoke-tool python/.libs
.PHONY: clean-python

python_tests = tests/python.tap
CLEANFILES += $(python_tests)
