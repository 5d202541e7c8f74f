// SPDX-License-Identifier: Apache-2.0
// ONNX models as functions of tensors.
#pragma once
#include "pliant/tensor.h"
#include <map>
#include <string>

namespace pliant {

class Model {
public:
  struct Options {
    std::map<std::string, std::string> rename; ///< symbols of the file to the caller's names
    std::vector<std::string> facts;            ///< what is known of symbols ("n <= 512"); tested at every run
    int threads = 0;                           ///< 0: as many as there are processors
  };
  /// Compiles the file once for all shapes, or takes it from the disk cache. Throws what is wrong with it.
  explicit Model(const std::string &path) : Model(path, Options()) {}
  Model(const std::string &path, const Options &options);

  /// Runs it on tensors in the order of `inputs()`; waits for them.
  std::vector<Tensor> operator()(std::span<const Tensor> inputs, Site site = std::source_location::current()) const;
  std::vector<Tensor> operator()(std::initializer_list<Tensor> inputs,
                                 Site site = std::source_location::current()) const {
    return (*this)(std::span<const Tensor>(inputs), site);
  }

  /// A run in the background, for whoever waits in a way of their own, such as a binding that lets Ctrl-C end the
  /// waiting.
  class Call {
  public:
    bool ready() const; ///< whether `results` would not wait
    /// Waits; the outputs in the order of `outputs()`. Throws what went wrong with the run.
    std::vector<Tensor> results() const;

  private:
    friend class Model;
    struct State;
    std::shared_ptr<State> state;
  };
  /// Begins to run it on the values that the inputs have now: later writes are not seen.
  Call start(std::span<const Tensor> inputs, Site site = std::source_location::current()) const;

  const std::vector<std::string> &inputs() const;  ///< names
  const std::vector<std::string> &outputs() const; ///< names

private:
  struct State;
  std::shared_ptr<const State> state;
};

} // namespace pliant
