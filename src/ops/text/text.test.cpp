// SPDX-License-Identifier: Apache-2.0
// Numbers as text and back, letters, errors.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string format(const DenseTensor &x) { return run(OpId::FormatText, FormatTextAttrs{}, {x}); }
static std::string parse(const std::vector<std::string> &texts, DType to) {
  return run(OpId::ParseText, ParseTextAttrs{to}, {strings({static_cast<int64_t>(texts.size())}, texts)});
}

TEST(Text, NumbersAsText) {
  EXPECT_EQ(format(f32({6}, {0.1, -2.5, 1e-7, 314.15926, 0, -0.0})), "string(6,): 0.1 -2.5 0.0000001 314.15927 0 -0");
  EXPECT_EQ(format(f32({4}, {inf, -inf, NaN, 16777216})), "string(4,): INF -INF NaN 16777216");
  EXPECT_EQ(format(tensor(DType::F64, {2}, {0.1, 1e21})), "string(2,): 0.1 1000000000000000000000");
  EXPECT_EQ(format(tensor(DType::F16, {4}, {0.1, 65504, 5.9604645e-8, -1.5})), "string(4,): 0.1 65500 0.00000006 -1.5");
  EXPECT_EQ(format(tensor(DType::BF16, {2}, {0.1, 3})), "string(2,): 0.1 3");
  EXPECT_EQ(format(tensor(DType::I8, {2}, {-128, 7})), "string(2,): -128 7");
  EXPECT_EQ(format(tensor(DType::Bool, {2}, {1, 0})), "string(2,): 1 0");
  EXPECT_EQ(format(f32({0}, {})), "string(0,): ");
}

TEST(Text, EveryHalfReadsBack) {
  DenseTensor all = *DenseTensor::zeros(DType::F16, {0x10000});
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    all.as<Half>()[bits].bits = static_cast<uint16_t>(bits);
  auto texts = evaluate(OpId::FormatText, FormatTextAttrs{}, std::array{all});
  ASSERT_TRUE(texts);
  auto back = evaluate(OpId::ParseText, ParseTextAttrs{DType::F16}, *texts);
  ASSERT_TRUE(back);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    if (const float value = all.as<Half>()[bits]; !std::isnan(value))
      ASSERT_EQ(back->front().as<Half>()[bits].bits, bits) << (*texts)[0].text(bits);
}

TEST(Text, TextAsNumbers) {
  EXPECT_EQ(parse({"0.5", "+1e-3", ".5", "5.", "1E8", "-0"}, DType::F32), "f32(6,): 0.5 0.001 0.5 5 1e+08 -0");
  EXPECT_EQ(parse({"INF", "+inf", "-Inf", "NaN", "infinity", "1e999"}, DType::F32),
            "f32(6,): inf inf -inf nan inf inf");
  EXPECT_EQ(parse({"100.5", "300", "-3", "nan"}, DType::U8), "u8(4,): 100 255 0 0");
  EXPECT_EQ(parse({"9223372036854775807", "-9223372036854775808", "9223372036854775808"}, DType::I64),
            "i64(3,): 9223372036854775807 -9223372036854775808 9223372036854775807");
  EXPECT_EQ(parse({"18446744073709551615"}, DType::U64), "u64(1,): 18446744073709551615");
  EXPECT_EQ(parse({"0", "2", "nan"}, DType::Bool), "bool(3,): 0 1 1");
  EXPECT_EQ(parse({}, DType::F32), "f32(0,): ");
  for (const char *bad : {"", " 1", "1 ", "0x10", "1e", "e5", ".", "--1", "1,5", "nan(1)", "Hello"}) {
    const std::string error = parse({"1", bad}, DType::F64);
    EXPECT_NE(error.find("\"" + std::string(bad) + "\" at element 1 is no number (text.C3)"), std::string::npos)
        << error;
  }
}

TEST(Text, LettersEqualConcat) {
  const DenseTensor x = strings({3}, {"aZ 9", "\xc3\xa9\xce\xa3\xd0\x96", "\xff"});
  EXPECT_EQ(run(OpId::TextCase, TextCaseAttrs{true}, {x}), "string(3,): AZ 9 \xc3\x89\xce\xa3\xd0\x96 \xff");
  EXPECT_EQ(run(OpId::TextCase, TextCaseAttrs{false}, {x}), "string(3,): az 9 \xc3\xa9\xcf\x83\xd0\xb6 \xff");
  const DenseTensor column = strings({2, 1}, {"a", ""}), row = strings({2}, {"", "a"});
  EXPECT_EQ(run(OpId::TextEqual, TextEqualAttrs{}, {column, row}), "bool(2, 2): 0 1 1 0");
  EXPECT_EQ(run(OpId::TextConcat, TextConcatAttrs{}, {column, row}), "string(2, 2): a aa  a");
}

TEST(Text, TypesAndErrors) {
  const TensorType texts = type(DType::String, {"N"}), numbers = type(DType::F32, {"N"});
  EXPECT_EQ(infer(OpId::FormatText, FormatTextAttrs{}, {numbers}), "string(N)");
  EXPECT_EQ(infer(OpId::ParseText, ParseTextAttrs{DType::I8}, {texts}), "i8(N)");
  EXPECT_EQ(infer(OpId::TextEqual, TextEqualAttrs{}, {texts, type(DType::String, {})}), "bool(N)");
  for (const std::string &error : {infer(OpId::FormatText, FormatTextAttrs{}, {texts}),
                                   infer(OpId::ParseText, ParseTextAttrs{DType::I8}, {numbers}),
                                   infer(OpId::TextConcat, TextConcatAttrs{}, {texts, numbers}),
                                   infer(OpId::TextCase, TextCaseAttrs{}, {numbers})})
    EXPECT_NE(error.find("text.C1"), std::string::npos) << error;
  EXPECT_NE(infer(OpId::TextEqual, TextEqualAttrs{}, {type(DType::String, {"2"}), type(DType::String, {"3"})})
                .find("text.C2"),
            std::string::npos);
}

template <size_t... I> static Attrs attrsOf(OpId op, std::index_sequence<I...>) {
  Attrs attrs;
  ((I == static_cast<size_t>(op) && (attrs.emplace<I>(), true)), ...);
  return attrs;
}

TEST(Text, WhatMovesElementsTakesStrings) {
  const DenseTensor x = strings({3}, {"a", "b", "c"});
  EXPECT_EQ(run(OpId::Gather, GatherAttrs{0}, {x, i64({2}, {2, 0})}), "string(2,): c a");
  EXPECT_EQ(run(OpId::Select, SelectAttrs{}, {tensor(DType::Bool, {3}, {1, 0, 1}), x, strings({}, {"-"})}),
            "string(3,): a - c");
  // All others refuse them, whatever they do with numbers.
  for (const OpInfo &op : allOps()) {
    if (op.texts || op.pattern == Pattern::Composite)
      continue;
    Facts facts;
    std::vector<TensorType> operands(static_cast<size_t>(op.operands < 0 ? 2 : op.operands),
                                     type(DType::String, {"N"}));
    if (operands.empty())
      continue;
    const Attrs attrs = attrsOf(op.id, std::make_index_sequence<opCount>());
    auto types = inferTypes(op.id, attrs, operands, facts);
    ASSERT_FALSE(types) << op.name;
    EXPECT_NE(types.error().text().find("not computed with"), std::string::npos) << types.error().text();
  }
}
