# SPDX-License-Identifier: Apache-2.0
"""What tests of the command share: the command, tiny models in a folder of their own, tensors in files."""

import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PLIANT, WRITER = sys.argv[1], sys.argv[2]
FOLDER = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(FOLDER.name, name)


def npy(name, dtype, dims, values):
    """Writes a .npy file; NumPy itself is not needed."""
    codes = {"f4": "f", "f8": "d", "i4": "i", "i8": "q", "u1": "B"}
    shape = "(" + ", ".join(map(str, dims)) + ("," if len(dims) == 1 else "") + ")"
    header = f"{{'descr': '{'|' if dtype == 'u1' else '<'}{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path(name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{codes[dtype]}", *values))
    return path(name)


def read_npy(name):
    with open(path(name), "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length], {})  # our own output
    code = {"<f4": "f", "<i8": "q", "<i4": "i"}[header["descr"]]
    body = data[10 + length:]
    return header["shape"], list(struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body))


def png(name, width, height, colour):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\x00" + bytes(colour) * width) * height
    with open(path(name), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path(name)


def model(name):
    """A model of PLIANT_MODELS or of the exported ones; without it the test is skipped, in CI it fails."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    cache = os.environ.get("PLIANT_CACHE", os.path.expanduser("~/.cache/pliant"))
    for folder in (os.environ.get("PLIANT_MODELS", os.path.join(root, "..", "shared", "models")),
                   os.path.join(cache, "models")):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    if os.environ.get("CI") == "true":
        raise AssertionError(f"{name} is not here")
    raise unittest.SkipTest(f"{name} is not here")


def run(*words, code=0, env=None):
    # What a user's disk cache holds makes no difference.
    done = subprocess.run([PLIANT, *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PLIANT_CACHE_LIMIT": "0", **(env or {})})
    if done.returncode != code:
        raise AssertionError(f"pliant {' '.join(words)}: exit code {done.returncode}, expected {code}\n"
                             f"{done.stdout}{done.stderr}")
    return done


def main():
    """Of a test: PLIANT MODEL-WRITER [what unittest takes]."""
    subprocess.run([WRITER, FOLDER.name], check=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
