# SPDX-License-Identifier: Apache-2.0
"""The plugs for portalocker and filelock, together with filecoord and with programs that have none.

Those that need one of the packages are skipped without it; ../test runs them in the environment
into which it installs the wheel. `Plugs/run` runs the packages' own tests.
"""

import asyncio
import errno
import fcntl
import importlib.util
import os
import re
import signal
import subprocess
import sys
import threading
import unittest

import filecoordination
import filecoordination.plugs
from filecoordination import Reading, Writing, accessing, reading, writing
from filecoordination.plugs._attempt import attempt
from filecoordination.plugs._open_files import OpenFiles
from support import HERE, PATIENCE, CoordinationTestCase

HAS_PORTALOCKER = importlib.util.find_spec("portalocker") is not None
HAS_FILELOCK = importlib.util.find_spec("filelock") is not None

# Locks like a program that has no plug, until its input ends.
FLOCK = (
    "import fcntl, sys\n"
    "file = open(sys.argv[1], 'r+')\n"
    "fcntl.flock(file, fcntl.LOCK_EX)\n"
    "print('locked', flush=True)\n"
    "sys.stdin.read()\n"
)
PORTALOCKER = (
    "import sys, portalocker\n"
    "from filecoordination.plugs import use_in_portalocker\n"
    "use_in_portalocker()\n"
    "file = open(sys.argv[1], 'r+')\n"
    "portalocker.lock(file, portalocker.LOCK_EX)\n"
    "print('locked', flush=True)\n"
    "sys.stdin.read()\n"
)
FILELOCK = (
    "import sys\n"
    "from filecoordination.plugs import CoordinatedFileLock\n"
    "lock = CoordinatedFileLock(sys.argv[1])\n"
    "lock.acquire()\n"
    "print('locked', flush=True)\n"
    "sys.stdin.read()\n"
)


class PlugTestCase(CoordinationTestCase):
    def assertFree(self, kind=Writing):
        """That access is had, without a limit that could be reached but by a hang."""
        with accessing(kind(self.file), timeout=PATIENCE):
            pass

    def assertHeld(self, pid, kind=Writing):
        """That access is not had, because of this process."""
        with self.assertRaises(filecoordination.TimedOut) as caught:
            attempt(kind(self.file))
        self.assertEqual([holder.pid for holder in caught.exception.holders], [pid])

    def locked(self, code):
        """A process that has locked the file by this program."""
        process = self.start([sys.executable, "-c", code, self.file])
        self.assertEqual(process.line(), "locked")
        return process

    def failure(self, work):
        """What a call raises, with all that its frames refer to."""
        try:
            work()
        except Exception as error:
            return error
        self.fail("nothing was raised")

    def in_child(self, work):
        """Runs in a forked child; returns whether it was true there."""
        child = os.fork()
        if child == 0:
            result = False
            try:
                result = work()
            finally:
                os._exit(0 if result else 1)
        return os.waitpid(child, 0)[1] == 0


class ImportTests(unittest.TestCase):
    def said(self, package, code, module=None):
        """The last line of a program's errors, for which a package is something else."""
        code = f"import sys, types; sys.modules[{package!r}] = {module}\n{code}"
        result = subprocess.run(
            [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=False
        )
        return result.stderr.strip().splitlines()[-1] if result.returncode else "done"

    def test_a_package_that_is_missing_or_old_is_named(self):
        for package, name in [
            ("filelock", "CoordinatedFileLock"),
            ("filelock", "AsyncCoordinatedFileLock"),
            ("portalocker", "use_in_portalocker"),
            ("portalocker", "CoordinatedLocker"),
        ]:
            with self.subTest(name):
                code = f"from filecoordination.plugs import {name}"
                said = f"ImportError: filecoordination.plugs.{name} needs {package} 4 or later, "
                help = f": pip install '{package}>=4'"
                self.assertEqual(self.said(package, code), f"{said}and there is none{help}")
                old = "types.SimpleNamespace(__version__='3.2.0')"
                self.assertEqual(self.said(package, code, old), f"{said}and there is 3.2.0{help}")

    def test_neither_is_imported_before_it_is_asked_for(self):
        code = (
            "import filecoordination.plugs\n"
            "assert not {'filelock', 'portalocker'} & set(sys.modules)"
        )
        self.assertEqual(self.said("nothing", code), "done")

    def test_there_is_no_plug_for_others(self):
        with self.assertRaises(AttributeError):
            filecoordination.plugs.use_in_fasteners
        self.assertEqual(set(filecoordination.plugs.__all__), set(filecoordination.plugs._PACKAGES))


class AttemptTests(PlugTestCase):
    def test_what_is_free_is_had_by_a_program_that_finds_no_server(self):
        code = (
            "import sys, filecoordination\n"
            "from filecoordination.plugs._attempt import attempt\n"
            "print(attempt(filecoordination.Writing(sys.argv[1])).is_held)\n"
        )
        runtime = self.directory / "run"
        runtime.mkdir(mode=0o700)
        environment = {**os.environ, "FILECOORDINATION_RUNTIME_DIR": str(runtime)}
        process = self.start([sys.executable, "-c", code, self.file], env=environment)
        self.assertEqual(process.rest(), ["True"])

    def test_what_is_held_names_the_holder(self):
        holder = self.holder("filecoord", "read", self.file)
        attempt(Reading(self.file)).release()
        with self.assertRaises(filecoordination.TimedOut) as caught:
            attempt(Writing(self.file))
        self.assertEqual([one.pid for one in caught.exception.holders], [holder.pid])


class OpenFilesTests(PlugTestCase):
    def kept(self, files):
        """An open file, the access to which is kept for it."""
        file = self.file.open()
        self.addCleanup(file.close)
        files.keep(file.fileno(), writing(self.file).acquire(), True)
        return file

    def test_access_ends_when_the_file_is_closed(self):
        file = self.kept(OpenFiles())
        self.assertHeld(os.getpid())
        file.close()
        self.assertFree()

    def test_a_duplicate_keeps_it(self):
        file = self.kept(OpenFiles())
        duplicate = os.dup(file.fileno())
        file.close()
        self.assertHeld(os.getpid())
        os.close(duplicate)
        self.assertFree()

    def test_another_open_file_with_the_same_number_has_none(self):
        files = OpenFiles()
        file = self.kept(files)
        number = file.fileno()
        # So that nothing but the mark tells the two apart.
        waiting = os.dup(number)
        self.addCleanup(os.close, waiting)
        file.close()
        with self.file.open() as other:
            self.assertEqual(other.fileno(), number)
            self.assertTrue(files.is_writing(number))
            files.release_closed()
            self.assertIsNone(files.is_writing(number))
        self.assertFree()

    def test_a_forked_child_has_none_and_ends_none(self):
        files = OpenFiles()
        file = self.kept(files)

        def work():
            if files.is_writing(file.fileno()) is not None:
                return False
            files.release(file.fileno())
            file.close()
            with self.file.open() as own:
                # Its own are followed by a thread of its own.
                other = writing(self.directory / "other").acquire()
                files.keep(own.fileno(), other, True)
            with writing(self.directory / "other", timeout=PATIENCE):
                return True

        self.assertTrue(self.in_child(work))
        self.assertHeld(os.getpid())
        files.release(file.fileno())
        self.assertFree()

    def test_a_file_that_is_deleted_and_closed_is_free(self):
        file = self.kept(OpenFiles())
        self.file.unlink()
        self.assertHeld(os.getpid())
        file.close()
        self.assertFree()


@unittest.skipUnless(HAS_PORTALOCKER, "portalocker is not installed")
class PortalockerTests(PlugTestCase):
    def setUp(self):
        super().setUp()
        global portalocker
        import portalocker

        before = portalocker.portalocker.LOCKER
        self.addCleanup(setattr, portalocker.portalocker, "LOCKER", before)
        filecoordination.plugs.use_in_portalocker()

    def open(self):
        file = self.file.open("r+")
        self.addCleanup(file.close)
        return file

    def lock(self, file, *flags):
        """Locks without waiting."""
        combined = portalocker.LOCK_NB
        for flag in flags:
            combined |= flag
        portalocker.lock(file, combined)

    def test_exclusive_writes_and_shared_reads(self):
        file = self.open()
        self.lock(file, portalocker.LOCK_EX)
        self.assertHeld(os.getpid(), Reading)
        # Unlocks on the way.
        self.lock(file, portalocker.LOCK_SH)
        self.assertFree(Reading)
        self.assertHeld(os.getpid())
        portalocker.unlock(file)
        self.assertFree()

    def test_a_holder_of_ours_is_in_the_way_and_named(self):
        holder = self.holder("filecoord", "read", self.file)
        file = self.open()
        self.lock(file, portalocker.LOCK_SH)
        with self.assertRaises(portalocker.AlreadyLocked) as caught:
            self.lock(self.open(), portalocker.LOCK_EX)
        self.assertEqual(caught.exception.args[0].errno, errno.EAGAIN)
        self.assertIn(caught.exception.holder_pid, (holder.pid, os.getpid()))
        self.assertIsInstance(caught.exception.__cause__, filecoordination.TimedOut)

    def test_a_lock_that_may_wait_does(self):
        holder = self.holder("filecoord", "write", self.file)
        file = self.open()
        thread = threading.Thread(target=portalocker.lock, args=(file, portalocker.LOCK_EX))
        thread.start()
        self.await_waiting(self.file)
        holder.end_input()
        thread.join(PATIENCE)
        self.assertHeld(os.getpid())

    def test_two_descriptors_exclude_each_other_in_one_process(self):
        one, two = self.open(), self.open()
        self.lock(one, portalocker.LOCK_EX)
        self.lock(one.fileno(), portalocker.LOCK_EX)  # the same lock
        for other in (two, os.dup(one.fileno())):
            with self.assertRaises(portalocker.AlreadyLocked):
                self.lock(other, portalocker.LOCK_EX)
        os.close(other)
        portalocker.unlock(one.fileno())
        self.lock(two, portalocker.LOCK_EX)

    def test_closing_unlocks_at_once(self):
        for _ in range(20):
            with self.file.open() as one:
                self.lock(one, portalocker.LOCK_EX)
            with self.file.open() as one, self.file.open() as two:
                self.lock(two, portalocker.LOCK_EX)
                self.assertRaises(portalocker.AlreadyLocked, self.lock, one, portalocker.LOCK_SH)
        self.assertFree()

    def test_another_file_with_the_number_of_a_closed_one_is_locked(self):
        file = self.open()
        self.lock(file, portalocker.LOCK_EX)
        number = file.fileno()
        # The kernel does not tell of a closing yet.
        self.addCleanup(os.close, os.dup(number))
        file.close()
        self.file = self.directory / "other"
        with self.file.open("w") as other:
            self.assertEqual(other.fileno(), number)
            self.lock(other, portalocker.LOCK_EX)
            self.assertHeld(os.getpid())

    def test_the_death_of_the_holder_unlocks(self):
        holder = self.locked(PORTALOCKER)
        self.assertHeld(holder.pid)
        with self.assertRaises(portalocker.AlreadyLocked) as caught:
            self.lock(self.open(), portalocker.LOCK_EX)
        self.assertEqual(caught.exception.holder_pid, holder.pid)
        holder.signal(signal.SIGKILL)
        portalocker.lock(self.open(), portalocker.LOCK_EX)

    def test_a_forked_child_holds_nothing_and_frees_nothing_of_ours(self):
        file = self.open()
        self.lock(file, portalocker.LOCK_EX)

        def work():
            try:
                self.lock(file, portalocker.LOCK_EX)
            except portalocker.AlreadyLocked as error:
                portalocker.unlock(file)
                return error.holder_pid == os.getppid()
            return False

        self.assertTrue(self.in_child(work))
        self.assertHeld(os.getpid())

    def test_unlocking_what_is_not_locked(self):
        file = self.open()
        portalocker.unlock(file)
        self.lock(file, portalocker.LOCK_EX)
        portalocker.unlock(file)
        portalocker.unlock(file)
        number = os.dup(file.fileno())
        os.close(number)
        with self.assertRaises(portalocker.LockException) as caught:
            portalocker.unlock(number)
        self.assertEqual(caught.exception.__cause__.errno, errno.EBADF)

    def test_a_program_without_a_plug_is_respected(self):
        holder = self.locked(FLOCK)
        file = self.open()
        error = self.failure(lambda: self.lock(file, portalocker.LOCK_EX))
        self.assertIsInstance(error, portalocker.AlreadyLocked)
        self.assertFree()  # nothing is left of the attempt
        holder.end_input()
        portalocker.lock(file, portalocker.LOCK_EX)
        with self.open() as other, self.assertRaises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def test_the_place_of_a_deleted_file_is_locked(self):
        file = self.open()
        self.file.unlink()
        self.lock(file, portalocker.LOCK_EX)
        self.assertHeld(os.getpid())

    def test_failures_that_no_waiting_mends(self):
        file = self.open()
        with writing(self.file):
            for flags in (portalocker.LOCK_EX, portalocker.LOCK_EX | portalocker.LOCK_NB):
                with self.assertRaises(portalocker.LockException) as caught:
                    portalocker.lock(file, flags)
                self.assertNotIsInstance(caught.exception, portalocker.AlreadyLocked)
                self.assertIsInstance(caught.exception.__cause__, filecoordination.Deadlock)
        ends = os.pipe()
        with self.assertRaisesRegex(portalocker.LockException, "has a path"):
            self.lock(ends[0], portalocker.LOCK_EX)
        for end in ends:
            os.close(end)


@unittest.skipUnless(HAS_FILELOCK, "filelock is not installed")
class FileLockTests(PlugTestCase):
    def setUp(self):
        super().setUp()
        global filelock
        import filelock

    def lock(self, **options):
        return filecoordination.plugs.CoordinatedFileLock(self.file, **options)

    def test_it_writes_under_coordination(self):
        with self.lock() as lock:
            self.assertTrue(lock.is_locked)
            self.assertHeld(os.getpid(), Reading)
            with lock:
                pass
            self.assertHeld(os.getpid())
        self.assertFree()

    def test_a_holder_of_ours_is_in_the_way(self):
        holder = self.holder("filecoord", "read", self.file)
        with self.assertRaises(filelock.Timeout):
            self.lock(blocking=False).acquire()
        with self.assertRaises(filelock.Timeout):
            self.lock(timeout=0.1).acquire()
        self.assertEqual(self.file.read_text(), "content")
        holder.end_input()
        with self.lock(timeout=PATIENCE):
            pass

    def test_two_of_one_process_exclude_each_other(self):
        one, two = self.lock(), self.lock(blocking=False)
        with one:
            self.assertRaises(filelock.Timeout, two.acquire)
        with two:
            self.assertRaises(filelock.Timeout, one.acquire, blocking=False)

    def test_what_is_forgotten_is_released(self):
        lock = self.lock()
        lock.acquire()
        del lock
        self.assertFree()

    def test_the_death_of_the_holder_unlocks(self):
        holder = self.locked(FILELOCK)
        self.assertHeld(holder.pid)
        holder.signal(signal.SIGKILL)
        with self.lock(timeout=PATIENCE):
            pass

    def test_a_forked_child_has_no_lock(self):
        lock = self.lock()

        def work():
            if lock.is_locked:
                return False
            try:
                self.lock(blocking=False).acquire()
            except filelock.Timeout:
                return True
            return False

        with lock:
            self.assertTrue(self.in_child(work))
            self.assertHeld(os.getpid())

    def test_a_program_without_a_plug_is_respected(self):
        holder = self.locked(FLOCK)
        with self.assertRaises(filelock.Timeout):
            self.lock(blocking=False).acquire()
        self.assertFree()  # nothing is left of the attempt
        holder.end_input()
        with self.lock(timeout=PATIENCE), self.assertRaises(filelock.Timeout):
            filelock.FileLock(self.file, blocking=False).acquire()

    def test_failures_that_no_waiting_mends(self):
        with writing(self.file), self.assertRaises(filecoordination.Deadlock):
            self.lock().acquire()
        for path, number in [("", errno.EINVAL), (self.directory, errno.EISDIR)]:
            error = self.failure(filecoordination.plugs.CoordinatedFileLock(path).acquire)
            self.assertEqual(error.errno, number)
        # Nothing is left of the attempt.
        with writing(self.directory, timeout=PATIENCE):
            pass

    def test_tasks_take_turns(self):
        self.file.with_name("number").write_text("0")

        async def add():
            for _ in range(5):
                lock = filecoordination.plugs.AsyncCoordinatedFileLock(
                    self.file, poll_interval=0.001
                )
                async with lock:
                    number = int(self.file.with_name("number").read_text())
                    await asyncio.sleep(0)
                    self.file.with_name("number").write_text(str(number + 1))

        async def work():
            await asyncio.gather(*[add() for _ in range(4)])

        asyncio.run(work())
        self.assertEqual(self.file.with_name("number").read_text(), "20")


class RecipeTests(PlugTestCase):
    """The recipes of the package's page, run as they stand there."""

    def recipe(self, package):
        """What the listing that uses a package defines."""
        if importlib.util.find_spec(package) is None:
            self.skipTest(f"{package} is not installed")
        page = (HERE.parent / "Python" / "README.md").read_text()
        listings = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        code = [listing for listing in listings if package in listing]
        self.assertEqual(len(code), 1)
        names = {}
        exec(code[0], names)
        return names

    def test_a_cache_of_botocore(self):
        kind = self.recipe("botocore")["CoordinatedCache"]
        cache = kind(working_dir=str(self.directory))
        cache["key"] = {"value": 1}
        with reading(self.directory / "key.json"):
            self.assertEqual(cache["key"], {"value": 1})
            with self.assertRaises(filecoordination.Deadlock):
                cache["key"] = {"value": 2}
        self.assertRaises(KeyError, cache.__getitem__, "other")

    def test_a_token_cache_of_msal(self):
        token_cache = self.recipe("msal")["token_cache"]
        self.file.unlink()
        account = {"home_account_id": "a", "environment": "b", "realm": "c"}
        for expected in (0, 1):
            with token_cache(self.file) as cache:
                self.assertRaises(filecoordination.Deadlock, attempt, Reading(self.file))
                found = list(cache.search(cache.CredentialType.ACCOUNT))
                self.assertEqual(len(found), expected)
                if not found:
                    cache.modify(cache.CredentialType.ACCOUNT, account, {"username": "d"})
        self.assertIn("home_account_id", self.file.read_text())
