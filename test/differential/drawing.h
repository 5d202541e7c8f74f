// SPDX-License-Identifier: Apache-2.0
// Draws a model node by node. What a node's results are is asked of our importer, so that a drawer only chooses
// operands and attributes; what the importer refuses is kept apart, since ONNX Runtime may take it.
#pragma once
#include "model.h"
#include <functional>
#include <span>

namespace pliant::differential {

/// Sets of element types.
using Types = uint32_t;
constexpr Types only(DType type) { return Types(1) << static_cast<unsigned>(type); }
constexpr Types F32 = only(DType::F32), F64 = only(DType::F64), F16 = only(DType::F16), BOOL = only(DType::Bool);
constexpr Types I64 = only(DType::I64), I32 = only(DType::I32), U8 = only(DType::U8), I8 = only(DType::I8);
constexpr Types FLOATS = F32 | F64 | F16 | only(DType::BF16);
constexpr Types SIGNED = I64 | I32 | only(DType::I16) | I8;
constexpr Types UNSIGNED = U8 | only(DType::U16) | only(DType::U32) | only(DType::U64);
constexpr Types NUMBERS = FLOATS | SIGNED | UNSIGNED, ALL = NUMBERS | BOOL;
constexpr Types STRING = only(DType::String), ANY = ALL | STRING; ///< what is only moved

struct Value {
  std::string name;
  TensorType type;
  bool exact = true; ///< computed without rounding whatever the order; integers always are
  double bound = 3;  ///< of the absolute values, while exact

  int rank() const { return static_cast<int>(type.shape.size()); }
  const Expr &dim(int axis) const { return type.shape[static_cast<size_t>(axis)]; }
};

/// A node under construction.
class Node {
public:
  onnx::NodeProto proto;
  explicit Node(const std::string &op, const std::vector<Value> &inputs = {});
  Node &in(const Value &value) { return proto.add_input(value.name), *this; }
  Node &set(const char *name, int64_t value);
  Node &set(const char *name, const std::vector<int64_t> &list);
  Node &set(const char *name, const std::vector<std::string> &list);
  Node &set(const char *name, const std::vector<double> &list);
  Node &set(const char *name, double value);
  Node &set(const char *name, const char *value);
  Node &set(const char *name, const DenseTensor &value);
  Node &set(const char *name, const onnx::GraphProto &value);

private:
  onnx::AttributeProto &add(const char *name, onnx::AttributeProto::AttributeType type);
};

/// What is known of a node's results before it runs.
struct Results {
  bool exact = true;
  double bound = 3;
  int count = 1;
  bool read = true; ///< later nodes may read them
};
inline Results rounded(int count = 1) { return {false, 0, count}; }

class Drawing {
public:
  Drawing(uint64_t seed, int64_t opset);

  // ---- choices
  int below(int n) { return static_cast<int>(random() % static_cast<uint64_t>(n)); }
  int64_t between(int64_t low, int64_t high) { return low + below(static_cast<int>(high - low + 1)); }
  bool chance(int in) { return below(in) == 0; }
  template <class T> const T &one(const std::vector<T> &list) {
    return list[static_cast<size_t>(below(static_cast<int>(list.size())))];
  }
  DType type(Types types);             ///< f32 mostly, where it is among them
  Expr extent();                       ///< a symbol or a small number, 0 and 1 among them
  Extents extents(int rank);           ///< not too many elements
  std::vector<int64_t> axes(int rank); ///< some, at least one, ascending; some negative
  int64_t axis(int rank);              ///< one, maybe negative

  // ---- operands
  /// A value that is there or a new input.
  Value value(Types types, int minRank = 0, int maxRank = 4, bool exact = false);
  /// Of this type and shape: there, a new input or a constant.
  Value operand(DType type, const Extents &shape, Data data = {});
  /// Of a shape that broadcasts with this one.
  Value broadcastable(const Value &other, Data data = {});
  Value input(DType type, const Extents &shape, Data data = {});
  Value constant(const DenseTensor &tensor);
  Value constant(DType type, const std::vector<int64_t> &dims, Data data = {});
  Value ints(const std::vector<int64_t> &list, DType type = DType::I64);
  Value intScalar(int64_t value, DType type = DType::I64);
  /// A constant, or now and then an input that holds the list: what is known only at run time.
  Value intsOrInput(const std::vector<int64_t> &list);
  static Value none() { return {"", {}, true, 0}; }

  // ---- nodes
  /// A node whose results no drawer sees, but the nodes that come with it.
  std::vector<std::string> part(Node node, int results = 1);
  std::string fresh(const char *prefix) { return prefix + std::to_string(names++); }
  /// Adds a node with what came with it; false when the importer refuses.
  bool emit(Node node, Results results);
  /// The results hold elements of the operands.
  bool move(Node node, const std::vector<Value> &of, int count = 1);

  const int64_t opset;
  bool known(const Extents &shape) const; ///< by the symbols of inputs alone
  /// Draws one node with this drawer; false when nothing was added.
  bool step(const std::function<bool(Drawing &)> &draw);
  /// Chooses the outputs.
  Model finish();
  const std::vector<std::string> &ops() const { return opsDrawn; }
  /// Models with one node that the importer refused, with its words.
  std::vector<std::pair<Model, std::string>> refused;

private:
  std::mt19937_64 random;
  Model model;
  std::vector<Value> values;
  std::vector<std::string> opsDrawn;
  size_t inputCount = 0;
  int names = 0;

  onnx::GraphProto &graph() { return *model.proto.mutable_graph(); }
  bool fits(const Value &value, Types types, int minRank, int maxRank, bool exact) const;
};

/// The drawers of one file: ONNX's op and how a node of it is drawn.
struct Drawer {
  const char *op;
  bool (*draw)(Drawing &, const char *op);
  int weight = 1;
  bool has(int64_t opset) const; ///< whether the standard has the op in the form that is drawn
};
std::span<const Drawer> elementwise(), shapes(), indexing(), contractions(), windows(), reductions(), layers(),
    recurrence(), texts(), control(), lists();
std::vector<Drawer> allDrawers();

/// A graph under construction, for a branch or a body.
struct Body {
  onnx::GraphProto graph;
  explicit Body(const char *name) { graph.set_name(name); }
  void input(const std::string &name, DType dtype, int rank);
  std::string node(Node node, const std::string &output);
  void output(const std::string &name, DType dtype);
};
/// What a body or a part calls so.
inline Value named(const std::string &name) { return {name, {}}; }

} // namespace pliant::differential
