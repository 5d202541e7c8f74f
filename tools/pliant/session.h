// SPDX-License-Identifier: Apache-2.0
// From the command line to a compiled and loaded model.
#pragma once
#include "api/compile.h"
#include "arguments.h"
#include "driver/compile.h"
#include "executable/executable.h"
#include "files/json.h"

namespace pliant::tool {

struct Model {
  std::string path;
  driver::Compiled compiled;
  std::unique_ptr<Executable> executable;
  double compileMs = 0, loadMs = 0;
  ProgramsMade before; ///< when the model was opened
  const Program &program() const { return *compiled.program; }
  /// Programs since then: more than one when runs needed others than the first.
  ProgramsMade made() const;
};

/// Options of the compiler from --target, --rename, --assume, --no-cache.
Result<driver::Options> compileOptions(const Arguments &arguments);
/// --threads, else PLIANT_THREADS, else the CPUs of the process.
Result<int64_t> threadCount(const Arguments &arguments);
class ReproBundle;
/// Compiles the only operand, or finds it in the disk cache. With a bundle the stages are written there.
Result<Model> compileModel(const Arguments &arguments, driver::Options options, ReproBundle *bundle = nullptr);
/// Loads what was compiled, whose weights go into it, to run on as many threads as asked for.
Status load(Model &model, const Arguments &arguments);
/// Compiles and loads the only operand.
Result<Model> loadModel(const Arguments &arguments, driver::Options options, ReproBundle *bundle = nullptr);

double nowMs();
/// JSON of an extent: a number, or the text of an expression.
void jsonExtents(files::JsonWriter &json, std::string_view key, const Extents &extents);
/// {"name", "type", "shape"} of an input or output.
void jsonArgument(files::JsonWriter &json, const Argument &argument);
/// "12.3 MB"
std::string bytesText(double bytes);
/// A number with four digits.
std::string shortNumber(double value);

/// A line on a terminal's standard error that says what goes on, erased at the end; silent otherwise.
class Progress {
public:
  explicit Progress(const std::string &text) { say(text); }
  ~Progress() { say(""); }
  void say(const std::string &text);
};

} // namespace pliant::tool
