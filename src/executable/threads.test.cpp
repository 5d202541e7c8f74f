// SPDX-License-Identifier: Apache-2.0
// Any number of threads gives the same bits and the same error; several callers at once and children of fork() run.
#include "executable/program_testing.h"
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace pliant;

namespace {

/// All outputs of all shapes, or the error, as bytes.
std::string resultOf(Executable &executable, const std::vector<std::vector<DenseTensor>> &inputs) {
  std::string out;
  std::vector<DenseTensor> outputs;
  for (const std::vector<DenseTensor> &given : inputs) {
    Status status = executable.run(given, outputs);
    if (!status) {
      out += status.error().text();
      continue;
    }
    for (const DenseTensor &tensor : outputs) {
      out += str(tensor.dims());
      out.append(static_cast<const char *>(tensor.data()), tensor.bytes());
    }
  }
  return out;
}

class Threads : public test::ProgramTest {
protected:
  void sameForAll(const std::string &what) {
    executable->setThreads(1);
    const std::string expected = resultOf(*executable, inputs);
    for (int threads : {2, 3, 7}) {
      executable->setThreads(threads, 0); // every launch is split, however small
      ASSERT_TRUE(resultOf(*executable, inputs) == expected) << what << " on " << threads << " threads";
    }
  }
  void sameForAllOf(const char *file, const std::string &shapes, const std::vector<std::string> &options = {}) {
    loadModel(file, shapes, options);
    if (HasFatalFailure() || IsSkipped())
      return;
    ASSERT_FALSE(inputs.empty()) << "no shape runs";
    sameForAll(file);
  }
};

TEST_F(Threads, RandomGraphs) {
  for (uint64_t seed = 100; seed < 125; ++seed) {
    loadGraph(seed, 2 + static_cast<int>(seed % 12));
    if (HasFatalFailure())
      return;
    sameForAll("seed " + std::to_string(seed));
  }
}

TEST_F(Threads, Recognition) { sameForAllOf("ch_PP-OCRv4_rec_infer.onnx", "1,40;2,97"); }
TEST_F(Threads, Yunet) { sameForAllOf("yunet_n_dynamic.onnx", "1,64,96;3,96,64"); }
TEST_F(Threads, BertTiny) { sameForAllOf("bert_tiny.onnx", "1,1;3,31;1,128"); }
TEST_F(Threads, Gpt2TinyStep) { sameForAllOf("gpt2_tiny_step.onnx", "1,1,17;3,2,64"); }

TEST_F(Threads, Tagger) { sameForAllOf("lstm_tagger_tiny.onnx", "5,17;3,90"); }
TEST_F(Threads, ProductsOfBytes) { sameForAllOf("micro_kws_m_qdq.onnx", "1;2;5"); }
TEST_F(Threads, ALoopOverCells) { sameForAllOf("lstm_generator_tiny.onnx", "1;3", {"--range", "most=40..40"}); }
TEST_F(Threads, Branches) {
  for (const char *rate : {"16000", "8000"}) // each another branch
    sameForAllOf("silero_vad_v5.onnx", rate[0] == '8' ? "1,256,1;3,256,3" : "1,512,1;3,512,3",
                 {"--range", std::string("sr=") + rate + ".." + rate});
}
TEST_F(Threads, Boxes) { // counts of a suppression that depend on the data: none, and some
  sameForAllOf("graph_tiny_yolov3.onnx", "1,64,96", {"--range", "input_1=0..0"});
  sameForAllOf("graph_tiny_yolov3.onnx", "1,96,128;1,32,32", {"--range", "input_1=-8..8"});
}

TEST_F(Threads, TheFirstErrorIsTheSame) {
  loadModel("bert_tiny.onnx", "2,100");
  if (HasFatalFailure() || IsSkipped())
    return;
  ASSERT_EQ(inputs.size(), 1u);
  DenseTensor &ids = inputs[0][0];
  ASSERT_EQ(ids.dtype(), DType::I64);
  for (int64_t at : {150, 60, 190}) // beyond the table, each another value
    ids.as<int64_t>()[at] = 1000000 + at;
  executable->setThreads(1);
  const std::string expected = resultOf(*executable, inputs);
  EXPECT_NE(expected.find("1000060"), std::string::npos) << expected;
  for (int threads : {2, 3, 7}) {
    executable->setThreads(threads, 0);
    EXPECT_EQ(resultOf(*executable, inputs), expected);
  }
}

TEST_F(Threads, SeveralCallersAndChildren) {
  loadGraph(7, 12);
  if (HasFatalFailure())
    return;
  executable->setThreads(3, 0);
  const std::string expected = resultOf(*executable, inputs);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        wrong += resultOf(*executable, inputs) != expected;
    });
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60); // a hang fails, too
      _exit(resultOf(*executable, inputs) == expected ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
