// SPDX-License-Identifier: Apache-2.0
// What a row of docs/differential.md is asked about: one node with what it reads, and the elements that differ.
#pragma once
#include "shrink.h"
#include <functional>
#include <set>
#include <span>

namespace pliant::differential {

using Kind = Verdict::Kind;
using Dims = std::vector<int64_t>;

std::vector<double> numbersOf(const DenseTensor &tensor); ///< nothing of a default tensor
/// An initializer; a default tensor where there is none of the name.
DenseTensor initializerOf(const onnx::GraphProto &graph, const std::string &name);

/// The element of an operand that broadcasting puts at a linear index of the result.
int64_t broadcastFrom(int64_t at, const Dims &result, const Dims &operand);
/// The elements that a reduction folds into each of its results, in the order of the results.
std::vector<std::vector<int64_t>> folded(const Dims &dims, const std::set<int64_t> &axes);
/// Lowest and highest number of an integer type; of a float type those that are finite.
std::pair<double, double> rangeOf(DType type);

/// One node with what it reads.
struct Case {
  const Finding &finding;
  const onnx::NodeProto &node;
  const std::string &ort;
  const Disagreement *found;       ///< null unless an output of this node is what differs
  std::vector<DenseTensor> inputs; ///< by position; a default tensor where absent or not known

  Case(const Finding &finding, const onnx::NodeProto &node, const std::string &ort);

  Kind kind() const { return finding.verdict.kind; }
  const std::string &what() const { return finding.verdict.what; }
  const onnx::GraphProto &graph() const { return finding.model.proto.graph(); }
  int64_t opset() const { return finding.model.proto.opset_import(0).version(); }
  bool says(const char *words) const { return what().find(words) != std::string::npos; }
  bool is(const std::set<std::string> &ops) const { return ops.contains(node.op_type()); }
  bool starts(const char *prefix) const { return node.op_type().starts_with(prefix); }

  const onnx::AttributeProto *attribute(const std::string &name) const;
  std::string text(const std::string &name) const { return attribute(name) ? attribute(name)->s() : ""; }
  int64_t integer(const std::string &name, int64_t otherwise) const;
  double number(const std::string &name, double otherwise) const;
  Dims integers(const std::string &name) const;

  const DenseTensor &in(size_t i) const;
  std::vector<double> list(size_t i) const { return numbersOf(in(i)); }
  bool any(size_t i, bool (*holds)(double)) const;
  const onnx::NodeProto *makerOf(const std::string &name) const;

  // ---- what differs
  bool values() const { return kind() == Kind::Values && found && found->ours && found->theirs; }
  bool shapes() const { return values() && found->ours.dims() != found->theirs.dims(); }
  bool elements() const { return values() && !found->elements.empty(); }
  int output() const; ///< which of the node's outputs differs; -1: none
  double ours(int64_t at) const;
  double theirs(int64_t at) const;
  double reference(int64_t at) const;
  /// Whether it holds of each element that differs. Never where none do.
  bool each(const std::function<bool(int64_t)> &holds) const;
  /// Whether all that we give is what the other way of saying it gives.
  bool oursIs(const std::optional<std::vector<DenseTensor>> &answer) const;

  /// The axes that a reduction folds, from 0.
  std::set<int64_t> reducedAxes() const;
  /// For each result of a reduction, the elements of operand 0 that it folds.
  std::vector<std::vector<double>> reducedLines() const;
};

struct Row {
  const char *id;
  bool (*explains)(const Case &); ///< of the node that makes what differs, else the last
  bool withOthers = false;        ///< also where other nodes give what it reads
};
std::span<const Row> theirsIsWrong(), standardIsSilent(), notTaken();

/// A product over an inner extent of 0: T1.
bool innerExtentOfNone(const Case &c);

} // namespace pliant::differential
