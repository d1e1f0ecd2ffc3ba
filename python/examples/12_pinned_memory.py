# SPDX-License-Identifier: Apache-2.0
# Page-locked memory is a NumPy array, and is freed with it.
import yoke

stream = yoke.default_stream()
pinned_x, pinned_z = stream.device.pinned(1024, "float32"), stream.device.pinned(1024, "float32")
pinned_x[:] = range(1024)
buffer = stream.buffer(pinned_x.nbytes)
stream.write(buffer, pinned_x)
stream.read(pinned_z, buffer)
assert (pinned_z == pinned_x).all()
print("pinned memory: right")
