# SPDX-License-Identifier: Apache-2.0
"""Pliant's functions in NumPy's words, for the programs that both run."""
import re

import numpy as np


def copied(function):
    """NumPy gives views where Pliant's functions give tensors of their own."""
    return lambda *arguments: np.array(function(*arguments))


def wide(function):
    """Sums and products of integers are 64 bits wide in both; so are those of bool."""
    return lambda x, axes, keep: function(x, axis=tuple(axes), keepdims=keep)


def of_float(function):
    return lambda x, axes, keep: function(x, axis=tuple(axes), keepdims=keep)


def positions(function):
    """Over any axes: row-major among them."""
    def over(x, axes, keep):
        kept = [axis for axis in range(x.ndim) if axis not in axes]
        folded = [axis for axis in range(x.ndim) if axis in axes]
        if any(x.shape[axis] == 0 for axis in folded):
            raise ValueError("no element to give")
        count = int(np.prod([x.shape[axis] for axis in folded], dtype=int))
        found = function(x.transpose(kept + folded).reshape([x.shape[axis] for axis in kept] + [count]), -1)
        return np.array(found).reshape([1 if axis in axes else x.shape[axis] for axis in range(x.ndim) if keep or axis in kept])
    return over


class Generator:
    """Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, 2011) as the documents have it, with integers."""

    def __init__(self, seed):
        self.key, self.position = seed, 0

    def blocks(self, counters, upper=0):
        """The four words of each counter's block."""
        low = (1 << 32) - 1
        out = []
        for counter in counters:
            words, key = [counter & low, counter >> 32, upper & low, upper >> 32], [self.key & low, self.key >> 32]
            for _ in range(10):
                first, second = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
                words = [second >> 32 ^ words[1] ^ key[0], second & low, first >> 32 ^ words[3] ^ key[1], first & low]
                key = [key[0] + 0x9E3779B9 & low, key[1] + 0xBB67AE85 & low]
            out.append(words)
        return out

    def bits(self, shape):
        """Two arrays of 64 random bits."""
        count = int(np.prod(shape, dtype=int))
        words = self.blocks(range(self.position, self.position + count))
        self.position += count
        return [np.array([w[i] | w[i + 1] << 32 for w in words], np.uint64).reshape(shape) for i in (0, 2)]

    @staticmethod
    def unit(bits, kind):
        digits = {"float64": 53, "float32": 24, "float16": 11}[kind]
        wide = np.float64 if kind == "float64" else np.float32
        return (bits >> np.uint64(64 - digits)).astype(wide) * wide(2.0**-digits)

    def uniform(self, shape, kind):
        return self.unit(self.bits(shape)[0], kind).astype(kind)

    def normal(self, shape, kind):
        wide = "float64" if kind == "float64" else "float32"
        first, second = (self.unit(bits, wide) for bits in self.bits(shape))
        one, turn = first.dtype.type(1), first.dtype.type(2 * np.pi)
        return (np.sqrt(np.log(one - first) * -2) * np.cos(second * turn)).astype(kind)

    def integers(self, shape, low, high):
        drawn = [low + (int(bits) * (high - low) >> 64) for bits in self.bits(shape)[0].reshape(-1)]
        return np.array(drawn, np.int64).reshape(shape)

    def bernoulli(self, shape, p):
        return self.uniform(shape, "float64") < p

    def permutation(self, n):
        return np.argsort(self.bits((n,))[0], kind="stable")

    def fork(self):
        words = self.blocks([self.position], (1 << 64) - 1)[0]
        self.position += 1
        return Generator(words[0] | words[1] << 32)

    def seek(self, position):
        self.position = position


class NumpyFunctions:
    Generator = Generator
    sum, prod = wide(np.sum), wide(np.prod)
    mean, var = of_float(np.mean), of_float(np.var)
    amax, amin, max, any, all = wide(np.amax), wide(np.amin), wide(np.amax), wide(np.any), wide(np.all)
    argmax, argmin = positions(np.argmax), positions(np.argmin)
    maximum, minimum = staticmethod(np.maximum), staticmethod(np.minimum)
    sqrt, exp, log, sin, cos, tanh = (staticmethod(f) for f in (np.sqrt, np.exp, np.log, np.sin, np.cos, np.tanh))
    floor, ceil, square, is_nan = (staticmethod(f) for f in (np.floor, np.ceil, np.square, np.isnan))
    reshape, transpose, squeeze = copied(np.reshape), copied(np.transpose), copied(np.squeeze)
    expand_dims, flip, roll, broadcast_to = copied(np.expand_dims), copied(np.flip), copied(np.roll), copied(np.broadcast_to)

    @staticmethod
    def where(condition, x, y):  # with weak numbers, as in NumPy 2
        kind = np.result_type(x, y)
        return np.where(condition, np.asarray(x).astype(kind), np.asarray(y).astype(kind))

    @staticmethod
    def sign(x):  # of a zero that zero
        return np.where(x == 0, x, np.sign(x))

    @staticmethod
    def relu(x):
        return np.maximum(x, x.dtype.type(0))

    @staticmethod
    def cumsum(x, axis):
        return np.cumsum(x, axis, dtype=x.dtype)

    @staticmethod
    def concat(arrays, axis):
        return np.concatenate(arrays, axis)

    @staticmethod
    def stack(arrays, axis):
        return np.stack(arrays, axis)

    @staticmethod
    def gather(x, indices, axis):
        return np.take(x, indices, axis)

    @staticmethod
    def split(x, positions, axis):
        return [np.array(part) for part in np.split(x, positions, axis)]


for _name in ("argmax", "argmin", "sum", "prod", "mean", "var", "amax", "amin", "max", "any", "all", "reshape", "transpose", "squeeze",
              "expand_dims", "flip", "roll", "broadcast_to"):
    setattr(NumpyFunctions, _name, staticmethod(NumpyFunctions.__dict__[_name]))


def refuse_misfit(statement, scope):
    """Raises where what is written into x[...] does not broadcast to it. NumPy itself takes values of more axes where
    integer arrays or masks choose nothing: np.zeros((3, 3))[[], 2] = np.ones((2, 0))."""
    written = re.match(r"(\w+\[.*\]) = (.*)", statement)
    if written:
        target, value = (np.shape(eval(part, scope)) for part in written.groups())  # noqa: S307: our own text
        while len(value) > len(target) and value[0] == 1:
            value = value[1:]
        if len(value) > len(target) or np.broadcast_shapes(target, value) != target:
            raise ValueError(f"{value} does not broadcast to {target}")


def boring(value, op):
    """Whether both libraries mean the same by an op of one operand on this type."""
    if op in ("-{}", "xp.sign({})", "xp.square({})", "abs({})", "xp.relu({})") and value.dtype == bool:
        return False
    if op == "~{}":
        return value.dtype.kind in "iub"
    if op in ("xp.floor({})", "xp.ceil({})", "xp.is_nan({})"):
        return value.dtype.kind == "f"
    return True
