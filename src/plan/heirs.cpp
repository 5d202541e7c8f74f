// SPDX-License-Identifier: Apache-2.0
// Which outputs may take the memory of which inputs. A kernel may write where it reads when it reads each element
// before it writes it, and no other element there: one access of the input, at the index at which it stores, and no
// fold.
#include "plan/heirs.h"
#include "group/schedule.h"
#include <algorithm>

namespace pliant::plan {
namespace {

class Heirs {
public:
  explicit Heirs(Program &program) : program(program), steps(numberedSteps(program)) {}

  void find() {
    for (size_t output = 0; output < program.outputs.size(); ++output)
      if (!program.outputs[output].list && !grows(output, &State::output))
        findFor(output);
    program.mayFail = std::any_of(steps.begin(), steps.end(), [&](const Step *step) {
      return step->kind != Step::Kind::Extents &&
             (step->kind != Step::Kind::Launch || mayFail(program.groups[step->group]));
    });
  }

private:
  Program &program;
  const std::vector<const Step *> steps;

  int rootOf(int buffer) const {
    while (program.buffers[buffer].storage == Buffer::Storage::Alias)
      buffer = program.buffers[buffer].index;
    return buffer;
  }
  bool grows(size_t argument, int State::*side) const {
    return std::any_of(program.states.begin(), program.states.end(),
                       [&](const State &state) { return state.*side == static_cast<int>(argument); });
  }
  /// How often the root of a buffer is among these.
  size_t uses(const std::vector<int> &buffers, int root) const {
    return static_cast<size_t>(
        std::count_if(buffers.begin(), buffers.end(), [&](int buffer) { return rootOf(buffer) == root; }));
  }
  bool reads(const Step &step, int root) const {
    return uses(step.inputs, root) || (step.condition >= 0 && rootOf(step.condition) == root);
  }

  void findFor(size_t output) {
    const int made = rootOf(program.outputBuffers[output]);
    const Buffer &buffer = program.buffers[made];
    if (buffer.storage != Buffer::Storage::Output || buffer.type.dtype == DType::String)
      return;
    size_t maker = steps.size();
    for (size_t i = 0; i < steps.size(); ++i)
      if (uses(steps[i]->outputs, made)) {
        if (maker < steps.size())
          return;
        maker = i;
      }
    const auto top = [&](const Step &step) { return &step == steps[maker]; }; // runs once
    if (maker == steps.size() || steps[maker]->kind != Step::Kind::Launch || steps[maker]->outputs.size() != 1 ||
        std::none_of(program.steps.begin(), program.steps.end(), top))
      return;
    for (size_t operand = 0; operand < steps[maker]->inputs.size(); ++operand) {
      const int from = rootOf(steps[maker]->inputs[operand]);
      const Buffer &given = program.buffers[from];
      if (given.storage != Buffer::Storage::Input || given.type.dtype == DType::String ||
          !(given.bytes() == buffer.bytes()) || grows(static_cast<size_t>(given.index), &State::input) ||
          uses(steps[maker]->inputs, from) != 1 || taken(given.index))
        continue;
      const bool later = std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(maker) + 1, steps.end(),
                                     [&](const Step *step) { return reads(*step, from); });
      if (!later && elementwise(program.groups[steps[maker]->group], static_cast<int>(operand))) {
        program.heirs.push_back({given.index, static_cast<int>(output)});
        return;
      }
    }
  }
  bool taken(int input) const {
    return std::any_of(program.heirs.begin(), program.heirs.end(),
                       [&](const Heir &heir) { return heir.input == input; });
  }

  /// Whether its kernel checks values: indices, divisors, exponents. Of kernels that are no loops over a group: yes.
  static bool mayFail(const Group &group) {
    const Result<Schedule> plan = schedule(group);
    return !plan || std::any_of(plan->instances.begin(), plan->instances.end(), [&](const Instance &instance) {
      if (instance.kind != Instance::Kind::Point)
        return instance.kind == Instance::Kind::GatherIndex;
      const GroupNode &node = group.node(instance.value);
      return !isFloat(node.type.dtype) &&
             (node.op == OpId::Div || node.op == OpId::Mod || node.op == OpId::Fmod || node.op == OpId::Pow);
    });
  }
  static bool elementwise(const Group &group, int operand) {
    const Result<Schedule> plan = schedule(group);
    if (!plan || plan->stores.size() != 1 || plan->contraction >= 0 || plan->hasReduced() || plan->phases)
      return false;
    size_t loads = 0;
    for (const Instance &instance : plan->instances)
      if (instance.kind == Instance::Kind::Load && instance.value == operand) {
        ++loads;
        if (!(instance.linear == plan->stores[0].linear))
          return false;
      }
    return loads == 1;
  }
};

} // namespace

void findHeirs(Program &program) { Heirs(program).find(); }

} // namespace pliant::plan
