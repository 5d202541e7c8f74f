# SPDX-License-Identifier: Apache-2.0
"""What tables of figures share: the models, the programs that measure, and the table's form.

A table (bench_*.py) is a list of rows: a name, a unit, what is required, a function of `Bench` that measures it (a number,
or one with a note (`Noted`), or None where it cannot be measured here), and where there is one, a function of `Bench` for
what stands beside: a text, such as what a peer takes, of which nothing is required (None: not to be had here). Run through
scripts/bench, which builds and passes PLIANT_BUILD and PLIANT_EXPORTED.
"""

import argparse
import json
import math
import operator
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("PLIANT_BUILD", ROOT / "build" / "release"))
FOLDERS = [Path(os.environ.get("PLIANT_MODELS", ROOT.parent / "shared" / "models")),
           Path(os.environ.get("PLIANT_EXPORTED", Path.home() / ".cache" / "pliant" / "models"))]
ORT = ROOT / "node_modules" / "onnxruntime-node" / "bin" / "napi-v6" / "linux" / "x64" / "libonnxruntime.so.1"


class Model(NamedTuple):
    """A file and values of its symbols, in the order in which `pliant check` lists them."""
    file: str
    shapes: str           # of the full table
    quick: str            # of --quick
    inputs: tuple = ()    # options of inputs that are not drawn as usual; files are beside the model
    literal: bool = False  # the peer rounds elsewhere, see test/models/cases.h
    aliased: bool = False  # made-up weights lie over each other in one file, mapped in place: no measure of memory


SPINE = {
    "rec": Model("ch_PP-OCRv4_rec_infer.onnx", "1,17;1,40..640/25;1,960;2,200;5,200;8,200", "1,40;1,320"),
    "det": Model("ch_PP-OCRv4_det_infer.onnx",
                 "1,32,32;1,32,64;1,96,160;1,256,512;1,320,320;1,320,480;1,416,608;1,480,640;1,640,640;1,736,736",
                 "1,96,160;1,320,320"),
    "cls": Model("ch_ppocr_mobile_v2.0_cls_infer.onnx", "1,48,192;2,48,192;7,48,192;1,32,100", "1,48,192"),
    "yunet": Model("yunet_n_dynamic.onnx",
                   "1,64,96;1,96,64;1,160,160;1,320,320;1,224,416;1,480,640;3,64,96;3,160,160;3,320,320", "1,160,160"),
    "resnet18": Model("resnet18.onnx", "1,224,224;2,160,192;5,129,145", "1,129,145"),
    "mobilenet_v2": Model("mobilenet_v2.onnx", "1,224,224;2,160,192;5,129,145", "1,129,145"),
    "bert_tiny": Model("bert_tiny.onnx", "1,1;1,2;1,7;1,16;1,31;1,64;1,127;1,128;3,7;3,31;3,128", "1,31"),
    "bert_base": Model("bert_base.onnx", "1,1;1,7;1,31;1,64;1,128;3,31;3,128", "1,31"),
    "gpt2_prefill": Model("gpt2_tiny_prefill.onnx", "1,1;1,2;1,7;1,16;1,31;1,64;1,127;1,128;3,7;3,31;3,128", "1,31"),
    "gpt2_step": Model("gpt2_tiny_step.onnx", "1,1,0;1,1,1;1,1,17;1,1,64;3,1,17;3,2,64", "1,1,17"),
}
WHOLE = SPINE | {
    "gpt2_small_prefill": Model("gpt2_small_prefill.onnx", "1,1;1,7;1,31;1,127;3,16", "1,31"),
    "gpt2_small_step": Model("gpt2_small_step.onnx", "1,1,0;1,1,17;1,1,127;1,1,512;3,1,64", "1,1,127"),
    "lstm_language": Model("lstm_language.onnx", "1,1;7,1;31,1;64,1;127,1;31,3", "64,1"),
    "gru_language": Model("gru_language.onnx", "1,1;7,1;31,1;64,1;127,1;31,3", "64,1"),
    "lstm_tagger": Model("lstm_tagger.onnx", "1,1;7,1;31,1;64,1;127,1;31,3", "31,1"),
    "lstm_generator": Model("lstm_generator.onnx", "1;3", "1", ("--range", "most=32..32")),
    "t5_encoder": Model("t5_encoder.onnx", "1,1;1,7;1,31;1,127;3,16", "1,31"),
    "t5_decoder": Model("t5_decoder.onnx", "1,1,16;1,7,31;1,31,64;3,16,16", "1,7,31"),
    "whisper_encoder": Model("whisper_encoder.onnx", "1,31;1,127;1,1000;3,200", "1,200"),
    "byte_sb_bidi_lstm": Model("byte_sb_bidi_lstm/model.onnx", "1,1;1,7;1,40;4,16", "1,16"),
    "pos_tagger": Model("pos_tagger/model.onnx", "", "",
                        tuple(word for i in range(13) for word in ("--input", f"test_data_set_0/input_{i}.pb"))),
    "micro_kws": Model("micro_kws_m_static_fp32.onnx", "", ""),
    "micro_kws_qdq": Model("micro_kws_m_qdq.onnx", "1;2;5", "1", literal=True),
    "tiny_lfm2": Model("tiny_lfm2_decoder.onnx", "1,5,5,0;1,1,32,31;3,1,65,64", "1,1,32,31"),
    "silero_16k": Model("silero_vad_v5.onnx", "1,512,1;3,512,3", "1,512,1", ("--range", "sr=16000..16000")),
    "silero_8k": Model("silero_vad_v5.onnx", "1,256,1;3,256,3", "1,256,1", ("--range", "sr=8000..8000")),
    "graph_gpt2": Model("graph_gpt2.onnx", "1,1,1;1,1,31;1,1,127", "1,1,31", aliased=True),
    "graph_t5_encoder": Model("graph_t5_encoder.onnx", "1,1;1,31;1,127", "1,31", aliased=True),
    "graph_tiny_yolov3": Model("graph_tiny_yolov3.onnx", "1,416,416;1,320,224", "1,224,224", aliased=True),
}


class Noted(NamedTuple):
    """A figure and what is to be seen beside it."""
    value: float
    note: str


class Bench:
    """Runs what the figures ask for, each thing once."""

    def __init__(self, quick, models):
        self.quick, self.models = quick, models

    @cache
    def model(self, name, threads=1):
        """`pliant bench --json` on one model against ONNX Runtime; None where the model or the peer is missing."""
        path = self.path(name)
        if path is None or not ORT.exists():
            return None
        shapes = self.models[name].quick if self.quick else self.models[name].shapes
        return self.run("pliant", "bench", str(path), *(["--shapes", shapes] if shapes else []), *self.inputs(name),
                        "--vs", "ort", "--threads", str(threads), "--no-cache", "--json", env={"PLIANT_ORT": str(ORT)})

    @cache
    def explain(self, name):
        path = self.path(name)
        return path and self.run("pliant", "explain", str(path), "--json")

    @cache
    def start(self, name, apart=False):
        """Milliseconds of `pliant run` on a hit, its first shape, over those of an empty process: the median over
        interleaved pairs. Reading and packing the weights and the run itself are in it, but not `apart`;
        all else of loading is in both."""
        path = self.path(name)
        if path is None or not (BUILD / "bin" / "pliant").exists():
            return None
        print(f"  pliant run {path.name}, from the cache", file=sys.stderr, flush=True)
        with self.own_cache() as env:
            command = [BUILD / "bin" / "pliant", "run", path, "--random", "1", "--shapes",
                       self.models[name].shapes.split(";")[0], "--json"]

            def timed(words):
                begin = time.perf_counter()
                done = subprocess.run(words, capture_output=True, env=env, check=True)
                return 1e3 * (time.perf_counter() - begin), done.stdout

            def over_empty():
                took, printed = timed(command)
                said = json.loads(printed)
                return took - timed(["/bin/true"])[0] - (said["weights_ms"] + said["runs"][0]["ms"] if apart else 0)

            timed(command)  # compiles
            if not json.loads(timed(command)[1])["cached"]:
                return None
            return statistics.median(over_empty() for _ in range(10 if self.quick else 40))

    @cache
    def kernels(self):
        """Ceilings measured by the project's own program: {"gemm_256": 0.95, ...}."""
        return self.run("pliant-bench-kernels", "--json", *(["--quick"] if self.quick else []))

    @cache
    def bandwidth(self, name, shape, *options):
        """How fast a run reads its weights, against plain reads of as many bytes, in turn."""
        path = self.path(name)
        return path and self.run("pliant-bench-bandwidth", str(path), "--shapes", shape, *options)

    @cache
    def memory(self, name):
        """The peak of resident memory that loading and a run of the largest shape take over what was there before: ours,
        from the disk cache, and the peer's; each in processes of its own, the least of three (of one when quick)."""
        path = self.path(name)
        if path is None or not ORT.exists():
            return None
        shapes = ["--shapes", self.models[name].shapes] if self.models[name].shapes else []
        with self.own_cache() as env, tempfile.TemporaryDirectory() as folder:
            def run(*options):
                return self.run("pliant-bench-memory", str(path), *options, env={**env, "PLIANT_ORT": str(ORT)})
            drawn = self.run("pliant-bench-memory", str(path), "--draw", folder, *shapes, *self.inputs(name), env=env,
                             prints=False)  # compiles too
            if not drawn:
                return None
            pages = [[run("--feed", folder, *options) for _ in range(1 if self.quick else 3)]
                     for options in ((), ("--peer", "ort"))]
        if any(None in each for each in pages) or not all(page["cached"] for page in pages[0]):
            return None
        return tuple(min(page["run_peak_bytes"] for page in each) for each in pages)

    @cache
    def resident(self, name, shapes, *options):
        """Bytes resident after each run of these shapes in one process, over those when the model was loaded."""
        path = self.path(name)
        if path is None:
            return None
        with self.own_cache() as env:
            words = ("pliant-bench-memory", str(path), "--walk", *options, "--shapes")
            if not self.run(*words, shapes[0], env=env):  # compiles
                return None
            page = self.run(*words, ";".join(shapes), env=env)
        return page["resident_bytes"] if page and page["cached"] else None

    def inputs(self, name):
        """Options of inputs, with paths where they name files beside the model."""
        folder = self.path(name).parent
        words = self.models[name].inputs
        return [str(folder / word) if at and words[at - 1] == "--input" else word for at, word in enumerate(words)]

    def own_cache(self):
        """The environment with an empty disk cache, which goes when the block ends."""
        class Cache:
            def __enter__(self):
                self.folder = tempfile.TemporaryDirectory()
                return {**os.environ, "PLIANT_CACHE_DIR": self.folder.name, "PLIANT_CACHE_LIMIT": ""}

            def __exit__(self, *_):
                self.folder.cleanup()
        return Cache()

    def path(self, name):
        file = self.models[name].file
        return next((folder / file for folder in FOLDERS if (folder / file).exists()), None)

    def run(self, program, *arguments, env=None, prints=True):
        """What the program prints as JSON, or whether it ran where it prints nothing."""
        if not (BUILD / "bin" / program).exists():
            return None
        print(f"  {program} {' '.join(arguments[:2])}", file=sys.stderr, flush=True)
        done = subprocess.run([BUILD / "bin" / program, *arguments], capture_output=True, text=True,
                              env={**os.environ, **(env or {})})
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return None
        return json.loads(done.stdout) if prints else True

    def shapes(self, threads=1):
        """(model, shape entry) of every model that could be run; None as soon as one could not."""
        runs = {name: self.model(name, threads) for name in self.models}
        if any(run is None for run in runs.values()):
            return None
        return [(name, shape) for name, run in runs.items() for shape in run["shapes"]]


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def model_ratio(name, threads=1):
    """The geometric mean over a model's shapes of the peer's time over ours, with the noise of such ratios: the largest
    distance from 1 of our own runs' times over those of as many more of them, measured the same way."""
    def measure(bench):
        run = bench.model(name, threads)
        return run and Noted(mean([shape["ratio"] for shape in run["shapes"]]), noise([run]))
    return measure


def noise(runs):
    return f"noise {max(shape['noise'] for run in runs for shape in run['shapes']):.1%}"


def all_ratios(fold, threads=1):
    """What `fold` makes of every model's ratio; None where one is missing."""
    def measure(bench):
        ratios = [model_ratio(name, threads)(bench) for name in bench.models]
        if None in ratios:
            return None
        runs = [bench.model(name, threads) for name in bench.models]
        return Noted(fold([ratio.value for ratio in ratios]), noise(runs))
    return measure


def worst(bench, key):
    runs = [bench.model(name) for name in bench.models]
    return None if None in runs else max(run[key] for run in runs)


def main(title, models, figures):
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--quick", action="store_true", help="one or two shapes per model")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if os.getloadavg()[0] > 1.5:
        print(f"warning: the load is {os.getloadavg()[0]:.1f}; figures are taken on an idle machine", file=sys.stderr)
    bench, rows = Bench(options.quick, models), []
    relations = {"<=": operator.le, ">=": operator.ge, "==": operator.eq}
    for name, unit, (relation, bound), measure, *beside in figures:
        measured = measure(bench)
        value, note = measured if isinstance(measured, Noted) else (measured, "")
        rows.append({"figure": name, "measured": value, "required": f"{relation} {bound}", "unit": unit,
                     "holds": value is not None and relations[relation](value, bound),
                     "note": (beside[0](bench) or "") if beside else note})
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        print(f"{'figure':62} {'measured':>12} {'required':>12}  holds")
        for row in rows:
            shown = "not measured" if row["measured"] is None else f"{row['measured']:.3g} {row['unit']}".rstrip()
            required = f"{row['required']} {row['unit']}".rstrip()
            holds = "yes" if row["holds"] else "NO"
            print(f"{row['figure']:62} {shown:>12} {required:>12}  {holds:5}  {row['note']}".rstrip())
    return 0 if all(row["holds"] for row in rows) else 1
