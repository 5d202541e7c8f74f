// SPDX-License-Identifier: Apache-2.0
// The command `pliant`.
#include "command.h"
#include <csignal>
#include <cstdio>

using namespace pliant;
using namespace pliant::tool;

static int finish(Error error) {
  std::fflush(stdout);
  if (error.kind == Error::Kind::Internal && error.hint.empty())
    error.hint = "`pliant run ... --save-repro DIR` writes what we need to find it, without the weights' values";
  std::fprintf(stderr, "error: %s\n", error.text().c_str());
  return error.kind == Error::Kind::Internal ? 1 : 2;
}

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe is a failed write, not a death
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    std::fputs(overview().c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") {
    std::puts("pliant " PLIANT_VERSION);
    return 0;
  }
  const Command *command = findCommand(words[0]);
  if (!command) {
    std::vector<std::string> names;
    for (const Command &c : commands())
      names.emplace_back(c.name);
    std::string near = nearest(words[0], names);
    return finish(userError("command line", "there is no command '" + words[0] + "'", "",
                            near.empty() ? "`pliant help` lists the commands" : "did you mean '" + near + "'?"));
  }
  words.erase(words.begin());
  for (const std::string &word : words)
    if (word == "--help" || word == "-h") {
      std::fputs(commandHelp(*command).c_str(), stdout);
      return 0;
    }
  auto arguments = Arguments::parse(command->name, command->options, words);
  if (!arguments)
    return finish(arguments.error());
  if (Status status = command->run(*arguments); !status)
    return finish(status.error());
  if (std::fflush(stdout) != 0)
    return finish(userError("output", "standard output cannot be written"));
  return 0;
}
