// SPDX-License-Identifier: Apache-2.0
// Order by symbols: an op that names a symbol comes after the op that declares it, though it may read none of its
// results (an extent of a branch's result, the length of a list).
#pragma once
#include "ir/dialect.h"
#include "mlir/IR/Block.h"
#include "shape/expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace pliant::ir {

/// The symbols that an op declares for those who come after it.
Extents declaredBy(mlir::Operation *op);

class SymbolUses {
public:
  /// Costs one walk; free for blocks in which nothing declares symbols.
  explicit SymbolUses(mlir::Block &block);
  bool empty() const { return makers.empty(); }
  /// Ops of the block that declare what `op`, with all inside it, names; without itself.
  llvm::ArrayRef<mlir::Operation *> of(mlir::Operation *op);

private:
  llvm::StringMap<mlir::Operation *> makers;
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<mlir::Operation *>> byShape;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> byOp;
  void collect(mlir::Attribute shape, llvm::SmallVectorImpl<mlir::Operation *> &out);
};

} // namespace pliant::ir
