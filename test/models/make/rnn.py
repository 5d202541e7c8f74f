# SPDX-License-Identifier: Apache-2.0
"""Character models of two LSTM or GRU layers with their states as inputs and outputs, a tagger of one bidirectional LSTM
that starts from zeros, and a generator that runs until every row has ended; length and batch free.

The tiny ones have odd numbers of hidden units; the large ones are of the usual sizes.
"""

import torch
import torch.nn as nn

from common import chosen_set, export, generator, seed


class Language(nn.Module):
    """Tokens (T, B) and states (2, B, hidden) to logits (T, B, vocabulary) and new states."""

    def __init__(self, kind, vocabulary, width, hidden):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.layers = {"lstm": nn.LSTM, "gru": nn.GRU}[kind](width, hidden, 2)
        self.head = nn.Linear(hidden, vocabulary)

    def forward(self, tokens, *state):
        y, last = self.layers(self.words(tokens), state if len(state) > 1 else state[0])
        return (self.head(y), *(last if len(state) > 1 else (last,)))


class Tagger(nn.Module):
    """Tokens (T, B) to scores (T, B, tags)."""

    def __init__(self, vocabulary, width, hidden, tags):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.layer = nn.LSTM(width, hidden, bidirectional=True)
        self.head = nn.Linear(2 * hidden, tags)

    def forward(self, tokens):
        return self.head(self.layer(self.words(tokens))[0])


class Generator(nn.Module):
    """Greedy: a loop over one LSTM cell, which ends when every row's token is 0 or after `most` steps. First tokens (B)
    to all tokens (B, 1 + steps) and the last state."""

    def __init__(self, vocabulary: int, width: int, hidden: int):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.x, self.h = nn.Linear(width, 4 * hidden), nn.Linear(hidden, 4 * hidden)
        self.head = nn.Linear(hidden, vocabulary)
        self.hidden = hidden

    def forward(self, start, most: int):
        h = torch.zeros(start.size(0), self.hidden)
        c = torch.zeros(start.size(0), self.hidden)
        token, all_tokens, step, go = start, start[:, None], 0, True
        while go and step < most:
            i, f, o, u = (self.x(self.words(token)) + self.h(h)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(u)
            h = torch.sigmoid(o) * torch.tanh(c)
            token = self.head(h).argmax(1)
            all_tokens = torch.cat((all_tokens, token[:, None]), 1)
            step = step + 1
            go = bool((token != 0).any())
        return all_tokens, h


def tokens(model, length, batch):
    return torch.randint(0, model.words.num_embeddings, (length, batch), generator=generator(length * 100 + batch))


def language_case(model, states, length, batch):
    g = generator(length * 1000 + batch)
    hidden = (torch.randn(2, batch, model.layers.hidden_size, generator=g) * 0.1 for _ in range(states))
    return (tokens(model, length, batch), *hidden)


def write_language(model, name, states, cases):
    axes = {n: {0: "length", 1: "batch"} for n in ("tokens", "logits")}
    given, last = ["h0", "c0"][:states], ["hn", "cn"][:states]
    axes.update({n: {1: "batch"} for n in given + last})
    export(model, name, ["tokens"] + given, ["logits"] + last, axes, [language_case(model, states, *c) for c in cases],
           16, traced=language_case(model, states, 7, 2))


def write_tagger(model, name, cases):
    axes = {n: {0: "length", 1: "batch"} for n in ("tokens", "tags")}
    export(model, name, ["tokens"], ["tags"], axes, [(tokens(model, *c),) for c in cases], 16,
           traced=(tokens(model, 7, 2),))


def write_generator(model, name, cases):
    axes = {"start": {0: "batch"}, "tokens": {0: "batch", 1: "length"}, "h": {0: "batch"}}
    cases = [(torch.randint(0, model.words.num_embeddings, (b,), generator=generator(b)), torch.tensor(n))
             for b, n in cases]
    export(torch.jit.script(model.eval()), name, ["start", "most"], ["tokens", "h"], axes, cases, 16, traced=cases[1])


if __name__ == "__main__":
    tiny = chosen_set() == "tiny"
    vocabulary, width, hidden = (50, 20, 33) if tiny else (256, 128, 512)
    suffix = "_tiny" if tiny else ""
    # (length, batch)
    cases = [(t, b) for b in (1, 3) for t in (1, 2, 7, 16, 31, 64, 127)] if tiny else [(7, 2), (50, 1)]
    for value, kind, states in ((7, "lstm", 2), (8, "gru", 1)):
        seed(value)
        write_language(Language(kind, vocabulary, width, hidden), f"{kind}_language{suffix}", states, cases)
    seed(9)
    sizes = (60, 12, 17, 5) if tiny else (5000, 100, 200, 20)
    write_tagger(Tagger(*sizes), f"lstm_tagger{suffix}", cases)
    seed(10)
    sizes = (30, 20, 33) if tiny else (256, 128, 256)
    model = Generator(*sizes)
    with torch.no_grad():
        model.head.bias[0] += 0.1 if tiny else 0  # some rows end early, together or not
    write_generator(model, f"lstm_generator{suffix}",
                    [(b, n) for b in (1, 3, 7) for n in (0, 1, 12, 40)] if tiny else [(1, 33), (2, 12)])
