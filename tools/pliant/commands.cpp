// SPDX-License-Identifier: Apache-2.0
// The list of commands and their help.
#include "command.h"
#include <algorithm>

namespace pliant::tool {

const std::vector<Command> &commands() {
  static const std::vector<Command> list{runCommand(),  benchCommand(),  checkCommand(),   explainCommand(),
                                         viewCommand(), targetCommand(), compileCommand(), helpCommand()};
  return list;
}

const Command *findCommand(const std::string &name) {
  for (const Command &command : commands())
    if (name == command.name)
      return &command;
  return nullptr;
}

std::vector<Option> modelOptions(std::vector<Option> own) {
  std::vector<Option> list = std::move(own);
  list.push_back({"--rename", "OLD=NEW", "gives a symbol of the model another name"});
  list.push_back(
      {"--assume", "FACT", "what is known of symbols: 'n <= 512', 'm == 2*n', '4 divides n'; tested at every run"});
  list.push_back({"--target", "NAME", "host, avx512, avx2 or x86-64 (default: $PLIANT_TARGET, or host)"});
  list.push_back({"--no-cache", nullptr, "compiles anew and keeps nothing (README.md says where programs are kept)"});
  list.push_back({"--json", nullptr, "one JSON object on standard output (docs/json.md)"});
  return list;
}

std::string commandHelp(const Command &command) {
  std::string out =
      "usage: pliant " + std::string(command.name) + " " + command.usage + "\n\n" + command.summary + "\n";
  if (*command.text)
    out += "\n" + std::string(command.text) + "\n";
  size_t width = 0;
  auto left = [](const Option &o) { return std::string(o.name) + (o.value ? std::string(" ") + o.value : ""); };
  for (const Option &o : command.options)
    width = std::max(width, left(o).size());
  if (!command.options.empty())
    out += "\noptions:\n";
  for (const Option &o : command.options)
    out += "  " + left(o) + std::string(width - left(o).size() + 2, ' ') + o.help + "\n";
  return out;
}

std::string overview() {
  std::string out = "usage: pliant COMMAND ...\n\n";
  for (const Command &command : commands())
    out += "  " + std::string(command.name) + std::string(9 - std::string(command.name).size(), ' ') + command.summary +
           "\n";
  return out + "\n`pliant help COMMAND` says more. Exit code 2: the model, the input or the command line is wrong; "
               "1: an error in Pliant.\n";
}

static Status help(const Arguments &arguments) {
  if (arguments.operands().empty()) {
    std::fputs(overview().c_str(), stdout);
    return ok();
  }
  PLIANT_TRY(std::string name, arguments.single("command"));
  const Command *command = findCommand(name);
  if (!command)
    return userError("command line", "there is no command '" + name + "'");
  std::fputs(commandHelp(*command).c_str(), stdout);
  return ok();
}

Command helpCommand() { return {"help", "[COMMAND]", "what a command does and its options", "", {}, help}; }

} // namespace pliant::tool
