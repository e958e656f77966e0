# SPDX-License-Identifier: Apache-2.0
"""For programs that lock by way of portalocker or filelock: their locks become coordinated access.

    from filecoordination.plugs import use_in_portalocker
    use_in_portalocker()                     # once; then all locks of portalocker are ours

    from filecoordination.plugs import CoordinatedFileLock
    with CoordinatedFileLock("notes.lock"):  # in the place of filelock.FileLock
        ...

Each package is imported when its plug is asked for, and has to be installed by then. A lock becomes
access to its file's path, and stays the flock(2) that it was, for programs without a plug.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._filelock import AsyncCoordinatedFileLock, CoordinatedFileLock
    from ._portalocker import CoordinatedLocker, use_in_portalocker

__all__ = [
    "AsyncCoordinatedFileLock",
    "CoordinatedFileLock",
    "CoordinatedLocker",
    "use_in_portalocker",
]

# Which package each plug is for.
_PACKAGES = {
    "AsyncCoordinatedFileLock": "filelock",
    "CoordinatedFileLock": "filelock",
    "CoordinatedLocker": "portalocker",
    "use_in_portalocker": "portalocker",
}


# Before that, portalocker takes no other locker on Linux, and filelock leaves locks to children.
_OLDEST = 4


def __getattr__(name: str) -> object:
    package = _PACKAGES.get(name)
    if package is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        version = importlib.import_module(package).__version__
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        version = None
    if version is None or int(version.split(".")[0]) < _OLDEST:
        there_is = "none" if version is None else version
        raise ImportError(
            f"{__name__}.{name} needs {package} {_OLDEST} or later, and there is {there_is}: "
            f"pip install '{package}>={_OLDEST}'",
            name=package,
        )
    return getattr(importlib.import_module(f"{__name__}._{package}"), name)
