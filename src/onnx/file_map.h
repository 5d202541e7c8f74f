// SPDX-License-Identifier: Apache-2.0
// Files mapped read only, and the rule that keeps external data inside the model's folder.
#pragma once
#include "runtime/file_pages.h"
#include "support/result.h"
#include <memory>
#include <span>
#include <string>

namespace pliant::onnx_file {

/// The bytes of a file or of a string; unmapped when it dies.
class Mapping {
public:
  static Result<std::unique_ptr<Mapping>> ofFile(const std::string &path, uint64_t maxBytes);
  static std::unique_ptr<Mapping> ofBytes(std::string bytes);
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping();

  std::span<const std::byte> bytes() const { return view; }
  /// While a few bytes here and there are read, reading ahead only costs: a cold 400 MB model opens in 15 ms, not 470.
  void readAhead(bool on) const;
  /// Gives back whole pages inside the range; they are read from the file again when touched.
  void dropPages(uint64_t offset, uint64_t length) const;

private:
  Mapping() = default;
  std::string owned;
  std::span<const std::byte> view;
  bool mapped = false;
  std::unique_ptr<FilePages> pages; ///< of a file
};

/// The real path of external data called `location` by a model in `modelPath` (or, with `isFolder`, in that folder).
/// It lies in the model's folder, or in the folder where the model really is when the model is a symbolic link (model
/// hubs link both files into one store); anything else is an error.
Result<std::string> externalPath(const std::string &modelPath, bool isFolder, const std::string &location);

} // namespace pliant::onnx_file
