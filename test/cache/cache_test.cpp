// SPDX-License-Identifier: Apache-2.0
// The disk cache on the whole way: what hits, what misses, and that a hit gives what a compile gives. Compiles run in
// child processes, so that each starts as a new process does, without the compiler library.
#include "api/compile.h"
#include "api/compiler.h"
#include "cache/build_id.h"
#include "driver/program_cache.h"
#include "executable/executable.h"
#include "model.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pliant;
using test::ModelParts;
namespace fs = std::filesystem;

namespace {

using Outputs = std::vector<std::string>; // bytes, one string per batch size

Result<Outputs> run(driver::Compiled compiled) {
  PLIANT_TRY(auto executable, Executable::load(compiled.program, compiled.image, {}, std::move(compiled.weights)));
  Outputs all;
  for (int64_t batch : {0, 1, 5, 16}) {
    PLIANT_TRY(DenseTensor input, DenseTensor::allocate(DType::F32, {batch, 64}));
    for (int64_t i = 0; i < input.size(); ++i)
      input.as<float>()[i] = static_cast<float>(i * 7 % 13) - 6;
    PLIANT_TRY(std::vector<DenseTensor> outputs, executable->run({&input, 1}));
    all.emplace_back(outputs[0].as<char>(), outputs[0].bytes());
  }
  return all;
}

bool compilerMapped() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libpliant-compiler") != std::string::npos || line.find("LLVM") != std::string::npos)
      return true;
  return false;
}

class Cache : public testing::Test {
protected:
  std::string folder = testing::TempDir() + "pliant_cache_" + std::to_string(getpid());
  std::string store = folder + "/store";

  void SetUp() override {
    fs::create_directories(folder);
    setenv("PLIANT_CACHE_DIR", store.c_str(), 1);
    unsetenv("PLIANT_CACHE_LIMIT");
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string model(const ModelParts &parts) { return test::writeModel(folder, parts); }

  /// Runs `body` in a process that has opened no compiler; its failures are ours.
  static void child(const std::function<void()> &body) {
    pid_t pid = start(body);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "in a child process, status " << status;
  }
  static pid_t start(const std::function<void()> &body) {
    pid_t pid = fork();
    if (pid == 0) {
      body();
      std::fflush(nullptr);
      _exit(testing::Test::HasFailure());
    }
    return pid;
  }

  enum Expected { Hit, Miss };
  /// Compiles in a new process; whether the cache served it, and that the results are those of a compile without it.
  void expect(Expected expected, const std::string &path, const driver::Options &options = {}) {
    child([&] {
      auto compiled = compile(path, options);
      ASSERT_TRUE(compiled) << compiled.error().text();
      EXPECT_EQ(compiled->cached, expected == Hit);
      EXPECT_EQ(compilerMapped(), expected == Miss);
      EXPECT_EQ(compilerLoaded(), expected == Miss);
      auto outputs = run(std::move(*compiled));
      ASSERT_TRUE(outputs) << outputs.error().text();
      driver::Options fresh = options;
      fresh.cache = false;
      auto again = compile(path, fresh);
      ASSERT_TRUE(again) << again.error().text();
      EXPECT_FALSE(again->cached);
      auto wanted = run(std::move(*again));
      ASSERT_TRUE(wanted) << wanted.error().text();
      EXPECT_EQ(*outputs, *wanted); // bit for bit
    });
  }
  std::vector<fs::path> entries(const std::string &kind) const {
    std::vector<fs::path> list;
    for (const auto &entry : fs::directory_iterator(store))
      if (entry.path().extension() == "." + kind)
        list.push_back(entry.path());
    return list;
  }
};

} // namespace

TEST_F(Cache, AHitGivesTheSameBitsAndMapsNoCompiler) {
  const std::string path = model({});
  expect(Miss, path);
  expect(Hit, path);
  EXPECT_EQ(entries("program").size(), 1u);
}

TEST_F(Cache, CompilesAndReadsAreCounted) {
  const std::string path = model({});
  ModelParts parts;
  parts.slope = 0.5f;
  child([&] {
    auto expectMade = [](int64_t compiled, int64_t read) {
      const ProgramsMade made = programsMade();
      EXPECT_EQ(made.compiled, compiled);
      EXPECT_EQ(made.read, read);
    };
    driver::Options fresh;
    fresh.cache = false;
    expectMade(0, 0);
    EXPECT_TRUE(compile(path, {}));
    expectMade(1, 0);
    EXPECT_TRUE(compile(path, {}));
    expectMade(1, 1);
    EXPECT_TRUE(compile(path, fresh)); // its kernels are known, its host flow is made again
    expectMade(2, 1);
    EXPECT_TRUE(compile(model(parts), {}));
    expectMade(3, 1);
    EXPECT_FALSE(compile(folder + "/nothing.onnx", {}));
    expectMade(3, 1);
  });
}

TEST_F(Cache, OtherWeightsOfTheSameStructureHit) {
  expect(Miss, model({}));
  ModelParts parts;
  parts.weight = -0.25f;
  expect(Hit, model(parts));
  parts.firstRow = 17;
  expect(Hit, model(parts));
}

TEST_F(Cache, WhateverTheProgramIsMadeOfMisses) {
  expect(Miss, model({}));
  ModelParts bias, slope, half, name;
  bias.bias = 3;
  slope.slope = 0.5f;
  half.half = 4;
  name.name = "z";
  for (const ModelParts &parts : {bias, slope, half, name})
    expect(Miss, model(parts));
  for (const ModelParts &parts : {bias, slope, name}) // one does not push out the other
    expect(Hit, model(parts));
}

TEST_F(Cache, SmallExternalDataIsPartOfTheProgram) {
  ModelParts parts;
  parts.external = "bias.bin";
  expect(Miss, model(parts));
  expect(Hit, model(parts));
  parts.bias = 9;
  expect(Miss, model(parts));
  expect(Hit, model(parts));
  const std::string path = model(parts);
  fs::remove(folder + "/bias.bin");
  child([&] {
    auto compiled = compile(path, {});
    ASSERT_FALSE(compiled);
    EXPECT_NE(compiled.error().text().find("bias.bin"), std::string::npos) << compiled.error().text();
  });
}

TEST_F(Cache, OptionsAreInTheKey) {
  const std::string path = model({});
  expect(Miss, path);
  driver::Options renamed, oracle, narrow, noted;
  renamed.rename["batch"] = "n";
  oracle.reference = true;
  narrow.target = "x86-64";
  noted.hostOnlyImage = true;
  for (const driver::Options &options : {renamed, oracle, narrow, noted}) {
    expect(Miss, path, options);
    expect(Hit, path, options);
  }
  child([&] {
    auto compiled = compile(path, renamed);
    ASSERT_TRUE(compiled && compiled->cached);
    EXPECT_EQ(compiled->program->inputs[0].type.shape[0].str(), "n");
  });
}

TEST_F(Cache, TheCompilersBuildIsInTheKey) {
  const std::string path = model({}), library = compilerPath(), other = folder + "/libpliant-compiler.so";
  const std::optional<std::string> id = cache::buildId(library);
  ASSERT_TRUE(id);
  std::ifstream file(library, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const size_t at = bytes.find(*id);
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  std::ofstream(other, std::ios::binary) << bytes;
  expect(Miss, path);
  expect(Hit, path);
  setenv("PLIANT_COMPILER", other.c_str(), 1);
  expect(Miss, path);
  expect(Hit, path);
  setenv("PLIANT_COMPILER", library.c_str(), 1);
  expect(Hit, path); // both are kept
  unsetenv("PLIANT_COMPILER");
}

TEST_F(Cache, ACompilerOfAnotherVersionIsRefused) {
  const std::string path = model({});
  for (const char *library : {PLIANT_OTHER_COMPILER, "libm.so.6"}) { // of the next version, and no compiler at all
    setenv("PLIANT_COMPILER", library, 1);
    child([&] {
      auto compiled = compile(path, {});
      ASSERT_FALSE(compiled);
      const std::string error = compiled.error().text();
      EXPECT_NE(error.find(std::string(library) + " is not the compiler of this library"), error.npos) << error;
      EXPECT_NE(error.find("hint: "), error.npos) << error;
    });
  }
  unsetenv("PLIANT_COMPILER");
  EXPECT_FALSE(fs::exists(store) && !entries("program").empty());
}

TEST_F(Cache, WithoutTheOptionNothingIsReadOrKept) {
  const std::string path = model({});
  driver::Options off, printing;
  off.cache = false;
  printing.stopAfter = "import";
  for (const driver::Options &options : {off, printing})
    child([&] { EXPECT_TRUE(compile(path, options)); });
  EXPECT_FALSE(fs::exists(store));
  setenv("PLIANT_CACHE_LIMIT", "0", 1);
  child([&] { EXPECT_TRUE(compile(path, {})); });
  EXPECT_FALSE(fs::exists(store));
}

TEST_F(Cache, DamagedEntriesMissAndAreReplaced) {
  const std::string path = model({});
  expect(Miss, path);
  const fs::path entry = entries("program").at(0);
  std::ofstream(entry, std::ios::in | std::ios::out | std::ios::binary).seekp(5000).put('!');
  expect(Miss, path);
  expect(Hit, path);
  fs::resize_file(entry, fs::file_size(entry) / 2);
  expect(Miss, path);
  expect(Hit, path);
  for (const fs::path &kernel : entries("kernel"))
    fs::resize_file(kernel, fs::file_size(kernel) - 1);
  fs::remove(entry);
  expect(Miss, path);
}

TEST_F(Cache, AModelThatWasCutShortIsAnError) {
  const std::string path = model({});
  expect(Miss, path);
  fs::resize_file(path, fs::file_size(path) - 10);
  child([&] { EXPECT_FALSE(compile(path, {})); });
  fs::remove(path);
  child([&] { EXPECT_FALSE(compile(path, {})); });
}

TEST_F(Cache, AChangedModelCompilesOnlyWhatIsNew) {
  const std::string first = model({});
  child([&] {
    auto compiled = compile(first, {});
    ASSERT_TRUE(compiled);
    EXPECT_EQ(compiled->stats.kernels, static_cast<int64_t>(compiled->program->groups.size()));
    ASSERT_GT(compiled->program->groups.size(), 1u);
  });
  ModelParts parts;
  parts.slope = 0.75f;
  const std::string second = model(parts);
  child([&] {
    auto compiled = compile(second, {});
    ASSERT_TRUE(compiled);
    EXPECT_FALSE(compiled->cached);
    EXPECT_EQ(compiled->stats.kernels, 1);
    driver::Options fresh;
    fresh.cache = false;
    auto again = compile(second, fresh);
    ASSERT_TRUE(again);
    EXPECT_EQ(compiled->image, again->image); // kernels of the cache are the same bytes
    auto outputs = run(std::move(*compiled)), wanted = run(std::move(*again));
    ASSERT_TRUE(outputs && wanted);
    EXPECT_EQ(*outputs, *wanted);
  });
}

TEST_F(Cache, AFolderThatCannotBeWrittenIsQuiet) {
  std::ofstream(folder + "/file") << "no folder";
  setenv("PLIANT_CACHE_DIR", (folder + "/file/below").c_str(), 1);
  const std::string path = model({});
  expect(Miss, path);
  expect(Miss, path);
}

TEST_F(Cache, ProcessesAtOnce) {
  const std::string path = model({});
  int gate[2]; // opened when all are there, so that none finds what another has kept long ago
  ASSERT_EQ(pipe(gate), 0);
  std::vector<pid_t> pids;
  for (int i = 0; i < 60; ++i)
    pids.push_back(start([&] {
      close(gate[1]);
      char none;
      EXPECT_EQ(read(gate[0], &none, 1), 0);
      auto compiled = compile(path, {});
      ASSERT_TRUE(compiled);
      EXPECT_TRUE(run(std::move(*compiled)));
    }));
  close(gate[0]);
  close(gate[1]);
  for (pid_t pid : pids) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(entries("program").size(), 1u);
  EXPECT_TRUE(entries("part").empty());
  expect(Hit, path);
}

TEST_F(Cache, ItsSizeIsBounded) {
  setenv("PLIANT_CACHE_LIMIT", "60K", 1);
  for (int i = 0; i < 4; ++i) {
    ModelParts parts;
    parts.slope = 0.125f * static_cast<float>(i);
    const std::string path = model(parts);
    child([&] { EXPECT_TRUE(compile(path, {})); });
    uint64_t total = 0;
    for (const auto &entry : fs::directory_iterator(store))
      total += entry.file_size();
    EXPECT_LE(total, uint64_t(60) << 10);
    EXPECT_GT(total, 0u);
  }
}

TEST_F(Cache, DamagedBytesOfAProgramNeverCrash) {
  const std::string path = model({});
  child([&] {
    auto compiled = compile(path, {});
    ASSERT_TRUE(compiled);
    const std::string bytes = driver::encoded(*compiled);
    ASSERT_TRUE(driver::decoded(bytes));
    uint64_t random = 1;
    auto next = [&](uint64_t below) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      return (random >> 33) % below;
    };
    for (int round = 0; round < 2000; ++round) {
      std::string damaged = bytes.substr(0, round % 3 ? bytes.size() : next(bytes.size()));
      for (uint64_t i = 0; i < 8 && !damaged.empty(); ++i)
        damaged[next(std::min<uint64_t>(damaged.size(), 20000))] = static_cast<char>(next(256));
      if (damaged.size() < bytes.size())
        EXPECT_FALSE(driver::decoded(damaged));
      else
        (void)driver::decoded(damaged);
    }
  });
}
