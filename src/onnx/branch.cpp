// SPDX-License-Identifier: Apache-2.0
// Branches of ONNX. Both are built, and their results joined: equal ranks, a symbol where extents differ. A rank is
// static, so where ranks differ what follows is built in both branches, node by node, until no value of different ranks
// is left; exporters write `squeeze` of an extent that may be 1 in this way. When a node has no type in one of the two,
// that branch cannot be meant: the other takes the place of the `if`, and a guard makes a run that would have taken it
// an error.
//
//   %c -> if { (B, 128) } else { (B, 128, T) }        guard %c
//   matmul(%if, (128, 4))                       =>    matmul((B, 128), (128, 4))
//
// Where the graph ends before that and is itself a branch, what follows the `if` around it is built in both as well,
// and so outwards. What still has two ranks at the end of the model is a list of one for the program, a tensor for the
// caller.
#include "onnx/region.h"

using namespace mlir;

namespace pliant::onnx_import {
namespace {

/// Each doubles what follows.
constexpr int pullLimit = 8;

/// All names that a node reads, also from inside of its graphs.
void reads(const ::onnx::NodeProto &node, const std::function<void(const std::string &)> &see) {
  std::vector<const ::onnx::NodeProto *> stack{&node};
  while (!stack.empty()) {
    const ::onnx::NodeProto *next = stack.back();
    stack.pop_back();
    for (const std::string &name : next->input())
      see(name);
    for (const auto &attribute : next->attribute())
      if (attribute.has_g()) {
        for (const auto &inner : attribute.g().node())
          stack.push_back(&inner);
        for (const auto &output : attribute.g().output())
          see(output.name());
      }
  }
}

bool isBox(const Item &item) { return item.list && item.list->type.kind == ListInfo::Kind::AnyRank; }

} // namespace

/// An `if` while it is built: its branches, and the names that it defines in both.
struct Importer::Branches {
  Importer &importer;
  const ::onnx::NodeProto &node;
  Rest &rest;
  std::unique_ptr<Region> regions[2];
  std::optional<Error> errors[2];
  std::vector<std::string> names;               ///< in the order of their definition
  std::map<std::string, size_t> lastRead;       ///< position in `rest`; behind its end: an output of the graph
  std::multimap<size_t, std::string> different; ///< names of different types, by their last read

  const Behind own;   ///< what follows the `if`
  int at[2] = {0, 0}; ///< the end of what each has built: of its own graph, of the one of the `if`, of that around it..

  Branches(Importer &i, const ::onnx::NodeProto &n, Rest &r) : importer(i), node(n), rest(r), own{n, r.tail()} {}

  void lookAhead() {
    for (size_t at = rest.next; at < rest.nodes.size(); ++at)
      reads(rest.graph.node(rest.nodes[at]), [&](const std::string &name) { lastRead[name] = at; });
    for (const auto &output : rest.graph.output())
      lastRead[output.name()] = rest.nodes.size();
  }

  /// Builds more of branch k; its first error stays.
  template <class Step> void build(int k, const Step &step) {
    if (errors[k])
      return;
    if (regions[k])
      regions[k]->enter();
    else
      regions[k] = std::make_unique<Region>(importer);
    Status status = step();
    if (!status)
      errors[k] = status.takeError();
    if (importer.builder->failed()) {
      Error sticky = importer.builder->takeError();
      if (!errors[k])
        errors[k] = std::move(sticky);
    }
    regions[k]->leave();
  }
  bool failed() const { return errors[0] || errors[1]; }
  const Item &item(int k, const std::string &name) const { return regions[k]->scope().find(name)->second; }

  /// A node's outputs have been built; what nothing reads any longer may be known to one branch only.
  void defined(const ::onnx::NodeProto &by) {
    for (const std::string &name : by.output())
      if (auto read = lastRead.find(name); read != lastRead.end() && read->second >= rest.next) {
        names.push_back(name);
        if (!failed() && !agree(item(0, name), item(1, name)))
          different.emplace(read->second, name);
      }
  }
  bool agree(const Item &a, const Item &b) const {
    const ir::IrBuilder &types = *importer.builder;
    if (a.list || b.list)
      return a.list && b.list && a.list->type.dtype == b.list->type.dtype && isBox(a) == isBox(b);
    return types.dtype(a.value) == types.dtype(b.value) && types.rank(a.value) == types.rank(b.value);
  }
  /// Whether all that is read from here on has one type.
  bool joins() const { return different.lower_bound(rest.next) == different.end(); }
  const ::onnx::GraphProto &graphAt(int end) const { return own.out(end - 1).rest.graph; }
  /// All up to the end of `graphAt(end)` has been built: its results are what is left to read.
  void reach(int end) {
    rest.next = rest.nodes.size();
    rest.passed = end - 1;
    names.clear();
    lastRead.clear();
    different.clear();
    for (const auto &output : graphAt(end).output()) {
      const std::string &name = output.name();
      auto outside = [&](int k) { return !errors[k] && !regions[k]->scope().contains(name); };
      if (outside(0) || outside(1) || !lastRead.emplace(name, rest.next).second)
        continue;
      names.push_back(name);
      if (!failed() && !agree(item(0, name), item(1, name)))
        different.emplace(rest.next, name);
    }
  }
};

Status Importer::importIf(const ::onnx::NodeProto &node, int index, Rest &rest) {
  const ::onnx::GraphProto *graphs[2] = {graphOf(node, "then_branch"), graphOf(node, "else_branch")};
  if (node.input_size() && !node.input(0).empty() && !lookup(node.input(0)))
    return userError("If", "input " + onnx_file::quote(node.input(0)) + " is made by no node");
  Value condition = input(node, 0).value;
  if (!graphs[0] || !graphs[1] || !condition)
    return userError("If", "a branch or the condition is missing");
  if (!isOneBool(*builder, condition))
    return userError("If", "the condition is " + builder->type(condition).str() + ", not one bool");
  if (const Content *content = builder->content(condition))
    if (auto known = content->front().constant())
      return decided(node, *graphs[*known ? 0 : 1], rest);
  const size_t weights = result.weights.size(), weightData = result.weightData.size();
  Branches both(*this, node, rest);
  Items results[2];
  for (int k = 0; k < 2; ++k)
    both.build(k, [&]() -> Status {
      PLIANT_TRY(results[k], importGraph(*graphs[k], &both.own, &both.at[k]));
      return both.at[k] ? ok() : define(node, results[k]);
    });
  const bool past = both.at[0] || both.at[1];
  bool ranksAgree = !past;
  if (!both.failed() && !past) {
    if (results[0].size() != results[1].size())
      return userError("If", "the branches give " + std::to_string(results[0].size()) + " and " +
                                 std::to_string(results[1].size()) + " values");
    for (size_t i = 0; i < results[0].size(); ++i) {
      const Item &a = results[0][i], &b = results[1][i];
      const bool lists = a.list && b.list && a.list->type.dtype == b.list->type.dtype;
      if (!lists && (a.list || b.list || builder->dtype(a.value) != builder->dtype(b.value)))
        return userError("If", "the branches give " + typeText(a, *builder) + " and " + typeText(b, *builder) +
                                   ": element types must agree");
      ranksAgree &= lists || builder->rank(a.value) == builder->rank(b.value);
    }
    both.names.assign(node.output().begin(), node.output().end());
    std::erase(both.names, "");
    if (ranksAgree)
      return joinBranches(both, condition);
  }
  // First whatever does not depend on it, since what the branches take in can read only what is there.
  if (!both.failed() && rest.delay(index)) {
    result.weights.resize(weights);
    result.weightData.resize(weightData);
    result.sources.resize(weightData);
    return ok();
  }
  if (pulls == pullLimit)
    return userError("If", "more than " + std::to_string(pullLimit) +
                               " choices of a rank depend on each other: too many programs in one");
  ++pulls;
  Status status = both.failed() ? ok() : past ? goOn(both) : pull(both);
  --pulls;
  PLIANT_CHECK(std::move(status));
  return both.failed() ? keepBranch(both, condition) : joinBranches(both, condition);
}

/// Shapes decide the branch: it takes the place of the `if`.
Status Importer::decided(const ::onnx::NodeProto &node, const ::onnx::GraphProto &graph, Rest &rest) {
  const Behind behind{node, rest.tail()};
  int passed = 0;
  scopes.emplace_back();
  auto values = importGraph(graph, &behind, &passed);
  const Scope inner = std::move(scopes.back());
  scopes.pop_back();
  if (!values)
    return values.takeError();
  if (!passed)
    return define(node, *values);
  rest.next = rest.nodes.size();
  rest.passed = passed - 1;
  for (const auto &output : behind.out(passed - 1).rest.graph.output())
    if (auto found = inner.find(output.name()); found != inner.end())
      scopes.back()[output.name()] = found->second;
  return ok();
}

bool Importer::Rest::delay(int index) {
  if (!delayed.insert(index).second)
    return false;
  std::set<std::string> depends(graph.node(index).output().begin(), graph.node(index).output().end());
  depends.erase("");
  std::vector<int> first, later{index};
  for (size_t i = next; i < nodes.size(); ++i) {
    const auto &node = graph.node(nodes[i]);
    bool reached = false;
    reads(node, [&](const std::string &name) { reached |= depends.contains(name); });
    (reached ? later : first).push_back(nodes[i]);
    for (const std::string &name : node.output())
      if (reached && !name.empty())
        depends.insert(name);
  }
  if (first.empty())
    return false;
  --next;
  std::copy(later.begin(), later.end(), std::copy(first.begin(), first.end(), at(next)));
  return true;
}

/// Builds what follows in both branches until their values agree or one of them fails.
Status Importer::pull(Branches &both) {
  Rest &rest = both.rest;
  both.lookAhead();
  both.names.clear();
  both.defined(both.node);
  while (!both.joins()) {
    if (rest.next == rest.nodes.size()) {
      both.at[0] = both.at[1] = 1;
      return goOn(both);
    }
    const size_t from = rest.next;
    Rest tails[2] = {rest.tail(), rest.tail()};
    for (int k = 0; k < 2; ++k)
      both.build(k, [&] { return importNext(tails[k]); });
    // Where a choice in a choice moved nodes or took them in, each goes on alone, to the end of the graph.
    const bool apart = tails[0].next != 1 || tails[1].next != 1;
    for (int k = 0; k < 2 && apart && !both.failed(); ++k)
      both.build(k, [&] { return importNodes(tails[k]); });
    Rest &tail = tails[both.errors[0] ? 1 : 0];
    std::copy(tail.nodes.begin(), tail.nodes.end(), rest.at(from));
    rest.delayed.insert(tail.delayed.begin(), tail.delayed.end());
    rest.next = from + tail.next;
    for (size_t i = from; i < rest.next; ++i)
      both.defined(rest.graph.node(rest.nodes[i]));
    for (int k = 0; k < 2; ++k)
      if (!both.errors[k] && tails[k].passed)
        both.at[k] = 1 + tails[k].passed;
    if (both.failed())
      return ok();
    if (both.at[0] || both.at[1]) {
      for (int &at : both.at)
        at = std::max(at, 1);
      return goOn(both);
    }
  }
  return ok();
}

/// The branches have built what follows up to the ends of graphs: both go on to the same one, and to one further out
/// while there is a value of different ranks.
Status Importer::goOn(Branches &both) {
  auto further = [&](int k) {
    both.build(k, [&]() -> Status {
      int &at = both.at[k];
      const Behind &behind = both.own.out(at);
      if (at > 0) {
        PLIANT_TRY(Items items, results(both.graphAt(at)));
        PLIANT_CHECK(define(behind.node, items));
      }
      Rest tail = behind.rest.tail();
      PLIANT_CHECK(importNodes(tail));
      at += 1 + tail.passed;
      return ok();
    });
  };
  for (;;) {
    while (both.at[0] != both.at[1] && !both.failed())
      further(both.at[0] < both.at[1] ? 0 : 1);
    if (both.failed())
      return ok();
    both.reach(both.at[0]);
    if (both.joins())
      return ok();
    if (!both.own.out(both.at[0] - 1).rest.behind)
      return box(both);
    further(0);
    further(1);
  }
}

/// What has two ranks at the end of the model is a list of one.
Status Importer::box(Branches &both) {
  const bool model = &both.graphAt(both.at[0]) == &file.proto().graph();
  for (const auto &[end, name] : both.different) {
    const Item items[2] = {both.item(0, name), both.item(1, name)};
    const std::string says = "output " + onnx_file::quote(name) + " of the graph is " + typeText(items[0], *builder) +
                             " or " + typeText(items[1], *builder) + ", by the condition: ";
    auto dtype = [&](const Item &item) { return item.list ? item.list->type.dtype : builder->dtype(item.value); };
    auto isTensor = [](const Item &item) { return !item.list || isBox(item); };
    if (dtype(items[0]) != dtype(items[1]) || !isTensor(items[0]) || !isTensor(items[1]))
      return userError("If", says + "element types must agree");
    if (!model)
      return userError("If", says + "a rank is static", "",
                       "give both branches one rank, for example with an Unsqueeze");
    for (int k = 0; k < 2; ++k)
      if (!items[k].list)
        both.build(k, [&]() -> Status {
          const TensorType &type = builder->type(items[k].value);
          const ListInfo info{ListInfo::Kind::AnyRank, type.dtype, type.shape};
          scopes.back()[name] = Item(List{info, std::vector<Value>{items[k].value}, false, {}});
          return ok();
        });
  }
  both.different.clear();
  return ok();
}

/// The only branch that has a type takes the place of the `if`.
Status Importer::keepBranch(Branches &both, Value condition) {
  if (both.errors[0] && both.errors[1])
    return std::move(*both.errors[0]);
  const int kept = both.errors[0] ? 1 : 0;
  if (both.at[kept])
    both.reach(both.at[kept]);
  const Error &error = *both.errors[1 - kept];
  if (error.kind != Error::Kind::User)
    return error;
  const std::string reason = std::string("the condition chooses the ") + (kept ? "then" : "else") +
                             " branch, of which no program could be made: " + error.text();
  OpBuilder &b = builder->builder();
  b.create<ir::GuardOp>(builder->location(), builder->ssa(condition), kept == 0, reason);
  Region &region = *both.regions[kept];
  region.inlineHere();
  const std::vector<std::string> outputs(both.node.output().begin(), both.node.output().end());
  for (const std::string &name : both.names.empty() ? outputs : both.names)
    if (auto found = region.scope().find(name); found != region.scope().end())
      scopes.back()[name] = found->second;
  return ok();
}

/// An `if` op whose results are what is still read.
Status Importer::joinBranches(Branches &both, Value condition) {
  const std::string name = region("if");
  std::vector<std::string> live;
  for (const std::string &each : both.names)
    if (both.lastRead.empty() || both.lastRead.at(each) >= both.rest.next)
      live.push_back(each);
  std::vector<TensorType> types(live.size());
  std::vector<ListInfo> lists(live.size());
  SmallVector<Type> irTypes;
  Extents declared;
  for (size_t i = 0; i < live.size(); ++i) {
    const Item &a = both.item(0, live[i]), &c = both.item(1, live[i]);
    if (a.list) {
      lists[i] = join(a.list->type, c.list->type);
      irTypes.push_back(toMlir(lists[i]));
      continue;
    }
    types[i] = builder->type(a.value);
    const Extents &other = builder->shape(c.value);
    for (size_t axis = 0; axis < other.size(); ++axis)
      if (!(types[i].shape[axis] == other[axis])) {
        types[i].shape[axis] = fresh(name + "." + std::to_string(i) + "." + std::to_string(axis));
        declared.push_back(types[i].shape[axis]);
      }
    irTypes.push_back(ir::toMlir(&context, types[i]));
  }
  SmallVector<mlir::Value> values[2];
  for (int k = 0; k < 2; ++k)
    both.build(k, [&]() -> Status {
      for (const std::string &each : live) {
        PLIANT_TRY(mlir::Value value, ssa(lookup(each)));
        values[k].push_back(value);
      }
      return ok();
    });
  for (std::optional<Error> &error : both.errors)
    if (error)
      return std::move(*error);
  Location place = builder->location();
  OpBuilder &b = builder->builder();
  auto made = b.create<ir::IfOp>(place, irTypes, builder->ssa(condition), ir::toMlir(&context, declared));
  for (int k = 0; k < 2; ++k) {
    made->getRegion(k).takeBody(*both.regions[k]->region);
    OpBuilder::atBlockEnd(&made->getRegion(k).front()).create<ir::YieldOp>(place, values[k]);
  }
  for (size_t i = 0; i < live.size(); ++i)
    scopes.back()[live[i]] = both.item(0, live[i]).list ? Item(dynamic(lists[i], made->getResult(i)))
                                                        : Item(builder->adopt(made->getResult(i), types[i]));
  return ok();
}

} // namespace pliant::onnx_import
