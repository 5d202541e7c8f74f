// SPDX-License-Identifier: Apache-2.0
// --verify notices a kernel that computes something else than the program says, and names the node.
#include "verify.h"
#include "api/compiler.h"
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

using namespace pliant;
using namespace pliant::tool;

namespace {

/// y = exp(tanh(x)), z = softmax(x) for x: f32(n, 8); two groups.
std::string model() {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  onnx::GraphProto &graph = *proto.mutable_graph();
  graph.set_name("g");
  auto declare = [](onnx::ValueInfoProto *value, const char *name) {
    value->set_name(name);
    auto *type = value->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    type->mutable_shape()->add_dim()->set_dim_param("n");
    type->mutable_shape()->add_dim()->set_dim_value(8);
  };
  declare(graph.add_input(), "x");
  declare(graph.add_output(), "y");
  declare(graph.add_output(), "z");
  auto node = [&](const char *op, const char *in, const char *out, const char *name) {
    auto *made = graph.add_node();
    made->set_op_type(op);
    made->set_name(name);
    made->add_input(in);
    made->add_output(out);
  };
  node("Tanh", "x", "t", "first");
  node("Exp", "t", "y", "second");
  node("Softmax", "x", "z", "third");
  return proto.SerializeAsString();
}

driver::Compiled compiled() {
  auto api = compiler();
  EXPECT_TRUE(api) << api.error().text();
  driver::Options options;
  options.observed = true;
  options.cache = false;
  auto result = (*api)->bytes(model(), options);
  EXPECT_TRUE(result) << result.error().text();
  return std::move(*result);
}

Result<std::vector<DenseTensor>> runWith(const driver::Compiled &compiled, const Program &checked, int64_t rows,
                                         int *launches = nullptr) {
  auto exe = Executable::load(compiled.program, compiled.image, "", compiled.weights);
  EXPECT_TRUE(exe);
  auto verify = verifier(checked);
  (*exe)->observe([&](const Step &step, std::span<const DenseTensor> in, std::span<const DenseTensor> out,
                      const Executable::ValueOf &valueOf) {
    if (launches)
      ++*launches;
    return verify(step, in, out, valueOf);
  });
  auto x = DenseTensor::allocate(DType::F32, {rows, 8});
  for (int64_t i = 0; i < x->size(); ++i)
    x->as<float>()[i] = static_cast<float>(i % 13) / 8 - 0.7f;
  return (*exe)->run(std::vector<DenseTensor>{*x});
}

TEST(Verify, RightKernelsPass) {
  driver::Compiled whole = compiled();
  for (int64_t rows : {0, 1, 2, 17}) {
    int launches = 0;
    auto outputs = runWith(whole, *whole.program, rows, &launches);
    EXPECT_TRUE(outputs) << outputs.error().text();
    EXPECT_GE(launches, 1); // it did look
  }
}

TEST(Verify, WrongKernelsAreNamed) {
  driver::Compiled whole = compiled();
  struct Case {
    OpId from, to;
    Attrs attrs;
    std::string at, named; ///< the node that is changed; the node whose value is stored, which is named first
  };
  const Case cases[] = {{OpId::Exp, OpId::Abs, AbsAttrs{}, "second", "second"},
                        {OpId::Tanh, OpId::Neg, NegAttrs{}, "first", "second, fused with first"},
                        {OpId::Exp, OpId::Tanh, TanhAttrs{}, "third", "third"}};
  for (const Case &c : cases) {
    Program other = *whole.program; // what the kernels ought to compute now
    bool changed = false;
    for (Group &group : other.groups)
      for (GroupNode &node : group.nodes)
        if (node.op == c.from && node.place == c.at) {
          node.op = c.to;
          node.attrs = c.attrs;
          changed = true;
        }
    ASSERT_TRUE(changed) << c.at;
    auto outputs = runWith(whole, other, 5);
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().kind, Error::Kind::Internal);
    EXPECT_EQ(outputs.error().op, "verify");
    EXPECT_TRUE(outputs.error().where.starts_with(c.named)) << outputs.error().text();
    EXPECT_NE(outputs.error().message.find("disagrees"), std::string::npos);
  }
}

} // namespace
