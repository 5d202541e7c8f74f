// SPDX-License-Identifier: Apache-2.0
// Builds schedules: demands flow from the outputs to the inputs, one instance per value and index map.
#include "group/schedule.h"
#include "group/sum_order.h"
#include <algorithm>

namespace pliant {
namespace {

using Kind = Instance::Kind;

class Scheduler {
public:
  explicit Scheduler(const Group &group) : group(group), demands(group.values()) {}

  Result<Schedule> run() {
    PLIANT_CHECK(chooseDomain());
    for (size_t i = 0; i < group.outputs.size(); ++i)
      PLIANT_CHECK(demandOutput(i));
    for (int value = group.values(); value-- > 0;)
      for (size_t k = 0; k < demands[value].size(); ++k)
        PLIANT_CHECK(expand(value, demands[value][k]));
    return finish();
  }

private:
  const Group &group;
  Facts facts;
  Schedule result;
  std::vector<std::vector<int>> demands; // instances per value
  int reduction = -1;                    // the node that set the domain
  std::vector<int> axisDim;              // domain dimension of each axis of the anchor shape
  Extents anchor;

  size_t dims() const { return result.domain.size(); }
  Error no(std::string why) const { return userError("schedule", std::move(why)); }

  const std::vector<int64_t> &axesOf(const GroupNode &node) const {
    return std::visit(
        [](const auto &a) -> const std::vector<int64_t> & {
          static const std::vector<int64_t> none;
          if constexpr (requires { a.axes; })
            return a.axes;
          else
            return none;
        },
        node.attrs);
  }

  Status chooseDomain() {
    int anchorValue = group.outputs.empty() ? -1 : group.outputs.front().value;
    for (int value = static_cast<int>(group.inputs.size()); value < group.values(); ++value) {
      Pattern pattern = info(group.node(value).op).pattern;
      if (pattern == Pattern::Reduce && reduction < 0)
        reduction = value;
      if (pattern == Pattern::Contraction || pattern == Pattern::Kernel) {
        if (result.contraction >= 0)
          return no("two contractions");
        result.contraction = value;
      }
    }
    if (reduction >= 0 && result.contraction >= 0)
      return no("a contraction and a reduction");
    if (anchorValue < 0)
      return no("no output");
    if (result.contraction >= 0)
      anchorValue = result.contraction;
    if (reduction >= 0)
      anchorValue = group.node(reduction).operands[0];
    else // the store-side tail of reshapes and transposes starts at what is computed
      while (!group.isInput(anchorValue) && anchorValue != result.contraction &&
             (group.node(anchorValue).op == OpId::Reshape || group.node(anchorValue).op == OpId::Transpose) &&
             !group.isInput(group.node(anchorValue).operands[0]))
        anchorValue = group.node(anchorValue).operands[0];
    anchor = group.type(anchorValue).shape;
    axisDim.assign(anchor.size(), -1);
    std::vector<bool> reduced(anchor.size());
    if (reduction >= 0)
      for (int64_t axis : axesOf(group.node(reduction)))
        reduced[axis] = true;
    for (int pass = 0; pass < 2; ++pass)
      for (size_t axis = 0; axis < anchor.size(); ++axis)
        if (reduced[axis] == (pass == 1)) {
          axisDim[axis] = static_cast<int>(result.domain.size());
          result.domain.push_back(anchor[axis]);
          result.parallel += pass == 0;
        }
    return ok();
  }

  /// The map of a value that spans the domain (or, without reduced axes, its parallel part); nothing when it does not.
  std::optional<IndexMap> spanning(const Extents &shape) const {
    auto fits = [&](const Extents &pattern, const std::vector<int> &dimOf) -> std::optional<IndexMap> {
      if (shape.size() != pattern.size())
        return std::nullopt;
      IndexMap map;
      for (size_t i = 0; i < shape.size(); ++i) {
        if (!(shape[i] == pattern[i]))
          return std::nullopt;
        map.push_back(dimOf[i] < 0 ? Affine::constant(dims(), 0) : Affine::dimension(dims(), dimOf[i]));
      }
      return map;
    };
    if (auto map = fits(anchor, axisDim))
      return map;
    if (reduction < 0)
      return std::nullopt;
    Extents kept, squeezed;
    std::vector<int> keptDim, squeezedDim;
    for (size_t axis = 0; axis < anchor.size(); ++axis) {
      bool reduced = axisDim[axis] >= result.parallel;
      kept.push_back(reduced ? Expr(1) : anchor[axis]);
      keptDim.push_back(reduced ? -1 : axisDim[axis]);
      if (!reduced) {
        squeezed.push_back(anchor[axis]);
        squeezedDim.push_back(axisDim[axis]);
      }
    }
    if (auto map = fits(kept, keptDim))
      return map;
    return fits(squeezed, squeezedDim);
  }

  struct Tail {
    int base;         // the value that spans the domain
    IndexMap baseMap; // its map
    IndexMap map;     // of the value asked for; empty when only the linear index is known
    Affine linear;    // dense element index of the value asked for
  };
  /// Follows reshapes and transposes from an output back to a value that spans the domain.
  std::optional<Tail> tailOf(int value) {
    std::vector<int> chain;
    int base = value;
    std::optional<IndexMap> map;
    while (!(map = spanning(group.type(base).shape))) {
      if (group.isInput(base))
        return std::nullopt;
      const GroupNode &node = group.node(base);
      if (node.op != OpId::Reshape && node.op != OpId::Transpose)
        return std::nullopt;
      chain.push_back(base);
      base = node.operands[0];
    }
    Tail tail{base, *map, *map, linearize(*map, rowMajor(group.type(base).shape), dims())};
    for (; !chain.empty(); chain.pop_back()) {
      const GroupNode &node = group.node(chain.back());
      if (node.op == OpId::Reshape) {
        bool last = chain.size() == 1;
        auto split = last ? std::optional<IndexMap>() : split_(tail.linear, node.type.shape);
        if (!last && !split)
          return std::nullopt;
        tail.map = split ? *split : IndexMap();
      } else {
        const auto &perm = std::get<TransposeAttrs>(node.attrs).perm;
        IndexMap moved;
        for (int64_t axis : perm)
          moved.push_back(tail.map[axis]);
        tail.map = moved;
        tail.linear = linearize(moved, rowMajor(node.type.shape), dims());
      }
    }
    return tail;
  }

  Status demandOutput(size_t i) {
    const GroupOutput &output = group.outputs[i];
    auto tail = tailOf(output.value);
    if (!tail)
      return no("output " + pliant::str(group.type(output.value).shape) + " does not span the loops " +
                pliant::str(result.domain));
    Affine linear = tail->linear;
    if (!output.strides.empty()) {
      if (tail->map.empty() && !group.type(output.value).shape.empty()) {
        auto split = split_(linear, group.type(output.value).shape);
        if (!split)
          return no("a reshaped output cannot be stored with strides");
        tail->map = *split;
      }
      linear = linearize(tail->map, output.strides, dims()) + output.offset;
    }
    int instance = demand(tail->base, tail->baseMap, {});
    result.stores.push_back({static_cast<int>(i), instance, linear, 0});
    return ok();
  }

  int add(Instance instance) {
    result.instances.push_back(std::move(instance));
    return static_cast<int>(result.instances.size()) - 1;
  }

  int demand(int value, const IndexMap &map, const Instance::Predicate &predicate) {
    if (group.isInput(value))
      return load(value, linearize(map, group.strides(value), dims()), predicate);
    for (int instance : demands[value])
      if (result.instances[instance].map == map && result.instances[instance].predicate == predicate)
        return instance;
    int instance = add({Kind::Point, value, map, {}, 0, {}, {}, predicate});
    demands[value].push_back(instance);
    return instance;
  }

  int load(int value, Affine linear, const Instance::Predicate &predicate) {
    for (int instance : demands[value])
      if (result.instances[instance].linear == linear && result.instances[instance].predicate == predicate)
        return instance;
    int instance = add({Kind::Load, value, {}, std::move(linear), 0, {}, {}, predicate});
    demands[value].push_back(instance);
    return instance;
  }

  int index(Kind kind, int value, Affine linear, Expr extent, std::vector<int> operands,
            const Instance::Predicate &predicate = {}) {
    for (size_t i = 0; i < result.instances.size(); ++i) {
      const Instance &other = result.instances[i];
      if (other.kind == kind && other.value == value && other.linear == linear && other.extent == extent &&
          other.operands == operands && other.predicate == predicate)
        return static_cast<int>(i);
    }
    return add({kind, value, {}, std::move(linear), std::move(extent), std::move(operands), {}, predicate});
  }

  Affine term(int instance, Expr coefficient = 1) const {
    Affine a = Affine::constant(dims(), 0);
    a.terms.push_back({instance, std::move(coefficient)});
    return a;
  }

  /// Indices of `shape` from a linear index: affine where it divides evenly, else one division per axis.
  std::optional<IndexMap> split_(const Affine &linear, const Extents &shape) {
    if (auto map = delinearize(linear, shape, result.domain, facts))
      return map;
    if (!linear.terms.empty())
      return std::nullopt;
    // Split off the longest affine suffix-free prefix: only a plain two-level case is worth run-time divisions, one
    // where the innermost axis is a constant multiple of every vector width.
    auto inner = shape.empty() ? std::nullopt : shape.back().constant();
    if (!inner || *inner % 64 != 0)
      return std::nullopt;
    Affine low = Affine::constant(dims(), 0), high = low;
    for (size_t d = 0; d < dims(); ++d) {
      if (auto q = facts.divideExactly(linear.coefficients[d], *inner))
        high.coefficients[d] = *q;
      else
        low.coefficients[d] = linear.coefficients[d];
    }
    if (!linear.offset.isConstant(0))
      return std::nullopt;
    int quotient = index(Kind::DivIndex, -1, low, *inner, {});
    int remainder = index(Kind::ModIndex, -1, low, *inner, {});
    // The quotient counts within what `low` spans; the rest must divide evenly with it as one more digit.
    Expr span = 1;
    for (size_t d = 0; d < dims(); ++d)
      if (!low.coefficients[d].isConstant(0))
        span = span + low.coefficients[d] * (result.domain[d] - 1);
    auto count = facts.divideExactly(span, *inner);
    if (!count)
      return std::nullopt;
    Extents outerShape(shape.begin(), shape.end() - 1), extended = result.domain;
    extended.push_back(*count); // a pretended dimension for the quotient
    Affine wide = high;
    wide.coefficients.push_back(1);
    auto outer = delinearize(wide, outerShape, extended, facts);
    if (!outer)
      return std::nullopt;
    for (Affine &axis : *outer) {
      Expr coefficient = axis.coefficients.back();
      axis.coefficients.pop_back();
      if (!coefficient.isConstant(0))
        axis.terms.push_back({quotient, coefficient});
    }
    outer->push_back(term(remainder));
    return outer;
  }

  Status expand(int value, int id) {
    if (group.isInput(value))
      return ok();
    const GroupNode &node = group.node(value);
    const IndexMap map = result.instances[id].map;
    const Instance::Predicate predicate = result.instances[id].predicate;
    // A node that only moves elements becomes another access of its operand: this instance stands for it. Indices are
    // checked where it is asked for, also when each of them reads the same.
    auto forward = [&](int operand, std::vector<int> checked = {}) {
      result.instances[id].kind = Kind::Choose; // without a choice: just the operand
      checked.insert(checked.begin(), operand);
      result.instances[id].operands = std::move(checked);
      return ok();
    };
    switch (info(node.op).pattern) {
    case Pattern::Pointwise: {
      std::vector<int> operands;
      for (int operand : node.operands)
        operands.push_back(
            demand(operand, broadcastMap(map, group.type(operand).shape, node.type.shape, dims()), predicate));
      result.instances[id].operands = operands;
      return ok();
    }
    case Pattern::Source:
      result.instances[id].kind = Kind::Constant;
      return ok();
    case Pattern::Host:
      result.instances[id].kind = Kind::Extent;
      return ok();
    case Pattern::Contraction:
    case Pattern::Kernel:
      if (!sameMap(map, node.type.shape))
        return no("the contraction's result is read in another order");
      result.instances[id].kind = Kind::Contraction;
      return ok();
    case Pattern::Reduce:
      return expandReduce(node, id, map);
    case Pattern::Map:
      break;
    case Pattern::Composite:
      return no("a composite must be decomposed first");
    }
    int x = node.operands.empty() ? -1 : node.operands[0];
    const Extents none;
    const Extents &shape = x < 0 ? none : group.type(x).shape;
    switch (node.op) {
    case OpId::Reshape: {
      Affine linear = linearize(map, rowMajor(node.type.shape), dims());
      if (group.isInput(x) && group.isDense(x))
        return forward(load(x, linear, predicate));
      auto split = split_(linear, shape);
      if (!split)
        return no("reshape " + str(shape) + " to " + str(node.type.shape) + " does not split evenly");
      return forward(demand(x, *split, predicate));
    }
    case OpId::Transpose: {
      const auto &perm = std::get<TransposeAttrs>(node.attrs).perm;
      IndexMap moved(map.size());
      for (size_t i = 0; i < perm.size(); ++i)
        moved[perm[i]] = map[i];
      return forward(demand(x, moved, predicate));
    }
    case OpId::BroadcastTo:
      return forward(demand(x, broadcastMap(map, shape, node.type.shape, dims()), predicate));
    case OpId::Slice: {
      const auto &a = std::get<SliceAttrs>(node.attrs);
      IndexMap moved;
      for (size_t i = 0; i < map.size(); ++i)
        moved.push_back(map[i] * Expr(a.steps[i]) + a.starts[i]);
      return forward(demand(x, moved, predicate));
    }
    case OpId::Iota:
      result.instances[id].kind = Kind::Iota;
      result.instances[id].linear = map[0];
      return ok();
    case OpId::Pad:
      return expandPad(node, id, map, predicate);
    case OpId::Concat: {
      int64_t axis = std::get<ConcatAttrs>(node.attrs).axis;
      axis += axis < 0 ? static_cast<int64_t>(map.size()) : 0;
      Expr start = 0;
      std::vector<int> operands;
      std::vector<Instance::Predicate> choices;
      for (int operand : node.operands) {
        const Expr &size = group.type(operand).shape[axis];
        IndexMap moved = map;
        moved[axis] = moved[axis] + (Expr(0) - start);
        Instance::Predicate inside{{moved[axis], size}}, both = predicate;
        both.push_back(inside.front());
        operands.push_back(demand(operand, moved, both));
        choices.push_back(inside);
        start = start + size;
      }
      choices.pop_back();
      result.instances[id].kind = Kind::Choose;
      result.instances[id].operands = operands;
      result.instances[id].choices = choices;
      return ok();
    }
    case OpId::Gather: {
      int64_t axis = std::get<GatherAttrs>(node.attrs).axis;
      axis += axis < 0 ? static_cast<int64_t>(shape.size()) : 0;
      int indices = node.operands[1];
      auto split = map.begin() + axis;
      IndexMap inner(split, split + group.type(indices).rank());
      int picked = index(Kind::GatherIndex, value, {}, shape[axis], {demand(indices, inner, predicate)}, predicate);
      IndexMap moved(map.begin(), split);
      moved.push_back(term(picked));
      moved.insert(moved.end(), split + inner.size(), map.end());
      return forward(demand(x, moved, predicate), {picked});
    }
    case OpId::GatherElements: {
      int64_t axis = std::get<GatherElementsAttrs>(node.attrs).axis;
      axis += axis < 0 ? static_cast<int64_t>(shape.size()) : 0;
      IndexMap moved = map;
      int picked =
          index(Kind::GatherIndex, value, {}, shape[axis], {demand(node.operands[1], map, predicate)}, predicate);
      moved[axis] = term(picked);
      return forward(demand(x, moved, predicate), {picked});
    }
    case OpId::GatherNd: {
      int64_t batch = std::get<GatherNdAttrs>(node.attrs).batchDims;
      const Extents &indices = group.type(node.operands[1]).shape;
      auto depth = indices.back().constant();
      if (!depth)
        return no("gather_nd with an index depth that is not constant");
      IndexMap lead(map.begin(), map.begin() + (static_cast<int64_t>(indices.size()) - 1)),
          moved(map.begin(), map.begin() + batch);
      std::vector<int> picked;
      for (int64_t k = 0; k < *depth; ++k) {
        IndexMap at = lead;
        at.push_back(Affine::constant(dims(), k));
        picked.push_back(index(Kind::GatherIndex, value, {}, shape[batch + k],
                               {demand(node.operands[1], at, predicate)}, predicate));
        moved.push_back(term(picked.back()));
      }
      moved.insert(moved.end(), map.begin() + lead.size(), map.end());
      return forward(demand(x, moved, predicate), picked);
    }
    default:
      return no(std::string("no index map for ") + info(node.op).name);
    }
  }

  /// Whether a map walks a value of this shape as the domain does; along an extent of 1 all maps are the same.
  bool sameMap(const IndexMap &map, const Extents &shape) const {
    const std::optional<IndexMap> other = spanning(shape);
    bool same = other && map.size() == other->size();
    for (size_t i = 0; same && i < map.size(); ++i)
      same = shape[i].isConstant(1) || map[i] == (*other)[i];
    return same;
  }

  Status expandReduce(const GroupNode &node, int id, const IndexMap &map) {
    const Extents &shape = group.type(node.operands[0]).shape;
    std::vector<int64_t> axes = axesOf(node);
    if (!(shape == anchor) || axes != axesOf(group.node(reduction)))
      return no("reductions over different axes");
    if (!sameMap(map, node.type.shape))
      return no("a reduced value is read in another order");
    IndexMap full;
    for (size_t axis = 0; axis < anchor.size(); ++axis)
      full.push_back(Affine::dimension(dims(), axisDim[axis]));
    result.instances[id].kind = Kind::Reduce;
    int operand = demand(node.operands[0], full, {});
    result.instances[id].operands = {operand};
    return ok();
  }

  Status expandPad(const GroupNode &node, int id, const IndexMap &map, const Instance::Predicate &predicate) {
    const auto &a = std::get<PadAttrs>(node.attrs);
    const Extents &shape = group.type(node.operands[0]).shape;
    IndexMap moved;
    Instance::Predicate inside;
    for (size_t i = 0; i < map.size(); ++i) {
      bool untouched = a.low[i].isConstant(0) && a.high[i].isConstant(0);
      Affine shifted = map[i] + (Expr(0) - a.low[i]);
      if (untouched || a.mode == "constant") {
        if (!untouched)
          inside.push_back({shifted, shape[i]});
        moved.push_back(shifted);
      } else {
        moved.push_back(term(index(Kind::PadIndex, nodeValue(node), shifted, shape[i], {})));
      }
    }
    Instance::Predicate both = predicate;
    both.insert(both.end(), inside.begin(), inside.end());
    int element = demand(node.operands[0], moved, both);
    Instance &me = result.instances[id];
    me.kind = Kind::Choose;
    me.operands = {element};
    if (!inside.empty()) {
      int filler = demand(node.operands[1], {}, predicate);
      result.instances[id].operands.push_back(filler);
      result.instances[id].choices = {inside};
    }
    return ok();
  }

  int nodeValue(const GroupNode &node) const {
    return static_cast<int>(&node - group.nodes.data() + group.inputs.size());
  }

  /// Sorts instances so that operands come first and computes levels and phases.
  Result<Schedule> finish() {
    std::vector<Instance> &all = result.instances;
    auto dependencies = [&](const Instance &instance) {
      std::vector<int> list = instance.operands;
      auto addTerms = [&](const Affine &a) {
        for (const Affine::Term &t : a.terms)
          list.push_back(t.instance);
      };
      addTerms(instance.linear);
      for (const Instance::Bound &bound : instance.predicate)
        addTerms(bound.index);
      for (const auto &choice : instance.choices)
        for (const Instance::Bound &bound : choice)
          addTerms(bound.index);
      return list;
    };
    std::vector<int> order, state(all.size(), 0), place(all.size(), -1);
    for (size_t root = 0; root < all.size(); ++root) {
      std::vector<int> stack{static_cast<int>(root)};
      while (!stack.empty()) {
        int at = stack.back();
        if (state[at] == 2) {
          stack.pop_back();
        } else if (state[at] == 1) {
          state[at] = 2;
          place[at] = static_cast<int>(order.size());
          order.push_back(at);
          stack.pop_back();
        } else {
          state[at] = 1;
          for (int next : dependencies(all[at]))
            if (state[next] == 0)
              stack.push_back(next);
            else if (state[next] == 1)
              return no("a value depends on itself");
        }
      }
    }
    std::vector<Instance> sorted;
    auto renumber = [&](Affine &a) {
      for (Affine::Term &t : a.terms)
        t.instance = place[t.instance];
    };
    for (int old : order) {
      Instance instance = all[old];
      for (int &operand : instance.operands)
        operand = place[operand];
      renumber(instance.linear);
      for (Affine &axis : instance.map)
        renumber(axis);
      for (auto &bound : instance.predicate)
        renumber(bound.index);
      for (auto &choice : instance.choices)
        for (auto &bound : choice)
          renumber(bound.index);
      sorted.push_back(std::move(instance));
    }
    all = std::move(sorted);
    for (Instance &instance : all) {
      auto useAffine = [&](const Affine &a) {
        for (size_t d = result.parallel; d < a.coefficients.size(); ++d)
          instance.reduced |= !a.coefficients[d].isConstant(0);
      };
      useAffine(instance.linear);
      for (const auto &bound : instance.predicate)
        useAffine(bound.index);
      for (const auto &choice : instance.choices)
        for (const auto &bound : choice)
          useAffine(bound.index);
      for (int dependency : dependencies(instance)) {
        const Instance &other = all[dependency];
        if (instance.kind == Kind::Reduce) {
          instance.after = std::max(instance.after, other.after + 1);
        } else {
          instance.reduced |= other.reduced;
          instance.after = std::max(instance.after, other.after);
        }
      }
      if (instance.kind == Kind::Reduce)
        result.phases = std::max(result.phases, instance.after);
    }
    for (Schedule::Store &store : result.stores) {
      store.instance = place[store.instance];
      renumber(store.linear);
      store.phase = all[store.instance].after;
      for (const Affine::Term &t : store.linear.terms)
        if (all[t.instance].reduced && !all[store.instance].reduced)
          return no("a row value is stored at a reduced index");
    }
    PLIANT_CHECK(orderSum(group, anchor, axisDim, result));
    return std::move(result);
  }
};

} // namespace

Result<Schedule> schedule(const Group &group) { return Scheduler(group).run(); }

} // namespace pliant
