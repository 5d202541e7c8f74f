// SPDX-License-Identifier: Apache-2.0
// The rows of docs/differential.md as conditions on the least model, which is one node for nearly all of them.
#include "explained.h"
#include "compare.h"
#include "files/tensor_proto.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace pliant::differential {
namespace {

using Kind = Verdict::Kind;

/// An initializer; a default tensor where there is none of the name.
DenseTensor initializerOf(const onnx::GraphProto &graph, const std::string &name) {
  for (const auto &proto : graph.initializer())
    if (proto.name() == name) {
      const std::string bytes = proto.SerializeAsString();
      if (auto tensor = files::parseTensorProto(bytes.data(), bytes.size(), name))
        return tensor->second;
    }
  return {};
}

std::vector<double> numbersOf(const DenseTensor &tensor) {
  std::vector<double> out;
  for (int64_t k = 0; tensor && k < tensor.size(); ++k)
    out.push_back(tool::elementAsDouble(tensor, k));
  return out;
}

constexpr double far = 2147483647; ///< exporters write it, or 2^63 - 1, for "to the end"

/// One node with what it reads.
struct Case {
  Kind kind;
  const std::string &what;
  const onnx::GraphProto &graph;
  const onnx::NodeProto &node;
  int64_t opset;
  std::vector<DenseTensor> inputs; ///< by position; a default tensor where absent

  bool is(const std::set<std::string> &ops) const { return ops.contains(node.op_type()); }
  bool starts(const char *prefix) const { return node.op_type().starts_with(prefix); }
  const onnx::AttributeProto *attribute(const std::string &name) const {
    for (const auto &a : node.attribute())
      if (a.name() == name)
        return &a;
    return nullptr;
  }
  std::string text(const std::string &name) const { return attribute(name) ? attribute(name)->s() : ""; }
  int64_t integer(const std::string &name, int64_t otherwise) const {
    return attribute(name) ? attribute(name)->i() : otherwise;
  }
  const DenseTensor &in(size_t i) const {
    static const DenseTensor none;
    return i < inputs.size() ? inputs[i] : none;
  }
  bool empty(size_t i) const { return i < inputs.size() && inputs[i] && inputs[i].size() == 0; }
  bool anyEmpty() const {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (empty(i))
        return true;
    return false;
  }
  std::vector<double> list(size_t i) const { return numbersOf(in(i)); }
  bool any(size_t i, bool (*holds)(double)) const {
    const std::vector<double> elements = list(i);
    return std::any_of(elements.begin(), elements.end(), holds);
  }
  std::vector<double> initializer(const onnx::NodeProto &of, int i) const {
    return i < of.input_size() ? numbersOf(initializerOf(graph, of.input(i))) : std::vector<double>();
  }
  /// Whether a slice takes nothing of an axis, however long that is.
  bool takesNothing(const onnx::NodeProto &reader) const {
    if (reader.op_type() != "Slice")
      return false;
    const std::vector<double> starts = initializer(reader, 1), ends = initializer(reader, 2);
    std::vector<double> steps = initializer(reader, 4);
    steps.resize(starts.size(), 1);
    for (size_t i = 0; i < starts.size() && i < ends.size(); ++i) {
      const bool front = starts[i] <= -far, fromBack = starts[i] < 0 && !front, endFromBack = ends[i] < 0;
      if (fromBack == endFromBack && (steps[i] > 0 ? starts[i] >= ends[i] : starts[i] <= ends[i]))
        return true;
    }
    return false;
  }
  /// Whether a slice of the graph steps backwards from a start to an end behind every extent (T5).
  bool endsBehindAll() const {
    return std::any_of(graph.node().begin(), graph.node().end(), [&](const onnx::NodeProto &each) {
      const std::vector<double> ends = initializer(each, 2), steps = initializer(each, 4);
      bool any = false;
      for (size_t i = 0; each.op_type() == "Slice" && i < ends.size() && i < steps.size(); ++i)
        any |= steps[i] < 0 && ends[i] >= far;
      return any;
    });
  }
  /// Whether no element is read of the value at which the error is: only the shape, or how many a list has with it.
  bool noElementIsRead() const {
    const size_t at = what.rfind("at: ");
    if (at == std::string::npos)
      return false;
    std::vector<std::string> names{what.substr(at + 4)};
    for (size_t i = 0; i < names.size(); ++i) {
      for (const auto &output : graph.output())
        if (output.name() == names[i] &&
            !says((" " + names[i] + ",").c_str())) // judge.cpp names those without elements
          return false;
      for (const onnx::NodeProto &reader : graph.node())
        if (std::find(reader.input().begin(), reader.input().end(), names[i]) != reader.input().end() &&
            !std::set<std::string>{"Shape", "Size", "EyeLike", "SequenceLength"}.contains(reader.op_type()) &&
            !takesNothing(reader))
          names.insert(names.end(), reader.output().begin(), reader.output().end());
    }
    return true;
  }
  const onnx::NodeProto *makerOf(const std::string &name) const {
    for (const onnx::NodeProto &each : graph.node())
      if (std::find(each.output().begin(), each.output().end(), name) != each.output().end())
        return &each;
    return nullptr;
  }
  /// Whether a product of some of the elements is beyond the type, so that the order decides between it and others.
  bool leavesTheRange() const {
    double doublings = 0;
    for (double v : list(0))
      if (std::isfinite(v) && std::abs(v) > 1)
        doublings += std::log2(std::abs(v));
    const DType type = in(0).dtype();
    const double beyond = type == DType::F64 ? 1024 : type == DType::F16 ? 16 : 128;
    return doublings >= (isFloat(type) ? beyond : static_cast<double>(8 * byteSize(type) - 1));
  }
  bool says(const char *words) const { return what.find(words) != std::string::npos; }
};

bool nan(double v) { return std::isnan(v); }

struct Row {
  const char *id;
  bool (*explains)(const Case &); ///< of the node that makes what differs, else the last
  bool withOthers = false;        ///< also where other nodes give what it reads
};

/// A product over an inner extent of 0.
bool unwrittenMemory(const Case &c) {
  return c.kind == Kind::Values &&
         c.is({"MatMul", "Gemm", "MatMulInteger", "QLinearMatMul", "ConvInteger", "QLinearConv"}) && c.anyEmpty();
}

const Row rows[] = {
    {"T1", unwrittenMemory, true},
    {"T2",
     [](const Case &c) { return c.kind == Kind::Values && (c.starts("Reduce") || c.starts("Arg")) && c.empty(0); }},
    {"T3",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"AveragePool", "MaxPool", "LpPool"}) && c.text("auto_pad") == "VALID" &&
              c.integer("ceil_mode", 0) == 1;
     }},
    {"T4", [](const Case &c) { return c.kind == Kind::Values && c.is({"RoiAlign"}) && c.text("mode") == "max"; }},
    {"T5",
     [](const Case &c) {
       if (c.kind != Kind::Values || !c.is({"Slice"}))
         return false;
       const std::vector<double> ends = c.list(2), steps = c.list(4);
       for (size_t i = 0; i < ends.size() && i < steps.size(); ++i)
         if (steps[i] < 0 && ends[i] >= far)
           return true;
       return false;
     }},
    {"T5", [](const Case &c) { return c.kind == Kind::WeRefuse && c.is({"SequenceAt"}) && c.endsBehindAll(); }, true},
    {"S1", [](const Case &c) { return c.kind == Kind::WeRefuse && c.starts("Arg") && c.says("extents 0 and 1"); },
     true},
    {"S2",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"Cast", "CastLike"}) && c.in(0) && isFloat(c.in(0).dtype()) &&
              c.any(0, [](double v) { return !(v > -0.5) || v > 127; });
     }},
    {"S3",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"Loop"}) && c.says("shape (0,") && c.node.output_size() > 1;
     },
     true},
    {"S4",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"Squeeze"}) && c.node.input_size() == 1 && !c.attribute("axes");
     }},
    {"S6",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"DynamicQuantizeLinear"}) && !c.any(0, [](double v) { return v != 0; });
     }},
    {"S7",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}) && c.anyEmpty();
     }},
    {"L1",
     [](const Case &c) {
       return c.kind == Kind::WeRefuse && c.is({"If"}) &&
              (c.says("a rank is static") || c.says("element types must agree"));
     },
     true},
    {"L2", [](const Case &c) { return c.kind == Kind::WeRefuse && c.says("compile: ") && c.says("is not supported"); }},
    {"T7",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"ConvTranspose"}) && c.text("auto_pad").starts_with("SAME") &&
              c.says("shape");
     }},
    {"T9",
     [](const Case &c) {
       const auto *dilations = c.attribute("dilations");
       return c.kind == Kind::Values && c.is({"AveragePool", "MaxPool", "LpPool"}) &&
              c.text("auto_pad").starts_with("SAME") && dilations &&
              std::any_of(dilations->ints().begin(), dilations->ints().end(), [](auto d) { return d > 1; });
     }},
    {"T8",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"Softmax", "LogSoftmax"}) &&
              c.any(0, [](double v) { return !std::isfinite(v); });
     }},
    {"S8", [](const Case &c) { return c.kind == Kind::Values && c.is({"Dropout"}) && c.opset < 12; }},
    {"S9",
     [](const Case &c) {
       return c.kind == Kind::WeRefuse && c.is({"Pad"}) &&
              (c.says("pad.C3") || c.says("pad.C4") || c.says("slice.C3") || (c.empty(0) && c.says("pad")));
     },
     true},
    {"S13",
     [](const Case &c) {
       return c.kind == Kind::Compiled && c.says("only the references refuse") && c.noElementIsRead();
     },
     true},
    {"S12",
     [](const Case &c) { return c.kind == Kind::WeRefuse && c.starts("Scatter") && c.says("bool has no reduction"); },
     true},
    {"S10",
     [](const Case &c) {
       return c.kind == Kind::Values &&
              c.is({"ReduceMin", "ReduceMax", "Min", "Max", "Relu", "Clip", "MaxPool", "DynamicQuantizeLinear",
                    "ArgMin", "ArgMax", "Hardmax"}) &&
              (c.any(0, nan) || c.any(1, nan));
     }},
    {"S14",
     [](const Case &c) {
       const bool differs = c.kind == Kind::Values || c.kind == Kind::Compiled;
       const bool left = c.says("inf") || c.says("nan"); // and the other side has not, or not so
       return differs && left && c.is({"ReduceProd"}) && c.in(0) && isFloat(c.in(0).dtype()) && c.leavesTheRange();
     }},
    {"S15",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"ReduceProd"}) && c.in(0) && !isFloat(c.in(0).dtype()) &&
              c.leavesTheRange();
     }},
    {"T11",
     [](const Case &c) {
       return c.kind == Kind::Values && c.is({"ReduceLogSumExp"}) && c.any(0, nan) &&
              c.any(0, [](double v) { return std::isinf(v); });
     }},
    {"T10", [](const Case &c) { return c.kind == Kind::WeRefuse && c.is({"Reshape"}) && c.says("beside a 0"); }},
    {"S11",
     [](const Case &c) {
       const auto *window = c.attribute("kernel_shape"), *strides = c.attribute("strides");
       bool smaller = false;
       for (int i = 0; window && strides && i < window->ints_size() && i < strides->ints_size(); ++i)
         smaller |= window->ints(i) < strides->ints(i);
       return c.kind == Kind::Values && smaller && c.text("auto_pad").starts_with("SAME");
     }},
};

/// The node that makes the value that the finding names, or the last one.
const onnx::NodeProto &blamed(const onnx::GraphProto &graph, const std::string &what) {
  const std::string name = what.substr(0, what.find(':'));
  for (const onnx::NodeProto &node : graph.node())
    if (std::find(node.output().begin(), node.output().end(), name) != node.output().end())
      return node;
  return graph.node(graph.node_size() - 1);
}

using Inputs = std::vector<std::pair<std::string, DenseTensor>>;

Case caseOf(const Finding &finding, const onnx::NodeProto &node, const Inputs &inputs) {
  const auto &graph = finding.model.proto.graph();
  Case c{finding.verdict.kind, finding.verdict.what, graph, node, finding.model.proto.opset_import(0).version(), {}};
  for (const std::string &name : node.input()) {
    const auto found = finding.fleeting.find(name);
    c.inputs.push_back(found == finding.fleeting.end() ? initializerOf(graph, name) : found->second);
    for (const auto &[input, tensor] : inputs)
      if (input == name)
        c.inputs.back() = tensor;
  }
  return c;
}

} // namespace

std::string explained(const Finding &finding) {
  if (finding.illConditioned)
    return "N1";
  const auto &graph = finding.model.proto.graph();
  if (graph.node_size() == 0)
    return {};
  auto inputs = finding.model.tensors(finding.point, 0);
  if (!inputs)
    return {};
  if (!finding.fleeting.empty()) {
    auto unwritten = [&](const auto &node) { return unwrittenMemory(caseOf(finding, node, *inputs)); };
    return std::any_of(graph.node().begin(), graph.node().end(), unwritten) ? "T1" : "";
  }
  // What only hands a value on is not to blame for it.
  for (const onnx::NodeProto *node = &blamed(graph, finding.verdict.what); node;) {
    const Case c = caseOf(finding, *node, *inputs);
    for (const Row &row : rows)
      if ((graph.node_size() == 1 || row.withOthers) && row.explains(c))
        return row.id;
    node = node->input_size() == 1 ? c.makerOf(node->input(0)) : nullptr;
  }
  return {};
}

} // namespace pliant::differential
