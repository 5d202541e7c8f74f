// SPDX-License-Identifier: Apache-2.0
// Drawers of ops that look inside strings.
#include "drawing.h"

namespace pliant::differential {
namespace {

const Data words{Data::Kind::Words, -3, 3, {}};

bool concat(Drawing &d, const char *op) {
  Value x = d.input(DType::String, d.extents(d.below(4)), words);
  return d.emit(Node(op, {x, d.broadcastable(x, words)}), {});
}
bool normalizer(Drawing &d, const char *op) {
  const Expr count = d.extent();
  Value x = d.input(DType::String, d.chance(3) ? Extents{1, count} : Extents{count}, words);
  Node node(op, {x});
  if (d.below(3))
    node.set("case_change_action", d.one<const char *>({"LOWER", "UPPER", "NONE"}));
  if (d.chance(2))
    node.set("is_case_sensitive", d.between(0, 1));
  if (d.chance(2))
    node.set("stopwords", d.one<std::vector<std::string>>({{"the"}, {"Monday", "a"}, {"q", "", "A", "x y"}}));
  return d.emit(std::move(node), {});
}
/// Numbers of all types as texts, and texts as numbers of all types.
bool toText(Drawing &d, const char *op) {
  static const std::vector<Data::Kind> kinds = {Data::Kind::Integers, Data::Kind::Quarters, Data::Kind::Real,
                                                Data::Kind::Special};
  Value x = d.input(d.type(ALL), d.extents(d.below(4)), {d.one(kinds), -300, 300, {}});
  return d.emit(Node(op, {x}).set("to", static_cast<int64_t>(onnxType(DType::String))), {});
}
bool fromText(Drawing &d, const char *op) {
  const DType to = d.type(NUMBERS);
  Data data{Data::Kind::Integers, isUnsigned(to) ? 0.0 : -100.0, 100, {}};
  if (isFloat(to))
    data.kind = d.one<Data::Kind>({Data::Kind::Integers, Data::Kind::Real, Data::Kind::Special});
  Value x = d.input(DType::String, d.extents(d.below(4)), data);
  return d.emit(Node(op, {x}).set("to", static_cast<int64_t>(onnxType(to))), {data.kind == Data::Kind::Integers, 100});
}

const Drawer drawers[] = {
    {"StringConcat", concat},
    {"StringNormalizer", normalizer},
    {"Cast", toText},
    {"Cast", fromText},
};

} // namespace

std::span<const Drawer> texts() { return drawers; }

} // namespace pliant::differential
