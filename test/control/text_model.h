// SPDX-License-Identifier: Apache-2.0
// ONNX models from a short text, so that a test of loops and branches shows the graph it is about.
#pragma once
#include <string>

namespace pliant::test {

/// One line a node; lines in braces are a graph attribute. The bytes of the model.
///
///     in n:i64[] x:f32[B,3] s:seq(f32[?,3])      (also opt(...); no brackets: no shape)
///     out y
///     t = Constant() value=bool[]{1}
///     y = Loop(n, t, x) body={
///       in i:i64[] c:bool[] a:f32
///       out d b                                  (a type after the name where it matters: b:f32)
///       d = Identity(c)
///       b = Concat(a, x) axis=0                  (attributes: 1, 0.5f, [1, 2], [1f, 2f], ["a", "b"], "text", WORD, a
///       tensor)
///     }
///
/// A malformed text gives an empty model, which no compiler takes.
std::string modelOf(const std::string &text, int opset = 18);

} // namespace pliant::test
