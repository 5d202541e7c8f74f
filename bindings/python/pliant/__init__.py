# SPDX-License-Identifier: Apache-2.0
"""Pliant: tensors whose ops are recorded as Python runs, compiled once whatever sizes and scalars are, and run when a value
is asked for. Functions, operators and indices are NumPy's where NumPy has them."""
from . import _pliant, dtypes, random
from ._pliant import *  # noqa: F401,F403: the functions of the table
from ._pliant import Function, Model, Tensor
from ._pliant import _restore as _made
from .dtypes import DType
from .errors import Error, InputError, InternalError, KindError, OutOfMemoryError, PositionError

float32, float64, float16, bfloat16, int64, int32, int16, int8, uint64, uint32, uint16, uint8, bool_ = dtypes.ALL
f32, f64, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8 = dtypes.ALL[:-1]
newaxis = None

# NumPy's names of what is here by another one.
concatenate, absolute, negative, power, multiply, subtract = concat, abs, neg, pow, mul, sub  # noqa: F405
divide, true_divide = true_divide, true_divide  # noqa: F405
not_equal, isnan, isinf, expand = not_equal, is_nan, is_inf, broadcast_to  # noqa: F405


def _restore(dtype, shape, elements):
    """What pickles of tensors call; functions of the module itself cannot be pickled."""
    return _made(dtype, shape, elements)


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("dtypes", "errors")]
