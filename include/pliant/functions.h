// SPDX-License-Identifier: Apache-2.0
// Operators, creation, and functions that NumPy has by these names; one function per op besides (pliant/ops.h). All are
// recorded. Numbers beside tensors take their element type; tensors of different types are promoted as NumPy 2 does.
#pragma once
#include "pliant/ops.h"

namespace pliant {

inline Tensor operator+(const Operand &lhs, const Operand &rhs) { return add(lhs, rhs); }
inline Tensor operator-(const Operand &lhs, const Operand &rhs) { return sub(lhs, rhs); }
inline Tensor operator*(const Operand &lhs, const Operand &rhs) { return mul(lhs, rhs); }
inline Tensor operator-(const Operand &x) { return neg(x); }
inline Tensor operator<(const Operand &lhs, const Operand &rhs) { return less(lhs, rhs); }
inline Tensor operator<=(const Operand &lhs, const Operand &rhs) { return lessEqual(lhs, rhs); }
inline Tensor operator>(const Operand &lhs, const Operand &rhs) { return greater(lhs, rhs); }
inline Tensor operator>=(const Operand &lhs, const Operand &rhs) { return greaterEqual(lhs, rhs); }
inline Tensor operator==(const Operand &lhs, const Operand &rhs) { return equal(lhs, rhs); }
inline Tensor operator!=(const Operand &lhs, const Operand &rhs) { return notEqual(lhs, rhs); }
Tensor operator/(const Operand &lhs, const Operand &rhs); ///< of integers in float, as trueDivide
Tensor operator%(const Operand &lhs, const Operand &rhs); ///< sign of the divisor, as remainder
Tensor operator&(const Operand &lhs, const Operand &rhs); ///< of bool or integers
Tensor operator|(const Operand &lhs, const Operand &rhs);
Tensor operator^(const Operand &lhs, const Operand &rhs);
Tensor operator~(const Operand &x);
Tensor operator<<(const Operand &lhs, const Operand &rhs); ///< of integers; counts in [0, bits)
Tensor operator>>(const Operand &lhs, const Operand &rhs);

/// lhs / rhs; integers and bools are divided in the float type that takes them.
Tensor trueDivide(const Operand &lhs, const Operand &rhs);
/// The largest integer not above lhs / rhs.
Tensor floorDivide(const Operand &lhs, const Operand &rhs);
/// lhs - rhs * floorDivide(lhs, rhs): has the sign of rhs.
Tensor remainder(const Operand &lhs, const Operand &rhs);
inline Tensor maximum(const Operand &lhs, const Operand &rhs) { return max(lhs, rhs); }
inline Tensor minimum(const Operand &lhs, const Operand &rhs) { return min(lhs, rhs); }
inline Tensor where(const Operand &condition, const Operand &x, const Operand &y) { return select(condition, x, y); }
Tensor square(const Operand &x);
Tensor rsqrt(const Operand &x);
Tensor clip(const Operand &x, const Operand &low, const Operand &high);

using Axes = std::vector<int64_t>;
/// Folds over the axes, all of them when none is named. Sums and products of integers are i64 (u64 of unsigned ones).
Tensor sum(const Operand &x, Axes axes = {}, bool keepDims = false);
Tensor prod(const Operand &x, Axes axes = {}, bool keepDims = false);
Tensor mean(const Operand &x, Axes axes = {}, bool keepDims = false);   ///< of integers in f64
Tensor var(const Operand &x, Axes axes = {}, bool keepDims = false);    ///< of the population, two passes
Tensor stddev(const Operand &x, Axes axes = {}, bool keepDims = false); ///< the square root of `var`; NumPy's `std`
Tensor amax(const Operand &x, Axes axes = {}, bool keepDims = false);   ///< an empty fold throws
Tensor amin(const Operand &x, Axes axes = {}, bool keepDims = false);
Tensor all(const Operand &x, Axes axes = {}, bool keepDims = false);
Tensor any(const Operand &x, Axes axes = {}, bool keepDims = false);
/// The position of the first of the largest (smallest) elements, row-major among the axes that are folded, as i64. NaN
/// counts as the largest and the smallest. `argMax` and `argMin` are the ops, along one axis.
Tensor argmax(const Operand &x, Axes axes = {}, bool keepDims = false);
Tensor argmin(const Operand &x, Axes axes = {}, bool keepDims = false);

/// Filled; on the spot of no memory until it is used.
Tensor full(Shape shape, const Operand &value, std::optional<DType> dtype = {});
Tensor zeros(Shape shape, DType dtype = DType::F32, Site site = std::source_location::current());
Tensor ones(Shape shape, DType dtype = DType::F32, Site site = std::source_location::current());
/// Of the shape of x, and of its element type unless another one is given.
Tensor fullLike(const Operand &x, const Operand &value, std::optional<DType> dtype = {});
Tensor zerosLike(const Operand &x, std::optional<DType> dtype = {});
Tensor onesLike(const Operand &x, std::optional<DType> dtype = {});
/// start, start + step, ... before stop, which are numbers: of integers as i64, of others as f32 unless another type is
/// given, computed in f64.
Tensor arange(const Operand &stop, std::optional<DType> dtype = {});
Tensor arange(const Operand &start, const Operand &stop, const Operand &step = 1, std::optional<DType> dtype = {});
/// `count` numbers from start to stop, which is the last one or, without `endpoint`, the one after it. Computed in f64;
/// rounded down for integers.
Tensor linspace(double start, double stop, int64_t count, bool endpoint = true, DType dtype = DType::F32,
                Site site = std::source_location::current());
Tensor eye(int64_t n, DType dtype = DType::F32, Site site = std::source_location::current());

/// Other orders and shapes, as tensors of their own; the member functions of the same names are views.
Tensor reshape(const Operand &x, Shape shape);
Tensor transpose(const Operand &x, std::vector<int64_t> perm = {});
Tensor squeeze(const Operand &x, Axes axes = {}); ///< all axes of extent 1 when none is named
Tensor expandDims(const Operand &x, int64_t axis);
Tensor flatten(const Operand &x, int64_t from = 0, int64_t to = -1); ///< axes from `from` to `to` become one
Tensor flip(const Operand &x, Axes axes = {});
Tensor roll(const Operand &x, int64_t shift, int64_t axis); ///< one program for all shifts
Tensor concat(std::span<const Tensor> tensors, int64_t axis = 0, Site site = std::source_location::current());
Tensor concat(std::initializer_list<Tensor> tensors, int64_t axis = 0, Site site = std::source_location::current());
Tensor stack(std::span<const Tensor> tensors, int64_t axis = 0, Site site = std::source_location::current());
Tensor stack(std::initializer_list<Tensor> tensors, int64_t axis = 0, Site site = std::source_location::current());
/// Equal parts; or parts that begin at the positions, as NumPy's split.
std::vector<Tensor> split(const Operand &x, int64_t parts, int64_t axis = 0);
std::vector<Tensor> split(const Operand &x, std::span<const int64_t> positions, int64_t axis = 0);
std::vector<Tensor> split(const Operand &x, std::initializer_list<int64_t> positions, int64_t axis = 0);

/// The elements along the axis in order, equal ones as they were, NaN as the largest; and the positions that they had.
Tensor sort(const Operand &x, int64_t axis = -1, bool descending = false);
Tensor argsort(const Operand &x, int64_t axis = -1, bool descending = false);

/// Matrix product as NumPy's `@`: vectors are rows on the left and columns on the right, leading axes broadcast.
Tensor matmul(const Operand &lhs, const Operand &rhs);
/// The slices whose elements are not zero, (rank, count) of i64. Waits for the count.
Tensor nonZero(const Operand &x);

} // namespace pliant
