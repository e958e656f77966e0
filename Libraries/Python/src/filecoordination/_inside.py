# SPDX-License-Identifier: Apache-2.0
"""Which holds a thread or a task is inside of: an access that would wait for one is a deadlock.

Only a `with` counts. A task that is started inside another's `with` is not inside: it may well wait
for that to end.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Tuple

from ._library import fc

if TYPE_CHECKING:
    from ._coordinator import Call
    from ._hold import Hold

_known: "ContextVar[Tuple[Tuple[object, Hold], ...]]" = ContextVar("filecoordination", default=())


def _owner() -> object:
    """The task that runs, or the thread."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    return task if task is not None else threading.get_ident()


def enter(hold: "Hold") -> None:
    """A `with` of this task or thread begins."""
    _known.set((*_known.get(), (_owner(), hold)))


def leave(hold: "Hold") -> None:
    """It ends."""
    _known.set(tuple(entry for entry in _known.get() if entry[1] is not hold))


def tell(call: "Call") -> None:
    """Says inside of which holds a call is made."""
    owner = _owner()
    holds = [hold for other, hold in _known.get() if other == owner]
    if not holds:
        return
    with contextlib.ExitStack() as stack:
        handles = [stack.enter_context(hold.borrowed()) for hold in holds]
        array = (ctypes.c_void_p * len(handles))(*handles)
        fc.fc_coordinator_set_enclosing(call.handle, array, len(array))
