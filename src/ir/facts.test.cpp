// SPDX-License-Identifier: Apache-2.0
// Facts of functions: they travel with the text, and a function that loses one is noticed.
#include "ir/facts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace pliant;

namespace {

constexpr const char *program = R"mlir(
  func.func @main(%x: tensor<?xf32, #pliant.shape<"n">>, %y: tensor<?xf32, #pliant.shape<"m">>)
      -> tensor<?xf32, #pliant.shape<"n">> attributes {pliant.facts = [["n <= m", "user"], ["4 divides n", "rows"]]} {
    %0 = pliant.abs %x : (tensor<?xf32, #pliant.shape<"n">>) -> tensor<?xf32, #pliant.shape<"n">>
    return %0 : tensor<?xf32, #pliant.shape<"n">>
  })mlir";

struct IrFacts : testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string problem;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  void SetUp() override { context.loadDialect<ir::PliantDialect, mlir::func::FuncDialect>(); }

  mlir::Operation *parse(const std::string &text) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      problem += d.str();
      return mlir::success();
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    return module ? module->lookupSymbol("main") : nullptr;
  }
};

TEST_F(IrFacts, AreReadFromTheAttribute) {
  mlir::Operation *function = parse(program);
  ASSERT_TRUE(function) << problem;
  auto facts = ir::outsideFacts(function);
  ASSERT_TRUE(facts) << facts.error().text();
  ASSERT_EQ(facts->size(), 2u);
  EXPECT_EQ((*facts)[0].str(), "n <= m (user)");
  EXPECT_EQ((*facts)[1].str(), "4 divides n (rows)");
  EXPECT_TRUE(ir::factsOf(function).divides(4, Expr::symbol("n")));
  EXPECT_EQ(ir::liveSymbols(function), (std::set<std::string>{"m", "n"}));
}

TEST_F(IrFacts, ALostOneIsNoticedWhileItsSymbolsLive) {
  mlir::Operation *function = parse(program);
  ASSERT_TRUE(function) << problem;
  const auto facts = *ir::outsideFacts(function);
  EXPECT_FALSE(ir::lostFact(function, facts));
  ir::writeFacts(function, std::span(facts).first(1));
  ASSERT_TRUE(ir::lostFact(function, facts));
  EXPECT_EQ(ir::lostFact(function, facts)->str(), "4 divides n (rows)");
  // Weaker is lost as well, stronger is not.
  auto with = [&](const char *text) { return *parseFact(text); };
  const Facts::Fact weaker[] = {facts[0], with("2 divides n")}, stronger[] = {with("n == m"), with("8 divides m")};
  ir::writeFacts(function, weaker);
  EXPECT_TRUE(ir::lostFact(function, facts));
  ir::writeFacts(function, stronger);
  EXPECT_FALSE(ir::lostFact(function, facts));
  // Nothing is asked of a symbol that the function no longer has.
  ir::writeFacts(function, {});
  const Facts::Fact dead[] = {with("k <= n")};
  EXPECT_FALSE(ir::lostFact(function, dead));
}

TEST_F(IrFacts, MalformedOnesAreRefused) {
  for (auto [facts, says] : {std::pair("[\"n <= m\"]", "pair"), std::pair("[[\"n <= m\"]]", "pair"),
                             std::pair("[[\"n ~ m\", \"user\"]]", "is no fact"), std::pair("3", "list"),
                             std::pair("[[\"n <= 3\", \"user\"], [\"n >= 4\", \"user\"]]", "contradicts")}) {
    problem.clear();
    std::string text = program;
    const size_t at = text.find("[["), end = text.find("]]") + 2;
    EXPECT_FALSE(parse(text.replace(at, end - at, facts))) << facts;
    EXPECT_NE(problem.find(says), std::string::npos) << problem;
  }
}

} // namespace
