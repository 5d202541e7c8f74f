// SPDX-License-Identifier: Apache-2.0
// ONNX nodes that become several ops: values worked out by hand, with every input a graph input.
#include "onnx/rows.h"
#include "ops/record.test.h"

using namespace pliant;
using namespace pliant::test;
using namespace pliant::onnx_import;

namespace {

struct Attributes {
  std::map<std::string, std::vector<int64_t>> ints = {};
  std::map<std::string, double> floats = {};
  std::map<std::string, std::string> strings = {};
};

/// Output `which` of a node; the extents of its first input are symbols, or those of all inputs as given.
std::string node(const std::string &op, const std::vector<DenseTensor> &inputs, const Attributes &a = {},
                 size_t which = 0, bool open = true, int64_t opset = 17) {
  const Row *row = nullptr;
  for (std::span<const Row> rows : allRows())
    for (const Row &each : rows)
      if (op == each.op && each.since <= opset && (!row || each.since > row->since))
        row = &each;
  if (!row)
    return "no row for " + op;
  Recorder b;
  NodeImport::State state{op, {}, a.ints, a.floats, a.strings, {}, which + 1, {}};
  for (const DenseTensor &input : inputs) {
    std::vector<std::string> extents;
    for (size_t axis = 0; axis < input.dims().size(); ++axis)
      extents.push_back(open && state.in.empty() ? "x" + std::to_string(axis) : std::to_string(input.dims()[axis]));
    state.in.push_back(b.input(input.dtype(), extents));
  }
  NodeImport import(b, opset, reinterpret_cast<const onnx::NodeProto &>(state), state);
  Status status = row->import(import);
  return status ? b.run(inputs, state.out.at(which)) : status.error().text();
}

/// The numbers of a result to four places, without signs of zeros.
std::string rounded(const std::string &result) {
  std::string all;
  for (const char *at = result.c_str() + result.find(": ") + 2; *at;) {
    char *end, text[32];
    std::snprintf(text, sizeof text, "%g ", std::round(std::strtod(at, &end) * 1e4) / 1e4 + 0.0);
    all += text;
    if (end == at)
      return result;
    at = end;
  }
  return all;
}

DenseTensor u8(const std::vector<int64_t> &dims, const std::vector<double> &v) { return tensor(DType::U8, dims, v); }
DenseTensor i8(const std::vector<int64_t> &dims, const std::vector<double> &v) { return tensor(DType::I8, dims, v); }

} // namespace

TEST(Nodes, IntegerProducts) {
  const DenseTensor a = u8({2, 2}, {11, 7, 3, 10}), b = i8({2, 1}, {1, -2});
  EXPECT_EQ(node("MatMulInteger", {a, b}), "i32(2, 1): -3 -17");
  EXPECT_EQ(node("MatMulInteger", {a, b, u8({}, {10}), i8({}, {-1})}), "i32(2, 1): 5 -14");
  EXPECT_EQ(node("MatMulInteger", {a, b, u8({2}, {10, 0}), i8({1}, {-1})}), "i32(2, 1): 5 -4"); // one per row
  EXPECT_EQ(node("ConvInteger", {u8({1, 1, 3}, {5, 6, 7}), u8({1, 1, 2}, {1, 1}), u8({}, {5})}, {{{"pads", {1, 0}}}}),
            "i32(1, 1, 3): 0 1 3"); // padding is the zero point
}

TEST(Nodes, QuantisedProducts) {
  const DenseTensor one = f32({}, {1}), half = f32({}, {0.5}), zero = u8({}, {0});
  EXPECT_EQ(
      node("QLinearMatMul", {u8({1, 2}, {3, 4}), half, zero, u8({2, 2}, {1, 0, 1, 1}), one, zero, one, u8({}, {10})}),
      "u8(1, 2): 14 12"); // 3.5 and 2 are 4 and 2
  EXPECT_EQ(node("QLinearConv", {u8({1, 1, 2}, {3, 4}), half, zero, u8({2, 1, 1}, {1, 200}), f32({2}, {1, 2}),
                                 u8({2}, {0, 0}), one, zero, tensor(DType::I32, {2}, {2, 0})}),
            "u8(1, 2, 2): 2 3 255 255"); // 2.5 and 3; saturated
  EXPECT_EQ(node("DynamicQuantizeLinear", {f32({4}, {0, 2, -3, -1})}), "u8(4,): 153 255 0 102");
  EXPECT_EQ(node("DynamicQuantizeLinear", {f32({4}, {0, 2, -3, -1})}, {}, 2), "u8(): 153");
  EXPECT_EQ(node("DequantizeLinear", {u8({2, 2}, {1, 2, 3, 4}), f32({2}, {1, 10})}, {{{"axis", {1}}}}, 0, false),
            "f32(2, 2): 1 20 3 40");
}

TEST(Nodes, ExtentsFromData) {
  const DenseTensor x = f32({2, 3}, {0, 5, 0, 7, 0, 9});
  EXPECT_EQ(node("NonZero", {x}), "i64(2, 3): 0 1 1 1 0 2");
  EXPECT_EQ(node("NonZero", {f32({2}, {0, 0})}), "i64(1, 0): ");
  const DenseTensor pick = tensor(DType::Bool, {2}, {0, 1});
  EXPECT_EQ(node("Compress", {x, pick}, {{{"axis", {1}}}}), "f32(2, 1): 5 0");
  EXPECT_EQ(node("Compress", {x, pick}), "f32(1,): 5");
  EXPECT_EQ(node("Unique", {f32({5}, {2, 1, 2, 3, 1})}), "f32(3,): 1 2 3");
  EXPECT_EQ(node("Unique", {f32({5}, {2, 1, 2, 3, 1})}, {{{"sorted", {0}}}}), "f32(3,): 2 1 3");
  EXPECT_EQ(node("Unique", {f32({5}, {2, 1, 2, 3, 1})}, {}, 3), "i64(3,): 2 2 1");
  const DenseTensor boxes = f32({1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 0.9}), scores = f32({1, 1, 2}, {1, 2});
  EXPECT_EQ(node("NonMaxSuppression", {boxes, scores, i64({1}, {9}), f32({1}, {0.5})}, {}, 0, false),
            "i64(1, 3): 0 0 1");
  EXPECT_EQ(node("NonMaxSuppression", {boxes, scores}, {}, 0, false), "i64(0, 3): "); // no box is asked for
}

TEST(Nodes, MovedElements) {
  const DenseTensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6}); // time, batch
  EXPECT_EQ(node("ReverseSequence", {x, i64({3}, {2, 1, 0})}, {}, 0, false), "f32(2, 3): 4 2 3 1 5 6");
  EXPECT_EQ(node("CenterCropPad", {x, i64({2}, {4, 1})}, {}, 0, true, 18), "f32(4, 1): 0 2 5 0");
  EXPECT_EQ(node("CenterCropPad", {x, i64({1}, {4})}, {{{"axes", {1}}}}, 0, true, 18), "f32(2, 4): 1 2 3 0 4 5 6 0");
  EXPECT_EQ(
      node("MaxUnpool", {f32({1, 1, 2}, {8, 9}), i64({1, 1, 2}, {1, 2})}, {{{"kernel_shape", {2}}, {"strides", {2}}}}),
      "f32(1, 1, 4): 0 8 9 0");
  EXPECT_EQ(node("MaxUnpool", {f32({1, 1, 2}, {8, 9}), i64({1, 1, 2}, {1, 2}), i64({3}, {1, 1, 5})},
                 {{{"kernel_shape", {2}}, {"strides", {2}}}}),
            "f32(1, 1, 5): 0 8 9 0 0");
  EXPECT_EQ(node("BitwiseNot", {u8({2}, {0, 5})}, {}, 0, true, 18), "u8(2,): 255 250");
}

TEST(Nodes, ResizeByRunTimeScales) {
  const DenseTensor x = f32({1, 4}, {1, 2, 3, 4}), none = f32({0}, {});
  const Attributes linear{{}, {}, {{"mode", "linear"}}};
  EXPECT_EQ(node("Resize", {x, none, f32({2}, {1, 0.5})}, linear), "f32(1, 2): 1.5 3.5");
  EXPECT_EQ(node("Resize", {f32({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), none, f32({1}, {0.7})},
                 {{}, {}, {{"nearest_mode", "floor"}}}),
            "f32(7,): 0 1 3 4 5 7 8"); // 10 times 0.7 is 7
  EXPECT_EQ(node("Upsample", {x, f32({2}, {1, 2})}, {}, 0, true, 9), "f32(1, 8): 1 1 2 2 3 3 4 4");
}

TEST(Nodes, Signals) {
  EXPECT_EQ(node("HannWindow", {i64({}, {4})}), "f32(4,): 0 0.5 1 0.5");
  EXPECT_EQ(node("HannWindow", {i64({}, {3})}, {{{"periodic", {0}}}}), "f32(3,): 0 1 0");
  EXPECT_EQ(node("BlackmanWindow", {i64({}, {2})}, {{{"output_datatype", {11}}}}).substr(0, 8), "f64(2,):");
  EXPECT_EQ(rounded(node("DFT", {f32({1, 4, 1}, {1, 1, 1, 1})})), "4 0 0 0 0 0 0 0 ");
  // The second root of unity alone, there and back.
  const DenseTensor wave = f32({1, 4, 2}, {1, 0, 0, 1, -1, 0, 0, -1});
  EXPECT_EQ(rounded(node("DFT", {wave}, {{{"axis", {1}}}}, 0, false)), "0 0 4 0 0 0 0 0 ");
  EXPECT_EQ(rounded(node("DFT", {wave})), "0 0 4 0 0 0 0 0 ");
  EXPECT_EQ(rounded(node("DFT", {f32({1, 4, 2}, {0, 0, 4, 0, 0, 0, 0, 0})}, {{{"inverse", {1}}}})),
            "1 0 0 1 -1 0 0 -1 ");
  EXPECT_EQ(rounded(node("STFT", {f32({1, 4, 1}, {1, 1, 2, 2}), i64({}, {2}), f32({2}, {1, 1})}, {}, 0, false)),
            "2 0 0 0 4 0 0 0 ");
}

TEST(Nodes, NGrams) {
  Attributes a{
      {{"pool_int64s", {2, 3, 5, 4}}, {"ngram_counts", {0, 2}}, {"ngram_indexes", {0, 1, 3}}}, {}, {{"mode", "TF"}}};
  a.ints["min_gram_length"] = {1};
  a.ints["max_gram_length"] = {2};
  const DenseTensor x = i64({6}, {2, 5, 4, 2, 5, 9});
  EXPECT_EQ(node("TfIdfVectorizer", {x}, a), "f32(4,): 2 0 0 1"); // 2, 3, nothing, (5, 4)
  a.ints["max_skip_count"] = {1};
  EXPECT_EQ(node("TfIdfVectorizer", {i64({1, 4}, {5, 9, 4, 4})}, a), "f32(1, 4): 0 0 0 1");
  EXPECT_EQ(node("TfIdfVectorizer", {i64({1}, {5})}, a), "f32(4,): 0 0 0 0"); // shorter than a gram
}

TEST(Nodes, Normalisations) {
  const DenseTensor x = f32({1, 4, 1}, {1, 3, 10, 30}), one = f32({2}, {1, 2}), zero = f32({2}, {0, 5});
  const Attributes groups{{{"num_groups", {2}}}, {{"epsilon", 0}}, {}};
  EXPECT_EQ(node("GroupNormalization", {x, one, zero}, groups, 0, false, 18), "f32(1, 4, 1): -1 1 3 7");
  EXPECT_EQ(node("GroupNormalization", {x, f32({4}, {1, 2, 3, 4}), f32({4}, {0, 0, 0, 1})}, groups, 0, false, 21),
            "f32(1, 4, 1): -1 2 -3 5");
  Attributes training{{{"training_mode", {1}}}, {{"epsilon", 0}, {"momentum", 0.5}}, {}};
  const std::vector<DenseTensor> inputs{f32({2, 1}, {1, 3}), f32({1}, {1}), f32({1}, {0}), f32({1}, {4}),
                                        f32({1}, {3})};
  EXPECT_EQ(node("BatchNormalization", inputs, training, 0, false), "f32(2, 1): -1 1");
  EXPECT_EQ(node("BatchNormalization", inputs, training, 1, false), "f32(1,): 3");
  EXPECT_EQ(node("BatchNormalization", inputs, training, 2, false), "f32(1,): 2");
}
