// SPDX-License-Identifier: Apache-2.0
#include "trace/batch.h"
#include "ops/op.h"

namespace pliant::trace {
namespace {

// While attributes are changed, what an integer is stands in its place, since their signs are words.
constexpr int64_t instanceTag = 1, countTag = int64_t(1) << 40, zeroTag = countTag + 1;

class Batcher {
public:
  Batcher(const Structure &structure, const std::vector<bool> &shared)
      : list(structure), varied(structure.code->values.size()), code(std::make_shared<Code>()) {
    for (bool each : shared)
      pads.push_back(each ? Batched::shared : unknown);
  }

  std::optional<Batched> run() {
    code->ops = static_cast<uint32_t>(list.size());
    for (size_t i = 0; i < list.size(); ++i)
      if (!op(i))
        return std::nullopt;
    Batched out;
    for (uint32_t result : list.structure.results)
      out.results.push_back(varied[result]);
    writeLeafTypes();
    out.structure = std::make_shared<const Structure>(std::move(code), list.structure.results);
    for (int pad : pads)
      out.leaves.push_back(pad == unknown ? 0 : pad);
    for (int64_t tag : integers)
      out.numbers.push_back(tag == countTag ? Batched::count : tag == zeroTag ? Batched::zero : tag - instanceTag);
    return out;
  }

private:
  static constexpr int unknown = -2;
  const OpList list;
  std::vector<int> pads;    ///< of the leaves
  std::vector<bool> varied; ///< by value: has the axis
  std::shared_ptr<Code> code;
  Integers integers;
  struct LeafType {
    size_t word;
    uint32_t leaf;
  };
  std::vector<LeafType> leafTypes; ///< words that wait for the number of axes

  bool isVaried(uint32_t operand) const {
    return operand & leafBit ? pads[operand & ~leafBit] != Batched::shared : varied[operand];
  }
  /// The axes of a varied operand behind the first are `rank` from now on.
  bool padTo(uint32_t operand, size_t rank) {
    const size_t own = list.kind(operand).rank;
    if (own > rank)
      return false;
    if (!(operand & leafBit))
      return own == rank;
    int &pad = pads[operand & ~leafBit];
    const auto wanted = static_cast<int>(rank - own);
    if (pad == unknown)
      pad = wanted;
    return pad == wanted;
  }
  bool unpadded(uint32_t operand) { return padTo(operand, list.kind(operand).rank); }

  static int64_t behind(int64_t axis) { return axis < 0 ? axis : axis + 1; }
  static void behind(std::vector<int64_t> &axes) {
    for (int64_t &axis : axes)
      axis = behind(axis);
  }

  bool op(size_t i) {
    const Header header = list.header(i);
    std::vector<uint32_t> operands;
    size_t ofThem = 0;
    for (uint32_t k = 0; k < header.operands; ++k) {
      operands.push_back(list.operand(i, k));
      ofThem += isVaried(operands.back());
    }
    const uint32_t value = list.ops[i].value;
    Attrs attrs;
    uint32_t integer = list.ops[i].integer;
    attrs = decode(header.op, list.attributes(i).data(), [&] { return Expr(int64_t(integer++) + instanceTag); }).first;
    if (ofThem && !takes(i, header, operands, ofThem, attrs))
      return false;
    for (uint32_t k = 0; k < header.results; ++k) {
      varied[value + k] = ofThem > 0;
      Kind kind = list.structure.code->values[value + k];
      kind.rank += ofThem > 0;
      code->values.push_back(kind);
    }
    write(i, header, operands, attrs);
    return true;
  }

  /// Changes the attributes; false when the op cannot have another axis.
  bool takes(size_t i, const Header &header, const std::vector<uint32_t> &operands, size_t ofThem, Attrs &attrs) {
    const OpInfo &op = info(header.op);
    const size_t rank = list.structure.code->values[list.ops[i].value].rank;
    auto each = [&](auto f) {
      for (uint32_t operand : operands)
        if (isVaried(operand) && !f(operand))
          return false;
      return true;
    };
    const bool elementwise = op.pattern == Pattern::Pointwise ||
                             (op.pattern == Pattern::Composite && std::string_view(op.folder) == "activation");
    if (elementwise)
      return each([&](uint32_t operand) { return padTo(operand, rank); });
    if (header.op == OpId::BroadcastTo) {
      std::get<BroadcastToAttrs>(attrs).shape.insert(std::get<BroadcastToAttrs>(attrs).shape.begin(), Expr(countTag));
      return padTo(operands[0], rank);
    }
    if (header.op == OpId::Matmul) {
      const size_t lhs = list.kind(operands[0]).rank, rhs = list.kind(operands[1]).rank;
      return lhs >= 2 && rhs >= 2 && each([&](uint32_t operand) { return unpadded(operand); }) &&
             (ofThem == 2 ? lhs == rhs : (isVaried(operands[0]) ? rhs : lhs) == 2);
    }
    if (!each([&](uint32_t operand) { return unpadded(operand); }))
      return false;
    return std::visit(
        [&]<class A>(A &a) {
          if constexpr (std::is_same_v<A, SliceAttrs>) {
            a.starts.insert(a.starts.begin(), Expr(zeroTag));
            a.steps.insert(a.steps.begin(), 1);
            a.sizes.insert(a.sizes.begin(), Expr(countTag));
            return true;
          } else if constexpr (std::is_same_v<A, ReshapeAttrs>) {
            a.shape.insert(a.shape.begin(), Expr(countTag));
            return true;
          } else if constexpr (std::is_same_v<A, TransposeAttrs>) {
            behind(a.perm);
            a.perm.insert(a.perm.begin(), 0);
            return true;
          } else if constexpr (std::is_same_v<A, ConcatAttrs>) {
            a.axis = behind(a.axis);
            return ofThem == operands.size();
          } else if constexpr (std::is_same_v<A, SoftmaxAttrs> || std::is_same_v<A, LogSoftmaxAttrs>) {
            a.axis = behind(a.axis);
            return true;
          } else if constexpr (std::is_same_v<A, GatherAttrs>) {
            return a.axis == 0 && !isVaried(operands[0]);
          } else if constexpr (std::is_same_v<A, ReduceSumAttrs> || std::is_same_v<A, ReduceMeanAttrs> ||
                               std::is_same_v<A, ReduceMaxAttrs> || std::is_same_v<A, ReduceMinAttrs> ||
                               std::is_same_v<A, ReduceProdAttrs>) {
            behind(a.axes);
            return !a.axes.empty();
          } else {
            return false;
          }
        },
        attrs);
  }

  void write(size_t i, const Header &header, const std::vector<uint32_t> &operands, const Attrs &attrs) {
    Words attributes;
    Integers own;
    std::visit(
        [&]<class A>(const A &a) {
          if constexpr (!std::is_same_v<A, ConstantAttrs>)
            encode(a, attributes, own);
        },
        attrs);
    Words &words = code->words;
    words.push_back(
        Header{header.op, header.operands, static_cast<uint32_t>(attributes.size()), header.results}.word());
    for (size_t k = 0; k < operands.size(); k += 2)
      words.push_back(operands[k] |
                      (k + 1 < operands.size() ? static_cast<uint64_t>(operands[k + 1]) << 32 : uint64_t(0)));
    for (uint32_t operand : operands)
      if (operand == (leafBit | leafTypes.size())) {
        leafTypes.push_back({words.size(), operand & ~leafBit});
        words.push_back(0);
      }
    words.insert(words.end(), attributes.begin(), attributes.end());
    integers.insert(integers.end(), own.begin(), own.end());
  }

  void writeLeafTypes() {
    for (const LeafType &each : leafTypes) {
      const Kind kind = list.leaves[each.leaf];
      const int pad = pads[each.leaf];
      const size_t axes = pad == Batched::shared ? 0 : 1 + static_cast<size_t>(pad == unknown ? 0 : pad);
      code->words[each.word] = leafType(kind.dtype, kind.rank + axes);
    }
  }
};

} // namespace

std::optional<Batched> batch(const Structure &structure, const std::vector<bool> &shared) {
  return Batcher(structure, shared).run();
}

} // namespace pliant::trace
