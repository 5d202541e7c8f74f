#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reader.cpp in Python: reads lines of text off pictures with a PP-OCR recognition model, and compares them with what they
say. What surrounds the model (resampling, colours, the choice of characters) is ordinary code on tensors: like the model it
is compiled once, for pictures of every height and width. Needs NumPy and PIL, which read the pictures.

    reader.py MODEL KEYS FOLDER      FOLDER as `scripts/render.py` makes it: pictures, and texts.tsv with their texts"""
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import pliant as pl


def resampling(size, to):
    """The matrix that makes `to` samples of `size`: linear between them, averaging where there become fewer."""
    ratio = size / to
    centre = (pl.arange(to, dtype="float32") + 0.5) * ratio
    distance = abs(pl.arange(size, dtype="float32") + 0.5 - centre[:, None])
    weight = pl.maximum(1 - distance / max(1.0, ratio), 0)
    return weight / weight.sum(axis=1, keepdims=True)


def model_input(picture):
    """uint8 (height, width, 3) to what the model takes: 48 high in proportion, blue first, -1 to 1, (1, 3, 48, width)."""
    height, width, _ = picture.shape
    to = max(1, round(48 * width / height))
    colours = picture.astype("float32").transpose(2, 0, 1)[::-1]
    small = resampling(height, 48) @ colours @ resampling(width, to).T
    return (small / 127.5 - 1)[None]


def read(scores, keys):
    """From scores (1, places, classes): the likeliest class at each place, runs of one class merged, class 0 dropped."""
    best = pl.arg_max(scores[0])
    before = pl.concat([[0], best[:-1]])
    chosen = (best != 0) & (best != before)
    confidence = scores[0].max(axis=1)[chosen].mean().item()
    # The model likes to see a blank in the margin.
    return "".join(keys[key] for key in best[chosen].tolist()).strip(" "), confidence


def made():
    counters = pl.counters()
    return counters["compiles"] + counters["loads"]


def main(model, keys, folder):
    model = pl.Model(model)
    # Class 0 is no character, then come the lines of the file, then the blank.
    keys = ["", *Path(keys).read_text(encoding="utf-8").rstrip("\n").split("\n"), " "]
    lines = right = 0
    for line in (Path(folder) / "texts.tsv").read_text(encoding="utf-8").splitlines():
        name, text = line.split("\t")
        picture = pl.asarray(np.asarray(Image.open(Path(folder) / name).convert("RGB")))
        (scores,) = model(model_input(picture))
        found, confidence = read(scores, keys)
        print(f"{name}  {confidence:6.1%}  {found}".replace("%", " %", 1))
        if found == text:
            right += 1
        else:
            print(f"      it says:  {text}")
        if lines == 0:
            for_the_first = made()
        lines += 1
    print(f"{right} of {lines} lines right; programs made: {for_the_first} for the first picture, "
          f"{made() - for_the_first} for the others")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
