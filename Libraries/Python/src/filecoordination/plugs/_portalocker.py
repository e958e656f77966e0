# SPDX-License-Identifier: Apache-2.0
"""portalocker's locks as coordinated access."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import Any

import portalocker
from portalocker import AlreadyLocked, LockException, LockFlags

from .._access import accessing
from .._errors import TimedOut
from .._hold import Hold
from .._options import Reading, Writing
from ._attempt import attempt
from ._open_files import OpenFiles

_files = OpenFiles()


def use_in_portalocker() -> None:
    """Makes coordinated access of all of portalocker's locks in this process, from here on.

    Call it before the first lock: one that is held already stays as it is.
    """
    portalocker.portalocker.LOCKER = CoordinatedLocker()


class CoordinatedLocker(portalocker.portalocker.FlockLocker):
    """Locks an open file by coordinated access to its path, and by flock(2) as before.

    SHARED reads, EXCLUSIVE writes. The lock belongs to the descriptor, whatever thread asked for
    it. It ends with `unlock`, with this process, or when the file is closed, at the latest by the
    last process that has inherited it. Two descriptors of one file exclude each other, also if one
    is a duplicate of the other, or is in a forked child. Locking in the other way unlocks first, as
    flock(2) does. May be used on any thread, but with one descriptor on one at a time.
    """

    def lock(self, file_obj: Any, flags: LockFlags) -> None:
        """Locks a file object or a descriptor. With NON_BLOCKING it does not wait for others.

        Raises `AlreadyLocked` if a process is in the way, with its `holder_pid` if that is known,
        and `LockException` for all else, such as a deadlock. The cause of either says more.
        """
        descriptor = self._get_fd(file_obj)
        is_writing = bool(flags & LockFlags.EXCLUSIVE)
        # What this thread has closed is free at once, and its number is that of another file.
        _files.release_closed()
        was_writing = _files.is_writing(descriptor)
        if was_writing == is_writing:
            return
        if was_writing is not None:
            self.unlock(file_obj)
        try:
            hold = _access(descriptor, is_writing, is_patient=not flags & LockFlags.NON_BLOCKING)
        except OSError as error:
            raise _failure(error, file_obj) from error
        try:
            super().lock(file_obj, flags)
            _files.keep(descriptor, hold, is_writing)
        except BaseException as error:
            hold.release()
            with contextlib.suppress(LockException):
                super().unlock(file_obj)
            if isinstance(error, OSError):
                raise _failure(error, file_obj) from error
            raise

    def unlock(self, file_obj: Any) -> None:
        """Unlocks it; has no effect if it is not locked. Never waits.

        Raises `LockException` if the descriptor is closed, or if flock(2) fails.
        """
        try:
            super().unlock(file_obj)
        finally:
            _files.release(self._get_fd(file_obj))


def _access(descriptor: int, is_writing: bool, is_patient: bool) -> Hold:
    path = _path(descriptor)
    item = Writing(path) if is_writing else Reading(path)
    return accessing(item).acquire() if is_patient else attempt(item)


def _failure(error: OSError, file_obj: Any) -> LockException:
    """An error as portalocker's, whose callers look at the number of the first argument."""
    if not isinstance(error, TimedOut):
        return LockException(error, str(error), fh=file_obj)
    refusal = BlockingIOError(errno.EAGAIN, str(error))
    holder = error.holders[0].pid if error.holders else None
    return AlreadyLocked(refusal, str(error), fh=file_obj, holder_pid=holder)


def _path(descriptor: int) -> bytes:
    """Where an open file is; where it was, if it was deleted."""
    os.fstat(descriptor)  # says that it is closed, if so
    path = os.readlink(b"/proc/self/fd/%d" % descriptor)
    if not path.startswith(b"/"):
        raise OSError(errno.EINVAL, "only a file that has a path can be locked")
    deleted = b" (deleted)"
    if path.endswith(deleted) and not os.path.lexists(path):
        path = path[: -len(deleted)]
    return path
