// SPDX-License-Identifier: Apache-2.0
// pliant explain: what was fused, what is launched, what is checked, what is in memory.
#include "command.h"
#include "memory.h"
#include "ops/op.h"
#include "session.h"
#include <algorithm>
#include <set>

namespace pliant::tool {
namespace {

/// What the entry of a run tests of the inputs: fixed extents, and symbols that another axis has bound. All axes of an
/// input are one test.
struct EntryChecks {
  std::vector<std::vector<std::string>> perInput;
  int64_t total = 0;
};

EntryChecks entryChecks(const Program &program) {
  EntryChecks out;
  std::set<std::string> seen;
  for (const Argument &input : program.inputs) {
    auto &list = out.perInput.emplace_back();
    for (size_t axis = 0; axis < input.type.shape.size(); ++axis) {
      const Expr &extent = input.type.shape[axis];
      auto symbol = extent.symbolName();
      if (symbol && seen.insert(*symbol).second)
        continue; // binds it
      list.push_back("axis " + std::to_string(axis) + " is " + extent.str());
    }
    out.total += !list.empty();
  }
  return out;
}

struct Explanation {
  const Program &program;
  const driver::Compiled &compiled;
  EntryChecks entry;
  std::vector<const Step *> steps;
  std::vector<BufferUse> uses;
  std::map<Step::Kind, int64_t> counts;
  std::set<std::pair<std::string, std::string>> broadcasts; ///< undecided ones, each once
  std::vector<const Step *> checks;

  explicit Explanation(const driver::Compiled &compiled)
      : program(*compiled.program), compiled(compiled), entry(entryChecks(program)), steps(numberedSteps(program)),
        uses(bufferUses(program)) {
    for (const Step *step : steps) {
      ++counts[step->kind];
      if (step->kind != Step::Kind::Check)
        continue;
      checks.push_back(step);
      if (step->broadcast)
        broadcasts.insert({step->values[0].str(), step->values[1].str()});
    }
  }

  int64_t launches() { return counts[Step::Kind::Launch]; }
  int64_t fallbacks() { return counts[Step::Kind::Evaluate]; }
  /// Versions of kernels beyond the first.
  int64_t versions() const {
    int64_t more = 0;
    for (const driver::GroupNote &group : compiled.groups)
      more += group.versions - 1;
    return more;
  }
  double checksPerInput() const {
    const auto inputs = static_cast<double>(std::max<size_t>(program.inputs.size(), 1));
    return static_cast<double>(entry.total + static_cast<int64_t>(checks.size())) / inputs;
  }
  static std::string checkText(const Step &check) {
    return check.values[0].str() + (check.broadcast ? " broadcasts with " : " = ") + check.values[1].str();
  }
  std::string places(size_t group) const {
    std::string out;
    for (const GroupNode &node : program.groups[group].nodes)
      if (!node.place.empty() && out.find(node.place) == out.npos && out.size() < 300)
        out += (out.empty() ? "" : ", ") + node.place;
    return out;
  }
};

int64_t weightBytes(const Program &program) {
  int64_t bytes = 0;
  for (const Weight &w : program.weights)
    if (auto count = elementCount(w.dims); count && w.source >= 0)
      bytes += *count * static_cast<int64_t>(byteSize(w.dtype));
  return bytes;
}

void writeJson(Explanation &e, const Model &model) {
  const Program &p = e.program;
  files::JsonWriter json;
  json.beginObject();
  json.field("model", model.path);
  json.field("compile_ms", model.compileMs);
  json.field("launches", e.launches());
  json.field("kernels", p.groups.size());
  json.field("fallbacks", e.fallbacks());
  json.field("broadcast_versions", e.versions());
  json.field("entry_checks_per_input", e.checksPerInput());
  json.field("arena_buffers", p.arena.size());
  json.field("weight_bytes", weightBytes(p));
  json.field("image_bytes", e.compiled.image.size());
  json.key("groups");
  json.beginArray();
  for (size_t g = 0; g < p.groups.size(); ++g) {
    json.beginObject();
    json.field("name", p.groups[g].name());
    json.field("kernel", g < e.compiled.groups.size() ? e.compiled.groups[g].description : "");
    json.field("launches", g < e.compiled.groups.size() ? e.compiled.groups[g].launches : 0);
    json.key("ops");
    json.beginArray(true);
    for (const GroupNode &node : p.groups[g].nodes)
      json.value(info(node.op).name);
    json.endArray();
    json.field("nodes", e.places(g));
    json.endObject();
  }
  json.endArray();
  json.key("fallback_ops");
  json.beginArray();
  for (const Step *step : e.steps)
    if (step->kind == Step::Kind::Evaluate) {
      json.beginObject();
      json.field("op", info(step->op).name);
      json.field("node", step->place);
      json.endObject();
    }
  json.endArray();
  json.key("inputs");
  json.beginArray();
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    json.beginObject();
    jsonArgument(json, p.inputs[i]);
    json.key("checks");
    json.beginArray(true);
    for (const std::string &check : e.entry.perInput[i])
      json.value(check);
    json.endArray();
    json.endObject();
  }
  json.endArray();
  json.key("checks");
  json.beginArray();
  for (const Step *check : e.checks) {
    json.beginObject();
    json.field("check", Explanation::checkText(*check));
    json.field("node", check->place);
    json.endObject();
  }
  json.endArray();
  json.key("buffers");
  json.beginArray();
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const Buffer &buffer = p.buffers[i];
    if (buffer.storage == Buffer::Storage::Alias || buffer.storage == Buffer::Storage::Constant ||
        buffer.storage == Buffer::Storage::Weight)
      continue;
    json.beginObject();
    json.field("type", name(buffer.type.dtype));
    jsonExtents(json, "shape", buffer.type.shape);
    json.field("bytes", buffer.bytes().str());
    json.field("why", whyInMemory(p, static_cast<int>(i), e.uses[i]));
    json.endObject();
  }
  json.endArray();
  json.field("undecided_broadcasts", e.broadcasts.size());
  json.endObject();
  std::fputs(json.text().c_str(), stdout);
}

void writeText(Explanation &e, const Model &model) {
  const Program &p = e.program;
  std::printf("%ld launches of %zu kernels, %ld fallbacks; compiled in %s ms, image %s, weights %s\n",
              static_cast<long>(e.launches()), p.groups.size(), static_cast<long>(e.fallbacks()),
              shortNumber(model.compileMs).c_str(), bytesText(static_cast<double>(e.compiled.image.size())).c_str(),
              bytesText(static_cast<double>(weightBytes(p))).c_str());
  std::printf("arena: %zu buffers, placed for the extents of a run; their sizes are below\n", p.arena.size());
  std::printf("\nkernels (launches, ops, what it is, nodes)\n");
  for (size_t g = 0; g < p.groups.size(); ++g) {
    const bool noted = g < e.compiled.groups.size();
    std::printf("  %4ld  %s\n        %s\n        from %s\n",
                static_cast<long>(noted ? e.compiled.groups[g].launches : 0), p.groups[g].name().c_str(),
                noted ? e.compiled.groups[g].description.c_str() : "", e.places(g).c_str());
  }
  if (e.fallbacks())
    std::printf("\nfallbacks: no kernel, run by the reference evaluator\n");
  for (const Step *step : e.steps)
    if (step->kind == Step::Kind::Evaluate)
      std::printf("  %s  at %s\n", info(step->op).name, step->place.c_str());
  std::printf("\nchecks at entry\n");
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    std::string list;
    for (const std::string &check : e.entry.perInput[i])
      list += (list.empty() ? "" : ", ") + check;
    std::printf("  %s: %s  %s\n", p.inputs[i].name.c_str(), p.inputs[i].type.str().c_str(),
                list.empty() ? "nothing to check" : list.c_str());
  }
  std::printf("checks in the run: %zu, undecided broadcasts: %zu, kernels with a version for them: %ld\n",
              e.checks.size(), e.broadcasts.size(), static_cast<long>(e.versions()));
  for (const Step *check : e.checks)
    std::printf("  %s  at %s\n", Explanation::checkText(*check).c_str(), check->place.c_str());
  std::printf("\nvalues in memory\n");
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const Buffer &buffer = p.buffers[i];
    if (buffer.storage != Buffer::Storage::Arena && buffer.storage != Buffer::Storage::Dynamic &&
        buffer.storage != Buffer::Storage::Output)
      continue;
    std::string maker = e.uses[i].writers.empty() ? "nothing" : stepName(p, *e.uses[i].writers.front());
    std::printf("  %s by %s: %s\n", buffer.type.str().c_str(), maker.c_str(),
                whyInMemory(p, static_cast<int>(i), e.uses[i]).c_str());
  }
}

Status explain(const Arguments &arguments) {
  PLIANT_TRY(driver::Options options, compileOptions(arguments));
  PLIANT_TRY(Model model, compileModel(arguments, options));
  Explanation explanation(model.compiled);
  if (arguments.has("--json"))
    writeJson(explanation, model);
  else
    writeText(explanation, model);
  return ok();
}

} // namespace

Command explainCommand() {
  return {"explain", "model.onnx [options]", "says what was fused, launched, checked and kept in memory, and why",
          "",        modelOptions({}),       explain};
}

} // namespace pliant::tool
