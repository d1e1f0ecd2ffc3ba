# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Numba's names for devices and contexts, over the one device that a process makes its arrays on: another one is refused, since
YOKE_DEVICE chooses it."""

import collections
import contextlib

from . import _core


def _default():
    return _core.default_stream().device


def _infos():
    """Those of the backend, in its own order."""
    return sorted((each for each in _core.devices() if each.backend == _default().backend), key=lambda each: each.index)


class Device:
    """A device by its number; `with` it, or select_device, checks that it is the one of this process."""

    def __init__(self, number, info):
        self.id, self.info = number, info

    name = property(lambda self: self.info.name.encode())
    uuid = property(lambda self: self.info.uuid)

    @property
    def compute_capability(self):
        raise AttributeError("a device has no compute_capability: devices of OpenCL have none; device.info has what there is")

    def __enter__(self):
        here = get_current_device()
        if self.id != here.id:
            raise ValueError(f"the device is {here.id}, and not {self.id}: YOKE_DEVICE chooses it for a process, as YOKE_DEVICE="
                             f"{self.info.selector}")
        return self

    def __exit__(self, *exception):
        return None

    def reset(self):
        raise NotImplementedError("a device is not reset: memory returns with the arrays that are dropped")

    def __repr__(self):
        return f"<CUDA device {self.id} {self.name}>"


class Devices:
    """cuda.gpus: the devices of the backend that this process computes with."""

    lst = property(lambda self: [Device(info.index, info) for info in _infos()])

    @property
    def current(self):
        return get_current_device()

    def __len__(self):
        return len(self.lst)

    def __getitem__(self, number):
        return self.lst[number]

    def __iter__(self):
        return iter(self.lst)

    def __repr__(self):
        return f"<Managed Device {', '.join(str(each.id) for each in self.lst)}>"


gpus = Devices()
MemoryInfo = collections.namedtuple("MemoryInfo", "free, total")


class Context:
    """What work of the process stands in."""

    def __init__(self, device):
        self.device, self.id = device, device.id

    def synchronize(self):
        """Wait for the default stream and those of cuda.stream()."""
        from . import numba_like

        numba_like.synchronize()

    def get_memory_info(self):
        """Bytes that are free, and all."""
        memory = _default().memory
        return MemoryInfo(memory["free"], memory["total"])

    def reset(self):
        self.device.reset()


def list_devices():
    """The devices, as cuda.gpus."""
    return gpus


def get_current_device():
    """The device that arrays are made on."""
    own = _default().info.selector
    return next(each for each in gpus if each.info.selector == own)


def select_device(device_id):
    """The device of this number, which has to be the one that arrays are made on."""
    if not 0 <= device_id < len(gpus):
        raise ValueError(f"there are {len(gpus)} devices, and no {device_id}")
    return gpus[device_id].__enter__()


def current_context(devnum=None):
    """The context of the device."""
    return Context(get_current_device() if devnum is None else select_device(devnum))


def detect():
    """Print the devices; whether there are any."""
    infos = _core.devices()
    print(f"Found {len(infos)} devices")
    for number, info in enumerate(infos):
        print(f"id {number}    {info.name}    {info.selector}    {info.driver}")
    return bool(infos)


@contextlib.contextmanager
def pinned(*arylist):
    """Arrays of NumPy whose memory is page-locked in the with statement, so that copies are fast."""
    with contextlib.ExitStack() as stack:
        for each in arylist:
            stack.callback(_default().pin(each).close)
        yield
