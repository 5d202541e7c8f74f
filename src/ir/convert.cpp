// SPDX-License-Identifier: Apache-2.0
// Types and attributes between MLIR and the MLIR-free layers.
#include "ir/convert.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace pliant::ir {

Type elementType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::Bool:
    return IntegerType::get(context, 1);
  case DType::String:
    return StringType::get(context);
  default:
    return IntegerType::get(context, static_cast<unsigned>(byteSize(type)) * 8,
                            isUnsigned(type) ? IntegerType::Unsigned : IntegerType::Signless);
  }
}

std::optional<DType> dtypeOf(Type element) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(lastDType); ++i)
    if (element == elementType(element.getContext(), static_cast<DType>(i)))
      return static_cast<DType>(i);
  return std::nullopt;
}

ShapeAttr toMlir(MLIRContext *context, const Extents &extents) {
  SmallVector<StringAttr> texts;
  for (const Expr &extent : extents)
    texts.push_back(StringAttr::get(context, extent.str()));
  return ShapeAttr::get(context, texts);
}

Extents fromMlir(ShapeAttr attr) {
  Extents extents;
  for (StringAttr text : attr.getExtents()) {
    auto expr = Expr::parse(text.getValue());
    extents.push_back(expr ? *expr : Expr());
  }
  return extents;
}

RankedTensorType toMlir(MLIRContext *context, const TensorType &type) {
  SmallVector<int64_t> dims;
  bool symbolic = false;
  for (const Expr &extent : type.shape) {
    auto constant = extent.constant();
    symbolic |= !constant;
    dims.push_back(constant && *constant >= 0 ? *constant : ShapedType::kDynamic);
  }
  Attribute encoding = symbolic ? toMlir(context, type.shape) : ShapeAttr();
  return RankedTensorType::get(dims, elementType(context, type.dtype), encoding);
}

Result<TensorType> fromMlir(Type type, const std::string &hint) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto dtype = tensor ? dtypeOf(tensor.getElementType()) : std::nullopt;
  if (!dtype)
    return userError("type", "not a ranked tensor of a known element type");
  TensorType result{*dtype, {}};
  if (auto shape = dyn_cast_or_null<ShapeAttr>(tensor.getEncoding())) {
    result.shape = fromMlir(shape);
    if (result.rank() != tensor.getRank())
      return userError("type", "the symbolic shape has " + std::to_string(result.rank()) + " entries for rank " +
                                   std::to_string(tensor.getRank()));
    for (int64_t i = 0; i < tensor.getRank(); ++i)
      if (!tensor.isDynamicDim(i) && !result.shape[i].isConstant(tensor.getDimSize(i)))
        return userError("type", "axis " + std::to_string(i) + " is " + std::to_string(tensor.getDimSize(i)) +
                                     " but its symbolic extent is " + result.shape[i].str());
    return result;
  }
  for (int64_t i = 0; i < tensor.getRank(); ++i)
    result.shape.push_back(tensor.isDynamicDim(i) ? Expr::symbol(hint + "." + std::to_string(i))
                                                  : Expr(tensor.getDimSize(i)));
  return result;
}

Result<ListInfo> fromMlir(ListType type, Attribute kind) {
  ListInfo list;
  if (auto number = dyn_cast_or_null<IntegerAttr>(kind))
    list.kind = static_cast<ListInfo::Kind>(number.getInt());
  list.dtype = dtypeOf(cast<ShapedType>(type.getElement()).getElementType()).value_or(DType::F32);
  if (isa<RankedTensorType>(type.getElement())) {
    PLIANT_TRY(TensorType element, fromMlir(type.getElement()));
    list.shape = element.shape;
  }
  return list;
}

DenseElementsAttr toMlir(MLIRContext *context, const DenseTensor &tensor) {
  auto type = RankedTensorType::get(tensor.dims(), elementType(context, tensor.dtype()));
  if (tensor.dtype() == DType::String) {
    SmallVector<StringRef> texts;
    for (int64_t i = 0; i < tensor.size(); ++i)
      texts.push_back(tensor.text(i));
    return DenseStringElementsAttr::get(type, texts);
  }
  ArrayRef<char> bytes(static_cast<const char *>(tensor.data()), tensor.bytes());
  if (tensor.dtype() != DType::Bool)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> bits; // MLIR packs i1
  for (char byte : bytes)
    bits.push_back(byte != 0);
  return DenseElementsAttr::get(type, bits);
}

Result<DenseTensor> fromMlir(ElementsAttr attr) {
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  PLIANT_TRY(TensorType type, fromMlir(attr.getType()));
  std::vector<int64_t> dims(attr.getShapedType().getShape());
  if (auto texts = dyn_cast<DenseStringElementsAttr>(attr)) {
    PLIANT_TRY(int64_t count, elementCount(dims));
    std::vector<std::string> list;
    for (int64_t i = 0; i < count; ++i)
      list.push_back(texts.getRawStringData()[texts.isSplat() ? 0 : static_cast<size_t>(i)].str());
    return DenseTensor::ofStrings(dims, std::move(list));
  }
  PLIANT_TRY(DenseTensor tensor, DenseTensor::allocate(type.dtype, dims));
  if (!dense)
    return userError("constant", "only dense constants are known");
  if (type.dtype == DType::Bool) {
    uint8_t *out = tensor.as<uint8_t>();
    for (bool bit : dense.getValues<bool>())
      *out++ = bit;
  } else if (dense.isSplat()) {
    for (int64_t i = 0; i < tensor.size(); ++i)
      std::memcpy(tensor.as<char>() + i * byteSize(type.dtype), dense.getRawData().data(), byteSize(type.dtype));
  } else if (tensor.bytes()) {
    std::memcpy(tensor.data(), dense.getRawData().data(), tensor.bytes());
  }
  return tensor;
}

std::optional<OpId> opIdOf(Operation *op) {
  StringRef full = op->getName().getStringRef();
  if (!full.consume_front("pliant."))
    return std::nullopt;
  return opFromName(full);
}

std::string placeOf(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getName().str();
  if (auto line = dyn_cast<FileLineColLoc>(loc))
    return line.getFilename().str() + ":" + std::to_string(line.getLine());
  if (auto fused = dyn_cast<FusedLoc>(loc); fused && !fused.getLocations().empty())
    return placeOf(fused.getLocations().front());
  return {};
}

} // namespace pliant::ir
