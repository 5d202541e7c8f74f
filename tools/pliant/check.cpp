// SPDX-License-Identifier: Apache-2.0
// pliant check: the types of every value, with symbols named, and what is known of the symbols.
#include "command.h"
#include "session.h"
#include "shapes.h"

namespace pliant::tool {
namespace {

/// Where a symbol is bound: "x.0" is axis 0 of input x.
std::string boundBy(const std::string &symbol, const std::vector<Argument> &inputs) {
  std::string out;
  for (const Argument &input : inputs)
    for (size_t axis = 0; axis < input.type.shape.size(); ++axis)
      if (input.type.shape[axis].symbolName() == symbol)
        out += (out.empty() ? "" : ", ") + input.name + "." + std::to_string(axis);
  return out;
}

void section(files::JsonWriter &json, const char *key, const std::vector<driver::ValueNote> &notes, bool withOp) {
  json.key(key);
  json.beginArray();
  for (const driver::ValueNote &note : notes) {
    json.beginObject();
    json.field("name", note.name);
    if (withOp)
      json.field("op", note.op);
    json.field("type", note.list ? note.list->str() : name(note.type.dtype));
    if (!note.list)
      jsonExtents(json, "shape", note.type.shape);
    json.endObject();
  }
  json.endArray();
}

Status check(const Arguments &arguments) {
  PLIANT_TRY(driver::Options options, compileOptions(arguments));
  options.listValues = true;
  options.stopAfter = "import";
  PLIANT_TRY(Model model, compileModel(arguments, options));
  std::vector<driver::ValueNote> inputs, outputs, values;
  std::vector<Argument> bound;
  for (driver::ValueNote &note : model.compiled.values) {
    if (note.op == "input")
      bound.push_back({note.name, note.type, note.list});
    (note.op == "input" ? inputs : note.op == "output" ? outputs : values).push_back(std::move(note));
  }
  const std::vector<std::string> symbols = modelSymbols(bound);
  if (arguments.has("--json")) {
    files::JsonWriter json;
    json.beginObject();
    json.field("model", model.path);
    json.key("symbols");
    json.beginArray();
    for (const std::string &symbol : symbols) {
      json.beginObject();
      json.field("name", symbol);
      json.field("bound_by", boundBy(symbol, bound));
      json.endObject();
    }
    json.endArray();
    section(json, "inputs", inputs, false);
    section(json, "outputs", outputs, false);
    section(json, "values", values, true);
    json.key("facts");
    json.beginArray();
    for (const driver::FactNote &note : model.compiled.facts) {
      json.beginObject();
      json.field("fact", note.fact);
      json.field("source", note.source);
      json.endObject();
    }
    json.endArray();
    json.endObject();
    std::fputs(json.text().c_str(), stdout);
    return ok();
  }
  std::printf("symbols\n");
  for (const std::string &symbol : symbols)
    std::printf("  %s  (%s)\n", symbol.c_str(), boundBy(symbol, bound).c_str());
  if (symbols.empty())
    std::printf("  none: every extent is fixed\n");
  std::printf("facts\n  every extent is in [0, 2^47]\n");
  for (const driver::FactNote &note : model.compiled.facts)
    std::printf("  %s  (%s)\n", note.fact.c_str(), note.source.c_str());
  for (auto [title, notes] :
       {std::pair("inputs", &inputs), std::pair("outputs", &outputs), std::pair("values", &values)}) {
    std::printf("%s\n", title);
    for (const driver::ValueNote &note : *notes)
      std::printf("  %s: %s%s%s\n", note.name.c_str(), (note.list ? note.list->str() : note.type.str()).c_str(),
                  notes == &values ? "  " : "", notes == &values ? note.op.c_str() : "");
  }
  return ok();
}

} // namespace

Command checkCommand() {
  return {"check",
          "model.onnx [options]",
          "prints the type of every value, with symbols named",
          "Symbols are listed in the order in which --shapes of `run` and `bench` counts them.",
          modelOptions({}),
          check};
}

} // namespace pliant::tool
