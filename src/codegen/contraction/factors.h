// SPDX-License-Identifier: Apache-2.0
// Operands on their way into the sums: how a tile reads the panel, what it multiplies, and how rows of the left operand
// are copied to the type of the sums.
#pragma once
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/emitter.h"

namespace pliant::codegen {

class FactorEmitter {
public:
  /// `packed`: panels come from packed weights; otherwise the kernel itself has made them.
  FactorEmitter(Emitter &e, const Factors &factors, bool packed) : e(e), factors(factors), packed(packed) {}

  // Panels, in units of one column at one step.
  Value atPanel(Value pointer, Value offset) { return e.atType(panelType(), pointer, offset); }
  Value atPanel(Value pointer, int64_t offset) { return atPanel(pointer, e.idx(offset)); }
  Value loadPanel(Value pointer); ///< as a vector of the sums' type
  /// Elements of an operand as a vector of the sums' type; `mask` or null. Not for words.
  Value loadVector(Value pointer, Value mask, DType type);
  Value loadLhs(Value pointer); ///< one element or word of the left operand
  Value multiplyAdd(Value x, Value y, Value sum);
  /// Rows of column sums at the head of a panel.
  int64_t headRows() const { return factors.kind == Factor::Quads ? 1 : 0; }
  /// What the sums start with, of which the zero point and the turned bits take their share off: the head of the panel
  /// times a factor, or null for zeros.
  Value startFactor(Value zero);

  /// k in words.
  Value words(Value k) { return factors.group() == 1 ? k : e.ceilDiv(k, e.idx(factors.group())); }
  Type lhsType() const { return scalarOf(factors.lhs); }
  Type rhsType() const { return scalarOf(factors.rhs); }
  /// Copies `count` elements of the left operand, `stride` apart (null: side by side), to whole words at `to`.
  void copyRow(Value from, Value stride, Value count, Value to, Value zero);
  /// The word that stands for padding: the zero point.
  Value paddingWord(Value zero);
  /// A panel of bytes, element (k, j) at k * strideK + j * strideN; columns from `columns` on are zeros.
  void packWords(Value from, Value strideK, Value strideN, Value k, Value columns, const Tile &tile, Value to);

  Emitter &e;
  const Factors factors;

private:
  bool packed;
  bool widens() const { return factors.kind == Factor::Widened && packed; }
  Type scalarOf(DType type) const;
  Type panelType() const;
  Value constant(Type type, int64_t value); ///< an integer, or a vector of it
  // Scalars and vectors alike.
  Value asFloat(Value raw, DType type); ///< as f32
  Value asPair(Value byte, DType type); ///< in 16 bits
  Value element(Value pointer, Value offset, DType type);
  Value word(llvm::ArrayRef<Value> elements, DType type, Value zero);
  Value flipped(Value bytes);
};

/// The types that sums may have, and of what.
Status checkFactors(DType sums, const Factors &factors);

} // namespace pliant::codegen
