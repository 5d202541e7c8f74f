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
  std::vector<const std::vector<Step> *> stack{&program.steps};
  while (!stack.empty()) {
    const std::vector<Step> *steps = stack.back();
    stack.pop_back();
    for (const Step &step : *steps) {
      if (step.kind == Step::Kind::Bind || step.kind == Step::Kind::Assign)
        for (const std::string &symbol : step.symbols)
          add(symbol);
      if (step.kind == Step::Kind::If) {
        stack.push_back(&step.thenSteps);
        stack.push_back(&step.elseSteps);
      }
    }
  }
  return slots;
}

static void number(const std::vector<Step> &steps, std::vector<const Step *> &list) {
  for (const Step &step : steps) { // depth is that of nested ifs, which the importer bounds
    list.push_back(&step);
    number(step.thenSteps, list);
    number(step.elseSteps, list);
  }
}

std::vector<const Step *> numberedSteps(const Program &program) {
  std::vector<const Step *> list;
  number(program.steps, list);
  return list;
}

} // namespace pliant
