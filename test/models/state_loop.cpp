// SPDX-License-Identifier: Apache-2.0
// Runs steps with states and compares them.
#include "state_loop.h"
#include <cstring>

namespace pliant::models {

Result<std::string> StateLoop::step(std::vector<DenseTensor> inputs, const std::vector<DenseTensor> &plain) {
  const Program &program = executable.program();
  if (states.empty())
    for (const State &state : program.states) {
      PLIANT_TRY(GrowingTensor past, GrowingTensor::copyOf(inputs[state.input], static_cast<size_t>(state.axis)));
      states.push_back(std::move(past));
    }
  std::vector<std::pair<int64_t, const void *>> before;
  for (size_t k = 0; k < states.size(); ++k) {
    before.emplace_back(states[k].capacity(), states[k].data());
    inputs[program.states[k].input] = DenseTensor(); // not looked at
  }
  const int64_t copied = executable.pastCopied();
  std::vector<DenseTensor> outputs;
  PLIANT_CHECK(executable.run(inputs, states, outputs));
  bool room = true;
  for (size_t k = 0; k < states.size(); ++k)
    room &= states[k].dims()[states[k].axis()] <= before[k].first;
  withRoom += room;
  if (const int64_t bytes = executable.pastCopied() - copied; room && bytes)
    return std::to_string(bytes) + " bytes of pasts were copied although all states had room";
  for (size_t k = 0; k < states.size(); ++k) {
    if (room && states[k].data() != before[k].second)
      return "state '" + program.outputs[program.states[k].output].name + "' moved although it had room";
    PLIANT_TRY(outputs[program.states[k].output], states[k].tensor());
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].dims() != plain[i].dims() || std::memcmp(outputs[i].data(), plain[i].data(), plain[i].bytes()) != 0)
      return "output '" + program.outputs[i].name + "' has other bits with states than with plain tensors";
  return std::string();
}

} // namespace pliant::models
