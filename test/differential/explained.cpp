// SPDX-License-Identifier: Apache-2.0
// Which row of docs/differential.md explains the least model, which is one node for nearly all of them.
#include "explained.h"
#include "case.h"
#include <algorithm>

namespace pliant::differential {
namespace {

/// The node that makes the value that the finding names, or the last one.
const onnx::NodeProto &blamed(const onnx::GraphProto &graph, const std::string &what) {
  const std::string name = what.substr(0, what.find(':'));
  for (const onnx::NodeProto &node : graph.node())
    if (std::find(node.output().begin(), node.output().end(), name) != node.output().end())
      return node;
  return graph.node(graph.node_size() - 1);
}

/// Whether what differs comes from memory that nobody wrote: of a product that the value named is computed from.
bool readsUnwritten(const Finding &finding, const std::string &ort) {
  const auto &graph = finding.model.proto.graph();
  std::set<std::string> needed{finding.verdict.what.substr(0, finding.verdict.what.find(':'))};
  for (int i = graph.node_size(); i-- > 0;) {
    const onnx::NodeProto &node = graph.node(i);
    if (std::none_of(node.output().begin(), node.output().end(),
                     [&](const std::string &name) { return needed.contains(name); }))
      continue;
    if (innerExtentOfNone(Case(finding, node, ort)))
      return true;
    needed.merge(readBy(node));
  }
  return false;
}

} // namespace

std::string explained(const Finding &finding, const std::string &ort) {
  if (finding.illConditioned)
    return "N1";
  const auto &graph = finding.model.proto.graph();
  if (graph.node_size() == 0)
    return {};
  if (finding.fleeting)
    return finding.verdict.kind == Kind::Values && readsUnwritten(finding, ort) ? "T1" : "";
  // What only hands a value on is not to blame for it.
  for (const onnx::NodeProto *node = &blamed(graph, finding.verdict.what); node;) {
    const Case c(finding, *node, ort);
    for (auto rows : {theirsIsWrong(), standardIsSilent(), notTaken()})
      for (const Row &row : rows)
        if ((graph.node_size() == 1 || row.withOthers) && row.explains(c))
          return row.id;
    node = node->input_size() == 1 ? c.makerOf(node->input(0)) : nullptr;
  }
  return {};
}

} // namespace pliant::differential
