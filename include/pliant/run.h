// SPDX-License-Identifier: Apache-2.0
// When recorded work runs. Without a word it does so when a value is asked for; these say so earlier, or watch over it.
#pragma once
#include "pliant/tensor.h"
#include <functional>

namespace pliant {

/// Hands all that this thread has recorded to the background and returns: the end of a step. What is recorded meanwhile
/// runs afterwards; at most a few steps wait. Errors come where a value is asked for.
void barrier();
/// Runs the tensors, and whatever else is pending, and waits for them.
void eval(std::span<const Tensor> tensors);
void eval(std::initializer_list<Tensor> tensors);
/// Waits for all that was handed over, by any thread.
void wait();

} // namespace pliant
