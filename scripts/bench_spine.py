#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of the spine: one compile for every shape, speed against ONNX Runtime, kernels, host flow, start-up.

A table of every bench has the same form: figure, measured, required, holds. To add a figure, add a row to FIGURES: a
name, a unit, what is required, and a function of `Bench` that measures it (None: cannot be measured here).
Run through scripts/bench, which builds and passes PLIANT_BUILD and PLIANT_EXPORTED.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("PLIANT_BUILD", ROOT / "build" / "release"))
FOLDERS = [Path(os.environ.get("PLIANT_MODELS", ROOT.parent / "shared" / "models")),
           Path(os.environ.get("PLIANT_EXPORTED", Path.home() / ".cache" / "pliant" / "models"))]
ORT = ROOT / "node_modules" / "onnxruntime-node" / "bin" / "napi-v6" / "linux" / "x64" / "libonnxruntime.so.1"

MODELS = {  # name -> (file, --shapes of the full table, --shapes of --quick), in the order of the model's symbols
    "rec": ("ch_PP-OCRv4_rec_infer.onnx", "1,17;1,40..640/25;1,960;2,200;5,200;8,200", "1,40;1,320"),
    "det": ("ch_PP-OCRv4_det_infer.onnx",
            "1,32,32;1,32,64;1,96,160;1,256,512;1,320,320;1,320,480;1,416,608;1,480,640;1,640,640;1,736,736",
            "1,96,160;1,320,320"),
    "cls": ("ch_ppocr_mobile_v2.0_cls_infer.onnx", "1,48,192;2,48,192;7,48,192;1,32,100", "1,48,192"),
    "yunet": ("yunet_n_dynamic.onnx",
              "1,64,96;1,96,64;1,160,160;1,320,320;1,224,416;1,480,640;3,64,96;3,160,160;3,320,320", "1,160,160"),
    "resnet18": ("resnet18.onnx", "1,224,224;2,160,192;5,129,145", "1,129,145"),
    "mobilenet_v2": ("mobilenet_v2.onnx", "1,224,224;2,160,192;5,129,145", "1,129,145"),
    "bert_tiny": ("bert_tiny.onnx", "1,1;1,2;1,7;1,16;1,31;1,64;1,127;1,128;3,7;3,31;3,128", "1,31"),
    "bert_base": ("bert_base.onnx", "1,1;1,7;1,31;1,64;1,128;3,31;3,128", "1,31"),
    "gpt2_prefill": ("gpt2_tiny_prefill.onnx", "1,1;1,2;1,7;1,16;1,31;1,64;1,127;1,128;3,7;3,31;3,128", "1,31"),
    "gpt2_step": ("gpt2_tiny_step.onnx", "1,1,0;1,1,1;1,1,17;1,1,64;3,1,17;3,2,64", "1,1,17"),
}


class Bench:
    """Runs what the figures ask for, each thing once."""

    def __init__(self, quick):
        self.quick = quick

    @cache
    def model(self, name):
        """`pliant bench --json` on one model against ONNX Runtime; None where the model or the peer is missing."""
        _, full, quick = MODELS[name]
        path = self.path(name)
        if path is None or not ORT.exists():
            return None
        return self.run("pliant", "bench", str(path), "--shapes", quick if self.quick else full, "--vs", "ort",
                        "--threads", "1", "--no-cache", "--json", env={"PLIANT_ORT": str(ORT)})

    @cache
    def explain(self, name):
        path = self.path(name)
        return path and self.run("pliant", "explain", str(path), "--json")

    @cache
    def start(self, name):
        """Milliseconds of `pliant run` on a hit, its first shape, over those of an empty process: the median over
        interleaved pairs. Packing the weights and the run itself are in it."""
        path = self.path(name)
        if path is None or not (BUILD / "bin" / "pliant").exists():
            return None
        print(f"  pliant run {path.name}, from the cache", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "PLIANT_CACHE_DIR": folder, "PLIANT_CACHE_LIMIT": ""}
            command = [BUILD / "bin" / "pliant", "run", path, "--random", "1", "--shapes",
                       MODELS[name][1].split(";")[0], "--json"]

            def timed(words):
                begin = time.perf_counter()
                done = subprocess.run(words, capture_output=True, env=env, check=True)
                return 1e3 * (time.perf_counter() - begin), done.stdout

            timed(command)  # compiles
            if not json.loads(timed(command)[1])["cached"]:
                return None
            return statistics.median(timed(command)[0] - timed(["/bin/true"])[0]
                                     for _ in range(10 if self.quick else 40))

    @cache
    def kernels(self):
        """Ceilings measured by the project's own program: {"gemm_256": 0.95, ...}."""
        return self.run("pliant-bench-kernels", "--json", *(["--quick"] if self.quick else []))

    def path(self, name):
        return next((folder / MODELS[name][0] for folder in FOLDERS if (folder / MODELS[name][0]).exists()), None)

    def run(self, program, *arguments, env=None):
        if not (BUILD / "bin" / program).exists():
            return None
        print(f"  {program} {' '.join(arguments[:2])}", file=sys.stderr, flush=True)
        done = subprocess.run([BUILD / "bin" / program, *arguments], capture_output=True, text=True,
                              env={**os.environ, **(env or {})})
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return None
        return json.loads(done.stdout)

    def shapes(self):
        """(model, shape entry) of every model that could be run; None as soon as one could not."""
        runs = {name: self.model(name) for name in MODELS}
        if any(run is None for run in runs.values()):
            return None
        return [(name, shape) for name, run in runs.items() for shape in run["shapes"]]


def model_ratios(bench):
    """Per model the geometric mean of the peer's time over ours."""
    shapes = bench.shapes()
    if shapes is None:
        return None
    by_model = {}
    for name, shape in shapes:
        by_model.setdefault(name, []).append(math.log(shape["ratio"]))
    return {name: math.exp(sum(logs) / len(logs)) for name, logs in by_model.items()}


def worst(bench, key):
    runs = [bench.model(name) for name in MODELS]
    return None if None in runs else max(run[key] for run in runs)


def geometric_mean(bench):
    ratios = model_ratios(bench)
    return ratios and math.exp(sum(map(math.log, ratios.values())) / len(ratios))


def slowest(bench):
    ratios = model_ratios(bench)
    return ratios and min(ratios.values())


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
    ("speed against ONNX Runtime, geometric mean", "x", (">=", 0.6), geometric_mean),
    ("speed against ONNX Runtime, slowest model", "x", (">=", 0.3), slowest),
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


def main():
    parser = argparse.ArgumentParser(description="The figures of the spine.")
    parser.add_argument("--quick", action="store_true", help="one or two shapes per model")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if os.getloadavg()[0] > 1.5:
        print(f"warning: the load is {os.getloadavg()[0]:.1f}; figures are taken on an idle machine", file=sys.stderr)
    bench, rows = Bench(options.quick), []
    for name, unit, (relation, bound), measure in FIGURES:
        value = measure(bench)
        holds = value is not None and (value <= bound if relation == "<=" else value >= bound)
        rows.append({"figure": name, "measured": value, "required": f"{relation} {bound}", "unit": unit,
                     "holds": holds})
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        print(f"{'figure':58} {'measured':>12} {'required':>12}  holds")
        for row in rows:
            shown = "not measured" if row["measured"] is None else f"{row['measured']:.3g} {row['unit']}".rstrip()
            required = f"{row['required']} {row['unit']}".rstrip()
            print(f"{row['figure']:58} {shown:>12} {required:>12}  {'yes' if row['holds'] else 'NO'}")
    return 0 if all(row["holds"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
