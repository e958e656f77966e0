# SPDX-License-Identifier: Apache-2.0
"""A process that tests drive through pipes, in Python; peer.c is the same in C."""

import os
import sys
import time

import filecoordination


class Printing(filecoordination.Presenter):
    """Prints what it is told."""

    def relinquish_to_reader(self):
        say("relinquish_to_reader")

    def relinquish_to_writer(self):
        say("relinquish_to_writer")

    def reacquire_from_reader(self):
        say("reacquire_from_reader")

    def reacquire_from_writer(self):
        say("reacquire_from_writer")

    def did_move(self, path, uncoordinated):
        say(f"did_move {path} {int(uncoordinated)}")

    def did_change(self, uncoordinated):
        say(f"did_change {int(uncoordinated)}")

    def subitem_did_appear(self, path, uncoordinated):
        say(f"subitem_did_appear {path} {int(uncoordinated)}")


class Refusing(Printing):
    """Does not let its item be deleted."""

    def accommodate_deletion(self):
        say("accommodate_deletion")
        raise filecoordination.Refusal("it is needed", domain="peer", number=7)


class Saving(Printing):
    """Saves its text when it is asked to."""

    text = ""

    def accommodate_deletion(self):
        say("accommodate_deletion")

    def save(self):
        say(f"save {self.path}")
        with filecoordination.writing(self.path, timeout=10, coordinator=self.coordinator) as item:
            item.path.write_text(self.text)


def say(line):
    print(line, flush=True)


def hold(kind, seconds, *paths):
    wanted = filecoordination.Reading if kind == "read" else filecoordination.Writing
    timeout = float(seconds)
    request = filecoordination.accessing(
        *map(wanted, paths), timeout=None if timeout < 0 else timeout
    )
    with request as held:
        say(" ".join(["granted", *map(str, held.paths)]))
        sys.stdin.read()
    say("released")


def add(path, count):
    for _ in range(int(count)):
        with filecoordination.writing(path) as item:
            number = int(item.path.read_text())
            time.sleep(0.0002)
            item.path.write_text(f"{number + 1}\n")


def move(source, target):
    with filecoordination.accessing(
        filecoordination.Writing(source, filecoordination.Write.FOR_MOVING),
        filecoordination.Writing(target, filecoordination.Write.FOR_REPLACING),
    ) as held:
        os.rename(held.paths[0], held.paths[1])
        held.moved(source, target)


def present(path, text=None):
    presenter = (Refusing if text is None else Saving)(path, label="a peer in Python")
    presenter.text = text
    with presenter:
        say("registered")
        sys.stdin.read()
    say("removed")


if __name__ == "__main__":
    command = {"hold": hold, "add": add, "move": move, "present": present}[sys.argv[1]]
    try:
        command(*sys.argv[2:])
    except filecoordination.CoordinationError as error:
        say(f"error {error.code} {error}")
        for holder in error.holders:
            say(f"holder {holder.pid}")
        sys.exit(1)
