// SPDX-License-Identifier: Apache-2.0
// Draws graphs node by node. An extent is known by its values at two points, which is enough to tell extents apart.
#include "graph.h"
#include <algorithm>
#include <array>
#include <onnx/onnx_pb.h>
#include <random>

namespace pliant::ring {
namespace {

using onnx::TensorProto;
using Dim = std::array<int64_t, 2>; // at (n, m) = (1009, 10007) and (2003, 20011)

constexpr Dim n{1009, 2003}, m{10007, 20011};
Dim fixed(int64_t v) { return {v, v}; }
bool isFixed(const Dim &d) { return d[0] == d[1]; }
bool isOne(const Dim &d) { return d == fixed(1); }

struct Value {
  std::string name;
  std::vector<Dim> dims;
  int rank() const { return static_cast<int>(dims.size()); }
};

class Drawing {
public:
  explicit Drawing(uint64_t seed) : random(seed * 0x9e3779b97f4a7c15u + 1) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    graph().set_name("ring");
    const int inputs = 1 + pick(3);
    for (int i = 0; i < inputs; ++i)
      input();
  }

  RandomGraph run(int limit) {
    for (int tries = 0; tries < 40 * limit && made < limit; ++tries)
      step();
    // The last value and what nobody reads leave the graph, and sometimes a value from its middle.
    std::vector<std::string> read;
    for (const auto &node : graph().node())
      read.insert(read.end(), node.input().begin(), node.input().end());
    for (size_t i = inputCount; i < values.size(); ++i)
      if (std::find(read.begin(), read.end(), values[i].name) == read.end() || i % 7 == 3)
        output(values[i]);
    RandomGraph out;
    out.nodes = std::move(texts);
    model.SerializeToString(&out.model);
    return out;
  }

private:
  std::mt19937_64 random;
  onnx::ModelProto model;
  std::vector<Value> values;
  std::vector<std::string> texts;
  size_t inputCount = 0;
  int made = 0, constants = 0;

  onnx::GraphProto &graph() { return *model.mutable_graph(); }
  int pick(int below) { return static_cast<int>(random() % static_cast<uint64_t>(below)); }
  template <class T> const T &one(const std::vector<T> &list) {
    return list[static_cast<size_t>(pick(static_cast<int>(list.size())))];
  }

  void declare(onnx::ValueInfoProto *info, const Value &value, bool dims) {
    info->set_name(value.name);
    auto *type = info->mutable_type()->mutable_tensor_type();
    type->set_elem_type(TensorProto::FLOAT);
    if (!dims)
      return;
    for (const Dim &d : value.dims) {
      auto *dim = type->mutable_shape()->add_dim();
      if (d == n || d == m)
        dim->set_dim_param(d == n ? "n" : "m");
      else
        dim->set_dim_value(d[0]);
    }
  }

  void input() {
    Value value{"x" + std::to_string(values.size()), {}};
    const int rank = 1 + pick(4);
    int symbols = 0;
    for (int i = 0; i < rank; ++i) {
      int what = pick(6);
      if (what < 3 && symbols < 2) {
        value.dims.push_back(what ? n : m);
        ++symbols;
      } else {
        value.dims.push_back(fixed(one(std::vector<int>{1, 2, 3, 4, 8, 16, 192})));
      }
    }
    if (!symbols)
      value.dims[static_cast<size_t>(pick(rank))] = n;
    for (Dim &d : value.dims)
      if (large(value.dims) && isFixed(d))
        d = fixed(2);
    declare(graph().add_input(), value, true);
    std::string text = value.name + ": ";
    for (const Dim &d : value.dims)
      text += (d == n ? "n " : d == m ? "m " : std::to_string(d[0]) + " ");
    texts.push_back(text);
    values.push_back(value);
    inputCount = values.size();
  }

  void output(const Value &value) { declare(graph().add_output(), value, false); }

  onnx::NodeProto *node(const std::string &op, const std::vector<std::string> &inputs, std::vector<Dim> dims) {
    Value value{"v" + std::to_string(values.size()), std::move(dims)};
    auto *out = graph().add_node();
    out->set_op_type(op);
    out->set_name(op + "_" + value.name);
    std::string text = value.name + " = " + op + "(";
    for (const std::string &in : inputs) {
      out->add_input(in);
      text += (text.back() == '(' ? "" : ", ") + in;
    }
    out->add_output(value.name);
    texts.push_back(text + ")");
    values.push_back(value);
    return out;
  }

  std::string integers(const std::vector<int64_t> &list) {
    auto *tensor = graph().add_initializer();
    tensor->set_name("c" + std::to_string(constants++));
    tensor->set_data_type(TensorProto::INT64);
    tensor->add_dims(static_cast<int64_t>(list.size()));
    std::string name = tensor->name() + "[";
    for (int64_t v : list) {
      tensor->add_int64_data(v);
      name += (name.back() == '[' ? "" : " ") + std::to_string(v);
    }
    tensor->set_name(name + "]"); // the values show in reports
    return tensor->name();
  }

  std::string floats(const std::vector<int64_t> &dims, int low, int high) {
    auto *tensor = graph().add_initializer();
    tensor->set_name("w" + std::to_string(constants++));
    tensor->set_data_type(TensorProto::FLOAT);
    int64_t count = 1;
    for (int64_t d : dims) {
      tensor->add_dims(d);
      count *= d;
    }
    for (int64_t i = 0; i < count; ++i)
      tensor->add_float_data(static_cast<float>(low + pick(high - low + 1)));
    return tensor->name();
  }

  static void set(onnx::NodeProto *to, const char *name, int64_t value) {
    auto *a = to->add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INT);
    a->set_i(value);
  }
  static void set(onnx::NodeProto *to, const char *name, const std::vector<int64_t> &list) {
    auto *a = to->add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INTS);
    for (int64_t v : list)
      a->add_ints(v);
  }

  /// Keeps integers small, so that sums and products stay exact.
  void clip() {
    const Value value = values.back();
    node("Clip", {value.name, floats({}, -4, -4), floats({}, 5, 5)}, value.dims);
  }

  static bool broadcasts(const Value &a, const Value &b, std::vector<Dim> &out) {
    out.clear();
    const int rank = std::max(a.rank(), b.rank());
    for (int i = 0; i < rank; ++i) {
      const Dim x = i < rank - a.rank() ? fixed(1) : a.dims[static_cast<size_t>(i - rank + a.rank())];
      const Dim y = i < rank - b.rank() ? fixed(1) : b.dims[static_cast<size_t>(i - rank + b.rank())];
      if (!(x == y) && !isOne(x) && !isOne(y))
        return false;
      out.push_back(isOne(x) ? y : x);
    }
    return true;
  }

  /// The latest values are likelier, so that chains grow.
  const Value &value() {
    const int count = static_cast<int>(values.size());
    return values[static_cast<size_t>(pick(3) ? std::max(count - 1 - pick(3), 0) : pick(count))];
  }

  static bool large(const std::vector<Dim> &dims) {
    int symbols = 0;
    double count = 1;
    for (const Dim &d : dims) {
      symbols += !isFixed(d);
      count *= isFixed(d) ? static_cast<double>(d[0]) : 33; // the references are slow
    }
    return symbols > 3 || dims.size() > 5 || count > 1e5;
  }

  void step() {
    const size_t before = values.size();
    draw();
    made += values.size() > before;
  }

  void draw() {
    const Value x = value();
    std::vector<Dim> dims = x.dims;
    const int axis = x.rank() ? pick(x.rank()) : 0;
    const auto at = static_cast<size_t>(axis);
    switch (pick(16)) {
    case 0:
      node(one(std::vector<std::string>{"Neg", "Abs", "Relu"}), {x.name}, dims);
      return;
    case 1: // inexact ones are rare, and bounded
      if (pick(3) == 0)
        node(one(std::vector<std::string>{"Tanh", "Sigmoid"}), {x.name}, dims);
      return;
    case 2:
    case 3: {
      const Value y = value();
      if (!broadcasts(x, y, dims) || large(dims))
        return;
      const std::string op = one(std::vector<std::string>{"Add", "Sub", "Mul", "Max", "Min"});
      node(op, {x.name, y.name}, dims);
      if (op == "Mul")
        clip();
      return;
    }
    case 4: {
      if (!x.rank() || !isFixed(x.dims.back()))
        return;
      node(one(std::vector<std::string>{"Add", "Max"}), {x.name, floats({x.dims.back()[0]}, -3, 3)}, dims);
      return;
    }
    case 5:
    case 6: {
      if (!x.rank())
        return;
      std::vector<int64_t> axes{axis};
      if (x.rank() > 1 && pick(3) == 0)
        axes.push_back((axis + 1) % x.rank());
      std::sort(axes.begin(), axes.end());
      const bool keep = pick(2);
      for (size_t i = axes.size(); i-- > 0;)
        keep ? void(dims[static_cast<size_t>(axes[i])] = fixed(1)) : void(dims.erase(dims.begin() + axes[i]));
      const std::string op = one(std::vector<std::string>{"ReduceSum", "ReduceMax", "ReduceMin"});
      auto *made = op == "ReduceSum" ? node(op, {x.name, integers(axes)}, dims) : node(op, {x.name}, dims);
      if (op != "ReduceSum")
        set(made, "axes", axes);
      set(made, "keepdims", keep);
      if (op == "ReduceSum")
        clip();
      return;
    }
    case 7: { // two neighbours become one
      if (x.rank() < 2)
        return;
      const int from = pick(x.rank() - 1);
      std::vector<int64_t> target;
      for (int i = 0; i < x.rank(); ++i) {
        const Dim &d = x.dims[static_cast<size_t>(i)];
        if (i == from)
          target.push_back(-1);
        else if (i < from)
          target.push_back(0);
        else if (i > from + 1 && isFixed(d))
          target.push_back(d[0]);
        else if (i > from + 1)
          return;
      }
      const auto f = static_cast<size_t>(from);
      dims[f] = {dims[f][0] * dims[f + 1][0], dims[f][1] * dims[f + 1][1]};
      dims.erase(dims.begin() + from + 1);
      node("Reshape", {x.name, integers(target)}, dims);
      return;
    }
    case 8: { // a known extent becomes two
      if (!x.rank() || !isFixed(x.dims.back()) || x.dims.back()[0] % 2 || x.rank() > 4)
        return;
      std::vector<int64_t> target(static_cast<size_t>(x.rank()) - 1, 0);
      const int64_t last = x.dims.back()[0], low = last % 64 == 0 ? 64 : pick(2) ? 2 : last / 2;
      target.push_back(last / low);
      target.push_back(low);
      dims.back() = fixed(last / low);
      dims.push_back(fixed(low));
      node("Reshape", {x.name, integers(target)}, dims);
      return;
    }
    case 9: {
      if (x.rank() < 2)
        return;
      std::vector<int64_t> perm(static_cast<size_t>(x.rank()));
      for (size_t i = 0; i < perm.size(); ++i)
        perm[i] = static_cast<int64_t>(i);
      std::shuffle(perm.begin(), perm.end(), random);
      for (size_t i = 0; i < perm.size(); ++i)
        dims[i] = x.dims[static_cast<size_t>(perm[i])];
      set(node("Transpose", {x.name}, dims), "perm", perm);
      return;
    }
    case 10: {
      if (!x.rank() || isOne(x.dims[at]))
        return;
      int64_t start = 0, end = INT64_MAX, step = 1;
      auto each = [&](auto f) { dims[at] = {f(x.dims[at][0]), f(x.dims[at][1])}; };
      switch (pick(4)) {
      case 0:
        start = 1;
        each([](int64_t v) { return v - 1; });
        break;
      case 1:
        end = -1;
        each([](int64_t v) { return v - 1; });
        break;
      case 2:
        step = 2;
        each([](int64_t v) { return (v + 1) / 2; });
        break;
      default:
        start = -1;
        end = INT64_MIN;
        step = -1;
      }
      node("Slice", {x.name, integers({start}), integers({end}), integers({axis}), integers({step})}, dims);
      return;
    }
    case 11:
    case 12: {
      const Value y = value();
      if (!x.rank() || x.rank() != y.rank())
        return;
      for (int i = 0; i < x.rank(); ++i)
        if (i != axis && !(x.dims[static_cast<size_t>(i)] == y.dims[static_cast<size_t>(i)]))
          return;
      dims[at] = {dims[at][0] + y.dims[at][0], dims[at][1] + y.dims[at][1]};
      if (!large(dims))
        set(node("Concat", {x.name, y.name}, dims), "axis", axis);
      return;
    }
    case 13:
      if (x.rank() >= 2 && isFixed(x.dims.back())) { // by a weight
        const int64_t columns = one(std::vector<int>{1, 3, 8, 17, 32});
        dims.back() = fixed(columns);
        node("MatMul", {x.name, floats({x.dims.back()[0], columns}, -1, 1)}, dims);
        clip();
      }
      return;
    case 14: { // of two values
      const Value y = value();
      if (x.rank() < 2 || y.rank() != x.rank() || !(x.dims.back() == y.dims[y.dims.size() - 2]))
        return;
      for (size_t i = 0; i + 2 < x.dims.size(); ++i)
        if (!(x.dims[i] == y.dims[i]))
          return;
      dims.back() = y.dims.back();
      if (large(dims))
        return;
      node("MatMul", {x.name, y.name}, dims);
      clip();
      return;
    }
    default:
      if (pick(2) && x.rank() < 4) {
        dims.insert(dims.begin() + axis, fixed(1));
        node("Unsqueeze", {x.name, integers({axis})}, dims);
      } else if (x.rank() && !isOne(x.dims[at]) && pick(3) == 0) {
        set(node("Softmax", {x.name}, dims), "axis", axis);
      } else if (x.rank() && isFixed(x.dims[at])) {
        dims[at] = fixed(2);
        set(node("Gather", {x.name, integers({x.dims[at][0] - 1, 0})}, dims), "axis", axis);
      }
    }
  }
};

} // namespace

RandomGraph drawGraph(uint64_t seed, int limit) { return Drawing(seed).run(limit); }

} // namespace pliant::ring
