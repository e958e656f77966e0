# SPDX-License-Identifier: Apache-2.0
"""Processes in C, in Python and filecoord exclude each other, in every combination."""

import itertools
import signal

from support import FILECOORD, CoordinationTestCase

LANGUAGES = ["c", "python", "filecoord"]


class TogetherTests(CoordinationTestCase):
    def assertTimedOut(self, process, holder):
        """That a process was refused for time, and names the holder."""
        output = "\n".join(process.rest())
        self.assertIn(f"pid {holder.pid}", output)
        self.assertIn("was not granted within", output)
        self.assertIn(process.status(), (1, 75))

    def test_a_deadline_names_the_holder_and_release_lets_the_next_one_in(self):
        for first, second in itertools.product(LANGUAGES, LANGUAGES):
            with self.subTest(holder=first, waiter=second):
                holder = self.holder(first, "write", self.file)
                self.assertTimedOut(self.hold(second, "write", self.file, 0.1), holder)
                self.assertTimedOut(self.hold(second, "read", self.file, 0.1), holder)
                waiter = self.hold(second, "read", self.file)
                self.await_waiting(self.file)
                self.assertFalse(waiter.has_line())
                holder.end_input()
                self.assertRegex(waiter.line(), "^granted")
                waiter.end_input()
                self.assertEqual((holder.status(), waiter.status()), (0, 0))

    def test_a_holder_that_is_killed_holds_nothing(self):
        for first, second in itertools.product(["c", "python"], LANGUAGES):
            with self.subTest(holder=first, waiter=second):
                holder = self.holder(first, "write", self.file)
                waiter = self.hold(second, "write", self.file)
                self.await_waiting(self.file)
                holder.signal(signal.SIGKILL)
                self.assertRegex(waiter.line(), "^granted")
                waiter.end_input()
                self.assertEqual(waiter.status(), 0)

    def test_a_waiter_that_is_killed_lets_others_by(self):
        for language in ["c", "python"]:
            with self.subTest(waiter=language):
                holder = self.holder("filecoord", "read", self.file)
                writer = self.hold(language, "write", self.file)
                self.await_waiting(self.file)
                reader = self.hold("c", "read", self.file)
                self.await_waiting(self.file, count=2)
                writer.signal(signal.SIGKILL)
                self.assertRegex(reader.line(), "^granted")
                holder.end_input()
                reader.end_input()

    def test_a_holder_of_the_target_excludes_a_writer_through_the_link(self):
        link = self.directory / "link"
        link.symlink_to(self.file.name)
        for first, second in itertools.product(LANGUAGES, LANGUAGES):
            for one, other in ((self.file, link), (link, self.file)):
                with self.subTest(holder=first, waiter=second, held=one):
                    holder = self.holder(first, "write", one)
                    self.assertTimedOut(self.hold(second, "write", other, 0.1), holder)
                    holder.end_input()
                    self.assertEqual(holder.status(), 0)

    def test_readers_share(self):
        holders = [self.holder(language, "read", self.file) for language in LANGUAGES]
        for holder in holders:
            holder.end_input()
            self.assertEqual(holder.status(), 0)

    def test_no_increment_is_lost(self):
        self.file.write_text("0\n")
        script = 'n=$(cat "$1"); echo $((n + 1)) >"$1"'
        peers = [self.peer(language, "add", self.file, "150") for language in ["c", "python"] * 2]
        for _ in range(20):
            status, output = self.output(
                FILECOORD, "write", self.file, "--", "sh", "-c", script, "sh", "{}"
            )
            self.assertEqual((status, output), (0, ""))
        for peer in peers:
            self.assertEqual((peer.rest(), peer.status()), ([], 0))
        self.assertEqual(self.file.read_text(), "620\n")

    def test_one_claim_covers_several_items(self):
        other = self.directory / "other"
        for language in ["c", "python"]:
            with self.subTest(language):
                holder = self.peer(language, "hold", "write", "-1", self.file, other)
                self.assertEqual(holder.line(), f"granted {self.file} {other}")
                for path in (self.file, other):
                    self.assertTimedOut(self.hold("filecoord", "read", path, 0.1), holder)
                holder.end_input()
                self.assertEqual(holder.line(), "released")

    def test_a_claim_inside_the_command_around_it_is_refused_at_once(self):
        for language in ["python"]:
            with self.subTest(language):
                process = self.filecoord(
                    "write", self.file, "--", *self.command(language), "hold", "write", "-1", "{}"
                )
                self.assertRegex(process.line(), "^error 4 .*each waits for the next in a cycle")

    def command(self, language):
        from support import PEERS

        return PEERS[language]
