// SPDX-License-Identifier: Apache-2.0
// Fuzz target: bytes are an ONNX file, which is opened, imported with the extents as given and with all of them
// symbolic, and taken through every pass and the planner: all that needs no code generation. The file may be refused;
// an error that is ours, a broken invariant or a lost fact is a finding.
#include "onnx/import.h"
#include "ir/dialect.h"
#include "ir/facts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include <cstdio>
#include <cstdlib>

using namespace pliant;

namespace {

Status verified(mlir::ModuleOp module, const std::string &stage) {
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &d) {
    problem += d.str() + "; ";
    return mlir::success();
  });
  return mlir::succeeded(mlir::verify(module)) ? ok() : Status(internalError(stage, problem));
}

/// The stages of driver/compile.cpp up to the plan.
Status stages(const onnx_file::ModelFile &file, bool symbolic) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<ir::PliantDialect, mlir::func::FuncDialect>();
  onnx_import::ImportOptions options;
  options.symbolicInputs = symbolic;
  PLIANT_TRY(onnx_import::ImportedModel model, onnx_import::importModel(file, context, options));
  PLIANT_CHECK(verified(*model.module, "import"));
  auto function = model.module->lookupSymbol<mlir::func::FuncOp>("main");
  passes::Unit unit{function, model.weights, nullptr};
  PLIANT_TRY(const std::vector<Facts::Fact> facts, ir::outsideFacts(function));
  for (const passes::PassInfo &pass : passes::pipeline()) {
    PLIANT_CHECK(pass.run(unit));
    PLIANT_CHECK(verified(*model.module, pass.name));
    if (auto lost = ir::lostFact(function, facts))
      return internalError(pass.name, "the fact that " + lost->str() + " no longer follows");
  }
  PLIANT_TRY(Program program, plan::plan(function, std::move(model.weights)));
  findLives(program, true);
  return ok();
}

void expectUsers(const Status &status) {
  if (status || status.error().kind == Error::Kind::User)
    return;
  std::fprintf(stderr, "%s\n", status.error().text().c_str());
  std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto file = onnx_file::ModelFile::fromBytes(std::string(reinterpret_cast<const char *>(data), size));
  if (!file) {
    expectUsers(file.takeError());
    return 0;
  }
  for (bool symbolic : {false, true})
    expectUsers(stages(*file, symbolic));
  return 0;
}
