# SPDX-License-Identifier: Apache-2.0
"""Tokens and updates from Python and so from C (Rule 18.16)."""

import asyncio
import os
import pathlib
import tempfile
import threading
import unittest

import filecoordination as fc


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.file = self.directory / "f"
        self.file.write_text("one")


class TokenTests(Scratch):
    def test_a_stale_token_refuses_and_a_current_one_does_not(self):
        seen = fc.token(self.file)
        self.assertTrue(fc.is_current(seen, self.file))
        self.file.write_text("two")
        self.assertFalse(fc.is_current(seen, self.file))
        with self.assertRaises(fc.Stale) as caught:
            with fc.writing(self.file, only_if=seen):
                self.fail("it was granted")
        self.assertEqual(caught.exception.item, 0)
        self.assertIn("is not as it was seen", str(caught.exception))
        with fc.writing(self.file, only_if=fc.token(self.file)) as item:
            left = item.replace(b"three")
        self.assertTrue(fc.is_current(left, self.file))
        self.assertEqual(self.file.read_text(), "three")

    def test_a_condition_is_for_one_call(self):
        coordinator = fc.Coordinator()
        with self.assertRaises(fc.Stale):
            with fc.writing(self.file, only_if="absent", coordinator=coordinator):
                pass
        with fc.writing(self.file, coordinator=coordinator):
            pass

    def test_of_several_items_all_must_be_as_seen(self):
        other = self.directory / "g"
        items = [
            fc.Writing(self.file, only_if=fc.token(self.file)),
            fc.Writing(other, only_if=fc.token(other)),
        ]
        with fc.accessing(*items):
            pass
        other.write_text("new")
        with self.assertRaises(fc.Stale) as caught:
            with fc.accessing(*items):
                pass
        self.assertEqual(caught.exception.item, 1)

    def test_a_readers_token_is_of_the_state_at_the_grant(self):
        with fc.reading(self.file) as item:
            self.file.write_text("theirs")
            seen = item.token()
        self.assertFalse(fc.is_current(seen, self.file))

    def test_texts_and_paths(self):
        self.assertEqual(fc.token(self.directory / "nothing"), "1.absent")
        self.assertTrue(fc.is_current("absent", self.directory / "nothing"))
        for text in ["", "x", "2.absent"]:
            with self.assertRaises(fc.Misused):
                fc.is_current(text, self.file)
        link = self.directory / "link"
        link.symlink_to("f")
        self.assertEqual(fc.token(link), fc.token(self.file))
        self.assertNotEqual(fc.token(link, follow=False), fc.token(self.file))
        summed = fc.token(self.file, digest=True)
        os.utime(self.file)
        self.assertTrue(fc.is_current(summed, self.file))

    def test_what_cannot_be_replaced(self):
        os.link(self.file, self.directory / "g")
        with fc.writing(self.file) as item:
            with self.assertRaises(fc.FileFailed):
                item.replace(b"new")
        with fc.reading(self.file) as item:
            with self.assertRaises(fc.Misused):
                item.replace(b"new")
        self.assertEqual(self.file.read_text(), "one")


class UpdateTests(Scratch):
    def test_updates_of_several_threads_are_all_kept(self):
        self.file.unlink()

        def add():
            for _ in range(25):
                fc.update(self.file, lambda old: (old or b"") + b"1")

        threads = [threading.Thread(target=add) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.file.read_text(), "1" * 100)

    def test_an_exception_changes_nothing(self):
        seen = fc.token(self.file)
        with self.assertRaises(ZeroDivisionError):
            fc.update(self.file, lambda old: old[: 1 // 0])
        self.assertTrue(fc.is_current(seen, self.file))

    def test_none_is_no_file(self):
        self.assertEqual(fc.update(self.file, lambda old: None), "1.absent")
        self.assertFalse(self.file.exists())
        left = fc.update(self.file, lambda old: b"new" if old is None else old)
        self.assertTrue(fc.is_current(left, self.file))
        self.assertEqual(os.listdir(self.directory), ["f"])

    def test_a_plain_writer_meanwhile_is_not_overwritten(self):
        def change(old):
            self.file.write_text("theirs")
            return b"mine"

        with self.assertRaises(fc.Stale):
            fc.update(self.file, change)
        self.assertEqual(self.file.read_text(), "theirs")

    def test_a_link_is_followed_and_the_mode_is_kept(self):
        link = self.directory / "link"
        link.symlink_to("f")
        self.file.chmod(0o640)
        fc.update(link, lambda old: old + b" two")
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.file.read_text(), "one two")
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o640)

    def test_in_a_task(self):
        async def change(old):
            await asyncio.sleep(0)
            return old + b" two"

        async def main():
            await fc.update_async(self.file, change)
            await fc.update_async(self.file, lambda old: old + b" three")

        asyncio.run(main())
        self.assertEqual(self.file.read_text(), "one two three")


if __name__ == "__main__":
    unittest.main()
