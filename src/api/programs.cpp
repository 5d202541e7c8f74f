// SPDX-License-Identifier: Apache-2.0
#include "api/programs.h"
#include "api/compile.h"
#include "api/explain.h"
#include "api/observe.h"
#include "trace/cells.h"
#include "trace/roll.h"

namespace pliant::api {

Programs::Programs() : cells(std::make_unique<trace::Cells>()) {}
Programs::~Programs() { delete spare.load(); }

Programs &Programs::all() {
  static auto *programs = new Programs; // the worker's thread may run to the very end of the process
  return *programs;
}

std::shared_ptr<Programs::Known> Programs::known(const std::shared_ptr<const trace::Structure> &structure) {
  std::lock_guard lock(structure->memo.mutex);
  if (auto remembered = std::static_pointer_cast<Known>(structure->memo.known.lock());
      remembered && remembered->owner == this)
    return remembered;
  for (auto [at, end] = structures.equal_range(structure->hash); at != end; ++at)
    if (*at->second->structure == *structure) {
      structure->memo.known = at->second;
      return at->second;
    }
  auto made = std::make_shared<Known>();
  made->owner = this;
  made->structure = structure;
  structure->memo.known = made;
  if (structures.size() >= sweepAt)
    sweep();
  return structures.emplace(structure->hash, std::move(made))->second;
}

Result<std::shared_ptr<Executable>> Programs::find(Known &known, const trace::Instance &instance, int64_t most) {
  std::unique_lock lock(mutex);
  for (;; waitForCompile(lock)) {
    for (Kept::iterator &program : known.programs)
      if (program->guards.hold(instance.values)) {
        ++made.hits;
        observe::hit();
        std::swap(program, known.programs.front());
        kept.splice(kept.begin(), kept, known.programs.front());
        return kept.front().executable;
      }
    if (!known.compiling)
      break;
  }
  std::string reason = why(known, instance);
  if (made.compiles + compiling >= most)
    return userError("compile", "another program would be compiled, beyond the number that the scope allows: " + reason,
                     "", "explain() says what the known programs were made for");
  known.compiling = true;
  ++compiling;
  lock.unlock();
  const int64_t begin = observe::now();
  auto program = [&] {
    struct Ends { // also when memory runs out: others wait for it
      Programs &programs;
      Known &known;
      std::unique_lock<std::mutex> &lock;
      ~Ends() {
        lock.lock();
        known.compiling = false;
        --programs.compiling;
        programs.compiled.fetch_add(1, std::memory_order_release);
        programs.compiled.notify_all();
      }
    } ends{*this, known, lock};
    return make(known, instance);
  }();
  if (!program)
    return program.takeError();
  ++made.compiles;
  observe::compiled(begin, program->ops, program->loaded, instance.sites.empty() ? Site() : instance.sites.front(),
                    std::move(reason));
  const std::shared_ptr<Executable> executable = program->executable;
  if (threads > 0)
    executable->setThreads(threads, serialBelow);
  made.bytes += program->bytes;
  kept.push_front(std::move(*program));
  known.programs.insert(known.programs.begin(), kept.begin());
  makeRoom();
  return executable;
}

Result<std::shared_ptr<Executable>> Programs::find(Known &known, std::span<const Site> sites,
                                                   std::span<const DenseTensor> tensors,
                                                   std::span<const int64_t> integers, std::vector<int64_t> &numbers,
                                                   int64_t most) {
  trace::Instance instance(*known.structure, sites);
  instance.values.swap(numbers);
  instance.values.clear();
  size_t count = integers.size();
  for (const DenseTensor &tensor : tensors)
    count += tensor.dims().size();
  instance.values.reserve(count);
  for (const DenseTensor &tensor : tensors)
    instance.values.insert(instance.values.end(), tensor.dims().begin(), tensor.dims().end());
  instance.leafExtents = instance.values.size();
  instance.values.insert(instance.values.end(), integers.begin(), integers.end());
  auto found = find(known, instance, most);
  numbers.swap(instance.values);
  return found;
}

/// Without the mutex.
Result<Programs::Program> Programs::make(Known &known, const trace::Instance &instance) {
  PLIANT_TRY(trace::Trace trace, trace::generalize(instance));
  Program program{.of = known.shared_from_this(), .ops = static_cast<int64_t>(trace.ops.size())};
  std::vector<trace::Guard> guards = trace.fixed;
  guards.insert(guards.end(), trace.guards.begin(), trace.guards.end());
  program.guards = Guards(guards, instance.leafExtents, instance.values.size());
  program.conditions = std::move(guards);
  PLIANT_TRY(driver::Compiled output, compile(trace, {}));
  program.bytes = static_cast<int64_t>(output.image.size() + sizeof(uint64_t) * known.structure->words().size());
  program.loaded = output.cached;
  PLIANT_TRY(program.executable, Executable::load(output.program, output.image, {}, std::move(output.weights)));
  if (program.executable->fallbacks())
    for (const Step *step : numberedSteps(*output.program))
      if (isFallback(*step))
        observe::withoutKernel(info(step->op).name, trace::placeIn(step->place, instance.sites));
  return program;
}

void Programs::waitForCompile(std::unique_lock<std::mutex> &lock) {
  const uint32_t seen = compiled.load(std::memory_order_acquire);
  lock.unlock();
  compiled.wait(seen, std::memory_order_acquire);
  lock.lock();
}

void Programs::lock() {
  std::unique_lock lock(mutex);
  while (compiling)
    waitForCompile(lock);
  lock.release();
}

void Programs::limit(Limits to) {
  std::lock_guard lock(mutex);
  limits = to;
  makeRoom();
}

void Programs::setThreads(int count, int64_t below) {
  std::lock_guard lock(mutex);
  threads = count, serialBelow = below;
  for (const Program &program : kept)
    program.executable->setThreads(count, below);
}

Programs::Counts Programs::counts() {
  std::lock_guard lock(mutex);
  made.programs = static_cast<int64_t>(kept.size());
  made.structures = static_cast<int64_t>(structures.size());
  made.compiling = compiling;
  return made;
}

/// Gives programs up that were used longest ago. Those that run go when they have run.
void Programs::makeRoom() {
  constexpr size_t mostGone = 4096;
  while (kept.size() > 1 && (static_cast<int64_t>(kept.size()) > limits.programs || made.bytes > limits.bytes)) {
    const Kept::iterator oldest = std::prev(kept.end());
    if (gone.size() >= mostGone)
      gone.clear();
    gone.insert(oldest->of->structure->hash);
    std::erase(oldest->of->programs, oldest);
    made.bytes -= oldest->bytes;
    kept.erase(oldest);
    ++made.evictions;
    observe::evicted();
  }
}

/// Structures without a program that neither a plan nor a run has.
void Programs::sweep() {
  std::erase_if(structures,
                [](const auto &each) { return each.second.use_count() == 1 && each.second->programs.empty(); });
  sweepAt = looseStructures + 2 * structures.size();
}

std::string Programs::why(const Known &known, const trace::Instance &instance) const {
  if (!known.programs.empty())
    return doesNotHold(known.programs.front()->conditions, instance);
  if (gone.contains(known.structure->hash))
    return "the program of the same ops was given up, since it was used longest ago of more than are kept";
  Structures others;
  for (const auto &[hash, each] : structures)
    if (!each->programs.empty())
      others.push_back(each->structure.get());
  return differsFrom(others, instance);
}

void Programs::run(const trace::Segment &segment) {
  if (segment.results.empty())
    return;
  const int64_t begin = observe::now();
  bool divisible = false;
  auto computed = results(segment, divisible);
  std::vector<Result<DenseTensor>> apart;
  if (!computed && divisible)
    apart = resultsApart(segment);
  observe::ran(begin, segment.structure->code->ops, !computed);
  for (size_t i = 0; i < segment.results.size(); ++i)
    segment.results[i]->stored()->set(computed        ? Result<DenseTensor>(std::move((*computed)[i]))
                                      : apart.empty() ? Result<DenseTensor>(computed.error())
                                                      : std::move(apart[i]));
}

bool Programs::Known::inOnePiece() const { return plan->pieces.size() == 1 && plan->bodies[0].structure == structure; }

/// The segment's structure, with a plan.
std::shared_ptr<Programs::Known> Programs::planned(const trace::Segment &segment) {
  std::lock_guard lock(mutex);
  std::shared_ptr<Known> whole = known(segment.structure);
  if (!whole->plan)
    makePlan(whole, segment.integers);
  return whole;
}

/// How a segment runs. Loops that had better be straight code are that for the first number of trips that is seen.
void Programs::makePlan(const std::shared_ptr<Known> &segment, std::span<const int64_t> integers) {
  std::optional<trace::Plan> batched = cells->plan(segment->structure, integers);
  trace::Plan plan = batched ? std::move(*batched) : trace::roll(segment->structure, false);
  constexpr size_t mostDoubtful = 4096;
  if (plan.doubtful) {
    if (doubtful.size() >= mostDoubtful)
      doubtful.clear();
    trace::Plan eager = trace::roll(segment->structure, true);
    const auto first = doubtful.try_emplace(eager.shape, segment->structure->hash).first;
    if (first->second != segment->structure->hash)
      plan = std::move(eager);
  }
  setPlan(*segment, std::move(plan));
  if (segment->plan->pieces.size() > 1) {
    plans.push_back(segment);
    plannedOps += segment->structure->code->ops;
    forgetPlans();
  }
}

void Programs::setPlan(Known &segment, trace::Plan plan) {
  auto knownOf = [&](const std::shared_ptr<const trace::Structure> &structure) {
    return structure && structure != segment.structure ? known(structure) : nullptr;
  };
  for (const trace::Body &body : plan.bodies) {
    segment.bodies.push_back(knownOf(body.structure));
    segment.batches.push_back(body.batched ? knownOf(body.batched->structure) : nullptr);
  }
  segment.plan = std::make_shared<const trace::Plan>(std::move(plan));
}

/// Each tree is another segment: what they all share are the programs of their pieces.
void Programs::forgetPlans() {
  constexpr size_t mostOps = size_t(1) << 18, mostPlans = 1024;
  while ((plannedOps > mostOps || plans.size() > mostPlans) && plans.size() > 1) {
    const std::shared_ptr<Known> oldest = std::move(plans.front());
    plans.pop_front();
    plannedOps -= oldest->structure->code->ops;
    for (auto [at, end] = structures.equal_range(oldest->structure->hash); at != end; ++at)
      if (at->second == oldest && oldest->programs.empty()) {
        structures.erase(at);
        break;
      }
  }
}

} // namespace pliant::api
