# SPDX-License-Identifier: Apache-2.0
"""Shared by the model scripts: seeds, initial weights, export with dynamic axes, expected outputs.

Every script exports real architectures with random weights from fixed seeds, so a file is the same on every machine
with the same torch. Beside NAME.onnx it writes NAME.io<k>.npz, one for each set of extents: arrays `in:<name>` and
`out:<name>`, the outputs being those of eager PyTorch (an oracle that shares no code with us).
"""

import os
import sys
import time

import numpy as np
import torch
import torch.nn as nn

OUT = os.environ.get("MODELS_OUT", "models_out")


def seed(value):
    torch.manual_seed(value)
    np.random.seed(value)


def generator(value):
    return torch.Generator().manual_seed(value)


def init_weights(module, std=0.02):
    """GPT-2's initial weights, with biases and norms off their defaults so that dropping one is seen."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.normal_(module.bias, std=0.01)
    if isinstance(module, nn.LayerNorm):
        nn.init.normal_(module.weight, 1.0, 0.05)
        nn.init.normal_(module.bias, std=0.02)


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for part in value for tensor in flat(part)]


def export(model, name, inputs, outputs, axes, cases, opset, traced=None):
    """Exports `model` (traced on `traced` or the first case) and writes the expected outputs of every case."""
    start = time.time()
    os.makedirs(OUT, exist_ok=True)
    path = os.path.join(OUT, name + ".onnx")
    model.eval()
    with torch.no_grad():
        torch.onnx.export(model, traced or cases[0], path, input_names=inputs, output_names=outputs,
                          dynamic_axes=axes, opset_version=opset)
        for index, case in enumerate(cases):
            arrays = {"in:" + n: t.numpy() for n, t in zip(inputs, flat(case))}
            arrays.update({"out:" + n: t.numpy() for n, t in zip(outputs, flat(model(*case)))})
            np.savez(os.path.join(OUT, f"{name}.io{index}.npz"), **arrays)
    print(f"{name}: {os.path.getsize(path) / 1e6:.1f} MB, {len(cases)} cases, {time.time() - start:.1f} s", flush=True)


def chosen_set():
    """The set named on the command line: `tiny` for tests, `large` for benchmarks."""
    if len(sys.argv) != 2 or sys.argv[1] not in ("tiny", "large"):
        sys.exit(f"usage: {sys.argv[0]} tiny|large")
    return sys.argv[1]
