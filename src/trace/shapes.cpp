// SPDX-License-Identifier: Apache-2.0
#include "trace/shapes.h"
#include "shape/facts.h"
#include <cstdlib>

namespace pliant::trace {
namespace {

/// The ops, beside matrix products, whose result has the broadcast shape of its operands, whatever their attributes.
bool broadcasts(OpId op) { return info(op).pattern == Pattern::Pointwise; }

std::vector<TensorType> typesOf(std::span<Node *const> operands) {
  std::vector<TensorType> types;
  for (const Node *node : operands)
    types.push_back({node->dtype, Extents(node->dims().begin(), node->dims().end())});
  return types;
}

/// Whether a slice has elements and is right: starts, steps and sizes as `encode` writes them. Its positions travel by
/// value, so that there may be no end of them, and remembering each would be slower than the arithmetic.
bool slices(const Words &attrs, const Integers &integers, std::span<const int64_t> dims) {
  const size_t rank = dims.size();
  if (integers.size() != 2 * rank || attrs.size() != rank + 3 || attrs[0] != rank || attrs.back() != rank)
    return false; // also where a start is negative
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = dims[i], start = integers[i], size = integers[rank + i];
    const int64_t step = static_cast<int64_t>(attrs[2 + i]), room = step < 0 ? start : extent - 1 - start;
    if (size < 1 || start >= extent || step == 0 || step == INT64_MIN || (size - 1) > room / std::abs(step))
      return false;
  }
  return true;
}

} // namespace

Result<std::span<const Shapes::Type>> Shapes::of(OpId op, const Words &attrs, const Integers &integers,
                                                 std::span<Node *const> operands) {
  if (op == OpId::Slice && operands.size() == 1 && slices(attrs, integers, operands[0]->dims())) {
    one = {operands[0]->dtype, operands[0]->rank, integers.data() + operands[0]->rank};
    return std::span<const Type>(&one, 1);
  }
  // The key is all that decides the element type, not a hash of it.
  constexpr uint64_t small = 1 << 16;
  const size_t kept = op == OpId::Matmul ? 2 : 0; // axes at the end that do not broadcast
  if (!(broadcasts(op) || kept) || !integers.empty() || operands.size() > 3 || attrs.size() > 1 ||
      (attrs.size() == 1 && attrs[0] >= small))
    return byRule(op, attrs, integers, operands);
  uint64_t key = static_cast<uint64_t>(op) << 2 | operands.size();
  size_t rank = 0;
  for (const Node *node : operands) {
    key = key << 8 | static_cast<uint64_t>(node->dtype);
    rank = std::max<size_t>(rank, node->rank);
  }
  key = key * small + (attrs.empty() ? 0 : attrs[0]);
  Elementwise &entry = elementwise[detail::mixed(0, key) >> 32 & (elementwise.size() - 1)];
  if (entry.key != key) {
    PLIANT_TRY(auto types, byRule(op, attrs, integers, operands));
    if (types.size() == 1)
      entry = {key, types[0].dtype};
    return types;
  }
  one.dtype = entry.dtype;
  one.rank = static_cast<uint8_t>(rank);
  if (operands.size() == 1) {
    one.dims = operands[0]->dims().data();
    return std::span<const Type>(&one, 1);
  }
  broadcast.assign(rank, 1);
  if (kept) {
    const auto a = operands[0]->dims(), b = operands[1]->dims();
    if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2])
      return byRule(op, attrs, integers, operands);
    broadcast[rank - 2] = a[a.size() - 2], broadcast[rank - 1] = b.back();
  }
  for (const Node *node : operands) {
    int64_t *to = broadcast.data() + (rank - node->rank);
    for (int64_t extent : node->dims().first(node->rank - kept)) {
      if (*to == 1)
        *to = extent;
      else if (extent != *to && extent != 1)
        return byRule(op, attrs, integers, operands); // which words the error
      ++to;
    }
  }
  one.dims = broadcast.data();
  return std::span<const Type>(&one, 1);
}

Result<std::span<const Shapes::Type>> Shapes::byRule(OpId op, const Words &attrs, const Integers &integers,
                                                     std::span<Node *const> operands) {
  key.assign(1, static_cast<uint64_t>(op) << 32 | operands.size());
  for (const Node *node : operands) {
    key.push_back(static_cast<uint64_t>(node->dtype) << 8 | node->rank);
    for (int64_t extent : node->dims())
      key.push_back(static_cast<uint64_t>(extent));
  }
  key.insert(key.end(), attrs.begin(), attrs.end());
  for (int64_t value : integers)
    key.push_back(static_cast<uint64_t>(value));
  if (auto found = known.find(key); found != known.end())
    return std::span<const Type>(found->second.types);
  size_t next = 0;
  const Attrs decoded = decode(op, attrs.data(), [&] { return Expr(integers[next++]); }).first;
  Facts facts;
  PLIANT_TRY(std::vector<TensorType> types, inferTypes(op, decoded, typesOf(operands), facts));
  Known result;
  for (const TensorType &type : types)
    for (const Expr &extent : type.shape) {
      auto value = extent.constant();
      if (!value)
        return internalError(info(op).name, "the extent " + extent.str() + " of constant operands is not constant");
      result.dims.push_back(*value);
    }
  const int64_t *dims = result.dims.data();
  for (const TensorType &type : types) {
    result.types.push_back({type.dtype, static_cast<uint8_t>(type.shape.size()), dims});
    dims += type.shape.size();
  }
  if (known.size() >= most)
    known.clear();
  return std::span<const Type>(known.emplace(key, std::move(result)).first->second.types);
}

} // namespace pliant::trace
