// SPDX-License-Identifier: Apache-2.0
#include "api/programs.h"
#include "api/compile.h"
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
  if (made.compiles >= most)
    return userError("compile", "another program would be compiled, beyond the number that the scope allows", "",
                     "explain() says what the known programs were made for");
  const int64_t begin = observe::now();
  PLIANT_TRY(trace::Trace trace, trace::generalize(instance));
  auto program = std::make_unique<Program>();
  std::vector<trace::Guard> guards = trace.fixed;
  guards.insert(guards.end(), trace.guards.begin(), trace.guards.end());
  program->guards = Guards(guards, instance.leafExtents, instance.values.size());
  PLIANT_TRY(driver::Compiled output, compile(trace, {}));
  PLIANT_TRY(program->executable, Executable::load(output.program, output.image, {}, std::move(output.weights)));
  ++made.compiles;
  observe::compiled(begin, static_cast<int64_t>(trace.ops.size()), "");
  known.programs.insert(known.programs.begin(), std::move(program));
  return known.programs.front()->executable.get();
}

Status Programs::prepare(const trace::Segment &segment) {
  if (segment.results.empty())
    return ok();
  std::lock_guard lock(mutex);
  auto found = find(known(segment.structure), trace::Instance(segment));
  return found ? ok() : Status(found.takeError());
}

void Programs::run(const trace::Segment &segment) {
  if (segment.results.empty())
    return;
  const int64_t begin = observe::now();
  auto computed = results(segment);
  observe::ran(begin, segment.structure->code->ops, !computed);
  if (!computed) {
    Error error = computed.takeError();
    error.where = trace::placeIn(error.where, *segment.sites);
    for (const trace::Handle &result : segment.results)
      result->stored()->set(error);
    return;
  }
  for (size_t i = 0; i < segment.results.size(); ++i)
    segment.results[i]->stored()->set(std::move((*computed)[i]));
}

Result<std::vector<DenseTensor>> Programs::results(const trace::Segment &segment) {
  PLIANT_TRY(std::vector<DenseTensor> inputs, tensorsOf(segment.leaves));
  Executable *executable = nullptr;
  {
    std::lock_guard lock(mutex);
    PLIANT_TRY(executable, find(known(segment.structure), trace::Instance(segment)));
  }
  if (!segment.integers.empty()) {
    std::vector<int64_t> carried{0};
    carried.insert(carried.end(), segment.integers.begin(), segment.integers.end());
    inputs.push_back(DenseTensor::numbers(std::move(carried)));
  }
  return executable->run(inputs);
}

} // namespace pliant::api
