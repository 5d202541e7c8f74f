// SPDX-License-Identifier: Apache-2.0
// The stages: import, passes, plan, kernels, flow, link.
#include "driver/compile.h"
#include "codegen/flow.h"
#include "codegen/link.h"
#include "driver/kernel_cache.h"
#include "driver/text.h"
#include "driver/trace_import.h"
#include "mlir/IR/Verifier.h"
#include "onnx/import.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "runtime/float_control.h"
#include <atomic>
#include <chrono>
#include <mutex>

using namespace mlir;

namespace pliant::driver {
namespace {

std::atomic<int64_t> generations{0};

double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Compilation {
public:
  explicit Compilation(const Options &options) : options(options) {}

  /// `import` fills the model.
  Result<Compiled> run(const std::function<Status(Compilation &)> &import) {
    const double start = now();
    for (const std::string &stage : {options.stopAfter, options.startAfter})
      if (!stage.empty() && llvm::none_of(stages(), [&](const auto &known) { return known.first == stage; }))
        return userError("driver", "no stage is called '" + stage + "'");
    context.loadDialect<ir::PliantDialect, func::FuncDialect>();
    context.disableMultithreading();
    PLIANT_TRY(TargetDescription target, TargetDescription::forced(options.target));
    PLIANT_CHECK(import(*this));
    PLIANT_CHECK(verified("import"));
    auto function = model.module->lookupSymbol<func::FuncOp>("main");
    if (!function)
      return userError("driver", "the module has no function @main");
    result.stats.importMs = now() - start;
    if (options.listValues)
      listValues(function);
    if (done("import"))
      return finish(start);
    double mark = now();
    std::vector<passes::Unfused> unfused;
    passes::Unit unit{function, model.weights, options.listValues ? &unfused : nullptr};
    PLIANT_TRY(const std::vector<Facts::Fact> facts, ir::outsideFacts(function));
    bool before = !options.startAfter.empty() && options.startAfter != "import";
    for (const passes::PassInfo &pass : passes::pipeline()) {
      if (std::exchange(before, before && options.startAfter != pass.name) || (options.reference && pass.optional))
        continue;
      PLIANT_CHECK(pass.run(unit));
      PLIANT_CHECK(verified(pass.name));
      if (auto lost = ir::lostFact(function, facts))
        return internalError(pass.name, "the fact that " + lost->str() + " no longer follows");
      if (done(pass.name))
        return finish(start);
    }
    if (options.listValues)
      listFusion(function, unfused);
    result.stats.passesMs = now() - mark;
    mark = now();
    PLIANT_TRY(Program program, plan::plan(function, std::move(model.weights)));
    result.weights = std::move(model.weightData);
    result.stats.planMs = now() - mark;
    if (done("plan", [&] { return planText(program); }))
      return finish(start);
    mark = now();
    PLIANT_CHECK(generate(program, target));
    result.stats.kernelsMs = now() - mark;
    result.program = std::make_shared<Program>(std::move(program));
    return finish(start);
  }

  Status import(const std::string &path, std::optional<std::string> bytes) {
    if (!bytes && path.ends_with(".mlir")) {
      PLIANT_TRY(model, readText(path, context));
      if (!model.weights.empty() && options.stopAfter.empty())
        return userError("parse", "the text names weights, whose bytes it does not hold", "",
                         "it can be compiled up to a stage: --stop-after kernels");
      return ok();
    }
    auto file = bytes ? onnx_file::ModelFile::fromBytes(std::move(*bytes)) : onnx_file::ModelFile::open(path);
    if (!file)
      return file.takeError();
    PLIANT_TRY(model,
               onnx_import::importModel(*file, context,
                                        {options.rename, options.symbolicInputs, options.staticInputs, options.facts}));
    result.content = file->digest();
    for (const onnx_file::WeightBlob *blob : file->read())
      result.reads.push_back({*blob, digestOf(file->bytes(*blob))});
    result.sources = std::move(model.sources);
    return ok();
  }

  Status import(const trace::Trace &trace) {
    PLIANT_TRY(model, importTrace(trace, context));
    return ok();
  }

private:
  const Options &options;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  onnx_import::ImportedModel model;
  Compiled result;

  Result<Compiled> finish(double start) {
    result.stats.totalMs = now() - start;
    return std::move(result);
  }

  void listValues(func::FuncOp function) {
    if (auto facts = ir::outsideFacts(function))
      for (const Facts::Fact &fact : *facts)
        result.facts.push_back({textOf(fact), fact.source});
    function.walk([&](ir::BindOp bind) {
      for (const Expr &symbol : ir::fromMlir(bind.getSymbols()))
        result.facts.push_back({symbol.str() + " is in [" + std::to_string(static_cast<int64_t>(bind.getLow())) + ", " +
                                    std::to_string(static_cast<int64_t>(bind.getHigh())) + "]",
                                "read at run time, node " + ir::placeOf(bind->getLoc())});
    });
    auto add = [&](std::string name, std::string op, mlir::Value value) {
      if (auto type = ir::fromMlir(value.getType()))
        result.values.push_back({std::move(name), std::move(op), *type});
    };
    auto addOwn = [&](std::string name, const char *op, mlir::Value value, Attribute kind) {
      auto type = dyn_cast<ir::ListType>(value.getType());
      if (!type)
        return add(std::move(name), op, value);
      if (auto list = ir::fromMlir(type, kind))
        result.values.push_back({std::move(name), op, {list->dtype, {}}, *list});
    };
    for (BlockArgument argument : function.getArguments())
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "pliant.name"))
        addOwn(name.str(), "input", argument, function.getArgAttr(argument.getArgNumber(), "pliant.list"));
    function.walk([&](Operation *op) {
      for (mlir::Value value : op->getResults())
        add(ir::placeOf(op->getLoc()), op->getName().stripDialect().str(), value);
    });
    for (OpOperand &output : function.front().getTerminator()->getOpOperands())
      if (auto name = function.getResultAttrOfType<StringAttr>(output.getOperandNumber(), "pliant.name"))
        addOwn(name.str(), "output", output.get(), function.getResultAttr(output.getOperandNumber(), "pliant.list"));
  }

  void listFusion(func::FuncOp function, const std::vector<passes::Unfused> &unfused) {
    auto named = [](Operation *op) { return op->getName().stripDialect().str(); };
    for (const passes::Unfused &edge : unfused)
      result.unfused.push_back({edge.rule, edge.why, named(edge.producer), ir::placeOf(edge.producer->getLoc()),
                                named(edge.consumer), ir::placeOf(edge.consumer->getLoc())});
    function.walk([&](Operation *op) {
      if (auto id = ir::opIdOf(op); id && info(*id).pattern == Pattern::Composite)
        result.whole.emplace_back(named(op), ir::placeOf(op->getLoc()));
    });
  }

  bool done(const std::string &stage, const std::function<std::string()> &text = {}) {
    if (options.printAfter.contains(stage) || options.stopAfter == stage) {
      std::string out;
      if (text) {
        out = text();
      } else {
        llvm::raw_string_ostream stream(out);
        model.module->print(stream, OpPrintingFlags().enableDebugInfo(false));
      }
      result.prints.emplace_back(stage, std::move(out));
    }
    return options.stopAfter == stage;
  }

  Status verified(const char *stage) {
    std::string problem;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      problem += d.str() + "; ";
      return success();
    });
    return succeeded(verify(*model.module)) ? ok() : Status(internalError(stage, problem));
  }

  Status generate(Program &program, const TargetDescription &target) {
    generations.fetch_add(1, std::memory_order_relaxed);
    std::optional<codegen::KernelCompiler> compiler; // making one takes as long as a small kernel
    const bool printed = options.printAfter.contains("kernels");
    KernelCache cache(target, options.cache && !printed);
    std::vector<codegen::Kernel> kernels;
    for (const Group &group : program.groups) {
      auto known = printed ? std::nullopt : cache.find(group);
      if (!known) {
        if (!compiler)
          compiler.emplace(target);
        std::string dump;
        PLIANT_TRY(known, compiler->compile(group, KernelCache::symbolOf(group), printed ? &dump : nullptr));
        if (printed)
          result.prints.emplace_back("kernels", group.text() + dump);
        cache.keep(group, *known);
        ++result.stats.kernels;
      }
      result.groups.push_back({group.name(), known->description, 0, known->versions});
      kernels.push_back(std::move(*known));
    }
    if (result.stats.kernels)
      cache.trim();
    addScratch(program, program.steps, kernels);
    std::set<int> plain; // buffers that something reads as they are
    for (const Step *step : numberedSteps(program)) {
      std::set<int> asPanels;
      if (step->kind == Step::Kind::Launch) {
        ++result.groups[step->group].launches;
        for (const codegen::PackedInput &p : kernels[step->group].packed) {
          PackedWeight packed{step->inputs[p.input], p.spec};
          asPanels.insert(p.input);
          if (std::find(program.packed.begin(), program.packed.end(), packed) == program.packed.end())
            program.packed.push_back(packed);
        }
      }
      for (size_t i = 0; i < step->inputs.size(); ++i)
        if (options.observed || !asPanels.contains(static_cast<int>(i)))
          plain.insert(rootOf(program, step->inputs[i]));
      plain.insert(step->condition);
    }
    for (int output : program.outputBuffers)
      plain.insert(output);
    for (PackedWeight &packed : program.packed)
      packed.only = !plain.contains(rootOf(program, packed.weightBuffer));
    findLives(program, /*share=*/!options.reference);
    codegen::ObjectWriter writer(target, codegen::ObjectWriter::Code::HostFlow);
    PLIANT_TRY(std::string flow, codegen::writeFlow(program, kernels, writer, false, options.observed));
    const double mark = now();
    static std::mutex linking; // lld keeps global state
    std::lock_guard lock(linking);
    std::vector<const std::string *> objects{&flow};
    for (const codegen::Kernel &kernel : kernels)
      objects.push_back(&kernel.object);
    PLIANT_TRY(result.image, codegen::linkImage(objects, {"pliant_run"}));
    if (options.hostOnlyImage) {
      PLIANT_TRY(std::string empty, codegen::writeFlow(program, kernels, writer, true));
      PLIANT_TRY(result.hostOnlyImage, codegen::linkImage({&empty}, {"pliant_run"}));
    }
    result.stats.linkMs = now() - mark;
    return ok();
  }

  static int rootOf(const Program &program, int buffer) {
    while (buffer >= 0 && program.buffers[buffer].storage == Buffer::Storage::Alias)
      buffer = program.buffers[buffer].index;
    return buffer;
  }

  /// Scratch of a kernel is a buffer that lives during its step alone.
  static void addScratch(Program &program, std::vector<Step> &steps, const std::vector<codegen::Kernel> &kernels) {
    for (Step &step : steps) {
      addScratch(program, step.thenSteps, kernels);
      addScratch(program, step.elseSteps, kernels);
      addScratch(program, step.body, kernels);
      if (step.kind != Step::Kind::Launch || kernels[step.group].scratchBytes.isConstant(0))
        continue;
      Expr bytes = kernels[step.group].scratchBytes.substitute([&](const std::string &symbol) -> std::optional<Expr> {
        return Expr::symbol(step.symbols[std::stoul(symbol.substr(1))]);
      });
      step.scratch = static_cast<int>(program.buffers.size());
      program.buffers.push_back({{DType::U8, {bytes}}, Buffer::Storage::Arena, -1});
    }
  }

  static std::string planText(const Program &program) {
    std::string out;
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const Buffer &b = program.buffers[i];
      static const char *storages[] = {"input",   "output", "weight",  "constant", "arena",
                                       "dynamic", "alias",  "element", "list"};
      out += "buffer " + std::to_string(i) + ": " + b.type.str() + " " + storages[static_cast<int>(b.storage)];
      if (b.index >= 0)
        out += " " + std::to_string(b.index);
      out += "\n";
    }
    for (const Step *step : numberedSteps(program)) {
      static const char *kinds[] = {"launch", "evaluate", "extents", "bind",    "check",   "guard", "assign",
                                    "if",     "loop",     "share",   "collect", "release", "list"};
      out += kinds[static_cast<int>(step->kind)];
      if (step->kind == Step::Kind::Launch)
        out += " " + program.groups[step->group].name();
      if (step->kind == Step::Kind::Evaluate)
        out += std::string(" ") + info(step->op).name;
      for (const Expr &e : step->values)
        out += " " + e.str();
      for (int buffer : step->inputs)
        out += " " + std::to_string(buffer);
      if (!step->outputs.empty())
        out += " ->";
      for (int buffer : step->outputs)
        out += " " + std::to_string(buffer);
      out += step->place.empty() ? "\n" : "  // " + step->place + "\n";
    }
    return out;
  }
};

} // namespace

std::vector<std::pair<std::string, std::string>> stages() {
  std::vector<std::pair<std::string, std::string>> list{{"import", "file to IR"}};
  for (const passes::PassInfo &pass : passes::pipeline())
    list.emplace_back(pass.name, pass.summary);
  list.emplace_back("plan", "grouped IR to buffers and steps");
  list.emplace_back("kernels", "groups to kernel IR and objects");
  return list;
}

int64_t codeGenerations() { return generations.load(std::memory_order_relaxed); }

Result<Compiled> compileFile(const std::string &path, const Options &options) {
  const FloatControl control; // constants are computed
  return Compilation(options).run([&](Compilation &c) { return c.import(path, std::nullopt); });
}
Result<Compiled> compileBytes(std::string bytes, const Options &options) {
  const FloatControl control;
  return Compilation(options).run([&](Compilation &c) { return c.import("", std::move(bytes)); });
}
Result<Compiled> compileTrace(const trace::Trace &trace, const Options &options) {
  const FloatControl control;
  return Compilation(options).run([&](Compilation &c) { return c.import(trace); });
}

} // namespace pliant::driver

extern "C" __attribute__((visibility("default"))) const pliant::driver::CompilerApi *pliantCompiler() {
  static const pliant::driver::CompilerApi api{
      pliant::driver::compilerApiVersion, pliant::driver::compileFile, pliant::driver::compileBytes,
      pliant::driver::compileTrace,       pliant::driver::stages,      pliant::driver::codeGenerations};
  return &api;
}
