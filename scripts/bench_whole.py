#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of the whole way: speed against ONNX Runtime over all models with one and two threads, recurrence and
decoding against the memory's bandwidth, what the disk cache and memory cost.

To add a figure, add a row to FIGURES (scripts/figures.py says what one is).
"""

import random
import sys

from figures import WHOLE, Noted, all_ratios, main, mean, model_ratio, worst


def chunk_us(bench):
    """One chunk of 512 samples at 16 kHz, one thread."""
    run = bench.model("silero_16k")
    return run and 1000 * run["shapes"][0]["p50_ms"]


def disagreeing(bench):
    """Shapes whose results differ from the peer's by more than the rule allows, with one thread or two."""
    runs = [bench.model(name, threads) for name, model in bench.models.items() if not model.literal
            for threads in (1, 2)]
    return None if None in runs else sum(not shape["agrees"] for run in runs for shape in run["shapes"])


def of_bandwidth(part, name, shape, *options):
    """How fast weights are read, of reads of as many bytes as all of them have (`part` is ""), or as those that the
    steps of one recurrent layer read again and again ("layer_"), which may lie in a nearer cache."""
    def measure(bench):
        run = bench.bandwidth(name, shape, *options)
        return run and Noted(run[part + "ratio"], f"{run['weights_gb_per_s']:.1f} of {run[part + 'reads_gb_per_s']:.1f} "
                             f"GB/s at {run[part + 'footprint_bytes'] / 1e6:.1f} MB")
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


def memory_ratio(bench):
    """The largest ratio of our peak to the peer's, of all models that are there and whose weights are each their own; of
    four of them when quick."""
    names = ("bert_base", "rec", "gpt2_small_prefill", "lstm_language") if bench.quick else \
        [name for name, model in bench.models.items() if not model.aliased]
    peaks = {name: bench.memory(name) for name in names if bench.path(name)}
    if not peaks or None in peaks.values():
        return None
    most = max(peaks, key=lambda name: peaks[name][0] / peaks[name][1])
    ours, theirs = peaks[most]
    return Noted(ours / theirs, f"{most}, {ours / 1e6:.1f} of {theirs / 1e6:.1f} MB, the worst of {len(peaks)}")


def growth(name, largest, *options):
    """Megabytes that are resident after 400 runs and were not after 20, of random shapes up to `largest`; the 10th, 20th
    and 400th are `largest`, so that both times the same shape has just run and nothing larger before."""
    draw = random.Random(3)
    shapes = [",".join(str(draw.randint(1, most // step) * step) for most, step in largest) for _ in range(400)]
    for at in (9, 19, 399):
        shapes[at] = ",".join(str(most) for most, _ in largest)

    def measure(bench):
        resident = bench.resident(name, tuple(shapes), *options)
        return resident and Noted((resident[399] - resident[19]) / 1e6, f"to {resident[399] / 1e6:.1f} MB over loaded")
    return measure


GROWTH = 1  # MB: pieces of the allocator; 2.8 KB a run (docs/decisions/0022-figures.md)
FIGURES = [  # name, unit, required, measure
    ("compiles over every list of shapes", "", ("<=", 1), lambda b: worst(b, "compiles")),
    ("fallbacks", "", ("<=", 0), lambda b: worst(b, "fallbacks")),
    ("shapes that disagree with ONNX Runtime", "", ("<=", 0), disagreeing),
    *((f"speed against ONNX Runtime, geometric mean, {threads} thread{'s' if threads > 1 else ''}", "x", (">=", 0.9),
       all_ratios(mean, threads)) for threads in (1, 2)),
    *((f"{name} against ONNX Runtime, {threads} thread{'s' if threads > 1 else ''}", "x", (">=", 0.5),
       model_ratio(name, threads)) for name in WHOLE for threads in (1, 2)),
    ("silero: a chunk of 512 samples", "us", ("<=", 60), chunk_us),
    ("GPT-2 small step of the read bandwidth", "", (">=", 0.8),
     of_bandwidth("", "gpt2_small_step", "1,1,127", "--states")),
    ("GPT-2 small step: copied of its past, 25 steps", "B", ("<=", 0), past_copied("gpt2_small_step", "1,1,127")),
    ("LSTM language model, 64 steps, of reads of all its weights", "", (">=", 0.7),
     of_bandwidth("", "lstm_language", "64,1")),
    ("LSTM language model, 64 steps, of reads of one layer's", "", (">=", 0.7),
     of_bandwidth("layer_", "lstm_language", "64,1")),
    ("ready from the disk cache over an empty process", "ms", ("<=", 80), ready("bert_base", "rec")),
    ("peak memory over ONNX Runtime's", "x", ("<=", 1), memory_ratio),
    *((f"resident memory after 400 random shapes over 20, {name}", "MB", ("<=", GROWTH), growth(name, largest, *options))
      for name, largest, *options in (("bert_base", ((3, 1), (128, 1))), ("yunet", ((3, 1), (320, 32), (320, 32))),
                                      ("lstm_language", ((127, 1), (3, 1))),
                                      ("lstm_generator", ((8, 1),), "--range", "most=32..32"))),
]

if __name__ == "__main__":
    sys.exit(main("The figures of the whole way.", WHOLE, FIGURES))
