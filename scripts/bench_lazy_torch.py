#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench_lazy_torch.py mlp|gru|block: 300 calls of the models of bench/lazy_models.cpp, on the same sizes, in PyTorch eager,
one thread.
Prints {"seconds": processor time}. Exits with 3 where PyTorch is not installed."""

import json
import sys
import time

try:
    import torch
except ImportError:
    sys.exit(3)

torch.set_num_threads(1)
torch.manual_seed(1)


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


forward, inputs = {"mlp": mlp, "gru": gru, "block": block}[sys.argv[1]]()
with torch.inference_mode():
    for x in inputs[:3]:
        forward(x)
    start = time.process_time()
    for i in range(300):
        forward(inputs[i % len(inputs)])
    print(json.dumps({"seconds": time.process_time() - start}))
