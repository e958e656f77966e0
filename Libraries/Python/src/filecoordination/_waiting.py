# SPDX-License-Identifier: Apache-2.0
"""Waiting for access: on a thread, so that signals come through, and in a task."""

from __future__ import annotations

import asyncio
import ctypes
import itertools
import threading
from typing import Callable, Dict, Optional, Union

from . import _library
from ._coordinator import Call
from ._errors import CoordinationError, ErrorSlot, taken
from ._hold import Hold
from ._library import Granted, Item, fc

Outcome = Union[Hold, CoordinationError]


class _Waits:
    """The waits that no thread of C's waits for, by the number that C hands back."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._ends: Dict[int, Callable[[Outcome], None]] = {}
        # C may call it at any time, so it is kept for ever.
        self._granted = Granted(self._end)

    def begin(
        self,
        call: Call,
        items: "ctypes.Array[Item]",
        timeout: float,
        end: Callable[[Outcome], None],
    ) -> None:
        """Asks for access; `end` is called once, on a thread of the library's."""
        number = next(self._numbers)
        self._ends[number] = end
        fc.fc_begin_async(call.handle, items, len(items), timeout, self._granted, number)

    def _end(self, hold: Optional[int], error: Optional[int], number: Optional[int]) -> None:
        end = self._ends.pop(number or 0)
        end(taken(error) if hold is None else Hold(hold))


_waits = _Waits()


def wait(call: Call, items: "ctypes.Array[Item]", timeout: float) -> Hold:
    """Waits on this thread."""
    # Python runs signal handlers on the main thread, between its own instructions: there C must not
    # be what waits.
    # An exit handler is told of no outcome any more, so it waits itself.
    if threading.current_thread() is threading.main_thread() and not _library.is_ending:
        return _wait_interruptibly(call, items, timeout)
    slot = ErrorSlot()
    handle = fc.fc_begin(call.handle, items, len(items), timeout, slot.place)
    if handle is None:
        raise slot.error()
    return Hold(handle)


def _wait_interruptibly(call: Call, items: "ctypes.Array[Item]", timeout: float) -> Hold:
    outcomes: "list[Outcome]" = []
    has_ended = threading.Event()

    def end(outcome: Outcome) -> None:
        outcomes.append(outcome)
        has_ended.set()

    try:
        _waits.begin(call, items, timeout, end)
        has_ended.wait()
    except BaseException:
        # What was granted at the same time is released with its last reference.
        call.cancel()
        raise
    outcome = outcomes.pop()
    if isinstance(outcome, CoordinationError):
        raise outcome
    return outcome


class _TaskWait:
    """A task that waits, as a thread of the library's sees it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_abandoned = False
        self.future: "asyncio.Future[Hold]" = self._loop.create_future()

    def end(self, outcome: Outcome) -> None:
        """Called on a thread of the library's."""
        try:
            self._loop.call_soon_threadsafe(self._deliver, outcome)
        except RuntimeError:
            # The loop was closed meanwhile.
            if isinstance(outcome, Hold):
                outcome.release()

    def _deliver(self, outcome: Outcome) -> None:
        if self._is_abandoned or self.future.done():
            if isinstance(outcome, Hold):
                outcome.release()
        elif isinstance(outcome, Hold):
            self.future.set_result(outcome)
        else:
            self.future.set_exception(outcome)

    def abandon(self) -> None:
        """The task waits no longer; what came at the same time is released."""
        self._is_abandoned = True
        is_granted = (
            self.future.done() and not self.future.cancelled() and not self.future.exception()
        )
        if is_granted:
            self.future.result().release()


async def wait_in_task(call: Call, items: "ctypes.Array[Item]", timeout: float) -> Hold:
    """Waits in this task; no thread does."""
    if _library.is_ending:
        return wait(call, items, timeout)
    waiting = _TaskWait()
    _waits.begin(call, items, timeout, waiting.end)
    try:
        # Not cancelled with the task: then a grant that comes meanwhile would be lost.
        return await asyncio.shield(waiting.future)
    except asyncio.CancelledError:
        call.cancel()
        waiting.abandon()
        raise
