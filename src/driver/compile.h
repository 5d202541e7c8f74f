// SPDX-License-Identifier: Apache-2.0
// Strings the stages together: ONNX file or IR text to a program with its image. Free of MLIR, so that the public
// library can call it across the border of the compiler library.
#pragma once
#include "onnx/blob.h"
#include "plan/program.h"
#include "trace/trace.h"
#include <map>
#include <set>

namespace pliant::driver {

struct Options {
  std::string target;                        ///< TargetDescription::forced; empty: PLIANT_TARGET, or the host
  std::map<std::string, std::string> rename; ///< symbols of the file to the user's names
  bool symbolicInputs = false;               ///< every input extent a symbol, for conformance
  std::set<std::string> staticInputs;        ///< inputs that symbolicInputs leaves as the file declares them
  std::vector<std::string> facts;            ///< what the user says of symbols ("n <= 512"); tested at every run
  bool hostOnlyImage = false;                ///< also the image whose kernels only return
  bool listValues = false;                   ///< fills Compiled::values, facts, unfused and whole
  bool reference = false;                    ///< the oracle: no fusion, no layout, every op by its reference evaluator
  bool observed = false;                     ///< the flow shows every launch to Executable::observe
  bool cache = true;                         ///< use the disk cache, where there is one
  std::string startAfter;                    ///< a program's text is what this pass has printed
  std::string stopAfter;                     ///< a stage of `stages()`; its text is the result
  std::set<std::string> printAfter;          ///< stages whose text is kept
};

struct Stats {
  double importMs = 0, passesMs = 0, planMs = 0, kernelsMs = 0, linkMs = 0, totalMs = 0;
  int64_t kernels = 0; ///< kernel objects generated; those from the disk cache do not count
};

/// One fused group of the program, for `explain`.
struct GroupNote {
  std::string name, description;
  int64_t launches = 0;
  int64_t versions = 1; ///< of its code: more where a broadcast along the lanes is decided at run time
};

/// One value of the model as imported, for `check`: the node that makes it, the op ("input" and "output" for the
/// model's own) and the type. Lists are noted where they are the model's own.
struct ValueNote {
  std::string name, op;
  TensorType type;
  std::optional<ListInfo> list = std::nullopt;
};

/// A value that one group stores for another: why they are two. Each op with its node of the model.
struct UnfusedNote {
  std::string rule, why;
  std::string producer, producerNode, consumer, consumerNode;
};

/// What is known of the model's symbols and where it comes from, for `check`.
struct FactNote {
  std::string fact, source;
};

/// What a compilation gives. All of it but weights, times and prints is what the disk cache keeps.
struct Compiled {
  std::shared_ptr<const Program> program;
  std::string image, hostOnlyImage;
  std::vector<DenseTensor> weights;
  Stats stats;
  std::vector<GroupNote> groups;
  std::vector<ValueNote> values;
  std::vector<FactNote> facts;
  std::vector<UnfusedNote> unfused;
  std::vector<std::pair<std::string, std::string>> whole;  ///< composites that were not decomposed: op and node
  std::vector<std::pair<std::string, std::string>> prints; ///< stage and text
  std::vector<onnx_file::WeightSource> sources;            ///< where `weights` come from
  std::vector<onnx_file::ReadBlob> reads;                  ///< payloads that decided something else than `weights`
  DigestBytes content{};                                   ///< of the model but its payloads; zeros: no ONNX model
  bool cached = false;                                     ///< from the disk cache: nothing was compiled
};

/// The stages in order, with a sentence each.
std::vector<std::pair<std::string, std::string>> stages();
Result<Compiled> compileFile(const std::string &path, const Options &options);
Result<Compiled> compileBytes(std::string bytes, const Options &options);         ///< an ONNX model in memory
Result<Compiled> compileTrace(const trace::Trace &trace, const Options &options); ///< inputs as in trace_import.h

/// How often this process has generated a program's code so far: a hit in the disk cache is none.
int64_t codeGenerations();

/// What the compiler library exports as `pliantCompiler`.
struct CompilerApi {
  uint32_t version;
  decltype(&compileFile) file;
  decltype(&compileBytes) bytes;
  decltype(&compileTrace) trace;
  decltype(&stages) stages;
  decltype(&codeGenerations) codeGenerations;
};
inline constexpr uint32_t compilerApiVersion = 4;

} // namespace pliant::driver
