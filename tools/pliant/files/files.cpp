// SPDX-License-Identifier: Apache-2.0
// The choice of the file kind.
#include "files/files.h"
#include "files/npy.h"
#include "files/picture.h"
#include "files/tensor_proto.h"
#include "runtime/file_map.h"
#include <unistd.h>

namespace pliant::files {
namespace {

std::vector<NamedTensor> one(NamedTensor tensor) {
  std::vector<NamedTensor> list;
  list.push_back(std::move(tensor));
  return list;
}

bool startsWith(Bytes bytes, std::string_view start) {
  return bytes.size() >= start.size() && std::memcmp(bytes.data(), start.data(), start.size()) == 0;
}

Result<std::vector<NamedTensor>> readEntry(const std::string &archive, const std::string &entry) {
  PLIANT_TRY(std::vector<NamedTensor> all, readNpz(archive));
  std::string names;
  for (NamedTensor &tensor : all) {
    if (tensor.first == entry)
      return one(std::move(tensor));
    names += (names.empty() ? "" : ", ") + tensor.first;
  }
  return cannotRead(archive, "it has no entry '" + entry + "'", "it has: " + names);
}

} // namespace

Result<std::vector<NamedTensor>> readTensors(const std::string &path) {
  size_t colon = path.rfind(".npz:");
  if (colon != path.npos && access(path.c_str(), F_OK) != 0)
    return readEntry(path.substr(0, colon + 4), path.substr(colon + 5));
  PLIANT_TRY(FileMap map, FileMap::open(path));
  Bytes bytes{map.data(), map.size()};
  if (startsWith(bytes, "PK"))
    return readNpz(path);
  if (startsWith(bytes, "\x93NUMPY")) {
    MemorySource source(bytes, path);
    PLIANT_TRY(DenseTensor tensor, readNpy(source, path));
    return one({"", std::move(tensor)});
  }
  if (isPicture(bytes)) {
    PLIANT_TRY(DenseTensor tensor, decodePicture(bytes, path));
    return one({"", std::move(tensor)});
  }
  if (!path.ends_with(".pb"))
    return cannotRead(path, "it is no .npy, .npz, .png, .jpg or .pb file");
  PLIANT_TRY(NamedTensor tensor, parseTensorProto(bytes.data(), bytes.size(), path));
  return one(std::move(tensor));
}

Result<NamedTensor> readTensor(const std::string &path) {
  PLIANT_TRY(std::vector<NamedTensor> list, readTensors(path));
  if (list.size() == 1)
    return std::move(list[0]);
  std::string names;
  for (const NamedTensor &tensor : list)
    names += (names.empty() ? "" : ", ") + tensor.first;
  return cannotRead(path, "it holds " + std::to_string(list.size()) + " tensors, one is expected",
                    list.empty() ? "" : "name one as " + path + ":NAME; it has: " + names);
}

Status writeTensor(const std::string &path, const NamedTensor &tensor) {
  if (path.ends_with(".npy"))
    return writeNpy(path, tensor.second);
  if (path.ends_with(".npz"))
    return writeNpz(path, one(tensor));
  if (path.ends_with(".png"))
    return writePng(path, tensor.second);
  if (path.ends_with(".pb"))
    return writeTensorProto(path, tensor);
  return cannotWrite(path, "the kind of file is not known by its ending", "use .npy, .npz, .png or .pb");
}

} // namespace pliant::files
