// SPDX-License-Identifier: Apache-2.0
#include "api/programs.h"
#include "api/compiler.h"

namespace pliant::api {
namespace {

/// Structure and which values are results.
trace::Words keyOf(const trace::Segment &segment) {
  trace::Words key = segment.words;
  key.insert(key.end(), segment.resultIndices.begin(), segment.resultIndices.end());
  key.push_back(segment.resultIndices.size());
  return key;
}

uint64_t hashOf(const trace::Words &words) {
  uint64_t hash = words.size();
  for (uint64_t word : words)
    hash = trace::detail::mixed(hash, word);
  return hash;
}

/// Value of an expression's steps; nothing on overflow or a division by zero.
std::optional<int64_t> valueOf(const std::vector<Expr::Step> &steps, const std::vector<int> &symbols,
                               std::span<const int64_t> values) {
  std::vector<int64_t> out(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const Expr::Step &step = steps[i];
    const int64_t a = step.lhs >= 0 ? out[static_cast<size_t>(step.lhs)] : 0;
    const int64_t b = step.rhs >= 0 ? out[static_cast<size_t>(step.rhs)] : 0;
    switch (step.op) {
    case Expr::Op::Constant:
      out[i] = step.value;
      break;
    case Expr::Op::Symbol:
      out[i] = values[static_cast<size_t>(symbols[i])];
      break;
    case Expr::Op::Add:
      if (__builtin_add_overflow(a, b, &out[i]))
        return std::nullopt;
      break;
    case Expr::Op::Mul:
      if (__builtin_mul_overflow(a, b, &out[i]))
        return std::nullopt;
      break;
    case Expr::Op::FloorDiv:
    case Expr::Op::Mod: {
      if (b == 0 || (a == INT64_MIN && b == -1))
        return std::nullopt;
      const int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0));
      out[i] = step.op == Expr::Op::Mod ? a - b * quotient : quotient;
      break;
    }
    case Expr::Op::Min:
      out[i] = std::min(a, b);
      break;
    case Expr::Op::Max:
      out[i] = std::max(a, b);
      break;
    case Expr::Op::Broadcast:
      out[i] = a == 1 ? b : a;
      break;
    }
  }
  return out.empty() ? std::nullopt : std::optional(out.back());
}

} // namespace

Programs &Programs::all() {
  static Programs programs;
  return programs;
}

bool Programs::holds(const Test &test, std::span<const int64_t> values) {
  const auto a = valueOf(test.a, test.symbolsA, values), b = valueOf(test.b, test.symbolsB, values);
  return a && b && *a == *b;
}

Result<Executable *> Programs::find(const trace::Segment &segment) {
  trace::Words key = keyOf(segment);
  const uint64_t hash = hashOf(key);
  const std::vector<int64_t> values = trace::symbolValues(segment);
  std::lock_guard lock(mutex);
  for (auto [at, end] = programs.equal_range(hash); at != end; ++at) {
    const Program &known = *at->second;
    if (known.key == key &&
        std::all_of(known.guards.begin(), known.guards.end(), [&](const Test &test) { return holds(test, values); })) {
      ++made.hits;
      return known.executable.get();
    }
  }
  PLIANT_TRY(trace::Trace trace, trace::generalize(segment));
  auto program = std::make_unique<Program>();
  program->key = std::move(key);
  std::unordered_map<std::string, int> numbers;
  const size_t leafExtents = values.size() - segment.integers.size();
  for (size_t i = 0; i < values.size(); ++i)
    numbers.emplace(trace::symbolName(i, leafExtents), static_cast<int>(i));
  auto compiled = [&](const Expr &expr, std::vector<Expr::Step> &steps, std::vector<int> &symbols) {
    steps = expr.steps();
    for (const Expr::Step &step : steps)
      symbols.push_back(step.op == Expr::Op::Symbol ? numbers.at(step.symbol) : -1);
  };
  for (const trace::Guard &guard : trace.guards) {
    Test &test = program->guards.emplace_back();
    compiled(guard.a, test.a, test.symbolsA);
    compiled(guard.b, test.b, test.symbolsB);
  }
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  PLIANT_TRY(driver::Compiled output, api->trace(trace, {}));
  PLIANT_TRY(program->executable, Executable::load(output.program, output.image, {}, std::move(output.weights)));
  ++made.compiles;
  return programs.emplace(hash, std::move(program))->second->executable.get();
}

void Programs::run(const trace::Segment &segment) {
  if (segment.results.empty())
    return;
  auto computed = results(segment);
  for (size_t i = 0; i < segment.results.size(); ++i)
    segment.results[i]->stored()->set(computed ? Result<DenseTensor>(std::move((*computed)[i])) : computed.error());
}

Result<std::vector<DenseTensor>> Programs::results(const trace::Segment &segment) {
  std::vector<DenseTensor> inputs;
  for (const trace::Handle &leaf : segment.leaves) {
    const trace::Stored &value = leaf->stored()->get();
    if (value.error)
      return *value.error;
    inputs.push_back(value.tensor);
  }
  PLIANT_TRY(Executable * executable, find(segment));
  if (!segment.integers.empty()) {
    std::vector<int64_t> carried{0};
    carried.insert(carried.end(), segment.integers.begin(), segment.integers.end());
    inputs.push_back(DenseTensor::borrow(DType::U8, std::move(carried), nullptr));
  }
  return executable->run(inputs);
}

} // namespace pliant::api
