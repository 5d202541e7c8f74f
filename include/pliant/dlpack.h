// SPDX-License-Identifier: Apache-2.0
// Tensors to and from other libraries by DLPack, on the CPU. The structs are those of its header, which is not needed
// here.
#pragma once
#include "pliant/tensor.h"
#include <functional>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace pliant {

/// Elements of their own, since this form cannot say that they must not be written to.
DLManagedTensor *toDlpack(const Tensor &x, Site site = std::source_location::current());
/// Shares the elements and is marked read-only.
DLManagedTensorVersioned *toDlpackVersioned(const Tensor &x, Site site = std::source_location::current());

/// Copies the elements, whatever their strides, and gives `taken` back; or with `share` keeps them: they must be
/// contiguous and must not change, and `release` is called by any thread when nobody needs them. When this throws
/// `taken` still belongs to the caller.
Tensor fromDlpack(DLManagedTensor *taken, bool share, std::function<void(DLManagedTensor *)> release = {},
                  Site site = std::source_location::current());
Tensor fromDlpack(DLManagedTensorVersioned *taken, bool share,
                  std::function<void(DLManagedTensorVersioned *)> release = {},
                  Site site = std::source_location::current());
/// Gives it back to whom it came from.
void releaseDlpack(DLManagedTensor *taken);
void releaseDlpack(DLManagedTensorVersioned *taken);

} // namespace pliant
