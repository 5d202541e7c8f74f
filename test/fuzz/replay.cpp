// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target where no fuzzer is linked: pliant-fuzz-TARGET FOLDER [SECONDS [SECONDS_IN_CI]]. Every input of
// the folder, then for some seconds inputs that are changed at random. An input that ends the process is in the file
// that is named before.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
}

namespace {
std::minstd_rand edits(1);
}

/// What libFuzzer offers to mutators, as plain edits of bytes.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
  auto below = [](size_t n) { return static_cast<size_t>(edits()) % n; };
  if (size == 0) {
    data[0] = static_cast<uint8_t>(edits());
    return most ? 1 : 0;
  }
  const size_t at = below(size), span = std::min(1 + below(16), size - at);
  switch (below(4)) {
  case 0:
    data[at] = static_cast<uint8_t>(edits());
    return size;
  case 1:
    data[at] = static_cast<uint8_t>(data[at] + (below(2) ? 1 : 255));
    return size;
  case 2:
    std::memmove(data + at, data + at + span, size - at - span);
    return size - span;
  default:
    if (size + span > most)
      return size;
    std::memmove(data + at + span, data + at, size - at);
    return size + span;
  }
}

int main(int argc, char **argv) {
  namespace fs = std::filesystem;
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [SECONDS [SECONDS_IN_CI]]\n", argv[0]);
    return 2;
  }
  std::vector<std::pair<std::string, std::string>> corpus;
  std::error_code failure;
  for (const fs::directory_entry &entry : fs::directory_iterator(argv[1], failure)) {
    std::ifstream in(entry.path(), std::ios::binary);
    corpus.emplace_back(entry.path().filename().string(),
                        std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()));
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "no inputs in %s\n", argv[1]);
    return 2;
  }
  std::sort(corpus.begin(), corpus.end());
  const std::string current = (fs::temp_directory_path() / ("pliant-fuzz-" + std::to_string(getpid()))).string();
  auto feed = [&](const std::string &bytes) {
    std::ofstream(current, std::ios::binary) << bytes;
    return LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  };
  std::fprintf(stderr, "the input in work is %s\n", current.c_str());
  for (const auto &[name, bytes] : corpus)
    feed(bytes);
  const int last = std::getenv("CI") ? 3 : 2;
  const int seconds = argc > 2 ? std::atoi(argv[std::min(last, argc - 1)]) : 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  size_t runs = 0;
  while (std::chrono::steady_clock::now() < end) {
    std::string bytes = corpus[static_cast<size_t>(edits()) % corpus.size()].second;
    const size_t most = bytes.size() + 256;
    for (unsigned times = 1 + edits() % 4; times > 0; --times) {
      std::vector<uint8_t> room(most);
      std::copy(bytes.begin(), bytes.end(), room.begin());
      const size_t size = LLVMFuzzerCustomMutator
                              ? LLVMFuzzerCustomMutator(room.data(), bytes.size(), most, static_cast<unsigned>(edits()))
                              : LLVMFuzzerMutate(room.data(), bytes.size(), most);
      bytes.assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
    }
    feed(bytes);
    ++runs;
  }
  std::remove(current.c_str());
  std::printf("%zu inputs of the corpus, %zu changed ones\n", corpus.size(), runs);
  return 0;
}
