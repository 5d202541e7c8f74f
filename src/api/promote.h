// SPDX-License-Identifier: Apache-2.0
// Which element type ops with several operands compute in: NumPy 2's rules (NEP 50), with bf16 beside f16.
#pragma once
#include "pliant/tensor.h"

namespace pliant::api {

/// The smallest type that holds the values of both; f64 for i64 with a float, and for u64 with a signed integer.
DType promoted(DType a, DType b);
/// Of a number beside tensors: it takes their type unless it is of a higher kind (bool, integer, float); then i64, or
/// f64.
DType promotedWith(DType tensor, Operand::Kind number);
/// The float type in which functions of float take integers: f16 for 8 bits and bool, f32 for 16, f64 above.
DType floating(DType type);
/// What sums and products of integers are collected in: i64, or u64 of unsigned ones.
DType summed(DType type);

} // namespace pliant::api
