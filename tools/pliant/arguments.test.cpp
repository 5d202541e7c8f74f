// SPDX-License-Identifier: Apache-2.0
// Command lines: both forms of options, operands, errors that suggest.
#include "arguments.h"
#include <gtest/gtest.h>

using namespace pliant;
using namespace pliant::tool;

namespace {

constexpr Option options[] = {{"--shapes", "LIST", ""}, {"--input", "NAME=FILE", ""}, {"--json", nullptr, ""}};

Result<Arguments> parse(std::vector<std::string> words) { return Arguments::parse("run", options, words); }
std::string errorOf(std::vector<std::string> words) {
  auto arguments = parse(std::move(words));
  return arguments ? "none" : arguments.error().text();
}

TEST(Arguments, Forms) {
  auto a = parse({"m.onnx", "--shapes", "1,2", "--input=a=b=c", "--input", "-", "--json", "--", "--odd"});
  ASSERT_TRUE(a);
  EXPECT_EQ(a->operands(), (std::vector<std::string>{"m.onnx", "--odd"}));
  EXPECT_EQ(a->get("--shapes"), "1,2");
  EXPECT_TRUE(a->has("--json"));
  EXPECT_EQ(a->all("--input"), (std::vector<std::string>{"a=b=c", "-"}));
  EXPECT_FALSE(a->pairs("--input", "NAME=FILE")); // "-" has no name
  EXPECT_EQ(parse({"--input=a=b=c"})->pairs("--input", "NAME=FILE")->front().second, "b=c");
}

TEST(Arguments, Errors) {
  EXPECT_EQ(errorOf({"--shape", "1"}), "[command line] run has no option --shape\n  hint: did you mean --shapes?");
  EXPECT_NE(errorOf({"--qqqqqqqq"}).find("`pliant help run`"), std::string::npos);
  EXPECT_NE(errorOf({"--shapes"}).find("needs a value: LIST"), std::string::npos);
  EXPECT_NE(errorOf({"--json=yes"}).find("takes no value"), std::string::npos);
  EXPECT_EQ(errorOf({std::string(100000, '-') + "x"}).substr(0, 30), "[command line] run has no opti");
  EXPECT_NE(parse({"a", "b"})->single("model").error().text().find("'b' follows 'a'"), std::string::npos);
  EXPECT_NE(parse({})->single("model").error().text().find("no model is given"), std::string::npos);
}

TEST(Arguments, Integers) {
  EXPECT_EQ(*parseInteger("-12", "n"), -12);
  for (const char *bad : {"", "1.5", "12x", " 1", "9223372036854775808", "0x10"})
    EXPECT_FALSE(parseInteger(bad, "n")) << bad;
  EXPECT_EQ(*parse({})->integer("--shapes", 7, 0, 9), 7);
  EXPECT_FALSE(parse({"--shapes", "10"})->integer("--shapes", 7, 0, 9));
}

TEST(Arguments, Split) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

} // namespace
