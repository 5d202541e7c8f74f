# SPDX-License-Identifier: Apache-2.0
"""A T5-style encoder and decoder: root-mean-square norms, bucketed relative positions computed in the graph, attention
without a scale, one word table for both and for the head.

t5_{encoder,decoder}_tiny have 2 layers of 48; the large ones 4 layers of 256 and the published vocabulary.
"""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from common import chosen_set, export, generator, init_weights, seed


def bucket(distance, both_ways, buckets=32, farthest=128):
    """Near distances have a bucket each, far ones share buckets that grow with the logarithm."""
    first = torch.zeros_like(distance)
    if both_ways:
        buckets //= 2
        first = first + (distance > 0).to(torch.int64) * buckets
        distance = distance.abs()
    else:
        distance = -torch.min(distance, torch.zeros_like(distance))
    exact = buckets // 2
    far = torch.log(distance.float() / exact + 1e-9) / math.log(farthest / exact) * (buckets - exact)
    far = torch.min(exact + far.to(torch.int64), torch.full_like(distance, buckets - 1))
    return first + torch.where(distance < exact, distance, far)


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.05 * torch.randn(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.head).transpose(1, 2)

    def forward(self, x, memory, bias):
        scores = torch.matmul(self.split(self.q(x)), self.split(self.k(memory)).transpose(3, 2)) + bias
        mixed = torch.matmul(scores.float().softmax(-1), self.split(self.v(memory))).transpose(1, 2).contiguous()
        return self.o(mixed.view(mixed.size(0), mixed.size(1), self.heads * self.head))


class Layer(nn.Module):
    def __init__(self, width, heads, inner, decoder):
        super().__init__()
        self.norm, self.attention = Norm(width), Attention(width, heads)
        if decoder:
            self.cross_norm, self.cross = Norm(width), Attention(width, heads)
        self.inner_norm = Norm(width)
        self.up, self.down = nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False)

    def forward(self, x, bias, memory=None, memory_bias=None):
        y = self.norm(x)
        x = x + self.attention(y, y, bias)
        if memory is not None:
            x = x + self.cross(self.cross_norm(x), memory, memory_bias)
        return x + self.down(F.relu(self.up(self.inner_norm(x))))


class Stack(nn.Module):
    def __init__(self, words, width, heads, inner, layers, decoder):
        super().__init__()
        self.words, self.decoder = words, decoder
        self.positions = nn.Embedding(32, heads)
        self.layers = nn.ModuleList(Layer(width, heads, inner, decoder) for _ in range(layers))
        self.norm = Norm(width)
        self.apply(init_weights)

    def forward(self, ids, mask, memory=None):
        x = self.words(ids)
        places = torch.arange(ids.size(1))
        distance = places[None, :] - places[:, None]
        bias = self.positions(bucket(distance, not self.decoder)).permute(2, 0, 1)[None]
        masked = (1.0 - mask[:, None, None, :].to(x.dtype)) * -1e9
        bias = bias + ((distance > 0).to(x.dtype)[None, None] * -1e9 if self.decoder else masked)
        for layer in self.layers:
            x = layer(x, bias, memory, masked)
        x = self.norm(x)
        return torch.matmul(x * x.size(-1) ** -0.5, self.words.weight.t()) if self.decoder else x


def ids(model, batch, length):
    return torch.randint(0, model.words.num_embeddings, (batch, length), generator=generator(batch * 1000 + length))


def encoder_case(model, batch, length):
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[1:, (length + 1) // 2:] = 0  # the other rows are shorter
    return ids(model, batch, length), mask


def decoder_case(model, batch, length, source):
    memory = torch.randn(batch, source, model.words.embedding_dim, generator=generator(source * 100 + length))
    return ids(model, batch, length), encoder_case(model, batch, source)[1], memory


if __name__ == "__main__":
    tiny = chosen_set() == "tiny"
    width, heads, inner, layers, vocabulary = (48, 3, 80, 2, 500) if tiny else (256, 4, 1024, 4, 32128)
    suffix = "_tiny" if tiny else ""
    seed(12)
    words = nn.Embedding(vocabulary, width)
    encoder = Stack(words, width, heads, inner, layers, False)
    decoder = Stack(words, width, heads, inner, layers, True)
    lengths = (1, 2, 7, 16, 31, 64, 127)
    axes = {n: {0: "batch", 1: "seq"} for n in ("input_ids", "attention_mask", "hidden")}
    cases = [(b, s) for b in (1, 3) for s in lengths] if tiny else [(2, 11), (1, 70)]
    export(encoder, "t5_encoder" + suffix, ["input_ids", "attention_mask"], ["hidden"], axes,
           [encoder_case(encoder, *c) for c in cases], 17, traced=encoder_case(encoder, 2, 11))
    axes = {n: {0: "batch", 1: "dec"} for n in ("decoder_ids", "logits")}
    axes.update({n: {0: "batch", 1: "seq"} for n in ("attention_mask", "enc_hidden")})
    cases = [(b, t, s) for b in (1, 3) for t, s in zip(lengths, lengths[::-1])] if tiny else [(2, 5, 11), (1, 40, 33)]
    export(decoder, "t5_decoder" + suffix, ["decoder_ids", "attention_mask", "enc_hidden"], ["logits"], axes,
           [decoder_case(decoder, *c) for c in cases], 17, traced=decoder_case(decoder, 2, 5, 11))
