// SPDX-License-Identifier: Apache-2.0
// Which ops declare symbols and which name them.
#include "ir/symbols.h"
#include "ir/convert.h"

using namespace mlir;

namespace pliant::ir {

Extents declaredBy(Operation *op) {
  for (const char *attribute : {"declares", "symbols"})
    if (auto shape = op->getAttrOfType<ShapeAttr>(attribute))
      return fromMlir(shape);
  return {};
}

SymbolUses::SymbolUses(Block &block) {
  for (Operation &op : block)
    for (const Expr &symbol : declaredBy(&op))
      if (auto name = symbol.symbolName())
        makers[*name] = &op;
}

void SymbolUses::collect(Attribute shape, SmallVectorImpl<Operation *> &out) {
  auto list = dyn_cast_or_null<ShapeAttr>(shape);
  if (!list)
    return;
  auto [at, fresh] = byShape.try_emplace(list);
  if (fresh)
    for (const Expr &e : fromMlir(list))
      for (const std::string &symbol : e.symbols())
        if (auto found = makers.find(symbol); found != makers.end() && !llvm::is_contained(at->second, found->second))
          at->second.push_back(found->second);
  for (Operation *maker : at->second)
    if (!llvm::is_contained(out, maker))
      out.push_back(maker);
}

ArrayRef<Operation *> SymbolUses::of(Operation *op) {
  if (makers.empty())
    return {};
  auto [at, fresh] = byOp.try_emplace(op);
  if (!fresh)
    return at->second;
  SmallVector<Operation *> found;
  op->walk([&](Operation *inner) {
    for (const NamedAttribute &attribute : inner->getAttrs())
      collect(attribute.getValue(), found);
    for (Type type : inner->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        collect(tensor.getEncoding(), found);
  });
  llvm::erase(found, op);
  return byOp[op] = std::move(found);
}

} // namespace pliant::ir
