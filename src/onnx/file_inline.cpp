// SPDX-License-Identifier: Apache-2.0
// Replaces calls of a model's own functions by their bodies, with fresh names and bounds on depth and size.
#include "onnx/file.h"
#include <algorithm>
#include <map>
#include <set>

namespace pliant::onnx_file {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;

std::string_view domainOf(const std::string &domain) { return domain == "ai.onnx" ? std::string_view() : domain; }

// `overload` is newer than the library's schema.
std::string unknownString(const google::protobuf::UnknownFieldSet &fields, int number) {
  std::string text;
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == number &&
        fields.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      text = fields.field(i).length_delimited();
  return text;
}

// Length-prefixed, so that no two triples share a key.
std::string functionKey(std::string_view domain, std::string_view name, std::string_view overload) {
  return std::to_string(domain.size()) + ":" + std::string(domain) + std::to_string(name.size()) + ":" +
         std::string(name) + std::string(overload);
}

using Arguments = std::map<std::string_view, const AttributeProto *>;

struct Function {
  FunctionProto *proto;
  std::vector<AttributeProto> defaults;
  Arguments defaultArguments;  // into `defaults`
  std::vector<uint64_t> costs; // of the nodes and of the call itself; made at the first call
};

/// How names of a body become names of the caller; a subgraph's own names hide those around it.
struct Renaming {
  std::string prefix;
  std::map<std::string, std::string> names;
  const Renaming *outer = nullptr;
  const NodeProto *call = nullptr;
  const Arguments *arguments = nullptr;

  std::string operator()(const std::string &name) const {
    if (name.empty())
      return name;
    for (const Renaming *each = this; each; each = each->outer)
      if (auto found = each->names.find(name); found != each->names.end())
        return found->second;
    return prefix + name;
  }
};

class Inliner {
public:
  Inliner(ModelProto &model, const Limits &limits) : model(model), limits(limits) {}

  Status run() {
    for (const auto &import : model.opset_import())
      versions.emplace(domainOf(import.domain()), import.version());
    for (FunctionProto &each : *model.mutable_functions())
      PLIANT_CHECK(declare(each));
    collectPrefixes(model.graph(), 0);
    PLIANT_CHECK(expand(*model.mutable_graph(), 0, 0));
    functions.clear();
    model.clear_functions();
    return ok();
  }

private:
  Status declare(FunctionProto &proto) {
    Function function{&proto, {}, {}, {}};
    const auto &unknown = proto.unknown_fields();
    for (int i = 0; i < unknown.field_count(); ++i) // attribute_proto: attributes with defaults
      if (unknown.field(i).number() == 11 &&
          unknown.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
        AttributeProto attribute;
        if (!attribute.ParseFromString(unknown.field(i).length_delimited()))
          return userError("onnx", "function " + quote(proto.name()) + " has a damaged default attribute");
        function.defaults.push_back(std::move(attribute));
      }
    for (const AttributeProto &each : function.defaults)
      function.defaultArguments[each.name()] = &each;
    std::string overload = unknownString(unknown, 13);
    if (!functions.emplace(functionKey(domainOf(proto.domain()), proto.name(), overload), std::move(function)).second)
      return userError("onnx",
                       "function " + quote(proto.name()) + " of domain " + quote(proto.domain()) + " is defined twice");
    return ok();
  }

  Function *callee(const NodeProto &node) {
    auto found =
        functions.find(functionKey(domainOf(node.domain()), node.op_type(), unknownString(node.unknown_fields(), 8)));
    return found == functions.end() ? nullptr : &found->second;
  }

  // Fresh names are "<function>#<n>/<name>"; a start that the model already uses is passed over.
  void collectPrefixes(const GraphProto &graph, unsigned depth) {
    if (depth > limits.graphDepth)
      return; // expand says so
    auto add = [&](const std::string &name) { used.insert(name.substr(0, name.find('/'))); };
    for (const auto &each : graph.input())
      add(each.name());
    for (const auto &each : graph.initializer())
      add(each.name());
    for (const auto &each : graph.sparse_initializer())
      add(each.values().name());
    for (const NodeProto &node : graph.node()) {
      for (const std::string &each : node.output())
        add(each);
      for (const AttributeProto &attribute : node.attribute()) {
        if (attribute.has_g())
          collectPrefixes(attribute.g(), depth + 1);
        for (const GraphProto &inner : attribute.graphs())
          collectPrefixes(inner, depth + 1);
      }
    }
  }
  std::string freshPrefix(const std::string &name) {
    std::string base = name.substr(0, 64);
    for (char &c : base)
      if (c == '/')
        c = '.';
    std::string prefix;
    do
      prefix = base + "#" + std::to_string(++counter);
    while (used.contains(prefix));
    return prefix + "/";
  }

  Status expand(GraphProto &graph, unsigned graphDepth, unsigned callDepth) {
    if (graphDepth > limits.graphDepth)
      return userError("onnx", "subgraphs are nested more than " + std::to_string(limits.graphDepth) + " deep");
    Nodes out;
    for (NodeProto &node : *graph.mutable_node())
      PLIANT_CHECK(expand(std::move(node), out, graphDepth, callDepth));
    graph.mutable_node()->Swap(&out);
    return ok();
  }

  Status expand(NodeProto &&node, Nodes &out, unsigned graphDepth, unsigned callDepth) {
    // Before the call: graphs that a call hands over belong to the caller.
    for (AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        PLIANT_CHECK(expand(*attribute.mutable_g(), graphDepth + 1, callDepth));
      for (GraphProto &inner : *attribute.mutable_graphs())
        PLIANT_CHECK(expand(inner, graphDepth + 1, callDepth));
    }
    Function *function = callee(node);
    if (!function) {
      *out.Add() = std::move(node);
      return ok();
    }
    if (std::find(calls.begin(), calls.end(), function) != calls.end()) {
      std::string text;
      for (const Function *each : calls)
        text += quote(each->proto->name()) + " -> ";
      return userError("onnx", "function " + quote(function->proto->name()) + " calls itself: " + text +
                                   quote(function->proto->name()));
    }
    if (callDepth >= limits.callDepth)
      return userError("onnx", "functions call functions more than " + std::to_string(limits.callDepth) + " deep");
    if (function->costs.empty()) {
      PLIANT_CHECK(checkImports(*function));
      for (const NodeProto &each : function->proto->node()) // fresh names at most quadruple what a node takes
        function->costs.push_back(4 * each.SpaceUsedLong());
      auto names = static_cast<uint64_t>(function->proto->input_size() + function->proto->output_size());
      function->costs.push_back(64 * (1 + names + function->defaults.size()));
    }
    calls.push_back(function);
    Status status = inlineCall(node, *function, out, graphDepth, callDepth);
    calls.pop_back();
    return status;
  }

  Status inlineCall(const NodeProto &call, const Function &function, Nodes &out, unsigned graphDepth,
                    unsigned callDepth) {
    const FunctionProto &proto = *function.proto;
    PLIANT_CHECK(checkCall(call, proto));
    PLIANT_CHECK(charge(function.costs.back()));
    Renaming renaming;
    renaming.prefix = freshPrefix(proto.name());
    renaming.call = &call;
    Arguments arguments = function.defaultArguments;
    for (const AttributeProto &each : call.attribute())
      arguments[each.name()] = &each;
    renaming.arguments = &arguments;
    for (int i = 0; i < proto.input_size(); ++i)
      if (!renaming.names.emplace(proto.input(i), i < call.input_size() ? call.input(i) : std::string()).second)
        return userError("onnx", "function " + quote(proto.name()) + " has input " + quote(proto.input(i)) + " twice");
    std::vector<std::pair<std::string, std::string>> copies; // outputs that are an input or an output already
    for (int i = 0; i < proto.output_size() && i < call.output_size(); ++i)
      if (const std::string &actual = call.output(i); !actual.empty())
        if (auto [found, isNew] = renaming.names.emplace(proto.output(i), actual); !isNew)
          copies.emplace_back(found->second, actual);
    for (int i = 0; i < proto.node_size(); ++i) {
      ++nodes;
      PLIANT_CHECK(charge(function.costs[static_cast<size_t>(i)]));
      NodeProto node = proto.node(i);
      PLIANT_CHECK(rename(node, renaming, graphDepth));
      PLIANT_CHECK(expand(std::move(node), out, graphDepth, callDepth + 1));
    }
    for (const auto &[from, to] : copies) {
      NodeProto &node = *out.Add();
      node.set_op_type("Identity");
      node.set_name(renaming.prefix + "Identity");
      node.add_input(from);
      node.add_output(to);
    }
    return ok();
  }

  // Every body is read with the model's versions.
  Status checkImports(const Function &function) {
    for (const auto &wanted : function.proto->opset_import()) {
      auto [have, isNew] = versions.emplace(domainOf(wanted.domain()), wanted.version());
      if (isNew)
        *model.add_opset_import() = wanted;
      else if (have->second != wanted.version())
        return userError("onnx", "function " + quote(function.proto->name()) + " is written for version " +
                                     std::to_string(wanted.version()) + " of domain " + quote(wanted.domain()) +
                                     ", the model for " + std::to_string(have->second));
    }
    return ok();
  }

  Status checkCall(const NodeProto &call, const FunctionProto &proto) {
    if (call.input_size() > proto.input_size() || call.output_size() > proto.output_size())
      return userError("onnx", describe(call) + " has " + std::to_string(call.input_size()) + " inputs and " +
                                   std::to_string(call.output_size()) + " outputs, but the function takes " +
                                   std::to_string(proto.input_size()) + " and gives " +
                                   std::to_string(proto.output_size()));
    return ok();
  }

  Status charge(uint64_t more) {
    bytes += more;
    if (nodes > limits.inlinedNodes || bytes > limits.inlinedBytes)
      return userError("onnx", "the model's functions expand to more than " + std::to_string(limits.inlinedNodes) +
                                   " nodes or " + std::to_string(limits.inlinedBytes) + " bytes");
    return ok();
  }

  Status rename(NodeProto &node, const Renaming &renaming, unsigned graphDepth) {
    if (!node.name().empty())
      node.set_name(renaming.prefix + node.name());
    for (std::string &name : *node.mutable_input())
      name = renaming(name);
    for (std::string &name : *node.mutable_output())
      name = renaming(name);
    int kept = 0;
    for (int i = 0; i < node.attribute_size(); ++i) {
      PLIANT_TRY(bool keep, rename(*node.mutable_attribute(i), renaming, graphDepth));
      if (keep)
        node.mutable_attribute()->SwapElements(kept++, i);
    }
    node.mutable_attribute()->DeleteSubrange(kept, node.attribute_size() - kept);
    return ok();
  }

  /// False when the attribute takes its value from one that the call leaves out.
  Result<bool> rename(AttributeProto &attribute, const Renaming &renaming, unsigned graphDepth) {
    if (attribute.ref_attr_name().empty()) {
      if (attribute.has_g())
        PLIANT_CHECK(rename(*attribute.mutable_g(), renaming, graphDepth + 1));
      for (GraphProto &inner : *attribute.mutable_graphs())
        PLIANT_CHECK(rename(inner, renaming, graphDepth + 1));
      return true;
    }
    auto found = renaming.arguments->find(attribute.ref_attr_name());
    if (found == renaming.arguments->end())
      return false;
    const AttributeProto &given = *found->second;
    if (attribute.type() != AttributeProto::UNDEFINED && attribute.type() != given.type())
      return userError("onnx", describe(*renaming.call) + " gives attribute " + quote(given.name()) +
                                   " a type the function does not take");
    PLIANT_CHECK(charge(given.SpaceUsedLong()));
    std::string name = attribute.name();
    attribute = given; // if it is a graph, its names are the caller's: nothing to rename
    attribute.set_name(name);
    return true;
  }

  Status rename(GraphProto &graph, const Renaming &outer, unsigned graphDepth) {
    if (graphDepth > limits.graphDepth)
      return userError("onnx", "subgraphs are nested more than " + std::to_string(limits.graphDepth) + " deep");
    Renaming inner;
    inner.prefix = outer.prefix;
    inner.outer = &outer;
    inner.call = outer.call;
    inner.arguments = outer.arguments;
    auto define = [&](const std::string &name) {
      if (!name.empty())
        inner.names.emplace(name, inner.prefix + name);
    };
    for (const auto &each : graph.input())
      define(each.name());
    for (const auto &each : graph.initializer())
      define(each.name());
    for (const auto &each : graph.sparse_initializer())
      define(each.values().name());
    for (const NodeProto &node : graph.node())
      for (const std::string &name : node.output())
        define(name);
    graph.clear_quantization_annotation();
    for (auto *values : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
      for (auto &value : *values)
        value.set_name(inner(value.name()));
    for (auto &tensor : *graph.mutable_initializer())
      tensor.set_name(inner(tensor.name()));
    for (auto &sparse : *graph.mutable_sparse_initializer())
      sparse.mutable_values()->set_name(inner(sparse.values().name()));
    for (NodeProto &node : *graph.mutable_node())
      PLIANT_CHECK(rename(node, inner, graphDepth));
    return ok();
  }

  ModelProto &model;
  const Limits &limits;
  std::map<std::string, Function> functions;
  std::map<std::string, int64_t> versions; // by domain
  std::set<std::string> used;
  std::vector<const Function *> calls;
  uint64_t counter = 0, nodes = 0, bytes = 0;
};

} // namespace

Status inlineFunctions(ModelProto &model, const Limits &limits) {
  if (model.functions_size() == 0)
    return ok();
  return Inliner(model, limits).run();
}

} // namespace pliant::onnx_file
