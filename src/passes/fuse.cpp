// SPDX-License-Identifier: Apache-2.0
// Puts ops into groups, one kernel each: producers and consumers whose loops provably agree, rows around reductions,
// epilogues of contractions, and views folded into index maps. A merge is tried with the scheduler itself, so what
// fuses is exactly what code generation can emit. Groups never form a cycle.
#include "group/schedule.h"
#include "group/tiles.h"
#include "ir/group_of.h"
#include "ir/symbols.h"
#include "passes/passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

using namespace mlir;

namespace pliant::passes {
namespace {

constexpr size_t groupLimit = 512;

Pattern patternOf(Operation *op) { return info(*ir::opIdOf(op)).pattern; }

/// Views cost nothing to repeat: every reader folds them into its index maps. So do products with weights that widen.
bool isView(Operation *op) {
  auto id = op ? ir::opIdOf(op) : std::nullopt;
  return id && (ir::isWidenedWeight(op) || *id == OpId::Reshape || *id == OpId::Transpose || *id == OpId::Slice ||
                *id == OpId::BroadcastTo);
}

bool isCheap(Operation *op) {
  switch (*ir::opIdOf(op)) {
  case OpId::Exp:
  case OpId::Log:
  case OpId::Tanh:
  case OpId::Erf:
  case OpId::Sigmoid:
  case OpId::Pow:
  case OpId::Sin:
  case OpId::Cos:
    return false;
  default:
    return true;
  }
}

bool hasEmitter(Operation *op) {
  auto id = ir::opIdOf(op);
  return id && info(*id).emitted && (op->getNumResults() == 1 || info(*id).pattern == Pattern::Kernel);
}

/// Ops that write their result by loops of their own: nothing fuses with them.
bool standsAlone(Operation *op) {
  OpId id = *ir::opIdOf(op);
  if (info(id).pattern != Pattern::Contraction)
    return info(id).pattern == Pattern::Kernel;
  std::vector<TensorType> operands;
  for (mlir::Type type : op->getOperandTypes())
    if (auto converted = ir::fromMlir(type))
      operands.push_back(std::move(*converted));
  return operands.size() != op->getNumOperands() || !hasTiles(id, ir::attrsOf(op, id), operands);
}

class BlockFusion {
public:
  BlockFusion(Block &block, int &nextGroup, std::vector<Unfused> *unfused)
      : block(block), nextGroup(nextGroup), unfused(unfused), symbols(block) {}

  Status run() {
    for (Operation &op : block)
      position[&op] = static_cast<int>(position.size());
    for (Operation &op : block)
      if (ir::opIdOf(&op) && hasEmitter(&op) && !ir::isEmbedded(&op))
        PLIANT_CHECK(place(&op));
    PLIANT_CHECK(foldViews());
    number();
    explain();
    return ok();
  }

private:
  struct Cluster {
    std::vector<Operation *> ops; // in block order
    bool dead = false;
    bool reduces = false, contracts = false, kernel = false, maps = false;
    Extents loops;     // the shape all plain pointwise members share
    bool plain = true; // pointwise over `loops` only
  };
  /// Why two clusters stay apart: the kind of reason, and the reason.
  struct Refusal {
    const char *rule;
    std::string why;
  };
  Block &block;
  int &nextGroup;
  std::vector<Unfused> *unfused;
  ir::SymbolUses symbols;
  std::map<std::pair<Operation *, Operation *>, Refusal> refusals; // by producer and consumer
  llvm::DenseMap<Operation *, int> position;
  llvm::DenseMap<Operation *, int> clusterOf;
  std::vector<Cluster> clusters;

  static Extents shapeOf(mlir::Value value) {
    auto type = ir::fromMlir(value.getType());
    return type ? type->shape : Extents();
  }

  Status place(Operation *op) {
    Pattern pattern = patternOf(op);
    if (pattern == Pattern::Source || pattern == Pattern::Host)
      return ok();
    Cluster mine;
    mine.ops = {op};
    mine.reduces = pattern == Pattern::Reduce;
    mine.kernel = standsAlone(op);
    mine.contracts = pattern == Pattern::Contraction && !mine.kernel;
    mine.maps = pattern == Pattern::Map;
    mine.plain = pattern == Pattern::Pointwise;
    mine.loops = shapeOf(op->getResult(0));
    int id = static_cast<int>(clusters.size());
    clusters.push_back(std::move(mine));
    clusterOf[op] = id;
    if (pattern == Pattern::Kernel || pattern == Pattern::Contraction || ir::isWidenedWeight(op) ||
        op->getName().getStringRef() == "pliant.concat")
      return ok();
    // The latest producer first: it is the one most likely to hold everything else the op needs.
    SmallVector<int> producers;
    for (mlir::Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        if (auto found = clusterOf.find(maker);
            found != clusterOf.end() && !llvm::is_contained(producers, found->second))
          producers.push_back(found->second);
    llvm::sort(producers, [&](int a, int b) { return a > b; });
    for (int producer : producers)
      if (!clusters[producer].dead)
        if (auto refusal = tryMerge(producer, clusterOf[op]); refusal && unfused)
          for (mlir::Value operand : op->getOperands())
            if (Operation *maker = operand.getDefiningOp())
              if (auto found = clusterOf.find(maker); found != clusterOf.end() && found->second == producer)
                refusals.emplace(std::pair(maker, op), *refusal);
    return ok();
  }

  /// Ops of this block that must run before an op: they make what it, or a region inside it, reads, or declare what
  /// it names.
  void addMakers(Operation *op, std::vector<Operation *> &makers) {
    auto add = [&](Operation *reader) {
      for (mlir::Value operand : reader->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          if (Operation *here = maker->getBlock() == &block ? maker : block.findAncestorOpInBlock(*maker);
              here && here != op)
            makers.push_back(here);
    };
    if (op->getNumRegions() == 0)
      add(op);
    else
      op->walk(add);
    for (Operation *maker : symbols.of(op))
      makers.push_back(maker);
  }

  /// Whether something of `target` must run before one of these ops.
  bool reaches(std::vector<Operation *> makers, int target) {
    llvm::DenseSet<int> seen;
    llvm::DenseSet<Operation *> seenOps;
    while (!makers.empty()) {
      Operation *maker = makers.back();
      makers.pop_back();
      auto found = clusterOf.find(maker);
      if (found == clusterOf.end()) { // control flow, fallbacks: no group, but what they read counts
        if (seenOps.insert(maker).second)
          addMakers(maker, makers);
        continue;
      }
      int next = found->second;
      if (next == target)
        return true;
      if (seen.insert(next).second && position[clusters[next].ops.back()] >= position[clusters[target].ops.front()])
        for (Operation *op : clusters[next].ops)
          addMakers(op, makers);
    }
    return false;
  }

  bool wouldCycle(int producer, int consumer) {
    // A path producer -> other -> consumer: something that the consumer needs comes from a group that needs the
    // producer.
    for (Operation *op : clusters[consumer].ops) {
      for (mlir::Value operand : op->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        if (!maker || maker->getBlock() != &block)
          continue;
        auto found = clusterOf.find(maker);
        if (found == clusterOf.end()) {
          if (!ir::isEmbedded(maker) && !ir::isWeight(operand) && !isa<ir::ExtentsOp>(maker))
            return true; // rare: control flow or a fallback in between; not worth proving
          if (!symbols.empty() && reaches({maker}, producer))
            return true; // an extent that is read from what the producer makes
          continue;
        }
        if (found->second != producer && found->second != consumer) {
          std::vector<Operation *> makers;
          for (Operation *member : clusters[found->second].ops)
            addMakers(member, makers);
          if (reaches(std::move(makers), producer))
            return true;
        }
      }
      if (ArrayRef<Operation *> declarations = symbols.of(op);
          !declarations.empty() && reaches(declarations.vec(), producer))
        return true;
    }
    return false;
  }

  std::optional<Refusal> tryMerge(int producer, int consumer) {
    Cluster &p = clusters[producer], &c = clusters[consumer];
    if (auto refusal = apart(p, c))
      return refusal;
    if (wouldCycle(producer, consumer))
      return Refusal{"cycle",
                     "each would wait for the other: what stands between them reads the one and feeds the other"};
    // Long chains of one shape need no proof of their own.
    bool obvious = p.plain && c.plain && p.loops == c.loops;
    std::vector<Operation *> merged(p.ops.size() + c.ops.size());
    std::merge(p.ops.begin(), p.ops.end(), c.ops.begin(), c.ops.end(), merged.begin(),
               [&](Operation *a, Operation *b) { return position[a] < position[b]; });
    if (!obvious) {
      auto built = ir::buildGroup(merged);
      if (!built)
        return Refusal{"schedule", built.error().message};
      if (built->outputs.empty())
        return Refusal{"unused", "nothing reads the result"};
      if (auto scheduled = schedule(built->group); !scheduled)
        return Refusal{"schedule", scheduled.error().message};
    }
    p.ops = std::move(merged);
    p.reduces |= c.reduces;
    p.maps |= c.maps;
    p.plain = obvious;
    p.loops = c.loops;
    for (Operation *op : c.ops)
      clusterOf[op] = producer;
    c.dead = true;
    c.ops.clear();
    return std::nullopt;
  }

  /// Rules that need no look at the loops.
  std::optional<Refusal> apart(Cluster &p, Cluster &c) {
    Operation *last = c.ops.back();
    if (p.kernel || c.kernel)
      return Refusal{"kernel", named(p.kernel ? p.ops.back() : last) + " has loops of its own"};
    if (c.contracts)
      return Refusal{"contraction", named(contractionOf(c)) + " reads its operands from memory"};
    if (p.ops.size() == 1 && ir::isWidenedWeight(p.ops[0]))
      return Refusal{"weight", "what multiplies with the weight widens it"};
    if (isConcat(last) || isConcat(p.ops.back()))
      return Refusal{"concat", "the parts of a concat are stored into the result one after another"};
    if (p.ops.size() + c.ops.size() > groupLimit)
      return Refusal{"limit", "a group has at most " + std::to_string(groupLimit) + " ops"};
    if (p.contracts && c.reduces)
      return Refusal{"contraction",
                     "the result of " + named(contractionOf(p)) + " is stored in tiles, not in whole rows"};
    return notWorth(p, c);
  }
  static bool isConcat(Operation *op) { return op->getName().getStringRef() == "pliant.concat"; }
  static std::string named(Operation *op) { return op->getName().stripDialect().str(); }
  static Operation *contractionOf(Cluster &cluster) {
    return *llvm::find_if(cluster.ops, [](Operation *op) { return patternOf(op) == Pattern::Contraction; });
  }

  bool usedOnlyBy(Cluster &p, Cluster &c) {
    for (Operation *op : p.ops)
      for (Operation *user : op->getUsers())
        if (!llvm::is_contained(p.ops, user) && !llvm::is_contained(c.ops, user))
          return false;
    return true;
  }

  std::optional<Refusal> notWorth(Cluster &p, Cluster &c) {
    Operation *consumer = c.ops.front();
    auto id = *ir::opIdOf(consumer);
    bool heavy = p.contracts || p.reduces || llvm::any_of(p.ops, [](Operation *op) { return !isCheap(op); });
    const Refusal shared{"shared", "the value is stored for other readers anyway"};
    const Refusal repeated{"repeated", "the value costs more to compute again for every element than to store"};
    switch (info(id).pattern) {
    case Pattern::Map:
      if (!usedOnlyBy(p, c))
        return shared; // reading it through the map costs the same
      if (id == OpId::Gather || id == OpId::GatherElements || id == OpId::GatherNd) {
        // Indices computed in place are fine; data computed per gathered element only when cheap.
        if (heavy)
          return repeated;
        if (consumer->getOperand(0).getDefiningOp() == p.ops.back())
          return Refusal{"table", "what is gathered from stays in memory"};
        return std::nullopt;
      }
      if (id == OpId::BroadcastTo)
        return heavy ? std::optional(repeated) : std::nullopt;
      if ((id == OpId::Slice || id == OpId::Pad) && (p.contracts || p.reduces))
        return Refusal{"partial", named(consumer) + " keeps other elements than " + named(p.ops.back()) + " computes"};
      return std::nullopt;
    case Pattern::Pointwise:
    case Pattern::Reduce: {
      // A smaller producer would be computed again for every element that it is broadcast to.
      if (p.reduces || p.contracts)
        return std::nullopt;
      Extents mine = shapeOf(c.ops.front()->getOperand(0)), theirs = p.loops;
      for (mlir::Value operand : consumer->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && llvm::is_contained(p.ops, maker))
          theirs = shapeOf(operand);
      Extents full = info(id).pattern == Pattern::Reduce ? mine : shapeOf(consumer->getResult(0));
      return heavy && product(theirs) != product(full) ? std::optional(repeated) : std::nullopt;
    }
    default:
      return Refusal{"kernel", named(consumer) + " has loops of its own"};
    }
  }

  /// Views that other groups read are copied into them; a view that nobody needs in memory disappears.
  Status foldViews() {
    for (size_t id = 0; id < clusters.size(); ++id) {
      if (clusters[id].dead)
        continue;
      for (bool changed = true; changed;) {
        changed = false;
        Cluster &c = clusters[id];
        for (size_t k = 0; k < c.ops.size() && !changed; ++k)
          for (OpOperand &operand : c.ops[k]->getOpOperands()) {
            Operation *view = operand.get().getDefiningOp();
            if (!view || !isView(view) || view->getBlock() != &block)
              continue;
            auto found = clusterOf.find(view);
            if (found == clusterOf.end() || found->second == static_cast<int>(id) ||
                clusters[found->second].ops.size() != 1)
              continue;
            if (isa<ir::ReshapeOp>(view) && !isView(view->getOperand(0).getDefiningOp()))
              continue; // free already: the same memory under another shape
            if (tryCopy(view, operand, static_cast<int>(id))) {
              changed = true;
              break;
            }
          }
      }
    }
    // Views without users are gone; sweep backwards so that chains vanish.
    for (size_t id = clusters.size(); id-- > 0;) {
      Cluster &c = clusters[id];
      if (c.dead || c.ops.size() != 1 || !isView(c.ops[0]) || !c.ops[0]->use_empty())
        continue;
      clusterOf.erase(c.ops[0]);
      position.erase(c.ops[0]);
      c.ops[0]->erase();
      c.dead = true;
      c.ops.clear();
    }
    return ok();
  }

  bool tryCopy(Operation *view, OpOperand &operand, int id) {
    Cluster &c = clusters[id];
    Operation *user = operand.getOwner();
    if (c.kernel || user->getName().getStringRef() == "pliant.concat")
      return false;
    OpBuilder b(user);
    Operation *copy = b.clone(*view);
    operand.set(copy->getResult(0));
    position[copy] = position[user];
    std::vector<Operation *> ops = c.ops;
    ops.insert(llvm::find(ops, user), copy);
    auto built = ir::buildGroup(ops);
    bool fits = built && bool(schedule(built->group));
    if (fits && c.contracts)
      fits = readsInPlace(built->group);
    if (!fits) {
      operand.set(view->getResult(0));
      position.erase(copy);
      copy->erase();
      return false;
    }
    c.ops = std::move(ops);
    clusterOf[copy] = id;
    return true;
  }

  void number() {
    for (Cluster &cluster : clusters) {
      if (cluster.dead)
        continue;
      OpBuilder b(block.getParent()->getContext());
      for (Operation *op : cluster.ops)
        op->setAttr("group", b.getI64IntegerAttr(nextGroup));
      ++nextGroup;
    }
  }

  /// Every value that one group stores for another, with the reason why they are two.
  void explain() {
    if (!unfused)
      return;
    for (Cluster &cluster : clusters)
      for (Operation *op : cluster.ops) // none in a dead one
        for (mlir::Value operand : op->getOperands()) {
          Operation *maker = operand.getDefiningOp();
          if (!maker || !maker->hasAttr("group") || maker->getAttr("group") == op->getAttr("group"))
            continue;
          Refusal refusal{"view", named(op) + " is folded into what reads it, not into what it reads"};
          if (auto found = refusals.find({maker, op}); found != refusals.end())
            refusal = found->second;
          else if (maker->getBlock() != &block)
            refusal = {"branch", named(op) + " runs only in a branch"};
          else if (auto apart = this->apart(clusters[clusterOf[maker]], cluster); apart && !isView(op))
            refusal = *apart;
          unfused->push_back({maker, op, refusal.rule, std::move(refusal.why)});
        }
  }
};

} // namespace

Status fuse(Unit &unit) {
  func::FuncOp function = unit.function;
  int next = 0;
  std::vector<Block *> blocks;
  function.walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    PLIANT_CHECK(BlockFusion(*block, next, unit.unfused).run());
  return ok();
}

} // namespace pliant::passes
