// SPDX-License-Identifier: Apache-2.0
// First one node alone on the values that it had; else the longest row of cuts after which it still shows.
#include "shrink.h"
#include "compare.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <cmath>

namespace pliant::differential {

std::set<std::string> readBy(const onnx::NodeProto &node) {
  std::set<std::string> names(node.input().begin(), node.input().end());
  for (const auto &attribute : node.attribute())
    if (attribute.has_g()) {
      for (const auto &inner : attribute.g().node())
        names.merge(readBy(inner));
      for (const auto &output : attribute.g().output())
        names.insert(output.name());
    }
  names.erase("");
  return names;
}

namespace {

/// Only what these outputs need.
Model restricted(Model model, const std::set<std::string> &outputs) {
  auto &graph = *model.proto.mutable_graph();
  std::set<std::string> needed = outputs;
  std::vector<onnx::NodeProto> kept;
  for (int i = graph.node_size(); i-- > 0;) {
    const auto &node = graph.node(i);
    if (std::none_of(node.output().begin(), node.output().end(),
                     [&](const auto &name) { return needed.contains(name); }))
      continue;
    needed.merge(readBy(node));
    kept.push_back(node);
  }
  graph.clear_node();
  for (size_t i = kept.size(); i-- > 0;)
    *graph.add_node() = kept[i];
  graph.clear_output();
  for (const std::string &name : outputs)
    graph.add_output()->set_name(name);
  auto drop = [&](auto *list) {
    for (int i = list->size(); i-- > 0;)
      if (!needed.contains(list->Get(i).name()))
        list->DeleteSubrange(i, 1);
  };
  drop(graph.mutable_input());
  drop(graph.mutable_initializer());
  std::erase_if(model.inputs, [&](const Input &input) { return !needed.contains(input.name); });
  return model;
}

/// The value becomes an input that holds this tensor; its extents are symbols or, if `fixed`, numbers.
void cut(Model &model, const std::string &name, const DenseTensor &tensor, bool fixed) {
  auto &graph = *model.proto.mutable_graph();
  for (int i = 0; i < graph.node_size(); ++i)
    for (std::string &output : *graph.mutable_node(i)->mutable_output())
      if (output == name)
        output = name + "_cut";
  Input input{name, {tensor.dtype(), {}}, {}, tensor};
  auto *info = graph.add_input();
  info->set_name(name);
  auto *type = info->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnxType(tensor.dtype()));
  type->mutable_shape();
  for (size_t axis = 0; axis < tensor.dims().size(); ++axis) {
    auto *dim = type->mutable_shape()->add_dim();
    fixed ? dim->set_dim_value(tensor.dims()[axis]) : dim->set_dim_param(name + "." + std::to_string(axis));
    input.type.shape.push_back(fixed ? Expr(tensor.dims()[axis]) : Expr::symbol(name + "." + std::to_string(axis)));
  }
  model.inputs.push_back(std::move(input));
}

/// Inputs with the data of this point, so that cuts change nothing else.
Model settled(Model model, const std::map<std::string, DenseTensor> &values) {
  for (Input &input : model.inputs)
    if (auto found = values.find(input.name); found != values.end())
      input.given = found->second;
  return model;
}

std::set<std::string> outputsOf(const Model &model) {
  std::set<std::string> names;
  for (const auto &output : model.proto.graph().output())
    names.insert(output.name());
  return names;
}

/// An inner float off by what rounding may do: all elements the same way, or every other one the other way (a sum of
/// the whole, or of differences, cancels one of the two).
DenseTensor moved(const DenseTensor &exact, bool alternating) {
  DenseTensor result = *DenseTensor::allocate(exact.dtype(), exact.dims());
  dispatch(exact.dtype(), [&]<class T>(Type<T>) {
    if constexpr (isFloatStorage<T>) {
      auto element = [&](int64_t i) { return static_cast<double>(static_cast<ComputeOf<T>>(exact.as<T>()[i])); };
      // Relative to each and, less, to the largest, as results may differ.
      const double part = exact.dtype() == DType::F64 ? 1e-12 : 1e-6;
      double largest = 0;
      for (int64_t i = 0; i < exact.size(); ++i)
        if (const double v = std::fabs(element(i)); std::isfinite(v))
          largest = std::max(largest, v);
      for (int64_t i = 0; i < exact.size(); ++i) {
        const double v = element(i), off = part * (std::fabs(v) + largest / 10);
        result.as<T>()[i] = T(static_cast<ComputeOf<T>>(alternating && i % 2 == 0 ? v - off : v + off));
      }
    }
  });
  return result;
}

/// Whether each element that differs moves by more than two that agree may differ when one inner float is off by what
/// rounding may do: then a disagreement says nothing. Where shapes differ, whether a shape moves. What has been cut is
/// inner too: what is no input of `drawn`.
bool movedByRounding(const Model &model, const Model &drawn, const Point &point, const Disagreement &found,
                     const std::map<std::string, DenseTensor> &values, const std::string &ort) {
  std::set<int64_t> left(found.elements.begin(), found.elements.end());
  const std::set<std::string> outputs = outputsOf(model);
  auto given = [](const Model &of, const std::string &name) {
    return std::any_of(of.inputs.begin(), of.inputs.end(), [&](const Input &input) { return input.name == name; });
  };
  auto made = [&](const std::string &name) {
    const auto &nodes = model.proto.graph().node();
    return std::any_of(nodes.begin(), nodes.end(), [&](const auto &node) {
      return std::find(node.output().begin(), node.output().end(), name) != node.output().end();
    });
  };
  auto with = [&](const std::string &name, const DenseTensor &tensor) {
    Model at = model;
    for (Input &input : at.inputs)
      if (input.name == name)
        input.given = tensor;
    if (!given(at, name))
      cut(at, name, tensor, false);
    return valuesOf(restricted(std::move(at), outputs), point, ort);
  };
  for (const auto &[name, exact] : values) {
    if (!isFloat(exact.dtype()) || outputs.contains(name) || given(drawn, name) || !(made(name) || given(model, name)))
      continue;
    const auto a = with(name, exact);
    for (bool alternating : {true, false}) {
      const auto b = with(name, moved(exact, alternating));
      if (!a.contains(found.output) || !b.contains(found.output))
        continue;
      std::vector<int64_t> moves;
      if (tool::compare(a.at(found.output), b.at(found.output), 0, &moves).holds)
        continue;
      if (moves.empty())
        return true; // a shape that moves
      for (int64_t i : moves)
        left.erase(i);
      if (left.empty() && !found.elements.empty())
        return true;
    }
  }
  return false;
}

/// The least model that shows it.
template <class Still>
void cutDown(Finding &best, const std::map<std::string, DenseTensor> &values, const Still &still) {
  // One output, the first that shows it.
  const Model start = best.model;
  for (const std::string &output : outputsOf(start))
    if (still(restricted(start, {output})))
      break;
  const Model whole = best.model;
  // One node alone.
  for (bool fixed : {false, true})
    for (const auto &node : whole.proto.graph().node()) {
      Model alone = whole;
      bool possible = true;
      for (const std::string &name : readBy(node))
        for (const auto &other : whole.proto.graph().node())
          if (std::find(other.output().begin(), other.output().end(), name) != other.output().end()) {
            possible &= values.contains(name);
            if (possible)
              cut(alone, name, values.at(name), fixed);
          }
      std::set<std::string> outputs(node.output().begin(), node.output().end());
      outputs.erase("");
      if (possible && still(restricted(std::move(alone), outputs))) {
        for (const std::string &output : outputs)
          if (outputs.size() > 1 && still(restricted(best.model, {output})))
            break;
        return;
      }
    }
  // The longest row of cuts.
  for (const auto &node : whole.proto.graph().node())
    for (const std::string &name : node.output())
      if (values.contains(name) && !outputsOf(best.model).contains(name)) {
        Model shorter = best.model;
        cut(shorter, name, values.at(name), false);
        still(restricted(std::move(shorter), outputsOf(best.model)));
      }
}

} // namespace

Finding shrink(const Model &model, const Point &point, const Verdict &verdict, const std::string &ort) {
  Finding best{model, point, verdict};
  auto still = [&](const Model &candidate) {
    Verdict now = judgeApart(candidate, {point}, ort);
    if (now.kind != verdict.kind)
      return false;
    best.model = candidate;
    best.verdict = now;
    return true;
  };
  // The data of the drawn point depend on its number.
  Model start = model;
  if (auto inputs = model.tensors(point, verdict.point)) {
    std::map<std::string, DenseTensor> given(inputs->begin(), inputs->end());
    start = settled(std::move(start), given);
  }
  if (!still(start)) {
    best.fleeting = true;
    best.values = valuesOf(start, point, ort);
    return best;
  }
  const auto values = valuesOf(start, point, ort);
  cutDown(best, values, still);
  best.values = valuesOf(best.model, point, ort);
  if (verdict.kind == Verdict::Kind::Values || verdict.kind == Verdict::Kind::Compiled)
    best.found = disagreementOf(best.model, point, best.verdict, ort);
  if (best.found)
    best.illConditioned = movedByRounding(best.model, model, point, *best.found, values, ort);
  return best;
}

} // namespace pliant::differential
