// SPDX-License-Identifier: Apache-2.0
// Which build a library is: the linker's note in its file. Keys of the disk cache hold it in place of versions.
#pragma once
#include <optional>
#include <string>

namespace pliant::cache {

/// The bytes of the GNU build id of an ELF file; nothing when it cannot be read or has none.
std::optional<std::string> buildId(const std::string &path);
/// Of the library or program in this process that an address lies in: what runs, also when its file was replaced since.
std::optional<std::string> buildIdAt(const void *address);
/// Of libpliant.so: runtime, shapes, and what both libraries share.
std::optional<std::string> coreBuildId();

} // namespace pliant::cache
