// SPDX-License-Identifier: Apache-2.0
#include "trace/plan.h"
#include <algorithm>

namespace pliant::trace {

Division::Division(const std::shared_ptr<const Structure> &structure)
    : list(*structure), held(structure->code->values.size()), structure(structure) {
  for (uint32_t value : structure->results)
    held[value] = true;
}

void Division::findNeeds() {
  rangeOfOp.resize(list.size());
  for (uint32_t r = 0; r < ranges.size(); ++r)
    std::fill(rangeOfOp.begin() + ranges[r].first, rangeOfOp.begin() + ranges[r].last, r);
  needed = held;
  for (size_t i = 0; i < list.size(); ++i)
    for (uint32_t k = 0, n = list.header(i).operands; k < n; ++k)
      if (const uint32_t operand = list.operand(i, k); !(operand & leafBit) && rangeOf(operand) != rangeOfOp[i])
        needed[operand] = true;
}

Plan Division::whole() const {
  const auto values = static_cast<uint32_t>(structure->results.size());
  Plan out;
  out.bodies = {{Body::How::Program, structure, nullptr, static_cast<uint32_t>(list.leaves.size()),
                 list.ops.back().integer, values}};
  out.pieces = {{0, 0, 0, 0, 0, 0}};
  for (uint32_t i = 0; i < list.leaves.size(); ++i)
    out.sources.push_back(leafBit | i);
  for (uint32_t i = 0; i < values; ++i) {
    out.targets.push_back(i);
    out.outputs.push_back(i);
  }
  out.slots = values;
  out.shape = structure->hash;
  return out;
}

uint32_t Division::addBody(const Range &range, const std::vector<bool> &results) {
  Body body{range.how};
  body.integers = list.ops[range.last].integer - list.ops[range.first].integer;
  if (range.how == Body::How::Program) {
    std::vector<uint32_t> indices;
    for (uint32_t i = 0; i < results.size(); ++i)
      if (results[i])
        indices.push_back(i);
    std::shared_ptr<const Code> code =
        range.group == nobody ? stretch(list, range.first, range.last).code : codes[range.group];
    body.results = static_cast<uint32_t>(indices.size());
    body.structure = std::make_shared<const Structure>(std::move(code), std::move(indices));
  } else {
    body.results = 1;
    if (range.how == Body::How::Concat) {
      const Attrs attrs = decode(OpId::Concat, list.attributes(range.first).data(), [] { return Expr(0); }).first;
      body.axis = std::get<ConcatAttrs>(attrs).axis;
    }
  }
  made.bodies.push_back(std::move(body));
  return static_cast<uint32_t>(made.bodies.size() - 1);
}

Plan Division::plan(const std::vector<uint32_t> &order, const std::vector<uint32_t> &waves) {
  // Bodies of groups give what any of their ranges must.
  auto values = [&](const Range &range) { return std::pair(list.ops[range.first].value, list.ops[range.last].value); };
  results.resize(codes.size());
  for (const Range &range : ranges)
    if (range.group != nobody) {
      const auto [first, last] = values(range);
      std::vector<bool> &any = results[range.group];
      any.resize(last - first);
      for (uint32_t v = first; v < last; ++v)
        any[v - first] = any[v - first] || needed[v];
    }
  std::vector<uint32_t> bodyOf(ranges.size());
  bodyOfGroup.assign(codes.size(), nobody);
  reads.resize(ranges.size());
  for (uint32_t r = 0; r < ranges.size(); ++r) {
    const Range &range = ranges[r];
    if (range.group == nobody) {
      const auto [first, last] = values(range);
      bodyOf[r] = addBody(range, {needed.begin() + first, needed.begin() + last});
    } else {
      uint32_t &body = bodyOfGroup[range.group];
      if (body == nobody)
        body = addBody(range, results[range.group]);
      bodyOf[r] = body;
    }
    if (range.how == Body::How::Program)
      matches(list, range.first, *made.bodies[bodyOf[r]].structure->code, reads[r]);
    else
      for (uint32_t k = 0, n = list.header(range.first).operands; k < n; ++k)
        reads[r].push_back(list.operand(range.first, k));
    made.bodies[bodyOf[r]].leaves = static_cast<uint32_t>(reads[r].size());
  }
  // What is run: backwards, what a held value needs. Uses are places in the order.
  std::vector<bool> live(ranges.size());
  lastUse.assign(needed.size(), nobody);
  for (size_t place = order.size(); place-- > 0;) {
    const uint32_t r = order[place];
    const auto [first, last] = values(ranges[r]);
    for (uint32_t v = first; v < last && !live[r]; ++v)
      live[r] = held[v] || lastUse[v] != nobody;
    if (live[r])
      for (uint32_t operand : reads[r])
        if (!(operand & leafBit) && lastUse[operand] == nobody)
          lastUse[operand] = static_cast<uint32_t>(place);
  }
  slotOf.assign(needed.size(), Plan::nowhere);
  for (uint32_t place = 0; place < order.size(); ++place)
    if (const uint32_t r = order[place]; live[r]) {
      addPiece(place, r, bodyOf[r]);
      made.pieces.back().wave = waves.empty() ? 0 : waves[r];
    }
  for (uint32_t value : structure->results)
    made.outputs.push_back(slotOf[value]);
  return std::move(made);
}

void Division::addPiece(uint32_t place, uint32_t r, uint32_t number) {
  const Range &range = ranges[r];
  const Body &body = made.bodies[number];
  auto at = [](const auto &vector) { return static_cast<uint32_t>(vector.size()); };
  made.pieces.push_back(
      {number, range.first, list.ops[range.first].integer, at(made.sources), at(made.targets), at(made.spent)});
  for (uint32_t operand : reads[r])
    made.sources.push_back(operand & leafBit ? operand : slotOf[operand]);
  // Slots are taken before those that are spent here are free: a piece reads while it writes.
  for (uint32_t i = 0; i < body.results; ++i) {
    const uint32_t value = list.ops[range.first].value + (body.structure ? body.structure->results[i] : i);
    uint32_t slot = Plan::nowhere;
    if (held[value] || lastUse[value] != nobody) {
      if (free.empty())
        free.push_back(made.slots++);
      slot = slotOf[value] = free.back();
      free.pop_back();
    }
    made.targets.push_back(slot);
  }
  for (uint32_t operand : reads[r])
    if (!(operand & leafBit) && lastUse[operand] == place && !held[operand]) {
      lastUse[operand] = nobody; // several leaves may be one value
      made.spent.push_back(slotOf[operand]);
      free.push_back(slotOf[operand]);
    }
}

} // namespace pliant::trace
