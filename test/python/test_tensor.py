# SPDX-License-Identifier: Apache-2.0
"""What tensors are and do in Python, against NumPy."""
import copy
import inspect
import operator
import os
import pickle
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

import pliant

np._set_promotion_state("weak")  # NEP 50, the rules of NumPy 2


def made():
    counters = pliant.counters()
    return counters["compiles"] + counters["loads"]


def same(test, got, want, message=None):
    want = np.asarray(want)
    test.assertIsInstance(got, pliant.Tensor, message)
    test.assertEqual(got.shape, want.shape, message)
    test.assertEqual(got.dtype.numpy_name, want.dtype.name, message)
    np.testing.assert_array_equal(got.numpy(), want, str(message))


class Creation(unittest.TestCase):
    def test_of_numbers_and_lists(self):
        self.assertEqual(pliant.tensor(2.5).dtype, pliant.f32)
        self.assertEqual(pliant.tensor([1, 2]).dtype, pliant.int64)
        self.assertEqual(pliant.tensor([True]).dtype, bool)
        self.assertEqual(pliant.tensor([[1, 2.5], [True, 4]]).tolist(), [[1, 2.5], [1, 4]])
        self.assertEqual(pliant.tensor([]).shape, (0,))
        self.assertEqual(pliant.tensor([[], []]).shape, (2, 0))
        self.assertEqual(pliant.tensor([2**63]).dtype, "uint64")
        self.assertEqual(pliant.tensor([-1, 300], dtype="uint8").tolist(), [255, 44])
        self.assertEqual(pliant.tensor([1.5, 2.5], dtype=np.float64).dtype, float)
        self.assertEqual(pliant.tensor([pliant.tensor([1, 2]), np.array([3, 4])]).tolist(), [[1, 2], [3, 4]])
        for wrong in ([[1], [2, 3]], [[1], 2], [1, [2]], [2**64], [-1, 2**63]):
            with self.assertRaises(ValueError, msg=wrong):
                pliant.tensor(wrong)
        for wrong in ("text", ["text"], None, object(), [None], 1j):
            with self.assertRaises(TypeError, msg=wrong):
                pliant.tensor(wrong)

    def test_functions(self):
        same(self, pliant.zeros((2, 3)), np.zeros((2, 3), np.float32))
        same(self, pliant.ones(3, dtype="int16"), np.ones(3, np.int16))
        same(self, pliant.full((2,), 7), np.full((2,), 7))
        same(self, pliant.full((2,), 0.5, pliant.f64), np.full((2,), 0.5))
        same(self, pliant.arange(5), np.arange(5))
        same(self, pliant.arange(7, 1, -2, dtype="float32"), np.arange(7, 1, -2, dtype=np.float32))
        same(self, pliant.eye(3), np.eye(3, dtype=np.float32))
        for start, stop, step in ((0.0, 1, 0.25), (1, 0, -0.1), (2.5, 7, 1), (3, 1.5, 1), (np.float32(0.5), np.int64(4), 1)):
            with self.subTest(start=start, stop=stop, step=step):
                want = np.arange(start, stop, step, dtype=np.float64)
                got = pliant.arange(start, stop, step, dtype="float64")
                self.assertEqual(got.shape, want.shape)
                np.testing.assert_allclose(got.numpy(), want, rtol=0, atol=1e-15)  # NumPy rounds the step once more
        same(self, pliant.arange(2.5), np.arange(2.5, dtype=np.float32))
        same(self, pliant.arange(True, 5), np.arange(1, 5))
        self.assertRaises(TypeError, pliant.arange, "3")
        self.assertRaises(ValueError, pliant.arange, 0, float("inf"))
        self.assertRaises(ValueError, pliant.arange, 2**63)

    def test_like(self):
        a = np.ones((2, 3), np.int16)
        for made in (pliant.zeros_like(a), pliant.tensor(a).zeros_like()):
            same(self, made, np.zeros_like(a))
        same(self, pliant.ones_like(a, dtype="float64"), np.ones_like(a, dtype="float64"))
        same(self, pliant.full_like(a.T, 7), np.full_like(a.T, 7))
        self.assertRaises(ValueError, pliant.full_like, a, 2**20)

    def test_linspace(self):
        for start, stop, num in ((0, 1, 5), (0.1, 0.7, 49), (-3, 3, 2), (5, 7, 1), (1, 2, 0), (1e-3, 1e3, 100)):
            for endpoint in (True, False):
                with self.subTest(start=start, stop=stop, num=num, endpoint=endpoint):
                    want = np.linspace(start, stop, num, endpoint=endpoint)
                    got = pliant.linspace(start, stop, num, endpoint=endpoint, dtype="float64").numpy()
                    np.testing.assert_allclose(got, want, rtol=1e-15, atol=1e-16)
                    self.assertEqual(got[:1].tolist(), want[:1].tolist())
                    if endpoint:
                        self.assertEqual(got[-1:].tolist(), want[-1:].tolist())
        same(self, pliant.linspace(-2, 2, num=8, dtype="int64"), np.linspace(-2, 2, 8, dtype="int64"))
        self.assertEqual(pliant.linspace(0, 1).shape, (50,))
        self.assertRaises(ValueError, pliant.linspace, 0, 1, -1)

    def test_element_types(self):
        for each in pliant.dtypes.ALL:
            self.assertIs(pliant.dtypes.find(each.name), each)
            self.assertIs(pickle.loads(pickle.dumps(each)), each)
            if each.name != "bf16":
                self.assertEqual(each, np.dtype(each.numpy_name))
                self.assertEqual(pliant.zeros((1,), dtype=np.dtype(each.numpy_name)).numpy().dtype, each.numpy_name)
        self.assertNotEqual(pliant.f32, pliant.f64)
        with self.assertRaises(TypeError):
            pliant.zeros((1,), dtype="complex64")
        self.assertEqual(pliant.tensor([1.00390625], pliant.bfloat16).tolist(), [1.0])


class Operators(unittest.TestCase):
    values = {name: np.array([[3, 1, 2], [5, 7, 4]]).astype(name)
              for name in ("float32", "float64", "int64", "int32", "int8", "uint8", "uint64", "bool")}
    arithmetic = [operator.add, operator.mul, operator.truediv, operator.lt, operator.le, operator.gt, operator.ge,
                  operator.eq, operator.ne]
    others = [operator.sub, operator.floordiv, operator.mod, operator.pow]
    bits = [operator.and_, operator.or_, operator.xor]

    def test_two_tensors(self):
        for a in self.values.values():
            for b in self.values.values():
                ops = list(self.arithmetic)
                if "bool" not in (a.dtype, b.dtype):
                    ops += self.others
                if a.dtype.kind != "f" and b.dtype.kind != "f" and np.result_type(a, b).kind != "f":
                    ops += self.bits
                for op in ops:
                    if op is operator.pow and np.result_type(a, b).kind in "iu":
                        continue  # tested with small exponents below
                    with np.errstate(all="ignore"):
                        want = op(a, b)
                    if op is operator.truediv and want.dtype.itemsize < 8 and a.dtype.kind != "f" and b.dtype.kind != "f":
                        want = want.astype(np.float64)  # docs/semantics.md, L5
                    got = op(pliant.tensor(a), pliant.tensor(b))
                    self.assertEqual(got.dtype, want.dtype, (op, a.dtype, b.dtype))
                    np.testing.assert_allclose(got.numpy().astype(float), want.astype(float), rtol=1e-6,
                                               err_msg=f"{op} {a.dtype} {b.dtype}")

    def test_numbers_are_weak(self):
        for a in self.values.values():
            x = pliant.tensor(a)
            for number in (2, 2.5, True):
                for op in self.arithmetic:
                    for got, want in ((op(x, number), op(a, number)), (op(number, x), op(number, a))):
                        if op is operator.truediv and a.dtype.kind != "f" and want.dtype.itemsize < 8:
                            want = want.astype(np.float64)
                        self.assertEqual(got.dtype, want.dtype, (op, a.dtype, number))
                        np.testing.assert_allclose(got.numpy().astype(float), want.astype(float), rtol=1e-6)
        self.assertEqual((pliant.tensor(np.float32([1])) + np.float64(1)).dtype, "float64")
        with self.assertRaisesRegex(ValueError, "out of the range of u8"):
            pliant.zeros((2,), dtype="uint8") + 300

    def test_with_arrays_and_lists(self):
        a = np.arange(3.0)
        x = pliant.tensor(a)
        same(self, a + x, a + a)
        same(self, x - a, a - a)
        same(self, a @ x, a @ a)
        same(self, x * [1, 2, 3], a * [1, 2, 3])
        same(self, [1, 2, 3] * x, a * [1, 2, 3])
        for wrong in (None, "text", object()):
            with self.assertRaises(TypeError):
                x + wrong
            with self.assertRaises(TypeError):
                wrong * x
        self.assertFalse(x == "text")

    def test_one_operand(self):
        a = np.array([-2, 0, 3])
        x = pliant.tensor(a)
        same(self, -x, -a)
        same(self, +x, a)
        same(self, abs(x), abs(a))
        same(self, ~x, ~a)
        same(self, ~(x > 0), ~(a > 0))
        same(self, x << 2, a << 2)
        same(self, x >> 1, a >> 1)
        same(self, x ** 2, a ** 2)
        for got, want in zip(divmod(x, 2), divmod(a, 2)):
            same(self, got, want)

    def test_in_place(self):
        for op, right in ((operator.iadd, 2), (operator.isub, 1.5), (operator.imul, 3), (operator.itruediv, 2),
                          (operator.ifloordiv, 2), (operator.imod, 3), (operator.ipow, 2)):
            a = np.array([1.5, -2.5, 4], np.float32)
            x = pliant.tensor(a)
            y = x
            view = x[1:]
            x = op(x, right)
            a = op(a, right)
            self.assertIs(x, y)
            same(self, x, a, op)
            same(self, view, a[1:], op)
        n = pliant.tensor([1, 2])
        with self.assertRaisesRegex(ValueError, "cast explicitly"):
            n += 0.5
        with self.assertRaises(ValueError):
            n /= 2
        n <<= 3
        self.assertEqual(n.tolist(), [8, 16])


class Indices(unittest.TestCase):
    a = np.arange(60).reshape(3, 4, 5)
    keys = [0, -1, slice(None), slice(1, 3), slice(None, None, -1), slice(-2, None), slice(100, -100, -2), None, ...,
            (0, 1), (..., 0), (0, ..., 1), (slice(None), 2), (None, 0, ..., None), (slice(1), slice(2), slice(0)),
            [0, 2], [[0, 1], [2, 0]], ([0, 1], [1, 2]), ([0, 2], slice(None), [1, 3]), (slice(None), [3, 0], 1),
            (0, [1, 2]), ([0, 2], 1), np.array([2, 0]), np.int64(1), np.array(1), a > 30, a[:, :, 0] > 12,
            (slice(None), np.array([True, False, True, True])), (np.array([True, False, True]), [0, 1]),
            (slice(None), slice(None), a[0, 0] > 2), [], (), np.zeros((0,), np.int64), (None, [0, 1], None)]

    def test_reading(self):
        x = pliant.tensor(self.a)
        for key in self.keys:
            same(self, x[key], self.a[key], key)

    def test_writing(self):
        for key in self.keys:
            for value in (7, -2.75, "ones", "rows"):
                a, x = self.a.copy(), pliant.tensor(self.a)
                picked = a[key]
                if value == "ones":
                    given = np.ones(picked.shape, np.int32)
                elif value == "rows":
                    given = np.arange(picked.shape[-1] if picked.ndim else 1)
                    given = given if picked.ndim else given[0]
                else:
                    given = value
                a[key] = given
                x[key] = given
                same(self, x, a, (key, value))

    def test_tensors_as_indices(self):
        x = pliant.tensor(self.a)
        same(self, x[pliant.tensor([2, 0])], self.a[[2, 0]])
        same(self, x[x > 30], self.a[self.a > 30])
        same(self, x[pliant.tensor(1)], self.a[1])

    def test_views(self):
        a, x = self.a.copy(), pliant.tensor(self.a)
        b, y = a[1:, ::-2], x[1:, ::-2]
        c, z = b.transpose(2, 0, 1)[1:3], y.transpose(2, 0, 1)[1:3]
        c *= 10
        z *= 10
        same(self, x, a)
        x[1] += 5
        a[1] += 5
        same(self, z, c)
        same(self, y, b)
        x.reshape(60)[::7] = 0
        a.reshape(60)[::7] = 0
        same(self, z, c)
        before = x.numpy()
        x[...] = 1
        np.testing.assert_array_equal(before, a)

    def test_augmented_writes_once(self):
        x = pliant.zeros((3, 4))
        pliant.eval(x)
        x[1, 1:3] += 2
        x[[0, 0, 2]] += 1
        same(self, x, np.float32([[1] * 4, [0, 2, 2, 0], [1] * 4]))
        t = x[0]
        t += 1
        x[1] = t
        same(self, x[1], np.float32([2] * 4))

    def test_errors(self):
        x = pliant.tensor(self.a)
        for key in (3, -4, (0, 0, 0, 0), (..., ...), True, [5], np.zeros((2, 2), bool), 2**70):
            with self.assertRaises(IndexError, msg=key):
                pliant.eval(x[key])
        for key in ("a", 1.5, [0.5], {}):
            with self.assertRaises((TypeError, IndexError), msg=key):
                x[key]
        with self.assertRaises(ValueError):
            x[::0]
        with self.assertRaises(ValueError):
            x[0] = np.zeros(3)
        with self.assertRaises(TypeError):
            del x[0]


class Conversions(unittest.TestCase):
    def test_to_python(self):
        self.assertIs(pliant.tensor(True).item(), True)
        self.assertEqual(pliant.tensor(2**64 - 1, dtype="uint64").item(), 2**64 - 1)
        self.assertEqual(float(pliant.tensor([[2.5]])), 2.5)
        self.assertEqual(int(pliant.tensor(-3.7)), -3)
        self.assertEqual(list(range(5))[pliant.tensor(2)], 2)
        self.assertTrue(pliant.tensor(0.5))
        self.assertFalse(pliant.tensor([0]))
        self.assertEqual(f"{pliant.tensor(2.5):.3f}", "2.500")
        self.assertEqual([row.tolist() for row in pliant.arange(4).reshape(2, 2)], [[0, 1], [2, 3]])
        self.assertEqual(len(pliant.zeros((4, 2))), 4)
        self.assertIn(3, pliant.arange(4))
        self.assertNotIn(4, pliant.arange(4))
        for call in (lambda: bool(pliant.arange(2)), lambda: float(pliant.arange(2)), lambda: pliant.arange(0).item()):
            with self.assertRaises(ValueError):
                call()
        for call in (lambda: len(pliant.tensor(1)), lambda: iter(pliant.tensor(1)), lambda: hash(pliant.tensor(1)),
                     lambda: operator.index(pliant.tensor(1.5))):
            with self.assertRaises(TypeError):
                call()

    def test_texts(self):
        self.assertEqual(repr(pliant.tensor([[1, 2], [3, 4]])),
                         "tensor([[1 2]\n        [3 4]], i64, shape=(2, 2))")
        self.assertEqual(str(pliant.tensor(2.5)), "2.5")
        failed = pliant.tensor([1]) // pliant.tensor([0])
        self.assertIn("failed: ", repr(failed))
        self.assertEqual(repr(pliant.float32), "pliant.float32")

    def test_copies(self):
        x = pliant.arange(6).reshape(2, 3)
        for clone in (copy.copy(x), copy.deepcopy(x), x.copy(), pickle.loads(pickle.dumps(x))):
            clone[0] = 9
            self.assertEqual(clone.tolist(), [[9, 9, 9], [3, 4, 5]])
        self.assertEqual(x.tolist(), [[0, 1, 2], [3, 4, 5]])
        half = pliant.tensor([1.5, -2], "bfloat16")
        self.assertEqual(pickle.loads(pickle.dumps(half)).tolist(), [1.5, -2])
        self.assertEqual(pickle.loads(pickle.dumps(half)).dtype, pliant.bf16)


class Functions(unittest.TestCase):
    def test_the_table(self):
        self.assertGreater(len(pliant._pliant.FUNCTIONS), 120)
        for name in pliant._pliant.FUNCTIONS:
            function = getattr(pliant, name)
            self.assertTrue(function.__doc__.startswith(name + "(") or name in ("max", "min"), name)
            inspect.signature(function)
        self.assertEqual([str(inspect.signature(f)) for f in (pliant.arange, pliant.full, pliant.split)],
                         ["(start, stop=None, step=1, dtype=None)", "(shape, value, dtype=None)", "(x, parts, axis=0)"])
        self.assertIs(pickle.loads(pickle.dumps(pliant.softmax)), pliant.softmax)

    def test_sort(self):
        rng = np.random.default_rng(5)
        for dtype in ("float32", "float64", "float16", "int64", "int8", "uint8", "uint64", "bool"):
            for shape in ((7,), (3, 5), (2, 0), (4, 1, 9), (1,)):
                a = rng.integers(0, 4, shape).astype(dtype)
                if a.size and dtype.startswith("float"):
                    a.flat[a.size // 2] = np.nan
                for axis in range(-a.ndim, a.ndim):
                    with self.subTest(dtype=dtype, shape=shape, axis=axis):
                        same(self, pliant.sort(a, axis), np.sort(a, axis))
                        same(self, pliant.tensor(a).argsort(axis=axis), np.argsort(a, axis, kind="stable"))
        same(self, pliant.sort([3, 1, 2], descending=True), [3, 2, 1])
        self.assertRaises(ValueError, pliant.sort, 3.5)

    def test_split_at(self):
        a = np.arange(24).reshape(2, 12)
        for got in (pliant.split_at(a, (3, 7), axis=1), pliant.split(a, [3, 7], axis=1)):
            for mine, want in zip(got, np.split(a, [3, 7], axis=1), strict=True):
                same(self, mine, want)

    def test_calls(self):
        a = np.arange(12, dtype=np.float32).reshape(3, 4)
        x = pliant.tensor(a)
        same(self, pliant.sum(x), a.sum())
        same(self, x.sum(0), a.sum(0))
        same(self, x.sum(axis=(0, 1), keepdims=True), a.sum(axis=(0, 1), keepdims=True))
        same(self, x.mean(axes=[1], keep_dims=True), a.mean(axis=1, keepdims=True))
        same(self, x.max(1), a.max(1))
        same(self, pliant.min(x), a.min())
        same(self, pliant.concat([x, a, [[1, 2, 3, 4]]]), np.concatenate([a, a, [[1, 2, 3, 4]]]))
        same(self, pliant.stack((x, x), axis=1), np.stack((a, a), axis=1))
        same(self, pliant.where(x > 4, x, -1), np.where(a > 4, a, np.float32(-1)))
        same(self, x.clip(2, 5), a.clip(2, 5))
        same(self, x.T @ x, a.T @ a)
        same(self, pliant.transpose(x, axes=(1, 0)), a.T)
        same(self, x.astype("int8"), a.astype(np.int8))
        same(self, pliant.roll(x, 1, 1), np.roll(a, 1, 1))
        for got, want in zip(pliant.split(x, [1, 3], axis=1), np.split(a, [1, 3], axis=1)):
            same(self, got, want)
        self.assertEqual([each.shape for each in pliant.split(x, 2, axis=1)], [(3, 2), (3, 2)])
        values, indices = pliant.top_k(x, 2)
        self.assertEqual(values.tolist(), [[3, 2], [7, 6], [11, 10]])
        self.assertEqual(indices.dtype, "int64")
        self.assertEqual(pliant.arg_max(x).tolist(), [3, 3, 3])
        np.testing.assert_allclose(pliant.std(x).item(), a.std(), rtol=1e-6)
        np.testing.assert_allclose(x.std(axis=0, keepdims=True).numpy(), a.std(0, keepdims=True), rtol=1e-6)

    def test_positions_of_the_largest(self):
        a = np.array([[[3, 9, 9], [1, 9, 0]], [[-5, 2, 2], [-5, 8, 7]]])
        for kind in (np.int64, np.float32, np.uint8, bool):
            b = a.astype(kind)
            x = pliant.tensor(b)
            for ours, theirs in ((pliant.argmax, np.argmax), (pliant.argmin, np.argmin)):
                same(self, ours(x), theirs(b))
                same(self, ours(x, None), theirs(b))
                same(self, ours(x, keepdims=True), theirs(b, keepdims=True))
                for axis in (0, 1, -1):
                    same(self, ours(x, axis), theirs(b, axis), axis)
                    same(self, ours(x, axis=axis, keepdims=True), theirs(b, axis, keepdims=True), axis)
                for axes, last in (((0, 2), b.transpose(1, 0, 2)), ((2, 1), b)):
                    flat = last.reshape(2, -1)
                    same(self, ours(x, axes), theirs(flat, 1), axes)
        same(self, x.argmax(), b.argmax())
        same(self, pliant.argmax(pliant.tensor([1, np.nan, 2])), np.argmax([1, np.nan, 2]))
        same(self, pliant.argmin(pliant.tensor([1, np.nan, 2])), np.argmin([1, np.nan, 2]))
        same(self, pliant.argmin(pliant.tensor(4)), np.argmin(4))
        same(self, pliant.argmax(pliant.zeros((0, 3)), 1), np.argmax(np.zeros((0, 3)), 1))
        for wrong in (lambda: pliant.argmax(pliant.zeros((0, 3))), lambda: pliant.argmin(pliant.zeros((2, 0)), 1)):
            with self.assertRaises(ValueError):
                wrong()
        for wrong in (lambda: pliant.arg_max(x, None), lambda: pliant.softmax(x, axis=None), lambda: pliant.cumsum(x, None)):
            with self.assertRaisesRegex(TypeError, "'axis' is not None"):
                wrong()

    def test_wrong_calls(self):
        x = pliant.zeros((2, 3))
        for call in (lambda: pliant.exp(), lambda: pliant.exp(x, x), lambda: pliant.softmax(x, axle=1),
                     lambda: pliant.softmax(x, 0, axis=0), lambda: pliant.softmax(x, "last"),
                     lambda: pliant.softmax(None), lambda: pliant.concat(3), lambda: x.reshape("a")):
            with self.assertRaises(TypeError):
                call()
        for call in (lambda: pliant.softmax(x, 2), lambda: x @ x, lambda: x.reshape(4, 2), lambda: pliant.concat([])):
            with self.assertRaises(ValueError):
                call()


class Sums(unittest.TestCase):
    def test_an_extent_that_is_known_to_be_1_changes_no_bit(self):
        noise = np.random.RandomState(0)
        for shape, axes in (((311, 1), 0), ((37, 71, 1, 1), (0, 1, 3)), ((5, 1, 37, 71, 1), (0, 1, 4)), ((5, 1, 71), (0, 2)),
                            ((5, 37, 1, 1, 71), (0, 2, 4)), ((1, 5, 37, 71, 1), 3), ((1, 311), (0, 1))):
            data = noise.randn(*shape).astype(np.float32)
            for ours, theirs in ((pliant.sum, np.sum), (pliant.mean, np.mean), (
                    lambda x, axes: x / (x * x).sum(axes, True), lambda x, axes: x / (x * x).sum(axes, keepdims=True))):
                free = ours(pliant.tensor(data), axes)
                pliant.eval(free)
                ones = tuple(axis for axis, extent in enumerate(shape) if extent == 1)
                known = ours(pliant.tensor(data).max(ones, True), axes)
                self.assertEqual(free.numpy().tobytes(), known.numpy().tobytes(), (shape, axes))
                np.testing.assert_allclose(free.numpy(), theirs(data.astype(float), axes), 1e-5, 1e-4)


class NotANumber(unittest.TestCase):
    """NaN shows wherever NumPy has it (N6), although loops look for it only where they must."""

    def test_in_rows(self):
        forms = {
            "softmax": lambda m, x, largest, total: (lambda e: e / total(e))(m.exp(x - largest(x))),
            "logarithm": lambda m, x, largest, total: (lambda d: d - m.log(total(m.exp(d))))(x - largest(x)),
            "exponentials alone": lambda m, x, largest, total: m.exp(x - largest(x)),
            "their sums": lambda m, x, largest, total: total(m.exp(x - largest(x))),
            "differences beside": lambda m, x, largest, total: (lambda d: d * 2 + total(m.exp(d)))(x - largest(x)),
            "largest": lambda m, x, largest, total: largest(x),
        }
        ours = lambda x: x.max(axis=1, keepdims=True), lambda x: x.sum(axis=1, keepdims=True)
        draw = np.random.default_rng(5)
        for n in (1, 7, 8, 16, 31, 64, 65, 200):
            x = draw.standard_normal((7, n)).astype(np.float32)
            x[1, n // 2] = np.nan
            x[2] = -np.inf
            x[3, 0] = np.inf
            x[4] = np.nan
            x[5, n - 1] = -np.inf
            with np.errstate(all="ignore"):
                for name, form in forms.items():
                    np.testing.assert_allclose(form(pliant, pliant.tensor(x), *ours).numpy(), form(np, x, *ours),
                                               rtol=1e-4, atol=1e-5, err_msg=f"{name}, {n}")
                np.testing.assert_allclose(pliant.softmax(pliant.tensor(x)).numpy(), forms["softmax"](np, x, *ours),
                                           rtol=1e-4, atol=1e-5, err_msg=str(n))
                t = pliant.tensor(x)
                e = pliant.exp(t - t.max(axis=1, keepdims=True))
                y = e / e.sum(axis=1, keepdims=True)
                pliant.eval(e, y)  # both of one run
                np.testing.assert_allclose(e.numpy(), forms["exponentials alone"](np, x, *ours), rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(y.numpy(), forms["softmax"](np, x, *ours), rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(pliant.log_softmax(pliant.tensor(x)).numpy(),
                                           forms["logarithm"](np, x, *ours), rtol=1e-4, atol=1e-5, err_msg=str(n))

    def test_bounds(self):
        """A bound is a scalar, an element or a row; from one vector to loops of many."""
        draw = np.random.default_rng(6)
        for n in (1, 7, 8, 33, 100, 1000):
            x = draw.standard_normal(n).astype(np.float32)
            x[draw.integers(0, n, n // 3)] = np.nan
            for bound in (0.25, float("nan"), -np.inf, np.float32(0.5) * np.ones(1, np.float32),
                          np.full(1, np.nan, np.float32), draw.standard_normal(n).astype(np.float32)):
                b = pliant.tensor(bound) if isinstance(bound, np.ndarray) else bound
                for ours, numpys in ((pliant.maximum, np.maximum), (pliant.minimum, np.minimum)):
                    for flipped in (False, True):
                        a = pliant.tensor(x)
                        got = ours(b, a * 1) if flipped else ours(a * 1, b)
                        want = numpys(bound, x) if flipped else numpys(x, bound)
                        np.testing.assert_array_equal(got.numpy(), want.astype(np.float32), f"{n} {bound} {flipped}")


class Errors(unittest.TestCase):
    def test_the_line_is_the_users(self):
        x = pliant.zeros((2, 3))
        line = inspect.currentframe().f_lineno + 2
        with self.assertRaises(pliant.InputError) as caught:
            x + pliant.zeros((4, 3))
        self.assertEqual(caught.exception.where.rsplit("/", 1)[-1], f"test_tensor.py:{line}")
        self.assertEqual(caught.exception.op, "add")
        self.assertIn("(2, 3)", str(caught.exception))

    def test_errors_of_runs_name_the_recording_line(self):
        for read in (lambda x: x.numpy(), lambda x: x.tolist(), lambda x: bool(x), lambda x: pliant.eval(x), str):
            line = inspect.currentframe().f_lineno + 1
            bad = pliant.tensor([1]) // pliant.tensor([0])
            with self.assertRaises(ValueError) as caught:
                read(bad)
            self.assertIn(f"test_tensor.py:{line}", str(caught.exception))
        good = pliant.tensor([1]) + 1
        self.assertEqual(good.tolist(), [2])

    def test_warnings_module_is_quiet(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for n in range(20):
                self.assertEqual((pliant.arange(n) * n).sum().item(), n * n * (n - 1) // 2)


class Random(unittest.TestCase):
    def test_streams(self):
        a, b = pliant.random.Generator(7), pliant.random.Generator(7)
        first, second = a.uniform(5), a.uniform((5,))
        self.assertEqual(first.tolist() + second.tolist(), b.uniform(10).tolist())
        self.assertEqual(a.position, 10)
        again = pickle.loads(pickle.dumps(a))
        self.assertEqual(again.normal(3).tolist(), a.normal(3).tolist())
        drawn = pliant.random.Generator(3).integers((1000,), -2, 3)
        self.assertEqual((drawn.min().item(), drawn.max().item(), drawn.dtype), (-2, 2, pliant.int64))
        self.assertEqual(sorted(a.permutation(20).tolist()), list(range(20)))
        for n in (1, 4):  # the number of elements is bounded, and a product
            order = pliant.random.Generator(0).permutation(n)
            same(self, order[None, [-1, 0, -1], ...], order.numpy()[None, [-1, 0, -1]])
        self.assertEqual(a.bernoulli(10, 1.0).tolist(), [True] * 10)
        self.assertNotEqual(a.fork().seed, a.fork().seed)
        with self.assertRaises(ValueError):
            a.integers(3, 5, 5)


class Running(unittest.TestCase):
    def test_one_compile_whatever_sizes_and_scalars(self):
        def step(n, scale, at):
            x = pliant.arange(n * 4, dtype="float32").reshape(n, 4)
            x[at:at + 2] *= scale
            return (x * 0.5).sum(1)

        def want(n, scale, at):
            x = np.arange(n * 4, dtype=np.float32).reshape(n, 4)
            x[at:at + 2] *= np.float32(scale)
            return (x * np.float32(0.5)).sum(1)

        same(self, step(5, 2.0, 1), want(5, 2.0, 1))
        before = made()
        for n, scale, at in ((6, 3.0, 1), (9, 1.5, 4), (7, 0.25, 2)):
            same(self, step(n, scale, at), want(n, scale, at))
        self.assertEqual(made(), before)

    def test_barriers(self):
        x = pliant.zeros((3,))
        for _ in range(50):
            x += 1
            pliant.barrier()
        pliant.wait()
        self.assertEqual(x.tolist(), [50] * 3)
        y, z = x * 2, x * 3
        self.assertIn("mul", pliant.pending())
        self.assertIn("digraph", pliant.pending("dot"))
        self.assertIn("pliant.mul", pliant.pending("ir"))
        with self.assertRaises(ValueError):
            pliant.pending("svg")
        pliant.eval(y, z)
        pliant.eval([y, z])
        self.assertGreater(pliant.counters()["segments"], 50)
        self.assertIsInstance(pliant.explain(), str)

    def test_a_picture_of_what_is_recorded(self):
        x = pliant.ones((3, 5))
        pliant.eval(x)
        y = pliant.exp(x @ x.T) * 2
        with tempfile.TemporaryDirectory() as folder:
            ir, picture = folder + "/pending.mlir", folder + "/pending.svg"
            with open(ir, "w") as file:
                file.write(pliant.pending("ir"))
            subprocess.run([os.environ["PLIANT_COMMAND"], "view", ir, "--output", picture], check=True, capture_output=True)
            with open(picture) as file:
                self.assertIn("matmul", file.read())
            passes = subprocess.run([os.environ["PLIANT_COMMAND"], "compile", ir, "--stop-after", "fuse"], check=True,
                                    capture_output=True, text=True).stdout
            self.assertIn("pliant.matmul", passes)
        self.assertEqual(y.shape, (3, 3))


if __name__ == "__main__":
    unittest.main()
