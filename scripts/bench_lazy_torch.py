#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench_lazy_torch.py SECTION: what scripts/bench lazy measures, in PyTorch eager with OpenBLAS, one thread. Prints JSON
of numbers, times of the processor.

  mlp, gru, block   300 calls of the models of bench/lazy_models.cpp, on the same sizes: {"seconds"}, the median of several
  small             an op on 4x4 tensors from Python, run: {"ns_per_op"}
  kernels           a chain of 15 ops on 16 M floats, softmax and layer norm of 4096x1024: milliseconds of each
  tree              the TreeLSTM of bench/lazy_models.cpp on trees of the same distribution: {"us_per_node"}

Exits with 3, and says why, where PyTorch is not installed or calls another BLAS. The caller sets the environment
(scripts/bench_lazy.py): one thread, and freed memory stays in the process."""

import json
import random
import statistics
import sys
import time


def absent(reason):
    print(f"PyTorch eager cannot be measured: {reason}", file=sys.stderr)
    sys.exit(3)


try:
    import torch
except ImportError as missing:
    absent(f"{missing}; scripts/setup --peers installs it")

torch.set_num_threads(1)
torch.manual_seed(1)


def check_blas():
    """A product loads the BLAS that all others call."""
    torch.matmul(torch.ones(64, 64), torch.ones(64, 64))
    with open("/proc/self/maps", encoding="utf-8") as maps:
        used = {line.split()[-1] for line in maps if "blas" in line}
    # OpenBLAS may also be there for LAPACK's sake alone, behind another libblas.
    if not used or not all("openblas" in path for path in used):
        absent(f"its products go to {', '.join(sorted(used)) or 'no BLAS'}, not to OpenBLAS; scripts/setup --peers "
               "installs libopenblas0-pthread, `update-alternatives --config libblas.so.3-x86_64-linux-gnu` chooses")


def drawn(*shape):
    return torch.randn(*shape) * 0.1


def mlp():
    w = [drawn(64, 128), drawn(128), drawn(128, 128), drawn(128), drawn(128, 10), drawn(10)]
    def forward(x):
        x = torch.relu(torch.addmm(w[1], x, w[0]))
        return torch.addmm(w[5], torch.relu(torch.addmm(w[3], x, w[2])), w[4])
    return forward, [drawn(1 + (37 * i + 11) % 128, 64) for i in range(60)]


def gru():
    w = [drawn(256, 768), drawn(768), drawn(256, 768), drawn(768)]
    def forward(x):
        h = torch.zeros(8, 256)
        for step in range(x.shape[0]):
            a = torch.addmm(w[1], x[step], w[0]).split(256, 1)
            b = torch.addmm(w[3], h, w[2]).split(256, 1)
            reset, update = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
            h = (1 - update) * torch.tanh(a[2] + reset * b[2]) + update * h
        return h
    return forward, [drawn(length, 8, 256) for length in range(5, 65)]


def block():
    w = [drawn(256), drawn(256), drawn(256, 768), drawn(768), drawn(256, 256), drawn(256), drawn(256), drawn(256),
         drawn(256, 1024), drawn(1024), drawn(1024, 256), drawn(256)]
    def linear(x, i):
        return torch.addmm(w[i + 1], x.reshape(-1, x.shape[-1]), w[i]).reshape(*x.shape[:-1], -1)
    def forward(x):
        batch, length = x.shape[:2]
        parts = linear(torch.nn.functional.layer_norm(x, (256,), w[0], w[1], 1e-5), 2).split(256, 2)
        q, k, v = (t.reshape(batch, length, 4, 64).permute(0, 2, 1, 3) for t in parts)
        weight = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) * 0.125, -1)
        x = x + linear(torch.matmul(weight, v).permute(0, 2, 1, 3).reshape(batch, length, 256), 4)
        wide = linear(torch.nn.functional.layer_norm(x, (256,), w[6], w[7], 1e-5), 8)
        active = wide * 0.5 * (1 + torch.tanh(0.79788456 * (wide + 0.044715 * (wide * wide * wide))))
        return x + linear(active, 10)
    return forward, [drawn(4, 8 + (71 * i + 13) % 193, 256) for i in range(40)]


def calls(model):
    """300 calls on inputs of changing shape, the median of several times."""
    forward, inputs = model()
    for x in inputs[:3]:
        forward(x)
    samples = []  # for a second at least
    while sum(samples) < 1:
        start = time.process_time()
        for i in range(300):
            forward(inputs[i % len(inputs)])
        samples.append(time.process_time() - start)
    return {"seconds": statistics.median(samples)}


def median_seconds(call, rounds):
    """Of one call, of several."""
    call()
    samples = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        samples.append(time.process_time() - start)
    return statistics.median(samples)


def small():
    x, a, b = (drawn(4, 4) for _ in range(3))
    def chain():
        y = x
        for _ in range(100):
            y = y * a
            y = y + b
        return y
    return {"ns_per_op": median_seconds(chain, 300) * 1e9 / 200}


def kernels():
    x, table, scale, bias = drawn(1 << 24), drawn(4096, 1024), drawn(1024), drawn(1024)
    def chain():
        v = x
        for _ in range(5):
            v = torch.clamp(v * 0.9 + x, min=-1)
        return v
    return {"chain_of_15": median_seconds(chain, 5) * 1e3,
            "softmax": median_seconds(lambda: torch.softmax(table, -1), 15) * 1e3,
            "layer_norm": median_seconds(lambda: torch.nn.functional.layer_norm(table, (1024,), scale, bias), 15) * 1e3}


def tree():
    embedding, leaf_weight, leaf_bias = drawn(1000, 300), drawn(300, 450), drawn(450)
    node_weight, node_bias = drawn(300, 750), drawn(750)
    draw = random.Random(7)
    def tree_of(leaves):  # a word, or two trees
        if leaves == 1:
            return draw.randrange(1000)
        left = draw.randint(1, leaves - 1)
        return tree_of(left), tree_of(leaves - left)
    def state(node):
        if isinstance(node, int):
            i, o, c = torch.addmm(leaf_bias, embedding[node:node + 1], leaf_weight).split(150, 1)
            cell = torch.sigmoid(i) * torch.tanh(c)
            return torch.sigmoid(o) * torch.tanh(cell), cell
        (left, left_cell), (right, right_cell) = state(node[0]), state(node[1])
        i, f, g, o, c = torch.addmm(node_bias, torch.cat([left, right], 1), node_weight).split(150, 1)
        cell = torch.sigmoid(i) * torch.tanh(c) + torch.sigmoid(f) * left_cell + torch.sigmoid(g) * right_cell
        return torch.sigmoid(o) * torch.tanh(cell), cell
    sizes = [draw.randint(5, 60) for _ in range(41)]
    trees = [tree_of(leaves) for leaves in sizes]
    state(trees[0])
    start = time.process_time()
    for each in trees[1:]:
        state(each)
    return {"us_per_node": (time.process_time() - start) * 1e6 / sum(2 * leaves - 1 for leaves in sizes[1:])}


SECTIONS = {"mlp": lambda: calls(mlp), "gru": lambda: calls(gru), "block": lambda: calls(block), "small": small,
            "kernels": kernels, "tree": tree}
check_blas()
with torch.inference_mode():
    print(json.dumps(SECTIONS[sys.argv[1]]()))
