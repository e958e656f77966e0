# SPDX-License-Identifier: Apache-2.0
"""On whose behalf accesses are made, and how their waits are cancelled."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import TYPE_CHECKING, Optional, Sequence, Tuple

from ._errors import ErrorSlot
from ._library import fc

if TYPE_CHECKING:
    from ._presenter import Presenter


def encoded_label(text: Optional[str]) -> Optional[bytes]:
    """A label as C takes it; what comes after a NUL would not be shown."""
    return None if text is None else text.split("\0")[0].encode("utf-8", "replace")


def set_label(text: Optional[str]) -> None:
    """What people are shown for this process; None: its program's name."""
    fc.fc_set_label(encoded_label(text))


class Call:
    """A coordinator of C's for one call, which can be cancelled alone."""

    def __init__(self, handle: int) -> None:
        self.handle: Optional[int] = handle
        # What runs under `filecoord write … -- python3 …` says so: an access that would wait for
        # the command around it is then refused at once.
        around = os.environb.get(b"FILECOORD_CLAIM")
        if around:
            fc.fc_coordinator_set_surroundings(handle, around)

    def demand(self, states: Sequence[Optional[str]]) -> None:
        """Says in which states the items of its access must be; None for any."""
        tokens = (ctypes.c_char_p * len(states))(
            *[None if state is None else state.encode() for state in states]
        )
        slot = ErrorSlot()
        if fc.fc_coordinator_set_only_if(self.handle, tokens, len(states), slot.place):
            raise slot.error()

    def cancel(self) -> None:
        """Ends its wait, if it still waits."""
        fc.fc_coordinator_cancel(self.handle)

    def __del__(self) -> None:
        handle, self.handle = self.handle, None
        fc.fc_coordinator_free(handle)


class Coordinator:
    """On whose behalf accesses are made: those of one purpose do not wait for each other.

    May be used on any thread. Functions of this package that are given none make one for the call.
    """

    def __init__(
        self,
        *,
        purpose: Optional[str] = None,
        label: Optional[str] = None,
        presenter: Optional["Presenter"] = None,
    ) -> None:
        if presenter is not None and purpose is not None:
            raise ValueError("the purpose of a presenter's coordinator is the presenter's")
        if purpose is not None and (not purpose or "\0" in purpose):
            raise ValueError("a purpose is a text that is not empty")
        self._label = encoded_label(label)
        self._presenter = presenter
        self._purpose = None if purpose is None else purpose.encode()
        # The purpose that was made for the process with this number.
        self._made: Tuple[int, Optional[bytes]] = (0, None)
        # A signal handler may call `cancel` in the midst of a call of this object.
        self._lock = threading.RLock()
        self._is_cancelled = False
        self._calls: "weakref.WeakSet[Call]" = weakref.WeakSet()
        if presenter is not None:
            call = self._make()  # kept until its purpose is copied
            self._purpose = fc.fc_coordinator_purpose(call.handle)

    def _make(self) -> Call:
        if self._presenter is not None:
            with self._presenter.registered() as handle:
                return Call(fc.fc_coordinator_new_for_presenter(handle, self._label))
        return Call(fc.fc_coordinator_new(self._shared_purpose(), self._label))

    def _shared_purpose(self) -> Optional[bytes]:
        """That of all its calls: the one it was given, or one that it makes.

        A forked child makes another: it must wait for its parent's accesses, and for its siblings'.
        """
        if self._purpose is not None:
            return self._purpose
        with self._lock:
            process = os.getpid()
            if self._made[0] != process:
                call = Call(fc.fc_coordinator_new(None, self._label))
                self._made = (process, fc.fc_coordinator_purpose(call.handle))
            return self._made[1]

    def call(self) -> Call:
        """What one call is made with."""
        call = self._make()
        with self._lock:
            self._calls.add(call)
            is_cancelled = self._is_cancelled
        if is_cancelled:
            call.cancel()
        return call

    @property
    def purpose(self) -> str:
        """What it is for: another process that names the same purpose shares its accesses."""
        return (self._shared_purpose() or b"").decode()

    def cancel(self) -> None:
        """Ends all its waits, now and later, with `Cancelled`. What was granted stays."""
        with self._lock:
            self._is_cancelled = True
            calls = list(self._calls)
        for call in calls:
            call.cancel()
