// SPDX-License-Identifier: Apache-2.0
// pliant-differential: random models of one to ten nodes, compiled, by the references, and in ONNX Runtime.
#include "apart.h"
#include "api/compiler.h"
#include "arguments.h"
#include "coverage.h"
#include "drawing.h"
#include "explained.h"
#include "files/tensor_proto.h"
#include "ort.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <mutex>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace pliant;
using namespace pliant::differential;

namespace {

/// From this many models on a run fails where a row of the importer is neither drawn nor listed as never drawn. What
/// the run itself has not drawn is looked for in as many further models, which are only drawn.
constexpr int64_t enoughForAllRows = 1000, furtherModels = 30000;

constexpr tool::Option options[] = {
    {"--models", "N", "how many (default 1000)"},
    {"--seed", "S", "of the first one (default 1)"},
    {"--jobs", "N", "worker processes (default 1)"},
    {"--op", "NAME", "every model begins with a node of this op"},
    {"--nodes", "N", "at most this many (default 10)"},
    {"--rows", nullptr, "runs nothing: only whether all rows of the importer are drawn"},
    {"--save", "FOLDER", "the least models that disagree and are not explained, with their inputs"},
    {"--reasons", nullptr, "also what ONNX Runtime refused or crashed of, and how often"},
    {"--corpus", "FOLDER",
     "instead writes one small model for each op that can be drawn, as seeds of the importer's fuzz target"},
    {"--help", nullptr, "this text"},
};

const std::vector<Point> points = {{{"n", 2}, {"m", 3}, {"k", 5}},
                                   {{"n", 1}, {"m", 1}, {"k", 1}},
                                   {{"n", 0}, {"m", 2}, {"k", 4}},
                                   {{"n", 17}, {"m", 5}, {"k", 2}}};

struct Settings {
  int64_t count = 1000, first = 1, jobs = 1, nodes = 10;
  std::string op, save, ort;
};

std::string flat(std::string text) {
  for (char &c : text)
    if (c == '\n' || c == '\t')
      c = ' ';
  return text;
}

/// Draws the model of a seed. `refused` are those that the importer did not take on the way.
Model draw(uint64_t seed, const Settings &settings, std::vector<std::string> &ops,
           std::vector<std::pair<Model, std::string>> &refused) {
  static const std::vector<Drawer> drawers = allDrawers();
  static const std::vector<const Drawer *> weighted = [] {
    std::vector<const Drawer *> list;
    for (const Drawer &drawer : drawers)
      list.insert(list.end(), static_cast<size_t>(drawer.weight), &drawer);
    return list;
  }();
  std::mt19937_64 random(seed * 7919 + 13);
  std::vector<const Drawer *> named;
  for (const Drawer &drawer : drawers)
    if (drawer.op == settings.op)
      named.push_back(&drawer);
  std::vector<int64_t> opsets = {9, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 18, 19, 20, 20, 21, 21, 22, 23, 24};
  if (!named.empty())
    std::erase_if(opsets, [&](int64_t opset) { return !named[0]->has(opset); });
  Drawing drawing(seed, opsets[random() % opsets.size()]);
  const int nodes = 1 + static_cast<int>(random() % static_cast<uint64_t>(settings.nodes));
  for (int made = 0, tries = 0; made < nodes && tries < 5 * nodes; ++tries) {
    const auto &from = made == 0 && !named.empty() ? named : weighted;
    const Drawer &drawer = *from[random() % from.size()];
    if (!drawer.has(drawing.opset))
      continue;
    made += drawing.step([&](Drawing &d) { return drawer.draw(d, drawer.op); });
  }
  for (const std::string &op : drawing.ops())
    ops.push_back(rowOf(op, drawing.opset));
  refused = std::move(drawing.refused);
  return drawing.finish();
}

void save(const std::string &folder, const std::string &name, const Finding &finding) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(folder) / name;
  fs::create_directories(path);
  std::ofstream(path / "model.onnx", std::ios::binary) << finding.model.bytes();
  if (auto inputs = finding.model.tensors(finding.point, 0))
    for (const auto &[input, tensor] : *inputs)
      (void)files::writeTensorProto((path / (input + ".pb")).string(), {input, tensor});
  std::ofstream(path / "about.txt") << kindNames[static_cast<int>(finding.verdict.kind)] << "\n"
                                    << finding.verdict.what << "\n"
                                    << finding.model.text();
}

/// What to print about a wrong verdict, as a line "kind TAB text".
std::string report(const Model &model, const Verdict &verdict, const std::string &name, const Settings &settings) {
  const Finding finding = shrink(model, points[verdict.point], verdict, settings.ort);
  if (std::string row = explained(finding, settings.ort); !row.empty())
    return "explained " + row + "\t" + flat(finding.verdict.what);
  if (!settings.save.empty())
    save(settings.save, name, finding);
  return std::string("WRONG ") + kindNames[static_cast<int>(verdict.kind)] + "\t" + flat(finding.verdict.what) + "\v" +
         finding.model.text();
}

void put(FILE *out, const std::string &kind, uint64_t seed, std::string text, const std::vector<std::string> &ops) {
  for (char &c : text)
    if (c == '\n')
      c = '\v';
  std::fprintf(out, "%lu\t%s\t%s\t", static_cast<unsigned long>(seed), kind.c_str(), text.c_str());
  for (const std::string &op : ops)
    std::fprintf(out, "%s,", op.c_str());
  std::fputc('\n', out);
  std::fflush(out);
}

/// Kinds of lines that only the parent reads: where a worker is, and what is to be judged again and cut down elsewhere,
/// with the number of the candidate when it is one that the importer did not take.
constexpr const char *starts = "start", *judgedAgain = "again";

void work(FILE *out, uint64_t first, const Settings &settings) {
  const uint64_t end = static_cast<uint64_t>(settings.first + settings.count);
  for (uint64_t seed = first; seed < end; seed += static_cast<uint64_t>(settings.jobs)) {
    put(out, starts, seed, "", {});
    alarm(mostSeconds);
    std::vector<std::string> ops;
    std::vector<std::pair<Model, std::string>> refused;
    const Model model = draw(seed, settings, ops, refused);
    if (!model.proto.graph().node_size()) {
      put(out, "empty", seed, "", ops);
    } else {
      const Verdict verdict = judge(model, points, settings.ort);
      put(out, verdict.wrong() ? judgedAgain : kindNames[static_cast<int>(verdict.kind)], seed,
          verdict.wrong() ? "" : flat(verdict.what), ops);
    }
    for (size_t number = 0; number < refused.size(); ++number) {
      put(out, starts, seed, std::to_string(number), {});
      alarm(mostSeconds);
      const Verdict verdict = judge(refused[number].first, {points[0]}, settings.ort);
      if (verdict.wrong())
        put(out, judgedAgain, seed, std::to_string(number), {});
      else if (verdict.kind != Verdict::Kind::BothRefuse)
        put(out, std::string("refused: ") + kindNames[static_cast<int>(verdict.kind)], seed, flat(verdict.what), {});
    }
  }
}

/// A sign of life for people after so many models.
constexpr int64_t saidEvery = 500;

struct Tally {
  std::map<std::string, int64_t> kinds, ops, reasons;
  int64_t wrong = 0, begun = 0;
  std::mutex gate;

  void begin() {
    std::lock_guard lock(gate);
    if (++begun % saidEvery == 0)
      std::fprintf(stderr, "... model %ld, %ld unexplained\n", static_cast<long>(begun), static_cast<long>(wrong));
  }

  void take(uint64_t seed, const std::string &kind, std::string text) {
    std::lock_guard lock(gate);
    ++kinds[kind];
    if (kind == kindNames[static_cast<int>(Verdict::Kind::TheyRefuse)] || kind.ends_with("they crash"))
      ++reasons[text.substr(0, 160)];
    if (kind.find("WRONG") == std::string::npos)
      return;
    ++wrong;
    std::replace(text.begin(), text.end(), '\v', '\n');
    std::printf("%s, seed %lu: %s\n", kind.c_str(), static_cast<unsigned long>(seed), text.c_str());
    std::fflush(stdout);
  }
  void drawn(const std::string &names) {
    std::lock_guard lock(gate);
    for (size_t at = 0, end; (end = names.find(',', at)) != std::string::npos; at = end + 1)
      ++ops[names.substr(at, end - at)];
  }
};

/// Ours crash, or ONNX Runtime (with the ops, of which one does).
std::string crash(const Model &model, const std::vector<Point> &at, const std::string &name, const std::string &how,
                  const Settings &settings) {
  for (size_t p = 0; p < at.size(); ++p) {
    Verdict verdict = judgeApart(model, {at[p]}, "");
    if (verdict.kind != Verdict::Kind::Crash)
      continue;
    verdict.point = p;
    return report(model, verdict, name, {.save = settings.save, .ort = ""});
  }
  std::string ops = "they crash\t" + how + ":";
  for (const auto &node : model.proto.graph().node())
    ops += " " + node.op_type();
  return ops;
}

/// Judges a model again where ONNX Runtime has not run, and cuts it down; what to print. `how` a worker ended at it.
std::string again(uint64_t seed, std::optional<size_t> candidate, const std::string &how, const Settings &settings) {
  std::vector<std::string> ops;
  std::vector<std::pair<Model, std::string>> refused;
  const Model drawn = draw(seed, settings, ops, refused), &model = candidate ? refused.at(*candidate).first : drawn;
  const std::vector<Point> at = candidate ? std::vector<Point>{points[0]} : points;
  const std::string name = "seed" + std::to_string(seed) + (candidate ? "_" + std::to_string(*candidate) : "");
  const Verdict verdict = judgeApart(model, at, settings.ort);
  if (verdict.kind == Verdict::Kind::Crash)
    return crash(model, at, name, verdict.what, settings);
  if (verdict.wrong())
    return report(model, verdict, name, settings);
  return "WRONG once\t" + (how.empty() ? std::string("not when it is judged again") : how) + "\v" + model.text();
}

/// One worker's part, in a process that is replaced when it dies.
void supervise(int64_t job, const Settings &settings, Tally &tally) {
  auto judgeAgain = [&](uint64_t seed, std::optional<size_t> candidate, const std::string &ended) {
    std::string how;
    auto line =
        apart(3600, [&] { return again(seed, candidate, ended, settings); }, how).value_or("WRONG crash\t" + how);
    const size_t tab = line.find('\t');
    tally.take(seed, (candidate ? "refused: " : "") + line.substr(0, tab), line.substr(tab + 1));
  };
  uint64_t next = static_cast<uint64_t>(settings.first + job);
  while (next < static_cast<uint64_t>(settings.first + settings.count)) {
    int ends[2];
    if (pipe(ends) != 0)
      return;
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      work(fdopen(ends[1], "w"), next, settings);
      _exit(0);
    }
    close(ends[1]);
    uint64_t current = next;
    std::optional<size_t> candidate;
    FILE *in = fdopen(ends[0], "r");
    char *line = nullptr;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, in)) > 0;) {
      std::istringstream read(std::string(line, static_cast<size_t>(n) - 1));
      std::string seed, kind, text, names;
      std::getline(std::getline(std::getline(std::getline(read, seed, '\t'), kind, '\t'), text, '\t'), names);
      current = std::strtoull(seed.c_str(), nullptr, 10);
      tally.drawn(names);
      if (kind == starts || kind == judgedAgain)
        candidate = text.empty() ? std::nullopt : std::optional(std::strtoull(text.c_str(), nullptr, 10));
      if (kind == starts && !candidate)
        tally.begin();
      if (kind == judgedAgain)
        judgeAgain(current, candidate, "");
      else if (kind != starts)
        tally.take(current, kind, text);
    }
    std::free(line);
    std::fclose(in);
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0)
      return;
    judgeAgain(current, candidate, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
    next = current + static_cast<uint64_t>(settings.jobs);
  }
}

/// One node of each op, the shortest of a few draws.
int writeCorpus(const std::string &folder, Settings settings) {
  std::filesystem::create_directories(folder);
  settings.nodes = 1;
  std::set<std::string> names;
  for (const Drawer &drawer : allDrawers())
    names.insert(drawer.op);
  for (const std::string &name : names) {
    settings.op = name;
    std::string least;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      std::vector<std::string> ops;
      std::vector<std::pair<Model, std::string>> refused;
      const Model model = draw(seed, settings, ops, refused);
      auto named = [&](const std::string &row) { return row.substr(0, row.find('@')) == name; };
      if (const std::string bytes = model.bytes(); ops.size() == 1 || (!ops.empty() && named(ops.back())))
        if (least.empty() || bytes.size() < least.size())
          least = bytes;
    }
    if (!least.empty())
      std::ofstream(std::filesystem::path(folder) / (name + ".onnx"), std::ios::binary) << least;
  }
  return 0;
}

/// What is wrong with the rows that are drawn, further models included.
std::string undrawn(const Settings &settings, std::set<std::string> &rows) {
  uint64_t seed = static_cast<uint64_t>(settings.first + settings.count);
  for (int64_t n = 0; n < furtherModels && !missing(rows).empty(); ++n) {
    std::vector<std::string> ops;
    std::vector<std::pair<Model, std::string>> refused;
    draw(seed++, settings, ops, refused);
    rows.insert(ops.begin(), ops.end());
  }
  return gaps(rows);
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  auto arguments = tool::Arguments::parse("pliant-differential", options, words);
  auto fail = [](const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.text().c_str());
    return 2;
  };
  if (!arguments)
    return fail(arguments.error());
  // Memory that nobody wrote is the same everywhere, and no zeros: what reads it differs wherever it is judged.
  mallopt(M_PERTURB, 0xa5);
  mallopt(M_MMAP_MAX, 0);
  if (arguments->has("--help")) {
    for (const tool::Option &o : options)
      std::printf("  %-9s %-8s %s\n", o.name, o.value ? o.value : "", o.help);
    return 0;
  }
  Settings settings;
  for (auto [name, into, otherwise] :
       {std::tuple("--models", &settings.count, int64_t(1000)), std::tuple("--seed", &settings.first, int64_t(1)),
        std::tuple("--jobs", &settings.jobs, int64_t(1)), std::tuple("--nodes", &settings.nodes, int64_t(10))}) {
    auto value = arguments->integer(name, otherwise, 1, int64_t(1) << 40);
    if (!value)
      return fail(value.error());
    *into = *value;
  }
  settings.op = arguments->get("--op");
  settings.save = arguments->get("--save");
  if (arguments->has("--corpus"))
    return writeCorpus(arguments->get("--corpus"), settings);
  if (arguments->has("--rows")) {
    std::set<std::string> rows;
    const std::string wrong = undrawn(settings, rows);
    std::printf("%s%zu rows drawn\n", wrong.c_str(), rows.size());
    return wrong.empty() ? 0 : 1;
  }
  auto ort = findOrt(PLIANT_SOURCE_DIR);
  if (!ort) {
    const char *ci = std::getenv("CI");
    fail(ort.error());
    return ci && std::string(ci) == "true" ? 2 : 77; // skipped
  }
  settings.ort = *ort;
  if (auto api = compiler(); !api) // opened before the workers fork, so that they share it
    return fail(api.error());
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  std::vector<std::thread> workers;
  for (int64_t job = 0; job < settings.jobs; ++job)
    workers.emplace_back([&, job] { supervise(job, settings, tally); });
  for (std::thread &worker : workers)
    worker.join();
  if (arguments->has("--reasons"))
    for (const auto &[reason, count] : tally.reasons)
      std::printf("%8ld  %s\n", static_cast<long>(count), reason.c_str());
  for (const auto &[kind, count] : tally.kinds)
    std::printf("%8ld  %s\n", static_cast<long>(count), kind.c_str());
  std::set<std::string> rows;
  for (const auto &[row, count] : tally.ops)
    rows.insert(row);
  const std::string wrong = settings.op.empty() && settings.count >= enoughForAllRows ? undrawn(settings, rows) : "";
  std::printf("%s%zu rows drawn\n", wrong.c_str(), rows.size());
  std::printf("%ld models, %ld unexplained, %.0f s\n", static_cast<long>(settings.count),
              static_cast<long>(tally.wrong),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return tally.wrong || !wrong.empty() ? 1 : 0;
}
