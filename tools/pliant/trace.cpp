// SPDX-License-Identifier: Apache-2.0
// Recording and writing of timelines.
#include "trace.h"
#include "files/bytes.h"
#include "memory.h"
#include "ops/op.h"
#include "runtime/thread_pool.h"
#include <algorithm>

namespace pliant::tool {

constexpr size_t mostEvents = 2000000; // a few hundred megabytes of JSON

void Trace::add(int row, std::string name, double from, double to) {
  if (events.size() < mostEvents)
    events.push_back({row, std::move(name), from, to, nullptr, 0, 0, {}});
}

void Trace::compiled(const Model &model) {
  const double end = nowMs(), loaded = end - model.loadMs, start = loaded - model.compileMs;
  add(Command, model.compiled.cached ? "compile (from the disk cache)" : "compile", start, loaded);
  const driver::Stats &stats = model.compiled.stats;
  double at = start;
  for (auto [name, ms] :
       {std::pair("import", stats.importMs), std::pair("passes", stats.passesMs), std::pair("plan", stats.planMs),
        std::pair("kernels", stats.kernelsMs - stats.linkMs), std::pair("link", stats.linkMs)})
    if (ms > 0 && !model.compiled.cached) {
      add(Command, name, at, std::min(at + ms, loaded));
      at += ms;
    }
  add(Command, "load", loaded, end);
}

void Trace::watch(Model &model, Executable::Observer alsoCalled) {
  const Program &program = model.program();
  parts.resize(ThreadPool::most);
  model.executable->markParts(
      [this](int64_t part, bool begins) { (begins ? parts[part].beganMs : parts[part].endedMs) = nowMs(); });
  model.executable->mark([this, &program](const Step &step, bool begins) {
    const double now = nowMs();
    if (begins) {
      add(Host, "host flow", idleMs, now);
      std::fill(parts.begin(), parts.end(), Part());
      beganMs = nowMs();
      return;
    }
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i].endedMs > 0)
        add(Parts + static_cast<int>(i), stepName(program, step), parts[i].beganMs, parts[i].endedMs);
    add(Kernels, {}, beganMs, now); // the observer, called next, says what it was
    idleMs = nowMs();
  });
  model.executable->observe([this, &program, alsoCalled](const Step &step, std::span<const DenseTensor> inputs,
                                                         std::span<const DenseTensor> outputs,
                                                         const Executable::ValueOf &valueOf) -> Status {
    if (!events.empty() && events.back().row == Kernels && !events.back().step) {
      Event &event = events.back();
      event.step = &step;
      event.name = stepName(program, step);
      auto note = [&](std::span<const DenseTensor> tensors, int64_t &bytes) {
        for (const DenseTensor &tensor : tensors) {
          bytes += tensor.size() * static_cast<int64_t>(byteSize(tensor.dtype()));
          event.shapes += (event.shapes.empty() || event.shapes.ends_with("-> ") ? "" : ", ") +
                          std::string(pliant::name(tensor.dtype())) + pliant::str(tensor.dims());
        }
      };
      note(inputs, event.bytesIn);
      event.shapes += event.shapes.empty() ? "-> " : " -> ";
      note(outputs, event.bytesOut);
    }
    Status status = alsoCalled ? alsoCalled(step, inputs, outputs, valueOf) : ok();
    idleMs = nowMs();
    return status;
  });
}

void Trace::beginRun(const std::string &shapes) {
  runShapes = shapes;
  running = true;
  runMs = idleMs = nowMs();
}

void Trace::endRun() {
  if (!running)
    return;
  const double now = nowMs();
  running = false;
  add(Host, "host flow", idleMs, now);
  add(Command, "run", runMs, now);
  if (!events.empty() && events.back().name == "run")
    events.back().shapes = runShapes;
}

const char *Trace::categoryOf(const Event &event) {
  if (event.row == Command)
    return "command";
  if (event.row == Host)
    return "host";
  if (event.row >= Parts)
    return "part";
  return event.step && isFallback(*event.step) ? "fallback" : "kernel";
}

Status Trace::write(const std::string &path, const Model &model) const {
  const Program &program = model.program();
  files::JsonWriter json(files::JsonWriter::Style::Compact);
  json.beginObject();
  json.field("displayTimeUnit", "ns");
  json.key("otherData");
  json.beginObject();
  json.field("model", model.path);
  json.field("complete", events.size() < mostEvents);
  json.endObject();
  json.key("traceEvents");
  json.beginArray();
  auto common = [&](const char *phase, int row) {
    json.field("ph", phase);
    json.field("pid", 1);
    json.field("tid", row);
  };
  auto named = [&](const char *kind, int row, const std::string &name) {
    json.beginObject();
    json.field("name", kind);
    common("M", row);
    json.key("args");
    json.beginObject();
    json.field("name", name);
    json.endObject();
    json.endObject();
  };
  named("process_name", 0, "pliant " + model.path);
  named("thread_name", Command, "command");
  named("thread_name", Kernels, "kernels");
  named("thread_name", Host, "host flow");
  int rows = Parts;
  for (const Event &event : events)
    rows = std::max(rows, event.row + 1);
  for (int row = Parts; row < rows; ++row)
    named("thread_name", row, "part " + std::to_string(row - Parts));
  for (const Event &event : events) {
    json.beginObject();
    json.field("name", event.name);
    json.field("cat", categoryOf(event));
    common("X", event.row);
    json.field("ts", (event.startMs - startMs) * 1000);
    json.field("dur", (event.endMs - event.startMs) * 1000);
    json.key("args");
    json.beginObject();
    if (event.step) {
      const Step &step = *event.step;
      if (step.kind == Step::Kind::Launch) {
        json.field("group", step.group);
        if (static_cast<size_t>(step.group) < model.compiled.groups.size())
          json.field("kernel", model.compiled.groups[step.group].description);
        std::string nodes;
        for (const GroupNode &node : program.groups[step.group].nodes)
          if (!node.place.empty() && nodes.find(node.place) == nodes.npos && nodes.size() < 500)
            nodes += (nodes.empty() ? "" : ", ") + node.place;
        json.field("kernel_nodes", nodes); // of its first launch: equal groups share a kernel
      }
      json.field("node", step.place);
      json.field("tensors", event.shapes);
      json.field("bytes_in", event.bytesIn);
      json.field("bytes_out", event.bytesOut);
    } else if (!event.shapes.empty()) {
      json.field("shapes", event.shapes);
    }
    json.endObject();
    json.endObject();
  }
  json.endArray();
  json.endObject();
  return files::writeFile(path, json.text());
}

} // namespace pliant::tool
