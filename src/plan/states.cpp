// SPDX-License-Identifier: Apache-2.0
// Which appends may grow in place, and strides for those who read them.
#include "plan/states.h"
#include "group/schedule.h"
#include "group/tiles.h"
#include <set>

namespace pliant::plan {
namespace {

using Storage = Buffer::Storage;
struct Room {
  size_t axis;
  std::string symbol;
};
using Rooms = std::map<int, Room>; // by buffer

Extents withRoom(Extents shape, const Room &room) {
  shape[room.axis] = Expr::symbol(room.symbol);
  return shape;
}

class States {
public:
  explicit States(Program &program) : program(program) {
    walk(program.steps);
    for (const auto &[symbol, slot] : symbolSlots(program).symbols)
      taken.insert(symbol);
    for (const Group &group : program.groups)
      groupByText.emplace(group.text(), static_cast<int>(groupByText.size()));
  }

  void add(const Append &append) {
    const Buffer &from = program.buffers[append.from], &to = program.buffers[append.to];
    if (from.type.dtype == DType::String) // what a state holds outlives the run; the run's texts do not
      return;
    Step *copy = nullptr;
    const std::vector<Step> *block = nullptr;
    for (std::vector<Step> *each : blocks)
      for (Step &step : *each)
        if (!copy && step.kind == Step::Kind::Launch && !step.past && program.groups[step.group].nodes.empty() &&
            step.inputs == std::vector{append.from} && step.outputs == std::vector{append.to})
          copy = &step, block = each;
    if (!copy)
      return;
    const bool outer = block == &program.steps && isArgument(from, to);
    if (!outer && !isCarried(append, *block))
      return;
    State state{from.index, to.index, append.axis, {}, {}};
    auto sameInput = std::find_if(program.states.begin(), program.states.end(),
                                  [&](const State &other) { return outer && other.input == state.input; });
    state.from = sameInput != program.states.end() ? sameInput->from
                 : outer                           ? fresh("room." + program.inputs[from.index].name)
                                                   : fresh("room");
    state.to = fresh(outer ? "room." + program.outputs[to.index].name : "room");
    Rooms wanted = rooms;
    if (!spread(append.from, append.axis, state.from, wanted) || !spread(append.to, append.axis, state.to, wanted))
      return;
    for (const auto &[step, buffers] : uses)
      if (reads(buffers, wanted) && !fits(*step, wanted))
        return;
    copy->past = true;
    if (outer)
      program.states.push_back(std::move(state));
    else
      program.carried.push_back({append.from, append.to, append.axis, state.from, state.to});
    rooms = std::move(wanted);
  }

  void finish() {
    if (rooms.empty())
      return;
    for (const auto &[buffer, room] : rooms)
      program.buffers[buffer].room = withRoom(program.buffers[buffer].type.shape, room);
    for (const auto &[step, buffers] : uses)
      if (step->kind == Step::Kind::Launch && reads(buffers, rooms))
        replace(*step);
    dropUnused();
  }

private:
  Program &program;
  std::vector<std::vector<Step> *> blocks;
  std::vector<std::pair<Step *, std::vector<int>>> uses; // steps in order, and the buffers they name
  std::set<std::string> taken;
  std::map<std::string, int> groupByText;
  Rooms rooms;

  void walk(std::vector<Step> &steps) {
    blocks.push_back(&steps);
    for (Step &step : steps) { // depth is that of nested regions, which the importer bounds
      std::vector<int> buffers = step.inputs;
      buffers.insert(buffers.end(), step.outputs.begin(), step.outputs.end());
      if (step.condition >= 0)
        buffers.push_back(step.condition);
      uses.emplace_back(&step, std::move(buffers));
      walk(step.thenSteps);
      walk(step.elseSteps);
      walk(step.body);
    }
  }

  /// From an input to an output that nothing else has grown into.
  bool isArgument(const Buffer &from, const Buffer &to) const {
    return from.storage == Storage::Input && to.storage == Storage::Output &&
           program.outputs[to.index].type.shape == to.type.shape &&
           std::none_of(program.states.begin(), program.states.end(),
                        [&](const State &other) { return other.output == to.index; });
  }

  /// At the end of the block, a trip of a loop, the one becomes the other.
  bool isCarried(const Append &append, const std::vector<Step> &block) const {
    for (const CarriedState &other : program.carried)
      if (other.handed == append.from || other.made == append.to)
        return false;
    for (const Step &step : block)
      for (size_t i = 0; step.kind == Step::Kind::Share && !step.flag && i < step.inputs.size(); ++i)
        if (step.inputs[i] == append.to && step.outputs[i] == append.from)
          return program.buffers[append.from].storage == Storage::Dynamic &&
                 program.buffers[append.to].storage == Storage::Dynamic;
    return false;
  }

  std::string fresh(const std::string &what) {
    std::string name = what;
    for (int i = 1; !taken.insert(name).second; ++i)
      name = what + "." + std::to_string(i);
    return name;
  }

  /// The room of a buffer and of all that are the same memory under another shape. False where one of these shapes does
  /// not keep the axis.
  bool spread(int buffer, int64_t axis, const std::string &symbol, Rooms &wanted) const {
    std::map<int, size_t> axes{{buffer, static_cast<size_t>(axis)}};
    for (size_t i = 0; i < program.buffers.size(); ++i) { // an alias comes after what it is one of
      const Buffer &each = program.buffers[i];
      auto root = each.storage == Storage::Alias ? axes.find(each.index) : axes.end();
      if (root == axes.end())
        continue;
      const Extents &shape = program.buffers[root->first].type.shape, &mine = each.type.shape;
      auto before = [](const Extents &of, size_t end) {
        return product(Extents(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(end)));
      };
      size_t place = 0;
      while (place < mine.size() &&
             !(mine[place] == shape[root->second] && before(mine, place) == before(shape, root->second)))
        ++place;
      if (place == mine.size())
        return false;
      axes[static_cast<int>(i)] = place;
    }
    for (const auto &[each, at] : axes)
      wanted[each] = {at, symbol};
    return true;
  }

  static bool reads(const std::vector<int> &buffers, const Rooms &of) {
    return std::any_of(buffers.begin(), buffers.end(), [&](int buffer) { return of.contains(buffer); });
  }

  /// The group of a launch with these rooms, in the program's symbols.
  Group groupOf(const Step &step, const Rooms &with) const {
    Group group = mapExprs(program.groups[step.group], [&](const Expr &e) {
      return e.substitute([&](const std::string &symbol) -> std::optional<Expr> {
        return Expr::symbol(step.symbols[std::stoul(symbol.substr(1))]);
      });
    });
    group.rooms.assign(group.inputs.size(), {});
    for (size_t i = 0; i < group.inputs.size(); ++i)
      if (auto room = with.find(step.inputs[i]); room != with.end())
        group.rooms[i] = withRoom(group.inputs[i].shape, room->second);
    if (std::all_of(group.rooms.begin(), group.rooms.end(), [](const Extents &room) { return room.empty(); }))
      group.rooms.clear();
    for (size_t i = 0; i < group.outputs.size(); ++i)
      if (auto room = with.find(step.outputs[i]); room != with.end()) {
        const Extents memory = withRoom(program.buffers[step.outputs[i]].type.shape, room->second);
        group.outputs[i].strides = rowMajor(memory); // the offset is along the axis: nothing behind it changes
      }
    return group;
  }

  bool fits(const Step &step, const Rooms &with) const {
    if (step.kind == Step::Kind::Share || step.kind == Step::Kind::Release)
      return true; // the host moves and copies with room or without
    if (step.kind != Step::Kind::Launch)
      return false; // the reference evaluators and the host read dense memory
    const Group &old = program.groups[step.group];
    for (size_t i = 0; i < old.inputs.size(); ++i)
      if (with.contains(step.inputs[i]) && old.inputs[i].rank() != program.buffers[step.inputs[i]].type.rank())
        return false;
    for (size_t i = 0; i < old.outputs.size(); ++i)
      if (with.contains(step.outputs[i]) && old.outputs[i].strides.empty())
        return false;
    const Group group = groupOf(step, with);
    for (const GroupNode &node : group.nodes) {
      const Pattern pattern = info(node.op).pattern;
      std::vector<TensorType> operands;
      for (int operand : node.operands)
        operands.push_back(group.type(operand));
      if (pattern == Pattern::Kernel || (pattern == Pattern::Contraction && !hasTiles(node.op, node.attrs, operands)))
        return false; // loops of their own, over dense memory
    }
    return readsInPlace(group) && static_cast<bool>(schedule(group));
  }

  void replace(Step &step) {
    CanonicalGroup canonical = canonicalize(groupOf(step, rooms));
    auto [at, isNew] = groupByText.try_emplace(canonical.group.text(), static_cast<int>(program.groups.size()));
    if (isNew)
      program.groups.push_back(canonical.group);
    step.group = at->second;
    step.symbols = std::move(canonical.symbols);
  }

  void dropUnused() {
    std::vector<int> place(program.groups.size(), -1);
    std::vector<Group> kept;
    for (auto &[step, buffers] : uses) {
      if (step->group < 0)
        continue;
      int &at = place[step->group];
      if (at < 0) {
        at = static_cast<int>(kept.size());
        kept.push_back(std::move(program.groups[step->group]));
      }
      step->group = at;
    }
    program.groups = std::move(kept);
  }
};

} // namespace

void findStates(Program &program, std::span<const Append> appends) {
  if (appends.empty())
    return;
  States states(program);
  for (const Append &append : appends)
    states.add(append);
  states.finish();
}

} // namespace pliant::plan
