// SPDX-License-Identifier: Apache-2.0
// Runs a segment piece by piece, pieces of a wave together.
#include "api/observe.h"
#include "api/programs.h"
#include "trace/apart.h"

namespace pliant::api {

/// Marks leaves whose memory a result may take: nobody but the segment has them. What they were is gone with the run,
/// so none when its values may be wrong: then whatever does not depend on the wrong one is computed again.
static std::vector<uint8_t> giveUp(const Program &program, const std::vector<trace::Handle> &leaves) {
  std::vector<uint8_t> spent;
  if (program.mayFail)
    return spent;
  for (const Heir &heir : program.heirs) {
    const auto input = static_cast<size_t>(heir.input);
    if (input >= leaves.size()) // the numbers
      continue;
    const trace::Node &leaf = *leaves[input].get();
    if (leaf.isScalar() || leaf.handles.load(std::memory_order_acquire) != 1)
      continue;
    leaf.stored()->tensor.release();
    spent.resize(leaves.size());
    spent[input] = 1;
  }
  return spent;
}

/// Runs a program, and says what it did.
static Status perform(Executable &executable, const std::vector<DenseTensor> &inputs, std::span<const int64_t> integers,
                      std::vector<DenseTensor> &outputs, std::span<const uint8_t> spent = {}) {
  PLIANT_CHECK(executable.run(inputs, integers, outputs, spent));
  int64_t donations = 0;
  for (const Heir &heir : spent.empty() ? std::span<const Heir>() : std::span<const Heir>(executable.program().heirs))
    if (const auto input = static_cast<size_t>(heir.input); input < spent.size() && spent[input])
      donations += outputs[static_cast<size_t>(heir.output)].data() == inputs[input].data();
  observe::launched(executable.launches(), executable.fallbacks(), donations);
  return ok();
}

/// A tensor of which only type and extents count.
static DenseTensor outline(DType dtype, std::vector<int64_t> dims) {
  return DenseTensor::borrow(dtype, std::move(dims), nullptr);
}

/// What a program would give for operands of these extents.
static Status outlines(const Program &program, const std::vector<DenseTensor> &inputs,
                       std::span<const int64_t> integers, std::vector<DenseTensor> &outputs) {
  auto valueOf = [&](const std::string &symbol) -> std::optional<int64_t> {
    for (size_t i = 0; i < program.inputs.size(); ++i)
      for (size_t axis = 0; axis < program.inputs[i].type.shape.size(); ++axis)
        if (program.inputs[i].type.shape[axis].symbolName() == symbol)
          return i < inputs.size() ? inputs[i].dims()[axis] : axis ? integers[axis - 1] : 0;
    return std::nullopt;
  };
  for (const Argument &output : program.outputs) {
    std::vector<int64_t> dims;
    for (const Expr &extent : output.type.shape) {
      PLIANT_TRY(const int64_t value, extent.evaluate(valueOf));
      dims.push_back(value);
    }
    outputs.push_back(outline(output.type.dtype, std::move(dims)));
  }
  return ok();
}

/// One run of a segment's plan. A dry one makes the programs that the run would need, on outlines of tensors: extents
/// follow from those of the leaves.
class Programs::Run {
public:
  Run(Programs &programs, Known &whole, const trace::Segment &segment, std::vector<DenseTensor> leaves,
      bool dry = false)
      : programs(programs), whole(whole), plan(*whole.plan), segment(segment), leaves(std::move(leaves)),
        slots(plan.slots), given(plan.slots), dry(dry) {
    for (uint32_t slot : plan.outputs)
      if (slot != trace::Plan::nowhere)
        given[slot] = true;
  }

  bool refused = false; ///< what has failed is the making of a program, not an op

  Result<std::vector<DenseTensor>> run() {
    for (size_t p = 0, next; p < plan.pieces.size(); p = next) {
      const trace::Piece &piece = plan.pieces[p];
      next = waveEnd(p);
      Result<bool> together = next - p > 1 || whole.batches[piece.body] ? runTogether(p, next) : Result<bool>(false);
      for (size_t each = p; together && !*together && each < next; ++each) {
        Status status = run(plan.pieces[each]);
        if (!status)
          return located(status.takeError(), plan.pieces[each]);
        for (uint32_t slot : spentBy(each))
          slots[slot].release();
      }
      if (!together)
        return located(together.takeError(), piece);
    }
    std::vector<DenseTensor> results;
    for (uint32_t slot : plan.outputs)
      results.push_back(std::move(slots[slot]));
    return results;
  }

  /// Of a plan op by op: goes on behind an error, with whatever does not depend on it.
  std::vector<Result<DenseTensor>> runApart(std::span<const uint32_t> failedBy) {
    most = INT64_MAX;
    std::vector<std::shared_ptr<const Error>> failed(plan.slots);
    for (size_t p = 0; p < plan.pieces.size(); ++p) {
      const trace::Piece &piece = plan.pieces[p];
      std::shared_ptr<const Error> error;
      for (uint32_t i = 0, n = plan.bodies[piece.body].leaves; i < n && !error; ++i)
        if (const uint32_t source = plan.sources[piece.source + i]; !(source & trace::leafBit))
          error = failed[source];
      if (!error)
        if (Status status = run(piece); !status)
          error = std::make_shared<const Error>(located(status.takeError(), piece).at(trace::str(sitesFrom(piece)[0])));
      for (uint32_t i = 0, n = plan.bodies[piece.body].results; i < n; ++i)
        if (const uint32_t target = plan.targets[piece.target + i]; target != trace::Plan::nowhere)
          failed[target] = error;
      for (uint32_t slot : spentBy(p))
        slots[slot].release();
    }
    std::vector<Result<DenseTensor>> results;
    for (size_t i = 0; i < plan.outputs.size(); ++i) {
      const uint32_t slot = plan.outputs[i];
      if (failedBy[i] != trace::Division::nobody)
        results.emplace_back(*segment.leaves[failedBy[i]]->stored()->error);
      else if (failed[slot])
        results.emplace_back(*failed[slot]);
      else
        results.emplace_back(std::move(slots[slot]));
    }
    return results;
  }

private:
  Programs &programs;
  Known &whole;
  const trace::Plan &plan;
  const trace::Segment &segment;
  const std::vector<DenseTensor> leaves;
  std::vector<DenseTensor> slots;
  std::vector<bool> given;         ///< slots of what a user gets
  std::vector<DenseTensor> inputs; ///< of the piece, and then of the next: what does not change between trips stays
  const bool dry;
  const trace::Piece *before = nullptr;
  std::vector<uint8_t> spent; ///< of the inputs: those that are read for the last time
  std::vector<int64_t> numbers;
  int64_t most = programs.most; ///< compiles so far that are no error

  size_t waveEnd(size_t p) const {
    size_t end = p + 1;
    while (plan.pieces[p].wave && end < plan.pieces.size() && plan.pieces[end].wave == plan.pieces[p].wave)
      ++end;
    return end;
  }
  std::span<const uint32_t> spentBy(size_t p) const {
    const size_t end = p + 1 < plan.pieces.size() ? plan.pieces[p + 1].spent : plan.spent.size();
    return std::span<const uint32_t>(plan.spent).subspan(plan.pieces[p].spent, end - plan.pieces[p].spent);
  }
  Error located(Error error, const trace::Piece &piece) const {
    error.where = trace::placeIn(error.where, sitesFrom(piece));
    return error;
  }
  std::span<const Site> sitesFrom(const trace::Piece &piece) const {
    return std::span<const Site>(*segment.sites).subspan(piece.op);
  }
  std::span<const int64_t> integersOf(const trace::Piece &piece) const {
    return std::span<const int64_t>(segment.integers).subspan(piece.integer, plan.bodies[piece.body].integers);
  }

  /// What nothing reads later is handed over, so that a result may take its memory.
  void takeInputs(const trace::Piece &piece) {
    const trace::Body &body = plan.bodies[piece.body];
    const bool again = before && before->body == piece.body;
    inputs.resize(body.leaves);
    spent.assign(body.leaves, 0);
    const auto sources = std::span<const uint32_t>(plan.sources).subspan(piece.source, body.leaves);
    const auto last = spentBy(static_cast<size_t>(&piece - plan.pieces.data()));
    for (uint32_t i = 0; i < body.leaves; ++i) {
      const uint32_t source = sources[i];
      if (!(source & trace::leafBit)) {
        spent[i] = std::ranges::count(last, source) > 0 && std::ranges::count(sources, source) == 1;
        if (spent[i])
          inputs[i] = std::move(slots[source]);
        else
          inputs[i] = slots[source];
      } else if (!again || plan.sources[before->source + i] != source)
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
      PLIANT_TRY(const auto executable, program(whole.bodies[piece.body] ? *whole.bodies[piece.body] : whole,
                                                sitesFrom(piece), inputs, integersOf(piece)));
      PLIANT_CHECK(compute(*executable, inputs, integersOf(piece), outputs));
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
    case trace::Body::How::Slice: {
      PLIANT_TRY(DenseTensor part, slice(inputs[0], integersOf(piece)));
      outputs.push_back(std::move(part));
      break;
    }
    case trace::Body::How::Fill: {
      PLIANT_TRY(DenseTensor filled, fill(inputs[0], integersOf(piece)));
      outputs.push_back(std::move(filled));
      break;
    }
    }
    for (uint32_t i = 0; i < body.results; ++i)
      if (const uint32_t target = plan.targets[piece.target + i]; target != trace::Plan::nowhere)
        slots[target] = std::move(outputs[i]);
    return ok();
  }

  /// Gives up the inputs that are `spent`.
  Status compute(Executable &executable, const std::vector<DenseTensor> &tensors, std::span<const int64_t> integers,
                 std::vector<DenseTensor> &outputs) const {
    return dry ? outlines(executable.program(), tensors, integers, outputs)
               : perform(executable, tensors, integers, outputs, spent);
  }

  const DenseTensor &source(const trace::Piece &piece, size_t leaf) const {
    const uint32_t source = plan.sources[piece.source + leaf];
    return source & trace::leafBit ? leaves[source & ~trace::leafBit] : slots[source];
  }

  /// The pieces [from, to), of one body, as one run of its program for many; false when what they read does not allow
  /// it: extents or numbers differ, or more would be copied than launches cost.
  Result<bool> runTogether(size_t from, size_t to) {
    const trace::Piece &first = plan.pieces[from];
    const trace::Body &body = plan.bodies[first.body];
    if (!body.batched)
      return false;
    const trace::Batched &batched = *body.batched;
    const auto count = static_cast<int64_t>(to - from);
    const auto numbersOfFirst = integersOf(first);
    for (size_t p = from + 1; p < to; ++p) {
      const auto own = integersOf(plan.pieces[p]);
      if (!std::equal(own.begin(), own.end(), numbersOfFirst.begin()))
        return false;
    }
    for (size_t leaf = 0; leaf < batched.leaves.size(); ++leaf)
      for (size_t p = from; p < to; ++p)
        if (!fits(first, plan.pieces[p], leaf, batched.leaves[leaf]))
          return false;
    before = nullptr;
    std::vector<DenseTensor> together;
    for (size_t leaf = 0; leaf < batched.leaves.size(); ++leaf) {
      if (batched.leaves[leaf] == trace::Batched::shared) {
        together.push_back(source(first, leaf));
        continue;
      }
      PLIANT_TRY(DenseTensor gathered, gather(from, to, leaf, batched.leaves[leaf]));
      together.push_back(std::move(gathered));
    }
    std::vector<DenseTensor> read; // stays alive: it may be read in place
    for (size_t p = from; p < to; ++p)
      for (uint32_t slot : spentBy(p))
        read.push_back(std::move(slots[slot]));
    std::vector<int64_t> integers;
    for (int64_t number : batched.numbers)
      integers.push_back(number == trace::Batched::count  ? count
                         : number == trace::Batched::zero ? 0
                                                          : numbersOfFirst[static_cast<size_t>(number)]);
    PLIANT_TRY(const auto executable, program(*whole.batches[first.body], sitesFrom(first), together, integers));
    std::vector<DenseTensor> outputs;
    spent.clear();
    PLIANT_CHECK(compute(*executable, together, integers, outputs));
    for (uint32_t i = 0; i < body.results; ++i)
      PLIANT_CHECK(scatter(from, to, i, outputs[i], batched.results[i]));
    if (dry)
      return true;
    std::lock_guard lock(programs.mutex);
    ++programs.made.waves;
    return true;
  }

  bool fits(const trace::Piece &first, const trace::Piece &piece, size_t leaf, int axes) const {
    constexpr size_t mostBytes = size_t(1) << 16;
    if (axes == trace::Batched::shared)
      return plan.sources[piece.source + leaf] == plan.sources[first.source + leaf];
    const DenseTensor &tensor = source(piece, leaf);
    return tensor.dims() == source(first, leaf).dims() && tensor.bytes() <= mostBytes;
  }

  /// What the pieces read as one of their leaves, one after the other: in place when it lies like that.
  Result<DenseTensor> gather(size_t from, size_t to, size_t leaf, int axes) {
    const DenseTensor &first = source(plan.pieces[from], leaf);
    std::vector<int64_t> dims{static_cast<int64_t>(to - from)};
    dims.insert(dims.end(), static_cast<size_t>(axes), 1);
    dims.insert(dims.end(), first.dims().begin(), first.dims().end());
    if (dry)
      return outline(first.dtype(), std::move(dims));
    const size_t bytes = first.bytes();
    bool inPlace = true;
    for (size_t p = from; p < to && inPlace; ++p)
      inPlace = source(plan.pieces[p], leaf).data() == first.as<std::byte>() + bytes * (p - from);
    if (inPlace)
      return DenseTensor::borrow(first.dtype(), std::move(dims), first.data());
    PLIANT_TRY(DenseTensor gathered, DenseTensor::allocate(first.dtype(), std::move(dims)));
    for (size_t p = from; p < to; ++p)
      std::copy_n(source(plan.pieces[p], leaf).as<std::byte>(), bytes, gathered.as<std::byte>() + bytes * (p - from));
    return gathered;
  }

  /// To each piece its part of a result: as a part of the memory of all, unless a user gets it.
  Status scatter(size_t from, size_t to, uint32_t result, const DenseTensor &all, bool varied) {
    std::vector<int64_t> dims(all.dims().begin() + varied, all.dims().end());
    const size_t bytes = varied ? all.bytes() / (to - from) : all.bytes();
    const auto keep = std::make_shared<DenseTensor>(all);
    for (size_t p = from; p < to; ++p) {
      const uint32_t target = plan.targets[plan.pieces[p].target + result];
      if (target == trace::Plan::nowhere)
        continue;
      if (dry) {
        slots[target] = outline(all.dtype(), dims);
        continue;
      }
      std::byte *part = all.as<std::byte>() + (varied ? bytes * (p - from) : 0);
      if (given[target]) {
        PLIANT_TRY(slots[target], DenseTensor::allocate(all.dtype(), dims));
        std::copy_n(part, bytes, slots[target].as<std::byte>());
      } else {
        slots[target] = DenseTensor::borrow(all.dtype(), dims, part, keep);
      }
    }
    return ok();
  }

  /// The program of a piece for its operands and integers.
  Result<std::shared_ptr<Executable>> program(Known &known, std::span<const Site> sites,
                                              std::span<const DenseTensor> tensors, std::span<const int64_t> integers) {
    auto found = programs.find(known, sites, tensors, integers, numbers, most);
    refused = !found;
    return found;
  }

  /// `numbers`: starts, then sizes. A stretch of rows shares the memory.
  Result<DenseTensor> slice(const DenseTensor &whole, std::span<const int64_t> numbers) const {
    const auto rank = static_cast<size_t>(whole.rank());
    const auto starts = numbers.first(rank), sizes = numbers.subspan(rank, rank);
    std::vector<int64_t> dims(sizes.begin(), sizes.end());
    if (dry)
      return outline(whole.dtype(), std::move(dims));
    // Behind `axis` everything is taken; along it a stretch.
    size_t axis = rank ? rank - 1 : 0;
    while (axis > 0 && sizes[axis] == whole.dims()[axis])
      --axis;
    std::vector<int64_t> strides(rank); // in bytes
    auto stride = static_cast<int64_t>(byteSize(whole.dtype()));
    for (size_t i = rank; i-- > 0; stride *= whole.dims()[i])
      strides[i] = stride;
    int64_t offset = 0; // of an empty part starts may be anywhere
    for (size_t i = 0; i < rank && std::find(dims.begin(), dims.end(), 0) == dims.end(); ++i)
      offset += starts[i] * strides[i];
    const std::byte *from = whole.as<std::byte>() + offset;
    if (axis == 0)
      return DenseTensor::borrow(whole.dtype(), std::move(dims), const_cast<std::byte *>(from),
                                 std::make_shared<DenseTensor>(whole));
    PLIANT_TRY(DenseTensor part, DenseTensor::allocate(whole.dtype(), std::move(dims)));
    const auto run = static_cast<size_t>(sizes[axis] * strides[axis]); // none when the part is empty
    std::vector<int64_t> at(axis);                                     // of the axes before
    for (size_t to = 0; to < part.bytes(); to += run) {
      int64_t row = 0;
      for (size_t i = 0; i < axis; ++i)
        row += at[i] * strides[i];
      std::copy_n(from + row, run, part.as<std::byte>() + to);
      for (size_t i = axis; i-- > 0 && ++at[i] == sizes[i];)
        at[i] = 0;
    }
    return part;
  }

  Result<DenseTensor> fill(const DenseTensor &number, std::span<const int64_t> extents) const {
    std::vector<int64_t> dims(extents.begin(), extents.end());
    if (dry)
      return outline(number.dtype(), std::move(dims));
    PLIANT_TRY(DenseTensor filled, DenseTensor::allocate(number.dtype(), std::move(dims)));
    std::byte *to = filled.as<std::byte>();
    for (size_t done = 0, next = number.bytes(); done < filled.bytes(); done += next) { // what is there, twice
      next = std::min(done ? done : next, filled.bytes() - done);
      std::copy_n(done ? to : number.as<std::byte>(), next, to + done);
    }
    return filled;
  }

  Result<DenseTensor> concat(std::span<const DenseTensor> parts, int64_t axis) const {
    std::vector<int64_t> dims = parts[0].dims();
    const auto along = static_cast<size_t>(axis < 0 ? axis + parts[0].rank() : axis);
    for (const DenseTensor &part : parts.subspan(1))
      dims[along] += part.dims()[along];
    if (dry)
      return outline(parts[0].dtype(), std::move(dims));
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

/// The tensors of a segment's leaves. Most segments are like the last one, whose tensors have room for these extents.
class Programs::Leaves {
public:
  explicit Leaves(Programs &programs)
      : programs(programs), tensors(programs.spare.exchange(nullptr, std::memory_order_acquire)) {
    if (!tensors)
      tensors = std::make_unique<std::vector<DenseTensor>>();
  }
  ~Leaves() {
    for (DenseTensor &tensor : *tensors)
      tensor.release();
    tensors.reset(programs.spare.exchange(tensors.release(), std::memory_order_acq_rel));
  }
  Leaves(const Leaves &) = delete;
  Leaves &operator=(const Leaves &) = delete;
  std::vector<DenseTensor> &operator*() { return *tensors; }

private:
  Programs &programs;
  std::unique_ptr<std::vector<DenseTensor>> tensors;
};

Result<std::vector<DenseTensor>> Programs::results(const trace::Segment &segment, bool &divisible) {
  std::vector<bool> failed;
  Leaves own(*this);
  std::vector<DenseTensor> &leaves = *own;
  PLIANT_CHECK(tensorsOf(segment.leaves, failed, leaves));
  if (const auto first = std::find(failed.begin(), failed.end(), true); first != failed.end()) {
    divisible = true;
    return *segment.leaves[static_cast<size_t>(first - failed.begin())]->stored()->error;
  }
  const std::shared_ptr<Known> whole = planned(segment);
  if (whole->plan->pieces.size() > 1) {
    std::lock_guard lock(mutex);
    ++made.loops;
  }
  bool refused = false; // what has failed is the making of a program, not an op
  bool gone = false;    // a leaf's memory was given up
  auto computed = [&]() -> Result<std::vector<DenseTensor>> {
    if (!whole->inOnePiece()) {
      Run run(*this, *whole, segment, std::move(leaves));
      auto results = run.run();
      refused = run.refused;
      return results;
    }
    // All in one piece, which reads the leaves as they are and gives the results in their order.
    std::vector<int64_t> numbers;
    auto executable = find(*whole, *segment.sites, leaves, segment.integers, numbers, most);
    refused = !executable;
    std::vector<DenseTensor> outputs;
    std::vector<uint8_t> spent;
    if (executable)
      spent = giveUp((*executable)->program(), segment.leaves);
    gone = !spent.empty();
    Status ran =
        executable ? perform(**executable, leaves, segment.integers, outputs, spent) : Status(executable.takeError());
    if (ran)
      return outputs;
    Error error = ran.takeError();
    error.where = trace::placeIn(error.where, *segment.sites);
    return error;
  }();
  // A single value with an error that says where is all there is to know.
  divisible = !computed && !refused && !gone && computed.error().kind != Error::Kind::Internal &&
              (segment.results.size() > 1 || computed.error().where.empty());
  return computed;
}

Status Programs::prepare(const trace::Segment &segment) {
  if (segment.results.empty())
    return ok();
  const std::shared_ptr<Known> whole = planned(segment);
  if (whole->inOnePiece()) {
    auto found = find(*whole, trace::Instance(segment), most);
    return found ? ok() : Status(found.takeError());
  }
  std::vector<DenseTensor> leaves;
  for (const trace::Handle &leaf : segment.leaves)
    leaves.push_back(outline(leaf->dtype, {leaf->dims().begin(), leaf->dims().end()}));
  auto results = Run(*this, *whole, segment, std::move(leaves), true).run();
  return results ? ok() : Status(results.takeError());
}

std::vector<Result<DenseTensor>> Programs::resultsApart(const trace::Segment &segment) {
  std::vector<bool> failed;
  std::vector<DenseTensor> leaves;
  if (const Status given = tensorsOf(segment.leaves, failed, leaves); !given) {
    std::vector<Result<DenseTensor>> none;
    for (size_t i = 0; i < segment.results.size(); ++i)
      none.emplace_back(given.error());
    return none;
  }
  trace::Apart apart = trace::apart(segment.structure, failed);
  Known opByOp; // of no structure: all programs are those of the ops
  {
    std::lock_guard lock(mutex);
    setPlan(opByOp, std::move(apart.plan));
  }
  return Run(*this, opByOp, segment, std::move(leaves)).runApart(apart.failedBy);
}

} // namespace pliant::api
