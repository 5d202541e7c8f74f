// SPDX-License-Identifier: Apache-2.0
// Bundles with which an error can be looked at elsewhere: the model without its weights, the command, the stages'
// texts.
#pragma once
#include "command.h"
#include "driver/compile.h"
#include "inputs.h"

namespace pliant::tool {

/// A folder that holds
///   model.onnx   the model; floating-point and 8-bit payloads over 256 bytes are left out: they are said to be in
///                weights.bin, which is not there (integers of other types steer shapes and indices, so they stay)
///   arguments    the command line, a word a line; files of inputs are replaced by --random and their shapes
///   info.json    version, target, inputs, and how it ended
///   stages/      the program after each stage, as far as compilation came
/// Everything is written as it becomes known, so that also a crash leaves what came before.
class ReproBundle {
public:
  /// Makes the folder of --save-repro, which must be new or empty.
  static Result<ReproBundle> begin(const Arguments &arguments, const Command &command);
  /// Compiles with all stages printed; after an error stage by stage, to find what came before it.
  Result<driver::Compiled> compile(const std::string &model, driver::Options options);
  /// The runs that will be: their symbols' values.
  Status inputs(const Program &program, const std::vector<SymbolValues> &shapes);
  /// How it ended; null: well.
  Status finish(const Error *error);

private:
  std::string folder, command, target, outcome = "unfinished: the process ended before its result was known";
  std::vector<std::string> words; ///< of the command line
  std::vector<Argument> arguments;
  std::vector<std::string> runs;
  Status writeStages(const std::vector<std::pair<std::string, std::string>> &prints) const;
  Status writeArguments(const std::vector<std::string> &more) const;
  Status writeInfo() const;
};

/// The command line of the bundle of --repro with the other options given, ready to be parsed: the model is the
/// bundle's, and its weights are drawn into weights.bin unless that is there.
Result<std::vector<std::string>> reproArguments(const Arguments &arguments, const Command &command);

/// The model without payloads over 256 bytes that are floating-point or have 8 bits. Errors name the file.
Result<std::string> withoutWeights(const std::string &path);

/// Fills in weights.bin of a bundle with small numbers, the same every time.
Status drawWeights(const std::string &folder);

} // namespace pliant::tool
