// SPDX-License-Identifier: Apache-2.0
// The examples of the contracts are true: each parses as a program, its types follow from the shape rule, and the
// reference gives the stated elements.
#include "ir/convert.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "ops/ops.test.h"
#include <cstdlib>
#include <iterator>
#include <sstream>

using namespace pliant;

namespace {

struct Example {
  OpId op;
  std::string text;
};
const Example examples[] = {
#include "ops/examples.inc"
};

std::string trimmed(std::string text) {
  const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> parts(const std::string &text) {
  std::vector<std::string> list;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(';', at), text.size());
    list.push_back(trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  return list;
}

/// "f32(2, 3): 1 2 3 4 5 6"; without a colon a type alone.
struct Stated {
  TensorType type;
  std::optional<DenseTensor> tensor;
};
std::optional<Stated> stated(const std::string &text) {
  const size_t open = text.find('('), close = text.find(')');
  if (open == text.npos || close == text.npos)
    return std::nullopt;
  Stated result{{DType::F32, {}}, std::nullopt};
  bool known = false;
  for (int i = 0; i <= static_cast<int>(lastDType); ++i)
    if (name(static_cast<DType>(i)) == text.substr(0, open)) {
      result.type.dtype = static_cast<DType>(i);
      known = true;
    }
  std::vector<int64_t> dims;
  for (const char *at = text.c_str() + open + 1; *at && *at != ')';) {
    char *end;
    dims.push_back(std::strtoll(at, &end, 10));
    if (end == at)
      return std::nullopt;
    at = end + std::strspn(end, ", ");
  }
  for (int64_t d : dims)
    result.type.shape.push_back(d);
  if (close + 1 < text.size() && text[close + 1] == ':') {
    if (result.type.dtype == DType::String) {
      std::istringstream words(text.substr(close + 2));
      std::vector<std::string> list{std::istream_iterator<std::string>(words), {}};
      auto made = DenseTensor::ofStrings(dims, std::move(list));
      if (!made)
        return std::nullopt;
      result.tensor = std::move(*made);
      return result;
    }
    std::vector<double> values;
    std::vector<uint64_t> exact; // integers that a double may not hold
    for (const char *at = text.c_str() + close + 2; *at;) {
      char *end;
      exact.push_back(std::strtoull(at, &end, 10));
      values.push_back(std::strtod(at, &end));
      if (end == at)
        return std::nullopt;
      at = end + std::strspn(end, " ");
    }
    if (auto count = elementCount(dims); !count || *count != static_cast<int64_t>(values.size()))
      return std::nullopt;
    result.tensor = test::tensor(result.type.dtype, dims, values);
    if (result.type.dtype == DType::U64)
      std::copy(exact.begin(), exact.end(), result.tensor->as<uint64_t>());
  }
  return known ? std::optional(result) : std::nullopt;
}

struct Examples : testing::TestWithParam<Example> {};

TEST_P(Examples, AreTrue) {
  const auto &[op, text] = GetParam();
  ASSERT_FALSE(text.empty()) << info(op).name << " has no example in its contract";
  const size_t arrow = text.rfind("->"), brace = std::min(text.find('{'), arrow);
  ASSERT_NE(arrow, text.npos) << text;
  const std::string attributes = trimmed(text.substr(brace, arrow - brace));
  std::vector<Stated> operands, results;
  for (auto [list, into] : {std::pair(text.substr(0, brace), &operands), std::pair(text.substr(arrow + 2), &results)})
    for (const std::string &part : parts(list)) {
      auto read = stated(part);
      ASSERT_TRUE(read) << "'" << part << "' is no tensor";
      into->push_back(std::move(*read));
    }

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<ir::PliantDialect, mlir::func::FuncDialect>();
  auto spelled = [&](const std::vector<Stated> &list) {
    std::string types;
    llvm::raw_string_ostream out(types);
    for (const Stated &each : list)
      out << (types.empty() ? "" : ", ") << ir::toMlir(&context, each.type);
    return types;
  };
  std::string arguments, names;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string own = "%x" + std::to_string(i);
    arguments += (i ? ", " : "") + own + ": " + spelled({operands[i]});
    names += (i ? ", " : " ") + own;
  }
  const std::string types = "(" + spelled(operands) + ") -> (" + spelled(results) + ")";
  const std::string program = "func.func @main(" + arguments + ") {\n  %r:" + std::to_string(results.size()) +
                              " = pliant." + info(op).name + names + " " + attributes + " : " + types + "\n  return\n}";
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    problem += d.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, mlir::ParserConfig(&context));
  ASSERT_TRUE(module) << program << "\n" << problem;
  mlir::Operation *made = nullptr;
  module->walk([&](mlir::Operation *each) {
    if (ir::opIdOf(each) == op)
      made = each;
  });
  ASSERT_TRUE(made) << program;

  // The verifier accepts what may be; the rule must give exactly the stated types.
  Facts facts;
  std::vector<TensorType> operandTypes;
  std::vector<DenseTensor> inputs;
  for (const Stated &operand : operands) {
    operandTypes.push_back(operand.type);
    ASSERT_TRUE(operand.tensor) << text;
    inputs.push_back(*operand.tensor);
  }
  const Attrs attrs = ir::attrsOf(made, op);
  auto inferred = inferTypes(op, attrs, operandTypes, facts);
  ASSERT_TRUE(inferred) << inferred.error().text();
  ASSERT_EQ(inferred->size(), results.size());
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ((*inferred)[i].str(), results[i].type.str());

  if (info(op).pattern == Pattern::Source || info(op).pattern == Pattern::Host)
    return; // no reference
  auto outputs = evaluate(op, attrs, inputs);
  ASSERT_TRUE(outputs) << outputs.error().text();
  ASSERT_EQ(outputs->size(), results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].tensor) << "the example of " << info(op).name << " states no elements";
    EXPECT_EQ(test::text((*outputs)[i]), test::text(*results[i].tensor)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Contracts, Examples, testing::ValuesIn(examples),
                         [](const auto &tested) { return std::string(pliant::info(tested.param.op).name); });

} // namespace
