// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime as a yardstick, through its C interface: opened when asked for, built without its headers.
#pragma once
#include "runtime/dense_tensor.h"
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pliant {

/// The library's path: the environment variable PLIANT_ORT, else the highest
/// ROOT/node_modules/onnxruntime-node/bin/napi-vN/linux/x64/libonnxruntime.so.1. The error says how to get it.
Result<std::string> findOrt(const std::string &repositoryRoot);

/// Opens the library, once for the process: sessions do it too, but then it is part of what they cost.
Status openOrt(const std::string &libraryPath);

class OrtSession {
  struct State;

public:
  /// Inputs bound to a session: bind once, run many times.
  class Call {
  public:
    Call(Call &&) noexcept;
    Call &operator=(Call &&) noexcept;
    ~Call();
    Status run(); ///< exactly one Run of the runtime, after the outputs of the run before were freed
    void reset(); ///< frees the outputs now; called before run(), it leaves only the run to be timed
    /// The outputs of the last run, copied, in the order of outputNames().
    Result<std::vector<DenseTensor>> outputs() const;

  private:
    friend class OrtSession;
    struct Bound;
    explicit Call(std::unique_ptr<Bound> bound);
    std::unique_ptr<Bound> bound;
  };

  /// All graph optimizations on, `threads` within an op, one op at a time.
  static Result<OrtSession> open(const std::string &libraryPath, const std::string &modelPath, int threads);
  /// A model in memory, without graph optimizations, on one thread: for its values, not its speed.
  static Result<OrtSession> openBytes(const std::string &libraryPath, const std::string &model);
  OrtSession(OrtSession &&) noexcept;
  OrtSession &operator=(OrtSession &&) noexcept;
  ~OrtSession(); ///< the session itself lives as long as its calls

  /// The tensors are shared, not copied; optional inputs may be left out.
  Result<Call> prepare(const std::vector<std::pair<std::string, DenseTensor>> &inputs) const;
  /// prepare, run and outputs in one.
  Result<std::vector<DenseTensor>> run(const std::vector<std::pair<std::string, DenseTensor>> &inputs) const;

  const std::vector<std::string> &inputNames() const;
  const std::vector<std::string> &outputNames() const;
  const std::string &version() const; ///< of the library: "1.30.0"

private:
  explicit OrtSession(std::shared_ptr<State> state);
  using Open = std::function<Status(State &)>; ///< makes the session
  static Result<OrtSession> start(const std::string &libraryPath, int threads, int optimizations, const Open &open);
  std::shared_ptr<State> state;
};

} // namespace pliant
