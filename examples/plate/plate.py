#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plate.cpp in Python: heat on a square plate with a round hole that is kept cold, relaxed until nothing moves any more, on
finer and finer grids. The loop, its condition and the growing sizes are ordinary Python; each kind of step is compiled once.

    plate.py [OUTPUT.png]"""
import struct
import sys
import zlib

import pliant as pl


def hole(n):
    """True inside of the hole of a grid with n points a side."""
    at = (pl.arange(n, dtype="float32") + 0.5) / n - 0.5
    x, y = at[None, :], at[:, None]
    return x * x + y * y < 0.04


def relax(heat, cold):
    """One sweep: every inner point becomes the mean of its neighbours; borders and hole stay."""
    heat[1:-1, 1:-1] = (heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]) * 0.25
    heat[...] = pl.where(cold, 0, heat)


def finer(heat):
    """To twice as many points a side."""
    n = len(heat)
    return heat[:, None, :, None].broadcast_to(n, 2, n, 2).reshape(2 * n, 2 * n).copy()


def set_borders(heat):
    heat[0] = 1  # the upper edge is hot,
    heat[-1] = 0  # the lower one cold,
    heat[..., 0] = pl.arange(len(heat), dtype="float32") / len(heat)  # one side from cold to hot


def draw(heat, path):
    """From blue over white to red, as a PNG."""
    warm, cool = (heat * 2 - 1).clip(0, 1), (1 - heat * 2).clip(0, 1)
    picture = (pl.stack([1 - cool, 1 - warm - cool * 0.6, 1 - warm], 2) * 255).round().astype("uint8")
    height, width, _ = picture.shape
    rows = b"".join(b"\0" + bytes(memoryview(row).cast("B")) for row in picture)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main():
    heat = pl.zeros((16, 16))
    n = 16
    while n <= 256:
        if n > 16:
            heat = finer(heat)
        set_borders(heat)
        cold = hole(n)
        sweeps, moved = 0, 1.0
        while moved > 1e-4 and sweeps < 4000:
            before = heat.copy()
            for _ in range(50):
                relax(heat, cold)
            sweeps += 50
            moved = abs(heat - before).max().item()  # the only wait of 50 sweeps
        print(f"{n:4d} x {n:<4d} {sweeps:5d} sweeps, mean {heat.mean().item():.5f}, largest move {moved:.1e}")
        n *= 2
    path = sys.argv[1] if len(sys.argv) > 1 else "plate.png"
    draw(heat, path)
    counts = pl.counters()
    print(f"{counts['segments']} segments, programs: {counts['compiles']} compiled, {counts['loads']} from the disk cache; "
          f"{counts['failures']} failed\ndrawn in {path}")


if __name__ == "__main__":
    main()
