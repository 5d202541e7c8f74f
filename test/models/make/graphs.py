# SPDX-License-Identifier: Apache-2.0
"""Published exports whose large tensors were taken out, as text: gets them random weights again.

    graphs.py tiny|large FOLDER   FOLDER/{gpt2-10,t5-encoder-12,tiny-yolov3-11}.textproto to graph_*.onnx

Every float input that declares all its extents is such a tensor; it becomes an initializer whose name and rank say what
it is: a norm's scale, a variance, a bias, a causal mask, a table or a matrix. Matrices of one scale share one stretch
of a data file beside the model. `tiny` cuts tables of words to their first 2000 rows. Needs Debian's python3-onnx and
protobuf-compiler.
"""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

OUT = Path(os.environ.get("MODELS_OUT", "models_out"))
MODELS = {"gpt2-10": "gpt2", "t5-encoder-12": "t5_encoder", "tiny-yolov3-11": "tiny_yolov3"}
MOST_ROWS = 2000


def read(path):
    """The text as a model, by protoc, which takes it in a tenth of the time that Python's parser needs."""
    schema = Path("/usr/include/onnx/onnx.proto")
    done = subprocess.run(["protoc", "--encode", "onnx.ModelProto", f"-I{schema.parent}", schema],
                          stdin=open(path, "rb"), capture_output=True, check=True)
    return onnx.ModelProto.FromString(done.stdout)


def shape_of(value):
    tensor = value.type.tensor_type
    dims = [d.dim_value if d.HasField("dim_value") else 0 for d in tensor.shape.dim]
    return dims if tensor.elem_type == TensorProto.FLOAT and dims and all(dims) else None


class Weights:
    def __init__(self, name, tiny):
        self.tiny, self.random = tiny, np.random.default_rng(5)
        self.location, self.data, self.stretches = f"graph_{name}.weights", bytearray(), {}

    def normal(self, shape):
        return self.random.standard_normal(shape, np.float32)

    def vector(self, name, size):
        """Scales and variances are about 1, the others about 0; a detector's head starts at "nothing is there"."""
        if name.endswith("/bias:0"):
            return -4 + 0.1 * self.normal(size)
        centre = 0 if "bias" in name or "mean" in name else 1
        return centre + (0.3 * np.tanh(self.normal(size)) if centre else 0.1 * self.normal(size))

    def tensor(self, name, shape):
        if len(shape) == 1:
            return numpy_helper.from_array(self.vector(name, shape).astype(np.float32), name)
        if len(shape) == 4 and shape[:2] == [1, 1] and shape[2] == shape[3] > 1:
            return self.external(name, shape, "mask", lambda size: np.tril(np.ones(shape, np.float32)))
        if self.tiny and len(shape) == 2 and shape[0] > 10 * MOST_ROWS:
            shape = [MOST_ROWS, shape[1]]
        inner = math.prod(shape[1:]) if len(shape) > 2 else min(shape)
        scale = math.sqrt(1 / inner)
        return self.external(name, shape, scale, lambda size: (scale * self.normal(size)).astype(np.float32))

    def external(self, name, shape, kind, values):
        """A tensor of the data file, where those of one kind begin at one place."""
        size = 4 * math.prod(shape)
        begin, length = self.stretches.get(kind, (0, 0))
        if length < size:
            begin = len(self.data)
            self.stretches[kind] = begin, size
            self.data += values(size // 4).tobytes()
        made = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
        for key, value in (("location", self.location), ("offset", begin), ("length", size)):
            made.external_data.add(key=key, value=str(value))
        return made


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("tiny", "large"):
        sys.exit(f"usage: {sys.argv[0]} tiny|large FOLDER")
    OUT.mkdir(parents=True, exist_ok=True)
    for file, name in MODELS.items():
        model = read(Path(sys.argv[2], file + ".textproto"))
        weights = Weights(name, sys.argv[1] == "tiny")
        given = [value for value in model.graph.input if shape_of(value)]
        made = {value.name: weights.tensor(value.name, shape_of(value)) for value in given}
        old = [t for t in model.graph.initializer if t.name not in made]
        kept = [value for value in model.graph.input if value.name not in made]
        for field, values in ((model.graph.initializer, old + list(made.values())), (model.graph.input, kept)):
            del field[:]
            field.extend(values)
        del model.graph.value_info[:]
        OUT.joinpath(weights.location).write_bytes(weights.data)
        OUT.joinpath(f"graph_{name}.onnx").write_bytes(model.SerializeToString())
        print(f"graph_{name}: {len(made)} tensors, {len(weights.data) / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
