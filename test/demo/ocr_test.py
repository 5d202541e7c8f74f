#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Renders lines of random text at random widths and sizes and lets `ocr` read them: at least 95 % of the characters
right, after one compile for all widths. Exits with 77 (skipped) where the model is absent, unless CI=true.

    ocr_test.py OCR [--count 50] [--seed 8] [--show]     OCR is the program; --show lists what was misread
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODELS = Path(os.environ.get("PLIANT_CACHE") or Path.home() / ".cache" / "pliant") / "models"
MODEL, KEYS = MODELS / "ch_PP-OCRv4_rec_infer.onnx", MODELS / "ppocr_keys_v1.txt"
REQUIRED = 0.95


def distance(a, b):
    """Levenshtein's: how many characters must be put in, taken out or replaced."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1]


def render(folder, *arguments):
    """The pictures and their true texts."""
    subprocess.run(["/usr/bin/python3", str(ROOT / "scripts/render.py"), *arguments, str(folder)], check=True)
    lines = (folder / "texts.tsv").read_text(encoding="utf-8").splitlines()
    return [(str(folder / name), text) for name, text in (line.split("\t", 1) for line in lines)]


def missing_models():
    """The exit code when the model is absent, or None."""
    for file in (MODEL, KEYS):
        if not file.exists():
            must = os.environ.get("CI") == "true"
            print(f"{'FAILED' if must else 'skipped'}: there is no {file} (scripts/setup --demo fetches it)")
            return 1 if must else 77
    return None


def ocr(program, *arguments):
    return subprocess.run([program, "--model", str(MODEL), "--keys", str(KEYS), *arguments], capture_output=True,
                          text=True, encoding="utf-8")


def right_share(expected, read, show):
    wrong = total = 0
    for path, text in expected:
        errors = distance(text, read[path])
        wrong += errors
        total += len(text)
        if show and errors:
            print(f"  {Path(path).name}: {text!r} read as {read[path]!r}")
    return 1 - wrong / total


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    return struct.unpack(">II", data[16:24])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ocr")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if (absent := missing_models()) is not None:
        return absent

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        random = render(folder / "random", "random", str(options.count), str(options.seed))
        samples = render(folder / "samples", "samples")
        done = ocr(options.ocr, "--json", "--out", str(folder / "out"), *(path for path, _ in random + samples))
        if done.returncode:
            print(done.stderr)
            return 1
        result = json.loads(done.stdout)
        read = {picture["file"]: picture["text"] for picture in result["pictures"]}
        widths = len({picture["width"] for picture in result["pictures"]})
        shares = {"random": right_share(random, read, options.show), "samples": right_share(samples, read, options.show)}
        times = sorted(picture["ms"] for picture in result["pictures"])
        print(f"{len(read)} pictures of {widths} widths, {result['compiles']} compile in {result['compile_ms']:.0f} ms, "
              f"{result['fallbacks']} fallbacks, {times[len(times) // 2]:.1f} ms a picture; characters right: "
              + ", ".join(f"{kind} {share:.1%}" for kind, share in shares.items()))
        failures = [f"of the {kind} lines only {share:.1%} of the characters are right, {REQUIRED:.0%} is required"
                    for kind, share in shares.items() if share < REQUIRED]
        if result["compiles"] != 1:
            failures.append(f"{result['compiles']} compiles instead of 1")
        if widths < options.count // 2:
            failures.append(f"only {widths} different widths were tried")
        width, height = png_size(folder / "out" / "side_by_side.png")
        if width < 600 or height < 50 * len(read):
            failures.append(f"the side-by-side picture is only {width} times {height}")

        # A wrong path is the user's error, told before anything is compiled.
        missing = ocr(options.ocr, str(folder / "missing.png"))
        if missing.returncode != 2 or "missing.png" not in missing.stderr:
            failures.append(f"a missing picture: exit code {missing.returncode}, {missing.stderr!r}")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
