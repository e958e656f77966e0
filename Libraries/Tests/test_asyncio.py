# SPDX-License-Identifier: Apache-2.0
"""Access in tasks: no thread waits, and cancelling a task ends its wait."""

import asyncio
import os
import threading

import filecoordination
from filecoordination import reading, writing
from support import PATIENCE, CoordinationTestCase


class TaskTests(CoordinationTestCase):
    def run_task(self, work):
        return asyncio.run(asyncio.wait_for(work(), PATIENCE))

    def test_tasks_take_turns(self):
        self.file.write_text("0\n")

        async def add():
            async with writing(self.file) as item:
                number = int(item.path.read_text())
                await asyncio.sleep(0)
                item.path.write_text(f"{number + 1}\n")

        async def work():
            await asyncio.gather(*[add() for _ in range(200)])

        self.run_task(work)
        self.assertEqual(self.file.read_text(), "200\n")

    def test_many_waits_need_few_threads(self):
        async def work():
            async with writing(self.file):
                tasks = [
                    asyncio.create_task(reading(self.file).acquire_async()) for _ in range(500)
                ]
                await asyncio.to_thread(self.await_waiting, self.file, 500)
                self.assertLess(len(os.listdir("/proc/self/task")), 60)
            holds = await asyncio.gather(*tasks)
            self.assertTrue(all(hold.is_held for hold in holds))

        self.run_task(work)

    def test_a_cancelled_task_leaves_the_queue(self):
        async def work():
            holder = self.holder("c", "read", self.file)
            task = asyncio.create_task(writing(self.file).acquire_async())
            await asyncio.to_thread(self.await_waiting, self.file)
            reader = self.hold("c", "read", self.file)
            await asyncio.to_thread(self.await_waiting, self.file, 2)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            # Nothing is ahead of it any more.
            self.assertRegex(await asyncio.to_thread(reader.line), "^granted")
            holder.end_input()
            reader.end_input()
            async with writing(self.file):
                pass

        self.run_task(work)

    def test_a_task_that_is_cancelled_at_any_time_loses_no_grant(self):
        async def work():
            for turn in range(100):
                task = asyncio.create_task(writing(self.file).acquire_async())
                for _ in range(turn % 10):
                    await asyncio.sleep(0.0001)
                task.cancel()
                try:
                    (await task).release()
                except asyncio.CancelledError:
                    pass
            async with writing(self.file, timeout=PATIENCE):
                pass

        self.run_task(work)

    def test_a_timeout_names_the_holder(self):
        async def work():
            hold = await writing(self.file).acquire_async()
            with self.assertRaises(filecoordination.TimedOut) as caught:
                await reading(self.file, timeout=0.05).acquire_async()
            hold.release()
            self.assertEqual(caught.exception.holders[0].pid, os.getpid())

        self.run_task(work)

    def test_a_task_that_waits_for_itself_is_a_deadlock_and_one_inside_is_not(self):
        async def work():
            async with writing(self.file):
                with self.assertRaises(filecoordination.Deadlock):
                    await reading(self.file).acquire_async()
                task = asyncio.create_task(reading(self.file).acquire_async())
                await asyncio.to_thread(self.await_waiting, self.file)
            (await task).release()

        self.run_task(work)

    def test_a_coordinator_cancels_its_tasks(self):
        coordinator = filecoordination.Coordinator()

        async def work():
            async with writing(self.file):
                task = asyncio.create_task(
                    writing(self.file, coordinator=coordinator).acquire_async()
                )
                await asyncio.to_thread(self.await_waiting, self.file)
                coordinator.cancel()
                with self.assertRaises(filecoordination.Cancelled):
                    await task

        self.run_task(work)

    def test_a_closed_loop_loses_no_grant(self):
        with writing(self.file):
            loop = asyncio.new_event_loop()
            task = loop.create_task(writing(self.file).acquire_async())
            loop.run_until_complete(asyncio.sleep(0))
            loop.run_until_complete(loop.run_in_executor(None, self.await_waiting, self.file))
            # The loop goes without a word to its task.
            loop.close()
        with writing(self.file, timeout=PATIENCE):
            pass
        task._log_destroy_pending = False

    def test_in_a_forked_child(self):
        async def one():
            async with writing(self.file, timeout=PATIENCE) as item:
                return item.is_held

        self.assertTrue(asyncio.run(one()))
        child = os.fork()
        if child == 0:
            is_held = False
            try:
                is_held = asyncio.run(one())
            finally:
                os._exit(0 if is_held else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(threading.main_thread().is_alive())
