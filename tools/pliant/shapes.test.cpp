// SPDX-License-Identifier: Apache-2.0
// --shapes: positions, names, ranges, combinations and what is refused.
#include "shapes.h"
#include <gtest/gtest.h>

using namespace pliant;
using namespace pliant::tool;

namespace {

const std::vector<std::string> symbols{"batch", "width"};

std::string parsed(const std::string &text, const SymbolValues &known = {}) {
  auto shapes = parseShapes(text, symbols, known);
  if (!shapes)
    return shapes.error().text();
  std::string out;
  for (const SymbolValues &values : *shapes)
    out += (out.empty() ? "" : "; ") + str(values, symbols);
  return out;
}
bool refused(const std::string &text, const std::string &words) {
  return parsed(text).find(words) != std::string::npos;
}

TEST(Shapes, Lists) {
  EXPECT_EQ(parsed("1,40"), "batch=1, width=40");
  EXPECT_EQ(parsed("1,40..90/25"), "batch=1, width=40; batch=1, width=65; batch=1, width=90");
  EXPECT_EQ(parsed("1..2,0..1"), "batch=1, width=0; batch=1, width=1; batch=2, width=0; batch=2, width=1");
  EXPECT_EQ(parsed("1,17;2,200"), "batch=1, width=17; batch=2, width=200");
  EXPECT_EQ(parsed("width=3,batch=2"), "batch=2, width=3");
  EXPECT_EQ(parsed("width=3", {{"batch", 9}}), "batch=9, width=3");
  EXPECT_EQ(parsed("1,5..5"), "batch=1, width=5");
  EXPECT_EQ(parseShapes("", {})->size(), 1u);
}

TEST(Shapes, Refused) {
  EXPECT_TRUE(refused("1", "no value to 'width'"));
  EXPECT_TRUE(refused("1,2,3", "3 values to 2 symbols"));
  EXPECT_TRUE(refused("1,-2", "negative"));
  EXPECT_TRUE(refused("1,x", "not a whole number"));
  EXPECT_TRUE(refused("1,9..8", "ends before"));
  EXPECT_TRUE(refused("1,1..9/0", "A..B/STEP"));
  EXPECT_TRUE(refused("1,4/2", "A..B/STEP"));
  EXPECT_TRUE(refused("batch=1,2", "all values by name"));
  EXPECT_TRUE(refused("batch=1,batch=1", "twice"));
  EXPECT_TRUE(refused("batch=1,widht=2", "did you mean 'width'"));
  EXPECT_TRUE(refused("0..9999999999,1", "too many"));
  EXPECT_TRUE(refused("0..999,0..999", "combinations"));
}

TEST(Shapes, SymbolsInOrder) {
  TensorType x{DType::F32, {Expr::symbol("N"), 3, Expr::symbol("W")}},
      y{DType::F32, {Expr::symbol("A"), Expr::symbol("N")}};
  EXPECT_EQ(modelSymbols({{"x", x}, {"y", y}}), (std::vector<std::string>{"N", "W", "A"}));
}

} // namespace
