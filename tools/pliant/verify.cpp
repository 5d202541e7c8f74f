// SPDX-License-Identifier: Apache-2.0
// The reference of a group: its nodes one after the other.
#include "verify.h"
#include "compare.h"
#include <set>

namespace pliant::tool {
namespace {

using ValueAt = std::function<Result<int64_t>(const Expr &)>;

/// A part of a larger buffer as a dense tensor.
Result<DenseTensor> gathered(const DenseTensor &buffer, const std::vector<int64_t> &dims, const Expr &start,
                             const Extents &steps, const ValueAt &value) {
  PLIANT_TRY(int64_t offset, value(start));
  std::vector<int64_t> strides;
  for (const Expr &stride : steps) {
    PLIANT_TRY(int64_t s, value(stride));
    strides.push_back(s);
  }
  PLIANT_TRY(DenseTensor dense, DenseTensor::allocate(buffer.dtype(), dims));
  const size_t element = byteSize(buffer.dtype());
  for (int64_t i = 0; i < dense.size(); ++i) {
    int64_t at = offset, rest = i;
    for (size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
      at += rest % dims[axis] * strides[axis];
    std::memcpy(dense.as<char>() + i * static_cast<int64_t>(element),
                buffer.as<char>() + at * static_cast<int64_t>(element), element);
  }
  return dense;
}

Result<DenseTensor> stored(const GroupOutput &output, const DenseTensor &like, const DenseTensor &buffer,
                           const ValueAt &value) {
  if (output.strides.empty())
    return DenseTensor::borrow(buffer.dtype(), like.dims(), buffer.data());
  return gathered(buffer, like.dims(), output.offset, output.strides, value);
}

/// The node that makes the wrong value, then the others of its kernel: one of them is at fault.
std::string places(const Group &group, const std::string &maker) {
  std::string others;
  std::set<std::string> seen{maker, ""};
  for (const GroupNode &node : group.nodes)
    if (seen.insert(node.place).second && others.size() < 500)
      others += (others.empty() ? "" : ", ") + node.place;
  return others.empty() ? maker : maker + ", fused with " + others;
}

Status check(const Program &program, const Step &step, std::span<const DenseTensor> inputs,
             std::span<const DenseTensor> outputs, const Executable::ValueOf &valueOf) {
  if (step.kind != Step::Kind::Launch)
    return ok(); // a fallback is the reference
  const Group &group = program.groups[step.group];
  auto value = [&](const Expr &e) {
    return e.evaluate([&](const std::string &symbol) -> std::optional<int64_t> {
      for (size_t i = 0; i < step.symbols.size(); ++i)
        if (symbol == "s" + std::to_string(i))
          return valueOf(step.symbols[i]);
      return std::nullopt;
    });
  };
  std::optional<Error> bad;
  auto constant = [&](const Expr &e) -> Expr {
    auto v = value(e);
    if (!v && !bad)
      bad = v.error();
    return v ? Expr(*v) : Expr(0);
  };
  std::vector<DenseTensor> values(inputs.begin(), inputs.end());
  for (size_t i = 0; i < values.size(); ++i) { // a buffer may be a reshape of what the group reads
    std::vector<int64_t> dims;
    for (const Expr &extent : group.inputs[i].shape) {
      PLIANT_TRY(int64_t v, value(extent));
      dims.push_back(v);
    }
    if (group.isDense(static_cast<int>(i))) {
      values[i] = DenseTensor::borrow(values[i].dtype(), dims, values[i].data());
      continue;
    }
    PLIANT_TRY(values[i], gathered(values[i], dims, 0, group.strides(static_cast<int>(i)), value));
  }
  std::map<int, std::vector<DenseTensor>> several; // of nodes with more than one result
  for (const GroupNode &node : group.nodes) {
    std::vector<DenseTensor> operands;
    for (int operand : node.operands)
      operands.push_back(values[operand]);
    Attrs attrs = mapExprs(node.attrs, constant);
    if (bad)
      return std::move(*bad).at(node.place);
    auto results = evaluate(node.op, attrs, operands);
    if (!results)
      return results.takeError().at(node.place);
    values.push_back(results->front());
    if (results->size() > 1)
      several[static_cast<int>(values.size()) - 1] = std::move(*results);
  }
  for (size_t i = 0; i < outputs.size() && i < group.outputs.size(); ++i) {
    const GroupOutput &output = group.outputs[i];
    const DenseTensor &expected = output.result ? several[output.value][output.result] : values[output.value];
    PLIANT_TRY(DenseTensor ours, stored(group.outputs[i], expected, outputs[i], value));
    if (Agreement agreement = compare(ours, expected); !agreement.holds) {
      const std::string maker = group.isInput(output.value) ? std::string() : group.node(output.value).place;
      return internalError("verify", "the kernel of " + group.name() + " disagrees with the references of its ops: " +
                                         "output " + std::to_string(i) + ": " + agreement.reason)
          .at(places(group, maker.empty() ? step.place : maker));
    }
  }
  return ok();
}

} // namespace

Executable::Observer verifier(const Program &program) {
  return [&program](const Step &step, std::span<const DenseTensor> inputs, std::span<const DenseTensor> outputs,
                    const Executable::ValueOf &valueOf) { return check(program, step, inputs, outputs, valueOf); };
}

} // namespace pliant::tool
