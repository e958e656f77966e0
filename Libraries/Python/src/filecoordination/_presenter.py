# SPDX-License-Identifier: Apache-2.0
"""Presenters: being asked before other programs use a file, and told after they did."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import sys
import threading
import traceback
from typing import Any, Callable, Dict, Iterator, Optional, Set, Tuple

from . import _library as library
from ._coordinator import Coordinator, encoded_label
from ._errors import ErrorSlot
from ._library import fc
from ._options import Path, encoded


class Refusal(Exception):
    """What a presenter raises to refuse; the other program gets the text, domain and number."""

    def __init__(self, message: str, *, domain: Optional[str] = None, number: int = 1) -> None:
        super().__init__(message)
        self.domain = domain
        self.number = number


class Presenter:
    """A program's hand on a file: make a subclass, define what it needs, use it in a `with`.

    Methods that a subclass does not define are never called, which is quicker for the others. All
    are called on a thread of the presenter's own, one at a time. The methods that are questions
    answer by returning; the other program waits for that, 30 seconds at most unless
    `set_answer_limit` says otherwise. `save` and the `accommodate_` methods refuse by raising
    `Refusal`, or any other exception.
    """

    def __init__(self, path: Path, *, label: Optional[str] = None) -> None:
        self._given = encoded(path)
        self._label = encoded_label(label)
        self._handle: Optional[int] = None
        self._number = 0
        self._lock = threading.RLock()

    # Questions

    def relinquish_to_reader(self) -> None:
        """Another program is about to read: stop writing."""

    def relinquish_to_writer(self) -> None:
        """Another program is about to write: stop using the item."""

    def save(self) -> None:
        """Save what is unsaved, with `self.coordinator`."""

    def accommodate_deletion(self) -> None:
        """The item is about to be deleted: close it."""

    def accommodate_subitem_deletion(self, path: pathlib.Path) -> None:
        """An item inside is about to be deleted."""

    # News

    def reacquire_from_reader(self) -> None:
        """The reader that it made way for is done."""

    def reacquire_from_writer(self) -> None:
        """The writer that it made way for is done: look at the item again."""

    def did_move(self, path: pathlib.Path, uncoordinated: bool) -> None:
        """The item is at `path` by now."""

    def did_change(self, uncoordinated: bool) -> None:
        """The item was changed, or is gone."""

    def subitem_did_appear(self, path: pathlib.Path, uncoordinated: bool) -> None:
        """An item has come into the directory."""

    def subitem_did_change(self, path: pathlib.Path, uncoordinated: bool) -> None:
        """An item inside was changed, or is gone."""

    def subitem_did_move(
        self, old: pathlib.Path, new: pathlib.Path, uncoordinated: bool
    ) -> None:
        """An item inside was moved."""

    # Registration

    def register(self) -> None:
        """Registers it; from here on it is asked and told. Not twice."""
        with self._lock:
            if self._handle is not None:
                raise ValueError("the presenter is registered already")
            functions = _functions(self)
            number = _registered.add(self, functions)
            slot = ErrorSlot()

            def add() -> Optional[int]:
                return fc.fc_presenter_add(  # type: ignore[no-any-return]
                    self._given, ctypes.byref(functions), number, self._label, slot.place
                )

            handle = _add_interruptibly(add, number)
            if handle is None:
                _registered.remove(number)
                raise slot.error()
            self._handle, self._number = handle, number

    def remove(self) -> None:
        """Ends the registration; more than once has no effect. No method starts after this."""
        with self._lock:
            handle, self._handle = self._handle, None
            if handle is not None:
                # Where its item is stays known.
                self._given = _path_of(handle)
        if handle is not None:
            # A call that C has begun may still wait for the interpreter.
            _registered.end(self._number)
            fc.fc_presenter_remove(handle)

    def __enter__(self) -> "Presenter":
        self.register()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    @contextlib.contextmanager
    def registered(self) -> Iterator[int]:
        """Its handle, which is not freed meanwhile."""
        with self._lock:
            if self._handle is None:
                raise ValueError("the presenter is not registered")
            yield self._handle

    @property
    def path(self) -> pathlib.Path:
        """Where its item is by now; once it is removed, where the item was then."""
        with self._lock:
            if self._handle is None:
                return pathlib.Path(os.fsdecode(self._given))
            return pathlib.Path(os.fsdecode(_path_of(self._handle)))

    @property
    def coordinator(self) -> Coordinator:
        """A coordinator for accesses of its own, about which it is not asked."""
        return Coordinator(presenter=self)


def _path_of(handle: int) -> bytes:
    """Where the item of a registered presenter is by now."""
    length = fc.fc_presenter_path(handle, None, 0)
    while True:
        buffer = ctypes.create_string_buffer(length + 1)
        known = fc.fc_presenter_path(handle, buffer, len(buffer))
        if known <= length:
            return buffer.value
        length = known


class _Registered:
    """The presenters that C may call, by the number that it hands back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._known: Dict[int, Tuple[Presenter, library.PresenterCallbacks]] = {}
        # Those that are removed, and that C may still be about to call.
        self._ended: Set[int] = set()

    def add(self, presenter: Presenter, functions: library.PresenterCallbacks) -> int:
        with self._lock:
            self._last += 1
            self._known[self._last] = (presenter, functions)
            return self._last

    def end(self, number: int) -> None:
        with self._lock:
            if number in self._known:
                self._ended.add(number)

    def remove(self, number: Optional[int]) -> None:
        with self._lock:
            self._known.pop(number or 0, None)
            self._ended.discard(number or 0)

    def presenter(self, number: Optional[int]) -> Optional[Presenter]:
        """The presenter to call; None if it is removed."""
        with self._lock:
            return None if number in self._ended else self._known[number or 0][0]


_registered = _Registered()


def _add_interruptibly(add: Callable[[], Optional[int]], number: int) -> Optional[int]:
    """Registers a presenter with C; what an exception interrupts is removed again.

    Python runs signal handlers on the main thread, between its own instructions: there C must not
    be what waits for the server.
    """
    if threading.current_thread() is not threading.main_thread() or library.is_ending:
        return add()
    lock = threading.Lock()
    handles: "list[Optional[int]]" = []
    is_abandoned = False
    is_done = threading.Event()

    def run() -> None:
        handle = add()
        with lock:
            handles.append(handle)
            if is_abandoned:
                _discard(handle, number)
        is_done.set()

    try:
        threading.Thread(target=run, daemon=True).start()
        is_done.wait()
    except BaseException:
        with lock:
            is_abandoned = True
            # Until C knows that it is gone, it asks nothing of the program.
            _registered.end(number)
            if handles:
                _discard(handles[0], number)
        raise
    return handles[0]


def _discard(handle: Optional[int], number: int) -> None:
    if handle is None:
        return _registered.remove(number)
    _registered.end(number)
    fc.fc_presenter_remove(handle)


def _answer(answer: int, number: int, name: str, arguments: Tuple[Any, ...]) -> None:
    """Asks a presenter, and answers for it, whatever it does: others wait for the answer."""
    presenter = _registered.presenter(number)
    if presenter is None:
        return fc.fc_answer_done(answer)  # type: ignore[no-any-return]
    try:
        getattr(presenter, name)(*arguments)
    except Refusal as refusal:
        _refuse(answer, refusal.domain, refusal.number, refusal)
    except BaseException as error:  # a presenter that fails, or exits, has not made way
        if _registered.presenter(number) is None:  # but one that was removed has
            return fc.fc_answer_done(answer)  # type: ignore[no-any-return]
        _refuse(answer, type(error).__name__, 1, error)
        with contextlib.suppress(Exception):  # standard error may be closed
            traceback.print_exc(file=sys.stderr)
    else:
        fc.fc_answer_done(answer)


def _refuse(answer: int, domain: Optional[str], number: int, error: BaseException) -> None:
    """Refuses with what an error says, or in other words if it cannot say it."""
    try:
        words = (
            None if domain is None else domain.encode("utf-8", "replace"),
            int(number),
            str(error).encode("utf-8", "replace"),
        )
    except Exception:  # the text or the number is the program's own code
        words = (None, 1, b"the presenter refuses, and cannot say why")
    fc.fc_answer_refuse(answer, *words)


def _path(name: bytes) -> pathlib.Path:
    return pathlib.Path(os.fsdecode(name))


def _ask(name: str) -> Callable[..., None]:
    def ask(_: int, answer: int, number: int) -> None:
        _answer(answer, number, name, ())

    return ask


def _ask_about(name: str) -> Callable[..., None]:
    def ask(_: int, path: bytes, answer: int, number: int) -> None:
        _answer(answer, number, name, (_path(path),))

    return ask


def _tell(name: str) -> Callable[..., None]:
    def tell(_: int, *rest: Any) -> None:
        # The context comes last, and the flags before it where there are any.
        *paths, number = rest
        uncoordinated = [bool(value & 1) for value in paths if isinstance(value, int)]
        names = [_path(value) for value in paths if isinstance(value, bytes)]
        presenter = _registered.presenter(number)
        if presenter is not None:
            getattr(presenter, name)(*names, *uncoordinated)

    return tell


# The functions of each kind are made once: C may call them for as long as the process lives.
_KINDS: Dict[Any, Callable[[str], Callable[..., None]]] = {
    library.Ask: _ask,
    library.AskAbout: _ask_about,
    library.Tell: _tell,
    library.TellFlags: _tell,
    library.TellPath: _tell,
    library.TellPaths: _tell,
}
_FUNCTIONS = {
    field[0]: field[1](_KINDS[field[1]](field[0]))
    for field in library.PresenterCallbacks._fields_
    if field[1] in _KINDS
}
_REMOVED = library.Removed(_registered.remove)


def _functions(presenter: Presenter) -> library.PresenterCallbacks:
    """What a presenter's class defines; a reacquirer needs its question to be asked at all."""
    functions = library.PresenterCallbacks()
    functions.size = ctypes.sizeof(functions)
    functions.removed = _REMOVED
    for name, function in _FUNCTIONS.items():
        if getattr(type(presenter), name) is not getattr(Presenter, name):
            setattr(functions, name, function)
    for kind in ("reader", "writer"):
        if getattr(functions, f"reacquire_from_{kind}"):
            setattr(functions, f"relinquish_to_{kind}", _FUNCTIONS[f"relinquish_to_{kind}"])
    return functions


def set_answer_limit(seconds: Optional[float]) -> None:
    """How long presenters that are registered later may take to answer; None: without bound."""
    fc.fc_set_answer_limit(-1.0 if seconds is None else float(seconds))
