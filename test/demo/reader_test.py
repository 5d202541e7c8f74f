#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Renders lines of text and lets the example `reader` (C++ or Python) read them: at least 95 % of the characters right,
and no compile after the first picture. Exits with 77 (skipped) where the model is absent, unless CI=true.

    reader_test.py COMMAND..."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from ocr_test import KEYS, MODEL, REQUIRED, missing_models, render, right_share


def main(command):
    if (absent := missing_models()) is not None:
        return absent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, arguments in (("samples", ()), ("random", ("20", "8"))):
            expected = render(folder / kind, kind, *arguments)
            done = subprocess.run([*command, str(MODEL), str(KEYS), str(folder / kind)], capture_output=True, text=True,
                                  encoding="utf-8")
            print(done.stdout, done.stderr, sep="")
            if done.returncode:
                return 1
            read = {str(folder / kind / file): text
                    for file, text in re.findall(r"^(\S+\.png) +[\d.]+ %  (.*)$", done.stdout, re.MULTILINE)}
            share = right_share(expected, read, True)
            print(f"characters right: {share:.1%}")
            if share < REQUIRED or ", 0 for the others" not in done.stdout:
                print(f"FAILED: {REQUIRED:.0%} and no compile after the first picture are required")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
