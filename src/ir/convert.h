// SPDX-License-Identifier: Apache-2.0
// Between MLIR's types and attributes and the MLIR-free ones of src/shape and src/ops.
#pragma once
#include "ir/dialect.h"
#include "mlir/IR/Builders.h"
#include "ops/op.h"
#include "shape/list_type.h"

namespace pliant::ir {

mlir::Type elementType(mlir::MLIRContext *context, DType type);
std::optional<DType> dtypeOf(mlir::Type element);

/// `tensor<?x64xf32, #pliant.shape<"B", "64">>`; no encoding when every extent is constant.
mlir::RankedTensorType toMlir(mlir::MLIRContext *context, const TensorType &type);
/// The inverse. A `?` without an encoding gets a symbol of its own from `hint`.
Result<TensorType> fromMlir(mlir::Type type, const std::string &hint = "?");

/// The same of a list; `kind` is the attribute of the argument or result that it is.
Result<ListInfo> fromMlir(ListType type, mlir::Attribute kind);

ShapeAttr toMlir(mlir::MLIRContext *context, const Extents &extents);
Extents fromMlir(ShapeAttr attr); ///< verified when built, so it always parses

/// Dense constant from a concrete tensor and back.
mlir::DenseElementsAttr toMlir(mlir::MLIRContext *context, const DenseTensor &tensor);
Result<DenseTensor> fromMlir(mlir::ElementsAttr attr);

/// Identity and attributes of one of our ops; nothing for control flow and foreign ops.
std::optional<OpId> opIdOf(mlir::Operation *op);
Attrs attrsOf(mlir::Operation *op, OpId id);                                        // generated
void writeAttrs(mlir::OpBuilder &b, mlir::NamedAttrList &list, const Attrs &attrs); // generated

/// "node name" or "file:line" of a location, for messages and kernel names.
std::string placeOf(mlir::Location loc);

} // namespace pliant::ir
