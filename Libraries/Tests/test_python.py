# SPDX-License-Identifier: Apache-2.0
"""The Python package in this process: exceptions, cancelling, interrupts, forks, presenters."""

import gc
import multiprocessing
import os
import pathlib
import signal
import sys
import threading
import time
import unittest.mock

import filecoordination
from filecoordination import Coordinator, Presenter, Read, Reading, Write, Writing
from filecoordination import accessing, reading, writing
from support import PATIENCE, CoordinationTestCase


class AccessTests(CoordinationTestCase):
    def assertFree(self):
        with writing(self.file, timeout=PATIENCE):
            pass

    def test_a_with_holds_and_releases(self):
        with writing(self.file) as item:
            self.assertTrue(item.is_held)
            self.assertEqual((item.path, item.paths), (self.file, (self.file,)))
            self.assertEqual(pathlib.Path(item).read_text(), "content")
            self.assertEqual(item.environment["FILECOORD_PATH_1"], str(self.file))
        self.assertFalse(item.is_held)
        item.release()
        self.assertRaises(ValueError, item.moved, self.file, self.file)
        self.assertFree()

    def test_an_exception_releases(self):
        with self.assertRaises(KeyError), writing(self.file):
            raise KeyError
        self.assertFree()

    def test_what_is_forgotten_is_released(self):
        request = writing(self.file)
        hold = request.acquire()
        del hold
        gc.collect()
        self.assertFree()

    def test_a_timeout_names_the_holder(self):
        # Not a `with`, which would make it a deadlock.
        hold = writing(self.file).acquire()
        with self.assertRaises(filecoordination.TimedOut) as caught:
            reading(self.file, timeout=0.05).acquire()
        hold.release()
        error = caught.exception
        self.assertIsInstance(error, TimeoutError)
        self.assertEqual(error.code, 1)
        self.assertIn(f"(pid {os.getpid()}) has held {self.file}", error.holder)
        self.assertEqual([holder.pid for holder in error.holders], [os.getpid()])
        self.assertIn(error.holder, str(error))

    def test_other_threads_wait_without_the_interpreter(self):
        results = []

        def wait():
            with writing(self.file) as item:
                results.append(item.path)

        with writing(self.file):
            threads = [threading.Thread(target=wait) for _ in range(4)]
            for thread in threads:
                thread.start()
            self.await_waiting(self.file, 4)
            self.assertEqual(results, [])
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(results, [self.file] * 4)

    def test_a_with_inside_a_with_is_a_deadlock_and_no_hang(self):
        other = self.directory / "other"
        with writing(self.file):
            with self.assertRaises(filecoordination.Deadlock) as caught:
                reading(self.file).acquire()
            self.assertIn(f"waits for {self.file}", str(caught.exception))
            self.assertIn("another access of its own has held it", str(caught.exception))
            with writing(other):
                self.assertRaises(filecoordination.Deadlock, writing(self.file).acquire)
            with writing(other):
                pass
        self.assertFree()

    def test_withs_crosswise_in_two_processes_are_a_deadlock(self):
        other = self.directory / "other"
        code = (
            "import sys, filecoordination as fc\n"
            "with fc.writing(sys.argv[1]):\n"
            "    print('granted', flush=True)\n"
            "    sys.stdin.readline()\n"
            "    with fc.writing(sys.argv[2]):\n"
            "        print('both', flush=True)\n"
        )
        first = self.start([sys.executable, "-c", code, self.file, other])
        second = self.start([sys.executable, "-c", code, other, self.file])
        for process in (first, second):
            self.assertEqual(process.line(), "granted")
        for process in (first, second):
            process.send_line()
        outputs = sorted("both" in process.rest() for process in (first, second))
        self.assertEqual(outputs, [False, True])

    def test_a_purpose_is_shared(self):
        one = Coordinator(label="a label of its own")
        two = Coordinator(purpose=one.purpose)
        hold = writing(self.file, coordinator=one).acquire()
        with writing(self.file, coordinator=two, timeout=PATIENCE):
            pass
        with self.assertRaises(filecoordination.TimedOut) as caught:
            writing(self.file, timeout=0.05).acquire()
        hold.release()
        self.assertIn("a label of its own", caught.exception.holder)

    def test_cancelling_ends_waits_on_threads(self):
        coordinator = Coordinator()
        failures = []

        def wait():
            try:
                writing(self.file, coordinator=coordinator).acquire()
            except filecoordination.CoordinationError as error:
                failures.append(type(error))

        with writing(self.file):
            thread = threading.Thread(target=wait)
            thread.start()
            self.await_waiting(self.file)
            coordinator.cancel()
            thread.join(PATIENCE)
        self.assertEqual(failures, [filecoordination.Cancelled])
        self.assertRaises(
            filecoordination.Cancelled, writing(self.file, coordinator=coordinator).acquire
        )

    def test_control_c_ends_the_wait(self):
        code = "import filecoordination, sys; filecoordination.writing(sys.argv[1]).acquire()"
        with writing(self.file):
            process = self.start([sys.executable, "-c", code, self.file])
            self.await_waiting(self.file)
            process.signal(signal.SIGINT)
            self.assertIn("KeyboardInterrupt", process.rest())
        self.assertFree()

    def test_options_and_items_are_checked(self):
        with self.assertRaises(filecoordination.Misused) as caught:
            reading(self.file, Write.FOR_REPLACING | 0x80).acquire()
        self.assertIsInstance(caught.exception, ValueError)
        self.assertRaises(ValueError, accessing)
        self.assertRaises(TypeError, accessing, "path")
        self.assertRaises(ValueError, writing, "a\0b")
        self.assertRaises(ValueError, Coordinator, purpose="")
        with self.assertRaises(filecoordination.BadPath) as caught:
            accessing(Reading(self.file), Writing("")).acquire()
        self.assertEqual(caught.exception.item, 1)

    def test_names_that_are_not_utf8_and_relative_ones(self):
        name = os.fsencode(self.directory) + b"/\xff"
        with writing(name, timeout=PATIENCE) as item:
            self.assertEqual(os.fsencode(item.path), name)
            item.path.write_text("text")
        previous = os.getcwd()
        self.addCleanup(os.chdir, previous)
        os.chdir(self.directory)
        with writing(pathlib.Path("file"), timeout=PATIENCE) as item:
            self.assertEqual(item.path, self.file)

    def test_links_are_followed_unless_asked_not_to(self):
        link = self.directory / "link"
        link.symlink_to(self.file)
        for options in (Read.NONE, Read.RESOLVES_SYMBOLIC_LINK):
            with reading(link, options) as item:
                self.assertEqual(item.path, self.file)
        with writing(link) as item:
            self.assertEqual(item.path, self.file)
        with reading(link, Read.NO_FOLLOW) as item:
            self.assertEqual(item.path, link)
        with writing(link, Write.NO_FOLLOW) as item:
            self.assertEqual(item.path, link)
        link.unlink()
        link.symlink_to("nowhere")
        with writing(link) as item:
            self.assertEqual(item.path, self.directory / "nowhere")
        with self.assertRaises(filecoordination.Misused):
            reading(link, Read.NO_FOLLOW | Read.RESOLVES_SYMBOLIC_LINK).acquire()


class ForkTests(CoordinationTestCase):
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

    def assertWorkersTakeTurns(self, *arguments):
        context = multiprocessing.get_context("fork")
        workers = [context.Process(target=increment, args=arguments) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(PATIENCE)
            self.assertEqual(worker.exitcode, 0)
        self.assertEqual(self.file.read_text(), "100\n")

    def test_a_child_holds_nothing_and_can_coordinate(self):
        with writing(self.file) as item:

            def work():
                if item.is_held:
                    return False
                item.release()
                try:
                    writing(self.file, timeout=0.05).acquire()
                except filecoordination.TimedOut as error:
                    return error.holders[0].pid == os.getppid()
                return False

            self.assertTrue(self.in_child(work))
            self.assertTrue(item.is_held)
            self.assertRaises(filecoordination.Deadlock, writing(self.file).acquire)

    def test_workers_of_multiprocessing_take_turns(self):
        self.file.write_text("0\n")
        with writing(self.file):
            pass
        self.assertWorkersTakeTurns(self.file)

    def test_workers_with_one_coordinator_take_turns(self):
        self.file.write_text("0\n")
        coordinator = filecoordination.Coordinator(label="shared")
        purpose = coordinator.purpose
        self.assertWorkersTakeTurns(self.file, coordinator)
        self.assertEqual(coordinator.purpose, purpose)
        # A purpose that the program names is that of its children, too.
        named = filecoordination.Coordinator(purpose="named")
        self.assertTrue(self.in_child(lambda: named.purpose == "named"))
        self.assertTrue(self.in_child(lambda: coordinator.purpose != purpose))

    def test_a_child_presents_nothing(self):
        with Saver(self.file) as presenter:

            def work():
                presenter.remove()
                return True

            self.assertTrue(self.in_child(work))
            with reading(self.file, timeout=PATIENCE) as item:
                self.assertEqual(item.path.read_text(), "saved")


def increment(path, coordinator=None):
    for _ in range(25):
        with writing(path, coordinator=coordinator) as item:
            item.path.write_text(f"{int(item.path.read_text()) + 1}\n")


class Saver(Presenter):
    """Saves, and records on which threads it was asked."""

    def __init__(self, path):
        super().__init__(path)
        self.threads = []

    def save(self):
        self.threads.append(threading.get_native_id())
        with writing(self.path, timeout=PATIENCE, coordinator=self.coordinator) as item:
            item.path.write_text("saved")


class Failing(Presenter):
    def save(self):
        raise filecoordination.Refusal("not now", domain="tests", number=42)

    def accommodate_deletion(self):
        raise KeyError("a mistake of the program")


class Silent(Presenter):
    """Fails in ways that are hard to put into words."""

    def __init__(self, path, failure):
        super().__init__(path)
        self.failure = failure

    def accommodate_deletion(self):
        raise self.failure


class AnswerTests(CoordinationTestCase):
    """A presenter's failure is an answer, whatever it is."""

    def test_each_failure_is_a_refusal(self):
        class Wordless(Exception):
            def __str__(self):
                raise ValueError("no words")

        for failure in [
            filecoordination.Refusal("\udcff is needed"),
            filecoordination.Refusal("needed", number="x"),
            filecoordination.Refusal("needed", domain="\udcff"),
            KeyError("\udcff"),
            SystemExit(3),
            Wordless(),
        ]:
            with self.subTest(repr(type(failure))), Silent(self.file, failure):
                for _ in range(2):
                    with self.assertRaises(filecoordination.Refused):
                        writing(self.file, Write.FOR_DELETING, timeout=PATIENCE).acquire()


class PlaceTests(CoordinationTestCase):
    def test_where_the_item_was_is_known_after_the_presenter_is_removed(self):
        target = self.directory / "moved"
        presenter = Presenter(self.file)
        with presenter:
            mover = self.peer("c", "move", self.file, target)
            self.assertEqual((mover.rest(), mover.status()), ([], 0))
            deadline = time.monotonic() + PATIENCE
            while presenter.path != target and time.monotonic() < deadline:
                time.sleep(0.001)
        self.assertEqual(presenter.path, target)
        with presenter:
            self.assertEqual(presenter.path, target)


class RequestTests(CoordinationTestCase):
    def test_it_is_used_by_one_at_a_time(self):
        request = reading(self.file)
        for _ in range(2):
            with request as item:
                self.assertRaises(ValueError, request.__enter__)
                self.assertTrue(item.is_held)
            self.assertFalse(item.is_held)


class EndTests(CoordinationTestCase):
    """Programs that end while the library calls them."""

    def test_an_exit_handler_can_wait(self):
        code = (
            "import atexit, sys\n"
            "def late():\n"
            "    with filecoordination.writing(sys.argv[1], timeout=60) as item:\n"
            "        item.path.write_text('late')\n"
            "atexit.register(late)\n"
            "import filecoordination\n"
        )
        process = self.start([sys.executable, "-c", code, self.file])
        self.assertEqual((process.rest(), process.status()), ([], 0))
        self.assertEqual(self.file.read_text(), "late")

    CODE = (
        "import sys, filecoordination as fc\n"
        "from filecoordination import _waiting, _access\n"
        "class Busy(fc.Presenter):\n"
        "    def relinquish_to_writer(self): sum(range(2000))\n"
        "    def did_change(self, uncoordinated): sum(range(2000))\n"
        "presenters = [Busy(sys.argv[1]) for _ in range(4)]\n"
        "for presenter in presenters: presenter.register()\n"
        "held = fc.writing(sys.argv[2]).acquire()\n"
        "request = fc.writing(sys.argv[2])\n"
        "for _ in range(20):\n"
        "    _waiting._waits.begin(request._call(), request._items, -1.0, print)\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
    )

    def test_it_ends_well_in_the_middle_of_calls(self):
        self.file.write_text("0\n")
        writer = self.peer("c", "add", self.file, "1000000")
        for _ in range(10):
            process = self.start([sys.executable, "-c", self.CODE, self.file, self.directory / "o"])
            self.assertEqual(process.line(), "ready")
            process.send_line()
            lines = process.rest()
            self.assertEqual(process.status(), 0, lines)
        self.assertFalse(writer.has_line())

    def test_a_forked_child_ends_well(self):
        code = self.CODE.replace("sys.stdin.readline()", "import os; child = os.fork()")
        code += "if child: sys.exit(os.waitpid(child, 0)[1])\n"
        process = self.start([sys.executable, "-c", code, self.file, self.directory / "o"])
        self.assertEqual(process.line(), "ready")
        lines = process.rest()
        self.assertEqual(process.status(), 0, lines)


class Slow(Presenter):
    """Answers when the test lets it."""

    def __init__(self, path):
        super().__init__(path)
        self.may_answer = threading.Event()

    def save(self):
        self.may_answer.wait(PATIENCE)


class Forgetful(Presenter):
    """Forgets to say on whose behalf it writes."""

    def __init__(self, path):
        super().__init__(path)
        self.failures = []

    def save(self):
        try:
            writing(self.path).acquire()
        except filecoordination.CoordinationError as error:
            self.failures.append(type(error))


class Returning(Presenter):
    """Defines a reacquirer alone."""

    def __init__(self, path):
        super().__init__(path)
        self.has_returned = threading.Event()

    def reacquire_from_writer(self):
        self.has_returned.set()


class PresenterTests(CoordinationTestCase):
    def test_it_is_asked_on_a_thread_of_its_own(self):
        with Saver(self.file) as presenter:
            with reading(self.file, timeout=PATIENCE) as item:
                self.assertEqual(item.path.read_text(), "saved")
            self.assertEqual(len(set(presenter.threads)), 1)
            self.assertNotIn(threading.get_native_id(), presenter.threads)
            # On its own behalf it is not asked.
            with reading(self.file, coordinator=presenter.coordinator):
                pass
            self.assertEqual(len(presenter.threads), 1)
            purposes = {presenter.coordinator.purpose for _ in range(20)}
            self.assertEqual(len(purposes), 1)
            self.assertNotEqual(purposes, {""})
        with reading(self.file):
            pass
        self.assertEqual(len(presenter.threads), 1)

    def test_an_interrupted_registration_is_none(self):
        presenter = Saver(self.file)
        wait = threading.Event.wait

        def interrupted(event, timeout=None):
            wait(event, timeout)
            raise KeyboardInterrupt

        with unittest.mock.patch.object(threading.Event, "wait", interrupted):
            with self.assertRaises(KeyboardInterrupt):
                presenter.register()
        with reading(self.file, timeout=PATIENCE):
            pass
        self.assertEqual(presenter.threads, [])
        with presenter:
            with reading(self.file, timeout=PATIENCE):
                pass
        self.assertEqual(len(presenter.threads), 1)

    def test_refusals_and_mistakes_reach_the_caller(self):
        with Failing(self.file):
            with self.assertRaises(filecoordination.Refused) as caught:
                reading(self.file, timeout=PATIENCE).acquire()
            error = caught.exception
            self.assertEqual((error.domain, error.number), ("tests", 42))
            self.assertIn("not now", str(error))
            with reading(self.file, Read.WITHOUT_CHANGES, timeout=PATIENCE):
                pass

    def test_a_call_of_its_own_that_waits_for_it_is_a_deadlock(self):
        with Forgetful(self.file) as presenter:
            with reading(self.file, timeout=PATIENCE):
                pass
            self.assertEqual(presenter.failures, [filecoordination.Deadlock])

    def test_one_that_does_not_answer_in_time_is_passed_over(self):
        self.addCleanup(filecoordination.set_answer_limit, 30)
        filecoordination.set_answer_limit(0.2)
        with Slow(self.file) as presenter:
            with reading(self.file, timeout=PATIENCE) as item:
                self.assertTrue(item.is_held)
            presenter.may_answer.set()

    def test_a_reacquirer_is_enough_to_be_asked(self):
        with Returning(self.file) as presenter:
            with writing(self.file, timeout=PATIENCE):
                self.assertFalse(presenter.has_returned.is_set())
            self.assertTrue(presenter.has_returned.wait(PATIENCE))

    def test_a_move_is_followed(self):
        target = self.directory / "target"
        with Presenter(self.file) as presenter:
            request = accessing(
                Writing(self.file, Write.FOR_MOVING), Writing(target, Write.FOR_REPLACING)
            )
            with request as hold:
                self.file.rename(target)
                hold.moved(self.file, target)
            # Presenters of one process are told in their own time; an access waits for that.
            with Saver(target), reading(target, timeout=PATIENCE):
                pass
            limit = threading.Event()
            for _ in range(PATIENCE * 50):
                if presenter.path == target or limit.wait(0.02):
                    break
            self.assertEqual(presenter.path, target)

    def test_registration_is_checked(self):
        presenter = Saver(self.file)
        self.assertRaises(ValueError, Coordinator, presenter=presenter)
        presenter.register()
        self.assertRaises(ValueError, presenter.register)
        self.assertRaises(ValueError, Coordinator, presenter=presenter, purpose="another")
        presenter.remove()
        presenter.remove()
        self.assertRaises(filecoordination.BadPath, Saver("").register)
