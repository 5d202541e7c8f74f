// SPDX-License-Identifier: Apache-2.0
#include "pliant/run.h"
#include "api/record.h"

namespace pliant {

void barrier() { api::Session::current().barrier(); }
void wait() { api::Session::wait(); }
void eval(std::span<const Tensor> tensors) {
  barrier();
  for (const Tensor &tensor : tensors)
    (void)tensor.array();
}
void eval(std::initializer_list<Tensor> tensors) { eval(std::span<const Tensor>(tensors)); }

} // namespace pliant
