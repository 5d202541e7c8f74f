#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a twin of an ONNX file: the same function, written as another exporter might have written it.

    twin.py MODEL.onnx TWIN.onnx [--seed 1]

Nodes and inner values get other names, nodes another valid order, Identities sit on some edges, and Constant nodes
become initializers; names of inputs and outputs stay. A compiler must make the same kernels of both.
Needs Debian's python3-onnx.
"""

import argparse
import random

import onnx
from onnx import helper


def subgraphs(node):
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        yield from attribute.graphs


def reads(node):
    """Every name that a node or the graphs inside it may read."""
    names = set(node.input)
    for graph in subgraphs(node):
        for inner in graph.node:
            names |= reads(inner)
        names |= {output.name for output in graph.output}
    return names - {""}


def constants_to_initializers(graph):
    kept = []
    for node in graph.node:
        for inner in subgraphs(node):
            constants_to_initializers(inner)
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            tensor = graph.initializer.add()
            tensor.CopyFrom(node.attribute[0].t)
            tensor.name = node.output[0]
        else:
            kept.append(node)
    replace_nodes(graph, kept)


def replace_nodes(graph, nodes):
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)


def rename(graph, outer, counter, rng):
    """Renames every node and every value that is neither input nor output; `outer` maps the names seen from outside."""
    names = dict(outer)
    kept = {value.name for value in [*graph.input, *graph.output]}
    made = [tensor.name for tensor in graph.initializer] + [name for node in graph.node for name in node.output]
    for name in made:
        if name and name not in kept:
            counter[0] += 1
            names[name] = f"v{counter[0]}_{rng.randrange(1000)}"
    for tensor in graph.initializer:
        tensor.name = names.get(tensor.name, tensor.name)
    for index, node in enumerate(graph.node):
        node.name = f"twin/{node.op_type.lower()}/{index}"
        node.doc_string = ""
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for inner in subgraphs(node):
            rename(inner, names, counter, rng)
    # What they say follows from the graph, and some exporters give wrong names to extents here.
    del graph.value_info[:]


def insert_identities(graph, share, rng):
    """Puts an Identity on some edges, and at least on one."""
    nodes, edges = [], [(node, i) for node in graph.node for i, name in enumerate(node.input) if name]
    chosen = {(id(node), i) for node, i in edges if rng.random() < share}
    if edges and not chosen:
        chosen = {(id(edges[0][0]), edges[0][1])}
    for node in graph.node:
        for i, name in enumerate(node.input):
            if (id(node), i) in chosen:
                copy = f"copy{len(nodes)}_{rng.randrange(1000)}"
                nodes.append(helper.make_node("Identity", [name], [copy], name=f"twin/copy/{len(nodes)}"))
                node.input[i] = copy
        nodes.append(node)
    replace_nodes(graph, nodes)


def reorder(graph, rng):
    """Another topological order: of the nodes whose inputs are there, a random one comes next."""
    maker = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    waits = [{maker[name] for name in reads(node) if name in maker} - {i} for i, node in enumerate(graph.node)]
    readers = [[] for _ in graph.node]
    for i, wait in enumerate(waits):
        for j in wait:
            readers[j].append(i)
    left = [len(wait) for wait in waits]
    ready, order = [i for i, count in enumerate(left) if not count], []
    while ready:
        i = ready.pop(rng.randrange(len(ready)))
        order.append(i)
        for j in readers[i]:
            left[j] -= 1
            if not left[j]:
                ready.append(j)
    if len(order) != len(graph.node):
        raise SystemExit("error: the graph has a cycle")
    replace_nodes(graph, [graph.node[i] for i in order])


def twin(model, seed, share=0.15):
    rng = random.Random(seed)
    graph = model.graph
    constants_to_initializers(graph)
    rename(graph, {}, [0], rng)
    insert_identities(graph, share, rng)
    reorder(graph, rng)
    graph.name = "twin"
    model.producer_name, model.producer_version = "twin", ""
    model.ir_version = max(model.ir_version, 4)  # before 4 every initializer was an input as well
    return model


def main():
    parser = argparse.ArgumentParser(description="Makes a twin of an ONNX file.")
    parser.add_argument("model")
    parser.add_argument("twin")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    onnx.save(twin(onnx.load(options.model), options.seed), options.twin)


if __name__ == "__main__":
    main()
