// SPDX-License-Identifier: Apache-2.0
// Compiling and loading for the commands.
#include "session.h"
#include "repro.h"
#include "runtime/thread_pool.h"
#include <chrono>
#include <unistd.h>

namespace pliant::tool {

double nowMs() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Progress::say(const std::string &text) {
  static const bool terminal = isatty(STDERR_FILENO);
  if (terminal)
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

std::string shortNumber(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string bytesText(double bytes) {
  const char *units[] = {"B", "KB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 10000 && unit < 4; ++unit)
    bytes /= 1024;
  char text[40];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
  return text;
}

void jsonExtents(files::JsonWriter &json, std::string_view key, const Extents &extents) {
  json.key(key);
  json.beginArray(true);
  for (const Expr &extent : extents) {
    if (auto value = extent.constant())
      json.value(*value);
    else
      json.value(extent.str());
  }
  json.endArray();
}

void jsonArgument(files::JsonWriter &json, const Argument &argument) {
  json.field("name", argument.name);
  json.field("type", name(argument.type.dtype));
  jsonExtents(json, "shape", argument.type.shape);
}

ProgramsMade Model::made() const {
  const ProgramsMade now = programsMade();
  return {now.compiled - before.compiled, now.read - before.read};
}

Result<driver::Options> compileOptions(const Arguments &arguments) {
  driver::Options options;
  options.target = arguments.get("--target");
  options.cache = !arguments.has("--no-cache");
  PLIANT_TRY(auto renames, arguments.pairs("--rename", "OLD=NEW"));
  for (auto &[old, fresh] : renames) {
    if (fresh.empty())
      return userError("command line", "--rename gives '" + old + "' an empty name");
    if (!options.rename.emplace(old, fresh).second)
      return userError("command line", "--rename names '" + old + "' twice");
  }
  options.facts = arguments.all("--assume");
  return options;
}

Result<int64_t> threadCount(const Arguments &arguments) {
  PLIANT_TRY(int unless, ThreadPool::defaultThreads());
  return arguments.integer("--threads", unless, 1, ThreadPool::most);
}

Result<Model> compileModel(const Arguments &arguments, driver::Options options, ReproBundle *bundle) {
  Model model;
  PLIANT_TRY(model.path, arguments.single("model"));
  model.before = programsMade();
  Progress progress("compiling " + model.path);
  const double start = nowMs();
  PLIANT_TRY(model.compiled, bundle ? bundle->compile(model.path, options) : compile(model.path, options));
  model.compileMs = nowMs() - start;
  return model;
}

Result<Model> loadModel(const Arguments &arguments, driver::Options options, ReproBundle *bundle) {
  PLIANT_TRY(Model model, compileModel(arguments, std::move(options), bundle));
  PLIANT_CHECK(load(model, arguments));
  return model;
}

Status load(Model &model, const Arguments &arguments) {
  Progress progress("loading " + model.path);
  const double start = nowMs();
  PLIANT_TRY(model.executable, Executable::load(model.compiled.program, model.compiled.image,
                                                model.compiled.hostOnlyImage, std::move(model.compiled.weights)));
  model.loadMs = nowMs() - start;
  PLIANT_TRY(int64_t threads, threadCount(arguments));
  model.executable->setThreads(static_cast<int>(threads));
  model.executable->flushDenormals(arguments.has("--flush-denormals"));
  return ok();
}

} // namespace pliant::tool
