#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trees.cpp in Python: a recursive model (TreeLSTM) over random trees. Each tree is another graph, made by an ordinary
recursive function. After the first few trees nothing is compiled any more: equal nodes of any tree run together, as one
more axis of a program that is known. Draws the last trees, each node in the colour that the model gives it.

    trees.py [OUTPUT.svg]"""
import sys
from dataclasses import dataclass

import pliant as pl

WORDS, EMBEDDING, HIDDEN = 50, 32, 24


@dataclass
class Tree:
    word: int = 0  # of a leaf
    children: tuple = ()  # of an inner node


class TreeLstm:
    """A binary one, with random weights: it shows how such a model runs, not what one has learnt."""

    def __init__(self, random):
        def weights(rows, columns):
            return random.normal((rows, columns)) / rows**0.5

        self.words = random.normal((WORDS, EMBEDDING))
        self.leaf_weights, self.node_weights = weights(EMBEDDING, 3 * HIDDEN), weights(2 * HIDDEN, 5 * HIDDEN)
        self.colour_weights = weights(HIDDEN, 3) * 10.0

    def state(self, tree, outputs):
        """Output and memory of a tree's root, (1, HIDDEN) each; the outputs of all nodes go into `outputs`, children first."""
        if tree.children:
            (left, left_memory), (right, right_memory) = [self.state(child, outputs) for child in tree.children]
            gates = pl.split(pl.concat([left, right], 1) @ self.node_weights, 5, axis=1)
            take, give, keep_left, keep_right = (pl.sigmoid(gate) for gate in gates[:4])
            memory = take * pl.tanh(gates[4]) + keep_left * left_memory + keep_right * right_memory
        else:
            gates = pl.split(self.words[tree.word:tree.word + 1] @ self.leaf_weights, 3, axis=1)
            take, give = (pl.sigmoid(gate) for gate in gates[:2])
            memory = take * pl.tanh(gates[2])
        outputs.append(give * pl.tanh(memory))
        return outputs[-1], memory

    def colours(self, tree):
        """For each node, children first: red, green and blue, 0 to 1."""
        outputs = []
        self.state(tree, outputs)
        return pl.sigmoid(pl.concat(outputs) @ self.colour_weights)


def random_tree(dice, leaves):
    if leaves == 1:
        return Tree(word=next(dice) % WORDS)
    left = 1 + next(dice) % (leaves - 1)
    return Tree(children=(random_tree(dice, left), random_tree(dice, leaves - left)))


def drawn(tree, colours, left, top):
    """The elements of a picture with a tree's root at the top and its leaves side by side."""
    lines, circles, nodes, leaf = [], [], iter(colours), 0

    def place(tree, depth):
        nonlocal leaf
        children = [place(child, depth + 1) for child in tree.children]
        if not children:
            leaf += 1
        x = sum(x for x, _ in children) / 2 if children else left + 9 * leaf
        y = top + 14 * depth
        lines.extend(f'<path d="M{x:.1f} {y} L{to_x:.1f} {to_y}"/>' for to_x, to_y in children)
        colour = ",".join(str(round(255 * part)) for part in next(nodes))
        circles.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="rgb({colour})"/>')
        return x, y

    place(tree, 0)
    return lines + circles


def main(path):
    random = pl.random.Generator(7)
    model = TreeLstm(random)
    dice = iter(random.integers((10000,), 0, 1 << 30).tolist())
    known = []  # how many programs were made, after each tree
    nodes, total, picture = 0, 0.0, []
    for number in range(100):
        tree = random_tree(dice, 3 + next(dice) % 38)
        colours = model.colours(tree)
        total += colours.sum().item()  # runs the tree, and waits
        nodes += len(colours)
        counters = pl.counters()
        known.append(counters["compiles"] + counters["loads"])
        if number >= 88:
            at = number - 88
            picture += drawn(tree, colours.tolist(), 20 + 390 * (at % 3), 30 + 190 * (at // 3))
    with open(path, "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="1190" height="800" style="background:white" '
                   'stroke="#555" stroke-width="0.7">\n' + "\n".join(picture) + "\n</svg>\n")
    print(f"100 trees, {nodes} nodes, mean {total / nodes / 3:.4f}; programs made: {known[2]} for the first 3 trees, "
          f"{known[-1] - known[2]} for the others\ndrawn in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "trees.svg")
