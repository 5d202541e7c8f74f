// SPDX-License-Identifier: Apache-2.0
// References of scatter_elements and scatter_nd: updates in row-major order on a copy of x; floats combine in double
// and are rounded once.
#include "ops/index.h"
#include "ops/ref_values.h"
#include "ops/walk.h"
#include <algorithm>

namespace pliant::ops::scatter {

template <class T> static void combine(const std::string &reduction, T &to, T update) {
  if (reduction == "add")
    to += update;
  else if (reduction == "mul")
    to *= update;
  else if (ref::isNaN(update) || (reduction == "min" ? update < to : update > to)) // NaN wins, here or in `to`
    to = update;
}

/// Calls `put(to, from)` with the flat positions in x and in updates of every update.
template <class F> static Status forUpdates(RefContext &c, const ScatterElementsAttrs &a, F &&put) {
  const Dims &dims = c.inputs[0].dims(), &places = c.inputs[1].dims();
  Dims steps = stridesOf(dims);
  const int64_t step = std::exchange(steps[a.axis], 0);
  for (size_t i = 0; i < dims.size(); ++i)
    if (static_cast<int64_t>(i) != a.axis && places[i] > dims[i])
      return c.error("indices of shape " + str(places) + " reach beyond x of shape " + str(dims), "C3");
  Status status = ok();
  walk<1>(places, {steps}, {0}, [&](int64_t flat, const std::array<int64_t, 1> &at) {
    if (!status)
      return;
    Result<int64_t> index = indexAt(c, c.inputs[1], flat, dims[a.axis], "C2");
    if (index)
      put(at[0] + *index * step, flat);
    else
      status = index.takeError();
  });
  return status;
}
template <class F> static Status forUpdates(RefContext &c, const ScatterNdAttrs &, F &&put) {
  const Dims &dims = c.inputs[0].dims();
  const Dims steps = stridesOf(dims);
  const int64_t depth = c.inputs[1].dims().back();
  int64_t slice = 1, tuples = 1;
  for (size_t i = static_cast<size_t>(depth); i < dims.size(); ++i)
    slice *= dims[i];
  for (size_t i = 0; i + 1 < c.inputs[1].dims().size(); ++i)
    tuples *= c.inputs[1].dims()[i];
  for (int64_t tuple = 0; tuple < tuples && slice > 0; ++tuple) {
    int64_t start = 0;
    for (int64_t i = 0; i < depth; ++i) {
      PLIANT_TRY(int64_t index, indexAt(c, c.inputs[1], tuple * depth + i, dims[i], "C2"));
      start += index * steps[i];
    }
    for (int64_t i = 0; i < slice; ++i)
      put(start + i, tuple * slice + i);
  }
  return ok();
}

/// In a type that holds sums and products as well as the order of the elements.
template <class A, class T> static Status scatter(RefContext &c, const A &a, Type<T>) {
  std::vector<T> result = ref::read<T>(c.inputs[0]);
  const std::vector<T> updates = ref::read<T>(c.inputs[2]);
  PLIANT_CHECK(forUpdates(c, a, [&](int64_t to, int64_t from) { combine(a.reduction, result[to], updates[from]); }));
  ref::write(c.outputs[0], result);
  return ok();
}
/// Elements of any type, texts too, that are only moved.
template <class A, class T> static Status scatterMoved(RefContext &c, const A &a, Type<T>) {
  const T *updates = c.inputs[2].as<T>();
  T *to = c.outputs[0].as<T>();
  std::copy_n(c.inputs[0].as<T>(), c.inputs[0].size(), to);
  return forUpdates(c, a, [&](int64_t at, int64_t from) { to[at] = updates[from]; });
}
template <class A> static Status scatter(RefContext &c, const A &a) {
  const DType dtype = c.inputs[0].dtype();
  if (a.reduction == "none")
    return dispatchSize(dtype, [&](auto type) { return scatterMoved(c, a, type); });
  if (a.reduction == "add" || a.reduction == "mul")
    return ref::withArithmetic(dtype, [&](auto type) { return scatter(c, a, type); });
  return ref::withOrder(dtype, [&](auto type) { return scatter(c, a, type); });
}

Status ref(RefContext &c) {
  return c.op == OpId::ScatterElements ? scatter(c, c.as<ScatterElementsAttrs>()) : scatter(c, c.as<ScatterNdAttrs>());
}

} // namespace pliant::ops::scatter
