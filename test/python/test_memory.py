# SPDX-License-Identifier: Apache-2.0
"""Elements shared with NumPy and others, threads, and the life of objects."""
import gc
import sys
import threading
import unittest
import weakref

import numpy as np

import pliant


class Sharing(unittest.TestCase):
    def test_numpy_reads_without_a_copy(self):
        x = pliant.arange(6, dtype="float32").reshape(2, 3) + 1
        a, b = x.numpy(), np.asarray(x)
        self.assertEqual(a.__array_interface__["data"][0], b.__array_interface__["data"][0])
        self.assertFalse(a.flags.writeable)
        x += 1
        np.testing.assert_array_equal(a, [[1, 2, 3], [4, 5, 6]])
        np.testing.assert_array_equal(x.numpy(), a + 1)
        del x, b
        gc.collect()
        np.testing.assert_array_equal(a, [[1, 2, 3], [4, 5, 6]])
        np.testing.assert_array_equal(np.asarray(pliant.tensor([1.5]), dtype=np.float64), [1.5])
        self.assertEqual(np.asarray(pliant.tensor(3)).shape, ())
        self.assertEqual(np.asarray(pliant.zeros((0, 3))).shape, (0, 3))
        with self.assertRaises(TypeError):
            pliant.zeros((1,), "bfloat16").numpy()
        with self.assertRaises(TypeError):
            np.asarray(pliant.zeros((1,), "bfloat16"))

    def test_buffers(self):
        view = memoryview(pliant.tensor([[1, 2], [3, 4]], dtype="int16"))
        self.assertEqual((view.format, view.shape, view.readonly, view.tolist()), ("h", (2, 2), True, [[1, 2], [3, 4]]))
        self.assertEqual(pliant.asarray(bytearray(b"ab")).tolist(), [97, 98])
        self.assertEqual(pliant.tensor(memoryview(b"abcd").cast("B", (2, 2))).tolist(), [[97, 98], [99, 100]])

    def test_tensors_copy_unless_asked(self):
        a = np.arange(4.0)
        copied, shared = pliant.asarray(a), pliant.asarray(a, copy=False)
        self.assertIs(pliant.asarray(shared), shared)
        self.assertEqual(shared.numpy().__array_interface__["data"][0], a.__array_interface__["data"][0])
        a[0] = 9
        self.assertEqual(copied.tolist(), [0, 1, 2, 3])
        for wrong in (a[::2], [1, 2], a.astype(">f8")):
            with self.assertRaises((ValueError, TypeError)):
                pliant.asarray(wrong, copy=False)
        with self.assertRaises(ValueError):
            pliant.asarray(a, dtype="float32", copy=False)

    def test_shared_memory_is_given_back(self):
        a = np.arange(1000.0)
        before = sys.getrefcount(a)
        x = pliant.asarray(a, copy=False)
        y = x + 1
        del x
        pliant.eval(y)
        pliant.wait()
        for _ in range(100):  # given back by the main thread a little later
            if sys.getrefcount(a) == before:
                break
        self.assertEqual(sys.getrefcount(a), before)

    def test_strides_and_orders(self):
        a = np.arange(24).reshape(2, 3, 4)
        for each in (a.T, a[::-1], a[:, ::2], np.asfortranarray(a), a[..., 1], np.broadcast_to(a[0, 0], (3, 4))):
            np.testing.assert_array_equal(pliant.tensor(each).numpy(), each)
        with self.assertRaises(TypeError):
            pliant.tensor(a.astype(">i4"))
        with self.assertRaises(TypeError):
            pliant.tensor(a.astype(complex))

    def test_dlpack(self):
        x = pliant.arange(6).reshape(2, 3)
        self.assertEqual(x.__dlpack_device__(), (1, 0))
        np.testing.assert_array_equal(np.from_dlpack(x), [[0, 1, 2], [3, 4, 5]])
        a = np.arange(6.0).reshape(2, 3)
        for source in (a, a.T, x, np.float32(a)):
            np.testing.assert_array_equal(pliant.from_dlpack(source).numpy(), np.asarray(source))
        shared = pliant.from_dlpack(a, copy=False)
        self.assertEqual(shared.numpy().__array_interface__["data"][0], a.__array_interface__["data"][0])
        with self.assertRaises(ValueError):
            pliant.from_dlpack(a.T, copy=False)
        capsule = x.__dlpack__(max_version=(1, 0))
        y = pliant.from_dlpack(capsule, copy=False)
        self.assertEqual(y.tolist(), [[0, 1, 2], [3, 4, 5]])
        with self.assertRaises(TypeError):
            pliant.from_dlpack(capsule)  # taken already
        x.__dlpack__()  # nobody takes it


class Lives(unittest.TestCase):
    def test_weak_references(self):
        x = pliant.zeros((2,))
        seen = weakref.ref(x)
        self.assertIs(seen(), x)
        del x
        self.assertIsNone(seen())

    def test_objects_are_not_kept(self):
        key = slice(0, 2)
        before = sys.getrefcount(key)
        x = pliant.arange(10)
        for _ in range(100):
            view = x[key]
            view += 1
            x[key] = view
        del view
        self.assertEqual(sys.getrefcount(key), before)
        none = sys.getrefcount(pliant.float32)
        for _ in range(1000):
            x.dtype
        self.assertLess(abs(sys.getrefcount(pliant.float32) - none), 10)

    def test_a_chain_of_views_keeps_nothing(self):
        x = pliant.arange(300)
        for _ in range(250):
            x = x[1:]
        self.assertEqual(x.tolist(), list(range(250, 300)))


class Threads(unittest.TestCase):
    def test_many_threads_record_and_read(self):
        shared = pliant.arange(1000, dtype="float64")
        wrong = []

        def work(k):
            for i in range(20):
                got = (shared * k + i).sum().item()
                if got != k * 499500.0 + 1000 * i:
                    wrong.append((k, i, got))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(wrong, [])

    def test_values_travel_between_threads(self):
        made = []
        thread = threading.Thread(target=lambda: made.append(pliant.arange(5) * 2))
        thread.start()
        thread.join()
        self.assertEqual((made[0] + 1).tolist(), [1, 3, 5, 7, 9])


if __name__ == "__main__":
    unittest.main()
