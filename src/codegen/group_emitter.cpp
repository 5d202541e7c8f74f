// SPDX-License-Identifier: Apache-2.0
// Values at an index: loads with their strides, index arithmetic, predicates, pointwise ops.
#include "codegen/group_emitter.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace pliant::codegen {

using Kind = Instance::Kind;

Value Parameters::value(const Expr &expr) {
  if (auto constant = expr.constant())
    return e.idx(*constant);
  auto [at, fresh] = loaded.try_emplace(expr);
  if (fresh) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(array.getParentBlock()); // the loads depend on the argument alone
    Value slot = e.b.create<LLVM::GEPOp>(e.loc, e.pointerType(), e.b.getI64Type(), array,
                                         ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(expressions.size())});
    Value raw = e.b.create<LLVM::LoadOp>(e.loc, e.b.getI64Type(), slot, 8);
    at->second = e.b.create<arith::IndexCastOp>(e.loc, e.b.getIndexType(), raw);
    expressions.push_back(expr);
  }
  return at->second;
}

GroupEmitter::GroupEmitter(Emitter &e, const Group &group, const Schedule &plan, Parameters &parameters, Values inputs,
                           Values outputs, Value state, const TargetDescription &target, int64_t lanes)
    : group(group), plan(plan), lanes(lanes), parameters(parameters), e(e), target(target), inputs(std::move(inputs)),
      outputs(std::move(outputs)), state(state) {
  findAhead();
}

void GroupEmitter::findAhead() {
  std::vector<bool> asked(plan.instances.size()); // by a store outside of the reduced dimensions
  auto ask = [&](const Affine &a) {
    for (const Affine::Term &term : a.terms)
      asked[term.instance] = true;
  };
  for (const Schedule::Store &store : plan.stores) {
    bool along = plan.instances[store.instance].reduced;
    for (size_t d = static_cast<size_t>(plan.parallel); d < plan.domain.size(); ++d)
      along = along || !store.linear.coefficients[d].isConstant(0);
    if (along)
      continue;
    asked[store.instance] = true;
    ask(store.linear);
  }
  ahead.resize(plan.instances.size());
  for (size_t i = plan.instances.size(); i-- > 0;) { // operands come first
    const Instance &instance = plan.instances[i];
    ahead[i] = !asked[i] && !instance.reduced;
    if (!asked[i] || instance.kind == Kind::Reduce)
      continue;
    for (int operand : instance.operands)
      asked[operand] = true;
    ask(instance.linear);
    for (const auto &bound : instance.predicate)
      ask(bound.index);
    for (const auto &choice : instance.choices)
      for (const auto &bound : choice)
        ask(bound.index);
  }
}

bool GroupEmitter::alignedSplit(int instance, int dim) const {
  const Instance &i = plan.instances[instance];
  if ((i.kind != Kind::DivIndex && i.kind != Kind::ModIndex) || dim < 0)
    return false;
  // Lanes start at multiples of their count, which divides the extent: they never cross a boundary.
  auto extent = i.extent.constant();
  if (!extent || *extent % lanes != 0 || !i.linear.offset.isConstant(0) || !i.linear.terms.empty())
    return false;
  for (size_t d = 0; d < i.linear.coefficients.size(); ++d)
    if (!i.linear.coefficients[d].isConstant(static_cast<int>(d) == dim))
      return false;
  return true;
}

bool GroupEmitter::varies(const Affine &a, int dim, const std::vector<bool> &varying) const {
  bool v = dim >= 0 && !a.coefficients.empty() && !a.coefficients[dim].isConstant(0);
  for (const Affine::Term &term : a.terms)
    v = v || varying[term.instance] ||
        (plan.instances[term.instance].kind == Kind::ModIndex && alignedSplit(term.instance, dim));
  return v;
}

std::vector<bool> GroupEmitter::varying(int dim) const {
  std::vector<bool> varies(plan.instances.size());
  auto affine = [&](const Affine &a) { return this->varies(a, dim, varies); };
  for (size_t i = 0; i < plan.instances.size(); ++i) {
    const Instance &instance = plan.instances[i];
    bool v = instance.kind == Kind::Contraction && dim >= 0;
    v = v || (instance.kind == Kind::Reduce && dim >= 0 && dim < plan.parallel); // one sum per lane
    if (!instance.linear.coefficients.empty())
      v = v || affine(instance.linear);
    for (const auto &bound : instance.predicate)
      v = v || affine(bound.index);
    for (const auto &choice : instance.choices)
      for (const auto &bound : choice)
        v = v || affine(bound.index);
    // A fold over the lane dimension is one number; its operand varies, it does not.
    if (instance.kind != Kind::Reduce || dim < plan.parallel)
      for (int operand : instance.operands)
        v = v || varies[operand];
    varies[i] = v && !alignedSplit(static_cast<int>(i), dim);
  }
  return varies;
}

std::vector<Expr> GroupEmitter::undecided(int dim) const {
  std::vector<Expr> list;
  auto look = [&](const Affine &a) {
    if (dim < 0 || a.coefficients.empty())
      return;
    const Expr &c = a.coefficients[dim];
    if (isZeroOrOne(c) && std::find(list.begin(), list.end(), c) == list.end())
      list.push_back(c);
  };
  for (const Instance &instance : plan.instances)
    if (instance.kind == Kind::Load)
      look(instance.linear);
  return list;
}

PointEmitter GroupEmitter::point(const Site &site, bool vectors) const {
  PointEmitter p{e.b, e.loc, target};
  p.lanes = vectors ? lanes : 0;
  p.mask = vectors ? site.mask : Value();
  p.state = state;
  return p;
}

GroupEmitter::Address GroupEmitter::address(const Site &site, const Affine &affine) const {
  Address a{e.idx(0), 0, {}};
  for (size_t d = 0; d < affine.coefficients.size(); ++d) {
    const Expr &c = affine.coefficients[d];
    if (c.isConstant(0))
      continue;
    if (static_cast<int>(d) == site.laneDim)
      a.lane = assumeOne && isZeroOrOne(c) ? Expr(1) : c;
    if (site.iv[d])
      a.base = e.add(a.base, e.mul(site.iv[d], parameters.value(static_cast<int>(d) == site.laneDim ? a.lane : c)));
  }
  a.base = e.add(a.base, parameters.value(affine.offset));
  for (const Affine::Term &term : affine.terms) {
    Value index = site.values[term.instance];
    if (auto vector = dyn_cast<VectorType>(index.getType())) {
      Value factor = e.i64(parameters.value(term.coefficient));
      Value scaled =
          term.coefficient.isConstant(1)
              ? index
              : Value(e.b.create<arith::MulIOp>(e.loc, index, e.b.create<vector::SplatOp>(e.loc, vector, factor)));
      a.offsets = a.offsets ? Value(e.b.create<arith::AddIOp>(e.loc, a.offsets, scaled)) : scaled;
    } else {
      a.base = e.add(a.base, e.mul(index, parameters.value(term.coefficient)));
      if (plan.instances[term.instance].kind == Kind::ModIndex && alignedSplit(term.instance, site.laneDim))
        a.lane = a.lane + term.coefficient;
    }
  }
  return a;
}

Value GroupEmitter::indexVector(const Address &a) const {
  auto type = VectorType::get({lanes}, e.b.getI64Type());
  auto splat = [&](Value v) -> Value { return e.b.create<vector::SplatOp>(e.loc, type, e.i64(v)); };
  Value sum = splat(a.base);
  if (!a.lane.isConstant(0)) {
    SmallVector<int64_t> numbers;
    for (int64_t i = 0; i < lanes; ++i)
      numbers.push_back(i);
    Value steps = e.b.create<arith::ConstantOp>(e.loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
    if (!a.lane.isConstant(1))
      steps = e.b.create<arith::MulIOp>(e.loc, steps, splat(parameters.value(a.lane)));
    sum = e.b.create<arith::AddIOp>(e.loc, sum, steps);
  }
  return a.offsets ? Value(e.b.create<arith::AddIOp>(e.loc, sum, a.offsets)) : sum;
}

Value GroupEmitter::holds(Site &site, const Instance::Predicate &predicate, bool varies) {
  PointEmitter p = point(site, varies);
  Value all;
  for (const Instance::Bound &bound : predicate) {
    Address a = address(site, bound.index);
    Value extent = e.i64(parameters.value(bound.extent)), inside;
    if (varies && (!a.lane.isConstant(0) || a.offsets)) {
      Value index = indexVector(a);
      // One unsigned comparison: a negative index is a large one.
      inside = e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ult, index,
                                         e.b.create<vector::SplatOp>(e.loc, index.getType(), extent));
    } else {
      inside = e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ult, e.i64(a.base), extent);
      inside = p.splat(inside);
    }
    all = all ? Value(e.b.create<arith::AndIOp>(e.loc, all, inside)) : inside;
  }
  return all;
}

Value GroupEmitter::asked(Site &site, int id, bool varies) {
  const Instance &instance = plan.instances[id];
  PointEmitter p = point(site, varies);
  Value all = p.mask;
  auto also = [&](Value condition) { all = all ? e.both(all, condition) : condition; };
  if (Value inside = holds(site, instance.predicate, varies))
    also(inside);
  if (ahead[id])
    for (size_t d = static_cast<size_t>(plan.parallel); d < plan.domain.size(); ++d)
      if (auto extent = plan.domain[d].constant(); !extent || *extent <= 0)
        also(p.splat(e.less(e.idx(0), parameters.value(plan.domain[d]))));
  return all;
}

Value GroupEmitter::load(Site &site, Value pointer, DType type, const Affine &linear,
                         const Instance::Predicate &predicate, bool varies) {
  PointEmitter p = point(site, varies);
  Type scalar = memoryType(e.b.getContext(), type), memory = p.shaped(scalar);
  unsigned align = static_cast<unsigned>(byteSize(type));
  Value inside = holds(site, predicate, varies);
  Address a = address(site, linear);
  if (!varies) {
    auto read = [&]() -> Value {
      return e.b.create<LLVM::LoadOp>(e.loc, scalar, e.atType(scalar, pointer, a.base), align);
    };
    if (!inside)
      return fromMemory(p, read(), type);
    Value zero = e.b.create<arith::ConstantOp>(e.loc, scalar, e.b.getZeroAttr(scalar));
    Value value = e.choose(inside, [&] { return Values{read()}; }, [&] { return Values{zero}; })[0];
    return fromMemory(p, value, type);
  }
  if (a.lane.isConstant(0) && !a.offsets && !inside) {
    PointEmitter s = point(site, false);
    Value one = e.b.create<LLVM::LoadOp>(e.loc, scalar, e.atType(scalar, pointer, a.base), align);
    return p.splat(fromMemory(s, one, type));
  }
  Value mask = site.mask;
  if (inside)
    mask = mask ? Value(e.b.create<arith::AndIOp>(e.loc, mask, inside)) : inside;
  Value zero = e.b.create<arith::ConstantOp>(e.loc, memory, e.b.getZeroAttr(memory));
  if (a.lane.isConstant(1) && !a.offsets) {
    Value at = e.atType(scalar, pointer, a.base);
    if (!mask) {
      fetch(site, at, type, readAhead, false);
      return fromMemory(p, e.b.create<LLVM::LoadOp>(e.loc, memory, at, align), type);
    }
    return fromMemory(p, e.b.create<LLVM::MaskedLoadOp>(e.loc, memory, at, mask, ValueRange{zero}, align), type);
  }
  Type pointers = LLVM::getFixedVectorType(e.pointerType(), static_cast<unsigned>(lanes));
  Value at = e.b.create<LLVM::GEPOp>(e.loc, pointers, scalar, pointer, ArrayRef<LLVM::GEPArg>{indexVector(a)});
  if (!mask)
    mask =
        e.b.create<arith::ConstantOp>(e.loc, DenseElementsAttr::get(VectorType::get({lanes}, e.b.getI1Type()), true));
  Value read = e.b.create<LLVM::masked_gather>(e.loc, memory, at, mask, ValueRange{zero}, align);
  return fromMemory(p, read, type);
}

Value GroupEmitter::emitIndex(Site &site, int id, bool varies) {
  const Instance &instance = plan.instances[id];
  PointEmitter p = point(site, varies);
  Type type = p.shaped(e.b.getI64Type());
  Value extent = p.splat(e.i64(parameters.value(instance.extent)));
  auto c = [&](int64_t v) { return p.integer(DType::I64, v); };
  auto toIndex = [&](Value v) -> Value {
    return varies ? v : Value(e.b.create<arith::IndexCastOp>(e.loc, e.b.getIndexType(), v));
  };
  if (instance.kind == Kind::GatherIndex) {
    p.mask = asked(site, id, varies);
    Value index = site.values[instance.operands[0]];
    index = p.splat(index);
    if (index.getType() != type)
      index = e.b.create<arith::ExtSIOp>(e.loc, type, index);
    Value low = e.b.create<arith::SubIOp>(e.loc, c(0), extent);
    Value bad = e.b.create<arith::OrIOp>(e.loc, e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::slt, index, low),
                                         e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::sge, index, extent));
    p.fault(RunErrorIndex, bad, index, extent);
    Value negative = e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::slt, index, c(0));
    Value wrapped = p.select(negative, e.b.create<arith::AddIOp>(e.loc, index, extent), index);
    return toIndex(p.select(bad, c(0), wrapped)); // clamped: the run goes on to its end and then fails
  }
  Address a = address(site, instance.linear);
  bool aligned = instance.kind == Kind::DivIndex || instance.kind == Kind::ModIndex;
  Value index = varies ? indexVector(a) : e.i64(a.base);
  if (aligned && !varies) {
    Value divisor = parameters.value(instance.extent);
    return instance.kind == Kind::DivIndex ? e.div(a.base, divisor) : e.rem(a.base, divisor);
  }
  if (instance.kind == Kind::DivIndex)
    return e.b.create<arith::DivUIOp>(e.loc, index, extent);
  if (instance.kind == Kind::ModIndex)
    return e.b.create<arith::RemUIOp>(e.loc, index, extent);
  const std::string &mode = std::get<PadAttrs>(group.node(instance.value).attrs).mode;
  Value last = e.b.create<arith::SubIOp>(e.loc, extent, c(1));
  if (mode == "edge")
    return toIndex(e.b.create<arith::MinSIOp>(e.loc, e.b.create<arith::MaxSIOp>(e.loc, index, c(0)), last));
  auto modulo = [&](Value value, Value by) -> Value { // of any sign, into [0, by)
    Value rest = e.b.create<arith::RemSIOp>(e.loc, value, by);
    Value negative = e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::slt, rest, c(0));
    return p.select(negative, e.b.create<arith::AddIOp>(e.loc, rest, by), rest);
  };
  Value one = c(1);
  if (mode == "wrap")
    return toIndex(modulo(index, e.b.create<arith::MaxSIOp>(e.loc, extent, one)));
  Value period = e.b.create<arith::MaxSIOp>(e.loc, e.b.create<arith::MulIOp>(e.loc, last, c(2)), one);
  Value folded = modulo(index, period);
  Value beyond = e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::sgt, folded, last);
  return toIndex(p.select(beyond, e.b.create<arith::SubIOp>(e.loc, period, folded), folded));
}

static Value scalarConstant(const PointEmitter &p, const DenseTensor &value) {
  auto *bytes = static_cast<const char *>(value.data());
  auto as = [&]<class T>(T) {
    T v;
    std::memcpy(&v, bytes, sizeof v);
    return v;
  };
  switch (value.dtype()) {
  case DType::F32:
    return p.constant(DType::F32, as(float()));
  case DType::F64:
    return p.constant(DType::F64, as(double()));
  case DType::F16: {
    uint32_t h = as(uint16_t()), exponent = h >> 10 & 31, mantissa = h & 1023;
    double v = exponent == 31 ? (mantissa ? NAN : INFINITY)
               : exponent     ? std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25)
                              : std::ldexp(mantissa, -24);
    return p.constant(DType::F32, h >> 15 ? -v : v);
  }
  case DType::BF16: {
    uint32_t bits = uint32_t(as(uint16_t())) << 16;
    float v;
    std::memcpy(&v, &bits, 4);
    return p.constant(DType::F32, v);
  }
  case DType::I64:
  case DType::U64:
    return p.integer(value.dtype(), as(int64_t()));
  case DType::I32:
  case DType::U32:
    return p.integer(value.dtype(), as(int32_t()));
  case DType::I16:
  case DType::U16:
    return p.integer(value.dtype(), as(int16_t()));
  case DType::Bool:
    return p.integer(value.dtype(), as(int8_t()) != 0);
  default:
    return p.integer(value.dtype(), as(int8_t()));
  }
}

Value GroupEmitter::emitOne(Site &site, int id, bool varies) {
  const Instance &instance = plan.instances[id];
  PointEmitter p = point(site, varies);
  auto operand = [&](size_t i) { return p.splat(site.values[instance.operands[i]]); };
  switch (instance.kind) {
  case Kind::Load:
    return load(site, inputs[instance.value], group.type(instance.value).dtype, instance.linear, instance.predicate,
                varies);
  case Kind::Point: {
    const GroupNode &node = group.node(instance.value);
    SmallVector<Value> operands;
    for (size_t i = 0; i < instance.operands.size(); ++i) {
      operands.push_back(operand(i));
      p.in.push_back(group.type(node.operands[i]).dtype);
    }
    p.out = node.type.dtype;
    p.mask = asked(site, id, varies);
    p.secondIsNumber = instance.operands.size() == 2 && !numbers.empty() && numbers[instance.operands[1]];
    p.notPositive = !notPositive.empty() && notPositive[id];
    return p.rounded(pointwiseEmit(node.op)(p, node.op, node.attrs, operands), p.out);
  }
  case Kind::Constant:
    return scalarConstant(p, std::get<ConstantAttrs>(group.node(instance.value).attrs).value);
  case Kind::Extent:
    return e.i64(parameters.value(std::get<ExtentsAttrs>(group.node(instance.value).attrs).values[0]));
  case Kind::Iota: {
    Address a = address(site, instance.linear);
    Value index = varies ? indexVector(a) : e.i64(a.base);
    DType type = group.type(instance.value).dtype;
    Type to = p.typeOf(type);
    if (isFloat(type))
      return p.rounded(e.b.create<arith::SIToFPOp>(e.loc, to, index), type);
    return to == index.getType() ? index : Value(e.b.create<arith::TruncIOp>(e.loc, to, index));
  }
  case Kind::Choose: {
    Value value = operand(instance.choices.size());
    for (size_t i = instance.choices.size(); i-- > 0;)
      value = p.select(holds(site, instance.choices[i], varies), operand(i), value);
    return value;
  }
  default:
    return emitIndex(site, id, varies);
  }
}

void GroupEmitter::emit(Site &site, const std::vector<int> &instances, const std::vector<bool> &varies) {
  site.values.resize(plan.instances.size());
  for (int id : instances)
    if (!site.values[id])
      site.values[id] = emitOne(site, id, site.laneDim >= 0 && varies[id]);
}

void GroupEmitter::storeValue(Site &site, const Schedule::Store &store, Value value, bool varies) {
  DType type = group.type(group.outputs[store.output].value).dtype;
  PointEmitter p = point(site, varies);
  Type scalar = memoryType(e.b.getContext(), type);
  unsigned align = static_cast<unsigned>(byteSize(type));
  Value raw = toMemory(p, p.splat(value), type);
  Address a = address(site, store.linear);
  Value pointer = outputs[store.output];
  if (!varies) {
    e.b.create<LLVM::StoreOp>(e.loc, raw, e.atType(scalar, pointer, a.base), align);
    return;
  }
  // A remainder along aligned lanes is contiguous from its value at lane 0 on.
  if (a.lane.isConstant(1) && !a.offsets) {
    Value at = e.atType(scalar, pointer, a.base);
    const bool past = streams && canStream(store);
    if (site.mask) {
      e.b.create<LLVM::MaskedStoreOp>(e.loc, raw, at, site.mask, align);
      return;
    }
    if (!past)
      fetch(site, at, type, writeAhead, true);
    e.b.create<LLVM::StoreOp>(e.loc, raw, at, past ? streamAlign(store) : align, /*isVolatile=*/false, past);
    return;
  }
  Type pointers = LLVM::getFixedVectorType(e.pointerType(), static_cast<unsigned>(lanes));
  Value at = e.b.create<LLVM::GEPOp>(e.loc, pointers, scalar, pointer, ArrayRef<LLVM::GEPArg>{indexVector(a)});
  Value mask = site.mask ? site.mask
                         : Value(e.b.create<arith::ConstantOp>(
                               e.loc, DenseElementsAttr::get(VectorType::get({lanes}, e.b.getI1Type()), true)));
  e.b.create<LLVM::masked_scatter>(e.loc, raw, at, mask, align);
}

void GroupEmitter::store(Site &site, const Schedule::Store &store, const std::vector<bool> &varies) {
  bool along = site.laneDim >= 0 && (varies[store.instance] || this->varies(store.linear, site.laneDim, varies));
  storeValue(site, store, site.values[store.instance], along);
}

void GroupEmitter::fetch(const Site &site, Value at, DType type, int64_t bytes, bool toWrite) const {
  constexpr int64_t line = 64;
  if (bytes && site.number * lanes * static_cast<int64_t>(byteSize(type)) % line == 0)
    e.prefetch(e.atType(e.b.getI8Type(), at, e.idx(bytes)), 3, toWrite);
}

/// Of a register, or of less where a vector of the output's elements is less.
unsigned GroupEmitter::streamAlign(const Schedule::Store &store) const {
  const size_t bytes = static_cast<size_t>(lanes) * byteSize(group.type(group.outputs[store.output].value).dtype);
  return static_cast<unsigned>(std::min<size_t>(bytes, target.vectorBits / 8));
}

/// There are such stores of 16, 32 and 64 bytes.
bool GroupEmitter::canStream(const Schedule::Store &store) const {
  return store.linear.terms.empty() && streamAlign(store) >= 16;
}

Value GroupEmitter::isAligned(const Site &site, const Schedule::Store &store) const {
  Type scalar = memoryType(e.b.getContext(), group.type(group.outputs[store.output].value).dtype),
       i64 = e.b.getI64Type();
  auto c = [&](int64_t v) { return e.b.create<arith::ConstantOp>(e.loc, e.b.getI64IntegerAttr(v)); };
  Value at = e.b.create<LLVM::PtrToIntOp>(e.loc, i64,
                                          e.atType(scalar, outputs[store.output], address(site, store.linear).base));
  Value below = e.b.create<arith::AndIOp>(e.loc, at, c(streamAlign(store) - 1));
  return e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::eq, below, c(0));
}

Value GroupEmitter::apart(int input, int output) const {
  Type i64 = e.b.getI64Type();
  Value a = e.b.create<LLVM::PtrToIntOp>(e.loc, i64, inputs[input]);
  Value b = e.b.create<LLVM::PtrToIntOp>(e.loc, i64, outputs[output]);
  return e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ne, a, b);
}

Type GroupEmitter::storedType(int load) const {
  return VectorType::get({lanes}, memoryType(e.b.getContext(), group.type(plan.instances[load].value).dtype));
}

Value GroupEmitter::loadStored(const Site &site, int load) {
  const Instance &instance = plan.instances[load];
  const DType type = group.type(instance.value).dtype;
  const auto align = static_cast<unsigned>(byteSize(type));
  Type vector = storedType(load);
  Value at = e.atType(memoryType(e.b.getContext(), type), inputs[instance.value], address(site, instance.linear).base);
  if (!site.mask)
    return e.b.create<LLVM::LoadOp>(e.loc, vector, at, align);
  Value zero = e.b.create<arith::ConstantOp>(e.loc, vector, e.b.getZeroAttr(vector));
  return e.b.create<LLVM::MaskedLoadOp>(e.loc, vector, at, site.mask, ValueRange{zero}, align);
}

Value GroupEmitter::fromStored(const Site &site, int load, Value stored) const {
  return fromMemory(point(site, true), stored, group.type(plan.instances[load].value).dtype);
}

Value GroupEmitter::reload(Site &site, const Schedule::Store &store, bool varies) {
  return load(site, outputs[store.output], group.type(group.outputs[store.output].value).dtype, store.linear, {},
              varies);
}

} // namespace pliant::codegen
