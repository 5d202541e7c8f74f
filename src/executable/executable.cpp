// SPDX-License-Identifier: Apache-2.0
// Loading and running programs.
#include "executable/context.h"
#include "runtime/float_control.h"
#include "runtime/thread_pool.h"

namespace pliant {

static const RunHelpers &helperTable(decltype(RunHelpers::placeArena) arena,
                                     decltype(RunHelpers::allocateOutput) output,
                                     decltype(RunHelpers::fallback) fallback, decltype(RunHelpers::launch) launch) {
  static const RunHelpers helpers{arena, output, fallback, launch};
  return helpers;
}

Result<std::unique_ptr<Executable>> Executable::load(std::shared_ptr<const Program> program, const std::string &bytes,
                                                     const std::string &emptyBytes, std::vector<DenseTensor> weights) {
  const FloatControl control; // weights may be computed here
  std::unique_ptr<Executable> exe(new Executable());
  exe->plan = std::move(program);
  auto load = [](const std::string &from, Image &image, Entry &entry) -> Status {
    PLIANT_TRY(image, Image::load(std::as_bytes(std::span(from.data(), from.size()))));
    entry = reinterpret_cast<Entry>(image.symbol("pliant_run"));
    return entry ? ok() : Status(internalError("load", "the image has no entry"));
  };
  PLIANT_CHECK(load(bytes, exe->image, exe->entry));
  if (!emptyBytes.empty())
    PLIANT_CHECK(load(emptyBytes, exe->emptyImage, exe->emptyEntry));
  const Program &p = *exe->plan;
  PLIANT_CHECK(exe->loadWeights(std::move(weights)));
  PLIANT_TRY(int threads, ThreadPool::defaultThreads());
  exe->setThreads(threads);
  exe->slots = symbolSlots(p);
  exe->arenas.assign(static_cast<size_t>(p.regions), nullptr);
  exe->arenas[0] = &p.arena;
  exe->findRooms();
  for (const Heir &heir : p.heirs)
    exe->heirOf[p.outputBuffers[heir.output]] = heir.input;
  exe->steps = numberedSteps(p);
  exe->takesLists = exe->hasLists();
  for (const Step *step : exe->steps) {
    exe->fallbackSteps += isFallback(*step);
    exe->launchSteps += step->kind == Step::Kind::Launch;
    if (step->kind == Step::Kind::Loop)
      exe->arenas[static_cast<size_t>(step->region)] = &step->arena;
    if (step->kind == Step::Kind::Collect)
      for (int buffer : step->outputs) {
        const std::vector<std::string> of = p.buffers[buffer].type.shape[0].symbols();
        if (std::none_of(of.begin(), of.end(), [&](const std::string &symbol) {
              return std::find(step->symbols.begin(), step->symbols.end(), symbol) != step->symbols.end();
            }))
          exe->countedTrips.insert(buffer);
      }
  }
  return exe;
}

Status Executable::checkInputs(std::span<const DenseTensor> inputs, size_t numbers) const {
  const size_t given = inputs.size() + (numbers > 0);
  if (given != plan->inputs.size())
    return userError("run", "the program takes " + std::to_string(plan->inputs.size()) + " inputs, " +
                                std::to_string(given) + " were given");
  if (numbers && plan->inputs.back().type.shape.size() != numbers + 1)
    return internalError("run", "the program does not take " + std::to_string(numbers) + " numbers");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Argument &want = plan->inputs[i];
    if (want.list)
      continue;
    if (inputs[i].dtype() != want.type.dtype)
      return userError("run", "input '" + want.name + "' has element type " + std::string(name(inputs[i].dtype())) +
                                  " but the program takes " + std::string(name(want.type.dtype)));
    if (inputs[i].rank() != want.type.rank())
      return userError("run", "input '" + want.name + "' has shape " + str(inputs[i].dims()) +
                                  " but the program takes rank " + std::to_string(want.type.rank()) + ", " +
                                  str(want.type.shape));
  }
  return ok();
}

Result<std::vector<DenseTensor>> Executable::run(std::span<const DenseTensor> inputs) {
  std::vector<DenseTensor> outputs;
  PLIANT_CHECK(runWith(entry, inputs, outputs));
  return outputs;
}
Status Executable::run(std::span<const DenseTensor> inputs, std::vector<DenseTensor> &outputs) {
  return runWith(entry, inputs, outputs);
}
Status Executable::run(std::span<const DenseTensor> inputs, std::span<GrowingTensor> states,
                       std::vector<DenseTensor> &outputs) {
  return runWith(entry, inputs, outputs, states);
}
Status Executable::run(std::span<const DenseTensor> inputs, std::span<const int64_t> numbers,
                       std::vector<DenseTensor> &outputs, std::span<const uint8_t> spent) {
  return runWith(entry, inputs, outputs, {}, nullptr, numbers, spent);
}
Status Executable::runHostOnly(std::span<const DenseTensor> inputs, std::vector<DenseTensor> &outputs) {
  if (!emptyEntry)
    return userError("run", "the program was compiled without its host-only image");
  return runWith(emptyEntry, inputs, outputs);
}

bool Executable::hasLists() const {
  auto isList = [](const Argument &each) { return each.list.has_value(); }; // for the program
  return std::any_of(plan->inputs.begin(), plan->inputs.end(), isList) ||
         std::any_of(plan->outputs.begin(), plan->outputs.end(), isList) ||
         std::any_of(steps.begin(), steps.end(), [](const Step *step) { return step->kind == Step::Kind::List; });
}

Status Executable::runWith(Entry start, std::span<const DenseTensor> inputs, std::vector<DenseTensor> &outputs,
                           std::span<GrowingTensor> states, std::vector<TensorList> *lists,
                           std::span<const int64_t> numbers, std::span<const uint8_t> spent) {
  const FloatControl control(flushes); // the pool's threads take it over
  for (DenseTensor &output : outputs)
    output.release();
  Context *context = takeContext();
  auto taken = [&]() -> Status {
    PLIANT_TRY(inputs, takeStates(*context, inputs, states));
    PLIANT_CHECK(checkInputs(inputs, numbers.size()));
    return takesLists ? takeLists(*context, lists) : ok();
  }();
  if (!taken) {
    context->endRun();
    giveContext(context);
    return taken;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    context->table[plan->inputBuffers[i]] = inputs[i].data();
    for (size_t axis = 0; axis < slots.inputDims[i].size(); ++axis)
      context->symbols[slots.inputDims[i][axis]] = inputs[i].dims()[axis];
  }
  if (!numbers.empty()) {
    static uint64_t noElement; // never read
    context->table[plan->inputBuffers[inputs.size()]] = &noElement;
    const std::vector<int> &dims = slots.inputDims[inputs.size()];
    context->symbols[dims[0]] = 0;
    for (size_t i = 0; i < numbers.size(); ++i)
      context->symbols[dims[i + 1]] = numbers[i];
  }
  context->given = inputs;
  context->spent = spent;
  RunState &state = context->state;
  state.helpers = &helperTable(placeArena, allocateOutput, fallback, launch);
  state.threads = threads.load(std::memory_order_relaxed);
  state.serialBelow = state.threads > 1 ? serialBelow.load(std::memory_order_relaxed) : INT64_MAX;
  state.error = {};
  state.step = 0;
  Status status = start(&state) ? Status(describe(*context, inputs)) : takeOutputs(*context, outputs);
  if (status && lists)
    status = giveLists(*context, *lists);
  context->failure.reset();
  context->endRun();
  giveContext(context);
  return status;
}

int32_t Executable::fallback(RunState *state, int64_t number) {
  auto *context = static_cast<Context *>(state->host);
  Executable &exe = *context->owner;
  const bool announced = number < 0; // an observed launch comes next
  const Step &step = *exe.steps[announced ? ~number : number];
  if (exe.marker && (step.kind == Step::Kind::Launch || step.kind == Step::Kind::Evaluate))
    exe.marker(step, announced || step.kind == Step::Kind::Evaluate);
  if (announced)
    return 0;
  auto fail = [&](Error error) {
    context->failure = std::move(error).at(step.place);
    state->error = {RunErrorHost, number, 0, 0};
    return 1;
  };
  if (step.kind != Step::Kind::Launch && step.kind != Step::Kind::Evaluate) {
    Status status = context->perform(step);
    return status ? 0 : fail(status.takeError());
  }
  auto valueOf = [&](const std::string &symbol) { return context->valueOf(symbol); };
  std::optional<Error> bad;
  auto constant = [&](const Expr &e) -> Expr {
    auto value = e.evaluate(valueOf);
    if (!value && !bad)
      bad = value.error();
    return value ? Expr(*value) : Expr(0);
  };
  auto tensorOf = [&](int buffer) {
    const Buffer &what = exe.plan->buffers[buffer];
    std::vector<int64_t> dims;
    for (const Expr &extent : what.type.shape)
      dims.push_back(constant(extent).constant().value_or(0));
    if (auto count = elementCount(dims); !count) {
      bad = bad ? bad : count.error();
      dims.assign(dims.size(), 0);
    }
    return DenseTensor::borrow(what.type.dtype, dims, state->buffers[buffer]);
  };
  std::vector<DenseTensor> inputs, outputs;
  for (int buffer : step.inputs)
    inputs.push_back(tensorOf(buffer));
  for (int buffer : step.outputs)
    outputs.push_back(tensorOf(buffer));
  Attrs attrs = mapExprs(step.attrs, constant);
  if (bad)
    return fail(std::move(*bad));
  if (step.kind == Step::Kind::Evaluate) {
    RefContext reference{step.op, attrs, inputs, outputs, &context->strings};
    auto status = info(step.op).ref(reference);
    if (exe.marker)
      exe.marker(step, false);
    if (!status)
      return fail(status.takeError());
  }
  auto seen = exe.observer ? exe.observer(step, inputs, outputs, valueOf) : ok();
  return seen ? 0 : fail(seen.takeError());
}

/// What the shape rule of a Check step's op says of the extents that the run has, with those of the model.
static Error refusal(const Step &step, const std::string &differ, const Executable::ValueOf &valueOf) {
  auto constant = [&](const Expr &e) {
    auto value = e.evaluate(valueOf);
    return value ? Expr(*value) : e;
  };
  std::vector<TensorType> operands = step.operands;
  std::string declared, given;
  bool symbolic = false;
  for (TensorType &type : operands) {
    declared += (declared.empty() ? "" : " and ") + str(type.shape);
    for (Expr &extent : type.shape) {
      symbolic |= !extent.constant();
      extent = constant(extent);
    }
    given += (given.empty() ? "" : " and ") + str(type.shape);
  }
  Facts none;
  auto types = inferTypes(step.op, mapExprs(step.attrs, constant), operands, none);
  Error error =
      types ? userError(info(step.op).name, "shapes " + given + " do not fit: extents " + differ) // of attributes
            : types.takeError();
  if (symbolic)
    error.message += "; in the program " + declared;
  return error;
}

Error Executable::describe(const Context &context, std::span<const DenseTensor> inputs) const {
  if (context.failure)
    return *context.failure;
  const RunError &error = context.state.error;
  std::string value = std::to_string(error.value), bound = std::to_string(error.bound);
  auto valueOf = [&](const std::string &symbol) { return context.valueOf(symbol); };
  if (error.step < 0) { // the check of a whole input: which axis it was is found here
    const auto input = static_cast<size_t>(-1 - error.step);
    const Argument &argument = plan->inputs[input];
    if (input >= inputs.size())
      return internalError("run", "the numbers of '" + argument.name + "' break its type " + str(argument.type.shape));
    for (size_t axis = 0; axis < argument.type.shape.size(); ++axis) {
      auto expected = argument.type.shape[axis].evaluate(valueOf);
      if (expected && *expected != inputs[input].dims()[axis])
        return userError("run", "input '" + argument.name + "' has shape " + str(inputs[input].dims()) +
                                    " but the program takes " + str(argument.type.shape) + ": axis " +
                                    std::to_string(axis) + " is " + std::to_string(inputs[input].dims()[axis]) +
                                    ", not " + std::to_string(*expected));
    }
    return internalError("run", "an input check failed");
  }
  const Step *step = error.step < static_cast<int64_t>(steps.size()) ? steps[error.step] : nullptr;
  std::string op = step && step->kind == Step::Kind::Launch ? plan->groups[step->group].name()
                   : step                                   ? info(step->op).name
                                                            : "run";
  std::string place = step ? step->place : std::string();
  switch (error.code) {
  case RunErrorIndex:
    return userError(op, "index " + value + " is out of range [-" + bound + ", " + bound + ")").at(place);
  case RunErrorDivision:
    return userError(op, "integer division by zero: " + bound + " / 0").at(place);
  case RunErrorOverflow:
    return memoryError("run", "the program's memory for these inputs is beyond 64 bits").at(place);
  case RunErrorMemory:
    return memoryError("run", "out of memory").at(place);
  case RunErrorExtent: {
    if (step && step->kind == Step::Kind::Bind)
      return outOfBounds(step->reason, error.value, {step->low, step->high}).at(place);
    if (step && step->kind == Step::Kind::Guard)
      return userError("if", step->reason).at(place);
    if (step && step->kind == Step::Kind::Check && step->operands.empty() && step->op == OpId()) // of no op
      return userError("run", "the inputs' extents break the fact that " + place);
    const std::string differ = value + " and " + bound + " differ";
    if (step && step->kind == Step::Kind::Check)
      return refusal(*step, differ, valueOf).at(place);
    return userError(op, "extents " + differ).at(place);
  }
  default:
    return internalError("run", "error code " + std::to_string(error.code));
  }
}

Result<int64_t> Executable::evaluate(const Expr &expr, std::span<const DenseTensor> inputs) const {
  return expr.evaluate([&](const std::string &symbol) -> std::optional<int64_t> {
    for (size_t i = 0; i < plan->inputs.size() && i < inputs.size(); ++i)
      for (size_t axis = 0; axis < plan->inputs[i].type.shape.size(); ++axis)
        if (plan->inputs[i].type.shape[axis].symbolName() == symbol)
          return inputs[i].dims()[axis];
    return std::nullopt;
  });
}

} // namespace pliant
