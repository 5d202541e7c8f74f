// SPDX-License-Identifier: Apache-2.0
// Runs a model three ways: compiled, by the reference evaluators, and in ONNX Runtime; each compiled once and run at
// several points. Agreement as everywhere (tools/pliant/compare.h).
#pragma once
#include "model.h"

namespace pliant::differential {

struct Verdict {
  enum class Kind : uint8_t {
    Agree,
    TheyRefuse, ///< ONNX Runtime, at least at one point; ours agree with each other
    BothRefuse, ///< nobody runs it at any point
    Compiled,   ///< compiled code differs from the references
    Values,     ///< ours differ from ONNX Runtime's
    WeRefuse,   ///< but ONNX Runtime does not
    Crash
  } kind = Kind::Agree;
  std::string what; ///< which output, element, values; or the error
  size_t point = 0; ///< the first at which it showed
  bool wrong() const { return kind >= Kind::Compiled; }
};
inline constexpr const char *kindNames[] = {"agree",         "they refuse", "both refuse", "compiled differs",
                                            "values differ", "we refuse",   "crash"};

inline constexpr unsigned mostSeconds = 300; ///< longer: it hangs

/// `ort` is the library's path; empty: ours alone.
Verdict judge(const Model &model, const std::vector<Point> &points, const std::string &ort);
/// The same in a process of its own, which may crash; called where ONNX Runtime does not run.
Verdict judgeApart(const Model &model, const std::vector<Point> &points, const std::string &ort);

/// The output in which a verdict of Kind::Values or Kind::Compiled says that two sides differ.
struct Disagreement {
  std::string output;
  DenseTensor ours, reference, theirs; ///< default ones where a side has no result
  /// Linear indices of what differs: ours from theirs, or from the reference for Kind::Compiled. None where the element
  /// types or the shapes do.
  std::vector<int64_t> elements;
};
std::optional<Disagreement> disagreementOf(const Model &model, const Point &point, const Verdict &verdict,
                                           const std::string &ort);

/// What ONNX Runtime gives for one node alone on these operands, by position; a default tensor where an operand is
/// absent. Nothing when it refuses.
std::optional<std::vector<DenseTensor>> answered(const onnx::NodeProto &node, const std::vector<DenseTensor> &operands,
                                                 int64_t opset, const std::string &ort);

/// What compiled code or the references give for a model, by the outputs' names; nothing when they refuse.
std::map<std::string, DenseTensor> computed(const Model &model, const Point &point, bool reference);

/// What ONNX Runtime gives for a model, by the outputs' names; nothing when it refuses.
std::map<std::string, DenseTensor> answersTo(const Model &model, const Point &point, const std::string &ort);

/// Every tensor of the model at a point, by the references or else ONNX Runtime.
std::map<std::string, DenseTensor> valuesOf(const Model &model, const Point &point, const std::string &ort);

} // namespace pliant::differential
