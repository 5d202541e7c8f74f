// SPDX-License-Identifier: Apache-2.0
// Between public tensors and the log: operands brought to one element type, ops recorded, errors thrown.
#pragma once
#include "api/session.h"
#include "pliant/tensor.h"
#include <bit>

namespace pliant::api {

[[noreturn]] void raise(Error error);
[[noreturn]] void raise(const char *op, std::string message, Site site, std::string hint = {});
/// An error that knows no place is one of `site`.
template <class T> T checked(Result<T> result, Site site = {}) {
  if (!result)
    raise(result.takeError().at(trace::str(site)));
  return std::move(*result);
}
inline void checked(Status status) {
  if (!status)
    raise(status.takeError());
}

/// A step of a view: one of the ops that only pick or rearrange elements.
using ViewStep = std::variant<SliceAttrs, TransposeAttrs, ReshapeAttrs, BroadcastToAttrs>;
class Picks;

/// What others may do with the inside of a tensor.
struct Access {
  /// Takes a share.
  static Tensor make(trace::Handle value) {
    Tensor out;
    out.node = value.take();
    return out;
  }
  /// What `step` makes of the tensor, which others may see it change: a variable and a view of it.
  static Tensor view(const Tensor &base, ViewStep step, Site site);
  /// The current value, recorded if the tensor is a view of a variable that has changed.
  static trace::Handle value(const Tensor &tensor, Site site);
  /// A value of its element type and shape. Records nothing, unless it is a selection that nobody has used yet.
  static trace::Handle like(const Tensor &tensor, Site site = {});
  /// The node when the tensor is no variable and no view; null otherwise. Saves counting.
  static trace::Node *plain(const Tensor &tensor) { return tensor.place ? nullptr : tensor.node; }
  static Place *place(const Tensor &tensor) { return tensor.place; }
  /// Makes the tensor a variable, so that views can share it.
  static Place &shared(const Tensor &tensor, Site site);
  /// Gives the variable or view new elements of the same shape and type.
  static void write(Tensor &tensor, trace::Handle value, Site site);
  static Selection selection(Tensor value, std::shared_ptr<const Picks> picks);
  static trace::Handle scalar(DType dtype, const Operand &number);
};

template <class A> trace::Handle record(const A &attrs, std::span<trace::Node *const> operands, Site site) {
  Session &session = Session::current();
  if (trace::Node *node = session.replay(attrs, operands, site))
    return trace::Handle(node);
  return checked(session.record(attrs, operands, site));
}
template <class A> trace::Handle record(const A &attrs, std::initializer_list<trace::Node *> operands, Site site) {
  return record(attrs, std::span(operands.begin(), operands.size()), site);
}
inline trace::Handle cast(trace::Handle value, DType dtype, Site site) {
  return value->dtype == dtype ? value : record(CastAttrs{dtype}, {value.get()}, site);
}

/// Waits for the elements.
Array arrayOf(const trace::Handle &value, Site site);

/// Makes numbers tensors, reads variables and views, and brings operands whose bit is set in `together` to one element
/// type.
void align(const Operand *const *given, trace::Node **nodes, trace::Handle *kept, size_t count, uint32_t together,
           bool floats, Site site);

/// Operands of one call. Those whose bit is set in `together` are brought to one element type.
template <size_t count> class Operands {
public:
  Operands(const std::array<const Operand *, count> &given, uint32_t together, bool floats) {
    static_assert(count > 0);
    at = given[0]->site;
    bool plain = true;
    for (size_t i = 0; i < count; ++i) {
      nodes[i] = given[i]->tensor ? Access::plain(*given[i]->tensor) : nullptr;
      plain &= nodes[i] != nullptr;
    }
    if (!plain || !alike(together, floats)) [[unlikely]]
      align(given.data(), nodes.data(), kept.data(), count, together, floats, at);
  }
  std::span<trace::Node *const> all() const { return nodes; }
  trace::Node *operator[](size_t i) const { return nodes[i]; }
  Site site() const { return at; }

private:
  std::array<trace::Node *, count> nodes{};
  std::array<trace::Handle, count> kept;
  Site at;

  /// Whether those that are to have one element type have it.
  bool alike(uint32_t together, bool floats) const {
    if (!together)
      return true;
    const DType type = nodes[static_cast<size_t>(std::countr_zero(together))]->dtype;
    bool same = !floats || isFloat(type);
    for (size_t i = 0; i < count; ++i)
      same &= !(together >> i & 1) || nodes[i]->dtype == type;
    return same;
  }
};

/// Operands of ops that the caller's line stands for.
struct At {
  Site site;
  template <class T> Operand operator()(const T &x) const { return {x, site}; }
};

/// Records an op with one result.
template <class A, size_t count> Tensor recorded(const A &attrs, const Operands<count> &operands) {
  return Access::make(record(attrs, operands.all(), operands.site()));
}
/// The same with several.
template <size_t results, class A>
std::array<Tensor, results> recordedAll(const A &attrs, std::span<trace::Node *const> operands, Site site) {
  std::array<trace::Handle, results> handles;
  checked(Session::current().record(attrs, operands, site, handles));
  std::array<Tensor, results> out;
  for (size_t i = 0; i < results; ++i)
    out[i] = Access::make(std::move(handles[i]));
  return out;
}
/// Values of at least one tensor, of one element type when `together`.
std::vector<trace::Handle> valuesOf(const char *op, std::span<const Tensor> tensors, bool together, Site site);
std::vector<trace::Node *> nodesOf(const std::vector<trace::Handle> &handles);

/// An axis that may count from the end.
int64_t axisOf(const char *op, int64_t axis, int64_t rank, Site site);
std::vector<int64_t> axesOf(const char *op, std::span<const int64_t> axes, int64_t rank, Site site);
/// The same; none named are all.
std::vector<int64_t> foldedAxes(const char *op, std::span<const int64_t> axes, int64_t rank, Site site);
/// As many values as there are; `fallback` for each when none is given, and one value for all.
std::vector<int64_t> perSpatialAxis(const char *op, std::span<const int64_t> values, int64_t fallback, int64_t count,
                                    Site site);
/// A shape with at most one -1, which the number of elements decides.
Shape resolved(const Shape &from, Shape target, Site site);
/// The axes in the order of `perm`, in reverse when none is named.
std::vector<int64_t> permutation(std::vector<int64_t> perm, int64_t rank, Site site);
Extents extentsOf(const char *op, std::span<const int64_t> values, Site site);

} // namespace pliant::api
