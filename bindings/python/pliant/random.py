# SPDX-License-Identifier: Apache-2.0
"""Random numbers."""
from ._pliant import Generator

__all__ = ["Generator"]
