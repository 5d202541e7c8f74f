# SPDX-License-Identifier: Apache-2.0
"""GPT-2 with random weights, as two graphs each: prefill (no past) and step (with a key-value cache).

gpt2_tiny has 2 layers of 128; gpt2_small is the published size. Both tie the head to the word embedding.
"""

import math

import torch
import torch.nn as nn

from common import chosen_set, export, generator, init_weights, seed


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.o = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.head).transpose(1, 2)

    def forward(self, x, bias, past_k=None, past_v=None):
        q, k, v = (self.split(part) for part in self.qkv(self.norm1(x)).split(self.heads * self.head, 2))
        if past_k is not None:
            k, v = torch.cat((past_k, k), 2), torch.cat((past_v, v), 2)
        weights = (torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head) + bias).softmax(-1)
        mixed = torch.matmul(weights, v).transpose(1, 2).contiguous()
        x = x + self.o(mixed.view(mixed.size(0), mixed.size(1), self.heads * self.head))
        z = self.up(self.norm2(x))
        z = 0.5 * z * (1 + torch.tanh(0.7978845608028654 * (z + 0.044715 * torch.pow(z, 3))))
        return x + self.down(z), k, v


class Gpt2(nn.Module):
    def __init__(self, layers=12, width=768, heads=12, vocabulary=50257, positions=1024):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.register_buffer("causal", torch.triu(torch.full((positions, positions), -1e9), 1)[None, None])
        self.register_buffer("ids", torch.arange(positions)[None])
        self.apply(init_weights)

    def forward(self, ids, *past):
        length = ids.size(1)
        begin = past[0].size(2) if past else 0
        x = self.words(ids) + self.positions(self.ids[:, begin:begin + length])
        bias = self.causal[:, :, begin:begin + length, :begin + length]
        present = []
        for i, block in enumerate(self.blocks):
            x, k, v = block(x, bias, *past[2 * i:2 * i + 2])
            present += [k, v]
        return (torch.matmul(self.norm(x), self.words.weight.t()), *present)


def case(model, batch, length, past=None):
    g = generator(batch * 100000 + length * 1000 + (past or 0))
    ids = (torch.randint(0, model.words.num_embeddings, (batch, length), generator=g),)
    if past is None:
        return ids
    block = model.blocks[0]
    cache = (torch.randn(batch, block.heads, past, block.head, generator=g) * 0.3 for _ in range(2 * len(model.blocks)))
    return (*ids, *cache)


def write(model, name, prefill, step):
    """`prefill` lists (batch, length), `step` lists (batch, length, past)."""
    layers = range(len(model.blocks))
    past = [f"past_{c}_{i}" for i in layers for c in "kv"]
    present = [f"present_{c}_{i}" for i in layers for c in "kv"]
    axes = {"input_ids": {0: "batch", 1: "seq"}, "logits": {0: "batch", 1: "seq"}}
    axes.update({n: {0: "batch", 2: "total"} for n in present})
    export(model, name + "_prefill", ["input_ids"], ["logits"] + present, axes, [case(model, *c) for c in prefill], 17,
           traced=case(model, 1, 7))
    axes.update({n: {0: "batch", 2: "past"} for n in past})
    export(model, name + "_step", ["input_ids"] + past, ["logits"] + present, axes, [case(model, *c) for c in step], 17,
           traced=case(model, 1, 1, 5))


if __name__ == "__main__":
    if chosen_set() == "tiny":
        seed(4)
        lengths, pasts = (1, 2, 7, 16, 31, 64, 127, 128), (0, 1, 17, 64)
        write(Gpt2(2, 128, 4, 1000, 256), "gpt2_tiny", [(b, s) for b in (1, 3) for s in lengths],
              [(b, s, p) for b in (1, 3) for s in (1, 2, 7) for p in pasts])
    else:
        seed(3)
        write(Gpt2(), "gpt2_small", [(1, 7), (2, 19)], [(1, 1, 5), (1, 1, 31), (2, 3, 0)])
