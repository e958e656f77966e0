# SPDX-License-Identifier: Apache-2.0
"""What was seen of a file, and changes that overwrite nothing unseen."""

from __future__ import annotations

import asyncio
import ctypes
import inspect
from typing import Awaitable, Callable, Optional, Tuple, Union

from ._access import writing
from ._coordinator import Coordinator
from ._errors import ErrorSlot, Stale
from ._hold import Hold
from ._library import TOKEN_SIZE, fc
from ._options import Path, Write, encoded

_NO_FOLLOW = 0x20
_DIGEST = 0x100

Transform = Callable[[Optional[bytes]], Optional[bytes]]
AsyncTransform = Callable[[Optional[bytes]], Union[Optional[bytes], Awaitable[Optional[bytes]]]]


def token(path: Path, *, digest: bool = False, follow: bool = True) -> str:
    """Which state of an item is to be seen now, as a text that can be stored. Take it before you
    read.

    With `digest` it has a digest of the contents: then equal contents count as unchanged. A final
    symbolic link is followed, unless `follow` is False. Never waits for another program.
    """
    found, slot = ctypes.create_string_buffer(TOKEN_SIZE), ErrorSlot()
    options = (_DIGEST if digest else 0) | (0 if follow else _NO_FOLLOW)
    if fc.fc_token(encoded(path), options, found, slot.place):
        raise slot.error()
    return found.value.decode()


def is_current(seen: str, path: Path, *, follow: bool = True) -> bool:
    """Whether an item is still as it was seen."""
    slot = ErrorSlot()
    options = 0 if follow else _NO_FOLLOW
    if fc.fc_token_check(encoded(path), options, seen.encode(), slot.place):
        error = slot.error()
        if isinstance(error, Stale):
            return False
        raise error
    return True


def update(
    path: Path,
    transform: Transform,
    *,
    timeout: Optional[float] = None,
    only_if: Optional[str] = None,
    coordinator: Optional[Coordinator] = None,
) -> Optional[str]:
    """Changes a file: `transform` gets its contents, None if there is no file, and returns the new
    ones, None for no file. No change of another program gets lost: presenters save first. Equal
    contents are not written.

    The new contents take the file's place in one step. An exception changes nothing. A program that
    does not coordinate may change the file meanwhile: then `Stale` is raised, and the file is as
    that has left it. Waits on this thread, `timeout` and `only_if` as for `writing`. Returns the
    token of what was left; None if the name leads elsewhere by now.
    """
    request = writing(
        path, Write.FOR_MERGING, timeout=timeout, only_if=only_if, coordinator=coordinator
    )
    with request as hold:
        seen, contents = _read(hold)
        changed = transform(contents)
        return seen if changed == contents else hold.replace(changed, seen=seen)


async def update_async(
    path: Path,
    transform: AsyncTransform,
    *,
    timeout: Optional[float] = None,
    only_if: Optional[str] = None,
    coordinator: Optional[Coordinator] = None,
) -> Optional[str]:
    """The same in a task; no thread waits. `transform` may be a coroutine function."""
    request = writing(
        path, Write.FOR_MERGING, timeout=timeout, only_if=only_if, coordinator=coordinator
    )
    async with request as hold:
        seen, contents = await asyncio.to_thread(_read, hold)
        changed = transform(contents)
        if inspect.isawaitable(changed):
            changed = await changed
        if changed == contents:
            return seen
        return await asyncio.to_thread(lambda: hold.replace(changed, seen=seen))


def _read(hold: Hold) -> Tuple[str, Optional[bytes]]:
    """What is in a held file, and the token of the state before the first byte."""
    seen = hold.token()
    try:
        return seen, hold.path.read_bytes()
    except FileNotFoundError:
        return seen, None
