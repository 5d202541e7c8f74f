// SPDX-License-Identifier: Apache-2.0
// pliant explain: what was fused and why not more, what is launched, what is checked, what is in memory.
#include "command.h"
#include "entry_checks.h"
#include "memory.h"
#include "ops/op.h"
#include "session.h"
#include <algorithm>
#include <set>

namespace pliant::tool {
namespace {

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
  int64_t fallbacks() const {
    return std::ranges::count_if(steps, [](const Step *step) { return isFallback(*step); });
  }
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
  /// Edges between groups by rule, the most frequent first; by reason within a rule.
  struct Rule {
    std::string name;
    int64_t count = 0;
    std::map<std::string, std::vector<const driver::UnfusedNote *>> reasons;
  };
  std::vector<Rule> rules() const {
    std::map<std::string, Rule> byName;
    for (const driver::UnfusedNote &note : compiled.unfused) {
      Rule &rule = byName[note.rule];
      rule.name = note.rule;
      ++rule.count;
      rule.reasons[note.why].push_back(&note);
    }
    std::vector<Rule> list;
    for (auto &[name, rule] : byName)
      list.push_back(std::move(rule));
    std::sort(list.begin(), list.end(),
              [](const Rule &a, const Rule &b) { return a.count != b.count ? a.count > b.count : a.name < b.name; });
    return list;
  }
  std::string places(size_t group) const {
    std::string out;
    for (const GroupNode &node : program.groups[group].nodes)
      if (!node.place.empty() && out.find(node.place) == out.npos && out.size() < 300)
        out += (out.empty() ? "" : ", ") + node.place;
    return out;
  }
};

void unfusedJson(Explanation &e, files::JsonWriter &json) {
  json.key("unfused");
  json.beginArray();
  for (const Explanation::Rule &rule : e.rules()) {
    json.beginObject();
    json.field("rule", rule.name);
    json.field("count", rule.count);
    json.key("edges");
    json.beginArray();
    for (const auto &[why, notes] : rule.reasons)
      for (const driver::UnfusedNote *note : notes) {
        json.beginObject();
        json.field("why", why);
        json.field("producer", note->producer);
        json.field("producer_node", note->producerNode);
        json.field("consumer", note->consumer);
        json.field("consumer_node", note->consumerNode);
        json.endObject();
      }
    json.endArray();
    json.endObject();
  }
  json.endArray();
  json.key("whole");
  json.beginArray();
  for (const auto &[op, node] : e.compiled.whole) {
    json.beginObject();
    json.field("op", op);
    json.field("node", node);
    json.endObject();
  }
  json.endArray();
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
    if (isFallback(*step)) {
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
    json.field("check", checkText(*check));
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
  unfusedJson(e, json);
  json.key("states");
  json.beginArray();
  for (const State &state : p.states) {
    json.beginObject();
    json.field("output", p.outputs[state.output].name);
    json.field("input", p.inputs[state.input].name);
    json.field("axis", state.axis);
    json.endObject();
  }
  json.endArray();
  json.field("carried_states", p.carried.size());
  json.endObject();
  std::fputs(json.text().c_str(), stdout);
}

void unfusedText(Explanation &e) {
  constexpr size_t shown = 3;
  std::printf("\nnot fused: %zu values that one group stores for another, by rule\n", e.compiled.unfused.size());
  for (const Explanation::Rule &rule : e.rules()) {
    std::printf("  %4ld  %s\n", static_cast<long>(rule.count), rule.name.c_str());
    for (const auto &[why, notes] : rule.reasons) {
      std::printf("        %zu: %s\n", notes.size(), why.c_str());
      for (size_t i = 0; i < std::min(notes.size(), shown); ++i)
        std::printf("          %s (%s) -> %s (%s)\n", notes[i]->producer.c_str(), notes[i]->producerNode.c_str(),
                    notes[i]->consumer.c_str(), notes[i]->consumerNode.c_str());
      if (notes.size() > shown)
        std::printf("          and %zu more (--json has all)\n", notes.size() - shown);
    }
  }
  std::string whole;
  for (const auto &[op, node] : e.compiled.whole)
    whole += (whole.empty() ? "" : ", ") + op + " (" + node + ")";
  std::printf("composites kept whole: %s\n", whole.empty() ? "none" : whole.c_str());
}

void writeText(Explanation &e, const Model &model) {
  const Program &p = e.program;
  std::printf("%ld launches of %zu kernels, %ld fallbacks; %s in %s ms, image %s, weights %s\n",
              static_cast<long>(e.launches()), p.groups.size(), static_cast<long>(e.fallbacks()),
              model.compiled.cached ? "from the cache" : "compiled", shortNumber(model.compileMs).c_str(),
              bytesText(static_cast<double>(e.compiled.image.size())).c_str(),
              bytesText(static_cast<double>(weightBytes(p))).c_str());
  std::printf("arena: %zu buffers, placed for the extents of a run; their sizes are below\n", p.arena.size());
  std::printf("\nkernels (launches, ops, what it is, nodes)\n");
  for (size_t g = 0; g < p.groups.size(); ++g) {
    const bool noted = g < e.compiled.groups.size();
    std::printf("  %4ld  %s\n        %s\n        from %s\n",
                static_cast<long>(noted ? e.compiled.groups[g].launches : 0), p.groups[g].name().c_str(),
                noted ? e.compiled.groups[g].description.c_str() : "", e.places(g).c_str());
  }
  unfusedText(e);
  if (e.fallbacks())
    std::printf("\nfallbacks: no kernel, run by the reference evaluator\n");
  for (const Step *step : e.steps)
    if (isFallback(*step))
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
    std::printf("  %s  at %s\n", checkText(*check).c_str(), check->place.c_str());
  if (!p.states.empty())
    std::printf("\nstates: outputs that can be appended to inputs in place\n");
  for (const State &state : p.states)
    std::printf("  %s from %s along axis %ld\n", p.outputs[state.output].name.c_str(),
                p.inputs[state.input].name.c_str(), static_cast<long>(state.axis));
  if (!p.carried.empty())
    std::printf("loops that append in place to what they carry: %zu values\n", p.carried.size());
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
  options.listValues = true;
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
