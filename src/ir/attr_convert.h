// SPDX-License-Identifier: Apache-2.0
// Reads and writes of single attributes, called by the generated table.
#pragma once
#include "ir/convert.h"

namespace pliant::ir {

inline int64_t readInt(mlir::Operation *op, llvm::StringRef name) {
  return llvm::cast<mlir::IntegerAttr>(op->getAttr(name)).getInt();
}
inline double readFloat(mlir::Operation *op, llvm::StringRef name) {
  return llvm::cast<mlir::FloatAttr>(op->getAttr(name)).getValueAsDouble();
}
inline bool readBool(mlir::Operation *op, llvm::StringRef name) {
  return llvm::cast<mlir::BoolAttr>(op->getAttr(name)).getValue();
}
inline std::string readString(mlir::Operation *op, llvm::StringRef name) {
  return llvm::cast<mlir::StringAttr>(op->getAttr(name)).str();
}
inline std::vector<int64_t> readInts(mlir::Operation *op, llvm::StringRef name) {
  return llvm::cast<mlir::DenseI64ArrayAttr>(op->getAttr(name)).asArrayRef().vec();
}
inline std::vector<double> readFloats(mlir::Operation *op, llvm::StringRef name) {
  return llvm::cast<mlir::DenseF64ArrayAttr>(op->getAttr(name)).asArrayRef().vec();
}
inline Extents readExprs(mlir::Operation *op, llvm::StringRef name) {
  return fromMlir(llvm::cast<ShapeAttr>(op->getAttr(name)));
}
inline DType readType(mlir::Operation *op, llvm::StringRef name) {
  return *dtypeOf(llvm::cast<mlir::TypeAttr>(op->getAttr(name)).getValue());
}
inline DenseTensor readTensor(mlir::Operation *op, llvm::StringRef name) {
  auto tensor = fromMlir(llvm::cast<mlir::ElementsAttr>(op->getAttr(name)));
  return tensor ? *tensor : DenseTensor();
}

inline void writeInt(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name, int64_t value) {
  list.set(name, b.getI64IntegerAttr(value));
}
inline void writeFloat(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name, double value) {
  list.set(name, b.getF64FloatAttr(value));
}
inline void writeBool(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name, bool value) {
  list.set(name, b.getBoolAttr(value));
}
inline void writeString(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name, const std::string &value) {
  list.set(name, b.getStringAttr(value));
}
inline void writeInts(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name,
                      const std::vector<int64_t> &value) {
  list.set(name, b.getDenseI64ArrayAttr(value));
}
inline void writeFloats(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name,
                        const std::vector<double> &value) {
  list.set(name, b.getDenseF64ArrayAttr(value));
}
inline void writeExprs(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name, const Extents &value) {
  list.set(name, toMlir(b.getContext(), value));
}
inline void writeType(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name, DType value) {
  list.set(name, mlir::TypeAttr::get(elementType(b.getContext(), value)));
}
inline void writeTensor(mlir::OpBuilder &b, mlir::NamedAttrList &list, llvm::StringRef name, const DenseTensor &value) {
  list.set(name, toMlir(b.getContext(), value));
}

} // namespace pliant::ir
