#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of functions by name (include/pliant/call.h) from the contracts and, below, from what functions.h adds
to them. C, Python and every other language take their functions from this table."""
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from gen_ops import Op, header, method  # noqa: E402
from gen_surface import default, public  # noqa: E402

KINDS = {"I64Attr": "int", "F64Attr": "real", "BoolAttr": "bool", "StrAttr": "text", "DenseI64ArrayAttr": "ints",
         "DenseF64ArrayAttr": "reals", "Pliant_ExprsAttr": "ints", "Pliant_TypeAttr": "type"}
# kind -> (kind of Attribute, C++ type, accessor)
CPP = {"bool": ("Bool", "bool", "flag"), "int": ("Integer", "int64_t", "integer"), "real": ("Real", "double", "real"),
       "number": ("Real", "Operand", "number"),
       "text": ("Text", "std::string", "text"), "ints": ("Integers", "std::vector<int64_t>", "integers"),
       "reals": ("Reals", "std::vector<double>", "reals"), "type": ("Type", "DType", "type"),
       "type?": ("Type", "std::optional<DType>", "type")}

# What include/pliant/functions.h has beside the ops: signature (operands; parameters), sentence, and the C++ expression
# where it is not the function of the same name. `*` is any number of tensors; `-> list` gives as many as it takes.
FUNCTIONS = [
    ("true_divide(lhs, rhs)", "lhs / rhs; integers and bools are divided as f64"),
    ("floor_divide(lhs, rhs)", "the largest integer not above lhs / rhs"),
    ("remainder(lhs, rhs)", "lhs - rhs * floor_divide(lhs, rhs): has the sign of rhs"),
    ("maximum(lhs, rhs)", "the larger of both; NaN where either is NaN"),
    ("minimum(lhs, rhs)", "the smaller of both; NaN where either is NaN"),
    ("bitwise_and(lhs, rhs)", "and of the bits of integers, or of bools", "lhs & rhs"),
    ("bitwise_or(lhs, rhs)", "or of the bits of integers, or of bools", "lhs | rhs"),
    ("bitwise_xor(lhs, rhs)", "exclusive or of the bits of integers, or of bools", "lhs ^ rhs"),
    ("bitwise_not(x)", "the other bits of integers, or the other bools", "~x"),
    ("left_shift(lhs, rhs)", "integers times 2 to the power of rhs, in [0, bits)", "lhs << rhs"),
    ("right_shift(lhs, rhs)", "integers divided by 2 to the power of rhs, rounded down", "lhs >> rhs"),
    ("where(condition, x, y)", "x where the condition is true, y elsewhere; all three broadcast"),
    ("square(x)", "x * x"),
    ("rsqrt(x)", "1 / sqrt(x)"),
    ("clip(x, low, high)", "min(max(x, low), high)"),
    ("sum(x; axes ints = {}, keepDims bool = false)", "sums over the axes, or all; of integers in i64 or u64"),
    ("prod(x; axes ints = {}, keepDims bool = false)", "products over the axes, or all; of integers in i64 or u64"),
    ("mean(x; axes ints = {}, keepDims bool = false)", "means over the axes, or all; of integers in f64"),
    ("var(x; axes ints = {}, keepDims bool = false)", "variances of the population over the axes, or all, in two passes"),
    ("std(x; axes ints = {}, keepDims bool = false)", "standard deviations of the population over the axes, or all",
     "stddev(x, axes, keepDims)"),
    ("argmax(x; axes ints = {}, keepDims bool = false)",
     "positions of the largest elements, row-major among the axes, or all; the first of equal ones"),
    ("argmin(x; axes ints = {}, keepDims bool = false)",
     "positions of the smallest elements, row-major among the axes, or all; the first of equal ones"),
    ("amax(x; axes ints = {}, keepDims bool = false)", "the largest elements over the axes, or all; an empty fold is an error"),
    ("amin(x; axes ints = {}, keepDims bool = false)", "the smallest elements over the axes, or all; an empty fold is an error"),
    ("all(x; axes ints = {}, keepDims bool = false)", "whether all elements over the axes, or all axes, are not 0"),
    ("any(x; axes ints = {}, keepDims bool = false)", "whether any element over the axes, or all axes, is not 0"),
    ("full(value; shape ints, dtype type? = {})", "a tensor of the shape, filled with the value", "full(shape, value, dtype)"),
    ("zeros(; shape ints, dtype type = f32)", "a tensor of the shape, filled with 0"),
    ("ones(; shape ints, dtype type = f32)", "a tensor of the shape, filled with 1"),
    ("full_like(x, value; dtype type? = {})", "a tensor of the shape and, unless given, the type of x, filled with the value"),
    ("zeros_like(x; dtype type? = {})", "a tensor of the shape and, unless given, the type of x, filled with 0"),
    ("ones_like(x; dtype type? = {})", "a tensor of the shape and, unless given, the type of x, filled with 1"),
    ("arange(; start number, stop number, step number = 1, dtype type? = {})",
     "start, start + step, ... before stop; i64 of integers, else f32, unless given", "arange(start, stop, step, dtype)"),
    ("linspace(; start real, stop real, num int = 50, endpoint bool = true, dtype type = f32)",
     "as many numbers from start to stop, which is the last one, or the one after it without endpoint"),
    ("eye(; n int, dtype type = f32)", "the identity matrix of n rows"),
    ("reshape(x; shape ints)", "the elements in another shape; one extent may be -1"),
    ("transpose(x; perm ints = {})", "axes in another order, the reverse one when none is given"),
    ("squeeze(x; axes ints = {})", "without the axes, which are of extent 1; without all such when none is named"),
    ("expand_dims(x; axis int)", "with a new axis of extent 1"),
    ("flatten(x; start int = 0, end int = -1)", "the axes from start to end become one"),
    ("flip(x; axes ints = {})", "the elements along the axes, or all, in reverse order"),
    ("roll(x; shift int, axis int)", "the elements along the axis moved by shift, those beyond the end to the front"),
    ("concat(*; axis int = 0)", "tensors one behind the other along an axis"),
    ("stack(*; axis int = 0)", "tensors of one shape along a new axis"),
    ("split(x; parts int, axis int = 0) -> list", "equal parts along an axis"),
    ("split_at(x; positions ints, axis int = 0) -> list", "parts along an axis that begin at the positions, and one before them",
     "split(x, std::span<const int64_t>(positions), axis)"),
    ("sort(x; axis int = -1, descending bool = false)",
     "the elements along the axis in order, equal ones as they were, NaN as the largest"),
    ("argsort(x; axis int = -1, descending bool = false)",
     "positions of the elements along the axis in order, of equal ones as they were, NaN as the largest"),
    ("matmul(lhs, rhs)", "matrix product: vectors are rows on the left and columns on the right; leading axes broadcast"),
    ("non_zero(x)", "positions of the elements that are not 0, (rank, count) of i64; waits for the count"),
]
WAITING = {"non_zero"}  # functions that ask for elements, since their results' shapes depend on them


def snake(label):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", label).lower()


class Function:
    """A row of the table."""

    def __init__(self, name, operands, parameters, results, summary, rules="", expression=None, variadic=False):
        self.name, self.operands, self.parameters = name, operands, parameters  # parameters: (label, kind, default or None)
        self.results, self.summary, self.rules, self.variadic = results, summary, rules, variadic
        arguments = ["tensors"] if variadic else list(operands)
        arguments += [label for label, _, _ in parameters]
        if variadic or not operands:
            arguments.append("site")
        self.expression = expression or f"pliant::{method(name)}({', '.join(arguments)})"

    @classmethod
    def of_op(cls, op):
        parameters = [(label, KINDS[kind], default(op, label)) for label, kind in op.attrs]
        return cls(op.name, op.operands, parameters, op.results, op.summary, op.rules, variadic=op.variadic)

    @classmethod
    def of_row(cls, signature, summary, expression=None):
        name, operands, parameters, listed = re.fullmatch(r"(\w+)\(([^;)]*)(?:; (.*))?\)( -> list)?", signature).groups()
        found = [re.fullmatch(r"(\w+) (\S+?)(?: = (.*))?", each).groups() for each in (parameters or "").split(", ") if each]
        variadic = operands == "*"
        return cls(name, ["tensors"] if variadic else [each for each in operands.split(", ") if each], found,
                   0 if listed else 1, summary, "", expression, variadic)


def all_functions(ops):
    rows = [Function.of_op(op) for op in public(ops)] + [Function.of_row(*row) for row in FUNCTIONS]
    return sorted(rows, key=lambda row: row.name)


def quoted(text):
    return json.dumps(text)


def argument(index, label, kind, fallback):
    _, cpp, get = CPP[kind]
    if fallback is None:
        return f"  const {cpp} {label} = at.{get}({index});"
    if kind == "type?":
        return f"  const {cpp} {label} = at.has({index}) ? {cpp}(at.{get}({index})) : std::nullopt;"
    value = f"DType::{fallback.upper()}" if kind == "type" else f"{cpp}({fallback})" if fallback != "{}" else f"{cpp}()"
    return f"  const {cpp} {label} = at.either({index}, {value}, &Given::{get});"


def table_cpp(functions):
    out = [header("The functions by name."), '#include "api/call.h"', "", "namespace pliant {", "using api::Given;",
           "namespace {", "", "void put(std::vector<Tensor> &out, Tensor result) { out.push_back(std::move(result)); }",
           "template <class Many> void put(std::vector<Tensor> &out, Many results) {",
           "  for (Tensor &each : results)", "    out.push_back(std::move(each));", "}", ""]
    for row in functions:
        out += [f"void run_{row.name}(const Function &function, std::span<const Operand> operands, std::span<const Attribute> "
                "values, Site site, std::vector<Tensor> &out) {", "  const Given at(function, operands, values, site);"]
        if row.variadic:
            out.append("  const std::vector<Tensor> tensors = at.tensors();")
        else:
            out += [f"  const Operand &{name} = at.operand({i});" for i, name in enumerate(row.operands)]
        out += [argument(i, *each) for i, each in enumerate(row.parameters)]
        out += [f"  put(out, {row.expression});", "}"]
        if row.operands:
            out.append(f"constexpr const char *operands_{row.name}[] = {{{', '.join(map(quoted, row.operands))}}};")
        if row.parameters:
            items = [f"{{{quoted(snake(label))}, Attribute::Kind::{CPP[kind][0]}, "
                     f"{'nullptr' if fallback is None else quoted(fallback.strip(chr(34)))}}}"
                     for label, kind, fallback in row.parameters]
            out.append(f"constexpr Function::Parameter parameters_{row.name}[] = {{{', '.join(items)}}};")
    out += ["", "const Function table[] = {"]
    for row in functions:
        operands = f"operands_{row.name}" if row.operands else "{}"
        parameters = f"parameters_{row.name}" if row.parameters else "{}"
        out.append(f"    {{{quoted(row.name)}, {quoted(row.summary)}, {quoted(row.rules)}, {operands}, "
                   f"{'true' if row.variadic else 'false'}, {parameters}, {row.results}, "
                   f"{'true' if row.name in WAITING else 'false'}, run_{row.name}}},")
    return "\n".join(out + ["};", "", "} // namespace", "std::span<const Function> functions() { return table; }",
                            "} // namespace pliant", ""])


PYTHON = {"bool": "bool", "int": "int", "real": "float", "number": "float", "text": "str", "ints": "Integers", "reals": "Iterable[float]",
          "type": "TypeLike", "type?": "TypeLike"}
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"]
# Functions of Python's own signature, which the template of the stub has.
BY_HAND = {"arange", "full", "split"}


def stub_of(row, name, method):
    operands = ["tensors: Iterable[Operand]"] if row.variadic else [f"{each}: Operand" for each in row.operands]
    arguments = ["self"] + operands[1:] if method else operands
    for label, kind, fallback in row.parameters:
        shown = "None" if fallback == "{}" else {"false": "False", "true": "True"}.get(fallback, fallback)
        shown = f'"{shown}"' if kind == "type" and fallback else shown
        arguments.append(f"{snake(label)}: {PYTHON[kind]}" + (f" | None = {shown}" if shown == "None" else f" = {shown}" if shown else ""))
    result = "Tensor" if row.results == 1 else "list[Tensor]" if not row.results else f"tuple[{', '.join(['Tensor'] * row.results)}]"
    indent = "    " * method
    lines = [f"{indent}def {name}({', '.join(arguments)}) -> {result}:", f'{indent}    """{row.summary}."""']
    return "\n".join(lines)


def stub(functions, template):
    """The types of the Python package."""
    own = set(re.findall(r"^    def (\w+)", template, re.M))
    rows = [(row.name, row) for row in functions if row.name not in BY_HAND | {"max", "min"}]
    rows += [(name, row) for row in functions for name, fold in (("max", "amax"), ("min", "amin")) if row.name == fold]
    operators = [f"    def __{kind}{name}__(self, other: Operand) -> Tensor: ..." for name in OPERATORS for kind in ("", "r", "i")]
    operators += [f"    def __{name}__(self, other: Operand) -> Tensor: ..." for name in ("lt", "le", "gt", "ge")]
    operators += [f"    def __{name}__(self, other: object) -> Tensor: ...  # type: ignore[override]" for name in ("eq", "ne")]
    parts = {"OPERATORS": "\n".join(operators),
             "METHODS": "\n".join(stub_of(row, name, True) for name, row in rows
                                  if row.operands and not row.variadic and name not in own),
             "FUNCTIONS": "\n".join(stub_of(row, name, False) for name, row in rows)}
    return re.sub(r"@(\w+)@", lambda match: parts[match[1]], template)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    dump, out_dir, template, stub_file = sys.argv[1:]
    records = json.loads(Path(dump).read_text())
    ops = []
    for name in records["!instanceof"]["Pliant_Op"]:
        op = Op(records[name])
        op.rules = " ".join((records[name]["description"] or "").split())
        ops.append(op)
    functions = all_functions(ops)
    write(Path(out_dir) / "api/functions_by_name.cpp", table_cpp(functions))
    write(Path(stub_file), stub(functions, Path(template).read_text()))


if __name__ == "__main__":
    main()
