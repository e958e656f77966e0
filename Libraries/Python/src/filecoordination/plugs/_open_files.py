# SPDX-License-Identifier: Apache-2.0
"""Access that belongs to an open file, and ends when the file is closed, as that of flock(2) does.

Many programs never unlock: they close. Python does not tell us so, but the kernel does, by inotify.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import threading
from typing import Dict, NamedTuple, Optional, Tuple

from .._hold import Hold

_libc = ctypes.CDLL(None, use_errno=True)
_IN_CLOSE = 0x8 | 0x10  # by a writer, by a reader


def _checked(result: int) -> int:
    """What a function of C returned, unless that says that it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _mark(descriptor: int) -> None:
    """Marks an open file, so that a later one with the same number can be told from it.

    The mark is that SIGIO, which nobody has asked for, would come with details. It stays: another
    process that inherited the file may have marked it, too.
    """
    if fcntl.fcntl(descriptor, fcntl.F_GETSIG) == 0:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGIO)


def _identity(descriptor: int) -> Optional[Tuple[int, int, int]]:
    """Which file a descriptor is of, and its mark; None if it is closed."""
    try:
        status = os.fstat(descriptor)
        return status.st_dev, status.st_ino, fcntl.fcntl(descriptor, fcntl.F_GETSIG)
    except OSError:
        return None


class _Entry(NamedTuple):
    hold: Hold
    is_writing: bool
    identity: Optional[Tuple[int, int, int]]
    watch: int


class OpenFiles:
    """What is held for which descriptor. May be used on any thread; a forked child has none."""

    def __init__(self) -> None:
        self._entries: Dict[int, _Entry] = {}
        self._inotify: Optional[int] = None
        # The garbage collector may unlock another file inside of any method of this.
        self._lock = threading.RLock()
        os.register_at_fork(after_in_child=self._forget)

    def is_writing(self, descriptor: int) -> Optional[bool]:
        """How its file is accessed; None if it is not."""
        with self._lock:
            entry = self._entries.get(descriptor)
        return None if entry is None else entry.is_writing

    def keep(self, descriptor: int, hold: Hold, is_writing: bool) -> None:
        """Keeps access until `release`, or until the file is closed."""
        with self._lock:
            _mark(descriptor)
            path = b"/proc/self/fd/%d" % descriptor
            watch = _checked(_libc.inotify_add_watch(self._started(), path, _IN_CLOSE))
            self._entries[descriptor] = _Entry(hold, is_writing, _identity(descriptor), watch)

    def release(self, descriptor: int) -> None:
        """Ends the access of a descriptor's file; without one it does nothing."""
        with self._lock:
            entry = self._entries.pop(descriptor, None)
            if entry is None:
                return
            if all(other.watch != entry.watch for other in self._entries.values()):
                # Fails if the file is gone, and its watch with it.
                _libc.inotify_rm_watch(self._inotify, entry.watch)
        entry.hold.release()

    def release_closed(self) -> None:
        """Ends the access of each file that is closed."""
        with self._lock:
            for descriptor, entry in list(self._entries.items()):
                if entry.identity != _identity(descriptor):
                    self.release(descriptor)

    def _started(self) -> int:
        """The inotify instance, which a thread reads."""
        if self._inotify is None:
            self._inotify = _checked(_libc.inotify_init1(os.O_CLOEXEC))
            arguments = (self._inotify,)
            try:
                threading.Thread(target=self._follow, args=arguments, daemon=True).start()
            except RuntimeError:
                pass  # the interpreter ends, and with it all that is held
        return self._inotify

    def _follow(self, inotify: int) -> None:
        """Ends access as files are closed; runs for as long as the process."""
        while True:
            os.read(inotify, 4096)
            self.release_closed()

    def _forget(self) -> None:
        """In a forked child, whose parent goes on holding, and reading its inotify instance."""
        self._entries, self._lock = {}, threading.RLock()
        inotify, self._inotify = self._inotify, None
        if inotify is not None:
            os.close(inotify)
