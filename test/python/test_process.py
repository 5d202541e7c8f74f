# SPDX-License-Identifier: Apache-2.0
"""The process around tensors: threads, forks, the end. (Ctrl-C and threads while one waits: test_faults.py)"""
import os
import subprocess
import sys
import threading
import time
import unittest

import pliant


class Process(unittest.TestCase):
    def test_a_process_may_end_at_any_time(self):
        for text in ("x = pl.arange(4) + 1", "x = pl.arange(4) + 1; pl.barrier()", "x = (pl.arange(4) + 1).numpy()",
                     "import numpy as np; x = pl.asarray(np.arange(9.0), copy=False) * 2; pl.barrier()",
                     # a thread that opens the compiler, compiles or runs while the process ends, at several moments
                     *(f"import threading, time; threading.Thread(target=lambda: (pl.arange(4) + 1).numpy(), daemon=True)"
                       f".start(); time.sleep({wait})" for wait in (0, 0, 0, 0, 0.005, 0.01, 0.02, 0.04, 0.08))):
            process = subprocess.run([sys.executable, "-B", "-u", "-c", "import pliant as pl\n" + text], capture_output=True,
                                     text=True, timeout=60)
            self.assertEqual((process.stdout, process.stderr, process.returncode), ("", "", 0), text)

    def test_a_forked_child(self):
        x = pliant.arange(5) * 3
        self.assertEqual(x.tolist(), [0, 3, 6, 9, 12])
        read, write = os.pipe()
        child = os.fork()
        if not child:
            try:
                text = str((x + 1).tolist())
            except pliant.Error as error:
                text = f"error: {error}"
            os.write(write, text.encode())
            os._exit(0)
        os.waitpid(child, 0)
        text = os.read(read, 10000).decode()
        self.assertTrue(text == "[1, 4, 7, 10, 13]" or text.startswith("error: "), text)
        self.assertEqual((x + 2).tolist(), [2, 5, 8, 11, 14])

    def test_forks_while_programs_are_compiled(self):
        process = subprocess.run([sys.executable, "-B", "-u", "-c", """
import os, random, signal, threading, time, warnings
import pliant as pl
warnings.simplefilter("ignore")  # that it compiles again and again is what it is for

def compile():
    for number in range(1 << 30):
        x = pl.arange(5, dtype="float32")
        for bit in range(20):
            x = pl.sin(x) if number >> bit & 1 else pl.cos(x)
        x.numpy()
for _ in range(2):
    threading.Thread(target=compile, daemon=True).start()
for number in range(40):
    time.sleep(random.random() * 0.05)
    child = os.fork()
    if not child:
        signal.alarm(60)
        x = pl.arange(4)
        for _ in range(number % 3):
            x = x * 3 + number
        print(number, (x + 1).tolist())
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print("the child of fork", number, "failed")
        os._exit(1)
print(pl.counters()["compiles"] > 10)
os._exit(0)
"""], capture_output=True, text=True, timeout=300)
        expected = [(n, x) for n in range(40) for x in [[0, 1, 2, 3]]]
        for n, x in expected:
            for _ in range(n % 3):
                x[:] = [each * 3 + n for each in x]
        lines = [f"{n} {[each + 1 for each in x]}" for n, x in expected] + ["True"]
        self.assertEqual((process.stdout.splitlines(), process.stderr, process.returncode), (lines, "", 0))

    def test_callbacks_come_on_the_main_thread(self):
        seen = []
        x = pliant.arange(3) + 1
        pliant.observe([x, x * 2], lambda a, b: seen.append((a.tolist(), b.tolist(), threading.current_thread())))
        pliant.barrier()
        pliant.wait()
        for _ in range(1000):
            if seen:
                break
            time.sleep(0.001)
        self.assertEqual(seen, [([1, 2, 3], [2, 4, 6], threading.main_thread())])

    def test_scopes(self):
        x = pliant.arange(3) * 5
        with pliant.no_evaluation():
            y = x + 1
            with self.assertRaises(ValueError):
                y.tolist()
        self.assertEqual(y.tolist(), [1, 6, 11])
        with pliant.at_most_programs(0):
            z = ((x * y) - 7) / (x + y) * 11
            with self.assertRaises(ValueError):
                z.tolist()
        pliant.set_eager(True)
        try:
            self.assertEqual((x + 2).tolist(), [2, 7, 12])
        finally:
            pliant.set_eager(False)

    def test_limits(self):
        for wrong in (lambda: pliant.set_program_limits(0, 1), lambda: pliant.set_threads(0)):
            with self.assertRaises(ValueError):
                wrong()
        pliant.set_threads(1)
        pliant.set_program_limits(2, 1 << 20)
        try:
            for count in range(1, 5):
                x = pliant.ones((3,))
                for _ in range(count):
                    x = pliant.sin(x)
                pliant.eval(x)
            self.assertLessEqual(pliant.counters()["programs"], 2)
        finally:
            pliant.set_program_limits(1024, 1 << 30)

    def test_memory_goes_back(self):
        for wrong in (-1, float("nan")):
            with self.assertRaises(ValueError):
                pliant.set_idle_time(wrong)

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096
        rows, columns = pliant.ones((1 << 12, 64)), pliant.ones((64, 1 << 12))
        pliant.eval(rows, columns)

        def run():  # between both products lies 64 MB, which the program keeps
            self.assertEqual(((rows @ columns) @ pliant.ones((1 << 12, 1))).max().item(), 1 << 18)
        try:
            pliant.set_idle_time(0)
            run()
            kept = resident()
            pliant.trim()
            self.assertLess(resident(), kept - (32 << 20))
            run()
            kept = resident()
            pliant.set_idle_time(0.01)
            for _ in range(3000):
                if resident() < kept - (32 << 20):
                    break
                time.sleep(0.01)
            self.assertLess(resident(), kept - (32 << 20))
        finally:
            pliant.set_idle_time(10)

    def test_prepared_programs(self):
        def step(x):
            return ((x * 3 + 1) ** 2).sum()

        pliant.prepare(lambda: step(pliant.zeros((7,))))
        made = lambda: pliant.counters()["compiles"] + pliant.counters()["loads"]  # noqa: E731
        before = made()
        self.assertEqual(step(pliant.ones((9,))).item(), 144)
        self.assertEqual(made(), before)
        with self.assertRaises(ZeroDivisionError):
            pliant.prepare(lambda: 1 / 0)

    def test_other_threads_run_while_a_program_is_prepared(self):
        ticks, recorded, ended = [], [], threading.Event()

        def tick():
            while not ended.wait(0.001):
                ticks.append(len(recorded))

        def record():
            x = pliant.ones((3, 3))
            for number in range(60):  # none of it repeats
                x = pliant.sin(x) if number * number % 7 < 3 else pliant.cos(x) if number % 5 else x @ x
            recorded.append(x)
            return x
        thread = threading.Thread(target=tick)
        thread.start()
        pliant.prepare(record)
        until_then = list(ticks)
        ended.set()
        thread.join()
        self.assertIn(1, until_then)


if __name__ == "__main__":
    unittest.main()
