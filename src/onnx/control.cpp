// SPDX-License-Identifier: Apache-2.0
// Loops of ONNX. The types of what a loop carries are found by building its body: where a trip gives an
// extent other than it took, that extent becomes a symbol of the loop and the body is built again, until none changes.
#include "onnx/region.h"

using namespace mlir;

namespace pliant::onnx_import {
namespace {

std::vector<int64_t> intsOf(const ::onnx::NodeProto &node, std::string_view name, size_t count) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name)
      return {attribute.ints().begin(), attribute.ints().end()};
  return std::vector<int64_t>(count);
}
int64_t intOf(const ::onnx::NodeProto &node, std::string_view name, int64_t otherwise) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name)
      return attribute.i();
  return otherwise;
}

/// The symbols that ops of a region declare: they mean nothing outside.
std::set<std::string> declaredIn(mlir::Region &region) {
  std::set<std::string> names;
  region.walk([&](Operation *op) {
    for (const char *attribute : {"declares", "symbols", "iteration"})
      if (auto shape = op->getAttrOfType<ir::ShapeAttr>(attribute))
        for (const Expr &symbol : ir::fromMlir(shape))
          if (auto name = symbol.symbolName())
            names.insert(*name);
  });
  return names;
}
bool mentions(const Expr &e, const std::set<std::string> &names) {
  for (const std::string &symbol : e.symbols())
    if (names.contains(symbol))
      return true;
  return false;
}

} // namespace

Expr Importer::fresh(std::string name) {
  while (!taken.insert(name).second)
    name += "'";
  return Expr::symbol(name);
}

Result<mlir::Value> Importer::ssa(const Item &item) {
  if (item.list)
    return made(*item.list);
  return builder->ssa(item.value);
}

Result<Importer::Items> Importer::importControl(const ::onnx::NodeProto &node) {
  for (const std::string &name : node.input())
    if (!name.empty() && !lookup(name))
      return userError(node.op_type(), "input " + onnx_file::quote(name) + " is made by no node");
  return node.op_type() == "Loop" ? importLoop(node) : importScan(node);
}

Result<Importer::Items> Importer::loop(LoopParts parts) {
  const std::string name = region("loop");
  const size_t carried = parts.initial.size();
  OpBuilder &b = builder->builder();
  SmallVector<mlir::Value> initial;
  std::vector<TensorType> types(carried);
  std::vector<ListInfo> lists(carried);
  for (size_t k = 0; k < carried; ++k) {
    const Item &item = parts.initial[k];
    PLIANT_TRY(mlir::Value value, ssa(item));
    initial.push_back(value);
    if (item.list)
      lists[k] = item.list->type;
    else
      types[k] = builder->type(item.value);
  }
  const Expr iteration = fresh(name + ".trip");
  std::set<std::string> own;
  const size_t weights = result.weights.size(), weightData = result.weightData.size();
  std::unique_ptr<mlir::Region> body;
  Trip trip;
  SmallVector<mlir::Value> yielded;
  // Each round makes a symbol of at least one more extent, or forgets one of a list.
  for (bool settled = false; !settled;) {
    settled = true;
    result.weights.resize(weights);
    result.weightData.resize(weightData);
    result.sources.resize(weightData);
    yielded.clear();
    Region region(*this);
    if (parts.trips) {
      // What holds while the body runs. Without a bound no loop reaches the 2^47 trips that every extent is below.
      const int64_t most = facts.bounds(*parts.trips).hi;
      if (most >= 1 && most < (int64_t(1) << 47))
        PLIANT_CHECK(facts.assumeRange(*iteration.symbolName(), {0, most - 1}));
      if (most >= 1)
        PLIANT_CHECK(facts.assumeLessEqual(iteration + 1, *parts.trips));
    }
    Items arguments;
    for (size_t k = 0; k < carried; ++k) {
      const bool list = parts.initial[k].list != nullptr;
      mlir::Value argument =
          region.block().addArgument(list ? toMlir(lists[k]) : Type(ir::toMlir(&context, types[k])), region.place);
      arguments.push_back(list ? Item(dynamic(lists[k], argument)) : Item(builder->adopt(argument, types[k])));
    }
    PLIANT_TRY(trip, parts.body(iteration, arguments));
    PLIANT_CHECK(builder->status());
    for (size_t k = 0; k < carried; ++k) {
      const Item &after = trip.carried[k];
      auto changed = [&](const std::string &before) {
        return userError(parts.op,
                         "the body takes " + onnx_file::quote(parts.names[k]) + " as " + before + " and gives " +
                             typeText(after, *builder) + ": element type and rank of a carried value cannot change",
                         "", "only its extents may differ from trip to trip");
      };
      if (parts.initial[k].list) {
        if (!after.list || after.list->type.dtype != lists[k].dtype)
          return changed(lists[k].str());
        ListInfo both = join(lists[k], after.list->type);
        settled &= both == lists[k];
        lists[k] = std::move(both);
        continue;
      }
      if (after.list || builder->dtype(after.value) != types[k].dtype || builder->rank(after.value) != types[k].rank())
        return changed(types[k].str());
      for (size_t axis = 0; axis < types[k].shape.size(); ++axis) {
        Expr &before = types[k].shape[axis];
        auto symbol = before.symbolName();
        if ((symbol && own.contains(*symbol)) || facts.equal(before, builder->shape(after.value)[axis]) == Proof::Yes)
          continue;
        before = fresh(name + "." + parts.names[k] + "." + std::to_string(axis));
        own.insert(*before.symbolName());
        settled = false;
      }
    }
    if (!settled)
      continue;
    if (trip.condition)
      yielded.push_back(builder->ssa(trip.condition));
    for (const Item &item : trip.carried) {
      PLIANT_TRY(mlir::Value value, ssa(item));
      yielded.push_back(value);
    }
    for (Value v : trip.outputs)
      yielded.push_back(builder->ssa(v));
    body = std::move(region.region);
  }

  // The results' extents: what only the loop knows gets symbols for those who come after it.
  std::set<std::string> inside = declaredIn(*body);
  inside.insert(own.begin(), own.end());
  inside.insert(*iteration.symbolName());
  SmallVector<Type> irTypes;
  Extents declared;
  std::vector<TensorType> resultTypes;
  auto outside = [&](Expr &extent, const std::string &hint) {
    if (!mentions(extent, inside))
      return;
    extent = fresh(hint);
    declared.push_back(extent);
  };
  for (size_t k = 0; k < carried; ++k) {
    TensorType type = types[k];
    for (size_t axis = 0; axis < type.shape.size(); ++axis)
      outside(type.shape[axis], name + "." + std::to_string(k) + "." + std::to_string(axis));
    irTypes.push_back(parts.initial[k].list ? toMlir(lists[k]) : Type(ir::toMlir(&context, type)));
    resultTypes.push_back(std::move(type));
  }
  const bool counted = parts.trips && !parts.condition && !trip.condition;
  Expr trips = counted ? facts.canonical(facts.atLeast(*parts.trips, 0) ? *parts.trips : max(*parts.trips, 0))
                       : Expr::symbol(*iteration.symbolName());
  if (!trip.outputs.empty())
    outside(trips, name + ".trips");
  for (size_t j = 0; j < trip.outputs.size(); ++j) {
    TensorType type = builder->type(trip.outputs[j]);
    for (size_t axis = 0; axis < type.shape.size(); ++axis)
      outside(type.shape[axis], name + "." + std::to_string(carried + j) + "." + std::to_string(axis + 1));
    type.shape.insert(type.shape.begin(), trips);
    irTypes.push_back(ir::toMlir(&context, type));
    resultTypes.push_back(std::move(type));
  }
  Location place = builder->location();
  auto list = [&](const Extents &e) { return ir::toMlir(&context, e); };
  auto made =
      b.create<ir::LoopOp>(place, irTypes, parts.condition ? builder->ssa(parts.condition) : mlir::Value(), initial,
                           list(parts.trips ? Extents{*parts.trips} : Extents{}), list({iteration}), list(declared));
  made.getBody().takeBody(*body);
  OpBuilder::atBlockEnd(&made.getBody().front()).create<ir::YieldOp>(place, yielded);
  Items out;
  for (size_t i = 0; i < resultTypes.size(); ++i) {
    if (i < carried && parts.initial[i].list)
      out.push_back(dynamic(lists[i], made->getResult(i)));
    else
      out.push_back(builder->adopt(made->getResult(i), resultTypes[i]));
  }
  return out;
}

Result<Importer::Items> Importer::importLoop(const ::onnx::NodeProto &node) {
  const ::onnx::GraphProto *graph = graphOf(node, "body");
  const int carried = std::max(node.input_size() - 2, 0);
  if (!graph || graph->input_size() != carried + 2 || graph->output_size() < carried + 1)
    return userError("Loop", "the body " +
                                 (graph ? "takes " + std::to_string(graph->input_size()) + " and gives " +
                                              std::to_string(graph->output_size()) + " values for "
                                        : "is missing for ") +
                                 std::to_string(carried) + " carried ones");
  LoopParts parts{.op = "Loop", .trips = {}, .condition = {}, .initial = {}, .names = {}, .body = {}};
  Item trips = input(node, 0), condition = input(node, 1);
  if (!trips && !condition)
    return userError("Loop", "neither a number of trips nor a condition is given: it would never end");
  if (trips) {
    if (trips.list || builder->dtype(trips.value) != DType::I64 || !product(builder->shape(trips.value)).isConstant(1))
      return userError("Loop", "the number of trips is " + typeText(trips, *builder) + ", not one i64");
    // Any number, also a negative one: the default for symbols is that of extents.
    constexpr Interval any{std::numeric_limits<int64_t>::min() + 1, std::numeric_limits<int64_t>::max()};
    Extents bound = builder->bind(trips.value, any, "trips");
    PLIANT_CHECK(builder->status());
    parts.trips = bound[0];
  }
  if (condition) {
    if (condition.list || !isOneBool(*builder, condition.value))
      return userError("Loop", "the condition is " + typeText(condition, *builder) + ", not one bool");
    const Content *content = builder->content(condition.value);
    if (!content || !content->front().isConstant(1))
      parts.condition = condition.value;
  }
  for (int k = 0; k < carried; ++k) {
    parts.initial.push_back(input(node, k + 2));
    parts.names.push_back(graph->input(k + 2).name());
    if (!parts.initial.back())
      return userError("Loop", "the initial value of " + onnx_file::quote(parts.names.back()) + " is missing");
  }
  parts.body = [&, conditional = bool(condition)](const Expr &iteration, const Items &values) -> Result<Trip> {
    auto vector = [&](int i) { return graph->input(i).type().tensor_type().shape().dim_size() == 1; };
    scopes.back()[graph->input(0).name()] = builder->extents({iteration}, !vector(0));
    Value yes = builder->scalar(DType::Bool, 1); // a trip happens only while the condition holds
    scopes.back()[graph->input(1).name()] = vector(1) ? builder->reshape(yes, {1}) : yes;
    for (int k = 0; k < carried; ++k)
      scopes.back()[graph->input(k + 2).name()] = values[k];
    PLIANT_TRY(Items outputs, importGraph(*graph));
    Trip trip;
    if (conditional) { // without a condition the standard ignores what the body gives for one
      if (outputs[0].list || !isOneBool(*builder, outputs[0].value))
        return userError("Loop", "the body's condition is " + typeText(outputs[0], *builder) + ", not one bool");
      const Content *content = builder->content(outputs[0].value);
      if (!content || !content->front().isConstant(1))
        trip.condition = outputs[0].value;
    }
    for (size_t i = 1; i < outputs.size(); ++i) {
      if (static_cast<int>(i) <= carried)
        trip.carried.push_back(outputs[i]);
      else if (outputs[i].list)
        return userError("Loop", "scan output " + onnx_file::quote(graph->output(static_cast<int>(i)).name()) + " is " +
                                     outputs[i].list->type.str() + ", not a tensor");
      else
        trip.outputs.push_back(outputs[i].value);
    }
    return trip;
  };
  return loop(std::move(parts));
}

struct Importer::ScanAxes {
  std::vector<int64_t> inputs, inputReversed, outputs, outputReversed;
};

/// `states` are carried through a loop over an axis of `sequences`, of which each trip sees one element.
Result<Importer::Items> Importer::scan(const ::onnx::GraphProto &graph, const Items &states,
                                       std::vector<Value> sequences, const ScanAxes &axes) {
  ir::IrBuilder &b = *builder;
  auto axisOf = [&](int64_t axis, int64_t rank) -> Result<size_t> {
    if (axis < -rank || axis >= rank)
      return userError("Scan", "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
    return static_cast<size_t>(axis < 0 ? axis + rank : axis);
  };
  std::vector<size_t> along(sequences.size());
  Expr trips;
  for (size_t i = 0; i < sequences.size(); ++i) {
    PLIANT_TRY(along[i], axisOf(axes.inputs[i], b.rank(sequences[i])));
    Extents shape = b.shape(sequences[i]);
    if (i == 0)
      trips = shape[along[0]];
    if (facts.equal(shape[along[i]], trips) == Proof::Yes)
      continue;
    shape[along[i]] = trips; // the same elements: a check at run time where it is not proved
    sequences[i] = b.reshape(sequences[i], shape);
  }
  LoopParts parts{.op = "Scan", .trips = trips, .condition = {}, .initial = states, .names = {}, .body = {}};
  for (size_t k = 0; k < states.size(); ++k)
    parts.names.push_back(graph.input(static_cast<int>(k)).name());
  parts.body = [&](const Expr &iteration, const Items &values) -> Result<Trip> {
    for (size_t k = 0; k < values.size(); ++k)
      scopes.back()[graph.input(static_cast<int>(k)).name()] = values[k];
    for (size_t i = 0; i < sequences.size(); ++i) {
      Extents starts(b.rank(sequences[i]), Expr(0)), sizes = b.shape(sequences[i]), rest = sizes;
      starts[along[i]] = axes.inputReversed[i] ? trips - 1 - iteration : iteration;
      sizes[along[i]] = 1;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(along[i]));
      // Where there never is an element, the body is only asked for the types of what it gives.
      Value element =
          trips.isConstant(0) && b.dtype(sequences[i]) != DType::String
              ? b.broadcastTo(b.scalarLike(sequences[i], 0), rest)
              : b.reshape(b.slice(sequences[i], starts, std::vector<int64_t>(starts.size(), 1), sizes), rest);
      scopes.back()[graph.input(static_cast<int>(values.size() + i)).name()] = element;
    }
    PLIANT_TRY(Items outputs, importGraph(graph));
    Trip trip;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i < values.size())
        trip.carried.push_back(outputs[i]);
      else if (outputs[i].list)
        return userError("Scan", "an output of the body is " + outputs[i].list->type.str() + ", not a tensor");
      else
        trip.outputs.push_back(outputs[i].value);
    }
    return trip;
  };
  PLIANT_TRY(Items results, loop(std::move(parts)));
  for (size_t j = 0; j + states.size() < results.size(); ++j) {
    Value &grown = results[states.size() + j].value;
    const int64_t rank = b.rank(grown);
    if (axes.outputReversed[j]) {
      Extents starts(rank, Expr(0));
      std::vector<int64_t> steps(rank, 1);
      starts[0] = trips - 1;
      steps[0] = -1;
      grown = b.slice(grown, starts, steps, b.shape(grown));
    }
    PLIANT_TRY(size_t axis, axisOf(axes.outputs[j], rank));
    std::vector<int64_t> perm;
    for (int64_t i = 1; i < rank; ++i)
      perm.push_back(i);
    perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    if (axis != 0)
      grown = b.transpose(grown, perm);
  }
  PLIANT_CHECK(b.status());
  return results;
}

Result<Importer::Items> Importer::importScan(const ::onnx::NodeProto &node) {
  const ::onnx::GraphProto *graph = graphOf(node, "body");
  const bool batched = opset < 9; // version 8 has a batch axis before all others, and lengths as input 0
  const int first = batched ? 1 : 0;
  const int64_t scanned = intOf(node, "num_scan_inputs", 0), states = node.input_size() - first - scanned;
  if (!graph || scanned < 1 || states < 0 || graph->input_size() != states + scanned || graph->output_size() < states)
    return userError("Scan", "the body is missing, or its inputs are not the states and scan inputs of the node");
  if (batched && input(node, 0))
    return userError("Scan", "sequence_lens is not supported");
  Items initial;
  std::vector<Value> sequences;
  for (int i = first; i < node.input_size(); ++i) {
    Item item = input(node, i);
    if (!item || (item.list && i - first >= states))
      return userError("Scan", "input " + std::to_string(i) + " is missing, or no tensor");
    if (i - first < states)
      initial.push_back(item);
    else
      sequences.push_back(item.value);
  }
  const size_t grown = static_cast<size_t>(graph->output_size() - states);
  ScanAxes axes{intsOf(node, "scan_input_axes", scanned),
                intsOf(node, batched ? "directions" : "scan_input_directions", scanned),
                intsOf(node, "scan_output_axes", grown), intsOf(node, "scan_output_directions", grown)};
  if (axes.inputs.size() != sequences.size() || axes.inputReversed.size() != sequences.size() ||
      axes.outputs.size() != grown || axes.outputReversed.size() != grown)
    return userError("Scan", "there is not one axis and direction for each scan input and output");
  if (!batched)
    return scan(*graph, initial, sequences, axes);
  // One scan per sample.
  ir::IrBuilder &b = *builder;
  LoopParts parts{.op = "Scan", .trips = {}, .condition = {}, .initial = {}, .names = {}, .body = {}};
  if (b.rank(sequences[0]) < 2)
    return userError("Scan", "a scan input of version 8 has a batch and a sequence axis");
  parts.trips = b.shape(sequences[0])[0];
  parts.body = [&](const Expr &sample, const Items &) -> Result<Trip> {
    auto pick = [&](Value whole) {
      Extents starts(b.rank(whole), Expr(0)), sizes = b.shape(whole), rest = sizes;
      if (starts.empty())
        return whole;
      starts[0] = sample;
      sizes[0] = 1;
      rest.erase(rest.begin());
      return b.reshape(b.slice(whole, starts, std::vector<int64_t>(starts.size(), 1), sizes), rest);
    };
    Items own;
    std::vector<Value> parts;
    for (const Item &state : initial)
      own.push_back(state.list ? state : Item(pick(state.value)));
    for (Value sequence : sequences)
      parts.push_back(pick(sequence));
    PLIANT_CHECK(b.status());
    PLIANT_TRY(Items results, scan(*graph, own, parts, axes));
    Trip trip;
    for (const Item &item : results)
      trip.outputs.push_back(item.value);
    return trip;
  };
  return loop(std::move(parts));
}

} // namespace pliant::onnx_import
