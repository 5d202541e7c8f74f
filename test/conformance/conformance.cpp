// SPDX-License-Identifier: Apache-2.0
// pliant-conformance: ONNX's backend tests (Debian's libonnx-testdata), as given and with every input extent symbolic.
#include "api/compiler.h"
#include "arguments.h"
#include "files/json.h"
#include "pool.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace pliant;
using namespace pliant::conformance;

namespace {

constexpr tool::Option options[] = {
    {"--root", "FOLDER", "where node, simple, pytorch-operator and pytorch-converted are (or PLIANT_ONNX_TESTDATA)"},
    {"--data", "FOLDER", "the same"},
    {"--mode", "MODE", "given, symbolic or both (the default)"},
    {"--filter", "TEXT", "only tests whose FOLDER/NAME contains TEXT"},
    {"--list", "RESULT", "lists tests that are passed, passed_with_fallbacks, failed, unsupported or crashed; or all"},
    {"--jobs", "N", "worker processes (default 1)"},
    {"--timeout", "SECONDS", "per test (default 120)"},
    {"--floor", "FILE",
     "fails when fewer pass than the file's line of the mode says, or more with inputs kept as given"},
    {"--known", "FILE", "fails when a test fails that the file does not list, passes though listed, or crashes"},
    {"--json", nullptr, "one JSON object"},
    {"--help", nullptr, "this text"},
};

struct Count {
  int64_t of[5] = {};
  int64_t kept = 0; ///< of those that pass, how many only with inputs kept as given
  int64_t operator[](Verdict v) const { return of[static_cast<int>(v)]; }
};

int complain(const Error &error) {
  std::fprintf(stderr, "error: %s\n", error.text().c_str());
  return error.kind == Error::Kind::Internal ? 1 : 2;
}

Result<int64_t> boundOf(const std::string &file, const std::string &name) {
  std::ifstream stream(file);
  std::string word;
  for (int64_t bound; stream >> word >> bound;)
    if (word == name)
      return bound;
  return userError("conformance", file + " has no line for " + name);
}

std::string noteOf(const Outcome &outcome) { return outcome.kept.empty() ? "" : "kept as given: " + outcome.kept; }

void writeJson(const std::vector<Case> &cases, const std::vector<Outcome> &outcomes, const std::vector<Mode> &modes,
               const std::vector<Count> &counts, double seconds) {
  files::JsonWriter json;
  json.beginObject();
  json.field("seconds", seconds);
  json.key("modes");
  json.beginArray();
  for (size_t m = 0; m < modes.size(); ++m) {
    json.beginObject();
    json.field("mode", name(modes[m]));
    int64_t total = 0;
    for (int v = 0; v < 5; ++v)
      total += counts[m].of[v];
    json.field("tests", total);
    for (int v = 0; v < 5; ++v)
      json.field(verdictNames[v], counts[m].of[v]);
    json.field("passed_with_kept", counts[m].kept);
    json.key("results");
    json.beginArray();
    for (size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].mode != modes[m])
        continue;
      json.beginObject();
      json.field("name", cases[i].name());
      json.field("result", verdictNames[static_cast<int>(outcomes[i].verdict)]);
      json.field("fallbacks", outcomes[i].fallbacks);
      json.field("ms", outcomes[i].ms);
      json.field("note", noteOf(outcomes[i]));
      json.field("reason", outcomes[i].reason);
      json.endObject();
    }
    json.endArray();
    json.endObject();
  }
  json.endArray();
  json.endObject();
  std::fputs(json.text().c_str(), stdout);
}

/// Tests whose own data are wrong: "NAME reason" a line.
Result<std::set<std::string>> knownOf(const std::string &file) {
  std::ifstream stream(file);
  if (!stream)
    return userError("conformance", file + " cannot be read");
  std::set<std::string> names;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && line[0] != '#')
      names.insert(line.substr(0, line.find(' ')));
  return names;
}

/// No test may give other results than it states, but for those known to be wrong themselves, and none may crash.
Status judgeResults(const std::string &file, const std::vector<Case> &cases, const std::vector<Outcome> &outcomes) {
  PLIANT_TRY(const std::set<std::string> known, knownOf(file));
  std::string wrong;
  int count = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const bool listed = known.contains(cases[i].name()), failed = outcomes[i].verdict == Verdict::Failed;
    const bool passed = outcomes[i].verdict == Verdict::Passed;
    if ((outcomes[i].verdict == Verdict::Crashed || (failed && !listed) || (passed && listed)) && ++count <= 20)
      wrong += "\n  " + cases[i].name() + " (" + name(cases[i].mode) + ") " +
               (failed   ? "fails: " + outcomes[i].reason
                : passed ? "passes, but " + file + " lists it"
                         : "crashes");
  }
  return count ? Status(userError("conformance", std::to_string(count) + " tests are not as they must be:" + wrong))
               : ok();
}

Status judge(const std::string &file, const std::vector<Mode> &modes, const std::vector<Count> &counts) {
  for (size_t m = 0; m < modes.size(); ++m) {
    PLIANT_TRY(int64_t least, boundOf(file, name(modes[m])));
    PLIANT_TRY(int64_t mostKept, boundOf(file, "kept"));
    if (counts[m][Verdict::Passed] < least)
      return userError("conformance", std::string(name(modes[m])) + ": " + std::to_string(counts[m][Verdict::Passed]) +
                                          " passed, at least " + std::to_string(least) + " must (" + file + ")");
    if (counts[m].kept > mostKept)
      return userError("conformance", std::to_string(counts[m].kept) +
                                          " passed only with inputs kept as given, at most " +
                                          std::to_string(mostKept) + " may (" + file + ")");
  }
  return ok();
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  auto arguments = tool::Arguments::parse("pliant-conformance", options, words);
  if (!arguments)
    return complain(arguments.error());
  if (arguments->has("--help")) {
    for (const tool::Option &o : options)
      std::printf("  %-9s %-8s %s\n", o.name, o.value ? o.value : "", o.help);
    return 0;
  }
  const std::string mode = arguments->get("--mode", "both"), list = arguments->get("--list");
  std::vector<Mode> modes;
  for (Mode m : {Mode::Given, Mode::Symbolic})
    if (mode == "both" || mode == name(m))
      modes.push_back(m);
  if (modes.empty())
    return complain(userError("command line", "--mode is '" + mode + "', not given, symbolic or both"));
  auto jobs = arguments->integer("--jobs", 1, 1, 256);
  auto timeout = arguments->integer("--timeout", 120, 1, 86400);
  for (auto *number : {&jobs, &timeout})
    if (!*number)
      return complain(number->error());
  auto cases =
      findCases(dataRoot(arguments->get("--root", arguments->get("--data"))), arguments->get("--filter"), modes);
  if (!cases)
    return complain(cases.error());
  if (auto api = compiler(); !api) // opened before the workers fork, so that they share it
    return complain(api.error());

  const auto start = std::chrono::steady_clock::now();
  const bool terminal = isatty(STDERR_FILENO);
  size_t ended = 0;
  PoolOptions pool{static_cast<int>(*jobs), static_cast<double>(*timeout)};
  std::vector<Outcome> outcomes = runAll(*cases, pool, [&](size_t index, const Outcome &outcome) {
    const Case &test = (*cases)[index];
    if (terminal)
      std::fprintf(stderr, "\r\033[K%zu/%zu %s", ++ended, cases->size(), test.name().c_str());
    if (outcome.ms > 1000)
      std::fprintf(stderr, "%s%s (%s) took %.1f s\n", terminal ? "\r\033[K" : "", test.name().c_str(), name(test.mode),
                   outcome.ms / 1000);
  });
  if (terminal)
    std::fputs("\r\033[K", stderr);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  std::vector<Count> counts(modes.size());
  for (size_t i = 0; i < cases->size(); ++i)
    for (size_t m = 0; m < modes.size(); ++m)
      if ((*cases)[i].mode == modes[m]) {
        ++counts[m].of[static_cast<int>(outcomes[i].verdict)];
        counts[m].kept += outcomes[i].verdict == Verdict::Passed && !outcomes[i].kept.empty();
      }
  if (arguments->has("--json")) {
    writeJson(*cases, outcomes, modes, counts, seconds);
  } else {
    for (size_t i = 0; i < cases->size(); ++i) {
      const char *verdict = verdictNames[static_cast<int>(outcomes[i].verdict)];
      if (list == "all" || list == verdict)
        std::printf("%s\t%s\t%s\t%s%s%s\n", name((*cases)[i].mode), verdict, (*cases)[i].name().c_str(),
                    noteOf(outcomes[i]).c_str(), outcomes[i].kept.empty() || outcomes[i].reason.empty() ? "" : "; ",
                    outcomes[i].reason.c_str());
    }
    for (size_t m = 0; m < modes.size(); ++m) {
      std::printf("%-8s", name(modes[m]));
      for (int v = 0; v < 5; ++v)
        std::printf("  %s %ld", verdictNames[v], static_cast<long>(counts[m].of[v]));
      if (modes[m] == Mode::Symbolic)
        std::printf("  passed with inputs kept as given %ld", static_cast<long>(counts[m].kept));
      std::printf("\n");
    }
    std::printf("%.1f s\n", seconds);
  }
  if (arguments->has("--floor"))
    if (Status status = judge(arguments->get("--floor"), modes, counts); !status)
      return complain(status.error()), 1;
  if (arguments->has("--known"))
    if (Status status = judgeResults(arguments->get("--known"), *cases, outcomes); !status)
      return complain(status.error()), 1;
  return 0;
}
