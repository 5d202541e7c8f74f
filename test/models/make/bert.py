# SPDX-License-Identifier: Apache-2.0
"""BERT encoder (post-LN, learned positions, GELU, pooler) with random weights: bert_tiny and bert_base."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from common import chosen_set, export, generator, init_weights, seed


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.head).permute(0, 2, 1, 3)

    def forward(self, x, bias):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head) + bias
        mixed = torch.matmul(scores.softmax(-1), v).permute(0, 2, 1, 3).contiguous()
        return self.o(mixed.view(mixed.size(0), mixed.size(1), self.heads * self.head))


class Layer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm1 = nn.LayerNorm(width, 1e-12)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)
        self.norm2 = nn.LayerNorm(width, 1e-12)

    def forward(self, x, bias):
        x = self.norm1(x + self.attention(x, bias))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self, layers=12, width=768, heads=12, hidden=3072, vocabulary=30522, positions=512):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.types = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(Layer(width, heads, hidden) for _ in range(layers))
        self.pool = nn.Linear(width, width)
        self.register_buffer("ids", torch.arange(positions)[None])
        self.apply(init_weights)

    def forward(self, ids, mask, types):
        x = self.norm(self.words(ids) + self.positions(self.ids[:, :ids.size(1)]) + self.types(types))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pool(x[:, 0]))


def case(batch, length):
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[1:, length // 2:] = 0 if length > 1 else 1  # a row with nothing to look at would be another test
    ids = torch.randint(0, 30522, (batch, length), generator=generator(batch * 1000 + length))
    return ids, mask, torch.zeros(batch, length, dtype=torch.int64)


def write(model, name, cases, opset):
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {n: {0: "batch", 1: "seq"} for n in inputs + ["last_hidden"]}
    axes["pooled"] = {0: "batch"}
    export(model, name, inputs, ["last_hidden", "pooled"], axes, cases, opset, traced=case(2, 9))


if __name__ == "__main__":
    if chosen_set() == "tiny":
        seed(2)
        lengths = (1, 2, 7, 16, 31, 64, 127, 128)
        write(Bert(2, 128, 2, 512), "bert_tiny", [case(b, s) for b in (1, 3) for s in lengths], opset=16)
    else:
        seed(1)
        write(Bert(), "bert_base", [case(1, 7), case(1, 31), case(2, 37)], opset=17)
