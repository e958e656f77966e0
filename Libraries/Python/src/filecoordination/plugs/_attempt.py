# SPDX-License-Identifier: Apache-2.0
"""Access that is had at once, or not at all."""

from __future__ import annotations

from .._access import accessing
from .._errors import TimedOut
from .._hold import Hold
from .._options import Wanted

# In seconds. The first is as long as an answer takes, the last as long as a server takes to start
# on a busy machine. With a timeout of 0, what is free would be refused.
_TIMEOUTS = (0.02, 0.2, 2.0)


def attempt(item: Wanted) -> Hold:
    """Access to an item, unless a process is in the way: then raises `TimedOut`, which names it."""
    for timeout in _TIMEOUTS[:-1]:
        try:
            return accessing(item, timeout=timeout).acquire()
        except TimedOut as error:
            if error.holders:
                raise
    return accessing(item, timeout=_TIMEOUTS[-1]).acquire()
