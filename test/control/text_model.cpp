// SPDX-License-Identifier: Apache-2.0
// A parser of lines: words are cut at blanks outside of brackets.
#include "text_model.h"
#include "files/tensor_proto.h"
#include "text_tensor.h"
#include <cctype>
#include <map>
#include <onnx/onnx_pb.h>
#include <sstream>
#include <vector>

namespace pliant::test {
namespace {

using onnx::AttributeProto, onnx::GraphProto, onnx::NodeProto, onnx::TensorProto, onnx::TypeProto;

int typeCode(const std::string &name) {
  static const std::map<std::string, int> codes{
      {"f32", TensorProto::FLOAT},  {"f64", TensorProto::DOUBLE},    {"f16", TensorProto::FLOAT16},
      {"i64", TensorProto::INT64},  {"bf16", TensorProto::BFLOAT16}, {"i32", TensorProto::INT32},
      {"i16", TensorProto::INT16},  {"i8", TensorProto::INT8},       {"u64", TensorProto::UINT64},
      {"u32", TensorProto::UINT32}, {"u16", TensorProto::UINT16},    {"u8", TensorProto::UINT8},
      {"bool", TensorProto::BOOL},  {"string", TensorProto::STRING}};
  auto found = codes.find(name);
  return found == codes.end() ? 0 : found->second;
}

std::vector<std::string> split(const std::string &text, const char *separators) {
  std::vector<std::string> words;
  std::string word;
  int depth = 0;
  for (char c : text) {
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (depth == 0 && std::string(separators).find(c) != std::string::npos) {
      if (!word.empty())
        words.push_back(word);
      word.clear();
    } else if (c != ' ' || depth != 0) {
      word += c;
    }
  }
  if (!word.empty())
    words.push_back(word);
  return words;
}
std::string inside(const std::string &text, char open, char close) {
  size_t from = text.find(open), to = text.rfind(close);
  return from == text.npos || to == text.npos ? "" : text.substr(from + 1, to - from - 1);
}

void setType(TypeProto &type, const std::string &text) {
  if (text.starts_with("seq("))
    return setType(*type.mutable_sequence_type()->mutable_elem_type(), inside(text, '(', ')'));
  if (text.starts_with("opt("))
    return setType(*type.mutable_optional_type()->mutable_elem_type(), inside(text, '(', ')'));
  auto &tensor = *type.mutable_tensor_type();
  size_t bracket = text.find('[');
  tensor.set_elem_type(typeCode(text.substr(0, bracket)));
  if (bracket == text.npos)
    return;
  auto &shape = *tensor.mutable_shape();
  for (const std::string &dim : split(inside(text, '[', ']'), ", ")) {
    auto &made = *shape.add_dim();
    if (dim.find_first_not_of("0123456789") == dim.npos)
      made.set_dim_value(std::stoll(dim));
    else if (dim != "?")
      made.set_dim_param(dim);
  }
}

void setTensor(TensorProto &tensor, const std::string &text) {
  auto value = tensorOf(text);
  auto bytes = value ? files::tensorProtoBytes("", {"", *value}) : Result<std::string>(value.error());
  if (!bytes || !tensor.ParseFromString(*bytes))
    tensor.set_data_type(-1); // which no compiler takes
}

void setAttribute(AttributeProto &attribute, const std::string &name, const std::string &value) {
  attribute.set_name(name);
  if (value.starts_with("[")) {
    const bool floats = value.ends_with("f]"), texts = value.ends_with("\"]");
    attribute.set_type(texts ? AttributeProto::STRINGS : floats ? AttributeProto::FLOATS : AttributeProto::INTS);
    for (const std::string &each : split(inside(value, '[', ']'), ", "))
      if (texts)
        attribute.add_strings(inside(each, '"', '"'));
      else if (floats)
        attribute.add_floats(std::stof(each));
      else
        attribute.add_ints(std::stoll(each));
  } else if (value.starts_with("\"")) {
    attribute.set_type(AttributeProto::STRING);
    attribute.set_s(inside(value, '"', '"'));
  } else if (value.ends_with("}")) {
    attribute.set_type(AttributeProto::TENSOR);
    setTensor(*attribute.mutable_t(), value);
  } else if (value.starts_with("type:")) {
    attribute.set_type(AttributeProto::TYPE_PROTO);
    setType(*attribute.mutable_tp(), value.substr(5));
  } else if (std::isalpha(static_cast<unsigned char>(value[0]))) {
    attribute.set_type(AttributeProto::STRING);
    attribute.set_s(value);
  } else if (value.ends_with("f")) {
    attribute.set_type(AttributeProto::FLOAT);
    attribute.set_f(std::stof(value));
  } else {
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(std::stoll(value));
  }
}

class Parser {
public:
  explicit Parser(const std::string &text) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      size_t from = line.find_first_not_of(' '), to = line.find_last_not_of(' ');
      if (from != line.npos)
        lines.push_back(line.substr(from, to - from + 1));
    }
  }

  /// Up to a line that starts with a brace, which is left.
  void graph(GraphProto &graph) {
    graph.set_name("g");
    for (; at < lines.size() && lines[at][0] != '}'; ++at) {
      const std::string &line = lines[at];
      if (line.starts_with("in ") || line.starts_with("out ")) {
        const bool in = line.starts_with("in ");
        for (const std::string &word : split(line.substr(in ? 3 : 4), " ")) {
          auto &value = in ? *graph.add_input() : *graph.add_output();
          size_t colon = word.find(':');
          value.set_name(word.substr(0, colon));
          if (colon != word.npos)
            setType(*value.mutable_type(), word.substr(colon + 1));
        }
      } else {
        node(*graph.add_node());
      }
    }
  }

private:
  std::vector<std::string> lines;
  size_t at = 0;

  void node(NodeProto &node) {
    std::string line = lines[at];
    size_t equals = line.find(" = "), open = line.find('(', equals), close = line.find(')', open);
    for (const std::string &name : split(line.substr(0, equals), ", "))
      node.add_output(name == "_" ? "" : name);
    node.set_op_type(line.substr(equals + 3, open - equals - 3));
    node.set_name(node.op_type() + "_" + node.output(0));
    for (const std::string &name : split(line.substr(open + 1, close - open - 1), ", "))
      node.add_input(name == "_" ? "" : name);
    attributes(node, line.substr(close + 1));
  }

  void attributes(NodeProto &node, std::string rest) {
    const bool graphFollows = rest.ends_with("={");
    if (graphFollows)
      rest.resize(rest.size() - 2);
    std::vector<std::string> words = split(rest, " ");
    std::string graphName = graphFollows ? words.back() : "";
    if (graphFollows)
      words.pop_back();
    for (const std::string &word : words) {
      size_t equals = word.find('=');
      setAttribute(*node.add_attribute(), word.substr(0, equals), word.substr(equals + 1));
    }
    if (!graphFollows)
      return;
    auto &attribute = *node.add_attribute();
    attribute.set_name(graphName);
    attribute.set_type(AttributeProto::GRAPH);
    ++at;
    graph(*attribute.mutable_g());
    if (at < lines.size())
      attributes(node, lines[at].substr(1)); // "} else_branch={"
  }
};

} // namespace

std::string modelOf(const std::string &text, int opset) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  Parser(text).graph(*model.mutable_graph());
  return model.SerializeAsString();
}

} // namespace pliant::test
