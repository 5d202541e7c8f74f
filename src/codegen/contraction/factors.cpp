// SPDX-License-Identifier: Apache-2.0
// Operands on their way into the sums.
#include "codegen/contraction/factors.h"
#include "codegen/memory.h"

using namespace mlir;

namespace pliant::codegen {

Status checkFactors(DType sums, const Factors &factors) {
  const DType rhs = factors.rhs;
  const bool fits = factors.kind == Factor::Same      ? sums == DType::F32 || sums == DType::F64
                    : factors.kind == Factor::Widened ? sums == DType::F32 && (isHalf(rhs) || isByte(rhs))
                                                      : sums == DType::I32 && isByte(rhs);
  if (fits && (factors.kind == Factor::Same || sums == sumType(factors.lhs)))
    return ok();
  return internalError("codegen", "no contraction of " + std::string(name(factors.lhs)) + " and " +
                                      std::string(name(factors.rhs)) + " in " + std::string(name(sums)));
}

Type FactorEmitter::scalarOf(DType type) const {
  return factors.kind == Factor::Same ? e.element : memoryType(e.b.getContext(), type);
}

Type FactorEmitter::panelType() const {
  return factors.kind == Factor::Pairs ? Type(e.b.getI16Type()) : widens() ? rhsType() : e.element;
}

Value FactorEmitter::constant(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  Attribute scalar = e.b.getIntegerAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    return e.b.create<arith::ConstantOp>(e.loc, DenseElementsAttr::get(vector, scalar));
  return e.b.create<arith::ConstantOp>(e.loc, cast<TypedAttr>(scalar));
}

static Type shapedLike(Value value, Type element) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Value FactorEmitter::asFloat(Value raw, DType type) {
  if (isHalf(type))
    return widenedHalf(e.b, e.loc, raw, type, e.hasF16c);
  if (!isByte(type))
    return raw;
  Type wide = shapedLike(raw, e.b.getI32Type());
  Value integer = type == DType::I8 ? Value(e.b.create<arith::ExtSIOp>(e.loc, wide, raw))
                                    : Value(e.b.create<arith::ExtUIOp>(e.loc, wide, raw));
  return e.b.create<arith::SIToFPOp>(e.loc, shapedLike(raw, e.b.getF32Type()), integer);
}

Value FactorEmitter::asPair(Value byte, DType type) {
  Type wide = shapedLike(byte, e.b.getI16Type());
  return type == DType::I8 ? Value(e.b.create<arith::ExtSIOp>(e.loc, wide, byte))
                           : Value(e.b.create<arith::ExtUIOp>(e.loc, wide, byte));
}

Value FactorEmitter::loadPanel(Value pointer) {
  auto load = [&](int64_t lanes, Type element) {
    return e.b.create<LLVM::LoadOp>(e.loc, VectorType::get({lanes}, element), pointer, 1);
  };
  if (widens())
    return asFloat(load(e.lanes, rhsType()), factors.rhs);
  if (factors.kind != Factor::Pairs)
    return e.loadVector(pointer);
  Value pairs = asPair(load(2 * e.lanes, e.b.getI8Type()), factors.rhs);
  return e.b.create<LLVM::BitcastOp>(e.loc, e.vectorType(), pairs);
}

Value FactorEmitter::loadVector(Value pointer, Value mask, DType type) {
  if (factors.kind == Factor::Same)
    return mask ? e.loadMasked(pointer, mask) : e.loadVector(pointer);
  Type bits = VectorType::get({e.lanes}, scalarOf(type));
  const auto align = static_cast<unsigned>(byteSize(type));
  Value zeros = e.b.create<arith::ConstantOp>(e.loc, e.b.getZeroAttr(bits));
  Value raw = mask ? Value(e.b.create<LLVM::MaskedLoadOp>(e.loc, bits, pointer, mask, ValueRange{zeros}, align))
                   : Value(e.b.create<LLVM::LoadOp>(e.loc, bits, pointer, align));
  return asFloat(raw, type);
}

Value FactorEmitter::loadLhs(Value pointer) { // words may lie at any byte
  return e.b.create<LLVM::LoadOp>(e.loc, e.element, pointer,
                                  factors.group() > 1 ? 1u : static_cast<unsigned>(e.elementBytes));
}

Value FactorEmitter::multiplyAdd(Value x, Value y, Value sum) {
  if (factors.group() == 1)
    return e.multiplyAdd(x, y, sum);
  const std::string bits = std::to_string(32 * e.lanes);
  auto call = [&](const std::string &name, Type result, ValueRange arguments) -> Value {
    return e.b.create<LLVM::CallIntrinsicOp>(e.loc, result, e.b.getStringAttr(name), arguments).getResult(0);
  };
  if (factors.kind == Factor::Quads) // the unsigned operand first
    return call("llvm.x86.avx512.vpdpbusd." + bits, e.vectorType(),
                factors.rhs == DType::I8 ? ValueRange{sum, x, y} : ValueRange{sum, y, x});
  const char *name = e.lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : e.lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                    : "llvm.x86.sse2.pmadd.wd";
  auto pairs = [&](Value v) -> Value {
    return e.b.create<LLVM::BitcastOp>(e.loc, VectorType::get({2 * e.lanes}, e.b.getI16Type()), v);
  };
  return e.b.create<arith::AddIOp>(e.loc, sum, call(name, e.vectorType(), {pairs(x), pairs(y)}));
}

Value FactorEmitter::startFactor(Value zero) {
  if (factors.kind != Factor::Quads || (!zero && !factors.flips()))
    return {};
  // Turned, an i8 is 128 more and a u8 128 less.
  Value turn = constant(e.element, !factors.flips() ? 0 : factors.lhs == DType::I8 ? -128 : 128);
  return zero ? Value(e.b.create<arith::SubIOp>(e.loc, turn, zero)) : turn;
}

Value FactorEmitter::element(Value pointer, Value offset, DType type) {
  Type scalar = memoryType(e.b.getContext(), type);
  return e.b.create<LLVM::LoadOp>(e.loc, scalar, e.atType(scalar, pointer, offset), 1);
}

Value FactorEmitter::flipped(Value bytes) {
  return factors.flips() ? Value(e.b.create<arith::XOrIOp>(e.loc, bytes, constant(bytes.getType(), -128))) : bytes;
}

/// A word of the elements given, lowest first; what is missing is zero. `zero` (i16 or null) is taken off pairs.
Value FactorEmitter::word(ArrayRef<Value> elements, DType type, Value zero) {
  const int64_t bits = 32 / factors.group();
  Value all;
  for (auto [i, raw] : llvm::enumerate(elements)) {
    Value part = raw;
    if (factors.kind == Factor::Pairs) {
      part = asPair(part, type);
      if (zero)
        part = e.b.create<arith::SubIOp>(e.loc, part, zero);
    }
    part = e.b.create<arith::ExtUIOp>(e.loc, e.element, part);
    if (i > 0)
      part = e.b.create<arith::ShLIOp>(e.loc, part, constant(e.element, static_cast<int64_t>(i) * bits));
    all = all ? Value(e.b.create<arith::OrIOp>(e.loc, all, part)) : part;
  }
  return all;
}

Value FactorEmitter::paddingWord(Value zero) {
  if (factors.kind != Factor::Quads) // the zero point is taken off already
    return e.b.create<arith::ConstantOp>(e.loc, e.b.getZeroAttr(e.element));
  Value byte = zero ? Value(e.b.create<arith::TruncIOp>(e.loc, e.b.getI8Type(), zero)) : constant(e.b.getI8Type(), 0);
  Value wide = e.b.create<arith::ExtUIOp>(e.loc, e.element, flipped(byte));
  return e.b.create<arith::MulIOp>(e.loc, wide, constant(e.element, 0x01010101));
}

void FactorEmitter::copyRow(Value from, Value stride, Value count, Value to, Value zero) {
  const int64_t group = factors.group(), step = group * e.lanes;
  Value narrowZero;
  if (zero && factors.kind == Factor::Pairs)
    narrowZero = e.b.create<arith::TruncIOp>(e.loc, e.b.getI16Type(), zero);
  Value done = e.idx(0);
  if (!stride || e.isConstant(stride, 1)) { // whole vectors of words
    done = e.sub(count, e.rem(count, e.idx(step)));
    e.loop(e.idx(0), done, e.idx(step), [&](Value k) {
      Type raw = VectorType::get({step}, lhsType());
      Value bytes = e.b.create<LLVM::LoadOp>(e.loc, raw, e.atType(lhsType(), from, k), 1), value = bytes;
      if (factors.kind == Factor::Quads) {
        value = flipped(bytes);
      } else if (factors.kind == Factor::Widened) {
        value = asFloat(bytes, factors.lhs);
      } else {
        value = asPair(bytes, factors.lhs);
        if (narrowZero)
          value = e.b.create<arith::SubIOp>(
              e.loc, value, e.b.create<vector::SplatOp>(e.loc, cast<VectorType>(value.getType()), narrowZero));
      }
      Value at = e.at(to, e.div(k, e.idx(group)));
      e.b.create<LLVM::StoreOp>(e.loc, value, at, 4);
    });
  }
  Value whole = e.sub(count, e.rem(count, e.idx(group)));
  auto part = [&](Value k) {
    Value raw = element(from, stride ? e.mul(k, stride) : k, factors.lhs);
    return factors.kind == Factor::Quads ? flipped(raw) : raw;
  };
  if (factors.kind == Factor::Widened) {
    e.loop(done, count, e.idx(1), [&](Value k) { e.store(asFloat(part(k), factors.lhs), e.at(to, k)); });
    return;
  }
  e.loop(done, whole, e.idx(group), [&](Value k) {
    Values parts;
    for (int64_t i = 0; i < group; ++i)
      parts.push_back(part(e.add(k, e.idx(i))));
    e.store(word(parts, factors.lhs, narrowZero), e.at(to, e.div(k, e.idx(group))));
  });
  // The last word: what lies beyond the row meets zeros in the panel, so it may repeat the last element.
  e.when(e.less(whole, count), [&] {
    Values parts;
    for (int64_t i = 0; i < group; ++i)
      parts.push_back(part(e.min(e.add(whole, e.idx(i)), e.sub(count, e.idx(1)))));
    e.store(word(parts, factors.lhs, narrowZero), e.at(to, e.div(whole, e.idx(group))));
  });
}

void FactorEmitter::packWords(Value from, Value strideK, Value strideN, Value k, Value columns, const Tile &tile,
                              Value to) {
  const int64_t group = factors.group(), width = tile.columns();
  Value count = e.min(columns, e.idx(width)), nr = e.idx(width), one = e.idx(1);
  Type unit = panelType();
  Value none = constant(unit, 0);
  auto target = [&](Value word, Value j) { return atPanel(to, e.add(e.mul(e.add(word, e.idx(headRows())), nr), j)); };
  auto store = [&](Value value, Value word, Value j) { e.b.create<LLVM::StoreOp>(e.loc, value, target(word, j), 1); };
  auto source = [&](Value i, Value j) {
    return e.atType(e.b.getI8Type(), from, e.add(e.mul(i, strideK), e.mul(j, strideN)));
  };
  // Numbers or vectors of bytes at k, k + 1, ... put together; those from k on are zero.
  auto joinedBytes = [&](Type bytes, Type wide, Value i, Value j, bool last) {
    Value all;
    for (int64_t q = 0; q < group; ++q) {
      Value at = e.add(i, e.idx(q)), row = last ? e.min(at, e.sub(k, one)) : at;
      Value value = e.b.create<LLVM::LoadOp>(e.loc, bytes, source(row, j), 1);
      value = e.b.create<arith::ExtUIOp>(e.loc, wide, value);
      if (last && q > 0)
        value = e.select(e.less(at, k), value, constant(wide, 0));
      if (q > 0)
        value = e.b.create<arith::ShLIOp>(e.loc, value, constant(wide, 8 * q));
      all = all ? Value(e.b.create<arith::OrIOp>(e.loc, all, value)) : value;
    }
    return all;
  };
  const bool contiguousK = e.isConstant(strideK, 1), contiguousN = e.isConstant(strideN, 1);
  auto line = [&](Value i, bool last) {
    Value word = e.div(i, e.idx(group));
    auto single = [&] {
      e.loop(e.idx(0), count, one, [&](Value j) {
        if (contiguousK && !last) // the word lies in memory
          store(e.b.create<LLVM::LoadOp>(e.loc, unit, source(i, j), 1), word, j);
        else
          store(joinedBytes(e.b.getI8Type(), unit, i, j, last), word, j);
      });
      e.loop(count, nr, one, [&](Value j) { store(none, word, j); });
    };
    if (!contiguousN)
      return single();
    auto whole = [&] {
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Value j = e.idx(v * tile.lanes);
        store(joinedBytes(VectorType::get({tile.lanes}, e.b.getI8Type()), VectorType::get({tile.lanes}, unit), i, j,
                          last),
              word, j);
      }
    };
    e.when(e.lessEqual(nr, columns), whole, single);
  };
  Value whole = e.sub(k, e.rem(k, e.idx(group)));
  e.loop(e.idx(0), whole, e.idx(group), [&](Value i) { line(i, false); });
  e.when(e.less(whole, k), [&] { line(whole, true); });
  if (!headRows())
    return;
  // Column sums, by the same instruction: every word times ones on the left.
  Value ones = e.splat(constant(e.element, 0x01010101));
  e.loop(e.idx(0), nr, e.idx(e.lanes), [&](Value j) {
    Values sums = e.loop(e.idx(0), words(k), one, e.zeroVector(), [&](Value word, ValueRange old) -> Values {
      return {multiplyAdd(ones, e.loadVector(target(word, j)), old[0])};
    });
    e.store(sums[0], atPanel(to, j));
  });
}

} // namespace pliant::codegen
