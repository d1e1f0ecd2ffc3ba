# SPDX-License-Identifier: Apache-2.0
# All devices at once: each computes on a stream of its own.
import yoke

streams = [yoke.Device(info.selector).stream() for info in yoke.devices()]
arrays = [yoke.arange(1000, dtype="float32", stream=stream) * 2 for stream in streams]
assert [array.sum().item() for array in arrays] == [999000] * len(streams)
print(f"{len(streams)} device(s): right")
