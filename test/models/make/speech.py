# SPDX-License-Identifier: Apache-2.0
"""A Whisper-like encoder: two convolutions over mel frames, the second of stride 2, sinusoid positions, and
transformer layers that scale queries and keys.

whisper_encoder_tiny has 2 layers of 48; the large one the size of the published "tiny": 4 layers of 384.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

from common import chosen_set, export, generator, init_weights, seed


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.v, self.o = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.k = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.head).transpose(1, 2)

    def forward(self, x):
        y = self.norm1(x)
        scale = self.head ** -0.25
        scores = torch.matmul(self.split(self.q(y)) * scale, self.split(self.k(y)).transpose(-1, -2) * scale)
        x = x + self.o(torch.matmul(scores.softmax(-1), self.split(self.v(y))).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self, mels, width, heads, layers, longest):
        super().__init__()
        self.conv1 = nn.Conv1d(mels, width, 3, padding=1)
        self.conv2 = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        rate = torch.exp(-torch.log(torch.tensor(10000.0)) / (width // 2 - 1) * torch.arange(width // 2))
        angle = torch.arange(longest)[:, None] * rate[None]
        self.register_buffer("positions", torch.cat([angle.sin(), angle.cos()], 1))
        self.apply(init_weights)

    def forward(self, mel):
        x = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).permute(0, 2, 1)
        x = x + self.positions[:x.size(1)]
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


def case(model, batch, frames):
    return (torch.randn(batch, model.conv1.in_channels, frames, generator=generator(batch * 10000 + frames)) * 0.5,)


if __name__ == "__main__":
    tiny = chosen_set() == "tiny"
    seed(11)
    model = Encoder(20, 48, 3, 2, 128) if tiny else Encoder(80, 384, 6, 4, 1500)
    cases = [(b, t) for b in (1, 3) for t in (1, 2, 7, 16, 31, 64, 127, 200)] if tiny else [(1, 200), (2, 97)]
    export(model, "whisper_encoder" + ("_tiny" if tiny else ""), ["mel"], ["hidden"],
           {"mel": {0: "batch", 2: "frames"}, "hidden": {0: "batch", 1: "ctx"}}, [case(model, *c) for c in cases], 17,
           traced=case(model, 1, 20))
