// SPDX-License-Identifier: Apache-2.0
// Tensors whose ops are recorded and run when a value is asked for, compiled once for all extents, positions and
// scalars. Shapes and types are known, and their errors thrown, at the line of the call; nothing needs to be annotated.
//
// A tensor is a value: copies cost nothing and are independent of each other. Views that indexing with numbers and
// slices, `reshape`, `transpose` and the like give of a variable share its elements, as NumPy's do: a write to either
// is seen by both. Any thread may use any tensor; two threads must not change the same one at the same time.
#pragma once
#include "pliant/dtype.h"
#include "pliant/exception.h"
#include "pliant/site.h"
#include <array>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace pliant {

namespace trace {
struct Node;
}
namespace api {
class Place;
struct Access;
} // namespace api

using Shape = std::vector<int64_t>;
class Index;
class Selection;
struct Operand;

/// Elements in memory: row-major, contiguous.
struct Array {
  DType dtype = DType::F32;
  Shape shape;
  std::shared_ptr<const void> data;
  template <class T> const T *as() const { return static_cast<const T *>(data.get()); }
};

/// The element type of a C++ type.
template <class T> constexpr DType dtypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::Bool;
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? DType::F32 : DType::F64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 8 ? DType::I64 : sizeof(T) == 4 ? DType::I32 : sizeof(T) == 2 ? DType::I16 : DType::I8;
  else
    return sizeof(T) == 8 ? DType::U64 : sizeof(T) == 4 ? DType::U32 : sizeof(T) == 2 ? DType::U16 : DType::U8;
}

class Tensor {
public:
  /// No tensor yet: may be assigned and asked whether it is defined.
  Tensor() = default;
  /// A tensor of rank 0: f32, i64 or bool.
  template <class T>
    requires std::is_arithmetic_v<T>
  Tensor(T value) : Tensor(scalar(value)) {}
  Tensor(const Tensor &other); ///< of its own: later writes to either are not seen by the other
  Tensor(Tensor &&other) noexcept : node(other.node), place(other.place) {
    other.node = nullptr;
    other.place = nullptr;
  }
  Tensor(Selection &&picked);
  Tensor &operator=(const Tensor &other) &;
  Tensor &operator=(Tensor &&other) & noexcept {
    std::swap(node, other.node);
    std::swap(place, other.place);
    return *this;
  }
  Tensor &operator=(Selection &&picked) &;
  ~Tensor() {
    if (defined())
      giveUp();
  }

  bool defined() const { return node || place; }
  DType dtype() const;
  int64_t rank() const;
  Shape shape() const;
  /// Negative axes count from the end.
  int64_t dim(int64_t axis, Site site = std::source_location::current()) const;
  int64_t size() const; ///< elements

  /// Takes what `values` has; copies it.
  template <class T>
    requires std::is_arithmetic_v<T>
  static Tensor of(std::span<const T> values, Shape shape, Site site = std::source_location::current()) {
    return copyOf(values.data(), values.size(), dtypeOf<T>(), std::move(shape), site);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  static Tensor of(std::initializer_list<T> values, Site site = std::source_location::current()) {
    return copyOf(std::data(values), values.size(), dtypeOf<T>(), {static_cast<int64_t>(values.size())}, site);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  static Tensor of(std::initializer_list<T> values, Shape shape, Site site = std::source_location::current()) {
    return copyOf(std::data(values), values.size(), dtypeOf<T>(), std::move(shape), site);
  }
  /// Copies the elements.
  static Tensor copied(const Array &array, Site site = std::source_location::current());
  /// Shares the memory, which must not change as long as the tensor or anything recorded from it is in use.
  static Tensor of(Array array, Site site = std::source_location::current());

  /// Runs what is needed and waits for the elements. They never change. Throws what went wrong on the way.
  Array array(Site site = std::source_location::current()) const { return elements(site); }
  /// Whether `array` would not wait. Does not make anything run.
  bool ready() const;
  /// The only element, converted; throws when there is not exactly one.
  template <class T> T item(Site site = std::source_location::current()) const {
    const Number number = only(site);
    return number.integer ? static_cast<T>(*number.integer) : static_cast<T>(number.real);
  }
  /// All elements, row-major; T must be the type of the elements.
  template <class T> std::vector<T> values(Site site = std::source_location::current()) const {
    const Array all = typed(dtypeOf<T>(), site);
    return std::vector<T>(all.as<T>(), all.as<T>() + size());
  }
  /// As NumPy prints it: rows in brackets, long axes abbreviated.
  std::string str(Site site = std::source_location::current()) const;

  /// What the indices pick: see `Index`; whole axes follow. The result of numbers, slices, `ellipsis` and `newAxis` is
  /// a view; integer and bool tensors copy. Assigning to it writes to this tensor: `x(0, slice(1, 3)) = y`, `x[i] +=
  /// 1`.
  Selection operator[](const Index &index) const;
  Selection operator()(const Index &a) const;
  Selection operator()(const Index &a, const Index &b) const;
  Selection operator()(const Index &a, const Index &b, const Index &c) const;
  Selection operator()(const Index &a, const Index &b, const Index &c, const Index &d) const;
  Selection operator()(std::span<const Index> indices) const;

  /// In place: written to the elements, seen by all views. The element type stays; one that cannot hold the result
  /// throws.
  Tensor &operator+=(const Operand &rhs);
  Tensor &operator-=(const Operand &rhs);
  Tensor &operator*=(const Operand &rhs);
  Tensor &operator/=(const Operand &rhs);
  Tensor &operator%=(const Operand &rhs);
  Tensor &operator&=(const Operand &rhs);
  Tensor &operator|=(const Operand &rhs);
  Tensor &operator^=(const Operand &rhs);
  Tensor &operator<<=(const Operand &rhs);
  Tensor &operator>>=(const Operand &rhs);
  /// Writes `value`, converted and broadcast, to all elements.
  Tensor &assign(const Operand &value);
  /// Writes the result of an operator in place, as the ones above do: for those that C++ has no operator for. `op` is
  /// for messages and lives as long as the process.
  Tensor &store(const char *op, const Operand &result);

  /// Views. One extent of `reshape` may be -1; `transpose` without axes reverses them.
  Tensor reshape(Shape shape, Site site = std::source_location::current()) const;
  Tensor transpose(std::vector<int64_t> perm = {}, Site site = std::source_location::current()) const;
  Tensor broadcastTo(Shape shape, Site site = std::source_location::current()) const;
  Tensor clone() const { return *this; } ///< of its own, also where a view is asked for it

private:
  friend struct api::Access;
  struct Number {
    double real;
    std::optional<int64_t> integer;
  };
  // Either the value itself, or where it lies: in a variable that views share, or a view of one.
  mutable trace::Node *node = nullptr;
  mutable api::Place *place = nullptr;

  template <class T> static Tensor scalar(T value) {
    if constexpr (std::is_same_v<T, bool>)
      return scalarOf(DType::Bool, {static_cast<double>(value), int64_t(value)});
    else if constexpr (std::is_integral_v<T>)
      return scalarOf(DType::I64, {static_cast<double>(value), static_cast<int64_t>(value)});
    else
      return scalarOf(DType::F32, {static_cast<double>(value), std::nullopt});
  }
  void giveUp();
  static Tensor scalarOf(DType dtype, Number value);
  static Tensor copyOf(const void *data, size_t count, DType dtype, Shape shape, Site site);
  Number only(Site site) const;
  Array typed(DType dtype, Site site) const;
  Array elements(Site site) const;
};

std::ostream &operator<<(std::ostream &out, const Tensor &tensor); ///< as `str`, which knows the caller's line

/// What an op is given: a tensor, or a number, which takes the element type of the tensors beside it as NumPy's Python
/// numbers do. Remembers the line of the call.
struct Operand {
  enum class Kind : uint8_t { Tensor, Bool, Integer, Real };
  Kind kind = Kind::Tensor;
  const Tensor *tensor = nullptr;
  double real = 0;
  int64_t integer = 0;
  bool above = false; ///< an integer above 2^63 - 1, of which `integer` has the bits
  Site site;

  Operand(const Tensor &tensor, Site site = std::source_location::current()) : tensor(&tensor), site(site) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  Operand(T value, Site site = std::source_location::current())
      : kind(std::is_same_v<T, bool> ? Kind::Bool
             : std::is_integral_v<T> ? Kind::Integer
                                     : Kind::Real),
        real(static_cast<double>(value)), integer(static_cast<int64_t>(std::is_floating_point_v<T> ? 0 : value)),
        site(site) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
      above = value > static_cast<T>(INT64_MAX);
  }
};

/// Every step-th element from `start` to before `stop`; ends that are not given are those of the axis, negative ones
/// count from the end, those outside are clamped. A step is not 0.
struct Slice {
  std::optional<int64_t> start, stop;
  int64_t step = 1;
};
inline Slice slice(std::optional<int64_t> start = {}, std::optional<int64_t> stop = {}, int64_t step = 1) {
  return {start, stop, step};
}
struct Ellipsis {};
struct NewAxis {};
inline constexpr Ellipsis ellipsis{}; ///< as many whole axes as are left
inline constexpr NewAxis newAxis{};   ///< an axis of extent 1

/// One of: a number (takes an axis away), a slice, `ellipsis`, `newAxis`, an integer tensor (an element for each of its
/// own; several broadcast together), a bool tensor (the elements where it is true; stands for as many axes as it has).
class Index {
public:
  enum class Kind : uint8_t { Number, Slice, Ellipsis, NewAxis, Tensor };
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Index(T number, Site site = std::source_location::current())
      : kind(Kind::Number), number(static_cast<int64_t>(number)), site(site) {}
  Index(Slice slice, Site site = std::source_location::current()) : kind(Kind::Slice), slice(slice), site(site) {}
  Index(Ellipsis, Site site = std::source_location::current()) : kind(Kind::Ellipsis), site(site) {}
  Index(NewAxis, Site site = std::source_location::current()) : kind(Kind::NewAxis), site(site) {}
  Index(const Tensor &tensor, Site site = std::source_location::current())
      : kind(Kind::Tensor), tensor(&tensor), site(site) {}

  Kind kind;
  int64_t number = 0;
  Slice slice;
  const Tensor *tensor = nullptr; ///< lives longer than the index
  Site site;
};

/// What indexing gives: a tensor that an assignment writes to. Where integer or bool tensors pick, the elements are
/// copied when the selection is used or made a `Tensor`; otherwise that is a view.
class Selection : public Tensor {
public:
  Selection(Selection &&) = default;
  /// `value` is converted to the element type and broadcast.
  void operator=(const Operand &value) && { assign(value); }
  void operator=(Selection &&value) && { assign(value); }

private:
  friend struct api::Access;
  Selection() = default;
};

inline Selection Tensor::operator[](const Index &a) const { return (*this)(std::span(&a, 1)); }
inline Selection Tensor::operator()(const Index &a) const { return (*this)(std::span(&a, 1)); }
inline Selection Tensor::operator()(const Index &a, const Index &b) const { return (*this)(std::array{a, b}); }
inline Selection Tensor::operator()(const Index &a, const Index &b, const Index &c) const {
  return (*this)(std::array{a, b, c});
}
inline Selection Tensor::operator()(const Index &a, const Index &b, const Index &c, const Index &d) const {
  return (*this)(std::array{a, b, c, d});
}

} // namespace pliant
