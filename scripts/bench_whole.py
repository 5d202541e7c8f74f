#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of the whole way: speed against ONNX Runtime over all models with one and two threads, recurrence and
decoding against the memory's bandwidth, what the disk cache and memory cost.

To add a figure, add a row to FIGURES (scripts/figures.py says what one is).
"""

import random
import sys

from figures import WHOLE, all_ratios, main, mean, model_ratio, worst


def chunk_us(bench):
    """One chunk of 512 samples at 16 kHz, one thread."""
    run = bench.model("silero_16k")
    return run and 1000 * run["shapes"][0]["p50_ms"]


def disagreeing(bench):
    """Shapes whose results differ from the peer's by more than the rule allows."""
    runs = [bench.model(name) for name, model in bench.models.items() if not model.literal]
    return None if None in runs else sum(not shape["agrees"] for run in runs for shape in run["shapes"])


def of_bandwidth(name, shape, *options):
    def measure(bench):
        run = bench.bandwidth(name, shape, *options)
        return run and run["ratio"]
    return measure


def past_copied(name, shape):
    def measure(bench):
        run = bench.bandwidth(name, shape, "--states")
        return run and run["past_copied_bytes"]
    return measure


def ready(*names):
    def measure(bench):
        times = [bench.start(name, apart=True) for name in names]
        return None if None in times else max(times)
    return measure


def memory_ratio(*names):
    """The largest ratio of our peak to the peer's."""
    def measure(bench):
        peaks = [bench.memory(name) for name in names]
        return None if None in peaks else max(ours / theirs for ours, theirs in peaks)
    return measure


def growth(name):
    """The peak over 400 random shapes by that over the first 20 of them, the largest being among these."""
    draw = random.Random(3)
    shapes = [f"{draw.randint(1, 3)},{draw.randint(1, 128)}" for _ in range(399)]
    shapes.insert(10, "3,128")

    def measure(bench):
        peaks = bench.resident(name, tuple(shapes), 20)
        return peaks and peaks[0] / peaks[1]
    return measure


FIGURES = [  # name, unit, required, measure
    ("compiles over every list of shapes", "", ("<=", 1), lambda b: worst(b, "compiles")),
    ("fallbacks", "", ("<=", 0), lambda b: worst(b, "fallbacks")),
    ("shapes that disagree with ONNX Runtime", "", ("<=", 0), disagreeing),
    *((f"speed against ONNX Runtime, geometric mean, {threads} thread{'s' if threads > 1 else ''}", "x", (">=", 0.9),
       all_ratios(mean, threads)) for threads in (1, 2)),
    *((f"{name} against ONNX Runtime, {threads} thread{'s' if threads > 1 else ''}", "x", (">=", 0.5),
       model_ratio(name, threads)) for name in WHOLE for threads in (1, 2)),
    ("silero: a chunk of 512 samples", "us", ("<=", 60), chunk_us),
    ("GPT-2 small step of the read bandwidth", "", (">=", 0.8), of_bandwidth("gpt2_small_step", "1,1,127", "--states")),
    ("GPT-2 small step: copied of its past, 25 steps", "B", ("<=", 0), past_copied("gpt2_small_step", "1,1,127")),
    ("LSTM language model, 64 steps, of the read bandwidth", "", (">=", 0.7), of_bandwidth("lstm_language", "64,1")),
    ("ready from the disk cache over an empty process", "ms", ("<=", 80), ready("bert_base", "rec")),
    ("peak memory over ONNX Runtime's", "x", ("<=", 1),
     memory_ratio("bert_base", "rec", "gpt2_small_prefill", "lstm_language")),
    ("resident memory, 400 random shapes over the first 20", "x", ("<=", 1.02), growth("bert_base")),
]

if __name__ == "__main__":
    sys.exit(main("The figures of the whole way.", WHOLE, FIGURES))
