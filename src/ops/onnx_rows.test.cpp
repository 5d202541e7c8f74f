// SPDX-License-Identifier: Apache-2.0
// Importer rows: extents that exporters' chains must give, literal semantics of Reshape and Slice, values.
#include "ops/record.test.h"

namespace pliant::ops {
#define FOLDERS(X)                                                                                                     \
  X(unary)                                                                                                             \
  X(binary)                                                                                                            \
  X(compare)                                                                                                           \
  X(select)                                                                                                            \
  X(cast)                                                                                                              \
  X(reshape)                                                                                                           \
  X(transpose)                                                                                                         \
  X(broadcast_to)                                                                                                      \
  X(slice) X(concat) X(pad) X(gather) X(gather_elements) X(gather_nd) X(iota) X(source) X(reduce) X(cumsum)
#define DECLARE(folder)                                                                                                \
  namespace folder {                                                                                                   \
  std::span<const onnx_import::Row> onnxRows();                                                                        \
  }
FOLDERS(DECLARE)
} // namespace pliant::ops

using namespace pliant;
using namespace pliant::test;
using namespace pliant::onnx_import;

namespace {
using Ints = std::map<std::string, std::vector<int64_t>>;

struct Rows : testing::Test {
  Recorder b;
  int64_t opset = 17;
  NodeImport::State state;

  const Row *rowOf(const std::string &op) const {
    const Row *row = nullptr;
#define LOOK(folder)                                                                                                   \
  for (const Row &each : ops::folder::onnxRows())                                                                      \
    if (op == each.op && each.since <= opset && (!row || each.since > row->since))                                     \
      row = &each;
    FOLDERS(LOOK)
    return row;
  }
  /// Imports one node; its first output, or nothing after an error.
  Value node(const std::string &op, std::vector<Value> in, Ints ints = {}, size_t outputs = 1,
             std::map<std::string, std::string> strings = {}, std::map<std::string, DenseTensor> tensors = {}) {
    const Row *row = rowOf(op);
    state = {op, std::move(in), std::move(ints), {}, std::move(strings), std::move(tensors), outputs, {}};
    if (!row)
      return {};
    NodeImport n(b, opset, reinterpret_cast<const onnx::NodeProto &>(state), state);
    Status status = row->import(n);
    error = status ? "" : status.error().text();
    return status && !state.out.empty() ? state.out.front() : Value{};
  }
  Value ints(const std::vector<int64_t> &values) { return b.ints(values); }
  Value scalar(int64_t value) { return b.scalar(DType::I64, static_cast<double>(value)); }
  std::string reshaped(const std::vector<std::string> &from, const std::vector<int64_t> &to, Ints attrs = {}) {
    Value y = node("Reshape", {b.input(DType::F32, from), ints(to)}, std::move(attrs));
    return error.empty() ? str(b.shape(y)) : error;
  }
  std::string sliced(const std::string &extent, int64_t start, int64_t end, int64_t step = 1) {
    Value y = node("Slice", {b.input(DType::F32, {extent}), ints({start}), ints({end}), ints({0}), ints({step})});
    return error.empty() ? str(b.shape(y)) : error;
  }
  /// The values of x[start:end:step] for x = 0 .. n-1, typed with a symbolic extent.
  std::string slicedValues(int64_t n, int64_t start, int64_t end, int64_t step = 1) {
    Recorder fresh;
    Value x = fresh.input(DType::I64, {"N"});
    state = {
        "Slice", {x, fresh.ints({start}), fresh.ints({end}), fresh.ints({0}), fresh.ints({step})}, {}, {}, {}, {}, 1,
        {}};
    NodeImport import(fresh, 17, reinterpret_cast<const onnx::NodeProto &>(state), state);
    EXPECT_TRUE(ops::slice::onnxRows()[1].import(import));
    std::vector<double> values;
    for (int64_t i = 0; i < n; ++i)
      values.push_back(static_cast<double>(i));
    const std::string text = fresh.run({i64({n}, values)}, state.out[0]);
    return text.substr(text.find(": ") + 2);
  }
  /// The result of a node whose inputs are all graph inputs: the first with free extents, the others lists and scalars
  /// of known length.
  std::string atRunTime(const std::string &op, const std::vector<DenseTensor> &inputs, Ints ints = {}) {
    Recorder fresh;
    std::vector<Value> in;
    for (const DenseTensor &input : inputs) {
      std::vector<std::string> extents;
      for (size_t axis = 0; axis < input.dims().size(); ++axis)
        extents.push_back(in.empty() ? "x" + std::to_string(axis) : std::to_string(input.dims()[axis]));
      in.push_back(fresh.input(input.dtype(), extents));
    }
    state = {op, in, std::move(ints), {}, {}, {}, 1, {}};
    NodeImport import(fresh, opset, reinterpret_cast<const onnx::NodeProto &>(state), state);
    Status status = rowOf(op)->import(import);
    return status ? fresh.run(inputs, state.out[0]) : status.error().text();
  }
  std::string error;
};

TEST_F(Rows, AttentionShapesAreExact) {
  Value x = b.input(DType::F32, {"B", "S", "768"});
  auto extent = [&](int64_t i) {
    return node("Unsqueeze", {node("Gather", {node("Shape", {x}), scalar(i)}), ints({0})});
  };
  Value heads = node("Reshape", {x, node("Concat", {extent(0), extent(1), ints({12}), ints({64})}, {{"axis", {0}}})});
  EXPECT_EQ(b.typeText(heads), "f32(B, S, 12, 64)");
  Value moved = node("Transpose", {heads}, {{"perm", {0, 2, 1, 3}}});
  Value back = node("Transpose", {moved}, {{"perm", {0, 2, 1, 3}}});
  EXPECT_EQ(b.typeText(node("Reshape", {back, ints({0, 0, -1})})), "f32(B, S, 768)");
  Value width = node(
      "Mul", {node("Gather", {node("Shape", {back}), scalar(2)}), node("Gather", {node("Shape", {back}), scalar(3)})});
  Value merged = node("Concat", {extent(0), extent(1), node("Unsqueeze", {width, ints({0})})}, {{"axis", {0}}});
  EXPECT_EQ(b.typeText(node("Reshape", {back, merged})), "f32(B, S, 768)");
  // Size of a head by division in 32 bits and back, as TensorFlow's exporter writes it.
  Value narrow = node("Cast", {node("Shape", {x})}, {{"to", {6}}});
  EXPECT_EQ(b.contentText(narrow), "(B, S, 768)");
  Value part = node("Div", {node("Gather", {narrow, scalar(2)}), b.scalar(DType::I32, 12)});
  EXPECT_EQ(b.contentText(part), "(64)");
  EXPECT_TRUE(b.status());
}

TEST_F(Rows, PositionsAndMasks) {
  Value ids = b.input(DType::I64, {"B", "S"}), table = b.input(DType::I64, {"1", "512"});
  Value length = node("Unsqueeze", {node("Gather", {node("Shape", {ids}), scalar(1)}), ints({0})});
  Value positions = node("Slice", {table, ints({0}), length, ints({1})});
  EXPECT_EQ(b.typeText(positions), "i64(1, min(512, S))");
  Value sum = node("Add", {ids, positions});
  EXPECT_EQ(b.typeText(sum), "i64(B, S)");
  // Expand written with Where(Equal(shape, -1), 1, shape).
  Value shape = node("Shape", {ids});
  Value ones = node("ConstantOfShape", {ints({2})}, {}, 1, {}, {{"value", i64({1}, {1})}});
  Value target = node("Where", {node("Equal", {shape, node("Mul", {ones, scalar(-1)})}), ones, shape});
  EXPECT_EQ(b.contentText(target), "(B, S)");
  EXPECT_EQ(b.typeText(node("Expand", {b.input(DType::F32, {"1", "1", "S"}), target})), "f32(1, B, S)");
  EXPECT_EQ(b.typeText(node("Range", {scalar(0), node("Gather", {shape, scalar(1)}), scalar(1)})), "i64(S)");
  EXPECT_EQ(b.typeText(node("Trilu", {b.input(DType::F32, {"S", "S"})}, {{"upper", {0}}})), "f32(S, S)");
  EXPECT_EQ(b.contentText(node("Shape", {b.input(DType::F32, {"B", "S", "4"})}, {{"start", {-2}}})), "(S, 4)");
  EXPECT_EQ(b.contentText(node("Size", {ids})), "(B*S)");
}

TEST_F(Rows, AxesComputedAtRunTime) {
  const DenseTensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  auto list = [](const std::vector<double> &v) { return i64({static_cast<int64_t>(v.size())}, v); };
  EXPECT_EQ(atRunTime("ReduceSum", {x, list({1})}), "f32(2, 1): 6 15");
  EXPECT_EQ(atRunTime("ReduceSum", {x, list({-2})}), "f32(1, 3): 5 7 9");
  EXPECT_EQ(atRunTime("ReduceSum", {x, list({-1})}, {{"keepdims", {0}}}), "f32(2,): 6 15");
  EXPECT_EQ(atRunTime("ReduceSum", {x, list({0})}, {{"keepdims", {0}}}), "f32(3,): 5 7 9");
  EXPECT_EQ(atRunTime("ReduceSum", {x, list({1, 0})}, {{"keepdims", {0}}}), "f32(): 21");
  EXPECT_EQ(atRunTime("ReduceSum", {x, list({})}), "f32(1, 1): 21");
  EXPECT_EQ(atRunTime("ReduceSum", {x, list({})}, {{"noop_with_empty_axes", {1}}}), "f32(2, 3): 1 2 3 4 5 6");
  EXPECT_EQ(atRunTime("ReduceSum", {f32({0, 3}, {}), list({0})}), "f32(1, 3): 0 0 0");
  EXPECT_NE(atRunTime("ReduceSum", {x, list({2})}).find("index 2"), std::string::npos);

  EXPECT_EQ(atRunTime("CumSum", {x, list({-1})}), "f32(2, 3): 1 3 6 4 9 15");
  EXPECT_EQ(atRunTime("CumSum", {x, i64({}, {0})}, {{"reverse", {1}}}), "f32(2, 3): 5 7 9 4 5 6");

  const DenseTensor one = f32({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(atRunTime("Squeeze", {one, list({1})}), "f32(2, 3): 1 2 3 4 5 6");
  EXPECT_NE(atRunTime("Squeeze", {one, list({2})}).find("outside [1, 1]"), std::string::npos);
  EXPECT_EQ(atRunTime("Unsqueeze", {x, list({-1, 0})}), "f32(1, 2, 3, 1): 1 2 3 4 5 6");
  EXPECT_EQ(atRunTime("Unsqueeze", {f32({}, {7}), list({1, 0})}), "f32(1, 1): 7");
}

TEST_F(Rows, SliceByRunTimeAxesAndSteps) {
  const DenseTensor x = f32({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  auto list = [](const std::vector<double> &v) { return i64({static_cast<int64_t>(v.size())}, v); };
  auto sliced = [&](const std::vector<double> &starts, const std::vector<double> &ends, const std::vector<double> &axes,
                    const std::vector<double> &steps) {
    return atRunTime("Slice", {x, list(starts), list(ends), list(axes), list(steps)});
  };
  EXPECT_EQ(sliced({1}, {3}, {1}, {1}), "f32(2, 2): 1 2 5 6");
  EXPECT_EQ(sliced({-1, 1}, {-9, 2}, {1, 0}, {-2, 1}), "f32(1, 2): 7 5");
  EXPECT_EQ(sliced({9e18}, {-9e18}, {-1}, {-1}), "f32(2, 4): 3 2 1 0 7 6 5 4");
  EXPECT_EQ(sliced({3}, {1}, {1}, {1}), "f32(2, 0): ");
  EXPECT_EQ(sliced({0}, {9e18}, {0}, {9e18}), "f32(1, 4): 0 1 2 3");
  EXPECT_EQ(sliced({-9e18}, {-9e18}, {1}, {-1}), "f32(2, 1): 0 4"); // S5
  EXPECT_NE(sliced({0}, {1}, {0}, {0}).find("division"), std::string::npos) << sliced({0}, {1}, {0}, {0});
  EXPECT_NE(sliced({0}, {1}, {2}, {1}).find("index 2"), std::string::npos);
}

TEST_F(Rows, ReshapeLiterals) {
  EXPECT_EQ(reshaped({"B", "S", "768"}, {0, 0, 12, -1}), "(B, S, 12, 64)");
  EXPECT_EQ(reshaped({"B", "S", "768"}, {-1, 768}), "(B*S, 768)");
  EXPECT_EQ(reshaped({"B", "C", "H", "W"}, {0, 0, -1}), "(B, C, H*W)");
  EXPECT_EQ(reshaped({"1", "32", "5", "5"}, {-1, 2, 4, 4, 5, 5}, {{"allowzero", {1}}}), "(1, 2, 4, 4, 5, 5)");
  EXPECT_EQ(reshaped({"4", "2", "0"}, {0, 0, 4}, {{"allowzero", {1}}}), "(0, 0, 4)");
  EXPECT_EQ(reshaped({"2", "0"}, {1, 2, 0}, {{"allowzero", {1}}}), "(1, 2, 0)");
  EXPECT_EQ(reshaped({"0", "3"}, {-1, 3}), "(0, 3)");
  EXPECT_NE(reshaped({"2", "0"}, {1, 2, 0}).find("the 0 at position 2"), std::string::npos);
  EXPECT_EQ(reshaped({"0", "3"}, {0, -1}), "(0, 3)"); // what is copied takes no part in the division
  EXPECT_NE(reshaped({"4"}, {-1, -1}).find("more than one -1"), std::string::npos);
  EXPECT_NE(reshaped({"4"}, {0, -1}, {{"allowzero", {1}}}).find("both 0 and -1"), std::string::npos);
  EXPECT_NE(reshaped({"7"}, {2, -1}).find("2 does not divide 7"), std::string::npos);
  EXPECT_NE(reshaped({"0"}, {3}).find("(0) has 0 elements but (3) has 3 (reshape.C1)"), std::string::npos);
}

TEST_F(Rows, SliceListsAreLists) {
  Value x = b.input(DType::F32, {"2", "3"}), list = b.input(DType::I64, {"1"});
  for (const std::vector<std::string> &wrong : {std::vector<std::string>{}, {"1", "1"}}) {
    Value other = b.input(DType::I64, wrong);
    node("Slice", {x, list, list, list, other});
    EXPECT_NE(error.find("input 4 has shape"), std::string::npos) << error;
    node("Slice", {x, list, list, other, list});
    EXPECT_NE(error.find("input 3 has shape"), std::string::npos) << error;
  }
}

/// A few bytes of a file can declare a list of any length.
TEST_F(Rows, ListsThatDecideRanksAreBounded) {
  const std::string endless = "16000000029";
  Value x = b.input(DType::F32, {"2", "3"}), list = b.input(DType::I64, {endless});
  node("Reshape", {x, list});
  EXPECT_NE(error.find("its length, the rank, must be known"), std::string::npos) << error;
  node("Slice", {x, list, list});
  EXPECT_NE(error.find("must be lists of one known length"), std::string::npos) << error;
  for (const char *op : {"Squeeze", "Unsqueeze"}) {
    node(op, {x, list});
    EXPECT_NE(error.find("known only at run time"), std::string::npos) << op << error;
  }
}

TEST_F(Rows, ReshapeReadAtRunTime) {
  Value x = b.input(DType::F32, {"N", "M"}), target = b.input(DType::I64, {"3"});
  Value y = node("Reshape", {x, target});
  ASSERT_EQ(error, "");
  const DenseTensor six = f32({2, 3}, {1, 2, 3, 4, 5, 6}), none = f32({0, 3}, {});
  auto shape = [&](const DenseTensor &value, const std::vector<double> &to) {
    const std::string text = b.run({value, i64({3}, to)}, y);
    return text.substr(0, text.find(':'));
  };
  EXPECT_EQ(shape(six, {3, 2, 1}), "f32(3, 2, 1)");
  EXPECT_EQ(shape(six, {0, -1, 1}), "f32(2, 3, 1)");
  EXPECT_EQ(shape(six, {-1, 0, 1}), "f32(2, 3, 1)");
  EXPECT_EQ(shape(none, {-1, 3, 2}), "f32(0, 3, 2)");
  EXPECT_EQ(shape(none, {0, -1, 3}), "f32(0, 1, 3)");
  for (const std::vector<double> &bad : {std::vector<double>{4, 0, 0}, {0, -1, 2}, {-1, -1, 6}, {-2, 3, 1}})
    EXPECT_NE(b.run({none, i64({3}, bad)}, y).find("[bind]"), std::string::npos); // the first copies what is not there
}

TEST_F(Rows, SliceExtents) {
  constexpr int64_t far = INT64_MAX;
  EXPECT_EQ(sliced("S", 0, far), "(S)");
  EXPECT_EQ(sliced("S", 0, INT32_MAX), "(S)");
  EXPECT_EQ(sliced("S", 1, far), "(max(0, S-1))");
  EXPECT_EQ(sliced("S", 0, -1), "(max(0, S-1))");
  EXPECT_EQ(sliced("S+1", 1, far), "(S)");
  EXPECT_EQ(sliced("S+1", -1, far), "(1)");
  EXPECT_EQ(sliced("S", -1, INT64_MIN, -1), "(S)");
  EXPECT_EQ(sliced("2*S", 0, far, 2), "(S)");
  EXPECT_EQ(sliced("10", 9, 0, -3), "(3)");
  EXPECT_EQ(sliced("10", 0, 5, -1), "(0)");
  EXPECT_EQ(sliced("4", 9, far), "(0)");
  EXPECT_NE(sliced("4", 0, 4, 0).find("step"), std::string::npos);
}

/// Every combination against the standard's rule written plainly.
TEST_F(Rows, SliceValues) {
  for (int64_t n : {0, 1, 2, 5})
    for (int64_t start :
         {INT64_MIN, int64_t(-7), int64_t(-2), int64_t(-1), int64_t(0), int64_t(1), int64_t(4), INT64_MAX})
      for (int64_t end : {INT64_MIN, int64_t(-3), int64_t(-1), int64_t(0), int64_t(2), int64_t(5), INT64_MAX})
        for (int64_t step : {1, 2, -1, -3}) {
          auto clamp = [&](int64_t at, int64_t low) {
            return std::min(std::max(at < 0 ? at + n : at, low), step > 0 ? n : n - 1);
          };
          const int64_t from = clamp(start, 0), to = clamp(end, step > 0 ? 0 : -1);
          std::string expected;
          for (int64_t i = from; step > 0 ? i < to : i > to; i += step)
            expected += (expected.empty() ? "" : " ") + std::to_string(i);
          EXPECT_EQ(slicedValues(n, start, end, step), expected) << n << " " << start << ":" << end << ":" << step;
        }
}

TEST_F(Rows, SliceBoundsReadAtRunTime) {
  Value x = b.input(DType::I64, {"N"}), start = b.input(DType::I64, {"1"}), end = b.input(DType::I64, {"1"});
  Value y = node("Slice", {x, start, end});
  ASSERT_EQ(error, "");
  auto slice = [&](int64_t from, int64_t to) {
    DenseTensor bounds[] = {i64({1}, {0}), i64({1}, {0})};
    *bounds[0].as<int64_t>() = from;
    *bounds[1].as<int64_t>() = to;
    return b.run({i64({4}, {0, 1, 2, 3}), bounds[0], bounds[1]}, y);
  };
  EXPECT_EQ(slice(1, 3), "i64(2,): 1 2");
  EXPECT_EQ(slice(-2, INT64_MAX), "i64(2,): 2 3");
  EXPECT_EQ(slice(INT64_MIN, -1), "i64(3,): 0 1 2");
  EXPECT_EQ(slice(3, 1), "i64(0,): ");
  y = node("Slice", {x, start, end, ints({0}), ints({-2})});
  EXPECT_EQ(slice(-1, INT64_MIN), "i64(2,): 3 1");
  EXPECT_EQ(slice(2, 0), "i64(1,): 2");
  EXPECT_EQ(slice(0, 2), "i64(0,): ");
  EXPECT_EQ(slice(INT64_MIN, INT64_MIN), "i64(1,): 0"); // S5: the front, where NumPy gives nothing
  EXPECT_EQ(slice(-9, -9), "i64(1,): 0");
}

TEST_F(Rows, Split) {
  auto split = [&](const std::string &extent, Ints attrs, size_t outputs, std::vector<Value> more = {}) {
    std::vector<Value> in{b.input(DType::F32, {extent, "2"})};
    in.insert(in.end(), more.begin(), more.end());
    node("Split", in, std::move(attrs), outputs);
    std::string text = error;
    for (Value v : state.out)
      text += b.shape(v)[0].str() + " ";
    return text;
  };
  EXPECT_EQ(split("6*S", {}, 3), "2*S 2*S 2*S ");
  EXPECT_EQ(split("6", {}, 2, {ints({1, 5})}), "1 5 ");
  EXPECT_NE(split("7", {}, 2).find("equal pieces"), std::string::npos);
  EXPECT_NE(split("7", {}, 2, {ints({1, 5})}).find("do not make up"), std::string::npos);
  opset = 18;
  EXPECT_EQ(split("5", {{"num_outputs", {4}}}, 4), "2 2 1 0 ");
  opset = 11;
  EXPECT_EQ(split("6", {{"split", {2, 4}}}, 2), "2 4 ");
}

TEST_F(Rows, Elementwise) {
  Value x = b.input(DType::F32, {"N"});
  Value clipped = node("Clip", {x, b.scalar(DType::F32, 0), b.scalar(DType::F32, 6)});
  Value power = node("Pow", {x, b.scalar(DType::I64, 2)}), mean = node("Mean", {x, x, x});
  const DenseTensor value = f32({4}, {NaN, -1, 7, 3});
  EXPECT_EQ(b.run({value}, clipped), "f32(4,): nan 0 6 3");
  EXPECT_EQ(b.run({value}, power), "f32(4,): nan 1 49 9");
  EXPECT_EQ(b.run({value}, mean), "f32(4,): nan -1 7 3");
  const Value half = node("Cast", {x}, {{"to", {10}}});
  EXPECT_EQ(b.typeText(half), "f16(N)");
  // 2.447265625 + 2 is no number of f16, but the mean is.
  const Value rest[] = {b.scalar(DType::F16, 2), b.scalar(DType::F16, -2), b.scalar(DType::F16, -1)};
  const Value narrow = node("Cast", {node("Mean", {half, rest[0], rest[1], rest[2]})}, {{"to", {1}}});
  EXPECT_EQ(b.run({f32({1}, {2.447f})}, narrow), "f32(1,): 0.361816");
  node("Mod", {x, x});
  EXPECT_NE(error.find("fmod=1"), std::string::npos);
  opset = 6; // old broadcasting lines the second shape up at an axis
  Value y = node("Add", {b.input(DType::F32, {"B", "3", "4"}), b.input(DType::F32, {"3"})},
                 {{"broadcast", {1}}, {"axis", {1}}});
  EXPECT_EQ(b.typeText(y), "f32(B, 3, 4)");
}

TEST_F(Rows, Moves) {
  Value x = b.input(DType::F32, {"N", "M"});
  const DenseTensor value = f32({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(b.run({value}, node("Tile", {x, ints({1, 2})})), "f32(2, 4): 1 2 1 2 3 4 3 4");
  EXPECT_EQ(b.run({value}, node("Pad", {x, ints({0, -1, 0, 1})})), "f32(2, 2): 2 0 4 0");
  EXPECT_EQ(b.run({value}, node("Trilu", {x, scalar(1)})), "f32(2, 2): 0 2 0 0");
  EXPECT_EQ(b.run({value}, node("EyeLike", {x}, {{"k", {-1}}})), "f32(2, 2): 0 0 1 0");
  EXPECT_EQ(b.run({value}, node("Transpose", {x})), "f32(2, 2): 1 3 2 4");
  EXPECT_EQ(b.typeText(node("Flatten", {b.input(DType::F32, {"B", "S", "4"})}, {{"axis", {-1}}})), "f32(B*S, 4)");
  EXPECT_EQ(b.typeText(node("Squeeze", {b.input(DType::F32, {"1", "S", "1"})})), "f32(S)");
  EXPECT_EQ(b.typeText(node("Squeeze", {b.input(DType::F32, {"1", "S", "1"}), ints({-1})})), "f32(1, S)");
  node("Squeeze", {b.input(DType::F32, {"3"}), ints({0})});
  EXPECT_NE(error.find("axis 0 of shape (3) is not 1"), std::string::npos);
  node("Expand", {x, ints({-1, 3})});
  EXPECT_NE(error.find("write 1"), std::string::npos);
}

TEST_F(Rows, PadsReadAtRunTime) {
  Value x = b.input(DType::F32, {"N"}), pads = b.input(DType::I64, {"2"}), y = node("Pad", {x, pads});
  ASSERT_EQ(error, "");
  EXPECT_EQ(b.run({f32({3}, {1, 2, 3}), i64({2}, {-1, 2})}, y), "f32(4,): 2 3 0 0");
  EXPECT_EQ(b.run({f32({0}, {}), i64({2}, {1, 0})}, y), "f32(1,): 0");
}

TEST_F(Rows, Counting) {
  Value indices = b.input(DType::I64, {"N"});
  Value hot = node("OneHot", {indices, scalar(3), b.constant(f32({2}, {0, 5}))});
  EXPECT_EQ(b.typeText(hot), "f32(N, 3)");
  EXPECT_EQ(b.run({i64({3}, {-1, 0, 7})}, hot), "f32(3, 3): 0 0 5 5 0 0 0 0 0");
  auto range = [&](int64_t start, int64_t limit, int64_t delta) {
    Recorder r;
    state = {"Range", {}, {}, {}, {}, {}, 1, {}};
    for (int64_t value : {start, limit, delta})
      state.in.push_back(r.scalar(DType::I64, static_cast<double>(value)));
    NodeImport n(r, 17, reinterpret_cast<const onnx::NodeProto &>(state), state);
    EXPECT_TRUE(ops::iota::onnxRows()[0].import(n));
    return r.run({}, state.out[0]);
  };
  EXPECT_EQ(range(3, 9, 3), "i64(2,): 3 6");
  EXPECT_EQ(range(10, 4, -2), "i64(3,): 10 8 6");
  EXPECT_EQ(range(1, 0, 1), "i64(0,): ");
  Value bounds[] = {b.input(DType::I64, {}), b.input(DType::I64, {}), b.input(DType::I64, {})};
  Value counted = node("Range", {bounds[0], bounds[1], bounds[2]});
  auto late = [&](double from, double to, double by) {
    return b.run({i64({3}, {0, 0, 0}), i64({}, {from}), i64({}, {to}), i64({}, {by})}, counted);
  };
  EXPECT_EQ(late(-5, 5, 4), "i64(3,): -5 -1 3");
  EXPECT_EQ(late(5, -4, -3), "i64(3,): 5 2 -1");
  EXPECT_EQ(late(5, 6, -3), "i64(0,): ");
  EXPECT_NE(late(5, 6, 0).find("by zero"), std::string::npos);
  EXPECT_EQ(error, "");
}

TEST_F(Rows, FloatRange) {
  Value start = b.input(DType::F32, {}), limit = b.input(DType::F32, {}), delta = b.input(DType::F32, {});
  Value floats = node("Range", {start, limit, delta});
  EXPECT_EQ(b.run({f32({}, {1}), f32({}, {2}), f32({}, {0.25})}, floats), "f32(4,): 1 1.25 1.5 1.75");
}

TEST_F(Rows, Blocks) {
  Value x = b.input(DType::F32, {"B", "4", "H", "W"});
  EXPECT_EQ(b.typeText(node("DepthToSpace", {x}, {{"blocksize", {2}}})), "f32(B, 1, 2*H, 2*W)");
  Value deep = node("DepthToSpace", {x}, {{"blocksize", {2}}}, 1, {{"mode", "CRD"}});
  EXPECT_EQ(b.run({f32({1, 4, 1, 1}, {1, 2, 3, 4})}, deep), "f32(1, 1, 2, 2): 1 2 3 4");
  Value even = b.input(DType::F32, {"B", "1", "2*H", "2*W"});
  EXPECT_EQ(b.typeText(node("SpaceToDepth", {even}, {{"blocksize", {2}}})), "f32(B, 4, H, W)");
}
} // namespace
