# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around tensors: nothing hangs, nothing is lost that the fault does not concern, and the message says
where."""
import glob
import inspect
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import pliant

# Seconds of work, and then something that waits.
LONG = f"""
SINH = {os.path.join(os.path.dirname(__file__), "../fuzz/corpus/import/Sinh.onnx")!r}
import os
import pliant as pl
w = pl.full((1024, 1024), 1e-3)
def long():
    x = pl.full((1024, 1024), 1e-3)
    for _ in range(2000):
        x = x @ w
    return x
"""


def script(text, environment=None, timeout=120):
    """Output, errors and exit code of a process that runs the text."""
    done = subprocess.run([sys.executable, "-B", "-c", text], capture_output=True, text=True, timeout=timeout,
                          env=None if environment is None else {**os.environ, **environment})
    return done.stdout, done.stderr, done.returncode


def line():
    return inspect.currentframe().f_back.f_lineno


class Errors(unittest.TestCase):
    def test_in_the_middle_of_a_step(self):
        for background in (False, True):
            x, zero = pliant.arange(4), pliant.zeros((4,), dtype="int64")
            before = x * 3
            bad, at = (x + 1) // zero, line()
            after = x + 5
            behind = bad * 2 + after
            if background:
                pliant.barrier()
            following = after - before
            both = behind + following
            if background:
                pliant.barrier()
            self.assertEqual(following.tolist(), [5, 3, 1, -1])
            self.assertEqual((before.tolist(), after.tolist()), ([0, 3, 6, 9], [5, 6, 7, 8]))
            for each in (bad, behind, both) * 2:
                with self.assertRaisesRegex(ValueError, f"division by zero(.|\n)*test_faults.py:{at}") as caught:
                    each.tolist()
                self.assertTrue(caught.exception.where.endswith(f"test_faults.py:{at}"))

    def test_an_exception_in_a_step_of_python(self):
        x = pliant.arange(3)

        class Ours(Exception):
            pass

        def step():
            nonlocal x
            x = x + 1
            if x.shape == (3,):
                raise Ours
        for _ in range(3):
            with self.assertRaises(Ours):
                step()
        self.assertEqual(x.tolist(), [3, 4, 5])

    def test_receivers_that_raise(self):
        out, err, code = script("""
import pliant as pl, time
x = pl.arange(3) * 2
seen = []
def wrong(value):
    seen.append(value.tolist())
    raise RuntimeError("of the receiver")
pl.observe([x], wrong)
pl.observe([x], lambda value: seen.append(value.tolist()))
pl.barrier()
pl.wait()
for _ in range(2000):
    if len(seen) == 2:
        break
    time.sleep(0.001)
print(seen, (x + 1).tolist())
""")
        self.assertEqual((out, code), ("[[0, 2, 4], [0, 2, 4]] [1, 3, 5]\n", 0))
        self.assertIn("of the receiver", err)

    def test_on_threads(self):
        caught = []

        def work():
            try:
                (pliant.tensor([1]) // pliant.tensor([0])).item()
            except pliant.Error as error:
                caught.append(error.where)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(len(caught), 4)
        self.assertTrue(all("test_faults.py:" in where for where in caught))
        self.assertEqual((pliant.arange(3) + 1).tolist(), [1, 2, 3])


class Waits(unittest.TestCase):
    """Whatever waits can be interrupted, and other threads run meanwhile."""

    WAITS = {"item": "long().sum().item()", "print": "str(long())", "numpy": "long().numpy()", "bool": "bool(long()[0, 0])",
             "wait": "x = long(); pl.barrier(); pl.wait()", "eval": "pl.eval(long())",
             "barriers": "kept = []\nwhile True: kept.append(long()); pl.barrier()",
             "recording": "kept = []\nwhile True: kept.append(long())",
             "mask": "x = long(); x[x > 0.5]", "write": "x = long(); x[x > 0.5] = pl.zeros((0,))",
             "count": "pl.non_zero(long())", "model": "pl.Model(SINH)(long().sum())"}

    def test_interrupts(self):
        for name, text in self.WAITS.items():
            with self.subTest(name):
                indented = "\n".join("    " + each for each in text.split("\n"))
                process = subprocess.Popen(
                    [sys.executable, "-B", "-u", "-c", LONG + f"""
print("waiting", flush=True)
try:
{indented}
    print("too early: it was there", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)
"""], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertEqual(process.stdout.readline(), "waiting\n")
                time.sleep(1)
                begin = time.monotonic()
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=100)
                self.assertEqual((out, process.returncode), ("interrupted\n", 0), err)
                self.assertLess(time.monotonic() - begin, 10)

    def test_other_threads_run(self):
        for name, text in self.WAITS.items():
            with self.subTest(name):
                indented = "\n".join("    " + each for each in text.split("\n"))
                out, err, code = script(LONG + f"""
import threading, time
def tick():
    for _ in range(20):
        time.sleep(0.01)
    print("ticked", flush=True)
    os._exit(0)
threading.Thread(target=tick).start()
if True:
{indented}
print("too early: it was there", flush=True)
os._exit(1)
""")
                self.assertEqual((out, code), ("ticked\n", 0), err)

    def test_bytes_on_other_threads(self):
        for n in range(10):
            x = pliant.arange(1000) + n
            y = x * 2
            seen = [None] * 4
            threads = [threading.Thread(target=lambda t=t: seen.__setitem__(t, memoryview(y if t % 2 else x)[999]))
                       for t in range(4)]
            for each in threads:
                each.start()
            z = y + 1  # recorded meanwhile
            for each in threads:
                each.join()
            self.assertEqual(seen, [999 + n, 1998 + 2 * n] * 2)
            self.assertEqual(z[0].item(), 2 * n + 1)


class Processes(unittest.TestCase):
    def test_out_of_memory(self):
        out, err, code = script("""
import resource
import pliant as pl
row = pl.arange(1 << 20, dtype="float32")
def rows(count):
    return (row[None] - 1).exp() + pl.zeros((count, 1))  # line 6
pl.eval(row, rows(2))
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (512 << 20),) * 2)
for background in (False, True):
    large, small = rows(4096), rows(1)
    if background:
        pl.barrier()
    try:
        large.numpy()
        print("too much")
    except MemoryError as error:
        print("memory" in str(error), error.where.endswith(":6"), small.numpy().shape)
for rows in (1, 1 << 18):
    try:
        pl.zeros((rows, 1 << 40)).numpy()
    except MemoryError as error:
        print("memory" in str(error), type(error).__name__, error.where.endswith(":21"))
try:
    pl.zeros((1 << 20, 1 << 40)).numpy()  # no shape: its bytes cannot be counted
except ValueError as error:
    print(type(error).__name__)
print((pl.arange(3) + 1).tolist())
""")
        self.assertEqual((out, code), ("True True (1, 1048576)\n" * 2 + "True OutOfMemoryError True\n" * 2 + "InputError\n[1, 2, 3]\n", 0), err)

    def test_without_a_compiler(self):
        out, err, code = script("""
import pliant as pl
x = pl.arange(12, dtype="float32").reshape(3, 4)
try:
    (x @ x.T).sum().item()
except pl.Error as error:
    print("/does/not/exist" in str(error))
pl.set_backend("reference")
x = pl.arange(12, dtype="float32").reshape(3, 4)
print(pl.backend(), (x @ x.T).sum().item(), pl.softmax(x * 0).sum().item())
try:
    pl.set_backend("cuda")
except ValueError as error:
    print(error)
""", {"PLIANT_COMPILER": "/does/not/exist", "PLIANT_CACHE_LIMIT": "0"})
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"True\nreference 1134.0 3.0\n.*'cuda'\n.*native, reference")

    def test_a_home_that_cannot_be_written(self):
        for home in ("/proc", "/dev/null", "/does/not/exist", ""):
            out, err, code = script("import os; os.environ.pop('PLIANT_CACHE_LIMIT', None)\n"
                                    "import pliant as pl; print((pl.arange(3) * 2).tolist())", {"HOME": home, "XDG_CACHE_HOME": ""})
            self.assertEqual((out, err, code), ("[0, 2, 4]\n", "", 0), home)

    def test_processes_on_one_cache(self):
        text = ("import pliant as pl\nx = pl.arange(12, dtype='float32').reshape(3, 4)\n"
                "print((x @ x.T).sum().item(), pl.softmax(x * 0).sum().item())\n"
                "print('libpliant-compiler' in open('/proc/self/maps').read())")
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PLIANT_CACHE_DIR": folder, "PLIANT_CACHE_LIMIT": "64M"}
            processes = [subprocess.Popen([sys.executable, "-B", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                          text=True, env=environment) for _ in range(4)]
            for each in processes:
                out, err = each.communicate(timeout=120)
                self.assertEqual((out.split("\n")[0], err, each.returncode), ("1134.0 3.0", "", 0))
            self.assertTrue(os.listdir(folder))
            self.assertEqual(script(text, environment), ("1134.0 3.0\nFalse\n", "", 0))

    def test_a_child_of_a_fork_while_a_step_runs(self):
        out, err, code = script(LONG + """
import signal
x = long()
pl.barrier()
child = os.fork()
if not child:
    signal.alarm(60)
    try:
        x.numpy()
        print("was there")
    except pl.Error as error:
        print("forked" in str(error))
    print((pl.arange(3) + 1).tolist(), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
os._exit(0)
""")
        self.assertEqual((out, code), ("True\n[1, 2, 3]\n0\n", 0), err)

    def others(self):
        """Ways to have another LLVM, or PyTorch, in the process."""
        found = {name: f"import ctypes; ctypes.CDLL({name!r}, mode=ctypes.RTLD_GLOBAL)"
                 for name in ("libLLVM-19.so", "libLLVM.so.19.1", "libLLVM-15.so.1", "libLLVM-14.so.1")}
        found.update({path: f"import ctypes; ctypes.CDLL({path!r}, mode=ctypes.RTLD_GLOBAL)"
                      for path in glob.glob("/usr/lib/llvm-*/lib/libLLVM*.so")})
        found["torch"] = ("import warnings; warnings.simplefilter('ignore'); import torch; "
                          "assert (torch.ones(3) + 1).sum().item() == 6")
        return {name: text for name, text in found.items() if script(text)[2] == 0}

    def test_another_llvm(self):
        ours = "import pliant as pl; assert (pl.arange(5) * {} + 1).sum().item() == {}"
        others = self.others()
        if not others:
            self.skipTest("no other LLVM on this machine")
        for name, text in others.items():
            for order in ([text, ours.format(2, 25)], [ours.format(2, 25), text, ours.format("pl.arange(5)", 35)]):
                out, err, code = script("\n".join(order) + "\nprint('done')", {"PLIANT_CACHE_LIMIT": "0"})
                self.assertEqual((out, code), ("done\n", 0), (name, err))


if __name__ == "__main__":
    unittest.main()
