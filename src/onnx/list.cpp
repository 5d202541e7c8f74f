// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals of ONNX. While the number of elements is known they are only names for tensors; a list that
// leaves that, through a loop, a branch or a position read at run time, becomes a value of the host flow.
#include "onnx/importer.h"

using namespace mlir;

namespace pliant::onnx_import {
namespace {

const ::onnx::AttributeProto *attributeOf(const ::onnx::NodeProto &node, std::string_view name) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}
int64_t intOf(const ::onnx::NodeProto &node, std::string_view name, int64_t otherwise) {
  auto *attribute = attributeOf(node, name);
  return attribute ? attribute->i() : otherwise;
}

/// The element at a known position of a known list; nothing when it is out of range.
std::optional<size_t> placeIn(int64_t position, size_t places) {
  const auto count = static_cast<int64_t>(places);
  position += position < 0 ? count : 0;
  return position < 0 || position >= count ? std::nullopt : std::optional(static_cast<size_t>(position));
}

constexpr int64_t partsLimit = 256; ///< a tensor is split into at most so many parts one by one

} // namespace

bool Importer::isListOp(const std::string &op) {
  static const std::set<std::string> ops{"SequenceEmpty", "SequenceConstruct",  "SequenceInsert",
                                         "SequenceErase", "SequenceAt",         "SequenceLength",
                                         "SequenceMap",   "ConcatFromSequence", "SplitToSequence",
                                         "Optional",      "OptionalGetElement", "OptionalHasElement"};
  return ops.contains(op);
}

bool Importer::takesList(const ::onnx::NodeProto &node) const {
  return isListOp(node.op_type()) || (node.op_type() == "Identity" && input(node, 0).list);
}

mlir::Type Importer::toMlir(const ListInfo &type) {
  Type element = ir::elementType(&context, type.dtype);
  if (!type.shape)
    return ir::ListType::get(&context, UnrankedTensorType::get(element));
  return ir::ListType::get(&context, ir::toMlir(&context, TensorType{type.dtype, *type.shape}));
}

/// The type that a graph input declares. Names of extents stand for each element's own.
Result<ListInfo> Importer::listType(const ::onnx::TypeProto &type, bool symbolic) {
  ListInfo list;
  const ::onnx::TypeProto *element = &type;
  const bool optional = type.has_optional_type();
  if (optional) {
    list.kind = ListInfo::Kind::Optional;
    element = &type.optional_type().elem_type();
  }
  if (element->has_sequence_type()) {
    list.kind = optional ? ListInfo::Kind::OptionalSequence : ListInfo::Kind::Sequence;
    element = &element->sequence_type().elem_type();
  }
  if (!element->has_tensor_type())
    return userError("import", "it is no tensor, and no sequence or optional of tensors; it is not supported");
  const auto &tensor = element->tensor_type();
  PLIANT_TRY(list.dtype, onnx_file::dtypeOf(tensor.elem_type()));
  if (!tensor.has_shape())
    return list;
  list.shape.emplace();
  for (const auto &dim : tensor.shape().dim())
    list.shape->push_back(dim.has_dim_value() && dim.dim_value() >= 0 && !symbolic ? Expr(dim.dim_value())
                                                                                   : ListInfo::varies());
  return list;
}

Result<mlir::Value> Importer::made(const List &list) {
  if (list.made)
    return list.made;
  OpBuilder &b = builder->builder();
  SmallVector<mlir::Value> items;
  if (list.items)
    for (Value v : *list.items)
      items.push_back(builder->ssa(v));
  return mlir::Value(b.create<ir::ListMakeOp>(builder->location(), toMlir(list.type), items, !list.absent).getResult());
}

/// The position that input i gives: one integer, or none for the end.
Extents Importer::position(const ::onnx::NodeProto &node, int i) {
  Value v = input(node, i).value;
  if (!v)
    return {};
  if (!isInteger(builder->dtype(v)) || !product(builder->shape(v)).isConstant(1)) {
    builder->fail(userError(node.op_type(), "the position is " + builder->type(v).str() + ", not one integer"));
    return {};
  }
  constexpr int64_t most = int64_t(1) << 47;
  return builder->bind(v, {-most, most}, "position");
}

Result<Value> Importer::at(const std::string &place, const List &list, const Extents &position) {
  if (list.items && position.size() == 1)
    if (auto constant = position[0].constant()) {
      auto found = placeIn(*constant, list.items->size());
      if (!found)
        return userError("SequenceAt", "position " + std::to_string(*constant) + " is out of range for " +
                                           std::to_string(list.items->size()) + " elements");
      return (*list.items)[*found];
    }
  if (!list.type.shape)
    return userError("SequenceAt", "the rank of the element is not known: the list is a " + list.type.str(), "",
                     "declare the rank of the elements of sequence inputs; give all elements one rank");
  PLIANT_TRY(mlir::Value value, made(list));
  TensorType type{list.type.dtype, *list.type.shape};
  Extents declared;
  for (Expr &extent : type.shape)
    if (extent == ListInfo::varies())
      declared.push_back(extent = fresh(region(place.c_str()) + ".extent"));
  auto op = builder->builder().create<ir::ListAtOp>(builder->location(), ir::toMlir(&context, type), value,
                                                    ir::toMlir(&context, position), ir::toMlir(&context, declared));
  return builder->adopt(op.getResult(), type);
}

Result<Expr> Importer::length(const std::string &place, const List &list) {
  if (list.items)
    return Expr(static_cast<int64_t>(list.items->size()));
  PLIANT_TRY(mlir::Value value, made(list));
  Expr symbol = fresh(region(place.c_str()) + ".length");
  builder->builder().create<ir::ListLengthOp>(builder->location(), value, ir::toMlir(&context, {symbol}));
  return symbol;
}

Result<List> Importer::insert(const List &list, Value item, const Extents &position) {
  const TensorType &type = builder->type(item);
  if (type.dtype != list.type.dtype)
    return userError("SequenceInsert",
                     "a tensor of " + std::string(name(type.dtype)) + " is put into a " + list.type.str());
  const ListInfo single{ListInfo::Kind::Sequence, type.dtype, type.shape};
  ListInfo both = join(list.type, single);
  auto constant = position.empty() ? std::nullopt : position[0].constant();
  if (list.items && (position.empty() || constant)) {
    List out{both, list.items, false, {}};
    size_t place = out.items->size();
    if (constant) {
      const auto count = static_cast<int64_t>(place);
      const int64_t from = *constant < 0 ? *constant + count : *constant;
      if (from < 0 || from > count)
        return userError("SequenceInsert", "position " + std::to_string(*constant) + " is out of range for " +
                                               std::to_string(count) + " elements");
      place = static_cast<size_t>(from);
    }
    out.items->insert(out.items->begin() + static_cast<std::ptrdiff_t>(place), item);
    return out;
  }
  PLIANT_TRY(mlir::Value value, made(list));
  auto op = builder->builder().create<ir::ListInsertOp>(builder->location(), toMlir(both), value, builder->ssa(item),
                                                        ir::toMlir(&context, position));
  return dynamic(both, op.getResult());
}

Result<List> Importer::erase(const List &list, const Extents &position) {
  auto constant = position.empty() ? std::optional<int64_t>(-1) : position[0].constant();
  if (list.items && constant) {
    auto found = placeIn(*constant, list.items->size());
    if (!found)
      return userError("SequenceErase", "position " + std::to_string(*constant) + " is out of range for " +
                                            std::to_string(list.items->size()) + " elements");
    List out = list;
    out.items->erase(out.items->begin() + static_cast<std::ptrdiff_t>(*found));
    return out;
  }
  PLIANT_TRY(mlir::Value value, made(list));
  auto op = builder->builder().create<ir::ListEraseOp>(builder->location(), toMlir(list.type), value,
                                                       ir::toMlir(&context, position));
  return dynamic(list.type, op.getResult());
}

Result<Value> Importer::concat(const ::onnx::NodeProto &node, const List &list) {
  const bool newAxis = intOf(node, "new_axis", 0) != 0;
  if (!attributeOf(node, "axis"))
    return userError("ConcatFromSequence", "the attribute axis is missing");
  int64_t axis = intOf(node, "axis", 0);
  if (list.items && !list.items->empty()) {
    std::vector<Value> parts = *list.items;
    const int64_t rank = builder->rank(parts[0]) + newAxis;
    if (axis < -rank || axis >= rank)
      return userError("ConcatFromSequence",
                       "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
    axis += axis < 0 ? rank : 0;
    if (newAxis)
      for (Value &part : parts) {
        Extents shape = builder->shape(part);
        shape.insert(shape.begin() + std::min<std::ptrdiff_t>(axis, static_cast<std::ptrdiff_t>(shape.size())), 1);
        part = builder->reshape(part, shape);
      }
    return parts.size() == 1 ? parts[0] : builder->concat(parts, axis);
  }
  if (!list.type.shape)
    return userError("ConcatFromSequence", "the rank of the elements is not known: the list is a " + list.type.str());
  TensorType type{list.type.dtype, *list.type.shape};
  const int64_t rank = type.rank() + newAxis;
  if (axis < -rank || axis >= rank)
    return userError("ConcatFromSequence",
                     "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  axis += axis < 0 ? rank : 0;
  if (newAxis)
    type.shape.insert(type.shape.begin() + axis, ListInfo::varies());
  else
    type.shape[axis] = ListInfo::varies();
  Extents declared;
  for (Expr &extent : type.shape)
    if (extent == ListInfo::varies())
      declared.push_back(extent = fresh(region("concat") + ".extent"));
  PLIANT_TRY(mlir::Value value, made(list));
  auto op = builder->builder().create<ir::ListConcatOp>(builder->location(), ir::toMlir(&context, type), value, axis,
                                                        newAxis, ir::toMlir(&context, declared));
  return builder->adopt(op.getResult(), type);
}

Result<List> Importer::split(const ::onnx::NodeProto &node, Value x) {
  ir::IrBuilder &b = *builder;
  const TensorType type = b.type(x);
  const int64_t rank = type.rank();
  int64_t axis = intOf(node, "axis", 0);
  if (axis < -rank || axis >= rank)
    return userError("SplitToSequence",
                     "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  axis += axis < 0 ? rank : 0;
  Value sizes = input(node, 1).value;
  const bool keep = sizes || intOf(node, "keepdims", 1) != 0; // without `split` only
  if (sizes && (!isInteger(b.dtype(sizes)) || b.rank(sizes) > 1))
    return userError("SplitToSequence", "split is " + b.type(sizes).str() + ", not an integer or a vector of integers");
  ListInfo list{ListInfo::Kind::Sequence, type.dtype, type.shape};
  (*list.shape)[axis] = ListInfo::varies();
  Extents size{1};
  if (sizes && b.rank(sizes) == 0) {
    size = b.bind(sizes, {1, std::numeric_limits<int64_t>::max()}, "split");
    PLIANT_CHECK(b.status());
  }
  // Known parts are slices.
  const Content *each = sizes && b.rank(sizes) == 1 ? b.content(sizes) : nullptr;
  std::optional<Extents> parts;
  auto extent = type.shape[axis].constant(), step = size[0].constant();
  if (each) {
    parts = *each;
  } else if ((!sizes || b.rank(sizes) == 0) && extent && step && *step > 0 && *extent / *step <= partsLimit) {
    parts.emplace();
    for (int64_t from = 0; from < *extent; from += *step)
      parts->push_back(std::min(*step, *extent - from));
  }
  if (parts) {
    List out{list, std::vector<Value>(), false, {}};
    Expr from = 0;
    for (const Expr &part : *parts) {
      Extents starts(rank, Expr(0)), shape = type.shape;
      starts[axis] = from;
      shape[axis] = part;
      from = from + part;
      if (facts.lessEqual(0, part) == Proof::No || facts.lessEqual(from, type.shape[axis]) == Proof::No)
        return userError("SplitToSequence",
                         "the parts " + pliant::str(*parts) + " do not fit the extent " + type.shape[axis].str());
      Value slice = b.slice(x, starts, std::vector<int64_t>(rank, 1), shape);
      if (!keep) {
        shape.erase(shape.begin() + axis);
        slice = b.reshape(slice, shape);
      }
      out.items->push_back(slice);
    }
    PLIANT_CHECK(b.status());
    if (facts.equal(from, type.shape[axis]) == Proof::No)
      return userError("SplitToSequence", "the parts " + pliant::str(*parts) + " add up to " + from.str() +
                                              ", but the extent is " + type.shape[axis].str());
    if (facts.equal(from, type.shape[axis]) == Proof::Yes) {
      out.type.none = out.items->empty();
      return out;
    }
  }
  if (size[0].isConstant(1) && (!sizes || b.rank(sizes) == 0))
    (*list.shape)[axis] = 1;
  if (!keep)
    list.shape->erase(list.shape->begin() + axis);
  const bool vector = sizes && b.rank(sizes) == 1;
  auto op =
      b.builder().create<ir::ListSplitOp>(b.location(), toMlir(list), b.ssa(x), vector ? b.ssa(sizes) : mlir::Value(),
                                          ir::toMlir(&context, vector ? Extents{} : size), axis, keep);
  return dynamic(list, op.getResult());
}

/// Optional: a list of at most one tensor, or a sequence that may be absent.
Result<Item> Importer::optional(const ::onnx::NodeProto &node) {
  Item x = input(node, 0);
  if (!x) {
    auto *type = attributeOf(node, "type");
    if (!type || !type->has_tp())
      return userError("Optional", "neither a value nor the attribute type is given");
    PLIANT_TRY(ListInfo list, listType(type->tp(), false));
    list.kind = type->tp().has_sequence_type() ? ListInfo::Kind::OptionalSequence : ListInfo::Kind::Optional;
    list.none = true;
    return Item(List{list, std::nullopt, true, {}});
  }
  if (x.list) {
    List out = *x.list;
    out.type.kind = ListInfo::Kind::OptionalSequence;
    return Item(out);
  }
  const TensorType &type = builder->type(x.value);
  return Item(List{{ListInfo::Kind::Optional, type.dtype, type.shape}, std::vector<Value>{x.value}, false, {}});
}

/// SequenceMap: a loop that puts what the body gives for each element into new sequences.
Result<Importer::Items> Importer::sequenceMap(const ::onnx::NodeProto &node) {
  const ::onnx::GraphProto *graph = nullptr;
  if (auto *body = attributeOf(node, "body"); body && body->has_g())
    graph = &body->g();
  Item first = input(node, 0);
  if (!graph || !first.list || graph->input_size() != node.input_size() || graph->output_size() != node.output_size())
    return userError("SequenceMap", "the body is missing or does not fit the node, or its first input is no sequence");
  Items sources;
  for (int i = 0; i < node.input_size(); ++i) {
    sources.push_back(input(node, i));
    if (!sources.back())
      return userError("SequenceMap", "input " + std::to_string(i) + " is missing");
  }
  LoopParts parts{.op = "SequenceMap", .trips = {}, .condition = {}, .initial = {}, .names = {}, .body = {}};
  PLIANT_TRY(parts.trips, length("map", *first.list));
  for (const auto &output : graph->output()) {
    ListInfo list;
    list.none = true;
    PLIANT_TRY(list.dtype, onnx_file::dtypeOf(output.type().tensor_type().elem_type()));
    parts.initial.push_back(List{list, std::vector<Value>(), false, {}});
    parts.names.push_back(output.name());
  }
  parts.body = [&](const Expr &iteration, const Items &values) -> Result<Trip> {
    for (size_t i = 0; i < sources.size(); ++i) {
      Item item = sources[i];
      if (item.list) {
        PLIANT_TRY(item, at("map", *item.list, {iteration}));
      }
      scopes.back()[graph->input(static_cast<int>(i)).name()] = item;
    }
    PLIANT_TRY(Items outputs, importGraph(*graph));
    Trip trip;
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k].list)
        return userError("SequenceMap", "the body gives a " + outputs[k].list->type.str() + ", not a tensor");
      PLIANT_TRY(List longer, insert(*values[k].list, outputs[k].value, {}));
      trip.carried.push_back(longer);
    }
    return trip;
  };
  return loop(std::move(parts));
}

Result<Importer::Items> Importer::importList(const ::onnx::NodeProto &node) {
  const std::string &op = node.op_type();
  for (const std::string &name : node.input())
    if (!name.empty() && !lookup(name))
      return userError(op, "input " + onnx_file::quote(name) + " is made by no node");
  auto one = [](auto result) -> Result<Items> {
    if (!result)
      return result.takeError();
    return Items{Item(*result)};
  };
  Item x = input(node, 0);
  if (op == "Identity")
    return Items{x};
  if (op == "Optional")
    return one(optional(node));
  if (op == "SequenceMap")
    return sequenceMap(node);
  if (op == "SequenceEmpty") {
    ListInfo list;
    list.none = true;
    PLIANT_TRY(list.dtype, onnx_file::dtypeOf(static_cast<int32_t>(intOf(node, "dtype", 1))));
    return Items{List{list, std::vector<Value>(), false, {}}};
  }
  if (op == "SequenceConstruct") {
    if (!x.value)
      return userError(op, "there are no tensors to make a sequence of", "", "SequenceEmpty makes an empty one");
    const TensorType &type = builder->type(x.value);
    List list{{ListInfo::Kind::Sequence, type.dtype, type.shape, true}, std::vector<Value>(), false, {}};
    for (int i = 0; i < node.input_size(); ++i) {
      Value item = input(node, i).value;
      if (!item)
        return userError(op, "input " + std::to_string(i) + " is no tensor");
      PLIANT_TRY(list, insert(list, item, {}));
    }
    return Items{list};
  }
  if (op == "SplitToSequence") {
    if (!x.value)
      return userError(op, "the input is no tensor");
    return one(split(node, x.value));
  }
  if (op == "OptionalHasElement") {
    // From version 18 on the input may be missing, or be no optional.
    if (!x || !x.list || x.list->items || x.list->absent || x.list->type.kind == ListInfo::Kind::Sequence)
      return Items{builder->scalar(DType::Bool, x && !(x.list && x.list->absent))};
    PLIANT_TRY(mlir::Value value, made(*x.list));
    Expr symbol = fresh(region("optional") + ".present");
    PLIANT_CHECK(facts.assumeRange(*symbol.symbolName(), {0, 1}));
    builder->builder().create<ir::ListPresentOp>(builder->location(), value, ir::toMlir(&context, {symbol}));
    return Items{builder->cast(builder->extents({symbol}, true), DType::Bool)};
  }
  if (op == "OptionalGetElement") {
    if (!x.list || x.list->type.kind == ListInfo::Kind::Sequence)
      return Items{x};
    if (x.list->absent)
      return userError(op, "the optional is empty");
    if (x.list->type.kind == ListInfo::Kind::Optional)
      return one(at("optional", *x.list, {Expr(0)}));
    List list = *x.list;
    list.type.kind = ListInfo::Kind::Sequence;
    if (list.made)
      list.made = builder->builder().create<ir::ListGetOp>(builder->location(), toMlir(list.type), list.made);
    return Items{list};
  }
  if (!x.list)
    return userError(op, "the input is no sequence");
  if (op == "SequenceLength") {
    PLIANT_TRY(Expr count, length("sequence", *x.list));
    return Items{builder->extents({count}, true)};
  }
  if (op == "ConcatFromSequence")
    return one(concat(node, *x.list));
  Extents where = position(node, op == "SequenceInsert" ? 2 : 1);
  PLIANT_CHECK(builder->status());
  if (op == "SequenceErase")
    return one(erase(*x.list, where));
  if (op == "SequenceAt") {
    if (where.empty())
      return userError(op, "the position is missing");
    return one(at("sequence", *x.list, where));
  }
  Value item = input(node, 1).value;
  if (!item)
    return userError(op, "the second input is no tensor");
  return one(insert(*x.list, item, where));
}

} // namespace pliant::onnx_import
