// SPDX-License-Identifier: Apache-2.0
// One op as a program of one group.
#include "codegen/kernel_ops_testing.h"
#include "codegen/flow.h"
#include "codegen/link.h"

namespace pliant::test {

DenseTensor randomTensor(DType dtype, const Dims &dims, std::mt19937 &random, bool special) {
  DenseTensor t = *DenseTensor::zeros(dtype, dims);
  dispatch(dtype, [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < t.size(); ++i) {
      double v = static_cast<int>(random() % 41) - (isUnsigned(dtype) || dtype == DType::Bool ? 0 : 20);
      if (isFloat(dtype)) {
        v /= 8;
        const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
        if (special && random() % 6 == 0)
          v = odd[random() % 5];
      }
      t.as<T>()[i] = static_cast<T>(v);
    }
  });
  return t;
}

namespace {

void compare(const DenseTensor &actual, const DenseTensor &expected, double tolerance) {
  ASSERT_EQ(actual.dims(), expected.dims());
  dispatch(expected.dtype(), [&]<class T>(Type<T>) {
    using Wide = std::conditional_t<isFloatStorage<T>, double, ComputeOf<T>>;
    auto at = [](const DenseTensor &t, int64_t i) {
      return static_cast<Wide>(static_cast<ComputeOf<T>>(t.as<T>()[i]));
    };
    double largest = 0;
    if constexpr (isFloatStorage<T>)
      for (int64_t i = 0; i < expected.size(); ++i)
        if (std::isfinite(at(expected, i)))
          largest = std::max(largest, std::fabs(at(expected, i)));
    for (int64_t i = 0; i < expected.size(); ++i) {
      const Wide a = at(actual, i), b = at(expected, i);
      bool same = a == b;
      if constexpr (isFloatStorage<T>)
        same = same || (std::isnan(a) && std::isnan(b)) ||
               (std::isfinite(b) && std::fabs(a - b) <= tolerance * (std::fabs(b) + 0.1 * largest));
      ASSERT_TRUE(same) << "element " << i << ": " << +a << " but the reference has " << +b;
    }
  });
}

} // namespace

OneOp::OneOp(OpId op, Attrs attrs, std::vector<TensorType> operands, const std::string &target,
             std::map<size_t, DenseTensor> weights, size_t lastCache)
    : op(op), attrs(std::move(attrs)), operands(std::move(operands)), weights(std::move(weights)) {
  Status status = compile(target, lastCache);
  EXPECT_TRUE(status) << (status ? "" : status.error().text());
}

void OneOp::check(const std::vector<DenseTensor> &inputs, double tolerance) {
  if (!exe)
    return;
  std::string place = info(op).name;
  for (const DenseTensor &input : inputs)
    place += " " + std::string(name(input.dtype())) + str(input.dims());
  SCOPED_TRACE(place);
  auto expected = evaluate(op, concrete(inputs), inputs);
  auto actual = exe->run(variable(inputs));
  ASSERT_EQ(bool(actual), bool(expected)) << (actual ? expected.error().text() : actual.error().text());
  if (!actual)
    return;
  for (size_t i = 0; i < expected->size(); ++i)
    compare((*actual)[i], (*expected)[i], tolerance);
}

std::vector<DenseTensor> OneOp::run(const std::vector<DenseTensor> &inputs) {
  auto results = exe->run(variable(inputs));
  EXPECT_TRUE(results) << (results ? "" : results.error().text());
  return results ? std::move(*results) : std::vector<DenseTensor>();
}

std::string OneOp::error(const std::vector<DenseTensor> &inputs) {
  auto actual = exe->run(variable(inputs));
  return actual ? "" : actual.error().text();
}

std::vector<DenseTensor> OneOp::variable(const std::vector<DenseTensor> &inputs) const {
  std::vector<DenseTensor> list;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!weights.contains(i))
      list.push_back(inputs[i]);
  return list;
}

Status OneOp::compile(const std::string &target, size_t lastCache) {
  Facts facts;
  PLIANT_TRY(std::vector<TensorType> results, inferTypes(op, attrs, operands, facts));
  Program program;
  Group group;
  std::vector<DenseTensor> tensors;
  Step step{Step::Kind::Launch};
  GroupNode node{op, attrs, {}, results[0], "test"};
  for (size_t i = 0; i < operands.size(); ++i) {
    const int at = static_cast<int>(i);
    const auto weight = weights.find(i);
    if (weight == weights.end()) {
      program.buffers.push_back({operands[i], Buffer::Storage::Input, static_cast<int>(program.inputs.size())});
      program.inputs.push_back({"x" + std::to_string(i), operands[i]});
      program.inputBuffers.push_back(at);
    } else {
      const DenseTensor &value = weight->second;
      program.buffers.push_back({operands[i], Buffer::Storage::Weight, static_cast<int>(program.weights.size())});
      program.weights.push_back(
          {"x" + std::to_string(i), value.dtype(), value.dims(), static_cast<int>(tensors.size()), {}, {}, {}, {}});
      tensors.push_back(value);
    }
    group.inputs.push_back(operands[i]);
    group.weights.push_back(weight != weights.end());
    node.operands.push_back(at);
    step.inputs.push_back(at);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const int at = static_cast<int>(operands.size() + i);
    program.outputs.push_back({"y" + std::to_string(i), results[i]});
    program.outputBuffers.push_back(at);
    program.buffers.push_back({results[i], Buffer::Storage::Output, static_cast<int>(i)});
    group.outputs.push_back({static_cast<int>(operands.size()), {}, 0, static_cast<int>(i)});
    step.outputs.push_back(at);
  }
  group.nodes.push_back(std::move(node));
  CanonicalGroup canonical = canonicalize(group);
  program.groups.push_back(canonical.group);
  step.group = 0;
  step.symbols = canonical.symbols;
  PLIANT_TRY(TargetDescription description, TargetDescription::forced(target));
  description.l3 = lastCache ? lastCache : description.l3;
  codegen::KernelCompiler compiler(description);
  PLIANT_TRY(codegen::Kernel kernel, compiler.compile(canonical.group, "k0", &emitted));
  if (!kernel.scratchBytes.isConstant(0)) {
    Expr bytes = kernel.scratchBytes.substitute([&](const std::string &symbol) -> std::optional<Expr> {
      return Expr::symbol(step.symbols[std::stoul(symbol.substr(1))]);
    });
    step.scratch = static_cast<int>(program.buffers.size());
    program.buffers.push_back({{DType::U8, {bytes}}, Buffer::Storage::Arena, -1});
  }
  for (const codegen::PackedInput &p : kernel.packed)
    program.packed.push_back({step.inputs[p.input], p.spec});
  program.steps.push_back(std::move(step));
  findLives(program);
  codegen::ObjectWriter writer(description, codegen::ObjectWriter::Code::HostFlow);
  std::vector<codegen::Kernel> kernels{std::move(kernel)};
  PLIANT_TRY(std::string flow, codegen::writeFlow(program, kernels, writer));
  PLIANT_TRY(std::string image, codegen::linkImage({&flow, &kernels[0].object}, {"pliant_run"}));
  PLIANT_TRY(exe, Executable::load(std::make_shared<Program>(std::move(program)), image, "", std::move(tensors)));
  return ok();
}

Attrs OneOp::concrete(const std::vector<DenseTensor> &inputs) const {
  auto valueOf = [&](const std::string &symbol) -> std::optional<Expr> {
    for (size_t i = 0; i < inputs.size(); ++i)
      for (size_t axis = 0; axis < operands[i].shape.size(); ++axis)
        if (operands[i].shape[axis].symbolName() == symbol)
          return Expr(inputs[i].dims()[axis]);
    return std::nullopt;
  };
  auto replace = [&](Extents &list) {
    for (Expr &e : list)
      e = e.substitute(valueOf);
  };
  Attrs copy = attrs;
  std::visit(
      [&](auto &a) {
        if constexpr (requires { a.sizes; })
          replace(a.sizes);
        if constexpr (requires { a.pads; })
          replace(a.pads);
        if constexpr (requires { a.k; })
          replace(a.k);
      },
      copy);
  return copy;
}

} // namespace pliant::test
