// SPDX-License-Identifier: Apache-2.0
// The tensors that a model is run on: from files, or drawn at random with values of the true kind.
#pragma once
#include "arguments.h"
#include "executable/executable.h"
#include "picture_input.h"
#include "shapes.h"

namespace pliant::tool {

const std::vector<Option> &inputOptionList(); ///< --input, --random, --range and those of pictures

class Inputs {
public:
  /// Reads the files of --input and checks names of --input and --range against the program.
  static Result<Inputs> read(const Arguments &arguments, const Program &program, bool alwaysRandom);
  /// Values of symbols that the files' shapes determine.
  const SymbolValues &known() const { return symbols; }
  /// All inputs of the program in order. Only files give lists.
  Result<std::vector<RunValue>> make(const SymbolValues &values) const;
  /// The same of a program without lists.
  Result<std::vector<DenseTensor>> tensors(const SymbolValues &values) const;
  /// From now on this input is what a run gave; its extents become those of its symbols. Other inputs are drawn anew.
  Status feed(size_t input, RunValue value);

private:
  struct Range {
    double low, high;
  };
  const Program *program = nullptr;
  std::vector<DenseTensor> given; ///< by input; empty where none
  std::map<size_t, TensorList> lists;
  SymbolValues symbols;
  std::map<std::string, Range> ranges;
  bool random = false;
  uint64_t seed = 0;

  Status addFile(const std::string &name, DenseTensor tensor, const PictureOptions &picture);
  Result<DenseTensor> draw(size_t input, const SymbolValues &values) const;
  Result<Range> rangeOf(size_t input, const SymbolValues &values) const;
};

} // namespace pliant::tool
