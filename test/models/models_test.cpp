// SPDX-License-Identifier: Apache-2.0
// pliant-models NAME [--ort] [--times]: compiles a model once, runs it at every listed shape and proves the results
// against stored outputs, the reference evaluators and, where it is installed, ONNX Runtime; with --ort or CI=true it
// must be there, and each run is then compared with at least one of the three. The compiler library is out of reach
// after the first shape.
#include "api/compiler.h"
#include "cases.h"
#include "compare.h"
#include "fallback_ops.h"
#include "inputs.h"
#include "ort.h"
#include "session.h"
#include "state_loop.h"
#include "stored.h"
#include "through_bytes.h"
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <execinfo.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

namespace pliant::models {
namespace {

using tool::SymbolValues;

int failures = 0;
constexpr int skipped = 77; // what ctest reports as such

void fail(const std::string &text) {
  ++failures;
  std::printf("FAIL %s\n", text.c_str());
  std::fflush(stdout);
}

// ---- the compiler out of reach

void compilerWasCalled(int) {
  static const char text[] = "FAIL the compiler library was touched after the first shape\n";
  (void)!write(STDOUT_FILENO, text, sizeof text - 1);
  void *frames[24]; // which call it was
  backtrace_symbols_fd(frames, backtrace(frames, 24), STDOUT_FILENO);
  _exit(1);
}

/// No byte of the compiler library can be read, written or executed from here on.
bool blockCompiler() {
  std::ifstream maps("/proc/self/maps");
  std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
  for (std::string line; std::getline(maps, line);)
    if (line.find("libpliant-compiler.so") != std::string::npos) {
      uintptr_t begin = 0, end = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2)
        ranges.emplace_back(begin, end);
    }
  void *warm[1];
  backtrace(warm, 1); // loads the unwinder now
  std::signal(SIGSEGV, compilerWasCalled);
  for (auto [begin, end] : ranges)
    if (mprotect(reinterpret_cast<void *>(begin), end - begin, PROT_NONE) != 0)
      return false;
  return !ranges.empty();
}

// ---- programs

struct Loaded {
  driver::Compiled compiled;
  std::unique_ptr<Executable> executable;
  const Program &program() const { return *compiled.program; }
};

Result<Loaded> load(const std::string &path, bool reference) {
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  driver::Options options;
  options.reference = reference;
  options.cache = false;
  Loaded out;
  PLIANT_TRY(out.compiled, api->file(path, options));
  PLIANT_TRY(out.compiled, test::throughBytes(std::move(out.compiled)));
  PLIANT_TRY(out.executable,
             Executable::load(out.compiled.program, out.compiled.image, {}, std::move(out.compiled.weights)));
  return out;
}

/// The kernels as their canonical texts, each as often as it is launched.
std::multiset<std::string> kernels(const Program &program) {
  std::multiset<std::string> out;
  for (const Step *step : numberedSteps(program))
    if (step->kind == Step::Kind::Launch)
      out.insert(program.groups[step->group].text());
  return out;
}

// ---- agreement

/// The first row (along the last axis) whose largest element is elsewhere, near ties left out.
std::string argmaxDiffers(const DenseTensor &ours, const DenseTensor &expected) {
  if (ours.dtype() != DType::F32 || !ours.rank() || !ours.size())
    return {};
  const int64_t n = ours.dims().back();
  for (int64_t row = 0; row < ours.size() / n; ++row) {
    const float *a = ours.as<float>() + row * n, *b = expected.as<float>() + row * n;
    const int64_t i = std::max_element(a, a + n) - a, j = std::max_element(b, b + n) - b;
    if (i != j && b[j] - b[i] > 2e-5f * std::max(1.0f, std::abs(b[j])))
      return "the largest of row " + std::to_string(row) + " is at " + std::to_string(i) + ", expected at " +
             std::to_string(j);
  }
  return {};
}

/// Empty when all outputs agree.
std::string disagreement(const Program &program, const std::vector<DenseTensor> &ours,
                         const std::vector<DenseTensor> &expected, double &largest, double slack = 0) {
  for (size_t i = 0; i < ours.size(); ++i) {
    tool::Agreement agreement = tool::compare(ours[i], expected[i], slack);
    largest = std::max(largest, agreement.maxDifference);
    std::string reason = agreement.holds ? argmaxDiffers(ours[i], expected[i]) : agreement.reason;
    if (!reason.empty())
      return "output '" + program.outputs[i].name + "': " + reason;
  }
  return {};
}

class Proof {
public:
  Proof(const Case &test, const std::string &path, bool times) : test(test), path(path), times(times) {}

  Status run(bool mustHavePeer) {
    const double start = tool::nowMs();
    PLIANT_TRY(model, load(path, false));
    std::printf("compiled once in %.0f ms: %zu kernels\n", tool::nowMs() - start, model.program().groups.size());
    if (model.executable->fallbacks())
      fail(std::to_string(model.executable->fallbacks()) + " fallbacks: " + test::fallbackOps(model.program()));
    PLIANT_TRY(inputs, inputsWith(test.ranges));
    symbols = tool::modelSymbols(model.program().inputs);
    if (!test.reference.empty() || symbols.empty() ||
        std::any_of(test.streams.begin(), test.streams.end(), [](const Stream &each) { return each.reference > 0; })) {
      PLIANT_TRY(reference, load(path, true));
    }
    if (!test.literal) {
      if (auto library = findOrt(PLIANT_SOURCE_DIR)) {
        PLIANT_TRY(peer, OrtSession::open(*library, path, 1));
      } else if (mustHavePeer) {
        return library.takeError();
      } else {
        std::printf("without ONNX Runtime: %s\n", library.error().message.c_str());
      }
    }
    if (const size_t found = model.program().states.size(); found != static_cast<size_t>(test.states))
      fail("the program has " + std::to_string(found) + " states instead of " + std::to_string(test.states));
    if (!test.prefill.empty()) {
      PLIANT_TRY(prefill, load(findFile(findCase(test.prefill)->file), false));
    }
    PLIANT_CHECK(twin());
    PLIANT_CHECK(shapes());
    PLIANT_CHECK(stored());
    for (const Stream &each : test.streams)
      PLIANT_CHECK(stream(each));
    if (!test.prefill.empty())
      PLIANT_CHECK(tokenByToken(20));
    if (!test.bad.empty())
      PLIANT_CHECK(refused());
    if (const int unjudged = counts.run - counts.judged; unjudged && (peer || test.literal))
      fail(std::to_string(unjudged) + " of " + std::to_string(counts.run) + " runs were compared with nothing");
    std::printf("%s: %d shapes run, %d compared with references, %d with ONNX Runtime, %d with stored outputs; largest "
                "difference %.3g\n",
                test.name.c_str(), counts.run, counts.reference, counts.peer, counts.stored, largest);
    if (test.states && !counts.inPlace)
      fail("no step appended to its states in place");
    if (test.states)
      std::printf("%d states, %d steps in place\n", test.states, counts.inPlace);
    return ok();
  }

private:
  const Case &test;
  std::string path;
  bool times;
  Loaded model, reference, prefill;
  std::optional<OrtSession> peer;
  tool::Inputs inputs;
  std::vector<std::string> symbols;
  double largest = 0;
  bool blocked = false;
  struct {
    int run = 0, judged = 0, reference = 0, peer = 0, stored = 0, inPlace = 0;
  } counts;
  bool uncompared = false; ///< the latest run was not compared yet

  /// The same function written otherwise must give the same kernels and the same bits.
  Status twin() {
    std::string other = findFile("twins/" + test.file);
    if (other.empty()) {
      std::printf("no twin\n");
      return ok();
    }
    PLIANT_TRY(Loaded twin, load(other, false));
    auto ours = kernels(model.program()), theirs = kernels(twin.program());
    if (ours == theirs)
      return sameRuns(twin);
    std::vector<std::string> lacks, adds;
    std::set_difference(ours.begin(), ours.end(), theirs.begin(), theirs.end(), std::back_inserter(lacks));
    std::set_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(), std::back_inserter(adds));
    fail("the twin has other kernels: it lacks " + std::to_string(lacks.size()) + " of " + std::to_string(ours.size()) +
         " and adds " + std::to_string(adds.size()) + "\n  the first it lacks:\n" +
         (lacks.empty() ? "" : lacks.front()) + "  the first it adds:\n" + (adds.empty() ? "" : adds.front()));
    return ok();
  }

  std::string listed() const {
    return test.reference + (test.reference.empty() || test.shapes.empty() ? "" : ";") + test.shapes;
  }

  /// The twin's bits and, when asked, its time over ours: two programs with the same kernels differ by noise alone.
  Status sameRuns(Loaded &twin) {
    std::vector<std::vector<DenseTensor>> samples;
    if (!listed().empty()) {
      PLIANT_TRY(std::vector<SymbolValues> all, tool::parseShapes(listed(), symbols));
      for (const SymbolValues &values : {all.front(), all.back()}) {
        PLIANT_TRY(std::vector<DenseTensor> given, draw(inputs, values));
        samples.push_back(std::move(given));
      }
    }
    if (auto files = storedRuns(test.file); !files.empty()) {
      PLIANT_TRY(StoredRun run, readStored(files.back(), model.program()));
      samples.push_back(std::move(run.inputs));
    }
    for (const std::vector<DenseTensor> &given : samples) {
      PLIANT_TRY(std::vector<DenseTensor> ours, model.executable->run(given));
      PLIANT_TRY(std::vector<DenseTensor> theirs, twin.executable->run(given));
      for (size_t i = 0; i < ours.size(); ++i)
        if (ours[i].dims() != theirs[i].dims() || std::memcmp(ours[i].data(), theirs[i].data(), ours[i].bytes()) != 0)
          fail("the twin's output '" + model.program().outputs[i].name + "' has other bits");
      std::printf("the twin's bits are the same\n");
      if (!times)
        continue;
      std::vector<double> ratios;
      for (int round = 0; round < 21; ++round) {
        const double start = tool::nowMs();
        PLIANT_TRY(ours, model.executable->run(given));
        const double between = tool::nowMs();
        PLIANT_TRY(theirs, twin.executable->run(given));
        ratios.push_back((tool::nowMs() - between) / (between - start));
      }
      std::nth_element(ratios.begin(), ratios.begin() + 10, ratios.end());
      std::printf("the twin's time is %.2f of ours\n", ratios[10]);
    }
    return ok();
  }

  Result<std::vector<DenseTensor>> runOurs(const std::vector<DenseTensor> &given) {
    auto outputs = model.executable->run(given);
    ++counts.run;
    uncompared = true;
    if (!blocked && !blockCompiler())
      fail("the compiler library could not be put out of reach");
    blocked = true;
    return outputs;
  }

  void judge(const std::string &what, const std::vector<DenseTensor> &ours, const std::vector<DenseTensor> &expected,
             double slack = 0) {
    counts.judged += std::exchange(uncompared, false);
    if (std::string bad = disagreement(model.program(), ours, expected, largest, slack); !bad.empty())
      fail(what + ": " + bad);
  }

  /// A model without symbols has one shape.
  Status shapes() {
    if (listed().empty() && !symbols.empty())
      return ok();
    PLIANT_TRY(std::vector<SymbolValues> all, tool::parseShapes(listed(), symbols));
    std::vector<SymbolValues> small;
    if (!test.reference.empty() || symbols.empty()) {
      PLIANT_TRY(small, tool::parseShapes(test.reference, symbols));
    }
    for (size_t at = 0; at < all.size(); ++at) {
      const std::string name = tool::str(all[at], symbols);
      PLIANT_TRY(std::vector<DenseTensor> given, draw(inputs, all[at]));
      auto ours = runOurs(given);
      if (!ours) {
        fail(name + ": " + ours.error().text());
        continue;
      }
      if (at < small.size()) {
        ++counts.reference;
        PLIANT_TRY(std::vector<DenseTensor> expected, reference.executable->run(given));
        judge(name + " against the references", *ours, expected);
      }
      if (peer) {
        PLIANT_CHECK(againstPeer(name, all[at], given, *ours));
      }
    }
    return ok();
  }

  /// Random inputs, those that the case computes from the shape, and where it says so the stored run's weights.
  Result<std::vector<DenseTensor>> draw(const tool::Inputs &from, const SymbolValues &values) const {
    PLIANT_TRY(std::vector<DenseTensor> list, from.tensors(values));
    if (test.storedWeights) {
      PLIANT_TRY(StoredRun run, readStored(storedRuns(test.file).at(0), model.program()));
      for (size_t i = 0; i < list.size(); ++i)
        if (run.inputs[i].dims() == list[i].dims() && isFloat(list[i].dtype()))
          list[i] = run.inputs[i];
    }
    for (const auto &[name, elements] : test.given) {
      DenseTensor &tensor = list[inputIndex(name)];
      PLIANT_TRY(tensor, DenseTensor::allocate(tensor.dtype(), tensor.dims()));
      for (size_t i = 0; i < elements.size(); ++i) {
        PLIANT_TRY(Expr element, Expr::parse(elements[i]));
        PLIANT_TRY(tensor.as<int64_t>()[i], tool::valueOf(element, values));
      }
    }
    return list;
  }

  size_t inputIndex(const std::string &name) const {
    const std::vector<Argument> &list = model.program().inputs;
    auto named = [&](const Argument &a) { return a.name == name; };
    return static_cast<size_t>(std::find_if(list.begin(), list.end(), named) - list.begin());
  }
  size_t outputIndex(const std::string &name) const {
    const std::vector<Argument> &list = model.program().outputs;
    auto named = [&](const Argument &a) { return a.name == name; };
    return static_cast<size_t>(std::find_if(list.begin(), list.end(), named) - list.begin());
  }

  Result<std::vector<DenseTensor>> runPeer(const std::vector<DenseTensor> &given) {
    Named named;
    for (size_t i = 0; i < given.size(); ++i)
      named.emplace_back(model.program().inputs[i].name, given[i]);
    PLIANT_TRY(std::vector<DenseTensor> theirs, peer->run(named));
    std::vector<DenseTensor> expected;
    for (const Argument &output : model.program().outputs) {
      auto at = std::find(peer->outputNames().begin(), peer->outputNames().end(), output.name);
      if (at == peer->outputNames().end())
        return userError("models", "ONNX Runtime has no output '" + output.name + "'");
      expected.push_back(theirs[static_cast<size_t>(at - peer->outputNames().begin())]);
    }
    return expected;
  }

  /// The peer's outputs; none where it refuses a shape without elements, as it does in a Reshape.
  Result<std::vector<DenseTensor>> againstPeer(const std::string &what, const SymbolValues &values,
                                               const std::vector<DenseTensor> &given,
                                               const std::vector<DenseTensor> &ours) {
    auto expected = runPeer(given);
    if (!expected && std::ranges::any_of(values, [](const auto &symbol) { return symbol.second == 0; }))
      return std::vector<DenseTensor>{};
    if (!expected)
      return expected.takeError();
    ++counts.peer;
    judge(what + " against ONNX Runtime", ours, *expected, tool::ortSlack);
    return std::move(*expected);
  }

  Result<tool::Inputs> inputsWith(const std::string &ranges) const {
    std::vector<std::string> words;
    for (size_t at = 0; at < ranges.size();) {
      const size_t end = std::min(ranges.find(';', at), ranges.size());
      words.insert(words.end(), {"--range", ranges.substr(at, end - at)});
      at = end + 1;
    }
    PLIANT_TRY(tool::Arguments arguments, tool::Arguments::parse("models", tool::inputOptionList(), words));
    return tool::Inputs::read(arguments, model.program(), true);
  }

  /// Every way to run goes its own way: each step takes the states that it gave itself.
  Status stream(const Stream &each) {
    StateLoop growing(*model.executable);
    PLIANT_TRY(std::vector<SymbolValues> steps, tool::parseShapes(each.shapes, symbols));
    PLIANT_TRY(tool::Inputs source, inputsWith(each.ranges));
    std::vector<DenseTensor> states[3]; // ours, the references', the peer's
    int64_t heard = 0;
    for (size_t at = 0; at < steps.size(); ++at) {
      const std::string what = each.name + " step " + std::to_string(at);
      PLIANT_TRY(std::vector<DenseTensor> given, draw(source, steps[at]));
      if (!each.signal.empty())
        heard += sound(given[inputIndex(each.signal)], heard);
      auto with = [&](int who) {
        for (size_t i = 0; i < each.feed.size(); ++i) {
          DenseTensor &input = given[inputIndex(each.feed[i].second)];
          if (at)
            input = states[who][i];
          else
            std::memset(input.data(), 0, input.bytes());
        }
        return std::span<const DenseTensor>(given);
      };
      auto keep = [&](int who, const std::vector<DenseTensor> &outputs) {
        states[who].clear();
        for (const auto &[from, to] : each.feed)
          states[who].push_back(outputs[outputIndex(from)]);
      };
      with(0);
      auto ours = runOurs(given);
      if (!ours) {
        fail(what + ": " + ours.error().text());
        return ok();
      }
      keep(0, *ours);
      if (test.states && !each.feed.empty())
        PLIANT_CHECK(withStates(what, growing, given, *ours));
      for (const auto &[names, wanted] : {std::pair{&each.empty, true}, std::pair{&each.full, false}})
        for (const std::string &name : *names)
          if (((*ours)[outputIndex(name)].size() == 0) != wanted)
            fail(what + ": output '" + name + "' has " + std::to_string((*ours)[outputIndex(name)].size()) +
                 " elements");
      if (static_cast<int>(at) < each.reference) {
        ++counts.reference;
        PLIANT_TRY(std::vector<DenseTensor> expected, reference.executable->run(with(1)));
        judge(what + " against the references", *ours, expected);
        keep(1, expected);
      }
      if (peer) {
        with(2);
        PLIANT_TRY(std::vector<DenseTensor> expected, againstPeer(what, steps[at], given, *ours));
        keep(2, expected.empty() ? *ours : expected);
      }
      if (at + 1 < steps.size() && !each.feed.empty())
        PLIANT_CHECK(
            source.feed(inputIndex(each.feed[0].second), {states[0][0], std::nullopt})); // the rest is drawn anew
    }
    return ok();
  }

  /// The same step with states that grow in place.
  Status withStates(const std::string &what, StateLoop &growing, const std::vector<DenseTensor> &given,
                    const std::vector<DenseTensor> &plain) {
    const int before = growing.inPlace();
    PLIANT_TRY(std::string bad, growing.step(given, plain));
    counts.inPlace += growing.inPlace() - before;
    if (!bad.empty())
      fail(what + ": " + bad);
    return ok();
  }

  /// Tones that glide, with pauses and a little noise; each row hears it a little later. Returns the samples of a row.
  static int64_t sound(DenseTensor &to, int64_t from) {
    const int64_t length = to.dims().back();
    float *samples = to.as<float>();
    for (int64_t row = 0; row < to.size() / std::max<int64_t>(length, 1); ++row)
      for (int64_t i = 0; i < length; ++i) {
        const double t = static_cast<double>(from + i + 1234 * row);
        const double glide = 0.06 * t + 40 * std::sin(t / 9000), loud = std::max(0.0, std::sin(t / 12000));
        const double noise = std::sin(12.9898 * t) * 43758.5453;
        samples[row * length + i] = static_cast<float>(0.3 * loud * (std::sin(glide) + 0.5 * std::sin(2.1 * glide)) +
                                                       0.01 * (noise - std::floor(noise) - 0.5));
      }
    return length;
  }

  Status stored() {
    for (const std::string &file : storedRuns(test.file)) {
      PLIANT_TRY(StoredRun run, readStored(file, model.program()));
      const std::string name = run.name + " " + str(run.inputs[0].dims());
      auto ours = runOurs(run.inputs);
      if (!ours) {
        fail(name + ": " + ours.error().text());
        continue;
      }
      ++counts.stored;
      judge(name, *ours, run.outputs);
    }
    return ok();
  }

  /// Steps of one token, the past growing from nothing, against all tokens in one go.
  Status tokenByToken(int64_t tokens) {
    const Program &step = model.program(), &whole = prefill.program();
    const int64_t batch = 2;
    PLIANT_TRY(DenseTensor ids, DenseTensor::allocate(DType::I64, {batch, tokens}));
    for (int64_t i = 0; i < ids.size(); ++i)
      ids.as<int64_t>()[i] = (i * 7919 + 13) % 997;
    PLIANT_TRY(std::vector<DenseTensor> expected, prefill.executable->run(std::array{ids}));
    std::vector<DenseTensor> given;
    for (const Argument &input : step.inputs) {
      std::vector<int64_t> dims;
      for (const Expr &extent : input.type.shape)
        dims.push_back(extent.constant().value_or(0));
      dims[0] = batch;
      PLIANT_TRY(DenseTensor empty, DenseTensor::allocate(input.type.dtype, dims));
      given.push_back(empty);
    }
    StateLoop growing(*model.executable);
    for (int64_t t = 0; t < tokens; ++t) {
      PLIANT_TRY(given[0], DenseTensor::allocate(DType::I64, {batch, 1}));
      for (int64_t b = 0; b < batch; ++b)
        given[0].as<int64_t>()[b] = ids.as<int64_t>()[b * tokens + t];
      PLIANT_TRY(std::vector<DenseTensor> out, model.executable->run(given));
      PLIANT_CHECK(withStates("token " + std::to_string(t), growing, given, out));
      const int64_t vocabulary = out[0].dims().back();
      PLIANT_TRY(DenseTensor row, DenseTensor::allocate(DType::F32, {batch, 1, vocabulary}));
      for (int64_t b = 0; b < batch; ++b)
        std::memcpy(row.as<float>() + b * vocabulary, expected[0].as<float>() + (b * tokens + t) * vocabulary,
                    static_cast<size_t>(vocabulary) * sizeof(float));
      if (std::string bad = disagreement(step, {out[0]}, {row}, largest); !bad.empty())
        fail("token " + std::to_string(t) + " alone against one prefill: " + bad);
      for (size_t i = 1; i < given.size(); ++i)
        given[i] = out[i]; // past_k_0, ... and present_k_0, ... come in the same order
    }
    for (size_t i = 1; i < given.size() && i < whole.outputs.size(); ++i)
      if (auto agreement = tool::compare(given[i], expected[i]); !agreement.holds)
        fail("the past after " + std::to_string(tokens) + " tokens: " + whole.outputs[i].name + ": " +
             agreement.reason);
    return ok();
  }

  Status refused() {
    PLIANT_TRY(std::vector<SymbolValues> all, tool::parseShapes(test.bad, symbols));
    for (const SymbolValues &values : all) {
      PLIANT_TRY(std::vector<DenseTensor> given, draw(inputs, values));
      auto outputs = model.executable->run(given);
      if (outputs) {
        fail(tool::str(values, symbols) + " runs, but no shape fits");
        continue;
      }
      const Error &error = outputs.error();
      std::printf("refused: %s\n", error.text().c_str());
      size_t shapes = 0;
      for (size_t at = error.message.find('('); at != std::string::npos; at = error.message.find('(', at + 1))
        ++shapes;
      if (error.where.empty() || shapes < 2 || error.kind != Error::Kind::User)
        fail(tool::str(values, symbols) + " is refused, but the error does not name the node and both shapes");
    }
    return ok();
  }
};

int run(const Case &test, bool withOrt, bool times) {
  const char *ci = std::getenv("CI");
  const bool inCi = ci && std::string(ci) == "true";
  std::string path = findFile(test.file);
  if (!path.empty() && !test.prefill.empty() && findFile(findCase(test.prefill)->file).empty())
    path.clear();
  if (path.empty()) {
    const bool required = inCi && !test.large;
    std::printf("%s: %s is in none of", test.name.c_str(), test.file.c_str());
    for (const std::string &folder : folders())
      std::printf(" %s", folder.c_str());
    std::printf(required ? "\n" : ": skipped\n");
    return required ? 1 : skipped;
  }
  auto *proof = new Proof(test, path, times); // stays: what the compiler made is freed by the compiler's code
  if (Status status = proof->run(withOrt || inCi || std::getenv("PLIANT_ORT")); !status)
    fail(status.error().text());
  std::printf("%s: %s\n", test.name.c_str(), failures ? "WRONG" : "right");
  return failures ? 1 : 0;
}

} // namespace
} // namespace pliant::models

int main(int argc, char **argv) {
  using namespace pliant::models;
  const Case *test = argc > 1 ? findCase(argv[1]) : nullptr;
  if (!test) {
    for (const Case &c : cases())
      std::printf("%s%s\n", c.name.c_str(), c.large ? " large" : "");
    return argc > 1;
  }
  auto given = [&](const char *option) {
    return std::any_of(argv + 2, argv + argc, [&](const char *word) { return std::string(word) == option; });
  };
  int code = run(*test, given("--ort"), given("--times"));
  std::fflush(stdout);
  _exit(code); // the compiler's own destructors are out of reach
}
