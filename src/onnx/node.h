// SPDX-License-Identifier: Apache-2.0
// One ONNX node while it is imported: its inputs as values, its attributes, and the builder. Each op family maps its
// ONNX ops in `<folder>.onnx.cpp` as rows; the row with the highest version not above the model's opset applies.
#pragma once
#include "ops/builder.h"
#include <span>

namespace onnx {
class NodeProto;
}

namespace pliant::onnx_import {

class NodeImport {
public:
  ValueBuilder &b;
  const int64_t opset;

  size_t inputs() const;    ///< number of inputs, trailing empty names not counted
  bool has(size_t i) const; ///< input i is present
  Value in(size_t i) const; ///< input i; an error is recorded in the builder when it is absent
  DType dtype(size_t i) const { return b.dtype(in(i)); }
  int64_t rank(size_t i) const { return b.rank(in(i)); }

  bool hasAttr(std::string_view name) const;
  int64_t intAttr(std::string_view name, int64_t otherwise) const;
  double floatAttr(std::string_view name, double otherwise) const;
  std::string strAttr(std::string_view name, std::string_view otherwise) const;
  std::optional<std::vector<int64_t>> intsAttr(std::string_view name) const;
  std::optional<std::vector<double>> floatsAttr(std::string_view name) const;
  std::optional<std::vector<std::string>> stringsAttr(std::string_view name) const;
  Result<DenseTensor> tensorAttr(std::string_view name) const;

  /// The elements of integer input i: known, or as fresh symbols read on the host at run time.
  Extents ints(size_t i, Interval bounds, std::string_view hint);
  /// The elements when all are known constants; nothing otherwise.
  std::optional<std::vector<int64_t>> constInts(size_t i) const;
  /// The elements of a constant float input (scales of Resize); nothing when not constant.
  std::optional<std::vector<double>> constFloats(size_t i) const;

  std::string label() const;                                     ///< its name, or else that of its first output
  size_t outputs() const;                                        ///< number of outputs the node declares
  bool wants(size_t i) const;                                    ///< output i has a name
  void out(Value v);                                             ///< appends the next output
  Error error(std::string message, std::string hint = {}) const; ///< names the ONNX op
  Error unsupported(std::string what) const;                     ///< collected with all other gaps of the model

  const onnx::NodeProto &node;
  struct State;
  NodeImport(ValueBuilder &b, int64_t opset, const onnx::NodeProto &node, State &state)
      : b(b), opset(opset), node(node), state(state) {}

private:
  State &state;
};

using ImportFn = Status (*)(NodeImport &);
struct Row {
  const char *op; ///< ONNX op_type
  int since;      ///< first opset version for which this row applies
  ImportFn import;
};

} // namespace pliant::onnx_import
