#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Renders pictures of one line of text each, for the demo and its test (needs python3-pil and Debian's fonts).

    render.py samples FOLDER               a few lines of very different widths
    render.py random COUNT SEED FOLDER     lines of random words, codes and numbers, at random sizes and colours

Writes NAME.png and, beside them, texts.tsv: file name, tab, text (UTF-8).
"""

import argparse
import random
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FONTS = Path("/usr/share/fonts/truetype")
LATIN = ["dejavu/DejaVuSans.ttf", "dejavu/DejaVuSans-Bold.ttf", "dejavu/DejaVuSerif.ttf", "dejavu/DejaVuSansMono.ttf"]
CHINESE = "wqy/wqy-microhei.ttc"

SAMPLES = [  # text, font, size in pixels
    ("Hi!", LATIN[0], 40),
    ("Exit 42", LATIN[1], 56),
    ("One program, any width", LATIN[2], 36),
    ("Total: 1,299.00 EUR", LATIN[3], 30),
    ("\u6b22\u8fce\u5149\u4e34 2026", CHINESE, 44),
    ("Shapes are proved once and the kernels serve every picture.", LATIN[0], 28),
]

WORDS = """amber anchor autumn barrel basket bridge candle canvas castle cherry circle copper corner cotton desert engine
fabric farmer flower forest garden golden harbor hammer island jacket kernel kitchen ladder lantern leather library
marble market meadow mirror morning mountain needle number orange paper pebble pencil planet pocket purple quartz
rabbit ribbon river rocket saddle sailor season shadow silver simple spring stable stone street summer tensor thunder ticket
timber travel tunnel turtle valley velvet village violet walnut water window winter wonder yellow zebra""".split()
# Without pairs that look alike in some font (0 and O, 1 and I and l, 5 and S).
CODE = "ABCDEFGHJKLMNPQRTUVWXYZ2346789"


def draw(text, font, size, ink=(20, 20, 20), paper=(255, 255, 255), margin=None):
    face = ImageFont.truetype(str(FONTS / font), size)
    left, top, right, bottom = face.getbbox(text)
    margin = max(3, size // 5) if margin is None else margin
    image = Image.new("RGB", (right - left + 2 * margin, bottom - top + 2 * margin), paper)
    ImageDraw.Draw(image).text((margin - left, margin - top), text, font=face, fill=ink)
    return image


def random_text(rng):
    def word():
        kind = rng.random()
        if kind < 0.6:
            chosen = rng.choice(WORDS)
            return rng.choice([chosen, chosen.capitalize(), chosen.upper()])
        if kind < 0.8:
            return str(rng.randrange(10 ** rng.randint(1, 6)))
        return "".join(rng.choice(CODE) for _ in range(rng.randint(3, 7)))
    return " ".join(word() for _ in range(rng.randint(1, 6)))


def random_line(rng):
    text = random_text(rng)
    dark = tuple(rng.randrange(0, 90) for _ in range(3))
    light = tuple(rng.randrange(190, 256) for _ in range(3))
    size = rng.randint(18, 64)
    return text, draw(text, rng.choice(LATIN), size, *rng.choice([(dark, light), (light, dark)]),
                      margin=rng.randint(2, 2 + size // 4))


def main():
    parser = argparse.ArgumentParser()
    modes = parser.add_subparsers(dest="mode", required=True)
    samples = modes.add_parser("samples")
    samples.add_argument("folder", type=Path)
    many = modes.add_parser("random")
    many.add_argument("count", type=int)
    many.add_argument("seed", type=int)
    many.add_argument("folder", type=Path)
    options = parser.parse_args()

    if options.mode == "samples":
        lines = [(text, draw(text, font, size)) for text, font, size in SAMPLES if (FONTS / font).exists()]
    else:
        rng = random.Random(options.seed)
        lines = [random_line(rng) for _ in range(options.count)]
    options.folder.mkdir(parents=True, exist_ok=True)
    table = []
    for index, (text, image) in enumerate(lines):
        name = f"line{index:02d}.png"
        image.save(options.folder / name)
        table.append(f"{name}\t{text}\n")
    (options.folder / "texts.tsv").write_text("".join(table), encoding="utf-8")


if __name__ == "__main__":
    main()
