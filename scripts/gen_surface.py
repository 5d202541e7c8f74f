#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the contracts as gen_ops.py does and writes the public functions of the ops: their C++ header and source, and
their Python bindings."""
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from gen_ops import Op, header, method  # noqa: E402

# Of these the hand-written function of the same name is the public one (include/pliant/functions.h).
BY_HAND = {"reshape", "transpose", "concat", "matmul", "iota", "non_zero"}

# What NumPy makes of these on bool; the contracts ask for numbers.
OF_BOOL = {"add": "LogicalOr", "mul": "LogicalAnd", "max": "LogicalOr", "min": "LogicalAnd"}

# TableGen attribute -> C++ parameter
PARAMETERS = {
    "I64Attr": "int64_t {}", "F64Attr": "double {}", "BoolAttr": "bool {}", "StrAttr": "const std::string &{}",
    "DenseI64ArrayAttr": "const std::vector<int64_t> &{}", "DenseF64ArrayAttr": "const std::vector<double> &{}",
    "Pliant_ExprsAttr": "const Shape &{}", "Pliant_TypeAttr": "DType {}",
}

# What an attribute is when the caller does not say, by its name or by op and name. C++ takes them from the end on.
DEFAULTS = {
    "axis": "-1", "axes": "{}", "keepDims": "false", "lastIndex": "false", "epsilon": "1e-5", "exclusive": "false",
    "reverse": "false", "strides": "{}", "dilations": "{}", "pads": "{}", "outputPadding": "{}", "groups": "1",
    "channelsLast": "false", "ceilMode": "false", "includePad": "false", "columnMajor": "false", "batchDims": "0",
    "largest": "true", "sorted": "true", "reduction": '"none"', "negative": "true", "positive": "true",
    "approximate": "false", "alignCorners": "false", "centred": "false", "clip": "0.0", "units": "0",
    "batchFirst": "false", "resetAfter": "false", "coupled": "false", "ignore": "{}", "pad.mode": '"constant"',
    "grid_sample.mode": '"linear"', "padding": '"zeros"', "elu.alpha": "1.0", "celu.alpha": "1.0",
    "leaky_relu.alpha": "0.01", "thresholded_relu.alpha": "1.0", "hard_sigmoid.alpha": "0.2",
    "hard_sigmoid.beta": "0.5", "selu.alpha": "1.67326319217681884765625", "selu.gamma": "1.05070102214813232421875",
    "shrink.bias": "0.0", "shrink.lambd": "0.5",
}


def public(ops):  # lazy tensors hold numbers: what is hosted looks inside strings
    return [op for op in ops if op.pattern not in ("Host", "Source") and op.name not in BY_HAND and not op.hosted]


def default(op, label):
    return DEFAULTS.get(f"{op.name}.{label}", DEFAULTS.get(label))


def result(op):
    return "Tensor" if op.results == 1 else f"std::array<Tensor, {op.results}>"


def parameters(op, with_defaults):
    out = ["std::span<const Tensor> operands"] if op.variadic else [f"const Operand &{name}" for name in op.operands]
    open_end = [default(op, label) is None for label, _ in op.attrs]
    for i, (label, kind) in enumerate(op.attrs):
        text = PARAMETERS[kind].format(label)
        if with_defaults and not any(open_end[i:]):
            text += f" = {default(op, label)}"
        out.append(text)
    if op.variadic:  # operands bring their line themselves, a span does not
        out.append("Site site" + (" = std::source_location::current()" if with_defaults else ""))
    return ", ".join(out)


def ops_h(ops):
    out = [header("One function per op; axes may count from the end."), "#pragma once", '#include "pliant/tensor.h"',
           "#include <string>", "", "namespace pliant {", ""]
    for op in public(ops):
        out += [f"/// {op.summary}", f"{result(op)} {method(op.name)}({parameters(op, True)});"]
    return "\n".join(out + ["", "} // namespace pliant", ""])


def argument(op, label, kind):
    """What the attribute is, from what the caller gave."""
    where = f'"{op.name}", {label}'
    if kind == "I64Attr" and label == "axis":
        return f"axisOf({where}, rank, site)"
    if label == "axes":
        return f"foldedAxes({where}, rank, site)"
    if label == "perm":
        return f"axesOf({where}, rank, site)"
    if label in ("strides", "dilations"):
        return f"perSpatialAxis({where}, 1, rank - 2, site)"
    if label in ("pads", "outputPadding"):
        return f"extentsOf(\"{op.name}\", perSpatialAxis({where}, 0, {'2 * ' if label == 'pads' else ''}(rank - 2), site), site)"
    if kind == "Pliant_ExprsAttr":
        return f"extentsOf({where}, site)"
    return label


def surface_cpp(ops):
    out = [header("The public functions of the ops."), '#include "api/record.h"', '#include "pliant/ops.h"', "",
           "namespace pliant {", "using namespace api;"]
    for op in public(ops):
        attrs = f"{op.id}Attrs{{" + ", ".join(argument(op, label, kind) for label, kind in op.attrs) + "}"
        rank = "[[maybe_unused]] const int64_t rank"
        out.append(f"{result(op)} {method(op.name)}({parameters(op, False)}) {{")
        if op.variadic:
            out += [f"  const auto values = valuesOf(\"{op.name}\", operands, {'true' if op.together else 'false'}, site);",
                    f"  {rank} = values.front()->rank;", "  const auto nodes = nodesOf(values);",
                    f"  return recordedAll<{op.results}>({attrs}, nodes, site){'[0]' if op.results == 1 else ''};"]
        else:
            mask = (1 << len(op.operands)) - 1 if -1 in op.together else sum(1 << i for i in op.together)
            given = ", ".join(f"&{name}" for name in op.operands)
            out += [f"  const Operands<{len(op.operands)}> in({{{given}}}, {mask}, {'true' if op.floats else 'false'});",
                    f"  {rank} = in[0]->rank;", "  [[maybe_unused]] const Site site = in.site();",
                    *([f"  if (in[0]->dtype == DType::Bool)\n    return recorded({OF_BOOL[op.name]}Attrs{{}}, in);"]
                      if op.name in OF_BOOL else []),
                    f"  return recorded({attrs}, in);" if op.results == 1 else
                    f"  return recordedAll<{op.results}>({attrs}, in.all(), site);"]
        out.append("}")
    return "\n".join(out + ["} // namespace pliant", ""])


def main():
    dump, out_dir = sys.argv[1:]
    records = json.loads(Path(dump).read_text())
    ops = [Op(records[name]) for name in records["!instanceof"]["Pliant_Op"]]
    ops.sort(key=lambda op: op.name)
    for name, text in {"pliant/ops.h": ops_h(ops), "api/surface.cpp": surface_cpp(ops)}.items():
        path = Path(out_dir) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
