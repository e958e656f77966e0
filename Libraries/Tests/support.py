# SPDX-License-Identifier: Apache-2.0
"""Real processes for the tests: peers in C and Python, and filecoord. ./test sets what is needed.

Waits are for events; the limits are reached by a hang alone.
"""

import contextlib
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILT = pathlib.Path(os.environ["FILECOORDINATION_TEST_PROGRAMS"])
FILECOORD = os.environ["FILECOORDINATION_TEST_FILECOORD"]
PRODUCT = pathlib.Path(os.environ["FILECOORDINATION_TEST_PRODUCT"])
PATIENCE = 60

PEERS = {"c": [str(BUILT / "peer")], "python": [sys.executable, str(HERE / "peer.py")]}


class Process:
    """A process, and the lines that it prints."""

    def __init__(self, command, **options):
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **options,
        )
        self.pid = self._process.pid
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self):
        """The next line; None at the end."""
        return self._lines.get(timeout=PATIENCE)

    def rest(self):
        """All lines until the end."""
        return list(iter(self.line, None))

    def has_line(self):
        """Whether there is a line by now."""
        return not self._lines.empty()

    def send_line(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def end_input(self):
        self._process.stdin.close()

    def signal(self, number):
        self._process.send_signal(number)

    def status(self):
        """Its exit status, once it has ended."""
        return self._process.wait(PATIENCE)

    def end(self):
        """Ends it, whatever it does."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                stream.close()
            except (BrokenPipeError, ValueError):
                pass


class CoordinationTestCase(unittest.TestCase):
    """A test with a directory and processes, which end with it."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="t-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name).resolve()
        self.file = self.directory / "file"
        self.file.write_text("content")

    def start(self, command, **options):
        process = Process([str(part) for part in command], **options)
        self.addCleanup(process.end)
        return process

    def peer(self, language, *arguments, **options):
        return self.start([*PEERS[language], *arguments], **options)

    def filecoord(self, *arguments, **options):
        return self.start([FILECOORD, *arguments], **options)

    def hold(self, language, kind, path, seconds=-1):
        """A process that asks for access, and holds it until its input ends."""
        if language != "filecoord":
            return self.peer(language, "hold", kind, str(seconds), path)
        limit = ["--timeout", str(seconds)] if seconds >= 0 else []
        return self.filecoord("hold", *limit, f"--{kind}", path)

    def holder(self, language, kind, path):
        """The same, and it holds it."""
        process = self.hold(language, kind, path)
        self.assertRegex(process.line(), "^granted")
        return process

    @contextlib.contextmanager
    def presenting(self, language, path, *text):
        """A process that presents an item, until the end of a `with`."""
        process = self.peer(language, "present", path, *text)
        self.assertEqual(process.line(), "registered")
        yield process
        process.end()

    def await_waiting(self, path, count=1):
        """Returns when so many claims wait for an item, as the server sees it."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            output = subprocess.run(
                [FILECOORD, "status", "--json"], capture_output=True, text=True, check=True
            ).stdout
            if output.count('"state":"waiting"') >= count and str(path) in output:
                return
            time.sleep(0.02)
        self.fail(f"no claim waits for {path}: {output}")

    def output(self, *command):
        """What a command prints, and its status."""
        process = self.start(command)
        lines = process.rest()
        return process.status(), "\n".join(lines)
