// SPDX-License-Identifier: Apache-2.0
#include "trace/apart.h"
#include <map>
#include <numeric>

namespace pliant::trace {

Apart apart(const std::shared_ptr<const Structure> &structure, const std::vector<bool> &failed) {
  Division all(structure);
  const OpList &list = all.list;
  std::vector<uint32_t> failedBy(all.held.size(), Division::nobody); // of the values
  auto causeOf = [&](uint32_t operand) {
    if (!(operand & leafBit))
      return failedBy[operand];
    const uint32_t leaf = operand & ~leafBit;
    return !failed.empty() && failed[leaf] ? leaf : Division::nobody;
  };
  for (uint32_t i = 0; i < list.size(); ++i) {
    uint32_t cause = Division::nobody;
    for (uint32_t k = 0, n = list.header(i).operands; k < n && cause == Division::nobody; ++k)
      cause = causeOf(list.operand(i, k));
    std::fill(failedBy.begin() + list.ops[i].value, failedBy.begin() + list.ops[i + 1].value, cause);
  }
  Apart out;
  for (uint32_t value : structure->results) {
    out.failedBy.push_back(failedBy[value]);
    all.held[value] = failedBy[value] == Division::nobody;
  }

  std::map<Words, uint32_t> groups; // equal ops are one program
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (all.joins(i, [](uint32_t) { return true; })) {
      all.ranges.push_back({i, i + 1, Division::nobody, Body::How::Concat});
      continue;
    }
    std::shared_ptr<const Code> code = stretch(list, i, i + 1).code;
    const auto [group, isNew] = groups.try_emplace(code->words, static_cast<uint32_t>(all.codes.size()));
    if (isNew)
      all.codes.push_back(std::move(code));
    all.ranges.push_back({i, i + 1, group->second});
  }
  all.findNeeds();
  std::vector<uint32_t> order(all.ranges.size());
  std::iota(order.begin(), order.end(), 0u);
  out.plan = all.plan(order);
  return out;
}

} // namespace pliant::trace
