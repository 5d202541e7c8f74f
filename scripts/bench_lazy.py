#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of define-by-run code: recording, known programs, chains, compiles of families, models beside PyTorch eager
(Debian's, with OpenBLAS: scripts/setup --peers), kernels beside hand-written loops, first calls.

Times are of the processor, all threads of the process, unless the row says `clock`. To add a figure, add a row to FIGURES
(scripts/figures.py says what one is).
"""

import json
import os
import statistics
import subprocess
import sys
import time
from functools import cache

from figures import BUILD, ROOT, main

# One thread, and freed memory stays in the process, as ours does: a first touch of a page is dear on virtual machines.
PEER = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


@cache
def section(bench, *words):
    return bench.run("pliant-bench-lazy", *words)


def of(name, *words):
    return lambda bench: (section(bench, *words) or {}).get(name)


def torch_now(name):
    """A section of PyTorch eager, in a process of its own; none where it is not there, with the reason on stderr."""
    done = subprocess.run(["/usr/bin/python3", str(ROOT / "scripts" / "bench_lazy_torch.py"), name], text=True,
                          stdout=subprocess.PIPE, env={**os.environ, **PEER})
    return json.loads(done.stdout) if done.returncode == 0 else None


torch = cache(torch_now)


def eager(name, key, unit):
    """What the table says beside a row: the same in PyTorch eager."""
    def beside(_):
        theirs = torch(name)
        return theirs and f"PyTorch eager {theirs[key]:.3g} {unit}"
    return beside


@cache
def against_torch(bench, name):
    """Paired runs, theirs on both sides of ours: {"ratio": theirs / ours, "same": theirs / theirs, "compiles": ours}."""
    rounds = []
    for _ in range(1 if bench.quick else 3):
        before, ours = torch_now(name), bench.run("pliant-bench-lazy", name)
        after = before and torch_now(name)
        if not after or not ours:
            return {"compiles": ours and ours["compiles"]}
        theirs = before["seconds"], after["seconds"]
        rounds.append({"ratio": sum(theirs) / 2 / ours["seconds"], "same": theirs[0] / theirs[1],
                       "compiles": ours["compiles"]})
    return {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}


def paired(name, key):
    return lambda bench: against_torch(bench, name).get(key)


def noise(bench):
    """How far theirs is from theirs at most."""
    same = [against_torch(bench, name).get("same") for name in ("mlp", "gru", "block")]
    return None if None in same else max(abs(each - 1) for each in same)


@cache
def first(bench, name, warm):
    """Milliseconds by the clock from the start of a process until the first value is read, over those of a process of the
    same program that calls nothing: the median of pairs. The weights are in the host's memory before, no op makes them."""
    program = BUILD / "bin" / "pliant-bench-lazy"
    if not program.exists():
        return None
    print(f"  pliant-bench-lazy first {name}, {'from the cache' if warm else 'cold'}", file=sys.stderr, flush=True)

    def until(env, *words):
        begin = time.monotonic()  # the program's clock
        done = subprocess.run([program, *words], capture_output=True, env=env, check=True)
        return 1e3 * (json.loads(done.stdout)["at"] - begin)

    pairs = []
    if warm:
        with bench.own_cache() as env:
            until(env, "first", name)  # compiles
            pairs = [until(env, "first", name) - until(env, "empty") for _ in range(5 if bench.quick else 20)]
    else:
        for _ in range(1 if bench.quick else 5):
            with bench.own_cache() as env:
                pairs.append(until(env, "first", name) - until(env, "empty"))
    return statistics.median(pairs)


@cache
def python(bench):
    script = ROOT / "scripts" / "bench_lazy_python.py"
    if not list((BUILD / "python").glob("**/*.so")):
        return None
    done = subprocess.run(["/usr/bin/python3", str(script)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python")})
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return json.loads(done.stdout) if done.returncode == 0 else None


def of_python(name):
    return lambda bench: (python(bench) or {}).get(name)


def small_from_python(bench):
    ours, theirs = python(bench), torch("small")
    return ours and theirs and f"with running: {ours['run_ns']:.3g} ns, PyTorch eager {theirs['ns_per_op']:.3g} ns"


def kernel(name):
    """Our milliseconds, those of PyTorch eager, and what else there is to say."""
    def beside(bench):
        ours, theirs = section(bench, "kernels"), torch("kernels")
        if not ours or f"{name}_ms" not in ours:
            return None
        parts = [f"{ours[f'{name}_ms']:.3g} ms"]
        if theirs:
            parts.append(f"PyTorch eager {theirs[name]:.3g} ms")
        for kind, said in (("cached", "that stores into the caches"), ("fused", "that fuses multiplications and additions")):
            if f"{name}_{kind}" in ours:
                parts.append(f"{ours[f'{name}_{kind}']:.3g} of a loop {said}")
        return ", ".join(parts)
    return beside


def nanoseconds(name):
    def beside(bench):
        ours = section(bench, "chains")
        return ours and f"{ours[name]:.3g} ns an op"
    return beside


def aperiodic(bench):
    ours = section(bench, "chains")
    return ours and f"{ours['aperiodic_us_per_op']:.3g} us an op: 3 segments, each a program of its own"


def launch_time(bench):
    ours = section(bench, "cost")
    return ours and f"{ours['launch_us']:.3g} us of the processor"


MODELS = ("mlp", "gru", "block")
KERNELS = ("chain_of_15", "softmax", "layer_norm")
FIGURES = [  # name, unit, required, measure, what stands beside
    ("recording one op from C++", "ns", ("<=", 120), of("record_ns", "cost")),
    ("the same, replayed", "ns", ("<=", 40), of("replay_ns", "cost")),
    ("200 ops on 4x4 recorded, run and read, an op", "ns", ("<=", 150), of("run_ns_per_op", "cost"),
     eager("small", "ns_per_op", "ns from Python")),
    ("recording one op from Python", "ns", ("<=", 700), of_python("record_ns"), small_from_python),
    ("the same, replayed", "ns", ("<=", 400), of_python("replay_ns")),
    ("memory of a recorded op", "bytes", ("<=", 128), of("bytes_per_op", "cost")),
    ("a known program of 2 ops until its value is read (clock)", "us", ("<=", 5), of("launch_wall_us", "cost"), launch_time),
    ("kernels of five reads on a prefix of 10, and a barrier", "", ("==", 15), of("launches_of_five_reads", "cost")),
    # Linear: ten times the ops in ten times the time. A million recorded ops that all stayed would be 100 MB.
    *((f"1,000,000 ops over 100,000: {what}", "x", ("<=", 12), of(f"{name}_ratio", "chains"), nanoseconds(f"{name}_ns_per_op"))
      for what, name in (("recorded and read", "read"), ("recorded and dropped", "dropped"),
                         ("aperiodic, dropped before they run", "unread"))),
    *((f"memory that they take more: {what}", "MB", ("<=", 24), of(f"{name}_growth_mb", "chains"))
      for what, name in (("recorded and read", "read"), ("recorded and dropped", "dropped"),
                         ("aperiodic, dropped before they run", "unread"))),
    ("peak memory of all that", "MB", ("<=", 400), of("peak_mb", "chains")),
    ("compiles: 1,000,000 aperiodic ops, dropped", "", ("==", 0), of("unread_compiles", "chains")),
    ("compiles: 40,000 aperiodic ops, read", "", ("<=", 3), of("aperiodic_compiles", "chains"), aperiodic),
    ("40,000 aperiodic ops over 4,000: recorded and read", "x", ("<=", 12), of("aperiodic_ratio", "chains")),
    *((f"compiles: {what}", "", ("==", 1), of(name, "compiles"))
      for what, name in (("60 batch sizes", "batches"), ("100 pairs of scalars, ten of them equal", "scalars"),
                         ("100 slice positions", "positions"), ("a growing concat", "concats"),
                         ("a list of any length", "lists"), ("40 row lengths of softmax", "softmax_lengths"),
                         ("40 row lengths of layer norm", "layer_norm_lengths"))),
    *((f"{name}: 300 calls against PyTorch eager", "x", (">=", 1.5), paired(name, "ratio")) for name in MODELS),
    ("noise of that: PyTorch eager against itself", "", ("<=", 0.1), noise),
    *((f"{name}: compiles, with the first call", "", ("==", 1), paired(name, "compiles")) for name in MODELS),
    ("first call of the MLP (clock)", "ms", ("<=", 400), lambda bench: first(bench, "mlp", False)),
    ("first call of the block (clock)", "ms", ("<=", 1500), lambda bench: first(bench, "block", False)),
    ("first call of the MLP from the disk cache (clock)", "ms", ("<=", 50), lambda bench: first(bench, "mlp", True)),
    ("first call of the block from the disk cache (clock)", "ms", ("<=", 50), lambda bench: first(bench, "block", True)),
    *((f"kernels launched: {name.replace('_', ' ')}", "", ("==", 1), of(f"{name}_launches", "kernels")) for name in KERNELS),
    *((f"{name.replace('_', ' ')} of a hand-written loop", "", (">=", 0.95), of(name, "kernels"), kernel(name))
      for name in KERNELS),
    ("noise of that: hand-written loops against themselves", "", ("<=", 0.05), of("noise", "kernels")),
    ("TreeLSTM, a node", "us", ("<=", 15), of("us_per_node", "tree"), eager("tree", "us_per_node", "us")),
    ("TreeLSTM: compiles after the first tree", "", ("==", 0), of("compiles_after_first", "tree")),
]

if __name__ == "__main__":
    sys.exit(main("The figures of define-by-run code.", {}, FIGURES))
