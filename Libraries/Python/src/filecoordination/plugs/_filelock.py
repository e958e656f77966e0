# SPDX-License-Identifier: Apache-2.0
"""filelock's locks as coordinated access."""

from __future__ import annotations

import errno
from typing import Dict

import filelock

from .._errors import BadPath, TimedOut
from .._hold import Hold
from .._options import Writing
from ._attempt import attempt

# By the descriptors of the lock files, which are open for as long.
_holds: Dict[int, Hold] = {}


class CoordinatedFileLock(filelock.UnixFileLock):
    """`filelock.FileLock`, which has its flock(2) under coordinated access to the lock file.

    It takes the same arguments, raises the same `filelock.Timeout`, is reentrant in the same way,
    and keeps its lock file, too. Two lock objects exclude each other, also in one process. A lock
    ends at the latest with its process; a forked child has none. May be used on the threads that
    `thread_local` allows.

    A failure that waiting would not mend, such as `filecoordination.Unavailable`, or
    `filecoordination.Deadlock` inside a `with` of ours, ends the wait; it is an `OSError`. Where
    the file system has no flock(2), it becomes a `filelock.SoftFileLock`, which warns of that and
    is not coordinated.
    """

    def _acquire(self) -> None:
        """Locks, unless a process is in the way: then it does nothing, and is called again."""
        try:
            hold = attempt(Writing(self.lock_file))
        except TimedOut:
            return
        except BadPath as error:
            raise OSError(errno.EINVAL, str(error), self.lock_file) from error
        try:
            super()._acquire()
        finally:
            if self.is_locked and isinstance(self, CoordinatedFileLock):
                _holds[self._context.lock_file_fd] = hold
            else:
                hold.release()

    def _release(self) -> None:
        """Unlocks. It stays locked if flock(2) fails, but not if the file cannot be closed."""
        descriptor = self._context.lock_file_fd
        hold = _holds.pop(descriptor, None)
        try:
            super()._release()
        finally:
            if self._context.lock_file_fd is None:
                hold.release()
            else:
                _holds[descriptor] = hold


class AsyncCoordinatedFileLock(CoordinatedFileLock, filelock.BaseAsyncFileLock):
    """`filelock.AsyncFileLock` in the same way."""
