# SPDX-License-Identifier: Apache-2.0
"""Element types. Everywhere one is asked for, NumPy's types, `float`, `int`, `bool` and names do as well."""


class DType:
    """An element type: one object for each."""

    __slots__ = ("name", "numpy_name", "itemsize")

    def __init__(self, name, numpy_name, itemsize):
        self.name, self.numpy_name, self.itemsize = name, numpy_name, itemsize

    def __repr__(self):
        return f"pliant.{self.numpy_name}" + ("_" if self.name == "bool" else "")

    def __str__(self):
        return self.name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        if isinstance(other, DType):
            return self is other
        if other is None or not isinstance(other, (str, type)) and not hasattr(other, "name"):
            return NotImplemented
        return find(other) is self

    def __reduce__(self):
        return find, (self.name,)


ALL = [DType("f32", "float32", 4), DType("f64", "float64", 8), DType("f16", "float16", 2), DType("bf16", "bfloat16", 2),
       DType("i64", "int64", 8), DType("i32", "int32", 4), DType("i16", "int16", 2), DType("i8", "int8", 1),
       DType("u64", "uint64", 8), DType("u32", "uint32", 4), DType("u16", "uint16", 2), DType("u8", "uint8", 1),
       DType("bool", "bool", 1)]
NAMES = {name: each for each in ALL for name in (each.name, each.numpy_name)} | {"bool_": ALL[-1]}
PYTHON = {float: NAMES["f64"], int: NAMES["i64"], bool: NAMES["bool"]}


def find(key):
    """The type that `key` names, or None: one of ours or NumPy's, `float`, `int`, `bool`, or a name."""
    if isinstance(key, DType):
        return key
    if isinstance(key, type):
        return PYTHON.get(key) or NAMES.get(key.__name__)
    return NAMES.get(key if isinstance(key, str) else getattr(key, "name", None))
