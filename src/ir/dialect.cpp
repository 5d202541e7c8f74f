// SPDX-License-Identifier: Apache-2.0
// Registration of the dialect, text of #pliant.shape, and the verifier that all ops share.
#include "ir/dialect.h"
#include "ir/convert.h"
#include "ir/facts.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ir/dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/types.cpp.inc"
#define GET_OP_CLASSES
#include "ir/ops.cpp.inc"

namespace pliant::ir {

void PliantDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/attrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/ops.cpp.inc"
      >();
}

LogicalResult PliantDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != "pliant.facts")
    return success();
  auto facts = outsideFacts(op);
  return facts ? success() : op->emitOpError(facts.error().text());
}

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> extents;
  auto parseOne = [&]() -> ParseResult {
    std::string text;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseString(&text))
      return failure();
    auto expr = Expr::parse(text);
    if (!expr)
      return parser.emitError(place, expr.error().text());
    extents.push_back(StringAttr::get(parser.getContext(), expr->str()));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseOne))
    return {};
  return get(parser.getContext(), extents);
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getExtents(), printer, [&](StringAttr extent) { printer << '"' << extent.getValue() << '"'; });
  printer << ">";
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

/// The host reads one byte of it.
static LogicalResult verifyCondition(Operation *op, mlir::Value condition) {
  auto type = fromMlir(condition.getType());
  if (type && type->dtype == DType::Bool && product(type->shape).isConstant(1))
    return success();
  return op->emitOpError("needs one bool as its condition, not ") << (type ? type->str() : type.error().text());
}
LogicalResult IfOp::verify() { return verifyCondition(*this, getCondition()); }
LogicalResult GuardOp::verify() { return verifyCondition(*this, getCondition()); }

LogicalResult LoopOp::verify() {
  Block &body = getBody().front();
  auto *yield = body.getTerminator();
  const size_t carried = getInitial().size(), condition = yield->getNumOperands() - getNumResults();
  if (getTrips().getExtents().size() > 1 || getIteration().getExtents().size() != 1)
    return emitOpError("needs one iteration number and at most one number of trips");
  if (body.getNumArguments() != carried || getNumResults() < carried || condition > 1)
    return emitOpError("carries ") << carried << " values, but its region takes " << body.getNumArguments()
                                   << " and yields " << yield->getNumOperands() << " for " << getNumResults()
                                   << " results";
  auto agree = [&](Type a, Type b) { // extents may differ from trip to trip, nothing else
    auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
    return x && y ? x.getElementType() == y.getElementType() && x.getRank() == y.getRank()
                  : isa<ListType>(a) && isa<ListType>(b);
  };
  for (size_t k = 0; k < carried; ++k) {
    Type argument = body.getArgument(k).getType();
    if (!agree(getInitial()[k].getType(), argument) || !agree(yield->getOperand(k + condition).getType(), argument) ||
        !agree(getResult(k).getType(), argument))
      return emitOpError("changes the element type or rank of carried value ") << k;
  }
  return success();
}

LogicalResult verifyByRule(Operation *op) {
  auto id = opIdOf(op);
  if (!id)
    return success();
  std::vector<TensorType> operands;
  for (Type type : op->getOperandTypes()) {
    auto converted = fromMlir(type);
    if (!converted)
      return op->emitOpError(converted.error().text());
    operands.push_back(std::move(*converted));
  }
  Facts facts;
  auto results = inferTypes(*id, attrsOf(op, *id), operands, facts);
  if (!results)
    return op->emitOpError(results.error().text());
  if (results->size() != op->getNumResults())
    return op->emitOpError("has ") << op->getNumResults() << " results, its rule gives " << results->size();
  for (auto [result, inferred] : llvm::zip(op->getResultTypes(), *results)) {
    auto declared = fromMlir(result);
    if (!declared)
      return op->emitOpError(declared.error().text());
    bool fits = declared->dtype == inferred.dtype && declared->rank() == inferred.rank();
    for (int64_t i = 0; fits && i < inferred.rank(); ++i)
      fits = facts.equal(declared->shape[i], inferred.shape[i]) != Proof::No;
    if (!fits)
      return op->emitOpError("result is declared ") << declared->str() << " but its rule gives " << inferred.str();
  }
  return success();
}

} // namespace pliant::ir
