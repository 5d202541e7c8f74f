# SPDX-License-Identifier: Apache-2.0
"""What Pliant raises. Each class is also the one of Python's own that fits, so `except ValueError` works."""


class Error(Exception):
    """Any error of Pliant."""

    op = ""
    """The op that was called; may be empty."""
    where = ""
    """The line that recorded the op, as "model.py:12"; may be empty."""


class InputError(Error, ValueError):
    """A shape, a type, a value or a call is wrong; or a run found so, at the line that recorded the op."""


class PositionError(Error, IndexError):
    """A position or a number of indices that the shape does not have."""


class KindError(Error, TypeError):
    """An argument of a kind that is not taken."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory: the system gives none, or PLIANT_MEMORY_LIMIT is reached."""


class InternalError(Error, RuntimeError):
    """A fault of Pliant itself: please report it."""
