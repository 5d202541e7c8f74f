#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of define-by-run code: recording, known programs, compiles of families, models beside PyTorch eager (where
Debian's python3-torch is there), kernels beside hand-written loops.

To add a figure, add a row to FIGURES (scripts/figures.py says what one is).
"""

import json
import os
import statistics
import subprocess
import sys
from functools import cache

from figures import BUILD, ROOT, main


@cache
def section(bench, *words):
    return bench.run("pliant-bench-lazy", *words)


def of(name, *words):
    return lambda bench: (section(bench, *words) or {}).get(name)


@cache
def torch(name):
    """Processor seconds of PyTorch eager for the same calls, in a process of its own; none where it is not installed."""
    done = subprocess.run(["/usr/bin/python3", str(ROOT / "scripts" / "bench_lazy_torch.py"), name], capture_output=True,
                          text=True, env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    return json.loads(done.stdout)["seconds"] if done.returncode == 0 else None


def against_torch(name):
    """The median of paired runs: theirs over ours."""
    def measure(bench):
        ratios = []
        for _ in range(1 if bench.quick else 3):
            torch.cache_clear()
            section.cache_clear()
            theirs, ours = torch(name), section(bench, name)
            if theirs is None or ours is None:
                return None
            ratios.append(theirs / ours["seconds"])
        return statistics.median(ratios)
    return measure


def first(name, warm):
    def measure(bench):
        with bench.own_cache() as env:
            run = bench.run("pliant-bench-lazy", "first", name, env=env)
            if warm:
                run = bench.run("pliant-bench-lazy", "first", name, env=env)
        return run and run["ms"]
    return measure


@cache
def python(bench):
    script = ROOT / "scripts" / "bench_lazy_python.py"
    if not script.exists() or not list((BUILD / "python").glob("**/*.so")):
        return None
    done = subprocess.run(["/usr/bin/python3", str(script)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python")})
    return json.loads(done.stdout) if done.returncode == 0 else None


def of_python(name):
    return lambda bench: (python(bench) or {}).get(name)


FIGURES = [  # name, unit, required, measure
    ("recording one op from C++", "ns", ("<=", 120), of("record_ns", "cost")),
    ("the same, replayed", "ns", ("<=", 40), of("replay_ns", "cost")),
    ("200 ops on 4x4 recorded, run and read, an op", "ns", ("<=", 150), of("run_ns_per_op", "cost")),
    ("recording one op from Python", "ns", ("<=", 700), of_python("record_ns")),
    ("the same, replayed", "ns", ("<=", 400), of_python("replay_ns")),
    ("memory of a recorded op", "bytes", ("<=", 128), of("bytes_per_op", "cost")),
    ("a known program of 2 ops until its value is read", "us", ("<=", 5), of("launch_us", "cost")),
    ("1,000,000 ops over 100,000 ops", "x", ("<=", 12), of("million_over_hundred_thousand", "cost")),
    ("peak memory of all that", "MB", ("<=", 400), of("peak_mb", "cost")),
    ("ops that run for five reads on a prefix of 10", "", ("<=", 25), of("ops_of_five_reads", "cost")),
    *((f"compiles: {what}", "", ("<=", 1), of(name, "compiles"))
      for what, name in (("60 batch sizes", "batches"), ("100 scalars", "scalars"), ("100 slice positions", "positions"),
                         ("a growing concat", "concats"), ("a list of any length", "lists"), ("40 row lengths of softmax", "softmax_lengths"),
                         ("40 row lengths of layer norm", "layer_norm_lengths"))),
    *((f"{name}: 300 calls against PyTorch eager", "x", (">=", 1.5), against_torch(name)) for name in ("mlp", "gru", "block")),
    *((f"{name}: compiles", "", ("<=", 1), of("compiles", name)) for name in ("mlp", "gru", "block")),
    ("first call of the MLP", "ms", ("<=", 400), first("mlp", False)),
    ("first call of the block", "ms", ("<=", 1500), first("block", False)),
    ("first call of the MLP from the disk cache", "ms", ("<=", 50), first("mlp", True)),
    ("first call of the block from the disk cache", "ms", ("<=", 50), first("block", True)),
    *((f"{name.replace('_', ' ')} of a hand-written loop", "", (">=", 0.95), of(name, "kernels"))
      for name in ("chain_of_15", "softmax", "layer_norm")),
    ("TreeLSTM, a node", "us", ("<=", 15), of("us_per_node", "tree")),
    ("TreeLSTM: compiles after the first tree", "", ("<=", 0), of("compiles_after_first", "tree")),
]

if __name__ == "__main__":
    sys.exit(main("The figures of define-by-run code.", {}, FIGURES))
