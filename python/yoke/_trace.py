# SPDX-License-Identifier: Apache-2.0
"""A part of the library's trace: what the streams did, and when, between two moments of the program."""

from __future__ import annotations

import os
import time

from . import _core

TYPE_CHECKING = False  # true for type checkers; `typing` would take a sixth of the time of `import yoke`
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

_OURS = '"where":"yoke.trace:'  # in entries of this package's own
_MARK = _OURS + 'mark"'
_PATIENCE = 2.0  # seconds; the library writes what has finished at least every 20 ms
_marks = 0  # how many have been enqueued


class Trace:
    """What the streams did and when, as Chrome's trace events: `with yoke.Trace("run.json"): …`, or start() and stop().

    The trace begins with the process's first device, so the first start comes before it (else RuntimeError), or the program runs
    with YOKE_TRACE; after that, parts of the program are traced as often as wanted. From the first start on all streams are traced,
    which costs each operation some microseconds. stop() waits for the work of all streams; their failures stay for those who wait.

    path: a file that stop() writes, for Perfetto or chrome://tracing; None: no file. events: after stop(), a list of dicts: name,
    cat ("launch", "write", "host function", …), ts and dur in microseconds, pid and tid (the device and the stream, whose names are
    in the entries with ph "M"), args (enqueued, stream, where, bytes, grid, block, …). print(trace) shows the sums.
    """

    __slots__ = ("path", "events", "_begin")

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else os.fspath(path)
        self.events: list[dict[str, Any]] = []
        self._begin: int | None = None

    def start(self) -> Trace:
        """Begin. RuntimeError: it has begun already, or a device was opened before the first trace."""
        if self._begin is not None:
            raise RuntimeError("the trace has been started already: stop it first")
        _core.order_trace()
        self._begin = time.monotonic_ns()
        return self

    def stop(self) -> None:
        """Wait for the work of all streams, fill `events`, and write the file. RuntimeError: not started."""
        if self._begin is None:
            raise RuntimeError("the trace has not been started")
        begin, self._begin = self._begin, None
        self.events = _part(_complete_text(), begin, time.monotonic_ns())
        if self.path is not None:
            self.save(self.path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the events to a file, for Perfetto or chrome://tracing."""
        import json

        with open(os.fspath(path), "w") as file:
            file.write("[\n" + ",\n".join(json.dumps(event) for event in self.events) + "\n]\n")

    def __enter__(self) -> Trace:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.stop()

    def __str__(self) -> str:
        rows = {(each["pid"], each.get("tid")): each["args"]["name"] for each in self.events if each["name"] == "thread_name"}
        sums: dict[tuple[str, str, str], list[float]] = {}
        for each in self.events:
            if each["ph"] == "X":
                name = each["name"] if each["name"] != each["cat"] else ""
                row = sums.setdefault((rows.get((each["pid"], each["tid"]), "?"), each["cat"], name), [0, 0.0])
                row[0] += 1
                row[1] += each["dur"]
        lines = [f"{'ms':>10} {'times':>7}  what"]
        for (row_name, category, name), (count, total) in sorted(sums.items(), key=lambda item: -item[1][1]):
            lines.append(f"{total / 1000:10.3f} {count:7.0f}  {category}{name and ' ' + name}, {row_name}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        state = "started" if self._begin is not None else f"{sum(each['ph'] == 'X' for each in self.events)} entries"
        return f"<yoke.Trace {state}>"


def _open_file() -> str | None:
    """The library's file, as this process has it open, under whatever name; None: there is no device yet, or no trace."""
    name = _core.ordered_trace()
    if name is None:
        return None
    base = os.path.basename(name.replace("%p", str(os.getpid())))
    for descriptor in os.listdir("/proc/self/fd"):
        path = f"/proc/self/fd/{descriptor}"
        try:
            target = os.path.basename(os.readlink(path)).removesuffix(" (deleted)")
        except OSError:
            continue
        if target in (base, f"{base}.{os.getpid()}"):
            return path
    raise RuntimeError(f"there is no trace: YOKE_TRACE is {name}, which has to be a file that this process may write")


def _complete_text() -> str:
    """The library's file, when it has all work that has been enqueued so far."""
    global _marks
    _marks += _core.mark_trace()
    path = _open_file()
    if path is None:
        return ""
    end = time.monotonic() + _PATIENCE
    while _read(path).count(_MARK) < _marks and time.monotonic() < end:
        time.sleep(0.002)
    return _read(path)  # again, since what is written while a file is read may be missing before what is there


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _part(text: str, begin: int, end: int) -> list[dict[str, Any]]:
    """The entries of a trace that lie between two times of the monotonic clock, and the names of devices and streams."""
    import json  # here, because it is half of the time that importing this package would take

    entries = []
    for line in text.splitlines():
        line = line.rstrip(",")
        if line.startswith("{") and line.endswith("}") and _OURS not in line:
            entries.append(json.loads(line))
    clock = next((each["args"]["monotonic_ns"] for each in entries if each["name"] == "clock"), 0)
    first, last = (begin - clock) / 1000, (end - clock) / 1000
    return [each for each in entries if each["ph"] == "M" or (each["ts"] + each["dur"] >= first and each["ts"] <= last)]
