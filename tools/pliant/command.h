// SPDX-License-Identifier: Apache-2.0
// A command of `pliant`: its name, its options and what it does. commands.cpp lists them all.
#pragma once
#include "arguments.h"

namespace pliant::tool {

struct Command {
  const char *name;
  const char *usage;   ///< what follows the name: "model.onnx [options]"
  const char *summary; ///< one line
  const char *text;    ///< more, for `pliant help NAME`; may be empty
  std::vector<Option> options;
  Status (*run)(const Arguments &arguments);
};

/// Those of every command that reads a model, before its own.
std::vector<Option> modelOptions(std::vector<Option> own);

const std::vector<Command> &commands();
const Command *findCommand(const std::string &name);
std::string commandHelp(const Command &command);
std::string overview();

Command benchCommand();
Command checkCommand();
Command compileCommand();
Command explainCommand();
Command runCommand();
Command targetCommand();
Command viewCommand();
Command helpCommand();

} // namespace pliant::tool
