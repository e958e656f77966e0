# SPDX-License-Identifier: Apache-2.0
"""Puts our plugs into every Python process of an environment, before it imports anything else.

`run` has it called as Python starts, because the suites start processes of their own.
"""

import fcntl
import os

#: The package, and whether it is `shipped` or `alone`; None in a process that has no plug.
package = mode = None
#: How many locks this process has asked a plug for.
count = 0


def begin(name, kind, runtime_directory):
    """Plugs the package; with `alone`, nothing but our access locks."""
    global package, mode
    if package is not None:
        return
    # Some processes of the suites start with an empty environment.
    os.environ.setdefault("FILECOORDINATION_RUNTIME_DIR", runtime_directory)
    os.environ.setdefault("FILECOORDINATIOND", "")
    if kind == "alone":
        fcntl.flock = _Nothing()
    {"portalocker": _plug_portalocker, "filelock": _plug_filelock}[name]()
    package, mode = name, kind


class _Nothing:
    """In the place of flock(2); no function, which a class would take for a method."""

    def __call__(self, descriptor, operation):
        """Checks the descriptor, and locks nothing."""
        fcntl.fcntl(descriptor, fcntl.F_GETFD)


def _counted(function):
    def call(*arguments):
        global count
        count += 1
        return function(*arguments)

    return call


def _plug_portalocker():
    from filecoordination.plugs import CoordinatedLocker, use_in_portalocker

    CoordinatedLocker.lock = _counted(CoordinatedLocker.lock)
    use_in_portalocker()


def _plug_filelock():
    import filelock
    from filecoordination.plugs import AsyncCoordinatedFileLock, CoordinatedFileLock

    CoordinatedFileLock._acquire = _counted(CoordinatedFileLock._acquire)
    filelock.FileLock = filelock.UnixFileLock = CoordinatedFileLock
    filelock.AsyncFileLock = filelock.AsyncUnixFileLock = AsyncCoordinatedFileLock
