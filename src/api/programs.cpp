// SPDX-License-Identifier: Apache-2.0
#include "api/programs.h"
#include "api/compile.h"
#include "api/explain.h"
#include "api/observe.h"
#include "trace/cells.h"
#include "trace/roll.h"

namespace pliant::api {

Programs::Programs() : cells(std::make_unique<trace::Cells>()) {}
Programs::~Programs() = default;

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
  return structures.emplace(structure->hash, std::move(made))->second;
}

Result<Executable *> Programs::find(Known &known, const trace::Instance &instance, int64_t most) {
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
  const std::shared_ptr<Known> whole = known(segment.structure);
  if (!whole->plan)
    makePlan(whole, segment.integers);
  if (whole->plan->pieces.size() > 1) // a trip's extents are known when the one before has run
    return ok();
  auto found = find(*whole, trace::Instance(segment), most);
  return found ? ok() : Status(found.takeError());
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

/// How a segment runs. Loops that had better be straight code are that for the first number of trips that is seen.
void Programs::makePlan(const std::shared_ptr<Known> &segment, std::span<const int64_t> integers) {
  std::optional<trace::Plan> batched = cells->plan(segment->structure, integers);
  trace::Plan plan = batched ? std::move(*batched) : trace::roll(segment->structure, false);
  if (plan.doubtful) {
    trace::Plan eager = trace::roll(segment->structure, true);
    const auto first = doubtful.try_emplace(eager.shape, segment->structure->hash).first;
    if (first->second != segment->structure->hash)
      plan = std::move(eager);
  }
  setPlan(*segment, std::move(plan));
  if (segment->plan->pieces.size() > 1) {
    planned.push_back(segment);
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
  constexpr size_t mostOps = size_t(1) << 18;
  while (plannedOps > mostOps && planned.size() > 1) {
    const std::shared_ptr<Known> oldest = std::move(planned.front());
    planned.pop_front();
    plannedOps -= oldest->structure->code->ops;
    for (auto [at, end] = structures.equal_range(oldest->structure->hash); at != end; ++at)
      if (at->second == oldest && oldest->programs.empty()) {
        structures.erase(at);
        break;
      }
  }
}

} // namespace pliant::api
