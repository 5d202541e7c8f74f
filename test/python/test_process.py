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


if __name__ == "__main__":
    unittest.main()
