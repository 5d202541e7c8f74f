// SPDX-License-Identifier: Apache-2.0
#include "trace/oplist.h"
#include "ops/op.h"
#include <algorithm>
#include <unordered_map>

namespace pliant::trace {

OpList::OpList(const Structure &structure) : structure(structure) {
  const Words &words = structure.words();
  ops.reserve(structure.code->ops + 1);
  makers.reserve(structure.code->values.size());
  std::unordered_map<uint64_t, std::pair<uint32_t, uint32_t>> integersOf; // by hash: an op and its number of integers
  auto same = [&](const Op &a, const Op &b, size_t count) {
    return words[a.word] == words[b.word] &&
           std::equal(words.begin() + a.attributes, words.begin() + static_cast<ptrdiff_t>(a.attributes + count),
                      words.begin() + b.attributes);
  };
  Op op{};
  while (op.word < words.size()) {
    const Header header = Header::of(words[op.word]);
    op.attributes = op.word + 1 + (header.operands + 1) / 2;
    for (size_t i = 0; i < header.operands; ++i) {
      const auto operand = static_cast<uint32_t>(words[op.word + 1 + i / 2] >> (i % 2 * 32));
      if (operand == (leafBit | leaves.size())) {
        const uint64_t type = words[op.attributes++];
        leaves.push_back({static_cast<DType>(type >> 8), static_cast<uint8_t>(type & 0xff)});
      }
    }
    op.hash = words[op.word];
    for (size_t i = 0; i < header.attrWords; ++i)
      op.hash = detail::mixed(op.hash, words[op.attributes + i]);
    auto [known, isNew] = integersOf.try_emplace(op.hash, static_cast<uint32_t>(ops.size()), 0);
    ops.push_back(op);
    uint32_t integers = known->second.second;
    if (isNew || !same(op, ops[known->second.first], header.attrWords)) {
      integers = 0;
      decode(header.op, words.data() + op.attributes, [&] { return ++integers, Expr(0); });
      if (isNew)
        known->second.second = integers;
    }
    for (uint32_t i = 0; i < header.results; ++i) {
      const Kind &kind = structure.code->values[op.value + i];
      ops.back().hash = detail::mixed(ops.back().hash, leafType(kind.dtype, kind.rank));
      makers.push_back(static_cast<uint32_t>(ops.size() - 1));
    }
    op.word = op.attributes + header.attrWords;
    op.value += header.results;
    op.integer += integers;
  }
  ops.push_back(op);
}

bool OpList::isCheap(size_t first, size_t last) const {
  for (size_t i = first; i < last; ++i)
    if (const Pattern pattern = info(header(i).op).pattern; pattern != Pattern::Pointwise && pattern != Pattern::Map)
      return false;
  return true;
}

Stretch stretch(const OpList &list, size_t first, size_t last) {
  Stretch out{std::make_shared<Code>(), {}};
  Words &words = out.code->words;
  const Words &all = list.structure.words();
  const uint32_t firstValue = list.ops[first].value;
  std::unordered_map<uint32_t, uint32_t> numbers; // of leaves
  for (size_t i = first; i < last; ++i) {
    words.push_back(all[list.ops[i].word]);
    const uint32_t operands = list.header(i).operands;
    const size_t known = out.leaves.size();
    for (uint32_t k = 0; k < operands; ++k) {
      uint32_t operand = list.operand(i, k);
      if (operand & leafBit || operand < firstValue) {
        auto [number, isNew] = numbers.try_emplace(operand, static_cast<uint32_t>(out.leaves.size()));
        if (isNew)
          out.leaves.push_back(operand);
        operand = leafBit | number->second;
      } else {
        operand -= firstValue;
      }
      if (k % 2)
        words.back() |= static_cast<uint64_t>(operand) << 32;
      else
        words.push_back(operand);
    }
    for (size_t k = known; k < out.leaves.size(); ++k) {
      const Kind kind = list.kind(out.leaves[k]);
      words.push_back(leafType(kind.dtype, kind.rank));
    }
    const auto attributes = list.attributes(i);
    words.insert(words.end(), attributes.begin(), attributes.end());
  }
  const auto &kinds = list.structure.code->values;
  out.code->values.assign(kinds.begin() + firstValue, kinds.begin() + list.ops[last].value);
  out.code->ops = static_cast<uint32_t>(last - first);
  return out;
}

bool matches(const OpList &list, size_t first, const Code &code, std::vector<uint32_t> &leaves) {
  leaves.clear();
  const uint32_t firstValue = list.ops[first].value;
  const uint64_t *word = code.words.data();
  for (size_t i = first; i < first + code.ops; ++i) {
    if (*word != list.structure.words()[list.ops[i].word])
      return false;
    const uint32_t operands = Header::of(*word++).operands;
    const uint64_t *type = word + (operands + 1) / 2;
    for (uint32_t k = 0; k < operands; ++k) {
      const uint32_t operand = list.operand(i, k), wanted = static_cast<uint32_t>(word[k / 2] >> (k % 2 * 32));
      if (!(wanted & leafBit)) {
        if (operand & leafBit || operand != firstValue + wanted)
          return false;
        continue;
      }
      if (!(operand & leafBit) && operand >= firstValue)
        return false;
      const uint32_t number = wanted & ~leafBit;
      if (number < leaves.size()) {
        if (leaves[number] != operand)
          return false;
        continue;
      }
      const Kind kind = list.kind(operand);
      if (*type++ != leafType(kind.dtype, kind.rank))
        return false;
      leaves.push_back(operand);
    }
    const auto attributes = list.attributes(i);
    if (!std::equal(attributes.begin(), attributes.end(), type))
      return false;
    word = type + attributes.size();
  }
  return true;
}

} // namespace pliant::trace
