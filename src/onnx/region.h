// SPDX-License-Identifier: Apache-2.0
// A region of an `if` or a loop while it is built, and what its builders share.
#pragma once
#include "onnx/importer.h"

namespace pliant::onnx_import {

inline const ::onnx::GraphProto *graphOf(const ::onnx::NodeProto &node, std::string_view name) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name && attribute.has_g())
      return &attribute.g();
  return nullptr;
}
inline std::string typeText(const Item &item, const ir::IrBuilder &b) {
  return item.list ? item.list->type.str() : b.type(item.value).str();
}
inline bool isOneBool(const ir::IrBuilder &b, Value v) {
  return b.dtype(v) == DType::Bool && product(b.shape(v)).isConstant(1);
}

/// What is imported between `enter` and `leave` goes into the region: values made there are in scope, and facts hold,
/// only there. A region starts entered.
struct Importer::Region {
  Importer &importer;
  std::unique_ptr<mlir::Region> region = std::make_unique<mlir::Region>();
  mlir::Location place;

  explicit Region(Importer &i)
      : importer(i), place(i.builder->location()),
        other{i.builder->builder().saveInsertionPoint(), i.facts, i.placeOfFact, {}} {
    i.builder->builder().setInsertionPointToStart(&region->emplaceBlock());
    i.scopes.emplace_back();
  }
  Region(const Region &) = delete;
  Region &operator=(const Region &) = delete;
  ~Region() {
    if (inside)
      leave();
  }
  void enter() {
    exchange();
    importer.scopes.push_back(std::move(other.scope));
  }
  void leave() {
    other.scope = std::move(importer.scopes.back());
    importer.scopes.pop_back();
    exchange();
    importer.builder->at(place);
  }
  mlir::Block &block() { return region->front(); }
  const Scope &scope() const { return other.scope; } ///< when left

  /// The region's ops go to where the importer is, and its facts hold there.
  void inlineHere() {
    mlir::OpBuilder &b = importer.builder->builder();
    b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(), block().getOperations());
    importer.facts = std::move(other.facts);
    importer.placeOfFact = std::move(other.placeOfFact);
  }

private:
  struct State {
    mlir::OpBuilder::InsertPoint at;
    Facts facts;
    std::vector<std::string> placeOfFact;
    Scope scope; ///< of the region, when left
  } other;       ///< outside while inside, and the reverse
  bool inside = true;

  void exchange() {
    mlir::OpBuilder &b = importer.builder->builder();
    mlir::OpBuilder::InsertPoint here = b.saveInsertionPoint();
    b.restoreInsertionPoint(other.at);
    other.at = here;
    std::swap(importer.facts, other.facts);
    importer.placeOfFact.swap(other.placeOfFact);
    inside = !inside;
  }
};

} // namespace pliant::onnx_import
