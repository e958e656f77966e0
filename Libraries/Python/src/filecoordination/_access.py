# SPDX-License-Identifier: Apache-2.0
"""Asking for access: `with` on a thread, `async with` in a task."""

from __future__ import annotations

import threading
from typing import Optional, Sequence

from ._coordinator import Call, Coordinator
from ._hold import Hold
from ._inside import tell
from ._library import Item, fc
from ._options import Path, Read, Reading, Wanted, Write, Writing, c_item
from ._waiting import wait, wait_in_task


class Request:
    """Access that is asked for when its `with` or its `async with` begins.

    It may be used again, but not while it is in use.
    """

    def __init__(
        self,
        items: Sequence[Wanted],
        timeout: Optional[float],
        coordinator: Optional[Coordinator],
    ) -> None:
        if not items:
            raise ValueError("there are no items")
        self._items = (Item * len(items))(*[c_item(item) for item in items])
        self._states = [item.only_if for item in items]
        self._timeout = -1.0 if timeout is None else max(0.0, float(timeout))
        self._coordinator = coordinator
        self._hold: Optional[Hold] = None
        # Held from the beginning of its `with` to the end.
        self._use = threading.Lock()

    def _call(self) -> Call:
        if self._coordinator is not None:
            call = self._coordinator.call()
        else:
            call = Call(fc.fc_coordinator_new(None, None))
        tell(call)
        if any(state is not None for state in self._states):
            call.demand(self._states)
        return call

    def acquire(self) -> Hold:
        """Waits for access on this thread; the caller releases it."""
        return wait(self._call(), self._items, self._timeout)

    async def acquire_async(self) -> Hold:
        """Waits for access in this task; cancelling the task ends the wait."""
        return await wait_in_task(self._call(), self._items, self._timeout)

    def __enter__(self) -> Hold:
        self._begin()
        try:
            self._hold = self.acquire().__enter__()
        except BaseException:
            self._use.release()
            raise
        return self._hold

    def __exit__(self, *_: object) -> None:
        self._leave()

    async def __aenter__(self) -> Hold:
        self._begin()
        try:
            self._hold = (await self.acquire_async()).__enter__()
        except BaseException:
            self._use.release()
            raise
        return self._hold

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def _begin(self) -> None:
        if not self._use.acquire(blocking=False):
            raise ValueError("this access is in use already: each `with` needs one of its own")

    def _leave(self) -> None:
        hold, self._hold = self._hold, None
        self._use.release()
        if hold is not None:
            hold.__exit__()


def reading(
    path: Path,
    options: Read = Read.NONE,
    *,
    timeout: Optional[float] = None,
    only_if: Optional[str] = None,
    coordinator: Optional[Coordinator] = None,
) -> Request:
    """Access to read an item: once no access writes it, and its presenters have saved it.

    `timeout` bounds the wait, in seconds, not the access; None: for as long as it takes. 0 is too
    short for a claim that the server has to grant. `only_if` is the state in which the item must
    be, or `Stale` is raised.
    """
    return Request([Reading(path, options, only_if)], timeout, coordinator)


def writing(
    path: Path,
    options: Write = Write.NONE,
    *,
    timeout: Optional[float] = None,
    only_if: Optional[str] = None,
    coordinator: Optional[Coordinator] = None,
) -> Request:
    """Access to write an item: once no other access has it, and its presenters have let go of it.

    `timeout` and `only_if` as for `reading`. With `only_if`, presenters save before.
    """
    return Request([Writing(path, options, only_if)], timeout, coordinator)


def accessing(
    *items: Wanted,
    timeout: Optional[float] = None,
    coordinator: Optional[Coordinator] = None,
) -> Request:
    """Access to several items in one claim, which is granted whole: two such cannot deadlock."""
    return Request(items, timeout, coordinator)
