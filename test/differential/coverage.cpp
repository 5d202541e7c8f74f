// SPDX-License-Identifier: Apache-2.0
#include "coverage.h"
#include "onnx/rows.h"
#include <map>

namespace pliant::differential {
namespace {

/// docs/differential.md lists the same.
const std::map<std::string, const char *> &neverDrawn() {
  static constexpr const char *random = "two implementations draw other random numbers (O14)",
                              *old = "a form from before opset 9, the first one drawn";
  static const std::map<std::string, const char *> rows = {
      {"RandomUniform@1", random},
      {"RandomNormal@1", random},
      {"RandomUniformLike@1", random},
      {"RandomNormalLike@1", random},
      {"Bernoulli@15", random},
      {"Multinomial@7", random},
      {"Cast@1", old},
      {"PRelu@1", old},
      {"Reshape@1", old},
      {"Selu@1", old},
      {"Tile@1", old},
      {"Upsample@7", old},
  };
  return rows;
}

/// What the importer reads without a row: graphs within nodes, and lists.
const std::set<std::string> &withoutRow() {
  static const std::set<std::string> ops = {"If",
                                            "Loop",
                                            "Scan",
                                            "SequenceEmpty",
                                            "SequenceConstruct",
                                            "SequenceInsert",
                                            "SequenceErase",
                                            "SequenceAt",
                                            "SequenceLength",
                                            "SequenceMap",
                                            "ConcatFromSequence",
                                            "SplitToSequence",
                                            "Optional",
                                            "OptionalGetElement",
                                            "OptionalHasElement"};
  return ops;
}

std::string nameOf(const onnx_import::Row &row) { return std::string(row.op) + "@" + std::to_string(row.since); }
std::set<std::string> all() {
  std::set<std::string> names = withoutRow();
  for (auto list : onnx_import::allRows())
    for (const onnx_import::Row &row : list)
      names.insert(nameOf(row));
  return names;
}

} // namespace

std::string rowOf(const std::string &op, int64_t opset) {
  const onnx_import::Row *row = withoutRow().contains(op) ? nullptr : onnx_import::findRow(op, opset);
  return row ? nameOf(*row) : op;
}

std::set<std::string> missing(const std::set<std::string> &drawn) {
  std::set<std::string> names;
  for (const std::string &row : all())
    if (!drawn.contains(row) && !neverDrawn().contains(row))
      names.insert(row);
  return names;
}

std::string gaps(const std::set<std::string> &drawn) {
  std::string text;
  for (const std::string &row : missing(drawn))
    text += row + " is neither drawn nor listed as never drawn\n";
  for (const auto &[row, reason] : neverDrawn())
    if (!all().contains(row))
      text += row + " is listed as never drawn and does not exist\n";
    else if (drawn.contains(row))
      text += row + " is drawn and listed as never drawn\n";
  return text;
}

} // namespace pliant::differential
