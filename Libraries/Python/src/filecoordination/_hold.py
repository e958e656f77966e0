# SPDX-License-Identifier: Apache-2.0
"""Access that is held."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import pathlib
import threading
from typing import Dict, Iterator, Optional, Tuple

from . import _inside as inside
from ._errors import ErrorSlot
from ._library import TOKEN_SIZE, fc
from ._options import Path, encoded


class Hold:
    """Granted access to one item or several; use it in a `with`, or release it.

    May be used on any thread. It is released at the latest with its last reference, and when the
    process dies.
    """

    def __init__(self, handle: int) -> None:
        self._handle: Optional[int] = handle
        # The garbage collector may release it inside of any other method of this.
        self._lock = threading.RLock()
        names = [fc.fc_hold_path(handle, index) for index in range(fc.fc_hold_count(handle))]
        #: Where the items were when access was granted, in the order of the call.
        self.paths: Tuple[pathlib.Path, ...] = tuple(
            pathlib.Path(os.fsdecode(name)) for name in names
        )
        self._environment: Dict[str, str] = {}
        variables = fc.fc_hold_environment(handle)
        for index in itertools.takewhile(lambda i: variables[i] is not None, itertools.count()):
            name, _, value = variables[index].partition(b"=")
            self._environment[os.fsdecode(name)] = os.fsdecode(value)

    @property
    def path(self) -> pathlib.Path:
        """Where the first item was when access was granted."""
        return self.paths[0]

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        state = "held" if self.is_held else "released"
        return f"<Hold of {', '.join(map(str, self.paths))}: {state}>"

    @property
    def is_held(self) -> bool:
        """Whether it was not released; always False in a forked child, which holds nothing."""
        with self._lock:
            return self._handle is not None and fc.fc_hold_is_held(self._handle) != 0

    @contextlib.contextmanager
    def borrowed(self) -> Iterator[Optional[int]]:
        """Its handle, which is not freed meanwhile; None if it was released."""
        with self._lock:
            yield self._handle

    @property
    def environment(self) -> Dict[str, str]:
        """Variables for a child that works under the hold, beside its own."""
        return dict(self._environment)

    def moved(self, old: Path, new: Path) -> None:
        """Says that an item was moved while it is held, so that presenters follow it."""
        slot = ErrorSlot()
        with self._lock:
            if self._handle is None:
                raise ValueError("the access was released")
            code = fc.fc_hold_item_moved(self._handle, encoded(old), encoded(new), slot.place)
        if code:
            raise slot.error()

    def token(self, index: int = 0) -> str:
        """Which state of an item was seen: of one to read, that when access was granted; of one to
        write, the present one."""
        token, slot = ctypes.create_string_buffer(TOKEN_SIZE), ErrorSlot()
        with self._lock:
            if self._handle is None:
                raise ValueError("the access was released")
            code = fc.fc_hold_token(self._handle, index, token, slot.place)
        if code:
            raise slot.error()
        return token.value.decode()

    def replace(
        self, contents: Optional[bytes], index: int = 0, *, seen: Optional[str] = None
    ) -> Optional[str]:
        """Puts new contents in the place of a file that is held for writing, in one step.

        Mode, owner, lists and attributes are kept. None removes the file. `seen` is the state in
        which it must be, or `Stale` is raised and it is as it was. Returns the token of what was
        left; None if the name leads elsewhere by now.
        """
        token, slot = ctypes.create_string_buffer(TOKEN_SIZE), ErrorSlot()
        data = None if contents is None else bytes(contents)
        demanded = None if seen is None else seen.encode()
        with self._lock:
            if self._handle is None:
                raise ValueError("the access was released")
            code = fc.fc_hold_replace(
                self._handle, index, demanded, data, len(data or b""), token, slot.place
            )
        if code:
            raise slot.error()
        return token.value.decode() or None

    def release(self) -> None:
        """Releases it; more than once has no effect. Never waits."""
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is not None:
            fc.fc_end(handle)

    def __enter__(self) -> "Hold":
        inside.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        inside.leave(self)
        self.release()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.release()
