// SPDX-License-Identifier: Apache-2.0
// Follows integer inputs to the indices of gathers and scatters.
#include "indexed.h"
#include <set>

namespace pliant::tool {
namespace {

/// An input from which a value is made, and whether arithmetic was applied on the way.
using Sources = std::set<std::pair<int, bool>>;

class Tracer {
public:
  explicit Tracer(const Program &program) : uses(program.inputs.size()), program(program) {
    for (size_t i = 0; i < program.inputBuffers.size(); ++i)
      if (!isFloat(program.inputs[i].type.dtype))
        buffers[base(program.inputBuffers[i])].insert({static_cast<int>(i), false});
  }

  void run() {
    for (const Step *step : numberedSteps(program)) {
      if (step->kind == Step::Kind::Launch)
        launch(*step);
      if (step->kind == Step::Kind::Evaluate)
        evaluate(*step);
      if (step->kind == Step::Kind::Bind)
        for (const auto &[input, changed] : of(step->inputs[0]))
          if (!changed)
            bounds[input] = {step->low, step->high};
    }
  }

  std::vector<std::vector<IndexUse>> uses;
  std::map<int, std::pair<int64_t, int64_t>> bounds;

private:
  const Program &program;
  std::map<int, Sources> buffers;

  int base(int buffer) const {
    while (program.buffers[buffer].storage == Buffer::Storage::Alias)
      buffer = program.buffers[buffer].index;
    return buffer;
  }
  Sources of(int buffer) const {
    auto found = buffers.find(base(buffer));
    return found == buffers.end() ? Sources() : found->second;
  }

  static bool keepsValues(OpId op) {
    return info(op).pattern == Pattern::Map || op == OpId::Cast || op == OpId::Select;
  }

  /// What the result of an op is made from; records uses as indices.
  template <class Substitute>
  Sources through(OpId op, const Attrs &attrs, const std::vector<Sources> &operands,
                  const std::vector<TensorType> &types, DType result, const Substitute &programExpr) {
    auto use = [&](size_t indices, const Expr &extent) {
      for (const auto &[input, changed] : operands[indices])
        uses[input].push_back({programExpr(extent), changed});
    };
    switch (op) {
    case OpId::Gather:
      use(1, types[0].shape[std::get<GatherAttrs>(attrs).axis]);
      return operands[0];
    case OpId::GatherElements:
      use(1, types[0].shape[std::get<GatherElementsAttrs>(attrs).axis]);
      return operands[0];
    case OpId::ScatterElements:
      use(1, types[0].shape[std::get<ScatterElementsAttrs>(attrs).axis]);
      return operands[0];
    case OpId::GatherNd:
      for (size_t axis = static_cast<size_t>(std::get<GatherNdAttrs>(attrs).batchDims); axis < types[0].shape.size();
           ++axis)
        use(1, types[0].shape[axis]); // the smallest of them serves every column
      return operands[0];
    case OpId::ScatterNd:
      for (const Expr &extent : types[0].shape)
        use(1, extent);
      return operands[0];
    default:
      break;
    }
    Sources out;
    if (result == DType::Bool || (info(op).pattern != Pattern::Pointwise && info(op).pattern != Pattern::Map))
      return out;
    for (const Sources &operand : operands)
      for (const auto &[input, changed] : operand)
        out.insert({input, changed || !keepsValues(op)});
    return out;
  }

  void launch(const Step &step) {
    const Group &group = program.groups[step.group];
    auto programExpr = [&](const Expr &e) {
      return e.substitute([&](const std::string &symbol) -> std::optional<Expr> {
        for (size_t i = 0; i < step.symbols.size(); ++i)
          if (symbol == "s" + std::to_string(i))
            return Expr::symbol(step.symbols[i]);
        return std::nullopt;
      });
    };
    std::vector<Sources> values;
    for (int buffer : step.inputs)
      values.push_back(of(buffer));
    values.resize(group.inputs.size());
    for (const GroupNode &node : group.nodes) {
      std::vector<Sources> operands;
      std::vector<TensorType> types;
      for (int operand : node.operands) {
        operands.push_back(values[operand]);
        types.push_back(group.type(operand));
      }
      values.push_back(through(node.op, node.attrs, operands, types, node.type.dtype, programExpr));
    }
    for (size_t i = 0; i < group.outputs.size() && i < step.outputs.size(); ++i)
      buffers[base(step.outputs[i])].merge(Sources(values[group.outputs[i].value]));
  }

  void evaluate(const Step &step) {
    std::vector<Sources> operands;
    std::vector<TensorType> types;
    for (int buffer : step.inputs) {
      operands.push_back(of(buffer));
      types.push_back(program.buffers[buffer].type);
    }
    if (step.outputs.empty())
      return;
    DType result = program.buffers[step.outputs[0]].type.dtype;
    Sources out = through(step.op, step.attrs, operands, types, result, [](const Expr &e) { return e; });
    buffers[base(step.outputs[0])].merge(out);
  }
};

} // namespace

std::vector<std::vector<IndexUse>> indexUses(const Program &program) {
  Tracer tracer(program);
  tracer.run();
  return std::move(tracer.uses);
}

std::map<int, std::pair<int64_t, int64_t>> boundInputs(const Program &program) {
  Tracer tracer(program);
  tracer.run();
  return std::move(tracer.bounds);
}

} // namespace pliant::tool
