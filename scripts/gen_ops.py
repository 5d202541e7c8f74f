#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the contracts (llvm-tblgen -dump-json of src/ops/*/*.td) and writes what is generated from them:
attribute structs, builder methods, the registry, and the tables of the IR and of code generation."""
import json
import sys
from pathlib import Path

# TableGen attribute -> (C++ field type, default, how IR reads it, how IR writes it)
ATTRS = {
    "I64Attr": ("int64_t", " = 0", "readInt", "writeInt"),
    "F64Attr": ("double", " = 0", "readFloat", "writeFloat"),
    "BoolAttr": ("bool", " = false", "readBool", "writeBool"),
    "StrAttr": ("std::string", "", "readString", "writeString"),
    "DenseI64ArrayAttr": ("std::vector<int64_t>", "", "readInts", "writeInts"),
    "DenseF64ArrayAttr": ("std::vector<double>", "", "readFloats", "writeFloats"),
    "Pliant_ExprsAttr": ("Extents", "", "readExprs", "writeExprs"),
    "Pliant_TypeAttr": ("DType", " = DType::F32", "readType", "writeType"),
    "ElementsAttr": ("DenseTensor", "", "readTensor", "writeTensor"),
}


def camel(snake):
    return "".join(part.capitalize() for part in snake.split("_"))


def method(snake):
    head, *tail = snake.split("_")
    return head + "".join(part.capitalize() for part in tail)


class Op:
    def __init__(self, record):
        self.name = record["opName"]
        self.id = camel(self.name)
        self.folder = record["folder"]
        self.pattern = record["pattern"]
        self.content = bool(record["content"])
        self.emitted, self.hosted = bool(record["emitted"]), bool(record["hosted"])
        # Sources and host ops say themselves what they take, composites by their parts.
        self.texts = bool(record["texts"]) or self.pattern in ("Map", "Source", "Host", "Composite")
        self.operands, self.attrs, self.variadic = [], [], False
        for arg, label in record["arguments"]["args"]:
            kind = arg["def"]
            if kind in ATTRS:
                self.attrs.append((label, kind))
            else:
                self.variadic |= "Variadic" in arg["printable"] or kind.startswith("anonymous")
                self.operands.append(label)
        self.results = len(record["results"]["args"])
        self.together, self.floats = record["together"], bool(record["floats"])
        self.summary = record["summary"]
        self.example = record["example"].strip()

    @property
    def composite(self):
        return self.pattern == "Composite"

    @property
    def has_ref(self):
        return self.pattern not in ("Composite", "Host", "Source")


def header(name):
    return f"// Generated from the contracts in src/ops; do not edit. {name}\n"


def attrs_h(ops):
    out = [header("Op identities and attributes."), "#pragma once", '#include "runtime/dense_tensor.h"',
           '#include "shape/type.h"', "#include <functional>", "#include <string>", "#include <variant>",
           "#include <vector>", "", "namespace pliant {", "", "enum class OpId : uint16_t {"]
    out += [f"  {op.id}, ///< {op.summary}" for op in ops] + ["};", f"inline constexpr size_t opCount = {len(ops)};", ""]
    for op in ops:
        out.append(f"struct {op.id}Attrs {{")
        out += [f"  {ATTRS[kind][0]} {label}{ATTRS[kind][1]};" for label, kind in op.attrs]
        out.append("};")
    out.append("using Attrs = std::variant<" + ", ".join(f"{op.id}Attrs" for op in ops) + ">;")
    out += ["", "/// Canonical text of the attributes, e.g. \"{axis = 1, keep_dims = true}\"; equal text, equal attributes.",
            "std::string str(const Attrs &attrs);",
            "/// Replaces every expression in the attributes.",
            "Attrs mapExprs(const Attrs &attrs, const std::function<Expr(const Expr &)> &fn);",
            "", "} // namespace pliant", ""]
    return "\n".join(out)


def signature(op):
    if op.variadic:
        params = ["std::span<const Value> operands"]
    else:
        params = [f"Value {name}" for name in op.operands]
    for label, kind in op.attrs:
        params.append(f"{ATTRS[kind][0]} {label}")
    return ", ".join(params)


def builder_inc(ops):
    out = [header("Methods of ValueBuilder.")]
    for op in ops:
        if op.pattern in ("Host", "Source"):
            continue
        fields = ", ".join(f"std::move({label})" for label, _ in op.attrs)
        attrs = f"{op.id}Attrs{{{fields}}}"
        result = "Value" if op.results == 1 else "std::vector<Value>"
        args = "operands" if op.variadic else None
        if args is None:
            listed = ", ".join(op.operands)
            call = f"build1(OpId::{op.id}, {attrs}, {{{listed}}})" if op.results == 1 else \
                f"build(OpId::{op.id}, {attrs}, std::array<Value, {len(op.operands)}>{{{listed}}})"
        else:
            call = f"build(OpId::{op.id}, {attrs}, operands)"
            if op.results == 1:
                call = f"first({call})"
        out.append(f"/// {op.summary}")
        out.append(f"{result} {method(op.name)}({signature(op)}) {{ return {call}; }}")
    return "\n".join(out) + "\n"


def registry_cpp(ops):
    out = [header("The registry."), '#include "ops/attr_text.h"', '#include "ops/op.h"', "", "namespace pliant {"]
    for folder in sorted({op.folder for op in ops}):
        mine = [op for op in ops if op.folder == folder]
        out.append(f"namespace ops::{folder} {{")
        if any(not op.composite for op in mine):
            out.append("Result<std::vector<TensorType>> shape(ShapeContext &);")
        if any(op.has_ref for op in mine):
            out.append("Status ref(RefContext &);")
        if any(op.content for op in mine):
            out.append("std::optional<Content> content(ContentContext &);")
        for op in mine:
            if op.composite:
                out.append(f"std::vector<Value> {method(op.name)}(ValueBuilder &, const Attrs &, std::span<const Value>);")
        out.append("}")
    out.append("static const OpInfo table[] = {")
    for op in ops:
        ns = f"ops::{op.folder}::"
        count = -1 if op.variadic else len(op.operands)
        out.append(f'    {{OpId::{op.id}, "{op.name}", "{op.folder}", Pattern::{op.pattern}, {count}, {op.results}, '
                   f"{'nullptr' if op.composite else ns + 'shape'}, {ns + 'ref' if op.has_ref else 'nullptr'}, "
                   f"{ns + 'content' if op.content else 'nullptr'}, "
                   f"{ns + method(op.name) if op.composite else 'nullptr'}, {'true' if op.emitted else 'false'}, {'true' if op.hosted else 'false'}, "
                   f"{'true' if op.texts else 'false'}}},")
    out += ["};", "const OpInfo &info(OpId op) { return table[static_cast<size_t>(op)]; }",
            "std::span<const OpInfo> allOps() { return table; }", "", "std::string str(const Attrs &attrs) {",
            "  switch (static_cast<OpId>(attrs.index())) {"]
    for op in ops:
        if op.attrs:
            items = ", ".join(f'attr_text::item("{label}", a.{label})' for label, _ in op.attrs)
            out.append(f"  case OpId::{op.id}: {{ const auto &a = std::get<{op.id}Attrs>(attrs); return attr_text::join({{{items}}}); }}")
    out += ['  default: return "{}";', "  }", "}", "",
            "Attrs mapExprs(const Attrs &attrs, const std::function<Expr(const Expr &)> &fn) {",
            "  Attrs result = attrs;", "  switch (static_cast<OpId>(attrs.index())) {"]
    for op in ops:
        exprs = [label for label, kind in op.attrs if kind == "Pliant_ExprsAttr"]
        if exprs:
            body = " ".join(f"for (Expr &e : a.{label}) e = fn(e);" for label in exprs)
            out.append(f"  case OpId::{op.id}: {{ auto &a = std::get<{op.id}Attrs>(result); {body} break; }}")
    out += ["  default: break;", "  }", "  return result;", "}", "", "} // namespace pliant", ""]
    return "\n".join(out)


def ir_table_cpp(ops):
    out = [header("Attributes between IR and plain structs."), '#include "ir/attr_convert.h"', "",
           "namespace pliant::ir {", "Attrs attrsOf(mlir::Operation *op, OpId id) {", "  switch (id) {"]
    for op in ops:
        fields = ", ".join(f'{ATTRS[kind][2]}(op, "{label}")' for label, kind in op.attrs)
        out.append(f"  case OpId::{op.id}: return {op.id}Attrs{{{fields}}};")
    out += ["  }", "  return {};", "}", "",
            "void writeAttrs(mlir::OpBuilder &b, mlir::NamedAttrList &list, const Attrs &attrs) {",
            "  switch (static_cast<OpId>(attrs.index())) {"]
    for op in ops:
        if op.attrs:
            items = " ".join(f'{ATTRS[kind][3]}(b, list, "{label}", a.{label});' for label, kind in op.attrs)
            out.append(f"  case OpId::{op.id}: {{ const auto &a = std::get<{op.id}Attrs>(attrs); {items} break; }}")
    out += ["  default: break;", "  }", "}", "} // namespace pliant::ir", ""]
    return "\n".join(out)


EMIT = {  # pattern -> (signature, table entry field)
    "Pointwise": "mlir::Value emit(PointEmitter &, OpId, const Attrs &, llvm::ArrayRef<mlir::Value>)",
    "Reduce": "Combiner emit(PointEmitter &, OpId, const Attrs &)",
    "Kernel": "Result<Expr> emit(KernelEmitter &, OpId, const Attrs &)",
}


def emit_table_cpp(ops):
    out = [header("Emitters."), '#include "codegen/emit.h"', "", "namespace pliant::codegen {"]
    entries = {kind: [] for kind in EMIT}
    declared = set()
    for op in ops:
        if op.pattern in EMIT and op.emitted:
            if op.folder not in declared:
                declared.add(op.folder)
                out.append(f"}} namespace pliant::ops::{op.folder} {{ using namespace pliant::codegen; "
                           f"{EMIT[op.pattern]}; }} namespace pliant::codegen {{")
            entries[op.pattern].append(op)
    for kind, mine in entries.items():
        out.append(f"{kind}Emit {kind.lower()}Emit(OpId op) {{\n  switch (op) {{")
        out += [f"  case OpId::{op.id}: return ops::{op.folder}::emit;" for op in mine]
        out += ["  default: return nullptr;", "  }", "}"]
    out += ["} // namespace pliant::codegen", ""]
    return "\n".join(out)


def examples_inc(ops):
    out = [header("One example per op, for src/ir/examples.test.cpp.")]
    out += [f'{{OpId::{op.id}, R"example({op.example})example"}},' for op in ops]
    return "\n".join(out) + "\n"


def onnx_table_cpp(folders):
    out = [header("Importer rows."), '#include "onnx/rows.h"', "", "namespace pliant {"]
    out += [f"namespace ops::{folder} {{ std::span<const onnx_import::Row> onnxRows(); }}" for folder in folders]
    out += ["namespace onnx_import {", "std::vector<std::span<const Row>> allRows() {", "  return {"]
    out += [f"      ops::{folder}::onnxRows()," for folder in folders]
    out += ["  };", "}", "} // namespace onnx_import", "} // namespace pliant", ""]
    return "\n".join(out)


def main():
    dump, out_dir, onnx_folders, emit_folders = sys.argv[1:]
    onnx_folders, emit_folders = onnx_folders.split(","), emit_folders.split(",")
    records = json.loads(Path(dump).read_text())
    ops = [Op(records[name]) for name in records["!instanceof"]["Pliant_Op"]]
    for op in ops:  # an op without an emitter runs as its reference and is counted as a fallback
        op.emitted &= op.pattern not in EMIT or op.folder in emit_folders
    ops.sort(key=lambda op: (op.folder, op.name))
    files = {"attrs.h": attrs_h(ops), "builder_methods.inc": builder_inc(ops), "registry.cpp": registry_cpp(ops),
             "ir_table.cpp": ir_table_cpp(ops), "emit_table.cpp": emit_table_cpp(ops),
             "onnx_table.cpp": onnx_table_cpp(sorted(onnx_folders)), "examples.inc": examples_inc(ops)}
    target = Path(out_dir) / "ops"
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = target / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
