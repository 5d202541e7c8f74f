#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of the spine: one compile for every shape, speed against ONNX Runtime, kernels, host flow, start-up.

To add a figure, add a row to FIGURES (scripts/figures.py says what one is).
"""

import sys

from figures import SPINE, all_ratios, main, mean, worst


def new_shape_cost(bench):
    """How much more the first run of a shape costs than a later one, where the arena need not grow: of all shapes."""
    shapes = bench.shapes()
    return shapes and max((shape["new_shape_ms"] for _, shape in shapes if "new_shape_ms" in shape), default=0.0)


def arena_ratio(bench):
    shapes = bench.shapes()
    large = [shape for _, shape in shapes or [] if shape["live_bytes"] > 1 << 20]
    return max((shape["arena_bytes"] / shape["live_bytes"] for shape in large), default=None)


def host_time(bench):
    shapes = bench.shapes()
    return shapes and max(shape["host_us"] / shape["kernels"] for _, shape in shapes)


def kernels_per_run(name, share=1):
    def measure(bench):
        run = bench.model(name)
        return run and max(shape["kernels"] for shape in run["shapes"]) / share
    return measure


def compile_seconds(name):
    def measure(bench):
        run = bench.model(name)
        return run and run["compile_ms"] / 1000
    return measure


def start_up(*names):
    def measure(bench):
        times = [bench.start(name) for name in names]
        return None if None in times else max(times)
    return measure


def of_kernels(key):
    return lambda bench: (bench.kernels() or {}).get(key)


def explained(key):
    def measure(bench):
        pages = [bench.explain(name) for name in ("rec", "bert_base", "gpt2_prefill", "gpt2_step")]
        return None if None in pages else max(page[key] for page in pages)
    return measure


ROW_KERNELS = ("softmax", "layer_norm", "bias_activation", "column_sum", "transpose")
FIGURES = [  # name, unit, required, measure
    ("compiles over every list of shapes", "", ("<=", 1), lambda b: worst(b, "compiles")),
    ("fallbacks", "", ("<=", 0), lambda b: worst(b, "fallbacks")),
    ("a new shape over a seen one", "ms", ("<=", 1), new_shape_cost),
    ("speed against ONNX Runtime, geometric mean", "x", (">=", 0.6), all_ratios(mean)),
    ("speed against ONNX Runtime, slowest model", "x", (">=", 0.3), all_ratios(min)),
    ("matmul 256x256x256 of the FMA peak", "", (">=", 0.93), of_kernels("gemm_256")),
    ("matmul 384x768x768 packed of the FMA peak", "", (">=", 0.78), of_kernels("gemm_384_768")),
    *((f"{kernel} of a hand-written loop, {place}", "", (">=", 0.85), of_kernels(f"{kernel}_{place}"))
      for kernel in ROW_KERNELS for place in ("256MB", "cache")),
    ("host flow per kernel", "us", ("<=", 0.3), host_time),
    ("cold compile of BERT-base", "s", ("<=", 5), compile_seconds("bert_base")),
    ("cold compile of PP-OCR recognition", "s", ("<=", 8), compile_seconds("rec")),
    ("start-up of `pliant run` on a hit over an empty process", "ms", ("<=", 40), start_up("rec", "yunet", "gpt2_step")),
    ("arena over the largest live set", "x", ("<=", 1.3), arena_ratio),
    ("broadcast versions (PP-OCR recognition, BERT, GPT-2)", "", ("<=", 0), explained("broadcast_versions")),
    ("entry checks per input (the same)", "", ("<=", 3), explained("entry_checks_per_input")),
    ("kernels per layer of BERT-base", "", ("<=", 12), kernels_per_run("bert_base", 12)),
    ("kernels of PP-OCR recognition", "", ("<=", 160), kernels_per_run("rec")),
]


if __name__ == "__main__":
    sys.exit(main("The figures of the spine.", SPINE, FIGURES))
