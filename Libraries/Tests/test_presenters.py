# SPDX-License-Identifier: Apache-2.0
"""Presenters in C and Python, as filecoord and programs in the other language meet them."""

import signal

from support import FILECOORD, CoordinationTestCase

PAIRS = [("c", "python"), ("python", "c")]


class PresenterTests(CoordinationTestCase):
    def assertSoon(self, process, line):
        """That a process prints a line, now or after others."""
        self.assertIn(line, iter(process.line, None))

    def test_it_saves_before_others_read(self):
        for language, _ in PAIRS:
            with self.subTest(language):
                text = f"saved by {language}"
                with self.presenting(language, self.file, text) as presenter:
                    self.assertEqual(self.output(FILECOORD, "read", self.file), (0, text))
                    self.assertEqual(presenter.line(), "relinquish_to_reader")
                    self.assertEqual(presenter.line(), f"save {self.file}")
                    self.assertEqual(presenter.line(), "reacquire_from_reader")
                    presenter.end_input()
                    self.assertEqual(presenter.rest(), ["removed"])
                    self.assertEqual(presenter.status(), 0)

    def test_it_makes_way_for_a_writer_and_is_told(self):
        for language, other in PAIRS:
            with self.subTest(presenter=language, writer=other):
                self.file.write_text("0\n")
                with self.presenting(language, self.file) as presenter:
                    writer = self.peer(other, "add", self.file, "1")
                    self.assertEqual((writer.rest(), writer.status()), ([], 0))
                    self.assertEqual(presenter.line(), "relinquish_to_writer")
                    self.assertEqual(presenter.line(), "did_change 0")
                    self.assertEqual(presenter.line(), "reacquire_from_writer")
                self.assertEqual(self.file.read_text(), "1\n")

    def test_it_refuses_deletion_in_its_own_words(self):
        for language, _ in PAIRS:
            with self.subTest(language), self.presenting(language, self.file) as presenter:
                status, output = self.output(FILECOORD, "rm", self.file)
                self.assertEqual(status, 70)
                self.assertIn("it is needed (peer 7)", output)
                self.assertTrue(self.file.exists())
                self.assertSoon(presenter, "accommodate_deletion")

    def test_it_follows_its_item(self):
        for language, other in PAIRS:
            with self.subTest(presenter=language, mover=other):
                source, target = self.directory / language, self.directory / f"by {other}"
                source.write_text("before")
                with self.presenting(language, source, "text") as presenter:
                    mover = self.peer(other, "move", source, target)
                    self.assertEqual((mover.rest(), mover.status()), ([], 0))
                    self.assertSoon(presenter, f"did_move {target} 0")
                    # It is asked about the new place from here on, and knows where that is.
                    self.assertEqual(self.output(FILECOORD, "read", target), (0, "text"))
                    self.assertSoon(presenter, f"save {target}")

    def test_it_hears_of_what_comes_into_its_directory(self):
        for language, _ in PAIRS:
            with self.subTest(language):
                folder = self.directory / f"of {language}"
                folder.mkdir()
                source = self.directory / language
                source.write_text("content")
                with self.presenting(language, folder) as presenter:
                    inside = folder / "inside"
                    self.assertEqual(self.output(FILECOORD, "mv", source, inside), (0, ""))
                    self.assertSoon(presenter, f"subitem_did_appear {inside} 0")

    def test_it_hears_of_programs_that_do_not_coordinate(self):
        for language, _ in PAIRS:
            with self.subTest(language), self.presenting(language, self.file) as presenter:
                self.file.write_text("plain")
                self.assertSoon(presenter, "did_change 1")

    def test_one_that_is_killed_keeps_no_reader_waiting(self):
        for language, other in PAIRS:
            with self.subTest(presenter=language, reader=other):
                with self.presenting(language, self.file, "text") as presenter:
                    presenter.signal(signal.SIGSTOP)
                    reader = self.hold(other, "read", self.file)
                    # It waits for a presenter that cannot answer.
                    limited = self.hold(other, "read", self.file, 0.3)
                    self.assertRegex(limited.line(), f"^error 1 .*pid {presenter.pid}")
                    self.assertFalse(reader.has_line())
                    presenter.signal(signal.SIGKILL)
                    self.assertRegex(reader.line(), "^granted")
                    reader.end_input()

    def test_filecoord_presents_for_them(self):
        for language, _ in PAIRS:
            with self.subTest(writer=language):
                path = self.directory / language
                path.write_text("0\n")
                presenter = self.filecoord("present", path)
                self.assertIn("registered", presenter.line())
                writer = self.peer(language, "add", path, "1")
                self.assertEqual((writer.rest(), writer.status()), ([], 0))
                self.assertIn("relinquishPresentedItem(toWriter:)", presenter.line())
                self.assertIn("presentedItemDidChange", presenter.line())
                self.assertIn("reacquire(fromWriter)", presenter.line())
