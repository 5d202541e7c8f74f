# SPDX-License-Identifier: Apache-2.0
"""What is seen of recorded work from Python: warnings, counters, who asked."""
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

import pliant


def warned(step):
    """The warnings of what the step does, which come between two lines of Python."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        step()
        pliant.wait()
        for _ in range(10):
            time.sleep(0.001)
    return [str(each.message) for each in caught if each.category is RuntimeWarning]


class Observe(unittest.TestCase):
    def test_a_read_that_stalls_in_a_loop(self):
        line = None

        def step():
            nonlocal line
            x = pliant.arange(100_000).astype(pliant.float32)
            for number in range(120):
                x = pliant.sin(x) + number
                line = f"{__file__}:{self.step_line(step, 5)}"; x.sum().item()  # noqa: E702

        pliant.reset_counters()
        told = [text for text in warned(step) if "was read 100 times" in text]
        self.assertEqual(len(told), 1, told)
        self.assertIn(line, told[0])
        counters = pliant.counters()
        self.assertEqual((counters["cuts"]["read"], counters["cuts"]["barrier"]), (120, 0))
        self.assertGreater(counters["wait_ns"]["count"], 0)  # at least the first, of which nothing was known
        self.assertGreater(counters["wait_ns"]["sum"], 0)

    @staticmethod
    def step_line(step, offset):
        return step.__code__.co_firstlineno + offset

    def test_a_step_that_compiles_again_and_again(self):
        def step():
            for number in range(8):  # each time another function
                x = pliant.arange(5).astype(pliant.float64)
                for bit in range(3):
                    x = pliant.atan(x) if number >> bit & 1 else pliant.tanh(x)
                x.tolist()

        line = f"{__file__}:{self.step_line(step, 2)}"
        told = [text for text in warned(step) if "needed another program 8 times" in text]
        self.assertEqual(len(told), 1, told)
        self.assertIn(line, told[0])

    def test_counters(self):
        pliant.reset_counters()
        x = pliant.asarray(np.arange(500, dtype=np.float32))
        (x * 2 + 1).numpy()
        (x * 2 + 1).numpy()
        seen = pliant.counters()
        self.assertEqual((seen["bytes_in"], seen["bytes_out"], seen["launches"]), (2000, 4000, 2))
        self.assertEqual((seen["fallbacks"], seen["hits"] + seen["compiles"] + seen["loads"]), (0, 2))
        self.assertGreaterEqual(seen["bytes_peak"], seen["bytes_live"])
        self.assertGreaterEqual(seen["bytes_live"], 2000)
        run = seen["run_ns"]
        self.assertTrue(0 < run["median"] <= run["p90"] <= run["p99"] <= run["largest"], run)

    def test_reads_are_explained(self):
        pliant.reset_counters()
        x = pliant.arange(6) - 2
        self.assertEqual(x.tolist()[0], -2)
        line = f"{__file__}:{self.step_line(self.test_reads_are_explained, 3)}: 1 time, "
        self.assertIn(line, pliant.explain())
        held = x * 3
        self.assertIn(f"{__file__}:{self.step_line(self.test_reads_are_explained, 6)}: 1 tensor, 48 bytes", pliant.live())
        self.assertEqual(held.tolist()[-1], 9)

    def test_what_the_disk_cache_has_is_no_compile(self):
        text = ("import pliant as pl; (pl.arange(7) * 3 - 1).tolist(); seen = pl.counters();"
                "print(seen['compiles'], seen['loads'], seen['compile_ns']['count'], seen['load_ns']['count'])")
        with tempfile.TemporaryDirectory() as folder:
            said = [subprocess.run([sys.executable, "-B", "-c", text], capture_output=True, text=True, timeout=60, check=True,
                                   env={**os.environ, "PLIANT_CACHE_DIR": folder, "PLIANT_CACHE_LIMIT": "64M"}).stdout.split() for _ in range(2)]
        self.assertEqual(said, [["1", "0", "1", "0"], ["0", "1", "0", "1"]])

    def test_an_observer_hears_of_errors(self):
        heard = []
        bad = pliant.asarray([7]) // pliant.asarray([0])
        pliant.observe([bad], lambda value: heard.append("a value"), lambda error: heard.append(error))
        good = pliant.arange(3)
        pliant.observe([good], lambda value: heard.append(value.tolist()), lambda error: heard.append(error))
        pliant.barrier()
        pliant.wait()
        for _ in range(1000):
            if len(heard) == 2:
                break
            time.sleep(0.001)
        error, value = heard
        self.assertIsInstance(error, pliant.InputError)
        self.assertEqual(error.where, f"{__file__}:{self.step_line(self.test_an_observer_hears_of_errors, 2)}")
        self.assertEqual(value, [0, 1, 2])

    def test_errors_name_their_line(self):
        x = pliant.arange(6) * 2

        model = pliant.Model(os.path.join(os.path.dirname(__file__), "../fuzz/corpus/import/Sinh.onnx"))

        def scoped(read):
            with pliant.no_evaluation():
                read()

        for call in (lambda: pliant.set_threads(0),
                     lambda: pliant.set_program_limits(0, 0),
                     lambda: x.reshape(7),
                     lambda: x[9],
                     lambda: x + pliant.zeros((4,)),
                     lambda: x.item(),
                     lambda: pliant.split(x, 4),
                     lambda: pliant.full((-1,), 1),
                     lambda: pliant.random.Generator(1).uniform((-1,)),
                     lambda: scoped(lambda: model(x.sum().astype(pliant.float32))),
                     lambda: scoped(lambda: x.tolist()),
                     lambda: scoped(lambda: x.numpy()),
                     lambda: scoped(lambda: str(x)),
                     lambda: scoped(lambda: bool(x.sum())),
                     lambda: scoped(lambda: pliant.non_zero(x)),
                     lambda: scoped(lambda: 3 in x),
                     lambda: model(pliant.zeros((2, 3)))):
            with self.assertRaises(pliant.Error) as caught:
                call()
            self.assertEqual(caught.exception.where, f"{__file__}:{call.__code__.co_firstlineno}", str(caught.exception))

    def test_a_read_waits_for_other_threads(self):
        # What another thread has recorded is handed over, and is no read of that thread's.
        recorded, done, made = threading.Event(), threading.Event(), []

        def record():
            made.append(pliant.arange(10) * 3)
            recorded.set()
            done.wait()

        thread = threading.Thread(target=record)
        thread.start()
        recorded.wait()
        pliant.reset_counters()
        self.assertEqual(made[0].tolist(), [3 * i for i in range(10)])
        self.assertEqual(pliant.counters()["cuts"]["other thread"], 1)
        done.set()
        thread.join()


if __name__ == "__main__":
    unittest.main()
