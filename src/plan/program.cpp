// SPDX-License-Identifier: Apache-2.0
// Numbering of symbols and steps.
#include "plan/program.h"

namespace pliant {

SymbolSlots symbolSlots(const Program &program) {
  SymbolSlots slots;
  for (const Argument &input : program.inputs) {
    auto &dims = slots.inputDims.emplace_back();
    for (size_t i = 0; i < input.type.shape.size(); ++i)
      dims.push_back(slots.count++);
  }
  auto add = [&](const std::string &symbol) {
    if (slots.symbols.emplace(symbol, slots.count).second)
      ++slots.count;
  };
  for (const Argument &input : program.inputs)
    for (const Expr &extent : input.type.shape)
      for (const std::string &symbol : extent.symbols())
        add(symbol);
  for (const State &state : program.states) {
    add(state.from);
    add(state.to);
  }
  for (const CarriedState &state : program.carried) {
    add(state.from);
    add(state.to);
  }
  std::vector<const std::vector<Step> *> stack{&program.steps};
  while (!stack.empty()) {
    const std::vector<Step> *steps = stack.back();
    stack.pop_back();
    for (const Step &step : *steps) {
      if (step.kind != Step::Kind::Launch) // whose symbols are only used
        for (const std::string &symbol : step.symbols)
          add(symbol);
      for (const std::vector<Step> *inner : {&step.thenSteps, &step.elseSteps, &step.body})
        if (!inner->empty())
          stack.push_back(inner);
    }
  }
  return slots;
}

static void number(const std::vector<Step> &steps, std::vector<const Step *> &list) {
  for (const Step &step : steps) { // depth is that of nested regions, which the importer bounds
    list.push_back(&step);
    number(step.thenSteps, list);
    number(step.elseSteps, list);
    number(step.body, list);
  }
}

std::vector<const Step *> numberedSteps(const Program &program) {
  std::vector<const Step *> list;
  number(program.steps, list);
  return list;
}

} // namespace pliant
