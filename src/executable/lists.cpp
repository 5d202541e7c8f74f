// SPDX-License-Identifier: Apache-2.0
// What steps do to lists. Elements are shared, never copied, except where a tensor is cut into parts or parts are put
// together.
#include "executable/context.h"
#include <algorithm>
#include <cstring>

namespace pliant {
namespace {

/// The product of the extents in [first, last).
int64_t span(const std::vector<int64_t> &dims, size_t first, size_t last) {
  int64_t count = 1;
  for (size_t i = first; i < last; ++i)
    count *= dims[i];
  return count;
}

Result<size_t> placeIn(int64_t position, size_t places, const char *what) {
  const auto count = static_cast<int64_t>(places);
  const int64_t from = position < 0 ? position + count : position;
  if (from < 0 || from >= count)
    return userError("list", std::string(what) + " " + std::to_string(position) + " is out of range for " +
                                 std::to_string(count) + " places");
  return static_cast<size_t>(from);
}

} // namespace

/// The elements one after the other along the axis. Without elements the extents that the types leave open are 0.
Status Executable::Context::listConcat(const Step &step, const ListValue &from) {
  const Buffer &result = owner->plan->buffers[step.outputs[0]];
  const auto axis = static_cast<size_t>(step.axis);
  const size_t element = byteSize(result.type.dtype);
  std::vector<int64_t> whole(result.type.shape.size());
  for (size_t i = 0; i < whole.size(); ++i)
    whole[i] = result.type.shape[i].constant().value_or(0);
  if (!from.items.empty()) {
    whole = from.items[0].dims;
    if (step.flag)
      whole.insert(whole.begin() + step.axis, 1);
  }
  whole[axis] = 0;
  for (size_t k = 0; k < from.items.size(); ++k) {
    std::vector<int64_t> dims = from.items[k].dims;
    if (step.flag)
      dims.insert(dims.begin() + std::min<std::ptrdiff_t>(step.axis, static_cast<std::ptrdiff_t>(dims.size())), 1);
    bool fits = dims.size() == whole.size();
    for (size_t i = 0; fits && i < dims.size(); ++i)
      fits = i == axis || dims[i] == whole[i];
    if (!fits)
      return userError("ConcatFromSequence", "elements 0 and " + std::to_string(k) + " have shapes " +
                                                 str(from.items[0].dims) + " and " + str(from.items[k].dims) +
                                                 ", which differ beyond axis " + std::to_string(step.axis));
    whole[axis] += dims[axis];
  }
  size_t next = 0;
  for (size_t i = 0; i < whole.size(); ++i)
    if (auto symbol = result.type.shape[i].symbolName())
      if (next < step.symbols.size() && step.symbols[next] == *symbol) {
        setSymbol(*symbol, whole[i]);
        ++next;
      }
  PLIANT_TRY(int64_t count, elementCount(whole));
  PLIANT_CHECK(allocate(step.outputs[0], static_cast<size_t>(count) * element));
  auto *to = static_cast<char *>(state.buffers[step.outputs[0]]);
  const int64_t outer = span(whole, 0, axis), inner = span(whole, axis + 1, whole.size());
  for (int64_t row = 0; row < outer; ++row)
    for (const ListItem &item : from.items) {
      const int64_t along = step.flag ? 1 : item.dims[axis];
      const size_t run = static_cast<size_t>(along * inner) * element;
      if (run)
        std::memcpy(to, static_cast<const char *>(item.memory.data) + static_cast<size_t>(row) * run, run);
      to += run;
    }
  return ok();
}

Status Executable::Context::listSplit(const Step &step, ListValue &to) {
  PLIANT_TRY(std::vector<int64_t> dims, dimsOf(step.operands[0].shape));
  const auto axis = static_cast<size_t>(step.axis);
  std::vector<int64_t> parts;
  if (step.inputs.size() > 1) {
    PLIANT_TRY(std::vector<int64_t> count, dimsOf(step.operands[1].shape));
    const bool narrow = step.operands[1].dtype == DType::I32;
    for (int64_t i = 0; i < count[0]; ++i)
      parts.push_back(narrow ? static_cast<const int32_t *>(state.buffers[step.inputs[1]])[i]
                             : static_cast<const int64_t *>(state.buffers[step.inputs[1]])[i]);
  } else {
    PLIANT_TRY(std::vector<int64_t> size, dimsOf(step.values));
    if (size[0] < 1)
      return userError("SplitToSequence", "parts of " + std::to_string(size[0]) + " elements are asked for");
    for (int64_t from = 0; from < dims[axis]; from += size[0])
      parts.push_back(std::min(size[0], dims[axis] - from));
  }
  int64_t total = 0;
  for (int64_t part : parts)
    if (part < 0 || __builtin_add_overflow(total, part, &total) || total > dims[axis])
      total = dims[axis] + 1;
  if (total != dims[axis])
    return userError("SplitToSequence", "the parts " + str(parts) + " do not add up to the extent " +
                                            std::to_string(dims[axis]) + " of axis " + std::to_string(step.axis));
  const size_t element = byteSize(step.operands[0].dtype);
  const int64_t outer = span(dims, 0, axis), inner = span(dims, axis + 1, dims.size());
  auto *from = static_cast<const char *>(state.buffers[step.inputs[0]]);
  const size_t stride = static_cast<size_t>(dims[axis] * inner) * element;
  size_t offset = 0;
  for (int64_t part : parts) {
    const size_t run = static_cast<size_t>(part * inner) * element;
    PLIANT_TRY(std::shared_ptr<void> memory, pool.take(run * static_cast<size_t>(outer)));
    for (int64_t row = 0; row < outer && run; ++row)
      std::memcpy(static_cast<char *>(memory.get()) + static_cast<size_t>(row) * run,
                  from + static_cast<size_t>(row) * stride + offset, run);
    offset += run;
    std::vector<int64_t> shape = dims;
    shape[axis] = part;
    if (!step.flag)
      shape.erase(shape.begin() + step.axis);
    void *data = memory.get();
    to.items.push_back({{std::move(memory), data}, std::move(shape)});
  }
  return ok();
}

Status Executable::Context::listAt(const Step &step, const ListValue &from, int64_t position) {
  PLIANT_TRY(size_t place, placeIn(position, from.items.size(), "position"));
  const ListItem &found = from.items[place];
  const TensorType &type = owner->plan->buffers[step.outputs[0]].type;
  bool fits = found.dims.size() == type.shape.size();
  size_t next = 0;
  for (size_t i = 0; fits && i < found.dims.size(); ++i) {
    if (auto symbol = type.shape[i].symbolName();
        symbol && next < step.symbols.size() && step.symbols[next] == *symbol) {
      setSymbol(*symbol, found.dims[i]);
      ++next;
      continue;
    }
    PLIANT_TRY(std::vector<int64_t> want, dimsOf({type.shape[i]}));
    fits = want[0] == found.dims[i];
  }
  if (!fits)
    return userError("SequenceAt", "the element at " + std::to_string(position) + " has shape " + str(found.dims) +
                                       " but the sequence holds " + type.str());
  return become(step.outputs[0], found.memory);
}

Status Executable::Context::list(const Step &step) {
  auto made = std::make_shared<ListValue>();
  auto item = [&](size_t input) -> Result<ListItem> {
    PLIANT_TRY(std::vector<int64_t> dims, dimsOf(step.operands[input].shape));
    return ListItem{held(step.inputs[input], false), std::move(dims)};
  };
  const bool reads = step.list != ListAction::Make && step.list != ListAction::Absent && step.list != ListAction::Split;
  std::shared_ptr<ListValue> from = reads ? lists[step.inputs[0]] : nullptr;
  if (reads && !from)
    return internalError("list", "a list was read before it was made");
  if (reads && !from->present && step.list != ListAction::Present)
    return userError("OptionalGetElement", "the optional is empty");
  PLIANT_TRY(std::vector<int64_t> position, dimsOf(step.list == ListAction::Split ? Extents{} : step.values));
  switch (step.list) {
  case ListAction::Absent:
    made->present = false;
    break;
  case ListAction::Make:
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      PLIANT_TRY(ListItem each, item(i));
      made->items.push_back(std::move(each));
    }
    break;
  case ListAction::Insert: {
    *made = *from;
    PLIANT_TRY(ListItem each, item(1));
    size_t place = made->items.size();
    if (!position.empty() && position[0] != static_cast<int64_t>(place)) {
      // Negative positions count from the end; the end itself is a place.
      PLIANT_TRY(place, placeIn(position[0], made->items.size(), "position"));
    }
    made->items.insert(made->items.begin() + static_cast<std::ptrdiff_t>(place), std::move(each));
    break;
  }
  case ListAction::Erase: {
    *made = *from;
    PLIANT_TRY(size_t place, placeIn(position.empty() ? -1 : position[0], made->items.size(), "position"));
    made->items.erase(made->items.begin() + static_cast<std::ptrdiff_t>(place));
    break;
  }
  case ListAction::At:
    return listAt(step, *from, position[0]);
  case ListAction::Length:
    setSymbol(step.symbols[0], static_cast<int64_t>(from->items.size()));
    return ok();
  case ListAction::Present:
    setSymbol(step.symbols[0], from->present);
    return ok();
  case ListAction::Get:
    made = from;
    break;
  case ListAction::Concat:
    return listConcat(step, *from);
  case ListAction::Split:
    PLIANT_CHECK(listSplit(step, *made));
    break;
  }
  lists[step.outputs[0]] = std::move(made);
  return ok();
}

/// The element, which may be an input or held by others: what leaves a run is the caller's own.
Result<DenseTensor> ListItem::copy(DType dtype) const {
  PLIANT_TRY(DenseTensor out, DenseTensor::allocate(dtype, dims));
  if (out.bytes())
    std::memcpy(out.data(), memory.data, out.bytes());
  return dtype == DType::String ? out.withOwnStrings() : std::move(out);
}

/// Lists that the caller gives. Their tensors are borrowed for the run.
Status Executable::takeLists(Context &context, const std::vector<TensorList> *lists) const {
  if (!lists &&
      (std::ranges::any_of(plan->inputs, &Argument::isList) || std::ranges::any_of(plan->outputs, &Argument::isList)))
    return userError("run", "the program takes or gives sequences: it cannot be run on tensors alone");
  if (!lists)
    return ok();
  const std::vector<TensorList> &given = *lists;
  for (size_t i = 0; i < plan->inputs.size(); ++i) {
    const Argument &want = plan->inputs[i];
    if (!want.list)
      continue;
    auto list = std::make_shared<ListValue>();
    list->present = given[i].present;
    auto wrong = [&](const std::string &what) {
      return userError("run", "input '" + want.name + "' is " + what + " but the program takes a " + want.list->str());
    };
    if (!list->present && want.list->kind == ListInfo::Kind::Sequence)
      return wrong("empty");
    if (list->present && want.list->kind == ListInfo::Kind::Optional && given[i].items.size() != 1)
      return wrong("a sequence of " + std::to_string(given[i].items.size()));
    for (const DenseTensor &tensor : given[i].items) {
      bool fits = tensor.dtype() == want.list->dtype;
      if (fits && want.list->shape) {
        fits = want.list->shape->size() == tensor.dims().size();
        for (size_t axis = 0; fits && axis < tensor.dims().size(); ++axis)
          if (auto extent = (*want.list->shape)[axis].constant())
            fits = *extent == tensor.dims()[axis];
      }
      if (!fits)
        return wrong("holds a tensor " + std::string(name(tensor.dtype())) + str(tensor.dims()));
      list->items.push_back({{nullptr, tensor.data()}, tensor.dims()});
    }
    context.lists[plan->inputBuffers[i]] = std::move(list);
  }
  return ok();
}

/// Lists for the caller, who may write to them: copies.
Status Executable::giveLists(Context &context, std::vector<TensorList> &given) const {
  given.assign(plan->outputs.size(), {});
  for (size_t i = 0; i < plan->outputs.size(); ++i) {
    const Argument &output = plan->outputs[i];
    if (!output.isList())
      continue;
    const std::shared_ptr<ListValue> list = context.lists[plan->outputBuffers[i]];
    if (!list)
      return internalError("run", "output '" + output.name + "' was not made");
    given[i].present = list->present;
    for (const ListItem &item : list->items) {
      PLIANT_TRY(DenseTensor copy, item.copy(output.list->dtype));
      given[i].items.push_back(std::move(copy));
    }
  }
  return ok();
}

Result<std::vector<RunValue>> Executable::runValues(std::span<const RunValue> inputs, std::span<GrowingTensor> states) {
  std::vector<DenseTensor> tensors;
  std::vector<TensorList> lists;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool wanted = i < plan->inputs.size() && plan->inputs[i].list;
    if (i < plan->inputs.size() && wanted != inputs[i].list.has_value())
      return userError("run", "input '" + plan->inputs[i].name + "' is a " + (wanted ? "tensor" : "list") +
                                  " but the program takes a " +
                                  (wanted ? plan->inputs[i].list->str() : plan->inputs[i].type.str()));
    tensors.push_back(inputs[i].tensor);
    lists.push_back(inputs[i].list.value_or(TensorList{}));
  }
  std::vector<DenseTensor> outputs;
  PLIANT_CHECK(runWith(entry, tensors, outputs, states, &lists));
  std::vector<RunValue> values(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (plan->outputs[i].isList())
      values[i].list = std::move(lists[i]);
    else
      values[i].tensor = std::move(outputs[i]);
  }
  return values;
}

} // namespace pliant
