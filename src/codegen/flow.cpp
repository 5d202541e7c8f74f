// SPDX-License-Identifier: Apache-2.0
// Host flow as LLVM IR. Functions hold a bounded number of steps (LLVM is quadratic in straight-line calls); symbol
// values pass between them through the run state.
#include "codegen/flow.h"
#include "codegen/flow_extents.h"
#include "runtime/run_state.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

namespace pliant::codegen {

namespace {

constexpr int stepsPerFunction = 400;

class Flow {
public:
  Flow(const Program &program, const std::vector<Kernel> &kernels, llvm::Module &module, bool kernelsReturn,
       bool observed)
      : program(program), kernels(kernels), module(module), b(module.getContext()), slots(symbolSlots(program)),
        kernelsReturn(kernelsReturn), observed(observed) {
    pointer = b.getPtrTy();
    i64 = b.getInt64Ty();
    i32 = b.getInt32Ty();
    size_t buffers = 0, parameters = 0;
    for (const Kernel &kernel : kernels)
      parameters = std::max(parameters, kernel.parameters.size());
    for (const Group &group : program.groups)
      buffers = std::max(buffers, group.inputs.size() + group.outputs.size() + 1);
    for (const Step *step : numberedSteps(program))
      if (step->scratch >= 0)
        scratch.insert(step->scratch);
    mostBuffers = buffers;
    mostParameters = parameters;
  }

  Status run() {
    int number = 0;
    for (const Step *each : numberedSteps(program))
      numbers[each] = number++;
    begin("pliant_run", llvm::GlobalValue::ExternalLinkage);
    PLIANT_CHECK(bindInputs());
    PLIANT_CHECK(place(program.arena, 0));
    PLIANT_CHECK(call(program.steps, "part"));
    PLIANT_CHECK(outputExtents());
    llvm::Value *code = loadState(i64, run_state::errorCode);
    b.CreateRet(b.CreateZExt(b.CreateICmpNE(code, b.getInt64(0)), i32));
    return ok();
  }

private:
  const Program &program;
  const std::vector<Kernel> &kernels;
  llvm::Module &module;
  llvm::IRBuilder<> b;
  SymbolSlots slots;
  bool kernelsReturn, observed;
  llvm::Type *pointer, *i64, *i32;
  size_t mostBuffers, mostParameters;
  std::set<int> scratch; ///< buffers of which each thread has one
  llvm::Function *function = nullptr;
  llvm::Value *state = nullptr, *pointers = nullptr, *parameters = nullptr, *table = nullptr, *symbolTable = nullptr;
  std::map<Expr, llvm::Value *> known;
  std::map<int, llvm::Value *> addresses;
  std::map<const Step *, int> numbers;

  void begin(const char *name, llvm::GlobalValue::LinkageTypes linkage) {
    enter(llvm::Function::Create(llvm::FunctionType::get(i32, {pointer}, false), linkage, name, module));
  }
  void enter(llvm::Function *f) {
    function = f;
    state = f->getArg(0);
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", f));
    pointers = b.CreateAlloca(pointer, b.getInt64(std::max<size_t>(mostBuffers, 1)));
    parameters = b.CreateAlloca(i64, b.getInt64(std::max<size_t>(mostParameters, 8)));
    known.clear();
    addresses.clear();
    table = loadState(pointer, run_state::buffers);
    symbolTable = loadState(pointer, run_state::symbols);
  }

  /// Steps run in functions of a bounded length, called here one after the other. `arena` is placed first.
  Status call(const std::vector<Step> &steps, const std::string &name, const std::vector<ArenaItem> &arena = {},
              int region = 0) {
    std::vector<llvm::Function *> parts;
    for (size_t first = 0; first < steps.size(); first += stepsPerFunction) {
      parts.push_back(llvm::Function::Create(llvm::FunctionType::get(i32, {pointer}, false),
                                             llvm::GlobalValue::InternalLinkage, name + std::to_string(first), module));
      leaveIf(b.CreateICmpNE(b.CreateCall(parts.back(), {state}), b.getInt32(0)));
    }
    auto outerBlock = b.GetInsertBlock();
    auto outer = std::tuple(function, state, pointers, parameters, table, symbolTable);
    auto outerKnown = std::move(known);
    auto outerAllocated = std::exchange(allocated, {});
    for (size_t k = 0; k < parts.size(); ++k) {
      enter(parts[k]);
      if (k == 0)
        PLIANT_CHECK(place(arena, region));
      size_t first = k * stepsPerFunction, last = std::min(steps.size(), first + stepsPerFunction);
      for (size_t i = first; i < last; ++i)
        PLIANT_CHECK(step(steps[i]));
      b.CreateRet(b.getInt32(0));
    }
    std::tie(function, state, pointers, parameters, table, symbolTable) = outer;
    known = std::move(outerKnown);
    allocated = std::move(outerAllocated);
    addresses.clear();
    b.SetInsertPoint(outerBlock);
    return ok();
  }

  /// Memory for the items, whose sizes are known here.
  Status place(const std::vector<ArenaItem> &items, int region) {
    if (items.empty())
      return ok();
    llvm::Value *sizes = b.CreateAlloca(i64, b.getInt64(items.size()));
    llvm::Value *overflow = b.getFalse();
    for (size_t i = 0; i < items.size(); ++i) {
      PLIANT_TRY(llvm::Value * bytes, evaluate(items[i].bytes, &overflow));
      if (scratch.contains(items[i].buffer))
        bytes = forEachThread(bytes, overflow);
      b.CreateStore(bytes, b.CreateConstGEP1_64(i64, sizes, i));
    }
    failIf(overflow, RunErrorOverflow, 0, b.getInt64(0), b.getInt64(0));
    callHelper(run_state::placeArena, {state, b.getInt64(region), sizes, b.getInt64(items.size())});
    return ok();
  }

  llvm::Value *field(size_t offset) { return b.CreateConstGEP1_64(b.getInt8Ty(), state, offset); }
  llvm::Value *loadState(llvm::Type *type, size_t offset) { return b.CreateLoad(type, field(offset)); }
  llvm::Value *slot(int index) { return b.CreateConstGEP1_64(i64, symbolTable, static_cast<uint64_t>(index)); }

  void leaveIf(llvm::Value *condition) {
    auto *leave = llvm::BasicBlock::Create(module.getContext(), "", function);
    auto *go = llvm::BasicBlock::Create(module.getContext(), "", function);
    b.CreateCondBr(condition, leave, go);
    b.SetInsertPoint(leave);
    b.CreateRet(b.getInt32(1));
    b.SetInsertPoint(go);
  }
  void failIf(llvm::Value *condition, RunErrorCode code, int64_t at, llvm::Value *value, llvm::Value *bound) {
    auto *leave = llvm::BasicBlock::Create(module.getContext(), "", function);
    auto *go = llvm::BasicBlock::Create(module.getContext(), "", function);
    b.CreateCondBr(condition, leave, go);
    b.SetInsertPoint(leave);
    b.CreateStore(b.getInt64(code), field(run_state::errorCode));
    b.CreateStore(b.getInt64(at), field(run_state::errorStep));
    b.CreateStore(value, field(run_state::errorValue));
    b.CreateStore(bound, field(run_state::errorBound));
    b.CreateRet(b.getInt32(1));
    b.SetInsertPoint(go);
  }
  void callHelper(size_t helper, std::vector<llvm::Value *> arguments) {
    llvm::Value *helpers = loadState(pointer, run_state::helpers);
    llvm::Value *target = b.CreateLoad(pointer, b.CreateConstGEP1_64(b.getInt8Ty(), helpers, helper));
    std::vector<llvm::Type *> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    llvm::Value *status = b.CreateCall(llvm::FunctionType::get(i32, types, false), target, arguments);
    leaveIf(b.CreateICmpNE(status, b.getInt32(0)));
    addresses.clear(); // helpers may set addresses
  }

  /// The scratch of all threads: one aligned block after the other.
  llvm::Value *forEachThread(llvm::Value *bytes, llvm::Value *&overflow) {
    llvm::Value *threads = loadState(i64, run_state::threads);
    llvm::Value *pair = b.CreateBinaryIntrinsic(llvm::Intrinsic::smul_with_overflow, aligned(bytes), threads);
    overflow = b.CreateOr(overflow, b.CreateExtractValue(pair, 1));
    return b.CreateExtractValue(pair, 0);
  }
  llvm::Value *aligned(llvm::Value *bytes) {
    return b.CreateAnd(b.CreateAdd(bytes, b.getInt64(63)), b.getInt64(~int64_t(63)));
  }

  // ---- extents

  Result<llvm::Value *> value(const Expr &expr) { return evaluate(expr, nullptr); }

  /// With `overflow`, every overflow of the arithmetic is noted in it: for sizes of memory.
  Result<llvm::Value *> evaluate(const Expr &expr, llvm::Value **overflow) {
    if (!overflow)
      if (auto found = known.find(expr); found != known.end())
        return found->second;
    auto symbol = [&](const std::string &name) -> Result<llvm::Value *> {
      auto [found, isNew] = known.try_emplace(Expr::symbol(name));
      if (isNew) {
        auto at = slots.symbols.find(name);
        if (at == slots.symbols.end())
          return internalError("flow", "symbol " + name + " is bound by nothing");
        found->second = b.CreateLoad(i64, slot(at->second));
      }
      return found->second;
    };
    PLIANT_TRY(llvm::Value * result, extentArithmetic(b, expr, symbol, overflow));
    if (!overflow)
      known[expr] = result;
    return result;
  }

  std::map<std::string, int> binders; // the raw extent that gives a symbol its value
  int binder(const Expr &extent) const {
    auto symbol = extent.symbolName();
    auto found = symbol ? binders.find(*symbol) : binders.end();
    return found == binders.end() ? -1 : found->second;
  }

  Status bindInputs() {
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const Extents &shape = program.inputs[i].type.shape;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        if (auto symbol = shape[axis].symbolName(); symbol && !known.contains(shape[axis])) {
          llvm::Value *given = b.CreateLoad(i64, slot(slots.inputDims[i][axis]));
          b.CreateStore(given, slot(slots.symbols.at(*symbol)));
          known[shape[axis]] = given;
          binders[*symbol] = slots.inputDims[i][axis];
        }
    }
    // One test for all axes of an input; which one it was the host finds when it words the error.
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const Extents &shape = program.inputs[i].type.shape;
      llvm::Value *different = nullptr;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (binder(shape[axis]) == slots.inputDims[i][axis])
          continue;
        llvm::Value *given = b.CreateLoad(i64, slot(slots.inputDims[i][axis]));
        PLIANT_TRY(llvm::Value * expected, value(shape[axis]));
        llvm::Value *bits = b.CreateXor(given, expected);
        different = different ? b.CreateOr(different, bits) : bits;
      }
      if (different)
        failIf(b.CreateICmpNE(different, b.getInt64(0)), RunErrorExtent, -1 - static_cast<int64_t>(i), b.getInt64(0),
               b.getInt64(0));
    }
    return ok();
  }

  /// All steps are done: every symbol has its value.
  Status outputExtents() {
    llvm::Value *to = loadState(pointer, run_state::extents);
    uint64_t at = 0;
    for (const Argument &output : program.outputs)
      for (const Expr &extent : output.type.shape) {
        PLIANT_TRY(llvm::Value * v, value(extent));
        b.CreateStore(v, b.CreateConstGEP1_64(i64, to, at++));
      }
    return ok();
  }

  // ---- buffers

  Result<llvm::Value *> address(int buffer) {
    const Buffer *what = &program.buffers[buffer];
    while (what->storage == Buffer::Storage::Alias) {
      buffer = what->index;
      what = &program.buffers[buffer];
    }
    if (auto found = addresses.find(buffer); found != addresses.end())
      return found->second;
    return addresses[buffer] =
               b.CreateLoad(pointer, b.CreateConstGEP1_64(pointer, table, static_cast<uint64_t>(buffer)));
  }

  /// Outputs and buffers of data-dependent size get memory before their first writer runs.
  Status allocate(const std::vector<int> &buffers) {
    for (int buffer : buffers) {
      const Buffer &what = program.buffers[buffer];
      if (what.storage != Buffer::Storage::Output && what.storage != Buffer::Storage::Dynamic &&
          what.storage != Buffer::Storage::Element)
        continue;
      if (!allocated.insert(buffer).second)
        continue;
      llvm::Value *dims = parameters;
      for (size_t i = 0; i < what.type.shape.size(); ++i) {
        PLIANT_TRY(llvm::Value * extent, value(what.type.shape[i]));
        b.CreateStore(extent, b.CreateConstGEP1_64(i64, dims, i));
      }
      callHelper(run_state::allocateOutput, {state, b.getInt64(buffer), dims, b.getInt64(what.type.rank())});
    }
    return ok();
  }
  std::set<int> allocated;

  // ---- steps

  Status step(const Step &s) {
    const int number = numbers.at(&s);
    switch (s.kind) {
    case Step::Kind::Launch:
      return launch(s, number);
    case Step::Kind::Evaluate:
      PLIANT_CHECK(allocate(s.outputs));
      return callHost(s, number);
    case Step::Kind::Extents: {
      PLIANT_CHECK(allocate(s.outputs));
      PLIANT_TRY(llvm::Value * to, address(s.outputs[0]));
      for (size_t i = 0; i < s.values.size(); ++i) {
        PLIANT_TRY(llvm::Value * v, value(s.values[i]));
        b.CreateStore(v, b.CreateConstGEP1_64(i64, to, i));
      }
      return ok();
    }
    case Step::Kind::Bind: {
      PLIANT_TRY(llvm::Value * from, address(s.inputs[0]));
      bool narrow = program.buffers[s.inputs[0]].type.dtype == DType::I32;
      for (size_t i = 0; i < s.symbols.size(); ++i) {
        llvm::Type *type = narrow ? i32 : i64;
        llvm::Value *v = b.CreateLoad(type, b.CreateConstGEP1_64(type, from, i));
        v = narrow ? b.CreateSExt(v, i64) : v;
        failIf(b.CreateICmpSLT(v, b.getInt64(s.low)), RunErrorExtent, number, v, b.getInt64(s.low));
        failIf(b.CreateICmpSGT(v, b.getInt64(s.high)), RunErrorExtent, number, v, b.getInt64(s.high));
        b.CreateStore(v, slot(slots.symbols.at(s.symbols[i])));
        known[Expr::symbol(s.symbols[i])] = v;
      }
      return ok();
    }
    case Step::Kind::Check: {
      PLIANT_TRY(llvm::Value * x, value(s.values[0]));
      PLIANT_TRY(llvm::Value * y, value(s.values[1]));
      llvm::Value *bad = b.CreateICmpNE(x, y);
      if (s.broadcast)
        bad = b.CreateAnd(bad, b.CreateAnd(b.CreateICmpNE(x, b.getInt64(1)), b.CreateICmpNE(y, b.getInt64(1))));
      failIf(bad, RunErrorExtent, number, x, y);
      return ok();
    }
    case Step::Kind::Guard: {
      PLIANT_TRY(llvm::Value * from, address(s.inputs[0]));
      llvm::Value *is = b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), from), b.getInt8(0));
      llvm::Value *value = b.CreateZExt(is, i64);
      failIf(s.flag ? b.CreateNot(is) : is, RunErrorExtent, number, value, b.getInt64(s.flag));
      return ok();
    }
    case Step::Kind::Assign: {
      std::vector<llvm::Value *> values; // all are read before any is written
      for (const Expr &each : s.values) {
        PLIANT_TRY(llvm::Value * v, value(each));
        values.push_back(v);
      }
      known.clear(); // the symbols of a loop have had other values
      for (size_t i = 0; i < s.symbols.size(); ++i) {
        b.CreateStore(values[i], slot(slots.symbols.at(s.symbols[i])));
        known[Expr::symbol(s.symbols[i])] = values[i];
      }
      return ok();
    }
    case Step::Kind::If:
      return conditional(s);
    case Step::Kind::Loop:
      return loop(s, number);
    case Step::Kind::Share:
    case Step::Kind::Collect:
    case Step::Kind::Release:
    case Step::Kind::List:
      callHelper(run_state::fallback, {state, b.getInt64(number)});
      return ok();
    }
    return ok();
  }

  /// The host reads extents from the symbol table and addresses from the buffer table.
  Status callHost(const Step &s, int number) {
    for (const std::vector<int> *list : {&s.inputs, &s.outputs})
      for (int buffer : *list) {
        PLIANT_TRY(llvm::Value * at, address(buffer));
        b.CreateStore(at, b.CreateConstGEP1_64(pointer, table, static_cast<uint64_t>(buffer)));
      }
    callHelper(run_state::fallback, {state, b.getInt64(number)});
    return ok();
  }

  Status launch(const Step &s, int number) {
    PLIANT_CHECK(allocate(s.outputs));
    if (!s.past)
      return launchAllocated(s, number);
    // The past of a state is copied, unless it is there already.
    PLIANT_TRY(llvm::Value * from, address(s.inputs[0]));
    PLIANT_TRY(llvm::Value * to, address(s.outputs[0]));
    auto *copies = llvm::BasicBlock::Create(module.getContext(), "", function);
    auto *join = llvm::BasicBlock::Create(module.getContext(), "", function);
    b.CreateCondBr(b.CreateICmpEQ(from, to), join, copies);
    b.SetInsertPoint(copies);
    auto outer = std::pair(known, addresses);
    PLIANT_CHECK(launchAllocated(s, number));
    std::tie(known, addresses) = std::move(outer);
    b.CreateBr(join);
    b.SetInsertPoint(join);
    return ok();
  }

  Status launchAllocated(const Step &s, int number) {
    const Kernel &kernel = kernels[s.group];
    if (s.scratch >= 0) // of run-time extents it is memory of its own
      PLIANT_CHECK(allocate({s.scratch}));
    size_t at = 0;
    auto pass = [&](llvm::Value *v) { b.CreateStore(v, b.CreateConstGEP1_64(pointer, pointers, at++)); };
    for (size_t i = 0; i < s.inputs.size(); ++i) {
      int buffer = packedBuffer(s, static_cast<int>(i));
      PLIANT_TRY(llvm::Value * v, buffer >= 0 ? packedAddress(buffer) : address(s.inputs[i]));
      pass(v);
    }
    for (int buffer : s.outputs) {
      PLIANT_TRY(llvm::Value * v, address(buffer));
      pass(v);
    }
    auto named = [&](const Expr &e) {
      return e.substitute([&](const std::string &symbol) -> std::optional<Expr> {
        size_t index = std::stoul(symbol.substr(1));
        return Expr::symbol(s.symbols[index]);
      });
    };
    if (s.scratch >= 0) {
      const Buffer &what = program.buffers[s.scratch];
      if (what.storage == Buffer::Storage::Dynamic) { // its size was not known when an arena was placed
        llvm::Value *overflow = b.getFalse();
        PLIANT_TRY(llvm::Value * bytes, evaluate(what.bytes(), &overflow));
        bytes = forEachThread(bytes, overflow);
        failIf(overflow, RunErrorOverflow, number, b.getInt64(0), b.getInt64(0));
        b.CreateStore(bytes, parameters);
        callHelper(run_state::allocateOutput, {state, b.getInt64(s.scratch), parameters, b.getInt64(1)});
      }
      PLIANT_TRY(llvm::Value * v, address(s.scratch));
      pass(v);
    }
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      PLIANT_TRY(llvm::Value * v, value(named(kernel.parameters[i])));
      b.CreateStore(v, b.CreateConstGEP1_64(i64, parameters, i));
    }
    PLIANT_TRY(llvm::Value * units, value(named(kernel.units)));
    b.CreateStore(b.getInt64(number), field(run_state::step));
    if (observed) // the same helper, told by ~number that the launch is still to come
      callHelper(run_state::fallback, {state, b.getInt64(~number)});
    auto type = llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, i64, i64, pointer}, false);
    llvm::FunctionCallee callee = module.getOrInsertFunction(kernelsReturn ? "pliant_nothing" : kernel.symbol, type);
    if (auto *f = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
      f->setVisibility(llvm::GlobalValue::HiddenVisibility);
      f->setDSOLocal(true);
    }
    auto direct = [&] { b.CreateCall(callee, {pointers, parameters, b.getInt64(0), units, state}); };
    const bool ownScratch = s.scratch >= 0 && program.buffers[s.scratch].storage == Buffer::Storage::Dynamic;
    if (kernelsReturn || kernel.units.isConstant(1) || ownScratch) { // there is memory for one thread only
      direct();
    } else {
      PLIANT_TRY(llvm::Value * work, value(named(kernel.work)));
      PLIANT_TRY(llvm::Value * scratchBytes, value(named(kernel.scratchBytes)));
      auto *alone = llvm::BasicBlock::Create(module.getContext(), "", function);
      auto *split = llvm::BasicBlock::Create(module.getContext(), "", function);
      auto *join = llvm::BasicBlock::Create(module.getContext(), "", function);
      b.CreateCondBr(b.CreateICmpSLT(work, loadState(i64, run_state::serialBelow)), alone, split);
      b.SetInsertPoint(alone);
      direct();
      b.CreateBr(join);
      b.SetInsertPoint(split);
      auto *helper = llvm::FunctionType::get(i32, {pointer, pointer, pointer, i64, pointer, i64, i64}, false);
      llvm::Value *target = b.CreateLoad(
          pointer, b.CreateConstGEP1_64(b.getInt8Ty(), loadState(pointer, run_state::helpers), run_state::launch));
      b.CreateCall(helper, target,
                   {state, callee.getCallee(), pointers, b.getInt64(static_cast<int64_t>(at)), parameters, units,
                    aligned(scratchBytes)});
      b.CreateBr(join);
      b.SetInsertPoint(join);
    }
    return observed ? callHost(s, number) : ok();
  }

  int packedBuffer(const Step &s, int input) const {
    for (size_t p = 0; p < program.packed.size(); ++p)
      if (program.packed[p].weightBuffer == s.inputs[input] && isPacked(kernels[s.group], input, program.packed[p]))
        return static_cast<int>(program.buffers.size() + p);
    return -1;
  }
  static bool isPacked(const Kernel &kernel, int input, const PackedWeight &packed) {
    for (const PackedInput &p : kernel.packed)
      if (p.input == input && p.spec == packed.spec)
        return true;
    return false;
  }
  Result<llvm::Value *> packedAddress(int entry) {
    if (auto found = addresses.find(entry); found != addresses.end())
      return found->second;
    return addresses[entry] = b.CreateLoad(pointer, b.CreateConstGEP1_64(pointer, table, static_cast<uint64_t>(entry)));
  }

  /// The body is a function of its own, called once a trip. Its symbols and buffers are in the run state.
  Status loop(const Step &s, int number) {
    llvm::Value *most = nullptr, *first = b.getTrue();
    if (!s.values.empty()) {
      PLIANT_TRY(most, value(s.values[0]));
    }
    if (!s.inputs.empty()) {
      PLIANT_TRY(llvm::Value * from, address(s.inputs[0]));
      first = b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), from), b.getInt8(0));
    }
    const int counter = slots.symbols.at(s.symbols[0]);
    auto *before = b.GetInsertBlock();
    auto block = [&] { return llvm::BasicBlock::Create(module.getContext(), "", function); };
    auto *head = block(), *body = block(), *after = block();
    b.CreateBr(head);
    b.SetInsertPoint(head);
    llvm::PHINode *trip = b.CreatePHI(i64, 2), *goes = b.CreatePHI(b.getInt1Ty(), 2);
    trip->addIncoming(b.getInt64(0), before);
    goes->addIncoming(first, before);
    b.CreateStore(trip, slot(counter)); // and after the last trip: their number
    b.CreateCondBr(most ? b.CreateAnd(goes, b.CreateICmpSLT(trip, most)) : goes, body, after);
    b.SetInsertPoint(body);
    addresses.clear(); // of other trips
    PLIANT_CHECK(call(s.body, "loop" + std::to_string(number) + "_", s.arena, s.region));
    // What goes on after an error in a kernel must not go on for ever.
    leaveIf(b.CreateICmpNE(loadState(i64, run_state::errorCode), b.getInt64(0)));
    llvm::Value *next = b.getTrue();
    if (s.condition >= 0) {
      PLIANT_TRY(llvm::Value * from, address(s.condition));
      next = b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), from), b.getInt8(0));
      if (kernelsReturn) // nothing computes it: one trip stands for all
        next = b.getFalse();
    }
    trip->addIncoming(b.CreateAdd(trip, b.getInt64(1)), b.GetInsertBlock());
    goes->addIncoming(next, b.GetInsertBlock());
    b.CreateBr(head);
    b.SetInsertPoint(after);
    addresses.clear();
    known.clear(); // symbols of the loop have other values now
    return ok();
  }

  Status conditional(const Step &s) {
    PLIANT_TRY(llvm::Value * from, address(s.inputs[0]));
    llvm::Value *condition = b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), from), b.getInt8(0));
    auto *yes = llvm::BasicBlock::Create(module.getContext(), "", function);
    auto *no = llvm::BasicBlock::Create(module.getContext(), "", function);
    auto *join = llvm::BasicBlock::Create(module.getContext(), "", function);
    b.CreateCondBr(condition, yes, no);
    auto outerKnown = known;
    auto outerAddresses = addresses;
    for (auto [block, steps] : {std::pair{yes, &s.thenSteps}, std::pair{no, &s.elseSteps}}) {
      b.SetInsertPoint(block);
      known = outerKnown;
      addresses = outerAddresses;
      auto outerAllocated = allocated;
      for (const Step &inner : *steps)
        PLIANT_CHECK(step(inner));
      allocated = outerAllocated;
      b.CreateBr(join);
    }
    b.SetInsertPoint(join);
    allocated.insert(s.outputs.begin(), s.outputs.end()); // each branch has done so before its last steps
    known = outerKnown;
    addresses = outerAddresses;
    return ok();
  }
};

} // namespace

Result<std::string> writeFlow(const Program &program, const std::vector<Kernel> &kernels, ObjectWriter &writer,
                              bool kernelsReturn, bool observed) {
  llvm::LLVMContext context;
  llvm::Module module("flow", context);
  module.setPICLevel(llvm::PICLevel::BigPIC);
  PLIANT_CHECK(Flow(program, kernels, module, kernelsReturn, observed).run());
  if (kernelsReturn) {
    // A kernel that only returns, to measure what the host alone costs.
    if (llvm::Function *nothing = module.getFunction("pliant_nothing"))
      llvm::ReturnInst::Create(context, llvm::BasicBlock::Create(context, "", nothing));
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    return internalError("flow", "the host flow does not verify: " + stream.str());
  return writer.write(module);
}

} // namespace pliant::codegen
