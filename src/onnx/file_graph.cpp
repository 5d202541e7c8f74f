// SPDX-License-Identifier: Apache-2.0
// Model-level checks: versions, one producer for every name, topological order (made where it is missing).
#include "onnx/file.h"
#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace pliant::onnx_file {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

constexpr int noNode = -1; // produced by an input or an initializer

/// The names a graph defines, by producing node, and the graph around it. An ordered map: names are hostile, and hash
/// tables can be made slow by them.
struct Scope {
  std::map<std::string_view, int> producers;
  Scope *outer = nullptr;
  int current = 0;                     // the node being checked
  std::vector<std::vector<int>> needs; // by node: the nodes it reads from, also from inside its subgraphs
  bool sorted = true;
};

bool sees(const Scope *scope, std::string_view name) {
  for (; scope; scope = scope->outer)
    if (scope->producers.contains(name))
      return true;
  return false;
}

class GraphChecker {
public:
  explicit GraphChecker(const Limits &limits) : limits(limits) {}

  /// Checks and sorts `graph` and the graphs inside it.
  Status check(GraphProto &graph, Scope *outer, unsigned depth, const std::string &place) {
    if (depth > limits.graphDepth)
      return userError("onnx", "subgraphs are nested more than " + std::to_string(limits.graphDepth) + " deep");
    Scope scope;
    scope.outer = outer;
    PLIANT_CHECK(define(graph, scope, place));
    scope.needs.resize(static_cast<size_t>(graph.node_size()));
    for (; scope.current < graph.node_size(); ++scope.current) {
      NodeProto &node = *graph.mutable_node(scope.current);
      for (const std::string &input : node.input())
        if (!input.empty())
          PLIANT_CHECK(read(input, scope, [&] { return describe(node, scope.current); }, place));
      PLIANT_CHECK(checkAttributes(node, scope, depth));
    }
    for (const auto &output : graph.output())
      PLIANT_CHECK(read(output.name(), scope, [&] { return "the graph output" + place; }, place));
    return scope.sorted ? ok() : sort(graph, scope.needs, place);
  }

private:
  // Finds the producer of a name and notes it at the node, of the producer's graph, that is being checked.
  template <class Reader>
  Status read(std::string_view name, Scope &from, const Reader &reader, const std::string &place) {
    for (Scope *scope = &from; scope; scope = scope->outer) {
      auto found = scope->producers.find(name);
      if (found == scope->producers.end())
        continue;
      int producer = found->second;
      if (producer == noNode || static_cast<size_t>(scope->current) >= scope->needs.size()) // an output reads last
        return ok();
      scope->needs[static_cast<size_t>(scope->current)].push_back(producer);
      if (producer < scope->current)
        return ok();
      scope->sorted = false;
      if (sees(scope->outer, name))
        return userError("onnx", reader() + " reads " + quote(name) + " before it is produced" + place +
                                     ", and a graph around it has that name too");
      return ok();
    }
    return userError("onnx", reader() + " reads " + quote(name) + ", which nothing produces" + place);
  }

  Status define(const GraphProto &graph, Scope &scope, const std::string &place) {
    auto twice = [&](std::string_view name, const std::string &second) {
      return userError("onnx", "the name " + quote(name) + " is produced twice, the second time by " + second + place);
    };
    for (const auto &input : graph.input())
      if (input.name().empty())
        return userError("onnx", "a graph input has no name" + place);
      else if (!scope.producers.emplace(input.name(), noNode).second)
        return twice(input.name(), "a graph input");
    std::set<std::string_view> initializers; // an input may have an initializer as its default, but not two
    auto addInitializer = [&](std::string_view name) {
      scope.producers.emplace(name, noNode);
      return initializers.insert(name).second;
    };
    for (const auto &tensor : graph.initializer())
      if (!addInitializer(tensor.name()))
        return twice(tensor.name(), "an initializer");
    for (const auto &sparse : graph.sparse_initializer())
      if (!addInitializer(sparse.values().name()))
        return twice(sparse.values().name(), "an initializer");
    for (int i = 0; i < graph.node_size(); ++i)
      for (const std::string &output : graph.node(i).output())
        if (!output.empty() && !scope.producers.emplace(output, i).second)
          return twice(output, describe(graph.node(i), i));
    return ok();
  }

  Status checkAttributes(NodeProto &node, Scope &scope, unsigned depth) {
    int index = scope.current;
    if (node.op_type().empty())
      return userError("onnx", describe(node, index) + " has no op type");
    std::set<std::string_view> names;
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (!names.insert(attribute.name()).second)
        return userError("onnx", describe(node, index) + " has attribute " + quote(attribute.name()) + " twice");
      if (!attribute.ref_attr_name().empty())
        return userError("onnx", describe(node, index) + " refers to function attribute " +
                                     quote(attribute.ref_attr_name()) + " outside of a function");
      if (!attribute.has_g() && attribute.graphs_size() == 0)
        continue;
      std::string place = " in attribute " + quote(attribute.name()) + " of " + describe(node, index);
      if (attribute.has_g())
        PLIANT_CHECK(check(*attribute.mutable_g(), &scope, depth + 1, place));
      for (GraphProto &inner : *attribute.mutable_graphs())
        PLIANT_CHECK(check(inner, &scope, depth + 1, place));
    }
    return ok();
  }

  Status sort(GraphProto &graph, const std::vector<std::vector<int>> &needs, const std::string &place) {
    size_t count = needs.size();
    std::vector<std::vector<int>> readers(count);
    std::vector<size_t> missing(count);
    for (size_t i = 0; i < count; ++i) {
      missing[i] = needs[i].size();
      for (int producer : needs[i])
        readers[static_cast<size_t>(producer)].push_back(static_cast<int>(i));
    }
    // The smallest index first: the order of the file is kept where it can be.
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t i = 0; i < count; ++i)
      if (missing[i] == 0)
        ready.push(static_cast<int>(i));
    std::vector<int> order;
    order.reserve(count);
    while (!ready.empty()) {
      int node = ready.top();
      ready.pop();
      order.push_back(node);
      for (int reader : readers[static_cast<size_t>(node)])
        if (--missing[static_cast<size_t>(reader)] == 0)
          ready.push(reader);
    }
    if (order.size() != count)
      return cycle(graph, needs, missing, place);
    std::vector<NodeProto *> nodes(count); // only the pointers move
    graph.mutable_node()->UnsafeArenaExtractSubrange(0, static_cast<int>(count), nodes.data());
    for (int each : order)
      graph.mutable_node()->UnsafeArenaAddAllocated(nodes[static_cast<size_t>(each)]);
    return ok();
  }

  // Walks producers among the nodes that never became ready, which must come round.
  Error cycle(const GraphProto &graph, const std::vector<std::vector<int>> &needs, const std::vector<size_t> &missing,
              const std::string &place) {
    auto at = static_cast<size_t>(std::find_if(missing.begin(), missing.end(), [](size_t n) { return n != 0; }) -
                                  missing.begin());
    std::vector<size_t> path;
    std::map<size_t, size_t> position;
    while (position.emplace(at, path.size()).second) {
      path.push_back(at);
      for (int producer : needs[at])
        if (missing[static_cast<size_t>(producer)] != 0) {
          at = static_cast<size_t>(producer);
          break;
        }
    }
    std::vector<size_t> loop(path.begin() + static_cast<std::ptrdiff_t>(position[at]), path.end());
    std::reverse(loop.begin(), loop.end()); // from producer to reader, the first of the file in front
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    std::string text = "the graph has a cycle" + place + ": ";
    constexpr size_t shown = 10;
    for (size_t i = 0; i < loop.size() && i < shown; ++i)
      text += describe(graph.node(static_cast<int>(loop[i])), static_cast<int>(loop[i])) + " -> ";
    if (loop.size() > shown)
      text += "(" + std::to_string(loop.size() - shown) + " more) -> ";
    return userError("onnx", text + describe(graph.node(static_cast<int>(loop[0])), static_cast<int>(loop[0])));
  }

  const Limits &limits;
};

} // namespace

Status checkVersions(const ::onnx::ModelProto &model) {
  int64_t version = model.ir_version();
  if (version < 1 || version > newestIrVersion)
    return userError("onnx", "the file format (ir_version) is " + std::to_string(version) + "; 1 to " +
                                 std::to_string(newestIrVersion) + " are known");
  std::map<std::string_view, int64_t> seen;
  for (const auto &import : model.opset_import()) {
    std::string_view domain = import.domain() == "ai.onnx" ? std::string_view() : std::string_view(import.domain());
    auto [found, isNew] = seen.try_emplace(domain, import.version());
    if (!isNew && found->second != import.version())
      return userError("onnx", "the model imports versions " + std::to_string(found->second) + " and " +
                                   std::to_string(import.version()) + " of domain " + quote(domain));
    if (domain.empty() && (import.version() < 1 || import.version() > newestOpset))
      return userError("onnx",
                       "the model uses opset " + std::to_string(import.version()) + "; 1 to " +
                           std::to_string(newestOpset) + " are known",
                       {}, "convert it with onnx.version_converter or export it again with an older opset");
  }
  return ok();
}

Status checkGraph(::onnx::ModelProto &model, const Limits &limits) {
  if (!model.has_graph())
    return userError("onnx", "the model has no graph");
  return GraphChecker(limits).check(*model.mutable_graph(), nullptr, 0, "");
}

} // namespace pliant::onnx_file
