// SPDX-License-Identifier: Apache-2.0
#include "api/explain.h"
#include "trace/oplist.h"
#include <algorithm>

namespace pliant::api {
namespace {

std::string lineOf(const trace::Instance &instance, size_t op) {
  return op < instance.sites.size() && instance.sites[op].line ? " at " + trace::str(instance.sites[op]) : "";
}

/// What an op does, for a sentence: "mul of f32 of rank 2 and f32 of rank 0".
std::string described(const trace::OpList &list, size_t op) {
  if (op >= list.size())
    return "its end";
  const trace::Header header = list.header(op);
  std::string out(info(header.op).name);
  for (uint32_t i = 0; i < std::min<uint32_t>(header.operands, 3); ++i) {
    const trace::Kind kind = list.kind(list.operand(op, i));
    out += (i ? " and " : " of ") + std::string(name(kind.dtype)) + " of rank " + std::to_string(kind.rank);
  }
  return out;
}

} // namespace

std::string differsFrom(const Structures &known, const trace::Instance &instance) {
  const trace::Words &words = instance.structure.words();
  const trace::OpList list(instance.structure);
  const std::string first = "for what is recorded from" +
                            (lineOf(instance, 0).empty() ? " its first op" : lineOf(instance, 0).substr(3)) + " on";
  const trace::Structure *nearest = nullptr;
  size_t common = 0;
  for (const trace::Structure *each : known) {
    const trace::Words &theirs = each->words();
    const size_t until = static_cast<size_t>(
        std::mismatch(words.begin(), words.end(), theirs.begin(), theirs.end()).first - words.begin());
    if (until > common || (until == common && !nearest && until))
      nearest = each, common = until;
  }
  if (!nearest || common < list.ops[1].word)
    return first + ": no program begins like it";
  if (common == words.size() && common == nearest->words().size())
    return first + ": the same ops as a known program, but other values of them are still held";
  const auto behind = std::upper_bound(list.ops.begin(), list.ops.end(), common,
                                       [](size_t at, const trace::OpList::Op &op) { return at < op.word; });
  const size_t op = static_cast<size_t>(behind - list.ops.begin()) - 1;
  const trace::OpList theirs(*nearest);
  if (op >= list.size())
    return first + ": it ends after op " + std::to_string(list.size()) + ", where a known program goes on with " +
           described(theirs, op);
  std::string ours = described(list, op), other = described(theirs, op);
  if (ours == other)
    other = "the same op of other operands or attributes";
  return first + ": op " + std::to_string(op + 1) + lineOf(instance, op) + " is " + ours +
         ", where the nearest known program has " + other;
}

std::string doesNotHold(const std::vector<trace::Guard> &guards, const trace::Instance &instance) {
  auto valueOf = [&](const std::string &symbol) -> std::optional<int64_t> {
    const size_t number = static_cast<size_t>(std::strtoull(symbol.c_str() + 1, nullptr, 10)) +
                          (symbol[0] == 'n' ? instance.leafExtents : 0);
    return number < instance.values.size() ? std::optional(instance.values[number]) : std::nullopt;
  };
  std::string out = "the same ops as a known program" + lineOf(instance, 0);
  for (const trace::Guard &guard : guards) {
    auto a = guard.a.evaluate(valueOf), b = guard.b.evaluate(valueOf);
    if (a && b && *a == *b)
      continue;
    auto side = [](const Expr &e, const Result<int64_t> &value) {
      return e.constant() || !value ? e.str() : e.str() + " (now " + std::to_string(*value) + ")";
    };
    return out + ", which was made for " + side(guard.a, a) + " = " + side(guard.b, b) +
           ": s are extents of its operands, n numbers such as positions, in order";
  }
  return out;
}

} // namespace pliant::api
