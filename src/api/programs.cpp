// SPDX-License-Identifier: Apache-2.0
#include "api/programs.h"
#include "api/compile.h"
#include "api/explain.h"
#include "api/observe.h"
#include "runtime/block_pool.h"

namespace pliant::api {
namespace {

/// The tensors of a segment's leaves; numbers that lie in nodes get one block together.
Result<std::vector<DenseTensor>> tensorsOf(const std::vector<trace::Handle> &leaves) {
  constexpr size_t bytesEach = 8;
  std::vector<DenseTensor> tensors;
  tensors.reserve(leaves.size());
  std::shared_ptr<void> numbers;
  size_t used = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const trace::Node &leaf = *leaves[i].get();
    if (!leaf.isScalar()) {
      const trace::Stored &value = leaf.stored()->get();
      if (value.error)
        return *value.error;
      tensors.push_back(value.tensor);
      continue;
    }
    if (!numbers) {
      PLIANT_TRY(numbers, newBlock((leaves.size() - i) * bytesEach, "numbers"));
    }
    std::byte *at = static_cast<std::byte *>(numbers.get()) + bytesEach * used++;
    std::copy_n(leaf.number.data(), bytesEach, at);
    tensors.push_back(DenseTensor::borrow(leaf.dtype, {}, at, numbers));
  }
  return tensors;
}

} // namespace

Programs &Programs::all() {
  static Programs programs;
  return programs;
}

Programs::Known &Programs::known(const std::shared_ptr<const trace::Structure> &structure) {
  std::lock_guard lock(structure->memo.mutex);
  if (auto remembered = std::static_pointer_cast<Known>(structure->memo.known.lock());
      remembered && remembered->owner == this)
    return *remembered;
  for (auto [at, end] = structures.equal_range(structure->hash); at != end; ++at)
    if (*at->second->structure == *structure) {
      structure->memo.known = at->second;
      return *at->second;
    }
  auto made = std::make_shared<Known>();
  made->owner = this;
  made->structure = structure;
  structure->memo.known = made;
  return *structures.emplace(structure->hash, std::move(made))->second;
}

Result<Executable *> Programs::find(Known &known, const trace::Instance &instance) {
  for (auto &program : known.programs)
    if (program->guards.hold(instance.values)) {
      ++made.hits;
      observe::hit();
      std::swap(program, known.programs.front());
      return known.programs.front()->executable.get();
    }
  std::string reason = why(known, instance);
  if (made.compiles >= most)
    return userError("compile", "another program would be compiled, beyond the number that the scope allows: " + reason,
                     "", "explain() says what the known programs were made for");
  const int64_t begin = observe::now();
  PLIANT_TRY(trace::Trace trace, trace::generalize(instance));
  auto program = std::make_unique<Program>();
  std::vector<trace::Guard> guards = trace.fixed;
  guards.insert(guards.end(), trace.guards.begin(), trace.guards.end());
  program->guards = Guards(guards, instance.leafExtents, instance.values.size());
  program->conditions = std::move(guards);
  PLIANT_TRY(driver::Compiled output, compile(trace, {}));
  PLIANT_TRY(program->executable, Executable::load(output.program, output.image, {}, std::move(output.weights)));
  if (threads > 0)
    program->executable->setThreads(threads);
  ++made.compiles;
  observe::compiled(begin, static_cast<int64_t>(trace.ops.size()),
                    instance.sites.empty() ? Site() : instance.sites.front(), std::move(reason));
  known.programs.insert(known.programs.begin(), std::move(program));
  return known.programs.front()->executable.get();
}

std::string Programs::why(const Known &known, const trace::Instance &instance) const {
  if (!known.programs.empty())
    return doesNotHold(known.programs.front()->conditions, instance);
  Structures compiled;
  for (const auto &[hash, each] : structures)
    if (!each->programs.empty())
      compiled.push_back(each->structure.get());
  return differsFrom(compiled, instance);
}

Status Programs::prepare(const trace::Segment &segment) {
  if (segment.results.empty())
    return ok();
  std::lock_guard lock(mutex);
  Known &whole = known(segment.structure);
  if (!whole.plan)
    makePlan(whole);
  if (whole.plan->pieces.size() > 1) // a trip's extents are known when the one before has run
    return ok();
  auto found = find(whole, trace::Instance(segment));
  return found ? ok() : Status(found.takeError());
}

void Programs::run(const trace::Segment &segment) {
  if (segment.results.empty())
    return;
  const int64_t begin = observe::now();
  auto computed = results(segment);
  observe::ran(begin, segment.structure->code->ops, !computed);
  for (size_t i = 0; i < segment.results.size(); ++i)
    segment.results[i]->stored()->set(computed ? Result<DenseTensor>(std::move((*computed)[i])) : computed.error());
}

/// One run of a segment's plan.
class Programs::Run {
public:
  Run(Programs &programs, const Known &whole, const trace::Segment &segment, std::vector<DenseTensor> leaves)
      : programs(programs), whole(whole), plan(*whole.plan), segment(segment), leaves(std::move(leaves)),
        slots(plan.slots) {}

  Result<std::vector<DenseTensor>> run() {
    for (size_t p = 0; p < plan.pieces.size(); ++p) {
      const trace::Piece &piece = plan.pieces[p];
      if (Status status = run(piece); !status) {
        Error error = status.takeError();
        error.where = trace::placeIn(error.where, sitesFrom(piece));
        return error;
      }
      const size_t spent = p + 1 < plan.pieces.size() ? plan.pieces[p + 1].spent : plan.spent.size();
      for (size_t i = piece.spent; i < spent; ++i)
        slots[plan.spent[i]].release();
    }
    std::vector<DenseTensor> results;
    for (uint32_t slot : plan.outputs)
      results.push_back(slots[slot]);
    return results;
  }

private:
  Programs &programs;
  const Known &whole;
  const trace::Plan &plan;
  const trace::Segment &segment;
  const std::vector<DenseTensor> leaves;
  std::vector<DenseTensor> slots;
  std::vector<DenseTensor> inputs; ///< of the piece, and then of the next: what does not change between trips stays
  const trace::Piece *before = nullptr;
  std::vector<int64_t> numbers;

  std::span<const Site> sitesFrom(const trace::Piece &piece) const {
    return std::span<const Site>(*segment.sites).subspan(piece.op);
  }
  std::span<const int64_t> integersOf(const trace::Piece &piece) const {
    return std::span<const int64_t>(segment.integers).subspan(piece.integer, plan.bodies[piece.body].integers);
  }

  void takeInputs(const trace::Piece &piece) {
    const trace::Body &body = plan.bodies[piece.body];
    const bool again = before && before->body == piece.body;
    inputs.resize(body.leaves);
    for (uint32_t i = 0; i < body.leaves; ++i) {
      const uint32_t source = plan.sources[piece.source + i];
      if (!(source & trace::leafBit))
        inputs[i] = slots[source];
      else if (!again || plan.sources[before->source + i] != source)
        inputs[i] = leaves[source & ~trace::leafBit];
    }
    before = &piece;
  }

  Status run(const trace::Piece &piece) {
    const trace::Body &body = plan.bodies[piece.body];
    takeInputs(piece);
    std::vector<DenseTensor> outputs;
    switch (body.how) {
    case trace::Body::How::Program: {
      PLIANT_TRY(Executable * executable, program(piece));
      PLIANT_CHECK(executable->run(inputs, integersOf(piece), outputs));
      break;
    }
    case trace::Body::How::Concat: {
      PLIANT_TRY(DenseTensor joined, concat(inputs, body.axis));
      outputs.push_back(std::move(joined));
      break;
    }
    case trace::Body::How::Reshape: {
      const auto dims = integersOf(piece);
      outputs.push_back(DenseTensor::borrow(inputs[0].dtype(), {dims.begin(), dims.end()}, inputs[0].data(),
                                            std::make_shared<DenseTensor>(inputs[0])));
      break;
    }
    }
    for (uint32_t i = 0; i < body.results; ++i)
      if (const uint32_t target = plan.targets[piece.target + i]; target != trace::Plan::nowhere)
        slots[target] = std::move(outputs[i]);
    return ok();
  }

  /// The program of a piece for its numbers.
  Result<Executable *> program(const trace::Piece &piece) {
    const trace::Body &body = plan.bodies[piece.body];
    trace::Instance instance(*body.structure, sitesFrom(piece));
    instance.values.swap(numbers);
    instance.values.clear();
    for (uint32_t i = 0; i < body.leaves; ++i)
      instance.values.insert(instance.values.end(), inputs[i].dims().begin(), inputs[i].dims().end());
    instance.leafExtents = instance.values.size();
    const auto integers = integersOf(piece);
    instance.values.insert(instance.values.end(), integers.begin(), integers.end());
    std::lock_guard lock(programs.mutex);
    auto found = programs.find(*whole.bodies[piece.body], instance);
    numbers.swap(instance.values);
    return found;
  }

  static Result<DenseTensor> concat(std::span<const DenseTensor> parts, int64_t axis) {
    std::vector<int64_t> dims = parts[0].dims();
    const auto along = static_cast<size_t>(axis < 0 ? axis + parts[0].rank() : axis);
    for (const DenseTensor &part : parts.subspan(1))
      dims[along] += part.dims()[along];
    int64_t outer = 1;
    for (size_t i = 0; i < along; ++i)
      outer *= dims[i];
    PLIANT_TRY(DenseTensor joined, DenseTensor::allocate(parts[0].dtype(), std::move(dims)));
    std::byte *to = joined.as<std::byte>();
    for (int64_t row = 0; row < outer; ++row)
      for (const DenseTensor &part : parts) {
        const size_t bytes = part.bytes() / static_cast<size_t>(outer);
        std::copy_n(part.as<std::byte>() + bytes * static_cast<size_t>(row), bytes, to);
        to += bytes;
      }
    return joined;
  }
};

/// How a segment runs. Loops that had better be straight code are that for the first number of trips that is seen.
void Programs::makePlan(Known &segment) {
  trace::Plan plan = trace::roll(segment.structure, false);
  if (plan.doubtful) {
    trace::Plan eager = trace::roll(segment.structure, true);
    const auto first = doubtful.try_emplace(eager.shape, segment.structure->hash).first;
    if (first->second != segment.structure->hash)
      plan = std::move(eager);
  }
  for (const trace::Body &body : plan.bodies)
    segment.bodies.push_back(body.structure ? &known(body.structure) : nullptr);
  segment.plan = std::make_unique<const trace::Plan>(std::move(plan));
}

Result<std::vector<DenseTensor>> Programs::results(const trace::Segment &segment) {
  PLIANT_TRY(std::vector<DenseTensor> leaves, tensorsOf(segment.leaves));
  const Known *whole = nullptr;
  {
    std::lock_guard lock(mutex);
    Known &found = known(segment.structure);
    if (!found.plan)
      makePlan(found);
    made.loops += found.plan->pieces.size() > 1;
    whole = &found;
  }
  return Run(*this, *whole, segment, std::move(leaves)).run();
}

} // namespace pliant::api
